"""Versions that were replaced in a merge of two clones, for a person to decide on.

Invariant: nothing is decided here by itself, and no decision loses a text: the version
stays in the archive, and what is current before a decision becomes the version before.
Each decision is one commit, which `undo` takes back. What is decided is not asked
again.
"""

from __future__ import annotations

from memcli.entries.entry import Entry, Status
from memcli.entries.merging.entry_file import MERGED_FROM
from memcli.entries.rights import Action, may
from memcli.errors import NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.vault import lineage
from memcli.vault.agents import refuse_unless

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault

_DECIDED = ", reviewed"


class MergedVersion(NamedTuple):
    """A version that was replaced, and the entry that is current instead of it.

    `reason` names the machine that it came from.
    """

    id: str
    title: str
    text: str
    path: str
    reason: str
    current_id: str
    current_title: str
    current_text: str


def waiting(vault: Vault, *, listed: bool = False) -> list[MergedVersion]:
    """The versions that nobody has decided on, the oldest first.

    Those whose entry is resolved, forgotten or says the same by now are left out.

    Args:
        vault: where to look.
        listed: its index was brought up to date a moment ago, for the same answer.
    """

    def look(reader: Reader) -> list[tuple[StoredRow, str | None]]:
        rows = map(reader.row, reader.exact("status", str(Status.SUPERSEDED)))
        return [
            (row, lineage.current(reader, row.id))
            for row in rows
            if _waits(row.reason) and may(Action.EVOLVE, row, vault.agent)
        ]

    found: list[MergedVersion] = []
    ask = vault.index.again if listed else vault.read
    for row, head in ask(look):
        current = vault.get(head) if head else None
        if current is None or current.status is not Status.ACTIVE:
            continue
        if current.body.strip() == row.text.strip():
            continue
        found.append(
            MergedVersion(
                id=row.id,
                title=row.title,
                text=row.text,
                path=row.path,
                reason=row.reason or "",
                current_id=current.id,
                current_title=current.display_title,
                current_text=current.body,
            )
        )
    return sorted(found)


def _waits(reason: str | None) -> bool:
    text = reason or ""
    return text.startswith(MERGED_FROM) and not text.endswith(_DECIDED)


def keep_current(vault: Vault, entry_id: str) -> None:
    """Decide that the current version is right.

    Raises:
        NotAllowed: it does not wait for a decision.
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    with vault.transaction() as change:
        version, _ = _named(vault, entry_id)
        _decide(vault, change, version)
        change.message = _message("kept the version beside", version.entry)


def take(vault: Vault, entry_id: str, *, both: bool = False) -> None:
    """Make the text of such a version the next version of its entry.

    Args:
        vault: where it is.
        entry_id: the version that was replaced.
        both: put it behind the current text instead.

    Raises:
        As `keep_current`; NotAllowed also where the entry is not in force.
    """
    from memcli.curation.successor import successor
    from memcli.entries import dates

    with vault.transaction() as change:
        version, head = _named(vault, entry_id)
        now_ms = vault.now_ms()
        text = version.entry.body
        if both:
            text = f"{head.entry.body.rstrip()}\n\n{text}"
        old = [head.entry, version.entry]
        fresh = successor(vault, head.entry, {"text": text}, (), now_ms, False)
        fresh = lineage.passed_on(vault, fresh, old, shared_anew=False)
        change.carry(version.data)
        change.carry(head.data)
        reason = "joined in review" if both else "taken in review"
        now = dates.iso(now_ms // 1000)
        lineage.replace(vault, change, head, fresh, reason=reason, now=now)
        _decide(vault, change, version)
        change.note(fresh, "review")
        change.message = _message("joined" if both else "took", version.entry)


def _named(vault: Vault, entry_id: str) -> tuple[Stored, Stored]:
    """The version, and what is current instead of it; the lock is held."""
    version = vault.stored(vault.path_of(entry_id))
    refuse_unless(vault, Action.EVOLVE, version.entry)
    if not _waits(version.entry.reason):
        raise NotAllowed(f"{version.entry.id} waits for no decision", code="decided")
    name = vault.read(lambda reader: lineage.current(reader, version.entry.id))
    if name is None:
        raise NotAllowed(f"{version.entry.id} has no current version", code="gone")
    head = vault.stored(vault.path_of(name))
    refuse_unless(vault, Action.EVOLVE, head.entry)
    lineage.refuse_ended(vault, head.entry)
    return version, head


def _decide(vault: Vault, change: Transaction, version: Stored) -> None:
    """Note on a version that it is not to be asked about again."""
    from memcli.entries import codec

    entry = version.entry.replace(reason=f"{version.entry.reason}{_DECIDED}")
    data = codec.rewrite(version.data, entry, kinds=vault.kinds)
    change.put(version.path, data, expected=version.data)


def _message(what: str, entry: Entry) -> str:
    from memcli.storage.transaction import subject

    return subject("review", f"{what} {entry.display_title}")
