"""The documents of an index: their lists, the values of their fields, their facts.

Invariant: a document that was deleted, or that its reader may not see, is in no list
and no count; so an index that was updated a thousand times answers like one that was
built at once.
"""

from __future__ import annotations

from functools import cached_property

from memcli.entries.entry import Status
from memcli.entries.ids import holds
from memcli.search.columns import (
    ANSWERS_SHIFT,
    ASKS,
    PINNED,
    SPAN,
    STATUS_MASK,
    STATUS_NUMBER,
    in_window,
    newest_first,
)
from memcli.search.ranking.corpus import held_of
from memcli.search.store import WEIGHTED

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from typing import Self

    from memcli.search.columns import Columns
    from memcli.search.store import Store

STATUSES = tuple(Status)
_SUPERSEDED = STATUS_NUMBER[Status.SUPERSEDED]


class Documents:
    """The documents of a store, as lists of their numbers.

    Attributes:
        columns: the facts of all documents.
        live: how many documents there are.
        size: how many are weighed, those of `weigh_with` included.
        total_length: how many terms these documents have together.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.columns: Columns = store.columns
        self.live = self.size = store.size.documents
        self.total_length = store.size.length
        self._members: dict[int, list[int]] = {}
        self._scaled: tuple[float, Sequence[float]] = (0.0, ())
        self._beside: Sequence[Self] = ()

    # --- lists of documents

    def everything(self) -> Iterator[int]:
        """All documents."""
        return self._store.everything()

    def exact(self, field: str, value: str) -> Sequence[int]:
        """The documents whose field has this exact value."""
        return self._store.exact(field, value)

    def fetch(self, field: str, values: Iterable[str]) -> None:
        """Read the lists of several values at once, which are asked for next."""
        self._store.fetch(field, values)

    def dated(self, after: int | None, before: int | None) -> Iterator[int]:
        """All documents whose time may lie in a window, and perhaps others.

        Args:
            after: its first second; None is no beginning.
            before: the first second behind it; None is no end.
        """
        live, found = self._store.live, in_window(self.columns, after, before)
        return found if live is None else filter(live.__getitem__, found)

    def pinned(self) -> list[int]:
        """The documents that are pinned: they go into every session."""
        if not self._store.size.flags & PINNED:
            return []
        flags = self.columns.flags
        return [doc for doc in self.everything() if flags[doc] & PINNED]

    @cached_property
    def _constraints(self) -> list[int]:
        return self.newest(self.exact("kind", "constraint"))

    def constraints(self) -> Iterator[int]:
        """The constraints, the newest first."""
        return iter(self._constraints)

    def of_session(self, name: str) -> Sequence[int]:
        """The documents of the session or document of this name."""
        from memcli.search.document import numbered

        return self.exact("session", f"{numbered(name):016x}")

    def fetch_sessions(self, sessions: Iterable[int]) -> None:
        """Read the documents of several sessions at once."""
        self.fetch("session", [f"{session:016x}" for session in sessions])

    def session_members(self, session: int) -> list[int]:
        """The documents of a session, in their order in it."""
        found = self._members.get(session)
        if found is None:
            members = self.exact("session", f"{session:016x}")
            seqs, times, orders = self.columns.seqs, self.columns.times, self.orders
            # Without a call for each: sessions are a tenth of a ranking.
            columns = (seqs, times, orders)
            keys = (map(column.__getitem__, members) for column in columns)
            found = [d for *_, d in sorted(zip(*keys, members, strict=True))]
            self._members[session] = found
        return found

    def newest(self, docs: Iterable[int]) -> list[int]:
        """These documents, pinned ones first, then by the time they were written."""
        return sorted(docs, key=newest_first(self.columns))

    # --- values of fields

    def existing(self, field: str, values: Sequence[str]) -> list[str]:
        """Those of some values that a document's field has."""
        counts = self._store.frequencies(field, values)
        return [value for value, n in zip(values, counts, strict=True) if n]

    def starting(
        self, field: str, prefix: str, most: int | None = None
    ) -> Sequence[str]:
        """The values of a field that start with a prefix, in order."""
        return self._store.starting(field, prefix, most)

    def begins_one(self, field: str, prefix: str) -> bool:
        """Whether at most one value of a field starts with a prefix."""
        return len(self._store.starting(field, prefix, 2)) < 2

    def values(self, field: str) -> Mapping[str, Sequence[int]]:
        """The values of a field, each with the documents that have it."""
        return self._store.values(field)

    def holds(self, field: str) -> bool:
        """Whether any document, hidden ones included, has a value in a field."""
        return self._store.holds(field)

    # --- words

    def postings(self, term: str) -> tuple[Sequence[int], Sequence[float]]:
        """The documents that hold a term, with its weight in each."""
        return self._store.postings(WEIGHTED, term)

    def fetch_terms(self, terms: Iterable[str]) -> None:
        """Read the postings of several terms at once, which are asked for next."""
        self._store.fetch(WEIGHTED, terms)

    def held(self, term: str, docs: Collection[int]) -> Mapping[int, float]:
        """Those of some documents that hold a term, with its weight in each."""
        return held_of(self.postings(term), docs)

    def frequency(self, term: str) -> int:
        """How many documents hold a term, those of `weigh_with` included."""
        return sum(self.frequencies((term,)))

    def frequencies(self, terms: Sequence[str]) -> Sequence[int]:
        """The frequency of each of these terms, asked for together."""
        counts = self._store.frequencies(WEIGHTED, terms)
        for other in self._beside:
            more = other.own_frequencies(terms)
            counts = [n + m for n, m in zip(counts, more, strict=True)]
        return counts

    def own_frequencies(self, terms: Sequence[str]) -> Sequence[int]:
        """How many documents of this index alone hold each of these terms."""
        return self._store.frequencies(WEIGHTED, terms)

    def weigh_with(self, others: Sequence[Self]) -> None:
        """Weigh words and lengths as if these readers and this one were one index.

        Scores are comparable to theirs then; documents stay this reader's own. It
        lasts until the next call; without others this index is weighed alone again.
        """
        self._beside = tuple(others)
        sizes = [self._store.size, *(other._store.size for other in others)]  # noqa: SLF001
        self.size = sum(size.documents for size in sizes)
        self.total_length = sum(size.length for size in sizes)

    def beginning(self, letters: str, endings: Sequence[str] = ("",)) -> set[str]:
        """The terms that begin with these letters and end in one of the endings.

        Those of `weigh_with` are among them.
        """
        found: set[str] = set()
        every: Sequence[Documents] = (self, *self._beside)
        for reader in every:
            found.update(reader._store.begun(WEIGHTED, letters, tuple(endings)))  # noqa: SLF001
        return found

    def near(self, term: str) -> list[str]:
        """The other terms one edit away, the most frequent first."""
        found = self._store.near(WEIGHTED, term)
        counts = dict(zip(found, self.own_frequencies(found), strict=True))
        return sorted(found, key=counts.__getitem__, reverse=True)

    # --- facts

    @property
    def lengths(self) -> Sequence[int]:
        """How many terms each document has."""
        return self.columns.lengths

    def scaled_lengths(self, factor: float, /) -> Sequence[float]:
        """The length of each document times a factor; the last ones are kept.

        By a table of all lengths, since a vault has some hundred of them: a list of
        10,000 takes .3 ms, as much as it spares a single question.
        """
        if self._scaled[0] != factor:
            lengths = self.columns.lengths
            table = {length: factor * length for length in set(lengths)}
            self._scaled = factor, [*map(table.__getitem__, lengths)]
        return self._scaled[1]

    @property
    def sessions(self) -> Sequence[int]:
        """The number of each document's session or document, 0 for none."""
        return self.columns.sessions

    @property
    def orders(self) -> Sequence[int]:
        """Numbers that break ties between documents."""
        return self.columns.orders

    def asking(self, docs: Iterable[int]) -> set[int]:
        """Those of some documents that ask."""
        flags = self.columns.flags
        return {doc for doc in docs if flags[doc] & ASKS}

    def traits(self, docs: Iterable[int]) -> Iterator[tuple[bool, int, bool, int]]:
        """As `Corpus.traits`; the kinds of answer as `tokens` has them."""
        every, times = self.columns.flags, self.columns.times
        for doc in docs:
            flags = every[doc]
            yield (
                flags & ASKS > 0,
                flags >> ANSWERS_SHIFT,
                flags & STATUS_MASK == _SUPERSEDED,
                0 if flags & SPAN else times[doc],
            )

    def is_span(self, doc: int) -> bool:
        """Whether the entry's time is more than a moment or a day."""
        return bool(self.columns.flags[doc] & SPAN)

    def elsewhere(self, here: int) -> Callable[[int], bool] | None:
        """Whether a document holds in another project only; None where none does.

        Args:
            here: the number of this project (`projects.number`).
        """
        if not self._store.size.projects:
            return None
        projects = self.columns.projects
        return lambda doc: not holds(projects[doc], here)

    # --- rows

    def fetch_rows(self, docs: Iterable[int]) -> None:
        """Read the rows of several documents at once, which are asked for next."""
        self._store.rows(docs)
