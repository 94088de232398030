"""Ideas on the command line; and review's walk through texts that a merge replaced."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.cli import commands
from memcli.curation import ideas as vault_ideas
from memcli.curation import review as versions
from memcli.curation.ideas import Idea
from memcli.entries import codec, layout
from memcli.entries.entry import Status
from memcli.entries.merging.files import Version, merge_file
from tests.cli.conftest import Run
from tests.cli.test_review import Person, candidate

NAMES = ("warm-the-index", "draw-a-graph", "count-sessions")


@pytest.fixture
def three(vault: Vault) -> Vault:
    with vault.transaction() as change:
        new = [
            Idea(
                title,
                f"{title} helps. Nobody does it.",
                f"2026-11-0{day}",
                record=f"{day}",
            )
            for day, title in enumerate(
                ("Warm the index", "Draw a graph", "Count sessions"), 1
            )
        ]
        new[0] = new[0]._replace(session="s9", excerpt="let's warm it some day")
        vault_ideas.add(vault, change, new)
        change.message = "reflect: ideas"
    return vault


def states(vault: Vault) -> list[str]:
    return [one.state for one in vault_ideas.listed(vault)]


def walk(vault: Vault, *lines: str) -> tuple[dict[str, Any], str]:
    person = Person(vault, lines)
    result = commands.load("review")(person.context)
    return result.data, person.said


# --- flags ------------------------------------------------------------------------


def test_the_open_ideas_are_listed_with_their_names(memcli: Run, three: Vault) -> None:
    memcli("ideas", "dismiss", NAMES[1])
    rows = [line.split("\t") for line in memcli("ideas").out.splitlines()]
    assert [row[0] for row in rows] == [NAMES[0], NAMES[2]]
    data = memcli("ideas", "--json").json["data"]
    assert data["count"] == 2
    assert data["ideas"][0]["excerpt"] == "let's warm it some day"
    assert data["ideas"][0]["path"] == layout.idea_page(NAMES[0])


def test_an_idea_is_promoted_found_and_taken_back(memcli: Run, three: Vault) -> None:
    words = ("ideas", "promote", NAMES[0], "--kind", "action", "--tag", "cache")
    done = memcli(*words, "--json").json["data"]
    assert (done["applied"], done["action"]) == (True, "promoted")
    (item,) = done["items"]
    entry = three.get(item["id"])
    folder = layout.month_folder("memories/action", entry.created)
    assert item["path"] == f"{folder}/warm-the-index.md"
    assert (entry.status, entry.tags) == (Status.ACTIVE, ("cache",))
    assert item["id"] in memcli("recall", "warm the index").out
    assert memcli("undo").code == 0
    assert states(three) == ["open"] * 3


def test_a_dry_run_changes_nothing(
    memcli: Run, three: Vault, snapshot: Callable[[str], Any]
) -> None:
    before = snapshot(three.root)
    done = memcli("ideas", "promote", "warm", "--dry-run", "--json").json["data"]
    assert (done["applied"], done["items"][0]["slug"]) == (False, NAMES[0])
    assert "would dismiss 1" in memcli("ideas", "dismiss", "warm", "--dry-run").out
    assert snapshot(three.root) == before


def test_a_candidate_is_no_idea_and_an_idea_no_candidate(
    memcli: Run, three: Vault
) -> None:
    waiting = candidate(three, "use tabs")
    page = vault_ideas.listed(three)[0].id or ""
    error = memcli("review", page, "--approve", "--json").json["error"]
    hint = f"memcli ideas promote {NAMES[0]}"
    assert (error["code"], error["hint"]) == ("not_pending", hint)
    assert memcli(*hint.split()[1:]).code == 0
    assert memcli("review", "--list", "--json").json["data"]["count"] == 1
    assert (
        memcli("review", "--approve", "--all", "--yes", "--json").json["data"]["items"][
            0
        ]["id"]
        == waiting
    )
    assert states(three) == ["promoted", "open", "open"]


# --- inspect ----------------------------------------------------------------------


def test_inspect_shows_the_ledger(memcli: Run, three: Vault) -> None:
    assert memcli("ideas", "list", "--json").json["data"]["by_state"]["open"] == 3
    memcli("ideas", "promote", NAMES[0])
    memcli("ideas", "dismiss", NAMES[1])
    out = memcli("ideas", "list").out.splitlines()
    assert out[0] == "1 open, 1 promoted, 1 dismissed"
    assert out[1].split("\t")[:2] == [NAMES[0], "promoted"]
    data = memcli("ideas", "list", "--json").json["data"]
    assert data["by_state"] == {"open": 1, "promoted": 1, "dismissed": 1}
    assert data["ideas"][0]["where"].startswith("[[memories/idea/")


def test_a_broken_page_is_a_warning(memcli: Run, three: Vault) -> None:
    Path(three.root, layout.idea_page(NAMES[0])).write_bytes(b"\xff")
    for words in (("ideas", "list"), ("ideas",)):
        done = memcli(*words, "--json")
        assert done.code == 0
        assert any("_index.md:1: not UTF-8" in line for line in done.json["warnings"])


# --- texts that a merge replaced ----------------------------------------------------


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
    done = merge_file(
        saved.path, base, Version(sides[0], "desk"), Version(sides[1], "lap")
    )
    with vault.transaction() as change:
        change.put(saved.path, done.data)
        for kept in done.kept:
            change.put(kept.path, kept.data)
        change.message = "sync"
    return vault


def current(vault: Vault) -> str:
    (row,) = vault.recall("deploy").rows
    return vault.get(row.id).body


def test_both_texts_are_shown(merged: Vault) -> None:
    data, said = walk(merged, "q")
    assert said.index("    We deploy on Mondays") < said.index("  merged from desk")
    assert "    We deploy on Fridays" in said
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
