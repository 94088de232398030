"""Texts that a merge of two clones replaced are decided on in `memcli review`."""

from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation import review as versions
from memcli.entries import codec
from memcli.entries.merging.entry_file import Version, merge
from tests.cli.conftest import Run
from tests.cli.test_review_ideas import walk


@pytest.fixture
def merged(vault: Vault) -> Vault:
    """A vault in which a merge let the text of a desk give way to that of a laptop."""
    saved = vault.save(vault.draft({"text": "We deploy on Tuesdays"}))
    place = Path(vault.root, saved.path)
    base = place.read_bytes()
    entry = codec.decode(base, saved.path).entry
    sides = [
        codec.rewrite(base, entry.replace(body=f"We deploy on {day}\n", updated=when))
        for day, when in (
            ("Fridays", "2030-01-01T00:00:00Z"),
            ("Mondays", "2030-01-02T00:00:00Z"),
        )
    ]
    done = merge(saved.path, base, Version(sides[0], "desk"), Version(sides[1], "lap"))
    with vault.transaction() as change:
        change.put(saved.path, done.data)
        for kept in done.kept:
            change.put(kept.path, kept.data)
        change.message = "sync"
    return vault


def current(vault: Vault) -> str:
    (row,) = vault.recall("deploy").rows
    return vault.get(row.id).body


def test_both_texts_stand_beside_each_other(merged: Vault) -> None:
    data, said = walk(merged, "q")
    assert "We deploy on Mondays                   We deploy on Fridays" in said
    assert "merged from desk" in said
    assert data["merged"]["left"] == 1


def test_without_a_terminal_the_texts_are_listed(memcli: Run, merged: Vault) -> None:
    (version,) = versions.merged_versions(merged)
    done = memcli("review")
    assert done.out == ""
    assert done.err.splitlines() == [
        "1 text replaced in a merge:",
        f"  {version.id} We deploy on Fridays",
        f"    now {version.current_id} We deploy on Mondays",
        "To decide, at a terminal: memcli review",
    ]


def test_q_ends_the_whole_walk_and_asks_about_no_idea(merged: Vault) -> None:
    ideas = Path(merged.root, "ideas", "Ideas.md")
    ideas.parent.mkdir(exist_ok=True)
    ideas.write_text("# Ideas\n\n## 2026-11-21: Warm the index\n\nAt login.\n")
    data, said = walk(merged, "q")
    assert "an idea" not in said
    assert "ideas" not in data
    assert "an idea" in walk(merged, "s", "q")[1]


@pytest.mark.parametrize(
    ("key", "outcome", "text"),
    [
        ("k", "kept", "We deploy on Mondays\n"),
        ("t", "taken", "We deploy on Fridays\n"),
        ("b", "joined", "We deploy on Mondays\n\nWe deploy on Fridays\n"),
    ],
)
def test_a_decision_is_made_once_and_can_be_taken_back(
    merged: Vault, key: str, outcome: str, text: str
) -> None:
    data, _ = walk(merged, key)
    assert data["merged"] == {"kept": 0, "taken": 0, "joined": 0, "left": 0} | {
        outcome: 1
    }
    assert current(merged) == text
    assert versions.merged_versions(merged) == []
    assert "merged" not in walk(merged)[0]
    from memcli.curation import undo

    undo.undo_last(merged, "review: ")
    assert current(merged) == "We deploy on Mondays\n"
    assert len(versions.merged_versions(merged)) == 1


def test_what_is_resolved_or_says_the_same_is_not_asked_about(merged: Vault) -> None:
    (version,) = versions.merged_versions(merged)
    merged.resolve(version.current_id)
    assert versions.merged_versions(merged) == []
