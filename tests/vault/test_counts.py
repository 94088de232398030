"""Counts of tags, kinds and projects agree with what a list of them shows."""

from memcli import Vault
from memcli.recall.listing import listed
from memcli.recall.query import from_words
from memcli.vault.agents import counts
from tests.conftest import NOW


def test_each_name_has_its_entries_in_force_past_and_waiting(vault: Vault) -> None:
    one = vault.save("one", tags=["a", "b"]).id
    vault.save("two", tags=["a"], kind="fix")
    vault.save(vault.draft({"text": "three", "tags": ["a"], "status": "pending"}))
    vault.save("four", project="shop")
    vault.resolve(one)
    assert [tuple(count) for count in counts(vault, "tag")] == [
        ("a", 1, 1, 1),
        ("b", 0, 1, 0),
    ]
    kinds = {count.name: tuple(count)[1:] for count in counts(vault, "kind")}
    assert (kinds["note"], kinds["fix"]) == ((1, 1, 1), (1, 0, 0))
    assert kinds["skill"] == (0, 0, 0)
    assert kinds.keys() == set(vault.kinds)
    projects = [tuple(count) for count in counts(vault, "project")]
    assert projects == [(None, 1, 1, 1), ("shop", 1, 0, 0)]
    for count in counts(vault, "tag"):
        query = from_words("", NOW, tags=[count.name or ""])
        assert listed(vault, query).total == count.current
