"""The lookups of a reader: documents by the values of fields, and their packed facts.

Invariant: asks the source of a reader and nothing else. A document that its reader may
not see is in no list; `lists` alone may hold one, and counts none that is not named.
"""

from __future__ import annotations

from memcli.entries.entry import Status
from memcli.search.packed_facts import ANSWERS_SHIFT, ASKS, SPAN, STATUS_MASK

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from memcli.search.packed_facts import Columns
    from memcli.search.source import Source
    from memcli.search.value_lists import ValueLists

STATUSES = tuple(Status)


class Lookups:
    """Values of fields, the live documents that have them, and facts of documents.

    Attributes:
        columns: the packed facts of all documents, deleted ones included.
    """

    _source: Source
    columns: Columns

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

    @property
    def lengths(self) -> Sequence[int]:
        """How many terms each document has."""
        return self.columns.lengths

    @property
    def sessions(self) -> Sequence[int]:
        """The number of each document's session or document, 0 for none."""
        return self.columns.sessions

    @property
    def orders(self) -> Sequence[int]:
        """What breaks ties between documents."""
        return self.columns.orders

    def asks(self, doc: int) -> bool:
        """Whether the document is itself a question."""
        return bool(self.columns.flags[doc] & ASKS)

    def asking(self, docs: Iterable[int]) -> set[int]:
        """Those of some documents that ask."""
        flags = self.columns.flags
        return {doc for doc in docs if flags[doc] & ASKS}

    def answers(self, doc: int) -> int:
        """The kinds of answer that the document holds, as `answer_types` has them."""
        return self.columns.flags[doc] >> ANSWERS_SHIFT

    def superseded(self, doc: int) -> bool:
        """Whether a later version has replaced the document."""
        status = STATUSES[self.columns.flags[doc] & STATUS_MASK]
        return status is Status.SUPERSEDED

    def moment(self, doc: int) -> int:
        """When it happened, in epoch seconds; 0 if unknown or coarser than a day."""
        columns = self.columns
        return 0 if columns.flags[doc] & SPAN else columns.times[doc]

    def is_span(self, doc: int) -> bool:
        """Whether the entry's time is more than a moment or a day."""
        return bool(self.columns.flags[doc] & SPAN)
