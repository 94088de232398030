"""The order of the documents: small factors, what was learned, and three promises.

Invariant: pure; no factor moves a score far, so a document cannot pass another that
answers much better. Three move it further: what holds in another project, what holds
the kind of answer that the question asks for, and what lies in the time that it names.
A shorter list is the beginning of a longer one, except
where `LEXICAL_SHARE` makes room. The promises are of documents that hold no word of the
question themselves, but stand beside a match or hold a near word:

- they leave `LEXICAL_SHARE` of the hits to documents that do, as long as so many do;
- none stands above the best document that holds a rare word of the question, unless
  the graph leads to it;
- nor does what the graph leads to stand above the document that leads there, by that
  alone, where this one holds nearly all of the question.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence

from memcli.named_tuple import NamedTuple
from memcli.search.documents import (
    ANSWERS_SHIFT,
    ASKS,
    SPAN,
    STATUS_MASK,
    SUPERSEDED,
)
from memcli.search.ranking.corpus import NEAR, Reading, Table, Term

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.search.ranking.bm25 import Loans, Neighbourhood
    from memcli.search.ranking.corpus import Question, Weights
    from memcli.search.ranking.graph import Reached, Step
    from memcli.search.reader import Reader

REACH = 0.1
"""How far a learned factor goes from 1: a nudge, like recency."""

Adjust = Callable[[int, Mapping[str, float]], float]
"""The factor that was learned for a document, from the parts of its score.

It lies within `REACH` of 1.
"""

LEXICAL_SHARE = 0.4
"""The share of the hits that hold a word of the question, when there are so many.

Rounded down: a single hit may hold none.
"""
# What the graph lifts stays so much below where it came from.
_BELOW = 0.99
_NEARLY_ALL = 0.9

RARE = 0.7
"""The share of the idf of the question's rarest word that makes another word rare."""


class Hit(NamedTuple):
    """One ranked document; `parts` are the named pieces of its score.

    `matched` are the words of the question that it holds or means; `way` are the steps
    over which the graph reached it, if it did; `share` is that of the question's weight
    (idf) which it holds, 0 to 1, said of the first `COVERING` hits alone; `read` are
    the words of the question that it holds another word for, each with that reading.
    """

    doc: int
    score: float
    parts: dict[str, float]
    matched: tuple[str, ...]
    way: tuple[Step, ...] = ()
    share: float = 0.0
    read: tuple[tuple[str, Reading], ...] = ()


class Evidence(NamedTuple):
    """The scores of each document by channel; `totals` are their sums.

    `worded` are by term the documents that hold it, or more than a near word of it.
    """

    known: list[Term]
    extra: list[Term]
    table: Table
    implied: Mapping[str, Collection[int]]
    borrowed: Loans
    around: Neighbourhood
    reached: dict[int, Reached]
    totals: dict[int, float]
    worded: Mapping[str, Collection[int]]

    def parts(self, doc: int) -> dict[str, float]:
        """The pieces of a document's score, by channel."""
        parts = self.around.parts(doc, self.known, self.extra, self.table, self.implied)
        if doc in self.reached:
            parts["graph"] += self.reached[doc].score
        return parts

    def matched(self, doc: int) -> tuple[str, ...]:
        """The words of the question that a document holds, or means."""
        return tuple([term.word for term in self.known if self.holds(doc, term.text)])

    def share(self, doc: int, terms: Sequence[Term]) -> float:
        """The share of the idf of some terms that a document holds, or means."""
        whole = sum(term.idf for term in terms)
        held = sum(term.idf for term in terms if self.holds(doc, term.text))
        return held / whole if whole else 0.0

    def holds(self, doc: int, text: str) -> bool:
        """Whether a document holds a term, or means it; what it borrows is neither."""
        if doc not in self.table.get(text, ()):
            return False
        return text not in self.borrowed or doc not in self.borrowed[text].read

    def read(self, doc: int) -> tuple[tuple[str, Reading], ...]:
        """The words of the question that a document holds another word for."""
        if not self.borrowed:
            return ()
        borrowed = [term for term in self.known if term.text in self.borrowed]
        readings = [(t.word, self.borrowed[t.text].read.get(doc)) for t in borrowed]
        return tuple([(word, reading) for word, reading in readings if reading])

    def rare(self) -> list[Term]:
        """The rarest words of the question that a document holds, and those like them.

        A near word does not count as holding it. A word is like them when it weighs
        `RARE` of what the rarest weighs.
        """
        held = [term for term in self.known if self.worded[term.text]]
        least = RARE * max((term.idf for term in held), default=0.0)
        return [term for term in held if term.idf >= least]

    def replies(self) -> set[int]:
        """The documents that follow one which asks for a rare word of the question."""
        asking = {doc for term in self.rare() for doc in self.table[term.text]}
        return {
            reply for doc in asking if (reply := self.around.reply(doc)) is not None
        }

    def holding(self) -> set[int]:
        """The documents that hold a word of the question themselves."""
        holding: set[int] = set()
        for text, docs in self.worded.items():
            holding.update(set(docs).difference(self.implied.get(text, ())))
        return holding


def worded(
    known: Sequence[Term], table: Table, borrowed: Loans
) -> dict[str, Collection[int]]:
    """By term the documents that hold it, or more than a near word of it."""
    found: dict[str, Collection[int]] = {}
    for term in known:
        docs: Collection[int] = table[term.text].keys()
        if term.text in borrowed:
            read = borrowed[term.text].read
            docs = {d for d in docs if d not in read or read[d].kind != NEAR}
        found[term.text] = docs
    return found


class Order:
    """The documents in their order, by small factors and by what was learned.

    Args:
        evidence: what the channels say of each document.
        factors: the `nudges`.
        orders: break ties.
        adjust: the factor that was learned, if any.
    """

    def __init__(
        self,
        evidence: Evidence,
        factors: Mapping[int, Mapping[str, float]],
        orders: Sequence[int],
        adjust: Adjust | None,
    ) -> None:
        self._evidence = evidence
        totals = evidence.totals
        self._nudges = factors
        self._orders = orders
        self._learned: dict[int, float] = {}
        self._final = {
            doc: score * math.prod(self._nudges[doc].values())
            for doc, score in totals.items()
        }
        if adjust is not None:
            for doc in self._final:
                self._learned[doc] = factor = adjust(doc, self._pieces(doc))
                self._final[doc] *= factor
        self._worded = set[int]().union(*evidence.worded.values())
        highest = [
            max(self._final[doc] for doc in evidence.worded[term.text])
            for term in evidence.rare()
        ]
        self._ceiling = min(highest, default=math.inf)

    def best(self, limit: int) -> list[int]:
        """The first documents, as the promises say; the last of the rest make room."""
        best = sorted(self._final, key=self._key)[:limit]
        holding = self._evidence.holding()
        least = int(LEXICAL_SHARE * len(best))
        if sum(map(holding.__contains__, best)) >= least:
            return best
        lexical = sorted(holding, key=self._plain_key)[:least]
        joining = [doc for doc in lexical if doc not in best]
        leaving = [doc for doc in reversed(best) if doc not in lexical][: len(joining)]
        return [doc for doc in best if doc not in leaving] + joining

    def hit(self, doc: int, share: float) -> Hit:
        """One of the best documents, with all that its place is owed to.

        `share` is what it holds of the question's weight, where that is known.
        """
        evidence = self._evidence
        parts = self._pieces(doc)
        if self._learned.get(doc, 1.0) != 1.0:
            parts["scorer"] = self._learned[doc]
        score = self._score(doc)
        if score < self._final[doc]:
            parts["held_back"] = score / self._final[doc]
        reached = evidence.reached.get(doc)
        way = reached.way if reached else ()
        matched, read = evidence.matched(doc), evidence.read(doc)
        return Hit(doc, score, parts, matched, way, share, read)

    def _score(self, doc: int) -> float:
        final = self._final[doc]
        reached = self._evidence.reached.get(doc)
        if reached is None:
            return final if doc in self._worded else min(final, self._ceiling)
        if reached.way[-1].kind == "lineage":  # the current version stands first
            return final
        leading = reached.way[0].doc
        source = self._final[leading]
        alone = final * (1 - reached.score / self._evidence.totals[doc])
        held = self._evidence.share(leading, self._evidence.known)
        if alone < source < final and held >= _NEARLY_ALL:
            return _BELOW * source
        return final

    def _key(self, doc: int) -> tuple[float, bool, float, int]:
        beside = doc not in self._worded
        return -self._score(doc), beside, -self._final[doc], self._orders[doc]

    def _plain_key(self, doc: int) -> tuple[float, int]:
        return -self._final[doc], self._orders[doc]

    def _pieces(self, doc: int) -> dict[str, float]:
        return {**self._evidence.parts(doc), **self._nudges[doc]}


def nudges(
    evidence: Evidence, corpus: Reader, question: Question, weights: Weights
) -> dict[int, dict[str, float]]:
    """The small factors of each document that order what the words leave equal.

    For each document: the name of a factor -> its value, where that is not 1.
    """
    docs, replies = evidence.totals, evidence.replies()
    inside, elsewhere = question.inside, question.elsewhere
    kinds = question.answers if weights.answers else 0
    # Documents about an entity that the question names.
    named: set[int] = set()
    if weights.entity:
        named.update(*question.named.values())
    found = {}
    every, times = corpus.columns.flags, corpus.columns.times
    for doc in docs:
        factors, flags = {}, every[doc]
        if doc in named:
            factors["entity"] = 1 + weights.entity
        if flags & ASKS:
            factors["question"] = 1 - weights.asks
        if flags >> ANSWERS_SHIFT & kinds:
            factors["answer"] = 1 + weights.answers
        if doc in replies:
            factors["reply"] = 1 + weights.reply
        if flags & STATUS_MASK == SUPERSEDED and weights.superseded:
            factors["superseded"] = 1 - weights.superseded
        if times[doc] and not flags & SPAN:  # a span is coarser than a day
            age = max(0.0, (question.now - times[doc]) / 86400 / weights.recency_days)
            factors["recency"] = 1 + weights.recency * (1 - 2 * min(1.0, age))
        if inside is not None and (share := inside(doc)):
            factors["temporal"] = 1 + weights.temporal * share
        if elsewhere is not None and elsewhere(doc):
            factors["elsewhere"] = weights.elsewhere
        found[doc] = factors
    return found
