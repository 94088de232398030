"""The merge of files of a vault that hold no entry."""

import random
import tomllib
from time import process_time

import pytest

from memcli.entries import layout, toml_text
from memcli.entries.entry import Entry, ResolutionScope, Status
from memcli.entries.ids import new_id
from memcli.entries.merging import fields
from memcli.entries.merging.chains import Joined
from memcli.entries.merging.files import MergedFile, Version
from memcli.entries.merging.files import merge_file as merge

ADA = '[agents.ada]\npolicy = "group"\n'


def of(path: str, base: str, older: str, newer: str) -> MergedFile:
    """The merged file; it is the same whichever side is ours."""
    one = Version(older.encode(), "desk", lambda: 1)
    two = Version(newer.encode(), "laptop", lambda: 2)
    there = merge(path, base.encode(), one, two)
    assert there == merge(path, base.encode(), two, one)
    return there


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ('[agents.ada]\npolicy = "shared"\n', '[agents.ada]\npolicy = "private"\n'),
        ("agents = 3\n", ADA + 'groups = ["board"]\n'),
        (ADA + "not TOML\n", ADA + 'groups = ["board"]\n'),
    ],
    ids=["both-changed", "another-type", "not-toml"],
)
def test_settings_that_disagree_are_those_of_one_side(older: str, newer: str) -> None:
    merged = of(layout.CONFIG, ADA, older, newer)
    assert tomllib.loads(merged.data.decode()) == tomllib.loads(newer)
    assert merged.notes


@pytest.mark.parametrize("seed", range(20))
def test_merged_settings_hold_what_each_side_changed(seed: int) -> None:
    draw = random.Random(seed)
    names = ("ada", "bob", "eve")

    def text(tables: dict[str, dict[str, int]]) -> str:
        return "".join(
            f"[agents.{name}]\n" + "".join(f"{k} = {v}\n" for k, v in table.items())
            for name, table in tables.items()
        )

    def changed(tables: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
        tables = {name: dict(table) for name, table in tables.items()}
        for _ in range(draw.randint(1, 3)):
            table = tables.setdefault(draw.choice(names), {})
            table[draw.choice("pqr")] = draw.randint(1, 3)
        return tables

    base = changed({})
    older, newer = changed(base), changed(base)
    merged = of(layout.CONFIG, text(base) if seed % 2 else "", text(older), text(newer))
    found = tomllib.loads(merged.data.decode())["agents"]
    for name in names:
        for key in "pqr":
            start, one, two, now = (
                side.get(name, {}).get(key)
                for side in (base if seed % 2 else {}, older, newer, found)
            )
            both_changed = start not in (one, two) and one != two
            assert now == (two if one == start or both_changed else one)
            assert not both_changed or f"agents.{name}.{key}" in merged.notes[0]


def test_rows_of_a_file_for_git_keep_their_order() -> None:
    base = "*.log\n!keep.log\nend\n"
    merged = of(".gitignore", base, "*.tmp\n" + base, base + "*.bak\n")
    assert merged.data.decode() == "*.tmp\n" + base + "*.bak\n"


def test_settings_that_are_nested_too_deep_are_merged_without_reading_them() -> None:
    deep = ".".join("a" * 40_000) + " = 1\n"
    assert toml_text.flat(deep) is None


# --- one chain of the versions that two clones have made ------------------------------


_MOMENT = 1_700_000_000_000


def test_a_chain_of_thousands_of_versions_is_joined_in_less_than_a_second() -> None:
    names = [new_id(_MOMENT + count, lambda size: bytes(size)) for count in range(4000)]
    old = [
        Entry(
            name,
            status=Status.SUPERSEDED,
            path=f"archive/{name}.md",
            supersedes=before,
            superseded_by=after,
        )
        for name, before, after in zip(
            names, [None, *names], [*names[1:], None], strict=False
        )
    ]
    old[-1] = old[-1].replace(status=Status.ACTIVE, path="memories/x.md")
    entries = {entry.id: entry for entry in old}
    changed = {**entries, names[-1]: old[-1].replace(tags=("a",))}
    begun = process_time()
    joined = Joined(changed, entries, ("desk", changed), ("laptop", entries))
    assert process_time() - begun < 1  # 0.1 s; 3 s where each version walks the chain
    assert not joined.changed


def version(name: str, before: str | None = None, after: str | None = None) -> Entry:
    status = Status.SUPERSEDED if after else Status.ACTIVE
    return Entry(name, status=status, supersedes=before, superseded_by=after)


A, B, C, OLD = (f"1m7xvn68xtqp48{n}" for n in "7890")
ADOPTED = "z" + "1" * 15


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "chain"),
    [
        # theirs forgot the version that ours evolved
        ([version(OLD, None, A), version(A, OLD)],
         [version(OLD, None, A), version(A, OLD, B), version(B, A)],
         [version(OLD, None, None)], [OLD, B]),
        # both evolved one
        ([version(A)], [version(A, None, C), version(C, A)],
         [version(A, None, B), version(B, A)], [A, B, C]),
        # an adopted note has no time in its id, and is the oldest
        ([version(ADOPTED)], [version(ADOPTED, None, C), version(C, ADOPTED)],
         [version(ADOPTED, None, B), version(B, ADOPTED)], [ADOPTED, B, C]),
    ],
)  # fmt: skip
def test_versions_of_two_sides_are_one_chain(
    base: list[Entry], ours: list[Entry], theirs: list[Entry], chain: list[str]
) -> None:
    start, one, two = (
        {each.id: each for each in side} for side in (base, ours, theirs)
    )
    merged = {name: (two | one)[name] for name in chain}
    for desk, laptop in ((one, two), (two, one)):
        sides = (("desk", desk), ("laptop", laptop))
        found = merged | Joined(merged, start, *sides).changed
        assert [found[name].superseded_by for name in chain] == [*chain[1:], None]
        assert [found[name].supersedes for name in chain] == [None, *chain[:-1]]


def test_a_resolve_by_an_agent_ends_no_later_version_that_a_person_has_pinned() -> None:
    by_agent = {"status": Status.RESOLVED, "resolution_scope": ResolutionScope.AGENT}
    solved, later = version(A).replace(**by_agent), version(B, A)
    for pinned, status in ((True, Status.ACTIVE), (False, Status.RESOLVED)):
        ours = {A: version(A, None, B), B: later.replace(pinned=pinned)}
        merged = ours | {A: solved.replace(superseded_by=B)}
        sides = (("desk", ours), ("laptop", {A: solved}))
        assert Joined(merged, {A: version(A)}, *sides).now[B].status is status


def test_a_resolve_by_an_agent_ends_nothing_that_a_person_pins_meanwhile() -> None:
    by_agent = {"status": Status.RESOLVED, "resolution_scope": ResolutionScope.AGENT}
    solved, held = version(A).replace(**by_agent), version(A).replace(pinned=True)
    for sides in ((solved, held), (held, solved)):
        entry, _ = fields.merge(version(A), *sides)
        assert (entry.status, entry.pinned) == (Status.ACTIVE, True)


def test_what_a_person_pins_is_pinned_in_no_words_of_an_agent() -> None:
    mine = {A: version(A).replace(pinned=True)}
    for agent, pinned in ((None, True), ("bot", False)):
        theirs = {A: version(A, None, B), B: version(B, A).replace(agent=agent)}
        merged = theirs | {A: theirs[A].replace(pinned=True)}
        sides = (("desk", mine), ("laptop", theirs))
        assert Joined(merged, {A: version(A)}, *sides).now[B].pinned is pinned
