"""Training of the scorer: weights from pairs of rows, tested before they count.

Invariant: pure; no disk and no clock. The same pairs, in any order and repeated or not,
give the same scorer to the last byte. Its weights are tested, as they are, on questions
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

from __future__ import annotations

import math

from memcli.named_tuple import NamedTuple
from memcli.recall.scorer import DIGITS, OWN, SMALL, HeldOut, Scorer, finite, measured

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

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


def _side(row: Any) -> dict[str, Any] | None:
    """A row of a pair; None when it is not whole."""
    try:
        if not isinstance(row["id"], str) or row["rank"] < 1:
            return None
        return {
            "id": row["id"],
            "rank": finite(row["rank"]),
            "score": finite(row["score"]),
            "features": {
                str(name): finite(value) for name, value in row["features"].items()
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
    score: float = side["score"] / (side["features"].get(OWN) or 1.0)
    return score


def held_out(question: str) -> bool:
    """Whether the pairs of a question are for the test; all others are for training."""
    import hashlib

    return hashlib.sha256(question.encode()).digest()[0] % _HELD_OUT == 0


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
            better, worse = measured(pair.better), measured(pair.worse)
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
        position=round(position / place_scale, DIGITS),
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
            better, worse = measured(pair.better), measured(pair.worse)
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
    usable = [place for place, scale in enumerate(scales) if scale > SMALL]
    return (
        [names[place] for place in usable],
        [scales[place] for place in usable],
        [math.fsum(values[names[place]]) / rows for place in usable],
    )


def _root_mean_square(numbers: Sequence[float]) -> float:
    return math.sqrt(math.fsum(n * n for n in numbers) / len(numbers))


def _rounded(numbers: Iterable[float]) -> tuple[float, ...]:
    # The last digits of a minimum differ between machines.
    return tuple(round(number, DIGITS) for number in numbers)


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
