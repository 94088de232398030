"""A command that is killed at any step has happened whole or not at all.

Each operation runs in a forked child whose steps, one after the other, end it
with SIGKILL. Clock and ids are fixed, so the state after a kill can be compared with
the state before the operation and with the state after it: it must be one of the two.
"""

import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli import Vault
from memcli.curation import review, undo
from memcli.entries import layout
from memcli.entries.entry import Status
from memcli.errors import EntryNotFound
from memcli.hosts.transcript import Step
from memcli.recall.query import from_words
from memcli.storage import files
from memcli.vault.caller import Caller
from memcli.vault.health import repair
from memcli.vault.health.inspect import overview
from tests.clones import Ids, entries
from tests.conftest import EVERYTHING, NOW, sample, state_of
from tests.forks import REFUSED, ended, steps_of
from tests.git_command import git
from tests.saving import every, taught

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not hasattr(os, "fork"), reason="needs fork and SIGKILL, which Windows has not"
    ),
]

State = dict[str, tuple[str, str, str | None, str | None]]
Act = Callable[[Vault], object]


def opened(root: Path, start: int) -> Vault:
    return Vault(
        str(root), Caller(now_ms=lambda: NOW * 1000 + start, entropy=Ids(start))
    )


def fill(root: Path) -> None:
    """A vault with something of every state; every run gives the same ids."""
    vault = opened(root, 1_000)
    save = vault.draft
    vault.save(save({"text": "We deploy on Tuesdays", "kind": "convention"}))
    vault.save(save({"text": "Deploys happen on Tuesdays", "kind": "convention"}))
    vault.save(save({"text": "Retest rerank", "item": "derived"}))
    solved = vault.save(save({"text": "Rerank is broken", "item": "derived"}))
    vault.resolve(solved.id)
    vault.save(save({"text": TALK[0], "kind": "preference"}))
    vault.save(save({"text": "We deploy at night", "status": "pending"}))
    vault.save(save({"text": "Use emacs", "status": "pending"}))
    changed = vault.save(save({"text": "The port is 80"}))
    vault.evolve(changed.id, "The port is 8080", reason="moved")
    review.approve(
        vault, vault.save(save({"text": "approved", "status": "pending"})).id
    )


def id_of(vault: Vault, text: str) -> str:
    """The id of the entry with this text; raises EntryNotFound."""
    held = state(Path(vault.root)).items()
    found = [name for name, entry in held if entry[1].strip() == text]
    if len(found) != 1:
        raise EntryNotFound(text)
    return found[0]


def state(root: Path) -> State:
    """Every entry of the vault, read without memcli's index: id -> what it is."""
    return {
        name: (entry.path, entry.body, str(entry.status), entry.superseded_by)
        for name, entry in entries(root).items()
    }


# A claim that is held, one that is not, one for review, one for the inbox, an idea.
TALK = (
    "Always run the rerank tests after every change",
    "Always run the linter before committing",
    "The bug was caused by a stale cache. Fixed by deleting .cache/",
    "remember also you have LSP tool access",
    "we should also do the export later",
)


def reflect_on_talk(vault: Vault, said: Sequence[str] = TALK) -> dict[str, int]:
    """Mine a session; what became of it."""
    steps = [Step("user", "hello", 1, "r1"), Step("assistant", "ok", 2, "r2")]
    for number, text in enumerate(said, 3):
        steps.append(Step("user", text, number, f"r{number}"))
        steps.append(Step("assistant", "ok", number, f"a{number}"))
    return taught(vault, "talk", steps).counts


SESSION = {"source": {"session": "s"}}
OPERATIONS: dict[str, Act] = {
    "save": lambda v: v.save("a new memory"),
    "save seen again": lambda v: v.save(
        v.draft({"text": "retest rerank", "item": "derived", **SESSION})
    ),
    "save recurred": lambda v: v.save("rerank is broken", item="derived"),
    "evolve": lambda v: v.evolve(
        id_of(v, "We deploy on Tuesdays"), "We deploy on Mondays", reason="freeze"
    ),
    "evolve also": lambda v: v.evolve(
        id_of(v, "We deploy on Tuesdays"),
        "We deploy on Mondays",
        also=[id_of(v, "Deploys happen on Tuesdays")],
    ),
    "revert": lambda v: v.revert(id_of(v, "The port is 8080")),
    "resolve": lambda v: v.resolve(
        id_of(v, "We deploy on Tuesdays"), id_of(v, "Retest rerank")
    ),
    "reopen": lambda v: v.reopen(id_of(v, "Rerank is broken")),
    "forget": lambda v: v.forget(id_of(v, "We deploy on Tuesdays")),
    "forget a version": lambda v: v.forget(id_of(v, "The port is 80")),
    "approve": lambda v: review.approve(
        v, id_of(v, "We deploy at night"), id_of(v, "Use emacs")
    ),
    "reject": lambda v: review.reject(v, id_of(v, "Use emacs"), reason="no"),
    "supersede": lambda v: review.supersede(
        v, id_of(v, "We deploy at night"), id_of(v, "We deploy on Tuesdays")
    ),
    "undo": lambda v: undo.undo(v),
    "reflect": lambda v: reflect_on_talk(v),
}


class Killed(NamedTuple):
    """A vault after a kill: `step` steps were reached, `died` at the last."""

    root: Path
    step: int
    died: bool


def run_and_kill(
    root: Path,
    act: Act,
    step: int,
    start: int = 2_000,
    at_step: Callable[[], None] | None = None,
) -> bool:
    """Run an operation in a child that dies at its n-th step; whether it did."""
    steps = 0

    def reached(_: str) -> None:
        nonlocal steps
        steps += 1
        if at_step:
            at_step()
        if steps == step:
            os.kill(os.getpid(), signal.SIGKILL)

    def run() -> None:
        files.reached = reached
        act(opened(root, start))

    code = ended(run)
    assert code in (0, REFUSED, -signal.SIGKILL)
    return code < 0


def everywhere(full: Path, folder: Path, act: Act, size: int = 2) -> Iterator[Killed]:
    """The vault after a kill at each step of an operation, then after no kill.

    Of the steps a sample, outside of `make test-all`.
    """
    root = folder / "counted"
    shutil.copytree(full, root)
    count = steps_of(lambda tell: run_and_kill(root, act, 0, at_step=tell))
    shutil.rmtree(root)
    for step in [*sample(range(1, count + 1), size), count + 1]:
        root = folder / f"step-{step}"
        shutil.copytree(full, root)
        died = run_and_kill(root, act, step)
        yield Killed(root, step, died)
        shutil.rmtree(root)


def dirty(root: Path) -> list[str]:
    rows = git(root, "status", "--porcelain", "-uall", "--no-renames")
    return sorted(row[3:].strip('"') for row in rows.splitlines())


def next_commands_work(root: Path) -> None:
    """A recall, then everything that a person would try."""
    vault = opened(root, 3_000)
    rows = every(vault, from_words("", NOW, statuses=[*map(str, Status)]))
    assert rows.warnings == []
    assert {row.id for row in rows.rows} == set(state(root))
    assert dirty(root) == overview(vault)["dirty"]
    found = repair.apply(vault, repair.plan(vault))
    assert found.left == []
    assert dirty(root) == []
    saved = vault.save("a later memory")
    assert saved.outcome == "created"
    git(root, "fsck", "--no-dangling")


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_a_killed_operation_has_happened_whole_or_not_at_all(
    full: Path, tmp_path: Path, name: str
) -> None:
    before = state(full)
    seen: list[State] = []
    checked: list[tuple[State, list[str]]] = []
    for killed in everywhere(full, tmp_path, OPERATIONS[name]):
        # The first reader after the kill finishes what was begun.
        opened(killed.root, 3_000).recall("anything")
        found = state(killed.root)
        if found not in seen:
            seen.append(found)
        if not killed.died:
            after = found
            assert dirty(killed.root) == []
            assert killed.step > 3
        # Kills that leave the same files leave the same work.
        left = (found, dirty(killed.root))
        if left not in checked:
            checked.append(left)
            next_commands_work(killed.root)
    if "save" in name and name != "save":  # a sighting is not in the state
        assert after == before
    else:
        assert after != before
    assert all(one in (before, after) for one in seen)
    # Words that were committed are there after every kill, except what is forgotten.
    if "forget" not in name:
        texts = {entry[1] for entry in after.values()}
        assert {entry[1] for entry in before.values()} <= texts


def test_a_reflection_that_is_killed_is_completed_by_the_next_one(
    full: Path, tmp_path: Path
) -> None:
    whole: list[State] = []
    said = TALK
    for killed in everywhere(full, tmp_path, reflect_on_talk, 4):
        vault = opened(killed.root, 4_000)
        counts = reflect_on_talk(vault, said)
        assert sum(counts.values()) == len(said)
        assert "duplicate" not in counts or counts == {"duplicate": len(said)}
        assert dirty(killed.root) == []
        found = state(killed.root)
        texts = sorted(entry[1] for entry in found.values())
        assert len(texts) == len(set(texts))
        whole.append({entry[0]: ("", *entry[1:]) for entry in found.values()})
        assert reflect_on_talk(vault, said) == {"duplicate": len(said)}
    assert len(whole) > 3
    for one in whole:
        assert one == whole[-1]


def test_who_finishes_a_killed_command_may_be_killed_as_well(
    full: Path, tmp_path: Path
) -> None:
    act = OPERATIONS["evolve also"]
    half = tmp_path / "half"
    shutil.copytree(full, half)
    # In the middle of its files: after the journal, before the last of them.
    steps = iter(range(1, 100))
    while not state_of(half, layout.JOURNAL).exists():
        shutil.rmtree(half)
        shutil.copytree(full, half)
        assert run_and_kill(half, act, next(steps))
    done = tmp_path / "done"
    shutil.copytree(full, done)
    act(opened(done, 2_000))
    for killed in everywhere(half, tmp_path, lambda v: v.recall("anything")):
        opened(killed.root, 3_000).recall("anything")
        assert state(killed.root) == state(done)
        assert dirty(killed.root) == []
        next_commands_work(killed.root)


@settings(max_examples=100 if EVERYTHING else 6)
@given(st.sampled_from(sorted(OPERATIONS)), st.integers(1, 30), st.data())
def test_kills_in_a_row_never_lose_a_committed_text(
    full: Path,
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    step: int,
    data: st.DataObject,
) -> None:
    root = tmp_path_factory.mktemp("row") / "vault"
    shutil.copytree(full, root)
    for number in range(3):
        kept = {entry[1] for entry in state(root).values()}
        # What an earlier one has done may make a later one refuse.
        run_and_kill(root, OPERATIONS[name], step, start=2_000 + 100 * number)
        opened(root, 3_000).recall("anything")
        if not name.startswith(("forget", "undo")):  # these take a text away
            assert kept <= {entry[1] for entry in state(root).values()}
        name = data.draw(st.sampled_from(sorted(OPERATIONS)))
        step = data.draw(st.integers(1, 30))
    next_commands_work(root)
    shutil.rmtree(root.parent)
