"""The right to write, held by one process at a time.

Invariant: the kernel releases a lock when its process ends, however it ends, so there
is nothing to clean up.
"""

from __future__ import annotations

import errno
import os
import sys
import time

from memcli.errors import LockBusy
from memcli.named_tuple import NamedTuple
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self


# A link in the place of a lock's file is not followed.
_FLAGS = os.O_RDWR | os.O_CREAT | files.BINARY | files.NOFOLLOW


class Lock:
    """The right to write, held by one process at a time, as a context manager.

    It is the kernel's lock on an open file, so a killed holder releases it, and the
    file that stays behind has no meaning. The `filelock` package would do the same for
    33 ms of import time, as much as a whole recall.

    Args:
        path: the lock's file; made, with its folder, when missing.
        timeout: how long to wait for another holder, in seconds; 0 asks once.

    Raises (on entering):
        LockBusy: another process still held it after `timeout` seconds.
        WriteFailed: the file cannot be made, or the file system knows no locks.
    """

    def __init__(self, path: str, timeout: float) -> None:
        self.path = path
        self.timeout = timeout
        self._handle = -1

    def __enter__(self) -> Self:
        deadline = time.monotonic() + self.timeout
        # The process that holds the turn gets the lock next. Without it a writer that
        # releases the lock and takes it again at once always came before those that
        # look every 10 ms: one of 22 waited for 10 s in vain.
        turn = self._wait_for(self.path + ".next", deadline)
        try:
            self._handle = self._wait_for(self.path, deadline)
        finally:
            os.close(turn)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    def _wait_for(self, path: str, deadline: float) -> int:
        """The handle of a file that is locked then; raises LockBusy."""
        while (handle := _take(path)) < 0:
            if time.monotonic() >= deadline:
                raise LockBusy(
                    f"{self.path} is locked",
                    hint="Another memcli is writing to this vault; try again.",
                )
            time.sleep(files.POLL)
        return handle


def _take(path: str) -> int:
    """The handle of a file if it can be locked now, else -1."""
    try:
        files.make_folder(os.path.dirname(path))
        handle = os.open(path, _FLAGS, 0o666)
    except (OSError, ValueError) as error:
        raise files.write_failed(path, error) from error
    try:
        # A lock on a file that was deleted meanwhile excludes no other process.
        if lock_now(handle) and still_there(handle, path):
            locked, handle = handle, -1
            return locked
    except OSError as error:
        raise files.write_failed(path, error) from error
    finally:
        if handle >= 0:
            os.close(handle)
    return -1


# The errors by which systems say that another process has a lock.
_HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK, errno.EWOULDBLOCK)


def lock_now(handle: int) -> bool:
    """Lock an open file while a process has it open; whether no other had."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise
    return True


def still_there(handle: int, path: str) -> bool:
    """Whether an open file is still at its path."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


class Audience(NamedTuple):
    """The functions that a change tells how far it is.

    `tell` takes a sentence for the person who waits, `tell_of_killed` one about what a
    killed command has left.
    """

    tell: Callable[[str], None]
    tell_of_killed: Callable[[str], None]
