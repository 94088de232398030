"""A commit that would change nothing is not made, also beside staged changes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.storage.git import at_head, process
from memcli.storage.git.repository import Repository
from memcli.storage.git.work_tree import WorkTree
from tests.git_command import git


@pytest.fixture
def root(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    for name in ("a.md", "b.md"):
        (tmp_path / "notes").mkdir(exist_ok=True)
        (tmp_path / "notes" / name).write_text(f"{name}\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def stages_another_text(root: Path) -> None:
    (root / "notes" / "a.md").write_text("staged\n")
    git(root, "add", "-A")
    (root / "notes" / "a.md").write_text("a.md\n")


def stages_its_end(root: Path) -> None:
    git(root, "rm", "-q", "--cached", "notes/a.md")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("person", [stages_another_text, stages_its_end])
def test_file_as_in_head_is_no_commit_and_stays_as_it_is_staged(
    root: Path, person: Callable[[Path], None], *, packed: bool
) -> None:
    person(root)
    if packed:
        git(root, "repack", "-qad")
        git(root, "prune-packed")
    before = git(root, "status", "--porcelain")
    assert Repository.open(str(root)).commit(["notes/a.md"], "save") is None
    assert git(root, "rev-list", "--count", "HEAD") == "1\n"
    assert git(root, "status", "--porcelain") == before


def test_removal_of_a_file_that_was_only_staged_is_no_commit(root: Path) -> None:
    (root / "notes" / "new.md").write_text("new\n")
    git(root, "add", "-A")
    (root / "notes" / "new.md").unlink()
    assert Repository.open(str(root)).commit(["notes/new.md"], "forget") is None
    assert git(root, "rev-list", "--count", "HEAD") == "1\n"


def test_git_is_asked_about_what_it_keeps_alone(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def record(*where: object) -> process.GitResult:
        asked.append(where)
        return process.run(*where)  # type: ignore[arg-type]

    monkeypatch.setattr(at_head, "run", record)
    env = process.clean_environment(None)
    tree = WorkTree(str(root), str(root), str(root / ".git"), env, {})
    assert not at_head.may_hold(tree, {"notes/a.md": b"new\n", "notes/b.md": None})
    git(root, "repack", "-qad")
    assert not at_head.may_hold(tree, {"notes/a.md": b"new\n"})
    assert not asked
    assert not at_head.may_hold(tree, {"notes/a.md": b"b.md\n"})
    assert not at_head.may_hold(tree, {"notes/a.md": None})
    assert at_head.may_hold(tree, {"notes/a.md": b"a.md\n", "notes/c.md": None})
    assert len(asked) == 3
