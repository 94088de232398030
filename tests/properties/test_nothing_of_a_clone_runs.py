"""No file of a vault's working tree is run by any command, wherever it is called.

Programs lie where a relative PATH, a relative PYTHONPATH, git's attributes, hooks,
submodules or a bare repository could find them; each leaves a file behind when it runs.
"""

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.cli import commands
from memcli.cli.commands import COMMANDS
from memcli.cli.mcp.catalog import TOOLS
from memcli.cli.mcp.tools import call as call_tool
from memcli.cli.run import run
from memcli.curation import sync_setup
from memcli.sessions import hook_log
from memcli.sessions.hooks import call as hook
from memcli.storage.git.repository import Blob, Repository
from tests import processes
from tests.conftest import VaultMaker
from tests.git_command import hook as git_hook
from tests.saving import write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs of POSIX")

PROGRAMS = ("git", "gpg", "ssh", "less", "vi", "sh", "awk", "python3", "memcli",
            "claude", "codex", "opencode")  # fmt: skip
HOOKS = ("pre-commit", "post-commit", "commit-msg", "reference-transaction",
         "fsmonitor-watchman", "post-index-change")  # fmt: skip
MODULES = ("git", "json", "yaml", "frontmatter", "memcli", "sitecustomize", "tomllib")


class Planted:
    """A vault as a clone brings it, and what of it has run."""

    def __init__(self, vault: Vault, marks: Path) -> None:
        self.vault = vault
        self._marks = marks
        marks.mkdir()

    @property
    def ran(self) -> list[str]:
        return sorted(path.name for path in self._marks.iterdir())

    def plant(self) -> None:
        # With a slash in front it would be the machine's own top folder.
        for folder in ("bin/", "", "memories/bin/"):
            for name in PROGRAMS:
                self._program(f"{folder}{name}", f"program-{name}")
        for folder in ("hooks", ".githooks", "objects/hooks"):
            for name in HOOKS:
                self._program(f"{folder}/{name}", f"hook-{name}")
        for name in MODULES:
            mark = self._marks / f"module-{name}"
            self._write(f"{name}.py", f"open({str(mark)!r}, 'w').close()\n")
        touch = f"touch {self._marks}/"
        self._write(".gitattributes", "* filter=x diff=x merge=x\n*.md diff=x\n")
        self._write(
            ".gitmodules",
            f'[submodule "x"]\n\tpath = x\n\turl = ext::{touch}module\n'
            f"\tupdate = !{touch}update\n",
        )
        for prefix in ("", "bare/"):
            settings = f'\tfsmonitor = "{touch}fsmonitor"\n\tpager = "{touch}pager"\n'
            self._write(f"{prefix}config", f"[core]\n\tbare = false\n{settings}")
            self._write(f"{prefix}HEAD", "ref: refs/heads/main\n")
            self._write(f"{prefix}objects/kept", "")
            self._write(f"{prefix}refs/kept", "")
        git = ["git", "-C", self.vault.root]
        head = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True).strip()
        link = f"160000,{head},x"
        for words in (
            ["add", "--all", "--force"],
            ["update-index", "--add", "--cacheinfo", link],
            ["commit", "--quiet", "-m", "-v PATH, says a hostile subject"],
        ):
            subprocess.run([*git, *words], check=True)

    def _program(self, path: str, mark: str) -> None:
        self._write(path, f"#!/bin/sh\n/usr/bin/touch {self._marks}/{mark}\nexit 1\n")
        Path(self.vault.root, path).chmod(0o755)

    def _write(self, path: str, text: str) -> None:
        write(self.vault, path, text)


@pytest.fixture
def planted(
    make_vault: VaultMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Planted]:
    planted = Planted(
        make_vault(now_ms=lambda: time.time_ns() // 1_000_000), tmp_path / "marks"
    )
    planted.vault.save("We deploy on Mondays")
    planted.plant()
    own = f"{planted.vault.root}/bin"
    monkeypatch.setenv("PATH", f"{own}:.:./bin:bin::{os.environ['PATH']}")
    monkeypatch.setenv("GIT_EXEC_PATH", own)
    monkeypatch.setenv("GIT_PYTHON_GIT_EXECUTABLE", f"{own}/git")
    monkeypatch.setenv("MEMCLI_VAULT", planted.vault.root)
    monkeypatch.setenv("EDITOR", "touch")
    monkeypatch.chdir(tmp_path)
    # `sync --auto` runs in this process, which cannot take its niceness back.
    monkeypatch.setattr(sync_setup, "be_nice", lambda: None)
    yield planted
    assert planted.ran == []


def said(*words: str) -> Any:
    """The `data` of a command's envelope, run in this process."""
    values = commands.parse(words[0], [*words[1:], "--json"])
    assert values is not None, words
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        code = run(words[0], values)
    answer = json.loads(out.buffer.getvalue())
    assert code in (0, 1), (words, answer)
    return answer["data"] if code == 0 else None


def id_of(text: str) -> str:
    rows: list[dict[str, str]] = said("recall", text)["rows"]
    return next(row["id"] for row in rows if text in row["text"])


def test_the_traps_would_run(planted: Planted) -> None:
    subprocess.run(["git", "status"], cwd=planted.vault.root, check=False)
    assert planted.ran == ["program-git"]
    (planted._marks / "program-git").unlink()


@pytest.mark.parametrize(
    "hooked",
    [
        pytest.param(False, id="quick"),
        pytest.param(True, id="by git commit", marks=pytest.mark.slow),
    ],
)
def test_no_command_runs_a_file_of_the_vault(planted: Planted, hooked: bool) -> None:
    if hooked:
        git_hook(planted.vault, "pre-commit", "exit 0")
    said("save", "We test on Fridays")
    first = id_of("We test on Fridays")
    said("evolve", first, "We test on Saturdays")
    second = id_of("We test on Saturdays")
    said("resolve", second)
    said("resolve", second, "--undo")
    said("undo", second)
    said("reflect", "when do we deploy?")
    vault = planted.vault
    vault.save_all([vault.draft({"text": f"fact {n} of many"}) for n in range(520)])
    # What the traps of a clone look like when they come by a sync.
    remote = f"{vault.root}.git"
    subprocess.run(
        ["/usr/bin/git", "clone", "-q", "--bare", vault.root, remote], check=True
    )
    said("sync", "--setup", remote)
    with Path(remote, "config").open("a") as file:
        file.write(f"[core]\n\tfsmonitor = touch {planted._marks}/remote\n")
    for words in (
        ["tag", second, "+x"], ["pin", second], ["pin", "--off", second],
        ["edit", second],
        ["log"], ["undo", "--dry-run"], ["undo"],
        ["view", "--out", f"{vault.root}.html"],
        ["verify"], ["export"], ["list"],
        ["list", "--by", "tag"], ["show", first],
        ["list", "--status", "resolved"], ["doctor"], ["config"],
        ["config", "set", "limits.body", "9000"],
        ["inspect"], ["inspect", first], ["inspect", "lint"], ["inspect", "index"],
        ["inspect", "git"], ["inspect", "sessions"], ["doctor", "--fix", "--dry-run"],
        ["doctor", "--fix", "--yes"], ["review"], ["ideas"], ["entities"], ["signals"],
        ["sync"], ["sync", "--auto", "--all"], ["sync", "--auto"],
        ["forget", first, "--dry-run"], ["forget", first, "--yes"],
    ):  # fmt: skip
        said(*words)
        assert planted.ran == [], words


def test_no_tool_of_mcp_and_no_hook_runs_a_file_of_the_vault(planted: Planted) -> None:
    from memcli.cli import render
    from memcli.cli.run import _context

    context = _context("mcp", None, True, render.Screen("mcp", as_json=True))
    answers = [
        call_tool(tool, {"text": "We meet at noon", "query": "deploy"}, context)
        for tool in TOOLS
    ]
    answers += [call_tool(tool, {"query": "deploy"}, context) for tool in TOOLS]
    answers += [call_tool(tool, {"text": "We eat at one"}, context) for tool in TOOLS]
    assert any(answer.data for answer in answers)
    payload = {"session_id": "s", "source": "startup", "prompt": "when do we deploy?"}
    made = hook.Call(["prompt-submit", "--host", "claude-code"])
    hook.answer(made, lambda: payload)
    assert "error" not in made.line, made.line


def test_what_a_hook_leaves_behind_imports_no_module_of_the_vault(
    planted: Planted,
) -> None:
    """As with PYTHONPATH=. in the shell that the host was started from."""
    environ = {**os.environ, "PYTHONPATH": "."}
    call = ("hook", "idle", "--host", "claude-code")
    processes.run(*call, environ=environ, real=True)
    for _ in range(600):
        lines = hook_log.last(planted.vault.root, 10)
        if any(line["event"] == "sweep" for line in lines):
            return
        time.sleep(0.05)
    pytest.fail("no sweep has ended")


def test_a_populated_submodule_is_not_looked_into(
    planted: Planted, tmp_path: Path
) -> None:
    """git itself would run the `core.fsmonitor` of the repository among the notes."""
    inner = Path(planted.vault.root, "x")
    subprocess.run(["/usr/bin/git", "init", "-q", str(inner)], check=False)
    with (inner / ".git" / "config").open("a") as file:
        file.write(f"[core]\n\tfsmonitor = touch {planted._marks}/inner\n")
    said("inspect", "lint")
    said("save", "We test on Fridays")
    assert planted.ran == []


def test_a_partial_clone_fetches_nothing(vault: Vault, tmp_path: Path) -> None:
    """What is missing is an error, not a call of the remote's program."""
    mark = tmp_path / "fetched"
    git = ["git", "-C", vault.root, "config"]
    for name, value in (
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", f"ext::touch {mark}"),
        ("protocol.ext.allow", "always"),
    ):
        subprocess.run([*git, name, value], check=True)
    repository = Repository.open(vault.root)
    missing = Blob("1" * 40, "memories/x.md", "")
    assert repository.contents([missing]) == [b""]
    assert not mark.exists()


def test_every_command_that_opens_a_vault_is_in_the_list() -> None:
    """A new command is to be added to the test above, or here."""
    tried = {
        "save", "evolve", "recall", "reflect", "resolve", "inspect",
        "review", "ideas", "entities", "signals", "forget", "hook", "mcp",
        "list", "show", "tag", "pin", "undo",
        "log", "edit", "export", "verify", "view", "doctor", "config",
        "sync",
    }  # fmt: skip
    elsewhere = {"init", "import", "install", "uninstall"}
    # The vault that a repository carries: tests/properties/test_hostile_vault.py.
    elsewhere |= {"allow", "promote"}
    elsewhere |= {"publish"}  # tests/properties/test_published.py
    elsewhere |= {"completion"}  # tests/cli/test_complete.py
    assert set(COMMANDS) - tried == elsewhere
