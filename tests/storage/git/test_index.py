"""A commit leaves git's index as a person has it, and is itself in it."""

import errno
import os
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.errors import LockBusy, WriteFailed
from memcli.storage.git import commit as commits
from memcli.storage.git.index_lock import IndexLock, release
from memcli.storage.git.repository import Repository
from tests.git_command import git, hook


def on_another_branch(root: Path) -> None:
    git(root, "checkout", "-q", "--orphan", "new")


def without_a_commit(root: Path) -> None:
    shutil.rmtree(root / ".git")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "first.md")


@pytest.mark.parametrize("unborn", [on_another_branch, without_a_commit])
def test_first_commit_of_a_branch_leaves_what_is_staged(
    root: Path, unborn: Callable[[Path], None]
) -> None:
    unborn(root)
    (root / "new.md").write_text("new\n")
    assert commits.commit(Repository.open(str(root)), ["new.md"], "save")
    assert git(root, "ls-tree", "-r", "--name-only", "HEAD") == "new.md\n"
    assert git(root, "status", "--porcelain") == "A  first.md\n"


def make_old(*places: Path) -> None:
    """Give all of them the same time."""
    for place in places:
        os.utime(place, (1_700_000_000, 1_700_000_000))


@pytest.mark.parametrize("text", ["b\n", "B\n"], ids=["unchanged", "changed"])
def test_edit_that_only_the_time_of_the_index_betrays_is_seen_after_a_save(
    tracked: Path, text: str
) -> None:
    """Made in the second in which the index was written, with the same size."""
    git(tracked, "config", "core.trustctime", "false")  # it takes no second to wait
    place = tracked / "notes" / "b.md"
    make_old(place)
    git(tracked, "add", "--refresh", "notes/b.md")
    git(tracked, "update-index", "-q", "--really-refresh")
    place.write_text(text)
    make_old(place, tracked / ".git" / "index")
    seen = " M notes/b.md\n" if text == "B\n" else ""
    (tracked / "notes" / "a.md").write_text("a\n")
    assert commits.commit(Repository.open(str(tracked)), ["notes/a.md"], "save")
    assert git(tracked, "status", "--porcelain") == seen


def test_index_of_a_shared_repository_stays_readable(root: Path) -> None:
    """Also where git puts the file in."""
    git(root, "config", "core.sharedRepository", "group")
    git(root, "update-index", "--untracked-cache")
    before = os.umask(0o077)
    try:
        (root / "top.md").write_text("new\n")
        assert commits.commit(Repository.open(str(root)), ["top.md"], "save")
    finally:
        os.umask(before)
    assert stat.S_IMODE((root / ".git" / "index").stat().st_mode) & 0o060 == 0o060


@pytest.mark.parametrize("path", ["notes/a.md", "notes/b.md"])
def test_what_is_staged_a_moment_after_the_commit_stays(
    tracked: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    install = IndexLock.install

    def then_a_person(lock: IndexLock) -> bool:
        installed = install(lock)
        os.unlink(tracked / ".git" / "index.lock")
        (tracked / path).write_text("newer\n")
        git(tracked, "add", path)
        return installed

    monkeypatch.setattr(IndexLock, "install", then_a_person)
    (tracked / path).write_text("saved\n")
    assert commits.commit(Repository.open(str(tracked)), [path], "save")
    assert git(tracked, "show", f"HEAD:{path}") == "saved\n"
    assert git(tracked, "show", f":{path}") == "newer\n"


def test_the_lock_of_a_command_that_runs_is_not_taken_away(tracked: Path) -> None:
    with IndexLock(str(tracked / ".git"), {}):
        assert not release(str(tracked / ".git"))
        assert (tracked / ".git" / "index.lock").exists()


def test_copies_of_killed_commands_are_removed(tracked: Path) -> None:
    left = tracked / ".git" / "memcli-index-1"
    left.write_text("left")
    (tracked / "notes" / "a.md").write_text("a\n")
    assert commits.commit(Repository.open(str(tracked)), ["notes/a.md"], "save")
    assert not left.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="its lock holds no mark")
def test_full_disk_leaves_no_lock_of_the_index(
    tracked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(os, "write", full)
        with pytest.raises(WriteFailed), IndexLock(str(tracked / ".git"), {}):
            pass
    assert not list((tracked / ".git").glob("*lock*"))


@pytest.mark.skipif(sys.platform == "win32", reason="its lock holds no mark")
def test_a_disk_without_second_names_has_the_lock_too(
    tracked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    (tracked / "notes" / "a.md").write_text("a\n")
    assert commits.commit(Repository.open(str(tracked)), ["notes/a.md"], "save")
    assert git(tracked, "status", "--porcelain") == ""
    assert not list((tracked / ".git").glob("*lock*"))


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_pipe_in_the_place_of_the_lock_holds_nobody_up(tracked: Path) -> None:
    os.mkfifo(tracked / ".git" / "index.lock")
    (tracked / "notes" / "a.md").write_text("a\n")
    with pytest.raises(LockBusy):
        commits.commit(
            Repository.open(str(tracked)), ["notes/a.md"], "save", patience=0
        )


def test_index_that_another_git_wrote_meanwhile_is_put_right(
    tracked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `git commit PATH` does, which reads the index before it locks it."""
    index = tracked / ".git" / "index"
    old = index.read_bytes()
    install = IndexLock.install

    def then_another_git(lock: IndexLock) -> bool:
        installed = install(lock)
        for _ in range(2):  # the second may be given the number of the first
            (tracked / ".git" / "theirs").write_bytes(old)
            os.replace(tracked / ".git" / "theirs", index)
        return installed

    monkeypatch.setattr(IndexLock, "install", then_another_git)
    (tracked / "notes" / "a.md").write_text("a\n")
    assert commits.commit(Repository.open(str(tracked)), ["notes/a.md"], "save")
    assert git(tracked, "status", "--porcelain") == ""


@pytest.mark.parametrize("name", ["pre-commit", "post-commit"])
@pytest.mark.parametrize("folder", ["", "docs/vault"])
def test_what_a_hook_commits_is_not_staged_as_deleted(
    root: Path, name: str, folder: str
) -> None:
    text = "test -e log.txt || { echo a > log.txt; echo a >> first.md; git add"
    text += " log.txt first.md; }"
    if name == "post-commit":
        text = text.replace("; }", "; git commit -qm log; }")
    hook(root, name, text)
    (root / "staged.txt").write_text("mine")
    git(root, "add", "staged.txt")
    vault = root / folder
    (vault / "new.md").write_text("new\n")
    assert commits.commit(Repository.open(str(vault)), ["new.md"], "save")
    assert "log.txt" in git(root, "ls-tree", "--name-only", "HEAD")
    assert git(root, "status", "--porcelain") == "A  staged.txt\n"
