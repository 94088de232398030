"""Reading the index: documents as integers, what eligibility says of each, its row.

Invariant: a deleted document is in no list and no count, so that an index that was
updated a thousand times answers like one that was built at once. A reader knows
postings and facts, not files: they come out of a `Source`, the index of this machine
or a database, and no line here asks which it is.
"""

from __future__ import annotations

from functools import cached_property

from memcli.entries.eligibility import ELSEWHERE, Agent, Facts, View, verdict
from memcli.entries.entry import Entry, Status, Visibility
from memcli.entries.projects import holds
from memcli.named_tuple import NamedTuple
from memcli.search.lookups import STATUSES, Lookups
from memcli.search.packed_facts import (
    CONFLICT,
    NOT_PLAIN,
    STATUS_MASK,
    newest_first,
)
from memcli.search.resolved_claims import Claims, ResolvedClaims, with_standing
from memcli.search.vocabulary import FIELD, Vocabulary

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

    from memcli.search.source import Ahead, Source
    from memcli.search.stored_row import StoredRow

    _Named = TypeVar("_Named", Entry, StoredRow)


_ACTIVE = str(Status.ACTIVE)


class Broken(NamedTuple):
    """A file that is not an entry, and why."""

    path: str
    line: int
    reason: str


class Reader(Lookups):
    """The documents of a source (a `ranking.Corpus`).

    Args:
        source: where they are read.
        broken: by path the line and reason of files that are not entries.
        agent: who reads, when it is not the owner; what the agent may not see is
            in no answer then.
        root: the vault's folder.

    Attributes:
        claims: which claims are resolved, and by which entries.
    """

    def __init__(
        self,
        source: Source,
        broken: Mapping[str, tuple[int, str]],
        agent: Agent | None = None,
        root: str = "",
    ) -> None:
        self.root = root
        self._source = source
        self._broken = broken if agent is None else {}
        self.columns = source.columns
        self.levels, self.placed = source.levels, source.placed
        self.ascending, self.scaled_lengths = source.ascending, source.scaled_lengths
        self.constraints = source.constraints
        self.agent = agent
        self._members: dict[int, list[int]] = {}
        if agent is not None:
            # No count, list or weight can then give it away: every system that we have
            # read filters at each surface, and forgot the filter somewhere.
            source.hide(agent)
        self._beside: Sequence[Reader] = ()
        # Of the source, not of this object: in a circle with it its files would stay
        # open until the garbage collector runs.
        self.claims = Claims(source)
        self.count_resolved(None)

    def count_resolved(self, elsewhere: ResolvedClaims | None) -> None:
        """Count what is resolved in another vault as resolved here, until another call.

        What the user has resolved in the own vault is solved in a team's as well.
        """
        self.claims.count_resolved(elsewhere)

    @property
    def all_plain(self) -> bool:
        """Whether every live document is `plain`."""
        return self._plain and not self.claims.elsewhere

    # Asked for at the first use: a database then answers it with other questions, and a
    # save, which asks of few documents, needs no look at all.
    @cached_property
    def _plain(self) -> bool:
        return self._source.plain

    @cached_property
    def live(self) -> int:
        """How many documents are live."""
        return self._source.size[0]

    @cached_property
    def live_length(self) -> int:
        """How many terms the live documents have together."""
        return self._source.size[1]

    @cached_property
    def size(self) -> int:
        """How many documents are weighed, those of `weigh_with` included."""
        return self.live

    @cached_property
    def total_length(self) -> int:
        """How many terms these documents have together."""
        return self.live_length

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms of the entries that this reader sees."""
        return Vocabulary((self._source,), self.own_frequency)

    def check(self) -> None:
        """Read everything once.

        Raises:
            Exception: a part of the index is damaged; each shows in its own way.
        """
        self._source.check()
        for doc in self.everything():
            self.facts(doc)

    def close(self) -> None:
        """Let go of the files."""
        self._source.close()

    @property
    def broken(self) -> list[Broken]:
        """The files that could not be read as entries, by path."""
        return [
            Broken(path, line, reason)
            for path, (line, reason) in sorted(self._broken.items())
        ]

    @property
    def deleted(self) -> int:
        """How many documents are in the files of the index, but not in the vault."""
        return self._source.deleted

    @property
    def segments(self) -> int:
        """How many segments the index has."""
        return len(self._source)

    def everything(self) -> Iterator[int]:
        """All live documents."""
        return self._source.everything()

    def dated(self, after: int | None, before: int | None) -> Iterator[int]:
        """All live documents whose time may lie in a window, and perhaps others.

        Args:
            after: its first second; None is no beginning.
            before: the first second behind it; None is no end.
        """
        return self._source.dated(after, before)

    def ahead(self, wanted: Callable[[], Ahead]) -> None:
        """Say what will be read next; what is not said is found all the same.

        One call spares a database a question for each of them.
        """
        self._source.ahead(wanted)

    def held(self, term: str, docs: Collection[int]) -> Mapping[int, float]:
        """Those of some documents that hold a term, with its weight in each."""
        return self._source.held(term, docs)

    def postings(self, term: str) -> tuple[Sequence[int], Sequence[float]]:
        """Live documents that hold a term, with its weight in each."""
        return self._source.postings(FIELD, term)

    def frequency(self, term: str) -> int:
        """How many live documents hold a term, those of `weigh_with` included."""
        count = self._source.frequency(FIELD, term)
        for other in self._beside:
            count += other.own_frequency(term)
        return count

    def frequencies(self, terms: Sequence[str]) -> Sequence[int]:
        """The frequency of each of these terms, asked for together."""
        if self._beside:
            return [*map(self.frequency, terms)]
        return self._source.frequencies(FIELD, terms)

    def weigh_with(self, others: Sequence[Reader]) -> None:
        """Weigh words and lengths as if these readers and this one were one index.

        Scores are comparable to theirs then; documents stay this reader's own. It
        lasts until the next call; without others this index is weighed alone again.
        """
        self._beside = tuple(others)
        self.size = self.live + sum(other.live for other in others)
        self.total_length = self.live_length + sum(o.live_length for o in others)

    def own_frequency(self, term: str) -> int:
        """How many live documents of this index hold a term."""
        return self._source.frequency(FIELD, term)

    def beginning(self, letters: str, endings: Sequence[str] = ("",)) -> set[str]:
        """The terms that begin with these letters and end in one of the endings.

        Those of `weigh_with` are among them, and those of deleted documents: ask
        `frequency`.
        """
        every = (reader.vocabulary for reader in (self, *self._beside))
        return set[str]().union(*(terms.begun(letters, endings) for terms in every))

    def names(self, entry_id: str | None) -> str | None:
        """The id, or None when the reader is an agent that may not see the entry."""
        if entry_id is None or self.agent is None:
            return entry_id
        return entry_id if len(self.exact("id", entry_id)) else None

    def elsewhere(self, here: int) -> Callable[[int], bool] | None:
        """Whether a document holds in another project only; None where none does.

        Args:
            here: the number of this project (`projects.number`).
        """
        if not self._source.any_project():
            return None
        projects = self.columns.projects
        return lambda doc: not holds(projects[doc], here)

    def of_session(self, name: str) -> Sequence[int]:
        """Live documents of the session or document of this name."""
        from memcli.search.document import numbered

        return self.exact("session", f"{numbered(name):016x}")

    def session_members(self, session: int) -> list[int]:
        """The live documents of a session, in their order in it."""
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

    def pinned(self) -> list[int]:
        """The live documents that are pinned: they go into every session."""
        return self._source.pinned()

    def newest(self, docs: Iterable[int]) -> list[int]:
        """These documents, pinned ones first, then by the time they were written."""
        return sorted(docs, key=newest_first(self.columns))

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
        """The live documents that `verdict` has nothing against."""
        live = set(self.everything())
        asked = self.odd(live) if shows_plain(view) else live
        return live - {doc for doc in asked if self.verdict(doc, view) is not None}

    def odd(self, docs: Iterable[int]) -> set[int]:
        """Those of some documents that are not `plain`, without a call for each."""
        columns, resolved = self.columns, self.claims.resolved
        flags, expires, claims = columns.flags, columns.expires, columns.claims
        return {
            d
            for d in docs
            if flags[d] & NOT_PLAIN or expires[d] or claims[d] in resolved
        }

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

    def plain(self, doc: int) -> bool:
        """Whether it is active, whole, never expires, and its claim is not resolved."""
        columns = self.columns
        return not (
            columns.flags[doc] & NOT_PLAIN
            or columns.expires[doc]
            or columns.claims[doc] in self.claims.resolved
        )

    def said(self, doc: int) -> tuple[str, str]:
        """The id and the text of a document, in less time than `row`."""
        return self._source.said(doc)

    def row(self, doc: int) -> StoredRow:
        """What the index stores of a document, without what its reader may not see.

        Its status is the one that counts (`eligibility.standing`).
        """
        row = self._source.row(doc)
        # Where all are plain no claim is resolved, and no column is read to see that.
        if row.status == _ACTIVE and not self.all_plain:
            claim, project = self.columns.claims[doc], self.columns.projects[doc]
            if claim in self.claims.resolved:
                resolves = self.claims.resolves(claim)
                row = with_standing(row, project, resolves, self.agent)
        return self.censored(row)

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

    def key_terms(self, doc: int) -> Mapping[str, float]:
        """The most frequent terms of a document, with their counts."""
        return self.row(doc).terms


def shows_plain(view: View) -> bool:
    """Whether a view shows every document that is `Reader.plain`."""
    everywhere = view.agent is None and view.here is None
    return everywhere and view.as_of is None and Status.ACTIVE in view.statuses
