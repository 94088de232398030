"""What the history of a project says of its code, without a program of its settings."""

import os
import time
from pathlib import Path

import pytest

from memcli.storage.checkout import CodeHistory
from tests.git_command import git, program

TEXT = b"".join(b"line %d of the file\n" % number for number in range(20))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "web" / "src").mkdir(parents=True)
    (folder / "web" / "src" / "app.py").write_bytes(TEXT)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def head(folder: Path) -> str:
    return git(folder, "rev-parse", "HEAD").strip()


def opened(folder: Path) -> CodeHistory:
    history = CodeHistory.open(str(folder), os.environ)
    assert history is not None
    return history


def test_the_commit_is_read_without_starting_git(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(shop, "worktree", "add", "-q", str(tmp_path / "tree"))
    want = head(shop)
    monkeypatch.setenv("PATH", "/nowhere")
    for folder in (shop, shop / "web", tmp_path / "tree"):
        assert opened(folder).commit() == want


def test_a_file_is_as_it_was_also_from_a_folder_of_the_repository(shop: Path) -> None:
    commit = head(shop)
    (shop / "web" / "src" / "app.py").write_bytes(b"other\n")
    git(shop, "commit", "-qam", "second")
    assert opened(shop / "web").was(commit[:12], "src/app.py", 1_000_000) == TEXT
    assert opened(shop).was(commit, "web/src/app.py", 1_000_000) == TEXT
    assert opened(shop).was(commit, "web/src/app.py", 10) is None
    assert opened(shop).was(commit, "web/src", 1_000_000) is None
    for strange in ("0" * 12, "--help", "HEAD", ""):
        assert opened(shop).was(strange, "web/src/app.py", 1_000_000) is None


def test_a_search_that_takes_too_long_is_ended(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin"
    program(slow / "git", "exec sleep 30")
    monkeypatch.setenv("PATH", f"{slow}:{os.environ['PATH']}")
    before = time.monotonic()
    assert opened(shop).last_commits(1, 0.05) == []
    assert time.monotonic() - before < 2


def test_no_program_of_the_repositorys_settings_runs(
    shop: Path, tmp_path: Path
) -> None:
    trap = program(tmp_path / "trap", f"touch {tmp_path}/sprung\ncat")
    commit = head(shop)
    (shop / ".gitattributes").write_text("* diff=x filter=x\n")
    git(shop, "add", ".gitattributes")
    git(shop, "commit", "-q", "-m", "attributes")
    for name in (
        *("core.fsmonitor", "core.pager", "gpg.program", "diff.external"),
        *("diff.x.textconv", "diff.x.command", "filter.x.clean", "filter.x.process"),
    ):
        git(shop, "config", name, str(trap))
    git(shop, "config", "log.showSignature", "true")
    for path in shop.rglob("*.py"):
        path.write_bytes(path.read_bytes() + b"\n")
    history = opened(shop)
    assert any("attributes" in line for line in history.last_commits(5, 5))
    history.unfinished(5)
    history.was(commit, "web/src/app.py", 1_000_000)
    assert not (tmp_path / "sprung").exists()
