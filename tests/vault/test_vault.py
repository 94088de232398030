"""Writing: one transaction, all or nothing, and the same text is one memory."""

from pathlib import Path

import pytest

from memcli import Vault
from memcli.errors import NotAllowed, NotAVault, TooLarge
from memcli.storage.git.repository import Repository
from memcli.vault.caller import Caller
from tests.saving import save


def test_the_same_words_at_two_places_are_two_memories(vault: Vault) -> None:
    where = [{"session": "s", "seq": n} for n in (1, 2, 1)]
    saved = [vault.save(vault.draft({"text": "Thanks!", "source": w})) for w in where]
    assert [item.outcome for item in saved] == ["created", "created", "duplicate"]


def test_the_three_nearest_are_named_and_those_that_differ_come_first(
    vault: Vault,
) -> None:
    same = save(vault, "The retry limit of the queue is 3, agreed with operations")
    other = save(vault, "The retry limit of the queue is 5", kind="decision")
    save(vault, "The retry policy of the mail server")
    save(vault, "Lunch is at noon")
    draft = vault.draft({"text": "The retry limit of the queue is 3"})
    found = vault.save(draft).similar
    assert [one.id for one in found][:2] == [other, same]
    assert [one.differs for one in found][:2] == [("number",), ()]
    assert (found[0].kind, found[0].text) == (
        "decision",
        "The retry limit of the queue is 5",
    )
    assert len(found) <= 3
    assert all(one.likeness >= 0.25 for one in found)


def test_an_entry_that_happened_later_is_named_newer(vault: Vault) -> None:
    save(vault, "Standup is at 10:00 in the kitchen", occurred_at="2026-03-01")
    early = {"text": "Standup is at 9:00 in the kitchen", "occurred_at": "2026-01-01"}
    (one,) = vault.save(vault.draft(early)).similar
    assert one.newer
    late = vault.save("Standup is at 9:30 in the kitchen")
    assert not any(one.newer for one in late.similar)


def test_vault_that_lost_git_says_what_to_do(vault: Vault) -> None:
    Path(vault.root, ".git").rename(Path(vault.root, "..", "gone"))
    with pytest.raises(NotAVault) as error:
        save(vault, "red apples")
    assert "memcli init" in str(error.value.hint)
    assert vault.recall("apples").rows == []


def test_limit_is_the_config_s_when_it_is_larger(vault: Vault) -> None:
    text = "x " * 600_000
    with pytest.raises(TooLarge):
        vault.draft({"text": text})
    config = Path(vault.root, ".memcli", "config.toml")
    config.write_text('[limits]\nbody = 2_000_000\n[vault]\nkinds = ["recipe"]\n')
    assert vault.draft({"text": text, "kind": "recipe"}).kind == "recipe"


@pytest.mark.parametrize("now_ms", [-(10**15), -1, 35_154_432_000_000, 10**18])
def test_a_clock_that_is_wrong_stops_writers_and_no_reader(
    vault: Vault, now_ms: int
) -> None:
    saved = vault.save("We deploy on Mondays")
    head = Repository.open(vault.root).head()
    later = Vault.open(vault.root, now_ms=lambda: now_ms)
    assert later.recall("did we deploy last week, or yesterday?").query
    assert later.reflect("what did we deploy this year?").query
    assert later.get(saved.id).body.startswith("We deploy")
    for write in (
        lambda: later.save("We deploy on Fridays"),
        lambda: later.evolve(saved.id, "We deploy on Fridays"),
        lambda: later.resolve(saved.id),
        lambda: later.forget(saved.id),
    ):
        with pytest.raises(NotAllowed, match="clock") as caught:
            write()
        assert caught.value.code == "clock"
    assert Repository.open(vault.root).head() == head


def test_a_caller_is_one_value_or_its_fields_by_name(vault: Vault) -> None:
    caller = Caller(now_ms=vault.now_ms, agent="ada")
    whole = Vault.open(vault.root, caller)
    assert whole.caller == caller
    named = Vault.open(vault.root, caller, agent="bob", cwd=None)
    assert named.caller == caller._replace(agent="bob")
    with pytest.raises(TypeError):
        Vault.open(vault.root, agnet="ada")
