"""What the packed facts alone say of a document.

Invariant: reads the columns of a source and nothing else, each when it is asked for.
"""

from __future__ import annotations

from memcli.entries.entry import Status
from memcli.search.packed_facts import ANSWERS_SHIFT, ASKS, SPAN, STATUS_MASK

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.search.packed_facts import Columns

STATUSES = tuple(Status)


class DocumentFacts:
    """Documents as far as their packed facts go.

    Attributes:
        columns: the packed facts of all documents, deleted ones included.
    """

    columns: Columns

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
