"""Settings files on disk, and their content from before memcli changed them.

Invariant: a backup is never written over, and only its owner may read it: settings
hold keys. A link to a file is followed and stays.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from memcli.errors import InvalidConfig
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

_BACKUP = ".memcli-backup"
# A settings file above this is no settings file.
_LIMIT = 10_000_000


def read(path: str) -> bytes | None:
    """A file's bytes; None where there is no file, or a link to no file.

    Raises:
        Unreadable: it cannot be read, or is a folder.
    """
    if not os.path.exists(path):
        return None
    return files.read(path, limit=_LIMIT)


def decoded(data: bytes, path: str) -> str:
    """The text of a settings file.

    Raises:
        InvalidConfig: it is not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise InvalidConfig(
            f"{path}:{line}:{column}: is not UTF-8; nothing was changed",
            hint="Save the file as UTF-8, then repeat the command.",
            code="invalid_settings",
        ) from error


def backups(path: str) -> list[str]:
    """The backups of a file, the newest last."""
    folder, name = os.path.split(path)
    first = name + _BACKUP
    copies = []
    for each in os.listdir(folder) if os.path.isdir(folder) else ():
        number = each.removeprefix(first + ".")
        if each == first or (number != each and number.isdecimal()):
            copies.append((0 if each == first else int(number), each))
    return [os.path.join(folder, each) for _, each in sorted(copies)]


def keep(path: str, data: bytes) -> str:
    """Write a backup beside a file; returns its path.

    Raises:
        WriteFailed: the disk refused.
    """
    copies = backups(path)
    copy = path + _BACKUP
    if copies:
        last = copies[-1].removeprefix(copy).removeprefix(".")
        copy = f"{copy}.{int(last or 0) + 1}"
    with private(True):
        files.write_atomic(copy, data)
    return copy


def remove(path: str, root: str) -> None:
    """Remove a file, and the folders below `root` that are empty without it.

    Raises:
        WriteFailed: the disk refused.
    """
    files.remove(os.path.realpath(path))
    folder = os.path.dirname(path)
    while folder != root and folder.startswith(root):
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)


@contextmanager
def private(wanted: bool) -> Iterator[None]:
    """New files are 0600 and new folders 0700, as the hosts make them in a home.

    The mask is the whole process's, so this is for a command line, not for threads.
    """
    if not wanted:
        yield
        return
    mask = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(mask)
