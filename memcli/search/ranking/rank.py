"""Which entries answer a question, in which order, and why.

Invariant: pure and deterministic. The same corpus and question give the same
scores to the last bit, for every order of indexing: sums run in the
order of (frequency, term), ties break on the entry's `order`, and deleted entries
are in no count.

The ranking is BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework",
2009) over every match, then a closer look at the best `pool` of them:

- *graph*: entries that are tied to the best ones (`graph.py`), and entries about an
  entity that the question calls by another of its names;
- *neighbours*: entries of one session or document are read together, so a word of the
  turn before counts, dampened, as if it stood here;
- *session*: a session that talks about the question lifts its entries;
- *feedback*: words that the best entries share break ties among the rest;
- *entity*, *question*, *superseded*, *recency*: small multiplications;
- *temporal*: one for entries in the window that the question names. It is applied
  before the pool is chosen, too, so that it can bring an entry in;
- *scorer*: one that was learned from use, if a scorer was trained
  (docs/use/recall.md).

`order.py` puts them in their order: what holds a word of the question cannot be crowded
out by what stands beside it.
"""

from __future__ import annotations

from itertools import chain

from memcli.named_tuple import NamedTuple
from memcli.search.documents import held_of
from memcli.search.ranking.bm25 import BM25, Neighbourhood, matches_of
from memcli.search.ranking.corpus import (
    WHOLE,
    Question,
    Scope,
    Term,
    Weights,
    inverse_frequency,
    strongest,
)
from memcli.search.ranking.order import Adjust, Found, Hit, Order
from memcli.search.store import WEIGHTED

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcli.search.ranking.graph import Reached
    from memcli.search.reader import Reader

COVERING = 5
"""So many of the first hits say how well the corpus covers a question."""


class Ranking(NamedTuple):
    """Hits, best first, and the words of the question found nowhere."""

    hits: list[Hit]
    terms: list[Term]
    missing: list[str]

    @property
    def coverage(self) -> float:
        """The largest share of the question's weight (idf) that a first hit holds."""
        whole = sum(term.idf for term in self.terms)
        if not whole:  # what is asked for is a time alone
            return float(bool(self.hits))
        held = (
            sum(term.idf for term in self.terms if term.word in hit.matched)
            for hit in self.hits[:COVERING]
        )
        return max(held, default=0.0) / whole


def rank(
    question: Question,
    corpus: Reader,
    *,
    limit: int,
    scope: Scope = WHOLE,
    weights: Weights = Weights(),  # noqa: B008 a value
    adjust: Adjust | None = None,
) -> Ranking:
    """Rank the documents that share a word with the question, or stand beside one.

    Args:
        question: its terms, and what they mean in this corpus.
        corpus: the documents.
        limit: how many hits to return at most.
        scope: which documents take part, and the edges that the graph follows.
        weights: how much each thing counts.
        adjust: a last factor from what was learned, between 0.9 and 1.1.
    """
    others = chain.from_iterable(question.readings.values())
    # Each is looked at several times; a database is asked once.
    corpus.frequencies(
        [
            *(text for text, _ in question.terms),
            *chain.from_iterable(reading.terms for reading in others),
        ]
    )
    # Term -> documents that mean it and do not hold it.
    unsaid = {
        text: frozenset(docs).difference(corpus.postings(text)[0])
        for text, docs in (question.implied.items() if weights.depth else ())
    }
    implied = {text: docs for text, docs in unsaid.items() if docs}
    question = question._replace(implied=implied)
    terms = weigh(question, corpus, weights)
    unknown = {term.text for term in terms if not term.frequency}
    missing = [word for text, word in question.terms if text in unknown]
    found = _gather(terms, question, corpus, scope, weights)
    if found is None:
        return Ranking([], terms, missing)
    order = Order(found, question, corpus, weights, adjust)
    return Ranking(order.hits(limit), terms, missing)


def weigh(question: Question, corpus: Reader, weights: Weights) -> list[Term]:
    """The distinct terms of a question, most selective first.

    Those found nowhere come before all others and are never cut, nor do they push out
    a term that is found.

    Args:
        question: its `implied` documents do not hold the term themselves.
        corpus: says how many documents hold each term.
        weights: `most_terms` is how many of the terms that are found are kept.
    """
    size = corpus.size
    terms = {}
    for text, word in question.terms:
        if text not in terms:
            n = corpus.frequency(text) + len(question.implied.get(text, ()))
            terms[text] = Term(text, word, n, inverse_frequency(n, size))
    ordered = sorted(terms.values(), key=lambda term: (term.frequency, term.text))
    unknown = sum(not term.frequency for term in ordered)
    return ordered[: unknown + weights.most_terms]


def _gather(
    terms: list[Term],
    question: Question,
    corpus: Reader,
    scope: Scope,
    weights: Weights,
) -> Found | None:
    """Ask the channels, each from what the ones before it have found.

    Args:
        terms: those of the question, weighed.
        question: its `implied` documents do not hold the term themselves.
        corpus: the documents.
        scope: which of them take part.
        weights: how much each thing counts.

    Returns:
        None when no document in scope holds a term.
    """
    matches, bm25 = matches_of(terms, question, corpus, weights), BM25(corpus, weights)

    count, inside = weights.pool, question.inside

    def best(scores: Mapping[int, float]) -> list[int]:
        """The best documents by words that may be shown; ties break on their order."""
        if inside is not None:
            scores = {
                doc: score * (1 + weights.temporal * inside(doc))
                for doc, score in scores.items()
            }
        pool: list[int] = []
        start, end = 0, 2 * count
        while start < len(scores) and len(pool) < count:
            # Few are asked whether they may, and to sort all of them takes longer.
            pool += scope.holding(strongest(scores, corpus, end)[start:])
            start, end = end, 8 * end
        return pool[:count]

    pool = best(bm25.lexical(matches, scope.within, None if inside else best))
    if not pool:
        return None
    around = Neighbourhood(corpus, pool, scope, weights)
    known = matches.known
    table = bm25.table(matches, around.docs)
    totals = around.combine(known, table)
    extra: list[Term] = []
    if weights.feedback:
        extra = expansion(totals, known, corpus, weights)
        corpus.fetch(WEIGHTED, [term.text for term in extra])
        for term in extra:
            held = held_of(corpus.postings(term.text), around.docs)
            table[term.text] = bm25.scored(term, held)
        for doc, score in around.combine(extra, table).items():
            totals[doc] = totals.get(doc, 0.0) + score
    reached: dict[int, Reached] = {}
    if scope.edges is not None and weights.depth and weights.graph:
        # Not at the top: the hook of a prompt ranks by the question's words alone.
        from memcli.search.ranking.graph import walk

        reached = walk(totals, corpus, scope, weights)
        for doc, arrival in reached.items():
            totals[doc] = totals.get(doc, 0.0) + arrival.score
    return Found(matches, around, table, extra, reached, totals)


def expansion(
    totals: Mapping[int, float], known: Sequence[Term], corpus: Reader, weights: Weights
) -> list[Term]:
    """Terms that the best documents share, weighted to a fraction of the question.

    They break ties among documents and do not outweigh the question. It is pseudo
    relevance feedback after RM3 (Abdul-Jaleel et al., TREC 2004): terms of the first
    documents, weighted by those documents' scores, interpolated. Ties break on the
    term.

    Args:
        totals: document -> score so far.
        known: the terms of the question; they are not among those returned.
        corpus: the documents.
        weights: `feedback` is the fraction, `feedback_terms` how many terms.
    """
    best = strongest(totals, corpus, weights.feedback_entries)
    corpus.fetch_rows(best)
    mass = sum(totals[doc] for doc in best) or 1.0
    given = {term.text for term in known}
    votes: dict[str, float] = {}
    for doc in best:
        share = totals[doc] / mass
        for text, count in corpus.row(doc).terms.items():
            if text not in given:
                votes[text] = votes.get(text, 0.0) + share * count / (count + 1)
    # The cut by votes alone spares a look-up of every word of three long notes.
    likely = sorted(sorted(votes), key=votes.__getitem__, reverse=True)
    likely = likely[: 8 * weights.feedback_terms]
    size = corpus.size
    weighed = []
    for text, n in zip(likely, corpus.frequencies(likely), strict=True):
        weighed.append((-votes[text] * inverse_frequency(n, size), text, n))
    weighed.sort()
    chosen = weighed[: weights.feedback_terms]
    mass = -sum(weight for weight, _, _ in chosen)
    budget = weights.feedback * sum(term.idf for term in known)
    return [
        Term(text, text, n, budget * -weight / mass)
        for weight, text, n in chosen
        if mass
    ]
