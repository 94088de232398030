"""What a reader of a published vault has fetched, and how the rest is.

Invariant: all that was said `ahead` comes in the same round trip as what is missed
first, and what is here is not fetched again. All of it is of one moment.
"""

from __future__ import annotations

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

from memcli.search.packed_facts import Packed, one
from memcli.search.postgres import functions, limits
from memcli.search.postgres.connection import Database, Question, Rows
from memcli.search.postgres.functions import COUNTS, VALUES, Function
from memcli.search.postgres.lazily import Later, columns_of
from memcli.search.postgres.merging import COUNTED
from memcli.search.postgres.packing import (
    FIELDS,
    NUMBER,
    Postings,
    behind,
    key,
    signed,
    unsigned,
    value_of,
    words_of,
)
from memcli.search.ranking.borrowing import COMMON
from memcli.search.source import Ahead

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.entries.eligibility import Agent
    from memcli.search.postgres.limits import Limit
    from memcli.search.stored_row import StoredRow

_TERMS = "terms"
ASKED = ("link", "evidence", "project")
"""The fields of which each recall asks whether any document has a value in them."""

_Named = tuple[str, str]  # field, value
_Part = tuple[int, int, bytes | None, bytes | None]  # bucket, n, postings or levels
Asked = tuple[Question, Callable[[Rows], None]]
"""A question, and what takes its answer."""


class Fetching:
    """One published vault at one moment.

    Args:
        database: a connection that only reads.
        vault: the vault's number.
        look: a question for what is published, and what takes its answer: it goes along
            with the first question of each moment.
        seen: whether what is published was just looked at.
    """

    def __init__(
        self, database: Database, vault: int, look: Asked, *, seen: bool
    ) -> None:
        self._database = database
        self._look = look
        self._moment = database.moment if seen else -1
        self._vault = vault
        # The agent whose documents alone this reader gets; None is all that the
        # database lets its role read.
        self._agent: bytes | None = None
        self._facts: dict[int, Packed] = {}
        self._settles: dict[int, bool] = {}
        # As they came until they are read: more are fetched than are.
        self._rows: dict[int, StoredRow | bytes] = {}
        self._words: dict[int, Mapping[bytes, float]] = {}
        self._bits = 0  # those of a document's number that say its bucket
        self._counts: dict[_Named, int] = {}
        self._lists: dict[_Named, Sequence[int]] = {}
        self._postings: dict[str, tuple[Sequence[int], Sequence[float]]] = {}
        # The parts of terms' lists, and of those that are long.
        self._parts: dict[str, list[_Part]] = {}
        self._leveled: dict[str, list[_Part]] = {}
        self._placed: dict[tuple[int, int], list[int]] = {}
        # How long a list might be to come, and to come flat.
        self._tried: dict[_Named, Limit] = {}
        self._beginnings: dict[tuple[str, ...], list[str]] = {}
        self._lately: Collection[int] = ()
        self._queue: list[Ahead] = []
        # The newest constraints, and whether these are all.
        self._rules: list[int] = []
        self._all_rules = False
        self._known: tuple[tuple[int, int], frozenset[str]] | None = None
        self.columns = columns_of(self)

    def hide(self, agent: Agent) -> None:
        """Take away what an agent may not see, as far as the role sees more."""
        self._agent = agent.name.encode("utf-8", "surrogatepass")

    def ahead(self, wanted: Callable[[], Ahead], /) -> None:
        """Note what will be read; it is fetched together with what is missed first."""
        noted = wanted()  # which may itself read, and so fetch what was noted before
        here = all(doc in self._rows for doc in noted.rows)
        if (
            noted.then is not None
            and here
            and all(d in self._facts for d in noted.facts)
        ):
            self.ahead(noted.then)
            noted = noted._replace(then=None)
        self._queue.append(noted)

    def _fetch(self, *wanted: Ahead) -> None:
        """Fetch in one round trip all that is noted and not here yet."""
        queue, self._queue = [*self._queue, *wanted], []
        takes: list[Asked] = []
        if self._known is None:
            takes += self._outlining()
        lists = limits.wanted(queue, self._lists, self._tried)
        counts = (named for each in queue for named in each.counts)
        counts = (named for named in counts if named not in lists)
        takes += self._counting(limits.new(counts, self._counts))
        takes += self._listing(lists)
        rows = self._missing(self._rows, (each.rows for each in queue))
        words = self._missing(self._words, (each.words for each in queue))
        docs = self._missing(self._facts, (each.facts for each in queue))
        if needed := dict.fromkeys((*docs, *rows, *words)):
            self._lately = needed
            takes.append(self._looking([*needed], rows, words))
        for each in queue:
            if beside := [*each.beside]:
                takes.append(self._gathering(beside, each.most_sessions))
        named = dict.fromkeys(number for each in queue for number in each.sessions)
        sessions = [
            number
            for number in named
            if number and ("session", f"{number:016x}") not in self._lists
        ]
        if sessions:
            takes.append(self._meeting(sessions))
        rules = max((each.constraints for each in queue), default=0)
        if rules > len(self._rules) and not self._all_rules:
            takes.append(self._ruling(rules - len(self._rules)))
        begun = dict.fromkeys(
            (begun, *ends) for each in queue for begun, ends in each.begun
        )
        takes += (
            self._beginning(begun, ends)
            for begun, *ends in begun
            if (begun, *ends) not in self._beginnings
        )
        if not takes:
            return
        answers = self._send(*(question for question, _ in takes))
        for (_, take), found in zip(takes, answers, strict=True):
            take(found)
        for each in queue:
            if each.then is not None:
                self.ahead(each.then)

    def _missing(
        self, known: Mapping[int, Any], wanted: Iterable[Iterable[int]]
    ) -> dict[int, None]:
        return {doc: None for docs in wanted for doc in docs if doc not in known}

    def whole(self, named: _Named) -> Sequence[int]:
        """The documents of a list that was too long to come unasked."""
        field, value = named
        rows = self._ask(functions.LONG, field=NUMBER[field], value=key(value))
        docs: array[int] = array("Q")
        for n, data in rows:
            docs.extend(Postings(data, n, weighted=False).docs)
        self._lists[named] = docs
        return docs

    def _outlining(self) -> Iterator[Asked]:
        """Ask for the size, and for which of `ASKED` a document has a value in."""
        sizes: list[tuple[int, int]] = []

        def take(held: Rows) -> None:
            fields = frozenset(FIELDS[field] for (field,) in held)
            self._known = sizes[0], fields

        yield (
            self._question(functions.SIZE),
            lambda rows: sizes.extend((documents, terms) for documents, terms in rows),
        )
        asked = [NUMBER[field] for field in ASKED]
        yield self._question(functions.HELD, fields=asked), take

    def settles(self, claim: int) -> bool:
        """Whether a claim is settled; known of the claims of fetched documents."""
        if claim not in self._settles:
            self._settles[claim] = bool(
                self._ask(functions.SETTLING, claim=signed(claim))
            )
        return self._settles[claim]

    def all_settled(self) -> list[int]:
        """Every claim that is settled."""
        return [unsigned(number) for (number,) in self._ask(functions.ALL_SETTLED)]

    def fact(self, doc: int) -> Packed:
        """The packed facts of a document."""
        if doc not in self._facts:
            self._fetch(Ahead(facts=(doc,)))
        return self._facts[doc]

    def _ask(self, function: Function, **values: Any) -> Rows:
        return self._send(self._question(function, **values))[0]

    def _send(self, *questions: Question) -> list[Rows]:
        """Ask; of a new moment first whether the same is published as before."""
        if not self._database.renews(self._moment):
            return self._database.ask(*questions)
        look, take = self._look
        answer, *answers = self._database.ask(look, *questions)
        take(answer)
        self._moment = self._database.moment
        return answers

    def _question(self, function: Function, **values: Any) -> Question:
        """A question about this vault; its function narrows it to what is seen."""
        return function.call, {**values, "vault": self._vault, "agent": self._agent}

    def _counting(self, named: Collection[_Named]) -> Iterator[Asked]:
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
                lengths = (COUNTS if counted else VALUES).lengths
                yield self._question(lengths, fields=fields, values=values), take

    def _listing(self, most_of: Mapping[_Named, Limit]) -> Iterator[Asked]:
        """Ask for lists; of one that is longer than its limit only the length comes."""
        if not most_of:
            return
        by_key = {(NUMBER[f], key(value)): (f, value) for f, value in most_of}
        fields, values = map(list, zip(*by_key, strict=True))
        most, flat = map(list, zip(*(most_of[n] for n in by_key.values()), strict=True))
        self._tried.update(most_of)
        yield (
            self._question(
                functions.LISTS,
                most=most,
                flat=flat,
                fields=fields,
                values=values,
                total=limits.TOTAL,
                common=COMMON,
            ),
            lambda rows: self._take_lists(rows, by_key),
        )

    def _take_lists(self, rows: Rows, by_key: Mapping[Any, _Named]) -> None:
        """Take the parts of lists, or their lengths."""
        parts: dict[_Named, list[_Part]] = {named: [] for named in by_key.values()}
        for field, value, n, data, bucket, where in rows:
            parts[by_key[field, value]].append((bucket, n, data, where))
        for named, some in parts.items():
            self._counts[named] = sum(n for _, n, _, _ in some)
            if any(where is not None for _, _, _, where in some):
                self._leveled[named[1]] = some
                continue
            if any(data is None for _, _, data, _ in some):
                if named[0] != _TERMS:
                    self._lists[named] = Later(self, named, self._counts[named])
                continue
            docs, weights = array("Q"), array("f")
            for _, n, data, _ in some:
                postings = Postings(data or b"", n, weighted=named[0] == _TERMS)
                docs.extend(postings.docs)
                if named[0] == _TERMS:
                    weights.extend(postings.weights)
                    lengths = cast("dict[int, int]", self.columns.lengths)
                    lengths.update(zip(postings.docs, postings.lengths, strict=True))
            self._lists[named] = docs
            if named[0] == _TERMS:
                self._parts[named[1]] = some
                self._postings[named[1]] = docs, weights

    def _looking(
        self, docs: Sequence[int], rows: Collection[int], words: Collection[int]
    ) -> Asked:
        """Ask for facts, rows and words of documents."""

        def take(found: Rows) -> None:
            self._take_facts(found)
            for doc, _, _, row, held in found:
                if row is not None:
                    self._rows[unsigned(doc)] = row
                if held is not None:
                    self._words[unsigned(doc)] = words_of(held)

        numbers = {"rows": rows, "words": words, "docs": docs}
        given = {name: [*map(signed, some)] for name, some in numbers.items()}
        return self._question(functions.LOOK_AT, **given), take

    def _meeting(self, sessions: Sequence[int]) -> Asked:
        """Ask for the documents of sessions, with their facts."""

        def take(found: Rows) -> None:
            members: dict[int, list[int]] = {number: [] for number in sessions}
            self._take_facts(found)
            for row in found:
                doc = unsigned(row[0])
                members[self._facts[doc].session].append(doc)
            for number, docs in members.items():
                self._lists["session", f"{number:016x}"] = sorted(docs)

        return self._question(functions.MEET, sessions=[*map(signed, sessions)]), take

    def _gathering(self, beside: Sequence[int], most: int) -> Asked:
        """Ask for whole sessions, those of the first of these documents first."""

        def take(found: Rows) -> None:
            self._take_facts(found)
            members: dict[int, list[int]] = {}
            for row in found:
                doc = unsigned(row[0])
                members.setdefault(self._facts[doc].session, []).append(doc)
            for number, docs in members.items():
                self._lists["session", f"{number:016x}"] = sorted(docs)

        docs = [*map(signed, beside)]
        return self._question(functions.GATHER, beside=docs, most=most), take

    def _ruling(self, most: int) -> Asked:
        """Ask for more constraints, with their rows."""

        def take(found: Rows) -> None:
            self._take_facts(found)
            for doc, _, _, row in found:
                self._rules.append(unsigned(doc))
                self._rows.setdefault(unsigned(doc), row)
            self._all_rules = len(found) < most

        skipped = len(self._rules)
        return self._question(functions.RULES, skipped=skipped, most=most), take

    def _beginning(self, begun: str, endings: Sequence[str]) -> Asked:
        """Ask for the terms of a beginning and one of the endings, with counts."""

        def take(rows: Rows) -> None:
            found = {value_of(data): n for data, n in rows}
            terms = {term: n for term, n in found.items() if term is not None}
            self._beginnings[begun, *endings] = [*terms]
            self._counts.update(((_TERMS, term), n) for term, n in terms.items())

        start = key(begun)
        question = self._question(
            functions.ENDING,
            field=NUMBER[_TERMS],
            start=start,
            end=behind(start),
            ends=[key(ending) for ending in endings],
        )
        return question, take

    def _take_facts(self, rows: Rows) -> None:
        for doc, packed, settled, *_ in rows:
            facts = one(packed)
            self._facts[unsigned(doc)] = facts
            self._settles[facts.claim] = bool(settled and facts.claim)
