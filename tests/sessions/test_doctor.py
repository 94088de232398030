"""Doctor names what is wrong with its mend, and is stopped by nothing."""

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.curation import exporting, instruction_block
from memcli.entries import layout
from memcli.hosts import install, skills, table
from memcli.hosts.install.command_line import Program
from memcli.recall.query import Filters
from memcli.sessions import hook_log
from memcli.sessions.doctor import Check, Surroundings, doctor
from memcli.vault.caller import Caller
from tests.conftest import NOW
from tests.git_command import git

_CLIENTS = "e2e/clients.toml"
Examine = Callable[..., dict[str, Check]]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "bin" / "memcli"
    file.parent.mkdir()
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def examine(vault: Vault, program: Path, tmp_path: Path) -> Examine:
    """What doctor says of the vault, by the names of its checks."""

    def run(named: str | None = None, **changes: Any) -> dict[str, Check]:
        around = Surroundings(
            versions=("1.0", "3.11"),
            program=Program((str(program),)),
            which=lambda name: str(program) if name == "memcli" else None,
            has_mcp=True,
            mcp_install="pip install memcli[mcp]",
        )
        caller = Caller(dict(os.environ), vault.now_ms, cwd=str(tmp_path))
        around = around._replace(**changes)
        checks = doctor(named or vault.root, around, caller)
        for check in checks:
            assert check.said
            assert check.mend or check.state != "problem", check
        return {check.name: check for check in checks}

    return run


def states(checks: dict[str, Check]) -> dict[str, str]:
    return {name: check.state for name, check in checks.items() if check.state != "ok"}


def test_a_vault_in_order_has_no_problem(
    vault: Vault,
    examine: Examine,
    snapshot: Callable[[str], dict[str, str]],
) -> None:
    vault.save(vault.draft({"text": "We deploy on Tuesdays"}))
    before = snapshot(vault.root)
    assert states(examine()) == {"skills": "note"}
    assert snapshot(vault.root) == before


def test_each_trouble_is_named_where_it_is(
    vault: Vault, examine: Examine, program: Path, home: Path
) -> None:
    Path(vault.root, "memories").mkdir(exist_ok=True)
    Path(vault.root, "memories", "x.md").write_text("---\nid: [\n---\n")
    hook_log.note(vault.root, {"at": NOW, "event": "stop", "error": "bug: x"})
    config = home / ".config" / "memcli" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[vaults.team]\npath = "/nowhere"\n')
    found = examine()
    assert states(found) == {
        "vault": "problem",
        "calls": "note",
        "vault team": "note",
        "skills": "note",
    }
    assert "memories/x.md" in found["vault"].said
    assert "memcli doctor --fix" in (found["vault"].mend or "")
    config.write_text("[vaults")
    assert states(examine())["config"] == "problem"


def test_a_page_that_tells_what_was_resolved_is_named_with_the_export_that_mends_it(
    examine: Examine, vault: Vault, tmp_path: Path
) -> None:
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "remote", "add", "origin", "https://github.com/acme/shop")
    page = tmp_path / "AGENTS.md"
    old, _ = [
        vault.save(vault.draft({"text": text, "kind": "convention"})).id
        for text in ("Restart the cache after deploys", "Tabs, not spaces")
    ]

    def export() -> None:
        found = exporting.entries(vault, Filters(), current=True)
        instruction_block.put(instruction_block.planned(str(page), found.entries))

    export()
    assert "page AGENTS.md" not in examine()
    vault.resolve(old)
    check = examine()["page AGENTS.md"]
    assert check.said.endswith(
        "still tells what is over: Restart the cache after deploys"
    )
    assert check.mend == f"memcli export --format agents-md --out {page}"
    export()
    assert "page AGENTS.md" not in examine()


def test_no_vault_and_no_git_are_problems_with_their_mends(
    examine: Examine, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = examine("/nowhere")
    assert states(found)["vault"] == "problem"
    assert "memcli init /nowhere" in (found["vault"].mend or "")
    monkeypatch.setenv("PATH", "/nowhere")
    assert states(examine())["git"] == "problem"


def test_what_git_cannot_say_is_named_as_history(
    vault: Vault, examine: Examine
) -> None:
    vault.save(vault.draft({"text": "We deploy on Tuesdays"}))
    for path in Path(vault.root, ".git", "objects").rglob("??????*"):
        if path.is_file():
            path.unlink()
    found = examine()
    assert [name for name in states(found) if name != "skills"] == ["vault", "history"]


def test_a_vault_that_one_may_not_write_is_named(
    vault: Vault, examine: Examine, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.access

    def access(path: str, mode: int) -> bool:
        return real(path, mode) and not (path == vault.root and mode & os.W_OK)

    monkeypatch.setattr(os, "access", access)
    check = examine()["vault"]
    assert check.state == "note"
    assert "you may not write there" in check.said


def test_a_host_is_named_with_what_its_hooks_lack(
    examine: Examine, program: Path, home: Path, tmp_path: Path
) -> None:
    (home / ".claude").mkdir()
    assert examine()["hooks of claude-code"].mend == "memcli install claude-code"
    plan = install.plan(
        "claude-code",
        "user",
        dict(os.environ),
        str(tmp_path),
        Program((str(program),)),
        str(tmp_path / "vault"),
    )
    install.apply(plan)
    check = examine()["hooks of claude-code"]
    assert check.state != "problem", check
    assert check.said.startswith("work, at scope user")
    program.chmod(0o644)
    check = examine(which=lambda name: None)["hooks of claude-code"]
    assert (check.state, "cannot be started" in check.said) == ("problem", True)
    assert check.mend == "memcli install claude-code --scope user"


def test_outdated_skills_are_named_with_their_folder(
    examine: Examine, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        skills,
        "look",
        lambda skill, folder: (
            skills.InstalledPage(folder, "outdated", 1, "")
            if ".claude" in folder and str(home) in folder
            else None
        ),
    )
    check = examine()["skills of claude-code"]
    assert (check.state, "outdated" in check.said) == ("note", True)
    assert check.mend == ("memcli install claude-code --skills --scope user")


@pytest.mark.parametrize("hostile", ["link", "folder", "bytes", "fifo"])
def test_a_hostile_vault_stops_nothing(
    vault: Vault, examine: Examine, hostile: str
) -> None:
    config = Path(vault.root, layout.CONFIG)
    config.unlink(missing_ok=True)
    if hostile == "link":
        config.symlink_to("/etc/passwd")
    elif hostile == "folder":
        config.mkdir()
    elif hostile == "bytes":
        config.write_bytes(b"\xff\0[" * 99)
    else:
        os.mkfifo(config)
    found = examine()
    assert states(found)["vault"] == "problem"
    assert "mcp" in found


def client(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return file


def test_every_tested_client_is_at_the_version_of_the_records() -> None:
    listed = tomllib.loads(Path(__file__).parents[1].joinpath(_CLIENTS).read_text())
    tested = {host.name: host.tested for host in table.hosts() if host.tested}
    assert tested == {name: one["version"] for name, one in listed.items()}


def mcp(examine: Examine, path: Path, settings: str, **changes: Any) -> list[Check]:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(settings)
    found = examine(**changes)
    return [check for name, check in found.items() if name.startswith("mcp of ")]


@pytest.mark.parametrize(
    ("name", "form"),
    [
        (".claude.json", '{"mcpServers": {"memory": %s}}'),
        (".gemini/settings.json", '// mine\n{"mcpServers": {"memory": %s,}}'),
        (".cursor/mcp.json", '{"mcpServers": {"memory": %s}}'),
        (".codeium/windsurf/mcp_config.json", '{"mcpServers": {"memory": %s}}'),
        (".copilot/mcp-config.json", '{"mcpServers": {"memory": %s}}'),
    ],
)
def test_an_entry_among_mcp_servers_is_found_in_each_hosts_file(
    examine: Examine, program: Path, home: Path, name: str, form: str
) -> None:
    entry = json.dumps({"command": str(program), "args": ["mcp"]})
    (check,) = mcp(examine, home / name, form % entry)
    assert check.state == "problem"  # the user has no default vault
    assert check.said.startswith("memory: it does nothing: ")
    assert name in (check.mend or "")


def test_each_trouble_of_an_mcp_entry_is_named(
    vault: Vault, examine: Examine, program: Path, home: Path, tmp_path: Path
) -> None:
    def said(*words: str, **more: Any) -> tuple[str, str]:
        entry = {"command": words[0], "args": list(words[1:]), **more}
        settings = json.dumps({"mcp": {"m": entry}})
        path = home / ".config" / "opencode" / "opencode.json"
        (check,) = mcp(examine, path, settings)
        return check.state, check.said

    inside = ("mcp", "--vault", vault.root)
    good = said(str(program), *inside)
    assert good == ("ok", f"m in {home}/.config/opencode/opencode.json")
    assert said(str(program), "mcp", environment={"MEMCLI_VAULT": vault.root}) == good
    assert said("/nowhere/memcli", *inside)[1] == "m: /nowhere/memcli cannot be started"
    assert said("memcli", *inside)[0] == "note"
    assert said("./memcli", *inside)[1] == "m: ./memcli is not on the PATH"
    assert said("python3", "-m", "memcli", *inside)[0] == "problem"  # `which` has none
    assert "no vault at /nowhere" in said(str(program), "mcp", "-v", "/nowhere")[1]
    assert said(str(program), *inside, enabled=False)[0] == "note"
    client(tmp_path, "uvx", "")
    path = str(tmp_path / "uvx")
    assert said(path, "memcli", *inside)[0] == "ok"


def test_an_mcp_entry_without_the_sdk_is_a_problem_with_the_command_that_adds_it(
    vault: Vault, examine: Examine, program: Path, home: Path
) -> None:
    text = (
        f"[mcp_servers.m]\ncommand = '{program}'\nargs = ['mcp', '-v', '{vault.root}']"
    )
    path = home / ".codex" / "config.toml"
    assert [check.state for check in mcp(examine, path, text)] == ["ok"]
    found = examine(has_mcp=False)["mcp"]
    assert (found.state, found.mend) == ("problem", "pip install memcli[mcp]")


@pytest.mark.parametrize(
    "data",
    [b"{", b"\xff", b"[" * 100_000, b'{"mcpServers": [[]]}', b'{"mcpServers":{"x":7}}'],
)
def test_settings_that_cannot_be_read_stop_nothing(
    examine: Examine, home: Path, data: bytes
) -> None:
    (home / ".claude.json").write_bytes(data)
    found = examine()
    assert "mcp" in found
    if b"mcp" not in data:
        assert ".claude.json" in found["mcp of claude-code"].said


def test_other_servers_are_none_of_memcli(examine: Examine, home: Path) -> None:
    servers = {
        "a": {"command": "/bin/memcli-other", "args": ["mcp"]},
        "b": {"command": "memcli", "args": ["hook"]},
        "c": {"url": "https://example.com/memcli/mcp"},
        "memcli": {"command": ["x", 7], "args": "mcp"},
    }
    text = json.dumps({"mcpServers": servers})
    assert mcp(examine, home / ".claude.json", text) == []


def test_the_mend_of_hooks_is_the_step_that_helps() -> None:
    usual = install.Installation("codex", "user", "/x", found=True, state="yes")
    for problem, mend in (
        (
            "Codex does not trust Stop and runs nothing there",
            "start codex, type /hooks",
        ),
        ("the hooks do nothing: there is no vault at /gone", "name or make the vault"),
        ("it is installed twice", "memcli install codex --scope user"),
    ):
        assert install.mend_of(usual._replace(problems=(problem,))).startswith(mend)
