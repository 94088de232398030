"""The writing half of the index: documents in, a list of segments out.

Invariant: loaded only when files have changed. A call leaves either a complete new set
of segments or the old one; no reader sees it before the index's state names its
segments, which `index.py` writes last.
"""

import contextlib
import os
from collections.abc import Iterable, Sequence
from typing import Any

from memcli.entries.entry import ResolutionScope, Status
from memcli.errors import WriteFailed
from memcli.search.document import Document, numbered
from memcli.search.packed_facts import (
    ANSWERS_SHIFT,
    ASKS,
    CONFLICT,
    ONLY_THIS,
    PINNED,
    SPAN,
    Packed,
    pack,
)
from memcli.search.segment import SegmentId
from memcli.search.whoosh_codec import Writer

_STATUS_NUMBER = {status: number for number, status in enumerate(Status)}
# More segments than this are merged; each costs a recall half a millisecond.
_MOST_SEGMENTS = 6
# Larger files are indexed by their beginning: a memory of a megabyte is a mistake
# that must not stop every recall.
_LARGEST = 1_000_000


def update(
    folder: str,
    known: Sequence[SegmentId],
    gone: Iterable[int],
    documents: Iterable[Document],
) -> tuple[SegmentId, ...]:
    """Take documents out by their numbers, add others; returns the segments then.

    The files of segments that are merged away stay until `sweep`.

    Args:
        folder: of the index; it exists.
        known: the segments that the caller's numbers count across.
        gone: numbers of the documents to take out.
        documents: read one by one while they are written.
    """
    writer = Writer(folder, known)
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
    return writer.written


def sweep(folder: str, segments: Iterable[SegmentId], names: Iterable[str]) -> None:
    """Remove files of no segment: those of merged segments and of killed updates.

    Args:
        folder: of the index.
        segments: those that the state names.
        names: of further files that stay.
    """
    import shutil

    prefixes = tuple(segment.file(".") for segment in segments)
    with contextlib.suppress(OSError), os.scandir(folder) as files:
        for file in files:
            if file.name in names or file.name.startswith(prefixes):
                continue
            with contextlib.suppress(OSError):
                if file.is_dir(follow_symlinks=False):
                    shutil.rmtree(file.path, ignore_errors=True)
                else:
                    os.unlink(file.path)


def _write(writer: Any, doc: Any) -> None:
    flags = _STATUS_NUMBER[doc.facts.status]
    flags |= (ASKS if doc.asks else 0) | (SPAN if doc.is_span else 0)
    flags |= doc.answers << ANSWERS_SHIFT
    flags |= PINNED if doc.row.pinned else 0
    flags |= CONFLICT if doc.facts.conflict else 0
    flags |= ONLY_THIS if doc.row.resolution_scope == ResolutionScope.ENTRY else 0
    session, said = doc.exact["session"], doc.exact["claim"]
    packed = Packed(
        order=numbered(doc.row.id + "\0" + doc.row.path),
        session=numbered(session[0]) if session else 0,
        time=doc.time,
        created=doc.facts.created,
        expires=doc.facts.expires,
        ended=doc.facts.ended,
        claim=int(said[0], 16) if said else 0,
        length=min(doc.length, 0xFFFFFFFF),
        seq=max(-1, min(doc.seq, 0x7FFFFFFF)),
        flags=flags,
        project=doc.facts.project,
    )
    exact = doc.exact | {"session": (f"{packed.session:016x}",) if session else ()}
    writer.add_document(
        terms=doc.terms,
        row=doc.row.as_json(),
        packed=pack(packed),
        **exact,
    )


def _merge_policy(writer: Writer, segments: list[Any]) -> list[Any]:
    """Merge the small segments when there are many, and any that is half deleted.

    Small: less than a tenth of the largest, so that a vault of 100,000 entries
    is not rewritten for a handful of saves.
    """

    def live(segment: Any) -> int:
        return int(segment.doc_count_all() - segment.deleted_count())

    largest = max(map(live, segments), default=0)
    stale = [s for s in segments if 2 * s.deleted_count() > s.doc_count_all()]
    small = [s for s in segments if live(s) * 10 <= largest and s not in stale]
    merged = stale + (small if len(segments) - len(stale) >= _MOST_SEGMENTS else [])
    if not small and len(segments) - len(stale) >= _MOST_SEGMENTS:
        merged = list(segments)
    for segment in merged:
        if live(segment):
            writer.absorb(segment)
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
        f"the index at {folder} cannot be written: {reason}; nothing was changed",
        hint="Free space, or make the vault's .memcli folder writable.",
    )
