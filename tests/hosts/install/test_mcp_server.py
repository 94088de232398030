"""memcli among the MCP servers of a host: it comes, it goes, and all else stays."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from memcli.errors import InvalidConfig, UsageError
from memcli.hosts import table
from memcli.hosts.install.command_line import Program
from memcli.hosts.install.plans import HOOKS, SERVER, plan
from memcli.hosts.install.status import Installation, survey
from memcli.hosts.install.step import Machine, Step, apply
from tests import git_command
from tests.saving import write

PLACES = {
    "claude-code": (".claude.json", ".mcp.json"),
    "codex": (".codex/config.toml", ".codex/config.toml"),
    "gemini": (".gemini/settings.json", ".gemini/settings.json"),
    "copilot": (".copilot/mcp-config.json", ""),
    "cursor": (".cursor/mcp.json", ".cursor/mcp.json"),
    "windsurf": (".codeium/windsurf/mcp_config.json", ""),
    "opencode": (".config/opencode/opencode.json", "opencode.json"),
}
# What each host's documentation shows, with a server of another's beside it.
THEIRS = {
    "codex": '# mine\nmodel = "gpt"  # keep\n\n[mcp_servers.other]\ncommand = "ls"\n',
    "opencode": '{\n\t"mcp": {\n\t\t"other": {}\n\t},\n\t"theme": 1\n}',
}
JSON = '{\n    "theme": "dark",\n    "mcpServers": {\n        "other": {\n'
JSON += '            "command": "ls"\n        }\n    }\n}\n'
EVERY = pytest.mark.parametrize("host", PLACES)


@pytest.fixture
def machine(home: Path, tmp_path: Path) -> Machine:
    program = git_command.program(tmp_path / "bin dir" / "memcli", "")
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    environ = {**os.environ, "MEMCLI_VAULT": ""}
    return Machine(environ, str(tmp_path / "shop"), Program((str(program),)))


def change(
    host: str, machine: Machine, scope: str = "user", *, removal: bool = False
) -> Step:
    return apply(plan(SERVER, table.find(host), scope, machine, removal=removal))


def entry(path: Path) -> Any:
    """memcli's entry in a file."""
    text = path.read_text()
    found = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    key = next(key for key in ("mcpServers", "mcp_servers", "mcp") if key in found)
    return found[key]["memcli"]


def test_every_host_with_hooks_has_a_row() -> None:
    assert list(PLACES) == [host.name for host in table.with_hooks()]


@EVERY
def test_it_comes_and_goes_and_leaves_every_byte_of_others(
    home: Path, machine: Machine, host: str
) -> None:
    path = home / PLACES[host][0]
    for theirs in (None, THEIRS.get(host, JSON)):
        if theirs:
            write(home, PLACES[host][0], theirs)
        assert change(host, machine).outcome == "installed"
        once = path.read_bytes()
        assert change(host, machine).outcome == "unchanged"
        words = entry(path)
        program = machine.program.words[0]
        command = words["command"]
        flat = command if isinstance(command, list) else [command, *words["args"]]
        assert flat == [program, "mcp"]
        pinned = machine._replace(vault="/my vault")
        assert change(host, pinned).outcome == "updated"
        assert b'"--vault"' in path.read_bytes()
        change(host, machine)
        assert path.read_bytes() == once
        assert change(host, machine, removal=True).outcome == "removed"
        assert (path.read_text() if path.exists() else None) == theirs
        assert change(host, machine, removal=True).outcome == "unchanged"
        assert not list(path.parent.glob("*.memcli-backup"))


@EVERY
def test_a_project_has_its_own_file_or_is_refused(
    tmp_path: Path, machine: Machine, host: str
) -> None:
    if not PLACES[host][1]:
        with pytest.raises(UsageError, match="no such file in a project"):
            change(host, machine, "project")
        return
    change(host, machine, "project")
    assert entry(tmp_path / "shop" / PLACES[host][1])


def test_what_a_person_added_to_the_entry_stays(home: Path, machine: Machine) -> None:
    change("claude-code", machine)
    path = home / ".claude.json"
    path.write_text(path.read_text().replace('"args"', '"env": {"A": "b"},\n"args"'))
    change("claude-code", machine._replace(vault="/v"))
    assert (entry(path)["env"], entry(path)["args"][1]) == ({"A": "b"}, "--vault")


def test_gemini_s_hooks_and_server_go_into_one_file(
    home: Path, machine: Machine
) -> None:
    gemini = table.find("gemini")
    path = home / ".gemini" / "settings.json"
    first = plan(HOOKS, gemini, "user", machine)
    ahead = {first.path: first.after}
    second = plan(SERVER, gemini, "user", machine, ahead=ahead)
    apply(first)
    apply(second)
    assert {"hooks", "mcpServers"} == {*json.loads(path.read_text())}
    apply(plan(HOOKS, gemini, "user", machine, removal=True))
    change("gemini", machine, removal=True)
    assert not path.parent.exists()


@pytest.mark.parametrize(
    ("host", "text"),
    [
        ("claude-code", '{"mcpServers": []}'),
        ("claude-code", "{"),
        ("cursor", '{ // mine\n"a": 1}'),
        ("codex", "mcp_servers = 1\n"),
        ("codex", "mcp_servers = {other = {command = 'ls'}}\n"),
        ("codex", "["),
    ],
)
def test_what_only_a_person_can_change_is_refused_with_what_to_put_in(
    home: Path, machine: Machine, host: str, text: str
) -> None:
    path = write(home, PLACES[host][0], text)
    with pytest.raises(InvalidConfig) as caught:
        change(host, machine)
    assert str(path) in caught.value.message
    if "mine" in text or "other" in text:
        assert "mcp" in (caught.value.hint or "").partition("Put this in by hand")[2]
    assert path.read_text() == text


@EVERY
def test_status_names_it_and_what_is_wrong(machine: Machine, host: str) -> None:
    def status() -> Installation:
        found = survey(machine, lambda _: None)
        (one,) = (o for o in found if (o.what, o.host, o.scope) == wanted)
        return one

    wanted = ("MCP server", host, "user")
    assert status().state == "no"
    change(host, machine)
    one = status()
    assert (one.state, one.notes) == ("yes", ())
    assert [p for p in one.problems if "vault" not in p] == []
    os.chmod(machine.program.words[0], 0o644)
    assert "cannot be started" in status().problems[0]
    assert status().mend == f"memcli install {host} --scope user --mcp"
