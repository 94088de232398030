import contextlib
import errno
import os
import shutil
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import LockBusy, Unreadable, WriteFailed
from memcli.storage import files, lock
from memcli.storage.listing import paths_of, scan
from memcli.storage.lock import Lock

STEPS = ("written", "synced", "replaced", "settled")
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX permissions and signals")


class Boom(BaseException):
    pass


@pytest.fixture
def foreign_folder() -> Iterator[Path]:
    """A folder where permissions count: also root runs these tests as nobody."""
    folder = Path(tempfile.mkdtemp())
    root = os.geteuid() == 0
    folder.chmod(0o777)
    if root:
        os.seteuid(65534)
    try:
        (folder / "own").mkdir()
        yield folder / "own"
    finally:
        if root:
            os.seteuid(0)
        shutil.rmtree(folder)


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


# --- read ---------------------------------------------------------------------


def test_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"12345")
    assert files.read(str(tmp_path / "a.md"), limit=5) == b"12345"
    with pytest.raises(Unreadable, match="5 bytes is above the limit of 4"):
        files.read(str(tmp_path / "a.md"), limit=4)


@pytest.mark.parametrize(
    ("name", "said"), [("none.md", "no such"), ("", "folder"), ("a\0b", "null")]
)
def test_what_is_no_file_is_unreadable(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        files.read(os.path.join(str(tmp_path), name))


@posix
def test_forbidden_file_is_unreadable(foreign_folder: Path) -> None:
    path = foreign_folder / "a.md"
    path.write_bytes(b"")
    path.chmod(0)
    with pytest.raises(Unreadable, match="permission"):
        files.read(str(path))


# --- write_atomic -------------------------------------------------------------


def test_write_makes_folders_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "memories" / "note" / f"a b'\"é{'n' * 240}.md"
    files.write_atomic(str(path), b"\xef\xbb\xbfa\r\n")
    assert path.read_bytes() == b"\xef\xbb\xbfa\r\n"
    assert names(path.parent) == [path.name]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("old", [None, b"old"])
def test_interrupted_write_leaves_old_or_new_and_no_rubbish(
    tmp_path: Path, step: str, old: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.md"
    if old is not None:
        path.write_bytes(old)

    def reached(done: str) -> None:
        if done == step:
            raise Boom

    monkeypatch.setattr(files, "reached", reached)
    with pytest.raises(Boom):
        files.write_atomic(str(path), b"new")
    now = path.read_bytes() if path.exists() else None
    assert now == (b"new" if step in ("replaced", "settled") else old)
    assert names(tmp_path) == ([] if now is None else ["a.md"])


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_mode_of_a_replaced_file_is_kept(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    path.chmod(mode)
    files.write_atomic(str(path), b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
def test_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real.md").write_bytes(b"old")
    (tmp_path / "link.md").symlink_to("real.md")
    files.write_atomic(str(tmp_path / "link.md"), b"new")
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "real.md").read_bytes() == b"new"


# --- write_several ------------------------------------------------------------


def batch(folder: Path, count: int) -> list[tuple[str, bytes]]:
    """New files in two folders that do not exist yet, and one that is there."""
    (folder / "a.md").write_bytes(b"old")
    return [
        *((str(folder / f"k{i % 2}" / f"{i} é.md"), b"%d" % i) for i in range(count)),
        (str(folder / "a.md"), b"new"),
    ]


def left(folder: Path) -> list[bytes]:
    """The bytes of all files below a folder, hidden ones too."""
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("count", [0, 5, 300])
def test_several_files_hold_every_byte_and_leave_nothing_else(
    tmp_path: Path, count: int
) -> None:
    items = batch(tmp_path, count)
    files.write_several(items)
    assert [(path, Path(path).read_bytes()) for path, _ in items] == items
    assert len(left(tmp_path)) == len(items)


@pytest.mark.parametrize("count", [5, 300])
@pytest.mark.parametrize("error", [Boom(), OSError(errno.ENOSPC, "No space")])
def test_several_files_that_fail_before_the_first_is_replaced_are_all_gone(
    tmp_path: Path, count: int, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reached(done: str) -> None:
        if done == "synced":
            raise error

    monkeypatch.setattr(files, "reached", reached)
    with pytest.raises((Boom, WriteFailed)):
        files.write_several(batch(tmp_path, count))
    assert left(tmp_path) == [b"old"]


def test_one_of_many_files_that_the_disk_refuses_to_sync_takes_back_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync, synced = os.fsync, []

    def failing(handle: int) -> None:
        synced.append(handle)
        if len(synced) == 100:
            raise OSError(errno.EIO, "Input/output error")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(WriteFailed, match="input/output error"):
        files.write_several(batch(tmp_path, 300))
    assert left(tmp_path) == [b"old"]


def test_many_files_are_synced_where_no_thread_can_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    fsync = os.fsync
    synced: list[int] = []

    def counted(handle: int) -> None:
        fsync(handle)
        synced.append(handle)

    monkeypatch.setattr(os, "fsync", counted)
    monkeypatch.setattr(threading.Thread, "start", refused)
    items = batch(tmp_path, 20)
    files.write_several(items)
    assert len(left(tmp_path)) == len(items) <= len(synced)


@pytest.mark.parametrize("name", ["n" * 400, "a\0b", "a.md/b.md"])
def test_one_impossible_name_stops_all_files(tmp_path: Path, name: str) -> None:
    with pytest.raises(WriteFailed, match="nothing was changed"):
        files.write_several([*batch(tmp_path, 9), (str(tmp_path / name), b"x")])
    assert left(tmp_path) == [b"old"]


# --- Lock ---------------------------------------------------------------------


@posix
def test_a_lock_on_a_file_that_is_deleted_meanwhile_is_taken_on_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, now = tmp_path / "lock", lock.lock_now

    def then_deleted(handle: int) -> bool:
        if path.exists():
            monkeypatch.setattr(lock, "lock_now", now)
            path.unlink()
        return now(handle)

    monkeypatch.setattr(lock, "lock_now", then_deleted)
    with Lock(str(path), 1), pytest.raises(LockBusy), Lock(str(path), 0):
        pass


# --- scan ---------------------------------------------------------------------


# What may stand in a folder, by the beginning of its name.
_MAKE: dict[str, Callable[[Path], object]] = {
    "file": Path.touch,
    "folder": Path.mkdir,
    "pipe": os.mkfifo if hasattr(os, "mkfifo") else Path.touch,
    "to-file": lambda path: path.symlink_to("/etc/hosts"),
    "to-folder": lambda path: path.symlink_to(".."),
    "to-nothing": lambda path: path.symlink_to("gone"),
}


@posix
@given(
    st.sets(
        st.builds(
            "{}{}{}".format,
            st.sampled_from(["", "", "."]),
            st.sampled_from(sorted(_MAKE)),
            st.sampled_from([".md", ".md", ".txt", "", ".md.txt", "\n.md"]),
        )
    )
)
def test_the_files_of_a_folder_are_listed_beside_anything_else_in_it(
    names: set[str],
) -> None:
    with tempfile.TemporaryDirectory() as root:
        for name in names:
            kind = name.removeprefix(".").partition(".")[0].strip()
            _MAKE[kind](Path(root, name))
        found = scan(root)
    shown = {name for name in names if not name.startswith(".")}
    notes = {name for name in shown if name.endswith(".md")}
    assert set(paths_of(found)) == {name for name in notes if name[:4] == "file"}
    assert set(found.entered) == {"", *(n for n in shown if n[:6] == "folder")}
    linked = {name for name in shown if name[:9] == "to-folder"}
    assert set(found.symlinks) == linked | {n for n in notes if n[:3] == "to-"}


def test_a_file_that_goes_while_it_is_listed_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).touch()
    names = os.scandir

    def removed_after(opened: int) -> contextlib.nullcontext[list[os.DirEntry[str]]]:
        entries = list(names(opened))
        (tmp_path / "b.md").unlink()
        return contextlib.nullcontext(entries)

    monkeypatch.setattr(os, "scandir", removed_after)
    assert sorted(paths_of(scan(str(tmp_path)))) == ["a.md", "c.md"]


@posix
def test_folder_that_cannot_be_listed_is_named(foreign_folder: Path) -> None:
    (foreign_folder / "locked").mkdir()
    (foreign_folder / "locked").chmod(0)
    assert scan(str(foreign_folder)).unreadable == ["locked"]


# --- the module ---------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
@pytest.mark.parametrize("name", ["lock", "lock.next"])
def test_a_lock_is_no_file_that_a_link_leads_to(tmp_path: Path, name: str) -> None:
    """Another user of the machine may leave `index.lock -> ~/.bashrc`."""
    outside = tmp_path / "outside"
    outside.write_text("precious")
    (tmp_path / name).symlink_to(outside)
    with pytest.raises(WriteFailed), Lock(str(tmp_path / "lock"), 0):
        pass
    assert outside.read_text() == "precious"


# --- write_derived --------------------------------------------------------------


def test_derived_file_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / "cache").symlink_to(tmp_path / "mine")
    files.write_derived(str(tmp_path / "cache"), b"new")
    assert (tmp_path / "mine").read_bytes() == b"mine"
    assert (tmp_path / "cache").read_bytes() == b"new"
