"""Three clones of a vault that change it and meet, in any order.

Each clone is a folder of files in memory; a sync is what `memcli sync` does with git:
our changes and the shared branch's become one by `plan_merge`, and the branch moves on.
"""

import hashlib
import itertools
from collections.abc import Mapping
from typing import NamedTuple
from unittest.mock import patch

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.entries import codec, dates, layout
from memcli.entries.entry import Entry, Status, Subtype, Visibility
from memcli.entries.identity import File
from memcli.entries.ids import adopted_id, new_id, slug
from memcli.entries.merging.chains import Joined
from memcli.entries.merging.trees import MergePlan, Side, plan_merge
from tests.conftest import EVERYTHING
from tests.lineages import check_hidden, check_lineages, check_resolved

Files = dict[str, bytes]
START = 1_795_262_400
README = "README.md"
OLD = "2026-11-01T09:30:00Z"


def merged(base: Files, ours: Files, theirs: Files, names: str = "AB") -> MergePlan:
    """The plan of a merge of three folders of files."""
    blobs: dict[File, bytes] = {}

    def tree(files: Files) -> dict[str, File]:
        found = {}
        for path, data in files.items():
            found[path] = File("100644", hashlib.sha256(data).hexdigest())
            blobs[found[path]] = data
        return found

    plan = plan_merge(
        tree(base),
        Side(names[0], tree(ours)),
        Side(names[1], tree(theirs)),
        lambda wanted: [blobs[blob] for blob in wanted],
    )
    return _with_bytes(plan, blobs)


def _with_bytes(plan: MergePlan, blobs: Mapping[File, bytes]) -> MergePlan:
    put: dict[str, File | bytes] = {
        path: blobs[data] if isinstance(data, File) else data
        for path, data in plan.put.items()
    }
    return plan._replace(put=put)


def after(ours: Files, plan: MergePlan) -> Files:
    """Our files once a plan is carried out."""
    left = {path: data for path, data in ours.items() if path not in plan.gone}
    put = {path: data for path, data in plan.put.items() if isinstance(data, bytes)}
    return {**left, **put}


class Said(NamedTuple):
    """What a person was told is kept."""

    id: str
    body: str


class World:
    """Three clones and the branch that they share."""

    def __init__(self) -> None:
        self.remote: Files = {}
        self.clones: list[Files] = [{}, {}, {}]
        self.bases: list[Files] = [{}, {}, {}]
        self.clock = START
        self.said: list[Said] = []
        self.forgotten: set[str] = set()
        self.reopened: set[str] = set()
        self.resolved: set[str] = set()
        self.hidden: set[str] = set()
        self.overwritten: set[str] = set()
        self.names = itertools.count()

    def entries(self, files: Files) -> dict[str, Entry]:
        found = {}
        for path, data in sorted(files.items()):
            if layout.is_entry(path):
                entry = codec.decode(data, path).entry
                assert entry.id not in found, f"two files are {entry.id}"
                found[entry.id] = entry
        return found

    def current(self, clone: int) -> list[Entry]:
        return [
            entry
            for entry in self.entries(self.clones[clone]).values()
            if entry.status is Status.ACTIVE
        ]

    def now(self) -> str:
        self.clock += 1
        return dates.iso(self.clock)

    def fresh_id(self) -> str:
        number = next(self.names)
        return new_id(self.clock * 1000, lambda count: number.to_bytes(count, "big"))

    def write(self, clone: int, entry: Entry, old: Entry | None = None) -> None:
        files = self.clones[clone]
        if old is None:
            files[entry.path] = codec.encode(entry)
            return
        data = codec.rewrite(files[old.path], entry)
        if old.path != entry.path:
            del files[old.path]
        files[entry.path] = data

    # --- what people do -----------------------------------------------------------

    def save(self, clone: int, text: str) -> None:
        now = self.now()
        name, number, path = slug(text), 1, ""
        while not path or path in self.clones[clone]:
            path = f"memories/note/{name}{f'-{number}' if number > 1 else ''}.md"
            number += 1
        entry = Entry(self.fresh_id(), created=now, body=text, path=path)
        self.write(clone, entry)
        self.said.append(Said(entry.id, text))

    def evolve(self, clone: int, old: Entry, text: str) -> None:
        now = self.now()
        path = f"{old.path.rpartition('/')[0]}/{slug(text)}.md"
        if path in self.clones[clone]:
            path = old.path
        fresh = old.replace(
            path=path,
            id=self.fresh_id(), body=text, created=now, updated="", supersedes=old.id,
            reason=None, subtype=Subtype.PINNED if text == WORDS[0] else old.subtype,
        )  # fmt: skip
        place = layout.archived(old.path, old.id)
        ended = old.replace(
            path=place, status=Status.SUPERSEDED, superseded_by=fresh.id, updated=now,
            reason="changed",
        )  # fmt: skip
        self.write(clone, ended, old)
        self.write(clone, fresh)
        self.said.append(Said(fresh.id, text))

    def resolve(self, clone: int, old: Entry) -> None:
        self.write(
            clone, old.replace(status=Status.RESOLVED, resolved_at=self.now()), old
        )
        self.resolved.add(old.id)

    def reopen(self, clone: int) -> None:
        for entry in self.entries(self.clones[clone]).values():
            if entry.status is Status.RESOLVED and not entry.superseded_by:
                status = Status.ACTIVE
                if entry.path.startswith("archive/"):  # what replaced it is forgotten
                    status = Status.SUPERSEDED
                back = entry.replace(status=status, resolved_at=None)
                self.write(clone, back, entry)
                self.reopened.add(entry.id)
                return

    def forget(self, clone: int, old: Entry) -> None:
        del self.clones[clone][old.path]
        self.forgotten.add(old.id)
        for entry in self.entries(self.clones[clone]).values():
            if entry.superseded_by == old.id:
                self.write(clone, entry.replace(superseded_by=None), entry)

    def tag(self, clone: int, old: Entry, text: str) -> None:
        tags = tuple(dict.fromkeys((*old.tags, text.split()[0])))
        self.write(clone, old.replace(tags=tags, updated=self.now()), old)

    def hide(self, clone: int, old: Entry) -> None:
        self.write(clone, old.replace(visibility=Visibility.PRIVATE), old)
        self.hidden.add(old.id)

    def edit(self, clone: int, old: Entry, text: str) -> None:
        """A person replaces the text by hand; the old words are only in git."""
        self.write(clone, old.replace(body=text), old)
        self.overwritten.add(old.body)
        self.said.append(Said(old.id, text))

    def rename(self, clone: int, old: Entry, text: str) -> None:
        path = f"notes/{slug(text)}.md"
        if path not in self.clones[clone]:
            self.write(clone, old.replace(path=path), old)

    # --- meeting --------------------------------------------------------------------

    def sync(self, clone: int) -> MergePlan:
        ours, base = self.clones[clone], self.bases[clone]
        names = "ABC"[clone] + "R"
        plan = merged(base, ours, self.remote, names)
        back = merged(base, self.remote, ours, names[::-1])
        files = after(ours, plan)
        assert files == after(self.remote, back), "the order of the sides matters"
        self.remote = files
        self.clones[clone], self.bases[clone] = dict(files), dict(files)
        return plan


WORDS = ["deploy", "cache", "queue", "port", "disk"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
ACTS = (
    "save", "evolve", "evolve", "resolve", "reopen", "forget", "tag", "edit", "rename",
    "hide", "sync", "sync", "sync",
)  # fmt: skip
WORDLESS = ("resolve", "forget", "hide")
STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(ACTS), st.integers(0, 9), TEXTS),
    max_size=30,
)


def play(world: World, steps: list[tuple[int, str, int, str]]) -> None:
    for clone, act, pick, text in steps:
        there = world.current(clone)
        words = () if act in (*WORDLESS, "reopen", "sync") else (text,)
        if act in ("save", "reopen", "sync"):
            getattr(world, act)(clone, *words)
        elif there:
            getattr(world, act)(clone, there[pick % len(there)], *words)


# A lineage whose head, or a version in its middle, is one that no side has changed.
TWICE = [(0, "evolve", 0, "deploy")] * 2
BOTH = [(2, "evolve", 1, "deploy"), (1, "evolve", 1, "cache")]


@settings(max_examples=3_000 if EVERYTHING else 60)
@given(STEPS, st.permutations([0, 1, 2]))
@example([*TWICE, (1, "forget", 0, "deploy")], [0, 1, 2])
@example([*TWICE, (1, "hide", 0, "deploy")], [1, 0, 2])
@example([(0, "forget", 1, ""), *BOTH], [1, 2, 0])
@example([TWICE[0], (1, "forget", 0, "deploy"), (2, "evolve", 0, "deploy")], [0, 2, 1])
def test_three_clones_end_equal_and_nothing_is_lost(
    steps: list[tuple[int, str, int, str]], order: list[int]
) -> None:
    world = World()
    play(world, [(0, "save", 0, "deploy"), (0, "save", 0, "cache queue")])
    for clone in range(3):
        world.sync(clone)
    play(world, steps)
    for clone in (*order, *order):
        world.sync(clone)
    assert world.clones[0] == world.clones[1] == world.clones[2]
    for clone in order:
        plan = world.sync(clone)
        assert (plan.put, plan.gone, plan.notes) == ({}, [], [])
    files = world.clones[0]
    entries = world.entries(files)
    check_lineages(entries)
    check_hidden(entries, world.hidden)
    everything = b"\0".join(files.values()).decode()
    for said in world.said:
        if said.id not in world.forgotten and said.body not in world.overwritten:
            assert said.body in everything, f"{said} is lost"
    check_resolved(entries, world.resolved, world.reopened)


def test_a_file_that_one_side_broke_is_not_taken_for_forgotten() -> None:
    entry = Entry("1m7xvn68xtqp489w", created=OLD, body="on Mondays\n", path="a.md")
    base = {"a.md": codec.encode(entry)}
    ours = {"a.md": codec.encode(entry.replace(body="on Fridays\n"))}
    theirs = {"a.md": base["a.md"].replace(b"created:", b"created: [")}
    files = after(ours, merged(base, ours, theirs))
    assert files == after(theirs, merged(base, theirs, ours, "BA"))
    assert files["a.md"] == ours["a.md"]
    assert theirs["a.md"] in files.values()


def test_what_one_side_decided_stays() -> None:
    """Beside a tag that nothing can read, a move by hand, and a forgotten successor."""
    odd = b"---\nid: 1m7xvn68xtqp489w\ntags: [a b]\n---\nwords\n"
    head = b"---\nid: 1m7yzmkeg0000001\n"
    new = b"---\nid: 1m7yzmmdr0000002\nsupersedes: 1m7yzmkeg0000001\n---\nb\n"
    base = {"a.md": odd, "b.md": b"note\n", "d.md": head + b"---\na\n", "e.md": new}
    over = b"superseded_by: 1m7yzmmdr0000002\nupdated: 2026-11-02\n---\na\n"
    noted = f"---\nid: {adopted_id('b.md')}\nstatus: resolved\n---\nnote\n".encode()
    solved = odd.replace(b"tags", b"status: resolved\ntags")
    ours = {"a.md": solved, "b.md": noted, "d.md": head + over, "e.md": new}
    theirs = {"a.md": odd + b"more\n", "c.md": b"note\n\n", "d.md": base["d.md"]}
    files = after(ours, merged(base, ours, theirs))
    assert files == {**theirs, "a.md": solved + b"more\n", "b.md": noted}


def test_no_chain_is_gone_along_for_each_entry_that_leads_to_it() -> None:
    one = {f"a{n}": Entry(f"a{n}", superseded_by="z0") for n in range(9)}
    two = {f"z{n}": Entry(f"z{n}", superseded_by=f"z{n + 1}") for n in range(9)}
    with patch.object(Joined, "_narrow") as narrow:
        Joined({**one, **two}, one, ("a", one), ("b", {**one, **two}))
    assert not narrow.called


def test_a_page_of_an_entity_that_two_sides_rewrote_holds_both_texts() -> None:
    path = "entities/tool/redis.md"
    page = Entry("1m7xvn68xtqp489w", title="Redis", created=OLD, body="a\n", path=path)
    base = {path: codec.encode(page)}
    ours = {path: codec.encode(page.replace(body="Redis holds the queue\n"))}
    theirs = {path: codec.encode(page.replace(body="Redis holds sessions\n"))}
    files = after(ours, merged(base, ours, theirs))
    assert files == after(theirs, merged(base, theirs, ours, "BA"))
    assert b"Redis holds the queue" in files[path]
    assert b"Redis holds sessions" in files[path]


_IDS = st.sampled_from(["1m7xvn68xtqp489w", "1m7yzmkeg0000001", "1m7yzmmdr0000002"])
_KEYS = st.one_of(
    st.builds("id: {}".format, _IDS),
    st.builds("superseded_by: {}".format, _IDS),
    st.builds("supersedes: {}".format, _IDS),
    st.sampled_from(
        [
            "status: active", "status: resolved", "status: superseded",
            "status: nonsense", "tags: [a]", "tags: [b", "created: 9999-12-31",
            "created: 0001", "updated: 2030", "title: One", "item: derived",
            "rating: 1", "rating: 2", "aliases: [q]", "&a x: *a",
        ]
    ),
)  # fmt: skip
_HOSTILE = st.one_of(
    st.binary(max_size=20),
    st.builds(
        lambda keys, body: ("---\n" + "\n".join([*keys, "---", body])).encode(),
        st.lists(_KEYS, max_size=5),
        st.sampled_from(["a", "b", "<<<<<<< x\n1\n=======\n2\n>>>>>>> y\n"]),
    ),
    st.sampled_from([b"[vault\n", b"a=1\n", b"a=2\n", b"## 2026-11-21: One\nx\n"]),
)
_PATHS = st.sampled_from(
    [
        "a.md", "A.md", "a.md/b.md", "a", "memories/note/a.md", README,
        "archive/a.1m7xvn68xtqp489w.md", "entities/tool/x.md",
        ".memcli/config.toml", "ideas/x.md", "x.png", "../evil.md",
        "e\u0301.md", "\u00e9.md", "a\nb.md",
    ]
)  # fmt: skip
# Of two files that replaced a version which nobody has, none is its head.
_HEIR = b"---\nsupersedes: 1m7xvn68xtqp489w\n---\na"
_TREES = st.dictionaries(_PATHS, _HOSTILE, max_size=6)


@settings(max_examples=3_000 if EVERYTHING else 80)
@given(_TREES, _TREES, _TREES)
@example({}, {}, dict.fromkeys(("a.md", "A.md"), _HEIR))
def test_any_bytes_at_any_paths_are_merged_alike_in_either_order(
    base: Files, ours: Files, theirs: Files
) -> None:
    files = after(ours, merged(base, ours, theirs))
    assert files == after(theirs, merged(base, theirs, ours, "BA"))
    again = merged(files, files, files)
    assert (again.put, again.gone) == ({}, [])
