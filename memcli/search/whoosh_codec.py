"""The Whoosh index: its schema, its codec, and reading it a block at a time.

Invariant: with `writer.py` the only module that knows the files of Whoosh. What is
written here is read here, and a change of either raises `FORMAT`, so that old indexes
are rebuilt instead of misread.

Two things differ from a stock Whoosh index, both for the cost of a recall:

- Posting lists are two plain arrays (document numbers, weights). Whoosh's blocks of
  128 pickled postings cost more to open than to score.
- What eligibility and ranking need of every document (its length, session, dates,
  status) is one packed column that loads with one read, where Whoosh would decode
  a column value by value.

Weights are term counts by field (title, tags, entities and date words count beside
the body), so one posting list serves all fields of an entry: the simple BM25F of
Robertson, Zaragoza & Taylor (2004).
"""

import io
import mmap
import os
import re
import struct
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any, NamedTuple

from whoosh import columns
from whoosh.codec.whoosh3 import W3Codec, W3PostingsWriter, W3Segment
from whoosh.filedb.filestore import FileStorage
from whoosh.filedb.structfile import StructFile
from whoosh.matching.mcore import ListMatcher
from whoosh.reading import TermNotFound

from memcli.search.stored_row import StoredRow

FORMAT = 1
INDEX_NAME = "MAIN"

_COUNT = struct.Struct("<I")
# So few that are not live are looked for in a posting list; of more, each document of
# the list is asked, which costs the same however many they are.
_FEW = 100
_ZERO = re.compile(rb"\0")


class Packed(NamedTuple):
    """The packed facts of one document; times in epoch seconds UTC, 0 = not set."""

    order: int
    session: int
    time: int
    created: int
    expires: int
    ended: int
    length: int
    seq: int
    flags: int


_PACKED = struct.Struct("<QQqqqqIiII")
_WORDS = _PACKED.size // 8

# Packed.flags: the status's place in Status, and one bit each.
STATUS_MASK = 0x0F
ASKS = 0x10
# The entry's time is a span (a month, a year, from-until); `time` is its start.
SPAN = 0x40
PINNED = 0x80


class PackedColumn(columns.FixedBytesColumn):
    """Fixed-size records, read all at once."""

    def __init__(self) -> None:
        super().__init__(_PACKED.size)

    def reader(self, dbfile: Any, basepos: int, length: int, doccount: int) -> Any:
        reader = super().reader(dbfile, basepos, length, doccount)
        # Bound here, where the file and the extent are known.
        reader.load = lambda: bytes(dbfile.get(basepos, length))
        return reader


class _ArrayWriter(W3PostingsWriter):
    """Writes a posting list as a count, the document numbers and the weights."""

    def __init__(self, postfile: Any) -> None:
        super().__init__(postfile, blocklimit=sys.maxsize)

    def finish_postings(self) -> Any:
        info: Any = self._terminfo
        info.add_block(self)
        offset = self._postfile.tell()
        docs: Any = _portable(self._ids)  # type: ignore[arg-type]  # never byte ids here
        weights = _portable(self._weights)
        payload = _COUNT.pack(len(docs)) + docs.tobytes() + weights.tobytes()
        self._postfile.write(payload)
        info.set_extent(offset, len(payload))
        self._terminfo = None
        self._new_block()
        return info


class _Extent(ListMatcher):
    """A posting list as Whoosh's own code (merging) wants it."""


class ArrayCodec(W3Codec):
    """Whoosh's third codec with posting lists of plain arrays."""

    def new_segment(self, storage: Any, indexname: str) -> Any:  # noqa: ARG002
        # Whoosh names segments by `random`, which a program may have seeded (property
        # tests do): the same name twice, and a segment was written over another.
        return W3Segment(self, indexname, segid=os.urandom(8).hex())

    def postings_writer(self, dbfile: Any, byteids: bool = False) -> Any:
        if byteids:
            return super().postings_writer(dbfile, byteids=True)
        return _ArrayWriter(dbfile)

    def postings_reader(
        self,
        dbfile: Any,
        terminfo: Any,
        format_: Any,
        term: Any = None,
        scorer: Any = None,
    ) -> Any:
        docs, weights = _arrays(dbfile, terminfo)
        return _Extent(
            docs,
            weights,
            [b""] * len(docs),
            format_,
            scorer=scorer,
            term=term,
            terminfo=terminfo,
        )


def _portable(numbers: "array[Any]") -> "array[Any]":
    """The same numbers in little-endian byte order, whatever the machine's."""
    if sys.byteorder == "big":
        numbers = array(numbers.typecode, numbers)
        numbers.byteswap()
    return numbers


def _arrays(dbfile: Any, info: Any) -> tuple["array[int]", "array[float]"]:
    docs = _documents(dbfile, info)
    weights: array[float] = array("f")
    start = info.extent()[0] + _COUNT.size + 4 * len(docs)
    weights.frombytes(dbfile.get(start, 4 * len(docs)))
    return docs, _portable(weights)


def _documents(dbfile: Any, info: Any) -> "array[int]":
    # Only the offset: Whoosh 3.54 reads the length back as a tuple.
    offset = info.extent()[0]
    (count,) = _COUNT.unpack(dbfile.get(offset, _COUNT.size))
    docs: array[int] = array("I")
    docs.frombytes(dbfile.get(offset + _COUNT.size, 4 * count))
    return _portable(docs)


def pack(facts: Packed) -> bytes:
    """One document's facts, as the packed column stores them."""
    return _PACKED.pack(*facts, 0)


class Columns(NamedTuple):
    """The packed facts of all documents, a sequence per fact."""

    orders: Sequence[int]
    sessions: Sequence[int]
    times: Sequence[int]
    created: Sequence[int]
    expires: Sequence[int]
    ended: Sequence[int]
    lengths: "array[int]"
    seqs: Sequence[int]
    flags: "array[int]"


def unpack(records: bytes) -> Columns:
    """Split packed records into one array per fact."""
    wide: array[int] = array("Q")
    wide.frombytes(records)
    signed: array[int] = array("q")
    signed.frombytes(records)
    narrow: array[int] = array("I")
    narrow.frombytes(records)
    seqs: array[int] = array("i")
    seqs.frombytes(records)
    if sys.byteorder == "big":
        for numbers in (wide, signed, narrow, seqs):
            numbers.byteswap()
    step, half = _WORDS, 2 * _WORDS
    return Columns(
        orders=wide[0::step],
        sessions=wide[1::step],
        times=signed[2::step],
        created=signed[3::step],
        expires=signed[4::step],
        ended=signed[5::step],
        lengths=narrow[12::half],
        seqs=seqs[13::half],
        flags=narrow[14::half],
    )


class _MappedFile(StructFile):
    """A file in memory, whose `get` is a slice: a term look-up takes six of them.

    The descriptor is closed at once, so that a reader that nobody closes holds none.
    """

    def __init__(self, path: str, name: str) -> None:
        with open(path, "rb") as file:
            memory: Any
            if os.fstat(file.fileno()).st_size:
                memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            else:  # nothing cannot be mapped
                memory = io.BytesIO()
        super().__init__(memory, name=name)
        self.is_real = False
        self._memory = memory

    def get(self, position: int, length: int) -> bytes:
        found: bytes = self._memory[position : position + length]
        return found


class _MappedStorage(FileStorage):
    def open_file(self, name: str, **_: Any) -> Any:
        return _MappedFile(self._fpath(name), name)


class SegmentId(NamedTuple):
    """A segment on disk: its name, how many documents, and which are deleted."""

    name: str
    documents: int
    deleted: tuple[int, ...]


class Segment:
    """One segment of the index, with its place in the numbering of documents.

    Opened by its files alone: Whoosh's own way goes through a pickled schema, whose
    classes cost a recall 12 ms to import.
    """

    def __init__(self, folder: str, which: SegmentId, base: int) -> None:
        self.base = base
        self.count = which.documents
        # A byte a document, 1 when it is live, for functions that run in C.
        live = bytearray(b"\1" * which.documents)
        for doc in which.deleted:
            live[doc] = 0
        self.keep(bytes(live))
        self._storage = _MappedStorage(folder)
        codec = ArrayCodec()
        segment = W3Segment(codec, INDEX_NAME, which.documents, segid=which.name)
        self._documents = codec.per_document_reader(self._storage, segment)
        self._terms = codec.terms_reader(self._storage, segment)
        self._posts = segment.open_file(self._storage, W3Codec.POSTS_EXT)

    def keep(self, live: bytes) -> None:
        """Say which documents are live: a byte for each, 1 or 0."""
        self.live = live
        self._whole = 0 not in live
        few = live.count(0) <= _FEW
        self._gone = [one.start() for one in _ZERO.finditer(live)] if few else None

    def packed(self) -> bytes:
        """The packed records of all documents, deleted ones included."""
        records: bytes = self._documents.column_reader("packed", PackedColumn()).load()
        # A column ends after its last value that differs from the default.
        return records.ljust(self.count * _PACKED.size, b"\0")

    def postings(
        self, field: str, term: str
    ) -> tuple["array[int]", "array[float]"] | None:
        """Local numbers of live documents, and weights; None if the term is absent."""
        try:
            info = self._terms.term_info(field, encoded(term))
        except TermNotFound:
            return None
        docs, weights = _arrays(self._posts, info)
        if self._gone is not None:
            for place in reversed(self._places(docs)):
                del docs[place], weights[place]
            return docs, weights
        chosen = bytes(map(self.live.__getitem__, docs))
        if 0 in chosen:
            docs = array("I", compress(docs, chosen))
            weights = array("f", compress(weights, chosen))
        return docs, weights

    def frequency(self, field: str, term: str) -> int:
        """How many live documents hold a term."""
        try:
            if self._whole:
                # Reads four bytes; a whole term's info is unpacked otherwise.
                return int(self._terms.doc_frequency(field, encoded(term)))
            info = self._terms.term_info(field, encoded(term))
        except (KeyError, TermNotFound):
            return 0
        docs = _documents(self._posts, info)
        if self._gone is not None:
            return len(docs) - len(self._places(docs))
        return sum(map(self.live.__getitem__, docs))

    def _places(self, docs: "array[int]") -> list[int]:
        """Where in a posting list the few stand that are not live."""
        places = ((bisect_left(docs, doc), doc) for doc in self._gone or ())
        return [i for i, doc in places if i < len(docs) and docs[i] == doc]

    def starting(self, field: str, prefix: str) -> Iterator[str]:
        """The terms of a field that start with a prefix, in order."""
        start = encoded(prefix)
        for name, term in self._terms.terms_from(field, start):
            if name != field or not term.startswith(start):
                return
            yield term.decode("utf-8", "surrogatepass")

    def row(self, doc: int) -> StoredRow:
        """The stored row of a local document."""
        return StoredRow.from_plain(self._documents.stored_fields(doc)["row"])

    def close(self) -> None:
        """Let go of the files."""
        self._terms.close()
        self._documents.close()
        self._posts.close()


def encoded(term: str) -> bytes:
    """A term as the index holds it; file names may hold half a surrogate pair."""
    return term.encode("utf-8", "surrogatepass")
