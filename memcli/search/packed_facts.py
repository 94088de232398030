"""What eligibility and ranking need of every document, packed into one record each.

Invariant: a segment stores each fact of all its documents as one column, so a recall
reads the facts that it needs as arrays, without decoding by document. Little-endian on
every machine; a change here raises `FORMAT` in `segment_file.py`.
"""

from __future__ import annotations

import struct
import sys
from array import array
from functools import reduce
from operator import or_

from memcli.entries.entry import Status
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Literal


class Packed(NamedTuple):
    """The packed facts of one document; times in epoch seconds UTC, 0 = not set.

    `order` depends on the entry alone and breaks ties; `session` is the number of its
    session or document, 0 for none, and `seq` its place in there, -1 for none; `claim`
    is `identity.claim_number` of its text; `project` is the number of its project, 0
    for everywhere.
    """

    order: int
    session: int
    time: int
    created: int
    expires: int
    ended: int
    claim: int
    length: int
    seq: int
    flags: int
    project: int


_ALL_BITS = (1 << 64) - 1  # of a negative number, too: a time before 1970
_EARLIEST = -(1 << 63)
_PACKED = struct.Struct("<QQqqqqQIiII")
PACKED_SIZE = _PACKED.size

# Packed.flags: the status's place in Status, and one bit each.
STATUS_MASK = 0x0F
ASKS = 0x10
# The entry's time is a span (a month, a year, from-until); `time` is its start.
SPAN = 0x40
# Resolved alone: other entries of its claim are as they were.
ONLY_THIS = 0x20
PINNED = 0x80
# The text holds git's marks of a conflict.
CONFLICT = 0x100
NOT_PLAIN = STATUS_MASK | CONFLICT
"""What a document that is active and whole has none of."""
STATUS_NUMBER = {status: number for number, status in enumerate(Status)}
"""The number in the flags that stands for each status."""
# Values of the field `check`: where the lint has something to look at; and what is
# resolved, and not alone, and has a later version in its place.
FINDING, LINKS, REVIEW, LARGE = "finding", "links", "review", "large"
RESOLVED_BEFORE = "resolved_before"
# From this bit on: the kinds of answer that the text holds, as `answer_types` has them.
ANSWERS_SHIFT = 9


def pack(facts: Packed) -> bytes:
    """One document's facts, as the file of documents stores them."""
    return _PACKED.pack(*facts)


def one(record: bytes) -> Packed:
    """The facts that `pack` made this record of."""
    return Packed._make(_PACKED.unpack(record))


class Columns:
    """The packed facts of all documents, a sequence per fact, each made when asked for.

    Args:
        made: gives the sequence of a fact by its name.
    """

    orders: Sequence[int]
    sessions: Sequence[int]
    times: Sequence[int]
    created: Sequence[int]
    expires: Sequence[int]
    ended: Sequence[int]
    claims: Sequence[int]
    lengths: array[int]
    seqs: Sequence[int]
    flags: array[int]
    projects: array[int]

    def __init__(self, made: Callable[[str], Any]) -> None:
        self._made = made

    def __getattr__(self, name: str) -> Any:
        if name not in _PLACES:
            raise AttributeError(name)
        made = self._made(name)
        setattr(self, name, made)
        return made


# By fact: the type code of its numbers, and the byte of a record where it starts.
_PLACES: dict[str, tuple[Literal["Q", "q", "I", "i"], int]] = {
    "orders": ("Q", 0),
    "sessions": ("Q", 8),
    "times": ("q", 16),
    "created": ("q", 24),
    "expires": ("q", 32),
    "ended": ("q", 40),
    "claims": ("Q", 48),
    "lengths": ("I", 56),
    "seqs": ("i", 60),
    "flags": ("I", 64),
    "projects": ("I", 68),
}
FACTS = tuple(_PLACES)
"""The names of the facts, in the order of `Packed`."""
SPANS = {name: (start, typecode) for name, (typecode, start) in _PLACES.items()}
"""Where in a record each fact starts, in bytes, and the type code of its numbers."""


class Together(NamedTuple):
    """What is known of all documents of a segment at once, deleted ones included.

    `length` is the sum of their lengths. The others have each bit that is set in that
    fact of any of them.
    """

    length: int
    expires: int
    flags: int
    project: int


_TOGETHER = struct.Struct("<QQII")
TOGETHER_SIZE = _TOGETHER.size


def together(columns: Sequence[bytes]) -> bytes:
    """`Together` of what `columns_of` gives, as the file of documents stores it."""
    by_fact = dict(zip(FACTS, columns, strict=True))

    def numbers(fact: str) -> array[int]:
        return numbers_of(_PLACES[fact][0], by_fact[fact])

    def bits(fact: str) -> int:
        return reduce(or_, set(numbers(fact)), 0) & _ALL_BITS

    return _TOGETHER.pack(
        sum(numbers("lengths")), bits("expires"), bits("flags"), bits("projects")
    )


def known_together(data: bytes) -> Together:
    """What `together` made these bytes of."""
    return Together._make(_TOGETHER.unpack(data))


def columns_of(records: Sequence[bytes]) -> list[bytes]:
    """The bytes of each fact's column, in the order of `FACTS`."""
    packed = memoryview(b"".join(records))
    columns = []
    for typecode, start in _PLACES.values():
        numbers = packed.cast(typecode)
        size = numbers.itemsize
        columns.append(numbers[start // size :: PACKED_SIZE // size].tobytes())
    return columns


def records_of(columns: Columns) -> list[bytes]:
    """The packed record of each document, which `columns_of` took apart."""
    return list(map(_PACKED.pack, *(getattr(columns, name) for name in FACTS)))


def joined(parts: Sequence[Callable[[str], array[Any]]]) -> Columns:
    """The columns of documents that stand in several parts.

    Args:
        parts: each gives its column, which becomes the caller's, by the fact's name.
    """

    def made(name: str) -> array[Any]:
        if not parts:
            return array(_PLACES[name][0])
        first, *others = (column(name) for column in parts)
        for other in others:
            first.extend(other)
        return first

    return Columns(made)


def numbers_of(typecode: str, data: bytes) -> array[Any]:
    """The numbers in little-endian bytes, as the array of this type code."""
    numbers: array[Any] = array(typecode, data)
    return portable(numbers) if sys.byteorder == "big" else numbers


def portable(numbers: array[Any]) -> array[Any]:
    """The same numbers in little-endian byte order, on every machine."""
    if sys.byteorder == "big":
        numbers = array(numbers.typecode, numbers)
        numbers.byteswap()
    return numbers


def newest_first(columns: Columns) -> Callable[[int], tuple[bool, int, int]]:
    """What orders documents: pinned ones first, then by the time they were written."""
    flags, created, orders = columns.flags, columns.created, columns.orders
    return lambda doc: (not flags[doc] & PINNED, -created[doc], orders[doc])


def in_window(columns: Columns, after: int | None, before: int | None) -> Iterator[int]:
    """The documents whose time begins in a window, and all whose time is a span.

    Two columns are looked at: a tenth of the time that a look at each document takes.

    Args:
        columns: of all documents.
        after: its first second; None is no beginning.
        before: the first second behind it; None is no end.
    """
    first = _EARLIEST if after is None else after
    end = -_EARLIEST if before is None else before
    flags = columns.flags
    for doc, time in enumerate(columns.times):
        if first <= time < end or flags[doc] & SPAN:
            yield doc
