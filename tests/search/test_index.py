"""The index follows the files, and every program may have changed them."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.entries.eligibility import View
from memcli.search import database
from memcli.search.following import Behind
from memcli.search.index import Index
from memcli.search.reader import Reader
from memcli.storage import files, listing
from memcli.storage.lock import Lock
from tests.conftest import state_of
from tests.saving import save, texts

NOW = 1_795_000_000


def file_of(vault: Vault, entry_id: str) -> Path:
    return Path(vault.root, vault.path_of(entry_id))


def test_edit_of_the_same_size_within_one_tick_is_found(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, which keeps no time of change."""
    monkeypatch.setattr(listing, "_WINDOWS", True)
    path = file_of(vault, save(vault, "The port is 8080"))
    before = path.stat()
    assert texts(vault, "8080")
    path.write_text(path.read_text().replace("8080", "9090"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert texts(vault, "9090") == ["The port is 9090"]


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps no time of change")
def test_settings_of_the_same_size_and_time_are_found(vault: Vault) -> None:
    path = Path(vault.root, layout.CONFIG)
    before = path.stat()
    index = Index(vault.root)
    index.current()
    path.write_text(path.read_text().swapcase())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    index.current()
    assert index.change["rebuilt"] == "the vault's config changed"


def test_broken_file_is_named_by_every_answer(vault: Vault) -> None:
    save(vault, "red apples")
    Path(vault.root, "memories", "bad.md").write_text("---\nid: [\n---\napples\n")
    for _ in range(2):
        found = vault.recall("apples")
        assert [row.text for row in found.rows] == ["red apples"]
        assert any(w.startswith("memories/bad.md:") for w in found.warnings)
    Path(vault.root, "memories", "bad.md").write_text("mended apples\n")
    assert len(vault.recall("apples").rows) == 2
    assert vault.recall("apples").warnings == []


def test_unreadable_folder_deletes_nothing(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(vault, "red apples")
    vault.recall("apples")

    def refusing(call: Callable[..., object]) -> Callable[..., object]:
        def refuse(path: str, *rest: object) -> object:
            if str(path).endswith("note"):
                raise PermissionError(13, "Permission denied")
            return call(path, *rest)

        return refuse

    # A folder is opened first where its files can be listed by its handle.
    monkeypatch.setattr(os, "open", refusing(os.open))
    monkeypatch.setattr(os, "scandir", refusing(os.scandir))
    found = Vault.open(vault.root).recall("apples")
    assert [row.text for row in found.rows] == ["red apples"]
    assert any("memories/note/ cannot be listed" in w for w in found.warnings)


@pytest.mark.parametrize("racy_ns", [2_000_000_000, 20_000_000])
def test_save_and_resolve_see_changed_files_without_updating_the_index(
    vault: Vault, racy_ns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memcli.search.following._RACY_NS", racy_ns)
    texts = ("red apples", "dry sand", "wet sand")
    first, second, third = (save(vault, text) for text in texts)
    time.sleep(0.04)  # longer than a tick of the kernel's clock
    vault.recall("apples")
    time.sleep(0.04)
    path = file_of(vault, first)
    path.write_text(path.read_text().replace("red", "green"))
    before = Index(vault.root)._opened()
    again = Vault.open(vault.root)
    if racy_ns > 1_000_000_000:
        assert again.save("green apples").id == first
    assert again.save("red apples").outcome == "created"
    assert [one.id for one in again.resolve(second)] == [second]
    assert Index(vault.root)._opened() == before
    path.write_text(path.read_text().replace("green apples", "wet sand"))
    assert {one.id for one in again.resolve(third)} == {first, third}


def test_who_cannot_wait_is_told_that_the_index_is_behind(vault: Vault) -> None:
    def size(reader: Reader) -> int:
        return reader.size

    with pytest.raises(Behind):
        Index(vault.root).read(size, most=2)
    index = Index(vault.root)
    save(vault, "We deploy on Tuesdays")
    assert index.read(size) == 1
    for number in range(3):
        Path(vault.root, "memories", f"{number}.md").write_text(f"Number {number}.\n")
    with pytest.raises(Behind):
        index.read(size, most=2)
    assert index.read(size, most=3) == 4
    assert index.read(size, most=0) == 4


def test_what_is_racy_no_more_is_noted_and_then_not_read(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(vault, "We deploy on Tuesdays")
    assert vault.recall("deploy").rows
    later = time.time_ns() + 60_000_000_000
    monkeypatch.setattr("memcli.search.following.time.time_ns", lambda: later)
    read: list[str] = []
    first = 0
    whole = files.read

    def noted(path: str, **options: Any) -> bytes:
        read.append(path)
        return whole(path, **options)

    monkeypatch.setattr(files, "read", noted)
    for _ in range(3):
        size = Index(vault.root).read(lambda reader: reader.size)
        assert size == 1
        first = first or len(read)
    assert len(read) == first


def test_what_another_process_indexed_before_this_one_settles_is_read(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file_of(vault, save(vault, "We deploy on Tuesdays"))
    assert vault.recall("deploy").rows
    later = time.time_ns() + 60_000_000_000
    monkeypatch.setattr("memcli.search.following.time.time_ns", lambda: later)

    def take(*args: Any) -> Lock:
        monkeypatch.setattr("memcli.search.index.Lock", Lock)
        text = path.read_text().replace("---\n", "---\nexpires_at: 2020-01-01\n", 1)
        path.write_text(text)
        Index(vault.root).current()
        return Lock(*args)

    monkeypatch.setattr("memcli.search.index.Lock", take)
    assert not Index(vault.root).read(lambda reader: reader.shown([0], View(NOW)))


def test_a_bug_in_an_answer_is_not_taken_for_damage(vault: Vault) -> None:
    """It is raised at once, by name, and the index stays as it is."""
    save(vault, "We deploy on Tuesdays")
    assert vault.recall("deploy").rows
    said: list[str] = []
    index, asked = Index(vault.root, tell=said.append), []

    def answer(reader: Reader, *_: object) -> int:
        asked.append(reader.size)
        return {"a": 1}["b"]

    index.read(lambda reader: reader.live)
    for ask in (index.again, index.read, index.glance):
        with pytest.raises(KeyError, match="b"):
            ask(answer)
    assert (len(asked), said) == (3, [])


def test_what_an_agent_may_not_see_leaves_the_index_also_when_the_agent_updates_it(
    vault: Vault,
) -> None:
    edited = file_of(vault, save(vault, "The heron is mine", visibility="private"))
    deleted = file_of(vault, save(vault, "The stork is mine", visibility="private"))
    assert len(texts(vault, "mine")) == 2
    edited.write_text(edited.read_text().replace("heron", "crane"))
    deleted.unlink()
    agent = Vault.open(vault.root, agent="mate")
    assert texts(agent, "mine") == []
    assert texts(Vault.open(vault.root), "mine") == ["The crane is mine"]


@pytest.mark.parametrize("kind", ["config", "deleted", "in memory"])
def test_an_index_that_is_made_anew_repeats_no_number_of_the_old_one(
    vault: Vault, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader or a table of triggers of the old one would be taken for current."""
    rule = Path(vault.root, "memories", "rule.md")
    rule.write_text("---\nkind: constraint\n---\nNever call `old_one()` here.\n")
    index = Index(vault.root)

    def seen(index: Index) -> tuple[list[str], list[str], int]:
        found = index.read(lambda r: [r.row(doc).text for doc in r.everything()])
        told, state = index.told(), index._state
        assert state is not None
        return found, [each.triggers[0].text for each in told], state.told

    *before, told = seen(index)
    assert before == [["Never call `old_one()` here."], ["old_one()"]]
    rule.write_text("---\nkind: constraint\n---\nNever call `new_one()` here.\n")
    if kind == "config":
        Path(vault.root, layout.CONFIG).write_text("# pulled, and longer than before\n")
    elif kind == "deleted":
        for path in state_of(vault.root, layout.INDEX).glob("*.db*"):
            path.unlink()
        index._close()
    else:
        index._db = database.in_memory(None)
        index._is_in_memory = True
    *after, later = seen(index)
    assert after == [["Never call `new_one()` here."], ["new_one()"]]
    assert later > told


def test_progress_is_complete_when_the_index_is_written_and_not_before(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memcli.search.updating._EVERY", 35)
    for number in range(70):
        Path(vault.root, f"{number}.md").write_text(f"Note {number}\n")
    seen: list[tuple[int, int, bool]] = []

    def is_written() -> bool:
        return Index(vault.root)._opened() is not None

    index = Index(
        vault.root, progress=lambda done, todo: seen.append((done, todo, is_written()))
    )
    index.current()
    assert seen == [(0, 70, False), (35, 70, False), (70, 70, True)]
