"""The values of a ranking: the question, the documents, the edges, and the weights.

Invariant: documents are small integers and mean nothing outside one corpus; a
corpus counts live documents only. Every figure that can be tuned is among `Weights`.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from memcli.search.reader import Reader

Inside = Callable[[int], float]
"""How much of a document's time lies in the window of the question, 0 to 1."""

Scored = dict[int, tuple[float, float]]
"""Document -> (what a term counts there, how often the document holds it)."""

Table = dict[str, Scored]
"""Term -> the documents that hold it."""

_NONE: Mapping[str, Any] = MappingProxyType({})


SPELLING, SAME, NEAR = "spelling", "same", "near"
"""How another word stands for a word of the question.

As what was meant by a word that is spelled wrong, as another name of the same thing
(k8s, kubernetes), or as a word of similar meaning.
"""


ASKED = 0.75
"""How often an entry holds a word of its `asked` that stands nowhere else in it.

Less than 1, which no other word counts: what must not read `asked` can tell them apart.
"""


class Reading(NamedTuple):
    """A reading of a word of the question.

    `terms` are one term, or several that an entry must hold together; `kind` is one of
    the above. `share` is what one of them counts, as a share of the word itself; that
    of a near word is its similarity, which `Weights.near` dampens.
    """

    terms: tuple[str, ...]
    share: float
    kind: str


class Question(NamedTuple):
    """A question as the ranking reads it.

    Args:
        terms: (term, word as asked), as `tokens.question` gives them.
        now: the moment of the question in epoch seconds, for recency.
        named: an entity that the question names -> the documents about it.
        implied: a term -> the documents about what the question calls by this term, an
            alias of an entity: they count as if they held the term.
        inside: how much of a document lies in the window that the question names; None
            when it names no time.
        elsewhere: whether a document holds in another project than the one that the
            question is asked in; None when that does not matter.
        answers: the kinds of answer that it asks for, a bit each; 0 when it does not
            say.
        readings: a term -> what else it may be read as, the best reading first.
    """

    terms: Sequence[tuple[str, str]]
    now: int = 0
    named: Mapping[str, Collection[int]] = _NONE
    implied: Mapping[str, Collection[int]] = _NONE
    inside: Inside | None = None
    elsewhere: Callable[[int], bool] | None = None
    answers: int = 0
    readings: Mapping[str, Sequence[Reading]] = _NONE


class Edge(NamedTuple):
    """An edge from a document to others.

    `kind` is entity, name (a possible one), code (a path or command), link, lineage or
    evidence; `name` is that of the first three, else empty; `docs`
    is everything that it leads to, the document itself perhaps among it.
    """

    kind: str
    name: str
    docs: Sequence[int]


Edges = Callable[[Collection[int]], Mapping[int, Iterable[Edge]]]
"""Gives the edges of each of some documents, always in the same order."""


class Scope(NamedTuple):
    """Which documents take part, and over which edges others are reached.

    Args:
        shown: gives those of some documents that may be shown, in the order they are
            given; None shows all.
        within: only these documents take part; None means all of them.
        edges: the edges that the graph follows; None means that it follows none.
    """

    shown: Callable[[Sequence[int]], Sequence[int]] | None = None
    within: Collection[int] | None = None
    edges: Edges | None = None

    def holding(self, docs: Sequence[int]) -> Sequence[int]:
        """Those of some documents that take part, in the order they are given."""
        if self.within is not None:
            docs = [doc for doc in docs if doc in self.within]
        return self.shown(docs) if self.shown else docs


WHOLE = Scope()
"""Every document, and no edge."""


class Term(NamedTuple):
    """One term of a question: its inverse document frequency, its word as asked."""

    text: str
    word: str
    frequency: int
    idf: float


def inverse_frequency(n: int, size: int) -> float:
    """How well a term tells documents apart, when n of `size` hold it."""
    return math.log(1 + (size - n + 0.5) / (n + 0.5))


def strongest(scores: Mapping[int, float], corpus: Reader, most: int) -> list[int]:
    """The documents with the highest scores, in order; of equals by their `orders`."""
    orders = corpus.columns.orders
    least = min(heapq.nlargest(most, scores.values()), default=0.0)
    highest = [doc for doc, score in scores.items() if score >= least]
    # Twice with keys that are found in C takes half the time of one that is written.
    highest.sort(key=orders.__getitem__)
    return sorted(highest, key=scores.__getitem__, reverse=True)[:most]


def average_length(corpus: Reader) -> float:
    """The average length of the documents, in terms; 1 where there are none."""
    return (corpus.total_length / corpus.size if corpus.size else 1.0) or 1.0


# --- weights ----------------------------------------------------------------------


class Weights(NamedTuple):
    """How much each thing counts; the defaults are those of `recall`."""

    # How much a repeated word, and a text's length, count: (in short texts, in long
    # ones). In a chat's turns words hardly repeat and a longer turn says more; in
    # pages of notes both tell much. LoCoMo: turns want .8 and .2, sessions 1.5 and .75.
    k1: tuple[float, float] = (0.6, 1.6)
    b: tuple[float, float] = (0.0, 0.85)
    # The average length, in terms, that is half way from short to long.
    half_length: float = 50.0
    # How much a match counts in the entries after it (an answer follows its question)
    # and before it, by distance in the session.
    after: tuple[float, ...] = (0.6, 0.25)
    before: tuple[float, ...] = (0.4, 0.2)
    # How much more it counts after an entry that asks: what follows answers it.
    after_question: float = 1.5
    # An entry that follows one which asks for a rare word of the question.
    reply: float = 0.1
    session: float = 0.6
    # Half-saturation of a term's count within a session.
    session_k: float = 1.5
    # Entries about an entity that the question names.
    entity: float = 0.25
    asks: float = 0.15
    # What holds the kind of answer that is asked for: a time, a number, a place.
    answers: float = 0.5
    feedback: float = 0.15
    feedback_entries: int = 3
    feedback_terms: int = 8
    # A version that a later one has replaced, beside versions that are current.
    superseded: float = 0.15
    recency: float = 0.10
    # Entries in the window that the question names.
    temporal: float = 0.6
    recency_days: float = 365.0
    # The factor of an entry that holds in another project than the question's: R@10
    # .796 to .802 in its own on LoCoMo's conversations, .796 to .792 in a wrong one.
    elsewhere: float = 0.8
    # Entries that are tied to the best ones: the share of their score that goes over
    # one hop, from how many of them, from which share of the best score on.
    graph: float = 0.5
    graph_seeds: int = 10
    graph_floor: float = 0.5
    # The share of the best score that an entry needs which only the graph found:
    # below it, it pads the answer (docs/benchmarks/README.md).
    graph_brings: float = 0.28
    # What counts of an edge over a name that is not registered: in short texts, in
    # long ones, where more names stand by chance.
    names: tuple[float, float] = (1.05, 0.2)
    # Whether what an entry is tied to, and what stands beside it, counts: 1 or 0.
    depth: int = 1
    # How often an entry holds a word that is another name of an entity it is about.
    implied: float = 0.5
    # What a near word counts beside its similarity: in short texts, in long ones, where
    # more words are near by chance. LoCoMo: turns want .4 to .5, sessions .3 to .35.
    near: tuple[float, float] = (0.48, 0.35)
    # How many of the best lexical matches get the closer look.
    pool: int = 100
    # How many sessions, best first, are read for neighbours.
    most_sessions: int = 16
    # A question with more known terms than this is cut to its most selective ones.
    most_terms: int = 32


LEXICAL = Weights(
    after=(),
    before=(),
    session=0.0,
    feedback=0.0,
    asks=0.0,
    answers=0.0,
    superseded=0.0,
    recency=0.0,
    depth=0,
)
"""The words alone, for answers that must not depend on the entries around one."""


def by_length(pair: tuple[float, float], average: float, half: float) -> float:
    """The figure between that of short texts and that of long ones.

    Args:
        pair: the figures of short texts and of long ones.
        average: the average length of the texts, in terms.
        half: the average length that is half way.
    """
    low, high = pair
    return low + (high - low) * average / (average + half)
