"""Agents change what they may, by every way; nothing is shown to more agents by it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.curation import review
from memcli.entries import layout
from memcli.entries.entry import Visibility
from memcli.errors import EntryNotFound, NotAllowed
from tests.conftest import VaultMaker
from tests.saving import save

CONFIG = """
[agents.bob]
policy = "shared"
[agents.red]
policy = "group"
groups = ["red", "blue"]
[agents.blue]
policy = "group"
groups = ["blue"]
"""


@pytest.fixture
def owner(vault: Vault) -> Vault:
    """A vault with agents: ada is isolated, bob sees what is shared."""
    Path(vault.root, layout.CONFIG).write_text(CONFIG, encoding="utf-8")
    return vault


@pytest.fixture
def opened(owner: Vault, make_vault: VaultMaker) -> Callable[[str], Vault]:
    """The vault as an agent."""
    return lambda name: make_vault(agent=name)


def test_a_new_version_is_signed_by_the_agent_that_wrote_it(
    owner: Vault, opened: Callable[[str], Vault]
) -> None:
    ada, bob = opened("ada"), opened("bob")
    first = save(ada, "We deploy on Tuesdays")
    second = bob.evolve(first, "We deploy on Mondays").id
    assert owner.get(second).agent == "bob"
    assert owner.get(first).agent == "ada"
    # bob's words are not told to ada, who sees only her own.
    with pytest.raises(EntryNotFound):
        ada.get(second)
    assert ada.get(first).superseded_by is None
    # To go back is a change of its own, by the agent that does it.
    third = bob.revert(second).id
    assert (owner.get(third).agent, owner.get(third).body.strip()) == (
        "bob",
        "We deploy on Tuesdays",
    )


def test_a_version_that_merges_is_seen_by_those_who_saw_all(
    owner: Vault, opened: Callable[[str], Vault]
) -> None:
    bob = opened("bob")
    shared = save(opened("ada"), "We deploy on Tuesdays")
    private = save(bob, "We deploy on Mondays, since the freeze", visibility="private")
    merged = bob.evolve(shared, "We deploy on Mondays", also=[private])
    entry = owner.get(merged.id)
    assert (entry.agent, entry.visibility) == ("bob", Visibility.PRIVATE)


def test_only_its_own_agent_and_the_owner_share_an_entry_with_more(
    owner: Vault, opened: Callable[[str], Vault]
) -> None:
    first = save(opened("red"), "x y z", visibility="group", groups=["blue"])
    with pytest.raises(NotAllowed, match="may not share") as refused:
        opened("blue").evolve(first, "x y z a", visibility="shared")
    assert refused.value.code == "not_its_agent"
    wider = opened("red").evolve(first, "x y z a", visibility="shared").id
    assert opened("bob").get(wider).agent == "red"


def test_the_same_text_pins_no_entry_of_another(
    owner: Vault, opened: Callable[[str], Vault]
) -> None:
    theirs = save(opened("ada"), "We deploy on Tuesdays")
    bob = opened("bob")
    again = bob.save("We deploy on Tuesdays", pinned=True, tags=["ci"])
    assert (again.id, again.merged) == (theirs, ("tags",))
    assert again.not_taken == ("pinned",)
    assert not owner.get(theirs).pinned
    pinned = save(opened("ada"), "Never deploy on Fridays", pinned=True)
    none = bob.save("Never deploy on Fridays", tags=["ci"])
    assert (none.id, none.outcome, none.merged) == (pinned, "duplicate", ())
    with pytest.raises(NotAllowed, match="may not pin"):
        bob.evolve(theirs, pinned=True)


REFUSED: dict[str, tuple[dict[str, Any], Callable[[Vault, str], object]]] = {
    "evolve": ({"pinned": True}, lambda vault, id_: vault.evolve(id_, "other words")),
    "also": (
        {"pinned": True},
        lambda vault, id_: vault.evolve(save(vault, "mine"), "more", also=[id_]),
    ),
    "resolve": ({"pinned": True}, lambda vault, id_: vault.resolve(id_)),
    "reopen": ({"pinned": True}, lambda vault, id_: vault.reopen(id_)),
    "approve": ({"status": "pending"}, lambda vault, id_: review.approve(vault, id_)),
    "reject": ({"status": "pending"}, lambda vault, id_: review.reject(vault, id_)),
    "supersede": (
        {"status": "pending"},
        lambda vault, id_: review.supersede(vault, id_, save(vault, "mine")),
    ),
    "supersede by own": (
        {"pinned": True},
        lambda vault, id_: review.supersede(
            vault, save(vault, "mine", status="pending"), id_
        ),
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_another_s_is_refused_when_seen_and_unknown_when_not(
    owner: Vault, opened: Callable[[str], Vault], what: str
) -> None:
    values, act = REFUSED[what]
    theirs = save(opened("ada"), "We deploy on Tuesdays", **values)
    with pytest.raises(NotAllowed) as refused:
        act(opened("bob"), theirs)
    assert refused.value.code == "not_its_agent"
    with pytest.raises(EntryNotFound) as hidden:
        act(opened("eve"), theirs)
    with pytest.raises(EntryNotFound) as unknown:
        act(opened("eve"), "1zzzzzzzzzzzzzzz")
    assert hidden.value.message == unknown.value.message.replace(
        "1zzzzzzzzzzzzzzz", theirs
    )
    # Its own agent may.
    act(opened("ada"), theirs)


RULE = "Never deploy on Fridays"


def resolves(vault: Vault) -> None:
    vault.resolve(save(vault, RULE, kind="lesson", source={"session": "s"}))


def evolves_and_resolves(vault: Vault) -> None:
    vault.resolve(vault.evolve(save(vault, "Some other words"), RULE).id)


def saves_as_resolved(vault: Vault) -> None:
    when = "2026-11-21T12:00:00Z"
    save(vault, RULE, resolved_at=when, resolved_by="erin", source={"session": "s"})


@pytest.mark.parametrize("way", [resolves, evolves_and_resolves, saves_as_resolved])
def test_an_agent_hides_no_entry_of_another_that_it_may_not_resolve(
    owner: Vault, opened: Callable[[str], Vault], way: Callable[[Vault], None]
) -> None:
    theirs: dict[str, dict[str, Any]] = {
        "pinned": {"pinned": True},
        "private": {"visibility": "private"},
        "group": {"visibility": "group", "groups": ["red"]},
        "open": {},
    }
    red = opened("red")
    ids = {
        name: save(red, RULE, source={"session": name}, **values)
        for name, values in theirs.items()
    }
    before = {name: owner.get(each) for name, each in ids.items()}
    way(opened("bob"))
    kept = ["pinned", "private", "group"]
    assert [owner.get(ids[name]) for name in kept] == [before[name] for name in kept]
    assert not {ids[name] for name in kept} - {row.id for row in owner.entries()}
    assert ids["open"] not in {row.id for row in owner.entries()}
    # What the owner says is resolved is so for all.
    owner.resolve(ids["pinned"])
    assert not owner.entries()


def test_what_an_agent_resolves_out_of_sight_stays_with_others(
    owner: Vault, opened: Callable[[str], Vault]
) -> None:
    """A private entry, and one of an agent that sees less than what is shared."""
    shared = save(owner, RULE, source={"session": "a"})
    bob, ada = opened("bob"), opened("ada")
    mine = save(bob, RULE, source={"session": "b"}, visibility="private")
    assert [target.id for target in bob.resolve(mine)] == [mine]
    hers = save(ada, RULE, source={"session": "c"})
    assert [target.id for target in ada.resolve(hers)] == [hers]
    assert [row.id for row in owner.entries()] == [shared]
    assert not bob.entries()
    assert [target.id for target in bob.reopen(mine)] == [mine]
