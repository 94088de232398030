"""Fields that change where they stand, since they are no claim: tags, pin, project.

Invariant: text, id, lineage and `updated` stay as they are, so that what rests on the
entry does not become stale. Each change is one commit; one that would change nothing
writes nothing.
"""

from __future__ import annotations

from memcli.vault import lineage
from memcli.vault.agents import refuse_unless

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.entries.entry import Entry
    from memcli.entries.rights import Action
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault


def named(vault: Vault, entry_id: str, action: Action) -> Stored:
    """The entry that is to be changed, read under the lock of a transaction.

    Raises:
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
        NotAllowed: it is not in use, or the agent may not do this to it.
    """
    stored = vault.stored(vault.path_of(entry_id))
    refuse_unless(vault, action, stored.entry)
    lineage.refuse_ended(vault, stored.entry)
    return stored


def put(vault: Vault, change: Transaction, old: Stored, fresh: Entry) -> bool:
    """Write an entry with other fields to its file; False when nothing differs.

    Raises:
        TooLarge: its fields could not be read again.
    """
    from memcli.entries import codec, fields

    if fresh == old.entry:
        return False
    fields.refuse_wide(fresh)
    data = codec.rewrite(old.data, fresh, kinds=vault.kinds)
    change.put(old.path, data, expected=old.data)
    return True
