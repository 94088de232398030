"""The index as Whoosh writes it: a schema, an index, a writer, and a codec over tables.

Invariant: Whoosh alone writes what is searched. There is one segment, which is changed
in place, as Whoosh's own `MemoryCodec` does it: a document that goes is taken out of
each list that it is on, and its number is given to the next. One transaction holds all
that a writer changes; Whoosh's table of contents, a pickle, is neither written nor
read. Stock readers and searchers work on it; positions, vectors and fuzzy terms are not
stored. Loaded only where files of the vault have changed.
"""

from __future__ import annotations

import itertools
from types import SimpleNamespace

from whoosh import columns, fields, formats, index
from whoosh.codec import base
from whoosh.filedb.filestore import RamStorage
from whoosh.matching.mcore import ListMatcher
from whoosh.reading import TermInfo, TermNotFound
from whoosh.writing import SegmentWriter

from memcli.search.store import (
    EXACT,
    NUMBERS,
    TYPECODES,
    WEIGHTED,
    Damaged,
    Store,
    Sums,
    decoded,
    encoded,
)
from memcli.search.writing import Tables, lists_of, packed_lists

TYPE_CHECKING = False

if TYPE_CHECKING:
    from array import array
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from sqlite3 import Connection
    from typing import Any

    from memcli.search.document import Document

# --- the schema --------------------------------------------------------------------


class Field(fields.FieldType):
    """Words with their weights, or values by which filters look documents up.

    Args:
        weighs: whether it is the words; the text of a query for them is read as memcli
            reads it.
    """

    def __init__(self, *, weighs: bool = False) -> None:
        kind = formats.Frequency if weighs else formats.Existence
        super().__init__(kind(), None, scorable=weighs)  # type: ignore[arg-type]
        self._weighs = weighs

    def index(
        self, value: Mapping[str, float], **_: Any
    ) -> Generator[tuple[bytes, int, float, bytes], Any, None]:
        return ((encoded(text), 1, weight, b"") for text, weight in value.items())

    def process_text(self, qstring: str, mode: str = "", **_: Any) -> Iterator[str]:  # noqa: ARG002
        if not self._weighs:
            return iter((qstring,))
        from memcli.entries.text import tokens
        from memcli.entries.text.tokens import stemmer

        return iter(tokens.terms(qstring, stemmer()))


def schema() -> Any:
    """The fields of a document: its words, exact values, facts and row."""
    facts = {
        name: fields.COLUMN(columns.NumericColumn(code))
        for name, code in TYPECODES.items()
    }
    exact = {name: Field() for name in EXACT}
    return fields.Schema(
        row=fields.STORED(), **{WEIGHTED: Field(weighs=True)}, **facts, **exact
    )


# --- index and writer --------------------------------------------------------------


class _Storage(RamStorage):
    """A storage whose files are tables; the caller's transaction is its lock."""

    def __init__(self, db: Connection, sums: Sums) -> None:
        super().__init__()
        self.db = db
        self.store = Store(db.execute, sums)


class Index(index.FileIndex):
    """The index of a database, for Whoosh's own readers, searchers and writers.

    Args:
        db: the database, in a transaction.
        sums: those over all documents.
    """

    def __init__(self, db: Connection, sums: Sums) -> None:
        self.storage: Any = _Storage(db, sums)
        self.indexname = "memcli"
        self._schema = schema()

    def _read_toc(self) -> SimpleNamespace:
        segments = [_Segment(self.storage)]
        return SimpleNamespace(segments=segments, schema=self._schema, generation=0)

    def writer(self, procs: int = 1, **_: Any) -> Writer:  # noqa: ARG002
        return Writer(self)


class Writer(SegmentWriter):
    """Changes the one segment of an index, in the caller's transaction.

    All documents that go must be deleted before the first one is added.

    Attributes:
        tables: those that are written; their `sums` are right after `commit`.
    """

    def __init__(self, ix: Index) -> None:
        super().__init__(ix, codec=_Codec(), compound=False, _lk=False)
        self.newsegment: Any = self.segments[0]
        self.tables = Tables(ix.storage.db, ix.storage.store, self.newsegment.gone)
        self.pool: Any = self.tables
        self.perdocwriter = self.fieldwriter = self.tables
        self._free: Iterator[int] | None = None

    def add(self, document: Document) -> None:
        """Add a document that was read from its file."""
        exact = document.exact.items()
        values = {name: dict.fromkeys(texts, 1.0) for name, texts in exact if texts}
        values[WEIGHTED] = document.terms
        if self._free is None:
            unused = itertools.count(self.newsegment.doc_count_all())
            self._free = itertools.chain(sorted(self.newsegment.deleted), unused)
        self.docnum = next(self._free)
        self.tables.lists = packed_lists(values)
        self.add_document(row=document.row.as_json(), **document.numbers, **values)

    def get_segment(self) -> Any:
        return self.newsegment

    def commit(self, *_: Any, **__: Any) -> None:
        """Write the tables; the caller ends the transaction."""
        super().commit(mergetype=lambda _writer, _segments: [])

    def _commit_toc(self, _segments: Any) -> None:
        """The state of the index has the sums instead."""


# --- the codec ---------------------------------------------------------------------


class _Segment(base.Segment):
    """The documents of the tables.

    Attributes:
        gone: those that the writer deletes, each with the lists that it is on.
        deleted: the numbers of no document, those included.
    """

    def __init__(self, storage: _Storage) -> None:
        super().__init__("memcli")
        self.segid, self._storage = "0", storage
        self.gone: dict[int, list[tuple[str, bytes]]] = {}
        present = storage.store.present or b""
        self.deleted = {doc for doc, is_there in enumerate(present) if not is_there}

    def codec(self) -> _Codec:
        return _Codec()

    def doc_count_all(self) -> int:
        return self._storage.store.sums.end

    def deleted_count(self) -> int:
        return len(self.deleted)

    def deleted_docs(self) -> set[int]:
        return self.deleted

    def is_deleted(self, docnum: int) -> bool:
        return docnum in self.deleted

    def delete_document(self, docnum: int, delete: bool = True) -> None:  # noqa: ARG002 Whoosh's
        sql = "SELECT terms FROM doc WHERE id = ?"
        for (lists,) in self._storage.db.execute(sql, (docnum,)):
            self.gone[docnum] = lists_of(lists)
            self.deleted.add(docnum)
            return
        raise Damaged(f"there is no document {docnum}")


class _Codec(base.Codec):
    length_stats = False

    def new_segment(self, storage: Any, indexname: str) -> Any:  # noqa: ARG002
        return _Segment(storage)

    def per_document_writer(self, storage: Any, segment: Any) -> Any:
        """The writer brings its own."""

    field_writer = per_document_writer

    def terms_reader(self, storage: Any, segment: Any) -> Any:  # noqa: ARG002
        return _TermsReader(storage)

    def per_document_reader(self, storage: Any, segment: Any) -> Any:
        return _DocumentsReader(storage, segment)


# --- reading, for stock searchers --------------------------------------------------


class _TermsReader(base.TermsReader):
    def __init__(self, storage: _Storage) -> None:
        self._db, self._store = storage.db, storage.store

    def __contains__(self, term: tuple[str, bytes]) -> bool:
        return self.doc_frequency(*term) > 0

    def terms_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[str, bytes]]:
        sql = "SELECT DISTINCT text FROM posting WHERE field = ? AND text >= ?"
        values = (NUMBERS[fieldname], prefix)
        found = self._db.execute(f"{sql} ORDER BY text", values)
        return ((fieldname, text) for (text,) in found)

    def term_info(self, fieldname: str, text: bytes) -> TermInfo:
        docs, weights = self._listed(fieldname, text)
        last = max(weights), docs[0], docs[-1]
        return TermInfo(sum(weights), len(docs), 1, 1 << 30, *last)

    def doc_frequency(self, fieldname: str, text: bytes) -> int:
        return self._store.counts(fieldname, (decoded(text),))[0]

    def matcher(
        self, fieldname: str, text: bytes, format_: Any, scorer: Any = None
    ) -> ListMatcher:
        docs, weights = self._listed(fieldname, text)
        return ListMatcher(
            docs,
            weights,
            None,
            format_,
            scorer=scorer,
            term=(fieldname, text),
            terminfo=self.term_info(fieldname, text),
        )

    def _listed(self, field: str, text: bytes) -> tuple[array[int], array[float]]:
        found = self._store.listed(field, decoded(text))
        if not found[0]:
            raise TermNotFound(f"{field}:{text!r}")
        return found


class _Column(columns.ColumnReader):
    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers, self._doccount = numbers, len(numbers)

    def __getitem__(self, doc: int) -> int:
        return self._numbers[doc]


_OF_SEGMENT = "doc_count doc_count_all deleted_docs is_deleted has_deletions".split()


class _DocumentsReader(base.PerDocumentReader):
    def __init__(self, storage: _Storage, segment: _Segment) -> None:
        self._store = storage.store
        for name in _OF_SEGMENT:
            setattr(self, name, getattr(segment, name))

    def has_column(self, fieldname: str) -> bool:
        return fieldname in TYPECODES

    def column_reader(self, fieldname: str, _column: Any) -> _Column:
        return _Column(getattr(self._store.columns, fieldname))

    def doc_field_length(self, docnum: int, _field: str, _default: int = 0) -> int:
        return self._store.columns.lengths[docnum]

    def field_length(self, fieldname: str) -> int:
        return self._store.sums.length if fieldname == WEIGHTED else 0

    def stored_fields(self, docnum: int) -> dict[str, bytes]:
        return {"row": self._store.whole_row(docnum).as_json()}
