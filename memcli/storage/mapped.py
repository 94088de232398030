"""Files of megabytes of which a command needs little, mapped instead of read.

Invariant: only a regular file is mapped, and one whose bytes stay as they are: memcli
replaces its own files whole, and a program that opens another's file to write waits
until memcli has let go of it. A process that looks at a mapped file which was cut short
is killed by the system (SIGBUS).
"""

from __future__ import annotations

import mmap
import os
import stat
import sys

from memcli.errors import Unreadable
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    Memory = bytes | mmap.mmap
    """The bytes of a file; slices of both kinds are `bytes`."""


def mapped(path: str, *, limit: int, foreign: bool = False) -> Memory:
    """The bytes of a regular file, read from the disk where they are looked at.

    Reading the 13 MB of git's index of 100,000 entries takes 5 ms, mapping it .2. On
    Windows, where no other process could replace a file that is mapped, it is read, and
    so it is on a disk that maps no files (some of FUSE and of virtual machines).

    Args:
        path: the file; a symbolic link is followed.
        limit: the largest size accepted, in bytes.
        foreign: whether other programs may write into this file. It is read then where
            the system does not let them wait.

    Raises:
        Unreadable: missing, a folder, a pipe or device, forbidden, or above the limit.
    """
    if sys.platform == "win32":
        return files.read(path, limit=limit)
    try:
        handle = os.open(path, os.O_RDONLY | files.NONBLOCK)
    except (OSError, ValueError) as error:
        raise Unreadable(f"{path}: {files.reason_of(error)}") from error
    try:
        stays = not foreign or _lease(handle)  # before its size is asked for
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable(f"{path}: is not a file")
        if status.st_size > limit:
            size = f"{status.st_size:,} bytes is above the limit of {limit:,}"
            raise Unreadable(f"{path}: {size}")
        if not status.st_size:
            return b""  # nothing can be mapped
        if not stays:
            return files.read(path, limit=limit)
        try:
            return mmap.mmap(handle, status.st_size, access=mmap.ACCESS_READ)
        except OSError:
            return files.read(path, limit=limit)
    except (OSError, ValueError) as error:
        raise Unreadable(f"{path}: {files.reason_of(error)}") from error
    finally:
        os.close(handle)


def _lease(handle: int) -> bool:
    """Let programs that open this file to write, or cut it short, wait until all maps
    of it are closed; return whether the system does that.

    Linux does (fcntl(2), "Leases"), on its own disks and for the file's owner, when no
    program has the file open for writing. It tells of a program that waits by a signal,
    here one that does nothing where it is not asked for. It ends the wait after 45 s
    (/proc/sys/fs/lease-break-time); memcli has git's index mapped for 20 ms.
    """
    if sys.platform != "linux":
        return False
    import fcntl
    import signal

    try:
        fcntl.fcntl(handle, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError:
        return False
    return True
