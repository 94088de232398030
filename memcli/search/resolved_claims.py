"""The claims that are resolved, and by which entries, as an index knows them.

Invariant: what a reader may not see resolves nothing for it, since every document comes
out of its posting lists.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from memcli.entries.eligibility import Agent, Facts, Resolve, View, standing
from memcli.entries.entry import Status, Visibility
from memcli.search.packed_facts import ONLY_THIS, STATUS_MASK, Columns

if TYPE_CHECKING:
    from memcli.search.stored_row import StoredRow

_RESOLVED = tuple(Status).index(Status.RESOLVED)


class ResolvedClaims(NamedTuple):
    """The claims that are resolved in a vault, by number, and by which entries."""

    numbers: frozenset[int]
    by: Callable[[int], tuple[Resolve, ...]]


class Claims:
    """Which claims are resolved for a reader.

    Args:
        columns: the packed facts of all documents.
        exact: gives the live documents whose field has an exact value.
        row_of: gives the row of a document.

    Attributes:
        resolved: the claims that are resolved, by number.
        elsewhere: by number the resolves of another vault that count here as well.
    """

    def __init__(
        self,
        columns: Columns,
        exact: Callable[[str, str], Iterable[int]],
        row_of: "Callable[[int], StoredRow]",
    ) -> None:
        self._columns = columns
        self._exact = exact
        self._row_of = row_of
        numbers = (columns.claims[doc] for doc in self.settling())
        self._own = frozenset(number for number in numbers if number)
        self.heed(None)

    def settling(self) -> list[int]:
        """The resolved documents that settle their claim, and not themselves alone."""
        flags = self._columns.flags
        resolved = self._exact("status", str(Status.RESOLVED))
        return [doc for doc in resolved if not flags[doc] & ONLY_THIS]

    def heed(self, beside: ResolvedClaims | None) -> None:
        """Count what is resolved in another vault as resolved here, until another call.

        Args:
            beside: the other vault's claims; None means that no other counts.
        """
        self._beside = beside
        self.elsewhere: dict[int, tuple[Resolve, ...]] = {}
        if beside is not None and beside.numbers:
            for number in beside.numbers.intersection(self._columns.claims):
                self.elsewhere[number] = beside.by(number)
        self.resolved = self._own.union(self.elsewhere)
        self._resolves: dict[int, tuple[Resolve, ...]] = {}

    @property
    def own(self) -> ResolvedClaims:
        """The claims that are resolved in this vault."""
        return ResolvedClaims(self._own, self.resolves)

    def resolves_elsewhere(self, claim: int) -> tuple[Resolve, ...]:
        """What another vault, which counts here as well, has resolved of a claim."""
        return self._beside.by(claim) if self._beside else ()

    def resolves(self, claim: int) -> tuple[Resolve, ...]:
        """The resolved entries that count for others of a claim, the earliest first."""
        if claim not in self.resolved:
            return ()
        if claim not in self._resolves:
            docs = self._exact("claim", f"{claim:016x}")
            found = [*_resolves_in(docs, self._columns, self._row_of)]
            found += self.elsewhere.get(claim, ())
            found.sort(key=lambda resolve: (resolve.at, resolve.id))
            self._resolves[claim] = tuple(found)
        return self._resolves[claim]


def with_standing(
    row: "StoredRow", project: int, resolves: tuple[Resolve, ...], agent: Agent | None
) -> "StoredRow":
    """An active entry's row with the status that counts for an agent, its end aside."""
    facts = Facts(
        Status.ACTIVE, created=0, agent=row.agent, project=project, resolves=resolves
    )
    return row._replace(status=str(standing(facts, View(0, agent=agent))))


def _resolves_in(
    docs: Iterable[int], columns: Columns, row_of: "Callable[[int], StoredRow]"
) -> Iterator[Resolve]:
    """The resolved entries among those of a claim that count for each of them."""
    for doc in docs:
        flags = columns.flags[doc]
        if flags & STATUS_MASK == _RESOLVED and not flags & ONLY_THIS:
            row = row_of(doc)
            private = row.visibility == str(Visibility.PRIVATE)
            agent = row.agent if private else None
            project = columns.projects[doc]
            yield Resolve(row.id, columns.ended[doc], agent, project)
