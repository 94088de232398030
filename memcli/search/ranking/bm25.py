"""What a word counts in each document that holds it, or counts as if it did.

Invariant: pure; sums run in the order of the terms, so that a score is the same to the
last bit each time. It is BM25 (Robertson & Zaragoza, "The Probabilistic Relevance
Framework", 2009) with constants for short texts and for long ones.
"""

from __future__ import annotations

from memcli.named_tuple import NamedTuple
from memcli.search.ranking.borrowing import Loans, loans, weighed
from memcli.search.ranking.corpus import average_length, held_of
from memcli.search.ranking.weights import by_length

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memcli.search.ranking.corpus import Corpus, Question, Scored, Table, Term
    from memcli.search.ranking.weights import Weights


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
        table = {}
        for term in terms:
            listed, more = postings[term.text]
            held = held_of(listed, docs)
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
