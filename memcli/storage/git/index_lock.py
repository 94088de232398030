"""git's index: locked while memcli commits, and replaced at once or not at all.

Invariant: while the lock is held no other git stages, checks out, stashes or commits.
memcli works on a copy of the index, which is whole on the disk before the commit is
made and takes the index's place by one rename after it. So a commit that fails, on a
full disk too, leaves nothing staged.

A process that is killed leaves a lock file that names memcli, and that no process has
locked any more once its gits have ended, too. The next command removes it.
"""

from __future__ import annotations

import contextlib
import os
import sys

from memcli.storage.files import write_failed
from memcli.storage.git.process import lock_busy

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Self


_SCRATCH = "memcli-index-"
_OURS = b"memcli\n"


class IndexLock:
    """The right to change a repository's index, as a context manager.

    Args:
        git_dir: the repository's git folder, absolute.
        env: the environment for git.

    Attributes:
        copy: the path of the copy.
        env: the environment for a git that is to change the copy.

    Raises (on entering):
        LockBusy: another git holds the lock.
        WriteFailed: the disk refused.
    """

    def __init__(self, git_dir: str, env: Mapping[str, str]) -> None:
        self._index = os.path.join(git_dir, "index")
        self._lock = self._index + ".lock"
        self.copy = os.path.join(git_dir, f"{_SCRATCH}{os.getpid()}")
        self.env = {**env, "GIT_INDEX_FILE": self.copy}
        self._handle = -1

    def __enter__(self) -> Self:
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
        try:
            self._handle = os.open(self._lock, flags, 0o666)
        except FileExistsError:
            message = f"Unable to create '{self._lock}': File exists"
            raise lock_busy(message) from None
        except OSError as error:
            raise write_failed(self._lock, error) from error
        try:
            self._handle = _mark_and_lock(self._handle)
            with contextlib.suppress(FileNotFoundError):  # nothing was ever staged
                data = self._read(self._index)
                with open(self.copy, "wb") as file:
                    file.write(data)
        except OSError as error:
            self.__exit__(None, None, None)
            raise write_failed(self.copy, error) from error
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        for path in (self.copy, self.copy + ".lock", self._lock):
            with contextlib.suppress(OSError):
                os.unlink(path)
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    def read(self) -> bytes:
        """The bytes of the copy; raises OSError."""
        return self._read(self.copy)

    def install(self) -> bool:
        """Let the copy be the index; return whether the system did that."""
        try:
            os.replace(self.copy, self._index)
        except OSError:
            return False
        return True

    @staticmethod
    def _read(path: str) -> bytes:
        with open(path, "rb") as file:
            return file.read()


def release(git_dir: str) -> bool:
    """Remove the lock that a killed memcli has left; return whether it was one."""
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

    def _mark_and_lock(handle: int) -> int:
        """Windows deletes no open file, so `memcli repair` removes what is left."""
        os.close(handle)
        return -1

    def _is_left(_handle: int, _path: str) -> bool:
        return False

else:
    import fcntl

    def _mark_and_lock(handle: int) -> int:
        """Write memcli's mark into the file, and lock it while this process lives.

        The gits that it starts inherit the handle: one that outlives it keeps the lock.
        """
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # a file system without locks
            return handle
        os.set_inheritable(handle, True)
        os.write(handle, _OURS)
        return handle

    def _is_left(handle: int, path: str) -> bool:
        """Whether no process holds this lock, and the file is still at its path."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return os.path.samestat(os.fstat(handle), os.stat(path))
