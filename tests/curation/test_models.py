"""Models say what they rest on, and the files say when they may no longer hold."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.curation import changing, citing, review, verify
from memcli.entries.eligibility import View
from memcli.entries.entry import Layer, Subtype, Visibility
from memcli.entries.merging.files import MERGED_FROM
from memcli.errors import NotAllowed
from memcli.recall.query import Query
from memcli.vault.health import inspect
from tests.conftest import VaultMaker
from tests.saving import edit, every, save

HOUR = 3_600


@pytest.fixture
def vault(moving: Vault) -> Vault:
    return moving


def model(vault: Vault, text: str, *evidence: str, **fields: Any) -> str:
    return save(vault, text, layer="model", evidence=list(evidence), **fields)


def why(vault: Vault, name: str) -> list[tuple[str, list[str]]]:
    """The reasons of one model, as every surface gives them; they agree."""
    view = View(vault.now_ms() // 1000)
    (one,) = [one for one in citing.models(vault, view) if one.id == name]
    (row,) = [row for row in every(vault, Query("", view)).rows if row.id == name]
    shown = inspect.inspect(vault, name)
    assert [*row.stale_why] == one.stale_why == shown.stale_why
    assert one.stale == row.stale == shown.stale
    assert one.stale_why == shown.as_dict()["stale_why"]
    return [(reason.reason, reason.ids) for reason in one.stale_why]


# --- what a model is ---------------------------------------------------------------


@pytest.mark.parametrize("subtype", list(Subtype))
def test_a_model_has_one_of_three_subtypes(vault: Vault, subtype: Subtype) -> None:
    base = save(vault, "Tyler is a backend engineer")
    name = model(vault, "Tyler's career", base, subtype=str(subtype))
    entry = vault.get(name)
    assert (entry.subtype, entry.layer) == (subtype, Layer.MODEL)
    assert entry.path.startswith("models/")
    assert entry.evidence == (base,)
    assert entry.refreshed_at == "2026-11-21T12:00:00Z"
    assert f"subtype: {subtype}\n" in Path(vault.root, entry.path).read_text("utf-8")


def test_update_creates_a_new_version_and_preserves_the_old_for_history(
    vault: Vault, clock: list[int]
) -> None:
    """The new one is current, not stale, and last refreshed now."""
    old = save(vault, "Deploys take an hour", entities=["gateway"])
    name = model(vault, "How we deploy", old, subtype="structural")
    clock[0] += HOUR
    fresh = vault.evolve(old, "Deploys take a minute").id
    assert why(vault, name) == [("superseded", [old])]
    done = vault.evolve(name, "How we deploy now", cite=[fresh])
    entry = vault.get(done.id)
    assert entry.supersedes == name
    assert entry.subtype is Subtype.STRUCTURAL
    assert entry.refreshed_at == "2026-11-21T13:00:00Z"
    assert entry.evidence == (fresh,)
    assert why(vault, done.id) == []
    before = vault.get(name)
    assert before.body == "How we deploy\n"
    assert before.evidence == (old,)
    assert before.path.startswith("archive/models/")
    assert [one.id for one in inspect.inspect(vault, done.id).versions] == [
        name,
        done.id,
    ]
    (one,) = citing.models(vault, View(clock[0]))
    assert one.versions == 2


def test_a_new_wording_is_no_new_look(vault: Vault, clock: list[int]) -> None:
    base = save(vault, "Tests need redis")
    name = model(vault, "What tests need", base)
    clock[0] += HOUR
    vault.resolve(base)
    done = vault.evolve(name, "What the tests need")
    entry = vault.get(done.id)
    assert entry.refreshed_at == "2026-11-21T12:00:00Z"
    assert why(vault, done.id) == [("resolved", [base])]


def test_a_text_that_a_review_takes_from_a_merge_is_no_new_look(
    vault: Vault, clock: list[int]
) -> None:
    base = save(vault, "Tests need redis", entities=["tests"])
    done = vault.evolve(model(vault, "What tests need", base, entities=["tests"]), "It")
    clock[0] += HOUR
    newer = save(vault, "Tests need a database", entities=["tests"])
    vault.evolve(done.id, "What our tests need", reason="later")
    edit(vault, done.id, "reason: later", f"reason: {MERGED_FROM}desk")
    review.settle(vault, done.id, "taken")
    (taken,) = citing.models(vault, View(clock[0]))
    assert why(vault, taken.id) == [("newer", [newer])]


# --- evidence ----------------------------------------------------------------------


def edited(vault: Vault, name: str) -> None:
    edit(vault, name, "an hour", "a day")


ENDS: dict[str, Callable[[Vault, str], Any]] = {
    "edited": edited,
    "superseded": lambda vault, name: vault.evolve(name, "It takes a minute"),
    "resolved": lambda vault, name: vault.resolve(name),
    "removed": lambda vault, name: vault.forget(name),
}


@pytest.mark.parametrize(
    ("end", "layer"), list(zip(ENDS, ("model", "observation") * 2, strict=True))
)
def test_evidence_that_was_edited_superseded_resolved_or_removed_makes_it_stale(
    vault: Vault, clock: list[int], end: str, layer: str
) -> None:
    base = save(vault, "The build takes an hour")
    other = save(vault, "The build is green")
    name = save(vault, "The build", layer=layer, evidence=[base, other])
    assert why(vault, name) == []
    clock[0] += HOUR
    ENDS[end](vault, base)
    assert why(vault, name) == [(end, [base])]
    found = vault.reflect("build")
    assert found.stale == [name]
    (row,) = [row for row in found.facts if row.id == name]
    assert row.as_dict()["stale_why"] == [
        {"reason": end, "ids": [base], "number": 1, "paths": [[base]]}
    ]


def test_a_change_that_is_not_of_the_text_makes_nothing_stale(
    vault: Vault, clock: list[int]
) -> None:
    """A tag by hand, a space, a touched date: the fingerprint is the text's."""
    base = save(vault, "The build takes an hour")
    name = model(vault, "The build", base)
    clock[0] += HOUR
    edit(vault, base, "The build  ".strip(), "The  build")
    edit(vault, base, "created:", 'updated: "2026-11-21T13:00:00Z"\ncreated:')
    assert why(vault, name) == []
    # A model that was written by hand has none: its dates have to do.
    edit(vault, name, "fingerprints:", "mine:")
    assert why(vault, name) == [("edited", [base])]


# --- newer memories ----------------------------------------------------------------


def test_a_newer_memory_about_its_entity_makes_it_stale(
    vault: Vault, clock: list[int]
) -> None:
    base = save(vault, "Tyler writes Go", entities=["Tyler"])
    name = model(vault, "Tyler's career", base, entities=["Tyler"])
    assert why(vault, name) == []
    clock[0] += HOUR
    save(vault, "Sarah writes Rust", entities=["Sarah"])
    save(vault, "No entity at all")
    save(vault, "Tyler, in passing", entities=["tyler"], status="pending")
    save(vault, "Tyler in a pattern", entities=["Tyler"], layer="model")
    assert why(vault, name) == []
    new = save(vault, "Tyler leads the team", entities=["tyler"])
    assert why(vault, name) == [("newer", [new])]
    newest = save(vault, "A pattern of Tyler", entities=["Tyler"], layer="observation")
    (reason,) = why(vault, name)
    assert set(reason[1]) == {new, newest}
    # To cite one of them is no look at the other.
    assert why(vault, vault.evolve(name, cite=[new]).id) == [("newer", [newest])]


def test_a_pinned_model_is_never_stale_and_still_reported(
    vault: Vault, clock: list[int]
) -> None:
    base = save(vault, "Ann has the keys")
    name = model(vault, "Important contacts", base, subtype="pinned")
    clock[0] += HOUR
    vault.resolve(base)
    assert why(vault, name) == [("resolved", [base])]
    found = vault.reflect("contacts")
    assert found.stale == []
    assert found.facts[0].as_dict()["subtype"] == "pinned"
    (one,) = citing.models(vault, View(clock[0]), stale=True)
    assert (one.id, one.stale) == (name, False)
    served = Vault.open(vault.root, vault.caller._replace(via="mcp"))
    mine = model(vault, "Mine", base)
    served.recall("Mine", research="r")
    skill = {"writer": "skill"}
    for write in (
        lambda: model(vault.acting_as("bob"), "Ours", base, subtype="pinned"),
        lambda: model(served, "Ours", base, subtype="pinned"),
        lambda: model(vault, "Ours", base, subtype="pinned", source=skill),
        lambda: served.evolve(mine, subtype="pinned", research="r"),
        lambda: served.evolve(name, subtype="structural"),
        lambda: served.evolve(mine, "Nobody is important", also=[name]),
        lambda: served.resolve(name),
    ):
        with pytest.raises(NotAllowed, match="kept by people"):
            write()
    kept = vault.get(name)
    judged = {"writer": "hook", "session": "talk"}
    served.save("Important contacts", tags=["owned"])
    for source in (skill, judged):
        fields = {"source": source, "asked": ["who"], "pinned": True}
        again = vault.save(vault.draft({"text": kept.body, **fields}))
        assert (again.outcome, vault.get(name)) == ("duplicate", kept)


# --- who may see it ----------------------------------------------------------------


def test_a_new_version_is_as_narrow_as_what_it_cites_now(
    make_vault: VaultMaker,
) -> None:
    """Also for the author of the version before, who may not see that."""
    config = '[agents.ada]\npolicy = "shared"\n[agents.bob]\npolicy = "shared"\n'
    ada = make_vault()
    Path(ada.root, ".memcli", "config.toml").write_text(config, "utf-8")
    ada, bob = make_vault(agent="ada"), make_vault(agent="bob")
    fact = save(bob, "Mondays are quiet")
    bob.recall("quiet Mondays", research="q")
    name = bob.save("How we deploy", layer="model", cite=[fact], research="q").id
    draft = bob.draft({"text": "How we never deploy", "layer": "model"})
    other = save(bob, "We never deploy", status="pending")
    report = bob.draft({"text": "We deploy", "layer": "model", "status": "pending"})
    waits = bob.save(report, cite=[fact], research="q").id
    for write in (
        lambda: bob.evolve(name, "How we never deploy"),
        lambda: bob.evolve(name, title="How we never deploy"),
        lambda: changing.tag(bob, name, "rare"),
        lambda: bob.revert(name),
        lambda: bob.evolve(name, layer="fact", research="q"),
        lambda: bob.evolve(fact, layer="model"),
        lambda: bob.approve(other, layer="observation"),
        lambda: bob.approve(waits, text="How we never deploy", evidence=[other]),
        lambda: bob.evolve(name, evidence=[other], research="q"),
        lambda: bob.evolve(name, tags=["rare"], research="q"),
        lambda: bob.evolve(name, entities=["x"], cite=[fact], research="q"),
        lambda: bob.evolve(name, refreshed_at="2099-01-01", research="q"),
        lambda: verify.confirm(bob, name),
        lambda: bob.save_all([draft]),
        lambda: review.supersede(bob, other, name),
    ):
        with pytest.raises(
            NotAllowed, match=r"a search found|no agent|only with its text"
        ):
            write()
    draft = bob.draft({"text": "How we deploy", "layer": "model", "entities": ["gate"]})
    assert bob.save(draft, cite=[fact], research="q").outcome == "duplicate"
    save(bob, "It hums", entities=["gate"])
    name = bob.evolve(name, title="How the gate deploys", research="q").id
    assert bob.get(name).entities == ()
    secret = save(ada, "The key is under the mat", visibility="private")
    with pytest.raises(NotAllowed, match="what a search found"):
        ada.evolve(name, "How we deploy: with a key", cite=[secret])
    ada.recall("key", research="r")
    done = ada.evolve(name, "We deploy with a key", cite=[secret], research="r")
    assert ada.get(done.id).visibility is Visibility.PRIVATE
    assert bob.recall("deploy key mat").rows == []
    assert ada.recall("deploy key").rows != []


def test_what_another_project_rests_on_makes_stale_as_well(vault: Vault) -> None:
    base = save(vault, "Deploys take an hour", project="shop")
    model(vault, "We deploy slowly", base, kind="constraint")
    vault.resolve(base)
    assert [one.stale for one in vault.recall("tea").constraints] == [True]


def test_an_agent_s_new_version_keeps_what_it_may_not_see(
    make_vault: VaultMaker,
) -> None:
    """The evidence and its fingerprint: the owner must still be told of an edit."""
    owner = make_vault()
    config = '[agents.ada]\npolicy = "shared"\n'
    Path(owner.root, ".memcli", "config.toml").write_text(config, "utf-8")
    base = save(owner, "The build takes an hour")
    name = model(owner, "The build", base)
    edit(owner, base, "created:", "visibility: private\ncreated:")
    ada = make_vault(agent="ada")
    green = save(ada, "The build is green")
    ada.recall("build", research="r")
    done = ada.evolve(name, cite=[green], research="r")
    assert why(owner, done.id) == []
    edit(owner, base, "an hour", "a day")
    assert why(owner, done.id) == [("edited", [base])]
    owner.forget(base)
    assert why(make_vault(agent="ada"), done.id) == [("removed", [base])]
