"""`memcli sweep`: by hand, for timers, and what it prints for them."""

import json
import os
import plistlib
import shlex
import subprocess
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


def test_units_hold_a_command_that_runs(memcli: Run, vault: Vault) -> None:
    for name, word in (("systemd", "ExecStart="), ("cron", "17 * * * * ")):
        text = memcli("sweep", "--unit", name).out
        (line,) = [one for one in text.splitlines() if one.startswith(word)]
        command = line.removeprefix(word).partition(" >")[0]
        words = shlex.split(command)
        assert words[-1] == "sweep"
        assert os.path.isabs(words[0])
        assert os.access(words[0], os.X_OK)


def test_units_survive_odd_paths(memcli: Run, tmp_path: Path) -> None:
    odd = str(tmp_path / "a & b 100%")
    text = memcli("sweep", "--unit", "launchd", "--vault", odd).out
    data = plistlib.loads(text[text.index("<?xml") :].encode())
    words = shlex.split(data["ProgramArguments"][2])
    assert words[-3:] == ["sweep", "--vault", odd]
    assert "100%%" in memcli("sweep", "--unit", "systemd", "--vault", odd).out
    assert "100\\%" in memcli("sweep", "--unit", "cron", "--vault", odd).out


def test_a_timer_sweeps_the_vault_and_as_the_agent_that_it_was_printed_for(
    memcli: Run, vault: Vault, crashed: Path
) -> None:
    flags = ("--vault", vault.root, "--agent", "ada & co")
    text = memcli("sweep", "--unit", "cron", *flags).out
    line = text.splitlines()[1].partition(" * * * * ")[2].partition(" >")[0]
    nobody = {"MEMCLI_VAULT": "", "MEMCLI_AGENT": ""}
    done = subprocess.run(
        [*shlex.split(line), "--dry-run", "--json"],
        env={**os.environ, **nobody},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # The owner's session is not the agent's.
    assert json.loads(done.stdout)["data"]["sessions"] == []
    crashed.write_text(crashed.read_text("utf-8") + "agent: ada & co\n", "utf-8")
    age(crashed, 7_200)
    done = subprocess.run(
        shlex.split(line),
        env={**os.environ, **nobody},
        check=False,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    (row,) = vault.recall("linter").rows
    assert vault.get(row.id).agent == "ada & co"
