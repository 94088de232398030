"""One file of a segment in memory: header, bounds and checksums.

Invariant: a number from a file is compared with the file's size before it is followed,
so damage shows as `Damaged` and never as a read outside of the file. Reading executes
nothing and imports no library.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
import zlib
from array import array

from memcli.search.packed_facts import numbers_of, portable

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal


FORMAT = 8
"""Raised with every change of what the files hold; older ones are built anew."""

_MAGIC = b"memcli\r\n"
# Magic, format, how many items the file holds, size of the whole file, and the
# checksum of what a reader reads of it at once when it opens it.
_HEADER = struct.Struct("<8sIIQI4x")
HEADER_SIZE = _HEADER.size
CHECK_SIZE = 4
"""Bytes of the checksum behind each part that is read alone."""


class Damaged(Exception):
    """The files of a segment are not what was written."""


class File:
    """A file of a segment, mapped into memory; its descriptor is closed at once.

    Raises:
        Damaged, OSError: it is not there, of another format, or of another length.
    """

    def __init__(self, folder: str, name: str) -> None:
        with open(os.path.join(folder, name), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < HEADER_SIZE:
                raise Damaged(f"{name} is cut short")
            self._memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, version, self.items, written, self.check = _HEADER.unpack(
            self._memory[:HEADER_SIZE]
        )
        if magic != _MAGIC or version != FORMAT or written != size:
            raise Damaged(f"{name} is of another format, or cut short")
        self.name = name
        self.size = size
        self._views: list[memoryview[int]] = []

    def take(self, start: int, length: int) -> bytes:
        """The bytes at a place."""
        if start < 0 or length < 0 or start + length > self.size:
            raise Damaged(f"{self.name} points out of itself")
        return self._memory[start : start + length]

    def numbers(self, kind: Literal["I", "Q"], start: int, count: int) -> Sequence[int]:
        """The u32 or u64 numbers at a place, read as they are asked for."""
        length = (4 if kind == "I" else 8) * count
        if sys.byteorder == "big":
            return numbers_of(kind, self.take(start, length))
        if start + length > self.size:
            raise Damaged(f"{self.name} points out of itself")
        with memoryview(self._memory) as memory:
            self._views.append(memory[start : start + length].cast(kind))
        return self._views[-1]

    def part(self, start: int, length: int) -> bytes:
        """What `with_check` made the bytes at a place of."""
        both = self.take(start, length)
        body, check = both[:-CHECK_SIZE], both[-CHECK_SIZE:]
        if len(both) < CHECK_SIZE or zlib.crc32(body) != int.from_bytes(
            check, "little"
        ):
            raise Damaged(f"{self.name} does not match its checksum")
        return body

    def columns(self, typecodes: str, start: int, count: int) -> list[array[Any]]:
        """Columns at a place, one behind another, with a checksum behind the last.

        Args:
            typecodes: one for each, of the same size.
            start: of the first.
            count: how many numbers each has.

        Raises:
            Damaged: they are not what was written.
        """
        columns: list[array[Any]] = [array(typecode) for typecode in typecodes]
        length = count * columns[0].itemsize
        end = start + length * len(columns)
        if start < 0 or count < 0 or end + CHECK_SIZE > self.size:
            raise Damaged(f"{self.name} points out of itself")
        # Copied once, from the file into the column: as bytes first, a column of
        # 100,000 numbers takes .2 ms more.
        with memoryview(self._memory) as memory, memory[start:end] as body:
            check = zlib.crc32(body)
            for place, column in enumerate(columns):
                with body[place * length : (place + 1) * length] as part:
                    column.frombytes(part)
        if check != int.from_bytes(self.take(end, CHECK_SIZE), "little"):
            raise Damaged(f"{self.name} does not match its checksum")
        return list(map(portable, columns))

    def matches(self, body: bytes) -> None:
        """Compare what a reader reads at once with the checksum in the header.

        Raises:
            Damaged: it is not what was written.
        """
        if zlib.crc32(body) != self.check:
            raise Damaged(f"{self.name} does not match its checksum")

    def close(self) -> None:
        """Let go of the file."""
        for view in self._views:
            view.release()
        self._memory.close()


# --- writing -----------------------------------------------------------------------


def with_header(items: int, body: bytes, check: int = 0) -> bytes:
    """A file of a segment: header and body.

    Args:
        items: how many terms, lists or documents it holds.
        body: what follows the header.
        check: the checksum of what `File.matches` is asked about.
    """
    size = HEADER_SIZE + len(body)
    return _HEADER.pack(_MAGIC, FORMAT, items, size, check) + body


def with_check(body: bytes) -> bytes:
    """A part of a file that is read alone, with its checksum behind it."""
    return body + zlib.crc32(body).to_bytes(CHECK_SIZE, "little")
