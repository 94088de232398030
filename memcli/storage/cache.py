"""Files that memcli makes for itself and can make again: values as `marshal` has them.

Invariant: only what was written here is read. Nine bytes make `marshal` ask for 17 GB,
and no other thread runs meanwhile; so a mark that nobody who writes a commit can know
stands before the value: when the vault's config was written on this disk.
"""

import marshal
import os
import zlib
from typing import Any

from memcli.entries import layout
from memcli.errors import Unreadable
from memcli.storage.files import read, write_derived

MARSHAL = marshal.version
"""Changes when Python writes values in another way."""


def load(root: str, path: str) -> Any:
    """The value in a file of the vault at `root`; None for one that is of no use."""
    try:
        data = read(path)
        body = data[_HEAD:]
        if data[:_HEAD] != _mark(root) + zlib.crc32(body).to_bytes(4, "little"):
            return None
        return marshal.loads(body)  # noqa: S302 our own file, checked
    except (Unreadable, ValueError, EOFError, TypeError):
        return None


def store(root: str, path: str, value: Any) -> None:
    """Put a value into a file, at once; not durable, since it can be made again.

    Raises:
        OSError: the disk refuses.
    """
    data = marshal.dumps(value)
    head = _mark(root) + zlib.crc32(data).to_bytes(4, "little")
    write_derived(path, head + data)


_HEAD = 16


def _mark(root: str) -> bytes:
    try:
        found = os.stat(os.path.join(root, *layout.CONFIG.split("/"))).st_mtime_ns
    except OSError:
        found = 0
    return found.to_bytes(_HEAD - 4, "little", signed=True)
