"""The documents of a segment that are live, to be written into another one.

Invariant: a segment of them has the bytes that Whoosh's merge would give it. Whoosh
merges what is large; to load it takes longer than to take hundreds of documents over.
"""

from __future__ import annotations

from array import array
from itertools import accumulate, compress

from memcli.search.batch import Batch, Lists
from memcli.search.segment import Segment, SegmentId


def live_documents(folder: str, which: SegmentId) -> Batch:
    """The live documents of a segment, as if their files had just been read.

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
