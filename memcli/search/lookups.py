"""What a reader looks up by the values of fields.

Invariant: asks the source of a reader and nothing else. A document that its reader may
not see is in no list; `lists` alone may hold one, and counts none that is not named.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from memcli.search.source import Source
    from memcli.search.value_lists import ValueLists


class Lookups:
    """Values of fields, and the live documents that have them."""

    _source: Source

    def exact(self, field: str, value: str) -> Sequence[int]:
        """Live documents whose field has this exact value."""
        return self._source.exact(field, value)

    def existing(self, field: str, values: Sequence[str]) -> list[str]:
        """Those of some values that a live document's field has."""
        counts = self._source.frequencies(field, values)
        return [value for value, n in zip(values, counts, strict=True) if n]

    def starting(self, field: str, prefix: str) -> Sequence[str]:
        """Values of a field that start with a prefix and belong to a live document."""
        return self._source.starting(field, prefix)

    def repeated(self, field: str) -> Mapping[str, Sequence[int]]:
        """The values of a field that several documents have, with these."""
        return self._source.repeated(field)

    def largest(self, field: str) -> list[str]:
        """The values of a field, the last in order first; of deleted ones, too."""
        return sorted(self._source.begun(field, "", ("",)), reverse=True)

    def values(self, field: str) -> Mapping[str, Sequence[int]]:
        """The values of a field, each with the live documents that have it."""
        return self._source.values(field)

    def lists(self, field: str) -> ValueLists:
        """As `values`, to count live documents; others may be in the lists."""
        return self._source.lists(field)

    def begins_one(self, field: str, prefix: str) -> bool:
        """Whether at most one value of a field starts with a prefix.

        It looks no further than the second one that belongs to a live document.
        """
        return self._source.begins_one(field, prefix)

    def holds(self, field: str) -> bool:
        """Whether any document, deleted ones included, has a value in a field."""
        return self._source.holds(field)

    def naming(self, values: Collection[str]) -> Iterator[int]:
        """The live documents in whose row one of these is a value, perhaps others."""
        return self._source.naming(values)
