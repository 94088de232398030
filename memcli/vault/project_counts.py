"""How many entries of a vault hold in each project.

Invariant: the counts come from the index that answers the asking agent, so they include
nothing that it would not get.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.entries.eligibility import View
from memcli.entries.entry import Status
from memcli.search.document import EVERYWHERE

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault


class ProjectCount(NamedTuple):
    """A project, and how many of its entries are in force, over, and wait for review.

    `name` is None for what holds everywhere.
    """

    name: str | None
    current: int
    past: int
    waiting: int

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return self._asdict()


def projects(vault: "Vault") -> list[ProjectCount]:
    """What holds everywhere, then each project, the one with most in force first."""
    view = View(vault.now_ms() // 1000)
    waits = View(view.now, frozenset({Status.PENDING}))

    def count(reader: "Reader") -> list[ProjectCount]:
        counts = []
        for name in {EVERYWHERE, *reader.starting("project", "")}:
            docs = reader.exact("project", name)
            current = sum(reader.verdict(doc, view) is None for doc in docs)
            waiting = sum(reader.verdict(doc, waits) is None for doc in docs)
            past = len(docs) - current - waiting
            shown = None if name == EVERYWHERE else name
            counts.append(ProjectCount(shown, current, past, waiting))
        return sorted(
            counts, key=lambda c: (c.name is not None, -c.current, c.name or "")
        )

    return vault.read(count)
