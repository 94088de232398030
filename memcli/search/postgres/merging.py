"""The lists of a vault, with what is staged and without what is gone.

Invariant: afterwards a list holds exactly the documents whose field has its value, in
the order of their numbers; no list is empty. It works bucket by bucket, so that a
publish of a million entries holds some 64,000 of them at a time.
"""

from __future__ import annotations

from collections import defaultdict

from memcli.search.postgres import levels
from memcli.search.postgres.packing import (
    NUMBER,
    Postings,
    cut,
    key,
    signed,
    unsigned,
    words_of,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from memcli.search.postgres.connection import Database

COUNTED = frozenset(
    NUMBER[field]
    for field in (
        "terms",
        "kind",
        "type",
        "layer",
        "status",
        "tag",
        "project",
        "entity",
        "agent",
        "visibility",
        "group",
        "item",
        "link",
        "evidence",
        "name_said",
        "possible_name",
        "entity_name",
        "check",
    )
)
"""The fields whose lists are also counted: those of which one value has many."""

_TERMS = NUMBER["terms"]

_Key = tuple[int, bytes, int]  # field, value, access


class Merging:
    """Brings the lists of one vault up to date, within a transaction.

    Args:
        database: holds the temporary tables `gone` and `touched`.
        vault: its number.
        bits: those of a document's number that say its bucket.
        fresh: there are no lists yet.
    """

    def __init__(
        self, database: Database, vault: int, bits: int, *, fresh: bool
    ) -> None:
        self._database = database
        self._vault = vault
        self._bits = bits
        self._fresh = fresh

    def merge(self, bucket: int) -> None:
        """Write the lists of one bucket that change."""
        gone: defaultdict[_Key, list[int]] = defaultdict(list)
        if not self._fresh:
            for doc, access, _, words, exact in self._rows(_OLD, *self._range(bucket)):
                for field, value, _ in _values(words, exact):
                    gone[field, value, access].append(unsigned(doc))
        more: defaultdict[_Key, list[tuple[int, float, int]]] = defaultdict(list)
        for doc, access, length, words, exact in self._rows(_NEW, bucket):
            number = unsigned(doc)
            for field, value, weight in _values(words, exact):
                posting = (number, weight, length if field == _TERMS else -1)
                more[field, value, access].append(posting)
        if gone or more:
            self._write(bucket, gone, more)

    def _write(
        self,
        bucket: int,
        gone: dict[_Key, list[int]],
        more: dict[_Key, list[tuple[int, float, int]]],
    ) -> None:
        touched = more.keys() | gone.keys()
        old: dict[_Key, Postings] = {}
        if not self._fresh:
            for some in _batches(touched, 20_000):
                old |= self._taken(bucket, some)
        self._database.copy(
            "COPY memcli.lists (vault, field, value, bucket, access, n, data, levels) "
            "FROM STDIN (FORMAT BINARY)",
            ["int4", "int2", "bytea", "int4", "int8", "int4", "bytea", "bytea"],
            self._merged(bucket, touched, old, gone, more),
        )
        if not self._fresh:
            self._database.copy(
                "COPY touched (field, value, access) FROM STDIN (FORMAT BINARY)",
                ["int2", "bytea", "int8"],
                (each for each in touched if each[0] in COUNTED),
            )

    def _merged(
        self,
        bucket: int,
        touched: Iterable[_Key],
        old: dict[_Key, Postings],
        gone: dict[_Key, list[int]],
        more: dict[_Key, list[tuple[int, float, int]]],
    ) -> Iterator[Sequence[Any]]:
        """The rows of the lists that are not empty."""
        for each in sorted(touched):
            field, value, access = each
            postings = old.get(each) or Postings(b"", 0, weighted=False)
            if each in gone:
                postings.drop(gone[each])
            if each in more:
                postings.add(more[each])
            if postings.docs:
                n, data = len(postings.docs), postings.bytes()
                where = None
                if field == _TERMS and n >= levels.LEVELED:
                    found = levels.levels(postings, self._bits)
                    where = levels.stored(found, self._bits)
                yield self._vault, field, value, bucket, access, n, data, where

    def _taken(self, bucket: int, keys: Sequence[_Key]) -> dict[_Key, Postings]:
        """Take lists out of the table; returns those that were there."""
        fields, values, accesses = zip(*keys, strict=True)
        rows = self._database.ask(
            (_TAKE, (list(fields), list(values), list(accesses), self._vault, bucket))
        )[0]
        return {
            (field, value, access): Postings(data, n, weighted=field == _TERMS)
            for field, value, access, n, data in rows
        }

    def count(self) -> None:
        """Count the lists that changed anew."""
        if self._fresh:
            self._database.ask((_COUNT, (self._vault, sorted(COUNTED))))
            return
        self._database.script("ANALYZE touched")
        self._database.ask(
            (_UNCOUNT, (self._vault,)),
            (_RECOUNT, (self._vault,)),
        )

    def _rows(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        return self._database.streamed(sql, (self._vault, *values))

    def _range(self, bucket: int) -> tuple[int, int]:
        """The first and the last number of a bucket's documents, as the table has them.

        Without buckets these are all: from the least bigint to the greatest.
        """
        if not self._bits:
            return -(1 << 63), (1 << 63) - 1
        width = 64 - self._bits
        return signed(bucket << width), signed(((bucket + 1) << width) - 1)


def _values(words: bytes, exact: bytes) -> Iterator[tuple[int, bytes, float]]:
    """(field, value, weight) of all that a document is found by."""
    import json

    for term, weight in words_of(words).items():
        yield _TERMS, cut(term), weight
    for field, values in json.loads(exact).items():
        # A value that is given twice is in the list once.
        for value in dict.fromkeys(values):
            yield NUMBER[field], key(value), 0.0


def _batches(keys: Iterable[_Key], size: int) -> Iterator[list[_Key]]:
    ordered = sorted(keys)
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


_OLD = """
SELECT d.doc, d.access, d.length, d.words, d.exact
FROM gone g JOIN memcli.documents d USING (place)
WHERE d.vault = %s AND d.doc BETWEEN %s AND %s
"""
_NEW = """
SELECT doc, access, length, words, exact FROM memcli.staged
WHERE vault = %s AND bucket = %s AND line IS NULL
"""
_TAKE = """
DELETE FROM memcli.lists l
USING unnest(%s::smallint[], %s::bytea[], %s::bigint[]) AS t (field, value, access)
WHERE l.vault = %s AND l.bucket = %s
AND l.field = t.field AND l.value = t.value AND l.access = t.access
RETURNING l.field, l.value, l.access, l.n, l.data
"""
_COUNT = """
INSERT INTO memcli.counts (vault, field, value, access, n)
SELECT vault, field, value, access, sum(n) FROM memcli.lists
WHERE vault = %s AND field = ANY(%s::smallint[])
GROUP BY vault, field, value, access
"""
_UNCOUNT = """
DELETE FROM memcli.counts c USING (SELECT DISTINCT * FROM touched) t
WHERE c.vault = %s AND c.access = t.access AND c.field = t.field AND c.value = t.value
"""
_RECOUNT = """
INSERT INTO memcli.counts (vault, field, value, access, n)
SELECT l.vault, l.field, l.value, l.access, sum(l.n)
FROM (SELECT DISTINCT * FROM touched) t JOIN memcli.lists l
ON l.access = t.access AND l.field = t.field AND l.value = t.value
WHERE l.vault = %s GROUP BY l.vault, l.field, l.value, l.access
"""
