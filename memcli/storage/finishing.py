"""Finishing what a killed command left in the journal.

Invariant: the caller of `finish` holds the vault's lock. While files may be staged, the
journal stays, since only it tells them from files that a person has staged.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from memcli.entries import layout
from memcli.errors import HistoryError, LockBusy, MemcliError
from memcli.storage import journal, old_files, state_dirs
from memcli.storage.lock import Lock

if TYPE_CHECKING:
    from memcli.storage.git.repository import Repository


def finish_killed(
    root: str,
    *,
    environ: Mapping[str, str] | None,
    tell: Callable[[str], None],
    fault: Callable[[str], None],
) -> None:
    """Finish what a killed command left in the journal, unless a writer is at work.

    For readers: a problem is told, and the files are read as they are.
    """
    if not journal.exists(root):
        return
    try:
        with Lock(lock_path(root), 0):
            if journal.exists(root):
                # A lock that a dead git has left would cost every reader the wait.
                repository = open_repository(root, environ)
                finish(root, repository, tell, fault, patience=0)
    except LockBusy:
        return  # its writer is alive, or a git holds a lock: the next command tries
    except MemcliError as error:
        tell(f"a killed command cannot be finished: {error.message}")


def finish(
    root: str,
    repository: "Repository",
    tell: Callable[[str], None],
    fault: Callable[[str], None],
    patience: float = 2.0,
) -> None:
    """Finish what the journal says. While files may be staged, the journal stays.

    Nothing but the journal tells what memcli has staged from what a person has.

    Raises:
        LockBusy: a git holds a lock: the files are right, and not committed.
    """
    done = journal.recover(root, fault)
    old_files.drop(root)
    if done.paths or done.move:
        tell(f"finishing what a killed command began: {done.message}")
    elif done.conflicts:
        tell(f"what a killed command began has not happened: {done.message}")
    for path in done.conflicts:
        tell(f"  {path} was edited meanwhile and is left as it is")
    staged = [*done.paths, *done.staged]
    try:
        if done.move:
            from memcli.storage.git.joining import Joining

            if Joining.of(repository).conclude(done.move, done.paths):
                journal.clear(root)
                fault("cleared")
                return
        # A commit that is made twice is empty: first the index shows what is in HEAD.
        repository.unstage(staged, patience=patience)
        repository.commit(done.paths, done.message, patience=patience)
    except LockBusy as error:
        tell(f"  it is not committed yet: {error.message}")
        raise
    except HistoryError as error:
        # The files are right; `inspect` names them, `memcli repair` commits them.
        tell(f"  it is not committed: {error.message}")
        repository.unstage(staged)
    if not repository.unsettled:
        journal.clear(root)
    fault("cleared")


def lock_path(root: str) -> str:
    """The file of the right to write to a vault."""
    return state_dirs.path(root, layout.LOCK)


def open_repository(root: str, environ: Mapping[str, str] | None) -> "Repository":
    """The repository of a vault; git is imported only here."""
    from memcli.storage.git.repository import Repository

    return Repository.open(root, environ=environ)
