"""Files come back as they were, entries come back as they were, broken files speak."""

import time

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.entries.codec import Decoded, decode, encode, rewrite
from memcli.entries.entry import (
    FIELDS,
    KINDS,
    Confidence,
    EntityType,
    Entry,
    Layer,
    Source,
    Status,
    Subtype,
    Visibility,
)
from memcli.entries.ids import adopted_id
from memcli.errors import InvalidEntry, InvalidValue
from tests.conftest import EVERYTHING

ID = "1m7xsadcexpb72nt"
PATH = "memories/note/a.md"

TRAPS = [
    "no", "Yes", "null", "~", "1.10", "0x1f", "1e5", "12:30", "2026-01-02",
    "2026-01-02T03:04:05Z", "0o17", ".inf", "=", "<<", "@a", "#", "#a", "a#", "&", "*",
    "!", "|", ">", "%", "`", "---", "...", "-x", "?", ":", "{a}", "[a]", "NaN", "1_000",
    "on", "y", "N", "- x", "a: b", "a #b", "a:", "a ", " a", "", "\t", "a\nb", "a\r\nb",
    "---\nid: x\n---", "\u2028", "\x85", "\ufeffa", "\x07\x7f\x9f", 'say "hi" \\ there',
    "it's", "don't, ever", "שלום עולם", "\u202eabc", "中文，标题", "👩‍👩‍👧 family",
    "https://example.org/a?b=c#d", "\ufffe\uffff", "123456789012345e",
]  # fmt: skip

texts = st.one_of(
    st.sampled_from(TRAPS),
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30
    ),
    st.text("ab: #-\n\r\t'\",[]{}&*!|>%@`~\u2028\x85", max_size=12),
)
maybe = st.none() | texts
lists = st.lists(texts, max_size=3).map(tuple)
tags = st.sampled_from(["a", "key:value", "1.10", "no", "2026", "área/x", "c++"])
dates = st.sampled_from(["2023", "2023-05", "2023-05-08", "2023-05-08T01:02:03Z"])
anchors = st.sampled_from(
    ["src/app.py", "a b.py:1-2#2-1a2b3c4d9f8e7d6c@a1b2c3d", "é:7"]
)
names = st.sampled_from(["src/limits.py", "src"])
sources = st.builds(
    Source,
    seq=st.none() | st.integers(0, 10**9),
    **{name: maybe for name in Source._fields if name != "seq"},
)
one_line = "agent rationale supersedes superseded_by reason resolved_by resolution_note"
moments = "occurred_at occurred_until resolved_at refreshed_at expires_at review_after"
entries = st.builds(
    Entry,
    id=st.text("0123456789abcdefghjkmnpqrstvwxy", min_size=16, max_size=16),
    kind=st.sampled_from([*KINDS, "my-kind", "2do"]),
    layer=st.sampled_from(Layer),
    subtype=st.none() | st.sampled_from(Subtype),
    type=st.sampled_from(EntityType),
    status=st.sampled_from(Status),
    title=texts,
    created=dates,
    updated=st.just("") | dates,
    tags=st.lists(tags, unique=True, max_size=3).map(tuple),
    project=st.sampled_from([None, "atlas", "web-client"]),
    code=st.lists(anchors, unique=True, max_size=3).map(tuple),
    visibility=st.sampled_from(Visibility),
    source=sources,
    confidence=st.none() | st.sampled_from(Confidence),
    seen=st.lists(dates, max_size=3).map(tuple),
    pinned=st.booleans(),
    **dict.fromkeys((*one_line.split(), "research"), maybe),
    **dict.fromkeys(("asked", "entities", "groups", "evidence", "fingerprints"), lists),
    **dict.fromkeys(moments.split(), st.none() | dates),
    extra=st.sampled_from(
        [
            (),
            (
                ("aliases", "aliases:\n  - x # one\n  - y\n"),
                ("cssclass", "cssclass: z\n"),
            ),
            (("id", "id: 20230101\n"), ("note", "note: |\n  a\n\n  # b\n")),
        ]
    ),
    body=texts | st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    path=st.just(PATH),
)
frontmatters = st.lists(
    st.sampled_from(
        [
            "title: T # why\n",
            "title: 'T'\n",
            "tags:\n- a\n\n- b # second\n# about the next\n",
            "tags: [a,\n  b]\n",
            "status:   resolved\n",
            "kind: decision\r\n",
            "weird: >\n  folded\n  # not a comment\n\n\n",
            "aliases: [x, y]\n",
            "source:\n  writer: hook\n  # inner\n  seq: 7\n",
            "source: {writer: hook, seq: 7}\n",
            "# a comment\n",
            "\n",
            "pinned: yes\n",
            "created: 2026-01-02\n",
            "rationale: |-\n    two\n    lines\n",
            "agent: \n",
            'reason: "a\n  b"\n',
            'unknown: "a\u2028  b\x85  c"\n',
            "confidence: low\n",
        ]
    ),
    max_size=8,
)


def own(front: str, body: str = "") -> bytes:
    return f"---\nid: {ID}\n{front}---\n{body}".encode()


def read(data: bytes, path: str = PATH) -> Decoded:
    return decode(data, path)


# --- there and back ---------------------------------------------------------------


@settings(max_examples=200 if EVERYTHING else 50)
@given(entries)
@example(Entry(ID, created="2026", body="---\nid: x\n---\n", path=PATH))
def test_an_entry_comes_back_from_its_file(entry: Entry) -> None:
    data = encode(entry)
    assert decode(data, PATH) == Decoded(entry, (), own=True)
    assert encode(decode(data, PATH).entry) == data


@settings(max_examples=200 if EVERYTHING else 50)
@given(entries)
def test_any_yaml_reader_sees_our_strings_as_strings(entry: Entry) -> None:
    data = encode(entry.replace(extra=(), body=""))
    seen = yaml.load(data.decode()[4:-4], yaml.CSafeLoader)
    for name in FIELDS:
        value = getattr(entry, name)
        if name == "source":
            wanted = {k: v for k, v in value._asdict().items() if v is not None}
            assert (seen.get(name) or {}) == wanted
        elif name in seen:
            assert seen[name] == (list(value) if isinstance(value, tuple) else value)


def test_only_what_differs_from_its_default_is_written() -> None:
    entry = Entry(
        ID,
        kind="fix",
        title="Use ruff, not flake8",
        created="2026-11-21T09:00:00Z",
        tags=("python", "tool:ruff"),
        source=Source(writer="skill", seq=3),
        pinned=True,
        body="\nBecause it is fast.\n",
    )
    assert encode(entry).decode() == (
        f"---\nid: {ID}\nkind: fix\ntitle: Use ruff, not flake8\n"
        'created: "2026-11-21T09:00:00Z"\ntags: [python, "tool:ruff"]\n'
        "source:\n  writer: skill\n  seq: 3\npinned: true\n---\n"
        "\nBecause it is fast.\n"
    )


@pytest.mark.parametrize("bad", ["a\0b", "a\ud800"])
@pytest.mark.parametrize("field", ["title", "body", "reason"])
def test_what_is_no_text_is_not_written(bad: str, field: str) -> None:
    with pytest.raises(InvalidValue):
        encode(Entry(ID).replace(**{field: bad}))
    with pytest.raises(InvalidValue):
        rewrite(own(""), read(own("")).entry.replace(**{field: bad}))


def test_an_extra_cannot_end_the_frontmatter() -> None:
    with pytest.raises(InvalidValue):
        encode(Entry(ID, extra=(("x", "x: 1\n---\nkind: fix\n"),)))


# --- changing a file in place -----------------------------------------------------


@settings(max_examples=200 if EVERYTHING else 50)
@given(frontmatters, entries, st.booleans(), st.text("ab\r\n-"))
def test_a_rewritten_file_holds_the_entry(
    lines: list[str], entry: Entry, ours: bool, body: str
) -> None:
    block = (f"id: {ID}\n" if ours else "") + "".join(lines)
    original = f"---\n{block}---\n{body}".encode()
    try:
        before = read(original)
    except InvalidEntry:
        return  # a key that was drawn twice
    assert rewrite(original, before.entry) == original
    wanted = entry.replace(extra=before.entry.extra)
    after = read(rewrite(original, wanted))
    assert after.own
    assert after.entry == wanted


@pytest.mark.parametrize("block", ["!\r::\n", "!\n::\n", "&a\n::\n"])
def test_a_tag_or_an_anchor_of_the_whole_block_goes_to_no_key(block: str) -> None:
    original = f"---\n{block}---\nbody".encode()
    before = read(original)
    assert read(rewrite(original, before.entry.replace(kind="fix"))).entry.body == (
        before.entry.body
    )


@settings(max_examples=200 if EVERYTHING else 50)
@given(frontmatters, st.text("ab\r\n-"))
def test_one_change_touches_one_line(lines: list[str], body: str) -> None:
    lines = [line for line in dict.fromkeys(lines) if not line.startswith("status")]
    original = f"---\nid: {ID}\n{''.join(lines)}---\n{body}".encode()
    try:
        before = read(original).entry
    except InvalidEntry:
        return
    changed = rewrite(original, before.replace(status=Status.RESOLVED))
    assert changed.replace(b"status: resolved\n", b"", 1) == original
    assert rewrite(changed, before) == original


def test_comments_quotes_order_and_line_ends_survive_a_change() -> None:
    original = (
        "\ufeff---\r\n# mine\r\ntitle:  'Old' # keep me\r\nzeta: [1,2]   # mine too\r\n"
        f"id: {ID}\r\nreason: >\r\n  folded\r\n  text\r\n\r\n# last\r\n---\r\nBody\r\n"
    ).encode()
    entry = read(original).entry
    assert (entry.title, entry.reason) == ("Old", "folded text\n")
    changed = rewrite(
        original, entry.replace(title="New: one", reason=None, status=Status.RESOLVED)
    )
    assert changed.decode() == (
        '\ufeff---\r\n# mine\r\ntitle: "New: one" # keep me\r\nzeta: [1,2]   # mine too'
        f"\r\nid: {ID}\r\nstatus: resolved\r\n\r\n# last\r\n---\r\nBody\r\n"
    )


@settings(max_examples=200 if EVERYTHING else 50)
@example('"":', False)
@given(st.text("ab: #-\n\r\t'\",[]{}&*!|>%?.\u2028\x85", max_size=40), st.booleans())
def test_any_text_between_the_fences_is_kept_or_refused(block: str, ours: bool) -> None:
    front = f"id: {ID}\n" if ours else ""
    original = f"---\n{front}{block}\n---\nbody".encode()
    try:
        before = read(original).entry
    except InvalidEntry:
        return
    wanted = before.replace(reason="why", pinned=True)
    changed = rewrite(original, wanted)
    assert read(changed).entry == wanted
    assert read(encode(wanted)).entry == wanted


# --- adopted notes ----------------------------------------------------------------

OBSIDIAN = b"""---
aliases: [Standup, "Daily: notes"]
tags: "#Team Notes, project/alpha"
created: 2024-03-05 09:30
status: draft
type: meeting
cssclasses:
  - wide
id: 202403050930
up: "[[Home]]"
---
# Standup

We talked. #todo
"""


def test_an_obsidian_note_is_an_entry() -> None:
    entry, problems, ours = read(OBSIDIAN, "Daily/Standup.md")
    assert (problems, ours) == ((), False)
    assert entry.id == adopted_id("Daily/Standup.md")
    assert entry.tags == ("team-notes", "project/alpha")
    assert entry.created == "2024-03-05T09:30:00Z"
    assert (entry.status, entry.type, entry.kind) == ("active", "unknown", "note")
    assert [name for name, _ in entry.extra] == [
        *("aliases", "status", "type", "cssclasses", "id", "up")
    ]
    assert dict(entry.extra)["cssclasses"] == "cssclasses:\n  - wide\n"
    assert entry.display_title == "Standup"


# --- values -----------------------------------------------------------------------


def test_an_invalid_value_is_reported_with_its_line_and_kept() -> None:
    data = own("title: T\nstatus: actve\nrating: 1\npinned: maybe\nsource: web\n")
    entry, problems, _ = read(data)
    assert [(p.path, p.line, p.field) for p in problems] == [
        (PATH, 4, "status"),
        (PATH, 6, "pinned"),
        (PATH, 7, "source"),
    ]
    assert "Did you mean 'active'?" in problems[0].message
    assert (entry.status, entry.pinned, entry.source) == ("active", False, Source())
    assert ("status", "status: actve\n") in entry.extra
    assert rewrite(data, entry.replace(title="U")) == data.replace(b": T", b": U")
    assert decode(encode(entry), PATH).problems[0].field == "status"


@pytest.mark.parametrize(
    "line",
    [
        "title: {{title}}",
        "created: yesterday",
        "tags: [[a]]",
        "kind: Two Words",
        "layer: facts",
        "source: {seq: many}",
        "source: {writer: [a]}",
        'reason: "a\\0b"',
        "occurred_at: 2023-02-30",
        "code: [../x]",
        "code: {a: b}",
    ],
)
def test_no_value_of_ours_breaks_the_reader(line: str) -> None:
    name = line.partition(":")[0]
    entry, problems, _ = read(own(line + "\n"))
    assert [problem.field for problem in problems] == [name]
    assert entry.extra == ((name, line + "\n"),)
    adopted = read(f"---\n{line}\n---\n".encode())
    assert adopted.problems == ()
    assert adopted.entry.extra == ((name, line + "\n"),)


def test_aliases_within_a_key_are_not_written_out() -> None:
    """Ten of ten of ten ...: ten levels are text for hours."""
    levels = ["&a0 [" + ",".join("x" * 10) + "]"]
    levels += [
        f"&a{level} [" + ",".join([f"*a{level - 1}"] * 10) + "]"
        for level in range(1, 10)
    ]
    data = own("k: {? [" + ", ".join(levels) + "] : v}\n")
    begun = time.monotonic()
    assert read(data).entry.extra[0][0] == "k"
    assert time.monotonic() - begun < 2


# --- broken files -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (b"a\n\xff\n", 2, "not UTF-8"),
        (b"a\nb\0c", 2, "NUL"),
        (b"---\ntitle: T\nno end", 1, "not closed"),
        (own("title: a: b\n"), 3, "broken YAML"),
        (own("\ttitle: a\n"), 3, "broken YAML"),
        (own("title: [a\n"), 4, "broken YAML"),
        (own("title: \x07\n"), 3, "broken YAML"),
        (own("title: a\n--- x\n"), 4, "broken YAML"),
        (own("title: a\ntags: []\ntitle: b\n"), 5, "given twice"),
        (own("<<<<<<< HEAD\ntitle: a\n=======\ntitle: b\n>>>>>>> x\n"), 3, "conflict"),
        (b"<<<<<<< HEAD\n---\ntitle: a\n---\n", 1, "conflict"),
        (own("a: &a [x]\nb: *a\n"), 4, "alias"),
        (own("a: " + "[" * 5000 + "\n"), 3, "broken YAML"),
        (own("x: 1\x85y: 2\n"), 3, "of its own"),
        (own("? x\n: 1\n"), 3, "of its own"),
        (own("{{x}}: 1\n"), 3, "of its own"),
        (own("a\n b: 1\n"), 4, "broken YAML"),
        (b"---\nMy key: [\nid: x\n---\n", 3, "broken YAML"),
        (own("x: " + "a" * 300_000 + "\n"), 1, "above"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(
    data: bytes, line: int, reason: str
) -> None:
    with pytest.raises(InvalidEntry) as caught:
        read(data)
    assert reason in str(caught.value)
    assert (caught.value.path, caught.value.line) == (PATH, line)


@pytest.mark.parametrize(
    "text",
    [
        own("", "x" * 1_000_000),
        b"-" * 1_000_000,
        b"---\n" * 250_000,
        b"---\n" + b"# " * 500_000,
        b"---\n" + b"# \n" * 300_000 + b"---\n",
        own("k: 1" + "g" * 250_000 + "!\n"),
        own("k: " + "[a, " * 900 + "]" * 900 + "\n"),
        own("".join(f"k{n}: {'v' * 240}\n" for n in range(900))),
        own("k: 'a\n" + "\n" * 200_000 + " b'\n"),
        own("evidence:\n" + "- x\n" * 50_000),
    ],
)
def test_large_files_take_linear_time(text: bytes) -> None:
    started = time.process_time()
    entry = read(text).entry
    rewrite(text, entry.replace(title="1" + "g" * 200_000 + "!", pinned=True))
    assert time.process_time() - started < 2
