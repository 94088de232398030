"""`memcli install HOST --judge`: proposed, written, shown, taken out."""

import importlib.util
import tomllib
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.cli import commands
from memcli.cli.context import Result
from memcli.hosts import table
from tests.cli.conftest import Outcome, Run
from tests.cli.test_reflect_session import Screen
from tests.contexts import at_terminal
from tests.saving import configure

TEAM = '[vaults.team]\npath = "/srv/team" # theirs\n'


@pytest.fixture
def config(home: Path) -> Path:
    return configure(home, TEAM)


def judge_in(done: Outcome | Result) -> dict[str, Any]:
    """The step of the judge."""
    data = done.data if isinstance(done, Result) else done.json["data"]
    (step,) = (each for each in data["items"] if "judge" in each["what"])
    found: dict[str, Any] = step
    return found


def judge_of(config: Path) -> Any:
    return tomllib.loads(config.read_text()).get("mining", {}).get("judge")


def test_a_judge_is_proposed_written_shown_and_taken_out(
    memcli: Run, config: Path
) -> None:
    words = list(table.find("claude-code").judge)
    proposed = memcli("install", "claude-code", "--judge", "--dry-run")
    assert "claude -p --model haiku --safe-mode --tools ''" in proposed.out
    assert config.read_text() == TEAM
    done = memcli("install", "claude-code", "--judge", "--json")
    assert judge_in(done)["outcome"] == "installed"
    assert config.read_text().startswith(TEAM)
    assert judge_of(config) == words
    again = memcli("install", "claude-code", "--judge", "--json")
    assert judge_in(again)["outcome"] == "unchanged"
    memcli("uninstall", "codex")
    assert judge_of(config) == words
    memcli("uninstall", "claude-code")
    assert config.read_text() == TEAM


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


def test_no_judge_is_noted_and_asks_no_more(memcli: Run, config: Path) -> None:
    planned = memcli("install", "claude-code", "--no-judge", "--dry-run")
    assert "would note no judge in" in planned.out
    assert config.read_text() == TEAM
    done = memcli("install", "claude-code", "--no-judge", "--json")
    assert judge_in(done)["outcome"] == "noted"
    assert judge_of(config) == []


class Asked:
    """`memcli install` at a terminal, where a person answers so."""

    def __init__(self, vault: Vault, config: Path, answers: list[str | None]) -> None:
        self.answers, self.heard, self.vault = answers, list[str](), vault
        self.environ = {"HOME": str(config.parents[2])}

    def install(self, host: str, **values: Any) -> Result:
        context = at_terminal(self.vault, ask=self._answer, tell=self.heard.append)
        context = context._replace(environ={**context.environ, **self.environ})
        context = context._replace(vault=None)
        return commands.load("install")(context, host=host, **values)

    def sees(self, host: str, **values: Any) -> str:
        """What stands on the screen in the end."""
        screen = Screen()
        self.install(host, **values).text(screen)
        return "\n".join(screen.lines)

    def _answer(self, question: str) -> str | None:
        self.heard.append(question)
        return self.answers.pop(0)


def test_a_person_is_asked_once_and_told_the_cost_and_the_command(
    vault: Vault, config: Path
) -> None:
    person = Asked(vault, config, ["y"])
    result = person.install("claude-code")
    said = "\n".join(person.heard)
    assert "claude -p --model haiku" in said
    assert "roughly 1,500 tokens for a median session" in said
    assert said.index("tokens") < said.index("May it? [y/N]")
    assert judge_of(config) == list(table.find("claude-code").judge)
    assert judge_in(result)["outcome"] == "installed"
    person.install("claude-code")
    person.install("codex")
    assert person.answers == []


def test_who_installs_hooks_is_told_once_of_the_skills(
    vault: Vault, config: Path, home: Path
) -> None:
    config.write_text("[mining]\njudge = []\n")
    person = Asked(vault, config, [])
    how = "memcli install claude-code --skills"
    assert how in person.sees("claude-code")
    assert how not in person.sees("claude-code")
    person.install("claude-code", skills=True)
    assert (home / ".claude" / "skills" / "recap" / "SKILL.md").is_file()
    assert person.heard == []


def test_without_the_sdk_no_mcp_server_is_named_and_the_hooks_are_installed(
    memcli: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    done = memcli("install", "claude-code", "--mcp", "--json").json["data"]["items"]
    outcomes = {each["what"]: each["outcome"] for each in done}
    assert outcomes == {"hooks": "installed", "MCP server": "failed"}
    assert "memcli[mcp]" in done[1]["why"]
    assert not (home / ".claude.json").exists()


def test_a_no_is_remembered_and_no_answer_is_none(vault: Vault, config: Path) -> None:
    person = Asked(vault, config, [None, ""])
    assert "(--judge, --no-judge)" in person.sees("claude-code")
    assert config.read_text() == TEAM
    person.install("codex")
    assert judge_of(config) == []
    person.install("gemini")
    assert person.answers == []


def test_hooks_are_taken_out_although_the_config_cannot_be_read(
    memcli: Run, config: Path, home: Path
) -> None:
    memcli("install", "claude-code")
    config.write_text("[mining\n")
    done = memcli("uninstall", "claude-code", "--json")
    assert done.json["data"]["items"][0]["outcome"] == "removed"
    assert any("the judge stays" in said for said in done.json["warnings"])
