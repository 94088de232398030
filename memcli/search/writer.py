"""The writing half of the Whoosh index: documents in, a list of segments out.

Invariant: loaded only when files have changed. A call either leaves a complete new
set of segments or the old one; nobody reads it before its segments are named in the
index's state, which `index.py` writes last.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any

from whoosh import fields, formats, index

from memcli.entries.entry import Status
from memcli.errors import WriteFailed
from memcli.search.document import Document, numbered
from memcli.search.whoosh_codec import (
    ASKS,
    INDEX_NAME,
    PINNED,
    SPAN,
    ArrayCodec,
    Packed,
    PackedColumn,
    SegmentId,
    encoded,
    pack,
)

_STATUS_NUMBER = {status: number for number, status in enumerate(Status)}
# More segments than this are merged; each costs a recall half a millisecond.
_MOST_SEGMENTS = 6
# Documents that Whoosh sorts in memory, in megabytes of postings.
_MEMORY = 512
# Larger files are indexed by their beginning: a memory of a megabyte is a mistake
# that must not stop every recall.
_LARGEST = 1_000_000


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
        super().__init__(PackedColumn())


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
    "supersedes",
    "superseded_by",
    "evidence",
    "item",
    "agent",
    "visibility",
    "group",
)


def _schema() -> Any:
    exact = {name: _ExactField() for name in EXACT}
    return fields.Schema(
        terms=_TermsField(), row=fields.STORED(), packed=_PackedField(), **exact
    )


def create(folder: str) -> None:
    """Make an empty index in a folder that exists."""
    index.create_in(folder, _schema(), indexname=INDEX_NAME)


class Interrupted(Exception):
    """The folder holds other segments than the caller knows: an update was killed."""


def update(
    folder: str,
    known: Sequence[SegmentId],
    gone: Iterable[int],
    documents: Iterable[Document],
) -> tuple[SegmentId, ...]:
    """Take documents out by their numbers, add others; returns the segments then.

    Args:
        folder: where `create` made an index.
        known: the segments that the caller's numbers count across.
        gone: numbers of the documents to take out.
        documents: read one by one while they are written.

    Raises:
        Interrupted: the folder's segments are not the known ones.
    """
    try:
        whoosh = index.open_dir(folder, indexname=INDEX_NAME)
    except Exception as error:
        raise Interrupted(f"{type(error).__name__}: {error}") from error
    if _segments(whoosh) != tuple(known):
        raise Interrupted("an update of it was interrupted")
    # Not compound: Whoosh copies the parts of a compound file to read them.
    writer: Any = whoosh.writer(codec=ArrayCodec(), limitmb=_MEMORY, compound=False)
    try:
        for doc in gone:
            writer.delete_document(doc)
        for document in documents:
            _write(writer, document)
        writer.commit(mergetype=_merge_policy)
    except BaseException:
        if not writer.is_closed:
            writer.cancel()
        raise
    return _segments(whoosh)


def _segments(whoosh: Any) -> tuple[SegmentId, ...]:
    reader = whoosh.reader()
    try:
        return tuple(
            SegmentId(
                segment.segment_id().removeprefix(INDEX_NAME + "_"),
                segment.doc_count_all(),
                tuple(sorted(segment.deleted_docs())),
            )
            for segment in reader.segments() or ()
            if segment.doc_count_all()  # Whoosh writes no column for nothing
        )
    finally:
        reader.close()


def _write(writer: Any, doc: Document) -> None:
    flags = _STATUS_NUMBER[doc.facts.status]
    flags |= (ASKS if doc.asks else 0) | (SPAN if doc.is_span else 0)
    flags |= PINNED if doc.row.pinned else 0
    session = doc.exact["session"]
    packed = Packed(
        order=numbered(doc.row.id + "\0" + doc.row.path),
        session=numbered(session[0]) if session else 0,
        time=doc.time,
        created=doc.facts.created,
        expires=doc.facts.expires,
        ended=doc.facts.ended,
        length=min(doc.length, 0xFFFFFFFF),
        seq=max(-1, min(doc.seq, 0x7FFFFFFF)),
        flags=flags,
    )
    exact = doc.exact | {"session": (f"{packed.session:016x}",) if session else ()}
    writer.add_document(
        terms=doc.terms, row=doc.row.as_plain(), packed=pack(packed), **exact
    )


def _merge_policy(writer: Any, segments: list[Any]) -> list[Any]:
    """Merge the small segments when there are many, and any that is half deleted.

    Small: less than a tenth of the largest, so that a vault of 100,000 entries
    is not rewritten for a handful of saves.
    """
    from whoosh.reading import SegmentReader

    def live(segment: Any) -> int:
        return int(segment.doc_count_all() - segment.deleted_count())

    largest = max(map(live, segments), default=0)
    stale = [s for s in segments if 2 * s.deleted_count() > s.doc_count_all()]
    small = [s for s in segments if live(s) * 10 <= largest and s not in stale]
    merged = stale + (small if len(segments) - len(stale) >= _MOST_SEGMENTS else [])
    if not small and len(segments) - len(stale) >= _MOST_SEGMENTS:
        merged = list(segments)
    for segment in merged:
        if not live(segment):
            continue
        reader = SegmentReader(writer.storage, writer.schema, segment)
        writer.add_reader(reader)
        reader.close()
    return [s for s in segments if s not in merged]


def beginning(data: bytes) -> bytes:
    """The data, cut before the limit at the end of a character."""
    if len(data) <= _LARGEST:
        return data
    return data[:_LARGEST].decode("utf-8", "ignore").encode()


def unwritable(folder: str, error: OSError) -> WriteFailed:
    """What to raise when the folder of an index refuses to be written."""
    reason = (error.strerror or str(error)).lower()
    return WriteFailed(
        f"the index at {folder} cannot be written: {reason}",
        hint="Free space, or make the vault's .memcli folder writable.",
    )
