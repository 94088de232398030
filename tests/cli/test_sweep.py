"""`memcli sweep`: what crashed is mined, and what fails is said."""

from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.sessions import markers
from tests.cli.conftest import Run
from tests.conftest import state_of
from tests.sessions.hooks.calling import ALWAYS, age, session, texts


@pytest.fixture
def crashed(vault: Vault, tmp_path: Path) -> Path:
    """The marker of a session that ended unseen two hours ago."""
    path = session(tmp_path, "s1", ALWAYS)
    markers.begin(vault.root, "s1", "claude-code", path)
    mark = state_of(vault.root, layout.HARNESS) / "session-id-s1.start"
    for one in (mark, path):
        age(one, 7_200)
    return mark


def test_a_sweep_mines_what_crashed_and_says_so(
    memcli: Run, vault: Vault, crashed: Path
) -> None:
    (row,) = memcli("sweep", "--dry-run", "--json").json["data"]["sessions"]
    assert (row["session"], row["outcome"]) == ("s1", "reflected")
    assert crashed.exists()
    assert texts(vault) == []
    assert memcli("sweep", "--still", "180").out.count("live") == 1
    done = memcli("sweep")
    assert done.code == 0
    assert "reflected" in done.out
    assert texts(vault) == [ALWAYS]
    assert memcli("sweep").err == "no session waits\n"


def test_a_sweep_that_fails_exits_with_1_and_says_why(
    memcli: Run, vault: Vault, crashed: Path, tmp_path: Path
) -> None:
    (tmp_path / "s1.jsonl").write_text('{"step": "user_input"}\n')
    crashed.write_text(crashed.read_text().replace("claude-code", "windsurf"))
    for one in (crashed, tmp_path / "s1.jsonl"):
        age(one, 7_200)
    done = memcli("sweep", "--json")
    (row,) = done.json["data"]["sessions"]
    assert (done.code, done.json["ok"], row["outcome"]) == (1, False, "failed")
    assert "no transcript of a known host" in row["why"]
    assert crashed.exists()


def test_an_agent_sweeps_its_own_sessions(
    memcli: Run, vault: Vault, crashed: Path
) -> None:
    asked = ("sweep", "--agent", "ada & co", "--json")
    assert memcli(*asked).json["data"]["sessions"] == []
    crashed.write_text(crashed.read_text("utf-8") + "agent: ada & co\n", "utf-8")
    age(crashed, 7_200)
    assert len(memcli(*asked).json["data"]["sessions"]) == 1
    (row,) = vault.recall("linter").rows
    assert vault.get(row.id).agent == "ada & co"
