"""The merge of one entry's file by fields and lines."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries import codec
from memcli.entries.dates import to_epoch
from memcli.entries.entry import Entry, Layer, Status, Subtype, Visibility
from memcli.entries.merging.fields import carried
from memcli.entries.merging.files import MergedFile, Version
from memcli.entries.merging.files import merge_file as merge

PATH = "memories/note/deploy.md"
BASE = Entry(
    "1m7xvn68xtqp489w",
    created="2026-11-21T01:44:28Z",
    tags=("deploy", "old"),
    body="We deploy from main on Tuesdays\n",
    path=PATH,
)
LATER = "2026-11-22T08:00:00Z"
Fields = dict[str, Any]


def of(base: Entry | None, ours: Entry, theirs: Entry) -> tuple[Entry, MergedFile]:
    """The merged entry; it is the same whichever side is ours."""
    data = codec.encode(base) if base else None
    sides = [Version(codec.encode(ours), "desk"), Version(codec.encode(theirs), "lap")]
    there, back = merge(PATH, data, *sides), merge(PATH, data, *sides[::-1])
    assert there == back
    return codec.decode(there.data, PATH).entry, there


_SOLVED = {"status": Status.RESOLVED, "resolved_at": LATER, "resolved_by": "kim"}
_AGAIN = {**_SOLVED, "resolved_at": "2026-11-23T08:00:00Z"}
_OPEN = {"status": Status.ACTIVE, "resolved_at": None}


def extra(*lines: str) -> Fields:
    return {"extra": tuple((line.partition(":")[0], line + "\n") for line in lines)}


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged", "note"),
    [
        ({}, {"tags": ("deploy",)}, {"tags": ("deploy", "old", "ci")},
         {"tags": ("deploy", "ci")}, ""),
        ({}, _SOLVED, {"body": "On Mondays\n", "updated": "2026-11-23T08:00:00Z"},
         {**_SOLVED, "body": "On Mondays\n"}, ""),
        (_SOLVED, _OPEN, {**_SOLVED, "tags": ()}, {**_OPEN, "tags": ()}, ""),
        (_SOLVED, {**_OPEN, "updated": LATER}, _AGAIN, _AGAIN, ""),
        ({}, _SOLVED, {**_AGAIN, "resolution_scope": "entry"}, _SOLVED, ""),
        ({"status": Status.PENDING}, _OPEN,
         {"status": Status.REJECTED, "updated": LATER}, _OPEN,
         "one side approved it, and the other rejected it: it is in force"),
        ({"body": "a\nb\nc\nd\n"}, {"body": "A\nb\nc\nd\n"},
         {"body": "a\nb\nc\nD\n"}, {"body": "A\nb\nc\nD\n"}, ""),
        (extra("rating: 3"), extra("rating: 4") | {"updated": LATER},
         extra("rating: 5"), extra("rating: 4", "rating_merged: 5"),
         "both changed rating: the other value stands in rating_merged"),
        (extra("people: [ann, bo]"), extra("people: [ann, bo, cy]"),
         extra("people: [ann]"), extra("people: [ann, cy]"), ""),
        ({"expires_at": "2027-01-01"}, {"expires_at": "2027-03-01"},
         {"expires_at": "2027-02-01", "updated": LATER},
         {"expires_at": "2027-03-01"},
         "expires_at '2027-02-01' gave way to '2027-03-01'"),
        ({"project": "a"}, {"project": "b"}, {"project": "c", "updated": LATER},
         {"project": "c"}, "project 'b' gave way to 'c'"),
        ({"layer": Layer.MODEL}, {"subtype": Subtype.PINNED},
         {"subtype": Subtype.EMERGENT, "updated": LATER}, {"subtype": Subtype.PINNED},
         "subtype 'emergent' gave way to 'pinned'"),
        # Of two looks of a report one counts, unless its words are the same.
        ({"layer": Layer.MODEL, "evidence": ("c",)}, {"evidence": ("a",)},
         {"evidence": ("b",), "updated": LATER, "body": "On Mondays\n"},
         {"evidence": ("b",)}, ""),
        ({"layer": Layer.MODEL, "evidence": ("c",)}, {"evidence": ("c", "a")},
         {"evidence": ("c", "b"), "updated": LATER}, {"evidence": ("c", "a", "b")}, ""),
        ({"visibility": Visibility.PRIVATE},
         {"visibility": Visibility.GROUP, "groups": ("board",)},
         {"visibility": Visibility.GROUP, "groups": ("dev",)},
         {"visibility": Visibility.GROUP, "groups": ()},
         "both sides changed its groups: only those of both may see it"),
    ],
)  # fmt: skip
def test_each_field_is_merged_by_its_rule(
    base: Fields, ours: Fields, theirs: Fields, merged: Fields, note: str
) -> None:
    start = BASE.replace(agent="ada").replace(**base)
    entry, done = of(start, start.replace(**ours), start.replace(**theirs))
    assert {name: getattr(entry, name) for name in merged} == merged
    assert done.notes == ((note,) if note else ())
    assert done.kept == ()


def test_a_later_version_takes_the_look_at_the_one_before_only_with_its_words() -> None:
    before = BASE.replace(layer=Layer.MODEL, evidence=("c",))
    looked, later = before.replace(evidence=("a",)), before.replace(pinned=True)
    for words, evidence in ((BASE.body, ("a",)), ("Other words\n", ("c",))):
        current = later.replace(body=words)
        assert carried(before, looked, current).evidence == evidence


def test_lists_that_are_too_long_together_are_kept_in_two_files() -> None:
    """Nothing could read a file with both."""
    old, new = (tuple(f"{side}{n:0100}" for n in range(600)) for side in "ab")
    older = BASE.replace(tags=old, updated="2026-11-22T08:00:00Z")
    newer = BASE.replace(tags=new, updated="2026-11-23T08:00:00Z")
    entry, merged = of(BASE, older, newer)
    assert entry.tags == new
    (kept,) = merged.kept
    assert codec.decode(kept.data, kept.path).entry.tags == old


def test_of_two_texts_for_the_same_line_the_older_one_goes_to_the_archive() -> None:
    ours = BASE.replace(body="On Mondays\n", updated="2026-11-22T08:00:00Z")
    theirs = BASE.replace(body="On Fridays\n", updated="2026-11-23T08:00:00Z")
    entry, merged = of(BASE, ours, theirs)
    assert entry.body == "On Fridays\n"
    (kept,) = merged.kept
    version = codec.decode(kept.data, kept.path).entry
    assert version.body == "On Mondays\n"
    assert version.reason == "merged from desk"
    assert (version.status, version.superseded_by) == (Status.SUPERSEDED, BASE.id)
    assert entry.supersedes == version.id
    assert kept.path == f"archive/memories/note/deploy.{version.id}.md"
    assert merged.notes


@pytest.mark.parametrize(
    "broken",
    [
        b"\xff\xfe\x00",
        b"---\nid: 1m7xvn68xtqp489w\ntags: [\n---\nx",
        b"---\nid: 1m7xvn68xtqp489w\n<<<<<<< HEAD\n=======\n>>>>>>> x\n---\nx",
        b"---\nid: 1m7xvn68xtqp489w\nstatus: nonsense\n---\nx",
    ],
    ids=["utf-16", "yaml", "markers", "status"],
)
def test_a_side_that_cannot_be_read_is_kept_byte_for_byte(broken: bytes) -> None:
    edited = codec.encode(BASE.replace(body="edited\n"))
    later = to_epoch("2027")
    sides = (Version(edited, "desk"), Version(broken, "lap", lambda: later))
    base = codec.encode(BASE)
    merged = merge(PATH, base, *sides)
    assert merged == merge(PATH, base, *sides[::-1])
    # What can be read is current, though the other one is newer.
    assert (merged.data, [kept.data for kept in merged.kept]) == (edited, [broken])


def test_a_foreign_note_is_merged_without_an_id_in_it() -> None:
    base = b"---\ntitle: Plan\nmood: good\n---\na\nb\nc\n"
    merged = merge(
        "plan.md",
        base,
        Version(base.replace(b"good", b"bad"), "desk"),
        Version(base.replace(b"c\n", b"c\nd\n"), "lap"),
    )
    assert merged.data == b"---\ntitle: Plan\nmood: bad\n---\na\nb\nc\nd\n"


def test_an_entity_that_both_rename_keeps_both_names_and_both_texts() -> None:
    path = "entities/tool/redis.md"
    base, older, newer = (
        BASE.replace(path=path, title=title, body=f"{title} is it.\n", updated=updated)
        for title, updated in (("Redis", ""), ("Redis 7", LATER), ("Valkey", "2027"))
    )
    sides = (Version(codec.encode(older), "a"), Version(codec.encode(newer), "b"))
    merged = merge(path, codec.encode(base), *sides)
    assert merged == merge(path, codec.encode(base), *sides[::-1])
    entry = codec.decode(merged.data, path).entry
    assert (entry.title, merged.kept) == ("Valkey", ())
    assert dict(entry.extra) == {"aliases": "aliases: [Redis 7]\n"}
    assert entry.body == "Valkey is it.\n\nRedis 7 is it.\n"


_ENTRIES = st.builds(
    BASE.replace,
    tags=st.sets(st.sampled_from(["a", "b", "c"])).map(lambda x: tuple(sorted(x))),
    body=st.sampled_from(["a\nb\n", "a\nB\n", "A\nb\n", "x"]),
    title=st.sampled_from(["", "One", "Two"]),
    pinned=st.booleans(),
    status=st.sampled_from([Status.ACTIVE, Status.RESOLVED, Status.EXPIRED]),
    updated=st.sampled_from(["", LATER, "2026-11-23T08:00:00Z"]),
    evidence=st.sets(st.sampled_from(["s1", "s2"])).map(lambda x: tuple(sorted(x))),
    visibility=st.sampled_from(list(Visibility)),
    agent=st.just("ann"),
)


@given(_ENTRIES, _ENTRIES, _ENTRIES)
def test_any_two_changes_merge_to_the_same_bytes_in_either_order(
    base: Entry, ours: Entry, theirs: Entry
) -> None:
    entry, merged = of(base, ours, theirs)
    everything = merged.data.decode() + "".join(k.data.decode() for k in merged.kept)
    for side in (ours, theirs):
        for line in set(side.body.split()) - set(base.body.split()):
            assert line in everything
        assert side.title in (base.title, entry.title) or side.title in everything
    if Status.RESOLVED in {ours.status, theirs.status} - {base.status}:
        assert entry.status is Status.RESOLVED


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        ("private", "group a", "group b", "group"),
        ("private", "group a b", "group b c", "group b"),
        ("group a", "group a b", "group a c", "group a"),
        ("group a b", "group a", "group a b c", "group a"),
        ("group a b", "group a b c", "group a b", "group a b c"),
        ("group a b", "group a", "shared", "group a"),
        ("shared", "group a", "private", "private"),
        ("group a", "shared", "group a", "shared"),
        (None, "group a b", "group b", "group b"),
        (None, "shared", "group b", "group b"),
    ],
)
def test_of_two_decisions_on_who_may_see_it_the_narrower_one_holds(
    base: str | None, ours: str, theirs: str, expected: str
) -> None:
    def seen(text: str) -> Entry:
        visibility, *groups = text.split()
        return BASE.replace(
            agent="ada", visibility=Visibility(visibility), groups=tuple(groups)
        )

    entry, _ = of(seen(base) if base else None, seen(ours), seen(theirs))
    assert (entry.visibility, *entry.groups) == tuple(expected.split())


def test_an_older_text_is_as_private_in_the_archive_as_the_current_one() -> None:
    base = BASE.replace(agent="ada", visibility=Visibility.SHARED)
    ours = base.replace(body="On Mondays\n")
    theirs = base.replace(
        body="On Fridays\n", visibility=Visibility.PRIVATE, updated=LATER
    )
    _, merged = of(base, ours, theirs)
    (kept,) = merged.kept
    assert "On Mondays" in kept.data.decode()
    archived = codec.decode(kept.data, kept.path).entry
    assert archived.visibility is Visibility.PRIVATE
