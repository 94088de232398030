"""Each listing of a vault's files shows every sort of edit since the one before."""

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from memcli.errors import Unreadable
from memcli.storage.listing import Listing, scan

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the edits are those of Linux"
)

MONTH = "memories/note/2026/11"
# Longer than a tick of the kernel's clock. An index waits two seconds for it.
TICK = 0.02


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a few files, below a folder of its own."""
    vault = tmp_path / "home" / "vault"
    for name in (f"{MONTH}/one.md", f"{MONTH}/two.md", "top.md", ".git/config"):
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_text("text\n")
    return vault


def write(path: Path, text: str = "other text\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def replace(path: Path, text: str = "other text\n") -> None:
    write(path.with_name(".new"), text)
    path.with_name(".new").replace(path)


def replace_keeping_time_and_size(path: Path) -> None:
    before = path.stat()
    replace(path, "TEXT\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def folder_made_and_filled(path: Path) -> None:
    write(path.parent.with_name("12") / "deep" / "new.md")


def folder_replaced(path: Path) -> None:
    folder = path.parent
    shutil.copytree(folder, folder.with_name("copy"))
    folder.rename(folder.with_name("old"))
    folder.with_name("copy").rename(folder)


def vault_replaced(path: Path) -> None:
    vault = path.parents[4]
    shutil.copytree(vault, vault.with_name("copy"))
    vault.rename(vault.with_name("old"))
    vault.with_name("copy").rename(vault)


EDITS: dict[str, Callable[[Path], object]] = {
    "written in place": write,
    "replaced at once": replace,
    "replaced, with the time and the size as they were": replace_keeping_time_and_size,
    "its time set back": lambda path: os.utime(path, (1, 1)),
    "locked": lambda path: path.chmod(0),
    "renamed": lambda path: path.rename(path.with_name("three.md")),
    "renamed to another folder": lambda path: path.rename(path.parents[1] / "a.md"),
    "hidden": lambda path: path.rename(path.with_name(".one.md")),
    "moved away": lambda path: path.rename(path.parents[5] / "one.md"),
    "two names swapped": lambda path: [
        path.rename(path.with_name("x.md")),
        path.with_name("two.md").rename(path),
        path.with_name("x.md").rename(path.with_name("two.md")),
    ],
    "deleted": Path.unlink,
    "another made": lambda path: write(path.with_name("new.md")),
    "another linked to": lambda path: path.with_name("l.md").symlink_to(path),
    "another name made of it": lambda path: path.with_name("h.md").hardlink_to(path),
    "a folder made and filled": folder_made_and_filled,
    "a folder moved": lambda path: path.parent.rename(path.parent.with_name("12")),
    "a folder moved away": lambda path: path.parent.rename(path.parents[5] / "gone"),
    "a folder deleted": lambda path: shutil.rmtree(path.parent),
    "a folder replaced": folder_replaced,
    "the vault replaced": vault_replaced,
    "the vault moved away": lambda path: path.parents[4].rename(path.parents[5] / "x"),
}


IN_PLACE = ("written in place", "its time set back", "locked")
"""The edits of a file that leave its folder's time as it was."""


def listed(
    root: Path, before: Listing | None = None, *, quick: bool = False
) -> Listing | None:
    known = before and {
        name: (stamp, before.folders.get(name, b""))
        for name, stamp in before.entered.items()
    }
    try:
        return scan(str(root), known, quick=quick)
    except Unreadable:
        return None


@pytest.mark.parametrize("how", EDITS)
def test_every_sort_of_edit_changes_the_listing(
    root: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "major", lambda _: 8)
    before = listed(root)
    assert listed(root) == before
    time.sleep(TICK)
    EDITS[how](root / MONTH / "one.md")
    assert listed(root) != before
    assert listed(root, before) == listed(root)
    quick = listed(root, before, quick=True)
    assert quick == (before if how in IN_PLACE else listed(root))


@pytest.mark.parametrize("major", [0, 8])
def test_names_are_read_again_only_where_the_disk_may_not_tell_of_new_ones(
    root: Path, major: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = listed(root)
    reading = Mock(side_effect=os.scandir)
    monkeypatch.setattr(os, "scandir", reading)
    monkeypatch.setattr(os, "major", lambda _: major)
    assert listed(root, before) == before
    assert reading.called is (major == 0)
