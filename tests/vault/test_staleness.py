"""What makes knowledge stale goes through the layers that were drawn from it."""

from typing import Any

import pytest

from memcli import Vault
from memcli.curation import citing, review
from memcli.curation import evolve as evolving
from memcli.curation import forget as forgetting
from memcli.entries.eligibility import View
from tests.conftest import VaultMaker
from tests.curation.test_citing import stale as listed
from tests.saving import edit, save

HOUR = 3_600


@pytest.fixture
def vault(moving: Vault) -> Vault:
    return moving


def drawn(vault: Vault, text: str, *evidence: str, **fields: Any) -> str:
    return save(
        vault, text, **{"layer": "observation", "evidence": list(evidence)} | fields
    )


def model(vault: Vault, text: str, *evidence: str, **fields: Any) -> str:
    return drawn(vault, text, *evidence, layer="model", **fields)


def why(vault: Vault, name: str) -> list[tuple[str, list[list[str]]]]:
    """The reasons of a model with the ways that lead to them."""
    listed = citing.models(vault, View(vault.now_ms() // 1000))
    (one,) = [one for one in listed if one.id == name]
    assert all(r.ids == [path[-1] for path in r.paths] for r in one.stale_why)
    return [(reason.reason, reason.paths) for reason in one.stale_why]


# --- what a change names ------------------------------------------------------------


def test_evolve_names_what_is_stale_by_it_through_the_layers(
    vault: Vault, clock: list[int]
) -> None:
    fact, other = save(vault, "Deploys hang at noon"), save(vault, "We eat at one")
    assert vault.evolve(other, "We eat at two").stale_models == []
    seen = drawn(vault, "Noon is a bad time", fact, other)
    name = model(vault, "When to deploy", seen)
    kept = model(vault, "What its people judge", fact, subtype="pinned")
    clock[0] += HOUR
    tagged = vault.evolve(fact, tags=["ops"])
    assert tagged.stale_models == []
    text = {"text": "Deploys hang at one"}
    tried = evolving.evolve(vault, tagged.id, text, dry_run=True)
    done = vault.evolve(tagged.id, "Deploys hang at one")
    named = [*sorted([(seen, "observation"), (kept, "model")]), (name, "model")]
    assert [(each.id, each.layer) for each in done.stale_models] == named
    assert tried.stale_models == done.stale_models
    assert listed(vault) == {seen, name}
    top = model(vault, "How we work", name)
    back = vault.evolve(seen, "Noon is a good time", cite=[done.id])
    assert [each.id for each in back.stale_models] == [name, top]


def test_an_old_version_that_no_run_has_found_is_no_history(
    vault: Vault, clock: list[int]
) -> None:
    fact = save(vault, "Deploys hang at noon")
    current = vault.evolve(fact, tags=["ops"]).id
    clock[0] += HOUR
    seen = drawn(vault, "Noon was a bad time", fact)
    clock[0] += HOUR
    (named,) = vault.evolve(current, "Deploys hang at one").stale_models
    assert named.id == seen
    assert why(vault, seen) == [("superseded", [[fact]])]


def test_what_had_ended_when_it_was_cited_without_a_run_is_named(
    vault: Vault, clock: list[int]
) -> None:
    fact = save(vault, "Deploys need the approval of Anna", kind="blocker")
    vault.resolve(fact)
    clock[0] += HOUR
    name = drawn(vault, "Deploys wait until Anna approves", fact)
    assert why(vault, name) == [("resolved", [[fact]])]


def test_forget_names_what_is_stale_by_it(vault: Vault, clock: list[int]) -> None:
    first = save(vault, "Deploys hang at noon")
    middle = vault.evolve(first, tags=["ops"]).id
    last = vault.evolve(middle, tags=["web"]).id
    of_first = drawn(vault, "Noon is a bad time", first)
    of_middle = drawn(vault, "Noon is a dull time", middle)
    clock[0] += HOUR
    for name, stale in ((middle, [of_middle]), (last, [of_first])):
        planned = forgetting.forget(vault, name, dry_run=True)
        done = forgetting.forget(vault, name)
        assert [each.id for each in done.stale_models] == stale
        assert planned.stale_models == done.stale_models
        assert set(stale) <= listed(vault)
    assert listed(vault) == {of_first, of_middle}
    assert done.stale_models[0].layer == "observation"


# --- layers -------------------------------------------------------------------------


def test_a_model_is_fresh_when_what_it_rests_on_is_fresh_again(
    vault: Vault, clock: list[int]
) -> None:
    old = save(vault, "Deploys take an hour")
    seen = drawn(vault, "Deploys are slow", old)
    name = model(vault, "How we deploy", seen)
    clock[0] += HOUR
    new = vault.evolve(old, "Deploys take a minute").id
    # To look at the same stale observation again is no cure.
    name = vault.evolve(name, cite=[seen]).id
    assert why(vault, name) == [("superseded", [[seen, old]])]
    top = model(vault, "How we work", name)
    assert why(vault, top) == [("superseded", [[name, seen, old]])]
    fresh = vault.evolve(seen, "Deploys are fast", cite=[new]).id
    assert why(vault, name) == [("superseded", [[seen]])]
    name = vault.evolve(name, "How we deploy: fast", cite=[fresh]).id
    assert why(vault, name) == []


def test_entries_that_cite_each_other_come_to_an_end(
    vault: Vault, clock: list[int]
) -> None:
    fact = save(vault, "Deploys take an hour")
    one = drawn(vault, "Deploys are slow", fact)
    two = drawn(vault, "Slow deploys", one)
    edit(vault, one, f"[{fact}]", f"[{fact}, {two}, {one}]")
    assert why(vault, one) == why(vault, two) == []
    clock[0] += HOUR
    vault.resolve(fact)
    assert why(vault, one) == [("resolved", [[fact]])]
    assert why(vault, two) == [("resolved", [[one, fact]])]


def test_what_rests_on_a_pinned_model_is_stale_with_its_evidence(
    vault: Vault, clock: list[int]
) -> None:
    fact = save(vault, "Ann has the keys")
    page = model(vault, "Important contacts", fact, subtype="pinned")
    name = model(vault, "Who to call", page)
    clock[0] += HOUR
    vault.resolve(fact)
    assert why(vault, page) == [("resolved", [[fact]])]
    assert why(vault, name) == [("resolved", [[page, fact]])]


def test_news_for_an_observation_is_news_for_the_model_that_rests_on_it(
    vault: Vault, clock: list[int]
) -> None:
    seen = drawn(vault, "Tyler writes Go", entities=["Tyler"])
    name = model(vault, "Our languages", seen, entities=["languages"])
    clock[0] += HOUR
    news = save(vault, "Tyler writes Rust", entities=["Tyler"])
    assert why(vault, name) == [("newer", [[seen, news]])]
    # Who has seen the news and cites them has looked.
    name = vault.evolve(name, "Our languages: Go, Rust", cite=[seen, news]).id
    assert why(vault, seen) == [("newer", [[news]])]
    assert why(vault, name) == []


def test_an_agent_is_told_no_way_through_what_it_may_not_see(
    make_vault: VaultMaker,
) -> None:
    owner = make_vault()
    with open(f"{owner.root}/.memcli/config.toml", "a", encoding="utf-8") as file:
        file.write('[agents.ada]\npolicy = "shared"\n')
    fact = save(owner, "Deploys hang at noon")
    seen = drawn(owner, "Noon is a bad time", fact)
    name = model(owner, "When to deploy", seen)
    edit(owner, seen, "created:", "visibility: private\ncreated:")
    owner.resolve(fact)
    assert why(owner, name) == [("resolved", [[seen, fact]])]
    assert why(make_vault(agent="ada"), name) == []


# --- what is no news ----------------------------------------------------------------


def test_a_new_tag_on_a_fact_makes_nothing_stale(
    vault: Vault, clock: list[int]
) -> None:
    fact = save(vault, "Tyler writes Go", entities=["Tyler"])
    seen = drawn(vault, "Tyler likes Go", fact, entities=["Tyler"])
    name = model(vault, "Tyler's career", seen, entities=["Tyler"])
    by_subject = model(vault, "Tyler in short", entities=["Tyler"])
    for tag in ("go", "people"):
        clock[0] += HOUR
        fact = vault.evolve(fact, tags=[tag]).id
        seen = vault.evolve(seen, tags=[tag]).id
    for one in (seen, name, by_subject):
        assert why(vault, one) == []
    # The version that says the same is what the model rests on from now on.
    clock[0] += HOUR
    cited, old = vault.get(name).evidence[0], vault.get(seen).evidence[0]
    vault.resolve(fact)
    assert why(vault, name) == [("resolved", [[cited, seen, old, fact]])]
    vault.reopen(fact)
    fact = vault.evolve(fact, "Tyler writes Rust").id
    assert why(vault, by_subject) == [("newer", [[fact]])]


def test_a_text_that_was_taken_back_makes_nothing_stale(
    vault: Vault, clock: list[int]
) -> None:
    fact = save(vault, "Deploys take an hour")
    seen = drawn(vault, "Deploys are slow", fact)
    clock[0] += HOUR
    vault.evolve(vault.evolve(fact, "Deploys take a minute").id, tags=["fast"])
    assert why(vault, seen) == [("superseded", [[fact]])]
    head = vault.recall("deploys take a minute").rows[0].id
    vault.evolve(head, "Deploys take an hour")
    assert why(vault, seen) == []


# --- news of one of several subjects -------------------------------------------------


@pytest.mark.parametrize("field", ["entities", "tags"])
def test_a_report_about_two_turns_stale_by_news_of_one_of_them(
    vault: Vault, clock: list[int], field: str
) -> None:
    name = model(vault, "Who does what", **{field: ["ledger", "cart"]})
    clock[0] += HOUR
    save(vault, "The search has a cache", **{field: ["search"]})
    assert why(vault, name) == []
    news = save(vault, "The cart moved", **{field: ["cart"]})
    assert why(vault, name) == [("newer", [[news]])]


def test_a_name_that_most_memories_share_is_no_news_by_itself(
    vault: Vault, clock: list[int]
) -> None:
    """Most memories of a project name the project."""
    drafts = [
        vault.draft({"text": f"The shop, part {number}", "entities": ["shop"]})
        for number in range(24)
    ]
    vault.save_all(drafts)
    name = model(vault, "The ledger of the shop", entities=["shop", "ledger"])
    whole = model(vault, "The shop at large", entities=["shop"])
    clock[0] += HOUR
    other = save(vault, "The shop has a cart", entities=["shop"])
    assert why(vault, name) == []
    assert why(vault, whole) == [("newer", [[other]])]
    news = save(vault, "The ledger moved", entities=["ledger"])
    assert why(vault, name) == [("newer", [[news]])]


def test_a_candidate_is_news_once_it_is_approved(
    vault: Vault, clock: list[int]
) -> None:
    fact = save(vault, "Payments run on one disk", tags=["pay"])
    waits = save(vault, "Payments moved to two", tags=["pay"], status="pending")
    clock[0] += HOUR
    name = model(vault, "Payments: one disk", fact, tags=["pay"])
    clock[0] += HOUR
    assert why(vault, name) == []
    review.approve(vault, waits)
    assert why(vault, name) == [("newer", [[waits]])]
