"""A commit that is refused leaves git's index as it was, on a full disk, too."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from memcli.errors import WriteFailed
from memcli.storage.git.index_backup import IndexBackup
from memcli.storage.git.process import GitResult
from memcli.storage.git.repository import Repository
from tests.git_command import git


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one commit, and with settings that ask for `git commit`."""
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "core.hooksPath", "/dev/null")
    (tmp_path / "first.md").write_text("first\n")
    git(tmp_path, "add", "first.md")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def test_new_path_is_not_announced_when_the_disk_refuses_to_take_it_back(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Repository._git
    index = root / ".git" / "index"
    before = index.read_bytes()
    announced = []

    def full(self: Repository, words: Sequence[str], *rest: bytes) -> GitResult:
        if {"commit", "update-index"}.isdisjoint(words):
            return real(self, words, *rest)
        announced.append(index.read_bytes() != before)
        return GitResult(128, b"", b"fatal: No space left on device")

    monkeypatch.setattr(Repository, "_git", full)
    (root / "new.md").write_text("new\n")
    repository = Repository.open(str(root))
    with pytest.raises(WriteFailed, match="nothing was changed"):
        repository.commit(["new.md"], "save")
    assert announced == [True, True]
    assert index.read_bytes() == before
    assert not repository.unsettled
    assert git(root, "status", "--porcelain") == "?? new.md\n"
    assert not list((root / ".git").glob("memcli-index-*"))
    assert not list((root / ".git").glob("*.lock"))


def test_what_another_git_wrote_since_then_stays(root: Path) -> None:
    backup = IndexBackup(str(root / ".git"))
    (root / "new.md").write_text("new\n")
    git(root, "add", "-N", "new.md")
    backup.note_change()
    (root / "theirs.md").write_text("theirs\n")
    git(root, "add", "theirs.md")
    assert not backup.put_back()
    assert "A  theirs.md\n" in git(root, "status", "--porcelain")
    backup.note_change()
    (root / ".git" / "index.lock").touch()
    assert not backup.put_back(), "another git holds the lock"
    (root / ".git" / "index.lock").unlink()
    assert backup.put_back()
    assert git(root, "status", "--porcelain") == "?? new.md\n?? theirs.md\n"
    backup.drop()
    assert not list((root / ".git").glob("memcli-index-*"))
