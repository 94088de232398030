"""Repositories for tests of commits."""

from pathlib import Path

import pytest

from tests.git_command import git


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
def tracked(root: Path) -> Path:
    """The repository, with a folder of which its index holds something."""
    (root / "notes").mkdir()
    (root / "notes" / "b.md").write_text("b\n")
    git(root, "add", "notes")
    git(root, "commit", "-qm", "notes")
    return root
