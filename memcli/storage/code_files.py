"""The files of a project's checkout, read for what entries say about them.

Invariant: what names a file here comes from a vault, which may be a stranger's. Only a
regular file below the project's folder is read, at most `LARGEST` bytes of it. No
symbolic link is followed, also none among its folders; no pipe or device is opened; no
other repository that lies inside (a submodule, a clone) is entered. Nothing blocks.
"""

from __future__ import annotations

import os
import stat

from memcli.entries import anchors
from memcli.named_tuple import NamedTuple
from memcli.storage.files import BINARY, NOFOLLOW, NONBLOCK, reason_of

LARGEST = 1_000_000
"""Bytes of a file that is looked at."""

_FOLDER = getattr(os, "O_DIRECTORY", 0)
_BELOW = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd


class Look(NamedTuple):
    """A look at a path of the checkout.

    Attributes:
        data: the file's bytes; None when it was not read.
        gone: whether nothing is there.
        reason: why it was not looked at, for a sentence; empty where it was.
    """

    data: bytes | None
    gone: bool = False
    reason: str = ""


class _Refused(Exception):
    """Why a path is not looked at."""


def read(folder: str, path: str, *, limit: int = LARGEST) -> Look:
    """The bytes of a file of a checkout.

    Args:
        folder: the checkout's, absolute.
        path: of an anchor, relative to the folder.
        limit: the largest size that is read, in bytes.
    """
    return _looked(folder, path, limit)


def has(folder: str, path: str) -> Look:
    """Whether a checkout has a file or folder at a path; reads nothing."""
    return _looked(folder, path, None)


def _looked(folder: str, path: str, limit: int | None) -> Look:
    reason = anchors.unsafe(path)
    if reason:
        return Look(None, reason=reason)
    try:
        return Look(_data(folder, path.split("/"), limit))
    except _Refused as refusal:
        return Look(None, reason=str(refusal))
    except (FileNotFoundError, NotADirectoryError):
        return Look(None, gone=True)
    except (OSError, ValueError) as error:
        return Look(None, reason=reason_of(error))


def _data(folder: str, parts: list[str], limit: int | None) -> bytes | None:
    """The bytes of a file; None without a limit, and where a folder was asked for.

    Raises:
        _Refused, OSError: it cannot be looked at.
    """
    place: str | int = folder
    opened: list[int] = []
    try:
        if _BELOW:
            place = _open_folder(folder, None)
            opened.append(place)
        for name in parts[:-1]:
            place = _entered(place, name)
            if isinstance(place, int):
                opened.append(place)
        status = _status(place, parts[-1])
        if stat.S_ISLNK(status.st_mode):
            raise _Refused("it is a symbolic link, which memcli does not follow")
        if limit is None and stat.S_ISDIR(status.st_mode):
            return None
        if not stat.S_ISREG(status.st_mode):
            is_folder = stat.S_ISDIR(status.st_mode)
            raise _Refused("it is a folder" if is_folder else "it is not a file")
        if limit is None:
            return None
        return _read(place, parts[-1], limit)
    finally:
        for handle in opened:
            os.close(handle)


def _entered(place: str | int, name: str) -> str | int:
    """A folder below a folder.

    Raises:
        _Refused: a symbolic link, or a repository of its own.
    """
    below: str | int
    status = _status(place, name)
    if stat.S_ISLNK(status.st_mode):
        raise _Refused("a symbolic link is on its way, which memcli does not follow")
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(name)
    if isinstance(place, int):
        below = _open_folder(name, place)
    else:
        below = os.path.join(place, name)
    plain = False
    try:
        _status(below, ".git")
    except FileNotFoundError:
        plain = True
    finally:
        if not plain:
            _close(below)
    if not plain:
        raise _Refused("it lies in another repository")
    return below


def _open_folder(name: str, above: int | None) -> int:
    # The project's own folder may be reached over a link: the user stands in it.
    flags = os.O_RDONLY | _FOLDER | (NOFOLLOW if above is not None else 0)
    return os.open(name, flags, dir_fd=above)


def _status(place: str | int, name: str) -> os.stat_result:
    if isinstance(place, int):
        return os.stat(name, dir_fd=place, follow_symlinks=False)
    return os.lstat(os.path.join(place, name))


def _read(place: str | int, name: str, limit: int) -> bytes:
    flags = os.O_RDONLY | BINARY | NONBLOCK | NOFOLLOW
    if isinstance(place, int):
        handle = os.open(name, flags, dir_fd=place)
    else:
        handle = os.open(os.path.join(place, name), flags)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise _Refused("it is not a file")
        if status.st_size > limit:
            raise _Refused(
                f"it has {status.st_size:,} bytes; at most {limit:,} are read"
            )
        chunks: list[bytes] = []
        left = limit + 1
        while left > 0 and (chunk := os.read(handle, left)):
            chunks.append(chunk)
            left -= len(chunk)
        if not left:
            raise _Refused(f"it has more than {limit:,} bytes")
        return b"".join(chunks)
    finally:
        os.close(handle)


def _close(place: str | int) -> None:
    if isinstance(place, int):
        os.close(place)
