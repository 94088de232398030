"""An agent's vault is the vault without what it may not see, for every question."""

import os
from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries.eligibility import Agent, ReadPolicy
from memcli.errors import EntryNotFound, NotAllowed
from memcli.storage import files
from memcli.vault import agents
from memcli.vault import vault as vaults
from memcli.vault.caller import Caller
from memcli.vault.health import inspect
from tests.conftest import VaultMaker
from tests.saving import write


def config(root: str, agent: Agent) -> None:
    groups = ", ".join(f'"{name}"' for name in agent.groups)
    text = f'[agents.{agent.name}]\npolicy = "{agent.policy}"\ngroups = [{groups}]\n'
    Path(root, ".memcli", "config.toml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("stale", [True, False])
def test_a_text_that_only_others_may_see_is_no_duplicate(
    make_vault: VaultMaker, stale: bool
) -> None:
    """Also when the index does not know of it yet."""
    ada, bob = make_vault(agent="ada"), make_vault(agent="bob")
    bob.recall("anything")
    ada.save("the cache is cold", visibility="private")
    if not stale:
        bob.recall("anything")
    assert bob.save("the cache is cold").outcome == "created"


def test_an_agent_shares_with_its_own_groups_only(make_vault: VaultMaker) -> None:
    config(make_vault().root, Agent("ada", ReadPolicy.GROUP, ("red",)))
    ada = make_vault(agent="ada")
    text = {"text": "the cache is cold", "visibility": "group"}
    saved = ada.save(ada.draft(text))
    assert ada.get(saved.id).groups == ("red",)
    for groups in (["blue"], ["blue", "red"]):
        with pytest.raises(NotAllowed, match="not in group 'blue'"):
            ada.save(ada.draft({**text, "text": "another one", "groups": groups}))
        with pytest.raises(NotAllowed, match="not in group 'blue'"):
            ada.evolve(saved.id, visibility="group", groups=groups)
    assert ada.evolve(saved.id, "the cache is warm").id


def test_an_unnamed_mcp_client_is_no_owner_where_there_are_agents(
    make_vault: VaultMaker,
) -> None:
    root = make_vault().root
    client = Caller(via="mcp")
    assert vaults.Vault.open(root, client).agent is None
    config(root, Agent("ada"))
    with pytest.raises(NotAllowed, match="without the name") as refused:
        vaults.Vault.open(root, client)
    assert "MEMCLI_AGENT=NAME" in (refused.value.hint or "")
    assert vaults.Vault.open(root, client._replace(agent="ada")).agent == Agent("ada")


def test_an_agent_hears_neither_names_nor_how_to_ask_as_the_owner(
    make_vault: VaultMaker,
) -> None:
    config(make_vault().root, Agent("ada"))
    eve = make_vault(agent="eve")
    said = agents.unknown(eve) or ""
    assert "'eve'" in said
    assert "ada" not in said
    with pytest.raises(NotAllowed) as refused:
        eve.owner_only("the lint")
    assert "--agent" not in (refused.value.hint or "")


def test_inspect_agents_counts_what_each_wrote_and_sees(make_vault: VaultMaker) -> None:
    from memcli.vault.agents import agents

    ada = make_vault(agent="ada")
    config(ada.root, Agent("bob", ReadPolicy.SHARED))
    ada.save("for all")
    ada.save("for me", visibility="private")
    found = {one.name: one for one in agents(make_vault())}
    assert (found["ada"].policy, found["ada"].wrote, found["ada"].sees) == (
        "isolated",
        2,
        2,
    )
    assert (found["bob"].policy, found["bob"].wrote, found["bob"].sees) == (
        "shared",
        0,
        1,
    )
    assert not found["ada"].configured


def test_a_link_to_what_an_agent_may_not_see_leads_to_nothing(vault: Vault) -> None:
    """The name of a registry file told which entities there are."""
    lines = ["---", "title: Zeppelin", "agent: ada", "visibility: private", "---", ""]
    write(vault, "entities/project/zeppelin.md", "\n".join(lines))
    bob = Vault.open(vault.root, agent="bob")
    text = "See [[Zeppelin]] and [[config.toml]]"
    mine = bob.save(text)
    found = {one.target: one.file for one in inspect.inspect(bob, mine.id).links}
    assert set(found.values()) == {None}
    of_all = inspect.inspect(vault, mine.id).links
    assert "entities/project/zeppelin.md" in [one.file for one in of_all]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_what_a_killed_command_left_is_finished_and_not_told_to_an_agent(
    make_vault: VaultMaker,
) -> None:
    def killed(step: str) -> None:
        if step == "wrote":
            os._exit(9)

    child = os.fork()
    if child == 0:
        files.reached = killed
        owner = make_vault()
        owner.save("the merger is secret")
        os._exit(0)
    os.waitpid(child, 0)
    told: list[str] = []
    bob = make_vault(agent="bob", tell=told.append)
    assert bob.recall("merger").rows == []
    bob.save("hello")
    assert told == []
    assert [row.text for row in make_vault().recall("merger").rows] == [
        "the merger is secret"
    ]


def test_an_agent_s_draft_cannot_take_the_id_of_what_it_does_not_see(
    make_vault: VaultMaker,
) -> None:
    ada, bob = make_vault(agent="ada"), make_vault(agent="bob")
    theirs = ada.save("x", visibility="private").id
    for text in ("mine", "mine too"):
        assert bob.save(bob.draft({"text": text, "id": theirs})).outcome == "created"
    with pytest.raises(EntryNotFound):
        bob.get(theirs)
    assert make_vault().get(theirs).agent == "ada"
