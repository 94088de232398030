"""How long a list may be that is fetched, by what is read of it.

Invariant: pure; a list that came, or was longer than may be, is not asked for again
unless it may be longer now.
"""

from __future__ import annotations

from memcli.search.postgres.packing import NUMBER

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from memcli.search.source import Ahead


Named = tuple[str, str]
"""A field and a value of it."""

Limit = tuple[int, int]
"""How long a list may be to come, and to come flat."""

_TERMS = "terms"
# A list that is longer is fetched only when its documents are read: of a name that half
# the vault holds mostly the length is asked.
_SHORT = 4_096
# A list of a term that is longer comes as its levels where these are what is wanted.
FLAT = 2_000
TOTAL = 100_000
"""Lists that have no more documents together come whole, however long one is.

To score so many takes a reader 15 ms, and to find out which need none as long.
"""

# A word that may stand for one of the question is read where it may: in no more than
# `COMMON` of the documents, which the database counts in the same round trip.
_RARE = 0
_WHOLE = 1 << 60


def wanted(
    queue: Iterable[Ahead], here: Mapping[Named, Any], tried: Mapping[Named, Limit]
) -> dict[Named, Limit]:
    """The lists that are not here yet, each with how long it may be to come.

    Args:
        queue: what will be read.
        here: the lists that came.
        tried: those that were asked for, with how long they might be.
    """
    limits: dict[Named, Limit] = {}
    for each in queue:
        rare = ((_TERMS, term) for term in each.rare)
        leveled = ((_TERMS, term) for term in each.levels)
        whole = ((_TERMS, term) for term in each.terms)
        for some, limit in (
            (rare, (_RARE, FLAT)),
            (each.lists, (_SHORT, _SHORT)),
            (leveled, (_WHOLE, FLAT)),
            (whole, (_WHOLE, _WHOLE)),
        ):
            for named in new(some, here):
                limits[named] = _wider(limit, limits.get(named, limit))
    return {
        named: limit
        for named, limit in limits.items()
        if _wider(limit, before := tried.get(named, (-1, -1))) != before
    }


def _wider(one: Limit, other: Limit) -> Limit:
    return max(one[0], other[0]), max(one[1], other[1])


def new(named: Iterable[Named], known: Mapping[Named, Any]) -> dict[Named, None]:
    """Those that are not known, each once, of fields that have lists."""
    return {
        each: None
        for each in dict.fromkeys(named)
        if each not in known and each[0] in NUMBER
    }
