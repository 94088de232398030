"""Documents that were read one after the other, in the form that a segment has.

Invariant: the same files give the same batch, in every process. `as_line` and
`from_line` carry one over a pipe, as JSON: nothing is executed or unpickled.

Lists of documents are made here, where several processes do it at once; `new_segment`
joins those of each term.
"""

from __future__ import annotations

import struct
from array import array
from collections import defaultdict
from itertools import chain

from memcli.named_tuple import NamedTuple
from memcli.search.term_table import all_encoded

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memcli.search.prepared import Prepared
    from memcli.search.reading import Found
    from memcli.search.triggers import Line

WEIGHTED = "terms"
"""The field whose terms have weights; in all others each weight is 1."""

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


def as_line(batch: Batch) -> bytes:
    """The batch as a line of JSON; `from_line` reads it."""
    import json

    lists = {
        field: (
            _texts(each.texts),
            each.counts.tolist(),
            each.docs.tolist(),
            each.weights.tolist() if field == WEIGHTED else None,
        )
        for field, each in batch.lists.items()
    }
    told = [_texts((line.row, *line.words)) for line in batch.told]
    rows, records = _texts(batch.rows), _texts(batch.records)
    values = (batch.files, batch.recent, batch.broken, told, rows, records, lists)
    return json.dumps(values, separators=(",", ":")).encode("ascii") + b"\n"


def from_line(data: bytes) -> Batch:
    """The batch that `as_line` made this line of.

    Raises:
        ValueError: the line is not whole.
    """
    import json

    from memcli.search.triggers import Line

    files, recent, broken, told, rows, records, lists = json.loads(data)
    lines = [_bytes(texts) for texts in told]
    return Batch(
        files,
        recent,
        {path: (line, reason) for path, (line, reason) in broken.items()},
        [Line(row, tuple(words)) for row, *words in lines],
        _bytes(rows),
        _bytes(records),
        {
            field: Lists(
                _bytes(texts),
                array("I", counts),
                array("I", docs),
                _ones(len(docs)) if weights is None else array("f", weights),
            )
            for field, (texts, counts, docs, weights) in lists.items()
        },
    )


def _texts(parts: Iterable[bytes]) -> list[str]:
    """Bytes as JSON can hold them: a character for each."""
    return [part.decode("latin-1") for part in parts]


def _bytes(texts: Iterable[str]) -> list[bytes]:
    return [text.encode("latin-1") for text in texts]
