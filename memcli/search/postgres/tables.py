"""The documents of a published vault, read out of PostgreSQL (a `search.Source`).

Invariant: what it gives is what the local index of the same commit gives; a document is
the 64-bit number that breaks ties. All answers of one reader are of one moment. What
was not said `ahead` is found all the same, by a question of its own.
"""

from __future__ import annotations

from array import array
from typing import Any, cast

from memcli.errors import MemcliError
from memcli.search.postgres import functions
from memcli.search.postgres.fetching import ASKED, Fetching
from memcli.search.postgres.functions import COUNTS, VALUES, Counted, Function
from memcli.search.postgres.lazily import Scaled, Settled
from memcli.search.postgres.merging import COUNTED
from memcli.search.postgres.packing import (
    NUMBER,
    Postings,
    behind,
    key,
    one_edit,
    signed,
    unsigned,
    value_of,
    words_of,
)
from memcli.search.source import Ahead, Level
from memcli.search.stored_row import StoredRow
from memcli.search.value_lists import ValueLists
from memcli.storage.engine_url import redacted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )

    from memcli.search.postgres.connection import Rows

_TERMS = "terms"
# So many documents are fetched at once when all are gone through.
_CHUNK = 5_000
# So many constraints are fetched first where nothing says how many will be read.
_RULES = 50


class Tables(Fetching):
    """One published vault at one moment; it is made as `Fetching` is."""

    ascending = False

    @property
    def size(self) -> tuple[int, int]:
        """How many documents there are, and how many terms they have together."""
        return self._outline()[0]

    @property
    def plain(self) -> bool:
        """Not known: each document that may be shown is looked at."""
        return False

    def scaled_lengths(self, factor: float, /) -> Sequence[float]:
        """The length of each document times a factor, when it is asked for."""
        scaled: Any = Scaled(self.columns.lengths, factor)
        return cast("Sequence[float]", scaled)

    @property
    def deleted(self) -> int:
        """None: a publish takes a document out of every table."""
        return 0

    def __len__(self) -> int:
        return 1

    def everything(self) -> Iterator[int]:
        """All documents, with their facts fetched on the way."""
        return self._each(functions.EVERY)

    def dated(self, after: int | None, before: int | None, /) -> Iterator[int]:
        """The documents whose time lies in a window, and all that last for a while."""
        start = -(1 << 63) if after is None else after
        end = (1 << 63) - 1 if before is None else before
        return self._each(functions.DATED, start=start, end=end)

    def pinned(self) -> list[int]:
        """The documents that are pinned."""
        return list(self.exact("pinned", "1"))

    def constraints(self) -> Iterator[int]:
        """The constraints, the newest first, more of them when they are read."""
        at = 0
        while True:
            if at == len(self._rules) and not self._all_rules:
                self._fetch(Ahead(constraints=4 * at or _RULES))
            if at == len(self._rules):
                return
            yield self._rules[at]
            at += 1

    def any_project(self) -> bool:
        """Whether a document may hold in one project only."""
        return True

    def row(self, doc: int) -> StoredRow:
        """What is stored of a document, and of those that were fetched with it.

        Raises:
            IndexError: there is no such document.
            MemcliError: the row is one of another version of memcli.
        """
        if doc not in self._rows:
            noted = any(doc in each.rows for each in self._queue)
            beside = self._lately if doc in self._lately and not noted else ()
            self._fetch(Ahead(rows=(doc, *beside)))
        row = self._rows.get(doc)
        if row is None:
            raise IndexError(doc)
        if isinstance(row, bytes):
            try:
                row = self._rows[doc] = StoredRow.from_json(row)
            except (TypeError, ValueError) as error:  # other fields, or other values
                self._database.failure = self._of_another_version()
                raise self._database.failure from error
        return row

    def _of_another_version(self) -> MemcliError:
        where = redacted(self._database.url)
        return MemcliError(
            f"the vault in {where} was published by another version of memcli",
            hint="Use the version that publishes it, or publish it again with this one "
            "(memcli publish). To ask the other vaults meanwhile: recall = false in "
            "its [vaults.NAME] of your config.",
            code="wrong_format",
        )

    def naming(self, _values: Collection[str], /) -> Iterator[int]:
        """All documents: the database reads no row."""
        return self.everything()

    def said(self, doc: int) -> tuple[str, str]:
        """The id and the text of a document."""
        row = self.row(doc)
        return row.id, row.text

    def postings(self, field: str, term: str) -> tuple[Sequence[int], Sequence[float]]:
        """The documents whose field holds a term, and how often (weighted)."""
        if field != _TERMS:
            docs = self.exact(field, term)
            return docs, [0.0] * len(docs)
        if term not in self._postings:
            self._fetch(Ahead(terms=(term,)))
        return self._postings[term]

    def levels(
        self, wanted: Callable[[], Iterable[str]], /
    ) -> Mapping[str, Mapping[int, Sequence[Level]]] | None:
        """Where some terms stand; None where all of their lists came whole."""
        terms = [*dict.fromkeys(wanted())]
        missing = [
            term
            for term in terms
            if term not in self._postings and term not in self._leveled
        ]
        if missing:
            self._fetch(Ahead(levels=missing))
        long = [t for t in terms if t in self._leveled and t not in self._postings]
        if not long:
            return None
        from memcli.search.postgres import leveled

        bits = self._bits = leveled.bits_of(self._leveled[long[0]])
        parts = {**self._parts, **self._leveled}
        return {term: leveled.merged(parts[term], bits) for term in terms}

    def placed(self, places: Mapping[int, Sequence[int]]) -> list[int]:
        """The documents at some places, with their facts and words."""
        bits = self._bits
        wanted = [(part, place) for part, some in places.items() for place in some]
        new = [at for at in wanted if at not in self._placed]
        if new:
            from memcli.search.postgres import levels

            starts = [signed(levels.first_at(*at, bits)) for at in new]
            self._placed.update((at, []) for at in new)
            rows = self._ask(functions.PLACED, starts=starts, width=levels.width(bits))
            self._take_facts(rows)
            for number, _, _, words in rows:
                doc = unsigned(number)
                if doc not in self._words:
                    self._words[doc] = words_of(words)
                part = doc >> (64 - bits) if bits else 0
                self._placed[part, levels.place_of(doc, bits)].append(doc)
        return sorted(doc for at in wanted for doc in self._placed[at])

    def held(self, term: str, docs: Collection[int]) -> Mapping[int, float]:
        """Those of some documents that hold a term, by the words of each."""
        words = self._words
        if not all(map(words.__contains__, docs)):
            self._fetch(Ahead(words=docs))
        name = term.encode("utf-8", "surrogatepass")
        return {doc: n for doc in docs if (n := words[doc].get(name)) is not None}

    def exact(self, field: str, value: str) -> Sequence[int]:
        """The documents whose field has this exact value; read when they are needed."""
        if field == _TERMS:
            return self.postings(field, value)[0]
        named = field, value
        if named not in self._lists:
            if field not in NUMBER:
                return ()
            self._fetch(Ahead(lists=(named,)))
        return self._lists[named]

    def frequency(self, field: str, term: str) -> int:
        """The length of a list."""
        if (field, term) not in self._counts:
            if field not in NUMBER:
                return 0
            self._fetch(Ahead(counts=((field, term),)))
        return self._counts[field, term]

    def frequencies(self, field: str, terms: Sequence[str]) -> list[int]:
        """The length of each of several lists."""
        return [self.frequency(field, term) for term in terms]

    def starting(self, field: str, prefix: str) -> list[str]:
        """The values of a field that start with a prefix, in order."""
        return self._begun(field, prefix, 1 << 31)

    def values(self, field: str) -> dict[str, Sequence[int]]:
        """The values of a field, each with the documents that have it."""
        return self._valued(field, 1)

    def lists(self, field: str) -> ValueLists:
        """The same for counting."""
        return ValueLists.of(self._valued(field, 1))

    def repeated(self, field: str) -> dict[str, Sequence[int]]:
        """The values of a field that several documents have, with these."""
        return self._valued(field, 2)

    def _valued(self, field: str, least: int) -> dict[str, Sequence[int]]:
        """The values of a field that so many documents have, with these."""
        if field not in NUMBER:
            return {}
        found: dict[str, array[int]] = {}
        for data, n, listed in self._ask(
            functions.VALUED, field=NUMBER[field], least=least
        ):
            value = value_of(data)
            if value is not None:
                docs = Postings(listed, n, weighted=False).docs
                found.setdefault(value, array("Q")).extend(docs)
        return {**found}

    def begins_one(self, field: str, prefix: str) -> bool:
        """Whether at most one value of a field starts with a prefix."""
        return len(self._begun(field, prefix, 2)) < 2

    def begun(self, field: str, prefix: str, endings: Sequence[str]) -> list[str]:
        """Values that start with a prefix and have one of the endings."""
        if field != _TERMS:
            ending = tuple(endings)
            found = self._begun(field, prefix, 1 << 31)
            return [value for value in found if value.endswith(ending)]
        if (prefix, *endings) not in self._beginnings:
            self._fetch(Ahead(begun=((prefix, endings),)))
        return self._beginnings[prefix, *endings]

    def near(self, field: str, term: str) -> set[str]:
        """The values of a field that are one edit away, as `TermTable.near`."""
        length = len(key(term))
        rows = self._ask(
            _table(field).similar,
            field=NUMBER[field],
            least=length - 4,
            most=length + 4,
        )
        return {value for value in _values(rows) if one_edit(term, value)}

    def holds(self, field: str) -> bool:
        """Whether a document has a value in a field."""
        if field in ASKED:
            return field in self._outline()[1]
        return bool(self._begun(field, "", 1))

    def _outline(self) -> tuple[tuple[int, int], frozenset[str]]:
        """The size, and which of `ASKED` a document has a value in."""
        if self._known is None:
            self._fetch()
        return cast("tuple[tuple[int, int], frozenset[str]]", self._known)

    def settled(self) -> Collection[int]:
        """The claims that a resolved document settles for others, asked one by one."""
        return Settled(self)

    def resolved_before(self) -> Sequence[int]:
        """None: it would be one more question of every recall, and what leaves such
        versions (a plain git pull) is mended by `memcli repair` before a publish."""
        return ()

    def claimed(self, claims: Collection[int]) -> set[int]:
        """Those of some claims that a document makes."""
        values = [key(f"{claim:016x}") for claim in claims]
        rows = self._ask(functions.LISTED, field=NUMBER["claim"], values=values)
        return {int(value, 16) for value in _values(rows)}

    def check(self) -> None:
        """Nothing: the database checks what it stores."""

    def close(self) -> None:
        """Nothing: the connection is the engine's."""

    def _each(self, function: Function, **values: Any) -> Iterator[int]:
        """The documents of a question, some thousands at a time, with their facts."""
        access = first = -(1 << 63)
        while True:
            rows = self._ask(
                function, access=access, first=first, most=_CHUNK, **values
            )
            self._take_facts(rows)
            yield from (unsigned(row[0]) for row in rows)
            if len(rows) < _CHUNK:
                return
            access, first = rows[-1][3], rows[-1][0] + 1

    def _begun(self, field: str, prefix: str, most: int) -> list[str]:
        if field not in NUMBER:
            return []
        start = key(prefix)
        rows = self._ask(
            _table(field).begun,
            field=NUMBER[field],
            start=start,
            end=behind(start),
            most=most,
        )
        return _values(rows)


def _values(rows: Rows) -> list[str]:
    """The values of rows that hold one each, without those that were too long."""
    values = (value_of(data) for (data,) in rows)
    return [value for value in values if value is not None]


def _table(field: str) -> Counted:
    """The questions of the table that has one row for most values of a field."""
    return COUNTS if NUMBER[field] in COUNTED else VALUES
