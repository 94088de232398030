"""What a report rests on is there and was found, whichever way it is said."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from memcli import Vault
from memcli.curation import citing, importing, review
from memcli.entries.eligibility import View
from memcli.entries.entry import Entry, Status
from memcli.errors import EntryNotFound, InvalidValue, NotAllowed, UsageError
from memcli.vault import lineage
from tests.saving import edit, save

MADE_UP = "1zzzzzzzzzzzzzzz"


def draft(vault: Vault, text: str, *rests_on: str, layer: str = "model") -> Entry:
    return vault.draft({"text": text, "layer": layer, "evidence": list(rests_on)})


def search(vault: Vault, query: str, name: str = "tyler", **filters: Any) -> None:
    vault.recall(query, research=name, **filters)


# --- every way ----------------------------------------------------------------------


def by_import(vault: Vault, name: str) -> None:
    line = {"text": "Tyler's career", "layer": "model", "evidence": [name]}
    done = importing.import_lines(vault, json.dumps(line).encode(), "lines.jsonl")
    for failure in done.failed:
        assert (failure.code, failure.line) == ("entry_not_found", 1)
        raise EntryNotFound(failure.reason)


def by_evolve(vault: Vault, name: str) -> None:
    old = vault.save("Tyler in short", layer="model")
    vault.evolve(old.id, "Tyler's career", evidence=[name])


WAYS: dict[str, Callable[[Vault, str], Any]] = {
    "evidence": lambda vault, name: vault.save(draft(vault, "Tyler's career", name)),
    "cite": lambda vault, name: vault.save(draft(vault, "Tyler's career"), cite=[name]),
    "all": lambda vault, name: vault.save_all([draft(vault, "Tyler's career", name)]),
    "import": by_import,
    "evolve": by_evolve,
}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_report_cites_must_exist_whichever_way_it_is_given(
    vault: Vault, way: str
) -> None:
    fact = save(vault, "Tyler writes Go")
    for name in (MADE_UP, MADE_UP[:8], "1aaa"):
        with pytest.raises(EntryNotFound, match=name):
            WAYS[way](vault, name)
    assert not any("career" in row.text for row in vault.recall("Tyler career").rows)
    WAYS[way](vault, fact[:15])
    (row,) = [row for row in vault.recall("Tyler career").rows if "career" in row.text]
    assert vault.get(row.id).evidence == (fact,)
    assert not row.citations_checked


def test_sessions_are_evidence_of_their_own(vault: Vault) -> None:
    sessions = ("claude-code:1b2c", "0b3e8a52-77aa-4d52-8d4e-b19f9a5a3f0c", "s1")
    assert not any(map(lineage.is_citation, sessions))
    fact = save(vault, "Tyler writes Go")
    saved = vault.save(draft(vault, "Tyler's career", *sessions), cite=[fact])
    assert vault.get(saved.id).evidence == (fact, *sessions)
    assert saved.cited == (fact,)


def test_a_fact_cites_no_entry_in_its_evidence(vault: Vault) -> None:
    fact = save(vault, "Tyler writes Go")
    with pytest.raises(InvalidValue, match="only an observation or a model"):
        vault.save(draft(vault, "Tyler has a dog", fact, layer="fact"))
    # A session may be called anything.
    save(vault, "Tyler has a dog", evidence=[MADE_UP, "s1"])


def test_lines_of_a_batch_cite_each_other_and_fail_one_by_one(vault: Vault) -> None:
    fact = "1m7xvn68xtqp48aa"
    lines = [
        {"text": "Tyler's dog", "layer": "model", "evidence": [MADE_UP]},
        {"text": "Tyler's career", "layer": "model", "evidence": [fact]},
        {"text": "Tyler writes Go", "id": fact},
        {"text": "Tyler's cat", "layer": "observation", "evidence": ["s1", fact[:6]]},
        {"text": "x", "research": "tyler", "layer": "model"},
    ]
    data = "\n".join(map(json.dumps, lines)).encode()
    done = importing.import_lines(vault, data, "lines.jsonl")
    assert [(one.line, one.code) for one in done.failed] == [
        (1, "entry_not_found"),
        (4, "entry_not_found"),
        (5, "invalid_research"),
    ]
    assert [saved.title for saved in done.created] == [
        "Tyler's career",
        "Tyler writes Go",
    ]


# --- what a search has found --------------------------------------------------------


def test_in_research_the_evidence_of_a_draft_is_held_to_the_same_rule(
    vault: Vault,
) -> None:
    fact, other = save(vault, "Tyler writes Go"), save(vault, "Sarah draws icons")
    search(vault, "Tyler")
    with pytest.raises(NotAllowed) as refused:
        vault.save(draft(vault, "Tyler's career", other), research="tyler")
    assert refused.value.code == "nothing_cited"
    saved = vault.save(
        draft(vault, "Tyler's career", other, "s1"), cite=[fact], research="tyler"
    )
    assert (saved.cited, saved.dropped) == ((fact,), (other,))
    assert f"cited: {other}" in saved.notes[0]
    assert vault.get(saved.id).evidence == (fact, "s1")


def test_a_model_all_of_whose_citations_were_dropped_is_refused(
    vault: Vault, snapshot: Callable[[str], dict[str, str]]
) -> None:
    save(vault, "Tyler writes Go")
    old = save(vault, "Tyler in short", layer="model")
    search(vault, "Go")
    before = snapshot(vault.root)
    for act in (
        lambda: vault.save(
            draft(vault, "His career"), cite=[MADE_UP], research="tyler"
        ),
        lambda: vault.evolve(old, "His career", cite=[MADE_UP], research="tyler"),
    ):
        with pytest.raises(NotAllowed, match=f"nothing of what is cited: {MADE_UP}"):
            act()
    assert snapshot(vault.root) == before
    # An observation may be of its own; it says that it cites nothing.
    seen = draft(vault, "His career", layer="observation")
    saved = vault.save(seen, cite=[MADE_UP], research="tyler")
    assert (saved.cited, saved.dropped) == ((), (MADE_UP,))
    assert not saved.citations_checked
    assert saved.notes[0].startswith("it cites nothing")
    bare = vault.save(draft(vault, "Tyler in a word", layer="model"))
    assert bare.notes[0].startswith("it cites nothing")


def test_to_cite_what_may_no_longer_hold_is_said(vault: Vault) -> None:
    fact = save(vault, "Tyler writes Go")
    seen = vault.save(draft(vault, "Tyler likes Go", layer="observation"), cite=[fact])
    assert seen.notes == ()
    vault.resolve(fact)
    saved = vault.save(draft(vault, "Tyler's career"), cite=[seen.id])
    (note,) = saved.notes
    assert note == (
        f"it cites {seen.id}, which may no longer hold (evidence resolved: {fact})"
    )
    done = vault.evolve(saved.id, "Tyler's languages", cite=[seen.id])
    assert done.notes == (note,)


def test_a_run_that_saw_its_evidence_resolved_makes_the_next_version_fresh(
    moving: Vault, clock: list[int]
) -> None:
    vault = moving
    broken = save(vault, "Node pool is broken", kind="blocker")
    other = save(vault, "Node pool has three nodes")
    search(vault, "node pool", "pool")
    report = draft(vault, "Node pool: broken, three nodes")
    model = vault.save(report, cite=[broken, other], research="pool").id
    clock[0] += 60
    vault.resolve(broken)
    clock[0] += 60
    unseen = vault.evolve(model, "Pool: three", cite=[broken, other], research="pool")
    assert stale(vault) == {unseen.id}
    search(vault, "node pool", "pool", statuses=["resolved"])
    clock[0] += 60
    done = vault.evolve(unseen.id, "Pool: fixed", cite=[broken, other], research="pool")
    assert done.notes == (f"it cites {broken} as history: that had ended",)
    assert stale(vault) == set()
    more = vault.evolve(done.id, cite=[save(vault, "Gulls eat chips")]).id
    assert (vault.get(more).research, stale(vault)) == (None, set())
    vault.reopen(broken)
    assert stale(vault) == {more}


@pytest.mark.parametrize(
    "end",
    [
        'expires_at: "2026-01-01"',
        'status: done\nresolved_at: "2026-11-01"',
        'resolved_at: "2026-11-01T00:00:00Z"',
    ],
)
def test_evidence_whose_end_is_dated_before_the_search_that_found_it_in_force(
    moving: Vault, end: str
) -> None:
    """It came by a sync, or was written by hand, after the model was saved."""
    fact = save(moving, "The cache host is redis-a")
    search(moving, "cache host", "cache")
    report = moving.save(draft(moving, "Cache: a"), cite=[fact], research="cache")
    assert stale(moving) == set()
    edit(moving, fact, "created:", f"{end}\ncreated:")
    assert stale(Vault.open(moving.root)) == {report.id}


@pytest.mark.parametrize("resolved", ["before", "after"])
def test_reports_that_become_one_rest_on_what_each_of_them_rested_on(
    vault: Vault, resolved: str
) -> None:
    hour, owner = save(vault, "Deploys take an hour"), save(vault, "Sam owns deploys")
    search(vault, "deploys", "d")
    who = vault.save(draft(vault, "Owner: Sam"), cite=[owner], research="d")
    time = vault.save(draft(vault, "Time: an hour"), cite=[hour], research="d")
    if resolved == "before":
        vault.resolve(hour)
    done = vault.evolve(who.id, "Sam owns it, it takes an hour", also=[time.id])
    if resolved == "after":
        vault.resolve(hour)
    entry = vault.get(done.id)
    assert (set(entry.evidence), len(entry.fingerprints)) == ({hour, owner}, 2)
    assert (done.citations_checked, stale(vault)) == (True, {done.id})


def test_a_review_makes_no_report_fresh_and_nothing_checked(moving: Vault) -> None:
    vault = moving
    pool, tea = save(vault, "Ledger runs on PG"), save(vault, "Tea is at four")
    search(vault, "ledger", "a")
    report = vault.save(draft(vault, "Ledger: PG"), cite=[pool], research="a").id
    waiting = draft(vault, "Ledger: PG, and tea").replace(status=Status.PENDING)
    candidate = vault.save(waiting, cite=[tea]).id
    vault.evolve(pool, "Ledger runs on Oracle")
    review.supersede(vault, candidate, report)
    entry = vault.get(candidate)
    assert (set(entry.evidence), len(entry.fingerprints)) == ({pool, tea}, 2)
    assert (entry.research, stale(vault)) == (None, {candidate})


def test_an_entry_takes_the_place_of_none_of_a_higher_layer(vault: Vault) -> None:
    fact, other = save(vault, "Deploys take an hour"), save(vault, "Sam owns deploys")
    report = vault.save(draft(vault, "Time: an hour"), cite=[fact])
    lower = save(vault, "Deploys", layer="observation", evidence=[fact])
    for name in (other, lower):
        with pytest.raises(UsageError, match="cannot stand for it"):
            vault.evolve(name, "Sam: an hour", also=[report.id])
    waits = draft(vault, "Sam: a day").replace(status=Status.PENDING)
    candidate = vault.save(waits, cite=[fact]).id
    with pytest.raises(UsageError, match="cannot stand for it") as refused:
        review.supersede(vault, candidate, other)
    hint = f"Approve it by itself: memcli review {candidate} --approve"
    assert refused.value.hint == hint
    assert vault.evolve(report.id, "Sam: an hour", also=[other]).id


def stale(vault: Vault) -> set[str]:
    listed = citing.models(vault, View(vault.now_ms() // 1000), stale=True)
    return {one.id for one in listed if one.stale}
