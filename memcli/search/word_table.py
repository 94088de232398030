"""Tables of words that come with memcli: mapped, looked up by bisection.

Invariant: looking a word up reads a few pages of the file and imports nothing. A table
is data: `tests/tables` makes it, and words/LICENSES.md says from what.

Two forms. A list of words is their text, sorted by bytes, one a line. A table of other
words is, little-endian:

    header     magic, version, how many texts
    starts     where each text starts, and the end of the last (u32)
    starts     the same for rows
    texts      sorted by bytes
    rows       for each text its other texts: a number (u16) and a share (u8, 255 is 1)
"""

from __future__ import annotations

import mmap
import struct
from itertools import accumulate

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

VERSION = 1

_HEADER = struct.Struct("<8sII")
_MAGIC = b"memcli\nw"
_OTHER = struct.Struct("<HB")
_SPAN = struct.Struct("<II")


class WordList:
    """Words one a line, sorted by bytes."""

    def __init__(self, path: str) -> None:
        self._memory = _mapped(path)

    def __contains__(self, word: str) -> bool:
        wanted, memory = word.encode("utf-8", "surrogatepass"), self._memory
        low, high = 0, len(memory)
        while low < high:  # both at the beginning of a line
            start = memory.rfind(b"\n", low, (low + high) // 2) + 1 or low
            end = memory.find(b"\n", start)
            found = memory[start:end]
            if found == wanted:
                return True
            if found < wanted:
                low = end + 1
            else:
                high = start
        return False


class WordTable:
    """For a word, or several with a space between, others with their shares."""

    def __init__(self, path: str) -> None:
        self._memory = memory = _mapped(path)
        magic, version, self._count = _HEADER.unpack_from(memory)
        if magic != _MAGIC or version != VERSION:
            raise ValueError(f"{path} is no table of version {VERSION}")
        self._starts = _HEADER.size
        self._row_starts = self._starts + 4 * (self._count + 1)
        self._texts = self._row_starts + 4 * (self._count + 1)
        self._rows = self._texts + self._span(self._starts, self._count - 1)[1]

    def others(self, text: str) -> list[tuple[str, float]]:
        """The other texts of a text, the strongest first; empty when it has none."""
        wanted = text.encode("utf-8", "surrogatepass")
        place = self._place(wanted)
        if place < self._count and self._text(place) == wanted:
            return self._others(place)
        return []

    def beginning(self, word: str) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        """A word's text, and those of several words that begin with it."""
        wanted = word.encode("utf-8", "surrogatepass")
        place = self._place(wanted)
        # A space comes before every letter, so these stand side by side.
        while place < self._count:
            text = self._text(place)
            if text != wanted and not text.startswith(wanted + b" "):
                break
            yield text.decode(), self._others(place)
            place += 1

    def everything(self) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        """Every text with its others, in order."""
        for place in range(self._count):
            yield self._text(place).decode(), self._others(place)

    def _place(self, wanted: bytes) -> int:
        # As `bisect_left` does it, whose calls of a key would take twice as long.
        memory, starts, texts = self._memory, self._starts, self._texts
        span = _SPAN.unpack_from
        low, high = 0, self._count
        while low < high:
            place = (low + high) // 2
            start, end = span(memory, starts + 4 * place)
            if memory[texts + start : texts + end] < wanted:
                low = place + 1
            else:
                high = place
        return low

    def _others(self, place: int) -> list[tuple[str, float]]:
        start, end = self._span(self._row_starts, place)
        row = self._memory[self._rows + start : self._rows + end]
        return [
            (self._text(other).decode(), share / 255)
            for other, share in _OTHER.iter_unpack(row)
        ]

    def _span(self, starts: int, place: int) -> tuple[int, int]:
        start, end = _SPAN.unpack_from(self._memory, starts + 4 * place)
        return start, end

    def _text(self, place: int) -> bytes:
        start, end = _SPAN.unpack_from(self._memory, self._starts + 4 * place)
        return self._memory[self._texts + start : self._texts + end]


def packed(table: Mapping[str, Sequence[tuple[str, float]]]) -> bytes:
    """The bytes of a table; a text that is only another's other has an empty row."""
    named = {text.encode(): others for text, others in table.items()}
    texts = sorted(named.keys() | {o.encode() for r in table.values() for o, _ in r})
    numbers = {text: number for number, text in enumerate(texts)}
    rows = [
        b"".join(
            _OTHER.pack(numbers[other.encode()], round(share * 255))
            for other, share in named.get(text, ())
        )
        for text in texts
    ]
    starts = [
        struct.pack(f"<{len(part) + 1}I", *accumulate(map(len, part), initial=0))
        for part in (texts, rows)
    ]
    return b"".join((_HEADER.pack(_MAGIC, VERSION, len(texts)), *starts, *texts, *rows))


def _mapped(path: str) -> mmap.mmap:
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
