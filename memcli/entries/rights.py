"""The one answer to "may this agent do that to this entry?".

Invariant: evolve, resolve, review, forget and everything that is the owner's alone ask
`may`, whichever door the request came through. The function is pure. An agent may do
nothing to an entry that it may not see: callers answer as for an unknown id.
"""

from __future__ import annotations

from enum import StrEnum

from memcli.entries.eligibility import Agent, Facts, visible
from memcli.entries.entry import Status, Subtype, Visibility

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object


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


class Owned(Protocol):
    """What counts of an entry; its row in the index has it, too."""

    @property
    def agent(self) -> str | None: ...
    @property
    def visibility(self) -> str: ...
    @property
    def groups(self) -> tuple[str, ...]: ...
    @property
    def pinned(self) -> bool: ...
    @property
    def subtype(self) -> str | None: ...
    @property
    def enforce(self) -> str | None: ...


def may(action: Action, entry: Owned | None, agent: Agent | None) -> bool:
    """Whether an agent may do this; without an agent the vault's owner asks.

    Args:
        action: what is to be done.
        entry: to which entry; None for `OVERSEE`.
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
    access = Facts(
        Status.ACTIVE,
        0,
        visibility=Visibility(entry.visibility),
        groups=entry.groups,
    )
    free = action in _TO_OTHERS and not is_pinned(entry)
    return free and visible(access, agent)


def is_pinned(entry: Owned) -> bool:
    """Whether it goes into every session, is a model that a person keeps, or keeps
    tools from running: the words of another agent may not take its place."""
    kept = entry.subtype == Subtype.PINNED or entry.enforce is not None
    return entry.pinned or kept
