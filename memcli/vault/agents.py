"""Which agents a vault knows, how much each may see, and the refusal of what it may not
do; and how many entries have each tag, kind or project.

Invariant: the counts come from the index that answers who asks, so they include nothing
that this one would not get.
"""

from __future__ import annotations

from memcli.entries.eligibility import (
    Action,
    Agent,
    ReadPolicy,
    View,
    alternatives,
    is_pinned,
    may,
)
from memcli.entries.entry import ResolutionScope, Status, Visibility
from memcli.errors import NotAllowed, UsageError
from memcli.named_tuple import NamedTuple
from memcli.search.documents import EVERYWHERE, UNTAGGED

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memcli.entries.entry import Entry
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault

# Shorter names are no keys, so they are not checked for secrets.
_LONG = 12


class KnownAgent(NamedTuple):
    """One agent: its policy, how many entries it wrote, and how many it may see.

    `configured` is whether the config names it; an agent that only wrote is isolated.
    """

    name: str
    policy: str
    groups: list[str]
    wrote: int
    sees: int
    configured: bool


def agents(vault: Vault) -> list[KnownAgent]:
    """Every agent of the config, and every other agent that has written, by name."""
    vault.owner_only("the list of agents")
    configured = vault.settings.agents

    def count(reader: Reader) -> list[KnownAgent]:
        wrote = {name: len(docs) for name, docs in reader.values("agent").items()}
        agents = []
        for name in sorted({*configured, *wrote}):
            agent = configured.get(name) or Agent(name)
            seen: set[int] = set()
            for needs in alternatives(agent):
                sets = [set(reader.exact(field, value)) for field, value in needs]
                seen |= set.intersection(*sets)
            policy = str(agent.policy), list(agent.groups)
            counts = wrote.get(name, 0), len(seen)
            agents.append(KnownAgent(name, *policy, *counts, name in configured))
        return agents

    return vault.read(count)


def scope_for(agent: Agent | None, entry: Entry) -> ResolutionScope:
    """The entries that resolving one settles, when an agent or the owner does it.

    An agent that sees less than what is shared settles no claim for others.
    """
    if agent is None:
        return ResolutionScope.CLAIM
    shares = agent.policy is ReadPolicy.SHARED or entry.visibility is Visibility.PRIVATE
    return ResolutionScope.AGENT if shares else ResolutionScope.ENTRY


def refuse_unless(vault: Vault, action: Action, entry: Entry) -> None:
    """Refuse what the agent may not do to an entry that it sees.

    Raises:
        NotAllowed: `eligibility.may` says no (code `not_its_agent`), or it is a pinned
            model, or keeps tools from running, which is for a person over MCP as well.
    """
    if vault.caller.is_agent:
        vault.refuse_pinned(entry)
    if vault.caller.via == "mcp" and entry.enforce:
        raise NotAllowed(
            f"{entry.id} keeps tools from running, and only a person changes it",
            hint="Ask the user to do it at a terminal of their own.",
        )
    if vault.agent is None or may(action, entry, vault.agent):
        return
    whose = f"agent {entry.agent}" if entry.agent else "the owner of the vault"
    raise NotAllowed(
        f"agent {vault.agent.name} may not {action} {entry.id}: it was written by "
        f"{whose}" + (", and is pinned" if is_pinned(entry) else ""),
        hint="That agent and the owner may: docs/agents/visibility.md",
        code="not_its_agent",
    )


def signed(vault: Vault, agent: Agent, draft: Entry) -> Entry:
    """The draft with the agent that writes it; it is shared with that agent's groups
    where it names none, and stands in no chain: an agent evolves what it may."""
    if draft.visibility is Visibility.GROUP and not draft.groups:
        draft = draft.replace(groups=agent.groups)
    refuse_other_groups(vault, draft.groups)
    if draft.status is Status.RESOLVED:
        scope, alone = scope_for(agent, draft), ResolutionScope.ENTRY
        scope = alone if draft.resolution_scope is alone else scope
        draft = draft.replace(resolution_scope=scope, resolved_by=agent.name)
    return draft.replace(agent=agent.name, supersedes=None, superseded_by=None)


def unknown(vault: Vault) -> str | None:
    """The warning for an agent of whom nothing is known: to it the vault looks empty.

    It is told no name: who else works here is not for it to know.
    """
    agent = vault.agent
    if agent is None or agent.name in vault.settings.agents:
        return None
    if vault.read(lambda reader: len(reader.exact("agent", agent.name)) > 0):
        return None
    return (
        f"agent '{agent.name}' is not in the vault's config and has written nothing, "
        "so it sees nothing"
    )


def refuse_other_groups(vault: Vault, groups: Iterable[str]) -> None:
    """Refuse to share with groups that the agent is not in.

    Raises:
        NotAllowed: with another group (code `not_its_group`).
    """
    others = sorted(set(groups).difference(vault.agent.groups)) if vault.agent else ()
    if others:
        raise NotAllowed(
            f"agent {vault.agent_name} is not in group '{others[0]}'",
            hint="An agent shares with its own groups: leave --group out.",
            code="not_its_group",
        )


def named_agent(name: str) -> str:
    """The agent that `--agent` names.

    Raises:
        UsageError: the name is blank, which must not stand for the owner.
        SecretFound: it looks like a secret; entries, logs and markers hold names.
    """
    if not name.strip():
        raise UsageError(
            "--agent names no agent",
            hint="Name the agent, or leave --agent out to ask as the owner.",
        )
    if len(name) >= _LONG:
        from memcli.entries import no_secrets

        no_secrets.refuse_texts({"--agent": name}, no_secrets.OF_A_NAME)
    return name


# --- entries by tag, kind and project -----------------------------------------------


class Count(NamedTuple):
    """How many entries with a name are in force, over, and wait for review.

    `name` is None for the entries without one.
    """

    name: str | None
    current: int
    past: int
    waiting: int


def counts(vault: Vault, by: str) -> list[Count]:
    """The tags, kinds or projects of a vault, the one with most entries in force first.

    Of kinds also those without an entry; of projects first what holds everywhere.

    Args:
        vault: whose.
        by: tag, kind or project.
    """
    found = vault.read(lambda reader: _by_field(vault, reader, by))
    if by == "tag":
        return [count for count in found if count.name != UNTAGGED]
    if by == "kind":
        used = {count.name for count in found}
        unused = [name for name in vault.kinds if name not in used]
        return found + [Count(name, 0, 0, 0) for name in unused]
    everywhere = [one._replace(name=None) for one in found if one.name == EVERYWHERE]
    named = [count for count in found if count.name != EVERYWHERE]
    return (everywhere or [Count(None, 0, 0, 0)]) + named


def _by_field(vault: Vault, reader: Reader, field: str) -> list[Count]:
    """The values of a field of the index, each with its entries."""
    view = View(vault.now_ms() // 1000)
    waits = View(view.now, frozenset({Status.PENDING}))
    in_force = {doc for doc in reader.everything() if reader.verdict(doc, view) is None}
    pending = reader.exact("status", str(Status.PENDING))
    in_wait = {doc for doc in pending if reader.verdict(doc, waits) is None}
    counts = []
    for name, docs in reader.values(field).items():
        current = len(in_force.intersection(docs))
        waiting = len(in_wait.intersection(docs))
        counts.append(Count(name, current, len(docs) - current - waiting, waiting))
    return sorted(counts, key=lambda count: (-count.current, count.name or ""))
