"""Where the documents of a long list lie, and what a word counts there at most.

Invariant: pure; no document of a list holds the word more often, or is shorter, than
its level says. So a bound that is made of levels is never below a score, for any
constants of the ranking; only how many documents it leaves depends on these.

A part of a vault (a bucket) has `PLACES` places, and a document lies at the one that
the bits of its number behind the part's say. Two documents may share a place: the bound
of a place is then that of both together.
"""

from __future__ import annotations

import struct
from bisect import bisect_right

from memcli.search.source import Level

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.search.postgres.packing import Postings

PLACE_BITS = 17
"""Two places for a document of a full bucket: more cost room, fewer send readers for
documents that share a place and neither of which is good enough."""

PLACES = 1 << PLACE_BITS

LEVELED = 512
"""A list of one bucket that has so many documents is stored with its levels, too.

At 16 bytes for each document that is 8 kB of list beside 48 kB of levels, so lists
that are much shorter would grow many times.
"""

# The shares of a list's documents in the best level, in the best two, and so on.
_SHARES = (0.02, 0.06, 0.15, 0.3, 0.5, 0.75)
_LEVELS = len(_SHARES) + 1
_PLANES = 3  # bits of a level's number; 0 is no document
# A level has few pairs where people write. Files that hold one word as often as their
# length would make one for each of them, which every reader would go through.
_MOST_PAIRS = 16
_HEAD = struct.Struct(f"<B{_LEVELS}H")
_PAIR = struct.Struct("<fI")


def place_of(doc: int, bits: int) -> int:
    """The place of a document in its bucket, which the first `bits` say."""
    return doc >> (64 - bits - PLACE_BITS) & (PLACES - 1)


def first_at(bucket: int, place: int, bits: int) -> int:
    """The first number that a document at this place may have."""
    return (bucket << PLACE_BITS | place) << (64 - bits - PLACE_BITS)


def width(bits: int) -> int:
    """How many numbers lie at one place."""
    return 1 << (64 - bits - PLACE_BITS)


def levels(postings: Postings, bits: int) -> list[Level]:
    """The levels of one list of a bucket, the best first.

    The documents that hold the word most often for their length are the best, as any
    BM25 has them; which constant weighs the length is of no importance here.
    """
    docs, weights, lengths = postings.docs, postings.weights, postings.lengths
    if not docs:
        return []
    average = (sum(lengths) / len(lengths)) or 1.0
    slope = 0.7 / average
    ranks = [
        n / (n + 0.5 + slope * length)
        for n, length in zip(weights, lengths, strict=True)
    ]
    ordered = sorted(ranks, reverse=True)
    # The last, which no rank is below, makes their number that of the levels.
    least = [ordered[int(share * (len(ordered) - 1))] for share in (*_SHARES, 1)]
    least.reverse()
    shift, mask = 64 - bits - PLACE_BITS, PLACES - 1
    planes = [bytearray(PLACES // 8) for _ in range(_LEVELS)]
    pairs: list[dict[float, int]] = [{} for _ in range(_LEVELS)]
    for doc, rank, n, length in zip(docs, ranks, weights, lengths, strict=True):
        at = _LEVELS - bisect_right(least, rank)
        place = doc >> shift & mask
        planes[at][place >> 3] |= 1 << (place & 7)
        shortest = pairs[at]
        if shortest.get(n, 1 << 40) > length:
            shortest[n] = length
    found = []
    covered = 0
    for plane, shortest in zip(planes, pairs, strict=True):
        places = int.from_bytes(plane, "little") & ~covered
        covered |= places
        found.append(Level(places, _outermost(shortest)))
    return found


def _outermost(shortest: dict[float, int]) -> list[tuple[float, int]]:
    """The pairs of which no other holds the word as often and is as short.

    Of more than `_MOST_PAIRS` some neighbours become one that bounds them all.
    """
    kept: list[tuple[float, int]] = []
    for n in sorted(shortest, reverse=True):
        if not kept or shortest[n] < kept[-1][1]:
            kept.append((n, shortest[n]))
    step = -(-len(kept) // _MOST_PAIRS)
    if step > 1:  # the first of some neighbours has the most, the last is the shortest
        some = (kept[at : at + step] for at in range(0, len(kept), step))
        kept = [(each[0][0], each[-1][1]) for each in some]
    return kept


def stored(levels: Sequence[Level], bits: int) -> bytes:
    """Levels as the database has them: three bits for each place, and the pairs.

    Args:
        levels: as the function of that name gives them.
        bits: of a document's number that say its bucket.
    """
    parts = [_HEAD.pack(bits, *(len(level.pairs) for level in levels))]
    for level in levels:
        parts += [_PAIR.pack(n, length) for n, length in level.pairs]
    for bit in range(_PLANES):
        plane = 0
        for number, level in enumerate(reversed(levels), 1):
            if number >> bit & 1:
                plane |= level.places
        parts.append(plane.to_bytes(PLACES // 8, "little"))
    return b"".join(parts)


def bits_of(data: bytes) -> int:
    """The bits of a document's number that say its bucket, as `stored` was given."""
    return data[0]


def restored(data: bytes) -> list[Level]:
    """The levels that `stored` made these bytes of."""
    _, *counts = _HEAD.unpack_from(data)
    at = _HEAD.size
    pairs: list[list[tuple[float, int]]] = []
    for count in counts:
        pairs.append(
            [
                (n, length)
                for n, length in _PAIR.iter_unpack(data[at : at + count * _PAIR.size])
            ]
        )
        at += count * _PAIR.size
    size = PLACES // 8
    low, middle, high = (
        int.from_bytes(data[start : start + size], "little")
        for start in range(at, at + _PLANES * size, size)
    )
    six = high & middle
    four = high ^ six
    two = middle ^ six
    seven, five, three = six & low, four & low, two & low
    one = low & ~(high | middle)
    masks = seven, six ^ seven, five, four ^ five, three, two ^ three, one
    return [Level(*each) for each in zip(masks, pairs, strict=True)]
