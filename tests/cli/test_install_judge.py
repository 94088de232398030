"""`memcli install HOST --judge`: proposed, tried once, written, shown, taken out."""

import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from memcli.hosts import table
from tests.cli.conftest import Run

KEPT = (
    '{"turns": [2], "kind": "preference", "text": "Always run the linter before every '
    'commit.", "why": "standing", "confidence": "HIGH"}'
)
TEAM = '[vaults.team]\npath = "/srv/team" # theirs\n'


@pytest.fixture
def config(home: Path) -> Path:
    path = home / ".config" / "memcli" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(TEAM)
    return path


def program(folder: Path, name: str, code: str) -> dict[str, str]:
    """A host's program in a folder of its own, and the environment that finds it."""
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{code}\n")
    path.chmod(0o755)
    return {"PATH": f"{path.parent}{os.pathsep}{os.defpath}"}


def judge_of(config: Path) -> Any:
    return tomllib.loads(config.read_text()).get("mining", {}).get("judge")


def test_a_judge_is_proposed_tried_once_written_shown_and_taken_out(
    memcli: Run, config: Path, tmp_path: Path
) -> None:
    code = f"import sys\nopen('{tmp_path}/asked', 'a').write(sys.stdin.read())\n"
    environ = program(tmp_path, "claude", f"{code}print('''{KEPT}''')")
    words = list(table.find("claude-code").judge)

    proposed = memcli("install", "claude-code", "--judge", "--dry-run", environ=environ)
    assert "claude -p --model haiku --safe-mode --tools ''" in proposed.out
    assert (config.read_text(), (tmp_path / "asked").exists()) == (TEAM, False)

    done = memcli("install", "claude-code", "--judge", "--json", environ=environ)
    said = done.json["data"]["judge"]
    assert (said["outcome"], said["command"]) == ("written", words)
    assert said["trial"]["said"] == len(KEPT) + 1
    assert config.read_text().startswith(TEAM)
    assert judge_of(config) == words
    assert (tmp_path / "asked").read_text().count("## What was typed") == 1

    again = memcli("install", "claude-code", "--judge", "--json", environ=environ)
    assert again.json["data"]["judge"]["outcome"] == "none"
    assert (tmp_path / "asked").read_text().count("## What was typed") == 1

    status = memcli("install", "--status", "--json", environ=environ).json["data"]
    assert status["judge"] == {"command": words, "path": str(config), "problem": None}
    gone = memcli("install", "--status", environ={"PATH": os.defpath})
    assert (gone.code, "claude is not on the PATH" in gone.out) == (1, True)

    other = memcli("uninstall", "codex", "--judge", environ=environ)
    assert "is not that of codex" in other.out
    assert judge_of(config) == words
    memcli("uninstall", "claude-code", environ=environ)
    assert config.read_text() == TEAM


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("raise SystemExit('Please run /login')", "Please run /login"),
        ("print('Sure! Here is what I found.')", "Sure! Here is what I found."),
        ("print()", ""),
    ],
)
def test_a_judge_that_fails_its_trial_changes_nothing(
    memcli: Run, config: Path, home: Path, tmp_path: Path, code: str, why: str
) -> None:
    environ = program(tmp_path, "codex", code)
    done = memcli("install", "codex", "--judge", "--json", environ=environ)
    assert (done.code, done.json["error"]["code"]) == (1, "judge_failed")
    assert why in (done.json["error"]["hint"] or "")
    assert (config.read_text(), (home / ".codex").exists()) == (TEAM, False)


def test_a_judge_of_ones_own_is_neither_replaced_nor_taken_out(
    memcli: Run, config: Path
) -> None:
    own = f'{TEAM}\n[mining]\njudge = ["llm", "-m", "local"]\n'
    config.write_text(own)
    done = memcli("install", "claude-code", "--judge", "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "usage")
    assert "llm -m local" in done.json["error"]["message"]
    memcli("uninstall", "claude-code")
    assert config.read_text() == own


def test_a_host_without_a_command_names_those_that_have_one(
    memcli: Run, config: Path
) -> None:
    done = memcli("install", "windsurf", "--judge", "--json")
    assert "codex" in done.json["error"]["hint"]
    assert config.read_text() == TEAM


def test_hooks_are_taken_out_although_the_config_cannot_be_read(
    memcli: Run, config: Path, home: Path
) -> None:
    memcli("install", "claude-code")
    config.write_text("[mining\n")
    done = memcli("uninstall", "claude-code", "--json")
    assert done.json["data"]["outcome"] == "removed"
    assert any("the judge stays" in said for said in done.json["warnings"])
