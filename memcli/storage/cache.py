"""Values that memcli can make again, on disk: as JSON, behind a checksum.

Invariant: reading one executes nothing and never asks for more memory than the file is
long. A file that is damaged, of another program or not there counts as none, and so
does one whose checksum is right and whose value is not what its reader expects.
"""

from __future__ import annotations

import zlib

from memcli.errors import Unreadable
from memcli.storage.files import read, write_derived

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    _Parsed = TypeVar("_Parsed")

MALFORMED = (
    *(AttributeError, IndexError, KeyError, OverflowError),
    *(RecursionError, TypeError, ValueError),
)
"""What reading a value of an unexpected shape raises."""

_MAGIC = b"memcli cache 1\n"
# The names of the files of a vault of ten million entries.
_LARGEST = 1_000_000_000
_HEAD = len(_MAGIC) + 4


def load(path: str, parsed: Callable[[Any], _Parsed]) -> _Parsed | None:
    """What `parsed` makes of the value in a file; None when there is none to use.

    A value of another shape than the parser expects is none, whether the parser says
    so with None or raises one of `MALFORMED`.
    """
    return load_with_bytes(path, lambda value, _: parsed(value))


def load_with_bytes(
    path: str, parsed: Callable[[Any, bytes], _Parsed | None]
) -> _Parsed | None:
    """As `load`, of the value and of the bytes that `store` was given beside it."""
    try:
        data = read(path, limit=_LARGEST)
        if data[: len(_MAGIC)] != _MAGIC:
            return None
        if data[len(_MAGIC) : _HEAD] != _checksum(memoryview(data)[_HEAD:]):
            return None
        import json

        value, _, beside = data[_HEAD:].partition(b"\n")
        return parsed(json.loads(value), beside)
    except (Unreadable, *MALFORMED):
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
