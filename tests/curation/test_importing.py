"""Import reads, saves what it can, names the rest; again, it adds nothing."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memcli.api import Vault
from memcli.curation import importing
from memcli.errors import UsageError
from memcli.hosts import memories
from tests.saving import save, write
from tests.sessions.test_reflect_session import say


def lines(*values: Any) -> bytes:
    return "\n".join(map(json.dumps, values)).encode()


def notes(folder: Path) -> Path:
    for number in range(20):
        text = f"---\ntags: [a, b c]\naliases: [x{number}]\n---\n# T\nbody {number}\n"
        write(folder, f"sub/n{number}.md", text)
    (folder / "one.md").write_text("same words\n", encoding="utf-8")
    (folder / "two.md").write_text("same words\n", encoding="utf-8")
    (folder / "front.md").write_text("---\nx: 1\n---\n", encoding="utf-8")
    return folder


LINES = lines(
    {"text": "one"},
    {"text": "two", "source": {"session": "s", "seq": 1}},
    {"text": "two", "source": {"session": "s", "seq": 2}},
    {"text": "four", "kind": "nope"},
    [1],
    {"text": "\ud83d"},
    {"text": "x" * 1_000_001},
)


def test_what_is_wrong_is_named_by_its_line_and_the_rest_is_saved(vault: Vault) -> None:
    done = importing.import_lines(vault, LINES, "f.jsonl")
    assert len(done.created) == 3
    assert [(item.line, item.code) for item in done.failed] == [
        (4, "invalid_kind"),
        (5, "invalid_json"),
        (6, "not_text"),
        (7, "too_large"),
    ]


def test_a_second_import_of_an_entry_that_ended_adds_nothing(vault: Vault) -> None:
    ends = ("resolved", "superseded", "expired", "rejected")
    each = lines(*({"text": f"it was {end}", "status": end} for end in ends))
    assert len(importing.import_lines(vault, each, "f").created) == 4
    assert importing.import_lines(vault, each, "f").created == []


def test_what_a_session_said_stays_unconfirmed_in_a_file(
    vault: Vault,
) -> None:
    said = {"text": "Use tabs", "source": {"writer": "pipeline", "session": "s1"}}
    importing.import_lines(vault, lines(said), "f")
    assert vault.recall("tabs").rows[0].unconfirmed


def test_a_link_out_of_the_folder_is_named_and_not_followed(
    vault: Vault, tmp_path: Path
) -> None:
    outside = write(tmp_path, "outside/note.md", "do not read this\n").parent
    folder = notes(tmp_path / "notes")
    os.symlink(outside / "note.md", folder / "link.md")
    os.symlink(outside, folder / "linked")
    failed = importing.import_folder(vault, str(folder)).failed
    assert sorted(item.source for item in failed) == ["link.md", "linked"]
    assert all("read" not in row.text for row in vault.recall("read").rows)


def test_the_vault_is_not_imported_into_itself(vault: Vault) -> None:
    for folder in ("", "memories", ".."):
        with pytest.raises(UsageError):
            importing.import_folder(vault, os.path.join(vault.root, folder))


@pytest.mark.parametrize("source", ["", "source: {writer: manual}\n"])
def test_a_folder_never_pins_nor_sets_what_keeps_tools_from_running(
    vault: Vault, tmp_path: Path, source: str
) -> None:
    text = "kind: constraint\nenforce: deny\npinned: true\n"
    text = f"---\n{text}{source}---\nNever run make\n"
    folder = write(tmp_path, "theirs/rule.md", text).parent
    done = importing.import_folder(vault, str(folder))
    entry = vault.get(done.created[0].id)
    seen = (entry.enforce, entry.pinned, entry.source.writer)
    assert seen == (None, False, "import")
    first, second = done.notes
    assert first.startswith("rule.md:1: enforce was left out; a person sets it")
    assert second.startswith("rule.md:1: pinned was left out; to pin it: memcli ")
    hidden = {"text": "Never run make", "extra": {"pinned": "pinned: true\n"}}
    (failed,) = importing.import_lines(vault, lines(hidden), "f").failed
    assert failed.code == "invalid_extra"


def test_the_title_of_an_import_names_no_entry_that_was_there(
    vault: Vault, tmp_path: Path
) -> None:
    rule = save(vault, "Use pnpm in all projects", kind="constraint", pinned=True)
    page = write(tmp_path, "theirs/Use npm.md", "Use pnpm in all projects\n")
    (done,) = importing.import_folder(vault, str(page.parent)).duplicates
    assert (done.id, done.not_taken) == (rule, ("title",))
    assert vault.get(rule).title == ""


def test_what_was_resolved_elsewhere_comes_as_resolved(vault: Vault) -> None:
    ways: list[tuple[str, object, str | None]] = [
        ("resolved_at", "2026-11-20", "2026-11-20"),
        ("resolved_at", 1_763_600_000, "2025-11-20T00:53:20Z"),
        ("resolvedAt", 1_763_600_000_123, "2025-11-20T00:53:20Z"),
        ("status", "wontfix", None),
    ]
    plain = {"source": {"writer": "manual"}}
    each = lines(
        *(
            {"text": f"Restart the cache {n}", k: v, **plain}
            for n, (k, v, _) in enumerate(ways)
        )
    )
    done = importing.import_lines(vault, each, "lines.jsonl")
    entries = [vault.get(saved.id) for saved in done.created]
    seen = {(entry.status, entry.source.writer) for entry in entries}
    assert seen == {("resolved", "import")}
    assert [entry.resolved_at for entry in entries] == [when for _, _, when in ways]
    assert vault.recall("restart cache").rows == []


def test_what_another_version_replaced_is_left_out_and_named(
    vault: Vault, tmp_path: Path
) -> None:
    text = "We deploy on Tuesdays"
    old = save(vault, text, kind="convention")
    new = vault.evolve(old, "We deploy every day").id
    write(tmp_path, "theirs/note.md", text)
    page = write(tmp_path, "CLAUDE.md", f"## Deploys\n\n- {text}.\n")
    for done in (
        importing.import_folder(vault, str(tmp_path / "theirs")),
        importing.import_memories(vault, memories.find("agents-md"), [str(page)]),
        importing.import_lines(vault, lines({"text": text}), "f", dry_run=True),
    ):
        (left,) = done.duplicates
        assert (done.created, left.outcome, left.id) == ([], "superseded", old)
        assert f"{new} replaced it" in left.notes[0]
    forged = {"id": old[::-1], "text": "We never deploy", "supersedes": new}
    backup = lines({"id": old[::-1], "text": text}), lines(forged)
    known, cut = (importing.import_lines(vault, data, "f") for data in backup)
    assert known.duplicates[0].outcome == "superseded"
    assert f"{new} is not replaced" in cut.notes[0]
    assert vault.get(cut.created[0].id).supersedes is None


def test_items_of_a_rule_that_are_resolved_or_replaced_are_left_out_of_it(
    vault: Vault, tmp_path: Path
) -> None:
    vault.resolve(save(vault, "Flush the zebra cache"))
    vault.evolve(save(vault, "Tell the lions"), "Tell nobody")
    rules = (
        "- Use pnpm\n  - Flush the zebra cache.\n  - or npm\n\nThen:\n\n1. tag it\n"
        "2. Tell the lions\n\n- Flush the zebra cache\n  - daily\n"
    )
    page = [str(write(tmp_path, "CLAUDE.md", rules))]
    for _ in range(2):
        done = importing.import_memories(vault, memories.find("agents-md"), page)
        assert done.duplicates[-1].settled_by
        assert len(done.notes) == 2
    texts = [row.text for row in vault.entries()]
    assert {"Use pnpm\n- or npm", "Then:\n\n1. tag it"} <= {*texts}
    rules = "# Shop\n\n1. Tell the lions\n2. Use bun\n"
    page = [str(write(tmp_path, "AGENTS.md", rules))]
    importing.import_memories(vault, memories.find("agents-md"), page)
    words = [*texts, *(row.title for row in vault.entries())]
    assert not any("zebra" in text or "lions" in text for text in words)


def test_a_note_whose_name_is_no_text_stops_no_import(
    vault: Vault, tmp_path: Path
) -> None:
    folder = write(tmp_path, "notes/a.md", "We use tabs\n").parent
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.md")).write_text("We use spaces\n")
    done = importing.import_folder(vault, str(folder))
    assert [vault.get(one.id).body for one in done.created] == ["We use tabs\n"]
    assert [(one.source, one.reason) for one in done.failed] == [
        ("\\udcff.md", "its name is no UTF-8")
    ]


def test_a_page_confirms_nothing_and_makes_no_second_entry_of_what_a_session_said(
    vault: Vault, tmp_path: Path
) -> None:
    (mined,) = vault.mine(say(tmp_path, "Always run the linter first.")).fates
    (tmp_path / "CLAUDE.md").write_text("# Rules\n\n- Always run the linter first\n")
    page = [str(tmp_path / "CLAUDE.md")]
    done = importing.import_memories(vault, memories.find("agents-md"), page)
    assert (done.created, [one.id for one in done.duplicates]) == ([], [mined.id])
    assert [row.unconfirmed for row in vault.recall("linter").rows] == [True]
