"""A new segment: documents in, its three files out.

Invariant: no library is loaded, so a question that follows a save does not wait for
Whoosh to index one file. `whoosh_codec`, which merges large segments, writes through
`Postings` and `files_of_terms` as well: the same documents give the same bytes.
"""

from __future__ import annotations

import contextlib
import os
from array import array
from itertools import accumulate

from memcli.search.batch import WEIGHTED
from memcli.search.segment import (
    DOCUMENTS,
    POSTINGS,
    TERMS,
    SegmentId,
    documents_file,
    posting_list,
)
from memcli.search.segment_file import HEADER_SIZE, with_header
from memcli.search.term_table import terms_file

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from memcli.search.batch import Batch, Lists

    _Item = tuple[str, bytes, array[int], array[float] | None]


def write(folder: str, batches: Iterable[Batch]) -> tuple[SegmentId, ...]:
    """Write documents into a segment of their own; without any, none is written.

    Args:
        folder: of the index; it exists.
        batches: the documents, whose numbers follow each other from 0.

    Raises:
        OSError: the disk refuses a file. Those that were written are gone again.
    """
    postings = Postings()
    records: list[bytes] = []
    rows: list[bytes] = []
    for batch in batches:
        postings.add_batch(batch, len(records))
        records += batch.records
        rows += batch.rows
    if not records:
        return ()
    made = SegmentId(new_name(), len(records), ())
    terms, lists = files_of_terms(postings.in_order())
    contents = {TERMS: terms, POSTINGS: lists, DOCUMENTS: documents_file(records, rows)}
    paths = {end: os.path.join(folder, made.file(end)) for end in contents}
    try:
        for end, path in paths.items():
            with open(path, "wb") as file:
                file.write(contents[end])
    except OSError:
        for path in paths.values():
            with contextlib.suppress(OSError):
                os.unlink(path)
        raise
    return (made,)


def new_name() -> str:
    """A name that no segment has.

    Not by `random`, which a program may have seeded (property tests do): the same name
    came twice, and a segment was written over another.
    """
    return os.urandom(8).hex()


class Postings:
    """Posting lists by term; documents come in order, so no list is ever sorted."""

    def __init__(self) -> None:
        self._docs: dict[str, dict[bytes, array[int]]] = {}
        self._weights: dict[bytes, array[float]] = {}

    def add_batch(self, batch: Batch, documents: int) -> None:
        """Add what a batch holds, behind so many documents."""
        for field, lists in batch.lists.items():
            docs = lists.docs
            if documents:
                docs = array("I", map(documents.__add__, docs))
            _extend(self._docs.setdefault(field, {}), lists, docs)
            if field == WEIGHTED:
                _extend(self._weights, lists, lists.weights)

    def add_one(self, field: str, term: bytes, doc: int, weight: float) -> None:
        """Add one term of a document."""
        terms = self._docs.setdefault(field, {})
        terms.setdefault(term, array("I")).append(doc)
        if field == WEIGHTED:
            self._weights.setdefault(term, array("f")).append(weight)

    def in_order(self) -> Iterator[_Item]:
        """Each term with its field, its documents and their weights."""
        for field, terms in sorted(self._docs.items()):
            weights = self._weights if field == WEIGHTED else {}
            for term in sorted(terms):
                yield field, term, terms[term], weights.get(term)


def _extend(known: dict[bytes, array[Any]], lists: Lists, numbers: array[Any]) -> None:
    """Put the numbers of each term behind those that are known of it."""
    start = 0
    for text, end in zip(lists.texts, accumulate(lists.counts), strict=True):
        before = known.get(text)
        if before is None:
            known[text] = numbers[start:end]
        else:
            before.extend(numbers[start:end])
        start = end


def files_of_terms(items: Iterable[_Item]) -> tuple[bytes, bytes]:
    """The bytes of the file of terms, and of that of their posting lists.

    Args:
        items: field, term, documents and weights, in order; no weights where each is 1.
    """
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
        lists.append(posting_list(docs, weights))
        offset += len(lists[-1])
    table = terms_file(list(ends.items()), texts, counts, offsets)
    return table, with_header(len(lists), b"".join(lists))
