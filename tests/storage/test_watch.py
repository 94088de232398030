"""A watch of a vault's files misses no change that was finished before it was asked."""

import errno
import gc
import mmap
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from memcli.storage import watch
from memcli.storage.listing import scan
from memcli.storage.watch import LONGEST, Unwatched, WatchedFiles

# Where nothing can be watched, a test of watching says so and is skipped.
NOT_HERE = ("it lies on", "this system", "inotify_simple is not installed")
MONTH = "memories/note/2026/11"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a few files, below a folder of its own."""
    vault = tmp_path / "home" / "vault"
    for name in (f"{MONTH}/one.md", f"{MONTH}/two.md", "top.md", ".git/config"):
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_text("text\n")
    return vault


def watched(root: Path) -> WatchedFiles:
    """The files of a folder, under watch."""
    files = WatchedFiles(str(root))
    for _ in range(3):
        files.scan()
    if files.unwatched.startswith(NOT_HERE):
        pytest.skip(f"NOT TESTED, nothing can be watched: {files.unwatched}")
    assert files.unwatched == ""
    assert files.quiet()
    return files


def write(path: Path, text: str = "other text\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def append(path: Path) -> None:
    with path.open("a") as file:
        file.write("more\n")


def replace(path: Path, text: str = "other text\n") -> None:
    write(path.with_name(".new"), text)
    path.with_name(".new").replace(path)


def replace_keeping_time_and_size(path: Path) -> None:
    before = path.stat()
    replace(path, "TEXT\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def change_in_memory(path: Path) -> None:
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[0] = 65


def copy_into(path: Path) -> None:
    with path.with_name("two.md").open("rb") as source, path.open("r+b") as file:
        os.copy_file_range(source.fileno(), file.fileno(), 3)


def written_elsewhere(path: Path) -> None:
    subprocess.run(["sh", "-c", 'echo more >> "$0"', str(path)], check=True)


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


def home_replaced(path: Path) -> None:
    home = path.parents[5]
    shutil.copytree(home, home.with_name("copy"))
    home.rename(home.with_name("old"))
    home.with_name("copy").rename(home)


EDITS: dict[str, Callable[[Path], object]] = {
    "written in place": write,
    "appended": append,
    "replaced at once": replace,
    "replaced, with the time and the size as they were": replace_keeping_time_and_size,
    "cut short": lambda path: os.truncate(path, 1),
    "its time set back": lambda path: os.utime(path, (1, 1)),
    "locked": lambda path: path.chmod(0),
    "changed in memory": change_in_memory,
    "copied into": copy_into,
    "written by another process": written_elsewhere,
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
    "the folder around the vault replaced": home_replaced,
    "the vault moved away": lambda path: path.parents[4].rename(path.parents[5] / "x"),
}


@pytest.mark.parametrize("how", EDITS)
def test_change_of_each_sort_ends_the_quiet_at_once(root: Path, how: str) -> None:
    files = watched(root)
    EDITS[how](root / MONTH / "one.md")
    assert not files.quiet()


@pytest.mark.parametrize("how", EDITS)
def test_change_of_each_sort_in_a_folder_made_under_watch(root: Path, how: str) -> None:
    shutil.rmtree(root / "memories")
    files = watched(root)
    write(root / MONTH / "one.md", "text\n")
    write(root / MONTH / "two.md")
    files.scan()
    assert files.quiet()
    EDITS[how](root / MONTH / "one.md")
    assert not files.quiet()


def test_file_that_was_open_before_the_watch_is_watched(root: Path) -> None:
    with (root / "top.md").open("ab", buffering=0) as file:
        files = watched(root)
        file.write(b"more")
        assert not files.quiet()


@pytest.mark.slow
def test_edit_is_seen_however_soon_it_is_asked_for(root: Path) -> None:
    files = watched(root)
    handle = os.open(root / "top.md", os.O_WRONLY)
    for number in range(300):
        os.pwrite(handle, b"x", number)
        assert not files.quiet()
        files.scan()
        assert files.quiet()
    os.close(handle)


def test_many_changes_at_once_are_one(root: Path) -> None:
    files = watched(root)
    handles = [os.open(root / MONTH / n, os.O_WRONLY) for n in ("one.md", "two.md")]
    for number in range(40_000):  # more than the kernel's queue holds
        os.pwrite(handles[number % 2], b"x", 0)
    for handle in handles:
        os.close(handle)
    assert not files.quiet()
    files.scan()
    assert files.quiet()
    write(root / "top.md")
    assert not files.quiet()


def test_vault_behind_a_link_is_watched_where_it_leads(root: Path) -> None:
    other = root.with_name("other")
    shutil.copytree(root, other)
    link = root.with_name("link")
    link.symlink_to(root)
    files = watched(link)
    write(root / "top.md")
    assert not files.quiet()
    files.scan()
    link.unlink()
    link.symlink_to(other)
    assert not files.quiet()


def test_what_is_not_of_the_vault_does_not_end_the_quiet(root: Path) -> None:
    files = watched(root)
    write(root / ".git" / "index")
    write(root.with_name("neighbour.md"))
    (root / "top.md").read_text()
    scan(str(root))
    assert files.quiet()


def test_file_with_another_name_is_not_watched(root: Path) -> None:
    root.parent.joinpath("outside.md").hardlink_to(root / "top.md")
    files = WatchedFiles(str(root))
    for _ in range(5):
        files.scan()
        assert not files.quiet()
    assert files.unwatched.startswith(("top.md has several names", *NOT_HERE))


def test_files_are_listed_again_after_a_while(root: Path) -> None:
    now = 0.0
    files = WatchedFiles(str(root), lambda: now)
    for _ in range(3):
        files.scan()
    if files.unwatched.startswith(NOT_HERE):
        pytest.skip(f"NOT TESTED, nothing can be watched: {files.unwatched}")
    now = LONGEST - 1
    assert files.quiet()
    now = LONGEST
    assert not files.quiet()


def test_one_question_starts_no_watch(root: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))
    files = WatchedFiles(str(root))
    files.scan()
    files.scan()
    assert not files.quiet()
    assert set(os.listdir("/proc/self/fd")) == before


def test_without_the_library_the_files_are_listed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "inotify_simple", None)
    files = WatchedFiles(str(root))
    for _ in range(5):
        assert set(files.scan().folders) == {"", MONTH}
        assert not files.quiet()
    assert files.unwatched == "inotify_simple is not installed"


def test_with_another_version_of_the_library_the_files_are_listed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched(root)
    monkeypatch.setattr("inotify_simple.INotify", lambda: None)
    files = WatchedFiles(str(root))
    for _ in range(5):
        files.scan()
        assert not files.quiet()
    assert "unexpected keyword argument" in files.unwatched


def test_when_the_kernel_refuses_the_files_are_listed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched(root)
    asked = 0

    def refuse(*_: object) -> NoReturn:
        nonlocal asked
        asked += 1
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("inotify_simple.INotify.add_watch", refuse)
    files = WatchedFiles(str(root))
    for _ in range(10):
        files.scan()
        assert not files.quiet()
    assert files.unwatched == ".: No space left on device"
    assert asked == 3


def test_vault_of_too_many_folders_is_not_watched(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched(root)
    monkeypatch.setattr(watch, "_MOST_FOLDERS", 3)
    files = WatchedFiles(str(root))
    for _ in range(4):
        files.scan()
        assert not files.quiet()
    assert files.unwatched == "it has more than 3 folders"


LINE = "{0} 1 8:1 / {1} rw,relatime shared:1 - {2} /dev/x rw\n"


@pytest.mark.parametrize(
    ("mounts", "why"),
    [
        ([("/", "ext4")], ""),
        ([("/", "nfs4"), ("/home", "ext4")], ""),
        ([("/", "ext4"), ("/home", "nfs4")], "it lies on nfs4"),
        ([("/", "ext4"), ("/home/me/notes\\040two", "fuse.sshfs")], "fuse.sshfs"),
        ([("/", "ext4"), ("/home", "ext4"), ("/home", "9p")], "it lies on 9p"),
        ([("/", "overlay")], "it lies on overlay"),
        ([("/", "ext4"), ("/home/me/notes\\040two", "cifs"), ("/x", "xfs")], "on cifs"),
        ([("/", "ext4"), ("/home/me/notes\\040two/x", "ext4")], "is mounted in it"),
        ([("/", "ext4"), ("/home/me/notes", "nfs")], ""),
        ([], "an unknown file system"),
    ],
)
def test_only_disks_of_this_machine_are_watched(
    mounts: list[tuple[str, str]], why: str
) -> None:
    table = "".join(LINE.format(i, *mount) for i, mount in enumerate(mounts))
    if why:
        with pytest.raises(Unwatched, match=why):
            watch._check_mounts(table, "/home/me/notes two")
    else:
        watch._check_mounts(table, "/home/me/notes two")


def test_a_watch_that_is_let_go_leaves_nothing_open(root: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))
    for _ in range(20):
        files = watched(root)
        files.scan()
    del files
    assert set(os.listdir("/proc/self/fd")) == before


def test_a_watch_in_a_circle_is_let_go_without_a_word(root: Path) -> None:
    gc.collect()  # what earlier tests have left
    before = set(os.listdir("/proc/self/fd"))
    for _ in range(5):
        files = watched(root)
        circle: list[object] = [files, files._watch]
        circle.append(circle)
        # The collector may finish the library's object before the watch itself.
        vars(files)["circle"] = circle
        del files, circle
    gc.collect()
    assert set(os.listdir("/proc/self/fd")) == before
