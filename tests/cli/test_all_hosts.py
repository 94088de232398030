"""What memcli has put into hosts goes out again, and nothing of another's goes."""

import os
from pathlib import Path

import pytest

from memcli.cli import all_hosts, run
from memcli.cli.context import Context, Result
from memcli.cli.render import Screen
from memcli.hosts import install, skills
from memcli.hosts.install.command_line import Program
from tests.cli.conftest import Run

PROGRAM = Program(("/opt/memcli",))


@pytest.fixture
def context(home: Path) -> Context:
    return run._context(None, True, Screen("uninstall", as_json=True))


def installed(home: Path) -> dict[str, Path]:
    """Hooks at both scopes of two hosts, and the skills of one."""
    (home / "code" / ".git").mkdir(parents=True)
    environ, cwd = dict(os.environ), str(home / "code")
    for host, scope in (
        ("claude-code", "user"),
        ("claude-code", "project"),
        ("gemini", "user"),
    ):
        install.apply(install.plan(host, scope, environ, cwd, PROGRAM))
    folder = home / ".claude" / "skills"
    skills.apply(
        skills.plan(
            list(skills.catalog().values()),
            str(folder),
            "claude-code",
            shared=False,
            force=False,
        )
    )
    return {"folder": folder, "settings": home / ".gemini" / "settings.json"}


def outcomes(result: Result) -> set[tuple[str, str]]:
    return {(one["what"], one["outcome"]) for one in result.data["items"]}


def test_all_of_memcli_goes_and_what_is_not_its_own_stays(
    home: Path, context: Context
) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text('{"theme": "dark"}\n')
    places = installed(home)
    context = context._replace(cwd=str(home / "code"))
    mine = places["folder"] / "recap" / "SKILL.md"
    mine.write_text("mine")
    (places["folder"] / "prep" / "notes.md").write_text("mine, beside a skill")
    plan = all_hosts.take_out(context, dry_run=True)
    assert (places["folder"] / "reflect").exists()
    done = all_hosts.take_out(context, dry_run=False)
    assert outcomes(plan) == outcomes(done)
    assert outcomes(done) >= {
        ("hooks of claude-code", "removed"),
        ("hooks of gemini", "written"),
        ("skill reflect", "removed"),
        ("skill recap", "kept"),
    }
    assert sum(one["what"].startswith("hooks") for one in done.data["items"]) == 3
    assert not done.ok
    assert places["settings"].read_text() == '{"theme": "dark"}\n'
    left = sorted(p.name for p in places["folder"].rglob("*") if p.is_file())
    assert left == ["SKILL.md", "notes.md"]
    assert not (home / "code" / ".claude" / "settings.json").exists()
    mine.unlink()
    again = all_hosts.take_out(context, dry_run=False)
    assert (again.ok, again.data["items"]) == (True, [])


def test_every_host_of_the_machine_gets_hooks_and_skills_and_all_of_it_goes_again(
    home: Path, memcli: Run
) -> None:
    for name in (".claude", ".codex", ".gemini"):
        (home / name).mkdir()
    seen = memcli("install", "--all", "--dry-run", "--json").json["data"]["items"]
    assert list((home / ".claude").iterdir()) == []
    done = memcli("install", "--all", "--json").json["data"]["items"]
    assert seen == done
    assert [(each["what"], each["outcome"]) for each in done] == [
        ("hooks of claude-code", "installed"),
        ("skills of claude-code", "installed"),
        ("hooks of codex", "installed"),
        ("skills of codex", "installed"),
        ("hooks of gemini", "installed"),  # its skills are codex's
    ]
    assert "work, at scope user" in memcli("doctor").out
    again = memcli("install", "--all", "--json").json["data"]["items"]
    assert {each["outcome"] for each in again} == {"unchanged"}
    memcli("uninstall", "--all")
    assert list(home.rglob("SKILL.md")) == []


def test_what_stands_in_the_way_at_one_host_stops_no_other(
    home: Path, context: Context
) -> None:
    places = installed(home)
    (home / ".claude" / "settings.json").write_text("{ broken memcli")
    done = all_hosts.take_out(context, dry_run=False)
    assert ("hooks of claude-code", "failed") in outcomes(done)
    assert ("hooks of gemini", "removed") in outcomes(done)
    assert not places["settings"].exists()
    assert (home / ".claude" / "settings.json").read_text() == "{ broken memcli"


def test_an_edited_skill_is_removed_only_by_force(home: Path) -> None:
    folder = installed(home)["folder"]
    page = folder / "recap" / "SKILL.md"
    page.write_text(page.read_text().replace("memory", "memories", 1))
    chosen = skills.pick(["recap", "prep"])
    (kept, removed) = skills.plan(chosen, str(folder), removal=True)
    assert (kept.outcome, removed.outcome) == ("kept", "removed")
    assert "--force" in (kept.reason or "")
    skills.apply(skills.plan(chosen, str(folder), force=True, removal=True))
    assert not page.parent.exists()
    assert skills.plan(chosen, str(folder), force=True, removal=True) == []


def test_a_folder_that_is_a_link_keeps_what_it_leads_to(home: Path) -> None:
    folder = installed(home)["folder"]
    elsewhere = home / "elsewhere"
    (folder / "recap").rename(elsewhere)
    (folder / "recap").symlink_to(elsewhere)
    (step,) = skills.plan(skills.pick(["recap"]), str(folder), removal=True)
    skills.apply([step])
    assert elsewhere.is_dir()
