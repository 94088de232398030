"""The claims that are resolved, and by which entries, as an index knows them.

Invariant: what a reader may not see resolves nothing for it, since every document comes
out of its posting lists.
"""

from __future__ import annotations

from memcli.entries.eligibility import (
    Agent,
    Facts,
    Resolve,
    View,
    is_pinned,
    resolve_of,
    standing,
)
from memcli.entries.entry import Status, Visibility
from memcli.named_tuple import NamedTuple
from memcli.search.documents import (
    ONLY_THIS,
    RESOLVED_BEFORE,
    STATUS_MASK,
    STATUS_NUMBER,
)
from memcli.search.stored_row import StoredRow

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from memcli.search.store import Columns, Store

# So many versions are followed for each reader: a hostile vault may have any number,
# and circles of them.
_MOST_VERSIONS = 5_000
_RESOLVED = STATUS_NUMBER[Status.RESOLVED]


class ResolvedClaims(NamedTuple):
    """The claims that are resolved in a vault, by number, and by which entries."""

    numbers: Collection[int]
    by: Callable[[int], tuple[Resolve, ...]]


class Claims:
    """Which claims are resolved for a reader.

    Args:
        store: the documents.

    Attributes:
        heirs: current versions of entries that are resolved in an earlier version, each
            with that one: a plain git pull has joined both. Their claims count as
            resolved, as `memcli sync` would have resolved them.
        elsewhere: by number the resolves of another vault that count here as well.
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

        Args:
            beside: the other vault's claims; None means that no other counts.
        """
        self._beside = beside
        self.elsewhere: dict[int, tuple[Resolve, ...]] = {}
        if beside is not None and beside.numbers:
            for number in frozenset(beside.numbers).intersection(self._columns.claims):
                self.elsewhere[number] = beside.by(number)
        self.resolved = self._own
        if self._inherited or self.elsewhere:
            self.resolved = self._own.union(self._inherited, self.elsewhere)
        self._resolves: dict[int, tuple[Resolve, ...]] = {}

    @property
    def own(self) -> ResolvedClaims:
        """The claims that are resolved in this vault."""
        numbers = {*self._own, *self._inherited} if self._inherited else self._own
        return ResolvedClaims(numbers, self.resolves)

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
            found = [*_resolves_in(docs, self._columns, self._row)]
            found += self.elsewhere.get(claim, ())
            found.sort(key=lambda resolve: (resolve.at, resolve.id))
            self._resolves[claim] = tuple(found)
        return self._resolves[claim]

    def _row(self, doc: int) -> StoredRow:
        return StoredRow.from_json(self._store.stored(doc))


def _heirs(store: Store) -> Iterator[tuple[int, int]]:
    """(current version, resolved earlier version) of each entry that has both."""
    ends: dict[int, int] = {}
    for doc in store.exact("check", RESOLVED_BEFORE):
        chain, now = [doc], doc
        while now not in ends and len(ends) + len(chain) < _MOST_VERSIONS:
            later = StoredRow.from_json(store.stored(now)).superseded_by
            found = [*store.exact("id", later)] if later else []
            if len(found) != 1:
                break  # the newest; or the next one is gone, or two files have its id
            now = found[0]
            chain.append(now)
        end = ends.get(now, now)
        ends.update(dict.fromkeys(chain, end))
        if end != doc:
            yield end, doc


def with_standing(
    row: StoredRow, project: int, resolves: tuple[Resolve, ...], agent: Agent | None
) -> StoredRow:
    """An active entry's row with the status that counts for an agent, its end aside."""
    facts = Facts(
        Status.ACTIVE,
        created=0,
        agent=row.agent,
        visibility=Visibility(row.visibility),
        project=project,
        kept=is_pinned(row),
        resolves=resolves,
    )
    return row._replace(status=str(standing(facts, View(0, agent=agent))))


def _resolves_in(
    docs: Iterable[int], columns: Columns, row_of: Callable[[int], StoredRow]
) -> Iterator[Resolve]:
    """The resolved entries among those of a claim that count for each of them."""
    for doc in docs:
        flags = columns.flags[doc]
        if flags & STATUS_MASK == _RESOLVED and not flags & ONLY_THIS:
            resolve = resolve_of(row_of(doc), columns.ended[doc])
            if resolve is not None:
                yield resolve
