"""Lists, claims and facts of a published vault that are fetched when they are read.

Invariant: each behaves as the sequence or collection of the local index does, for what
`Reader` and the ranking do with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol

from memcli.search.packed_facts import FACTS, Columns, Packed

_Named = tuple[str, str]  # field, value


class Tables(Protocol):
    """What fetches."""

    def whole(self, named: _Named) -> Sequence[int]:
        """The documents of a list."""

    def settles(self, claim: int) -> bool:
        """Whether a claim is settled."""

    def all_settled(self) -> list[int]:
        """Every claim that is settled."""

    def fact(self, doc: int) -> Packed:
        """The packed facts of a document."""


class Later(Sequence[int]):
    """A long list: its length is known, its documents are fetched when one is read."""

    def __init__(self, tables: Tables, named: _Named, length: int) -> None:
        self._tables = tables
        self._named = named
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, at: Any) -> Any:
        return self._tables.whole(self._named)[at]

    def __iter__(self) -> Iterator[int]:
        return iter(self._tables.whole(self._named))

    def __contains__(self, doc: object) -> bool:
        return doc in set(self._tables.whole(self._named))


class Settled(Collection[int]):
    """The claims that are settled, without a list of all of them."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def __contains__(self, claim: object) -> bool:
        return isinstance(claim, int) and claim != 0 and self._tables.settles(claim)

    def __iter__(self) -> Iterator[int]:
        return iter(self._tables.all_settled())

    def __len__(self) -> int:
        return len(self._tables.all_settled())


# --- the facts of all documents, as columns -------------------------------------------


class _Column:
    """One fact of each document, by its number."""

    def __init__(self, tables: Tables, place: int) -> None:
        self._tables = tables
        self._place = place

    def __getitem__(self, doc: int) -> int:
        return self._tables.fact(doc)[self._place]


class _Lengths(dict[int, int]):
    """The length of each document; those of posting lists come with the list."""

    def __init__(self, tables: Tables) -> None:
        super().__init__()
        self._tables = tables

    def __missing__(self, doc: int) -> int:
        return self._tables.fact(doc).length


class Scaled:
    """The length of each document times a factor."""

    def __init__(self, lengths: Sequence[int], factor: float) -> None:
        self._lengths = lengths
        self._factor = factor

    def __getitem__(self, doc: int) -> float:
        return self._factor * self._lengths[doc]


class _Orders:
    """What breaks ties: the number of the document itself."""

    def __getitem__(self, doc: int) -> int:
        return doc


def columns_of(tables: Tables) -> Columns:
    columns: dict[str, Any] = {
        name: _Column(tables, place) for place, name in enumerate(FACTS)
    }
    columns |= {"lengths": _Lengths(tables), "orders": _Orders()}
    return Columns(columns.__getitem__)
