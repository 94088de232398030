"""How Whoosh writes and merges our segments: a codec, and a writer without a pickle.

Invariant: Whoosh's table of contents is never written and never read, because it is a
pickle. Which segments exist is said by the caller, and a segment is the three files of
`segment.py`. Loaded only when files have changed.
"""

import os
from array import array
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from whoosh import columns, fields, formats
from whoosh.codec import base
from whoosh.codec.whoosh3 import W3Segment
from whoosh.filedb.filestore import FileStorage
from whoosh.matching.mcore import ListMatcher
from whoosh.reading import SegmentReader, TermInfo, TermNotFound
from whoosh.writing import SegmentWriter

from memcli.search import segment as layout
from memcli.search.packed_facts import PACKED_SIZE
from memcli.search.segment import DOCUMENTS, INDEX_NAME, POSTINGS, TERMS, SegmentId
from memcli.search.segment_file import HEADER_SIZE, with_header
from memcli.search.term_table import encoded, terms_file

Posting = tuple[str, bytes, int, float, bytes]

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
    "agent",
    "visibility",
    "project",
    "group",
    "name_said",
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
        self.pool: Any = _Postings()

    def add_document(self, **values: Any) -> None:
        """Add a document: a value for each field that has one.

        Whoosh's own asks of each field again whether it is spelled, stored, scored or a
        vector, which took a fifth of the time of an index.
        """
        self._check_state()
        self.perdocwriter.start_doc(self.docnum)
        self.perdocwriter.keep(values.pop("row"), values.pop("packed"))
        self.pool.add_weighed("terms", values.pop("terms"), self.docnum)
        for field, texts in values.items():
            self.pool.add_weighed(field, dict.fromkeys(texts, 1.0), self.docnum)
        self.perdocwriter.finish_doc()
        self._added = True
        self.docnum += 1

    def absorb(self, which: Any) -> None:
        """Take the live documents of a segment into the one that is being written."""
        reader = SegmentReader(self.storage, self.schema, which)
        self.add_reader(reader)
        reader.close()

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


class _Postings:
    """Collects postings by term; documents come in order, so no list is ever sorted."""

    def __init__(self) -> None:
        self._fields: dict[str, dict[bytes, tuple[array[int], array[float]]]] = {}

    def add(self, posting: Posting) -> None:
        field, term, doc, weight, _ = posting
        terms = self._fields.setdefault(field, {})
        found = terms.get(term)
        if found is None:
            terms[term] = array("I", (doc,)), array("f", (weight,))
        else:
            found[0].append(doc)
            found[1].append(weight)

    def add_weighed(self, field: str, weights: Mapping[str, float], doc: int) -> None:
        """Add what one document holds in a field: its terms with their weights."""
        terms = self._fields.setdefault(field, {})
        for text, weight in weights.items():
            term = text.encode("utf-8", "surrogatepass")
            found = terms.get(term)
            if found is None:
                terms[term] = array("I", (doc,)), array("f", (weight,))
            else:
                found[0].append(doc)
                found[1].append(weight)

    def iter_postings(
        self,
    ) -> Iterator[tuple[str, bytes, "array[int]", "array[float]"]]:
        for field, terms in sorted(self._fields.items()):
            for term in sorted(terms):
                yield field, term, *terms[term]

    def cleanup(self) -> None:
        self._fields.clear()


class _Codec(base.Codec):
    length_stats = False

    def new_segment(self, storage: Any, indexname: str) -> Any:  # noqa: ARG002
        # Whoosh names segments by `random`, which a program may have seeded (property
        # tests do): the same name twice, and a segment was written over another.
        return W3Segment(self, indexname, segid=os.urandom(8).hex())

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
        """Write every term; takes what `_Postings.iter_postings` gives."""
        ends: dict[str, int] = {}
        texts: list[bytes] = []
        lists: list[bytes] = []
        counts, offsets = array("I"), array("Q")
        offset = HEADER_SIZE
        for field, term, docs, weights in items:
            texts.append(term)
            ends[field] = len(texts)
            counts.append(len(docs))
            offsets.append(offset)
            lists.append(layout.posting_list(docs, weights))
            offset += len(lists[-1])
        table = terms_file(list(ends.items()), texts, counts, offsets)
        self._terms.write(table)
        self._postings.write(with_header(len(lists), b"".join(lists)))

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
        records = self._segment.packed()
        return [
            records[start : start + PACKED_SIZE]
            for start in range(0, len(records), PACKED_SIZE)
        ]

    def doc_field_length(self, _docnum: int, _fieldname: str, default: int = 0) -> int:
        return default

    def stored_fields(self, docnum: int) -> dict[str, bytes]:
        return {"row": self._segment.row(docnum)}

    def close(self) -> None:
        self._segment.close()
