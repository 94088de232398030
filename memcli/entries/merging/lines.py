"""A three-way merge of texts by lines.

Invariant: pure, symmetric but for the order that the caller gives (older, newer), and
bounded: texts of too many lines are one region that both sides changed. No line that a
side added is dropped without being named as a conflict.

It is our own, and not `git merge-file`, since a pure function can be tried on a hundred
thousand texts, runs inside of every plan, and starts no process for each file. It
differs from git in two points: changes of neighbouring lines are no conflict, and lines
that both sides added at the same place are all kept, the older side's first, and once
where both begin or end with the same ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memcli.named_tuple import NamedTuple

# Lines of the base times pairs of equal lines that are compared: a second at most.
_MOST_WORK = 10_000_000

Lines = Sequence[str]


class Hunk(NamedTuple):
    """Lines of the base, `first` to `end` (exclusive), and what took their place."""

    first: int
    end: int
    lines: tuple[str, ...]


class MergedText(NamedTuple):
    """A merged text; `conflicts` counts the regions that both sides changed, in which
    the newer side's lines stand."""

    text: str
    conflicts: int


def merge(base: str | None, older: str, newer: str) -> MergedText:
    """Merge two texts that were one.

    Args:
        base: what both were before; None when they have nothing in common.
        older: the side that gives way where both changed the same lines.
        newer: the other side.

    >>> merge("a\\nb\\nc\\n", "A\\nb\\nc\\n", "a\\nb\\nc\\nd\\n")
    MergedText(text='A\\nb\\nc\\nd\\n', conflicts=0)
    >>> merge("a\\n", "b\\n", "c\\n")
    MergedText(text='c\\n', conflicts=1)
    """
    if older == newer or base == older:
        return MergedText(newer, 0)
    if base == newer:
        return MergedText(older, 0)
    if not base:  # every line would count as added by both
        return MergedText(newer, 1)
    start = base.split("\n")
    merged: list[str] = []
    conflicts = done = 0
    for group in _groups(
        hunks(start, older.split("\n")), hunks(start, newer.split("\n"))
    ):
        first = min(hunk.first for hunk in (*group[0], *group[1]))
        end = max(hunk.end for hunk in (*group[0], *group[1]))
        merged += start[done:first]
        sides = [_applied(start, side, first, end) for side in group]
        if not group[0] or not group[1] or sides[0] == sides[1]:
            merged += sides[0] if group[0] else sides[1]
        elif first == end:  # both added lines between the same two
            merged += _both_added(*sides)
        else:
            conflicts += 1
            merged += sides[1]
        done = end
    merged += start[done:]
    return MergedText("\n".join(merged), conflicts)


def _both_added(older: list[str], newer: list[str]) -> list[str]:
    """What both sides added at one place; once, what both begin or end with."""
    limit = min(len(older), len(newer))
    head = tail = 0
    while head < limit and older[head] == newer[head]:
        head += 1
    while tail < limit - head and older[-1 - tail] == newer[-1 - tail]:
        tail += 1
    return [*older[: len(older) - tail], *newer[head:]]


def _groups(
    older: list[Hunk], newer: list[Hunk]
) -> list[tuple[list[Hunk], list[Hunk]]]:
    """The hunks of both sides, those together that concern the same lines."""
    ordered = sorted(
        [(hunk.first, hunk.end, 0, hunk) for hunk in older]
        + [(hunk.first, hunk.end, 1, hunk) for hunk in newer]
    )
    groups: list[tuple[list[Hunk], list[Hunk]]] = []
    start = reach = -1
    for first, end, side, hunk in ordered:
        both_add = first == end == start == reach
        if not (groups and (first < reach or both_add)):
            groups.append(([], []))
            start, reach = first, end
        groups[-1][side].append(hunk)
        reach = max(reach, end)
    return groups


def _applied(base: Lines, side: list[Hunk], first: int, end: int) -> list[str]:
    """A region of the base as one side left it."""
    lines: list[str] = []
    for hunk in side:
        lines += [*base[first : hunk.first], *hunk.lines]
        first = hunk.end
    return [*lines, *base[first:end]]


def hunks(base: Lines, side: Lines) -> list[Hunk]:
    """The changes of a side, in the order of the base."""
    from difflib import SequenceMatcher

    head = tail = 0
    limit = min(len(base), len(side))
    while head < limit and base[head] == side[head]:
        head += 1
    while tail < limit - head and base[-1 - tail] == side[-1 - tail]:
        tail += 1
    old, new = base[head : len(base) - tail], side[head : len(side) - tail]
    counts = Counter(new)
    if len(old) * sum(counts[line] for line in old) > _MOST_WORK:
        return [Hunk(head, head + len(old), tuple(new))]
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        Hunk(head + first, head + end, tuple(new[start:stop]))
        for what, first, end, start, stop in changes
        if what != "equal"
    ]
