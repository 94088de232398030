"""Values that memcli can make again, on disk: as JSON, behind a checksum.

Invariant: reading one executes nothing and never asks for more memory than the file is
long. A file that is damaged, of another program or not there counts as none, and so
does one whose checksum is right and whose value is not what its reader expects.
"""

from __future__ import annotations

import zlib

from memcli.errors import Unreadable
from memcli.named_tuple import NamedTuple
from memcli.storage.files import write_derived
from memcli.storage.mapped import mapped

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from memcli.storage.mapped import Memory

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


class Mapped(NamedTuple):
    """A value, and the file in memory with what `store` was given beside it.

    `beside` is where that begins; it goes to the end of the file.
    """

    value: Any
    memory: Memory
    beside: int


def load(path: str, parsed: Callable[[Any], _Parsed]) -> _Parsed | None:
    """What `parsed` makes of the value in a file; None when there is none to use.

    A value of another shape than the parser expects is none, whether the parser says
    so with None or raises one of `MALFORMED`.
    """
    return load_mapped(path, lambda found: parsed(found.value))


def load_mapped(path: str, parsed: Callable[[Mapped], _Parsed]) -> _Parsed | None:
    """As `load`, with the bytes that `store` was given beside the value."""
    try:
        found = _mapped(path)
        return None if found is None else parsed(found)
    except (Unreadable, *MALFORMED):
        return None


def _mapped(path: str) -> Mapped | None:
    memory = mapped(path, limit=_LARGEST)
    if memory[: len(_MAGIC)] != _MAGIC:
        return None
    with memoryview(memory) as view, view[_HEAD:] as body:
        if memory[len(_MAGIC) : _HEAD] != _checksum(body):
            return None
    end = memory.find(b"\n", _HEAD)
    if end < 0:
        end = len(memory)
    import json

    return Mapped(json.loads(memory[_HEAD:end]), memory, end + 1)


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
