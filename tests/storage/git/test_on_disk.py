"""What a repository's files say of HEAD is what git says, or nothing."""

import os
import subprocess
from pathlib import Path

import pytest

from memcli.storage.checkout import CodeHistory
from memcli.storage.git import on_disk
from memcli.storage.git.repository import Repository
from tests.git_command import git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    return folder


def asked(folder: Path) -> str:
    command = ["git", "-C", str(folder), "rev-parse", "--verify", "--quiet", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def told(folder: Path) -> str:
    return on_disk.commit(git(folder, "rev-parse", "--absolute-git-dir").strip())


def test_the_commit_is_gits_loose_detached_and_in_a_linked_tree(
    repository: Path,
) -> None:
    assert told(repository) == asked(repository) == ""
    assert Repository.open(str(repository)).head() is None
    git(repository, "commit", "-q", "--allow-empty", "-m", "one")
    first = told(repository)
    assert first == asked(repository) != ""
    git(repository, "pack-refs", "--all")
    # Only git can tell then.
    assert told(repository) == ""
    assert CodeHistory(Repository.open(str(repository))).commit() == first
    git(repository, "commit", "-q", "--allow-empty", "-m", "two")  # loose over packed
    assert told(repository) == asked(repository) != first
    git(repository, "worktree", "add", "-q", "-b", "a/b", "../linked", first)
    linked = repository.parent / "linked"
    assert told(linked) == asked(linked) == first
    git(repository, "checkout", "-q", "--detach")
    assert told(repository) == asked(repository)
    assert Repository.open(str(linked)).head() == first


@pytest.mark.parametrize("what", ["folder", "words", "link", "pipe", "short"])
def test_a_strange_file_in_the_place_of_a_branch_tells_nothing(
    repository: Path, what: str
) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", "one")
    git(repository, "pack-refs", "--all")
    place = repository / ".git" / "refs" / "heads" / "main"
    if what == "folder":
        place.mkdir()
        (place / "other").touch()
    elif what == "link":
        place.symlink_to("nowhere")
    elif what == "pipe":
        os.mkfifo(place)
    else:
        place.write_text({"words": "ref: refs/heads/other", "short": "abcdef1"}[what])
    assert told(repository) == ""


@pytest.mark.parametrize("head", ["ref: refs/../../x", "ref: x", "", "\0", "a" * 41])
def test_a_strange_head_tells_nothing(repository: Path, head: str) -> None:
    (repository / ".git" / "HEAD").write_text(head)
    assert on_disk.commit(str(repository / ".git")) == ""
