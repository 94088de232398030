"""The same text again: what it brings besides is added or refused, never dropped."""

import json
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.curation import importing
from memcli.entries.entry import Entry, Visibility
from memcli.vault import saved, saving
from memcli.vault.saved import Saved
from tests.git_command import git

TEXT = "We deploy on Tuesdays"


def save(vault: Vault, **fields: Any) -> Saved:
    return vault.save(vault.draft({"text": TEXT, **fields}))


def head(vault: Vault) -> str:
    return git(vault, "log", "-1", "--format=%s").strip()


def test_tags_entities_and_a_pin_are_added_in_a_commit(vault: Vault) -> None:
    first = save(vault, tags=["deploy"], kind="convention")
    again = save(vault, tags=["deploy", "weekday"], entities=["CI"], pinned=True)
    assert (again.id, again.outcome) == (first.id, "merged")
    assert again.merged == ("tags", "entities", "pinned")
    entry = vault.get(first.id)
    assert entry.tags == ("deploy", "weekday")
    assert entry.entities == ("CI",)
    assert (entry.pinned, entry.kind) == (True, "convention")
    assert head(vault) == f"save: merged: {TEXT}"


def test_what_the_entry_has_already_makes_no_commit(vault: Vault) -> None:
    save(vault, tags=["deploy", "weekday"], pinned=True)
    before = head(vault)
    again = save(vault, tags=["weekday"], pinned=True)
    assert (again.outcome, again.merged, again.not_taken) == ("duplicate", (), ())
    assert head(vault) == before


def test_what_contradicts_is_named_with_the_command_that_does_it(vault: Vault) -> None:
    first = save(vault, kind="convention")
    again = save(vault, kind="decision", expires_at="2030-01-01")
    assert (again.outcome, vault.get(first.id).kind) == ("duplicate", "convention")
    assert again.notes == (
        f"kind was not taken: {first.id} says something else; to change it: evolve it, "
        "or edit its file",
        f"expires_at was not taken: {first.id} says something else; to change it: "
        "evolve it, or edit its file",
    )


@pytest.mark.parametrize(
    ("has", "given", "added"),
    [
        ({"visibility": Visibility.PRIVATE}, {}, True),
        ({"visibility": Visibility.PRIVATE}, {"visibility": Visibility.PRIVATE}, True),
        (
            {"visibility": Visibility.PRIVATE, "agent": "ada"},
            {"visibility": Visibility.PRIVATE},
            False,
        ),
        (
            {"visibility": Visibility.GROUP, "groups": ("red",)},
            {"visibility": Visibility.GROUP, "groups": ("red", "blue")},
            True,
        ),
        (
            {"visibility": Visibility.GROUP, "groups": ("red", "blue")},
            {"visibility": Visibility.GROUP, "groups": ("red",)},
            False,
        ),
        ({}, {"visibility": Visibility.GROUP, "groups": ("red",)}, False),
    ],
)
def test_only_what_all_readers_of_the_entry_may_see_is_added(
    has: dict[str, Any], given: dict[str, Any], added: bool
) -> None:
    entry = Entry("1m7xvn68xtqp489w", body=TEXT, path="a.md", **has)
    done = saved.merge(entry, Entry("", body=TEXT, tags=("new",), **given))
    assert (done.entry.tags == ("new",)) is added
    assert added or "tags" in done.left
    assert done.entry.visibility is entry.visibility
    assert done.entry.groups == entry.groups


def test_what_a_session_teaches_pins_nothing(vault: Vault) -> None:
    first = save(vault, item="invariant")
    source = {"writer": "hook", "session": "s1"}
    again = save(vault, item="invariant", pinned=True, source=source)
    assert (again.outcome, again.merged) == ("seen", ())
    assert not vault.get(first.id).pinned


def test_an_import_adds_to_what_is_there_and_says_so(vault: Vault) -> None:
    first = save(vault, kind="convention")
    line = f'{{"text": "{TEXT}", "tags": ["a"], "kind": "fix"}}\n'.encode()
    planned = importing.import_lines(vault, line, "x.jsonl", dry_run=True)
    assert (planned.duplicates[0].merged, vault.get(first.id).tags) == (("tags",), ())
    done = importing.import_lines(vault, line * 2, "x.jsonl")
    assert [item.outcome for item in done.duplicates] == ["merged", "duplicate"]
    assert done.duplicates[0].not_taken == ("kind",)
    assert vault.get(first.id).tags == ("a",)


def test_two_lines_of_one_batch_become_one_entry_with_the_tags_of_both(
    vault: Vault,
) -> None:
    drafts = [vault.draft({"text": TEXT, "tags": [tag]}) for tag in "ab"]
    planned = saving.plan(vault, drafts)
    assert [item.outcome for item in planned] == ["created", "merged"]
    created, merged = vault.save_all(drafts)
    assert (created.id, merged.outcome) == (merged.id, "merged")
    assert vault.get(created.id).tags == ("a", "b")
    assert Path(vault.root, created.path).exists()


def test_a_line_with_an_id_that_is_there_does_not_lose_its_text_silently(
    vault: Vault,
) -> None:
    first = save(vault)
    draft = vault.draft({"text": "Something else"}).replace(id=first.id, tags=("x",))
    again = vault.save(draft)
    assert again.notes == (
        f"{first.id} is there with another text, which stays as it is",
    )
    assert vault.get(first.id).tags == ()


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("later", [False, True])
def test_an_import_of_what_was_resolved_resolves_what_was_imported_before(
    vault: Vault, later: bool, own: bool
) -> None:
    row = {"text": TEXT, "item": "derived"}
    first = importing.import_lines(vault, json.dumps(row).encode(), "x.jsonl")
    name = save(vault).id if own else first.created[0].id
    when = "2100-01-02T03:04:05Z" if later else "2001-01-02T03:04:05Z"
    row |= {"status": "resolved", "resolved_at": when, "resolution_note": "moved"}
    done = importing.import_lines(vault, json.dumps(row).encode(), "x.jsonl")
    entry, notes = vault.get(name), (*done.notes, *done.duplicates[0].notes)
    if later and not own:
        assert notes[0].startswith(f"{name} is resolved where this")
        assert (entry.status, entry.resolution_note) == ("resolved", "moved")
        assert (entry.resolved_at or "") < "2100"
        return
    assert f"{name} stays as it is: memcli resolve {name} if it is solved" in notes
    assert name in [row.id for row in vault.recall(TEXT).rows]


def test_an_import_that_is_repeated_changes_nothing_and_names_what_it_hides(
    vault: Vault,
) -> None:
    here = {"text": TEXT, "project": "github.com/acme/shop"}
    rows = [
        {**here, "tags": ["a"]},
        {"text": TEXT, "tags": ["b"], "source": {"session": "s"}},
        {**here, "resolved_at": "2100-01-02T03:04:05Z"},
        {"text": TEXT, "tags": ["c"]},
    ]
    lines = "\n".join(map(json.dumps, rows)).encode()
    done = importing.import_lines(vault, lines, "x.jsonl")
    first, second = (vault.get(each.id) for each in done.created)
    assert (first.tags, first.status, second.tags) == (("a",), "resolved", ("b",))
    assert [each.outcome for each in done.duplicates] == ["merged", "recurred"]
    importing.import_lines(vault, lines, "x.jsonl")
    again = [vault.get(each.id).tags for each in done.created]
    assert again == [("a",), ("b",)]


def test_an_import_names_what_says_nearly_what_is_resolved(vault: Vault) -> None:
    gone = save(vault, kind="convention").id
    vault.resolve(gone)
    row = {"text": "We all deploy on Tuesdays", "kind": "convention"}
    done = importing.import_lines(vault, json.dumps(row).encode(), "x.jsonl")
    like = done.created[0].like_resolved
    assert like is not None
    assert like.id == gone
