"""Reflection items and what is mined: once, counted, and never behind a decision."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.entries.entry import Status
from memcli.vault.saved import Saved


def say(vault: Vault, text: str, **fields: Any) -> Saved:
    return vault.save(vault.draft({"text": text, "item": "derived", **fields}))


def session(name: str) -> dict[str, Any]:
    return {"source": {"session": name}}


def test_the_same_claim_again_is_counted_and_not_written_again(vault: Vault) -> None:
    first = say(vault, "Retest rerank", **session("s1"))
    again = say(vault, "* retest rerank.", **session("s2"))
    assert (again.id, again.outcome) == (first.id, "seen")
    entry = vault.get(first.id)
    assert entry.seen == ("2026-11-21T12:00:00Z",)
    assert entry.evidence == ("s2",)
    assert len(list(Path(vault.root, "reflections").glob("*.md"))) == 1


def test_a_session_counts_once_however_often_it_is_read(
    vault: Vault, snapshot: Callable[[str], dict[str, str]]
) -> None:
    say(vault, "Retest rerank", **session("s1"))
    say(vault, "Retest rerank", **session("s2"))
    before = snapshot(vault.root)
    for name in ("s1", "s2"):
        assert say(vault, "retest rerank", **session(name)).outcome == "duplicate"
    assert snapshot(vault.root) == before


def test_without_a_session_a_day_counts_once(moving: Vault, clock: list[int]) -> None:
    vault = moving
    assert say(vault, "Retest rerank").outcome == "created"
    assert say(vault, "Retest rerank").outcome == "duplicate"
    clock[0] += 86_400
    assert say(vault, "Retest rerank").outcome == "seen"
    assert say(vault, "Retest rerank").outcome == "duplicate"


def test_old_sightings_are_dropped_before_the_file_becomes_a_log(vault: Vault) -> None:
    name = say(vault, "Retest rerank").id
    drafts = [
        vault.draft({"text": "retest rerank", "item": "derived", **session(f"s{n}")})
        for n in range(70)
    ]
    assert {saved.outcome for saved in vault.save_all(drafts)} == {"seen"}
    assert len(vault.get(name).seen) == 50
    assert vault.get(name).evidence[-1] == "s69"


def test_a_fact_and_an_item_in_the_same_words_are_two(vault: Vault) -> None:
    """The item fades; who states the fact wants it kept."""
    item = say(vault, "The port is 8080")
    fact = vault.save("The port is 8080")
    assert fact.outcome == "created"
    assert say(vault, "The port is 8080", **session("s")).id == item.id


# --- what was decided stays decided --------------------------------------------------


def test_a_resolved_key_that_is_extracted_again_is_recorded_as_recurred(
    vault: Vault,
) -> None:
    name = say(vault, "Rerank is broken", **session("s1")).id
    vault.resolve(name)
    again = say(vault, "rerank is broken!", **session("s2"))
    assert (again.id, again.outcome) == (name, "recurred")
    assert f"memcli resolve --undo {name}" in again.notes[0]
    entry = vault.get(name)
    assert entry.status is Status.RESOLVED
    assert entry.seen == ("2026-11-21T12:00:01Z",)
    assert vault.recall("rerank").rows == []
    # Not injected until a person reopens it; then it is as fresh as its last sighting.
    vault.reopen(name)
    assert [row.id for row in vault.recall("rerank").rows] == [name]


def test_what_happened_before_it_was_solved_is_no_recurrence(vault: Vault) -> None:
    name = say(vault, "Rerank is broken").id
    vault.resolve(name)
    late = say(vault, "Rerank is broken", occurred_at="2026-11-01", **session("s0"))
    assert late.outcome == "duplicate"
    assert vault.get(name).seen == ()


@pytest.mark.parametrize("writer", ["hook", "pipeline"])
def test_what_a_hook_writes_does_not_get_around_a_decision(
    vault: Vault, writer: str
) -> None:
    solved = vault.save("Rerank is broken", kind="fix").id
    vault.resolve(solved)
    mined = {"text": "rerank is broken", "source": {"writer": writer, "session": "s"}}
    again = vault.save(vault.draft(mined))
    assert (again.id, again.outcome) == (solved, "recurred")
    pending = vault.save(vault.draft({**mined, "status": "pending"}))
    assert (pending.id, pending.outcome) == (solved, "duplicate")


@pytest.mark.parametrize(
    "fields", [{}, {"kind": "decision"}, {"item": "invariant"}, {"pinned": True}]
)
def test_what_a_person_states_again_recurs_and_is_told_how_to_bring_it_back(
    vault: Vault, fields: dict[str, Any]
) -> None:
    solved = vault.save("Rerank is broken").id
    vault.resolve(solved)
    again = vault.save(vault.draft({"text": "rerank is broken!", **fields}))
    assert (again.id, again.outcome, again.settled_by) == (solved, "recurred", solved)
    assert f"memcli resolve --undo {solved}" in again.notes[0]
    # The second time of a day is not counted, and is told all the same.
    more = vault.save(vault.draft({"text": "Rerank is broken", **fields}))
    assert (more.id, more.outcome, more.settled_by) == (solved, "recurred", solved)
    assert len(vault.get(solved).seen) == 1


def test_a_title_that_says_a_solved_thing_recurs_and_its_text_is_not_lost_unsaid(
    vault: Vault,
) -> None:
    solved = vault.save("Rerank is broken").id
    vault.resolve(solved)
    draft = vault.draft({"text": "It timed out", "title": "`Rerank` is broken."})
    again = vault.save(draft)
    assert (again.id, again.outcome, again.settled_by) == (solved, "recurred", solved)
    assert again.notes[-1] == (
        f"a part of it says what {solved} does, so its text was not saved"
    )
    assert not vault.recall("timed out").rows


def test_what_was_resolved_alone_may_be_said_again(vault: Vault) -> None:
    solved = vault.save("Rerank is broken").id
    vault.resolve(solved, same_key=False)
    again = vault.save("Rerank is broken")
    assert again.outcome == "created"
    assert again.notes == (f"an entry with the same text is resolved: {solved}",)
    assert [row.id for row in vault.recall("rerank").rows] == [again.id]


def test_what_nearly_says_a_solved_thing_is_told(vault: Vault) -> None:
    text = "Run make lint before every commit on the main branch"
    solved = vault.save(text).id
    vault.resolve(solved)
    saved = vault.save("Run make lint before you commit to the main branch")
    assert saved.outcome == "created"
    assert saved.like_resolved is not None
    assert saved.like_resolved.id == solved


def test_a_superseded_text_may_be_said_again(vault: Vault) -> None:
    old = vault.save("The port is 80").id
    vault.evolve(old, "The port is 8080")
    again = vault.save("The port is 80")
    assert (again.outcome, again.id == old) == ("created", False)
    assert vault.save("The port is 80").id == again.id


def test_an_expired_text_may_be_said_again(vault: Vault) -> None:
    fields = {"text": "The sale is on", "expires_at": "2026-11-01"}
    notes = vault.save(vault.draft(fields)).notes
    assert notes == ("it is not shown: it has expired (2026-11-01)",)
    again = vault.save("The sale is on")
    assert again.outcome == "created"
    assert len(vault.recall("sale").rows) == 1


def test_a_candidate_that_is_there_already_waits_once(vault: Vault) -> None:
    draft = {"text": "Use tabs", "status": "pending"}
    first = vault.save(vault.draft(draft))
    again = vault.save(vault.draft({**draft, "text": "- use tabs."}))
    assert (again.id, again.outcome) == (first.id, "duplicate")
    stated = vault.save("Use tabs")
    assert stated.outcome == "created"
    known = vault.save(vault.draft({"text": "use tabs", "status": "pending"}))
    assert (known.id, known.outcome) == (stated.id, "duplicate")
