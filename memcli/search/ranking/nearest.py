"""The documents that share most with a text, by its words alone.

Invariant: they are those that `rank.rank` gives with the weights `LEXICAL`, in its
order. A save asks for ten of the documents that hold a word of it. Once ten score more
than the words that are left can count, no other comes in, and the lists of the most
frequent words are asked for those alone that may stay. At 100,000 entries that leaves a
third of the postings.
"""

from __future__ import annotations

import heapq
from itertools import accumulate

from memcli.search.ranking.bm25 import BM25
from memcli.search.ranking.corpus import Question
from memcli.search.ranking.pool import Pool
from memcli.search.ranking.rank import rank, weigh
from memcli.search.ranking.weights import LEXICAL
from memcli.search.source import Ahead

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memcli.search.ranking.corpus import Corpus, Scope, Term

# What sums of floats may be off by, far more than they are.
_SLACK = 1e-9
# So many times the documents that are wanted are asked whether they may be shown.
_LOOKS = 4


def nearest(
    terms: Iterable[str],
    corpus: Corpus,
    *,
    limit: int,
    scope: Scope,
) -> list[int]:
    """The documents that share most with a text, best first, at most so many.

    Args:
        terms: of the text.
        corpus: the documents.
        limit: how many are wanted.
        scope: which of them take part; its links are not followed.
    """
    weights = LEXICAL._replace(pool=limit)
    asked = [(term, term) for term in sorted(terms)]
    found = [term for term in weigh(asked, corpus, weights) if term.frequency]
    if corpus.levels(lambda: [term.text for term in found]) is not None:
        # A database knows better which documents to fetch.
        hits = rank(Question(asked), corpus, limit=limit, scope=scope, weights=weights)
        return [hit.doc for hit in hits.hits]
    corpus.ahead(lambda: Ahead(terms=[term.text for term in found]))
    scores = _scores(found, corpus, limit, scope, BM25(corpus, weights))
    return Pool(corpus, scope, None, weights).best(scores)


def _scores(
    terms: list[Term], corpus: Corpus, limit: int, scope: Scope, bm25: BM25
) -> dict[int, float]:
    """The scores of all documents that may be among the best."""
    # What a term counts at most, however often a document holds it.
    gains = [term.idf * (bm25.k1 + 1) for term in terms]
    left = [*accumulate(reversed(gains), initial=0.0)][::-1]
    scores = dict.fromkeys(scope.within or (), 0.0)
    is_closed = scope.within is not None  # whether no other document can come in
    for place, term in enumerate(terms):
        # No document scores more than the words that were added up can count.
        if not is_closed and left[0] > 2 * left[place]:
            least = _floor(scores, left[place] * (1 + _SLACK), limit, scope)
            if least:
                is_closed = True
                enough = least * (1 - _SLACK) - left[place]
                scores = {doc: n for doc, n in scores.items() if n >= enough}
        if is_closed:
            for doc, n in corpus.held(term.text, scores).items():
                scores[doc] += bm25.score(term, n, bm25.lengths[doc])
        else:
            _add(scores, gains[place], corpus.postings(term.text), bm25)
    return {doc: score for doc, score in scores.items() if score}


def _add(
    scores: dict[int, float],
    gain: float,
    postings: tuple[Sequence[int], Sequence[float]],
    bm25: BM25,
) -> None:
    """Add what a term counts, as `BM25.score`, whose calls would take half the time."""
    base, slope, lengths, get = bm25.base, bm25.slope, bm25.lengths, scores.get
    for doc, n in zip(*postings, strict=True):
        scores[doc] = get(doc, 0.0) + gain * n / (n + base + slope * lengths[doc])


def _floor(
    scores: Mapping[int, float], above: float, limit: int, scope: Scope
) -> float:
    """The score that as many documents as are wanted have at least; 0 where not so many
    are found that may be shown and score more than `above`."""
    high = [doc for doc, score in scores.items() if score > above]
    if len(high) < limit:
        return 0.0
    best = heapq.nlargest(_LOOKS * limit, high, key=scores.__getitem__)
    shown = [doc for doc in best if scope.admit is None or scope.admit(doc)]
    return scores[shown[limit - 1]] if len(shown) >= limit else 0.0
