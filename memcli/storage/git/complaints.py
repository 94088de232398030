"""git's messages as memcli's own errors.

Invariant: where git says something else, the error repeats git's words.
"""

from __future__ import annotations

import errno
import os

from memcli.errors import Conflict, HistoryError, LockBusy, MemcliError, WriteFailed
from memcli.storage.files import REFUSED, write_failed
from memcli.storage.git.index_lock import lock_busy

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.storage.git.process import GitResult
    from memcli.storage.git.repository import Repository

SPARSE_HINT = "git sparse-checkout disable, or: git sparse-checkout add memories"

# A rebase that stopped may leave any of the others, and no branch.
UNFINISHED = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
)
"""Operations that a commit would conclude; `git rebase --abort` would lose it again."""


def failure(
    repository: Repository, done: GitResult, paths: Sequence[str]
) -> MemcliError:
    """The error that says why git did not commit."""
    output = done.output
    if full := refused_by_disk(output, repository.git_dir):
        return full
    what = _called(paths)
    if b".lock': File exists" in output:
        return lock_busy(done.text)
    if b"does not exist and --remove not passed" in output:
        return changed_meanwhile(paths[0])
    if b"cannot lock ref" in output:
        return LockBusy("another git moved HEAD during the commit", hint="Try again.")
    return refused(f"{what} cannot be committed", done)


def ignored_by_rule(paths: Sequence[str]) -> HistoryError:
    """The error for files, one of which git ignores."""
    return HistoryError(
        f"{_called(paths)} cannot be committed: a .gitignore rule excludes it",
        hint="git check-ignore -v names the rule: remove it.",
    )


def _called(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{len(paths):,} files"


def unfinished(
    repository: Repository, state: str, paths: Sequence[str]
) -> HistoryError:
    """The error for a merge or another operation that a commit would conclude."""
    from shlex import quote

    return HistoryError(
        f"{_called(paths)} cannot be committed: a {state} is in progress",
        hint=f"Finish it, or: git -C {quote(repository.root)} {state} --abort",
    )


def refused(what: str, done: GitResult) -> HistoryError:
    """The error that quotes git."""
    reason = done.text[-2000:] or f"git ended with {done.code} and printed nothing"
    return HistoryError(
        f"{what}: {reason}", hint="Do what git asks for, then repeat the command."
    )


def changed_meanwhile(path: str) -> Conflict:
    """The error for a file that is not as it is to be committed."""
    return Conflict(
        f"{path} was changed between its write and its commit; nothing was changed",
        hint="Repeat the command: it starts from the changed file.",
    )


def refused_by_disk(output: bytes, path: str) -> WriteFailed | None:
    """The error for git's message that the disk refused, None when it says none."""
    output = output.replace(b"Out of diskspace", os.strerror(errno.ENOSPC).encode())
    for number in REFUSED:
        if os.strerror(number).encode() in output:
            return write_failed(path, OSError(number, os.strerror(number)))
    return None
