"""The table of a segment's terms, looked up by bisection in the file itself.

Invariant: terms stand in order of (field, bytes), and each once. A look-up reads some
twenty terms, however many there are.

After the header: the size of the names of the fields, and the names, separated by a
line break; then for each field the place behind its last term (u32); then three tables
with an item for each term: where its text ends (u32), how many documents hold it (u32),
where its posting list starts (u64); then all texts.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from bisect import bisect_left, bisect_right
from itertools import accumulate, pairwise

from memcli.search.packed_facts import numbers_of, portable
from memcli.search.segment_file import HEADER_SIZE, Damaged, File, with_header

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Asked for one in so many of a field's terms, all of them are read at once: a look-up
# by bisection takes as long as reading some thirty terms.
_WORTH_READING = 16
# Not of larger fields: a term that is read takes 110 bytes of memory.
_MOST_READ = 1 << 18
# Asked for one in so many, one in `_STEP` is read: a look-up reads the terms between
# two of these then, at once, which takes a third of a bisection of 10,000.
_WORTH_SAMPLING = 256
_STEP = 32
# No byte of UTF-8 is as high: what stands behind all terms that start with some bytes.
_BEHIND = b"\xff"
# Letters above this are not looked for in the place of others: the alphabets are
# below, and scripts of thousands of signs above.
_ALPHABETS = "\u0800"


class TermTable:
    """The terms of one segment.

    Raises:
        Damaged, OSError: the file is not there, or not what was written.
    """

    def __init__(self, file: File) -> None:
        self.file = file
        count = file.items
        (length,) = struct.unpack("<I", file.take(HEADER_SIZE, 4))
        at = HEADER_SIZE + 4
        names = file.take(at, length)
        at += length
        self.fields = tuple(names.decode("ascii").split("\n")) if names else ()
        ends = file.take(at, 4 * len(self.fields))
        file.matches(names + ends)
        stops = numbers_of("I", ends)
        self._ranges = dict(zip(self.fields, pairwise((0, *stops)), strict=True))
        at += len(ends)
        self._text_ends, at = file.numbers("I", at, count), at + 4 * count
        self._counts, at = file.numbers("I", at, count), at + 4 * count
        self._offsets, at = file.numbers("Q", at, count), at + 8 * count
        self._texts = at
        # By field: how often a term was looked for, and the places of all when read.
        self._finds = dict.fromkeys(self.fields, 0)
        self._places: dict[str, dict[bytes, int]] = {}
        self._samples: dict[str, list[bytes]] = {}
        if (stops[-1] if stops else 0) != count or at > file.size:
            raise Damaged(f"{file.name} has {count} terms, and its fields others")

    def text(self, place: int) -> bytes:
        """The term at a place."""
        start = self._text_ends[place - 1] if place else 0
        return self.file.take(self._texts + start, self._text_ends[place] - start)

    def frequency(self, place: int) -> int:
        """How many documents hold the term at a place, deleted ones included."""
        return self._counts[place]

    def offset(self, place: int) -> int:
        """Where the posting list of the term at a place starts."""
        return self._offsets[place]

    def find(self, field: str, term: bytes) -> int | None:
        """The place of a term, None when it is absent."""
        places = self._places.get(field)
        if places is not None:
            return places.get(term)
        start, end = self._ranges.get(field, (0, 0))
        if start == end:
            return None
        self._finds[field] += 1
        finds, size = self._finds[field], end - start
        samples = self._samples.get(field)
        if finds * _WORTH_READING > size <= _MOST_READ:
            texts = self._read(range(start, end))
            self._places[field] = dict(zip(texts, range(start, end), strict=True))
        elif samples is None and finds * _WORTH_SAMPLING > size:
            samples = self._samples[field] = [*map(self.text, range(start, end, _STEP))]
        if samples is None:
            return self._within(term, start, end)
        first = start + _STEP * max(0, bisect_right(samples, term) - 1)
        return self._among(term, first, min(first + _STEP, end))

    def find_each(self, field: str, terms: Sequence[bytes]) -> list[int | None]:
        """The places of several terms, None for each that is absent."""
        places = self._places.get(field)
        if places is not None:
            return [*map(places.get, terms)]
        return [self.find(field, term) for term in terms]

    def starting(self, field: str, prefix: bytes) -> Iterator[int]:
        """The places of a field's terms that start with a prefix, in order."""
        start, end = self._ranges.get(field, (0, 0))
        return iter(self._begun(prefix, start, end))

    def begun(
        self, field: str, prefix: bytes, endings: tuple[bytes, ...]
    ) -> list[bytes]:
        """The terms of a field that start with a prefix and end in one of the endings.

        They are in order, and are read at once: thousands take a tenth of what
        `starting` and `text` do.
        """
        here = self._begun(prefix, *self._ranges.get(field, (0, 0)))
        if not here:
            return []
        return [text for text in self._read(here) if text.endswith(endings)]

    def of_field(self, field: str) -> tuple[list[bytes], range, list[int]]:
        """The terms of a field in order, their places, how many documents hold each.

        Deleted documents count. All is read at once, as in `begun`.
        """
        here = range(*self._ranges.get(field, (0, 0)))
        if not here:
            return [], here, []
        # No view of the file is kept: one in a traceback would keep it from closing.
        counts = list(self._counts[here.start : here.stop])
        return list(self._read(here)), here, counts

    def near(self, field: str, term: str) -> Iterator[int]:
        """The places of the other terms of a field that are one edit away.

        An edit puts a letter in, takes one out, puts one in the place of another or
        swaps two neighbours; a letter that is put in is one of an alphabet (below
        U+0800). For each beginning of the term the table is asked which letters follow
        it in any term, so that no term is read that begins otherwise. Places may come
        twice.
        """
        start, end = self._ranges.get(field, (0, 0))
        for i in range(len(term) + 1):
            before, rest = term[:i], term[i:]
            here = self._begun(encoded(before), start, end)
            start, end = here.start, here.stop
            if not here:
                return  # no term begins like this, so none that goes on does
            known = [rest[1:], rest[1::-1] + rest[2:]] if rest else []
            for ending in known:
                found = self._within(encoded(before + ending), start, end)
                if found is not None and before + ending != term:
                    yield found
            for letter, first, behind in self._next_letters(len(before), start, end):
                endings = (rest, rest[1:]) if rest and letter != rest[0] else (rest,)
                for ending in endings:
                    wanted = encoded(before + letter + ending)
                    found = self._within(wanted, first, behind)
                    if found is not None:
                        yield found

    def everything(self) -> Iterator[tuple[str, bytes, int]]:
        """(field, term, place) of every term, in order."""
        for field, (start, end) in self._ranges.items():
            for place in range(start, end):
                yield field, self.text(place), place

    def _read(self, places: range) -> Iterator[bytes]:
        """The terms at these places, read at once; there is one at least."""
        ends = list(self._text_ends[places.start : places.stop])
        start = ends[0] - len(self.text(places.start))
        texts = self.file.take(self._texts + start, ends[-1] - start)
        for a, b in pairwise((start, *ends)):
            yield texts[a - start : b - start]

    def _next_letters(
        self, length: int, start: int, end: int
    ) -> Iterator[tuple[str, int, int]]:
        """The letters that stand behind the beginning that terms of a range share.

        Args:
            length: of the beginning, in letters.
            start, end: the range; all its terms have the same beginning.

        Yields:
            a letter, and the range of the terms that go on with it.
        """
        place = start
        while place < end:
            text = decoded(self.text(place))
            letter = text[length : length + 1]
            if letter >= _ALPHABETS:
                return
            if not letter:
                place += 1
                continue
            here = self._begun(encoded(text[: length + 1]), place, end)
            if here.stop <= place:
                raise Damaged(f"{self.file.name} has terms out of order")
            yield letter, here.start, here.stop
            place = here.stop

    def _begun(self, prefix: bytes, start: int, end: int) -> range:
        """The places in a range whose terms start with a prefix."""
        places = range(end)
        first = bisect_left(places, prefix, start, end, key=self.text)
        if not prefix:
            return range(first, end)
        last = bisect_left(places, prefix + _BEHIND, first, end, key=self.text)
        return range(first, last)

    def _among(self, term: bytes, start: int, end: int) -> int | None:
        """As `_within`, of a few terms: all of them are read at once."""
        ends = list(self._text_ends[start:end])
        begin = self._text_ends[start - 1] if start else 0
        texts = self.file.take(self._texts + begin, ends[-1] - begin)
        at = texts.find(term)
        while at >= 0:  # perhaps a part of a term, or of two
            stop = begin + at + len(term)
            found = bisect_left(ends, stop)
            first = ends[found - 1] if found else begin
            if found < len(ends) and ends[found] == stop and first == begin + at:
                return start + found
            at = texts.find(term, at + 1)
        return None

    def _within(self, term: bytes, start: int, end: int) -> int | None:
        """The place of a term in a range of places, None when it is not there."""
        # As `bisect_left` does it, whose calls of a key would take twice as long.
        ends, take, texts = self._text_ends, self.file.take, self._texts
        low, high = start, end
        while low < high:
            place = (low + high) // 2
            begin = ends[place - 1] if place else 0
            text = take(texts + begin, ends[place] - begin)
            if text < term:
                low = place + 1
            elif text == term:
                return place
            else:
                high = place
        return None


def encoded(term: str) -> bytes:
    """A term as the index holds it; file names may hold half a surrogate pair."""
    return term.encode("utf-8", "surrogatepass")


def all_encoded(terms: list[str]) -> list[bytes]:
    """Each of these terms as `encoded` has it, in a fifth of the time."""
    parts = encoded("\0".join(terms)).split(b"\0")
    # A name that a note gives itself may hold a zero, which YAML can write.
    return parts if len(parts) == len(terms) else list(map(encoded, terms))


def decoded(text: bytes) -> str:
    """The term that `encoded` made these bytes of."""
    return text.decode("utf-8", "surrogatepass")


# --- writing -----------------------------------------------------------------------


def terms_file(
    fields: Sequence[tuple[str, int]],
    texts: Sequence[bytes],
    counts: array[int],
    offsets: array[int],
) -> bytes:
    """The bytes of a file of terms.

    Args:
        fields: in order, each with the place behind its last term.
        texts: the terms, in order of field and bytes.
        counts: how many documents hold each.
        offsets: where each one's posting list starts.
    """
    names = "\n".join(name for name, _ in fields).encode("ascii")
    ends = portable(array("I", (stop for _, stop in fields))).tobytes()
    parts = (
        struct.pack("<I", len(names)),
        names,
        ends,
        portable(array("I", accumulate(map(len, texts)))).tobytes(),
        portable(counts).tobytes(),
        portable(offsets).tobytes(),
        *texts,
    )
    return with_header(len(texts), b"".join(parts), zlib.crc32(names + ends))
