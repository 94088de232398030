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


def resolves_in(
    docs: Iterable[int], columns: Columns, row_of: "Callable[[int], StoredRow]"
) -> Iterator[Resolve]:
    """The resolved entries among those of a claim that count for each of them.

    Args:
        docs: all documents of the claim.
        columns: the packed facts.
        row_of: gives the row of a document.
    """
    for doc in docs:
        flags = columns.flags[doc]
        if flags & STATUS_MASK == _RESOLVED and not flags & ONLY_THIS:
            row = row_of(doc)
            private = row.visibility == str(Visibility.PRIVATE)
            agent = row.agent if private else None
            project = columns.projects[doc]
            yield Resolve(row.id, columns.ended[doc], agent, project)


def with_standing(
    row: "StoredRow", project: int, resolves: tuple[Resolve, ...], agent: Agent | None
) -> "StoredRow":
    """An active entry's row with the status that counts for an agent, its end aside."""
    facts = Facts(
        Status.ACTIVE, created=0, agent=row.agent, project=project, resolves=resolves
    )
    return row._replace(status=str(standing(facts, View(0, agent=agent))))
