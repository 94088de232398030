"""A new segment: documents in, its three files out.

Invariant: no library is loaded, so a question that follows a save does not wait for
Whoosh to index one file. `whoosh_codec`, which merges large segments, writes through
`Postings` and `files_of_terms` as well: the same documents give the same bytes.
"""

from __future__ import annotations

import contextlib
import os
from array import array
from functools import cache
from itertools import accumulate

from memcli.search.batch import WEIGHTED
from memcli.search.packed_facts import portable
from memcli.search.segment import (
    DOCUMENTS,
    NUMBER_SIZE,
    POSTINGS,
    TERMS,
    SegmentId,
    documents_file,
    documents_in,
    posting_list,
)
from memcli.search.segment_file import HEADER_SIZE, with_header
from memcli.search.term_table import terms_file

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from memcli.search.batch import Batch, Lists

    _Field = tuple[str, list[bytes], Iterable[bytes], Iterable[bytes] | None]


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
    """Posting lists by term; documents come in order, so no list is ever sorted.

    They are bytes, as the files have them: numbers of documents, and apart from them
    their weights.
    """

    def __init__(self) -> None:
        self._docs: dict[str, dict[bytes, bytes]] = {}
        self._weights: dict[bytes, bytes] = {}

    def add_batch(self, batch: Batch, documents: int) -> None:
        """Add what a batch holds, behind so many documents."""
        for field, lists in batch.lists.items():
            docs = lists.docs
            if documents:
                docs = array("I", [doc + documents for doc in docs])
            self.extend(field, lists._replace(docs=docs))

    def extend(self, field: str, lists: Lists) -> None:
        """Put these documents of each term behind those that are known of it."""
        ends = list(accumulate(map(NUMBER_SIZE.__mul__, lists.counts)))
        _extend(self._docs.setdefault(field, {}), lists.texts, ends, lists.docs)
        if field == WEIGHTED:
            _extend(self._weights, lists.texts, ends, lists.weights)

    def in_order(self) -> Iterator[_Field]:
        """Each field with its terms, and for each of these its documents and weights.

        There are no weights where each is 1.
        """
        for field, docs in sorted(self._docs.items()):
            order = sorted(docs)
            weighted = field == WEIGHTED
            weights = map(self._weights.__getitem__, order) if weighted else None
            yield field, order, map(docs.__getitem__, order), weights


def _extend(
    known: dict[bytes, bytes],
    texts: Iterable[bytes],
    ends: Iterable[int],
    numbers: array[Any],
) -> None:
    """Put the numbers of each term, which end at these bytes, behind the known ones."""
    data = portable(numbers).tobytes()
    start = 0
    for text, end in zip(texts, ends, strict=True):
        known[text] = known.get(text, b"") + data[start:end]
        start = end


def files_of_terms(fields: Iterable[_Field]) -> tuple[bytes, bytes]:
    """The bytes of the file of terms, and of that of their posting lists.

    Args:
        fields: in order, as `Postings.in_order` gives them.
    """
    ends: list[tuple[str, int]] = []
    texts: list[bytes] = []
    lists: list[bytes] = []
    # Five fields have a term of its own for each document, and so the same lists.
    unweighted = cache(posting_list)
    for field, terms, docs, weights in fields:
        texts += terms
        ends.append((field, len(texts)))
        lists += map(posting_list, docs, weights) if weights else map(unweighted, docs)
    counts = array("I", map(documents_in, lists))
    offsets = array("Q", accumulate(map(len, lists), initial=HEADER_SIZE))[:-1]
    table = terms_file(ends, texts, counts, offsets)
    return table, with_header(len(lists), b"".join(lists))
