"""Reading the index: documents as integers, what eligibility says of each, its row."""

from __future__ import annotations

from functools import cached_property

from memcli.entries.eligibility import (
    ELSEWHERE,
    Agent,
    Facts,
    Resolve,
    View,
    is_pinned,
    resolve_of,
    standing,
    verdict,
)
from memcli.entries.entry import Entry, Status, Visibility
from memcli.entries.ids import holds, is_id
from memcli.named_tuple import NamedTuple
from memcli.search.documents import (
    CONFLICT,
    NOT_PLAIN,
    ONLY_THIS,
    RESOLVED_BEFORE,
    STATUS_MASK,
    STATUS_NUMBER,
    Documents,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from typing import TypeVar

    from memcli.search.store import Ask, Store, Sums
    from memcli.search.stored_row import StoredRow

    _Named = TypeVar("_Named", Entry, StoredRow)

_ACTIVE = str(Status.ACTIVE)

# So many versions are followed for each reader: a hostile vault may have any number,
# and circles of them.
_MOST_VERSIONS = 5_000
_RESOLVED = STATUS_NUMBER[Status.RESOLVED]
# So many rows are read faster than the values of all ids.
_FEW = 200


class Broken(NamedTuple):
    """A file that is not an entry, and why."""

    path: str
    line: int
    reason: str


class ResolvedClaims(NamedTuple):
    """The claims that are resolved in a vault, by number, and by which entries."""

    numbers: Collection[int]
    by: Callable[[int], tuple[Resolve, ...]]


class Reader(Documents):
    """The documents of an index as a caller may see them.

    Args:
        ask: asks the database.
        sums: over all documents.
        broken: by path the line and reason of files that are not entries.
        agent: who reads, when it is not the owner; what the agent may not see is
            in no answer then.
        root: the vault's folder.

    Attributes:
        broken: the files that could not be read as entries, by path.
        claims: which claims are resolved, and by which entries.
    """

    def __init__(
        self,
        ask: Ask,
        sums: Sums,
        broken: Mapping[str, tuple[int, str]],
        agent: Agent | None = None,
        root: str = "",
    ) -> None:
        super().__init__(ask, sums, agent)
        self.root, self.agent = root, agent
        known = broken if agent is None else {}
        self.broken = [Broken(path, *why) for path, why in sorted(known.items())]
        self.claims = Claims(self)
        self.code_changed: Callable[[StoredRow], bool] = lambda _: False

    # --- eligibility

    def shown(self, docs: Iterable[int], view: View) -> list[int]:
        """Those of some documents that `verdict` has nothing against, in order."""
        return [doc for doc in docs if self.verdict(doc, view) is None]

    def odd(self, docs: Iterable[int]) -> set[int]:
        """Those of some documents that are not active and whole, expire, or are of a
        resolved claim: all others are shown to a person who asks for now."""
        columns, resolved = self.columns, self.claims.resolved
        flags, expires, claims = columns.flags, columns.expires, columns.claims
        return {
            d
            for d in docs
            if flags[d] & NOT_PLAIN or expires[d] or claims[d] in resolved
        }

    @cached_property
    def over(self) -> set[int]:
        """The odd ones of all documents; a look at every one, made once."""
        return self.odd(self.everything())

    def verdict(self, doc: int, view: View) -> str | None:
        """Why a document is not shown, or None: `eligibility.verdict` of its facts."""
        # Most documents of a recall need no more than a look at their numbers.
        if view.agent is None:
            here = view.here
            if here is not None and not holds(self.columns.projects[doc], here):
                return ELSEWHERE
            # A person sees everything of now that is not odd.
            is_now = view.as_of is None and Status.ACTIVE in view.statuses
            if is_now and not self.odd((doc,)):
                return None
        facts = self.facts(doc, access=view.agent is not None)
        if facts.resolves and view.agent is None and self.agent is not None:
            # What it has resolved for itself is resolved for it.
            view, facts = view._replace(agent=self.agent), self.facts(doc)
        return verdict(facts, view)

    def facts(self, doc: int, *, access: bool = True) -> Facts:
        """The facts of a document that eligibility decides by.

        Args:
            doc: its number.
            access: also who may see it, which takes reading its row.
        """
        columns = self.columns
        status, claim = self.status(doc), columns.claims[doc]
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
        personal = any((one.agent, one.by) != (None, None) for one in facts.resolves)
        if not (access or personal):
            return facts
        row = self.whole_row(doc)
        return facts._replace(
            agent=row.agent,
            visibility=Visibility(row.visibility),
            groups=row.groups,
            kept=is_pinned(row),
        )

    # --- rows

    def last_written(self, docs: Iterable[int], most: int) -> list[int]:
        """Those that were written last, the newest first; of one second by their ids.

        Args:
            docs: the documents to choose from.
            most: how many at most.
        """
        created = self.columns.created
        chosen = sorted(docs, key=created.__getitem__, reverse=True)
        if 0 < most < len(chosen):
            least = created[chosen[most - 1]]
            chosen = [doc for doc in chosen if created[doc] >= least]
        if 0 < most < len(chosen) - _FEW:  # an import wrote them in one second
            ids = self.values("id").items()
            named = {doc: name for name, found in ids for doc in found}
            chosen.sort(key=lambda doc: (created[doc], named[doc]), reverse=True)
            chosen = chosen[: most + _FEW]
        self.fetch_rows(chosen)
        rows = {doc: self.row(doc) for doc in chosen}
        # An id may be given twice.
        keys = {doc: (created[doc], row.id, row.path) for doc, row in rows.items()}
        return sorted(chosen, key=keys.__getitem__, reverse=True)[:most]

    def row(self, doc: int) -> StoredRow:
        """The stored row of a document, without what its reader may not see.

        Its status is the one that counts (`eligibility.standing`).

        Raises:
            Damaged: there is no such document.
        """
        row, resolved = self.whole_row(doc), self.claims.resolved
        if resolved and row.status == _ACTIVE and self.columns.claims[doc] in resolved:
            counts = standing(self.facts(doc), View(0, agent=self.agent))
            row = row._replace(status=str(counts))
        return self.censored(row)

    def hides(self, name: str | None) -> bool:
        """Whether the reader is an agent that may not know this id: it is that of an
        entry which the agent may not see, or it is a session's."""
        if self.agent is None or not name or len(self.exact("id", name)):
            return False
        return not is_id(name) or self.holds("id", name)

    def censored(self, row: _Named) -> _Named:
        """An entry or its row without the ids of what an agent may not see."""
        return row if self.agent is None else without(row, self.hides)


def without(row: _Named, hides: Callable[[str | None], bool]) -> _Named:
    """An entry or its row without the ids that are to be hidden."""
    before, after = row.supersedes, row.superseded_by
    evidence = tuple(name for name in row.evidence if not hides(name))
    prints = row.fingerprints
    return row._replace(
        supersedes=None if hides(before) else before,
        superseded_by=None if hides(after) else after,
        evidence=evidence,
        fingerprints=tuple(p for p in prints if p.partition(":")[0] in evidence),
    )


# --- resolved claims ----------------------------------------------------------------


class Claims:
    """Which claims are resolved for a reader, and by which entries.

    What the reader may not see resolves nothing for it, since every document comes out
    of its posting lists.

    Args:
        store: the documents.

    Attributes:
        heirs: current versions of entries that are resolved in an earlier version, each
            with that one: a plain git pull has joined both. Their claims count as
            resolved, as `memcli sync` would have resolved them.
        elsewhere: the numbers of those that are resolved in another vault.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._columns = store.columns
        numbers = (self._columns.claims[doc] for doc in self.settling())
        self._own = frozenset(number for number in numbers if number)
        self.heirs = dict(_heirs(store))
        self._inherited = {
            self._columns.claims[heir]: doc for heir, doc in self.heirs.items()
        }
        self._inherited.pop(0, None)
        self.count_resolved(None)

    def settling(self) -> list[int]:
        """The resolved documents that settle their claim, and not themselves alone."""
        resolved = self._store.exact("status", str(Status.RESOLVED))
        if not resolved:
            return []
        flags = self._columns.flags
        return [doc for doc in resolved if not flags[doc] & ONLY_THIS]

    def count_resolved(self, beside: ResolvedClaims | None) -> None:
        """Count what is resolved in another vault as resolved here, until another call.

        What the user has resolved in the own vault is solved in a team's as well.

        Args:
            beside: the other vault's claims; None means that no other counts.
        """
        self._beside = beside
        self.elsewhere = frozenset(beside.numbers if beside else ())
        if self.elsewhere:  # else the column is not read
            self.elsewhere = self.elsewhere.intersection(self._columns.claims)
        self.resolved = self._own.union(self._inherited, self.elsewhere)
        self._resolves: dict[int, tuple[Resolve, ...]] = {}

    @property
    def own(self) -> ResolvedClaims:
        """The claims that are resolved in this vault."""
        return ResolvedClaims(self._own.union(self._inherited), self.resolves)

    def resolves_elsewhere(self, claim: int) -> tuple[Resolve, ...]:
        """The resolutions of a claim in another vault, which count here as well."""
        return self._beside.by(claim) if self._beside else ()

    def resolves(self, claim: int) -> tuple[Resolve, ...]:
        """The resolved entries that count for others of a claim, the earliest first."""
        if claim not in self.resolved:
            return ()
        if claim not in self._resolves:
            docs = [*self._store.exact("claim", f"{claim:016x}")]
            if claim in self._inherited:
                docs.append(self._inherited[claim])
            flags, ended = self._columns.flags, self._columns.ended
            found = [
                resolve_of(self._store.whole_row(doc), ended[doc])
                for doc in docs
                if flags[doc] & STATUS_MASK == _RESOLVED and not flags[doc] & ONLY_THIS
            ]
            every = [*filter(None, found), *self.resolves_elsewhere(claim)]
            every.sort(key=lambda resolve: (resolve.at, resolve.id))
            self._resolves[claim] = tuple(every)
        return self._resolves[claim]


def _heirs(store: Store) -> Iterator[tuple[int, int]]:
    """(current version, resolved earlier version) of each entry that has both."""
    ends: dict[int, int] = {}
    for doc in store.exact("check", RESOLVED_BEFORE):
        chain, now = [doc], doc
        while now not in ends and len(ends) + len(chain) < _MOST_VERSIONS:
            later = store.whole_row(now).superseded_by
            found = [*store.exact("id", later)] if later else []
            if len(found) != 1:
                break  # the newest; or the next one is gone, or two files have its id
            now = found[0]
            chain.append(now)
        end = ends.get(now, now)
        ends.update(dict.fromkeys(chain, end))
        if end != doc:
            yield end, doc
