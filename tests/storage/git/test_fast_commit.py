"""The quick way makes the commit that git would make, or leaves it to git."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.storage.git import fast_commit, process
from memcli.storage.git.repository import Repository


def git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=root, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one commit and a vault in a folder of it."""
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "first.md").write_text("first\n")
    git(tmp_path, "add", "first.md")
    git(tmp_path, "commit", "-qm", "first")
    (tmp_path / "docs" / "vault").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands that were started, in their order."""
    started: list[str] = []
    real = process.run

    def record(
        root: str, env: dict[str, str], words: tuple[str, ...], data: bytes = b""
    ) -> process.GitResult:
        started.append(next(word for word in words if "=" not in word and word != "-c"))
        return real(root, env, words, data)

    monkeypatch.setattr(fast_commit, "run", record)
    return started


@pytest.mark.parametrize("folder", ["", "docs/vault"])
def test_quick_commit_is_the_one_that_git_makes(
    root: Path, folder: str, quick: list[str]
) -> None:
    vault = root / folder
    (root / "staged.txt").write_text("mine")
    git(root, "add", "staged.txt")
    name = "a b ü [x]*.md"
    (vault / name).write_bytes(b"\xef\xbb\xbfbody\r\n\0 raw")
    commit = Repository.open(str(vault)).commit([name], "save: #1 «x»\n\nbody")
    assert quick == ["config", "add", "fast-import"]
    assert commit == git(root, "rev-parse", "HEAD").strip()
    assert git(root, "log", "-1", "--format=%an <%ae>|%B") == (
        "Test User <test@example.com>|save: #1 «x»\n\nbody\n\n"
    )
    changed = git(root, "show", "-z", "--name-status", "--format=", "HEAD")
    assert changed == f"A\0{folder + '/' if folder else ''}{name}\0"
    assert git(root, "status", "--porcelain") == "A  staged.txt\n"
    git(root, "fsck", "--strict")


def sign(root: Path) -> None:
    git(root, "config", "commit.gpgsign", "false")


def hook(root: Path) -> None:
    path = root / ".git" / "hooks" / "post-commit"
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


def line_ends(root: Path) -> None:
    git(root, "config", "core.autocrlf", "input")


def attributes(root: Path) -> None:
    (root / ".gitattributes").write_text("*.md text eol=crlf\n")


def detached(root: Path) -> None:
    git(root, "checkout", "-q", "--detach")


def packed(root: Path) -> None:
    git(root, "pack-refs", "--all")


def hooks_elsewhere(root: Path) -> None:
    git(root, "config", "core.hooksPath", "/dev/null")


def compressed_names(root: Path) -> None:
    git(root, "update-index", "--index-version", "4")


@pytest.mark.parametrize(
    "reason",
    [
        sign,
        hook,
        line_ends,
        attributes,
        detached,
        packed,
        hooks_elsewhere,
        compressed_names,
    ],
)
def test_anything_unusual_takes_the_long_way(
    root: Path, reason: Callable[[Path], None], quick: list[str]
) -> None:
    reason(root)
    (root / "new.md").write_text("new\n")
    assert Repository.open(str(root)).commit(["new.md"], "save: new")
    assert "fast-import" not in quick
    assert git(root, "show", "--name-only", "--format=", "HEAD") == "new.md\n"


def test_failed_import_leaves_nothing_staged(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fast_commit, "_stream", lambda *_: b"nonsense\n")
    (root / "new.md").write_text("new\n")
    env = process.clean_environment(None)
    where = (str(root), str(root / ".git"), env)
    assert fast_commit.commit_quickly(*where, {"new.md": b"new\n"}, "save", "") is None
    assert git(root, "status", "--porcelain") == "?? new.md\n"
