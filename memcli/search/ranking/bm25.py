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
from memcli.search.ranking.corpus import (
    NEAR,
    Corpus,
    Question,
    Reading,
    Term,
    Weights,
    average_length,
    by_length,
    held_of,
    inverse_frequency,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from memcli.search.ranking.corpus import Scored, Table


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


def loans(question: Question, corpus: Corpus, weights: Weights) -> dict[str, Loan]:
    """The loan of each term of a question that borrows anything."""
    asked = {text for text, _ in question.terms}
    most = _most(corpus)
    share_of = shares(corpus, weights)
    found = {}
    for text, readings in question.readings.items():
        own: set[int] | None = None
        counts: dict[int, float] = {}
        read: dict[int, Reading] = {}
        frequency = 0
        for reading in readings:
            if asked.issuperset(reading.terms):
                continue
            n = _number(reading, corpus, most)
            if not n:
                continue
            frequency = max(frequency, n)
            if own is None:
                own = {*corpus.postings(text)[0], *question.implied.get(text, ())}
            share = share_of(reading)
            held = _together(reading.terms, corpus)
            if not counts and share:  # as most words do, it has one reading at most
                counts = {doc: count * share for doc, count in held if doc not in own}
                read = dict.fromkeys(counts, reading)
                continue
            for doc, count in held:
                counted = count * share
                if counted > counts.get(doc, 0.0) and doc not in own:
                    counts[doc] = counted
                    read[doc] = reading
        if frequency:
            found[text] = Loan(counts, read, frequency)
    return found


def shares(corpus: Corpus, weights: Weights) -> Callable[[Reading], float]:
    """The share of a word that counts when another is read in its place."""
    damped = by_length(weights.near, average_length(corpus), weights.half_length)
    return lambda reading: reading.share * (damped if reading.kind == NEAR else 1.0)


def borrowable(question: Question, corpus: Corpus) -> list[str]:
    """The terms whose postings `loans` reads for the readings of a question."""
    asked = {text for text, _ in question.terms}
    most = _most(corpus)
    return [
        term
        for readings in question.readings.values()
        for reading in readings
        if not asked.issuperset(reading.terms) and _number(reading, corpus, most)
        for term in reading.terms
    ]


def _most(corpus: Corpus) -> float:
    """How many entries a near word may stand in."""
    return max(_FEW, COMMON * corpus.size)


def _number(reading: Reading, corpus: Corpus, most: float) -> int:
    """How many documents at most hold a reading; 0 when it stands for no word."""
    n = min(map(corpus.frequency, reading.terms))
    return 0 if reading.kind == NEAR and n > most else n


def weighed(terms: list[Term], borrowed: Loans, size: int) -> list[Term]:
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


def _together(terms: tuple[str, ...], corpus: Corpus) -> Iterable[tuple[int, float]]:
    """The documents that hold all of these terms, and how often the rarest."""
    if len(terms) == 1:
        return zip(*corpus.postings(terms[0]), strict=True)
    first, *rest = (dict(zip(*corpus.postings(term), strict=True)) for term in terms)
    for counts in rest:
        first = {doc: min(n, counts[doc]) for doc, n in first.items() if doc in counts}
    return first.items()


class Postings(NamedTuple):
    """The documents that hold a term, or count as if they did.

    `listed` are the documents that hold it, and how often each does; `more` the others
    with what they count: those that mean it, then those that borrow it.
    """

    listed: tuple[Sequence[int], Sequence[float]]
    more: Sequence[Mapping[int, float]] = ()


class Matches(NamedTuple):
    """The documents that hold the words of a question, or count as if they did.

    `known` are the terms that a document holds or borrows, and `postings` what holds
    each of them.
    """

    known: list[Term]
    borrowed: Loans
    postings: Mapping[str, Postings]


def matches_of(
    terms: list[Term], question: Question, corpus: Corpus, weights: Weights
) -> Matches:
    """The matches of a question; its `implied` do not hold the term."""
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
        """The score of a term in a document of a length that holds it so often."""
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
        table = {}
        for term in terms:
            listed, more = postings[term.text]
            held = held_of(listed, docs)
            for each in more:
                held.update((doc, n) for doc, n in each.items() if doc in docs)
            table[term.text] = self.scored(term, held)
        return table

    def scored(self, term: Term, held: Mapping[int, float]) -> Scored:
        """The scores of a term in the documents that hold it so often."""
        base, scaled = self.base, self._corpus.scaled_lengths(self.slope)
        gain = term.idf * (self.k1 + 1)
        return {
            doc: (gain * n / (n + base + scaled[doc]), n) for doc, n in held.items()
        }
