"""Finishing what a killed command left in the journal.

Invariant: the caller of `finish` holds the vault's lock. While files may be staged, the
journal stays, since only it tells them from files that a person has staged. What was
begun on one branch is never finished on another.
"""

from __future__ import annotations

from memcli.entries import layout
from memcli.errors import HistoryError, LockBusy, MemcliError
from memcli.storage import files, journal, state_dirs
from memcli.storage.lock import Lock
from memcli.storage.vault_paths import inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memcli.storage.git.repository import Repository
    from memcli.storage.lock import Audience


def finish_killed(
    root: str, environ: Mapping[str, str] | None, audience: Audience
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
                finish(root, repository, audience, patience=0)
    except LockBusy:
        return  # its writer is alive, or a git holds a lock: the next command tries
    except MemcliError as error:
        told = f"a killed command cannot be finished: {error.message}"
        audience.tell_of_killed(told)


def finish(
    root: str,
    repository: Repository,
    audience: Audience,
    patience: float = 2.0,
) -> None:
    """Finish what the journal says. While files may be staged, the journal stays.

    Nothing but the journal tells what memcli has staged from what a person has.

    Raises:
        LockBusy: a git holds a lock: the files are right, and not committed.
    """
    from memcli.storage.git import commit as commits
    from memcli.storage.git import merging

    tell, fault = audience.tell_of_killed, audience.fault
    begun = journal.load(root)
    if begun.move and _left_on_its_branch(root, repository, begun, tell):
        journal.clear(root)
        fault("cleared")
        return
    done = journal.recover(root, fault)
    journal.drop_old(root)
    if done.paths or done.move:
        tell(f"finishing what a killed command began: {done.message}")
    elif done.conflicts:
        tell(f"what a killed command began has not happened: {done.message}")
    for path in done.conflicts:
        tell(f"  {path} was edited meanwhile and is left as it is")
    try:
        if done.move and merging.conclude(repository, done.move):
            journal.clear(root)
            fault("cleared")
            return
        # A commit that is made twice is empty: first the index shows what is in HEAD.
        commits.unstage(repository, done.paths, patience=patience)
        commits.commit(repository, done.paths, done.message, patience=patience)
    except LockBusy as error:
        tell(f"  it is not committed yet: {error.message}")
        raise
    except HistoryError as error:
        # The files are right; `inspect` names them, `memcli doctor --fix` commits them.
        tell(f"  it is not committed: {error.message}")
        commits.unstage(repository, done.paths)
    if not repository.unsettled:
        journal.clear(root)
    fault("cleared")


def _left_on_its_branch(
    root: str,
    repository: Repository,
    begun: journal.Journal,
    tell: Callable[[str], None],
) -> bool:
    """Take back what was begun on a branch that is not the one of the folder now.

    A person has switched the branch after the kill. A file that was written already
    gets the bytes that it had; one that the new branch holds like that stays.

    Returns:
        Whether that was so; otherwise nothing was done.
    """
    from memcli.storage.git import merging

    move = begun.move
    here = repository.branch()
    if move is None or here == move.branch:
        return False
    journal.drop_old(root)
    head = merging.tree(repository, "HEAD") if repository.commit_of("HEAD") else {}
    ours = merging.tree(repository, move.before)
    theirs = merging.tree(repository, move.after)
    changed = [
        path
        for path in journal.written(root, begun)
        if head.get(path) != theirs.get(path)
    ]
    old = [ours[path].oid for path in changed if path in ours]
    blobs = dict(zip(old, merging.read_blobs(repository, old), strict=True))
    # What goes makes room for what comes back.
    for path in sorted(changed, key=lambda path: path in ours):
        data = blobs[ours[path].oid] if path in ours else None
        if not journal.is_old(begun, path, data):
            continue  # the commit holds other bytes than the folder held
        place = inside(root, path)
        if data is None:
            files.remove(place)
        else:
            files.make_room(place)
            files.write_atomic(place, data)
    tell(
        f"a killed sync of the branch {move.branch} was not finished: this is "
        f"{here or 'a detached HEAD'}; memcli sync repeats it on {move.branch}"
    )
    return True


def lock_path(root: str) -> str:
    """The file of the right to write to a vault."""
    return state_dirs.path(root, layout.LOCK)


def open_repository(root: str, environ: Mapping[str, str] | None) -> Repository:
    """The repository of a vault; git is imported only here."""
    from memcli.storage.git.repository import Repository

    return Repository.open(root, environ=environ)
