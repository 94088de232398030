"""The scorer: a few weights, learned from which rows of a recall were useful.

Invariant: its factor of a score lies within 0.9 and 1.1, and counts only when it was
better than the default order on questions that it was not trained on. Its file may be
deleted at any time; a broken one is a warning. The same pairs, in any order and
repeated or not, give the same file.

A pair is two rows of one recall: one that was useful, and one that was not. *Every*
useful row is compared with *every* other row, above it or below: pairs with rows above
alone are all pairs that the shown order got wrong, so they cannot compare two orders
(Joachims, Swaminathan & Schnabel, "Unbiased learning-to-rank with biased feedback",
WSDM 2017). Rows that are shown first are used more: a row at rank r is looked at with a
chance of (1/r)^eta. So the training gets the difference of the log ranks beside the
features, learns eta from the same pairs, and the scorer leaves it out. The test is not
corrected: the bias that is left favours the order that was shown.
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

_SCHEMA = 2
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
# on (Peduzzi et al., J Clin Epidemiol 49, 1996: ten events a variable). Pairs alone are
# no measure: one recall gives twenty of them, and they share a row.
_LEAST_PAIRS, _LEAST_QUESTIONS = 200, 60
# So many of the tested questions must come out differently: fewer than ten differences
# have no normal tail.
_LEAST_DIFFERENT = 10
# A feature that sets rows apart in fewer questions than this is noise: counts zero.
_LEAST_SEEN = 10
# Not .05: a vault is trained again and again, and each time is another chance for luck.
_ALPHA = 0.01
# One question in three is held out.
_HELD_OUT = 3


class Scorer(NamedTuple):
    """The weights that were learned, from how much, and whether they count.

    `weights` has for each feature its weight, and the centre and scale by which it is
    measured; `position` is what a row's place explains (eta, see above). `held_out`
    says how both orders fared on questions that the weights have not seen: how many
    questions and pairs; `default` and `scorer`, the shares of pairs in the right order,
    each question counting the same; `differ` of the questions come out differently; `p`
    is the chance of so large a gain by luck.
    """

    takes_part: bool
    reason: str
    pairs: int
    questions: int
    held_out: Mapping[str, float] | None = None
    position: float = 0.0
    weights: Mapping[str, tuple[float, float, float]] = MappingProxyType({})

    def adjust(self, features: Mapping[str, float]) -> float:
        """The factor of a row's score, between 0.9 and 1.1.

        Args:
            features: as `event.features` gives them; what is absent or unknown is zero.
        """
        return self.factor(_measured(features))

    def factor(self, seen: Mapping[str, float]) -> float:
        weighed = (
            weight * (seen.get(name, 0.0) - centre) / scale
            for name, (weight, centre, scale) in self.weights.items()
        )
        return 1 + REACH * math.tanh(math.fsum(weighed))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        weights = {name: list(numbers) for name, numbers in self.weights.items()}
        return {"schema": _SCHEMA, **self._asdict(), "weights": weights}


class Stored(NamedTuple):
    """The scorer of a vault, if it has one; `problem` says why it cannot be used."""

    scorer: Scorer | None = None
    problem: str | None = None

    @property
    def active(self) -> Scorer | None:
        """The scorer, when it takes part."""
        return self.scorer if self.scorer and self.scorer.takes_part else None

    def as_dict(self) -> dict[str, Any]:
        """For JSON: `trained`, `problem`, and what `Scorer.as_dict` says."""
        fields = {"trained": self.scorer is not None, "problem": self.problem}
        return fields | (self.scorer.as_dict() if self.scorer else {})


def path_of(root: str) -> str:
    """The file of a vault's scorer."""
    return state_dirs.path(root, layout.SCORER)


def load(root: str) -> Stored:
    """The scorer of the vault at `root`; never raises."""
    path = path_of(root)
    if not os.path.lexists(path):
        return Stored()
    try:
        data = files.read(path, limit=_LARGEST)
    except Unreadable as error:
        return Stored(problem=f"{error.message}; ranked without it")
    import json

    try:
        return Stored(_decoded(json.loads(data)))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        return Stored(
            problem=f"{path} is not usable ({type(error).__name__}); ranked without "
            "it; memcli signals --train makes a new one"
        )


def store(root: str, scorer: Scorer) -> None:
    """Keep a scorer, whether it takes part or not.

    Raises:
        WriteFailed: the disk refused; the stored scorer is as it was.
    """
    import json

    path = path_of(root)
    files.make_folder(os.path.dirname(path))
    files.write_atomic(path, json.dumps(scorer.as_dict(), indent=1).encode() + b"\n")


def _decoded(value: dict[str, Any]) -> Scorer:
    """The scorer of a JSON value; an error of Python's where it is none."""
    schema, held = value.pop("schema"), value["held_out"]
    weights = {name: (w, c, s) for name, (w, c, s) in value["weights"].items()}
    scorer = Scorer(**{**value, "weights": weights})
    numbers = [scorer.pairs, scorer.questions, scorer.position]
    for each in ((held or {}).values(), *weights.values()):
        numbers += each
    # Sums of larger ones could overflow.
    usable = all(type(n) in (int, float) and abs(n) <= 10**_DIGITS for n in numbers)
    if schema != _SCHEMA or not usable or any(w[2] < _SMALL for w in weights.values()):
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
    """A pair as it is trained on and tested with: measured features, score by default
    (the part of an older scorer taken out) and rank of the better row and of the worse
    one."""

    seen: tuple[Mapping[str, float], Mapping[str, float]]
    scores: tuple[float, float]
    ranks: tuple[float, float]

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
    count = sum(map(len, questions.values()))
    nothing = Scorer(False, "", count, len(questions))
    for number, unit, least in (
        (count, "pair", _LEAST_PAIRS),
        (len(questions), "question", _LEAST_QUESTIONS),
    ):
        if number < least:
            return nothing._replace(reason=f"{counted(number, unit)} of {least} needed")
    training = [group for name, group in questions.items() if not held_out(name)]
    testing = [group for name, group in questions.items() if held_out(name)]
    measures = _measures(training)
    if not measures:
        return nothing._replace(reason="no feature sets the rows apart")
    rows, weights = [], []
    for group in training:
        for pair in group:
            row = [pair.apart(name) / scale for name, (_, scale) in measures.items()]
            rows.append([*row, math.log(pair.ranks[1] / pair.ranks[0])])
            # A question counts once, however often and with how many rows it was asked.
            weights.append(1 / len(group))
    *learned, position = _fitted(rows, weights)
    return _judged(
        nothing._replace(
            position=round(position, _DIGITS),
            weights={
                name: (round(weight, _DIGITS), *measures[name])
                for name, weight in zip(measures, learned, strict=True)
            },
        ),
        testing,
    )


def held_out(question: str) -> bool:
    """Whether the pairs of a question are for the test; all others are for training."""
    import hashlib

    return hashlib.sha256(question.encode()).digest()[0] % _HELD_OUT == 0


def _by_question(given: Iterable[Mapping[str, Any]]) -> dict[str, list[_Pair]]:
    """Each pair once, by question, in an order that depends on the pairs alone."""
    pairs = {}
    for pair in given:
        sides = pair["better"], pair["worse"]
        key = (pair["question"], pair["recall"], *(side["id"] for side in sides))
        better, worse = (
            side["score"] / (side["features"].get(_OWN) or 1.0) for side in sides
        )
        one, other = (_measured(side["features"]) for side in sides)
        ranks = sides[0]["rank"], sides[1]["rank"]
        pairs[key] = _Pair((one, other), (better, worse), ranks)
    grouped: dict[str, list[_Pair]] = {}
    for key in sorted(pairs):
        grouped.setdefault(key[0], []).append(pairs[key])
    return grouped


def _measures(training: Sequence[Sequence[_Pair]]) -> dict[str, tuple[float, float]]:
    """Centre and scale of each feature that sets rows apart in enough questions."""
    pairs = [pair for group in training for pair in group]
    measures = {}
    for name in sorted({name for pair in pairs for seen in pair.seen for name in seen}):
        told = (any(abs(p.apart(name)) > _SMALL for p in group) for group in training)
        if sum(told) < _LEAST_SEEN:
            continue
        both = math.fsum(seen.get(name, 0.0) for pair in pairs for seen in pair.seen)
        square = math.fsum(pair.apart(name) ** 2 for pair in pairs) / len(pairs)
        scale = round(math.sqrt(square), _DIGITS)
        if scale > _SMALL:
            measures[name] = round(both / (2 * len(pairs)), _DIGITS), scale
    return measures


def _fitted(rows: Sequence[Sequence[float]], counts: Sequence[float]) -> list[float]:
    """The weights of a logistic regression in which every row is a win.

    By Newton's method, with a normal prior of variance 1 on each weight and without an
    intercept, since a difference has two signs: a linear RankNet (Burges et al., 2005).
    """
    size = range(len(rows[0]))
    weights = [0.0 for _ in size]
    for _ in range(30):
        slope = [-weight for weight in weights]
        curve = [[float(i == j) for j in size] for i in size]
        for row, count in zip(rows, counts, strict=True):
            lost = 1 / (1 + math.exp(min(700.0, sum(map(float.__mul__, weights, row)))))
            bend = count * lost * (1 - lost)
            for i in size:
                slope[i] += count * lost * row[i]
                line, by = curve[i], bend * row[i]
                for j in size:
                    line[j] += by * row[j]
        step = _solved(curve, slope)
        weights = [weight + each for weight, each in zip(weights, step, strict=True)]
        if max(map(abs, step)) < 1e-9:
            break
    return weights


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The x of `matrix` x = `right`, by elimination; `matrix` is positive definite."""
    lines = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for at, line in enumerate(lines):
        lines[at] = line = [value / line[at] for value in line]
        for other, values in enumerate(lines):
            if other != at and (by := values[at]):
                lines[other] = [a - by * b for a, b in zip(values, line, strict=True)]
    return [line[-1] for line in lines]


def _judged(scorer: Scorer, testing: Sequence[Sequence[_Pair]]) -> Scorer:
    """The scorer with its figures on held-out pairs, and the decision.

    What is compared is what recall would do: the score, and the score times the
    factor. The unit is the question, as its pairs share rows. The test is the
    randomization test on the questions' differences (Smucker, Allan & Carterette,
    CIKM 2007), one-sided, by its normal limit. Where an older scorer moved a row up,
    that favours the scorer: a pair for it counts rank/rank only, the chance at eta = 1
    that the lower row was seen.
    """
    default, mine, gains = [], [], []
    for group in testing:
        right, gain = [0, 0], 0.0
        for pair in group:
            (score, other), (rank, behind) = pair.scores, pair.ranks
            factor, its = map(scorer.factor, pair.seen)
            # Equal scores keep the order they were shown in.
            was = (score, -rank) > (other, -behind)
            now = (score * factor, -rank) > (other * its, -behind)
            right[0] += was
            right[1] += now
            if now != was:
                gain += min(1.0, rank / behind) if now else -1.0
        default.append(right[0] / len(group))
        mine.append(right[1] / len(group))
        gains.append(gain / len(group))
    spread = math.sqrt(math.fsum(gain * gain for gain in gains))
    differ = sum(gain != 0 for gain in gains)
    p = math.erfc(math.fsum(gains) / spread / math.sqrt(2)) / 2 if spread else 1.0
    tested = max(1, len(testing))
    held = {
        "questions": len(testing),
        "pairs": sum(map(len, testing)),
        "default": round(math.fsum(default) / tested, 4),
        "scorer": round(math.fsum(mine) / tested, 4),
        "differ": differ,
        "p": float(f"{p:.3g}"),
    }
    passed = differ >= _LEAST_DIFFERENT and p < _ALPHA
    reason = "better" if passed else "not better"
    reason += " on held-out questions: {scorer:.3f} against {default:.3f}, p {p:g}"
    if not passed:
        reason += f"; {differ} differ, {_LEAST_DIFFERENT} and p {_ALPHA:g} needed"
    reason = reason.format(**held)
    return scorer._replace(takes_part=passed, reason=reason, held_out=held)
