"""Which facts of an answer are similar, with what differs between them.

Invariant: pure, and no verdict: similar facts may both hold. The caller looks at both,
the newer named newer.
"""

from __future__ import annotations

from itertools import combinations

from memcli.entries.text import tokens
from memcli.entries.text.differences import differences
from memcli.named_tuple import NamedTuple
from memcli.vault.likeness import MOST_SIMILAR, SIMILAR

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.recall.results import Row


class Pair(NamedTuple):
    """Two similar facts, as of `vault.likeness.Similar`."""

    older: str
    newer: str
    likeness: float
    differs: tuple[str, ...]


def pairs(rows: Sequence[Row]) -> list[Pair]:
    """The nearest pairs among these rows, at most three, those that differ first.

    Two facts of two projects are no pair: there both can be right.

    >>> pairs([])
    []
    """
    stem = tokens.stemmer()
    words = {row.id: set(tokens.terms(row.text, stem)) for row in rows}
    found = []
    for two in combinations(rows, 2):
        older, newer = sorted(two, key=lambda r: (r.occurred_at or r.created, r.id))
        if older.project and newer.project and older.project != newer.project:
            continue
        mine, theirs = words[older.id], words[newer.id]
        union = len(mine | theirs)
        likeness = round(len(mine & theirs) / union, 3) if union else 0.0
        if likeness >= SIMILAR:
            differs = differences(older.text, newer.text)
            found.append(Pair(older.id, newer.id, likeness, differs))
    found.sort(key=lambda pair: (not pair.differs, -pair.likeness, pair[:2]))
    return found[:MOST_SIMILAR]
