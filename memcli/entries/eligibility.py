"""The one answer to "may this entry be shown?", and to "may this agent do that to it?".

Invariant: recall, reflect, hooks and inspect ask `verdict` and nothing else, so a
resolved entry stays hidden on every path, and so does every other entry that makes its
claim, wherever that came from. Evolve, resolve, review, forget and everything that is
the owner's alone ask `may`, whichever door the request came through; callers answer as
for an unknown id where an agent may not see an entry. Both are pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from enum import StrEnum

from memcli.entries.entry import (
    Confidence,
    Entry,
    Item,
    ResolutionScope,
    Status,
    Subtype,
    Visibility,
)
from memcli.entries.ids import holds, is_adopted, number
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

DEFAULT_STATUSES = frozenset({Status.ACTIVE})
HISTORY_STATUSES = frozenset({Status.ACTIVE, Status.SUPERSEDED})
ELSEWHERE = "holds in another project"
_ALONE, _BY_AGENT = ResolutionScope.ENTRY, ResolutionScope.AGENT


DAY = 86_400


class Policy(NamedTuple):
    """How items of one kind fade; `midpoint` and `max_age` in days, `k` per day.

    What is left of a sighting is `1 / (1 + exp(k (age - midpoint)))`, times a base
    weight, times a quality; an item that was seen several times sums its sightings.
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
"""The constants of the pipeline that memcli follows in this, where invariants live for
ever; here they end."""


class Resolve(NamedTuple):
    """A resolved entry, as far as other entries of its claim go.

    `at` is when, in epoch seconds, 0 when it does not say. `agent` is the agent whose
    private entry it is: what one agent settled for itself hides no other's memory.
    `project` is the number of the project in which it holds: the same words about
    another project are another claim. `by` is the agent that resolved it, which ends
    nothing that it may not resolve; None for a person.
    """

    id: str
    at: int = 0
    agent: str | None = None
    project: int = 0
    by: str | None = None

    def counts_for(self, asking: str | None, entry: Facts) -> bool:
        """Whether it settles an entry, for the agent that asks."""
        elsewhere = self.project and entry.project and self.project != entry.project
        if elsewhere or self.agent not in (None, asking, entry.agent):
            return False
        is_open = entry.visibility is Visibility.SHARED or entry.agent == self.by
        return self.by is None or (is_open and not entry.kept)


class Facts(NamedTuple):
    """The facts that eligibility depends on; times in epoch seconds, 0 for not set.

    `expires` is the earlier of the entry's explicit end and its maximum age
    (`ends`); `ended` is when a superseded or resolved entry stopped being
    current. `agent`, `visibility` and `groups` say which agents may see it. `project`
    is the number of the project in which it holds, 0 for everywhere. `conflict` says
    that git's marks of a conflict stand in its text: nobody has said which side holds.
    `kept` is `is_pinned`. `resolves` are the resolved entries of the same claim, the
    earliest first.
    """

    status: Status
    created: int
    expires: int = 0
    ended: int = 0
    agent: str | None = None
    visibility: Visibility = Visibility.SHARED
    groups: tuple[str, ...] = ()
    project: int = 0
    conflict: bool = False
    kept: bool = False
    resolves: tuple[Resolve, ...] = ()


class ReadPolicy(StrEnum):
    """The entries of others that an agent may read: none, entries shared with all,
    or entries shared with one of its groups."""

    ISOLATED = "isolated"
    SHARED = "shared"
    GROUP = "group"


class Agent(NamedTuple):
    """An agent that asks; one that the vault's config does not name is isolated."""

    name: str
    policy: ReadPolicy = ReadPolicy.ISOLATED
    groups: tuple[str, ...] = ()


class View(NamedTuple):
    """Who asks, and for which moment.

    `now` is the present in epoch seconds. `as_of` asks what was current at that moment;
    statuses are then those of that time. Without an agent the vault's owner asks, and
    sees everything. `here` is the number of a project (`projects.number`): only what
    holds there is shown then; 0 shows what holds everywhere, None shows all.
    """

    now: int
    statuses: frozenset[Status] = DEFAULT_STATUSES
    as_of: int | None = None
    agent: Agent | None = None
    here: int | None = None


def verdict(facts: Facts, view: View) -> str | None:
    """Why an entry is not shown, or None when it is.

    >>> verdict(Facts(Status.RESOLVED, 5), View(now=10))
    'resolved'
    """
    if view.agent is not None and not visible(facts, view.agent):
        return f"not visible to {view.agent.name}"
    if view.here is not None and not holds(facts.project, view.here):
        return ELSEWHERE
    if facts.conflict:
        return "a merge conflict stands in it"
    if view.as_of is not None:
        return _verdict_at(facts, view)
    status = standing(facts, view)
    # Nor does a version of the claim come back with the history.
    claim = None if Status.RESOLVED in view.statuses else _of_claim(facts, view)
    if status in view.statuses or (claim and status is Status.RESOLVED):
        return claim
    return str(status)


def settled_by(facts: Facts, view: View) -> Resolve | None:
    """The resolved entry whose claim another entry makes, for this view; or None.

    A private one counts for its agent, and for what that agent wrote.
    """
    if facts.status is Status.RESOLVED:
        return None
    asking = view.agent.name if view.agent else None
    for resolve in facts.resolves:
        later = view.as_of is not None and resolve.at > view.as_of
        if not later and resolve.counts_for(asking, facts):
            return resolve
    return None


def standing(facts: Facts, view: View) -> Status:
    """The status that an entry counts as.

    It is expired once it has outlived its end, and resolved when its claim is. Only
    what is active ends so: what a person decided stays what it is.

    >>> standing(Facts(Status.ACTIVE, 5, expires=7), View(now=10))
    <Status.EXPIRED: 'expired'>
    """
    if facts.status is not Status.ACTIVE:
        return facts.status
    if settled_by(facts, view):
        return Status.RESOLVED
    return Status.EXPIRED if 0 < facts.expires <= view.now else Status.ACTIVE


def _of_claim(facts: Facts, view: View) -> str | None:
    """By what the claim of an entry is resolved; None when it is not."""
    resolve = settled_by(facts, view)
    return f"its claim is resolved by {resolve.id}" if resolve else None


def visible(entry: Any, agent: Agent) -> bool:
    """Whether an agent may know that an entry, its row or its facts exist."""
    if entry.agent == agent.name:
        return True
    if agent.policy is ReadPolicy.GROUP:
        is_shared = not set(agent.groups).isdisjoint(entry.groups)
        return is_shared and bool(entry.visibility == Visibility.GROUP)
    is_open = entry.visibility == Visibility.SHARED
    return agent.policy is ReadPolicy.SHARED and is_open


def alternatives(agent: Agent) -> tuple[tuple[tuple[str, str], ...], ...]:
    """The entries that an agent may see, for an index: with all (field, value) pairs of
    any of these rows.

    A test proves that `verdict` gives the same answer for every entry.
    """
    own = (("agent", agent.name),)
    if agent.policy is ReadPolicy.SHARED:
        return own, (("visibility", str(Visibility.SHARED)),)
    if agent.policy is ReadPolicy.GROUP:
        group = ("visibility", str(Visibility.GROUP))
        return own, *((group, ("group", name)) for name in agent.groups)
    return (own,)


def _verdict_at(facts: Facts, view: View) -> str | None:
    moment = view.as_of or 0
    if facts.created > moment:
        return "not written yet"
    if facts.status in (Status.PENDING, Status.REJECTED):
        return str(facts.status)
    # Ended without a date: it must not come back through --as-of.
    over = facts.ended or facts.status is not Status.ACTIVE
    if over and facts.ended <= moment:
        return str(facts.status)
    is_over = facts.expires and facts.expires <= moment
    return _of_claim(facts, view) or ("expired" if is_over else None)


def facts(
    entry: Entry, policies: Policies = DEFAULTS, resolves: tuple[Resolve, ...] = ()
) -> Facts:
    """The facts of an entry; `resolves` are those of its claim in other entries."""
    from memcli.entries import dates
    from memcli.entries.text import differences

    ended = 0
    if entry.status is Status.RESOLVED:
        ended = dates.to_epoch(entry.resolved_at or entry.updated)
    elif entry.status in (Status.SUPERSEDED, Status.EXPIRED):
        ended = dates.to_epoch(entry.updated)
    return Facts(
        status=entry.status,
        created=dates.to_epoch(entry.created),
        expires=ends(entry, policies),
        ended=ended,
        agent=entry.agent,
        visibility=entry.visibility,
        groups=entry.groups,
        project=number(entry.project),
        conflict=differences.begins(entry.body) >= 0,
        kept=is_pinned(entry),
        resolves=resolves,
    )


def resolve_of(entry: Any, ended: int = 0) -> Resolve | None:
    """The effect of an entry, or its row, that is resolved since `ended` (epoch
    seconds) on others of its claim; None without one."""
    if entry.status != Status.RESOLVED or entry.resolution_scope == _ALONE:
        return None
    agent = entry.agent if entry.visibility == Visibility.PRIVATE else None
    by = entry.resolved_by or "" if entry.resolution_scope == _BY_AGENT else None
    return Resolve(entry.id, ended, agent, number(entry.project), by)


# --- rights -----------------------------------------------------------------------


class Action(StrEnum):
    """The actions on an entry, and `OVERSEE`: what concerns the vault as a whole.

    EVOLVE replaces it by a next version, RESOLVE ends it or brings it back, SHARE
    changes who may see it, PIN puts it into every session, REVIEW decides on a
    candidate. To oversee is to forget, to
    undo, to repair, to decide on entities, and to see what names many entries at once:
    git's history, the lint, the logs.
    """

    EVOLVE = "evolve"
    RESOLVE = "resolve"
    SHARE = "share"
    PIN = "pin"
    REVIEW = "review"
    OVERSEE = "oversee"


# What an agent may do to the entry of another that it may see.
_TO_OTHERS = frozenset({Action.EVOLVE, Action.RESOLVE})


def may(action: Action, entry: Any, agent: Agent | None) -> bool:
    """Whether an agent may do this; without an agent the vault's owner asks.

    Args:
        action: what is to be done.
        entry: to which entry, or its row in the index; None for `OVERSEE`.
        agent: who asks.

    >>> from memcli.entries.entry import Entry
    >>> may(Action.REVIEW, Entry("1m7x", agent="ada"), Agent("ada"))
    True
    """
    if agent is None:
        return True
    if action is Action.OVERSEE or entry is None:
        return False
    if entry.agent == agent.name:
        return True
    free = action in _TO_OTHERS and not is_pinned(entry)
    return free and visible(entry, agent)


def is_pinned(entry: Any) -> bool:
    """Whether it goes into every session, is a model that a person keeps, or keeps
    tools from running: the words of another agent may not take its place."""
    kept = entry.subtype == Subtype.PINNED or entry.enforce is not None
    return bool(entry.pinned or kept)


# --- how items of a reflection fade ---------------------------------------------------


def times(created: str, seen: Iterable[str]) -> tuple[int, ...]:
    """When an item was seen, epoch seconds, oldest first; () when it has no date."""
    from memcli.entries import dates

    return tuple(sorted(dates.to_epoch(when) for when in (created, *seen) if when))


def ends(entry: Entry, policies: Policies = DEFAULTS) -> int:
    """When an entry stops being shown by itself, epoch seconds; 0 for never.

    That is its `expires_at`, or for a reflection item its maximum age if that is
    earlier. An end that cannot be read is over, but in a note of another program.
    """
    from memcli.entries import dates

    explicit = dates.to_epoch(entry.expires_at)
    unread = any(name == "expires_at" for name, _ in entry.extra)
    if unread and not explicit and not is_adopted(entry.id):
        return 1
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
