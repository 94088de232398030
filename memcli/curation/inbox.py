"""The inbox: the candidates that wait for a person's decision.

Invariant: nothing is decided or changed here; what cannot be decided on is refused with
the reason. Ideas wait as well: they come after all other candidates, and nothing that
selects many of those selects an idea.
"""

from __future__ import annotations

from memcli.entries import layout
from memcli.entries.eligibility import DAY, Action, View, may
from memcli.entries.entry import Status
from memcli.errors import NotAllowed
from memcli.named_tuple import NamedTuple, taken
from memcli.vault.agents import refuse_unless

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.likeness import Similar
    from memcli.vault.vault import Stored, Vault

# Two texts with fewer words in common (Jaccard) are about different subjects.
_RELATED = 0.15
# Two with as many, and no difference that may matter, say the same.
_REPEATS = 0.6
_MOST_PROPOSALS = 3


class PendingEntry(NamedTuple):
    """An entry that waits for review; `age_days` since it was written."""

    id: str
    title: str
    text: str
    kind: str
    item: str | None
    confidence: str | None
    rationale: str | None
    source: dict[str, Any]
    tags: tuple[str, ...]
    created: str
    age_days: float
    path: str
    project: str | None = None


def pending(
    vault: Vault, *, to_decide: bool = False, ideas: bool = False
) -> list[PendingEntry]:
    """The candidates that wait for review, the oldest first.

    Args:
        vault: where they wait.
        to_decide: only those that the agent which asks may decide on.
        ideas: the ideas instead of all others.
    """
    now = vault.now_ms() // 1000

    def look(reader: Reader) -> list[PendingEntry]:
        docs = reader.exact("status", str(Status.PENDING))
        rows = (reader.row(doc) for doc in docs)
        waiting = [
            _candidate(row, now)
            for row in rows
            if (row.kind == layout.IDEA) is ideas
            and not (to_decide and not may(Action.REVIEW, row, vault.agent))
        ]
        return sorted(waiting, key=lambda candidate: (candidate.created, candidate.id))

    return vault.read(look)


def proposals(vault: Vault, entry_id: str) -> list[Similar]:
    """Entries in force that a candidate of this id may replace, at most three.

    First those that it names as its evidence, then what differs from it in what may
    matter, then its own kind, then what is alike.
    """
    view = View(vault.now_ms() // 1000)

    def look(reader: Reader) -> list[Similar]:
        from memcli.vault.likeness import alike, similar

        docs = reader.exact("id", entry_id)
        if not docs:
            return []
        mine = reader.row(docs[0])
        near = {
            row.id: (likeness, row)
            for likeness, row in alike(reader, mine.terms, view, limit=20)
            if likeness >= _RELATED and row.id != mine.id
        }
        for name in mine.evidence:
            for doc in reader.shown(reader.exact("id", name), view):
                near.setdefault(name, (0.0, reader.row(doc)))
        found = [similar(how, row, mine.text, "9") for how, row in near.values()]
        found.sort(
            key=lambda one: (
                *(one.id not in mine.evidence, not one.may_replace),
                *(one.kind != mine.kind, -one.likeness, one.id),
            )
        )
        return found[:_MOST_PROPOSALS]

    return vault.read(look)


def repeats(one: Similar) -> bool:
    """Whether a candidate says the same as the entry that it may replace."""
    return one.likeness >= _REPEATS and not one.differs


def waiting(vault: Vault, ids: Sequence[str]) -> list[Stored]:
    """The candidates that the ids name, each once; to change one, hold the lock."""
    waiting: dict[str, Stored] = {}
    for name in ids:
        stored = vault.stored(vault.path_of(name))
        entry = stored.entry
        if entry.status is not Status.PENDING:
            raise NotAllowed(
                f"{entry.id} does not wait for review: it is {entry.status}",
                hint="What waits: memcli review --list",
                code="not_pending",
            )
        refuse_unless(vault, Action.REVIEW, entry)
        waiting[entry.id] = stored
    return list(waiting.values())


def _candidate(row: StoredRow, now: int) -> PendingEntry:
    from memcli.entries import dates

    created = dates.to_epoch(row.created) if row.created else now
    days = round(max(0, now - created) / DAY, 1)
    return taken(PendingEntry, row, source=row.source.as_dict(), age_days=days)
