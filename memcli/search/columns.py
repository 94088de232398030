"""Columns: a number per document for each fact that eligibility and ranking need.

Invariant: a recall reads the facts that it needs as arrays, without decoding by
document. A change here raises `FORMAT` in `store.py`.
"""

from __future__ import annotations

from memcli.entries import identity
from memcli.entries.entry import Status
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Sequence
    from typing import Any

TYPECODES = {
    "orders": "Q",
    "sessions": "Q",
    "times": "q",
    "created": "q",
    "expires": "q",
    "ended": "q",
    "claims": "Q",
    "lengths": "I",
    "seqs": "i",
    "flags": "I",
    "projects": "I",
}
"""By column the type code of its numbers."""

# The flags: the status's place in Status, and one bit each.
STATUS_MASK = 0x0F
ASKS = 0x10
# Resolved alone: other entries of its claim are as they were.
ONLY_THIS = 0x20
# The entry's time is a span (a month, a year, from-until); `times` has its start.
SPAN = 0x40
PINNED = 0x80
# The text holds git's marks of a conflict.
CONFLICT = 0x100
NOT_PLAIN = STATUS_MASK | CONFLICT
"""The flags that a document which is active and whole has none of."""
STATUS_NUMBER = {status: number for number, status in enumerate(Status)}
"""The number in the flags that stands for each status."""
# Values of the field `check`: where the lint has something to look at; and what is
# resolved, and not alone, and has a later version in its place.
FINDING, LINKS, REVIEW, LARGE = "finding", "links", "review", "large"
RESOLVED_BEFORE = "resolved_before"
# From this bit on: the kinds of answer that the text holds, as `tokens` has them.
ANSWERS_SHIFT = 9


class Numbers(NamedTuple):
    """The facts of one document; times in epoch seconds UTC, 0 = not set.

    `orders` depends on the entry alone and breaks ties, and is never 0; `sessions` is
    the number of its session or document, 0 for none, and `seqs` its place in there, -1
    for none; `claims` is `identity.claim_number` of its text; `projects` is the number
    of its project, 0 for everywhere.
    """

    orders: int
    sessions: int
    times: int
    created: int
    expires: int
    ended: int
    claims: int
    lengths: int
    seqs: int
    flags: int
    projects: int


class Columns:
    """The facts of all documents, a sequence per fact, each read at the first use.

    Args:
        read: gives the column of a name.
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

    def __init__(self, read: Callable[[str], array[Any]]) -> None:
        self._read = read

    def __getattr__(self, name: str) -> Any:
        if name not in TYPECODES:
            raise AttributeError(name)
        column = self._read(name)
        setattr(self, name, column)
        return column


def newest_first(columns: Columns) -> Callable[[int], tuple[bool, int, int]]:
    """The key that orders documents: pinned ones first, then the last written."""
    flags, created, orders = columns.flags, columns.created, columns.orders
    return lambda doc: (not flags[doc] & PINNED, -created[doc], orders[doc])


def numbered(text: str) -> int:
    """A 64-bit number that depends on the text alone; never 0."""
    digest = identity.blake2b(text.encode("utf-8", "surrogatepass"), 8)
    return int.from_bytes(digest, "little") or 1
