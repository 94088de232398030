"""Small factors that order what the words leave equal, and one that was learned.

Invariant: pure; no factor moves a score far, so a document cannot pass another that
answers much better. Three move it further: what holds in another project, what holds
the kind of answer that the question asks for, and what lies in the time that it names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.search.ranking.corpus import Corpus, Question
    from memcli.search.ranking.weights import Weights

REACH = 0.1
"""How far a learned factor goes from 1: a nudge, like recency."""

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

    def parts(self, docs: Collection[int]) -> Iterator[dict[str, float]]:
        """Name -> factor of each document, for those that are not 1."""
        weights, now = self.weights, self.now
        named, kinds, replies = self.named, self.answers, self.replies
        inside, elsewhere = self.inside, self.elsewhere
        traits = zip(docs, self.corpus.traits(docs), strict=True)
        for doc, (asks, answers, superseded, when) in traits:
            factors = {}
            if doc in named:
                factors["entity"] = 1 + weights.entity
            if asks:
                factors["question"] = 1 - weights.asks
            if answers & kinds:
                factors["answer"] = 1 + weights.answers
            if doc in replies:
                factors["reply"] = 1 + weights.reply
            if superseded and weights.superseded:
                factors["superseded"] = 1 - weights.superseded
            if when:
                age = max(0.0, (now - when) / 86400 / weights.recency_days)
                factors["recency"] = 1 + weights.recency * (1 - 2 * min(1.0, age))
            if inside is not None and (share := inside(doc)):
                factors["temporal"] = 1 + weights.temporal * share
            if elsewhere is not None and elsewhere(doc):
                factors["elsewhere"] = weights.elsewhere
            yield factors
