"""git's index: locked while memcli commits, and replaced at once or not at all.

Invariant: while the lock is held no other git stages, checks out, stashes or commits.
memcli writes another index beside it, which is whole on the disk before the commit is
made and takes the index's place by one rename after it. So a commit that fails, on a
full disk too, leaves nothing staged.

A process that is killed leaves a lock file that names memcli, and that no process has
locked any more once its gits have ended, too. The next command removes it, and copies.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import time

from memcli.errors import LockBusy
from memcli.storage import files
from memcli.storage.files import write_failed
from memcli.storage.lock import lock_now, still_there

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self, TypeVar

    _Answer = TypeVar("_Answer")

LARGEST = 4_000_000_000
"""Bytes of an index: that of thirty million files."""

_SCRATCH = "memcli-index-"
_OURS = b"memcli\n"


class IndexLock:
    """The right to change a repository's index, as a context manager.

    Args:
        git_dir: the repository's git folder, absolute.
        env: the environment for git.

    Raises (on entering):
        LockBusy: another git holds the lock.
        WriteFailed: the disk refused.
    """

    def __init__(self, git_dir: str, env: Mapping[str, str]) -> None:
        self._git_dir = git_dir
        self._index = os.path.join(git_dir, "index")
        self._lock = self._index + ".lock"
        self._copy = os.path.join(git_dir, f"{_SCRATCH}{os.getpid()}")
        self._env = env
        self._handle = -1
        self._installed: tuple[int, ...] = ()

    def __enter__(self) -> Self:
        try:
            self._handle = _make(self._lock)
        except FileExistsError:
            message = f"Unable to create '{self._lock}': File exists"
            raise lock_busy(message) from None
        except OSError as error:
            raise write_failed(self._lock, error) from error
        _remove_copies(self._git_dir)
        return self

    def __exit__(self, *_: object) -> None:
        _remove_copies(self._git_dir)
        files.remove_quietly(self._lock)
        if self._handle >= 0:
            os.close(self._handle)

    def copy(self, name: str = "") -> dict[str, str]:
        """The environment for a git that is to change a copy of the index.

        It is a second name of the index, where the system gives one: git changes no
        file, but makes another and gives it the name. A real copy has the time of the
        index: git looks into files that are not older.

        Args:
            name: of a copy that stays one; the one without a name is for `install`.

        Raises:
            WriteFailed: the disk refused.
        """
        copy = self._copy + name
        env = {**self._env, "GIT_INDEX_FILE": copy}
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.lstat(self._index).st_mode):
                os.link(self._index, copy)
                return env
        try:
            status = os.stat(self._index)
            files.write_derived(copy, files.read(self._index, limit=LARGEST))
            os.chmod(copy, stat.S_IMODE(status.st_mode))
            os.utime(copy, ns=(status.st_mtime_ns, status.st_mtime_ns))
        except FileNotFoundError:
            pass  # nothing was ever staged
        except OSError as error:
            raise write_failed(copy, error) from error
        return env

    def is_in_place(self) -> bool:
        """Whether the index is the copy that was installed, which no git replaced."""
        try:
            return self._installed == _mark(self._index)
        except OSError:
            return False

    def install(self) -> bool:
        """Let the copy without a name be the index; whether the system did that."""
        try:
            self._installed = _mark(self._copy)
            os.replace(self._copy, self._index)
        except OSError:
            return False
        return True


def _mark(path: str) -> tuple[int, ...]:
    """The identity of a file, also against another one that is given its number."""
    found = os.stat(path)
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def _remove_copies(git_dir: str) -> None:
    """Remove the copies that killed commands have left.

    A copy is only used under the lock: the process that holds it needs no other copy.
    A git that outlives its memcli has inherited the lock, and keeps it.
    """
    with contextlib.suppress(OSError):
        for name in os.listdir(git_dir):
            if name.startswith(_SCRATCH):
                os.unlink(os.path.join(git_dir, name))


def lock_busy(message: str) -> LockBusy:
    """The error for git's message about a lock that another git holds."""
    path = message.partition("Unable to create '")[2].partition("'")[0]
    return LockBusy(
        f"another git holds {path or 'a lock'}",
        hint="Try again; if no git is running, delete that file.",
    )


def release(git_dir: str) -> bool:
    """Remove the lock that a killed memcli has left; return whether it was one."""
    path = os.path.join(git_dir, "index.lock")
    try:
        handle = os.open(path, os.O_RDWR | files.NONBLOCK | files.NOFOLLOW)
    except OSError:
        return False
    try:
        ours = os.read(handle, len(_OURS)) == _OURS
        if not (ours and lock_now(handle) and still_there(handle, path)):
            return False
        _remove_copies(git_dir)
        os.unlink(path)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def patiently(
    git_dir: str, act: Callable[[], _Answer], patience: float = 2.0
) -> _Answer:
    """Do something while another git may hold a lock for moments.

    Raises:
        LockBusy: it holds it longer than `patience`, in seconds.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            return act()
        except LockBusy:
            if release(git_dir):
                continue
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.05)


_FLAGS = os.O_CREAT | os.O_EXCL | os.O_WRONLY


def _make(path: str) -> int:
    """Make the lock's file; its handle, or -1.

    It is marked under another name first: a kill in between would leave a file that
    nobody knows. It is locked while this process lives; the gits that it starts inherit
    the handle, and one that outlives it keeps the lock.

    Raises:
        FileExistsError: the lock is held.
        OSError: the disk refused.
    """
    if sys.platform == "win32":  # no open file is deleted; `doctor --fix` removes it
        os.close(os.open(path, _FLAGS, 0o666))
        return -1
    name = os.path.join(os.path.dirname(path), f"memcli-lock-{os.urandom(4).hex()}")
    handle = os.open(name, _FLAGS, 0o666)
    try:
        is_locked = False
        with contextlib.suppress(OSError):  # a file system without locks
            is_locked = lock_now(handle)
        if is_locked:
            os.set_inheritable(handle, True)
            os.write(handle, _OURS)
        try:
            os.link(name, path)
        except OSError as error:
            if isinstance(error, FileExistsError) or error.errno in files.REFUSED:
                raise
            os.close(os.open(path, _FLAGS, 0o666))  # no second names
            os.rename(name, path)
    except BaseException:
        os.close(handle)
        raise
    finally:
        files.remove_quietly(name)
    return handle
