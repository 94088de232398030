"""The old files of a change, kept until its commit: putting them back takes no space.

Invariant: a file kept here is the very file that the vault had, by a second name; a
disk that is full can give it its first name again. Where the file system has no such
names, nothing is kept, and the old bytes are written anew.
"""

from __future__ import annotations

import contextlib
import os

from memcli.entries import layout
from memcli.errors import MemcliError
from memcli.storage import files, state_dirs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def keep(root: str, places: Iterable[str]) -> dict[str, str]:
    """Give these files a second name; returns it by path, where that was possible.

    Raises:
        WriteFailed: the disk is full, so that nothing else should be begun.
    """
    kept: dict[str, str] = {}
    drop(root)
    folder = state_dirs.path(root, layout.OLD)
    for number, place in enumerate(places):
        name = os.path.join(folder, str(number))
        try:
            if number == 0:
                os.makedirs(folder, exist_ok=True)
            if not os.path.islink(place):  # the link would be kept, not its file
                os.link(place, name)
                kept[place] = name
        except OSError as error:
            if error.errno in files.REFUSED:
                raise files.write_failed(place, error) from error
    return kept


def put_back(kept: Mapping[str, str], place: str, data: bytes) -> bool:
    """Let a file be the old one again, if that was kept and holds these bytes."""
    name = kept.get(place)
    try:
        if name is None or files.current(name) != data:
            return False
        os.replace(name, place)
    except (OSError, MemcliError):
        return False
    with contextlib.suppress(OSError):
        files.sync_folder(os.path.dirname(place))
    return True


def drop(root: str) -> None:
    """Remove the second names, also those that a killed command has left."""
    folder = state_dirs.path(root, layout.OLD)
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            files.remove_quietly(os.path.join(folder, name))
