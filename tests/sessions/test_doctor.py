"""Doctor names what is wrong with its mend, and is stopped by nothing."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.hosts import skills, table
from memcli.hosts.install import step
from memcli.hosts.install.command_line import Program
from memcli.hosts.install.plans import HOOKS, plan
from memcli.sessions import hook_log
from memcli.sessions.doctor import Check, Surroundings, doctor
from memcli.vault.caller import Caller
from tests import git_command
from tests.conftest import NOW, VaultMaker
from tests.git_command import git
from tests.saving import configure, write

Examine = Callable[..., dict[str, Check]]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return git_command.program(tmp_path / "bin" / "memcli", "")


@pytest.fixture
def examine(vault: Vault, program: Path, tmp_path: Path) -> Examine:
    """What doctor says of the vault, by the names of its checks."""

    def run(named: str | None = None, **changes: Any) -> dict[str, Check]:
        around = Surroundings(
            versions=("1.0", "3.11"),
            program=Program((str(program),)),
            which=lambda name: str(program) if name == "memcli" else None,
            has_mcp=True,
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
    vault: Vault, examine: Examine, snapshot: Callable[[str], dict[str, str]]
) -> None:
    vault.save(vault.draft({"text": "We deploy on Tuesdays"}))
    before = snapshot(vault.root)
    assert states(examine()) == {}
    assert snapshot(vault.root) == before


def test_each_trouble_is_named_where_it_is(
    vault: Vault, examine: Examine, program: Path, home: Path
) -> None:
    write(vault, "memories/x.md", "---\nid: [\n---\n")
    hook_log.note(vault.root, {"at": NOW, "event": "stop", "error": "bug: x"})
    configure(home, '[vaults.team]\npath = "/nowhere"\n[projects]\n"~/a" = "b"\n')
    Path(vault.root, layout.CONFIG).write_text("[limits]\nbodi = 3\n")
    found = examine()
    notes = dict.fromkeys(("calls", "vault team", "config limits.bodi"), "note")
    assert states(found) == {"vault": "problem", **notes}
    assert "Did you mean 'limits.body'?" in (found["config limits.bodi"].mend or "")
    assert "memories/x.md" in found["vault"].said
    assert "memcli doctor --fix" in (found["vault"].mend or "")


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


def test_a_vault_without_a_remote_is_in_order(vault: Vault, examine: Examine) -> None:
    for _ in range(2):
        check = examine()["sync"]
        assert (check.state, "with a remote" in check.said) == ("ok", True)
        git(vault, "checkout", "--quiet", "--detach")


def test_a_host_is_named_with_what_its_hooks_lack(
    examine: Examine, program: Path, home: Path, tmp_path: Path
) -> None:
    (home / ".claude").mkdir()
    assert examine()["hooks of claude-code"].mend == "memcli install claude-code"
    at = (dict(os.environ), str(tmp_path), Program((str(program),)))
    machine = step.Machine(*at, str(tmp_path / "vault"))
    step.apply(plan(HOOKS, table.find("claude-code"), "user", machine))
    check = examine()["hooks of claude-code"]
    assert check.state != "problem", check
    assert check.said.startswith("installed at scope user")
    program.chmod(0o644)
    check = examine(which=lambda name: None)["hooks of claude-code"]
    assert (check.state, "cannot be started" in check.said) == ("problem", True)
    assert check.mend == "memcli install claude-code --scope user"


def test_skills_are_missed_only_where_a_host_is(examine: Examine, home: Path) -> None:
    assert examine()["skills"].state == "ok"
    (home / ".claude").mkdir()
    check = examine()["skills"]
    assert (check.state, check.mend) == ("note", "memcli install HOST --skills")


def test_outdated_skills_are_named_with_their_folder(
    examine: Examine, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        skills,
        "look",
        lambda skill, folder: (
            skills.InstalledPage("outdated", "")
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


def test_a_config_that_does_not_parse_is_named_with_its_line(
    examine: Examine, home: Path
) -> None:
    config = configure(home, "")
    broken = (("x = [", "end of"), ("[a]\nb = 1\nc = \n", "line 3"), ("# \xe9\n", ""))
    for text, where in broken:
        config.write_text(text, encoding="latin-1")
        check = examine()["config"]
        assert check.state == "problem"
        assert check.said.startswith(f"{config}:")
        assert where in check.said
        assert (check.mend or "").startswith("Correct" if where else "Convert")


def test_a_page_that_tells_what_was_resolved_is_named(
    make_vault: VaultMaker, examine: Examine, tmp_path: Path
) -> None:
    git(str(tmp_path), "init", "--quiet")
    git(str(tmp_path), "remote", "add", "origin", "git@github.com:acme/shop.git")
    vault = make_vault(cwd=str(tmp_path))
    drafts = [{"text": text, "kind": "constraint"} for text in ("No Friday", "No root")]
    first, _ = (vault.save(vault.draft(draft)).id for draft in drafts)
    page = tmp_path / "AGENTS.md"
    page.write_text(
        "<!-- memcli:begin -->\n- No Friday\n- No root\n<!-- memcli:end -->"
    )
    assert "page AGENTS.md" not in examine(vault.root)
    vault.resolve(first)
    check = examine(vault.root)["page AGENTS.md"]
    assert (check.state, "No Friday" in check.said) == ("note", True)
    assert check.mend == f"memcli export --format agents-md --out {page}"
