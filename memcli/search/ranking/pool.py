"""The matches by words, what each scores, and the best ones that may be shown.

Invariant: pure; ties break on the order of the documents. No document is left out of
the pool, which gets the closer look, that is shown and scores more than one that is in.
"""

from __future__ import annotations

import heapq
from functools import partial

from memcli.named_tuple import NamedTuple
from memcli.search.ranking.borrowing import Loans, loans, weighed
from memcli.search.ranking.corpus import average_length, held_of
from memcli.search.ranking.weights import by_length
from memcli.search.source import Ahead

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from memcli.search.ranking.corpus import (
        Corpus,
        Inside,
        Question,
        Scope,
        Scored,
        Table,
        Term,
    )
    from memcli.search.ranking.weights import Weights

LIKELY = 60
"""So many of the best matches by words alone are likely to be looked at whole."""


# The smallest score of the best is guessed by one match in so many, and by so many more
# of these than are wanted that the guess is seldom too high.
_GUESSED_BY = 8
_AND_MORE = 12


class Postings(NamedTuple):
    """What holds a term, or counts as if it did.

    `listed` are the documents that hold it, and how often each does; `more` the others
    with what they count: those that mean it, then those that borrow it.
    """

    listed: tuple[Sequence[int], Sequence[float]]
    more: Sequence[Mapping[int, float]] = ()


class Matches(NamedTuple):
    """What holds the words of a question, or counts as if it did.

    `known` are the terms that a document holds or borrows, and `postings` what holds
    each of them.
    """

    known: list[Term]
    borrowed: Loans
    postings: Mapping[str, Postings]


def matches_of(
    terms: list[Term], question: Question, corpus: Corpus, weights: Weights
) -> Matches:
    """What holds the words of a question; its `implied` do not hold the term."""
    borrowed = loans(question, corpus, weights) if question.readings else {}
    known = weighed(terms, borrowed, corpus.size)
    postings = {}
    for term in known:
        text, more = term.text, []
        if implied := question.implied.get(text):
            more.append(dict.fromkeys(sorted(implied), weights.implied))
        if text in borrowed:
            more.append(borrowed[text].counts)
        postings[text] = Postings(corpus.postings(text), more)
    return Matches(known, borrowed, postings)


class BM25:
    """BM25 for one term in one document."""

    def __init__(self, corpus: Corpus, weights: Weights) -> None:
        average = average_length(corpus)
        self.k1 = by_length(weights.k1, average, weights.half_length)
        b = by_length(weights.b, average, weights.half_length)
        self.base = self.k1 * (1 - b)
        self.slope = self.k1 * b / average
        self.lengths = corpus.lengths
        self._corpus = corpus

    def score(self, term: Term, n: float, length: int) -> float:
        """What a term counts in a document of a length that holds it so often."""
        gain = term.idf * (self.k1 + 1)
        return gain * n / (n + self.base + self.slope * length)

    def lexical(
        self,
        terms: Sequence[Term],
        postings: Mapping[str, Postings],
        within: Collection[int] | None,
    ) -> dict[int, float]:
        """Scores of every document that holds a term; the hot loop of a recall."""
        base, scaled = self.base, self._corpus.scaled_lengths(self.slope)
        scores: dict[int, float] = {}
        get = scores.get
        for term in terms:
            gain = term.idf * (self.k1 + 1)
            listed, more = postings[term.text]
            lists = [zip(*listed, strict=True), *(each.items() for each in more)]
            if within is not None:
                lists = [[pair for pair in each if pair[0] in within] for each in lists]
            for pairs in lists:
                if not scores:
                    scores = {
                        doc: gain * n / (n + base + scaled[doc]) for doc, n in pairs
                    }
                    get = scores.get
                    continue
                for doc, n in pairs:
                    scores[doc] = get(doc, 0.0) + gain * n / (n + base + scaled[doc])
        return scores

    def table(
        self,
        terms: Sequence[Term],
        postings: Mapping[str, Postings],
        docs: Collection[int],
    ) -> Table:
        """The scores of these documents by term, for the closer look."""
        ascending = self._corpus.ascending
        table = {}
        for term in terms:
            listed, more = postings[term.text]
            held = held_of(listed, docs, ascending=ascending)
            for each in more:
                held.update((doc, n) for doc, n in each.items() if doc in docs)
            table[term.text] = self.scored(term, held)
        return table

    def scored(self, term: Term, held: Mapping[int, float]) -> Scored:
        """What a term counts in the documents that hold it, and how often each does."""
        base, scaled = self.base, self._corpus.scaled_lengths(self.slope)
        gain = term.idf * (self.k1 + 1)
        return {
            doc: (gain * n / (n + base + scaled[doc]), n) for doc, n in held.items()
        }


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

    def reaches(self, floor: float) -> bool:
        """Whether no document that scores less than a floor can be among the best."""
        return self.least is not None and self.floor() >= floor

    def floor(self) -> float:
        """The score by words that a document needs at least to be among the best."""
        return (self.least or 0.0) / (1 + self._temporal)

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
            self._corpus.ahead(partial(self._wanted, chunk))
            for doc in self._admitted(chunk):
                share = self._inside(doc) if self._inside is not None else 0.0
                found[doc] = scores[doc] * (1 + self._temporal * share)

    def _wanted(self, chunk: Sequence[int]) -> Ahead:
        """Facts say which of them are shown; most that are come into the pool."""
        weights = self._weights
        first = chunk[: self._count]
        return Ahead(
            facts=chunk,
            rows=chunk[:LIKELY],
            words=first if weights.feedback else (),
            beside=first if weights.after or weights.before else (),
            most_sessions=weights.most_sessions,
        )

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
    some = [*scores.values()][::_GUESSED_BY]
    some.sort(reverse=True)
    place = count // _GUESSED_BY + _AND_MORE
    floor = some[place] if place < len(some) else 0.0
    likely = {doc: score for doc, score in scores.items() if score >= floor}
    if len(likely) < count:
        likely = {**scores}
    cut = sorted(likely.values(), reverse=True)[count - 1]
    return {doc: score for doc, score in likely.items() if score >= cut}
