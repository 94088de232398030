"""What one agent mined, was told and did says nothing to another."""

from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.errors import NotAllowed
from memcli.sessions import markers, recovery, reflect_session
from memcli.sessions.bringing import Reflected
from memcli.vault import session_records
from tests.conftest import VaultMaker
from tests.sessions.hooks.calling import ALWAYS, NEVER, call, session

IDEA = "Maybe later we should cache the index in Redis."


def actions(done: Reflected) -> list[str]:
    return [fate.action for fate in done.fates]


def test_a_session_that_another_agent_mined_is_new_to_an_agent(
    vault: Vault, make_vault: VaultMaker, tmp_path: Path
) -> None:
    path = session(tmp_path, "s1", ALWAYS, IDEA)
    ada, bob = make_vault(agent="ada"), make_vault(agent="bob")
    first = ada.mine(path)
    before = session_records.get(vault.root, "claude-code", "s1", "ada")
    second = bob.mine(path)
    assert actions(first) == actions(second) == ["saved", "idea"]
    # Each has a record of its own; the owner's view has what both found.
    assert session_records.get(vault.root, "claude-code", "s1", "ada") == before
    found = reflect_session.of_session(vault, "s1")["candidates"]
    ids = {fate.id for done in (first, second) for fate in done.fates if fate.id}
    assert {candidate["id"] for candidate in found} >= ids
    assert len(ids) == 4
    assert reflect_session.mining(vault)["sessions"]["mined"] == 1


@pytest.mark.parametrize("owner", [None, "ada"])
def test_no_command_mines_a_session_in_which_a_hook_of_another_ran_first(
    owner: str | None, make_vault: VaultMaker, tmp_path: Path
) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    mine = make_vault(agent=owner)
    markers.begin(mine.root, "s1", "claude-code", path, owner)
    for other in {None, "ada", "bob"} - {owner}:
        theirs = make_vault(agent=other)
        with pytest.raises(NotAllowed, match="another agent's"):
            theirs.mine(path)
        (passed,) = reflect_session.reflect_all(theirs, [("claude-code", path)])
        assert (passed["outcome"], passed["error"]) == ("unchanged", None)
    assert actions(mine.mine(path)) == ["saved"]


def test_what_the_owner_forgot_of_an_agent_s_session_stays_forgotten(
    vault: Vault, make_vault: VaultMaker, tmp_path: Path
) -> None:
    path = session(tmp_path, "s1", ALWAYS, NEVER)
    done = make_vault(agent="ada").mine(path)
    vault.forget(done.fates[0].id or "")
    for asker in (vault, make_vault(agent="ada")):
        again = asker.mine(path)
        assert actions(again) == ["forgotten", "duplicate"]


def test_inspect_sessions_tells_an_agent_of_its_own_sessions_and_calls(
    live: Vault,
    make_vault: VaultMaker,
    started: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from memcli.sessions.hooks import call as hook

    for name, agent in (("s1", "ada"), ("s2", "bob"), ("s3", "")):
        monkeypatch.setenv("MEMCLI_AGENT", agent)
        payload = {"session_id": name, "source": "startup"}
        one = call(live, "session-start", "claude-code", payload)
        hook.note(one)
    seen: dict[str | None, Any] = {}
    for asker in ("ada", "bob", None):
        vault = make_vault(agent=asker, now_ms=None)
        seen[asker] = recovery.activity(vault, 20)
    assert [one["session"] for one in seen["ada"]["sessions"]] == ["s1"]
    assert [line["session"] for line in seen["bob"]["calls"]] == ["s2"]
    assert len(seen[None]["sessions"]) == len(seen[None]["calls"]) == 3
    # The hourly sweep of one agent is not that of the others.
    assert [flags for flags in started if flags == ["--sweep"]] == [["--sweep"]] * 3


def test_what_one_agent_was_told_is_told_to_another_in_a_session_of_that_name(
    vault: Vault,
) -> None:
    def told(agent: str) -> set[str]:
        return markers.noted(vault.root, "s1", markers.TOLD, agent)

    markers.note(vault.root, "s1", markers.TOLD, ["1m7x"], "ada")
    assert (told("ada"), told("bob")) == ({"1m7x"}, set())
    markers.forget(vault.root, "s1", "bob")
    assert told("ada") == {"1m7x"}
    markers.forget(vault.root, "s1", "ada")
    assert told("ada") == set()
