"""What one clone resolved and another one replaced stays resolved through plain git."""

import sys
from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries import codec
from memcli.entries.eligibility import View, standing
from memcli.entries.entry import Status
from memcli.search.reader import Claims, Reader
from memcli.vault.create import let_git_merge
from memcli.vault.health import repair
from memcli.vault.health.lint import lint
from tests import clones
from tests.clones import Clones, say
from tests.git_command import git

PROGRAM = (sys.executable, "-P", "-m", "memcli")
NEW = "Checkout times out\n\nIt is the pool, and its limit of ten connections."


@pytest.fixture(scope="module")
def apart(ready_vault: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The laptop has resolved what the desk has replaced by a version of another name;
    plain git has merged both in the clone of the desk."""
    folder = tmp_path_factory.mktemp("apart")
    two = clones.make(ready_vault, folder, "laptop", "desk")
    first = say(two.vault("laptop"), "Payment is slow: look at the queue of the mailer")
    for name in ("laptop", "desk"):
        two.sync(name)
    two.vault("laptop").resolve(first, by="ada", note="the queue is gone")
    two.sync("laptop")
    second = two.vault("desk").evolve(first, "The mailer is slow, too").id
    two.vault("desk").evolve(second, NEW)
    desk = two.roots["desk"]
    let_git_merge(str(desk), PROGRAM)
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    git(desk, *who, "pull", "--quiet", "--no-rebase", "--no-edit")
    return folder


@pytest.fixture
def two(apart: Path, tmp_path: Path) -> Clones:
    return clones.copied(apart, tmp_path, "laptop", "desk")


def newest(two: Clones) -> tuple[str, str]:
    """The id and the status in the file of the last version."""
    for path in two.roots["desk"].joinpath("memories").rglob("*.md"):
        entry = codec.decode(path.read_bytes(), path.name).entry
        if entry.body.strip() == NEW:
            return entry.id, str(entry.status)
    raise AssertionError("the last version is gone")


def test_it_is_not_shown_before_anything_was_repaired(two: Clones) -> None:
    desk = two.vault("desk")
    name, status = newest(two)
    assert status == "active"  # git knows no better
    assert desk.recall("checkout pool").rows == []
    facts = desk.read(lambda reader: reader.facts(reader.exact("id", name)[0]))
    assert standing(facts, View(0)) is Status.RESOLVED
    (finding,) = [each for each in lint(desk) if each.code == "resolved_before"]
    assert "is resolved" in finding.message


def test_repair_resolves_it_as_a_sync_would_have(two: Clones) -> None:
    desk = two.vault("desk")
    plan = repair.plan(desk)
    assert [step.code for step in plan.steps] == ["resolved_before"]
    assert repair.apply(desk, plan).steps == plan.steps
    name, status = newest(two)
    entry = desk.stored(desk.path_of(name)).entry
    assert (status, entry.resolved_by) == ("resolved", "ada")
    assert entry.resolution_note == "the queue is gone"
    assert repair.plan(desk).steps == []
    assert [each for each in lint(desk) if each.code == "resolved_before"] == []
    two.sync("desk")
    two.sync("laptop")
    assert two.vault("laptop").recall("checkout pool").rows == []


@pytest.mark.parametrize("repaired", [True, False])
def test_to_reopen_it_brings_back_the_last_version_alone(
    two: Clones, repaired: bool
) -> None:
    desk = two.vault("desk")
    name = newest(two)[0]
    if repaired:
        repair.apply(desk, repair.plan(desk))
    else:
        while before := desk.stored(desk.path_of(name)).entry.supersedes:
            name = before
    desk.reopen(name)
    desk = two.vault("desk")
    assert [row.text for row in desk.recall("checkout mailer payment").rows] == [NEW]
    assert repair.plan(desk).steps == []


def test_a_circle_of_resolved_versions_is_followed_once(vault: Vault) -> None:
    names = [f"{number:016d}" for number in range(300)]
    for name, later in zip(names, [*names[1:], names[0]], strict=True):
        head = f"---\nid: '{name}'\nstatus: resolved\nsuperseded_by: '{later}'\n---\n"
        Path(vault.root, f"{name}.md").write_text(f"{head}fact {name}\n")
    rows: list[int] = []

    def heirs(reader: Reader) -> dict[int, int]:
        store = reader.claims._store
        read = store.stored

        def stored(doc: int) -> bytes:
            rows.append(doc)
            return read(doc)

        store.stored = stored  # type: ignore[method-assign]
        return Claims(store).heirs

    assert len(vault.read(heirs)) == 1
    assert len(rows) < 6_000
