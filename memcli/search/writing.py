"""Writing the tables of an index: the part of the codec that knows no Whoosh.

Invariant: called by Whoosh's `SegmentWriter` alone, in one transaction. A document that
goes is taken out of each list that it is on, so nothing of it is left.
"""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_left

from memcli.search.store import (
    NUMBERS,
    TYPECODES,
    WEIGHTED,
    Sums,
    encoded,
    packed,
    posting_list,
    sealed,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from sqlite3 import Connection
    from typing import Any

    from memcli.search.store import Listed, Store

    Posting = tuple[str, bytes, int, float, bytes]

_READ = "SELECT n, data, crc FROM posting WHERE field = ? AND text = ?"
_DELETE = "DELETE FROM posting WHERE field = ? AND text = ?"
_WRITE = "REPLACE INTO posting VALUES (?, ?, ?, ?, ?)"


def packed_lists(values: Mapping[str, Iterable[str]]) -> bytes:
    """The lists that a document is on, by field its terms or values, packed;
    `lists_of` reads them."""
    import json

    data = {field: [*texts] for field, texts in values.items()}
    return packed(json.dumps(data, separators=(",", ":")).encode("ascii"))


def lists_of(data: bytes) -> list[tuple[str, bytes]]:
    """The lists that a document is on, as fields and terms."""
    import json

    lists = json.loads(zlib.decompress(data))
    return [(field, encoded(text)) for field, texts in lists.items() for text in texts]


class Tables:
    """The changes of one writer: Whoosh's pool of postings, and the codec's writer of
    documents and of fields. `close` writes them.

    Attributes:
        db: the database.
        gone: the documents that are deleted, each with the lists that it is on.
        lists: the `packed_lists` of the document that is added.
        sums: those over all documents, after `close`.
    """

    def __init__(
        self, db: Connection, store: Store, gone: Mapping[int, list[tuple[str, bytes]]]
    ) -> None:
        self.db, self._store, self.gone = db, store, gone
        self.is_closed, self.lists, self.sums = False, b"", store.sums
        self._rows: dict[int, tuple[int, bytes, bytes]] = {}
        self._facts: dict[str, dict[int, int]] = {name: {} for name in TYPECODES}
        self._lists: dict[tuple[str, bytes], Listed] = {}

    def start_doc(self, docnum: int) -> None:
        """Begin a document."""
        self._doc = docnum

    def add(self, posting: Posting) -> None:
        """Add a posting; documents come in order."""
        field, text, doc, weight, _ = posting
        known = self._lists.get((field, text))
        if known is None:
            known = self._lists[field, text] = array("I"), array("f")
        known[0].append(doc)
        known[1].append(weight)

    def add_field(self, fieldname: str, _field: Any, value: Any, _length: int) -> None:
        """Keep what is stored of a field."""
        if fieldname == "row":
            self._rows[self._doc] = self._doc, packed(value), self.lists

    def add_column_value(self, fieldname: str, _column: Any, value: int) -> None:
        """Keep a fact."""
        self._facts[fieldname][self._doc] = value

    def _nothing(self, *_: object) -> tuple[()]:
        """Nothing is left to do where Whoosh calls the parts of a writer in turn."""
        return ()

    finish_doc = cancel_doc = iter_postings = add_postings = cleanup = _nothing

    def close(self) -> None:
        """Write all of it, and take away what is gone."""
        if self.is_closed:
            return
        self.is_closed = True
        gone = [doc for doc in self.gone if doc not in self._rows]
        self.db.executemany("DELETE FROM doc WHERE id = ?", ((doc,) for doc in gone))
        rows = self._rows.values()
        self.db.executemany("REPLACE INTO doc VALUES (?, ?, ?)", rows)
        self._write_facts(dict.fromkeys(gone, 0))
        leaving: dict[tuple[str, bytes], list[int]] = {}
        for doc, lists in self.gone.items():
            for each in lists:
                leaving.setdefault(each, []).append(doc)
        for each in sorted({*self._lists, *leaving}):
            self._write_list(*each, leaving.get(each, ()))

    def _write_facts(self, gone: Mapping[int, int]) -> None:
        columns = {}
        for name, facts in self._facts.items():
            columns[name] = numbers = self._store.column(name)
            for doc, value in {**gone, **facts}.items():
                if doc >= len(numbers):
                    numbers.extend([0] * (doc + 1 - len(numbers)))
                numbers[doc] = value
            row = (name, *sealed(numbers.tobytes()))
            self.db.execute("REPLACE INTO fact VALUES (?, ?, ?)", row)
        orders, length = columns["orders"], sum(columns["lengths"])
        self.sums = Sums(len(orders) - orders.count(0), len(orders), length)

    def _write_list(self, field: str, text: bytes, gone: Iterable[int]) -> None:
        """Write a list as it is now; one that is empty is deleted."""
        key = NUMBERS[field], text
        docs, weights = self._lists.get((field, text), (array("I"), array("f")))
        for row in self.db.execute(_READ, key) if self._store.sums.end else ():
            added = zip(docs, weights, strict=True)
            docs, weights = posting_list(field, *row)
            for doc in gone:
                at = bisect_left(docs, doc)
                if at < len(docs) and docs[at] == doc:
                    del docs[at], weights[at]
            for doc, weight in added:
                at = bisect_left(docs, doc)
                docs.insert(at, doc)
                weights.insert(at, weight)
        if not docs:
            self.db.execute(_DELETE, key)
            return
        data = docs.tobytes() + (weights.tobytes() if field == WEIGHTED else b"")
        self.db.execute(_WRITE, (*key, len(docs), *sealed(data)))
