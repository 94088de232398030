"""The pages and the help name every host, and say of each what its record says."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memcli.cli.app import build
from memcli.hosts import table
from memcli.hosts.host import EVENTS, Host
from memcli.hosts.install.command_line import Program
from memcli.hosts.install.plans import HOOKS, SERVER, locate
from memcli.hosts.install.step import SCOPES, Machine
from memcli.sessions.hooks import call as hook

DOCS = Path(__file__).parents[2] / "docs"
Rows = dict[str, list[str]]

DEV = Machine({"HOME": "/home/dev"}, "/home/dev/shop", Program(("memcli",)))
every_host_with_hooks = pytest.mark.parametrize(
    "host", table.with_hooks(), ids=lambda host: host.name
)


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def rows(name: str, heading: str) -> Rows:
    """The cells of a table by its first cell, of the table with this in its head."""
    blocks = re.findall(r"(?:^\|.*\n)+", page(name), re.MULTILINE)
    (found,) = (block for block in blocks if heading in block.partition("\n")[0])
    lines = found.splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {first.strip("`"): rest for first, *rest in cells}


NAMES = [host.name for host in table.with_hooks()]


def test_the_tables_have_a_row_for_each_host() -> None:
    assert list(rows("use/sessions.md", "at the start")) == NAMES
    assert list(rows("use/sessions.md", "--scope user")) == NAMES
    assert set(rows("reference/transcripts.md", "a user step is")) == set(table.NAMES)


@every_host_with_hooks
def test_the_page_of_sessions_says_what_a_host_hears_and_when_it_is_mined(
    host: Host,
) -> None:
    start, prompt, mined, *_ = rows("use/sessions.md", "at the start")[host.name]
    assert start.startswith("yes" if host.takes_text else "no")
    assert prompt.startswith("yes" if host.takes_text else "no")
    natives = set(re.findall(r"`([^`]+)`", mined))
    mining = {native for native, event in host.events if event in MINING}
    # "before compacting" stands for an event of opencode's that is an experiment.
    assert natives == {name for name in mining if not name.startswith("experimental")}


MINING = ("stop", "session-end", "pre-compact")


@every_host_with_hooks
def test_the_page_of_sessions_says_where_the_hooks_stand(host: Host) -> None:
    user, project, moved = rows("use/sessions.md", "--scope user")[host.name]
    files = [locate(HOOKS, host, scope, DEV)[0] for scope in SCOPES]
    assert user.strip("`").replace("~", "/home/dev") == files[0]
    assert f"/home/dev/shop/{project.strip('`')}" == files[1]
    for variable in re.findall(r"`([^`]+)`", moved):
        assert host.folder({"HOME": "/home/dev", variable: "/moved"}).startswith(
            "/moved"
        )
    assert f"`{host.home_variable}`" in moved or not host.home_variable


@every_host_with_hooks
def test_the_page_of_mcp_says_where_the_server_is_named(host: Host) -> None:
    user, project = rows("agents/mcp.md", "--scope user")[host.name]
    path, _ = locate(SERVER, host, "user", DEV)
    assert user.strip("`").replace("~", "/home/dev") == path
    assert project.strip("`") == host.mcp_files[1]


def test_the_page_of_hooks_says_the_budget_of_each_event() -> None:
    budgets = {
        re.sub(r"[` ].*", "", name): float(cells[-1].removesuffix(" s"))
        for name, cells in rows("reference/hooks.md", "budget").items()
    }
    assert budgets == hook.BUDGET
    assert set(budgets) == set(EVENTS)


@every_host_with_hooks
def test_the_page_of_hooks_says_how_each_host_is_answered(host: Host) -> None:
    answers = rows("reference/hooks.md", "answer")
    (answer,) = (
        cells[0] for names, cells in answers.items() if short(host) in names.split(", ")
    )
    for event in ("session-start", "prompt-submit") if host.takes_text else ():
        for key in json.loads(host.reply(event, "x")):
            assert f'"{key}"' in answer
    assert (answer == "nothing") is not host.takes_text


def test_the_page_of_hooks_names_the_hosts_that_run_the_hooks_of_another() -> None:
    others = {name for host in table.hosts() for name in host.hooks_also_run_by}
    both = [short(host) for host in table.with_hooks() if host.name in others]
    assert (
        f"{' and '.join(both)} run hooks of Claude Code as well as their own"
        in page("reference/hooks.md")
    )


def short(host: Host) -> str:
    return host.title.removeprefix("GitHub ").removesuffix(" CLI")


def test_the_page_of_mining_names_every_host() -> None:
    number = {7: "seven", 8: "eight", 9: "nine"}[len(NAMES)]
    (listed,) = re.findall(
        rf"Transcripts of {number} hosts \((.*)\)", page("reference/mining-rules.md")
    )
    names = {name.removesuffix(" CLI") for name in listed.split(", ")}
    assert names == {short(host) for host in table.with_hooks()}


@every_host_with_hooks
def test_the_page_of_skills_says_which_folder(host: Host) -> None:
    folders = {
        name: cells[0]
        for names, cells in rows("agents/skills.md", "folder").items()
        for name in re.findall(r"[a-z-]+", names)
    }
    if host.skill_folder:
        assert f"`{host.skill_folder}`" in folders[host.name]
    else:
        assert folders[host.name].startswith("none")


@pytest.mark.parametrize(
    ("command", "names"),
    [("hook", NAMES), ("install", NAMES), ("reflect", table.NAMES)],
)
def test_the_help_names_every_host(command: str, names: list[str]) -> None:
    text = CliRunner().invoke(build(), [command, "--help"]).output
    assert [name for name in names if name not in text] == []
