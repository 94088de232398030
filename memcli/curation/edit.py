"""Edit: the whole file of an entry, frontmatter and text, as a person has changed it.

Invariant: what comes back is an entry with the same id, without a field that cannot be
read and was readable before; otherwise nothing is written. It stays the same version:
what replaces a claim by another is `evolve`.
"""

from __future__ import annotations

from memcli.entries.entry import Status
from memcli.entries.identity import strict_key
from memcli.errors import InvalidEntry, NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.vault import lineage

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from memcli.vault.vault import Stored, Vault


class Edited(NamedTuple):
    """The entry as it is now; `changed` is False when the file was left as it was."""

    id: str
    path: str
    title: str
    changed: bool

    def as_dict(self) -> dict[str, Any]:
        """The `data` of the JSON envelope."""
        return self._asdict()


def opened(vault: Vault, entry_id: str) -> Stored:
    """The file to edit.

    Raises:
        NotAllowed: an agent asks: a file also says who may see the entry.
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
    """
    vault.owner_only("edit")
    return vault.stored(vault.path_of(entry_id))


def edit(vault: Vault, old: Stored, text: str, *, allow_secret: bool = False) -> Edited:
    """Replace the file of an entry with the edited one.

    Args:
        vault: where it is.
        old: the file as `opened` gave it.
        text: all of its new text.
        allow_secret: whether text that looks like a secret may be written.

    Raises:
        InvalidEntry: the text is no entry, or a field of it cannot be read.
        NotAllowed: it has another id (code `id_changed`).
        Conflict: the file was changed meanwhile; nothing was changed.
        SecretFound, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    from memcli.entries import codec, dates
    from memcli.storage.transaction import subject

    vault.owner_only("edit")
    data = text.encode("utf-8", "surrogateescape")
    before = old.entry
    if data == old.data:
        return Edited(before.id, old.path, before.display_title, False)
    decoded = codec.decode(data, old.path, kinds=vault.kinds)
    entry = decoded.entry
    if entry.id != before.id:
        # A file without an id has one that its path gives.
        to = f"to {entry.id}" if entry.id in text else "or taken out"
        raise NotAllowed(
            f"the id {before.id} was changed {to}; nothing was changed",
            hint="Leave the line of the id as it was.",
            code="id_changed",
        )
    known = {(one.field, one.message) for one in old.decoded.problems}
    for problem in decoded.problems:
        if (problem.field, problem.message) not in known:
            raise InvalidEntry(old.path, problem.line, problem.message)
    with vault.transaction() as change:
        change.allow_secret = allow_secret
        changes: dict[str, Any] = {}
        if entry.status is Status.ACTIVE and entry.updated == before.updated:
            now = dates.iso(vault.now_ms() // 1000)
            changes["updated"] = lineage.not_before(entry, now)
        if entry.item is not None and entry.key == before.key:
            changes["key"] = strict_key(entry.item, entry.body)
        if changes:
            fresh = entry.replace(**changes)
            data = codec.rewrite(data, fresh, kinds=vault.kinds)
        change.put(old.path, data, expected=old.data)
        change.note(entry, "edit")
        change.message = subject("edit", entry.display_title)
    return Edited(entry.id, old.path, entry.display_title, True)
