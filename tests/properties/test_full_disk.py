"""A disk that is full at any free size leaves the old vault or the new one.

Invariant: never half of a change, and nothing staged that was refused. A commit that
was made is reported as made, also when a later write failed. What the next
command has to put right it does as soon as there is space again.

The real disk is a small file system in memory, in a name space of its own, on a machine
that lets a process mount one; it goes through every free size with `make test-all`. On
any machine memcli's writes and its gits are refused, one after the other.
"""

import ctypes
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
from tests.conftest import isolated_environment, sample, state_of
from tests.forks import REFUSED, ended
from tests.git_command import git
from tests.properties.test_kill_lifecycle import (
    OPERATIONS,
    State,
    dirty,
    opened,
    state,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform != "linux", reason="mounts a file system, and forks"
    ),
]

CHANGES = ("save", "save seen again", "evolve also", "resolve", "approve", "forget")
# Of writes and gits that the longest of these changes takes.
STEPS = range(1, 45)
WRITING = (
    *("update-index", "read-tree", "reset", "add", "rm", "hash-object"),
    *("commit", "fast-import", "update-ref"),
)
_PAGE = 4096
_SIZE = 8 << 20
_UNMOUNTABLE = 77
_NEWNS, _NEWUSER = 0x20000, 0x10000000


def mounted(folder: Path) -> bool:
    """In a child: put a small file system there, which no other process sees."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    if libc.unshare(_NEWNS | (_NEWUSER if user else 0)):
        return False
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    libc.mount(b"none", b"/", None, ctypes.c_ulong(0x44000), None)  # private, below
    options = f"size={_SIZE}".encode()
    where = str(folder).encode()
    return not libc.mount(b"tmpfs", where, b"tmpfs", ctypes.c_ulong(0), options)


def free(folder: Path) -> int:
    return int(os.statvfs(folder).f_bavail) * _PAGE


def fill_up(folder: Path, room: int) -> Path:
    """Leave so many bytes free on the file system of a folder; the file that fills."""
    ballast = folder / "ballast"
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(_PAGE, free(folder) - room))
    return ballast


def hooked(root: Path) -> None:
    """The commit is left to `git commit`."""
    hook = root / ".git" / "hooks" / "post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    hook.chmod(0o755)


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


STATES = (as_it_is, hooked, edited, unread)


def checked(root: Path, states: tuple[State, State], code: int) -> None:
    """The vault on the full disk is the old one, or the new one if that was said."""
    assert code in (0, REFUSED)
    assert state(root) == states[not code]
    if code:  # else the commit is made, and the next command writes git's index
        assert git(root, "diff", "--cached", "--name-only") == ""


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
    vault.save(vault.draft({"text": "a later memory"}))
    assert dirty(root) in ([], left)
    git(root, "fsck", "--no-dangling")


class Trials:
    """An operation on copies of a vault, each time with a disk that refuses otherwise.

    Args:
        full: the vault.
        folder: where the copies go.
        name: of the operation.
        prepare: what is done to each copy first.
    """

    def __init__(
        self, full: Path, folder: Path, name: str, prepare: Callable[[Path], None]
    ) -> None:
        self.full, self.folder = full, folder
        self.act, self.prepare = OPERATIONS[name], prepare
        self.codes: list[int] = []
        self._states: tuple[State, State] | None = None

    def run(self, refuse: Callable[[], object]) -> None:
        """Try it, and look at the vault; the first time nothing must be refused."""
        root = self.folder / "vault"
        shutil.copytree(self.full, root)
        opened(root, 1_500).recall("anything")
        self.prepare(root)
        old, left = state(root), dirty(root)

        def act() -> None:
            vault = opened(root, 2_000)
            refuse()
            self.act(vault)

        code = ended(act)
        self.codes.append(code)
        if self._states is None:
            self._states = old, state(root)
        checked(root, self._states, code)
        (self.folder / "ballast").unlink(missing_ok=True)
        settled(root, left)
        shutil.rmtree(root)


@pytest.mark.parametrize("name", CHANGES)
def test_at_every_free_size_of_a_disk_a_change_is_whole_or_not_at_all(
    full: Path, tmp_path: Path, name: str
) -> None:
    rooms = sample(range(0, 80 * _PAGE, _PAGE), 2)

    def inside() -> None:
        disk = tmp_path / "disk"
        disk.mkdir()
        if not mounted(disk):
            os._exit(_UNMOUNTABLE)
        home = disk / "home"
        home.mkdir()
        os.environ.update(isolated_environment(home))
        for prepare in sample(STATES, 1):
            trials = Trials(full, disk, name, prepare)
            trials.run(lambda: None)
            for room in rooms:
                try:
                    trials.run(partial(fill_up, disk, room))
                except AssertionError as error:
                    raise AssertionError(f"{room:,} bytes free") from error
            assert trials.codes[0] == 0

    code = ended(inside)
    if code == _UNMOUNTABLE:
        pytest.skip("this machine lets no process mount a disk: NOT tested")
    assert code == 0


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
    files._write_all = wrapped(files._write_all)
    if not also_later:  # a rename takes no space, nor does a reset
        os.replace = wrapped(os.replace)
        os.posix_spawn = started  # type: ignore[assignment]


@pytest.mark.parametrize("name", CHANGES)
def test_a_write_or_a_git_that_finds_the_disk_full_halves_nothing(
    full: Path, tmp_path: Path, name: str
) -> None:
    cases = itertools.product((as_it_is, hooked), (False, True), STEPS)
    for prepare, also_later, first in sample(cases, 3):
        trials = Trials(full, tmp_path, name, prepare)
        trials.run(lambda: None)
        trials.run(partial(refusing, first, also_later=also_later))
        assert trials.codes[0] == 0
