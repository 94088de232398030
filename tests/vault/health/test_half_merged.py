"""What plain git leaves on the old version is taken over by the new one."""

import sys
from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation.in_place import pin, tag
from memcli.entries.entry import Entry, Visibility
from memcli.vault.create import let_git_merge
from memcli.vault.health import repair
from memcli.vault.health.lint import lint
from tests import clones
from tests.clones import Clones, say
from tests.git_command import git

PROGRAM = (sys.executable, "-P", "-m", "memcli")


@pytest.fixture(scope="module")
def apart(ready_vault: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The laptop has tagged, pinned and closed what the desk has replaced."""
    folder = tmp_path_factory.mktemp("apart")
    two = clones.make(ready_vault, folder, "laptop", "desk")
    laptop, desk = two.vault("laptop"), two.vault("desk")
    first = say(laptop, "We deploy on Tuesdays")
    for name in ("laptop", "desk"):
        two.sync(name)
    tag(laptop, first, add=["release"])
    pin(laptop, [first])
    place = Path(laptop.root, laptop.path_of(first))
    text = place.read_text(encoding="utf-8")
    closed = text.replace("---\nid:", "---\nvisibility: private\nid:", 1)
    place.write_text(closed, encoding="utf-8")
    two.sync("laptop")
    desk.evolve(first, "Deploys are on Mondays")
    let_git_merge(desk.root, PROGRAM)
    return folder


@pytest.fixture
def two(apart: Path, tmp_path: Path) -> Clones:
    return clones.copied(apart, tmp_path, "laptop", "desk")


def current(vault: Vault) -> Entry:
    (row,) = vault.recall("deploys mondays").rows
    return vault.stored(row.path).entry


def test_a_pull_by_git_is_made_whole_as_a_sync_would_have(two: Clones) -> None:
    git(two.roots["desk"], "pull", "--quiet", "--no-rebase", "--no-edit")
    desk = two.vault("desk")
    assert (current(desk).tags, current(desk).pinned) == ((), False)
    (finding,) = [each for each in lint(desk) if each.code == "half_merged"]
    assert finding.message.endswith("changed: pinned, tags, visibility")
    assert repair.apply(desk, repair.plan(desk)).ok
    whole = current(desk)
    assert (whole.tags, whole.pinned) == (("release",), True)
    assert whole.visibility is Visibility.PRIVATE
    assert repair.plan(desk).steps == []
    two.sync("desk")
    two.sync("laptop")
    assert current(two.vault("laptop")) == whole


def test_what_was_changed_since_the_merge_is_let_be(two: Clones) -> None:
    git(two.roots["desk"], "pull", "--quiet", "--no-rebase", "--no-edit")
    desk = two.vault("desk")
    tag(desk, current(desk).id, add=["mine"])
    assert [each for each in lint(desk) if each.code == "half_merged"] == []


def test_a_merge_of_sync_leaves_nothing_out(two: Clones) -> None:
    two.sync("desk")
    desk = two.vault("desk")
    assert (current(desk).tags, current(desk).pinned) == (("release",), True)
    assert current(desk).visibility is Visibility.PRIVATE
    assert lint(desk) == []
