"""The levels of a term, by bucket, out of the parts of its list that were fetched.

Invariant: pure; each document of the list is at a place of a level of its bucket.
"""

from __future__ import annotations

from memcli.search.postgres import levels
from memcli.search.postgres.packing import Postings

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memcli.search.source import Level

    _Part = tuple[int, int, bytes | None, bytes | None]
    _Levels = dict[int, list[Level]]


def bits_of(parts: Iterable[_Part]) -> int:
    """The bits of a number that say its bucket, as a part with levels has them."""
    stored = next(where for _, _, _, where in parts if where is not None)
    return levels.bits_of(stored)


def merged(parts: Iterable[_Part], bits: int) -> _Levels:
    """The levels of a list that came as levels, or as postings where it is short.

    Args:
        parts: (bucket, length, postings, levels), of the two the one that came.
        bits: those of a document's number that say its bucket.
    """
    found: _Levels = {}
    for bucket, n, data, where in parts:
        if where is not None:
            some = levels.restored(where)
        else:
            some = levels.levels(Postings(data or b"", n, weighted=True), bits)
        found.setdefault(bucket, []).extend(some)
    return found
