"""The terms of an index: is one known, which begin alike, which are one edit away.

Invariant: a term counts when a live document holds it (but in `begun`), so that what a
reader may not see gives no term away; and the answer does not depend on how the index
is cut into segments.
"""

from __future__ import annotations

from itertools import islice

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Protocol
else:
    Protocol = object

FIELD = "terms"
"""The field of the words of entries."""


class Part(Protocol):
    """What holds terms: a segment, or a whole `Source`."""

    def starting(self, field: str, prefix: str) -> Iterable[str]:
        """The terms of a field that start with a prefix, in order."""

    def begun(self, field: str, prefix: str, endings: Sequence[str]) -> Iterable[str]:
        """Those with one of these endings."""

    def near(self, field: str, term: str) -> Iterable[str]:
        """The terms of a field that are one edit away."""


class Vocabulary(NamedTuple):
    """The terms of one field of a reader.

    Args:
        parts: hold the terms.
        frequency: how many live documents of this index hold a term.
        field: whose terms.
    """

    parts: Sequence[Part]
    frequency: Callable[[str], int]
    field: str = FIELD

    def knows(self, term: str) -> bool:
        """Whether a live document holds a term."""
        return self.frequency(term) > 0

    def starting(self, prefix: str, most: int) -> list[str]:
        """The first terms that start with a prefix, in order, `most` at the most."""
        from heapq import merge

        found = merge(*(s.starting(self.field, prefix) for s in self.parts))
        return list(islice(self._live(found), most))

    def begun(self, prefix: str, endings: Sequence[str]) -> set[str]:
        """The terms that start with a prefix and end in one of the endings.

        Those of deleted documents are among them.
        """
        found = (s.begun(self.field, prefix, endings) for s in self.parts)
        return {text for texts in found for text in texts}

    def near(self, term: str) -> list[str]:
        """The other terms one edit away, the most frequent first.

        An edit puts a letter of an alphabet in, takes a letter out, puts one in the
        place of another, or swaps two neighbours. A term of eight letters takes some
        3 ms at 10,000 entries: ask for terms that are not known.
        """
        found = {text for s in self.parts for text in s.near(self.field, term)}
        return sorted(self._live(sorted(found)), key=self.frequency, reverse=True)

    def _live(self, ordered: Iterable[str]) -> Iterable[str]:
        """The known ones of terms in order, each once."""
        before = None
        for text in ordered:
            if text != before and self.knows(text):
                yield text
            before = text
