"""Files of megabytes of which a command needs little, mapped instead of read.

Invariant: only a regular file is mapped, and one that memcli and git replace whole: the
bytes that a command sees are those of one moment.
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


def mapped(path: str, *, limit: int) -> Memory:
    """The bytes of a regular file, read from the disk where they are looked at.

    Reading the 13 MB of git's index of 100,000 entries takes 5 ms, mapping it .2. On
    Windows, where no other process could replace a file that is mapped, it is read, and
    so it is on a disk that maps no files (some of FUSE and of virtual machines).

    Args:
        path: the file; a symbolic link is followed.
        limit: the largest size accepted, in bytes.

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
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable(f"{path}: is not a file")
        if status.st_size > limit:
            size = f"{status.st_size:,} bytes is above the limit of {limit:,}"
            raise Unreadable(f"{path}: {size}")
        if not status.st_size:
            return b""  # nothing can be mapped
        try:
            return mmap.mmap(handle, status.st_size, access=mmap.ACCESS_READ)
        except OSError:
            return files.read(path, limit=limit)
    except (OSError, ValueError) as error:
        raise Unreadable(f"{path}: {files.reason_of(error)}") from error
    finally:
        os.close(handle)
