"""The writing half of the index: documents in, a list of segments out.

Invariant: loaded only when files have changed. A call leaves either a complete new set
of segments or the old one; no reader sees it before the index's state names its
segments, which `updating.py` writes last.
"""

import contextlib
import os
from collections.abc import Iterable, Sequence
from typing import Any

from memcli.errors import WriteFailed
from memcli.search.prepared import Prepared
from memcli.search.segment import SegmentId
from memcli.search.whoosh_codec import Writer

# More segments than this are merged; each costs a recall half a millisecond.
_MOST_SEGMENTS = 6


def update(
    folder: str,
    known: Sequence[SegmentId],
    gone: Iterable[int],
    documents: Iterable[Prepared],
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
            writer.add_document(
                terms=document.terms,
                row=document.row,
                packed=document.packed,
                **document.exact,
            )
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


def unwritable(folder: str, error: OSError) -> WriteFailed:
    """What to raise when the folder of an index refuses to be written."""
    reason = (error.strerror or str(error)).lower()
    return WriteFailed(
        f"the index at {folder} cannot be written: {reason}; nothing was changed",
        hint="Free space, or make the vault's .memcli folder writable.",
    )
