"""Whose session it is: what an agent's session brings and teaches is that agent's."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.sessions import markers, recovery
from memcli.sessions.hooks import glance
from tests.conftest import VaultMaker, state_of
from tests.sessions.hooks.calling import ALWAYS, NEVER, age, call, session

PROMPT = "When do we deploy the billing service on staging?"


@pytest.fixture
def told(live: Vault, make_vault: VaultMaker) -> Vault:
    """A vault with a rule of ada's and one of bob's."""
    for name in ("ada", "bob"):
        theirs = make_vault(agent=name, now_ms=None)
        text = f"We deploy the billing service on staging when {name} says so"
        theirs.save(theirs.draft({"text": text, "kind": "convention", "pinned": True}))
    return live


@pytest.mark.parametrize("by", ["--agent", "MEMCLI_AGENT"])
@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("session-start", {"session_id": "s1", "source": "startup"}),
        ("prompt-submit", {"session_id": "s1", "prompt": PROMPT}),
    ],
)
@pytest.mark.usefixtures("started")
def test_a_hook_tells_an_agent_what_it_may_see(
    told: Vault,
    event: str,
    payload: dict[str, Any],
    by: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    flags = ["--agent", "ada"] if by == "--agent" else []
    monkeypatch.setenv("MEMCLI_AGENT", "" if flags else "ada")
    done = call(told, event, "claude-code", payload, *flags)
    assert "error" not in done.line
    assert "when ada says so" in done.answer
    assert "bob" not in done.answer
    (marker,) = markers.markers(told.root)
    assert marker.agent == "ada"


def test_a_hook_whose_agent_has_no_name_tells_nothing(told: Vault) -> None:
    payload = {"session_id": "s1", "prompt": PROMPT}
    done = call(told, "prompt-submit", "claude-code", payload, "--agent", "")
    assert done.answer == ""
    assert "--agent names no agent" in done.line["error"]


def test_the_process_that_a_hook_starts_is_its_agent_s(
    live: Vault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[str | None] = []
    monkeypatch.setattr(
        subprocess,
        "Popen",
        lambda *_, **options: seen.append(
            (options.get("env") or os.environ).get("MEMCLI_AGENT")
        ),
    )
    path = session(tmp_path, "s1", ALWAYS)
    payload = {"session_id": "s1", "transcript_path": path}
    call(live, "stop", "claude-code", payload, "--agent", "ada")
    assert seen == ["ada"]


def crashed(
    vault: Vault, folder: Path, name: str, agent: str | None, rule: str
) -> None:
    """A session that taught a rule and gave no sign for two hours."""
    path = session(folder, name, rule)
    markers.begin(vault.root, name, "claude-code", path, agent=agent)
    age(state_of(vault.root, layout.HARNESS) / f"session-id-{name}.start", 7_200)
    age(path, 7_200)


def test_what_a_session_teaches_is_its_agents_also_when_another_mines_it(
    live: Vault, tmp_path: Path
) -> None:
    crashed(live, tmp_path, "s1", "ada", ALWAYS)
    crashed(live, tmp_path, "s2", None, NEVER)
    # Said again by another agent, it stays whose it was.
    markers.begin(live.root, "s1", "claude-code", None, agent="bob")
    age((state_of(live.root, layout.HARNESS) / "session-id-s1.start"), 7_200)
    done = recovery.sweep(live)
    assert done == {"s1": "reflected", "s2": "reflected"}
    rows = live.recall("linter committing deploy billing Friday").rows
    assert {row.text: live.get(row.id).agent for row in rows} == {
        ALWAYS: "ada",
        NEVER: None,
    }


def test_an_agent_sweeps_its_own_sessions_and_hears_of_no_other(
    live: Vault, make_vault: VaultMaker, tmp_path: Path
) -> None:
    for name, agent in (("s1", "ada"), ("s2", "bob"), ("s3", None)):
        crashed(live, tmp_path, name, agent, ALWAYS)
    ada = make_vault(agent="ada", now_ms=None)
    assert recovery.sweep(ada) == {"s1": "reflected"}
    states = {one.session: one.state for one in markers.markers(live.root)}
    assert states == {"s1": markers.REFLECTED, "s2": markers.START, "s3": markers.START}


@pytest.mark.usefixtures("started")
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--agen", "beta"], "no such flag: --agen"),
        (["--agent"], "--agent has no value"),
        (["--vault="], "--vault has no value"),
        (["-v", ""], "--vault has no value"),
        (["-x"], "no such flag: -x"),
        (["beta"], "one word too many: beta"),
        (["--close=yes"], "no such flag: --close=yes"),
    ],
)
def test_a_hook_that_is_not_understood_says_nothing_and_notes_it(
    told: Vault, words: list[str], why: str
) -> None:
    payload = {"session_id": "s1", "source": "startup"}
    done = call(told, "session-start", "claude-code", payload, *words)
    assert (done.answer, done.line["error"]) == ("", why)
    tool = {"tool_name": "Edit", "tool_input": {"file_path": "/w/a", "new_string": "x"}}
    given = ["pre-tool", "--host", "claude-code", "--vault", told.root, *words]
    assert glance.look(given, tool, os.environ), "the call notes it"


@pytest.mark.parametrize("first", ["bob", ""])
def test_no_agent_takes_the_session_of_another_or_of_the_owner(
    live: Vault,
    tmp_path: Path,
    started: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    first: str,
) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    monkeypatch.setenv("MEMCLI_AGENT", first)
    given = {"session_id": "s1", "transcript_path": path}
    call(live, "session-start", "claude-code", given)
    started.clear()
    monkeypatch.setenv("MEMCLI_AGENT", "ada")
    for event in ("stop", "session-end", "pre-compact"):
        done = call(live, event, "claude-code", {"session_id": "s1"})
        assert done.line["did"] == "nothing: the session is another agent's"
    assert started == []
    (marker,) = markers.markers(live.root)
    assert (marker.agent, marker.transcript) == (first or None, path)
