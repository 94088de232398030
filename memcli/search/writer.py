"""The writing half of the index: documents in, a list of segments out.

Invariant: loaded only when files have changed. Whoosh merges segments of thousands of
documents, and is loaded for nothing else: a few are merged here with those that are
new. A call leaves either a complete new set of segments or the old one; no
reader sees it before the index's state names its segments, which `updating.py` writes
last.
"""

from __future__ import annotations

import contextlib
import os
from array import array
from bisect import bisect_right
from itertools import accumulate, chain, compress

from memcli.errors import WriteFailed
from memcli.search import new_segment
from memcli.search.batch import Batch, Lists
from memcli.search.segment import Segment

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.search.segment import SegmentId

# More segments than this are merged; each costs a recall half a millisecond.
_MOST_SEGMENTS = 6
# So many documents of other segments are written again without Whoosh: that takes half
# the time, and a fifth of it for a few. The index itself is Whoosh's to merge.
_FEW = 1_000


def update(
    folder: str,
    known: Sequence[SegmentId],
    gone: Iterable[int],
    batches: Iterable[Batch],
) -> tuple[SegmentId, ...]:
    """Take documents out by their numbers, add others; returns the segments then.

    The files of segments that are merged away stay until `sweep`.

    Args:
        folder: of the index; it exists.
        known: the segments that the caller's numbers count across.
        gone: numbers of the documents to take out.
        batches: the documents to add, taken one by one while they are written.
    """
    kept = without(known, gone)
    merged = to_merge(kept)
    if sum(segment.live for segment in merged) <= _FEW:
        staying = tuple(segment for segment in kept if segment not in merged)
        old = (live_documents(folder, one) for one in merged if one.live)
        return (*staying, *new_segment.write(folder, chain(batches, old)))
    from memcli.search.whoosh_codec import Writer

    writer = Writer(folder, kept)
    try:
        for batch in batches:
            writer.add_batch(batch)
        writer.commit_with({segment.name for segment in merged})
    except BaseException:
        if not writer.is_closed:
            writer.cancel()
        raise
    return writer.written


def live_documents(folder: str, which: SegmentId) -> Batch:
    """The live documents of a segment, as if their files had just been read.

    A segment of them has the bytes that Whoosh's merge would give it. Whoosh takes
    longer to load than it takes to take hundreds of documents over.

    Raises:
        Damaged, OSError: its files are not there, or not what was written.
    """
    segment = Segment(folder, which, 0)
    try:
        return _batch(segment)
    finally:
        segment.close()


def _batch(segment: Segment) -> Batch:
    live = segment.live
    numbers = list(compress(range(segment.count), live))
    # A document's number among those that are live.
    place = list(accumulate(live, initial=0)).__getitem__
    lists: dict[str, Lists] = {}
    for field, text, at in segment.terms():
        docs, weights = segment.listed(at)
        held = bytes(map(live.__getitem__, docs))
        if not any(held):
            continue
        of_field = lists.get(field)
        if of_field is None:
            of_field = lists[field] = Lists([], array("I"), array("I"), array("f"))
        of_field.texts.append(text)
        of_field.counts.append(held.count(1))
        of_field.docs.extend(map(place, compress(docs, held)))
        of_field.weights.extend(compress(weights, held))
    return Batch(
        files=len(numbers),
        recent={},
        broken={},
        told=[],
        rows=[segment.row(doc) for doc in numbers],
        records=list(compress(segment.records(), live)),
        lists=lists,
    )


def without(known: Sequence[SegmentId], gone: Iterable[int]) -> list[SegmentId]:
    """The segments after documents were taken out, by their numbers across all."""
    ends = list(accumulate(segment.documents for segment in known))
    deleted = [set(segment.deleted) for segment in known]
    for doc in gone:
        place = bisect_right(ends, doc)
        deleted[place].add(doc - ends[place] + known[place].documents)
    return [
        segment._replace(deleted=tuple(sorted(numbers)))
        for segment, numbers in zip(known, deleted, strict=True)
    ]


def to_merge(segments: Sequence[SegmentId]) -> list[SegmentId]:
    """The segments to merge: the small ones when there are many, and half deleted ones.

    Small: less than a tenth of the largest, so that a vault of 100,000 entries
    is not rewritten for a handful of saves.
    """
    largest = max((segment.live for segment in segments), default=0)
    stale = [s for s in segments if 2 * len(s.deleted) > s.documents]
    small = [s for s in segments if s.live * 10 <= largest and s not in stale]
    many = len(segments) - len(stale) >= _MOST_SEGMENTS
    if many and not small:
        return list(segments)
    return stale + (small if many else [])


def sweep(folder: str, segments: Iterable[SegmentId], names: Iterable[str]) -> None:
    """Remove files of no segment: those of merged segments and of killed updates.

    Args:
        folder: of the index.
        segments: those that the state names.
        names: of further files that stay.
    """
    prefixes = tuple(segment.file(".") for segment in segments)
    with contextlib.suppress(OSError), os.scandir(folder) as files:
        for file in files:
            if file.name in names or file.name.startswith(prefixes):
                continue
            with contextlib.suppress(OSError):
                if file.is_dir(follow_symlinks=False):
                    import shutil  # loads bz2 and lzma: 3 ms of every update

                    shutil.rmtree(file.path, ignore_errors=True)
                else:
                    os.unlink(file.path)


def unwritable(folder: str, error: OSError) -> WriteFailed:
    """What to raise when the folder of an index refuses to be written."""
    reason = (error.strerror or str(error)).lower()
    return WriteFailed(
        f"the index at {folder} cannot be written: {reason}; nothing was changed",
        hint="Free space, or make the vault's .memcli folder writable.",
    )
