"""The scorer: what feedback has taught about the order of rows, as one small factor.

Invariant: pure; no disk and no clock. Its factor lies within 0.9 and 1.1. A feature
that it does not know counts zero. How it is trained and tested: `scorer_training`.
"""

from __future__ import annotations

import math
import sys

from memcli.named_tuple import NamedTuple
from memcli.search.ranking.boosts import REACH

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SCHEMA = 1

# Parts of a score that multiply; all others add up.
_FACTORS = frozenset(
    """
    entity question answer reply superseded recency temporal elsewhere held_back
    """.split()
)
OWN = "scorer"
DIGITS = 6
# Numbers of a scorer lie within these, so that no sum of them overflows.
SMALL, _LARGE = 10**-DIGITS, 10**DIGITS
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
        seen = measured(features)
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


def measured(features: Mapping[str, float]) -> dict[str, float]:
    """Features that compare across questions, whose scores do not.

    A piece that adds up is its share of the score, a factor what it adds to 1, a mark
    (`writer:hook`) itself.
    """
    whole = math.fsum(
        value
        for name, value in features.items()
        if name not in _FACTORS and name != OWN and ":" not in name
    )
    seen = {}
    for name, value in features.items():
        if name in _FACTORS:
            seen[name] = value - 1
        elif ":" in name:
            seen[name] = value
        elif name != OWN and whole:
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
            fields["held_out"] = HeldOut(*(finite(held[n]) for n in HeldOut._fields))
        for name in ("weights", "centres", "scales"):
            fields[name] = tuple(finite(number) for number in fields[name])
        fields["features"] = tuple(fields["features"])
        fields["position"] = finite(fields["position"])
        scorer = Scorer(**fields)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("not a scorer") from error
    numbers = (*scorer.weights, *scorer.centres, *scorer.scales)
    lengths = {len(scorer.weights), len(scorer.centres), len(scorer.scales)}
    fits = (
        lengths == {len(scorer.features)}
        and len(scorer.features) <= _MOST_FEATURES
        and all(isinstance(name, str) for name in scorer.features)
        and all(scale >= SMALL for scale in scorer.scales)
        and all(abs(number) <= _LARGE for number in numbers)
        and isinstance(scorer.takes_part, bool)
        and isinstance(scorer.reason, str)
        and all(isinstance(number, int) for number in (scorer.pairs, scorer.questions))
    )
    if not fits:
        raise ValueError("its parts do not fit together")
    return scorer


def finite(value: Any) -> Any:
    """The value as a finite number; None when it is not one.

    Raises:
        TypeError: it is no number.
        ValueError: it is larger than any float.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(value)
    # An integer may be too large for a float: JSON knows no limit.
    if not abs(value) <= sys.float_info.max:
        raise ValueError("a number that is not finite")
    return value
