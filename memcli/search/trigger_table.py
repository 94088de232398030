"""The table of triggers as a hook reads it before each edit: the light half.

Invariant: loads no module that a bare Python has not loaded already, follows no number
that it has not checked, and executes nothing. A table that is missing, damaged, of
another version, or older than a folder of its vault is none: `glance` then asks the
index, which makes a new one (`triggers`).

The file, in bytes: a line with the format, a line with a checksum and the lengths of
four parts, and the parts. The folders with their times, each ended by NUL; the words
that make a closer look worth while, a line each; a line for each trigger (its word, all
its words, the number of its entry); a JSON line for each entry.
"""

from __future__ import annotations

import os
import sys
import zlib

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NAME = "triggers"
"""The file, in the folder of the index."""

FORMAT = b"memcli triggers 2\n"
OFF = b"off"
"""Stands for the entries where the vault's settings say that nothing is told."""

# A table of 20,000 triggers has 3 MB.
_LARGEST = 16_000_000
_WINDOWS = sys.platform == "win32"
# Characters of code in words; all others part them. Bytes above 127 are letters.
_APART = bytes(
    ord(chr(n).lower()) if n > 127 or chr(n).isalnum() or chr(n) == "_" else 32
    for n in range(128)
) + bytes(range(128, 256))


class Table:
    """A table that was read whole, with a sum that is right.

    Attributes:
        folders: pairs of a folder's path in the vault and its time, ns.
    """

    def __init__(self, folders: bytes, keys: bytes, lines: bytes, rows: bytes) -> None:
        parts = folders.split(b"\0")
        self.folders = list(zip(parts[::2], parts[1::2], strict=False))
        self._keys = keys
        self._lines = lines
        self._rows = rows
        self.is_off = rows == OFF

    @property
    def keys(self) -> frozenset[bytes]:
        """The words that make a closer look worth while."""
        return frozenset(self._keys.split(b"\n")) - {b""}

    def numbers(self, words: set[bytes]) -> list[int]:
        """The numbers of entries with a trigger all of whose words are among these."""
        hits = self.keys & words
        if not hits:
            return []
        found = set()
        for line in self.lines():
            key, _, rest = line.partition(b"\t")
            if key in hits:
                wanted, _, number = rest.partition(b"\t")
                if words.issuperset(wanted.split()) and number.isdigit():
                    found.add(int(number))
        return sorted(found)

    def lines(self) -> list[bytes]:
        """A line for each trigger: its word, all its words, the number of its entry."""
        return self._lines.split(b"\n") if self._lines else []

    def rows(self) -> list[bytes]:
        """The JSON of each entry, by its number."""
        return self._rows.split(b"\n") if self._rows and not self.is_off else []

    def may_tell(self, path: bytes) -> bool:
        """Whether it may have an entry of this path, as JSON writes it."""
        return b'","%s","' % path in self._rows

    def packed_with(self, folders: Iterable[tuple[bytes, bytes]]) -> bytes:
        """The bytes of this table with other folders."""
        return _packed(_folders(folders), self._keys, self._lines, self._rows)

    def is_fresh(self, root: str) -> bool:
        """Whether no folder of the vault changed since the table was made.

        A file that is written in place leaves its folder's time as it is: it is seen
        when the index is next asked, at the next prompt at the latest.
        """
        if not self.folders:
            return False
        for name, stamp in self.folders:
            try:
                found = folder_stamp(root, os.fsdecode(name))
            except (OSError, ValueError):
                return False
            if b"%d" % found != stamp:
                return False
        return True


def folder_stamp(root: str, name: str) -> int:
    """When a folder of a vault last changed, in ns; no program can set this time back.

    As `storage.listing.stamp_of`, whose module takes a hook too long to load: with the
    time of modification, a `deny` rule that `rsync -a` brought was overlooked.

    Raises:
        OSError, ValueError: there is no such folder, or its name is none.
    """
    status = os.lstat(os.path.join(root, name))
    return status.st_mtime_ns if _WINDOWS else status.st_ctime_ns


def read(path: str) -> Table | None:
    """The table in a file; None when there is none that can be used."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST)
    except OSError:
        return None
    head, _, body = data.removeprefix(FORMAT).partition(b"\n")
    numbers = head.split()
    if not data.startswith(FORMAT) or len(numbers) != 5:
        return None
    if numbers[0] != b"%08x" % zlib.crc32(body):
        return None
    if not all(number.isdigit() for number in numbers[1:]):
        return None
    lengths = [int(number) for number in numbers[1:]]
    if sum(lengths) != len(body):
        return None
    parts = []
    at = 0
    for length in lengths:
        parts.append(body[at : at + length])
        at += length
    return Table(*parts)


def packed(
    folders: Iterable[tuple[bytes, bytes]],
    lines: Sequence[bytes],
    rows: Iterable[bytes],
) -> bytes:
    """The bytes of a table; `Table` says what its lines and rows are."""
    keys = sorted({line.partition(b"\t")[0] for line in lines})
    texts = (b"\n".join(keys), b"\n".join(lines), b"\n".join(rows))
    return _packed(_folders(folders), *texts)


def _folders(folders: Iterable[tuple[bytes, bytes]]) -> bytes:
    return b"\0".join(part for pair in folders for part in pair)


def _packed(*parts: bytes) -> bytes:
    body = b"".join(parts)
    sizes = b" ".join(b"%d" % len(part) for part in parts)
    return FORMAT + b"%08x %s\n" % (zlib.crc32(body), sizes) + body


def words_of(text: str) -> set[bytes]:
    """The words of a piece of code, in lower case."""
    return set(text.encode("utf-8", "replace").translate(_APART).split())
