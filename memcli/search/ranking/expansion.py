"""Words to add to a question: those that its best documents share.

Invariant: pure and deterministic; ties break on the term. The added words break ties
among documents, they do not outweigh the question (`Weights.feedback`).

It is pseudo relevance feedback after RM3 (Abdul-Jaleel et al., TREC 2004): terms of the
first documents, weighted by those documents' scores, interpolated.
"""

from __future__ import annotations

import heapq

from memcli.search.ranking.corpus import Corpus, Term, inverse_frequency

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcli.search.ranking.weights import Weights


def expansion(
    totals: Mapping[int, float],
    known: Sequence[Term],
    corpus: Corpus,
    weights: Weights,
) -> list[Term]:
    """Terms that the best documents share, weighted to a fraction of the question.

    Args:
        totals: document -> score so far.
        known: the terms of the question; they are not among those returned.
        corpus: the documents.
        weights: `feedback` is the fraction, `feedback_terms` how many terms.
    """
    orders = corpus.orders
    least = min(heapq.nlargest(weights.feedback_entries, totals.values()), default=0.0)
    highest = [doc for doc, total in totals.items() if total >= least]
    highest.sort(key=lambda doc: (-totals[doc], orders[doc]))
    best = highest[: weights.feedback_entries]
    mass = sum(totals[doc] for doc in best) or 1.0
    given = {term.text for term in known}
    votes: dict[str, float] = {}
    for doc in best:
        share = totals[doc] / mass
        for text, count in corpus.key_terms(doc).items():
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
