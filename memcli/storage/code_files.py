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
from memcli.errors import Unreadable
from memcli.named_tuple import NamedTuple
from memcli.storage import files

LARGEST = 1_000_000
"""Bytes of a file that is looked at."""


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


def read(folder: str, path: str, *, limit: int = LARGEST) -> Look:
    """The bytes of a file of a checkout.

    Args:
        folder: the checkout's, absolute.
        path: of an anchor, relative to the folder.
        limit: the largest size that is read, in bytes.
    """
    look = has(folder, path)
    if look.gone or look.reason:
        return look
    place = os.path.join(folder, *path.split("/"))
    try:
        return Look(files.read(place, limit=limit, follow=False))
    except Unreadable as error:
        reason = error.message.removeprefix(f"{place}: ")
        return Look(None, reason=f"it {reason}" if reason[:3] == "is " else reason)


def has(folder: str, path: str) -> Look:
    """Whether a checkout has a file or folder at a path; reads nothing."""
    if reason := anchors.unsafe(path):
        return Look(None, reason=reason)
    # The project's own folder may be reached over a link: the user stands in it.
    place = folder
    *above, name = path.split("/")
    try:
        for part in above:
            place = os.path.join(place, part)
            mode = os.lstat(place).st_mode
            if stat.S_ISLNK(mode):
                reason = "a symbolic link is on its way, which memcli does not follow"
                return Look(None, reason=reason)
            if not stat.S_ISDIR(mode):
                return Look(None, gone=True)
            if os.path.lexists(os.path.join(place, ".git")):
                return Look(None, reason="it lies in another repository")
        mode = os.lstat(os.path.join(place, name)).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return Look(None, gone=True)
    except (OSError, ValueError) as error:
        return Look(None, reason=files.reason_of(error))
    if stat.S_ISLNK(mode):
        reason = "it is a symbolic link, which memcli does not follow"
        return Look(None, reason=reason)
    plain = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    return Look(None, reason="" if plain else "it is not a file")
