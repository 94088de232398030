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
from collections.abc import Callable, Collection, Mapping

from memcli.named_tuple import NamedTuple
from memcli.search.documents import ANSWERS_SHIFT, ASKS, SPAN, STATUS_MASK, SUPERSEDED
from memcli.search.ranking.corpus import NEAR, Reading, Table, Term

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.search.ranking.bm25 import Matches, Neighbourhood
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

    `matched` are the words of the question that it holds or means; `step` is the one
    over which the graph reached it, if it did; `read` are the words of the question
    that it holds another word for, each with that reading.
    """

    doc: int
    score: float
    parts: dict[str, float]
    matched: tuple[str, ...]
    step: Step | None = None
    read: tuple[tuple[str, Reading], ...] = ()


class Found(NamedTuple):
    """The scores of each document by channel; `totals` are their sums.

    `table` has what each term counts in a document, those of `extra` included, which
    the question does not hold.
    """

    matches: Matches
    around: Neighbourhood
    table: Table
    extra: list[Term]
    reached: Mapping[int, Reached]
    totals: dict[int, float]


class Order:
    """The documents in their order, by small factors and by what was learned.

    Args:
        found: what the channels say of each document.
        question: what is asked.
        corpus: the documents.
        weights: how much each factor counts.
        adjust: the factor that was learned, if any.
    """

    def __init__(
        self,
        found: Found,
        question: Question,
        corpus: Reader,
        weights: Weights,
        adjust: Adjust | None,
    ) -> None:
        self._found, self._implied, self._weights = found, question.implied, weights
        self._known, self._borrowed = found.matches.known, found.matches.borrowed
        self._orders = corpus.columns.orders
        # By term the documents that hold it, or more than a near word of it.
        self._holders: dict[str, Collection[int]] = {}
        for term in self._known:
            docs: Collection[int] = found.table[term.text].keys()
            if term.text in self._borrowed:
                read = self._borrowed[term.text].read
                docs = {d for d in docs if d not in read or read[d].kind != NEAR}
            self._holders[term.text] = docs
        self._worded = set[int]().union(*self._holders.values())
        rare = self._rare()
        asking = {doc for term in rare for doc in found.table[term.text]}
        replies = {found.around.reply(doc) for doc in asking}
        self._factors = self._nudges(replies, corpus, question)
        self._final = {
            doc: score * math.prod(self._factors[doc].values())
            for doc, score in found.totals.items()
        }
        if adjust is not None:
            for doc, factors in self._factors.items():
                learned = adjust(doc, self._pieces(doc))
                if learned != 1.0:
                    factors["scorer"] = learned
                    self._final[doc] *= learned
        highest = [
            max(map(self._final.__getitem__, self._holders[t.text])) for t in rare
        ]
        self._ceiling = min(highest, default=math.inf)

    def _nudges(
        self, replies: Collection[int | None], corpus: Reader, question: Question
    ) -> dict[int, dict[str, float]]:
        """The small factors of each document that order what the words leave equal.

        For each document: the name of a factor -> its value, where that is not 1.
        `replies` are those that follow one which asks for a rare word of the question.
        """
        weights = self._weights
        inside, elsewhere = question.inside, question.elsewhere
        # Documents about an entity that the question names.
        named: set[int] = set()
        if weights.entity:
            named.update(*question.named.values())
        found = {}
        every, columns = corpus.columns.flags, corpus.columns
        for doc in self._found.totals:
            factors, flags = {}, every[doc]
            if doc in named:
                factors["entity"] = 1 + weights.entity
            if flags & ASKS:
                factors["question"] = 1 - weights.asks
            if flags >> ANSWERS_SHIFT & question.answers:
                factors["answer"] = 1 + weights.answers
            if doc in replies:
                factors["reply"] = 1 + weights.reply
            if flags & STATUS_MASK == SUPERSEDED and weights.superseded:
                factors["superseded"] = 1 - weights.superseded
            # A span is coarser than a day.
            if weights.recency and (time := columns.times[doc]) and not flags & SPAN:
                age = max(0.0, (question.now - time) / 86400 / weights.recency_days)
                factors["recency"] = 1 + weights.recency * (1 - 2 * min(1.0, age))
            if inside is not None and (share := inside(doc)):
                factors["temporal"] = 1 + weights.temporal * share
            if elsewhere is not None and elsewhere(doc):
                factors["elsewhere"] = weights.elsewhere
            found[doc] = factors
        return found

    def _rare(self) -> list[Term]:
        """The rarest words of the question that a document holds, and those like them.

        A near word does not count as holding it. A word is like them when it weighs
        `RARE` of what the rarest weighs.
        """
        held = [term for term in self._known if self._holders[term.text]]
        least = RARE * max((term.idf for term in held), default=0.0)
        return [term for term in held if term.idf >= least]

    def hits(self, limit: int) -> list[Hit]:
        """The first documents, as the promises say; the last of the rest make room."""
        best = sorted(self._final, key=self._key)[:limit]
        least = int(LEXICAL_SHARE * len(best))
        if sum(map(self._worded.__contains__, best)) < least:
            lexical = sorted(self._worded, key=self._key)[:least]
            joining = [doc for doc in lexical if doc not in best]
            leaving = [doc for doc in reversed(best) if doc not in lexical]
            leaving = leaving[: len(joining)]
            best = [doc for doc in best if doc not in leaving] + joining
        return [self._hit(doc) for doc in best]

    def _hit(self, doc: int) -> Hit:
        """One of the best documents, with all that its place is owed to."""
        parts, score = self._pieces(doc), self._score(doc)
        if score < self._final[doc]:
            parts["held_back"] = score / self._final[doc]
        reached = self._found.reached.get(doc)
        lent = [
            (t, self._borrowed[t.text].read.get(doc))
            for t in self._known
            if t.text in self._borrowed
        ]
        return Hit(
            doc,
            score,
            parts,
            tuple([term.word for term in self._known if self._holds(doc, term.text)]),
            reached.step if reached else None,
            tuple([(term.word, reading) for term, reading in lent if reading]),
        )

    def _holds(self, doc: int, text: str) -> bool:
        """Whether a document holds a term, or means it; what it borrows is neither."""
        if doc not in self._found.table.get(text, ()):
            return False
        return text not in self._borrowed or doc not in self._borrowed[text].read

    def _score(self, doc: int) -> float:
        final, reached = self._final[doc], self._found.reached.get(doc)
        if reached is None:
            return final if doc in self._worded else min(final, self._ceiling)
        if reached.step.kind == "lineage":  # the current version stands first
            return final
        leading = reached.step.doc
        source = self._final[leading]
        alone = final * (1 - reached.score / self._found.totals[doc])
        whole = sum(term.idf for term in self._known)
        held = sum(t.idf for t in self._known if self._holds(leading, t.text))
        lifted = alone < source < final and held >= _NEARLY_ALL * whole
        return _BELOW * source if lifted else final

    def _key(self, doc: int) -> tuple[float, bool, float, int]:
        beside = doc not in self._worded
        return -self._score(doc), beside, -self._final[doc], self._orders[doc]

    def _pieces(self, doc: int) -> dict[str, float]:
        """The pieces of a document's score: its channels, and its factors."""
        found = self._found
        parts = found.around.parts(
            doc, self._known, found.extra, found.table, self._implied
        )
        if doc in found.reached:
            parts["graph"] += found.reached[doc].score
        return parts | self._factors[doc]
