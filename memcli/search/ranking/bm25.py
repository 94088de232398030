"""Which entries answer a question, in which order, and why.

Invariant: pure and deterministic. The same corpus and question give the same
scores to the last bit, whatever order the files were indexed in: sums run in the
order of (frequency, term), ties break on the entry's `order`, and everything a
deleted entry left behind in the index is out of every count.

The ranking is BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework",
2009) over every match, then a closer look at the best `pool` of them:

- *graph*: what hangs together with the best entries (`graph.py`), and entries about
  an entity that the question calls by another of its names;
- *neighbours*: entries of one session or document are read together, so a word said
  in the turn before counts, dampened, as if it had been said here;
- *session*: a session that talks about the question lifts its entries;
- *feedback*: words that the best entries share break ties among the rest;
- *entity*, *question*, *recency*: small multiplications;
- *temporal*: one for what lies in the window that the question names. It is made
  before the pool is chosen, too, so that it can bring an entry in;
- *scorer*: one that was learned from use, if a scorer was trained
  (docs/internals/scorer.md).

`LEXICAL_SHARE` of the hits hold a word of the question, as long as so many do.
docs/benchmarks/recall.md says what each channel adds on LoCoMo.
"""

import heapq
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memcli.search.ranking.boosts import SPREAD, Adjust, Nudge, learned_factors
from memcli.search.ranking.corpus import (
    DEFAULTS,
    LEXICAL,
    Admit,
    Corpus,
    Inside,
    Term,
    Weights,
    inverse_frequency,
)
from memcli.search.ranking.proximity import Neighbourhood

if TYPE_CHECKING:
    from memcli.search.ranking.graph import Links, Reached, Step

__all__ = [
    "DEFAULTS",
    "LEXICAL",
    "LEXICAL_SHARE",
    "Adjust",
    "Corpus",
    "Hit",
    "Ranking",
    "Term",
    "Weights",
    "rank",
    "weigh",
]


LEXICAL_SHARE = 0.4
"""Of the hits, those that hold a word of the question, when there are so many.

Rounded down: a single hit may hold none.
"""

_Matches = Mapping[str, tuple[Sequence[int], Sequence[float]]]


class Hit(NamedTuple):
    """One ranked document; `parts` are the named pieces of its score.

    `way` is how the graph led to it, if it did.
    """

    doc: int
    score: float
    parts: dict[str, float]
    matched: tuple[str, ...]
    way: "tuple[Step, ...]" = ()


class Ranking(NamedTuple):
    """Hits, best first, and how well the corpus covers the question.

    `coverage` is the share of the question's weight (idf) that its best hit holds,
    0 to 1; `missing` are the words of the question found nowhere.
    """

    hits: list[Hit]
    terms: list[Term]
    coverage: float
    missing: list[str]


def weigh(
    question: Sequence[tuple[str, str]],
    corpus: Corpus,
    weights: Weights,
    implied: Mapping[str, Collection[int]] | None = None,
) -> list[Term]:
    """The distinct terms of a question, most selective first.

    Args:
        question: (term, word as asked) in the order of the question.
        implied: term -> documents that mean it and do not hold it.
    """
    implied = implied or {}
    size = corpus.size
    found = {}
    for text, word in question:
        if text not in found:
            n = corpus.frequency(text) + len(implied.get(text, ()))
            found[text] = Term(text, word, n, inverse_frequency(n, size))
    ordered = sorted(found.values(), key=lambda t: (t.frequency, t.text))
    return ordered[: weights.most_terms]


def rank(
    question: Sequence[tuple[str, str]],
    corpus: Corpus,
    *,
    limit: int,
    now: int,
    admit: Admit | None = None,
    within: Collection[int] | None = None,
    named: Collection[int] = (),
    inside: Inside | None = None,
    implied: Mapping[str, Collection[int]] | None = None,
    links: "Links | None" = None,
    weights: Weights = DEFAULTS,
    adjust: Adjust | None = None,
) -> Ranking:
    """Rank the documents that share a word with the question, or stand beside one.

    Args:
        question: (term, word as asked), as `analysis` gives them.
        limit: how many hits to return at most.
        now: epoch seconds, for recency.
        admit: whether a document may be shown; None admits all.
        within: when given, only these documents take part.
        named: documents about an entity that the question names.
        inside: how much of a document lies in the window that the question names.
        implied: term -> documents that hold it by another name: they are about what
            the question calls by this word.
        links: what ties documents together, for `weights.depth` hops.
        adjust: a last factor from what was learned, between 0.9 and 1.1.
    """
    implied = _unsaid(implied or {}, corpus)
    terms = weigh(question, corpus, weights, implied)
    known = [term for term in terms if term.frequency]
    unknown = {term.text for term in terms if not term.frequency}
    missing = [word for text, word in question if text in unknown]
    matches = {
        term.text: _with(
            corpus.postings(term.text), implied.get(term.text), weights.implied
        )
        for term in known
    }
    found = _found(
        known, matches, implied, corpus, admit, within, inside, links, weights
    )
    if found is None:
        return Ranking([], terms, 0.0, missing)
    nudge = Nudge(corpus, weights, now, frozenset(named), inside)
    order = _Order(found, nudge, corpus.orders, adjust)
    best = order.best(limit)
    hits = [order.hit(doc) for doc in best]
    return Ranking(hits, terms, _coverage(best, terms, found.table), missing)


class _Found(NamedTuple):
    """What all channels have found; `totals` are the sums of its parts."""

    known: list[Term]
    extra: list[Term]
    table: dict[str, dict[int, tuple[float, float]]]
    implied: dict[str, frozenset[int]]
    around: Neighbourhood
    reached: "dict[int, Reached]"
    totals: dict[int, float]

    def parts(self, doc: int) -> dict[str, float]:
        """The pieces of a document's score, by channel."""
        parts = self.around.parts(doc, self.known, self.extra, self.table, self.implied)
        if doc in self.reached:
            parts["graph"] += self.reached[doc].score
        return parts

    def matched(self, doc: int) -> tuple[str, ...]:
        """The words of the question that a document holds, or means."""
        return tuple(term.word for term in self.known if doc in self.table[term.text])

    def holding(self) -> set[int]:
        """The documents that hold a word of the question themselves."""
        return {
            doc
            for term in self.known
            for doc in self.table[term.text]
            if doc not in self.implied.get(term.text, ())
        }


def _found(
    known: list[Term],
    matches: _Matches,
    implied: dict[str, frozenset[int]],
    corpus: Corpus,
    admit: Admit | None,
    within: Collection[int] | None,
    inside: Inside | None,
    links: "Links | None",
    weights: Weights,
) -> _Found | None:
    """Let the channels look, each from what the ones before it have found."""
    bm25 = _BM25(corpus, weights)
    lexical = bm25.lexical(known, matches, within)
    if inside is not None:
        for doc in lexical:
            lexical[doc] *= 1 + weights.temporal * inside(doc)
    pool = _best(lexical, corpus.orders, weights.pool, admit)
    if not pool:
        return None
    around = Neighbourhood(corpus, pool, admit, within, weights)
    table = bm25.table(known, matches, around.docs)
    totals = around.combine(known, table)
    extra: list[Term] = []
    if weights.feedback:
        extra = _feedback_terms(totals, known, corpus, weights)
        matches = {term.text: corpus.postings(term.text) for term in extra}
        table |= bm25.table(extra, matches, around.docs)
        for doc, score in around.combine(extra, table).items():
            totals[doc] = totals.get(doc, 0.0) + score
    reached: dict[int, Reached] = {}
    if links is not None and weights.depth and weights.graph:
        # Not at the top: the hook of a prompt ranks by words alone, and loads no graph.
        from memcli.search.ranking.graph import walk

        reached = walk(totals, links, corpus, weights, admit=admit, within=within)
        for doc, one in reached.items():
            totals[doc] = totals.get(doc, 0.0) + one.score
    return _Found(known, extra, table, implied, around, reached, totals)


class _Order:
    """What was found, put in its order by small factors and by what was learned."""

    def __init__(
        self,
        found: _Found,
        nudge: Nudge,
        orders: Sequence[int],
        adjust: Adjust | None,
    ) -> None:
        self._found = found
        self._nudge = nudge
        self._orders = orders
        self._adjust = adjust
        self._final: dict[int, float] = {}
        self._learned: dict[int, float] = {}

    def best(self, limit: int) -> list[int]:
        """The first documents, of which `LEXICAL_SHARE` hold a word of the question.

        What the words found cannot be crowded out by what was found beside it: the
        last of the others make room.
        """
        best = self._first(self._found.totals, limit)
        holding = self._found.holding()
        least = int(LEXICAL_SHARE * len(best))
        if sum(doc in holding for doc in best) >= least:
            return best
        kept = self._first({doc: self._found.totals[doc] for doc in holding}, least)
        joining = [doc for doc in kept if doc not in best]
        leaving = [doc for doc in reversed(best) if doc not in kept][: len(joining)]
        return [doc for doc in best if doc not in leaving] + joining

    def hit(self, doc: int) -> Hit:
        """One of the best, with everything that its place is owed to."""
        found = self._found
        parts = self._pieces(doc)
        if self._learned.get(doc, 1.0) != 1.0:
            parts["scorer"] = self._learned[doc]
        reached = found.reached.get(doc)
        way = reached.way if reached else ()
        return Hit(doc, self._final[doc], parts, found.matched(doc), way)

    def _first(self, totals: Mapping[int, float], limit: int) -> list[int]:
        spread = 1.0 if self._adjust is None else SPREAD
        final = self._nudge.apply(totals, limit, spread)
        factors = learned_factors(final, limit, self._pieces, self._adjust)
        final |= {doc: final[doc] * factor for doc, factor in factors.items()}
        self._final |= final
        self._learned |= factors
        return sorted(final, key=lambda doc: (-final[doc], self._orders[doc]))[:limit]

    def _pieces(self, doc: int) -> dict[str, float]:
        return self._found.parts(doc) | self._nudge.parts(doc)


def _unsaid(
    implied: Mapping[str, Collection[int]], corpus: Corpus
) -> dict[str, frozenset[int]]:
    """Term -> documents that mean it and do not hold it."""
    found = {
        text: frozenset(docs).difference(corpus.postings(text)[0])
        for text, docs in implied.items()
    }
    return {text: docs for text, docs in found.items() if docs}


def _with(
    postings: tuple[Sequence[int], Sequence[float]],
    implied: Collection[int] | None,
    count: float,
) -> tuple[Sequence[int], Sequence[float]]:
    """Postings and the documents that mean the term, as if each held it so often."""
    if not implied:
        return postings
    return [*postings[0], *sorted(implied)], [*postings[1], *([count] * len(implied))]


def _best(
    scores: Mapping[int, float],
    orders: Sequence[int],
    count: int,
    admit: Admit | None,
) -> list[int]:
    """The `count` best admitted documents; ties break on their order."""
    if admit is not None:
        scores = {doc: score for doc, score in scores.items() if admit(doc)}
    if len(scores) > count:
        # nlargest without a key runs in C; ties at the cut are settled below.
        cut = heapq.nlargest(count, scores.values())[-1]
        scores = {doc: score for doc, score in scores.items() if score >= cut}
    ranked = sorted(scores, key=lambda doc: (-scores[doc], orders[doc]))
    return ranked[:count]


class _BM25:
    """BM25 for one term in one document."""

    def __init__(self, corpus: Corpus, weights: Weights) -> None:
        average = (corpus.total_length / corpus.size if corpus.size else 1.0) or 1.0
        long = average / (average + weights.half_length)
        self.k1, b = (
            low + (high - low) * long for low, high in (weights.k1, weights.b)
        )
        self.base = self.k1 * (1 - b)
        self.slope = self.k1 * b / average
        self.lengths = corpus.lengths

    def lexical(
        self,
        terms: Sequence[Term],
        matches: Mapping[str, tuple[Sequence[int], Sequence[float]]],
        within: Collection[int] | None,
    ) -> dict[int, float]:
        """Scores of every document that holds a term; the hot loop of a recall."""
        base, slope, lengths = self.base, self.slope, self.lengths
        scores: dict[int, float] = {}
        get = scores.get
        for term in terms:
            gain = term.idf * (self.k1 + 1)
            docs, counts = matches[term.text]
            if not scores and within is None:
                scores = {
                    doc: gain * n / (n + base + slope * lengths[doc])
                    for doc, n in zip(docs, counts, strict=True)
                }
                get = scores.get
                continue
            for doc, n in zip(docs, counts, strict=True):
                if within is None or doc in within:
                    scores[doc] = get(doc, 0.0) + gain * n / (
                        n + base + slope * lengths[doc]
                    )
        return scores

    def table(
        self,
        terms: Sequence[Term],
        matches: Mapping[str, tuple[Sequence[int], Sequence[float]]],
        docs: Collection[int],
    ) -> dict[str, dict[int, tuple[float, float]]]:
        """term -> document -> (score, count), for the documents of a closer look."""
        base, slope, lengths = self.base, self.slope, self.lengths
        table = {}
        for term in terms:
            gain = term.idf * (self.k1 + 1)
            table[term.text] = {
                doc: (gain * n / (n + base + slope * lengths[doc]), n)
                for doc, n in zip(*matches[term.text], strict=True)
                if doc in docs
            }
        return table


def _feedback_terms(
    totals: Mapping[int, float],
    known: Sequence[Term],
    corpus: Corpus,
    weights: Weights,
) -> list[Term]:
    """Terms that the best documents share, weighted to a fraction of the question.

    Pseudo relevance feedback after RM3 (Abdul-Jaleel et al., TREC 2004): terms
    of the first documents, weighted by those documents' scores, interpolated.
    """
    orders = corpus.orders
    best = heapq.nsmallest(
        weights.feedback_entries, totals, key=lambda doc: (-totals[doc], orders[doc])
    )
    mass = sum(totals[doc] for doc in best) or 1.0
    asked = {term.text for term in known}
    votes: dict[str, float] = {}
    for doc in best:
        for text, count in corpus.key_terms(doc).items():
            if text not in asked:
                vote = totals[doc] / mass * count / (count + 1)
                votes[text] = votes.get(text, 0.0) + vote
    # The cut by votes alone spares a look-up of every word of three long notes.
    likely = sorted(votes, key=lambda t: (-votes[t], t))[: 8 * weights.feedback_terms]
    size = corpus.size
    weighed = []
    for text in likely:
        n = corpus.frequency(text)
        weighed.append((votes[text] * inverse_frequency(n, size), text, n))
    weighed.sort(key=lambda item: (-item[0], item[1]))
    chosen = weighed[: weights.feedback_terms]
    mass = sum(weight for weight, _, _ in chosen)
    budget = weights.feedback * sum(term.idf for term in known)
    return [
        Term(text, text, n, budget * weight / mass)
        for weight, text, n in chosen
        if mass
    ]


def _coverage(
    best: Sequence[int],
    terms: Sequence[Term],
    table: Mapping[str, Mapping[int, tuple[float, float]]],
) -> float:
    """The largest share of the question's idf that one of the first hits holds."""
    whole = sum(term.idf for term in terms)
    if not best or not whole:
        return 0.0
    shares = (
        sum(term.idf for term in terms if doc in table.get(term.text, ()))
        for doc in best[:3]
    )
    return max(shares) / whole
