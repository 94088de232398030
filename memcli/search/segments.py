"""The segments of an index as one: documents are numbered across all of them.

Invariant: a document that is not live is in no list and no count, so that an index that
was updated a thousand times answers like one that was built at once. Which documents
are live is decided at the beginning; `keep` only takes more of them away.
"""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import accumulate, compress

from memcli.entries.eligibility import Agent, alternatives
from memcli.entries.entry import Status
from memcli.search.packed_facts import (
    NOT_PLAIN,
    ONLY_THIS,
    PINNED,
    RESOLVED_BEFORE,
    Columns,
    in_window,
    joined,
    newest_first,
)
from memcli.search.ranking.corpus import held_of
from memcli.search.segment import Segment, SegmentId
from memcli.search.stored_row import StoredRow, said
from memcli.search.term_table import encoded
from memcli.search.value_lists import ValueLists

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
    from typing import TypeVar

    from memcli.search.source import Ahead

    _Asked = TypeVar("_Asked")
    _Answer = TypeVar("_Answer")

# What a process that stays remembers of what it was asked: so many answers of a sort,
# then it begins anew; lists with so many documents together. Long texts are read again
# each time.
_MOST_REMEMBERED = 1 << 14
_MOST_LISTED = 1 << 20
_MOST_ROWS = 512
_LONG_ROW = 1 << 14


class Segments:
    """The segments of one index (a `Source`); documents ascend in every list.

    Args:
        folder: of the index.
        which: its segments, in order.

    Attributes:
        parts: each segment.

    Raises:
        Damaged, OSError: their files are not there, or not what was written.
    """

    ascending = True

    def __init__(self, folder: str, which: Sequence[SegmentId]) -> None:
        self.parts: list[Segment] = []
        base = 0
        for each in which:
            self.parts.append(Segment(folder, each, base))
            base += each.documents
        self._columns: Columns | None = None
        self._live: bytes | None = None
        self._scaled: tuple[float, list[float]] = (0.0, [])
        self._forget()

    def _forget(self) -> None:
        self._frequencies: dict[tuple[str, str], int] = {}
        self._lists: dict[tuple[str, str], tuple[array[int], array[float]]] = {}
        self._listed = 0
        self._rows: dict[int, StoredRow] = {}
        self._constraints: list[int] | None = None

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def columns(self) -> Columns:
        """The packed facts of all documents, those that are not live included."""
        if self._columns is None:
            self._columns = joined([part.column for part in self.parts])
        return self._columns

    @property
    def live(self) -> bytes:
        """A byte for each document, 1 when it is live."""
        if self._live is None:
            self._live = b"".join(part.live for part in self.parts)
        return self._live

    @property
    def size(self) -> tuple[int, int]:
        """How many documents are live, and how many terms they have together."""
        count = self.live.count(1)
        whole = sum(part.together.length for part in self.parts)
        if count == len(self.live):
            return count, whole
        lengths, gone = self.columns.lengths, self._gone()
        if gone is None:
            return count, sum(compress(lengths, self.live))
        return count, whole - sum(map(lengths.__getitem__, gone))

    def _gone(self) -> list[int] | None:
        """The documents that are not live, where they are few."""
        gone: list[int] = []
        for part in self.parts:
            if part.gone is None:
                return None
            gone += [part.base + doc for doc in part.gone]
        return gone

    @property
    def plain(self) -> bool:
        """Whether every document, deleted ones included, is active and whole, and never
        expires."""
        every = [part.together for part in self.parts]
        return not any(each.flags & NOT_PLAIN or each.expires for each in every)

    def scaled_lengths(self, factor: float, /) -> Sequence[float]:
        """The length of each document times a factor; the last ones are kept.

        By a table of all lengths, since a vault has some hundred of them: a list of
        10,000 takes .3 ms, as much as it spares a single question.
        """
        if self._scaled[0] != factor:
            lengths = self.columns.lengths
            table = {length: factor * length for length in set(lengths)}
            self._scaled = factor, [*map(table.__getitem__, lengths)]
        return self._scaled[1]

    @property
    def deleted(self) -> int:
        """How many documents are in the files of the index, but not live."""
        return len(self.live) - sum(self.live)

    def hide(self, agent: Agent) -> None:
        """Take away what an agent may not see, as if it were not in the vault."""
        matching: dict[tuple[str, str], set[int]] = {}
        visible: set[int] = set()
        for needs in alternatives(agent):
            for need in needs:
                if need not in matching:
                    matching[need] = set(self.exact(*need))
            visible |= set.intersection(*(matching[need] for need in needs))
        for part in self.parts:  # deleted documents are in none of the sets
            numbers = range(part.base, part.base + part.count)
            part.keep(bytes(map(visible.__contains__, numbers)))
        self._live = None
        self._forget()

    def ahead(self, _wanted: Callable[[], Ahead], /) -> None:
        """Nothing is to be fetched: the files are mapped."""

    def levels(self, _wanted: Callable[[], Iterable[str]], /) -> None:
        """None: the files are mapped, and postings cost little."""

    def placed(self, _places: Mapping[int, Sequence[int]]) -> list[int]:
        """Nothing: there are no levels that would say a place."""
        return []

    def everything(self) -> Iterator[int]:
        """All live documents."""
        return compress(range(len(self.live)), self.live)

    def dated(self, after: int | None, before: int | None, /) -> Iterator[int]:
        """All live documents whose time may lie in a window, and perhaps others."""
        return filter(self.live.__getitem__, in_window(self.columns, after, before))

    def pinned(self) -> list[int]:
        """The live documents that are pinned."""
        flags = self.columns.flags
        return [doc for doc in self.everything() if flags[doc] & PINNED]

    def constraints(self) -> Iterator[int]:
        """The constraints, the newest first."""
        if self._constraints is None:
            found = self.exact("kind", "constraint")
            self._constraints = sorted(found, key=newest_first(self.columns))
        return iter(self._constraints)

    def any_project(self) -> bool:
        """Whether a document, deleted ones included, holds in one project only."""
        return any(part.together.project for part in self.parts)

    def settled(self) -> frozenset[int]:
        """The claims that a resolved document settles for others, by number."""
        resolved = self.exact("status", str(Status.RESOLVED))
        if not resolved:
            return frozenset()
        flags, claims = self.columns.flags, self.columns.claims
        numbers = (claims[doc] for doc in resolved if not flags[doc] & ONLY_THIS)
        return frozenset(number for number in numbers if number)

    def resolved_before(self) -> Sequence[int]:
        """The documents that settle more than themselves, and have a later version."""
        return self.exact("check", RESOLVED_BEFORE)

    def claimed(self, claims: Collection[int]) -> frozenset[int]:
        """Those of some claims that a document makes, deleted ones included."""
        return frozenset(claims).intersection(self.columns.claims)

    def postings(self, field: str, term: str) -> tuple[array[int], array[float]]:
        """The live documents whose field holds a term, with their weights.

        Neither array may be changed: they are remembered.
        """
        asked = (field, term)
        found = self._lists.get(asked)
        if found is None:
            found = self._read(field, term)
            self._listed += len(found[0])
            if self._listed > _MOST_LISTED:
                self._lists, self._listed = {}, len(found[0])
            _remember(self._lists, asked, found, _MOST_REMEMBERED)
        return found

    def _read(self, field: str, term: str) -> tuple[array[int], array[float]]:
        found: tuple[array[int], array[float]] | None = None
        name = encoded(term)
        for part in self.parts:
            place = part.place(field, name)
            if place is None:
                continue
            postings = part.live_postings(place)
            if part.base:
                shifted = array("I", [doc + part.base for doc in postings[0]])
                postings = shifted, postings[1]
            if found is None:
                found = postings
            else:
                found[0].extend(postings[0])
                found[1].extend(postings[1])
        return found or (array("I"), array("f"))

    def held(self, term: str, docs: Collection[int]) -> dict[int, float]:
        """Those of some documents that hold a term, with its weight in each."""
        return held_of(self.postings("terms", term), docs, ascending=True)

    def exact(self, field: str, value: str) -> array[int]:
        """The live documents whose field has this exact value, not to be changed."""
        return self.postings(field, value)[0]

    def frequency(self, field: str, term: str) -> int:
        """How many live documents hold a term."""
        asked = (field, term)
        if asked in self._lists:
            return len(self._lists[asked][0])
        found = self._frequencies.get(asked)
        if found is None:
            (found,) = self.frequencies(field, (term,))
            _remember(self._frequencies, asked, found, _MOST_REMEMBERED)
        return found

    def frequencies(self, field: str, terms: Sequence[str]) -> list[int]:
        """How many live documents hold each of these terms, asked for together."""
        names = [*map(encoded, terms)]
        counts = (part.live_frequencies(field, names) for part in self.parts)
        return [*map(sum, zip([0] * len(names), *counts, strict=True))]

    def starting(self, field: str, prefix: str) -> list[str]:
        """Values of a field that start with a prefix and belong to a live document."""
        values = {text for part in self.parts for text in part.starting(field, prefix)}
        return sorted(value for value in values if self.frequency(field, value))

    def begun(self, field: str, prefix: str, endings: Sequence[str]) -> list[str]:
        """The values with one of these endings among them, of deleted ones too."""
        return [text for p in self.parts for text in p.begun(field, prefix, endings)]

    def near(self, field: str, term: str) -> set[str]:
        """The values of a field that are one edit away, of deleted ones too."""
        return {text for part in self.parts for text in part.near(field, term)}

    def begins_one(self, field: str, prefix: str) -> bool:
        """Whether at most one value of a field starts with a prefix.

        It looks no further than the second one that belongs to a live document.
        """
        found: set[str] = set()
        for part in self.parts:
            for value in part.starting(field, prefix):
                if value not in found and self.frequency(field, value):
                    found.add(value)
                    if len(found) > 1:
                        return False
        return True

    def repeated(self, field: str) -> dict[str, Sequence[int]]:
        """The values of a field that several live documents have, with these.

        No list is read but theirs.
        """
        held = Counter[str]()
        for part in self.parts:
            held.update(part.held(field))
        several = (value for value, count in held.items() if count > 1)
        found = ((value, self.exact(field, value)) for value in several)
        return {value: docs for value, docs in found if len(docs) > 1}

    def values(self, field: str) -> dict[str, Sequence[int]]:
        """The values of a field, each with the live documents that have it."""
        lists, live = self.lists(field), self.live
        whole = 0 not in live
        found: dict[str, Sequence[int]] = {}
        for place, value in enumerate(lists.values):
            docs = lists.listed(place)
            if not whole:
                docs = [doc for doc in docs if live[doc]]
            if docs:
                found[value] = [*found[value], *docs] if value in found else docs
        return found

    def lists(self, field: str) -> ValueLists:
        """The values of a field with their documents, deleted ones among them."""
        values: list[str] = []
        docs: array[int] = array("I")
        counts: list[int] = []
        for part in self.parts:
            known, numbers, found = part.lists(field)
            values += known
            counts += numbers
            base = part.base
            docs += array("I", [base + doc for doc in found]) if base else found
        return ValueLists(values, docs, list(accumulate(counts)))

    def holds(self, field: str) -> bool:
        """Whether any document, deleted ones included, has a value in a field."""
        return any(True for part in self.parts for _ in part.starting(field, ""))

    def row(self, doc: int) -> StoredRow:
        """What is stored of a document.

        Raises:
            IndexError: there is no such document.
        """
        if doc in self._rows:
            return self._rows[doc]
        data = self._row(doc)
        row = StoredRow.from_json(data)
        if len(data) <= _LONG_ROW:
            _remember(self._rows, doc, row, _MOST_ROWS)
        return row

    def naming(self, values: Collection[str], /) -> Iterator[int]:
        """The documents in whose row one of these is a value, and perhaps others."""
        marks = [StoredRow.mark(value) for value in values]
        for doc in self.everything():
            data = self._row(doc)
            if any(mark in data for mark in marks):
                yield doc

    def said(self, doc: int) -> tuple[str, str]:
        """The id and the text of a document; raises as `row`."""
        return said(self._row(doc))

    def _row(self, doc: int) -> bytes:
        for part in reversed(self.parts):
            if doc >= part.base:
                return part.row(doc - part.base)
        raise IndexError(doc)

    def check(self) -> None:
        """Read all columns, posting lists and terms; raises as `Segment.check`."""
        self._forget()
        for part in self.parts:
            part.check()

    def close(self) -> None:
        """Let go of the files."""
        for part in self.parts:
            part.close()


def _remember(
    known: dict[_Asked, _Answer], asked: _Asked, answer: _Answer, most: int
) -> None:
    """Add an answer to those that are known, which are at most so many."""
    if len(known) >= most:
        known.clear()
    known[asked] = answer
