"""A new segment: documents in, its three files out.

Invariant: no library is loaded, so a question that follows a save does not wait for
Whoosh to index one file. `whoosh_codec`, which merges large segments, writes through
`Postings` and `files_of_terms` as well: the same documents give the same bytes.
"""

from __future__ import annotations

import contextlib
import os
from array import array

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

    from memcli.search.batch import Batch


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
        self._fields: dict[str, dict[bytes, tuple[array[int], array[float]]]] = {}

    def add_batch(self, batch: Batch, documents: int) -> None:
        """Add what a batch holds, behind so many documents."""
        for field, lists in batch.lists.items():
            terms = self._fields.setdefault(field, {})
            for text, docs, weights in lists.behind(documents):
                known = terms.get(text)
                if known is None:
                    terms[text] = docs, weights
                else:
                    known[0].extend(docs)
                    known[1].extend(weights)

    def add_one(self, field: str, term: bytes, doc: int, weight: float) -> None:
        """Add one term of a document."""
        found = self._fields.setdefault(field, {}).setdefault(
            term, (array("I"), array("f"))
        )
        found[0].append(doc)
        found[1].append(weight)

    def in_order(
        self,
    ) -> Iterator[tuple[str, bytes, array[int], array[float]]]:
        """Each term with its field, its documents and their weights."""
        for field, terms in sorted(self._fields.items()):
            for term in sorted(terms):
                yield field, term, *terms[term]


def files_of_terms(
    items: Iterable[tuple[str, bytes, array[int], array[float]]],
) -> tuple[bytes, bytes]:
    """The bytes of the file of terms, and of that of their posting lists."""
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
