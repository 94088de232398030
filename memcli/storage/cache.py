"""Values that memcli can make again, on disk: as JSON, behind a checksum.

Invariant: reading one executes nothing and never asks for more memory than the file is
long. A file that is damaged, of another program or not there counts as none.
"""

from __future__ import annotations

import zlib

from memcli.errors import Unreadable
from memcli.storage.files import read, write_derived

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


_MAGIC = b"memcli cache 1\n"
# The names of the files of a vault of ten million entries.
_LARGEST = 1_000_000_000
_HEAD = len(_MAGIC) + 4


def load(path: str) -> Any:
    """The value in a file, None when there is none that can be used."""
    loaded = load_with(path)
    return None if loaded is None else loaded[0]


def load_with(path: str) -> tuple[Any, bytes] | None:
    """As `load`, with the bytes that `store` was given beside the value."""
    try:
        data = read(path, limit=_LARGEST)
        if not data.startswith(_MAGIC):
            return None
        # Of a vault of 10,000 entries it is a megabyte: no copy more than is needed.
        with memoryview(data) as view:
            if data[len(_MAGIC) : _HEAD] != _checksum(view[_HEAD:]):
                return None
        end = data.find(b"\n", _HEAD)
        if end < 0:
            end = len(data)
        import json

        return json.loads(data[_HEAD:end]), data[end + 1 :]
    except (Unreadable, ValueError, RecursionError):
        return None


def store(path: str, value: Any, beside: bytes = b"") -> None:
    """Put a value into a file, at once; not durable, since it can be made again.

    Args:
        path: the file; its folder exists.
        value: what JSON can hold.
        beside: bytes kept behind it as they are, where JSON is too slow.

    Raises:
        OSError: the disk refuses.
    """
    import json

    # ASCII alone: file names may hold half a surrogate pair. No line break in it.
    body = json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n" + beside
    write_derived(path, _MAGIC + _checksum(body) + body)


def _checksum(body: bytes | memoryview) -> bytes:
    return zlib.crc32(body).to_bytes(4, "little")
