"""Reading the index: documents as integers, what eligibility says of each, its row.

Invariant: a document that was deleted, or that its reader may not see, is in no list
and no count; so an index that was updated a thousand times answers like one that was
built at once.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice

from memcli.entries.eligibility import ELSEWHERE, Agent, Facts, View, verdict
from memcli.entries.entry import Entry, Status, Visibility
from memcli.entries.projects import holds
from memcli.named_tuple import NamedTuple
from memcli.search.columns import (
    ANSWERS_SHIFT,
    ASKS,
    CONFLICT,
    NOT_PLAIN,
    PINNED,
    SPAN,
    STATUS_MASK,
    in_window,
    newest_first,
)
from memcli.search.ranking.corpus import held_of
from memcli.search.resolved_claims import Claims, ResolvedClaims, with_standing
from memcli.search.store import WEIGHTED
from memcli.search.stored_row import StoredRow, said

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
    from typing import TypeVar

    from memcli.search.store import Store

    _Named = TypeVar("_Named", Entry, StoredRow)

_ACTIVE = str(Status.ACTIVE)
STATUSES = tuple(Status)

# So many rows are read faster than the values of all ids.
_FEW = 100
_MOST_ROWS = 512  # that a process which stays remembers


class Broken(NamedTuple):
    """A file that is not an entry, and why."""

    path: str
    line: int
    reason: str


class Reader:
    """The documents of an index (a `ranking.Corpus`).

    Args:
        store: where they are read.
        broken: by path the line and reason of files that are not entries.
        agent: who reads, when it is not the owner; what the agent may not see is
            in no answer then.
        root: the vault's folder.

    Attributes:
        columns: the facts of all documents.
        claims: which claims are resolved, and by which entries.
        live: how many documents there are.
        size: how many are weighed, those of `weigh_with` included.
        total_length: how many terms these documents have together.
    """

    def __init__(
        self,
        store: Store,
        broken: Mapping[str, tuple[int, str]],
        agent: Agent | None = None,
        root: str = "",
    ) -> None:
        self.root = root
        self.agent = agent
        self._store = store
        self._broken = broken if agent is None else {}
        if agent is not None:
            # No count, list or weight can then give it away: every system that we have
            # read filters at each surface, and forgot the filter somewhere.
            store.hide(agent)
        self.columns = store.columns
        self.live = self.size = store.size.documents
        self.total_length = store.size.length
        self._members: dict[int, list[int]] = {}
        self._rows: dict[int, StoredRow] = {}
        self._scaled: tuple[float, Sequence[float]] = (0.0, ())
        self._beside: Sequence[Reader] = ()
        self.claims = Claims(store)

    def count_resolved(self, elsewhere: ResolvedClaims | None) -> None:
        """Count what is resolved in another vault as resolved here, until another call.

        What the user has resolved in the own vault is solved in a team's as well.
        """
        self.claims.count_resolved(elsewhere)

    def check(self) -> None:
        """Read everything once.

        Raises:
            Exception: a part of the index is damaged; each shows in its own way.
        """
        self._store.check()
        for doc in self.everything():
            self.facts(doc)

    def close(self) -> None:
        """Answer no more."""
        self._store.close()

    @property
    def broken(self) -> list[Broken]:
        """The files that could not be read as entries, by path."""
        return [
            Broken(path, line, reason)
            for path, (line, reason) in sorted(self._broken.items())
        ]

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

    def last_written(self, docs: Iterable[int], most: int) -> list[int]:
        """Those that were written last, the newest first; of one second by their ids.

        Few rows are read, however many documents an import wrote in one second.

        Args:
            docs: the documents to choose from.
            most: how many at most.
        """
        created = self.columns.created
        order = sorted(docs, key=created.__getitem__, reverse=True)
        if not 0 < most < len(order):
            chosen = order if most > 0 else []
        else:
            least = created[order[most - 1]]
            chosen = [doc for doc in order[:most] if created[doc] > least]
            same = [doc for doc in order if created[doc] == least]
            chosen += self._last_of(same, most - len(chosen))
        rows = {doc: self.row(doc) for doc in chosen}
        # An id may be given twice.
        keys = {doc: (created[doc], row.id, row.path) for doc, row in rows.items()}
        return sorted(chosen, key=keys.__getitem__, reverse=True)[:most]

    def _last_of(self, docs: list[int], most: int) -> list[int]:
        """Those with the largest ids, and perhaps others."""
        if len(docs) <= most + _FEW:
            return docs
        wanted = set(docs)
        # Ids tell the time, so those of the newest are mostly the largest of all.
        names = self._store.largest("id", 2 * most + _FEW)
        self.fetch("id", names)
        named = (doc for name in names for doc in self.exact("id", name))
        found = list(islice((doc for doc in named if doc in wanted), most))
        return found if len(found) == most else docs

    def naming(self, values: Collection[str]) -> Iterator[int]:
        """The documents in whose row one of these is a value, perhaps others.

        For what no list tells, and few documents have: every row is read.
        """
        marks = [StoredRow.mark(value) for value in values]
        for doc, data in self._store.all_rows():
            if any(mark in data for mark in marks):
                yield doc

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

    def repeated(self, field: str) -> dict[str, Sequence[int]]:
        """The values of a field that several documents have, with these."""
        values = self._store.values(field)
        return {value: docs for value, docs in values.items() if len(docs) > 1}

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

    def weigh_with(self, others: Sequence[Reader]) -> None:
        """Weigh words and lengths as if these readers and this one were one index.

        Scores are comparable to theirs then; documents stay this reader's own. It
        lasts until the next call; without others this index is weighed alone again.
        """
        self._beside = tuple(others)
        sizes = [reader._store.size for reader in (self, *others)]  # noqa: SLF001
        self.size = sum(size.documents for size in sizes)
        self.total_length = sum(size.length for size in sizes)

    def beginning(self, letters: str, endings: Sequence[str] = ("",)) -> set[str]:
        """The terms that begin with these letters and end in one of the endings.

        Those of `weigh_with` are among them.
        """
        found: set[str] = set()
        for reader in (self, *self._beside):
            found.update(reader._store.begun(WEIGHTED, letters, tuple(endings)))  # noqa: SLF001
        return found

    def near(self, term: str) -> list[str]:
        """The other terms one edit away, the most frequent first."""
        found = self._store.near(WEIGHTED, term)
        counts = dict(zip(found, self.own_frequencies(found), strict=True))
        return sorted(found, key=counts.__getitem__, reverse=True)

    def key_terms(self, doc: int) -> Mapping[str, float]:
        """The most frequent terms of a document, with their counts."""
        return self.row(doc).terms

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

    def elsewhere(self, here: int) -> Callable[[int], bool] | None:
        """Whether a document holds in another project only; None where none does.

        Args:
            here: the number of this project (`projects.number`).
        """
        if not self._store.size.projects:
            return None
        projects = self.columns.projects
        return lambda doc: not holds(projects[doc], here)

    # --- eligibility

    @property
    def all_plain(self) -> bool:
        """Whether every document is `plain`."""
        size = self._store.size
        bits = size.flags & NOT_PLAIN or size.expires
        return not (bits or self.claims.elsewhere)

    def plain(self, doc: int) -> bool:
        """Whether it is active, whole, never expires, and its claim is not resolved."""
        columns = self.columns
        return not (
            columns.flags[doc] & NOT_PLAIN
            or columns.expires[doc]
            or columns.claims[doc] in self.claims.resolved
        )

    def odd(self, docs: Iterable[int]) -> set[int]:
        """Those of some documents that are not `plain`, without a call for each."""
        columns, resolved = self.columns, self.claims.resolved
        flags, expires, claims = columns.flags, columns.expires, columns.claims
        return {
            d
            for d in docs
            if flags[d] & NOT_PLAIN or expires[d] or claims[d] in resolved
        }

    def verdict(self, doc: int, view: View) -> str | None:
        """Why a document is not shown, or None: `eligibility.verdict` of its facts."""
        # Most documents of a recall need no more than a look at their numbers.
        if view.agent is None:
            here = view.here
            if here is not None and not holds(self.columns.projects[doc], here):
                return ELSEWHERE
            now = view.as_of is None and Status.ACTIVE in view.statuses
            if now and (self.all_plain or self.plain(doc)):
                return None
        return verdict(self.facts(doc, access=view.agent is not None), view)

    def shown(self, view: View) -> set[int]:
        """The documents that `verdict` has nothing against."""
        live = set(self.everything())
        asked = self.odd(live) if shows_plain(view) else live
        return live - {doc for doc in asked if self.verdict(doc, view) is not None}

    def facts(self, doc: int, *, access: bool = True) -> Facts:
        """The facts of a document that eligibility decides by.

        Args:
            doc: its number.
            access: also who may see it, which takes reading its row.
        """
        columns = self.columns
        status, claim = STATUSES[columns.flags[doc] & STATUS_MASK], columns.claims[doc]
        settled = status is not Status.RESOLVED and claim in self.claims.resolved
        facts = Facts(
            status=status,
            created=columns.created[doc],
            expires=columns.expires[doc],
            ended=columns.ended[doc],
            project=columns.projects[doc],
            conflict=bool(columns.flags[doc] & CONFLICT),
            resolves=self.claims.resolves(claim) if settled else (),
        )
        if not (access or any(resolve.agent for resolve in facts.resolves)):
            return facts
        row = self.row(doc)
        return facts._replace(
            agent=row.agent,
            visibility=Visibility(row.visibility),
            groups=row.groups,
        )

    # --- rows

    def said(self, doc: int) -> tuple[str, str]:
        """The id and the text of a document, in less time than `row`."""
        return said(self._store.row(doc))

    def fetch_rows(self, docs: Iterable[int]) -> None:
        """Read the rows of several documents at once, which are asked for next."""
        self._store.rows(doc for doc in docs if doc not in self._rows)

    def row(self, doc: int) -> StoredRow:
        """The stored row of a document, without what its reader may not see.

        Its status is the one that counts (`eligibility.standing`).

        Raises:
            IndexError: there is no such document.
        """
        row = self._rows.get(doc)
        if row is None:
            row = StoredRow.from_json(self._store.row(doc))
            if len(self._rows) >= _MOST_ROWS:
                self._rows = {}
            self._rows[doc] = row
        # Where all are plain no claim is resolved, and no column is read to see that.
        if row.status == _ACTIVE and not self.all_plain:
            claim, project = self.columns.claims[doc], self.columns.projects[doc]
            if claim in self.claims.resolved:
                resolves = self.claims.resolves(claim)
                row = with_standing(row, project, resolves, self.agent)
        return self.censored(row)

    def names(self, entry_id: str | None) -> str | None:
        """The id, or None when the reader is an agent that may not see the entry."""
        if entry_id is None or self.agent is None:
            return entry_id
        return entry_id if len(self.exact("id", entry_id)) else None

    def censored(self, row: _Named) -> _Named:
        """An entry or its row without the ids of what an agent may not see."""
        if self.agent is None:
            return row
        evidence = tuple(name for name in row.evidence if self.names(name))
        return row._replace(
            supersedes=self.names(row.supersedes),
            superseded_by=self.names(row.superseded_by),
            evidence=evidence,
            fingerprints=tuple(
                fingerprint
                for fingerprint in row.fingerprints
                if fingerprint.partition(":")[0] in evidence
            ),
        )


def shows_plain(view: View) -> bool:
    """Whether a view shows every document that is `Reader.plain`."""
    everywhere = view.agent is None and view.here is None
    return everywhere and view.as_of is None and Status.ACTIVE in view.statuses
