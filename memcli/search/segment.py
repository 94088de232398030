"""A segment of the index on disk, read with `mmap`, `struct` and `array` alone.

Invariant: reading a segment executes nothing and imports no library. Every number is
checked against the size of its file before it is followed, so a damaged segment shows
as an exception, never as a jump out of the file; `index.py` then rebuilds.

A segment is three files, little-endian, each with the header `_HEADER`:

    .trm  the terms: fields, then every term in order of (field, bytes), with the number
          of documents that hold it and the place of its posting list
    .pst  posting lists: document numbers (u32), then as many weights (f32)
    .doc  a packed record for each document, then the rows, as JSON

Weights are term counts by field (title, tags, entities and date words count beside
the body), so one posting list serves all fields of an entry: the simple BM25F of
Robertson, Zaragoza & Taylor (2004).
"""

import mmap
import os
import re
import struct
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, compress, pairwise
from typing import NamedTuple

from memcli.search.packed_facts import PACKED_SIZE, numbers_of, portable

FORMAT = 5
INDEX_NAME = "MAIN"
TERMS, POSTINGS, DOCUMENTS = ".trm", ".pst", ".doc"

_MAGIC = b"memcli\r\n"
# Magic, format, how many items the file holds, size of the whole file, and the
# checksum of what a reader relies on before it looks anything up (the tables).
_HEADER = struct.Struct("<8sIIQI4x")
# So few that are not live are looked for in a posting list; of more, each document of
# the list is asked, which costs the same however many they are.
_FEW = 100
_ZERO = re.compile(rb"\0")


class Damaged(Exception):
    """The files of a segment are not what was written."""


class SegmentId(NamedTuple):
    """A segment on disk: its name, how many documents, and which are deleted."""

    name: str
    documents: int
    deleted: tuple[int, ...]

    def file(self, ending: str) -> str:
        """The name of one of its files."""
        return f"{INDEX_NAME}_{self.name}{ending}"


class Segment:
    """One segment of the index, with its place in the numbering of documents.

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
        self._terms = _Terms(_File(folder, which.file(TERMS)))
        self._postings = _File(folder, which.file(POSTINGS))
        self._documents = _File(folder, which.file(DOCUMENTS))
        if self._documents.items != self.count:
            raise Damaged(f"{self._documents.items} documents, not {self.count}")

    def keep(self, live: bytes) -> None:
        """Say which documents are live: a byte for each, 1 or 0."""
        self.live = live
        self._whole = 0 not in live
        few = live.count(0) <= _FEW
        self._gone = [match.start() for match in _ZERO.finditer(live)] if few else None

    def packed(self) -> bytes:
        """The packed records of all documents, deleted ones included."""
        return self._documents.take(_HEADER.size, self.count * PACKED_SIZE)

    def postings(
        self, field: str, term: str
    ) -> tuple["array[int]", "array[float]"] | None:
        """Local numbers of live documents, and weights; None if the term is absent."""
        place = self._terms.find(field, encoded(term))
        if place is None:
            return None
        docs, weights = self.listed(place)
        if self._gone is not None:
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
        place = self._terms.find(field, encoded(term))
        if place is None:
            return 0
        if self._whole:
            return self._terms.frequency(place)
        docs = self._docs(place)
        if self._gone is not None:
            return len(docs) - len(self._places(docs))
        return sum(map(self.live.__getitem__, docs))

    def starting(self, field: str, prefix: str) -> Iterator[str]:
        """The terms of a field that start with a prefix, in order."""
        for place in self._terms.starting(field, encoded(prefix)):
            yield self._terms.text(place).decode("utf-8", "surrogatepass")

    def row(self, doc: int) -> bytes:
        """The stored row of a local document, as JSON."""
        if not 0 <= doc < self.count:
            raise IndexError(doc)
        table = _HEADER.size + self.count * PACKED_SIZE
        start, end = struct.unpack("<QQ", self._documents.take(table + 8 * doc, 16))
        return self._documents.take(start, end - start)

    def check(self) -> None:
        """Read every posting list and every term.

        Raises:
            Damaged, ValueError: one is not what was written.
        """
        for field, text, place in self.terms():
            text.decode("utf-8", "surrogatepass")
            docs, _ = self.listed(place)
            if any(docs[i] >= docs[i + 1] for i in range(len(docs) - 1)):
                raise Damaged(f"a posting list of {field} is not in order")

    # --- everything, for merging and for tests -----------------------------------

    def terms(self) -> Iterator[tuple[str, bytes, int]]:
        """(field, term, place) of every term, in order."""
        return self._terms.everything()

    def place(self, field: str, term: bytes) -> int | None:
        """The place of a term in the table, None when it is absent."""
        return self._terms.find(field, term)

    def fields(self) -> tuple[str, ...]:
        """The names of the fields that hold a term."""
        return self._terms.fields

    def listed(self, place: int) -> tuple["array[int]", "array[float]"]:
        """The whole posting list of a term, deleted documents included."""
        docs = self._docs(place)
        start = self._terms.offset(place) + 4 * len(docs)
        return docs, numbers_of("f", self._postings.take(start, 4 * len(docs)))

    def _docs(self, place: int) -> "array[int]":
        size = 4 * self._terms.frequency(place)
        docs = numbers_of("I", self._postings.take(self._terms.offset(place), size))
        if docs and docs[-1] >= self.count:
            raise Damaged("a posting list names a document that does not exist")
        return docs

    def _places(self, docs: "array[int]") -> list[int]:
        """Where in a posting list the few stand that are not live."""
        places = ((bisect_left(docs, doc), doc) for doc in self._gone or ())
        return [i for i, doc in places if i < len(docs) and docs[i] == doc]

    def close(self) -> None:
        """Let go of the files."""
        for file in (self._terms.file, self._postings, self._documents):
            file.close()


class _File:
    """A file in memory; the descriptor is closed at once."""

    def __init__(self, folder: str, name: str) -> None:
        with open(os.path.join(folder, name), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < _HEADER.size:
                raise Damaged(f"{name} is cut short")
            self._memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, version, self.items, written, self.check = _HEADER.unpack(
            self._memory[: _HEADER.size]
        )
        if magic != _MAGIC or version != FORMAT or written != size:
            raise Damaged(f"{name} is of another format, or cut short")
        self.name = name
        self.size = size

    def take(self, start: int, length: int) -> bytes:
        """The bytes at a place."""
        if start < 0 or length < 0 or start + length > self.size:
            raise Damaged(f"{self.name} points out of itself")
        return self._memory[start : start + length]

    def close(self) -> None:
        self._memory.close()


class _Terms:
    """The table of terms: looked up by bisection in the file itself.

    After the header: the size of the names of the fields, and the names, separated by
    a line break; then for each field the place behind its last term (u32); then three
    tables with an item a term: where its text ends (u32), how many documents hold it
    (u32), where its posting list starts (u64); then all texts.
    """

    def __init__(self, file: _File) -> None:
        self.file = file
        count = file.items
        (length,) = struct.unpack("<I", file.take(_HEADER.size, 4))
        at = _HEADER.size + 4
        names = file.take(at, length)
        at += length
        self.fields = tuple(names.decode("ascii").split("\n")) if names else ()
        ends = file.take(at, 4 * len(self.fields))
        if zlib.crc32(names + ends) != file.check:
            raise Damaged(f"{file.name} does not match its checksum")
        stops = numbers_of("I", ends)
        self._ranges = dict(zip(self.fields, pairwise((0, *stops)), strict=True))
        at += len(ends)
        self._text_ends, at = at, at + 4 * count
        self._counts, at = at, at + 4 * count
        self._offsets, at = at, at + 8 * count
        self._texts = at
        if (stops[-1] if stops else 0) != count or at > file.size:
            raise Damaged(f"{file.name} has {count} terms, and its fields others")

    def text(self, place: int) -> bytes:
        """The term at a place."""
        at = self._text_ends + 4 * place
        if place:
            start, end = struct.unpack("<II", self.file.take(at - 4, 8))
        else:
            start, end = 0, struct.unpack("<I", self.file.take(at, 4))[0]
        return self.file.take(self._texts + start, end - start)

    def frequency(self, place: int) -> int:
        """How many documents hold the term at a place, deleted ones included."""
        (count,) = struct.unpack("<I", self.file.take(self._counts + 4 * place, 4))
        return int(count)

    def offset(self, place: int) -> int:
        """Where the posting list of the term at a place starts."""
        (offset,) = struct.unpack("<Q", self.file.take(self._offsets + 8 * place, 8))
        return int(offset)

    def find(self, field: str, term: bytes) -> int | None:
        """The place of a term, None when it is absent."""
        start, end = self._ranges.get(field, (0, 0))
        place = bisect_left(range(end), term, start, end, key=self.text)
        return place if place < end and self.text(place) == term else None

    def starting(self, field: str, prefix: bytes) -> Iterator[int]:
        """The places of a field's terms that start with a prefix, in order."""
        start, end = self._ranges.get(field, (0, 0))
        place = bisect_left(range(end), prefix, start, end, key=self.text)
        while place < end and self.text(place).startswith(prefix):
            yield place
            place += 1

    def everything(self) -> Iterator[tuple[str, bytes, int]]:
        """(field, term, place) of every term, in order."""
        for field, (start, end) in self._ranges.items():
            for place in range(start, end):
                yield field, self.text(place), place


def encoded(term: str) -> bytes:
    """A term as the index holds it; file names may hold half a surrogate pair."""
    return term.encode("utf-8", "surrogatepass")


# --- writing -----------------------------------------------------------------------


def terms_file(
    fields: Sequence[tuple[str, int]],
    texts: Sequence[bytes],
    counts: "array[int]",
    offsets: "array[int]",
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


def documents_file(records: Sequence[bytes], rows: Sequence[bytes]) -> bytes:
    """The bytes of a file of documents, from packed records and rows as JSON."""
    first = _HEADER.size + len(records) * PACKED_SIZE + 8 * (len(rows) + 1)
    places = array("Q", accumulate(map(len, rows), initial=first))
    body = b"".join((*records, portable(places).tobytes(), *rows))
    return with_header(len(records), body)


def posting_list(docs: Iterable[int], weights: Iterable[float]) -> bytes:
    """The bytes of one posting list."""
    numbers, weighed = array("I", docs), array("f", weights)
    return portable(numbers).tobytes() + portable(weighed).tobytes()


def with_header(items: int, body: bytes, check: int = 0) -> bytes:
    """A file of a segment: header and body."""
    size = _HEADER.size + len(body)
    return _HEADER.pack(_MAGIC, FORMAT, items, size, check) + body


HEADER_SIZE = _HEADER.size
