"""The documents of a published vault, read out of PostgreSQL (a `search.Source`).

Invariant: what it gives is what the local index of the same commit gives; a document is
the 64-bit number that breaks ties. All answers of one reader are of one moment. What
was not said `ahead` is found all the same, by a question of its own.
"""

from array import array
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import Any, cast

from memcli.entries.eligibility import Agent
from memcli.search.packed_facts import Packed, one
from memcli.search.postgres import questions
from memcli.search.postgres.connection import Database, Question, Rows
from memcli.search.postgres.lazily import Later, Settled, columns_of
from memcli.search.postgres.merging import COUNTED
from memcli.search.postgres.packing import (
    FIELDS,
    NUMBER,
    Postings,
    behind,
    key,
    one_edit,
    signed,
    unsigned,
    value_of,
)
from memcli.search.source import Ahead
from memcli.search.stored_row import StoredRow

_TERMS = "terms"
# A list that is longer is fetched only when its documents are read: of a name that half
# the vault holds mostly the length is asked.
_SHORT = 4_096
# So many documents are fetched at once when all are gone through.
_CHUNK = 5_000

# The fields of which each recall asks whether any document has a value in them.
_ASKED = ("link", "evidence", "project")

_Named = tuple[str, str]  # field, value


class Tables:
    """One published vault at one moment.

    Args:
        database: a connection that only reads.
        vault: the vault's number.
    """

    def __init__(self, database: Database, vault: int) -> None:
        self._database = database
        self._vault = vault
        # The numbers of those who may see it (`access`) that this reader gets; None is
        # all that the database lets its role read.
        self._seen: list[int] | None = None
        self._facts: dict[int, Packed] = {}
        self._settles: dict[int, bool] = {}
        self._rows: dict[int, StoredRow] = {}
        self._words: dict[int, Mapping[str, float]] = {}
        self._counts: dict[_Named, int] = {}
        self._lists: dict[_Named, Sequence[int]] = {}
        self._postings: dict[str, tuple[Sequence[int], Sequence[float]]] = {}
        self._lately: Collection[int] = ()
        self._queue: list[Ahead] = []
        self._known: tuple[tuple[int, int], frozenset[str]] | None = None
        self.columns = columns_of(self)

    # --- what a source is asked -----------------------------------------------------

    @property
    def size(self) -> tuple[int, int]:
        """How many documents there are, and how many terms they have together."""
        return self._outline()[0]

    @property
    def plain(self) -> bool:
        """Not known: each document that may be shown is looked at."""
        return False

    @property
    def deleted(self) -> int:
        """None: a publish takes a document out of every table."""
        return 0

    def __len__(self) -> int:
        return 1

    def hide(self, agent: Agent) -> None:
        """Take away what an agent may not see, as far as the role sees more."""
        name = agent.name.encode("utf-8", "surrogatepass")
        rows = self._ask(questions.SEES, agent=name)
        self._seen = [number for (number,) in rows]

    def ahead(self, wanted: Callable[[], Ahead], /) -> None:
        """Note what will be read; it is fetched together with what is missed first."""
        noted = wanted()  # which may itself read, and so fetch what was noted before
        self._queue.append(noted)

    def _fetch(self, *wanted: Ahead) -> None:
        """Fetch in one round trip all that is noted and not here yet."""
        queue, self._queue = [*self._queue, *wanted], []
        takes: list[tuple[Question, Callable[[Rows], None]]] = []
        terms = {(_TERMS, term) for each in queue for term in each.terms}
        every = [*(named for each in queue for named in each.lists), *sorted(terms)]
        lists = _new((one for one in every if one[0] != _TERMS), self._lists)
        lists |= _new(
            (one for one in every if one[0] == _TERMS and one[1] not in self._postings),
            {},
        )
        counts = (named for each in queue for named in each.counts)
        takes += self._counting(_new((*counts, *lists), self._counts))
        takes += self._listing(lists, terms)
        rows = self._missing(self._rows, (each.rows for each in queue))
        words = self._missing(self._words, (each.words for each in queue))
        docs = self._missing(self._facts, (each.facts for each in queue))
        if needed := dict.fromkeys((*docs, *rows, *words)):
            self._lately = needed
            takes.append(self._looking([*needed], rows, words))
        named = dict.fromkeys(number for each in queue for number in each.sessions)
        sessions = [
            number
            for number in named
            if number and ("session", f"{number:016x}") not in self._lists
        ]
        if sessions:
            takes.append(self._meeting(sessions))
        if not takes:
            return
        answers = self._database.ask(*(question for question, _ in takes))
        for (_, take), found in zip(takes, answers, strict=True):
            take(found)

    def _missing(
        self, known: Mapping[int, Any], wanted: Iterable[Iterable[int]]
    ) -> dict[int, None]:
        return {doc: None for docs in wanted for doc in docs if doc not in known}

    def everything(self) -> Iterator[int]:
        """All documents, with their facts fetched on the way."""
        return self._each(questions.EVERY)

    def dated(self, after: int | None, before: int | None, /) -> Iterator[int]:
        """The documents whose time lies in a window, and all that last for a while."""
        start = -(1 << 63) if after is None else after
        end = (1 << 63) - 1 if before is None else before
        return self._each(questions.DATED, start=start, end=end)

    def pinned(self) -> list[int]:
        """The documents that are pinned."""
        return list(self.exact("pinned", "1"))

    def any_project(self) -> bool:
        """Whether a document may hold in one project only."""
        return True

    def row(self, doc: int) -> StoredRow:
        """What is stored of a document, and of those that were fetched with it."""
        if doc not in self._rows:
            noted = any(doc in each.rows for each in self._queue)
            beside = self._lately if doc in self._lately and not noted else ()
            self._fetch(Ahead(rows=(doc, *beside)))
        try:
            return self._rows[doc]
        except KeyError:
            raise IndexError(doc) from None

    def postings(self, field: str, term: str) -> tuple[Sequence[int], Sequence[float]]:
        """The documents whose field holds a term, and how often (weighted)."""
        if field != _TERMS:
            docs = self.exact(field, term)
            return docs, [0.0] * len(docs)
        if term not in self._postings:
            self._fetch(Ahead(terms=(term,)))
        return self._postings[term]

    def held(self, term: str, docs: Collection[int]) -> Mapping[int, float]:
        """Those of some documents that hold a term, by the words of each."""
        if any(doc not in self._words for doc in docs):
            self._fetch(Ahead(words=docs))
        found = ((doc, self._words[doc].get(term)) for doc in docs)
        return {doc: n for doc, n in found if n is not None}

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

    def whole(self, named: _Named) -> Sequence[int]:
        """The documents of a list that was too long to come unasked."""
        field, value = named
        rows = self._ask(questions.LONG, field=NUMBER[field], value=key(value))
        docs: array[int] = array("Q")
        for n, data in rows:
            docs.extend(Postings(data, n, weighted=False).docs)
        self._lists[named] = docs
        return docs

    def frequency(self, field: str, term: str) -> int:
        """The length of a list."""
        if (field, term) not in self._counts:
            if field not in NUMBER:
                return 0
            self._fetch(Ahead(counts=((field, term),)))
        return self._counts[field, term]

    def starting(self, field: str, prefix: str) -> list[str]:
        """The values of a field that start with a prefix, in order."""
        return self._begun(field, prefix, 1 << 31)

    def values(self, field: str) -> dict[str, Sequence[int]]:
        """The values of a field, each with the documents that have it."""
        return self._valued(field, 1)

    def repeated(self, field: str) -> dict[str, Sequence[int]]:
        """The values of a field that several documents have, with these."""
        return self._valued(field, 2)

    def _valued(self, field: str, least: int) -> dict[str, Sequence[int]]:
        """The values of a field that so many documents have, with these."""
        if field not in NUMBER:
            return {}
        found: dict[str, array[int]] = {}
        for data, n, listed in self._ask(
            questions.VALUED, field=NUMBER[field], least=least
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
        if "" in endings:
            return self._begun(field, prefix, 1 << 31)
        start, ends = key(prefix), [key(ending) for ending in endings]
        rows = self._ask(
            _counted(questions.ENDING, field),
            field=NUMBER[field],
            start=start,
            end=behind(start),
            ends=ends,
        )
        return _values(rows)

    def near(self, field: str, term: str) -> set[str]:
        """The values of a field that are one edit away, as `TermTable.near`."""
        length = len(key(term))
        rows = self._ask(
            _counted(questions.SIMILAR, field),
            field=NUMBER[field],
            least=length - 4,
            most=length + 4,
        )
        return {value for value in _values(rows) if one_edit(term, value)}

    def holds(self, field: str) -> bool:
        """Whether a document has a value in a field."""
        if field in _ASKED:
            return field in self._outline()[1]
        return bool(self._begun(field, "", 1))

    def _outline(self) -> tuple[tuple[int, int], frozenset[str]]:
        """The size, and which of `_ASKED` a document has a value in."""
        if self._known is None:
            size, held = self._database.ask(
                self._question(questions.SIZE),
                self._question(
                    questions.HELD, fields=[NUMBER[field] for field in _ASKED]
                ),
            )
            ((documents, terms),) = size
            fields = frozenset(FIELDS[field] for (field,) in held)
            self._known = (documents, terms), fields
        return self._known

    def settled(self) -> Collection[int]:
        """The claims that a resolved document settles for others, asked one by one."""
        return Settled(self)

    def settles(self, claim: int) -> bool:
        """Whether a claim is settled; known of the claims of fetched documents."""
        if claim not in self._settles:
            self._settles[claim] = bool(
                self._ask(questions.SETTLING, claim=signed(claim))
            )
        return self._settles[claim]

    def all_settled(self) -> list[int]:
        """Every claim that is settled."""
        return [unsigned(number) for (number,) in self._ask(questions.ALL_SETTLED)]

    def claimed(self, claims: Collection[int]) -> set[int]:
        """Those of some claims that a document makes."""
        values = [key(f"{claim:016x}") for claim in claims]
        rows = self._ask(questions.LISTED, field=NUMBER["claim"], values=values)
        return {int(value, 16) for value in _values(rows)}

    def check(self) -> None:
        """Nothing: the database checks what it stores."""

    def close(self) -> None:
        """Nothing: the connection is the engine's."""

    # --- how it is fetched ----------------------------------------------------------

    def fact(self, doc: int) -> Packed:
        """The packed facts of a document."""
        if doc not in self._facts:
            self._fetch(Ahead(facts=(doc,)))
        return self._facts[doc]

    def _ask(self, sql: str, **values: Any) -> Rows:
        return self._database.ask(self._question(sql, **values))[0]

    def _question(self, sql: str, **values: Any) -> Question:
        """A question about this vault, narrowed to what its reader gets of it."""
        seen = "true" if self._seen is None else "{x}.access = ANY(%(seen)s::bigint[])"
        settled = questions.SETTLED.replace("{seen}", seen.replace("{x}", "s"))
        text = sql.replace("{settled}", settled)
        text = text.replace("{seen}", seen.replace("{x}", "x"))
        return text, {**values, "vault": self._vault, "seen": self._seen}

    def _each(self, sql: str, **values: Any) -> Iterator[int]:
        """The documents of a question, some thousands at a time, with their facts."""
        first = -(1 << 63)
        while True:
            rows = self._ask(sql, first=first, most=_CHUNK, **values)
            self._take_facts(rows)
            yield from (unsigned(row[0]) for row in rows)
            if len(rows) < _CHUNK:
                return
            first = rows[-1][0] + 1

    def _counting(
        self, named: Collection[_Named]
    ) -> Iterator[tuple[Question, Callable[[Rows], None]]]:
        """Ask for the lengths of lists."""
        if not named:
            return
        by_key = {(NUMBER[field], key(value)): (field, value) for field, value in named}

        def take(rows: Rows) -> None:
            for field, value, n in rows:
                self._counts[by_key[field, value]] = n

        self._counts.update(dict.fromkeys(named, 0))
        for counted in (True, False):
            pairs = [pair for pair in by_key if (pair[0] in COUNTED) == counted]
            if pairs:
                fields, values = map(list, zip(*pairs, strict=True))
                table = "counts" if counted else "lists"
                sql = questions.COUNTS.replace("{table}", table)
                yield self._question(sql, fields=fields, values=values), take

    def _listing(
        self, named: Collection[_Named], whole: Collection[_Named]
    ) -> Iterator[tuple[Question, Callable[[Rows], None]]]:
        """Ask for lists: those of `whole`, and others that are short."""
        for wanted, most in ((whole, 1 << 60), (set(named) - set(whole), _SHORT)):
            some = [each for each in named if each in wanted]
            if not some:
                continue
            by_key = {(NUMBER[f], key(value)): (f, value) for f, value in some}
            fields, values = map(list, zip(*by_key, strict=True))

            def take(rows: Rows, by_key: Mapping[Any, _Named] = by_key) -> None:
                self._take_lists(rows, by_key)

            question = self._question(
                questions.LISTS, most=most, fields=fields, values=values
            )
            yield question, take

    def _take_lists(self, rows: Rows, by_key: Mapping[Any, _Named]) -> None:
        """Take the parts of lists; of those that did not come only the length is known.

        The lengths are asked in the same round trip, before.
        """
        docs: dict[_Named, array[int]] = {}
        weights: dict[_Named, array[float]] = {}
        for field, value, n, data in rows:
            named = by_key[field, value]
            postings = Postings(data, n, weighted=named[0] == _TERMS)
            docs.setdefault(named, array("Q")).extend(postings.docs)
            if named[0] == _TERMS:
                weights.setdefault(named, array("f")).extend(postings.weights)
                lengths = cast("dict[int, int]", self.columns.lengths)
                lengths.update(zip(postings.docs, postings.lengths, strict=True))
        for named in by_key.values():
            found: Sequence[int] = docs.get(named, ())
            if not found and self._counts.get(named):
                found = Later(self, named, self._counts[named])
            if named[0] != _TERMS:
                self._lists[named] = found
            elif not isinstance(found, Later):
                self._lists[named] = found
                self._postings[named[1]] = found, weights.get(named, ())

    def _looking(
        self, docs: Sequence[int], rows: Collection[int], words: Collection[int]
    ) -> tuple[Question, Callable[[Rows], None]]:
        """Ask for facts, rows and words of documents."""

        def take(found: Rows) -> None:
            import json

            self._take_facts(found)
            for doc, _, _, row, held in found:
                if row is not None:
                    self._rows[unsigned(doc)] = StoredRow.from_json(row)
                if held is not None:
                    self._words[unsigned(doc)] = json.loads(held)

        numbers = {"rows": rows, "words": words, "docs": docs}
        given = {name: [*map(signed, some)] for name, some in numbers.items()}
        return self._question(questions.LOOK, **given), take

    def _meeting(
        self, sessions: Sequence[int]
    ) -> tuple[Question, Callable[[Rows], None]]:
        """Ask for the documents of sessions, with their facts."""

        def take(found: Rows) -> None:
            members: dict[int, list[int]] = {number: [] for number in sessions}
            self._take_facts(found)
            for row in found:
                doc = unsigned(row[0])
                members[self._facts[doc].session].append(doc)
            for number, docs in members.items():
                self._lists["session", f"{number:016x}"] = sorted(docs)

        return self._question(questions.MEET, sessions=[*map(signed, sessions)]), take

    def _take_facts(self, rows: Rows) -> None:
        for doc, packed, settled, *_ in rows:
            facts = one(packed)
            self._facts[unsigned(doc)] = facts
            self._settles[facts.claim] = bool(settled and facts.claim)

    def _begun(self, field: str, prefix: str, most: int) -> list[str]:
        if field not in NUMBER:
            return []
        start = key(prefix)
        rows = self._ask(
            _counted(questions.BEGUN, field),
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


def _new(named: Iterable[_Named], known: Mapping[_Named, Any]) -> dict[_Named, None]:
    """Those that are not known, each once, of fields that have lists."""
    return {
        each: None
        for each in dict.fromkeys(named)
        if each not in known and each[0] in NUMBER
    }


def _counted(sql: str, field: str) -> str:
    """A question about values, of the table that has one row for most of them."""
    table = "counts" if NUMBER[field] in COUNTED else "lists"
    return sql.replace("{table}", table)
