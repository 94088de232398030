"""Small factors that order what the words leave equal, and one that was learned.

Invariant: pure; no factor moves a score far, so a document cannot pass another that
answers much better. Two move it further: what holds in another project, and what holds
the kind of answer that the question asks for. A document
that cannot come among the first is not looked at.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Mapping

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.search.ranking.corpus import Corpus, Question
    from memcli.search.ranking.weights import Weights

REACH = 0.1
"""How far a learned factor goes from 1: a nudge, like recency."""

SPREAD = (1 - REACH) / (1 + REACH)
"""The smallest learned factor, as a share of the largest."""

Adjust = Callable[[int, Mapping[str, float]], float]
"""The factor that was learned for a document, from the parts of its score.

It lies within `REACH` of 1.
"""


class Nudge:
    """Small multiplications that order what the words leave equal."""

    def __init__(
        self,
        corpus: Corpus,
        question: Question,
        weights: Weights,
        replies: Collection[int] = (),
    ) -> None:
        self.corpus = corpus
        self.weights = weights
        self.now = question.now
        self.inside = question.inside
        self.elsewhere = question.elsewhere
        # Documents that follow one which asks what the question asks.
        self.replies = replies
        self.answers = question.answers if weights.answers else 0
        # Documents about an entity that the question names.
        named = question.named.values() if weights.entity else ()
        self.named: frozenset[int] = frozenset().union(*named)
        self._parts: dict[int, dict[str, float]] = {}
        most = 1 + weights.recency
        if self.named:
            most *= 1 + weights.entity
        if self.replies:
            most *= 1 + weights.reply
        if self.answers:
            most *= 1 + weights.answers
        if self.inside is not None:
            most *= 1 + weights.temporal
        self._most = most

    def parts(self, doc: int) -> dict[str, float]:
        """Name -> factor, for those that are not 1; not to be changed."""
        found = self._parts.get(doc)
        if found is None:
            found = self._parts[doc] = self._parts_of(doc)
        return found

    def _parts_of(self, doc: int) -> dict[str, float]:
        weights = self.weights
        factors = {}
        if doc in self.named:
            factors["entity"] = 1 + weights.entity
        if self.corpus.asks(doc):
            factors["question"] = 1 - weights.asks
        if self.answers and self.corpus.answers(doc) & self.answers:
            factors["answer"] = 1 + weights.answers
        if doc in self.replies:
            factors["reply"] = 1 + weights.reply
        if weights.superseded and self.corpus.superseded(doc):
            factors["superseded"] = 1 - weights.superseded
        when = self.corpus.moment(doc)
        if when:
            age = max(0.0, (self.now - when) / 86400 / weights.recency_days)
            factors["recency"] = 1 + weights.recency * (1 - 2 * min(1.0, age))
        if self.inside is not None and (share := self.inside(doc)):
            factors["temporal"] = 1 + weights.temporal * share
        if self.elsewhere is not None and self.elsewhere(doc):
            factors["elsewhere"] = weights.elsewhere
        return factors

    def apply(
        self, totals: Mapping[int, float], limit: int, spread: float
    ) -> dict[int, float]:
        """The nudged scores of all documents that can be among the first `limit`.

        `spread` is the smallest factor that may follow, as a share of the largest.
        """
        weights = self.weights
        least = (1 - weights.asks) * (1 - weights.superseded) * (1 - weights.recency)
        if self.elsewhere is not None:
            least *= weights.elsewhere
        floor = 0.0
        if len(totals) > limit:
            highest = heapq.nlargest(limit, totals.values())
            floor = highest[-1] * least / self._most * spread
        return {
            doc: score * math.prod(self.parts(doc).values())
            for doc, score in totals.items()
            if score >= floor
        }

    def best(
        self, totals: Mapping[int, float], limit: int, least: float
    ) -> dict[int, float]:
        """The nudged scores of the first `limit` documents, and of some others.

        They are looked at by their scores so far, until not even all factors together
        could bring the next one among the first, or to `least`.
        """
        # The product of all factors may be rounded otherwise than that of some.
        most = self._most * (1 + 1e-9)
        final: dict[int, float] = {}
        first: list[float] = []
        for doc in sorted(totals, key=totals.__getitem__, reverse=True):
            score = totals[doc]
            if score * most < least:
                break
            final[doc] = nudged = score * math.prod(self.parts(doc).values())
            if len(first) < limit:
                heapq.heappush(first, nudged)
            else:
                heapq.heappushpop(first, nudged)
            if len(first) == limit:
                least = max(least, first[0])
        return final


def learned_factors(
    final: Mapping[int, float],
    limit: int,
    pieces: Callable[[int], Mapping[str, float]],
    adjust: Adjust | None,
) -> dict[int, float]:
    """The learned factors of all documents that they can bring among the first."""
    if adjust is None or not final:
        return {}
    floor = heapq.nlargest(limit, final.values())[-1] * SPREAD if limit else 0.0
    return {
        doc: adjust(doc, pieces(doc)) for doc, score in final.items() if score >= floor
    }
