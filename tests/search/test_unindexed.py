"""What a save knows of the files that changed since the last question."""

import os
import random
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memcli import Vault
from memcli.search import following as states
from memcli.search.following import Unindexed
from memcli.search.index import Index
from memcli.storage import listing

if TYPE_CHECKING:
    from collections.abc import Callable

# Longer than a tick of the kernel's clock, and far shorter than what is waited for
# outside of tests.
TICK = 0.02


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "_RACY_NS", int(TICK * 1e9))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# Note\n\n{text}\n", "utf-8")


def indexed(root: str) -> states.State:
    """The state of the index, which tells the times of all folders."""
    time.sleep(2 * TICK)
    index = Index(root)
    index.current()
    state = index._opened()
    assert state is not None
    assert all(stamp for stamp, _ in state.folders.values())
    time.sleep(2 * TICK)
    return state


def found(root: str, state: states.State) -> tuple[list[str], list[str]]:
    unindexed = Unindexed(root, state)
    return unindexed.changed, unindexed.removed


def test_only_folders_with_another_time_are_listed(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        write(Path(vault.root, "notes", str(number % 3), f"{number}.md"), "old")
    state = indexed(vault.root)
    write(Path(vault.root, "notes", "1", "new.md"), "new")
    listed: list[str] = []
    scan = listing._scan_opened

    def listing_one(opened: int, folder: str, found: listing.Listing) -> object:
        listed.append(folder)
        return scan(opened, folder, found)

    monkeypatch.setattr(listing, "_scan_opened", listing_one)
    assert found(vault.root, state) == (["notes/1/new.md"], [])
    assert listed == ["notes/1"]


def test_folder_that_cannot_be_listed_is_as_it_was(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(vault.root, "notes")
    write(folder / "a.md", "old")
    state = indexed(vault.root)
    write(folder / "b.md", "new")
    scan = listing._scan_folder

    def refused(root: str, name: str, *rest: object, **options: object) -> object:
        if name == "notes":
            raise PermissionError(13, "Permission denied")
        return scan(root, name, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(listing, "_scan_folder", refused)
    assert found(vault.root, state) == ([], [])


def test_file_edited_in_place_is_found_when_it_matters(vault: Vault) -> None:
    path = Path(vault.root, "notes", "a.md")
    write(path, "old")
    state = indexed(vault.root)
    with path.open("a", encoding="utf-8") as file:
        file.write("More\n")
    unindexed = Unindexed(vault.root, state)
    assert unindexed.changed == []
    assert not unindexed.is_current("notes/a.md")
    assert unindexed.changed == ["notes/a.md"]
    assert not unindexed.is_current("notes/a.md")
    assert unindexed.changed == ["notes/a.md"], "named once"
    path.unlink()
    unindexed = Unindexed(vault.root, state)
    assert (unindexed.changed, unindexed.removed) == ([], ["notes/a.md"])


@pytest.mark.parametrize("seed", range(6))
def test_it_knows_what_a_look_at_every_file_knows(vault: Vault, seed: int) -> None:
    """Whatever happens to files and folders, but edits in place."""
    rng = random.Random(seed)
    root = Path(vault.root)
    for number in range(40):
        write(root / "notes" / str(number % 5) / f"{number}.md", f"old {number}")
    state = indexed(vault.root)
    for number in range(12):
        _happen(rng, root, number)
    full = state.differences(vault.root, listing.scan(vault.root))
    assert found(vault.root, state) == (full.changed, full.removed)


def _happen(rng: random.Random, root: Path, number: int) -> None:
    """One of the things that people, editors and git do to files."""
    files = sorted((root / "notes").rglob("*.md"))
    folders = sorted(path for path in (root / "notes").rglob("*") if path.is_dir())
    file, folder = rng.choice(files), rng.choice(folders)
    new = root / "notes" / f"new{number}"

    def replace() -> None:
        write(new.with_suffix(".tmp"), f"replaced {number}")
        os.replace(new.with_suffix(".tmp"), file)

    happenings: list[Callable[[], object]] = [
        file.unlink,
        replace,
        lambda: file.rename(folder / f"moved{number}.md"),
        lambda: file.rename(folder / file.name),
        lambda: write(folder / "deep" / f"{number}.md", "deep"),
        lambda: write(new / "further" / "x.md", "far"),
        lambda: folder.rename(new) if len(folders) > 1 else None,
        lambda: shutil.rmtree(folder) if len(folders) > 2 else None,
        lambda: shutil.copytree(folder, new),
    ]
    rng.choice(happenings)()
