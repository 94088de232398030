"""Three clones with random histories, brought together in any order, end equal.

They meet by `memcli sync`, or by plain git with memcli's merge driver and repair.
Commands and git are real; the merge alone has its own test of many more examples.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from memcli.curation import changing
from memcli.entries.entry import Status
from memcli.entries.file_checks import ERROR
from memcli.errors import MemcliError
from memcli.vault.create import let_git_merge
from memcli.vault.health import repair
from memcli.vault.health.lint import lint
from tests import clones
from tests.clones import Clones, dirty, entries, tree
from tests.conftest import EVERYTHING
from tests.git_command import git
from tests.lineages import check_lineages, check_resolved
from tests.properties.conftest import commit

pytestmark = pytest.mark.slow

NAMES = ("laptop", "desk", "server")
ACTS = (
    "save", "evolve", "evolve", "resolve", "reopen", "forget", "tag", "edit", "sync",
    "sync",
)  # fmt: skip

moves = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(ACTS), st.integers(0, 9)),
    min_size=4,
    max_size=14,
)


@pytest.fixture(scope="module")
def begun(ready_vault: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three clones that know the same three things."""
    folder = tmp_path_factory.mktemp("begun")
    three = clones.make(ready_vault, folder, *NAMES)
    vault = three.vault("laptop")
    for text in ("We deploy on Tuesdays", "The port is 80", "Retest the ranking"):
        clones.say(vault, text)
    for name in NAMES:
        three.sync(name)
    return folder


def by_git(three: Clones, name: str) -> None:
    """What a person does without `memcli sync`: commit, pull, repair, push.

    Where one side removed what the other moved or changed, git asks
    (docs/use/sharing.md): the person keeps what git has left there.
    """
    root = three.roots[name]
    let_git_merge(str(root), (sys.executable, "-P", "-m", "memcli"))
    commit(root)
    pull = ["git", "-C", str(root), "pull", "--quiet", "--no-rebase", "--no-edit"]
    done = subprocess.run(pull, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    asked = re.findall(r"CONFLICT \((?!rename/delete|modify/delete)", said)
    assert not done.returncode or ("CONFLICT" in said and not asked), said
    vault = three.vault(name)
    for _ in range(3):  # an entry in two forks takes two repairs
        planned = repair.plan(vault)
        if planned.steps:
            repair.apply(vault, planned)
    commit(root)
    git(root, "push", "--quiet", "origin", "main")


def act(three: Clones, name: str, what: str, number: int, step: int) -> str:
    """One thing that a person does on one machine; what is not allowed is let be.

    Returns the id of the entry that was resolved, or reopened.
    """
    vault = three.vault(name)
    current = [
        each
        for each in entries(three.roots[name]).values()
        if each.status in (Status.ACTIVE, Status.RESOLVED)
    ]
    if what == "save" or not current:
        clones.say(vault, f"fact {step} of {name}")
        return ""
    entry = sorted(current)[number % len(current)]
    edited = three.roots[name] / vault.path_of(entry.id)
    acts: dict[str, Callable[[], object]] = {
        "evolve": lambda: vault.evolve(
            entry.id, f"{entry.body.strip()}\nstep {step} of {name}"
        ),
        "resolve": lambda: vault.resolve(entry.id),
        "reopen": lambda: vault.reopen(entry.id),
        "forget": lambda: vault.forget(entry.id),
        "tag": lambda: changing.tag(vault, entry.id, f"t{number}"),
        "edit": lambda: edited.write_bytes(
            edited.read_bytes() + f"by hand {step}\n".encode()
        ),
    }
    with suppress(MemcliError):
        acts[what]()
        return entry.id if what in ("resolve", "reopen") else ""
    return ""


# An example takes a second, so a failure is shown as it was found.
@pytest.mark.parametrize("meet", [Clones.sync, by_git])
@settings(max_examples=60 if EVERYTHING else 1, phases=[Phase.generate])
@given(moves, st.permutations(NAMES))
def test_clones_end_equal_and_nothing_that_was_said_is_lost(
    begun: Path,
    tmp_path_factory: pytest.TempPathFactory,
    meet: Callable[[Clones, str], object],
    steps: list[tuple[str, str, int]],
    order: list[str],
) -> None:
    folder = tmp_path_factory.mktemp("three") / "clones"
    three = clones.copied(begun, folder, *NAMES)
    said: set[str] = set()
    changed: dict[str, set[str]] = {"resolve": set(), "reopen": set()}
    forgotten = any(what == "forget" for _, what, _ in steps)
    for step, (name, what, number) in enumerate(steps):
        if what == "sync":
            meet(three, name)
        elif entry_id := act(three, name, what, number, step):
            changed[what].add(entry_id)
        said |= {e.body.strip() for e in entries(three.roots[name]).values()}
    for name in (*order, *order):
        meet(three, name)
    ends = {name: entries(root) for name, root in three.roots.items()}
    assert len({tree(root) for root in three.roots.values()}) == 1
    assert all(dirty(root) == "" for root in three.roots.values())
    end = ends[NAMES[0]]
    if not forgotten:
        lines = {line for e in end.values() for line in e.body.splitlines()}
        assert {line for text in said for line in text.splitlines()} <= lines
    check_lineages(end)
    check_resolved(end, changed["resolve"], changed["reopen"])
    vault = three.vault(NAMES[0])
    assert [f for f in lint(vault) if f.level == ERROR] == []
    assert repair.plan(vault).steps == []
    if meet is Clones.sync:
        tip = three.tip()
        for name in order:
            meet(three, name)
        assert three.tip() == tip
    shutil.rmtree(folder)
