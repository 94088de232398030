"""The scorer: a few weights, learned from which rows of a recall were useful.

Invariant: its factor of a score lies within 0.9 and 1.1, and counts only when it was
better than the default order on questions that it was not trained on. Its file may be
deleted at any time; a broken one is a warning. The same pairs, in any order and
repeated or not, give the same file.

A pair is two rows of one recall: one that was useful, and one that was not. *Every*
useful row is compared with *every* other row, above it or below: pairs with rows above
alone are all pairs that the shown order got wrong, so they cannot compare two orders
(Joachims, Swaminathan & Schnabel, "Unbiased learning-to-rank with biased feedback",
WSDM 2017). Rows that are shown first are used more, which favours the order that was
shown. So a recall that a scorer has ordered teaches none: it would prove itself.
"""

from __future__ import annotations

import math
import os
from types import MappingProxyType

from memcli.entries import layout
from memcli.errors import Unreadable
from memcli.named_tuple import NamedTuple
from memcli.search.ranking.order import REACH
from memcli.storage import files, state_dirs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

_SCHEMA = 4
# A scorer is two kilobytes.
_LARGEST = 1_000_000
# Parts of a score that multiply; all others add up.
_FACTORS = frozenset(
    """
    entity question answer reply superseded recency temporal elsewhere held_back
    """.split()
)
_OWN = "scorer"
_DIGITS = 6
_SMALL = 10**-_DIGITS
# Ten questions with feedback for each of a handful of features, beside a third to test
# on (Peduzzi et al., J Clin Epidemiol 49, 1996: ten events a variable). Pairs are no
# measure: one recall gives twenty of them, and they share a row.
_LEAST_QUESTIONS = 60
# So many of the tested questions must come out differently: fewer than ten differences
# have no normal tail.
_LEAST_DIFFERENT = 10
# A feature that sets rows apart in fewer questions than this is noise: counts zero.
_LEAST_SEEN = 10
# Not .05: a vault is trained again and again, and each time is another chance for luck.
_ALPHA = 0.01
# One question in three is held out.
_HELD_OUT = 3
# The weight of a feature by which useful rows lie above the others by its spread.
_STEEP = 2.0


class Scorer(NamedTuple):
    """The weights that were learned, from how much, and whether they count.

    `weights` has for each feature its weight; `offset` is what an ordinary row weighs.
    `held_out` says how both orders fared on questions that the weights have not seen:
    how many questions and pairs; `default` and `scorer`, the shares of pairs in the
    right order, each question counting the same; `differ` of the questions come out
    differently; `p` is the chance of so large a gain by luck. `trained` is False where
    there is none; `problem` says why one cannot be used.
    """

    takes_part: bool
    reason: str
    pairs: int
    questions: int
    held_out: Mapping[str, float] | None = None
    offset: float = 0.0
    weights: Mapping[str, float] = MappingProxyType({})
    trained: bool = True
    problem: str | None = None

    def adjust(self, features: Mapping[str, float]) -> float:
        """The factor of a row's score, between 0.9 and 1.1.

        Args:
            features: as `event.features` gives them; what is absent or unknown is zero.
        """
        return self.factor(_measured(features))

    def factor(self, seen: Mapping[str, float]) -> float:
        weighed = (each * seen.get(name, 0.0) for name, each in self.weights.items())
        return 1 + REACH * math.tanh(math.fsum(weighed) - self.offset)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"schema": _SCHEMA, **self._asdict(), "weights": dict(self.weights)}


_NONE = Scorer(False, "none; memcli signals --train makes one", 0, 0, trained=False)


def path_of(root: str) -> str:
    """The file of a vault's scorer."""
    return state_dirs.path(root, layout.SCORER)


def load(root: str) -> Scorer:
    """The scorer of the vault at `root`; never raises."""
    path = path_of(root)
    if not os.path.lexists(path):
        return _NONE
    import json

    try:
        return _decoded(json.loads(files.read(path, limit=_LARGEST)))
    except Unreadable as error:
        why = error.message
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        why = f"{path} is not usable ({type(error).__name__})"
    why += "; ranked without it; memcli signals --train makes a new one"
    return _NONE._replace(problem=why)


def store(root: str, scorer: Scorer) -> None:
    """Keep a scorer, whether it takes part or not.

    Raises:
        WriteFailed: the disk refused; the stored scorer is as it was.
    """
    import json

    data = json.dumps(scorer.as_dict(), indent=1).encode() + b"\n"
    files.write_atomic(path_of(root), data)


def _decoded(value: dict[str, Any]) -> Scorer:
    """The scorer of a JSON value; an error of Python's where it is none."""
    schema, held, weights = value.pop("schema"), value["held_out"], value["weights"]
    scorer = Scorer(**value)
    numbers = [scorer.pairs, scorer.questions, scorer.offset]
    numbers += [*(held or {}).values(), *weights.values()]
    # Sums of larger ones could overflow.
    usable = all(type(n) in (int, float) and abs(n) <= 10**_DIGITS for n in numbers)
    if schema != _SCHEMA or not usable:
        raise ValueError("not the numbers of a scorer")
    return scorer._replace(takes_part=scorer.takes_part is True)


def _measured(features: Mapping[str, float]) -> dict[str, float]:
    """Features that compare across questions, whose scores do not.

    A piece that adds up is its share of the score, a factor what it adds to 1, a mark
    (`writer:hook`) itself.
    """
    known = {name: value for name, value in features.items() if name != _OWN}
    marks = {name for name in known if ":" in name}
    adds = [v for name, v in known.items() if name not in _FACTORS | marks]
    whole = math.fsum(adds) or 1.0
    return {
        name: value - 1
        if name in _FACTORS
        else value / (1.0 if name in marks else whole)
        for name, value in known.items()
    }


# --- training ---------------------------------------------------------------------


class _Pair(NamedTuple):
    """A pair as it is trained on and tested with: measured features and score of the
    better row and of the worse one; `was` says whether they stood in that order."""

    seen: tuple[Mapping[str, float], Mapping[str, float]]
    scores: tuple[float, float]
    was: bool

    def apart(self, name: str) -> float:
        """How far a feature sets the two rows apart."""
        better, worse = self.seen
        return better.get(name, 0.0) - worse.get(name, 0.0)


def train(given: Iterable[Mapping[str, Any]]) -> Scorer:
    """Learn from pairs, and decide whether what was learned takes part.

    Args:
        given: as `signals.pairs` gives them.
    """
    from memcli.entries.text.counted import counted

    questions = _by_question(given)
    count = len(questions)
    nothing = Scorer(False, "", sum(map(len, questions.values())), count)
    if count < _LEAST_QUESTIONS:
        needed = f"{counted(count, 'question')} of {_LEAST_QUESTIONS} needed"
        return nothing._replace(reason=needed)
    training = [group for name, group in questions.items() if not held_out(name)]
    testing = [group for name, group in questions.items() if held_out(name)]
    weights, offset = _learned(training)
    if not weights:
        return nothing._replace(reason="no feature sets the rows apart")
    return _judged(nothing._replace(weights=weights, offset=offset), testing)


def held_out(question: str) -> bool:
    """Whether the pairs of a question are for the test; all others are for training."""
    import hashlib

    return hashlib.sha256(question.encode()).digest()[0] % _HELD_OUT == 0


def _by_question(given: Iterable[Mapping[str, Any]]) -> dict[str, list[_Pair]]:
    """Each pair once, by question, in an order that depends on the pairs alone."""
    pairs = {}
    for pair in given:
        better, worse = sides = pair["better"], pair["worse"]
        if any(_OWN in side["features"] for side in sides):
            continue
        one, other = (_measured(side["features"]) for side in sides)
        key = (pair["question"], pair["recall"], better["id"], worse["id"])
        scores = better["score"], worse["score"]
        pairs[key] = _Pair((one, other), scores, better["rank"] < worse["rank"])
    grouped: dict[str, list[_Pair]] = {}
    for key in sorted(pairs):
        grouped.setdefault(key[0], []).append(pairs[key])
    return grouped


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / max(1, len(values))


def _learned(training: Sequence[Sequence[_Pair]]) -> tuple[dict[str, float], float]:
    """The weight of each feature that sets rows apart in enough questions, and the sum
    of an ordinary row.

    The weight is how far the useful rows lie above the others on average, in units of
    the feature's spread; a question counts once, however many rows it has.
    """
    pairs = [pair for group in training for pair in group]
    weights, ordinary = {}, []
    for name in sorted({name for pair in pairs for seen in pair.seen for name in seen}):
        apart = [[pair.apart(name) for pair in group] for group in training]
        told = sum(any(abs(each) > _SMALL for each in group) for group in apart)
        spread = math.sqrt(_mean([each * each for group in apart for each in group]))
        if told < _LEAST_SEEN or spread <= _SMALL:
            continue
        above = _mean([_mean(group) for group in apart]) / spread
        weight = round(_STEEP * above / spread, _DIGITS)
        if abs(weight) < 10**_DIGITS:
            weights[name] = weight
            centre = _mean([s.get(name, 0.0) for pair in pairs for s in pair.seen])
            ordinary.append(weight * centre)
    return weights, round(math.fsum(ordinary), _DIGITS)


def _judged(scorer: Scorer, testing: Sequence[Sequence[_Pair]]) -> Scorer:
    """The scorer with its figures on held-out pairs, and the decision.

    What is compared is what recall would do: the order as it was shown, and that by the
    score times the factor. The unit is the question, as its pairs share rows. The test
    is the randomization test on the questions' differences (Smucker, Allan &
    Carterette, CIKM 2007), one-sided, by its normal limit.
    """
    default, mine = [], []
    for group in testing:
        now = []
        for pair in group:
            one, other = (
                score * scorer.factor(seen)
                for score, seen in zip(pair.scores, pair.seen, strict=True)
            )
            # Equal scores keep the order they were shown in.
            now.append(one > other or (one == other and pair.was))
        default.append(_mean([pair.was for pair in group]))
        mine.append(_mean(now))
    gains = [now - was for now, was in zip(mine, default, strict=True)]
    spread = math.sqrt(math.fsum(gain * gain for gain in gains))
    differ = sum(gain != 0 for gain in gains)
    p = math.erfc(math.fsum(gains) / spread / math.sqrt(2)) / 2 if spread else 1.0
    held = {
        "questions": len(testing),
        "pairs": sum(map(len, testing)),
        "default": round(_mean(default), 4),
        "scorer": round(_mean(mine), 4),
        "differ": differ,
        "p": float(f"{p:.3g}"),
    }
    passed = differ >= _LEAST_DIFFERENT and p < _ALPHA
    reason = "better" if passed else "not better"
    reason += " on held-out questions: {scorer:.3f} against {default:.3f}, p {p:g}"
    reason = f"{reason}; {{differ}} differ".format(**held)
    return scorer._replace(takes_part=passed, reason=reason, held_out=held)
