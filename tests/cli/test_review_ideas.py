"""Ideas on the command line, listed and decided on; and texts that a merge replaced."""

from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation import review as versions
from memcli.entries import codec
from memcli.entries.entry import Status
from memcli.entries.merging.files import Version, merge_file
from memcli.vault.health.inspect import overview
from tests.cli.conftest import Run
from tests.cli.test_review import candidate, walk


@pytest.fixture
def idea(vault: Vault) -> str:
    return candidate(vault, "Warm the index on login", kind="idea")


def test_an_idea_waits_apart_and_is_decided_on_as_a_candidate(
    memcli: Run, vault: Vault, idea: str
) -> None:
    waiting = candidate(vault, "use tabs")
    (listed,) = memcli("ideas", "--json").json["data"]["ideas"]
    assert listed["id"] == idea
    assert listed["path"].startswith("ideas/")
    assert memcli("review", "--list", "--json").json["data"]["count"] == 1
    assert overview(vault)["inbox"]["count"] == 1
    assert idea not in memcli("recall", "warm the index").out
    assert idea in memcli("recall", "warm the index", "--kind", "idea").out
    bulk = memcli("review", "--approve", "--all", "--yes", "--json").json["data"]
    assert [item["id"] for item in bulk["items"]] == [waiting]
    words = ("review", idea, "--approve", "--kind", "action", "--tag", "cache")
    (item,) = memcli(*words, "--json").json["data"]["items"]
    assert item["path"].startswith("memories/action/")
    entry = vault.get(idea)
    assert (entry.status, entry.tags) == (Status.ACTIVE, ("cache",))
    assert idea in memcli("recall", "warm the index").out
    assert memcli("ideas").err == "No open ideas.\n"


def test_the_walk_comes_to_ideas_after_candidates(vault: Vault, idea: str) -> None:
    waiting = candidate(vault, "use tabs")
    data, said = walk(vault, "y", "n", "too big")
    assert said.index("use tabs") < said.index("Warm the index")
    assert vault.get(waiting).status is Status.ACTIVE
    assert (vault.get(idea).status, vault.get(idea).reason) == ("rejected", "too big")
    assert (data["approved"], data["rejected"], data["left"]) == (1, 1, 0)


# --- texts that a merge replaced ----------------------------------------------------


@pytest.fixture
def merged(vault: Vault) -> Vault:
    """A vault in which a merge let the text of a desk give way to that of a laptop."""
    saved = vault.save("We deploy on Tuesdays")
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


def test_without_a_terminal_the_texts_are_counted(memcli: Run, merged: Vault) -> None:
    (version,) = versions.merged_versions(merged)
    done = memcli("review")
    said = "1 text replaced in a merge; at a terminal: memcli review\n"
    assert (done.out, done.err) == ("", said)
    (listed,) = memcli("review", "--json").json["data"]["merged"]
    assert (listed["id"], listed["current_id"]) == (version.id, version.current_id)


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

    undo.undo(merged)
    assert current(merged) == "We deploy on Mondays\n"
    assert len(versions.merged_versions(merged)) == 1
