"""Which agents a vault knows, how much each may see, and the refusal of what it may not
do.

Invariant: the counts come from the index that answers each agent, so they include
nothing that the agent would not get.
"""

from __future__ import annotations

from collections import Counter

from memcli.entries.eligibility import Action, Agent, alternatives, is_pinned, may
from memcli.errors import NotAllowed, UsageError
from memcli.named_tuple import NamedTuple

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
        wrote = Counter(
            {
                name: len(reader.exact("agent", name))
                for name in reader.starting("agent", "")
            }
        )
        agents = []
        for name in sorted({*configured, *wrote}):
            agent = configured.get(name) or Agent(name)
            seen: set[int] = set()
            for needs in alternatives(agent):
                sets = [set(reader.exact(field, value)) for field, value in needs]
                seen |= set.intersection(*sets)
            agents.append(
                KnownAgent(
                    name,
                    str(agent.policy),
                    list(agent.groups),
                    wrote[name],
                    len(seen),
                    name in configured,
                )
            )
        return agents

    return vault.read(count)


def refuse_unless(vault: Vault, action: Action, entry: Entry) -> None:
    """Refuse what the agent may not do to an entry that it sees.

    Raises:
        NotAllowed: `eligibility.may` says no (code `not_its_agent`).
    """
    if vault.agent is None or may(action, entry, vault.agent):
        return
    whose = f"agent {entry.agent}" if entry.agent else "the owner of the vault"
    raise NotAllowed(
        f"agent {vault.agent.name} may not {action} {entry.id}: it was written by "
        f"{whose}" + (", and is pinned" if is_pinned(entry) else ""),
        hint="That agent and the owner may: docs/agents/visibility.md",
        code="not_its_agent",
    )


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

        no_secrets.refuse_name("--agent", name)
    return name
