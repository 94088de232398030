"""What a ranking works with: a corpus of documents, the terms of a question, weights.

Invariant: documents are small integers and mean nothing outside one corpus; a
corpus counts live documents only.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol


class Weights(NamedTuple):
    """The constants of the ranking; the defaults are those of `recall`."""

    # How much a repeated word, and a text's length, count: (in short texts, in long
    # ones). In a chat's turns words hardly repeat and a longer turn says more; in
    # pages of notes both tell much. LoCoMo: turns want .8 and .2, sessions 1.5 and .75.
    k1: tuple[float, float] = (0.6, 1.6)
    b: tuple[float, float] = (0.0, 0.85)
    # The average length, in terms, that is half way from short to long.
    half_length: float = 50.0
    # What a match counts for in the entries after it (an answer follows its
    # question) and before it, by distance in the session.
    after: tuple[float, ...] = (0.6, 0.25)
    before: tuple[float, ...] = (0.4, 0.2)
    session: float = 0.6
    # Half-saturation of a term's count within a session.
    session_k: float = 1.5
    # What is about an entity that the question names.
    entity: float = 0.25
    asks: float = 0.15
    feedback: float = 0.15
    feedback_entries: int = 3
    feedback_terms: int = 8
    recency: float = 0.10
    # What lies in the window that the question names.
    temporal: float = 0.20
    recency_days: float = 365.0
    # What hangs together with the best entries: the share of their score that goes
    # over one hop, from how many of them, from which share of the best score on, and
    # over how many hops.
    graph: float = 0.4
    graph_seeds: int = 10
    graph_floor: float = 0.5
    # What an entry that only the graph found must have of the best score, for each
    # hop: below, it pads the answer (docs/benchmarks/recall.md).
    graph_brings: float = 0.28
    depth: int = 1
    # What an entity that the question calls by another name counts, as a word.
    implied: float = 0.5
    # How many of the best lexical matches get the closer look.
    pool: int = 100
    # How many sessions, best first, are read for neighbours.
    most_sessions: int = 16
    # A question of more terms than this is cut to its most selective ones.
    most_terms: int = 32


DEFAULTS = Weights()

LEXICAL = Weights(
    after=(), before=(), session=0.0, feedback=0.0, asks=0.0, recency=0.0, depth=0
)
"""The words alone: for what must not depend on what stands beside an entry."""


class Corpus(Protocol):
    """What the ranking reads; documents are small integers.

    `size` counts live documents, `total_length` their terms. By document: `lengths`
    in terms; `sessions` a number shared by the entries of one session or document, 0
    for none; `orders` a number that depends on the entry alone and breaks ties.
    """

    @property
    def size(self) -> int: ...
    @property
    def total_length(self) -> int: ...
    @property
    def lengths(self) -> Sequence[int]: ...
    @property
    def sessions(self) -> Sequence[int]: ...
    @property
    def orders(self) -> Sequence[int]: ...

    def postings(self, term: str) -> tuple[Sequence[int], Sequence[float]]:
        """Documents that hold the term, and how often (weighted); may be empty."""

    def frequency(self, term: str) -> int:
        """How many live documents hold the term."""

    def session_members(self, session: int) -> list[int]:
        """The live documents of a session, in their order in it."""

    def key_terms(self, doc: int) -> Mapping[str, float]:
        """The most frequent terms of a document, with their counts."""

    def asks(self, doc: int) -> bool:
        """Whether the document is itself a question."""

    def moment(self, doc: int) -> int:
        """When it happened, epoch seconds; 0 when unknown or coarser than a day."""


class Term(NamedTuple):
    """One term of a question: its inverse document frequency, its word as asked."""

    text: str
    word: str
    frequency: int
    idf: float


Admit = Callable[[int], bool]
"""Whether a document may be shown."""

Inside = Callable[[int], float]
"""How much of a document's time lies in the window of the question, 0 to 1."""


def inverse_frequency(n: int, size: int) -> float:
    """How much a term that n of `size` documents hold tells them apart."""
    return math.log(1 + (size - n + 0.5) / (n + 0.5))
