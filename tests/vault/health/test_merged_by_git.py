"""What plain git leaves where it merges two clones is named, and made as by a sync."""

import sys
from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation.changing import pin, tag
from memcli.entries.eligibility import View, standing
from memcli.entries.entry import Entry, Status, Visibility
from memcli.search.reader import Claims, Reader
from memcli.search.stored_row import StoredRow
from memcli.vault.create import let_git_merge
from memcli.vault.health import repair
from memcli.vault.health.lint import lint
from tests import clones
from tests.clones import Clones, say
from tests.git_command import git
from tests.saving import edit

PROGRAM = (sys.executable, "-P", "-m", "memcli")
NEW = "Checkout times out\n\nIt is the pool, and its limit of ten connections."


@pytest.fixture(scope="module")
def apart(ready_vault: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The laptop has tagged, pinned and closed one memory that the desk has replaced,
    and resolved another one, which has a version of another name there."""
    folder = tmp_path_factory.mktemp("apart")
    two = clones.make(ready_vault, folder, "laptop", "desk")
    laptop, desk = two.vault("laptop"), two.vault("desk")
    first = say(laptop, "We deploy on Tuesdays")
    other = say(laptop, "Payment is slow: look at the queue of the mailer")
    for name in ("laptop", "desk"):
        two.sync(name)
    tag(laptop, first, "release")
    pin(laptop, first)
    edit(laptop, first, "---\nid:", "---\nvisibility: private\nid:")
    laptop.resolve(other, by="ada", note="the queue is gone")
    two.sync("laptop")
    desk.evolve(first, "Deploys are on Mondays")
    desk.evolve(desk.evolve(other, "The mailer is slow, too").id, NEW)
    let_git_merge(desk.root, PROGRAM)
    return folder


@pytest.fixture
def two(apart: Path, tmp_path: Path) -> Clones:
    return clones.copied(apart, tmp_path, "laptop", "desk")


@pytest.fixture
def desk(two: Clones) -> Vault:
    """The desk's clone, once plain git has merged the laptop's."""
    git(two.roots["desk"], "pull", "--quiet", "--no-rebase", "--no-edit")
    return two.vault("desk")


def current(vault: Vault, text: str) -> Entry:
    """The last version of a memory, by its words."""
    stored = (vault.stored(vault.path_of(name)) for name in vault.read(_ids))
    (found,) = [each.entry for each in stored if each.entry.body.strip() == text]
    return found


def _ids(reader: Reader) -> list[str]:
    return [*reader.values("id")]


def codes(vault: Vault) -> dict[str, str]:
    return {finding.code: finding.message for finding in lint(vault)}


def left_out(vault: Vault) -> list[str]:
    """The fields that plain git left out, by entry."""
    found = [each.message for each in lint(vault) if each.code == "half_merged"]
    return [message.partition("changed: ")[2] for message in found]


def test_a_pull_by_git_is_made_whole_as_a_sync_would_have(
    two: Clones, desk: Vault
) -> None:
    deploys = current(desk, "Deploys are on Mondays")
    assert (deploys.tags, deploys.pinned) == ((), False)
    # What one clone has resolved is not shown, though its file says that it is active.
    assert current(desk, NEW).status is Status.ACTIVE
    assert desk.recall("checkout pool").rows == []
    name = current(desk, NEW).id
    facts = desk.read(lambda reader: reader.facts(reader.exact("id", name)[0]))
    assert standing(facts, View(0)) is Status.RESOLVED
    assert left_out(desk) == [
        "visibility",
        "resolution_note, resolved_at, resolved_by, resolved_text, status",
        "pinned, tags, visibility",
    ]
    assert "is resolved" in codes(desk)["resolved_before"]
    plan = repair.plan(desk)
    assert {step.code for step in plan.steps} == {"half_merged", "uncommitted"}
    assert repair.apply(desk, plan).ok
    whole = current(desk, "Deploys are on Mondays")
    assert (whole.tags, whole.pinned) == (("release",), True)
    assert whole.visibility is Visibility.PRIVATE
    solved = current(desk, NEW)
    assert (solved.status, solved.resolved_by) == (Status.RESOLVED, "ada")
    assert solved.resolution_note == "the queue is gone"
    assert repair.plan(desk).steps == []
    assert codes(desk).keys() == {"resolved_reworded"}
    two.sync("desk")
    two.sync("laptop")
    for entry in (whole, solved):
        assert two.vault("laptop").get(entry.id) == entry


def test_what_was_changed_since_the_merge_is_let_be(desk: Vault) -> None:
    tag(desk, current(desk, "Deploys are on Mondays").id, "mine")
    assert "tags" not in str(left_out(desk))


def test_a_merge_of_sync_leaves_nothing_out(two: Clones) -> None:
    two.sync("desk")
    desk = two.vault("desk")
    deploys = current(desk, "Deploys are on Mondays")
    assert (deploys.tags, deploys.pinned) == (("release",), True)
    assert deploys.visibility is Visibility.PRIVATE
    assert current(desk, NEW).status is Status.RESOLVED
    assert codes(desk).keys() == {"resolved_reworded"}


@pytest.mark.parametrize("repaired", [True, False])
def test_to_reopen_it_brings_back_the_last_version_alone(
    desk: Vault, repaired: bool
) -> None:
    name = current(desk, NEW).id
    if repaired:
        repair.apply(desk, repair.plan(desk))
    else:
        hints = [each.hint or "" for each in lint(desk)]
        (name,) = [hint.split()[-1] for hint in hints if "--undo" in hint]
    desk.reopen(name)
    repair.apply(desk, repair.plan(desk))
    assert [row.text for row in desk.recall("checkout mailer payment").rows] == [NEW]


def test_a_circle_of_resolved_versions_is_followed_once(vault: Vault) -> None:
    names = [f"{number:016d}" for number in range(300)]
    for name, later in zip(names, [*names[1:], names[0]], strict=True):
        head = f"---\nid: '{name}'\nstatus: resolved\nsuperseded_by: '{later}'\n---\n"
        Path(vault.root, f"{name}.md").write_text(f"{head}fact {name}\n")
    rows: list[int] = []

    def heirs(reader: Reader) -> dict[int, int]:
        store = reader.claims._store
        read = store.whole_row

        def stored(doc: int) -> StoredRow:
            rows.append(doc)
            return read(doc)

        store.whole_row = stored  # type: ignore[method-assign]
        return Claims(store).heirs

    assert len(vault.read(heirs)) == 1
    assert len(rows) < 6_000
