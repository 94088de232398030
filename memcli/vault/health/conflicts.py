"""Files in which git has left the marks of a merge, merged by the repair.

Invariant: the plan reads only. The text that gives way goes to the archive in the same
commit. While git's merge is not finished nothing can be committed: then the files are
written and marked as merged for git, and the person concludes the merge.
"""

from __future__ import annotations

from memcli.entries.merging import one_file
from memcli.errors import MemcliError
from memcli.storage import files
from memcli.storage.vault_paths import inside
from memcli.vault.health.repair_step import Repair, Step

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memcli.entries.finding import Finding
    from memcli.entries.merging.entry_file import MergedFile
    from memcli.storage.git.repository import Repository
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Vault

CODE = "conflict"


def steps(vault: Vault, findings: Sequence[Finding]) -> list[Step]:
    """A step for each file with marks that can be merged."""
    chosen: list[Step] = []
    marks = [each for each in findings if each.code in ("conflict", "broken")]
    for path in sorted({finding.path for finding in marks}):
        merged = _merged(vault, path)
        if merged is None:
            continue
        action = "merge the two sides that git left in it"
        if merged[1].kept:
            action += f"; one text goes to {merged[1].kept[0].path}"
        gone = [finding for finding in marks if finding.path == path]
        chosen.append((Repair(CODE, path, action), gone))
    return chosen


def take(vault: Vault, change: Transaction, wanted: Sequence[Repair]) -> list[Repair]:
    """Put what becomes of marked files, inside a transaction; returns the steps."""
    done: list[Repair] = []
    for step in wanted:
        found = _merged(vault, step.path)
        if found is None:
            continue
        data, merged = found
        change.carry(data)
        change.put(step.path, merged.data, expected=data)
        for kept in merged.kept:
            if files.current(inside(vault.root, kept.path)) != kept.data:
                change.put(kept.path, kept.data, expected=None)
        done.append(step)
    return done


def take_in_merge(
    vault: Vault, repository: Repository, wanted: Collection[Repair]
) -> list[Repair]:
    """Write what becomes of marked files, and tell git that they are merged.

    Raises:
        WriteFailed, HistoryError: the disk or git refused; the files that were written
            are whole.
    """
    from memcli.storage.git.merge_driver import mark_merged

    done: list[Repair] = []
    for step in wanted:
        found = _merged(vault, step.path)
        if found is None:
            continue
        merged = found[1]
        paths = [kept.path for kept in merged.kept]
        # What gives way first: a kill between the two leaves it twice, never lost.
        for path, data in [*merged.kept, (step.path, merged.data)]:
            files.write_atomic(inside(vault.root, path), data)
        mark_merged(repository, [*paths, step.path], vault.environ)
        done.append(step)
    return done


def _merged(vault: Vault, path: str) -> tuple[bytes, MergedFile] | None:
    """A file's bytes and what becomes of it; None where no marks can be merged."""
    try:
        data = files.read(inside(vault.root, path), follow=False)
        merged = one_file.merge_marked(data, path, vault.kinds)
    except MemcliError:
        return None
    if merged is None or one_file.sides(merged.data) is not None:
        return None
    return data, merged
