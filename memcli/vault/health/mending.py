"""A plan of a repair: its steps, what is left, and the files that the steps change.

Invariant: a plan is a value; making one changes nothing.
"""

from __future__ import annotations

from memcli.entries.finding import ERROR, Finding
from memcli.errors import EntryNotFound
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.vault_paths import inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from memcli.entries.entry import Entry
    from memcli.storage.git.repository import Repository
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault


class Repair(NamedTuple):
    """One step of a repair.

    `code` is leftover, git_lock, folder_replaced, index, missing, older, deleted,
    forgotten, uncommitted, moved, or one of `repair.MENDS`; `action` says what happens
    to `path`, `detail` is the other file, entry or commit.
    """

    code: str
    path: str
    action: str
    detail: str | None = None


# A step, and the findings that are gone when it is taken.
Step = tuple[Repair, list[Finding]]

# By path the bytes that a step puts there; None removes the file.
Changes = dict[str, bytes | None]


class RepairPlan(NamedTuple):
    """The steps of a repair, and the findings that are left for a person."""

    steps: list[Repair]
    left: list[Finding]
    applied: bool = False

    @property
    def ok(self) -> bool:
        """Whether memcli can use everything that is left."""
        return not any(finding.level == ERROR for finding in self.left)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "applied": self.applied,
            "steps": [step._asdict() for step in self.steps],
            "left": [finding._asdict() for finding in self.left],
        }


class Files:
    """The files of a vault as the steps before have left them, inside a transaction.

    Args:
        vault: whose files.
        repository: where they are committed.
        change: the transaction; None while a plan is made.
    """

    def __init__(
        self, vault: Vault, repository: Repository, change: Transaction | None = None
    ) -> None:
        self.vault = vault
        self.repository = repository
        self._change = change
        self._read: dict[str, bytes | None] = {}

    def on_disk(self, path: str) -> bytes | None:
        """A file's bytes when it was first looked at; None for no file.

        Raises:
            Unreadable: something else stands there.
        """
        if path not in self._read:
            self._read[path] = files.current(inside(self.vault.root, path))
        return self._read[path]

    def stored(self, path: str) -> Stored:
        """A file with its entry.

        Raises:
            EntryNotFound, InvalidEntry, Unreadable: there is none that can be read.
        """
        from memcli.entries import codec
        from memcli.vault.vault import Stored

        pending = self._change.pending(path) if self._change is not None else None
        data = self.on_disk(path) if pending is None else pending
        if data is None:
            raise EntryNotFound(f"{path}: there is no such file")
        return Stored(path, data, codec.decode(data, path, kinds=self.vault.kinds))

    def rewritten(self, path: str, change: Callable[[Entry], Entry]) -> Changes:
        """The changes that make of an entry another one; none where it is that."""
        from memcli.entries import codec

        stored = self.stored(path)
        fresh = change(stored.entry)
        if fresh == stored.entry:
            return {}
        return {path: codec.rewrite(stored.data, fresh, kinds=self.vault.kinds)}

    def put(self, change: Transaction, changes: Mapping[str, bytes | None]) -> None:
        """Give changes to the transaction, with what each file held."""
        for path, data in changes.items():
            before = self.on_disk(path)
            if before is not None:
                change.carry(before)
            if data is None:
                change.remove(path, expected=before)
            else:
                change.put(path, data, expected=before)
