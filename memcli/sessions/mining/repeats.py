"""Candidates that say the same are one candidate, met several times.

Invariant: each candidate joins the first before it that says the same, as if it were
compared with every one; its time grows with their number, not with the square of it.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from memcli.entries.entry import Confidence
from memcli.sessions.mining.candidate import Candidate

HIGH, MEDIUM, LOW = Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW
# Content words in common, as a share of all (Jaccard), that make two inferences the
# same. Of what is explicit each one counts: "never use A" and "never use B" are two.
_ALIKE = {True: 1.0, False: 0.7}
# A pattern that was met so often is no single inference any more (seed 002).
_OFTEN = 3


def counted(found: Sequence[Candidate]) -> list[Candidate]:
    """Make one of those that say the same; what came three times is no inference."""
    kept: list[Candidate] = []
    like = _Like(list(map(_bag, (one.text for one in found))))
    for number, one in enumerate(found):
        for place, bag in like.before(number, one.category):
            other = kept[place]
            explicit = HIGH in (other.confidence, one.confidence)
            if not _same(like.bags[number], bag, _ALIKE[explicit]):
                continue
            if other.line != one.line:
                kept[place] = _joined(other, one)
            break
        else:
            like.keep(number, one.category, len(kept))
            kept.append(one)
    return kept


class _Like:
    """Which bags may be alike, by a few of their words.

    Two bags share 0.7 of all their words only if they share one of the rarest of each:
    so many that the others alone are fewer than 0.7 of the bag (prefix filtering,
    Chaudhuri et al., ICDE 2006).
    """

    def __init__(self, bags: list[set[str]]) -> None:
        self.bags = bags
        self._counts = Counter(word for bag in bags for word in bag)
        self._kept: dict[tuple[str, str], list[tuple[int, int]]] = {}

    def before(self, number: int, category: str) -> Iterator[tuple[int, set[str]]]:
        """(place, bag) of those kept that may be like this one, the first first."""
        found = {
            one
            for word in self._rarest(number)
            for one in self._kept.get((category, word), ())
        }
        return ((place, self.bags[other]) for place, other in sorted(found))

    def keep(self, number: int, category: str, place: int) -> None:
        """From now on this one is found."""
        for word in self._rarest(number):
            self._kept.setdefault((category, word), []).append((place, number))

    def _rarest(self, number: int) -> list[str]:
        bag = self.bags[number]
        shared = math.ceil(min(_ALIKE.values()) * len(bag) - 1e-9)
        ordered = sorted(bag, key=lambda word: (self._counts[word], word))
        return ordered[: len(bag) - shared + 1]


def _joined(other: Candidate, one: Candidate) -> Candidate:
    count = other.occurrences + one.occurrences
    best = min(
        other.confidence, one.confidence, key=lambda c: (HIGH, MEDIUM, LOW).index(c)
    )
    why = other.rationale
    if best is LOW and count >= _OFTEN:
        best = MEDIUM
        why = f"{other.rationale}; in {count} turns"
    return other._replace(occurrences=count, confidence=best, rationale=why)


def _bag(text: str) -> set[str]:
    return {
        word
        for word in re.findall(r"\w{3,}|\d+|[^\x00-\x7f]", text.lower())
        if word not in _COMMON
    }


def _same(one: set[str], other: set[str], share: float) -> bool:
    return bool(one and other) and len(one & other) >= share * len(one | other)


_COMMON = frozenset(
    "the and for that this with you are was were have has had not but can could would should will please make sure also all any "
    "its it's from into out our your they them then than when what which who how why just like get got let lets".split()
)
