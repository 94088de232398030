"""A question resolves what it clearly means, and nothing by chance."""

from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.curation import resolve
from memcli.curation.resolve_query import plan_query
from memcli.entries.entry import Status
from memcli.errors import AmbiguousQuery, EntryNotFound, InvalidValue
from tests.conftest import VaultMaker


def save(vault: Vault, text: str, **fields: Any) -> str:
    fields = fields or {"item": "derived"}
    return vault.save(vault.draft({"text": text, **fields})).id


def titles(targets: list[resolve.Target]) -> list[str]:
    return sorted(target.title for target in targets)


def lessons(vault: Vault) -> list[str]:
    """Six lessons about one problem, and what is not about it."""
    save(vault, "Payments are drained at noon")
    save(vault, "Deploy on Tuesdays")
    return [
        save(vault, text)
        for text in (
            "Rerank answers 401: check its key",
            "Retry rerank with a longer timeout",
            "Keep the fallback without rerank switched on",
            "Adjust top_k before the next rerank test",
            "Verify the name of the rerank model",
            "Watch the latency of rerank",
        )
    ]


def test_a_plan_covers_all_matches_and_is_carried_out_when_agreed_to(
    vault: Vault,
) -> None:
    ids = lessons(vault)
    found = plan_query(vault, "rerank")
    assert sorted(target.id for target in found.targets) == sorted(ids)
    assert all(target.score for target in found.targets)
    assert vault.get(ids[0]).status is Status.ACTIVE  # a plan changes nothing
    assert len(resolve.apply(vault, found, agreed=True)) == 6
    assert {row.text for row in vault.recall("rerank deploy payments").rows} == {
        "Payments are drained at noon",
        "Deploy on Tuesdays",
    }


def test_a_query_means_what_holds_its_words(vault: Vault) -> None:
    lessons(vault)
    found = plan_query(vault, "the latency of rerank")
    assert titles(found.targets) == ["Watch the latency of rerank"]
    # The others share a word with it and are named, with their distance.
    assert len(found.near) == 5
    assert found.ambiguous is None
    assert titles(vault.resolve_query("the latency of rerank")) == titles(found.targets)


def test_more_than_one_match_without_a_clear_gap_is_refused_with_the_plan(
    vault: Vault,
) -> None:
    ids = [save(vault, f"Login fails on {name}", kind="blocker") for name in "ab"]
    with pytest.raises(AmbiguousQuery, match="2 entries match about as well") as error:
        vault.resolve_query("login fails")
    targets = (error.value.details or {})["plan"].targets
    assert sorted(target.id for target in targets) == sorted(ids)
    assert all(vault.get(name).status is Status.ACTIVE for name in ids)


def test_what_holds_nearly_as_much_makes_the_question_unclear(vault: Vault) -> None:
    save(vault, "Login fails on safari with cookies at night")
    near = save(vault, "Cookies of safari fail at night")
    for what in ("login page", "gateway on monday", "monday of the gateway"):
        save(vault, f"Green is the {what}", kind="note")
    found = plan_query(vault, "login fails safari cookies night gateway monday")
    assert len(found.targets) == 1
    assert [one.id for one in found.near] == [near]
    assert found.ambiguous == "other entries match nearly as well"


def test_decisions_and_notes_are_not_meant_unless_their_kind_is_named(
    vault: Vault,
) -> None:
    name = save(vault, "We deploy the payment tests on Tuesdays", kind="decision")
    with pytest.raises(EntryNotFound) as error:
        vault.resolve_query("payment tests")
    assert "--kind decision" in error.value.message
    assert name in error.value.message
    (done,) = vault.resolve_query("deploy payment tests", kinds=["decision"])
    assert done.id == name
    with pytest.raises(InvalidValue):
        plan_query(vault, "payment", kinds=["blockr"])


def test_what_matches_of_other_kinds_is_named_with_the_flag_that_takes_it(
    vault: Vault,
) -> None:
    save(vault, "Login fails on safari", kind="blocker")
    lesson = save(vault, "Login fails on safari without cookies", kind="lesson")
    save(vault, "The login page is green", kind="note")
    found = plan_query(vault, "login fails safari")
    assert [target.kind for target in found.targets] == ["blocker"]
    assert [target.id for target in found.other_kinds] == [lesson]
    save(vault, "Login fails on safari at noon", kind="fix")
    with pytest.raises(AmbiguousQuery, match=f"{lesson} .*add --kind lesson"):
        vault.resolve_query("login fails safari")


def test_a_question_resolves_no_rule(vault: Vault) -> None:
    rule = save(vault, "Always log in through safari", item="invariant")
    found = plan_query(vault, "log in safari")
    assert found.ambiguous == "only a rule matches"
    with pytest.raises(AmbiguousQuery):
        vault.resolve_query("log in safari")
    name = save(vault, "Log in to safari fails", item="derived")
    assert [one.id for one in plan_query(vault, "log in safari").near] == [rule]
    assert [done.id for done in vault.resolve_query("log in safari")] == [name]


def test_words_that_stand_nowhere_count_against_every_match(vault: Vault) -> None:
    lessons(vault)
    found = plan_query(vault, "kubernetes rerank latency cluster")
    assert found.missing_terms == ["kubernetes", "cluster"]
    assert found.targets == []
    assert found.ambiguous == "no entry holds 60% of the question's words"
    with pytest.raises(AmbiguousQuery, match="near: "):
        resolve.apply(vault, found)


def test_a_question_means_what_holds_in_the_project_that_it_is_asked_in(
    make_vault: VaultMaker, shop: Path
) -> None:
    inside, outside = make_vault(cwd=str(shop)), make_vault(cwd=None)
    text = "CI is red because of the lockfile"
    mine = save(inside, text, kind="blocker", project="github.com/acme/shop")
    other = save(inside, text, kind="blocker", project="github.com/acme/till")
    found = plan_query(outside, "CI red lockfile")
    assert found.ambiguous == (
        "it is said of several projects: github.com/acme/shop, github.com/acme/till"
    )
    done = resolve.apply(inside, plan_query(inside, "CI red lockfile"))
    assert [target.id for target in done] == [mine]
    assert inside.get(other).status is Status.ACTIVE
    with pytest.raises(
        EntryNotFound, match=f"other projects do: {other} .in github"
    ) as no:
        plan_query(inside, "CI red lockfile")
    assert no.value.hint == f"To resolve one of them: memcli resolve {other}"
