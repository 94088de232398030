"""What the words of a question borrow: documents that hold another word instead.

Invariant: pure; a document that holds a word itself, or means it, borrows nothing for
it, so no reading changes what a word's own documents count.
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
    average_length,
    inverse_frequency,
)
from memcli.search.ranking.weights import Weights, by_length

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

COMMON = 0.05
"""A near word that more of the entries hold says too little to stand for another."""

_FEW = 5  # entries, at least, that a near word may stand in


class Loan(NamedTuple):
    """What one term borrows.

    `counts` says by document how often it counts as holding the term, `read` by which
    reading; `frequency` is how many documents hold the commonest of these readings.
    """

    counts: dict[int, float]
    read: dict[int, Reading]
    frequency: int


Loans = Mapping[str, Loan]
"""Term -> what it borrows."""


def loans(question: Question, corpus: Corpus, weights: Weights) -> dict[str, Loan]:
    """What each term of a question borrows, for those that borrow anything."""
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
    """What a word that is read in place of another counts beside that one."""
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
