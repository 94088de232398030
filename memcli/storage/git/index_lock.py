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

from memcli.errors import Unreadable
from memcli.storage import files
from memcli.storage.files import write_failed
from memcli.storage.git.process import lock_busy

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType
    from typing import Self

LARGEST = 4_000_000_000
"""Bytes of an index: that of thirty million files."""

_SCRATCH = "memcli-index-"
_OURS = b"memcli\n"


class IndexLock:
    """The right to change a repository's index, as a context manager.

    Args:
        git_dir: the repository's git folder, absolute.
        env: the environment for git.

    Attributes:
        copy: the path of the other index; `make_copy` or `write` makes it.
        env: the environment for a git that is to change it.
        old: the bytes of the index, once they were read.
        time: when the lock was taken, in ns, by the clock of the file system.

    Raises (on entering):
        LockBusy: another git holds the lock.
        WriteFailed: the disk refused.
    """

    def __init__(self, git_dir: str, env: Mapping[str, str]) -> None:
        self._index = os.path.join(git_dir, "index")
        self._lock = self._index + ".lock"
        self.copy = os.path.join(git_dir, f"{_SCRATCH}{os.getpid()}")
        self.env = {**env, "GIT_INDEX_FILE": self.copy}
        self.old: bytes = b""
        self.time = 0
        self._handle = -1
        self._written: os.stat_result | None = None

    def __enter__(self) -> Self:
        try:
            self._handle = _make(self._lock)
        except FileExistsError:
            message = f"Unable to create '{self._lock}': File exists"
            raise lock_busy(message) from None
        except OSError as error:
            raise write_failed(self._lock, error) from error
        try:
            self.time = os.stat(self._lock).st_mtime_ns
        except OSError as error:
            self.__exit__(None, None, None)
            raise write_failed(self._lock, error) from error
        with contextlib.suppress(OSError):
            _remove_copies(os.path.dirname(self._index))
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
        """The bytes of the index; none where nothing was ever staged.

        Raises:
            Unreadable: it cannot be read.
        """
        try:
            self.old = files.read(self._index, limit=LARGEST)
        except Unreadable as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise
            self.old = b""
        return self.old

    def time_of_index(self) -> int:
        """When the index was last written, in ns; 0 where nothing was ever staged."""
        try:
            return os.stat(self._index).st_mtime_ns
        except OSError:
            return 0

    def make_copy(self) -> None:
        """Copy the index, for a git that is to change the copy.

        The copy has the time of the index: git looks into the files of entries that
        are not older, since their times may hide a change.

        Raises:
            Unreadable: the index cannot be read.
            WriteFailed: the disk refused.
        """
        try:
            data = self.read()
            if data:
                self._write([data], self.time_of_index())
        except OSError as error:
            raise write_failed(self.copy, error) from error

    def write(self, parts: Iterable[bytes | memoryview[int]]) -> None:
        """Write these bytes as the copy, with the time of the lock.

        Every file was read after that time. So a file that is changed later is not
        older than its index, however coarse the clock, and git looks into such files.

        Raises:
            WriteFailed: the disk refused.
        """
        try:
            self._write(parts, self.time)
            self._written = os.stat(self.copy)
        except OSError as error:
            raise write_failed(self.copy, error) from error

    def note_copy(self) -> None:
        """Let `is_in_place` know the copy that a git has written."""
        with contextlib.suppress(OSError):
            self._written = os.stat(self.copy)

    def read_copy(self) -> bytes:
        """The bytes of the copy; raises OSError."""
        with open(self.copy, "rb") as file:
            return file.read()

    def _write(self, parts: Iterable[bytes | memoryview[int]], time: int) -> None:
        """Write the copy with the rights of the index, which others may have to read
        (`core.sharedRepository`)."""
        mode = stat.S_IMODE(os.stat(self._index).st_mode)
        with open(self.copy, "wb") as file:
            file.writelines(parts)
        os.chmod(self.copy, mode)
        os.utime(self.copy, ns=(time, time))

    def is_in_place(self) -> bool:
        """Whether the index is the copy that was made last, which no git replaced."""
        try:
            status = os.stat(self._index)
        except OSError:
            return False
        mine = self._written
        # Another file may have been given the number of one that was replaced.
        return mine is not None and (
            os.path.samestat(status, mine)
            and (status.st_mtime_ns, status.st_size) == (mine.st_mtime_ns, mine.st_size)
        )

    def install(self) -> bool:
        """Let the copy be the index; return whether the system did that."""
        try:
            os.replace(self.copy, self._index)
        except OSError:
            return False
        return True


def _remove_copies(git_dir: str) -> None:
    """Remove the copies that killed commands have left.

    A copy is only used under the lock: the process that holds it needs no other copy.
    A git that outlives its memcli has inherited the lock, and keeps it.
    """
    for name in os.listdir(git_dir):
        if name.startswith(_SCRATCH):
            os.unlink(os.path.join(git_dir, name))


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
        _remove_copies(git_dir)
        os.unlink(path)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


_FLAGS = os.O_CREAT | os.O_EXCL | os.O_WRONLY

if sys.platform == "win32":

    def _make(path: str) -> int:
        """Windows deletes no open file, so `memcli repair` removes what is left."""
        os.close(os.open(path, _FLAGS, 0o666))
        return -1

    def _is_left(_handle: int, _path: str) -> bool:
        return False

else:
    import fcntl

    def _make(path: str) -> int:
        """Make the lock's file; its handle. On Linux it is marked before it has a name:
        a kill in between would leave a file that nobody knows.

        Raises:
            FileExistsError: the lock is held.
            OSError: the disk refused.
        """
        unnamed = getattr(os, "O_TMPFILE", 0)
        handle = -1
        if unnamed:
            with contextlib.suppress(OSError):
                folder = os.path.dirname(path)
                handle = os.open(folder, unnamed | os.O_RDWR, 0o666)
        if handle < 0:  # another system, or a file system without such files
            return _mark_and_lock(os.open(path, _FLAGS, 0o666))
        try:
            named = f"/proc/self/fd/{_mark_and_lock(handle)}"
            # With a folder given Python follows the link, to the file without a name.
            os.link(named, path, src_dir_fd=handle, follow_symlinks=True)
        except FileExistsError:
            os.close(handle)
            raise
        except OSError:  # no /proc, or no second names
            os.close(handle)
            return _mark_and_lock(os.open(path, _FLAGS, 0o666))
        return handle

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
