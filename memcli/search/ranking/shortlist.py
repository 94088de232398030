"""The documents that may be among the best, without a look at all that hold a word.

Invariant: a document that is on no list up to a floor scores less than that floor. The
scores of those that are come from the same lines of code as without a list, so an
answer is the same to the last bit.

It is the idea of WAND and MaxScore (Broder et al., CIKM 2003; Turtle & Flood, 1995): a
document whose words could not bring it among the best, however often it held them, is
never scored. Here the bounds of all documents are added at once: each place of a part
of the vault is a bit of long numbers, and the sum of its bounds lies across `_PLANES`
of them, which a processor adds and compares some thousand places at a time.
"""

from __future__ import annotations

import math
import re
from typing import cast

from memcli.search.ranking.borrowing import loans, shares, weighed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from memcli.search.ranking.corpus import Corpus, Question, Term
    from memcli.search.ranking.weights import Weights
    from memcli.search.source import Level

    _Score = Callable[[Term, float, int], float]

_PLANES = 10
_MOST = (1 << _PLANES) - 1
_SOME = re.compile(rb"[^\0]")


class Among:
    """A corpus of which only some documents are looked at; counts are of all.

    Args:
        corpus: the whole.
        docs: the ones that are looked at.
    """

    ascending = False

    def __init__(self, corpus: Corpus, docs: Collection[int]) -> None:
        self._corpus = corpus
        self._docs = docs
        self._read: dict[str, tuple[Sequence[int], Sequence[float]]] = {}

    def postings(self, term: str) -> tuple[Sequence[int], Sequence[float]]:
        """Those of the documents that hold a term, with its weight in each."""
        if term not in self._read:
            held = self._corpus.held(term, self._docs)
            self._read[term] = [*held], [*held.values()]
        return self._read[term]

    def __getattr__(self, name: str) -> object:
        return getattr(self._corpus, name)


def among(corpus: Corpus, docs: Collection[int]) -> Corpus:
    """A corpus of which only some documents are looked at."""
    return cast("Corpus", Among(corpus, docs))


class Shortlist:
    """Bounds of the scores of all documents.

    Args:
        parts: of the vault, each with the bounds of each term: (bound, places).
        corpus: says which documents lie at a place.
    """

    def __init__(
        self,
        parts: Mapping[int, Sequence[Sequence[tuple[float, int]]]],
        corpus: Corpus,
    ) -> None:
        self._corpus = corpus
        highest: dict[int, float] = {}
        for terms in parts.values():
            for at, bounds in enumerate(terms):
                most = max((bound for bound, _ in bounds), default=0.0)
                highest[at] = max(most, highest.get(at, 0.0))
        # Rounding up adds less than one unit for each term.
        self._unit = sum(highest.values()) / max(1, _MOST - len(highest)) or 1.0
        self._parts = {
            part: _summed([self._units(bounds) for bounds in terms])
            for part, terms in parts.items()
        }

    def _units(self, bounds: Sequence[tuple[float, int]]) -> list[tuple[int, int]]:
        merged: dict[int, int] = {}
        for bound, places in bounds:
            units = min(_MOST, math.ceil(bound / self._unit * (1 + 1e-9)))
            merged[units] = merged.get(units, 0) | places
        return [*merged.items()]

    def floor(self, count: int) -> float:
        """The highest floor that about so many places reach; 0 when fewer hold a word.

        Of many parts one says it for all: documents lie in them by chance.
        """
        every = [*self._parts.values()]
        found = self._highest(every[:1], -(-count // len(every))) if every else 0
        return (found or self._highest(every, count)) * self._unit

    def _highest(self, parts: Sequence[Sequence[int]], count: int) -> int:
        """The highest number of units that so many places of some parts reach."""
        low, high = 0, _MOST
        while low < high:
            middle = (low + high + 1) // 2
            if _reaching(parts, middle) >= count:
                low = middle
            else:
                high = middle - 1
        return low

    def count(self, floor: float) -> int:
        """How many places reach a floor."""
        return _reaching([*self._parts.values()], self._least(floor))

    def docs(self, floor: float) -> list[int]:
        """All documents that may score as much as a floor, and others."""
        least = self._least(floor)
        places = {
            part: _places(_at_least(planes, least))
            for part, planes in self._parts.items()
        }
        return self._corpus.placed(places)

    def _least(self, floor: float) -> int:
        return max(1, math.ceil(floor / self._unit * (1 - 1e-9)))


def _reaching(parts: Sequence[Sequence[int]], units: int) -> int:
    return sum(_at_least(planes, units).bit_count() for planes in parts)


def _summed(terms: Sequence[Sequence[tuple[int, int]]]) -> list[int]:
    """The sums of the bounds of places, the lowest bits of all places first."""
    planes = [0] * _PLANES
    for bounds in terms:
        covered = 0
        bits = [0] * _PLANES
        # Of two readings of a word, or two documents at a place, the higher counts.
        for units, places in sorted(bounds, reverse=True):
            fresh = places & ~covered if covered else places
            covered |= places
            for at in range(_PLANES):
                if units >> at & 1:
                    bits[at] |= fresh
        carry = 0
        for at, bit in enumerate(bits):
            old = planes[at]
            if carry:
                both = old ^ bit
                planes[at] = both ^ carry
                carry = (old & bit) | (carry & both)
            elif bit:
                planes[at] = old ^ bit
                carry = old & bit
    return planes


def _at_least(planes: Sequence[int], units: int) -> int:
    """The places whose sums are no less than a number of units, 1 or more."""
    above, equal = 0, -1
    for at in range(_PLANES - 1, -1, -1):
        plane = planes[at]
        if units >> at & 1:
            equal &= plane
        else:
            above |= equal & plane
            equal &= ~plane
    return above | equal


def _places(bits: int) -> list[int]:
    """The places of the bits that are set."""
    data = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
    found = []
    for match in _SOME.finditer(data):
        at = match.start()
        byte = data[at]
        found += [8 * at + bit for bit in range(8) if byte >> bit & 1]
    return found


def shortlist(
    where: Mapping[str, Mapping[int, Sequence[Level]]],
    question: Question,
    terms: Sequence[Term],
    corpus: Corpus,
    weights: Weights,
    score: _Score,
) -> Shortlist:
    """The bounds for a question.

    Args:
        where: each term's levels by part, also of what `terms` may borrow.
        question: what else its terms may be read as; it implies no document.
        terms: those of the question, weighed.
        corpus: the documents.
        weights: what a near word counts.
        score: what a term counts in a document that holds it so often, by length.
    """
    borrowed = loans(question, among(corpus, ()), weights) if question.readings else {}
    known = weighed([*terms], borrowed, corpus.size)
    share = shares(corpus, weights)
    asked = {text for text, _ in question.terms}
    parts: dict[int, list[list[tuple[float, int]]]] = {}
    for part in sorted({part for levels in where.values() for part in levels}):
        bounds: list[list[tuple[float, int]]] = []
        parts[part] = bounds
        for term in known:
            mine = _bounds(where.get(term.text, {}).get(part, ()), term, 1.0, score)
            for reading in question.readings.get(term.text, ()):
                if asked.issuperset(reading.terms):
                    continue
                together = [where.get(each, {}).get(part, ()) for each in reading.terms]
                if all(together):
                    mine += _together(together, term, share(reading), score)
            bounds.append(mine)
    return Shortlist(parts, corpus)


def _bounds(
    levels: Sequence[Level],
    term: Term,
    share: float,
    score: _Score,
) -> list[tuple[float, int]]:
    """The bound of each level; no level's is above that of a better one."""
    found: list[tuple[float, int]] = []
    most = 0.0
    for level in reversed(levels):
        bounds = (score(term, share * n, length) for n, length in level.pairs)
        most = max(most, *bounds, 0.0)
        found.append((most, level.places))
    return found


def _together(
    terms: Sequence[Sequence[Level]],
    term: Term,
    share: float,
    score: _Score,
) -> list[tuple[float, int]]:
    """The bound of a reading: a document holds all of its terms."""
    if len(terms) == 1:
        return _bounds(terms[0], term, share, score)
    places = -1
    least = math.inf
    for levels in terms:
        here = 0
        for level in levels:
            here |= level.places
        places &= here
        least = min(least, max(b for b, _ in _bounds(levels, term, share, score)))
    return [(least, places)]
