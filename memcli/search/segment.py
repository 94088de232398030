"""A segment of the index on disk, read with `mmap`, `struct` and `array` alone.

Invariant: reading a segment executes nothing and imports no library. What is read is
compared with a checksum, and every number with the size of its file before it is
followed, so a damaged segment shows as an exception; `index.py` then rebuilds.

A segment is three files, little-endian, each with the header of `segment_file`:

    .trm  the terms, as `term_table` has them
    .pst  posting lists: document numbers (u32), as many weights (f32), a checksum
    .doc  what is known of all documents together (`packed_facts.Together`); a column
          for each fact, with a checksum behind it; where each row starts (u64); then
          the rows, each as JSON with a checksum behind it

Weights are term counts by field (title, tags, entities and date words count beside
the body), so one posting list serves all fields of an entry: the simple BM25F of
Robertson, Zaragoza & Taylor (2004).
"""

from __future__ import annotations

import re
import struct
import zlib
from array import array
from bisect import bisect_left
from itertools import accumulate, compress

from memcli.named_tuple import NamedTuple
from memcli.search.packed_facts import (
    FACTS,
    PACKED_SIZE,
    SPANS,
    TOGETHER_SIZE,
    columns_of,
    joined,
    known_together,
    numbers_of,
    portable,
    records_of,
    together,
)
from memcli.search.segment_file import (
    CHECK_SIZE,
    HEADER_SIZE,
    Damaged,
    File,
    with_check,
    with_header,
)
from memcli.search.term_table import TermTable, decoded, encoded

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

INDEX_NAME = "MAIN"
TERMS, POSTINGS, DOCUMENTS = ".trm", ".pst", ".doc"

# So few that are not live are looked for in a posting list; of more, each document of
# the list is asked, which costs the same however many they are.
_FEW = 100
# A list so short is asked in any case.
_SHORT = 32
_ONE = struct.pack("<f", 1.0)
# Where in a file of documents the columns start.
_COLUMNS = HEADER_SIZE + TOGETHER_SIZE
NUMBER_SIZE = 4
"""Bytes of a document's number in a posting list, and of its weight."""


class SegmentId(NamedTuple):
    """A segment on disk: its name, how many documents, and which are deleted."""

    name: str
    documents: int
    deleted: tuple[int, ...]

    @property
    def live(self) -> int:
        """How many documents are not deleted."""
        return self.documents - len(self.deleted)

    def file(self, ending: str) -> str:
        """The name of one of its files."""
        return f"{INDEX_NAME}_{self.name}{ending}"


class Segment:
    """One segment of the index, with its place in the numbering of documents.

    Attributes:
        base: the number of its first document.
        count: how many documents it has, deleted ones included.
        together: what is known of all of them at once.
        gone: the documents that are not live, in order; None where they are many.
        place: gives the place of a term in the table, None when it is absent.

    Raises:
        Damaged, OSError: its files are not there, or not what was written.
    """

    def __init__(self, folder: str, which: SegmentId, base: int) -> None:
        self.base = base
        self.count = which.documents
        # A byte a document, 1 when it is live, for functions that run in C.
        live = bytearray(b"\1" * which.documents)
        for doc in which.deleted:
            live[doc] = 0
        self.keep(bytes(live))
        self._terms = TermTable(File(folder, which.file(TERMS)))
        self.place = self._terms.find
        self._postings = File(folder, which.file(POSTINGS))
        self._documents = File(folder, which.file(DOCUMENTS))
        if self._documents.items != self.count:
            raise Damaged(f"{self._documents.items} documents, not {self.count}")
        known = self._documents.take(HEADER_SIZE, TOGETHER_SIZE)
        self._documents.matches(known)
        self.together = known_together(known)

    def keep(self, live: bytes) -> None:
        """Say which documents are live: a byte for each, 1 or 0."""
        self.live = live
        gone = live.count(0)
        self._whole = not gone
        zeros = re.finditer(rb"\0", live) if gone else ()
        self.gone = [zero.start() for zero in zeros] if gone <= _FEW else None

    def column(self, fact: str) -> array[Any]:
        """The numbers of a fact for all documents, deleted ones included."""
        start, typecode = SPANS[fact]
        place = _COLUMNS + self.count * start + CHECK_SIZE * FACTS.index(fact)
        return self._documents.columns(typecode, place, self.count)[0]

    def records(self) -> list[bytes]:
        """The packed record of each document, deleted ones included."""
        return records_of(joined([self.column]))

    def postings(self, field: str, term: str) -> tuple[array[int], array[float]] | None:
        """Local numbers of live documents, and weights; None if the term is absent."""
        place = self.place(field, encoded(term))
        return None if place is None else self.live_postings(place)

    def live_postings(self, place: int) -> tuple[array[int], array[float]]:
        """Local numbers of live documents, and weights, by the place of the term."""
        docs, weights = self.listed(place)
        if self._whole:
            return docs, weights
        if self.gone is not None and len(docs) > _SHORT:
            for at in reversed(self._places(docs)):
                del docs[at], weights[at]
            return docs, weights
        chosen = bytes(map(self.live.__getitem__, docs))
        if 0 in chosen:
            docs = array("I", compress(docs, chosen))
            weights = array("f", compress(weights, chosen))
        return docs, weights

    def frequency(self, field: str, term: str) -> int:
        """How many live documents hold a term."""
        place = self.place(field, encoded(term))
        return 0 if place is None else self.live_frequency(place)

    def live_frequency(self, place: int) -> int:
        """How many live documents hold the term at a place."""
        if self._whole:
            return self._terms.frequency(place)
        docs, _ = self.listed(place)
        if self.gone is not None:
            return len(docs) - len(self._places(docs))
        return sum(map(self.live.__getitem__, docs))

    def live_frequencies(self, field: str, terms: Sequence[bytes]) -> list[int]:
        """How many live documents hold each of these terms."""
        places = self._terms.find_each(field, terms)
        count = self._terms.frequency if self._whole else self.live_frequency
        return [0 if place is None else count(place) for place in places]

    def starting(self, field: str, prefix: str) -> Iterator[str]:
        """The terms of a field that start with a prefix, in order."""
        for place in self._terms.starting(field, encoded(prefix)):
            yield decoded(self._terms.text(place))

    def begun(self, field: str, prefix: str, endings: Iterable[str]) -> list[str]:
        """The terms with one of these endings among them, all read at once."""
        wanted = tuple(map(encoded, endings))
        return list(map(decoded, self._terms.begun(field, encoded(prefix), wanted)))

    def near(self, field: str, term: str) -> Iterator[str]:
        """The terms of a field that are one edit away, as `TermTable.near`."""
        for place in self._terms.near(field, term):
            yield decoded(self._terms.text(place))

    def held(self, field: str) -> dict[str, int]:
        """Each term of a field with how many documents hold it, deleted ones too."""
        texts, _, counts = self._terms.of_field(field)
        return dict(zip(map(decoded, texts), counts, strict=True))

    def lists(self, field: str) -> tuple[list[str], list[int], array[int]]:
        """The terms of a field, how many documents hold each, and these documents.

        Deleted ones count. The documents stand list behind list, as the terms do.
        """
        texts, places, counts = self._terms.of_field(field)
        if not texts:
            return [], [], array("I")
        # The lists of a field stand one behind the other, as its terms do.
        size = sum(counts) * 8 + CHECK_SIZE * len(counts)
        data = self._postings.take(self._terms.offset(places[0]), size)
        parts = []
        end = 0
        for count in counts:
            start = end
            check = start + 8 * count
            end = check + CHECK_SIZE
            # As `File.part`, whose call would take a third of the time.
            found = zlib.crc32(data[start:check])
            if found != int.from_bytes(data[check:end], "little"):
                raise Damaged(f"{self._postings.name} does not match its checksum")
            parts.append(data[start : start + 4 * count])
        docs = numbers_of("I", b"".join(parts))
        if docs and max(docs) >= self.count:
            raise Damaged("a posting list names a document that does not exist")
        return list(map(decoded, texts)), counts, docs

    def row(self, doc: int) -> bytes:
        """The stored row of a local document, as JSON."""
        if not 0 <= doc < self.count:
            raise IndexError(doc)
        place = _rows_at(self.count) + 8 * doc
        start, end = struct.unpack("<QQ", self._documents.take(place, 16))
        return self._documents.part(start, end - start)

    def check(self) -> None:
        """Read every column, every posting list and every term.

        Raises:
            Damaged, ValueError: one is not what was written.
        """
        for fact in FACTS:
            self.column(fact)
        for field, text, place in self.terms():
            decoded(text)
            docs, _ = self.listed(place)
            if any(docs[i] >= docs[i + 1] for i in range(len(docs) - 1)):
                raise Damaged(f"a posting list of {field} is not in order")

    # --- everything, for merging and for tests -----------------------------------

    def terms(self) -> Iterator[tuple[str, bytes, int]]:
        """(field, term, place) of every term, in order."""
        return self._terms.everything()

    def fields(self) -> tuple[str, ...]:
        """The names of the fields that hold a term."""
        return self._terms.fields

    def listed(self, place: int) -> tuple[array[int], array[float]]:
        """The whole posting list of a term, deleted documents included."""
        offset, count = self._terms.offset(place), self._terms.frequency(place)
        docs, weights = self._postings.columns("If", offset, count)
        if docs and docs[-1] >= self.count:
            raise Damaged("a posting list names a document that does not exist")
        return docs, weights

    def _places(self, docs: array[int]) -> list[int]:
        """Where in a posting list the few stand that are not live."""
        places = ((bisect_left(docs, doc), doc) for doc in self.gone or ())
        return [i for i, doc in places if i < len(docs) and docs[i] == doc]

    def close(self) -> None:
        """Let go of the files."""
        for file in (self._terms.file, self._postings, self._documents):
            file.close()


# --- writing -----------------------------------------------------------------------


def documents_file(records: Sequence[bytes], rows: Sequence[bytes]) -> bytes:
    """The bytes of a file of documents, from packed records and rows as JSON."""
    start = _rows_at(len(rows)) + 8 * (len(rows) + 1)
    parts = [with_check(row) for row in rows]
    places = array("Q", accumulate(map(len, parts), initial=start))
    columns = columns_of(records)
    first = together(columns)
    checked = map(with_check, columns)
    body = b"".join((first, *checked, portable(places).tobytes(), *parts))
    return with_header(len(records), body, zlib.crc32(first))


def _rows_at(count: int) -> int:
    """The place in a file of so many documents that says where their rows start."""
    return _COLUMNS + count * PACKED_SIZE + len(FACTS) * CHECK_SIZE


def posting_list(docs: bytes, weights: bytes | None = None) -> bytes:
    """The bytes of one posting list.

    Args:
        docs: numbers of documents, little-endian.
        weights: as many, in the same way; None where each is 1.
    """
    if weights is None:
        weights = _ONE * (len(docs) // NUMBER_SIZE)
    return with_check(docs + weights)


def documents_in(listed: bytes) -> int:
    """How many documents stand in what `posting_list` gave."""
    return (len(listed) - CHECK_SIZE) // (2 * NUMBER_SIZE)
