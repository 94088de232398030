"""Plans and what they do on the disk, for every host at both scopes."""

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from memcli.errors import Conflict, InvalidConfig, UnsafePath, UsageError
from memcli.hosts import table
from memcli.hosts.install import step as install
from memcli.hosts.install.command_line import Program
from memcli.hosts.install.plans import HOOKS, locate, plan
from memcli.hosts.install.status import Installation, survey
from memcli.hosts.install.step import Step
from memcli.storage import known_vaults
from tests import git_command
from tests.saving import write

posix = pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")
HOSTS = [host.name for host in table.with_hooks()]
FILES = [host.name for host in table.with_hooks() if not host.is_plugin]
EVERY = pytest.mark.parametrize("host", HOSTS)
BOTH = pytest.mark.parametrize("scope", install.SCOPES)


class Machine:
    """One user's machine, with a project as the current folder."""

    def __init__(self, home: Path, project: Path, program: Program) -> None:
        self.home, self.project, self.program = home, project, program
        self.environ = {**os.environ}

    def path(self, host: str, scope: str = "user") -> Path:
        place = locate(HOOKS, table.find(host), scope, self.seen())[0]
        return Path(os.path.abspath(place))

    def seen(
        self, program: Program | None = None, vault: str | None = None
    ) -> install.Machine:
        cwd = str(self.project / "deep")
        return install.Machine(self.environ, cwd, program or self.program, vault)

    def plan(
        self, host: str, scope: str = "user", *, removal: bool = False, **more: Any
    ) -> Step:
        record = table.find(host)
        return plan(HOOKS, record, scope, self.seen(**more), removal=removal)

    def install(self, host: str, scope: str = "user", **more: Any) -> Step:
        return install.apply(self.plan(host, scope, **more))

    def uninstall(self, host: str, scope: str = "user") -> Step:
        return install.apply(self.plan(host, scope, removal=True))

    def status(self, host: str, scope: str = "user", **more: Any) -> Installation:
        what = more.pop("what", "hooks")
        found = survey(self.seen(**more), lambda _: None)
        wanted = (what, host, scope)
        (one,) = (o for o in found if (o.what, o.host, o.scope) == wanted)
        return one

    def vault(self, name: str = "other") -> str:
        """A folder that is a vault, as far as hooks look before they ask it."""
        root = self.project.parent / name
        (root / ".memcli").mkdir(parents=True)
        return str(root)

    def files(self) -> dict[str, bytes]:
        roots = (self.home, self.project)
        found = [path for root in roots for path in root.rglob("*")]
        return {str(p): p.read_bytes() if p.is_file() else b"/" for p in found}


@pytest.fixture
def machine(home: Path, tmp_path: Path) -> Machine:
    project = tmp_path / "project"
    for name in (".git", "deep"):
        (project / name).mkdir(parents=True)
    path = git_command.program(tmp_path / "bin dir" / "memcli", "")
    machine = Machine(home, project, Program((str(path),)))
    known_vaults.set_default_vault(machine.vault("memory"), machine.environ)
    return machine


# --- what each host gets ------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "native", "item"),
    [
        ("claude-code", "Stop", {"timeout": 10}),
        ("codex", "SessionEnd", {"timeout": 3}),
        ("gemini", "AfterAgent", {"timeout": 10_000, "matcher": "*"}),
        ("gemini", "BeforeTool", {"matcher": "write_file|replace|run_shell_command"}),
        ("claude-code", "Notification", {"matcher": "idle_prompt"}),
        ("copilot", "agentStop", {"timeoutSec": 10, "version": 1}),
        ("cursor", "stop", {"timeout": 10, "version": 1}),
        ("windsurf", "pre_user_prompt", {"show_output": False}),
    ],
)
def test_an_event_has_its_call_its_limits_and_a_timeout_in_the_unit_of_the_host(
    machine: Machine, host: str, native: str, item: dict[str, Any]
) -> None:
    machine.install(host)
    found = json.loads(machine.path(host).read_bytes())
    assert found["hooks"].keys() == {name for name, _ in table.find(host).events}
    (entry,) = found["hooks"][native]
    hook = {**found, **entry, **entry.get("hooks", [{}])[0]}
    line = hook.get("command") or hook["bash"]
    event = dict(table.find(host).events)[native]
    assert line == f"'{machine.program.words[0]}' hook {event} --host {host}"
    assert item.items() <= hook.items()


@EVERY
def test_a_vault_is_pinned_when_it_was_named_and_not_else(
    machine: Machine, host: str, tmp_path: Path
) -> None:
    machine.install(host)
    assert "--vault" not in machine.path(host).read_text().partition("const words")[0]
    assert "can do nothing" not in str(machine.status(host).problems)
    machine.install(host, vault=str(tmp_path))
    assert f"nothing: {tmp_path} is not" in machine.status(host).problems[-1]
    machine.install(host)
    assert "can do nothing" not in str(machine.status(host).problems)


@pytest.mark.parametrize("host", ["claude-code", "codex", "copilot", "opencode"])
def test_variables_move_the_folder_of_a_host(
    machine: Machine, tmp_path: Path, host: str
) -> None:
    record = table.find(host)
    machine.environ[record.home_variable] = str(tmp_path / "moved")
    machine.install(host)
    assert (tmp_path / "moved" / record.hook_files[0]).is_file()
    machine.uninstall(host)
    assert not (tmp_path / "moved").exists()


# --- nothing else changes -----------------------------------------------------


@EVERY
@BOTH
def test_files_and_folders_that_were_made_go_again(
    machine: Machine, host: str, scope: str
) -> None:
    before = machine.files()
    assert machine.install(host, scope).outcome == "installed"
    after = machine.files()
    assert machine.install(host, scope).outcome == "unchanged"
    assert machine.files() == after
    assert machine.uninstall(host, scope).outcome == "removed"
    assert machine.files() == before
    assert machine.uninstall(host, scope).outcome == "unchanged"


@pytest.mark.parametrize("host", FILES)
def test_the_backup_is_of_before_memcli_private_and_goes_when_it_equals_the_file(
    machine: Machine, host: str
) -> None:
    path = machine.path(host)
    theirs = '{"version": 1, "env": {"KEY": "secret"}, "hooks": {"Other": []}}'
    write(path.parent, path.name, theirs)
    path.chmod(0o644)
    before = machine.files()
    first = machine.install(host)
    second = machine.install(host, program=Program(("/opt/memcli",)))
    assert (first.backup, second.backup) == (f"{path}.memcli-backup", None)
    assert Path(str(first.backup)).read_bytes() == before[str(path)]
    if os.name != "nt":
        assert stat.S_IMODE(Path(str(first.backup)).stat().st_mode) == 0o600
        assert stat.S_IMODE(path.stat().st_mode) == 0o644
    machine.uninstall(host)
    assert machine.files() == before


@posix
def test_what_is_made_in_a_home_is_private_and_in_a_project_as_usual(
    machine: Machine,
) -> None:
    before = os.umask(0o022)
    try:
        for scope, folder, file in (("user", 0o700, 0o600), ("project", 0o755, 0o644)):
            machine.install("copilot", scope)
            path = machine.path("copilot", scope)
            assert stat.S_IMODE(path.stat().st_mode) == file
            assert stat.S_IMODE(path.parent.stat().st_mode) == folder
            assert stat.S_IMODE(path.parent.parent.stat().st_mode) == folder
    finally:
        os.umask(before)


@posix
@pytest.mark.parametrize("text", [b'{"a": 1}', None])
def test_a_link_is_followed_and_stays(
    machine: Machine, tmp_path: Path, text: bytes | None
) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    if text is not None:
        real.write_bytes(text)
    link = machine.path("claude-code")
    link.parent.mkdir()
    link.symlink_to(real)
    machine.install("claude-code")
    assert link.is_symlink()
    assert b"hook stop" in real.read_bytes()
    machine.uninstall("claude-code")
    assert link.is_symlink()
    assert (real.read_bytes() if real.exists() else None) == text


@posix
@EVERY
@pytest.mark.parametrize("folder", [False, True])
def test_a_link_of_a_repository_leads_nothing_out_of_it(
    machine: Machine, tmp_path: Path, host: str, folder: bool
) -> None:
    path = machine.path(host, "project")
    outside = tmp_path / "outside"
    write(outside, path.name, '{"token": "mine"}')
    link = path.parent if folder else path
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside if folder else outside / path.name)
    before = machine.files()
    for change in (machine.install, machine.uninstall):
        with pytest.raises(UnsafePath, match="through a symbolic link"):
            change(host, "project")
    assert machine.files() == before
    assert [each.name for each in outside.iterdir()] == [path.name]
    assert (outside / path.name).read_bytes() == b'{"token": "mine"}'


def test_what_cannot_be_parsed_is_named_and_left_alone(machine: Machine) -> None:
    path = machine.path("gemini")
    write(path.parent, path.name, '{"a": 1}'.encode("utf-16"))
    before = machine.files()
    with pytest.raises(InvalidConfig, match=":1: not UTF-8"):
        machine.install("gemini")
    # No word of memcli is in it, so there is nothing to take out.
    assert machine.uninstall("gemini").outcome == "unchanged"
    assert machine.files() == before
    assert machine.status("gemini").state == "unreadable"


def test_a_file_that_changed_since_the_plan_is_not_touched(machine: Machine) -> None:
    plan = machine.plan("cursor")
    path = machine.path("cursor")
    write(path.parent, path.name, '{"version": 1}')
    before = machine.files()
    with pytest.raises(Conflict):
        install.apply(plan)
    assert machine.files() == before


def test_a_plugin_of_another_author_is_refused_and_a_changed_one_named(
    machine: Machine,
) -> None:
    path = machine.path("opencode")
    write(path.parent, path.name, "export const Other = 1\n")
    with pytest.raises(InvalidConfig, match="is not memcli's"):
        machine.install("opencode")
    assert machine.uninstall("opencode").outcome == "unchanged"
    path.unlink()
    machine.install("opencode")
    path.write_text(path.read_text() + "// mine\n")
    assert "not as memcli writes" in machine.status("opencode").problems[0]
    assert machine.uninstall("opencode").outcome == "removed"


# --- hosts and scopes ---------------------------------------------------------


def test_a_home_folder_is_no_project(machine: Machine) -> None:
    machine.project = machine.home
    (machine.home / "deep").mkdir()
    (machine.home / ".git").mkdir()
    with pytest.raises(UsageError, match="would be your own"):
        machine.plan("claude-code", "project")


# --- status -------------------------------------------------------------------


@EVERY
@BOTH
def test_status_knows_what_is_installed_and_works(
    machine: Machine, host: str, scope: str
) -> None:
    assert machine.status(host, scope).state == "no"
    machine.install(host, scope)
    one = machine.status(host, scope)
    assert (one.state, one.notes) == ("yes", ())
    assert one.problems == () or host == "codex"
    now = Program((sys.executable, "-m", "memcli"))
    other = machine.status(host, scope, program=now)
    assert "not the memcli that runs now" in other.notes[0]
    Path(machine.program.words[0]).unlink()
    one = machine.status(host, scope)
    assert any("cannot be started" in problem for problem in one.problems)


@pytest.mark.parametrize("where", ["timeout", "twice", "missing", "older version"])
def test_status_sees_entries_that_are_not_as_memcli_writes_them(
    machine: Machine, where: str
) -> None:
    machine.install("gemini")
    path = machine.path("gemini")
    found = json.loads(path.read_bytes())
    if where == "timeout":
        found["hooks"]["AfterAgent"][0]["hooks"][0]["timeout"] = 10  # ms, not s
    elif where == "twice":
        found["hooks"]["BeforeAgent"] *= 2
    elif where == "older version":
        old = {"command": "memcli hook pre-compact --host gemini"}
        found["hooks"]["PreCompress"] = [{"hooks": [old]}]
    else:
        del found["hooks"]["SessionEnd"]
    path.write_text(json.dumps(found))
    (problem,) = machine.status("gemini").problems
    assert "not as memcli writes them" in problem
    machine.install("gemini")
    assert machine.status("gemini").problems == ()


def test_status_sees_a_vault_that_is_gone(machine: Machine, tmp_path: Path) -> None:
    machine.install("cursor", vault=str(tmp_path / "gone"))
    (problem,) = machine.status("cursor").problems
    assert "can do nothing: there is no vault at" in problem
    assert problem.endswith("memcli install cursor --scope user --vault PATH")


def test_codex_hooks_stay_silent_until_trusted_and_status_says_so(
    machine: Machine,
) -> None:
    assert any("/hooks" in said for said in machine.install("codex").warnings)
    (problem,) = machine.status("codex").problems
    assert "does not trust" in problem
    assert "/hooks" in problem
    config, path = machine.home / ".codex" / "config.toml", machine.path("codex")
    config.write_text(f"[hooks.state.'{path}:stop:0:0']\ntrusted_hash = 'x'\n")
    (problem,) = machine.status("codex").problems
    assert "does not trust SessionStart, " in problem
    names = "session_start user_prompt_submit pre_tool_use stop session_end pre_compact"
    trusted = (f"['{path}:{each}:0:0']\n" for each in names.split())
    config.write_text("".join(trusted))
    assert machine.status("codex").problems == ()
