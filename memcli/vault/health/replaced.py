"""A link or a file in the place of a folder of memcli, and the way back.

Invariant: nothing is followed, and what stands there is only taken away where it is as
the last commit has it: what a person put there by hand is theirs. The folder gets the
files back that it had in the newest commit that has the folder.

`memcli sync` takes no such commit. A plain `git pull` does, and the memories are gone
from the folder; they are still in the history.
"""

from __future__ import annotations

import os

from memcli.entries import layout
from memcli.entries.finding import ERROR, Finding
from memcli.entries.text.counted import counted
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.vault.health.mending import Repair, Step

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memcli.storage.git.printed import Blob
    from memcli.storage.git.repository import Repository
    from memcli.vault.vault import Vault

CODE = "folder_replaced"


class _Before(NamedTuple):
    """A folder as it was: in which commit, and its files."""

    commit: str
    files: list[Blob]


def findings(
    vault: Vault, links: Iterable[str], others: Iterable[str]
) -> Iterator[Finding]:
    """A finding for each folder of memcli in whose place something else stands.

    Args:
        vault: which one.
        links: paths of symbolic links.
        others: paths of files that are no entries.
    """
    for path in sorted({*links, *others}):
        if not layout.is_own_folder(path, vault.kinds) or layout.is_odd(path):
            continue
        linked = os.path.islink(os.path.join(vault.root, *path.split("/")))
        what = "a symbolic link, which memcli does not follow," if linked else "a file"
        yield finding(path, what)


def finding(path: str, what: str) -> Finding:
    """The finding of a folder in whose place something else stands, or stood."""
    message = f"{what} in the place of a folder of memcli"
    hint = "memcli doctor --fix puts the folder back where a commit has replaced it."
    return Finding(path, 1, CODE, ERROR, message, hint)


def steps(repository: Repository, found: Sequence[Finding]) -> list[Step]:
    """A step for each folder that a commit has replaced."""
    chosen: list[Step] = []
    for finding in found:
        before = _before(repository, finding.path) if finding.code == CODE else None
        if before is not None:
            count = counted(len(before.files), "file")
            action = f"put the folder back, with {count} of commit {before.commit[:10]}"
            chosen.append((Repair(CODE, finding.path, action), [finding]))
    return chosen


def take(vault: Vault, wanted: Sequence[Repair]) -> list[Repair]:
    """Put folders back, each by a commit of its own; returns the steps that were taken.

    Raises:
        Conflict, LockBusy, WriteFailed, HistoryError: this folder was not changed.
    """
    from memcli.entries.merging.plans import Blob
    from memcli.storage.arrival import Arrival
    from memcli.storage.git import merging
    from memcli.storage.git.merging import REGULAR, Move
    from memcli.storage.git.repository import Repository

    done = []
    for step in wanted:
        with Arrival(vault.root, vault.environ, vault.caller.audience) as arrival:
            joining = arrival.repository
            branch, head = joining.branch(), joining.commit_of("HEAD")
            repository = Repository.open(vault.root, environ=vault.environ)
            before = _before(repository, step.path)
            if branch is None or head is None or before is None:
                continue
            put = {blob.path: Blob(REGULAR, blob.id) for blob in before.files}
            message = f"repair: {step.path} is a folder again"
            made = merging.join(joining, (head,), put, [step.path], message)
            arrival.go(Move(branch, head, made), message)
        done.append(step)
    return done


def _before(repository: Repository, path: str) -> _Before | None:
    """The folder as a commit had it, with its regular files.

    None where a person has replaced it, no commit has it, or the vault is a part of a
    repository of something else.
    """
    from memcli.storage.git.tree import files_of, last_folder

    try:
        if repository.prefix or repository.is_detached():
            return None
        # What is gone from the folder takes nothing away.
        if any(code != " D" for code, name in repository.status() if name == path):
            return None
        commit = last_folder(repository, path)
        if not commit:
            return None
        inside = f"{path}/"
        every = files_of(repository, commit)
        files = [blob for blob in every if blob.path.startswith(inside)]
    except MemcliError:
        return None
    return _Before(commit, files) if files else None
