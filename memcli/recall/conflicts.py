"""Which facts cannot both be right, as far as their words tell.

Invariant: pure, and narrow. Two facts are a conflict only when they are of one kind and
subject and their claims disagree (`entries.text.disagreement`), or when lineage says
that they are versions of one. A conflict is a hint to look, never a verdict.
"""

from __future__ import annotations

from itertools import combinations

from memcli.entries.text import tokens
from memcli.entries.text.disagreement import claim, disagree
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.recall.results import Row

_MOST = 10


class Conflict(NamedTuple):
    """Two facts, the older first; `rule` is versions, numbers, negation, alternative,
    given_up or order."""

    ids: tuple[str, str]
    rule: str
    why: str


def conflicts(rows: Sequence[Row]) -> list[Conflict]:
    """The pairs among these rows that disagree, in the order of the rows, at most 10.

    >>> conflicts([])
    []
    """
    claims = [(row, claim(row.text)) for row in rows]
    pairs = []
    for pair in combinations(claims, 2):
        (older, first), (newer, second) = sorted(pair, key=lambda item: _age(item[0]))
        reason = _versions(older, newer)
        if first and second and not reason and _may_disagree(older, newer):
            reason = disagree(first, second)
        if reason:
            pairs.append(Conflict((older.id, newer.id), *reason))
    return pairs[:_MOST]


def _may_disagree(older: Row, newer: Row) -> bool:
    """Whether both hold in one place and may speak of one thing: the names that their
    texts do not say are the same."""
    if older.kind == "event" or older.kind != newer.kind:
        return False
    if older.layer != newer.layer or _apart(older, newer):
        return False
    told = f"{older.text} {newer.text}".lower()
    mine, theirs = (
        {tokens.name_key(name) for name in row.entities if name.lower() not in told}
        for row in (older, newer)
    )
    return mine == theirs


def _apart(older: Row, newer: Row) -> bool:
    """Whether each holds in a project of its own, where both can be right."""
    both = older.project and newer.project
    return bool(both) and older.project != newer.project


def _versions(older: Row, newer: Row) -> tuple[str, str] | None:
    links = {older.supersedes, older.superseded_by} - {None}
    back = {newer.supersedes, newer.superseded_by} - {None}
    if newer.id in links or older.id in back:
        return "versions", "one is a version of the other"
    if older.supersedes and older.supersedes == newer.supersedes:
        return "versions", "both replace the same entry"
    return None


def _age(row: Row) -> tuple[str, str]:
    return (row.occurred_at or row.created, row.id)
