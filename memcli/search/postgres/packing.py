"""How documents, lists and values lie in the database's columns.

Invariant: pure; what is packed comes back the same to the last bit, on every machine.
A document's number is its `order`, 64 bits that depend on its id and path alone: so a
publish gives no numbers away, a repeated one gives the same, and ties break on it
without a look at the document.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

FIELDS = (
    "terms",
    "id",
    "path",
    "kind",
    "type",
    "layer",
    "status",
    "tag",
    "project",
    "entity",
    "session",
    "fingerprint",
    "link",
    "name",
    "agent",
    "visibility",
    "group",
    "claim",
    "proposed",
    "supersedes",
    "superseded_by",
    "evidence",
    "item",
    "name_said",
    "possible_name",
    "entity_name",
    "check",
    "pinned",
)
"""The fields that have lists; their places are what the tables hold.

`pinned` has no list in the local index, which reads the flag of every document.
"""

NUMBER = {field: number for number, field in enumerate(FIELDS)}

# An index of PostgreSQL takes 2,700 bytes. A longer value is found by its digest, and
# left out where values are listed.
_LONGEST = 500
_CUT = b"\xff"  # no UTF-8 holds this byte


def signed(number: int) -> int:
    """A number of 64 bits as PostgreSQL's bigint."""
    return number - (1 << 64) if number >> 63 else number


def unsigned(number: int) -> int:
    """The number that `signed` made this of."""
    return number + (1 << 64) if number < 0 else number


def key(value: str) -> bytes:
    """A value as the tables look it up."""
    return cut(_bytes(value))


def cut(data: bytes) -> bytes:
    """The bytes of a value, no longer than an index takes."""
    if len(data) <= _LONGEST:
        return data
    return data[: _LONGEST // 2] + _CUT + _digest(data)


def value_of(data: bytes) -> str | None:
    """The value that `key` made these bytes of; None of one that was too long."""
    return None if _CUT in data else data.decode("utf-8", "surrogatepass")


def _digest(data: bytes) -> bytes:
    from hashlib import blake2b

    return blake2b(data, digest_size=16).digest()


def place_of(path: str) -> bytes:
    """A digest of a path, which an index takes whole."""
    return _digest(path.encode("utf-8", "surrogatepass"))


def behind(prefix: bytes) -> bytes:
    """The first value behind all that start with a prefix.

    >>> behind(b"ab")
    b'ac'
    """
    return prefix[:-1] + bytes([prefix[-1] + 1]) if prefix else b"\xff\xff"


def one_edit(term: str, other: str) -> bool:
    """Whether one edit of `TermTable.near` makes one of the other.

    A letter that is put in is one of an alphabet (below U+0800).
    """
    if term == other or abs(len(term) - len(other)) > 1:
        return False
    i = 0
    while i < min(len(term), len(other)) and term[i] == other[i]:
        i += 1
    if term[i + 1 :] == other[i:]:
        return True
    put_in = i < len(other) and other[i] < "\u0800"
    if put_in and (term[i:] == other[i + 1 :] or term[i + 1 :] == other[i + 1 :]):
        return True
    return term[i : i + 2][::-1] + term[i + 2 :] == other[i:]


def packed(typecode: str, numbers: Iterable[Any]) -> bytes:
    """Numbers as little-endian bytes."""
    data = array(typecode, numbers)
    if sys.byteorder == "big":
        data.byteswap()
    return data.tobytes()


def unpacked(typecode: str, data: bytes) -> array[Any]:
    """The numbers that `packed` made these bytes of."""
    numbers = array(typecode)
    numbers.frombytes(data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def packed_words(words: Mapping[str, float]) -> bytes:
    """Terms with their weights, in a form that is read five times as fast as JSON."""
    names = (_CUT.join(map(_bytes, words)),)
    size = len(words).to_bytes(4, "little")
    return b"".join((size, packed("f", words.values()), *names))


def words_of(data: bytes) -> dict[bytes, float]:
    """What `packed_words` made these bytes of; each term as its bytes."""
    count = int.from_bytes(data[:4], "little")
    end = 4 + 4 * count
    names = data[end:].split(_CUT) if count else ()
    return dict(zip(names, unpacked("f", data[4:end]), strict=True))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class Postings:
    """One list as it is stored: documents in order, of terms with weight and length."""

    def __init__(self, data: bytes, n: int, *, weighted: bool) -> None:
        self.docs: array[int] = unpacked("Q", data[: 8 * n])
        self.weights: array[float] = array("f")
        self.lengths: array[int] = array("I")
        if weighted:
            self.weights = unpacked("f", data[8 * n : 12 * n])
            self.lengths = unpacked("I", data[12 * n : 16 * n])

    def bytes(self) -> bytes:
        """As it is stored."""
        parts = packed("Q", self.docs), packed("f", self.weights)
        return b"".join((*parts, packed("I", self.lengths)))

    def drop(self, gone: Iterable[int]) -> None:
        """Take documents out of the list."""
        for doc in gone:
            at = bisect_left(self.docs, doc)
            if at < len(self.docs) and self.docs[at] == doc:
                del self.docs[at]
                if self.weights:
                    del self.weights[at], self.lengths[at]

    def add(self, more: Sequence[tuple[int, float, int]]) -> None:
        """Add documents, each as (document, weight, length)."""
        weighted = bool(self.weights) or bool(more and more[0][2] >= 0)
        if not self.docs:
            rows: Sequence[tuple[int, float, int]] = sorted(more)
        elif weighted:
            old = zip(self.docs, self.weights, self.lengths, strict=True)
            rows = sorted([*old, *more])
        else:
            rows = sorted([*((doc, 0.0, -1) for doc in self.docs), *more])
        self.docs = array("Q", (row[0] for row in rows))
        if weighted:
            self.weights = array("f", (row[1] for row in rows))
            self.lengths = array("I", (row[2] for row in rows))
