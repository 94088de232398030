"""How a reflection item fades: its weight by age, and when it ends.

Invariant: pure. Age counts in days from the last time that the item was seen, so an
item that keeps being seen stays, and any other ends by itself.

The model is logistic, as the reflection pipeline of memory-lancedb-pro has it:
`1 / (1 + exp(k (age - midpoint)))`, times a base weight, times a quality. An item
that was seen several times sums its sightings: each one fades on its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from memcli.entries.entry import Confidence, Entry, Item
from memcli.named_tuple import NamedTuple

DAY = 86_400


class Policy(NamedTuple):
    """How items of one kind fade; `midpoint` and `max_age` in days, `k` per day.

    `fallback` is the factor of an item that rests on a single inference.
    """

    midpoint: float
    k: float
    weight: float
    quality: float
    max_age: float
    fallback: float = 0.75


Policies = Mapping[Item, Policy]

DEFAULTS: Policies = {
    Item.INVARIANT: Policy(45, 0.22, 1.1, 1.0, max_age=45),
    Item.DERIVED: Policy(7, 0.65, 1.0, 0.95, max_age=14),
}
"""The constants of that pipeline, in which invariants live for ever; here they end."""


def times(created: str, seen: Iterable[str]) -> tuple[int, ...]:
    """When an item was seen, epoch seconds, oldest first; () when it has no date."""
    from memcli.entries import dates

    return tuple(sorted(dates.to_epoch(when) for when in (created, *seen) if when))


def ends(entry: Entry, policies: Policies = DEFAULTS) -> int:
    """When an entry stops being shown by itself, epoch seconds; 0 for never.

    That is its `expires_at`, or for a reflection item its maximum age if that is
    earlier.
    """
    from memcli.entries import dates

    explicit = dates.to_epoch(entry.expires_at) if entry.expires_at else 0
    if entry.item is None:
        return explicit
    seen = times(entry.created, entry.seen)
    faded = seen[-1] + round(policies[entry.item].max_age * DAY) if seen else 0
    return min(explicit, faded) if explicit and faded else explicit or faded


def logistic(age: float, policy: Policy) -> float:
    """The share that is left of a sighting after `age` days, 0 to 1.

    >>> round(logistic(7, DEFAULTS[Item.DERIVED]), 3)
    0.5
    """
    # exp overflows above 709; an item of that age weighs nothing.
    exponent = min(policy.k * (max(0.0, age) - policy.midpoint), 700.0)
    return 1 / (1 + math.exp(exponent))


def score(
    entry_item: Item,
    seen: Iterable[int],
    confidence: Confidence | str | None,
    now: int,
    policies: Policies = DEFAULTS,
) -> float:
    """The weight of an item now.

    Args:
        entry_item: which kind of item.
        seen: its sightings, epoch seconds.
        confidence: LOW counts as a fallback.
        now: epoch seconds.
    """
    policy = policies[entry_item]
    base = policy.weight * policy.quality
    if confidence == Confidence.LOW:
        base *= policy.fallback
    return base * sum(logistic((now - at) / DAY, policy) for at in seen)
