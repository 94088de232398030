"""BM25: the score of a word in each document that holds it, or borrows it.

Invariant: pure; sums run in the order of the terms, so that a score is the same to the
last bit each time. It is BM25 (Robertson & Zaragoza, "The Probabilistic Relevance
Framework", 2009) with constants for short texts and for long ones. A document that
holds another word instead borrows this one; one that holds the word itself, or means
it, borrows nothing for it, so no reading changes what a word's own documents count.
"""

from __future__ import annotations

from collections.abc import Mapping

from memcli.named_tuple import NamedTuple
from memcli.search.documents import held_of
from memcli.search.ranking.corpus import (
    NEAR,
    Question,
    Reading,
    Term,
    Weights,
    average_length,
    by_length,
    inverse_frequency,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from memcli.search.ranking.corpus import Scored, Table
    from memcli.search.reader import Reader
    from memcli.search.store import Listed


COMMON = 0.05
"""A near word that more of the entries hold says too little to stand for another."""

_FEW = 5  # entries, at least, that a near word may stand in


class Loan(NamedTuple):
    """The documents that one term borrows.

    `counts` says by document how often it counts as holding the term, `read` by which
    reading; `frequency` is how many documents hold the commonest of these readings.
    """

    counts: dict[int, float]
    read: dict[int, Reading]
    frequency: int


Loans = Mapping[str, Loan]
"""Term -> what it borrows."""


def _standing(
    question: Question, corpus: Reader
) -> dict[str, list[tuple[Reading, int]]]:
    """By term the readings that may stand for it, and how many hold each at most."""
    asked = {text for text, _ in question.terms}
    most = max(_FEW, COMMON * corpus.size)
    found: dict[str, list[tuple[Reading, int]]] = {}
    for text, readings in question.readings.items():
        for reading in readings:
            if not asked.issuperset(reading.terms):
                n = min(map(corpus.frequency, reading.terms))
                if n and (reading.kind != NEAR or n <= most):
                    found.setdefault(text, []).append((reading, n))
    return found


def _loan(
    readings: Sequence[tuple[Reading, int]],
    own: Collection[int],
    corpus: Reader,
    damped: float,
) -> Loan:
    """The borrowing of a term.

    Args:
        readings: those that stand for it.
        own: the documents that hold or mean it.
        corpus: the documents.
        damped: what a near word counts beside its similarity.
    """
    counts: dict[int, float] = {}
    read: dict[int, Reading] = {}
    for reading, _ in readings:
        share = reading.share * (damped if reading.kind == NEAR else 1.0)
        for doc, count in _together(reading.terms, corpus):
            counted = count * share
            if counted > counts.get(doc, 0.0) and doc not in own:
                counts[doc] = counted
                read[doc] = reading
    return Loan(counts, read, max(n for _, n in readings))


def _weighed(terms: list[Term], borrowed: Loans, size: int) -> list[Term]:
    """The terms that a document holds or borrows, most selective first.

    A term that no document holds weighs what its commonest reading does.
    """
    known = []
    for term in terms:
        if not term.frequency and term.text in borrowed:
            n = borrowed[term.text].frequency
            term = term._replace(frequency=n, idf=inverse_frequency(n, size))
        if term.frequency:
            known.append(term)
    return sorted(known, key=lambda term: (term.frequency, term.text))


def _together(terms: tuple[str, ...], corpus: Reader) -> Iterable[tuple[int, float]]:
    """The documents that hold all of these terms, and how often the rarest."""
    if len(terms) == 1:
        return zip(*corpus.postings(terms[0]), strict=True)
    first, *rest = (dict(zip(*corpus.postings(term), strict=True)) for term in terms)
    for counts in rest:
        first = {doc: min(n, counts[doc]) for doc, n in first.items() if doc in counts}
    return first.items()


class Matches(NamedTuple):
    """The documents that hold the words of a question, or count as if they did.

    `known` are the terms that a document holds or borrows; `postings` has by term the
    documents that hold it, with how often each does, and then others with what they
    count: those that mean it, and those that borrow it.
    """

    known: list[Term]
    borrowed: Loans
    postings: Mapping[str, tuple[Listed, list[Mapping[int, float]]]]


def matches_of(
    terms: list[Term], question: Question, corpus: Reader, weights: Weights
) -> Matches:
    """The matches of a question; its `implied` do not hold the term."""
    standing = _standing(question, corpus)
    read = [
        t for each in standing.values() for reading, _ in each for t in reading.terms
    ]
    corpus.fetch_terms([*(term.text for term in terms if term.frequency), *read])
    damped = by_length(weights.near, average_length(corpus), weights.half_length)
    implied, borrowed = question.implied, {}
    for text, readings in standing.items():
        own = {*corpus.postings(text)[0], *implied.get(text, ())}
        borrowed[text] = _loan(readings, own, corpus, damped)
    known = _weighed(terms, borrowed, corpus.size)
    postings = {}
    for text in (term.text for term in known):
        more: list[Mapping[int, float]] = []
        if meaning := implied.get(text):
            more.append(dict.fromkeys(sorted(meaning), weights.implied))
        if text in borrowed:
            more.append(borrowed[text].counts)
        postings[text] = (corpus.postings(text), more)
    return Matches(known, borrowed, postings)


class BM25:
    """BM25 for one term in one document."""

    def __init__(self, corpus: Reader, weights: Weights) -> None:
        average, half = average_length(corpus), weights.half_length
        k1, b = (
            by_length(weights.k1, average, half),
            by_length(weights.b, average, half),
        )
        self._gain, self._base = k1 + 1, k1 * (1 - b)
        # By a table of all lengths, since a vault has some hundred of them.
        lengths, slope = corpus.columns.lengths, k1 * b / average
        table = {length: slope * length for length in set(lengths)}
        self._scaled = [*map(table.__getitem__, lengths)]

    def lexical(
        self, matches: Matches, within: Collection[int] | None
    ) -> dict[int, float]:
        """Scores of every document that holds a term; the hot loop of a recall."""
        base, scaled = self._base, self._scaled
        scores: dict[int, float] = {}
        get = scores.get
        for term in matches.known:
            gain = term.idf * self._gain
            listed, more = matches.postings[term.text]
            lists = (zip(*listed, strict=True), *(each.items() for each in more))
            for pairs in lists:
                for doc, n in pairs:
                    scores[doc] = get(doc, 0.0) + gain * n / (n + base + scaled[doc])
        if within is None:
            return scores
        return {doc: score for doc, score in scores.items() if doc in within}

    def table(self, matches: Matches, docs: Collection[int]) -> Table:
        """The scores of these documents by term, for the closer look."""
        table = {}
        for term in matches.known:
            listed, more = matches.postings[term.text]
            held = held_of(listed, docs)
            for each in more:
                held.update((doc, n) for doc, n in each.items() if doc in docs)
            table[term.text] = self.scored(term, held)
        return table

    def scored(self, term: Term, held: Mapping[int, float]) -> Scored:
        """The scores of a term in the documents that hold it so often."""
        base, scaled, gain = self._base, self._scaled, term.idf * self._gain
        return {
            doc: (gain * n / (n + base + scaled[doc]), n) for doc, n in held.items()
        }
