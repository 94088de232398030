"""Entities: written with the memory, shown with their claims, changed as a plan."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.curation import evolve
from memcli.curation.entities import decide
from memcli.curation.entities import listing as entities
from memcli.curation.entities.decide import EntityRequest
from memcli.curation.entities.listing import listed
from memcli.errors import EntryNotFound, InvalidValue, NotAllowed, UsageError
from memcli.vault.health import lint


def save(vault: Vault, text: str, **fields: Any) -> str:
    register = bool(fields.get("entities"))
    return vault.save(vault.draft({"text": text, **fields}), register=register).id


def register(vault: Vault, name: str, *aliases: str, kind: str = "tool") -> None:
    decide.apply(vault, EntityRequest("register", name, type=kind, aliases=aliases))


def mentions(vault: Vault, entry_id: str) -> tuple[str, ...]:
    return vault.get(entry_id).entities


# --- written with the memory ------------------------------------------------------


# --- what is shown ----------------------------------------------------------------


def test_a_page_groups_claims_and_keeps_the_past_apart(vault: Vault) -> None:
    register(vault, "Redis", "kv")
    old = save(vault, "We decided to run kv on two hosts", kind="decision")
    how = evolve.Succession(reason="load")
    new = evolve.evolve(vault, old, {"text": "kv runs on three hosts"}, how)
    down = save(vault, "Redis is down")
    uses = save(vault, "checkout_service uses redis")
    save(vault, "redis waits", status="pending")
    vault.resolve(down)
    page = entities.page(vault, "KV")
    assert (page.name, page.type, page.aliases) == ("Redis", "tool", ["kv"])
    current = {
        name: [one.id for one in claims]
        for name, claims in entities.by_aspect(page.current).items()
    }
    assert current == {"decision": [new.id], "note": [uses]}
    past = {one.id: (one.kind, one.status, one.reason) for one in page.past}
    assert past == {
        old: ("decision", "superseded", "load"),
        down: ("note", "resolved", "resolved"),
    }


def test_listed_counts_what_is_registered_and_what_is_mentioned(vault: Vault) -> None:
    register(vault, "Redis")
    register(vault, "Etcd")
    for number in range(10):
        save(vault, f"redis number {number}")
    one = save(vault, "parse_args fails")
    vault.resolve(one)
    rows = {row.name: row for row in listed(vault)}
    assert list(rows) == ["Redis", "parse_args", "Etcd"]
    assert (rows["Redis"].current, rows["Redis"].hub) == (10, True)
    assert (rows["parse_args"].current, rows["parse_args"].past) == (0, 1)
    assert (rows["parse_args"].registered, rows["Etcd"].registered) == (False, True)


# --- registered ---------------------------------------------------------------------


def test_registering_a_name_links_what_mentions_it_in_one_commit(vault: Vault) -> None:
    one = save(vault, "We met Grace Hopper, [[grace]] said no")
    other = save(vault, "nobody was there")
    request = EntityRequest("register", "Grace Hopper", aliases=("Grace",))
    plan, _ = decide.apply(vault, request, dry_run=True)
    assert [touched.id for touched in plan.entries] == [one]
    assert mentions(vault, one) == ("grace",)
    _, commit = decide.apply(vault, request)
    assert commit
    assert mentions(vault, one) == ("Grace Hopper",)
    assert mentions(vault, other) == ()


# --- merge -----------------------------------------------------------


def test_a_rename_changes_mentions_and_nothing_else(vault: Vault) -> None:
    register(vault, "Redis", "kv")
    entry = save(vault, "[[Redis]] is warm", entities=["Checkout"])
    path = Path(vault.root, vault.path_of(entry))
    text = path.read_bytes().replace(b"---\n[[", b"mine: {a: 1} # kept\n---\n[[")
    path.write_bytes(text)
    before = vault.registry.find("Redis")
    decide.apply(vault, EntityRequest("merge", "redis", "Valkey"))
    assert path.read_bytes() == text.replace(
        b"[Checkout, Redis]", b"[Checkout, Valkey]"
    )
    after = vault.registry.find("Valkey")
    assert before
    assert after
    assert (after.path, after.aliases) == (before.path, ("kv", "Redis"))
    # The link in the text still leads to it, for people and for the next save.
    assert [f for f in lint.lint(vault) if f.code == "dangling_link"] == []
    assert mentions(vault, save(vault, "redis and [[Redis]]")) == ("Valkey",)


def test_a_merge_makes_two_entities_one(vault: Vault) -> None:
    register(vault, "Redis", "kv")
    register(vault, "Redis DB", "rdb", kind="system")
    file = Path(vault.root, "entities/system/redis-db.md")
    file.write_text(file.read_text() + "Runs in Frankfurt.\n")
    both = save(vault, "rdb and kv")
    one = save(vault, "the Redis DB")
    old = save(vault, "the rdb was slow")
    vault.resolve(old)
    plan, _ = decide.apply(vault, EntityRequest("merge", "Redis DB", "Redis"))
    assert {touched.id for touched in plan.entries} == {both, one, old}
    assert [mentions(vault, each) for each in (both, one, old)] == [("Redis",)] * 3
    (left,) = vault.registry.entities
    assert (left.name, left.type) == ("Redis", "tool")
    assert left.aliases == ("kv", "Redis DB", "rdb")
    assert entities.page(vault, "rdb").description == "Runs in Frankfurt."


def test_what_is_only_mentioned_can_be_merged_and_renamed(vault: Vault) -> None:
    one = save(vault, "parse_args and parseArgs")
    decide.apply(vault, EntityRequest("merge", "parseArgs", "parse_args"))
    assert mentions(vault, one) == ("parse_args",)
    assert entities.page(vault, "parseArgs").name == "parse_args"
    other = save(vault, "some_name")
    decide.apply(vault, EntityRequest("merge", "some_name", "Some Name"))
    assert mentions(vault, other) == ("Some Name",)


def test_a_new_name_is_an_alias_and_links_what_was_written_before(vault: Vault) -> None:
    register(vault, "Redis")
    one = save(vault, "valkey is new")
    decide.apply(vault, EntityRequest("merge", "valkey", "Redis"))
    assert mentions(vault, one) == ("Redis",)
    longer = save(vault, "Redis Cluster is another thing")
    decide.apply(vault, EntityRequest("register", "Redis Cluster", type="system"))
    decide.apply(vault, EntityRequest("merge", "rdb", "Redis"))
    assert mentions(vault, longer) == ("Redis", "Redis Cluster")


def test_what_is_taken_or_makes_no_sense_is_refused_and_changes_nothing(
    vault: Vault, snapshot: Callable[[str], dict[str, str]]
) -> None:
    register(vault, "Redis", "kv")
    before = snapshot(vault.root)
    refused: list[tuple[EntityRequest, type[Exception]]] = [
        (EntityRequest("register", "redis"), NotAllowed),
        (EntityRequest("register", "New", aliases=("kv",)), NotAllowed),
        (EntityRequest("merge", "Nobody", "Nowhere"), EntryNotFound),
        (EntityRequest("merge", "Redis", "kv"), UsageError),
        (EntityRequest("merge", "Redis", "Redis"), UsageError),
        (EntityRequest("merge", "Redis", "--"), InvalidValue),
    ]
    for request, error in refused:
        with pytest.raises(error):
            decide.apply(vault, request)
    assert snapshot(vault.root) == before
