"""The tables of an index, and reading them: plain SQL, without Whoosh.

Invariant: everything here is a SELECT that SQLite and PostgreSQL both know, so that a
published vault is read by these lines, too. Whoosh writes the tables (`whoosh_index`),
in one transaction; all that one answer reads is of one transaction as well. A document
is a number that the next transaction may give to another entry.

A posting list is cut into blocks of `BLOCK` numbers of documents, so that one changed
entry rewrites a few of them: the numbers within the block (u16), then, of the field
`terms`, the weights (f32). A column of facts is cut in the same way.
"""

from __future__ import annotations

import zlib
from array import array
from itertools import compress

from memcli.entries.eligibility import alternatives
from memcli.named_tuple import NamedTuple
from memcli.search.columns import TYPECODES, Columns

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from memcli.entries.eligibility import Agent

    Ask = Callable[[str, Sequence[Any]], Iterable[Sequence[Any]]]
    """Gives the rows that a SELECT with values for its question marks finds."""

FORMAT = 33
"""The version of the tables; part of the file's name."""

BLOCK = 8192
WEIGHTED = "terms"
"""The field whose terms have weights: the words of entries. Elsewhere each is 1."""
EXACT = (
    *("id", "path", "kind", "type", "layer", "tag", "entity", "session", "status"),
    *("fingerprint", "link", "name", "claim", "proposed", "supersedes"),
    *("superseded_by", "evidence", "item", "seen", "agent", "visibility", "project"),
    *("group", "name_said", "entity_name", "possible_name", "check"),
)
"""The fields with exact terms, by which recall filters."""
FIELDS = (WEIGHTED, *EXACT)
NUMBERS = {name: number for number, name in enumerate(FIELDS)}
"""The number of each field, by which the tables know it."""

TABLES = {
    "meta": "name TEXT PRIMARY KEY, value TEXT NOT NULL",
    "posting": "field INTEGER, text {bytes}, block INTEGER, n INTEGER NOT NULL, "
    "data {bytes} NOT NULL, crc BIGINT NOT NULL, PRIMARY KEY (field, text, block)",
    "fact": "name TEXT, block INTEGER, data {bytes} NOT NULL, crc BIGINT NOT NULL, "
    "PRIMARY KEY (name, block)",
    "doc": "id INTEGER PRIMARY KEY, data {bytes} NOT NULL, terms {bytes} NOT NULL",
    "told": "path {bytes} PRIMARY KEY, data {bytes} NOT NULL",
    "folder": "path {bytes} PRIMARY KEY, time BIGINT NOT NULL, files {bytes} NOT NULL",
}
"""The columns of each table; `{bytes}` is BLOB or BYTEA.

`posting` has the lists, `fact` the columns, `doc` the rows with what takes a document
out of the lists again, `told` what sessions are told at, `folder` the files that were
indexed, and `meta` the rest, as JSON. What is in `doc` and `told` is packed by zlib,
which has a checksum of its own; rows are half as long so.
"""

# Above every text, since no UTF-8 has this byte.
_LAST = b"\xff"
_MOST_ASKED = 2_000  # values of one SELECT
# What a process that stays remembers: lists with so many documents, so many rows.
_MOST_LISTED = 1 << 20
_MOST_ROWS = 512
_MOST_COUNTED = 1 << 15


class Damaged(Exception):
    """The tables do not hold what was written."""


class Outdated(Exception):
    """Another process has written since the transaction of a reader."""


class Size(NamedTuple):
    """The sums over all documents, which are kept so that no column is read for them.

    `documents` is how many there are, `end` the number behind the last, `length` how
    many terms they have together; the others have each bit that is set in that fact of
    any of them. `letters` are those of all terms, for `Store.near`.
    """

    documents: int = 0
    end: int = 0
    length: int = 0
    flags: int = 0
    expires: int = 0
    projects: int = 0
    letters: str = ""


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


def packed(data: bytes, like: bytes = b"") -> bytes:
    """Bytes as `doc` and `told` hold them.

    Args:
        data: the bytes.
        like: what they have much in common with; `unpacked` needs it, too.
    """
    packer = zlib.compressobj(1, zdict=like) if like else zlib.compressobj(1)
    return packer.compress(data) + packer.flush()


def unpacked(data: bytes, like: bytes = b"") -> bytes:
    """The bytes that `packed` was given.

    Raises:
        zlib.error, Damaged: they are not those that were written.
    """
    if not like:
        return zlib.decompress(data)
    unpacker = zlib.decompressobj(zdict=like)
    plain = unpacker.decompress(data)
    if not unpacker.eof:
        raise Damaged("a row is cut off")
    return plain


def posting_list(
    field: int, block: int, n: int, data: bytes
) -> tuple[array[int], array[float]]:
    """The documents of one row of `posting`, and their weights."""
    is_weighted = field == NUMBERS[WEIGHTED]
    if len(data) != n * (6 if is_weighted else 2) or not n:
        raise Damaged("a list has another length")
    docs = array("I", array("H", data[: 2 * n]))
    if block:
        base = block * BLOCK
        docs = array("I", [base + doc for doc in docs])
    if is_weighted:
        return docs, array("f", data[2 * n :])
    return docs, array("f", (1.0,)) * n


class Store:
    """The documents of one index, as they are in one transaction.

    Documents that are hidden from the agent that reads are in no list and no count.
    Every list ascends, and none may be changed: they are remembered.

    Args:
        ask: asks the database.
        size: the sums over all documents.

    Attributes:
        columns: the facts of all numbers below `size.end`.
        live: a byte for each of these, 1 where there is a document; None for all.
    """

    def __init__(self, ask: Ask, size: Size) -> None:
        self.ask: Ask | None = ask
        self.size = size
        self.columns = Columns(self._column)
        self.live: bytes | None = None
        self._hides = False
        self._lists: dict[tuple[str, str], tuple[array[int], array[float]]] = {}
        self._listed = 0
        self._counts: dict[str, dict[bytes, int]] = {}
        self._rows: dict[int, bytes] = {}
        if size.documents < size.end:
            self.live = bytes(map(bool, self.columns.orders))

    def close(self) -> None:
        """Answer no more: the transaction ends."""
        self.ask = None

    def _asked(self, sql: str, values: Sequence[Any]) -> Iterable[Sequence[Any]]:
        if self.ask is None:
            raise Outdated("the index changed meanwhile")
        return self.ask(sql, values)

    def _each(
        self, sql: str, values: Sequence[Any], *first: Any
    ) -> Iterator[Sequence[Any]]:
        """The rows that a SELECT with `?*` finds for several values."""
        for start in range(0, len(values), _MOST_ASKED):
            some = values[start : start + _MOST_ASKED]
            marks = sql.replace("?*", ", ".join("?" * len(some)))
            yield from self._asked(marks, (*first, *some))

    def hide(self, agent: Agent) -> None:
        """Take away what an agent may not see, as if it were not in the vault."""
        visible: set[int] = set()
        for needs in alternatives(agent):
            visible |= set.intersection(*(set(self.exact(*need)) for need in needs))
        self.live = bytes(map(visible.__contains__, range(self.size.end)))
        self._hides = True
        self._lists, self._listed = {}, 0
        lengths = self.columns.lengths
        length = sum(map(lengths.__getitem__, visible))
        self.size = self.size._replace(documents=len(visible), length=length)

    def everything(self) -> Iterator[int]:
        """All documents."""
        numbers = range(self.size.end)
        return iter(numbers) if self.live is None else compress(numbers, self.live)

    # --- lists

    def fetch(self, field: str, terms: Iterable[str]) -> None:
        """Read the lists of several terms at once."""
        missing = [t for t in dict.fromkeys(terms) if (field, t) not in self._lists]
        if not missing:
            return
        names = {encoded(term): term for term in missing}
        found: dict[str, tuple[array[int], array[float]]] = {}
        sql = (
            "SELECT text, block, n, data, crc FROM posting "
            "WHERE field = ? AND text IN (?*) ORDER BY text, block"
        )
        number = NUMBERS[field]
        for text, *row in self._each(sql, [*names], number):
            _extend(found, names[bytes(text)], self._part(number, *row))
        for term in missing:
            both = found.get(term) or (array("I"), array("f"))
            self._listed += len(both[0])
            if self._listed > _MOST_LISTED:
                self._lists, self._listed = {}, len(both[0])
            self._lists[field, term] = both

    def _part(
        self, field: int, block: int, n: int, data: bytes, crc: int
    ) -> tuple[array[int], array[float]]:
        docs, weights = posting_list(field, block, n, checked(data, crc))
        if docs[-1] >= self.size.end:
            raise Damaged("a list has a number of no document")
        if not self._hides or self.live is None:
            return docs, weights
        seen = [*map(self.live.__getitem__, docs)]
        if 0 not in seen:
            return docs, weights
        return array("I", compress(docs, seen)), array("f", compress(weights, seen))

    def postings(self, field: str, term: str) -> tuple[array[int], array[float]]:
        """The documents whose field holds a term, with their weights."""
        found = self._lists.get((field, term))
        if found is None:
            self.fetch(field, (term,))
            found = self._lists[field, term]
        return found

    def exact(self, field: str, value: str) -> array[int]:
        """The documents whose field has this exact value."""
        return self.postings(field, value)[0]

    def frequencies(self, field: str, terms: Sequence[str]) -> list[int]:
        """How many documents hold each of these terms."""
        if self._hides:
            self.fetch(field, terms)
            return [len(self.exact(field, term)) for term in terms]
        known = self._counts.setdefault(field, {})
        names = [*map(encoded, terms)]
        missing = [name for name in dict.fromkeys(names) if name not in known]
        if len(known) + len(missing) > _MOST_COUNTED:
            known.clear()
            missing = [*dict.fromkeys(names)]
        counts = dict.fromkeys(missing, 0)
        sql = "SELECT text, n FROM posting WHERE field = ? AND text IN (?*)"
        for text, n in self._each(sql, missing, NUMBERS[field]):
            counts[bytes(text)] += n
        known.update(counts)
        return [known[name] for name in names]

    def values(self, field: str, prefix: str = "") -> dict[str, array[int]]:
        """The values of a field that begin so, in order, each with its documents."""
        sql = "SELECT text, block, n, data, crc FROM posting WHERE field = ? AND text"
        first, number = encoded(prefix), NUMBERS[field]
        rows = self._asked(
            f"{sql} >= ? AND text < ? ORDER BY text, block",
            (number, first, first + _LAST),
        )
        found: dict[str, tuple[array[int], array[float]]] = {}
        for text, *row in rows:
            part = self._part(number, *row)
            if part[0]:
                _extend(found, decoded(text), part)
        return {value: docs for value, (docs, _) in found.items()}

    # --- values

    def starting(self, field: str, prefix: str, most: int | None = None) -> list[str]:
        """The values of a field that begin so, in order; `most` at the most."""
        first = encoded(prefix)
        sql = (
            "SELECT DISTINCT text FROM posting WHERE field = ? AND text >= ? "
            "AND text < ? ORDER BY text"
        )
        if most is not None and not self._hides:
            sql += f" LIMIT {most}"
        rows = self._asked(sql, (NUMBERS[field], first, first + _LAST))
        found = self._known(field, [decoded(text) for (text,) in rows])
        return found if most is None else found[:most]

    def begun(self, field: str, prefix: str, endings: tuple[str, ...]) -> list[str]:
        """Those values that end in one of the endings."""
        first, last = encoded(prefix), tuple(map(encoded, endings))
        sql = "SELECT text FROM posting WHERE field = ? AND text >= ? AND text < ?"
        rows = self._asked(sql, (NUMBERS[field], first, first + _LAST))
        texts = {bytes(text) for (text,) in rows}
        ended = sorted(text for text in texts if text.endswith(last))
        return self._known(field, [*map(decoded, ended)])

    def largest(self, field: str, most: int) -> list[str]:
        """The last values of a field in order, so many at most; hidden ones, too."""
        sql = "SELECT DISTINCT text FROM posting WHERE field = ? ORDER BY text DESC"
        rows = self._asked(f"{sql} LIMIT {most}", (NUMBERS[field],))
        return [decoded(text) for (text,) in rows]

    def near(self, field: str, term: str) -> list[str]:
        """The other values of a field that are one edit away, in order.

        An edit puts a letter in, takes one out, puts one in the place of another or
        swaps two neighbours; a letter that is put in is one of an alphabet, and in the
        index.
        """
        letters = self.size.letters
        found: set[str] = set()
        for at in range(len(term) + 1):
            before, rest = term[:at], term[at:]
            found.update(before + letter + rest for letter in letters)
            if rest:
                found.update(before + letter + rest[1:] for letter in letters)
                found.update((before + rest[1:], before + rest[1::-1] + rest[2:]))
        found -= {term, ""}
        return self._known(field, sorted(found), asked=True)

    def _known(self, field: str, texts: list[str], *, asked: bool = False) -> list[str]:
        """Those that a document has; without `asked` they are known to stand there."""
        if not (self._hides or asked):
            return texts
        counts = self.frequencies(field, texts)
        return [text for text, n in zip(texts, counts, strict=True) if n]

    def holds(self, field: str) -> bool:
        """Whether any document has a value in a field, hidden ones included."""
        sql = "SELECT 1 FROM posting WHERE field = ? LIMIT 1"
        return any(True for _ in self._asked(sql, (NUMBERS[field],)))

    # --- documents

    def _column(self, name: str) -> array[Any]:
        column = array(TYPECODES[name])
        sql = "SELECT data, crc FROM fact WHERE name = ? ORDER BY block"
        for data, crc in self._asked(sql, (name,)):
            column.frombytes(checked(data, crc))
        if len(column) != self.size.end:
            raise Damaged(f"the column {name} has {len(column)} numbers")
        return column

    def rows(self, docs: Iterable[int]) -> None:
        """Read the rows of several documents at once."""
        missing = [doc for doc in docs if doc not in self._rows]
        if len(self._rows) + len(missing) > _MOST_ROWS:
            self._rows = {}
        sql = "SELECT id, data FROM doc WHERE id IN (?*)"
        for doc, data in self._each(sql, missing):
            self._rows[doc] = unpacked(data)

    def row(self, doc: int) -> bytes:
        """The stored row of a document; raises Damaged when there is none."""
        known = self._rows.pop(doc, None)
        if known is not None:
            return known
        for (data,) in self._asked("SELECT data FROM doc WHERE id = ?", (doc,)):
            return unpacked(data)
        raise Damaged(f"there is no document {doc}")


def _extend(
    found: dict[str, tuple[array[int], array[float]]],
    term: str,
    part: tuple[array[int], array[float]],
) -> None:
    if term in found:
        found[term][0].extend(part[0])
        found[term][1].extend(part[1])
    else:
        found[term] = part
