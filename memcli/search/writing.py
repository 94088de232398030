"""Writing the tables of an index: the parts of the codec that know no Whoosh.

Invariant: called by Whoosh's `SegmentWriter` alone, in one transaction. A document that
goes is taken out of each list that it is on, so nothing of it is left.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from functools import reduce
from itertools import groupby
from operator import itemgetter, or_

from memcli.search.store import (
    BLOCK,
    NUMBERS,
    TYPECODES,
    WEIGHTED,
    Sums,
    checked,
    encoded,
    packed,
    posting_list,
    sealed,
    unpacked,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from sqlite3 import Connection
    from typing import Any

    Posting = tuple[str, bytes, int, float, bytes]
    List = tuple[str, bytes, list[int], list[float]]

_READ = "SELECT n, data, crc FROM posting WHERE field = ? AND text = ? AND block = ?"
_DELETE = "DELETE FROM posting WHERE field = ? AND text = ? AND block = ?"
_WRITE = "REPLACE INTO posting VALUES (?, ?, ?, ?, ?, ?)"


def packed_lists(values: Mapping[str, Iterable[str]], row: bytes) -> bytes:
    """The lists that a document is on, packed; `lists_of` reads them.

    Args:
        values: by field its terms or values.
        row: the document's row, which holds most of them, too.
    """
    import json

    data = {field: [*texts] for field, texts in values.items()}
    return packed(json.dumps(data, separators=(",", ":")).encode("ascii"), row)


def lists_of(lists: bytes, row: bytes) -> list[tuple[str, bytes]]:
    """The lists that a document is on, as fields and terms, of its packed row."""
    import json

    data = json.loads(unpacked(lists, unpacked(row)))
    return [(field, encoded(text)) for field, texts in data.items() for text in texts]


def summed(db: Connection) -> Sums:
    """The sums over all documents."""
    column = {}
    for name in ("orders", "lengths", "flags", "expires", "projects"):
        column[name] = array(TYPECODES[name])
        sql = "SELECT data, crc FROM fact WHERE name = ? ORDER BY block"
        for data, crc in db.execute(sql, (name,)):
            column[name].frombytes(checked(data, crc))

    def bits(name: str) -> int:
        return reduce(or_, {*column[name]}, 0)

    orders = column["orders"]
    return Sums(
        len(orders) - orders.count(0),
        len(orders),
        sum(column["lengths"]),
        bits("flags"),
        bits("expires"),
        bits("projects"),
    )


class Pool:
    """The postings of a writer by term, in the order of documents."""

    def __init__(self) -> None:
        self._lists: dict[tuple[str, bytes], list[Any]] = {}

    def add(self, posting: Posting) -> None:
        """Add a posting."""
        field, text, doc, weight, _ = posting
        known = self._lists.get((field, text))
        if known is None:
            self._lists[field, text] = [doc, weight]
        else:
            known += (doc, weight)

    def iter_postings(self) -> Iterator[List]:
        """Every list, in order of field and term."""
        for (field, text), both in sorted(self._lists.items()):
            yield field, text, both[::2], both[1::2]

    def cleanup(self) -> None:
        """Forget everything."""
        self._lists = {}


class Documents:
    """The codec's writer of rows and facts.

    Attributes:
        segment: says which documents are gone.
        lists: the `packed_lists` of the document that is added.
    """

    def __init__(self, db: Connection, segment: Any) -> None:
        self._db, self.segment, self.is_closed = db, segment, False
        self.lists = b""
        self._rows: dict[int, tuple[int, bytes, bytes]] = {}
        self._facts: dict[str, dict[int, int]] = {name: {} for name in TYPECODES}

    def start_doc(self, docnum: int) -> None:
        """Begin a document."""
        self._doc = docnum

    def add_field(self, fieldname: str, _field: Any, value: Any, _length: int) -> None:
        """Keep what is stored of a field."""
        if fieldname == "row":
            self._rows[self._doc] = self._doc, packed(value), self.lists

    def add_column_value(self, fieldname: str, _column: Any, value: int) -> None:
        """Keep a fact."""
        self._facts[fieldname][self._doc] = value

    def finish_doc(self) -> None:
        """End a document."""

    def cancel_doc(self) -> None:
        """Drop a document that could not be added; the transaction is cancelled."""

    def close(self) -> None:
        """Write all of it, and take away what is gone."""
        self.is_closed = True
        gone = [doc for doc in self.segment.gone if doc not in self._rows]
        self._db.executemany("DELETE FROM doc WHERE id = ?", ((doc,) for doc in gone))
        rows = self._rows.values()
        self._db.executemany("REPLACE INTO doc VALUES (?, ?, ?)", rows)
        for name, facts in self._facts.items():
            self._write(name, {**dict.fromkeys(gone, 0), **facts})

    def _write(self, name: str, facts: Mapping[int, int]) -> None:
        for block, docs in groupby(sorted(facts), lambda doc: doc // BLOCK):
            numbers = array(TYPECODES[name])
            sql = "SELECT data, crc FROM fact WHERE name = ? AND block = ?"
            for data, crc in self._db.execute(sql, (name, block)):
                numbers.frombytes(checked(data, crc))
            for doc in docs:
                place = doc - block * BLOCK
                if place >= len(numbers):
                    numbers.extend([0] * (place + 1 - len(numbers)))
                numbers[place] = facts[doc]
            row = (name, block, *sealed(numbers.tobytes()))
            self._db.execute("REPLACE INTO fact VALUES (?, ?, ?, ?)", row)


class Lists:
    """The codec's writer of posting lists.

    Attributes:
        segment: says which documents are gone.
    """

    def __init__(self, db: Connection, segment: Any) -> None:
        self._db, self.segment, self.is_closed = db, segment, False

    def add_postings(self, _schema: Any, _lengths: Any, items: Iterable[List]) -> None:
        """Put documents on their lists, and take those that are gone off theirs."""
        out: dict[tuple[str, bytes], list[int]] = {}
        for doc in sorted(self.segment.gone):
            for each in self.segment.gone[doc]:
                out.setdefault(each, []).append(doc)
        self.segment.gone = {}
        for field, lists in groupby(items, itemgetter(0)):
            rows: list[tuple[Any, ...]] = []
            for _, text, docs, weights in lists:
                gone = out.pop((field, text), ())
                rows += self._merged(field, text, gone, docs, weights)
            self._db.executemany(_WRITE, rows)
        rows = [
            row
            for (field, text), gone in out.items()
            for row in self._merged(field, text, gone, (), ())
        ]
        self._db.executemany(_WRITE, rows)

    def _merged(
        self,
        field: str,
        text: bytes,
        gone: Sequence[int],
        docs: Sequence[int],
        weights: Sequence[float],
    ) -> Iterator[tuple[Any, ...]]:
        """The rows of a list that change; one that is empty now is deleted."""
        number = NUMBERS[field]
        for block in sorted({doc // BLOCK for doc in (*gone, *docs)}):
            base = block * BLOCK
            first, end = bisect_left(docs, base), bisect_left(docs, base + BLOCK)
            new, counts = docs[first:end], weights[first:end]
            held, known = self._held(number, text, block)
            for doc in gone:
                at = bisect_left(held, doc)
                if at < len(held) and held[at] == doc:
                    del held[at], known[at]
            # Those of a first index, and of what was added last, come behind all.
            if held and new and new[0] < held[-1]:
                for doc, count in zip(new, counts, strict=True):
                    at = bisect_left(held, doc)
                    held.insert(at, doc)
                    known.insert(at, count)
            else:
                held.extend(new)
                known.extend(counts)
            if not held:
                self._db.execute(_DELETE, (number, text, block))
                continue
            data = array("H", [doc - base for doc in held]).tobytes()
            if field == WEIGHTED:
                data += known.tobytes()
            yield number, text, block, len(held), *sealed(data)

    def _held(
        self, number: int, text: bytes, block: int
    ) -> tuple[array[int], array[float]]:
        """The documents of a block of a list as it is written, and their weights."""
        if self.segment.sums.end:
            for n, data, crc in self._db.execute(_READ, (number, text, block)):
                return posting_list(number, block, n, checked(data, crc))
        return array("I"), array("f")

    def close(self) -> None:
        """Write what no list was written for."""
        self.is_closed = True
        if self.segment.gone:
            self.add_postings(None, None, ())
