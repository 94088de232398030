"""Repositories for tests of commits: copies of ones that git made once."""

import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import isolated_environment
from tests.git_command import git


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository without a commit (`empty`), and one with two (`tracked`), whose
    first is `first`."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in isolated_environment(folder).items():
            patch.setenv(name, value)
        git(folder, "init", "-q", "-b", "main", "empty")
        shutil.rmtree(folder / "empty" / ".git" / "hooks")
        for name, before, path in (
            ("first", "empty", "first.md"),
            ("tracked", "first", "notes/b.md"),
        ):
            shutil.copytree(folder / before, folder / name)
            place = folder / name / path
            place.parent.mkdir(exist_ok=True)
            place.write_text(f"{place.stem}\n")
            git(folder / name, "add", path)
            git(folder / name, "commit", "-qm", place.stem)
    return folder


def copied(made: Path, name: str, folder: Path) -> Path:
    """A copy of a repository, in which git sees nothing that has changed."""
    shutil.copytree(made / name, folder, dirs_exist_ok=True)
    if name != "empty":
        git(folder, "update-index", "-q", "--refresh")
    return folder


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    """A repository with one commit and a vault in a folder of it."""
    os.makedirs(tmp_path / "docs" / "vault")
    return copied(made, "first", tmp_path)


@pytest.fixture
def tracked(made: Path, tmp_path: Path) -> Path:
    """The repository, with a folder of which its index holds something."""
    os.makedirs(tmp_path / "docs" / "vault")
    return copied(made, "tracked", tmp_path)
