"""The one answer to "may this agent do that to this entry?".

Invariant: evolve, resolve, review, forget and everything that is the owner's alone ask
`may`, whichever door the request came through. The function is pure. An agent may do
nothing to an entry that it may not see: callers answer as for an unknown id.
"""

from enum import StrEnum

from memcli.entries.eligibility import Agent, facts, visible
from memcli.entries.entry import Entry, Subtype


class Action(StrEnum):
    """What can be done to an entry, and `OVERSEE`: what concerns the vault as a whole.

    EVOLVE replaces it by a next version, RESOLVE ends it or brings it back, SHARE
    changes who may see it, PIN puts it into every session, REVIEW decides on a
    candidate. To oversee is to forget, to
    undo, to repair, to decide on entities and ideas, and to see what names many
    entries at once: git's history, the lint, the logs, the ledger of ideas.
    """

    EVOLVE = "evolve"
    RESOLVE = "resolve"
    SHARE = "share"
    PIN = "pin"
    REVIEW = "review"
    OVERSEE = "oversee"


# What an agent may do to the entry of another that it may see.
_TO_OTHERS = frozenset({Action.EVOLVE, Action.RESOLVE})


def may(action: Action, entry: Entry | None, agent: Agent | None) -> bool:
    """Whether an agent may do this; without an agent the vault's owner asks.

    Args:
        action: what is to be done.
        entry: to which entry; None for `OVERSEE`.
        agent: who asks.

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
    return free and visible(facts(entry), agent)


def is_pinned(entry: Entry) -> bool:
    """Whether it goes into every session, or is a model that a person keeps: the words
    of another agent may not take its place."""
    return entry.pinned or entry.subtype is Subtype.PINNED
