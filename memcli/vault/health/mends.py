"""Repairs that one file, or its other half, asks for: ids, keys, the links of versions.

Invariant: reads only; gives steps of a repair, and what each changes.
"""

from __future__ import annotations

import os
from collections import defaultdict

from memcli.entries import layout
from memcli.entries.entry import Status
from memcli.entries.identity import strict_key
from memcli.errors import MemcliError
from memcli.storage.vault_paths import inside
from memcli.vault import lookup
from memcli.vault.health.mending import Repair, Step

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memcli.entries.entry import Entry
    from memcli.entries.finding import Finding
    from memcli.vault.health.mending import Changes, Files
    from memcli.vault.vault import Stored, Vault

_EVERY = 100_000  # commits of one file
_NEVER = "9999"  # sorts after the date of every commit


# --- two files of one id ------------------------------------------------------------


def halves(files: Files, findings: Sequence[Finding]) -> Iterator[Step]:
    """Archived copies of entries that are still in use: a killed evolve left them."""
    for finding in findings:
        if finding.code != "duplicate_id":
            continue
        paths = _paths_of(files.vault, files.stored(finding.path).entry.id)
        if len(paths) != 2 or not paths[1].startswith(layout.ARCHIVE + "/"):
            continue
        whole, copy = paths
        try:
            is_half = without_half(files, copy, whole)
        except MemcliError:
            continue
        if is_half:
            action = f"remove it: half of a killed evolve; {whole} is in use"
            gone = [
                other
                for other in findings
                if other.path == copy and other.code == "dangling_lineage"
            ]
            yield Repair("half_evolve", copy, action, whole), [finding, *gone]


def without_half(files: Files, path: str, whole: str | None) -> Changes:
    """Without an archived copy that adds nothing, and whose successor is gone."""
    old, entry = files.stored(path).entry, files.stored(whole or "").entry
    is_half = (
        old.status is Status.SUPERSEDED
        and entry.status is Status.ACTIVE
        and bool(old.superseded_by)
        and not _paths_of(files.vault, old.superseded_by or "")
        and entry
        == old.replace(
            path=entry.path,
            status=entry.status,
            superseded_by=None,
            reason=entry.reason,
            updated=entry.updated,
        )
    )
    return {path: None} if is_half else {}


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
    """What sorts the files of one id, the oldest first: by its first commit, else by
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
