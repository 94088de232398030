"""Research under a name: what was searched is counted, and only that can be cited."""

from collections.abc import Callable
from typing import Any

import pytest

from memcli import Vault
from memcli.curation import citing, research
from memcli.entries import layout
from memcli.entries.eligibility import View
from memcli.entries.entry import Layer
from memcli.errors import EntryNotFound, InvalidValue, NotAllowed
from tests.conftest import VaultMaker, state_of
from tests.saving import edit, save

DAY = 86_400
DEPTHS: list[tuple[str, int]] = [("low", 2), ("mid", 5), ("high", 10)]


def search(
    vault: Vault, query: str, name: str = "tyler", budget: str | None = None
) -> research.Run:
    vault.recall(query, research=name, budget=budget)  # type: ignore[arg-type]
    return research.get(vault, name)


def grant(vault: Vault, name: str, layer: Layer, cites: list[str]) -> citing.Granted:
    return citing.grant(vault, layer, citing.Cites(cites, name))


# --- must search before answering ---------------------------------------------------


def test_the_agent_must_perform_at_least_one_search_before_providing_an_answer(
    vault: Vault,
) -> None:
    """Error: "You must search for information first. Use recall() ..."."""
    base = save(vault, "Tyler writes Go")
    with pytest.raises(NotAllowed, match="search before you conclude") as refused:
        grant(vault, "tyler", Layer.MODEL, [base])
    assert refused.value.code == "must_search"
    assert refused.value.hint == 'First: memcli recall "..." --research tyler'
    search(vault, "Tyler")
    assert grant(vault, "tyler", Layer.MODEL, [base]).cited == [base]


def test_a_run_of_the_day_before_asks_for_a_search(
    moving: Vault, clock: list[int]
) -> None:
    base = save(moving, "Tyler writes Go")
    search(moving, "Tyler")
    clock[0] += DAY + 1
    with pytest.raises(NotAllowed, match="within a day") as refused:
        grant(moving, "tyler", Layer.MODEL, [base])
    assert refused.value.code == "must_search"
    search(moving, "Tyler")
    assert grant(moving, "tyler", Layer.MODEL, [base]).cited == [base]


CHANGES: dict[str, Callable[[Vault, str], Any]] = {
    "edited": lambda vault, name: edit(vault, name, "Go", "Rust"),
    "superseded": lambda vault, name: vault.evolve(name, "Tyler writes Rust"),
    "resolved": lambda vault, name: vault.resolve(name),
}


@pytest.mark.parametrize("reason", CHANGES)
def test_a_model_is_born_stale_where_its_evidence_changed_after_the_search(
    moving: Vault, clock: list[int], reason: str
) -> None:
    base = save(moving, "Tyler writes Go")
    run = search(moving, "Tyler")
    clock[0] += 60
    CHANGES[reason](moving, base)
    clock[0] += 60
    draft = moving.draft({"text": "Tyler is a Go developer", "layer": "model"})
    saved = citing.save(moving, draft, citing.Cites([base], "tyler"))
    assert moving.get(saved.id).refreshed_at == run.last
    assert any(
        f"it is stale already: evidence {reason}" in note for note in saved.notes
    )
    (found,) = citing.models(moving, View(clock[0]))
    assert [why.reason for why in found.stale_why] == [reason]


def test_a_search_that_fails_does_not_count(vault: Vault) -> None:
    with pytest.raises(InvalidValue):
        vault.recall("x", research="tyler", kinds=["nonsense"])
    assert research.runs(vault) == []


# --- citation tracking --------------------------------------------------------------


def test_only_cite_ids_that_were_actually_retrieved_and_drop_any_hallucinated_ids(
    vault: Vault,
) -> None:
    tyler = save(vault, "Tyler writes Go")
    other = save(vault, "Sarah draws icons")
    gone = save(vault, "Tyler has a dog")
    search(vault, "Tyler")
    vault.forget(gone)
    made_up = "1zzzzzzzzzzzzzzz"
    cites = [tyler[:15], other, made_up, gone, tyler, ""]
    granted = grant(vault, "tyler", Layer.MODEL, cites)
    assert granted.cited == [tyler]
    assert granted.dropped == [other, made_up, gone, ""]


# --- budget -------------------------------------------------------------------------


@pytest.mark.parametrize(("budget", "most"), DEPTHS)
def test_low_takes_2_search_calls_mid_5_and_high_10(
    vault: Vault, budget: str, most: int
) -> None:
    assert research.SEARCHES[budget] == most
    left = [search(vault, f"q{n}", budget=budget).left for n in range(most)]
    assert left == list(range(most - 1, -1, -1))
    with pytest.raises(NotAllowed, match=f"has used its {most} searches") as refused:
        search(vault, "one more")
    assert refused.value.code == "budget_spent"
    assert len(research.get(vault, "tyler").searches) == most


def test_a_budget_is_raised_by_asking_for_it_and_never_lowered(vault: Vault) -> None:
    for number in range(2):
        search(vault, f"q{number}", budget="low")
    with pytest.raises(NotAllowed) as refused:
        search(vault, "q")
    assert "Raise it with --budget mid" in (refused.value.hint or "")
    assert search(vault, "q", budget="mid").left == 2
    assert search(vault, "q", budget="low").left == 1
    assert search(vault, "q").budget == "mid"


def test_low_budget_reflection_does_not_create_a_mental_model_not_enough_depth(
    vault: Vault,
) -> None:
    base = save(vault, "Tyler writes Go")
    search(vault, "Tyler", budget="low")
    with pytest.raises(NotAllowed, match="not enough depth") as refused:
        grant(vault, "tyler", Layer.MODEL, [base])
    assert refused.value.code == "budget_too_low"
    assert grant(vault, "tyler", Layer.OBSERVATION, [base]).cited == [base]
    search(vault, "Tyler", budget="mid")
    assert grant(vault, "tyler", Layer.MODEL, [base]).cited == [base]


# --- the log ------------------------------------------------------------------------


def test_the_log_holds_no_text_of_a_memory_and_git_does_not_see_it(
    vault: Vault, snapshot: Any
) -> None:
    save(vault, "Tyler writes Go fluently")
    before = snapshot(vault.root)
    search(vault, "Tyler")
    (log,) = state_of(vault.root, layout.RESEARCH).rglob("*.json")
    assert "fluently" not in log.read_text("utf-8")
    assert snapshot(vault.root) == before


def test_runs_that_nobody_searched_in_for_30_days_are_tidied(
    moving: Vault, clock: list[int]
) -> None:
    vault = moving
    search(vault, "q", "old")
    clock[0] += 2 * DAY
    search(vault, "q", "young")
    clock[0] += 28 * DAY
    search(vault, "q", "third")
    assert {run.name for run in research.runs(vault)} == {"old", "young", "third"}
    clock[0] += 1
    search(vault, "q", "fourth")
    assert {run.name for run in research.runs(vault)} == {"young", "third", "fourth"}


def test_an_agent_sees_and_spends_its_own_runs_alone(make_vault: VaultMaker) -> None:
    owner, ada, bob = make_vault(), make_vault(agent="ada"), make_vault(agent="bob")
    for number in range(2):
        search(ada, f"q{number}", "same", budget="low")
    assert search(bob, "q", "same", budget="low").left == 1
    assert [run.agent for run in research.runs(bob)] == ["bob"]
    with pytest.raises(EntryNotFound):
        research.get(make_vault(agent="eve"), "same")
    with pytest.raises(NotAllowed, match="nothing was searched"):
        grant(owner, "same", Layer.MODEL, [])
    assert {run.agent for run in research.runs(owner)} == {"ada", "bob"}
    search(owner, "q", "same")
    assert research.get(owner, "same").agent is None
