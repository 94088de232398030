"""Entries on their way into one commit: each is found, checked, and written anew; and
what a change makes stale.

Invariant: what is changed was read under the lock, and a file that has changed since is
a Conflict. A file that would hold the same as before is not written.
"""

from __future__ import annotations

from memcli.entries import layout
from memcli.entries.eligibility import View
from memcli.entries.ids import slug
from memcli.entries.text.counted import counted
from memcli.named_tuple import NamedTuple, taken
from memcli.vault import lineage, lookup, staleness
from memcli.vault.agents import refuse_unless

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType
    from typing import Self

    from memcli.entries.eligibility import Action
    from memcli.entries.entry import Entry
    from memcli.search.reader import Reader
    from memcli.vault.vault import Stored, Vault


class Changing:
    """A transaction that changes entries; used with `with`.

    Attributes:
        vault: where they are.
        change: the transaction.
        now, now_ms: the moment of the change: ISO 8601, and milliseconds since 1970.
    """

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.change = vault.transaction()
        self._folders: dict[str, set[str]] = {}

    def __enter__(self) -> Self:
        from memcli.entries import dates

        self.change.__enter__()
        self.now_ms = self.vault.now_ms()
        self.now = dates.iso(self.now_ms // 1000)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.change.__exit__(kind, error, trace)

    def in_use(self, entry_id: str, action: Action) -> Stored:
        """An entry that the caller may do this to.

        Raises:
            EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
            NotAllowed: it is not in use, or the agent may not.
        """
        stored = self.vault.stored(self.vault.path_of(entry_id))
        refuse_unless(self.vault, action, stored.entry)
        lineage.refuse_ended(self.vault, stored.entry)
        return stored

    def write(self, old: Stored, fresh: Entry, action: str = "") -> bool:
        """Write an entry to its path, in the place of an old one; False when nothing
        differs. The log of signals gets the `action`, if there is one.

        Raises:
            TooLarge: its fields could not be read again.
        """
        from memcli.entries import codec, fields

        if fresh == old.entry and fresh.path == old.path:
            return False
        fields.refuse_wide(fresh)
        data = codec.rewrite(old.data, fresh, kinds=self.vault.kinds)
        if fresh.path == old.path:
            self.change.put(old.path, data, expected=old.data)
        else:
            self.change.put(fresh.path, data, expected=None)
            self.change.remove(old.path, expected=old.data)
        if action:
            self.change.note(fresh, action)
        return True

    def free_path(self, entry: Entry) -> str:
        """A path for a new memory, which nothing holds, and no other of this commit."""
        folder, name = layout.folder_for(entry), slug(entry.display_title)
        return lookup.free_path(self.vault, folder, name, self._folders)

    def say(self, verb: str, titles: Sequence[str]) -> None:
        """Set the message of the commit: the one entry's title, or how many."""
        from memcli.storage.transaction import subject

        self.change.message = (
            subject(verb, titles[0])
            if len(titles) == 1
            else f"{verb}: {counted(len(titles), 'entry')}"
        )


# --- what a change makes stale --------------------------------------------------------


class Resting(NamedTuple):
    """An observation or model that rests on something; `layer` says which it is."""

    id: str
    title: str
    layer: str


def resting_on(
    reader: Reader, ids: Iterable[str], now: int, text: str | None = None
) -> list[Resting]:
    """Those that rest on entries which end, or get another text.

    Args:
        reader: the vault before or after the entries are resolved; before they are
            removed, or replaced.
        ids: of the entries.
        now: epoch seconds.
        text: of the version that takes their place, if they are replaced.
    """
    found = staleness.resting_on(reader, ids, View(now), text)
    return [taken(Resting, row) for row in found]
