"""A sync that is killed at any step is completed by the next command and the next sync.

It dies at each step that memcli tells, and before and after each git that it starts.
Then a reader finds the vault as it was or as it is to be, and a sync brings both sides
together, with nothing lost and nothing twice.
"""

import os
import shutil
from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation import sync
from memcli.entries import layout
from memcli.storage import files
from memcli.vault.caller import Caller
from memcli.vault.health import repair
from tests import clones
from tests.clones import TERMS, Clones, dirty, say, texts, tree
from tests.conftest import sample, state_of
from tests.git_command import git
from tests.properties.test_kill_lifecycle import run_and_kill

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not hasattr(os, "fork"), reason="needs fork and SIGKILL, which Windows has not"
    ),
]

SAID = {"We deploy on Tuesdays", "We test on Fridays", "both have it", "by hand"}


@pytest.fixture(scope="module")
def apart(ready_vault: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a remote and two clones that have gone different ways."""
    folder = tmp_path_factory.mktemp("apart")
    two = clones.make(ready_vault, folder, "laptop", "desk")
    shared = two.vault("laptop")
    say(shared, "both have it")
    gone = shared.save("to be forgotten")
    two.sync("laptop")
    two.sync("desk")
    shared.forget(gone.id)
    say(two.vault("laptop"), "We deploy on Tuesdays")
    two.sync("laptop")
    say(two.vault("desk"), "We test on Fridays")
    note = two.roots["desk"] / "memories" / "note" / "hand.md"
    note.write_text("by hand\n")
    return folder


def copied(apart: Path, folder: Path) -> Clones:
    return clones.copied(apart, folder, "laptop", "desk")


def whole_again(two: Clones, before: str) -> None:
    desk = two.roots["desk"]
    two.vault("desk").recall("anything")  # finishes what was begun
    assert not state_of(desk, layout.JOURNAL).exists()
    now = set(dirty(desk).split("\n")) - {""}
    assert now <= {"?? memories/note/hand.md"}
    assert repair.plan(two.vault("desk")).left == []
    two.sync("desk")
    two.sync("laptop")
    for root in two.roots.values():
        assert texts(root) == SAID
        assert dirty(root) == ""
        git(root, "fsck", "--no-dangling")
    assert tree(desk) == tree(two.roots["laptop"]) == tree(two.remote, "main")
    git(two.remote, "merge-base", "--is-ancestor", before, "main")


def is_killed(two: Clones, step: int) -> bool:
    """Sync the desk in a child that dies at the n-th step; whether it did."""
    return run_and_kill(two.roots["desk"], lambda v: sync.sync(v, TERMS), step)


def steps(apart: Path, folder: Path) -> list[str]:
    names: list[str] = []
    two = copied(apart, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "reached", names.append)
        sync.sync(two.vault("desk"), TERMS)
    return names


def test_a_kill_at_any_step_is_finished_and_the_next_sync_completes_it(
    apart: Path, tmp_path: Path
) -> None:
    count = len(steps(apart, tmp_path / "counted"))
    assert count > 15
    for last in sample(range(1, count + 1), 2):
        two = copied(apart, tmp_path / f"step-{last}")
        before = two.tip()
        assert is_killed(two, last)
        whole_again(two, before)
        shutil.rmtree(tmp_path / f"step-{last}")


def test_an_edit_between_the_kill_and_the_next_command_is_kept(
    apart: Path, tmp_path: Path
) -> None:
    names = steps(apart, tmp_path / "counted")
    last = len(names) - names[::-1].index("journalled")
    two = copied(apart, tmp_path / "vaults")
    assert is_killed(two, last + 1)
    readme = two.roots["desk"] / "README.md"
    readme.write_text("a person's\n")
    two.vault("desk").recall("anything")
    assert readme.read_text() == "a person's\n"
    two.sync("desk")
    two.sync("laptop")
    assert texts(two.roots["laptop"]) == SAID
    assert (two.roots["laptop"] / "README.md").read_text() == "a person's\n"


def test_a_killed_sync_changes_no_other_branch_and_waits_for_its_own(
    apart: Path, tmp_path: Path
) -> None:
    """After the kill a person switches the branch."""
    names = steps(apart, tmp_path / "counted")
    first = len(names) - names[::-1].index("journalled")
    last = len(names) - names[::-1].index("committed")
    for step in (first, *sample(range(first + 1, last - 1), 1), last - 1):
        two = copied(apart, tmp_path / f"step-{step}")
        desk = two.roots["desk"]
        git(desk, "branch", "backup")
        before, tip = git(desk, "rev-parse", "backup"), two.tip()
        assert is_killed(two, step)
        git(desk, "switch", "--quiet", "backup")
        told: list[str] = []
        Vault(str(desk), Caller(tell=told.append)).recall("anything")
        assert any("killed sync of the branch main" in line for line in told)
        assert git(desk, "rev-parse", "backup") == before
        git(desk, "switch", "--quiet", "main")
        whole_again(two, tip)
