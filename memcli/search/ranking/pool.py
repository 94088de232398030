"""The best matches by words that may be shown.

Invariant: pure; ties break on the order of the documents. No document is left out of
the pool, which gets the closer look, that is shown and scores more than one that is in.
"""

from __future__ import annotations

import heapq

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memcli.search.ranking.corpus import Corpus, Inside, Scope
    from memcli.search.ranking.weights import Weights

LIKELY = 60
"""So many of the best matches by words alone are likely to be looked at whole."""


class Pool:
    """The best lexical matches that are shown, without a look at each of the others.

    Args:
        corpus: the documents.
        scope: says which of them are shown.
        inside: how much of a document lies in the window of the question, if it names
            one.
        weights: how many are wanted, and what the window counts.

    Attributes:
        least: the score of the last of the best; None while there are too few.
    """

    def __init__(
        self, corpus: Corpus, scope: Scope, inside: Inside | None, weights: Weights
    ) -> None:
        self._corpus = corpus
        self._admit = scope.admit
        self._admitted = scope.admitted
        self._inside = inside
        self._weights = weights
        self._count = weights.pool
        self._temporal = weights.temporal if inside is not None else 0.0
        self.least: float | None = None

    def best(self, scores: Mapping[int, float]) -> list[int]:
        """The best documents, best first; ties break on their order."""
        orders = self._corpus.orders
        if self._admit is None and self._inside is None:
            chosen = _first(scores, self._count)
            return self._best(_in_order(chosen, scores, orders), scores)
        found: dict[int, float] = {}
        seen: Mapping[int, float] = {}
        wanted = 2 * self._count
        while len(seen) < len(scores):
            chosen = _first(scores, wanted)
            fresh = (doc for doc in chosen if doc not in seen)
            ranked = _in_order(fresh, scores, orders)
            self._look(ranked, scores, found)
            if self._is_enough(found, min(chosen.values(), default=0.0)):
                break
            seen, wanted = chosen, 4 * wanted
        # Without a window they were found in their order.
        windowed = self._inside is not None
        ranked = _in_order(found, found, orders) if windowed else [*found]
        return self._best(ranked, found)

    def _best(self, ranked: Sequence[int], scores: Mapping[int, float]) -> list[int]:
        best = [*ranked[: self._count]]
        self.least = scores[best[-1]] if len(best) == self._count else None
        return best

    def _look(
        self,
        ranked: Sequence[int],
        scores: Mapping[int, float],
        found: dict[int, float],
    ) -> None:
        """Add those that are shown to `found`, until no other can be as good."""
        for start in range(0, len(ranked), 2 * self._count):
            chunk = ranked[start : start + 2 * self._count]
            if self._is_enough(found, scores[chunk[0]]):
                return
            for doc in self._admitted(chunk):
                share = self._inside(doc) if self._inside is not None else 0.0
                found[doc] = scores[doc] * (1 + self._temporal * share)

    def _is_enough(self, found: Mapping[int, float], most: float) -> bool:
        """Whether no document that scores `most` or less can be among the best.

        Without a window they come in the order of their scores.
        """
        if len(found) < self._count or self._inside is None:
            return len(found) >= self._count
        least = heapq.nlargest(self._count, found.values())[-1]
        return most * (1 + self._temporal) < least


def _in_order(
    docs: Iterable[int], scores: Mapping[int, float], orders: Sequence[int]
) -> list[int]:
    """Documents, best first; ties break on their order."""
    # Twice with keys that are found in C takes half the time of one that is written.
    ordered = sorted(docs, key=orders.__getitem__)
    return sorted(ordered, key=scores.__getitem__, reverse=True)


def _first(scores: Mapping[int, float], count: int) -> Mapping[int, float]:
    """The `count` best documents and all that tie with the last of them."""
    if len(scores) <= count:
        return scores
    cut = sorted(scores.values(), reverse=True)[count - 1]
    return {doc: score for doc, score in scores.items() if score >= cut}
