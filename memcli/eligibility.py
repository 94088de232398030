"""The one answer to "may this entry be shown?".

Invariant: recall, reflect, hooks and inspect ask `verdict` and nothing else, so
a solved thing stays solved on every path. The function is pure: it sees facts
and a view, and gives the reason when the answer is no.
"""

from typing import NamedTuple

from memcli.entry import Status

DEFAULT_STATUSES = frozenset({Status.ACTIVE})
HISTORY_STATUSES = frozenset({Status.ACTIVE, Status.SUPERSEDED})


class Facts(NamedTuple):
    """What eligibility depends on; times in epoch seconds UTC, 0 = not set.

    `ended` is when a superseded or resolved entry stopped being current.
    """

    status: Status
    created: int
    expires: int = 0
    ended: int = 0


class View(NamedTuple):
    """Who asks, for when.

    `now` is the present in epoch seconds. With `as_of` the question is what was
    current at that moment; statuses are then read back in time.
    """

    now: int
    statuses: frozenset[Status] = DEFAULT_STATUSES
    as_of: int | None = None


def verdict(facts: Facts, view: View) -> str | None:
    """Why an entry is not shown, or None when it is.

    >>> verdict(Facts(Status.RESOLVED, 5), View(now=10))
    'resolved'
    """
    if view.as_of is not None:
        return _verdict_at(facts, view.as_of)
    if facts.status not in view.statuses:
        return str(facts.status)
    if (
        facts.expires
        and facts.expires <= view.now
        and Status.EXPIRED not in view.statuses
    ):
        return "expired"
    return None


def _verdict_at(facts: Facts, moment: int) -> str | None:
    if facts.created > moment:
        return "not written yet"
    if facts.status in (Status.PENDING, Status.REJECTED):
        return str(facts.status)
    # Ended, and nobody wrote down when: it must not come back through --as-of.
    over = facts.ended or facts.status is not Status.ACTIVE
    if over and facts.ended <= moment:
        return str(facts.status)
    if facts.expires and facts.expires <= moment:
        return "expired"
    return None
