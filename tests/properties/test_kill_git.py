"""What is killed around git, inside it, or in between has happened whole or not at all.

`test_kill_lifecycle` kills at the steps of a transaction. Here memcli dies before and
after each git that it starts, at each of its calls to the system, and together with
the git that is at work, at any moment; and it is interrupted, as by Ctrl-C. Then the
first reader leaves a vault that is clean.
"""

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli import Vault
from memcli.curation import review, undo
from memcli.entries import layout
from memcli.storage.git import staging
from memcli.vault.health import repair
from memcli.vault.health.inspect import overview
from memcli.vault.health.lint import lint
from tests.conftest import EVERYTHING, sample, state_of
from tests.forks import INTERRUPTED, child, ended, steps_of
from tests.git_command import git
from tests.properties.test_kill_lifecycle import (
    OPERATIONS,
    Act,
    State,
    dirty,
    id_of,
    opened,
    run_and_kill,
    state,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not hasattr(os, "fork"), reason="needs fork and SIGKILL, which Windows has not"
    ),
]

IMPORTED = [f"imported in bulk, number {number}" for number in range(20)]
# One of each way to commit: new, changed, several, moved, removed.
COMMITS = (
    "save",
    "save seen again",
    "evolve also",
    "resolve",
    "forget",
    "approve",
    "undo",
)
Hook = Callable[[], None]


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def watched(act: Callable[[], object]) -> tuple[int, int]:
    """As `child`; and a pipe that ends when neither it nor a git of its own lives."""
    pipe, held = os.pipe()
    os.set_inheritable(held, True)
    pid = child(act)
    os.close(held)
    return pid, pipe


def at_git(number: int, before: Hook | None, after: Hook | None) -> None:
    """In a child: do something before or after the n-th git that is started."""
    start, count = os.posix_spawn, 0

    def counted(*words: Any, **options: Any) -> int:
        nonlocal count
        count += 1
        if count == number and before:
            before()
        pid = start(*words, **options)
        if count == number and after:
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            after()
        return pid

    os.posix_spawn = counted


def gits_of(full: Path, folder: Path, act: Act, call: str = "posix_spawn") -> int:
    """How many gits an operation starts, or waits for (`waitpid`)."""
    root = folder / "counted"
    shutil.copytree(full, root)

    def run(tell: Hook) -> None:
        def counted() -> None:
            real = getattr(os, call)

            def noted(*words: Any, **options: Any) -> Any:
                tell()
                return real(*words, **options)

            setattr(os, call, noted)
            act(opened(root, 2_000))

        assert ended(counted) == 0

    count = steps_of(run)
    shutil.rmtree(root)
    return count


def at_each_git(
    full: Path, folder: Path, act: Act, size: int = 3
) -> Iterator[tuple[Path, int, str, bool]]:
    """(vault, number, when, whether it died) for each git, then without a kill.

    Of the kills a sample, outside of `make test-all`.
    """
    numbers = range(1, gits_of(full, folder, act) + 1)
    kills = [(number, when) for number in numbers for when in ("before", "after")]
    for number, when in [*sample(kills, size), (0, "after")]:
        root = folder / f"{number}-{when}"
        shutil.copytree(full, root)

        def run(number: int = number, when: str = when, root: Path = root) -> None:
            hooks = (die, None) if when == "before" else (None, die)
            at_git(number, *hooks)
            act(opened(root, 2_000))

        code = ended(run)
        assert code == (-signal.SIGKILL if number else 0)
        yield root, number, when, code != 0
        shutil.rmtree(root)


def whole(root: Path) -> None:
    """After the first reader nothing is left to do, and a save works."""
    vault = opened(root, 3_000)
    vault.recall("anything")
    assert dirty(root) == []
    assert not state_of(root, layout.JOURNAL).exists()
    assert repair.plan(vault).steps == []
    saved = vault.save("a later memory")
    assert saved.outcome == "created"
    assert dirty(root) == []
    git(root, "fsck", "--no-dangling")


@pytest.mark.parametrize("name", [*COMMITS, "supersede"])
def test_a_kill_at_any_call_to_the_system_is_finished_by_the_first_reader(
    full: Path, tmp_path: Path, name: str
) -> None:
    """Before and after each git, and inside of what has no steps: lock, journal."""
    start = tmp_path / "start"
    shutil.copytree(full, start)
    opened(start, 1_500).recall("anything")
    before = state(start)

    def act(root: Path, last: int, tell: Hook = lambda: None) -> None:
        calls = 0

        def hook(event: str, words: tuple[Any, ...]) -> None:
            nonlocal calls
            # The index has a test of its own, and 200 calls.
            if event not in ("open", "os.rename", "os.remove", "os.posix_spawn"):
                return
            where = [str(word) for word in words[:2]]
            if event != "os.posix_spawn" and not any(
                str(root) in word and "index" not in word for word in where
            ):
                return
            calls += 1
            tell()
            if calls == last:
                die()

        vault = opened(root, 2_000)
        sys.addaudithook(hook)
        OPERATIONS[name](vault)

    root = tmp_path / "counted"
    shutil.copytree(start, root)
    count = steps_of(lambda tell: ended(partial(act, root, 0, tell)))
    assert count > 10
    seen: list[State] = []
    for last in [*sample(range(1, count + 1), 3), 0]:
        root = tmp_path / f"call-{last}"
        shutil.copytree(start, root)
        code = ended(partial(act, root, last))
        assert code == (-signal.SIGKILL if last else 0)
        opened(root, 3_000).recall("anything")
        found = state(root)
        if found not in seen or last % 5 == 0:
            whole(root)
        assert dirty(root) == []
        seen.append(found)
        shutil.rmtree(root)
    assert all(one in (before, seen[-1]) for one in seen)
    assert seen[-1] != before or name == "save seen again"


@settings(max_examples=80 if EVERYTHING else 6)
@given(
    st.sampled_from(["save", "evolve also", "resolve", "approve", "forget", "undo"]),
    st.integers(0, 60),
    st.booleans(),
)
def test_memcli_dies_at_any_moment_and_its_git_with_it_or_after_it(
    full: Path,
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    moment: int,
    alone: bool,
) -> None:
    """As when a machine is reset, or when memcli alone is killed and git goes on.

    A git that dies may leave a lock, which is named.
    """
    root = tmp_path_factory.mktemp("together") / "vault"
    shutil.copytree(full, root)
    before = state(root)
    pid, last = watched(lambda: OPERATIONS[name](opened(root, 2_000)))
    time.sleep(moment / 1_000)
    (os.kill if alone else os.killpg)(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    vault = opened(root, 3_000)
    if alone:
        vault.recall("anything")  # beside the git that is still at work
    # A killed process ends the call that it is in, so its rename may come later.
    with open(last, "rb") as pipe:
        pipe.read()
    vault.recall("anything")
    locks = sorted(path for path in (root / ".git").rglob("*.lock"))
    if locks:
        # Nothing is committed behind a lock, and nothing is lost.
        assert dirty(root) == overview(vault)["dirty"]
        for lock in locks:
            os.utime(lock, (1, 1))  # ten minutes later no git is at work any more
        assert "git_lock" in [step.code for step in repair.plan(vault).steps]
        repair.apply(vault, repair.plan(vault))
    found = state(root)
    if name != "forget":
        kept = {entry[1] for entry in before.values()}
        assert kept <= {entry[1] for entry in found.values()}
    assert [one for one in lint(vault) if one.level == "error"] == []
    assert repair.apply(vault, repair.plan(vault)).left == []
    whole(root)
    shutil.rmtree(root.parent)


@pytest.mark.parametrize("lock", ["index.lock", "refs/heads/main.lock"])
def test_what_a_dead_git_keeps_from_its_commit_is_not_taken_for_the_users(
    full: Path, tmp_path: Path, lock: str
) -> None:
    """Files that memcli staged before it was killed are named and repaired."""
    (name,) = sample(COMMITS, 1)[:1]
    for root, _, _, died in at_each_git(full, tmp_path, OPERATIONS[name], 3):
        path = root / ".git" / lock
        path.write_bytes(b"")  # also where memcli's own was left
        opened(root, 3_000).recall("anything")
        assert dirty(root) == overview(opened(root, 3_000))["dirty"]
        os.utime(path, (1, 1))  # ten minutes later no git is at work any more
        opened(root, 3_000).recall("anything")
        if died:
            vault = opened(root, 3_000)
            assert repair.apply(vault, repair.plan(vault)).left == []
            whole(root)


@pytest.mark.parametrize("name", ["save", "evolve also", "forget"])
@pytest.mark.parametrize("moment", ["before", "during", "after"])
def test_an_interrupt_at_any_git_leaves_nothing_in_the_index_of_the_user(
    full: Path, tmp_path: Path, name: str, moment: str
) -> None:
    """Ctrl-C: what a person commits next does not hold what was taken back."""
    before = state(full)
    call = "waitpid" if moment == "after" else "posix_spawn"
    count = gits_of(full, tmp_path, OPERATIONS[name], call)
    assert count > 1
    for number in [*sample(range(1, count + 1), 1), count + 1]:
        root = tmp_path / str(number)
        shutil.copytree(full, root)

        def interrupt() -> None:
            raise KeyboardInterrupt

        def run(number: int = number, root: Path = root) -> None:
            if moment == "during":
                interrupt_the_git(number)
            else:
                hooks = (interrupt, None) if moment == "before" else (None, None)
                at_git(number, *hooks)
            if moment == "after":
                interrupted_after(number)
            OPERATIONS[name](opened(root, 2_000))

        code = ended(run)
        assert code in (0, INTERRUPTED)
        assert dirty(root) == []
        assert not state_of(root, layout.JOURNAL).exists()
        if code == INTERRUPTED:
            assert state(root) == before
        whole(root)
        shutil.rmtree(root)
    assert code == 0


def interrupt_the_git(number: int) -> None:
    """In a child: the terminal interrupts memcli and the n-th git, which dies of it."""
    start, wait, count, told = os.posix_spawn, os.waitpid, 0, False

    def started(program: str, words: list[str], *rest: Any, **options: Any) -> int:
        nonlocal count
        count += 1
        if count == number:  # it has done nothing of its work
            words = ["git", "version"]
        return start(program, words, *rest, **options)

    def waited(pid: int, options: int) -> tuple[int, int]:
        nonlocal told
        if count == number and not told:
            told = True
            raise KeyboardInterrupt
        found = wait(pid, options)
        return (found[0], signal.SIGINT) if count == number else found

    os.posix_spawn, os.waitpid = started, waited  # type: ignore[assignment]


def interrupted_after(number: int) -> None:
    """In a child: the interrupt comes when the n-th git has done its work."""
    wait, count, told = os.waitpid, 0, False

    def waited(pid: int, options: int) -> tuple[int, int]:
        nonlocal count, told
        count += not told
        if count == number and not told:
            told = True
            raise KeyboardInterrupt
        return wait(pid, options)

    os.waitpid = waited


def test_a_bulk_import_that_is_killed_at_any_git_leaves_no_lock_that_lasts(
    full: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So many are a bulk here: 500 take the same way, and longer.
    monkeypatch.setattr(staging, "MANY", len(IMPORTED))

    def act(vault: Vault) -> None:
        vault.save_all([vault.draft({"text": text}) for text in IMPORTED])

    locked = 0
    for root, _, _, died in at_each_git(full, tmp_path, act, 8):
        locked += (root / ".git" / "index.lock").exists()
        opened(root, 3_000).recall("anything")
        assert dirty(root) == []
        inside = (root / ".git").glob("*memcli*")
        left = [path.name for path in inside if path.name != "memcli"]
        assert left == []
        assert not state_of(root, layout.JOURNAL).exists()
        # What is committed next is what was meant: nothing goes with it.
        git(root, "commit", "-q", "--allow-empty", "-m", "by hand")
        held = git(root, "ls-tree", "-r", "--name-only", "HEAD").count("imported-in")
        assert held == len(IMPORTED)
        if not died:
            whole(root)
    assert locked


def test_a_kill_while_what_nobody_committed_is_kept_loses_nothing_of_it(
    full: Path, tmp_path: Path
) -> None:
    """The dropped file is committed as it is, then decided on: undo brings it back."""
    start = tmp_path / "start"
    shutil.copytree(full, start)
    dropped = start / "inbox" / "dropped.md"
    dropped.write_text("---\nstatus: pending\nmine: 1\n---\nDropped\n", "utf-8")
    before, data = state(start), dropped.read_bytes()

    def decide(vault: Vault) -> None:
        review.approve(vault, id_of(vault, "Dropped"), text="Edited")

    seen, kept = [], set()
    for root, _, _, died in at_each_git(start, tmp_path, decide, 10):
        opened(root, 3_000).recall("anything")
        found = state(root)
        seen.append(found)
        assert not state_of(root, layout.JOURNAL).exists()
        if found == before:
            assert (root / "inbox" / "dropped.md").read_bytes() == data
            assert dirty(root) in ([], ["inbox/dropped.md"])
            kept.add(not dirty(root))
            decide(opened(root, 4_000))
        undo.undo(opened(root, 5_000))
        assert (root / "inbox" / "dropped.md").read_bytes() == data
        assert state(root) == before
        whole(root)
        if not died:
            after = found
    assert kept
    assert all(one in (before, after) for one in seen)


def test_a_repair_that_is_killed_is_repeated(full: Path, tmp_path: Path) -> None:
    start = tmp_path / "start"
    shutil.copytree(full, start)
    (start / "memories" / "note" / "new.md").write_text("by hand\n", "utf-8")
    item = start / "reflections" / "retest-rerank.md"
    text = item.read_text("utf-8")
    item.write_text(text.replace("Retest rerank\n", "Retest it all\n"), "utf-8")
    half = start / "memories" / ".half.md.1-0123abcd.tmp"
    half.write_text("half", "utf-8")
    os.utime(half, (1, 1))
    wanted = {entry[1].strip() for entry in state(start).values()}
    step, died = 0, True
    while died:
        step += 1
        root = tmp_path / str(step)
        shutil.copytree(start, root)
        died = run_and_kill(root, lambda v: repair.apply(v, repair.plan(v)), step)
        vault = opened(root, 3_000)
        assert repair.apply(vault, repair.plan(vault)).left == []
        assert {entry[1].strip() for entry in state(root).values()} == wanted
        assert not (root / "memories" / half.name).exists()
        whole(root)
        shutil.rmtree(root)
    assert step > 3
