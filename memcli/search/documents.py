"""The documents of an index: their lists, the words they hold, their facts.

Invariant: a document that was deleted, or that its reader may not see, is in no list
and no count; so an index that was updated a thousand times answers like one that was
built at once.
"""

from __future__ import annotations

from bisect import bisect_left

from memcli.entries import identity
from memcli.entries.entry import Status
from memcli.entries.ids import holds
from memcli.search.store import WEIGHTED, Store

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from typing import Self

    from memcli.entries.eligibility import Agent
    from memcli.search.store import Ask, Listed, Sums

# The flags: the status's place in Status, and one bit each.
STATUS_MASK = 0x0F
ASKS = 0x10
# Resolved alone: other entries of its claim are as they were.
ONLY_THIS = 0x20
# The entry's time is a span (a month, a year, from-until); `times` has its start.
SPAN = 0x40
PINNED = 0x80
# The text holds git's marks of a conflict.
CONFLICT = 0x100
NOT_PLAIN = STATUS_MASK | CONFLICT
"""The flags that a document which is active and whole has none of."""
STATUSES = tuple(Status)
STATUS_NUMBER = {status: number for number, status in enumerate(Status)}
"""The number in the flags that stands for each status."""
UNTAGGED = EVERYWHERE = "-"
"""The tag of the entries without tags, and the project of those that hold everywhere:
neither can be one."""
# Values of the field `check`: where the lint has something to look at; what has
# `enforce`; and what is resolved, and not alone, and has a later version in its place.
FINDING, LINKS, REVIEW, LARGE = "finding", "links", "review", "large"
ENFORCED = "enforced"
RESOLVED_BEFORE = "resolved_before"
# From this bit on: the kinds of answer that the text holds, as `tokens` has them.
ANSWERS_SHIFT = 9
SUPERSEDED = STATUS_NUMBER[Status.SUPERSEDED]
_EARLIEST = -(1 << 63)
# To find a document in a list takes so many times what it takes to read it on the way.
_STEPS = 16


class Documents(Store):
    """The documents of a store, as ranking reads them.

    Attributes:
        live: how many documents there are.
        size: how many are weighed, those of `weigh_with` included.
        total_length: how many terms these documents have together.
    """

    def __init__(self, ask: Ask, sums: Sums, agent: Agent | None = None) -> None:
        super().__init__(ask, sums)
        if agent is not None:
            # No count, list or weight can then give it away: every system that we have
            # read filters at each surface, and forgot the filter somewhere.
            self._hide(agent)
        self.live = self.sums.documents
        self.weigh_with(())

    # --- lists of documents

    def dated(self, after: int | None, before: int | None) -> Iterator[int]:
        """All documents whose time may lie in a window, and perhaps others.

        Those whose time begins there, and all whose time is a span. Two columns are
        looked at: a tenth of the time that a look at each document takes.

        Args:
            after: its first second; None is no beginning.
            before: the first second behind it; None is no end.
        """
        first = _EARLIEST if after is None else after
        end = -_EARLIEST if before is None else before
        flags, times = self.columns.flags, self.columns.times
        for doc in self.everything():
            if first <= times[doc] < end or flags[doc] & SPAN:
                yield doc

    def status(self, doc: int) -> Status:
        """The status of a document, as its file says it."""
        return STATUSES[self.columns.flags[doc] & STATUS_MASK]

    def pinned(self) -> list[int]:
        """The documents that are pinned: they go into every session."""
        flags = self.columns.flags
        return [doc for doc in self.everything() if flags[doc] & PINNED]

    def of_session(self, name: str) -> Sequence[int]:
        """The documents of the session or document of this name."""
        return self.exact("session", f"{numbered(name):016x}")

    def session_members(self, session: int) -> list[int]:
        """The documents of a session, in their order in it."""
        members, of = self.exact("session", f"{session:016x}"), self.columns
        # Without a call for each: sessions are a tenth of a ranking.
        keys = [map(c.__getitem__, members) for c in (of.seqs, of.times, of.orders)]
        return [d for *_, d in sorted(zip(*keys, members, strict=True))]

    def newest(self, docs: Iterable[int]) -> list[int]:
        """These documents, pinned ones first, then by the time they were written."""
        of = self.columns
        flags, created, orders = of.flags, of.created, of.orders
        return sorted(
            docs, key=lambda doc: (not flags[doc] & PINNED, -created[doc], orders[doc])
        )

    # --- words

    def postings(self, term: str) -> Listed:
        """The documents that hold a term, with its weight in each."""
        return self.listed(WEIGHTED, term)

    def frequency(self, term: str) -> int:
        """How many documents hold a term, those of `weigh_with` included."""
        return sum(self.frequencies((term,)))

    def frequencies(self, terms: Sequence[str]) -> Sequence[int]:
        """The frequency of each of these terms, asked for together."""
        every = (each.counts(WEIGHTED, terms) for each in self._weighed)
        return [*map(sum, zip(*every, strict=True))]

    def weigh_with(self, others: Sequence[Self]) -> None:
        """Weigh words and lengths as if these readers and this one were one index.

        Scores are comparable to theirs then; documents stay this reader's own. It
        lasts until the next call; without others this index is weighed alone again.
        """
        self._weighed: list[Self] = [self, *others]
        sums = [each.sums for each in self._weighed]
        self.size = sum(each.documents for each in sums)
        self.total_length = sum(each.length for each in sums)

    def beginning(self, letters: str, endings: tuple[str, ...] = ("",)) -> set[str]:
        """The terms that begin with these letters and end in one of the endings.

        Those of `weigh_with` are among them.
        """
        found: set[str] = set()
        for each in self._weighed:
            found.update(each.starting(WEIGHTED, letters, endings=endings))
        return found

    # --- facts

    def elsewhere(self, here: int) -> Callable[[int], bool]:
        """Whether a document holds in another project only.

        Args:
            here: the number of this project (`projects.number`).
        """
        projects = self.columns.projects
        return lambda doc: not holds(projects[doc], here)


def held_of(
    postings: tuple[Sequence[int], Sequence[float]], wanted: Collection[int]
) -> dict[int, float]:
    """Those of some documents that a posting list names, in its order, with its counts.

    Args:
        postings: documents, and how often each holds the term.
        wanted: the documents that are looked for; quick to be asked for one.
    """
    docs, counts = postings
    if len(wanted) * _STEPS > len(docs):
        return {doc: n for doc, n in zip(*postings, strict=True) if doc in wanted}
    places = ((doc, bisect_left(docs, doc)) for doc in sorted(wanted))
    return {doc: counts[at] for doc, at in places if at < len(docs) and docs[at] == doc}


def numbered(text: str) -> int:
    """A 64-bit number that depends on the text alone; never 0."""
    digest = identity.blake2b(text.encode("utf-8", "surrogatepass"), 8)
    return int.from_bytes(digest, "little") or 1
