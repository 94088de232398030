"""The table of triggers follows the files of its vault, and can be lost."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.search import following, trigger_table, triggers
from memcli.storage import state_dirs
from tests.saving import edit, write

LESSON = "HTTP goes through httpx.NewClient, never http.Client"
OTHER = "Never run `npm publish` by hand"


def table_of(vault: Vault) -> trigger_table.Table | None:
    folder = state_dirs.path(vault.root, layout.INDEX)
    return trigger_table.read(os.path.join(folder, trigger_table.NAME))


def names(vault: Vault) -> list[str]:
    """The texts that the table's triggers name, once the index has followed."""
    table = current_table(vault)
    return sorted(e.text for told in triggers.load(table) for e in told.triggers)


def current_table(vault: Vault) -> trigger_table.Table:
    """The table as a hook at a tool finds it, once the index has followed."""
    vault.recall("anything")
    vault.opened.told()
    table = table_of(vault)
    assert table is not None
    return table


def save(vault: Vault, text: str, kind: str = "constraint") -> str:
    return vault.save(text, kind=kind).id


def test_the_table_follows_what_is_saved_edited_and_deleted(vault: Vault):
    first = save(vault, LESSON)
    assert names(vault) == ["http.Client"]
    save(vault, OTHER, "preference")
    assert names(vault) == ["http.Client", "npm publish"]
    path = edit(vault, first, "http.Client", "http.Get")
    # Its folder's time is as it was: what shows the text before must be gone.
    vault.recall("anything")
    assert table_of(vault) is None
    assert names(vault) == ["http.Get", "npm publish"]
    path.unlink()
    assert names(vault) == ["npm publish"]


def test_only_the_entries_that_an_action_may_fire_are_read(vault: Vault):
    save(vault, LESSON)
    save(vault, OTHER)
    table = current_table(vault)
    found = triggers.load(table, [("", "", "run npm publish")])
    assert [told.kind for told in found] == ["constraint"]
    assert triggers.load(table, [("", "", "npm")]) == []


@pytest.mark.parametrize("kind", ["decision", "lesson", "workflow", "fix", "note"])
def test_what_was_decided_or_learnt_takes_part_while_it_holds(vault: Vault, kind: str):
    saved = save(vault, LESSON, kind)
    assert names(vault) == ([] if kind == "note" else ["http.Client"])
    vault.resolve(saved)
    assert names(vault) == []


@pytest.mark.parametrize(
    ("kind", "expected"), [("reference", ["src/x.py"]), ("event", [])]
)
def test_what_lasts_is_told_at_the_file_that_it_is_anchored_in(
    vault: Vault, kind: str, expected: list[str]
):
    name = save(vault, "The limit is ten", kind)
    edit(vault, name, "kind:", "code: [src/x.py]\nkind:")
    assert names(vault) == expected


DECISION = "Retries use exponential backoff, with jitter added to every delay"
SLEEPS = "exponential = 2 ** n\ndelay = exponential * jitter()  # backoff"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("client.py", SLEEPS, True),
        ("client.py", "exponentialBackoff(JITTER, max_delay)", True),
        ("backoff/jitter.py", "delayed = exponential(n)", True),
        ("client.py", "delay = exponential(n, jitter)", False),
        ("client.py", "exponential-backoff-jitter-delay", False),
        ("client.py", "retries = every(added, use)", False),
        ("notes.md", SLEEPS, False),
        ("", SLEEPS, False),
    ],
)
def test_four_rare_words_of_path_and_new_text_bring_a_decision(
    vault: Vault, path: str, text: str, expected: bool
):
    save(vault, DECISION, "decision")
    table = current_table(vault)
    assert table.evident([(path, text, "")]) == ([0] if expected else [])


def test_words_that_many_entries_hold_bring_none(vault: Vault):
    for number in range(40):
        save(vault, f"{DECISION} in service{number}", "decision")
    table = current_table(vault)
    assert table.evident([("client.py", SLEEPS, "")]) == []


def test_a_long_text_brings_no_decision_by_chance(vault: Vault):
    """The rarest of its words are looked at, which here are those of other entries."""
    others = [f"word{chr(97 + n)}x" for n in range(20)]
    for text in (DECISION, f"{DECISION}, always", *others):
        save(vault, text, "decision")
    table = current_table(vault)
    long = f"{SLEEPS} {' '.join(others)}"
    assert table.evident([("client.py", SLEEPS, "")]) == [0, 1]
    assert table.evident([("client.py", long, "")]) == []


def test_a_lesson_that_forbids_a_name_is_not_told_for_its_other_words(vault: Vault):
    save(vault, f"{DECISION}, never http.Client")
    table = current_table(vault)
    assert table.evident([("client.py", SLEEPS, "")]) == []


def test_a_table_that_is_gone_or_damaged_is_made_from_the_index(vault: Vault):
    save(vault, LESSON)
    rows = triggers.load(current_table(vault))
    path = Path(state_dirs.path(vault.root, layout.INDEX), trigger_table.NAME)
    whole = path.read_bytes()
    changed = [bytearray(whole) for _ in whole]
    for at, data in enumerate(changed):  # no byte can be changed unseen
        data[at] ^= 0x41
        path.write_bytes(bytes(data))
        assert trigger_table.read(str(path)) is None, at
    for damage in (None, b"", trigger_table.FORMAT, whole[:-1]):
        path.unlink(missing_ok=True)
        if damage is not None:
            path.write_bytes(damage)
        assert table_of(vault) is None
        vault.read(lambda reader: reader.size)
        assert vault.opened.told() == rows
        assert table_of(vault) is not None


def folder_of_an_entry(vault: Vault) -> Path:
    return next(Path(vault.root, "memories").rglob("*.md")).parent


def a_save(vault: Vault) -> None:
    save(vault, OTHER)


def a_file(vault: Vault) -> None:
    """As rsync -a and tar leave it, with its folder's time put back."""
    (folder_of_an_entry(vault) / "new.md").write_text("new")


def a_copy(vault: Vault) -> None:
    folder = folder_of_an_entry(vault)
    folder.rename(f"{vault.root}.old")
    shutil.copytree(f"{vault.root}.old", folder)


def a_link(vault: Vault) -> None:
    folder = folder_of_an_entry(vault)
    folder.rename(f"{vault.root}.old")
    folder.symlink_to(f"{vault.root}.old")


@pytest.mark.parametrize("change", [a_save, a_file, a_copy, a_link])
def test_a_table_of_before_a_change_is_not_fresh(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, change: Callable[[Vault], None]
):
    monkeypatch.setattr(following, "_RACY_NS", 0)
    save(vault, LESSON)
    settled = current_table(vault)
    assert settled.is_fresh(vault.root)
    folder = folder_of_an_entry(vault)
    before = {each: each.stat() for each in (folder, folder.parent)}
    change(vault)
    for each, was in before.items() if change is not a_save else ():
        os.utime(each, ns=(was.st_atime_ns, was.st_mtime_ns), follow_symlinks=False)
    assert not settled.is_fresh(vault.root)


def test_a_folder_that_changed_a_moment_ago_does_not_count_as_settled(vault: Vault):
    save(vault, LESSON)
    table = current_table(vault)
    assert not table.is_fresh(vault.root)


def test_a_word_of_a_trigger_alone_makes_no_candidate(vault: Vault):
    save(vault, LESSON)
    table = current_table(vault)
    assert table.triggered([("a.go", "a := http.Client{}", "")]) == [0]
    assert table.triggered([("a.go", "a := Client{}", "")]) == []
    assert table.triggered([("", "", "")]) == []


def test_a_change_of_no_lesson_leaves_the_entries_and_takes_the_folders_anew(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
):
    """The table has the bytes that it would have, had it been taken apart."""
    monkeypatch.setattr(following, "_RACY_NS", 0)
    save(vault, LESSON)
    before = current_table(vault)
    text = '# A "quoted" note\n\nThat tells nothing.\n'
    write(vault, "memories/elsewhere/note.md", text)
    after = current_table(vault)
    assert (after.rows(), after.told) == (before.rows(), before.told)
    assert (b"elsewhere" in after._places) > (b"elsewhere" in before._places)
    path = Path(state_dirs.path(vault.root, layout.INDEX), trigger_table.NAME)
    kept = path.read_bytes()
    path.unlink()
    vault.opened.told()
    assert path.read_bytes() == kept
