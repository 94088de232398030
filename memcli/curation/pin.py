"""Pin: put an entry into every session, or take it out again.

Invariant: as `in_place`. An agent pins only what it has written, since what is pinned
is told to every session.
"""

from __future__ import annotations

from memcli.curation import in_place
from memcli.entries.rights import Action
from memcli.entries.text.counted import counted
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.vault.vault import Vault


class Pinned(NamedTuple):
    """An entry that was to be pinned or unpinned; `changed` is False if it was so."""

    id: str
    path: str
    title: str
    changed: bool


def pin(vault: Vault, ids: Sequence[str], *, pinned: bool = True) -> list[Pinned]:
    """Pin entries, or unpin them, all in one commit.

    Args:
        vault: where they are.
        ids: the entries, by their ids or unique prefixes.
        pinned: whether they are to be pinned from now on.

    Raises:
        EntryNotFound, AmbiguousId: an id leads to no entry, or to several.
        NotAllowed: an entry is not in use, or an agent has not written it.
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    from memcli.storage.transaction import subject

    done: dict[str, Pinned] = {}
    with vault.transaction() as change:
        for entry_id in ids:
            old = in_place.named(vault, entry_id, Action.PIN)
            fresh = old.entry.replace(pinned=pinned)
            changed = in_place.put(vault, change, old, fresh)
            title = old.entry.display_title
            done[old.path] = Pinned(old.entry.id, old.path, title, changed)
        titles = [one.title for one in done.values() if one.changed]
        verb = "pin" if pinned else "unpin"
        change.message = (
            subject(verb, titles[0])
            if len(titles) == 1
            else f"{verb}: {counted(len(titles), 'entry')}"
        )
    return list(done.values())


def as_dict(done: Sequence[Pinned], *, pinned: bool) -> dict[str, Any]:
    """The `data` of the JSON envelope."""
    entries = [one._asdict() for one in done]
    return {"entries": entries, "count": len(entries), "pinned": pinned}
