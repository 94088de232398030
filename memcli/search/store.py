"""The tables of an index, and reading them: plain SQL, without Whoosh.

Invariant: everything here is a SELECT that SQLite and PostgreSQL both know, so that a
published vault is read by these lines, too. Whoosh writes the tables (`whoosh_codec`),
in one transaction; all that one answer reads is of one transaction as well. A document
is a number that the next transaction may give to another entry.

A posting list has the numbers of its documents (u32), then, of the field `terms`, the
weights (f32); a column of facts has a number for each document.
"""

from __future__ import annotations

import zlib
from array import array
from itertools import compress

from memcli.entries.eligibility import alternatives
from memcli.named_tuple import NamedTuple
from memcli.search.stored_row import StoredRow

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from memcli.entries.eligibility import Agent

    Ask = Callable[[str, Sequence[Any]], Iterable[Sequence[Any]]]
    """Gives the rows that a SELECT with values for its question marks finds."""

    Listed = tuple[array[int], array[float]]
    """Documents in order, and the weight of each."""

FORMAT = 38
"""The version of the tables; part of the file's name."""

WEIGHTED = "terms"
"""The field whose terms have weights: the words of entries. Elsewhere each is 1."""
EXACT = (
    *("id", "path", "kind", "type", "layer", "tag", "entity", "session", "status"),
    *("fingerprint", "link", "name", "claim", "proposed", "supersedes"),
    *("superseded_by", "evidence", "item", "seen", "agent", "visibility", "project"),
    *("group", "name_said", "entity_name", "check"),
)
"""The fields with exact terms, by which recall filters."""
FIELDS = (WEIGHTED, *EXACT)
NUMBERS = {name: number for number, name in enumerate(FIELDS)}
"""The number of each field, by which the tables know it."""

TYPECODES = {
    "orders": "Q",
    "sessions": "Q",
    "times": "q",
    "created": "q",
    "expires": "q",
    "ended": "q",
    "claims": "Q",
    "lengths": "I",
    "seqs": "i",
    "flags": "I",
    "projects": "I",
}
"""By fact of a document the type code of its column; times in epoch seconds UTC.

0 is not set. `orders` depends on the entry alone and breaks ties, and is never 0;
`sessions` is the number of its session or document, and `seqs` its place in there, -1
for none; `claims` is `identity.claim_number` of its text; `projects` is the number of
its project, 0 for everywhere.
"""

TABLES = {
    "meta": "name TEXT PRIMARY KEY, value {bytes} NOT NULL",
    "posting": "field INTEGER, text {bytes}, n INTEGER NOT NULL, "
    "data {bytes} NOT NULL, crc BIGINT NOT NULL, PRIMARY KEY (field, text)",
    "fact": "name TEXT PRIMARY KEY, data {bytes} NOT NULL, crc BIGINT NOT NULL",
    "doc": "id INTEGER PRIMARY KEY, data {bytes} NOT NULL, terms {bytes} NOT NULL",
    "told": "path {bytes} PRIMARY KEY, data {bytes} NOT NULL",
    "folder": "path {bytes} PRIMARY KEY, time BIGINT NOT NULL, files {bytes} NOT NULL",
}
"""The columns of each table; `{bytes}` is BLOB or BYTEA.

`posting` has the lists, `fact` the columns, `doc` the rows with what takes a document
out of the lists again, `told` what sessions are told at, `folder` the files that were
indexed, and `meta` the rest, as JSON. What is in `doc`, `told` and `meta` is packed by
zlib, which has a checksum of its own; rows are half as long so.
"""

_LISTS = "SELECT text, n, data, crc FROM posting WHERE field = ?"
_TEXTS = "SELECT text FROM posting WHERE field = ?"
# Above every text, since no UTF-8 has this byte.
_LAST = b"\xff"
_MOST_ASKED = 2_000  # values of one SELECT
# What a process that stays remembers: lists with so many documents, so many rows.
_MOST_LISTED = 1 << 20
_MOST_ROWS = 512


class Damaged(Exception):
    """The tables do not hold what was written."""


class Outdated(Exception):
    """Another process has written since the transaction of a reader."""


class Sums(NamedTuple):
    """The sums over all documents, which are kept so that no column is read for them.

    `documents` is how many there are, `end` the number behind the last, `length` how
    many terms they have together.
    """

    documents: int = 0
    end: int = 0
    length: int = 0


def encoded(text: str) -> bytes:
    """A term or value as the tables hold it."""
    return text.encode("utf-8", "surrogatepass")


def decoded(text: bytes) -> str:
    """The term or value that `encoded` made these bytes of."""
    return bytes(text).decode("utf-8", "surrogatepass")


def sealed(data: bytes) -> tuple[bytes, int]:
    """Bytes with their checksum, as rows hold them."""
    return data, zlib.crc32(data)


def checked(data: bytes, crc: int) -> bytes:
    """The bytes of a row; raises Damaged when they are not those that were written."""
    if zlib.crc32(data) != crc:
        raise Damaged("a checksum is wrong")
    return data


def packed(data: bytes) -> bytes:
    """Bytes as `doc`, `told` and `meta` hold them; `zlib.decompress` gives them."""
    return zlib.compress(data, 1)


def posting_list(field: str, n: int, data: bytes, crc: int) -> Listed:
    """The documents of a row of `posting`, and their weights."""
    is_weighted = field == WEIGHTED
    if len(checked(data, crc)) != n * (8 if is_weighted else 4) or not n:
        raise Damaged("a list has another length")
    docs = array("I", data[: 4 * n])
    weights = array("f", data[4 * n :]) if is_weighted else array("f", (1.0,)) * n
    return docs, weights


class Columns:
    """The facts of all documents, a sequence per fact, each read at the first use.

    Args:
        read: gives the column of a name.
    """

    def __init__(self, read: Callable[[str], array[int]]) -> None:
        self._read = read

    def __getattr__(self, name: str) -> array[int]:
        if name not in TYPECODES:
            raise AttributeError(name)
        column = self._read(name)
        setattr(self, name, column)
        return column


class Store:
    """The documents of one index, as they are in one transaction.

    Documents that are hidden from the agent that reads are in no list and no count.
    Every list ascends, and none may be changed: they are remembered.

    Args:
        ask: asks the database.
        sums: over all documents.

    Attributes:
        columns: the facts of all numbers below `sums.end`.
        present: a byte for each of these, 1 where there is a document; None for all.
    """

    def __init__(self, ask: Ask, sums: Sums) -> None:
        self.ask: Ask | None = ask
        self.sums = sums
        self.columns = Columns(self.column)
        self.present: bytes | None = None
        self._hides = False
        self._lists: dict[tuple[str, str], Listed] = {}
        self._listed = 0
        self._counts: dict[str, dict[bytes, int]] = {}
        self._rows: dict[int, StoredRow] = {}
        if sums.documents < sums.end:
            self.present = bytes(map(bool, self.columns.orders))

    def close(self) -> None:
        """Answer no more: the transaction ends."""
        self.ask = None

    def _asked(self, sql: str, *values: Any) -> Iterable[Sequence[Any]]:
        if self.ask is None:
            raise Outdated("the index changed meanwhile")
        return self.ask(sql, values)

    def _each(
        self, sql: str, values: Sequence[Any], *first: Any
    ) -> list[Sequence[Any]]:
        """The rows that a SELECT with `?*` finds for several values."""
        rows: list[Sequence[Any]] = []
        for start in range(0, len(values), _MOST_ASKED):
            some = values[start : start + _MOST_ASKED]
            marks = sql.replace("?*", ", ".join("?" * len(some)))
            rows += self._asked(marks, *first, *some)
        return rows

    def _hide(self, agent: Agent) -> None:
        """Take away what an agent may not see, as if it were not in the vault."""
        visible: set[int] = set()
        for needs in alternatives(agent):
            visible |= set.intersection(*(set(self.exact(*need)) for need in needs))
        self.present = bytes(map(visible.__contains__, range(self.sums.end)))
        self._hides = True
        self._lists, self._listed = {}, 0
        length = sum(map(self.columns.lengths.__getitem__, visible))
        self.sums = self.sums._replace(documents=len(visible), length=length)

    def everything(self) -> Iterator[int]:
        """All documents."""
        numbers = range(self.sums.end)
        return (
            iter(numbers) if self.present is None else compress(numbers, self.present)
        )

    # --- lists

    def fetch(self, field: str, terms: Iterable[str]) -> None:
        """Read the lists of several terms at once, which are asked for next."""
        missing = [t for t in dict.fromkeys(terms) if (field, t) not in self._lists]
        if not missing:
            return
        sql = f"{_LISTS} AND text IN (?*)"
        rows = self._each(sql, [*map(encoded, missing)], NUMBERS[field])
        found = self._read(field, rows)
        for term in missing:
            both = found.get(term) or (array("I"), array("f"))
            self._listed += len(both[0])
            if self._listed > _MOST_LISTED:
                self._lists, self._listed = {}, len(both[0])
            self._lists[field, term] = both

    def _read(self, field: str, rows: Iterable[Sequence[Any]]) -> dict[str, Listed]:
        """The lists of some rows of `posting`, by term, without what is hidden."""
        found: dict[str, Listed] = {}
        for text, n, data, crc in rows:
            docs, weights = posting_list(field, n, data, crc)
            if docs[-1] >= self.sums.end:
                raise Damaged("a list has a number of no document")
            if self._hides and self.present is not None:
                seen = [*map(self.present.__getitem__, docs)]
                docs = array("I", compress(docs, seen))
                weights = array("f", compress(weights, seen))
            if docs:
                found[decoded(text)] = docs, weights
        return found

    def listed(self, field: str, term: str) -> Listed:
        """The documents whose field holds a term, with their weights."""
        found = self._lists.get((field, term))
        if found is None:
            self.fetch(field, (term,))
            found = self._lists[field, term]
        return found

    def exact(self, field: str, value: str) -> array[int]:
        """The documents whose field has this exact value."""
        return self.listed(field, value)[0]

    def counts(self, field: str, terms: Sequence[str]) -> list[int]:
        """How many documents hold each of these terms."""
        if self._hides:
            self.fetch(field, terms)
            return [len(self.exact(field, term)) for term in terms]
        known = self._counts.setdefault(field, {})
        names = [*map(encoded, terms)]
        missing = [name for name in dict.fromkeys(names) if name not in known]
        known.update(dict.fromkeys(missing, 0))
        sql = "SELECT text, n FROM posting WHERE field = ? AND text IN (?*)"
        known.update((bytes(t), n) for t, n in self._each(sql, missing, NUMBERS[field]))
        return [known[name] for name in names]

    # --- values

    def values(self, field: str, least: int = 1) -> dict[str, array[int]]:
        """The values of a field, in order, each with the documents that have it.

        Args:
            field: the field.
            least: so many documents have each of them, hidden ones included.
        """
        rows = self._asked(f"{_LISTS} AND n >= ? ORDER BY text", NUMBERS[field], least)
        return {text: docs for text, (docs, _) in self._read(field, rows).items()}

    def existing(self, field: str, values: Sequence[str]) -> list[str]:
        """Those of some values that a document's field has."""
        return list(compress(values, self.counts(field, values)))

    def starting(
        self, field: str, prefix: str, endings: tuple[str, ...] = ("",)
    ) -> list[str]:
        """The values of a field that begin and end so, in order.

        Args:
            field: the field.
            prefix: the beginning.
            endings: a value ends in one of them.
        """
        first, last = encoded(prefix), tuple(map(encoded, endings))
        sql = f"{_TEXTS} AND text >= ? AND text < ? ORDER BY text"
        rows = self._asked(sql, NUMBERS[field], first, first + _LAST)
        found = [decoded(text) for (text,) in rows if bytes(text).endswith(last)]
        return self.existing(field, found) if self._hides else found

    def holds(self, field: str, value: str = "") -> bool:
        """Whether any document has this value in a field, or any if none is given;
        hidden ones included."""
        asked = (f"{_TEXTS} AND text = ?", encoded(value)) if value else (_TEXTS,)
        return bool([*self._asked(f"{asked[0]} LIMIT 1", NUMBERS[field], *asked[1:])])

    # --- documents

    def column(self, name: str) -> array[Any]:
        """The fact of a name of each document."""
        column = array(TYPECODES[name])
        for data, crc in self._asked("SELECT data, crc FROM fact WHERE name = ?", name):
            column.frombytes(checked(data, crc))
        if len(column) != self.sums.end:
            raise Damaged(f"the column {name} has {len(column)} numbers")
        return column

    def fetch_rows(self, docs: Iterable[int]) -> None:
        """Read the rows of several documents at once, which are asked for next."""
        missing = [doc for doc in docs if doc not in self._rows]
        if len(self._rows) + len(missing) > _MOST_ROWS:
            self._rows = {}
        sql = "SELECT id, data FROM doc WHERE id IN (?*)"
        for doc, data in self._each(sql, missing):
            self._rows[doc] = StoredRow.from_json(zlib.decompress(data))

    def whole_row(self, doc: int) -> StoredRow:
        """The row of a document as it is stored; raises Damaged when there is none."""
        if doc not in self._rows:
            self.fetch_rows((doc,))
        if doc not in self._rows:
            raise Damaged(f"there is no document {doc}")
        return self._rows[doc]
