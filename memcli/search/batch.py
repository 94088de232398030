"""Documents that were read one after the other, in the form that a segment has.

Invariant: the same files give the same batch, in every process. `as_bytes` and
`from_bytes` carry one over a pipe as texts and plain numbers with a checksum: nothing
is executed or unpickled, and bytes of anything else raise ValueError.

Lists of documents are made here, where several processes do it at once; `new_segment`
joins those of each term.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from collections import defaultdict
from itertools import accumulate, chain, pairwise

from memcli.named_tuple import NamedTuple
from memcli.search.packed_facts import PACKED_SIZE
from memcli.search.term_table import all_encoded

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from memcli.search.prepared import Prepared
    from memcli.search.reading import Found
    from memcli.search.triggers import Line

WEIGHTED = "terms"
"""The field whose terms have weights; in all others each weight is 1."""

_NUMBER = struct.Struct("<I")
_ONE = struct.pack("=f", 1.0)


class Lists(NamedTuple):
    """The posting lists of a field.

    Attributes:
        texts: its terms, in order.
        counts: how many documents hold each.
        docs: the numbers of these documents in the batch, one list behind the other.
        weights: as many.
    """

    texts: list[bytes]
    counts: array[int]
    docs: array[int]
    weights: array[float]


class Batch(NamedTuple):
    """What some files hold.

    Attributes:
        files: how many files were read, those that are no entries included.
        recent: the content numbers of those that may change unseen, by path.
        broken: the line and reason of those that are no entries, by path.
        told: what sessions are told of some documents.
        rows: a row for each document, as JSON.
        records: a packed record for each.
        lists: the posting lists of each field that has some.
    """

    files: int
    recent: dict[str, int]
    broken: dict[str, tuple[int, str]]
    told: list[Line]
    rows: list[bytes]
    records: list[bytes]
    lists: dict[str, Lists]


def collected(found: Iterable[Found]) -> Batch:
    """What was found in some files, as a batch."""
    recent: dict[str, int] = {}
    broken: dict[str, tuple[int, str]] = {}
    told: list[Line] = []
    files = 0

    def documents() -> Iterator[Prepared]:
        # One at a time: those of large files take a hundred megabytes together.
        nonlocal files
        for each in found:
            files += 1
            if each.number is not None:
                recent[each.path] = each.number
            if each.broken is not None:
                broken[each.path] = each.broken
            if each.told is not None:
                told.append(each.told)
            if each.document is not None:
                yield each.document

    batch = batch_of(documents())
    return batch._replace(files=files, recent=recent, broken=broken, told=told)


def batch_of(documents: Iterable[Prepared]) -> Batch:
    """Documents as a batch, as if each came from a file that nobody changes."""
    rows: list[bytes] = []
    records: list[bytes] = []
    # A term's documents with its weights, in turn.
    weighted: dict[str, list[float]] = {}
    fields: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, document in enumerate(documents):
        for text, weight in document.terms.items():
            known = weighted.get(text)
            if known is None:
                weighted[text] = [number, weight]
            else:
                known += (number, weight)
        for field, texts in document.exact.items():
            if texts:
                terms = fields[field]
                for text in texts if len(texts) == 1 else dict.fromkeys(texts):
                    terms[text].append(number)
        rows.append(document.row)
        records.append(document.packed)
    lists = {field: _unweighted(terms) for field, terms in sorted(fields.items())}
    if weighted:
        order = sorted(weighted)
        each = list(map(weighted.__getitem__, order))
        every = list(chain.from_iterable(each))
        lists[WEIGHTED] = Lists(
            all_encoded(order),
            array("I", [len(both) // 2 for both in each]),
            array("I", every[::2]),  # type: ignore[arg-type]
            array("f", every[1::2]),
        )
    return Batch(len(rows), {}, {}, [], rows, records, lists)


def _unweighted(terms: Mapping[str, list[int]]) -> Lists:
    order = sorted(terms)
    each = list(map(terms.__getitem__, order))
    docs = array("I", chain.from_iterable(each))
    return Lists(all_encoded(order), array("I", map(len, each)), docs, _ones(len(docs)))


def _ones(count: int) -> array[float]:
    return array("f", _ONE * count)


# --- over a pipe -------------------------------------------------------------------


def as_bytes(batch: Batch) -> bytes:
    """The bytes of a batch; `from_bytes` reads them."""
    import json

    sizes = [
        (field, len(lists.texts), len(lists.docs))
        for field, lists in batch.lists.items()
    ]
    plain = (batch.files, batch.recent, batch.broken, len(batch.rows), sizes)
    head = json.dumps(plain, separators=(",", ":")).encode("ascii")
    told = [b"\n".join((line.row, *line.words)) for line in batch.told]
    parts = [_NUMBER.pack(len(head)), head, _NUMBER.pack(len(told))]
    parts += (_lengths(told), *told, _lengths(batch.rows), *batch.rows)
    parts += batch.records
    for field, lists in batch.lists.items():
        parts += (_lengths(lists.texts), *lists.texts)
        parts += (lists.counts.tobytes(), lists.docs.tobytes())
        if field == WEIGHTED:
            parts.append(lists.weights.tobytes())
    body = b"".join(parts)
    return _NUMBER.pack(zlib.crc32(body)) + body


def from_bytes(data: bytes) -> Batch:
    """The batch that `as_bytes` made these bytes of.

    Raises:
        ValueError: it made other bytes.
    """
    import json

    from memcli.search.triggers import Line

    place = _NUMBER.size
    if data[:place] != _NUMBER.pack(zlib.crc32(memoryview(data)[place:])):
        raise ValueError("not the bytes of a batch")

    def taken(length: int) -> bytes:
        nonlocal place
        place += length
        return data[place - length : place]

    def number() -> int:
        return int.from_bytes(taken(_NUMBER.size), "little")

    def numbers(kind: str, count: int) -> array[Any]:
        made: array[Any] = array(kind)
        made.frombytes(taken(made.itemsize * count))
        return made

    def texts(count: int) -> list[bytes]:
        ends = list(accumulate(numbers("I", count), initial=0))
        whole = taken(ends[-1])
        return [whole[start:end] for start, end in pairwise(ends)]

    files, recent, broken, documents, sizes = json.loads(taken(number()))
    told = [line.split(b"\n") for line in texts(number())]
    rows = texts(documents)
    records = [taken(PACKED_SIZE) for _ in rows]
    lists = {
        field: Lists(
            texts(terms),
            numbers("I", terms),
            numbers("I", postings),
            numbers("f", postings) if field == WEIGHTED else _ones(postings),
        )
        for field, terms, postings in sizes
    }
    return Batch(
        files,
        recent,
        {path: (line, reason) for path, (line, reason) in broken.items()},
        [Line(row, tuple(words)) for row, *words in told],
        rows,
        records,
        lists,
    )


def _lengths(parts: list[bytes]) -> bytes:
    return array("I", map(len, parts)).tobytes()
