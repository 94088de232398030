"""What memcli has put into hosts goes out again, and nothing of another's goes."""

import json
from pathlib import Path
from typing import Any

import pytest

from memcli.hosts import skills
from memcli.hosts.install.step import apply
from tests.cli.conftest import Outcome, Run
from tests.saving import write


@pytest.fixture
def places(home: Path, memcli: Run) -> dict[str, Path]:
    """Hooks at both scopes of two hosts, and the skills of one."""
    (home / "code" / ".git").mkdir(parents=True)
    memcli("install", "claude-code", "--scope", "project", cwd=home / "code")
    memcli("install", "claude-code")
    memcli("install", "gemini")
    memcli("install", "claude-code", "--skills")
    folder = home / ".claude" / "skills"
    return {"folder": folder, "settings": home / ".gemini" / "settings.json"}


def items(done: Outcome) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = done.json["data"]["items"]
    return found


def outcomes(done: Outcome) -> list[tuple[str, str, str]]:
    return [(one["what"], one["host"], one["outcome"]) for one in items(done)]


def test_all_of_memcli_goes_and_what_is_not_its_own_stays(
    home: Path, memcli: Run
) -> None:
    settings = write(home, ".gemini/settings.json", '{"theme": "dark"}\n')
    (home / "code" / ".git").mkdir(parents=True)
    code = home / "code"
    memcli("install", "claude-code", "--scope", "project", cwd=code)
    for host in ("claude-code", "gemini"):
        assert memcli("install", host, "--mcp").code == 0
    memcli("install", "claude-code", "--skills")
    folder = home / ".claude" / "skills"
    mine = folder / "recap" / "SKILL.md"
    mine.write_text("mine")
    (folder / "prep" / "notes.md").write_text("mine, beside a skill")
    words = ("uninstall", "--all", "--json")
    plan = memcli(*words, "--dry-run", cwd=code)
    assert (folder / "reflect").exists()
    done = memcli(*words, cwd=code)
    assert outcomes(plan) == outcomes(done)
    assert set(outcomes(done)) >= {
        ("hooks", "claude-code", "removed"),
        ("hooks", "gemini", "removed"),
        ("MCP server", "claude-code", "removed"),
        ("MCP server", "gemini", "removed"),
        ("skill reflect", "", "removed"),
        ("skill recap", "", "kept"),
    }
    assert sum(one["what"] == "hooks" for one in items(done)) == 3
    assert done.code == 1
    assert settings.read_text() == '{"theme": "dark"}\n'
    assert list(settings.parent.iterdir()) == [settings]
    assert not (home / ".claude.json").exists()
    left = sorted(p.name for p in folder.rglob("*") if p.is_file())
    assert left == ["SKILL.md", "notes.md"]
    assert not (code / ".claude" / "settings.json").exists()
    mine.unlink()
    again = memcli(*words, cwd=code)
    assert (again.code, items(again)) == (0, [])


def test_every_host_of_the_machine_gets_hooks_and_skills_and_all_of_it_goes_again(
    home: Path, memcli: Run
) -> None:
    for name in (".claude", ".codex", ".gemini"):
        (home / name).mkdir()
    seen = memcli("install", "--all", "--dry-run", "--json")
    assert list((home / ".claude").iterdir()) == []
    done = memcli("install", "--all", "--json")
    assert outcomes(seen) == outcomes(done)
    hooks = [step for step in outcomes(done) if step[0] == "hooks"]
    assert hooks == [
        ("hooks", "claude-code", "installed"),
        ("hooks", "codex", "installed"),
        ("hooks", "gemini", "installed"),
    ]
    skilled = {step[1] for step in outcomes(done) if step[0] != "hooks"}
    assert skilled == {"claude-code", "codex"}  # whose folder is Gemini's, too
    text = memcli("install", "--all").out.splitlines()
    assert text[3:] == [
        f"unchanged 9 skills of claude-code in {home}/.claude/skills",
        f"unchanged 9 skills of codex in {home}/.agents/skills",
    ]
    assert "installed at scope user" in memcli("doctor").out
    again = items(memcli("install", "--all", "--json"))
    assert {each["outcome"] for each in again} == {"unchanged"}
    memcli("uninstall", "--all")
    assert list(home.rglob("SKILL.md")) == []


def test_what_stands_in_the_way_at_one_host_stops_no_other(
    home: Path, memcli: Run, places: dict[str, Path]
) -> None:
    claude = home / ".claude" / "settings.json"
    claude.write_text("{ broken memcli")
    done = memcli("uninstall", "--all", "--json", cwd=home / "code")
    assert ("hooks", "claude-code", "failed") in outcomes(done)
    assert ("hooks", "gemini", "removed") in outcomes(done)
    assert not places["settings"].exists()
    assert claude.read_text() == "{ broken memcli"


def test_a_folder_that_is_a_link_keeps_what_it_leads_to(
    home: Path, places: dict[str, Path]
) -> None:
    elsewhere = home / "elsewhere"
    (places["folder"] / "recap").rename(elsewhere)
    (places["folder"] / "recap").symlink_to(elsewhere)
    folder = skills.SkillFolder(str(places["folder"]), "user", ())
    (step,) = skills.plan([skills.catalog()["recap"]], folder, removal=True)
    apply(step)
    assert elsewhere.is_dir()


def test_a_server_that_cannot_be_named_stops_no_hooks_and_says_what_to_put_in(
    home: Path, memcli: Run
) -> None:
    text = '{ // mine\n"mcpServers": {"other": {}}}'
    theirs = write(home, ".cursor/mcp.json", text)
    done = memcli("install", "cursor", "--mcp")
    assert (done.code, (home / ".cursor" / "hooks.json").is_file()) == (1, True)
    snippet = json.loads(done.out.partition("repeat:\n")[2])
    assert snippet["mcpServers"]["memcli"]["args"][-1] == "mcp"
    assert theirs.read_text().startswith("{ // mine")
