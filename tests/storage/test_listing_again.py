"""A listing that knows an earlier one finds what a listing of everything finds."""

import os
import random
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memcli.storage import listing, watch
from memcli.storage.listed_files import stats_of
from memcli.storage.listing import Earlier, Listing, scan, scan_again
from memcli.storage.statx import Statx
from memcli.storage.watch import WatchedFiles
from tests.storage.test_watch import EDITS, MONTH, append, write

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux says on what disk a folder lies"
)

# Longer than a tick of the kernel's clock. An index waits two seconds for it.
TICK = 0.02
MANY = 1_000_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    vault = tmp_path / "home" / "vault"
    for name in (f"{MONTH}/one.md", f"{MONTH}/two.md", "top.md", ".git/config"):
        write(vault / name)
    return vault


def earlier(root: Path) -> Earlier:
    """What a listing finds now, with times that tell of every later change."""
    time.sleep(TICK)
    found = scan(str(root))
    time.sleep(TICK)
    return Earlier(found.entered, found.folders.get)


def both(root: Path, known: Earlier) -> tuple[Listing, Listing]:
    """The listing that knows an earlier one, and the one of everything.

    The first comes out the same whether few files are asked for or many.
    """
    again = scan_again(str(root), known)
    assert again == scan_again(str(root), known._replace(number=MANY))
    return again, scan(str(root))


@pytest.mark.parametrize("how", [how for how in EDITS if how != "the vault moved away"])
def test_every_sort_of_edit_is_found(root: Path, how: str) -> None:
    known = earlier(root)
    EDITS[how](root / MONTH / "one.md")
    again, everything = both(root, known)
    assert again == everything


@pytest.mark.parametrize("seed", range(6))
def test_what_happens_to_files_and_folders_is_found(root: Path, seed: int) -> None:
    rng = random.Random(seed)
    for number in range(20):
        write(root / "notes" / str(number % 4) / f"{number}.md")
    for number in range(12):
        known = earlier(root)
        for _ in range(rng.randint(1, 3)):
            _happen(rng, root, number)
        again, everything = both(root, known)
        assert _sorted(again) == _sorted(everything)


def test_a_folder_moved_to_the_place_of_one_of_the_same_tick_is_read(
    root: Path,
) -> None:
    write(root / "a" / "in" / "same.md")
    write(root / "b" / "in" / "same.md")
    write(root / "b" / "in" / "more.md")
    known = earlier(root)
    # A clone makes hundreds of folders within a tick.
    stamps = {**known.stamps, "a/in": known.stamps["b/in"]}
    shutil.rmtree(root / "a")
    (root / "b").rename(root / "a")
    again, everything = both(root, known._replace(stamps=stamps))
    assert _sorted(again) == _sorted(everything)


def _sorted(found: Listing) -> Listing:
    """The same without the order of names, which a folder may change when asked."""
    parts = {name: sorted(stats_of(p)) for name, p in found.folders.items()}
    return found._replace(
        folders=parts,  # type: ignore[arg-type]
        symlinks=sorted(found.symlinks),
        unreadable=sorted(found.unreadable),
    )


def _happen(rng: random.Random, root: Path, number: int) -> None:
    files = sorted(path for path in root.rglob("[a-z0-9]*.md") if path.is_file())
    folders = sorted(path for path in (root / "notes").rglob("*") if path.is_dir())
    file, other = rng.sample(files, 2)
    folder = rng.choice([*folders, root / "notes"])
    new = folder / f"new{number}-{rng.getrandbits(32)}"

    def become_a_folder() -> None:
        file.unlink()
        write(file / "in.md")

    def become_a_link() -> None:
        file.unlink()
        file.symlink_to(other)

    happenings: list[Callable[[], object]] = [
        lambda: append(file),
        lambda: os.truncate(file, 1),
        lambda: file.rename(other),
        lambda: file.rename(new.with_suffix(".md")),
        lambda: new.with_suffix(".md").symlink_to(file),
        lambda: new.symlink_to(root),
        become_a_folder,
        become_a_link,
        lambda: shutil.copytree(folder, root / new.name, symlinks=True),
        lambda: folder.rename(root / new.name) if folder.name != "notes" else None,
        lambda: write(new / "deep" / "a.md"),
    ]
    rng.choice(happenings)()


def test_folders_that_did_not_change_are_not_read(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = earlier(root)
    read: list[str] = []
    scan_opened = listing._scan_opened

    def reading(opened: int, folder: str, *rest: object) -> object:
        read.append(folder)
        return scan_opened(opened, folder, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(listing, "_scan_opened", reading)
    append(root / MONTH / "one.md")
    scan_again(str(root), known)
    assert read == []
    write(root / MONTH / "new.md")
    scan_again(str(root), known)
    assert read == [MONTH]


def test_of_many_files_none_is_asked_for_by_pythons_stat_when_nothing_changed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Statx()  # it can be called here
    known = earlier(root)._replace(number=MANY)
    asked: list[str | bytes] = []
    lstat = os.lstat

    def asking(path: bytes, **named: int) -> os.stat_result:
        asked.append(path)
        return lstat(path, **named)

    monkeypatch.setattr(os, "lstat", asking)
    scan_again(str(root), known)
    assert asked == []
    append(root / MONTH / "one.md")
    scan_again(str(root), known)
    assert sorted(map(os.fsencode, asked)) == [b"one.md", b"two.md"]


def test_without_statx_many_files_are_asked_for_one_by_one(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = earlier(root)._replace(number=MANY)
    append(root / MONTH / "one.md")
    monkeypatch.setattr(sys, "byteorder", "big")
    with pytest.raises(OSError, match="statx"):
        Statx()
    assert scan_again(str(root), known) == scan(str(root))


def test_a_link_that_leads_to_a_folder_later_is_found(root: Path) -> None:
    (root / "memories" / "there").symlink_to(root.parent / "notes")
    known = earlier(root)
    (root.parent / "notes").mkdir()
    again, everything = both(root, known)
    assert again.symlinks == everything.symlinks == ["memories/there"]


def test_a_folder_that_cannot_be_listed_is_named_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening = os.open

    def refuse(path: str, *rest: int, **named: int) -> int:
        if path.endswith(MONTH):
            raise PermissionError(13, "Permission denied")
        return opening(path, *rest, **named)

    monkeypatch.setattr(os, "open", refuse)
    known = earlier(root)
    again, everything = both(root, known)
    assert again.unreadable == everything.unreadable == [MONTH]


def test_names_that_are_no_utf_8_are_told_apart(root: Path) -> None:
    """As text one is what the bytes of the other say, written as UTF-8."""
    folder = os.fsencode(root / MONTH)
    for name in (b"\xff.md", b"\xed\xb3\xbf.md", "힣.md".encode()):
        Path(os.fsdecode(os.path.join(folder, name))).write_text("text\n")
    known = earlier(root)
    append(Path(os.fsdecode(os.path.join(folder, b"\xff.md"))))
    again, everything = both(root, known)
    assert again == everything


def test_a_file_that_became_a_pipe_is_none(root: Path) -> None:
    known = earlier(root)
    (root / "top.md").unlink()
    os.mkfifo(root / "top.md")
    # Even where the folder's time said nothing.
    known.stamps[""] = os.stat(root).st_ctime_ns  # type: ignore[index]
    again, everything = both(root, known)
    assert again == everything


@pytest.mark.parametrize("own", [True, False])
def test_the_times_of_folders_are_believed_on_disks_of_this_machine_alone(
    root: Path, monkeypatch: pytest.MonkeyPatch, own: bool
) -> None:
    if own and not watch.on_own_disk(str(root)):
        pytest.skip("the tests' folder is on no disk of this machine's own")
    if not own:
        monkeypatch.setattr(watch, "_OWN", frozenset())
    asked: list[str] = []

    def again(root: str, known: Earlier) -> Listing:
        asked.append(root)
        return scan_again(root, known)

    monkeypatch.setattr(watch, "scan_again", again)
    monkeypatch.setattr(watch, "_MANY", 1)
    known = earlier(root)
    append(root / MONTH / "one.md")
    assert WatchedFiles(str(root)).scan(known) == scan(str(root))
    assert bool(asked) == own
