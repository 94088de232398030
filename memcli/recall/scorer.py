"""The scorer: what feedback has taught about the order of rows, as one small factor.

Invariant: pure; no disk and no clock. The same pairs, in any order and repeated or not,
give the same scorer to the last byte. Its factor lies within 0.9 and 1.1. A feature
that it does not know counts zero. Its weights were tested, as they are, on questions
that they were not trained on; a scorer that does not beat the default order there takes
no part.

A pair is two rows of one recall: one that was useful, and one that was not. *Every*
useful row is compared with *every* other row, above it or below. Pairs with rows above
alone (Joachims, "Optimizing search engines using clickthrough data", KDD 2002) are all
pairs that the shown order got wrong, so they cannot compare two orders. With all rows,
the pairs of a useful row count its rank, and the ranks of the useful rows say which
order is better, whether or not the rows below were read (Joachims, Swaminathan &
Schnabel, "Unbiased learning-to-rank with biased feedback", WSDM 2017).

Rows that are shown first are used more. In that model a row at rank r is looked at with
a chance of (1/r)^eta; the log odds of "this one of the two was used" then hold eta
times the difference of the log ranks. So the training gets that difference beside the
features, learns eta from the same pairs, and the scorer leaves it out: the features
explain only what the place does not. The test is not corrected: the bias that is left
favours the order that was shown, which is the default. Where an older scorer moved a
row up, the bias favours the scorer; so a pair in its favour counts rank/rank only, the
chance at eta = 1 that the lower row was seen.
"""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from memcli.search.ranking.boosts import REACH

SCHEMA = 1

# Ten questions with feedback for each of a handful of features, beside a third to test
# on (Peduzzi et al., J Clin Epidemiol 49, 1996: ten events a variable). Pairs alone are
# no measure: one recall gives twenty of them, and they share a row.
LEAST_PAIRS = 200
LEAST_QUESTIONS = 60
# So many of the tested questions must come out differently: fewer than ten differences
# have no normal tail.
LEAST_DIFFERENT = 10
# A feature that sets rows apart in fewer questions than this is noise: counts zero.
LEAST_SEEN = 10
# Not .05: a vault is trained again and again, and each time is another chance for luck.
ALPHA = 0.01
# One question in three is held out.
_HELD_OUT = 3
# Parts of a score that multiply; all others add up.
_FACTORS = frozenset(
    """
    entity question answer reply superseded recency temporal elsewhere held_back
    """.split()
)
_OWN = "scorer"
_DIGITS = 6
# Numbers of a scorer lie within these, so that no sum of them overflows.
_SMALL, _LARGE = 10**-_DIGITS, 10**_DIGITS
# Each row of a recall is measured by every feature; there are some dozens.
_MOST_FEATURES = 500


class HeldOut(NamedTuple):
    """How both orders fared on questions that the weights have not seen.

    `default` and `scorer` are the shares of pairs in the right order, each question
    counting the same; `differ` of the questions come out differently; `p` is the
    chance of so large a gain by luck.
    """

    questions: int
    pairs: int
    default: float
    scorer: float
    differ: int
    p: float


class Scorer(NamedTuple):
    """What was learned, from how much, and whether it counts.

    By position: `features`, their `weights`, and the centre and scale by which each is
    measured. `position` is what a row's place explains (eta, see above).
    """

    takes_part: bool
    reason: str
    pairs: int
    questions: int
    held_out: HeldOut | None = None
    position: float = 0.0
    features: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    centres: tuple[float, ...] = ()
    scales: tuple[float, ...] = ()

    def adjust(self, features: Mapping[str, float]) -> float:
        """The factor of a row's score, between 0.9 and 1.1.

        Args:
            features: as `event.features` gives them; what is absent or unknown is zero.
        """
        seen = _measured(features)
        get = seen.get
        linear = math.fsum(
            weight * (get(name, 0.0) - centre) / scale
            for name, weight, centre, scale in zip(
                self.features, self.weights, self.centres, self.scales, strict=True
            )
        )
        return 1 + REACH * math.tanh(linear)

    def as_dict(self) -> dict[str, Any]:
        """For JSON, as `decoded` reads it."""
        held = self.held_out
        return {
            "schema": SCHEMA,
            **self._asdict(),
            "held_out": None if held is None else held._asdict(),
        }


def _measured(features: Mapping[str, float]) -> dict[str, float]:
    """Features that compare across questions, whose scores do not.

    A piece that adds up is its share of the score, a factor what it adds to 1, a mark
    (`writer:hook`) itself.
    """
    whole = math.fsum(
        value
        for name, value in features.items()
        if name not in _FACTORS and name != _OWN and ":" not in name
    )
    seen = {}
    for name, value in features.items():
        if name in _FACTORS:
            seen[name] = value - 1
        elif ":" in name:
            seen[name] = value
        elif name != _OWN and whole:
            seen[name] = value / whole
    return seen


def decoded(value: Any) -> Scorer:
    """The scorer that a JSON value holds.

    Raises:
        ValueError: it is no scorer, of another schema, or its numbers make no sense.
    """
    try:
        if value["schema"] != SCHEMA:
            raise ValueError(f"of another schema than {SCHEMA}")
        fields = {name: value[name] for name in Scorer._fields}
        held = fields["held_out"]
        if held is not None:
            fields["held_out"] = HeldOut(*(_finite(held[n]) for n in HeldOut._fields))
        for name in ("weights", "centres", "scales"):
            fields[name] = tuple(_finite(number) for number in fields[name])
        fields["features"] = tuple(fields["features"])
        fields["position"] = _finite(fields["position"])
        scorer = Scorer(**fields)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("not a scorer") from error
    numbers = (*scorer.weights, *scorer.centres, *scorer.scales)
    lengths = {len(scorer.weights), len(scorer.centres), len(scorer.scales)}
    fits = (
        lengths == {len(scorer.features)}
        and len(scorer.features) <= _MOST_FEATURES
        and all(isinstance(name, str) for name in scorer.features)
        and all(scale >= _SMALL for scale in scorer.scales)
        and all(abs(number) <= _LARGE for number in numbers)
        and isinstance(scorer.takes_part, bool)
        and isinstance(scorer.reason, str)
        and all(isinstance(number, int) for number in (scorer.pairs, scorer.questions))
    )
    if not fits:
        raise ValueError("its parts do not fit together")
    return scorer


def _finite(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(value)
    # An integer may be too large for a float: JSON knows no limit.
    if not abs(value) <= sys.float_info.max:
        raise ValueError("a number that is not finite")
    return value


# --- pairs ------------------------------------------------------------------------


def _side(row: Any) -> dict[str, Any] | None:
    """A row of a pair; None when it is not whole."""
    try:
        if not isinstance(row["id"], str) or row["rank"] < 1:
            return None
        return {
            "id": row["id"],
            "rank": _finite(row["rank"]),
            "score": _finite(row["score"]),
            "features": {
                str(name): _finite(value) for name, value in row["features"].items()
            },
        }
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


class _Pair(NamedTuple):
    """A pair as it is trained on and tested with."""

    better: Mapping[str, float]
    worse: Mapping[str, float]
    # Score by default (the part of an older scorer taken out), and the place shown.
    scores: tuple[float, float]
    ranks: tuple[float, float]


def _by_question(given: Iterable[Mapping[str, Any]]) -> dict[str, list[_Pair]]:
    """Each pair once, by question, in an order that depends on the pairs alone."""
    pairs: dict[tuple[str, str, str, str], _Pair] = {}
    for pair in given:
        better, worse = _side(pair.get("better")), _side(pair.get("worse"))
        question, recall = pair.get("question"), pair.get("recall")
        if better is None or worse is None or not isinstance(question, str):
            continue
        pairs[question, str(recall), better["id"], worse["id"]] = _Pair(
            better["features"],
            worse["features"],
            (_default(better), _default(worse)),
            (better["rank"], worse["rank"]),
        )
    grouped: dict[str, list[_Pair]] = {}
    for key in sorted(pairs):
        grouped.setdefault(key[0], []).append(pairs[key])
    return grouped


def _default(side: Mapping[str, Any]) -> float:
    score: float = side["score"] / (side["features"].get(_OWN) or 1.0)
    return score


def held_out(question: str) -> bool:
    """Whether the pairs of a question are for the test; all others are for training."""
    import hashlib

    return hashlib.sha256(question.encode()).digest()[0] % _HELD_OUT == 0


# --- training ---------------------------------------------------------------------


def train(given: Iterable[Mapping[str, Any]]) -> Scorer:
    """Learn from pairs, and decide whether what was learned takes part.

    Args:
        given: as `signals.pairs` gives them.

    Raises:
        ModuleNotFoundError: scikit-learn is not installed.
    """
    from sklearn.linear_model import LogisticRegression

    from memcli.entries.text.counted import counted

    questions = _by_question(given)
    count = sum(map(len, questions.values()))
    nothing = Scorer(False, "", count, len(questions))
    if count < LEAST_PAIRS:
        return nothing._replace(reason=f"{counted(count, 'pair')} of {LEAST_PAIRS}")
    if len(questions) < LEAST_QUESTIONS:
        reason = f"{counted(len(questions), 'question')} of {LEAST_QUESTIONS}"
        return nothing._replace(reason=reason)
    training = [group for name, group in questions.items() if not held_out(name)]
    testing = [group for name, group in questions.items() if held_out(name)]
    names, scales, centres = _scales(training)
    if not names:
        return nothing._replace(reason="no feature sets the rows apart")
    places = [
        math.log(pair.ranks[1] / pair.ranks[0]) for group in training for pair in group
    ]
    place_scale = _root_mean_square(places) or 1.0
    differences, weights = [], []
    place = iter(places)
    for group in training:
        for pair in group:
            better, worse = _measured(pair.better), _measured(pair.worse)
            row = [
                (better.get(name, 0.0) - worse.get(name, 0.0)) / scale
                for name, scale in zip(names, scales, strict=True)
            ]
            row.append(next(place) / place_scale)
            # Both ways round, since a difference has two signs and no intercept.
            differences += [row, [-number for number in row]]
            # A question counts once, however often and with how many rows it was asked.
            weights += [0.5 / len(group)] * 2
    # C = 1 is a normal prior of variance 1 on the weights of standardised features.
    model = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-8, max_iter=10_000)
    model.fit(differences, [1, 0] * (len(differences) // 2), sample_weight=weights)
    *learned, position = (float(weight) for weight in model.coef_[0])
    scorer = nothing._replace(
        features=tuple(names),
        weights=_rounded(learned),
        centres=_rounded(centres),
        scales=_rounded(scales),
        position=round(position / place_scale, _DIGITS),
    )
    return judged(scorer, testing)


def _scales(
    training: Sequence[Sequence[_Pair]],
) -> tuple[list[str], list[float], list[float]]:
    """(features that set rows apart, their scales, their centres)."""
    seen: dict[str, int] = {}
    squares: dict[str, list[float]] = {}
    values: dict[str, list[float]] = {}
    rows = 0
    for group in training:
        apart = set()
        for pair in group:
            better, worse = _measured(pair.better), _measured(pair.worse)
            rows += 2
            for name in better.keys() | worse.keys():
                high, low = better.get(name, 0.0), worse.get(name, 0.0)
                values.setdefault(name, []).extend((high, low))
                squares.setdefault(name, []).append((high - low) ** 2)
                if abs(high - low) > 1e-6:
                    apart.add(name)
        for name in apart:
            seen[name] = seen.get(name, 0) + 1
    names = sorted(name for name, number in seen.items() if number >= LEAST_SEEN)
    scales = [math.sqrt(2 * math.fsum(squares[name]) / rows) for name in names]
    usable = [place for place, scale in enumerate(scales) if scale > _SMALL]
    return (
        [names[place] for place in usable],
        [scales[place] for place in usable],
        [math.fsum(values[names[place]]) / rows for place in usable],
    )


def _root_mean_square(numbers: Sequence[float]) -> float:
    return math.sqrt(math.fsum(n * n for n in numbers) / len(numbers))


def _rounded(numbers: Iterable[float]) -> tuple[float, ...]:
    # The last digits of a minimum differ between machines.
    return tuple(round(number, _DIGITS) for number in numbers)


def judged(scorer: Scorer, testing: Sequence[Sequence[_Pair]]) -> Scorer:
    """The scorer with its figures on held-out pairs, and the decision.

    What is compared is what recall would do: the score, and the score times the
    factor. The unit is the question, as its pairs share rows. The test is the
    randomization test on the questions' differences (Smucker, Allan & Carterette,
    CIKM 2007), one-sided, by its normal limit.
    """
    default, mine, gains = [], [], []
    for group in testing:
        right = [0.0, 0.0]
        gain = 0.0
        for pair in group:
            score, against = pair.scores
            rank, other = pair.ranks
            factor, its = scorer.adjust(pair.better), scorer.adjust(pair.worse)
            # Equal scores keep the order they were shown in.
            was = (score, -rank) > (against, -other)
            now = (score * factor, -rank) > (against * its, -other)
            right[0] += was
            right[1] += now
            if now > was:
                gain += min(1.0, rank / other)
            elif was > now:
                gain -= 1.0
        default.append(right[0] / len(group))
        mine.append(right[1] / len(group))
        gains.append(gain / len(group))
    spread = math.sqrt(math.fsum(gain * gain for gain in gains))
    differ = sum(gain != 0 for gain in gains)
    p = math.erfc(math.fsum(gains) / spread / math.sqrt(2)) / 2 if spread else 1.0
    tested = max(1, len(testing))
    held = HeldOut(
        questions=len(testing),
        pairs=sum(map(len, testing)),
        default=round(math.fsum(default) / tested, 4),
        scorer=round(math.fsum(mine) / tested, 4),
        differ=differ,
        p=float(f"{p:.3g}"),
    )
    figures = f"{held.scorer:.3f} against {held.default:.3f}, p {held.p:g}"
    if differ < LEAST_DIFFERENT:
        reason = f"only {differ} held-out questions come out differently, "
        reason += f"of {LEAST_DIFFERENT} needed"
    elif p >= ALPHA:
        reason = f"not better on held-out questions: {figures}, {ALPHA:g} needed"
    else:
        reason = f"better on held-out questions: {figures}"
    passed = differ >= LEAST_DIFFERENT and p < ALPHA
    return scorer._replace(takes_part=passed, reason=reason, held_out=held)
