"""Files of one id: halves of a killed evolve, and copies that a person made.

Invariant: reads only; gives steps of a repair.
"""

from __future__ import annotations

import os
from collections import defaultdict

from memcli.entries import layout
from memcli.entries.entry import Status
from memcli.errors import MemcliError
from memcli.storage.vault_paths import inside
from memcli.vault import lookup
from memcli.vault.health.repair_step import Repair, Step

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.entries.finding import Finding
    from memcli.storage.git.repository import Repository
    from memcli.vault.vault import Stored, Vault

_EVERY = 100_000  # commits of one file
_NEVER = "9999"  # sorts after the date of every commit


def halves(vault: Vault, findings: Sequence[Finding]) -> list[Step]:
    """Archived copies of entries that are still in use: a killed evolve left them."""
    steps: list[Step] = []
    for finding in findings:
        if finding.code != "duplicate_id":
            continue
        try:
            paths = _paths_of(vault, vault.stored(finding.path).entry.id)
            if len(paths) != 2 or not paths[1].startswith(layout.ARCHIVE + "/"):
                continue
            whole, copy = (vault.stored(path) for path in paths)
        except MemcliError:
            continue
        if is_half(vault, copy, whole):
            action = f"remove it: half of a killed evolve; {whole.path} is in use"
            gone = [
                other
                for other in findings
                if other.path == copy.path and other.code == "dangling_lineage"
            ]
            step = Repair("half_evolve", copy.path, action, whole.path)
            steps.append((step, [finding, *gone]))
    return steps


def copies(
    vault: Vault, repository: Repository, findings: Sequence[Finding]
) -> list[Step]:
    """Copies of entries, which get an id of their own; the oldest file keeps it.

    Where one of the files is archived or superseded it is a version, not a copy, and a
    person has to say which of them counts.
    """
    steps: list[Step] = []
    doubled: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.code == "duplicate_id":
            doubled[vault.stored(finding.path).entry.id].append(finding)
    for entry_id, group in doubled.items():
        paths = _paths_of(vault, entry_id)
        if any(
            path.startswith(layout.ARCHIVE + "/")
            or vault.stored(path).entry.status is Status.SUPERSEDED
            for path in paths
        ):
            continue
        oldest, *others = sorted(paths, key=lambda path: _age(vault, repository, path))
        for number, path in enumerate(others):
            action = f"give it an id of its own; {oldest} is older and keeps {entry_id}"
            gone = group if number == 0 else []
            steps.append((Repair("duplicate_id", path, action, oldest), gone))
    return steps


def _age(vault: Vault, repository: Repository, path: str) -> tuple[str, int, str]:
    """What sorts the files of one id, the oldest first: by its first commit, else by
    when the file was written."""
    commits = repository.log(path, _EVERY)
    written = os.stat(inside(vault.root, path)).st_mtime_ns
    return (commits[-1].when if commits else _NEVER), written, path


def is_half(vault: Vault, copy: Stored, whole: Stored) -> bool:
    """Whether an archived copy adds nothing, and names a successor that is gone."""
    old, entry = copy.entry, whole.entry
    return (
        old.status is Status.SUPERSEDED
        and entry.status is Status.ACTIVE
        and bool(old.superseded_by)
        and not _paths_of(vault, old.superseded_by or "")
        and entry
        == old.replace(
            path=entry.path,
            status=entry.status,
            superseded_by=None,
            reason=entry.reason,
            updated=entry.updated,
        )
    )


def _paths_of(vault: Vault, entry_id: str) -> list[str]:
    """The files that have this id; those of the archive last."""
    return [row.path for row in vault.read(lambda r: lookup.of_id(r, entry_id))]
