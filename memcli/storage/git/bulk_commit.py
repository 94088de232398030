"""One commit of many files, in time that grows with their number.

Invariant: the same commit that `git commit --only` makes. It is built in an index of
its own, from HEAD, so it holds nothing that the user has staged; hooks and signing
apply; its paths are brought up to date in the user's index only after it exists.

The lock of the user's index is held meanwhile. A process that is killed then leaves a
lock file that names memcli and is not locked, and the next commit removes it.

`git commit --only` compares every path of the index with every path it is given:
10,000 new files took 3 s, 30,000 took 27 s, 100,000 took 280 s.
"""

import contextlib
import os
import shutil
import sys
from collections.abc import Sequence

from memcli.storage.git.process import GitResult, run

MANY = 500
"""From this many paths on, `commit_many` is faster than git (measured: about 300)."""

# Every file counts as large, and those go into one pack: 10,000 files of 500 bytes
# take 0.6 s instead of 1.3 to 1.7, and 3.5 MB on disk instead of 40, and the next
# save need not collect garbage. Files under an eol or filter rule stay loose.
_ONE_PACK = ("-c", "core.bigFileThreshold=1")


_SCRATCH = "memcli-index-"
_OURS = b"memcli\n"


def commit_many(
    root: str,
    git_dir: str,
    env: dict[str, str],
    paths: Sequence[str],
    options: Sequence[str],
    commit: Sequence[str],
) -> GitResult:
    """Commit these paths as they are on disk.

    Args:
        root: the vault; the paths are relative to it.
        git_dir: the repository's git folder, absolute.
        env: the environment for git.
        options: git's own options, before the subcommand.
        commit: `commit` with its options and message, without paths.

    Returns:
        How the first git that failed ended, or how the commit did.
    """
    names = "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")
    ignored = run(root, env, (*options, "check-ignore", "-z", "--stdin"), names)
    if ignored.code == 0:
        return GitResult(1, b"are ignored by one of your .gitignore files")
    scratch = os.path.join(git_dir, f"{_SCRATCH}{os.getpid()}")
    index, lock = os.path.join(git_dir, "index"), os.path.join(git_dir, "index.lock")
    own_index = {**env, "GIT_INDEX_FILE": scratch}
    next_index = {**env, "GIT_INDEX_FILE": scratch + "-next"}
    update = ("update-index", "--add", "--remove", "-z", "--stdin")
    try:
        # Held until the end, as by `git commit`: an index that missed this commit would
        # show its files as deleted, and the user's next commit would delete them.
        handle = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    except FileExistsError:
        return GitResult(128, f"Unable to create '{lock}': File exists".encode())
    locked = _mark_and_lock(handle)
    try:
        if run(root, env, ("rev-parse", "--verify", "--quiet", "HEAD")).code == 0:
            read = run(root, own_index, (*options, "read-tree", "HEAD"))
            if read.code:
                return read
        packed = _ONE_PACK if _packs_together(root, env) else ()
        added = run(root, own_index, (*options, *packed, *update), names)
        if added.code:
            return added
        with contextlib.suppress(FileNotFoundError):  # nothing was ever staged
            shutil.copyfile(index, scratch + "-next")
        added = run(root, next_index, (*options, *update), names)
        if added.code:
            return added
        done = run(root, own_index, (*options, *commit))
        # Nothing to commit: a process that was killed before the next line made it.
        if done.code == 0 or b"nothing to commit" in done.output:
            os.replace(scratch + "-next", index)
    finally:
        for name in (scratch, scratch + "-next"):
            for path in (name, name + ".lock"):
                with contextlib.suppress(OSError):
                    os.unlink(path)
        with contextlib.suppress(OSError):
            os.unlink(lock)
        if locked is not None:
            os.close(locked)
    return done


def release(git_dir: str) -> bool:
    """Remove the lock that a killed bulk commit has left; return whether it was one."""
    path = os.path.join(git_dir, "index.lock")
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        if os.read(handle, len(_OURS)) != _OURS or not _is_left(handle, path):
            return False
        for name in os.listdir(git_dir):
            if name.startswith(_SCRATCH):
                os.unlink(os.path.join(git_dir, name))
        os.unlink(path)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


if sys.platform == "win32":

    def _mark_and_lock(handle: int) -> int | None:
        """Windows deletes no open file, so `memcli repair` removes what is left."""
        os.close(handle)
        return None

    def _is_left(_handle: int, _path: str) -> bool:
        return False

else:
    import fcntl

    def _mark_and_lock(handle: int) -> int | None:
        """Write memcli's mark into the file, and lock it while this process lives."""
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.write(handle, _OURS)
        return handle

    def _is_left(handle: int, path: str) -> bool:
        """Whether no process holds this lock, and the file is still at its path."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return os.path.samestat(os.fstat(handle), os.stat(path))


def _packs_together(root: str, env: dict[str, str]) -> bool:
    """Whether this git's update-index puts all large files into one pack.

    Before 2.37 it makes a pack of each. `git version 2.39.5 (Apple Git-154)`.
    """
    words = run(root, env, ("version",)).printed.split()
    numbers = words[2].split(b".") if len(words) > 2 else []
    return [int(n) if n.isdigit() else 0 for n in numbers[:2]] >= [2, 38]
