"""What a `Reader` reads: the narrow door between recall and where the index lies.

Invariant: an answer depends on what a source holds, never on which source it is. The
index on this machine (`Segments`) and a database (`postgres.tables.Tables`) give the
same documents, lists and counts for the same vault, so everything above, from the
ranking to the hooks, is written once.
"""

from __future__ import annotations

from memcli.named_tuple import NamedTuple

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
    from typing import Protocol

    from memcli.entries.eligibility import Agent
    from memcli.search.packed_facts import Columns
    from memcli.search.stored_row import StoredRow
    from memcli.search.value_lists import ValueLists
else:
    Protocol = object


ASKED = 0.75
"""How often an entry holds a word of its `asked` that stands nowhere else in it.

Less than 1, which no other word counts: what must not read `asked` can tell them apart.
"""


class Level(NamedTuple):
    """Places of documents that hold a term, and what they hold of it at most.

    `places` are the bits of a number. `pairs` are (weight, length): each document of
    the level holds the term no more often, and is no shorter, than one of them says.
    """

    places: int
    pairs: Sequence[tuple[float, int]]


class Ahead(NamedTuple):
    """What the caller is about to read, so that a source can fetch it at once.

    `lists` and `counts` are (field, value) of lists and of their lengths, `terms` the
    terms whose whole postings are read, `rare` those of which they are read if few
    documents hold them; of those of `levels` the levels do where a list is long.
    `facts` and `rows` are documents of which
    these are read, `words` those whose terms are (`held`), and `sessions` the numbers
    of sessions whose documents are looked up. The sessions of `beside` are looked up
    as well, `most_sessions` of them, those of its first documents first. `begun` are
    (beginning, endings) of terms that are looked for, and `constraints` says how many
    of the first of them are read, with their rows. `then` says what is read once the
    rows and facts are known.
    """

    lists: Iterable[tuple[str, str]] = ()
    counts: Iterable[tuple[str, str]] = ()
    terms: Iterable[str] = ()
    rare: Iterable[str] = ()
    levels: Iterable[str] = ()
    rows: Iterable[int] = ()
    words: Iterable[int] = ()
    facts: Iterable[int] = ()
    sessions: Iterable[int] = ()
    beside: Iterable[int] = ()
    most_sessions: int = 0
    begun: Iterable[tuple[str, Sequence[str]]] = ()
    constraints: int = 0
    then: Callable[[], Ahead] | None = None


class Source(Protocol):
    """The documents of one vault, as the index has them.

    A document is an integer that means nothing outside its source. Documents that are
    deleted, or hidden from the agent that reads, are in no list and in no count.
    """

    @property
    def columns(self) -> Columns:
        """The packed facts of each document, looked up by its number."""

    @property
    def size(self) -> tuple[int, int]:
        """How many documents there are, and how many terms they have together."""

    @property
    def plain(self) -> bool:
        """Whether every document is known to be active and whole, without an end."""

    @property
    def ascending(self) -> bool:
        """Whether `postings` are in the order of the documents' numbers."""

    @property
    def deleted(self) -> int:
        """How many documents are stored that are in no list."""

    def scaled_lengths(self, factor: float, /) -> Sequence[float]:
        """The length of each document times a factor, looked up by its number."""

    def __len__(self) -> int:
        """How many parts it is stored in."""

    def hide(self, agent: Agent) -> None:
        """Take away what an agent may not see, as if it were not in the vault."""

    def ahead(self, wanted: Callable[[], Ahead], /) -> None:
        """Say what will be read next; what is not said is found all the same.

        A source on this machine does not even ask what it is.
        """

    def everything(self) -> Iterator[int]:
        """All documents."""

    def dated(self, after: int | None, before: int | None, /) -> Iterator[int]:
        """All documents whose time may lie in a window, and perhaps others."""

    def pinned(self) -> list[int]:
        """The documents that are pinned."""

    def constraints(self) -> Iterator[int]:
        """The constraints, as `newest_first` orders them."""

    def any_project(self) -> bool:
        """Whether a document may hold in one project only."""

    def row(self, doc: int) -> StoredRow:
        """What is stored of a document; raises IndexError when there is none."""

    def naming(self, values: Collection[str], /) -> Iterator[int]:
        """The documents in whose row one of these is a value; perhaps others as well.

        For what no list tells, and few documents have.
        """

    def said(self, doc: int) -> tuple[str, str]:
        """The id and the text of a document; raises as `row`."""

    def postings(self, field: str, term: str) -> tuple[Sequence[int], Sequence[float]]:
        """The documents whose field holds a term, and how often (weighted)."""

    def levels(
        self, wanted: Callable[[], Iterable[str]], /
    ) -> Mapping[str, Mapping[int, Sequence[Level]]] | None:
        """Where some terms stand, by part of the vault: their levels, the best first.

        None where reading their postings costs as little; a source on this machine
        does not even ask which terms they are.
        """

    def placed(self, places: Mapping[int, Sequence[int]]) -> list[int]:
        """The documents at some places of parts of the vault, by number."""

    def held(self, term: str, docs: Collection[int]) -> Mapping[int, float]:
        """Those of some documents that hold a term, and how often (weighted)."""

    def exact(self, field: str, value: str) -> Sequence[int]:
        """The documents whose field has this exact value."""

    def frequency(self, field: str, term: str) -> int:
        """The length of that list."""

    def frequencies(self, field: str, terms: Sequence[str]) -> Sequence[int]:
        """The length of each of several lists."""

    def starting(self, field: str, prefix: str) -> Sequence[str]:
        """The values of a field that start with a prefix, in order."""

    def repeated(self, field: str) -> Mapping[str, Sequence[int]]:
        """The values of a field that several documents have, with these."""

    def values(self, field: str) -> Mapping[str, Sequence[int]]:
        """The values of a field, each with the documents that have it."""

    def lists(self, field: str) -> ValueLists:
        """The same at once, for counting; hidden documents may be among them."""

    def begins_one(self, field: str, prefix: str) -> bool:
        """Whether at most one value of a field starts with a prefix."""

    def begun(self, field: str, prefix: str, endings: Sequence[str]) -> Iterable[str]:
        """Values with this beginning and one of the endings; of deleted ones, too."""

    def near(self, field: str, term: str) -> Iterable[str]:
        """The values of a field that are one edit away, as `TermTable.near`."""

    def holds(self, field: str) -> bool:
        """Whether a document may have a value in a field."""

    def settled(self) -> Collection[int]:
        """The claims that a resolved document settles for others, by number."""

    def resolved_before(self) -> Sequence[int]:
        """The documents that settle more than themselves, and have a later version."""

    def claimed(self, claims: Collection[int]) -> Collection[int]:
        """Those of some claims that a document makes."""

    def check(self) -> None:
        """Read every list; raises when one is not what was written."""

    def close(self) -> None:
        """Let go of files and connections."""
