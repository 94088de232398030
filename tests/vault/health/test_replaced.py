"""A folder of memcli that a commit replaced by a link comes back with its files."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli import Vault
from memcli.errors import UnsafePath
from memcli.vault.caller import Caller
from memcli.vault.health import repair
from memcli.vault.health.lint import lint
from tests.clones import say, texts
from tests.git_command import git
from tests.saving import write


def replaced(vault: Vault, path: str, target: Path | None) -> None:
    """Let a commit have a link, or a file, where the folder was."""
    place = Path(vault.root, path)
    shutil.rmtree(place)
    if target is None:
        place.write_text("no folder\n")
    else:
        place.symlink_to(target)
    git(vault.root, "add", "--all")
    git(vault.root, "commit", "--quiet", "-m", "as a pull brings it")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    return write(tmp_path, "outside/secret.md", "not of the vault\n").parent


@pytest.mark.parametrize("path", ["memories", "memories/note", "archive"])
@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_folder_that_a_commit_replaced_is_named_and_comes_back_with_git(
    vault: Vault, outside: Path, path: str, kind: str
) -> None:
    told: list[str] = []
    before = say(vault, "We deploy on Tuesdays")
    vault.evolve(before, "We deploy on Mondays")
    replaced(vault, path, outside if kind == "link" else None)
    vault = Vault(vault.root, Caller(tell=told.append))
    vault.recall("deploy")
    assert [path in line for line in told] == [True] * (kind == "link")
    (found,) = [f for f in lint(vault) if f.code == "folder_replaced"]
    assert (found.path, found.level) == (path, "error")
    hint = (found.hint or "").partition(f"git -C {vault.root} log")[2].split()
    commit = git(vault.root, "log", "--format=%H", *hint).strip()
    git(vault.root, "revert", "--no-edit", commit)
    assert texts(Path(vault.root)) == {"We deploy on Tuesdays", "We deploy on Mondays"}
    assert [f.code for f in lint(vault)] == []
    assert [each.name for each in outside.iterdir()] == ["secret.md"]
    assert vault.recall("deploy").rows[0].text == "We deploy on Mondays"


def test_a_link_of_a_person_is_left_for_that_person(
    vault: Vault, outside: Path, snapshot: Callable[[str], dict[str, str]]
) -> None:
    say(vault, "We deploy on Tuesdays")
    shutil.move(Path(vault.root, "memories"), outside / "memories")
    Path(vault.root, "memories").symlink_to(outside / "memories")
    before = snapshot(vault.root)
    plan = repair.plan(vault)
    assert "folder_replaced" in {finding.code for finding in plan.left}
    assert snapshot(vault.root) == before
    with pytest.raises(UnsafePath, match="symbolic link") as refusal:
        say(vault, "We test on Fridays")
    assert "memcli inspect lint" in (refusal.value.hint or "")
