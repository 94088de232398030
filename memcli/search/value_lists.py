"""The documents of every value of a field, side by side, to count them at once.

Invariant: what is counted are documents that the caller names, so a document that is
deleted, or hidden from the caller, counts nowhere.
"""

from __future__ import annotations

from itertools import accumulate
from operator import sub

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


class ValueLists(NamedTuple):
    """The values of a field and the lists of their documents, in the same order.

    `values` has a value once for each part of the index that knows it. `docs` has the
    lists one behind the other, with documents that are deleted or hidden among them;
    the list of the value at a place ends before `ends[place]`.
    """

    values: Sequence[str]
    docs: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, lists: Mapping[str, Sequence[int]]) -> ValueLists:
        """The lists of a field as `Source.values` gives them."""
        docs = [doc for listed in lists.values() for doc in listed]
        return cls(list(lists), docs, list(accumulate(map(len, lists.values()))))

    def counted(self, among: Collection[int]) -> list[int]:
        """How many documents of each list are among these.

        Args:
            among: a set, since each document is looked up in it.
        """
        found = [0, *accumulate(map(among.__contains__, self.docs))]
        upto = [found[end] for end in self.ends]
        return list(map(sub, upto, [0, *upto]))

    def listed(self, place: int) -> Sequence[int]:
        """The documents of the value at a place."""
        return self.docs[self.ends[place - 1] if place else 0 : self.ends[place]]
