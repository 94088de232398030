"""A disk that is full leaves the old vault or the new one, whole.

Invariant: never half of a change, and nothing staged that was refused. A commit that
was made is reported as made, also when a later write failed. What the next
command has to put right it does as soon as there is space again.

memcli's writes and its gits are refused one after the other, as a full disk does it.
"""

import errno
import itertools
import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memcli.entries import layout
from memcli.storage import files
from memcli.storage.git.process import subcommand
from memcli.vault.health.lint import lint
from tests.conftest import sample, state_of
from tests.forks import REFUSED, ended
from tests.git_command import git, hook
from tests.properties.test_kill_lifecycle import OPERATIONS, State, dirty, opened, state

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform != "linux", reason="forks, and refuses calls of Linux"
    ),
]

CHANGES = ("save", "save seen again", "evolve also", "resolve", "approve", "forget")
# Of writes and gits that the longest of these changes takes.
STEPS = range(1, 45)
WRITING = (
    *("update-index", "read-tree", "reset", "add", "rm", "hash-object"),
    *("commit", "fast-import", "update-ref"),
)


def hooked(root: Path) -> None:
    """The commit is left to `git commit`."""
    hook(root, "post-commit", "exit 0")


def edited(root: Path) -> None:
    """A file holds what no commit holds."""
    (path,) = (root / "memories").rglob("we-deploy-on-tuesdays.md")
    text = path.read_text("utf-8")
    path.write_text(text.replace("---\n", "---\nmine: yes\n", 1), "utf-8")


def unread(root: Path) -> None:
    """The index of the search has to be written, too."""
    shutil.rmtree(state_of(root, layout.INDEX), ignore_errors=True)


def as_it_is(_root: Path) -> None:
    pass


Prepare = Callable[[Path], None]
STATES = (as_it_is, hooked, edited, unread)


def settled(root: Path, left: list[str]) -> None:
    """With space again nothing is left to do, and nothing changes."""
    found = state(root)
    opened(root, 3_000).recall("anything")
    vault = opened(root, 4_000)
    assert state(root) == found
    assert dirty(root) in ([], left)  # kept in a commit of its own, or as it was
    assert not state_of(root, layout.JOURNAL).exists()
    assert not list((root / ".git").rglob("*.lock"))
    assert lint(vault) == []
    vault.save("a later memory")
    assert dirty(root) in ([], left)
    git(root, "fsck", "--no-dangling")


def trial(
    full: Path, folder: Path, prepare: Prepare, act: Prepare
) -> tuple[int, bool, tuple[State, State]]:
    """Let a child act on a copy of a vault.

    Returns its code, whether the change is made, and the vault before and after.
    """
    root = folder / "vault"
    shutil.copytree(full, root)
    opened(root, 1_500).recall("anything")
    prepare(root)
    old, left = state(root), dirty(root)
    code = ended(partial(act, root))
    new = state(root)
    assert code in (0, REFUSED)
    kept = code and state_of(root, layout.JOURNAL).exists()
    if code and not kept:  # else the next command commits, or writes git's index
        assert git(root, "diff", "--cached", "--name-only") == ""
    settled(root, left)
    shutil.rmtree(root)
    return code, bool(not code or kept), (old, new)


def refusing(first: int, *, also_later: bool) -> None:
    """In a child: let the n-th write, sync or git find the disk full."""
    count = 0

    def is_refused() -> bool:
        nonlocal count
        count += 1
        return count == first or (also_later and count > first)

    def wrapped(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*words: Any, **options: Any) -> Any:
            if is_refused():
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*words, **options)

        return call

    start = os.posix_spawn

    def started(program: str, words: list[str], *rest: Any, **options: Any) -> int:
        if subcommand(words[1:]) in WRITING and is_refused():
            said = "echo fatal: write error: No space left on device; exit 128"
            program, words = "/bin/sh", ["sh", "-c", said]
        return start(program, words, *rest, **options)

    os.fsync = wrapped(os.fsync)
    os.link = wrapped(os.link)
    files._write_new = wrapped(files._write_new)
    if not also_later:  # a rename takes no space, nor does a reset
        os.replace = wrapped(os.replace)
        os.posix_spawn = started  # type: ignore[assignment]


@pytest.mark.parametrize("name", CHANGES)
def test_a_write_or_a_git_that_finds_the_disk_full_halves_nothing(
    full: Path, tmp_path: Path, name: str
) -> None:
    cases = itertools.product(STATES, (False, True), STEPS)
    for prepare, also_later, first in sample(cases, 5):

        def act(root: Path, refuse: Callable[[], None] = lambda: None) -> None:
            vault = opened(root, 2_000)
            refuse()
            OPERATIONS[name](vault)

        refuse = partial(refusing, first, also_later=also_later)
        code, _, states = trial(full, tmp_path, prepare, act)
        assert code == 0
        # The old vault, or the new one if that was said, or where the disk does not
        # even take the old text: then the journal is still there.
        _, made, ends = trial(full, tmp_path, prepare, partial(act, refuse=refuse))
        assert ends[1] == states[made]
