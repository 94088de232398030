"""How Whoosh merges our segments: a codec, and a writer without a pickle.

Invariant: Whoosh's table of contents is never written and never read, because it is a
pickle. Which segments exist is said by the caller, and a segment is the three files of
`segment.py`. Loaded only when segments of thousands of documents are merged, since
loading takes longer than what is done without it (`new_segment`, `writer`).
"""

from __future__ import annotations

from array import array
from collections import defaultdict

from whoosh import columns, fields, formats
from whoosh.codec import base
from whoosh.codec.whoosh3 import W3Segment
from whoosh.filedb.filestore import FileStorage
from whoosh.matching.mcore import ListMatcher
from whoosh.reading import SegmentReader, TermInfo, TermNotFound
from whoosh.writing import SegmentWriter

from memcli.named_tuple import NamedTuple
from memcli.search import segment as layout
from memcli.search.batch import Lists
from memcli.search.new_segment import Postings, files_of_terms, new_name
from memcli.search.packed_facts import PACKED_SIZE
from memcli.search.segment import DOCUMENTS, INDEX_NAME, POSTINGS, TERMS, SegmentId
from memcli.search.term_table import encoded

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import (
        Collection,
        Generator,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from typing import Any

    from memcli.search.batch import Batch

# --- the schema --------------------------------------------------------------------


class _TermsField(fields.FieldType):
    """A field whose value is already a mapping of term to weight."""

    def __init__(self) -> None:
        self.format = formats.Frequency()
        self.analyzer = None
        self.scorable = False
        self.stored = False
        self.indexed = True

    def index(
        self, value: Mapping[str, float], **_: Any
    ) -> Generator[tuple[bytes, int, float, bytes], Any, None]:
        for text, weight in value.items():
            yield encoded(text), 1, weight, b""


class _ExactField(_TermsField):
    """A field whose value is a collection of exact strings."""

    def index(
        self, value: Any, **_: Any
    ) -> Generator[tuple[bytes, int, float, bytes], Any, None]:
        for text in dict.fromkeys(value):
            yield encoded(text), 1, 1.0, b""


class _PackedField(fields.COLUMN):
    def __init__(self) -> None:
        super().__init__(columns.FixedBytesColumn(PACKED_SIZE))


# Fields with exact terms, by which recall filters.
EXACT = (
    "id",
    "path",
    "kind",
    "type",
    "layer",
    "tag",
    "entity",
    "session",
    "status",
    "fingerprint",
    "link",
    "name",
    "claim",
    "proposed",
    "supersedes",
    "superseded_by",
    "evidence",
    "item",
    "seen",
    "agent",
    "visibility",
    "project",
    "group",
    "name_said",
    "entity_name",
    "possible_name",
    "check",
)


def schema() -> Any:
    """The fields of a document: `terms`, `row`, `packed`, and the exact ones."""
    exact = {name: _ExactField() for name in EXACT}
    return fields.Schema(
        terms=_TermsField(), row=fields.STORED(), packed=_PackedField(), **exact
    )


# --- writing -----------------------------------------------------------------------


class Writer(SegmentWriter):
    """Whoosh's writer, told which segments there are; it leaves them in `written`.

    Args:
        folder: of the index.
        known: the segments that document numbers count across.
    """

    def __init__(self, folder: str, known: Sequence[SegmentId]) -> None:
        codec = _Codec()
        segments = [
            W3Segment(codec, INDEX_NAME, s.documents, s.name, set(s.deleted))
            for s in known
        ]
        self.written: tuple[SegmentId, ...] = tuple(known)
        contents = _Contents(folder, segments)
        # Not compound: that would be one more copy of the files.
        super().__init__(contents, codec=codec, compound=False, _lk=False)
        self.pool: Any = _Pool()

    def add_batch(self, batch: Batch) -> None:
        """Add documents whose posting lists are made already.

        Whoosh's own `add_document` asks of each field of each document whether it is
        spelled, stored, scored or a vector, and collects each posting by itself.
        """
        self._check_state()
        self.pool.postings.add_batch(batch, self.docnum)
        for row, record in zip(batch.rows, batch.records, strict=True):
            self.perdocwriter.start_doc(self.docnum)
            self.perdocwriter.keep(row, record)
            self.perdocwriter.finish_doc()
            self._added = True
            self.docnum += 1

    def commit_with(self, merged: Collection[str]) -> None:
        """Write the documents that were added and those of the segments named here."""

        def absorb(_writer: Writer, segments: list[Any]) -> list[Any]:
            for segment in segments:
                if segment.segid in merged and segment.doc_count():
                    reader = SegmentReader(self.storage, self.schema, segment)
                    self.add_reader(reader)
                    reader.close()
            return [s for s in segments if s.segid not in merged]

        self.commit(mergetype=absorb)

    def _commit_toc(self, segments: Iterable[Any]) -> None:
        self.written = tuple(
            SegmentId(s.segid, s.doc_count_all(), tuple(sorted(s.deleted_docs())))
            for s in segments
            if s.doc_count_all()
        )


class _Contents:
    """What Whoosh's writer asks an index for."""

    indexname = INDEX_NAME

    def __init__(self, folder: str, segments: list[Any]) -> None:
        self.storage = FileStorage(folder)
        self._segments = segments

    def _read_toc(self) -> Any:
        return _TableOfContents(0, schema(), self._segments)


class _TableOfContents(NamedTuple):
    generation: int
    schema: Any
    segments: list[Any]


class _Pool:
    """Collected postings, in the words in which Whoosh's writer asks for them.

    What it adds by itself, of segments that it merges, stands behind all batches.
    """

    def __init__(self) -> None:
        self.cleanup()

    def add(self, posting: tuple[str, bytes, int, float, bytes]) -> None:
        field, term, doc, weight, _ = posting
        docs, weights = self._merged[field][term]
        docs.append(doc)
        weights.append(weight)

    def iter_postings(self) -> Iterator[Any]:
        for field, terms in self._merged.items():
            docs, weights = zip(*terms.values(), strict=True)
            lists = Lists(
                list(terms),
                array("I", map(len, docs)),
                array("I", b"".join(docs)),
                array("f", b"".join(weights)),
            )
            self.postings.extend(field, lists)
        return self.postings.in_order()

    def cleanup(self) -> None:
        self.postings = Postings()
        self._merged: dict[str, dict[bytes, tuple[array[int], array[float]]]] = (
            defaultdict(lambda: defaultdict(lambda: (array("I"), array("f"))))
        )


class _Codec(base.Codec):
    length_stats = False

    def new_segment(self, storage: Any, indexname: str) -> Any:  # noqa: ARG002
        return W3Segment(self, indexname, segid=new_name())

    def per_document_writer(self, storage: Any, segment: Any) -> Any:
        return _DocumentsWriter(storage, segment)

    def field_writer(self, storage: Any, segment: Any) -> Any:
        return _TermsWriter(storage, segment)

    def terms_reader(self, storage: Any, segment: Any) -> Any:
        return _TermsReader(_opened(storage, segment))

    def per_document_reader(self, storage: Any, segment: Any) -> Any:
        return _DocumentsReader(_opened(storage, segment), segment)


class _DocumentsWriter(base.PerDocumentWriter):
    def __init__(self, storage: Any, segment: Any) -> None:
        self._file = segment.create_file(storage, DOCUMENTS)
        self._records: list[bytes] = []
        self._rows: list[bytes] = []
        self.is_closed = False

    def start_doc(self, docnum: int) -> None:
        if docnum != len(self._records):
            raise ValueError(f"document {docnum}, not {len(self._records)}")
        self._records.append(bytes(PACKED_SIZE))
        self._rows.append(b"")

    def add_field(self, fieldname: str, _field: Any, value: Any, _length: int) -> None:
        if fieldname == "row" and value is not None:
            self._rows[-1] = value

    def add_column_value(self, _fieldname: str, _column: Any, value: bytes) -> None:
        self._records[-1] = value

    def keep(self, row: bytes, packed: bytes) -> None:
        """Set both of the document that was started."""
        self._rows[-1], self._records[-1] = row, packed

    def cancel_doc(self) -> None:
        self._records.pop()
        self._rows.pop()

    def close(self) -> None:
        self._file.write(layout.documents_file(self._records, self._rows))
        self._file.close()
        self.is_closed = True


class _TermsWriter(base.FieldWriter):
    def __init__(self, storage: Any, segment: Any) -> None:
        self._terms = segment.create_file(storage, TERMS)
        self._postings = segment.create_file(storage, POSTINGS)
        self.is_closed = False

    def add_postings(self, _schema: Any, _lengths: Any, items: Any) -> None:
        """Write every term; takes what `Postings.in_order` gives."""
        table, lists = files_of_terms(items)
        self._terms.write(table)
        self._postings.write(lists)

    def close(self) -> None:
        self._terms.close()
        self._postings.close()
        self.is_closed = True


# --- reading, for merging ----------------------------------------------------------


def _opened(storage: Any, segment: Any) -> layout.Segment:
    which = SegmentId(segment.segid, segment.doc_count_all(), ())
    return layout.Segment(storage.folder, which, 0)


class _TermsReader(base.TermsReader):
    def __init__(self, segment: layout.Segment) -> None:
        self._segment = segment

    def __contains__(self, term: tuple[str, bytes]) -> bool:
        return self._segment.place(*term) is not None

    def indexed_field_names(self) -> tuple[str, ...]:
        return self._segment.fields()

    def terms(self) -> Iterator[tuple[str, bytes]]:
        return ((field, text) for field, text, _ in self._segment.terms())

    def term_info(self, fieldname: str, text: bytes) -> TermInfo:
        docs, weights = self._listed(fieldname, text)
        return TermInfo(weight=sum(weights), df=len(docs), minid=docs[0])

    def matcher(
        self, fieldname: str, text: bytes, format_: Any, scorer: Any = None
    ) -> Any:
        docs, weights = self._listed(fieldname, text)
        values = [b""] * len(docs)
        return ListMatcher(docs, weights, values, format_, scorer=scorer)

    def _listed(self, field: str, term: bytes) -> tuple[Any, Any]:
        place = self._segment.place(field, term)
        if place is None:
            raise TermNotFound(f"{field}:{term!r}")
        return self._segment.listed(place)

    def close(self) -> None:
        self._segment.close()


class _DocumentsReader(base.PerDocumentReader):
    def __init__(self, segment: layout.Segment, which: Any) -> None:
        self._segment = segment
        self._which = which

    def doc_count(self) -> int:
        return int(self._which.doc_count())

    def doc_count_all(self) -> int:
        return self._segment.count

    def has_deletions(self) -> bool:
        return bool(self._which.has_deletions())

    def is_deleted(self, docnum: int) -> bool:
        return bool(self._which.is_deleted(docnum))

    def deleted_docs(self) -> Iterable[int]:
        return self._which.deleted_docs()  # type: ignore[no-any-return]

    def supports_columns(self) -> bool:
        return True

    def has_column(self, fieldname: str) -> bool:
        return fieldname == "packed"

    def column_reader(self, _fieldname: str, _column: Any) -> list[bytes]:
        return self._segment.records()

    def doc_field_length(self, _docnum: int, _fieldname: str, default: int = 0) -> int:
        return default

    def stored_fields(self, docnum: int) -> dict[str, bytes]:
        return {"row": self._segment.row(docnum)}

    def close(self) -> None:
        self._segment.close()
