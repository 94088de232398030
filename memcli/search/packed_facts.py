"""What eligibility and ranking need of every document, packed into one record each.

Invariant: a recall loads the records of all documents with one read and splits them
into arrays, so a fact costs no decoding by document. Little-endian on every machine; a
change here raises `FORMAT` in `segment.py`.
"""

from __future__ import annotations

import struct
import sys
from array import array

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
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


# By fact: the type code of its numbers, and its place among numbers of that size.
_PLACES: dict[str, tuple[Literal["Q", "q", "I", "i"], int]] = {
    "orders": ("Q", 0),
    "sessions": ("Q", 1),
    "times": ("q", 2),
    "created": ("q", 3),
    "expires": ("q", 4),
    "ended": ("q", 5),
    "claims": ("Q", 6),
    "lengths": ("I", 14),
    "seqs": ("i", 15),
    "flags": ("I", 16),
    "projects": ("I", 17),
}
FACTS = tuple(_PLACES)
"""The names of the facts, in the order of `Packed`."""


def unpack(parts: Sequence[bytes]) -> Columns:
    """The columns of packed records, which stand in several parts.

    A recall needs half of them: splitting all takes 27 ms at 100,000 entries, one .5.
    """

    def made(name: str) -> array[Any]:
        typecode, place = _PLACES[name]
        numbers: array[Any] = array(typecode)
        step = PACKED_SIZE // numbers.itemsize
        for records in parts:
            numbers.frombytes(memoryview(records).cast(typecode)[place::step].tobytes())
        return portable(numbers)

    return Columns(made)


def numbers_of(typecode: str, data: bytes) -> array[Any]:
    """The numbers in little-endian bytes, as the array of this type code."""
    numbers: array[Any] = array(typecode)
    numbers.frombytes(data)
    return portable(numbers)


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
