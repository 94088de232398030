"""The log says what each commit did and to which entries, memcli's or another's."""

from pathlib import Path

import pytest

from memcli import Vault
from memcli.cli.history import _rows
from memcli.curation import undo
from memcli.errors import HistoryError
from memcli.storage.git.repository import Blob, Repository
from memcli.vault.health.log import Event, log
from tests.git_command import git


def said(events: list[Event]) -> list[tuple[str, list[tuple[str, str]]]]:
    return [(e.action, [(one.title, one.how) for one in e.entries]) for e in events]


def test_each_change_is_named_with_its_entries(vault: Vault) -> None:
    first = vault.save("We deploy on Tuesdays").id
    second = vault.evolve(first, "We deploy on Mondays").id
    vault.resolve(second)
    undo.undo(vault)
    vault.forget(first)
    newest, *rest = log(vault)
    # The version that stays names the one that is gone no longer.
    assert said([newest]) == [
        (
            "forgotten",
            [("We deploy on Mondays", "changed"), ("We deploy on Tuesdays", "removed")],
        )
    ]
    assert said(rest[:4]) == [
        ("undone", [("We deploy on Mondays", "changed")]),
        ("resolved", [("We deploy on Mondays", "changed")]),
        (
            "evolved",
            [("We deploy on Tuesdays", "added"), ("We deploy on Mondays", "changed")],
        ),
        ("saved", [("We deploy on Tuesdays", "added")]),
    ]
    assert [one.id for one in rest[2].entries] == [first, second]
    assert rest[-1].action == "created"


def test_an_evolved_memory_is_one_row(vault: Vault) -> None:
    first = vault.save("We deploy on Tuesdays").id
    gone = vault.save("A slip").id
    second = vault.evolve(first, "We deploy on Mondays").id
    vault.forget(gone)
    rows = [row for event in log(vault) for row in _rows(event)]
    assert [row[1:4] for row in rows[:4]] == [
        ("forgotten", gone, "A slip (removed)"),
        ("evolved", second, "We deploy on Mondays"),
        ("saved", gone, "A slip"),
        ("saved", first, "We deploy on Tuesdays"),
    ]


def test_commits_by_hand_and_odd_files_are_shown(vault: Vault) -> None:
    names = {"a\nb.md", "\2x", "\n", "big.bin", "empty.md"}
    for name in names:
        Path(vault.root, name).write_bytes(b"\0" * 99 if name == "big.bin" else b"")
    git(vault, "add", "--all")
    message = "tabs\tand \x1b[31m \x1f colours\n\nand a body"
    git(vault, "commit", "-qm", message)
    (event,) = log(vault, limit=1)
    assert event.action == "commit"
    assert ({one.path for one in event.entries}, event.files) == (names, 5)


def test_since_and_limit_narrow_it(vault: Vault) -> None:
    for number in range(3):
        vault.save(f"entry {number}")
    assert len(log(vault, limit=2)) == 2
    assert log(vault, since=4_000_000_000) == []


def test_a_commit_of_many_files_names_some(vault: Vault) -> None:
    vault.save_all([vault.draft({"text": f"entry {n}"}) for n in range(60)])
    (event,) = log(vault, limit=1)
    assert (event.files, len(event.entries)) == (60, 50)
    assert [row[3] for row in _rows(event)][-1] == "57 more files"


def test_what_git_has_not_is_none_and_what_is_empty_is_empty(vault: Vault) -> None:
    saved = vault.save("x")
    repository = Repository.open(vault.root)
    head = repository.head() or ""
    data = Path(vault.root, saved.path).read_bytes()
    assert repository.files_at(head, [saved.path, "missing.md", "with space"]) == {
        saved.path: data,
        "missing.md": None,
        "with space": None,
    }
    missing = Blob("1" * 40, "x", "")
    assert repository.contents([missing]) == [b""]


def test_a_file_of_the_history_that_is_too_large_is_not_read(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memcli.storage.git import history

    monkeypatch.setattr("memcli.storage.git.repository.LARGEST", 1_000)
    monkeypatch.setattr("memcli.vault.health.log._LARGEST", 1_000)
    large = Path(vault.root, "memories", "zeros.md")
    large.write_bytes(bytes(1_001))
    git(vault, "add", "--all")
    git(vault, "commit", "-qm", "zeros")
    repository = Repository.open(vault.root)
    path = "memories/zeros.md"
    (blob,) = history.blobs(repository, [path], None)
    assert repository.contents([blob], largest=1_000) == [b""]
    with pytest.raises(HistoryError, match="1,001 bytes, above the limit"):
        repository.files_at("HEAD", [path])
    assert [entry.path for entry in log(vault, limit=1)[0].entries] == [path]
