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
"""The errors of reading a value of an unexpected shape."""

_MAGIC = b"memcli cache 1\n"
# The names of the files of a vault of ten million entries.
_LARGEST = 1_000_000_000
_HEAD = len(_MAGIC) + 4


def load(path: str, parsed: Callable[[Any], _Parsed]) -> _Parsed | None:
    """The value in a file, as `parsed` makes it; None when there is none to use.

    A value of another shape than the parser expects is none, whether the parser says
    so with None or raises one of `MALFORMED`.
    """
    try:
        data = read(path, limit=_LARGEST)
        body = data[_HEAD:]
        if data[:_HEAD] != _MAGIC + _checksum(body):
            return None
        import json

        return parsed(json.loads(body))
    except (Unreadable, *MALFORMED):
        return None


def store(path: str, value: Any) -> None:
    """Put a value that JSON can hold into a file, at once; not durable, since it can be
    made again.

    Raises:
        OSError: the disk refuses, or the file's folder does not exist.
    """
    import json

    # ASCII alone: file names may hold half a surrogate pair.
    body = json.dumps(value, separators=(",", ":")).encode("ascii")
    write_derived(path, _MAGIC + _checksum(body) + body)


def _checksum(body: bytes) -> bytes:
    return zlib.crc32(body).to_bytes(4, "little")
