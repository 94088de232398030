"""A plan of a repair: its steps, what is left, and the files that the steps change.

Invariant: a plan is a value; making one changes nothing.
"""

from __future__ import annotations

import os
from collections import defaultdict

from memcli.entries import layout
from memcli.entries.entry import Status
from memcli.entries.file_checks import ERROR, Finding
from memcli.entries.identity import strict_key
from memcli.errors import EntryNotFound, MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.vault_paths import inside
from memcli.vault import lookup

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from memcli.entries.entry import Entry
    from memcli.storage.git.repository import Repository
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault


class Repair(NamedTuple):
    """One step of a repair.

    `code` is leftover, git_lock, index, missing, older, deleted,
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


_EVERY = 100_000  # commits of one file
_NEVER = "9999"  # sorts after the date of every commit


# --- two files of one id ------------------------------------------------------------


def copies(files: Files, findings: Sequence[Finding]) -> Iterator[Step]:
    """Copies of entries, which get an id of their own; the oldest file keeps it.

    Where one of the files is archived or superseded it is a version, not a copy, and a
    person has to say which of them counts.
    """
    doubled: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.code == "duplicate_id":
            doubled[files.stored(finding.path).entry.id].append(finding)
    for entry_id, group in doubled.items():
        paths = _paths_of(files.vault, entry_id)
        if any(
            path.startswith(layout.ARCHIVE + "/")
            or files.stored(path).entry.status is Status.SUPERSEDED
            for path in paths
        ):
            continue
        oldest, *others = sorted(paths, key=lambda path: _age(files, path))
        for number, path in enumerate(others):
            action = f"give it an id of its own; {oldest} is older and keeps {entry_id}"
            gone = group if number == 0 else []
            yield Repair("duplicate_id", path, action, oldest), gone


def another_id(files: Files, path: str, older: str | None) -> Changes:
    """A copy with an id of its own."""
    if files.stored(path).entry.id != files.stored(older or "").entry.id:
        return {}
    return files.rewritten(path, lambda e: e.replace(id=files.vault.new_id()))


def _age(files: Files, path: str) -> tuple[str, int, str]:
    """The key that sorts files of one id, the oldest first: by first commit, else by
    when the file was written."""
    from memcli.storage.git import history

    commits = history.log(files.repository, path, _EVERY)
    written = os.stat(inside(files.vault.root, path)).st_mtime_ns
    return (commits[-1].when if commits else _NEVER), written, path


def _paths_of(vault: Vault, entry_id: str) -> list[str]:
    """The files that have this id; those of the archive last."""
    return [row.path for row in vault.read(lambda r: lookup.of_id(r, entry_id))]


# --- one file -----------------------------------------------------------------------


def own_key(files: Files, path: str, _: str | None = None) -> Changes:
    """An item with the key of its text."""

    def keyed(entry: Entry) -> Entry:
        item = entry.item
        return entry.replace(key=strict_key(item, entry.body)) if item else entry

    return files.rewritten(path, keyed)


def successors(files: Files, findings: Sequence[Finding]) -> Iterator[Step]:
    """Entries that do not say what they replaced, while what they replaced does."""
    silent: dict[str, list[tuple[str, Finding]]] = defaultdict(list)
    for finding in findings:
        if finding.code == "silent_successor":
            entry = files.stored(finding.path).entry
            silent[entry.superseded_by or ""].append((entry.id, finding))
    for successor, group in silent.items():
        try:
            path = files.vault.path_of(successor)
        except MemcliError:  # two files have its id
            continue
        # An entry that replaced several names the newest; see `lineage`.
        before = max(name for name, _ in group)
        action = f"write that it supersedes {before}"
        yield Repair("lineage", path, action, before), [each for _, each in group]


def other_side(files: Files, path: str, before: str | None) -> Changes:
    """A version that says what it replaced."""
    entry = files.stored(path).entry
    old: Stored = files.stored(files.vault.path_of(before or ""))
    if entry.supersedes or old.entry.superseded_by != entry.id:
        return {}
    return files.rewritten(path, lambda e: e.replace(supersedes=old.entry.id))
