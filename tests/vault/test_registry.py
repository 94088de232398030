"""The registry: files for people, read without YAML when nothing changed."""

import os
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.curation.entities import decide
from memcli.entries.eligibility import Agent, ReadPolicy
from memcli.errors import InvalidValue, UsageError
from memcli.vault import registry as store
from memcli.vault.health import working_tree
from memcli.vault.health.lint import lint
from tests.conftest import VaultMaker
from tests.git_command import git
from tests.saving import write

REDIS = """---
title: Redis
type: tool   # what we run
aliases: [kv, "redis-server"]
owner: {team: platform}
---
The cache of the checkout.
"""


def test_a_registry_file_says_name_type_and_aliases(vault: Vault) -> None:
    write(vault, "entities/tool/redis.md", REDIS)
    (one,) = vault.registry.entities
    assert (one.name, one.type, one.aliases) == (
        "Redis",
        "tool",
        ("kv", "redis-server"),
    )
    assert vault.registry.find("KV") == one
    assert vault.registry.find("nothing") is None


@pytest.mark.parametrize(
    ("path", "text", "name", "kind"),
    [
        ("entities/tool/redis.md", "no frontmatter\n", "redis", "tool"),
        ("entities/person/a/ada.md", "---\nname: Ada L\n---\n", "Ada L", "person"),
        ("entities/tool/x.md", "---\ntitle: X\ntype: system\n---\n", "X", "system"),
        ("entities/tool/y.md", "---\ntitle: Y\ntype: extracted\n---\n", "Y", "tool"),
        ("entities/tool/z.md", "---\ntitle: Z\nalias: a, b\n---\n", "Z", "tool"),
    ],
)
def test_what_people_and_other_programs_write_is_understood(
    vault: Vault, path: str, text: str, name: str, kind: str
) -> None:
    write(vault, path, text)
    (one,) = vault.registry.entities
    assert (one.name, one.type) == (name, kind)
    if "alias:" in text:
        assert one.aliases == ("a", "b")


def test_a_change_keeps_foreign_keys_and_comments(vault: Vault) -> None:
    after = store.rewrite_entity(
        REDIS.encode(), "entities/tool/redis.md", name="Valkey", aliases=["kv", "Redis"]
    ).decode()
    assert "type: tool   # what we run\n" in after
    assert "owner: {team: platform}\n" in after
    assert after.endswith("The cache of the checkout.\n")
    again = store.read_entity(after.encode(), "entities/tool/redis.md")
    assert (again.name, again.aliases) == ("Valkey", ("kv", "Redis"))


def test_a_broken_file_is_named_and_stops_nothing(vault: Vault) -> None:
    write(vault, "entities/tool/redis.md", REDIS)
    write(vault, "entities/tool/bad.md", "---\ntitle: [\n---\n")
    write(vault, "entities/tool/latin.md", b"caf\xe9")
    saved = vault.save("we use redis")
    assert saved.entities == ("Redis",)
    found = {(f.path, f.code, f.level) for f in lint(vault)}
    assert ("entities/tool/bad.md", "broken_entity", "error") in found
    assert ("entities/tool/latin.md", "broken_entity", "error") in found


def test_what_is_not_clear_in_the_registry_is_a_finding(vault: Vault) -> None:
    write(vault, "entities/tool/redis.md", "---\ntitle: Redis\naliases: [kv]\n---\n")
    write(
        vault, "entities/tool/etcd.md", "---\ntitle: etcd\naliases: [KV, redis]\n---\n"
    )
    write(vault, "entities/system/redis.md", "---\ntitle: redis\n---\n")
    found = [(f.path, f.code) for f in working_tree.about_registry(vault.root)]
    assert found == [("entities/tool/redis.md", "duplicate_entity")]
    saved = vault.save("a kv store")
    assert saved.entities == ()
    assert saved.notes == (
        "'kv' means several entities, so it links to none: etcd, redis",
    )


# --- the cache --------------------------------------------------------------------


def test_what_did_not_change_is_not_read_again(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        write(vault, f"entities/tool/{name}.md", f"---\ntitle: {name}{name}\n---\n")
    monkeypatch.setattr(store, "_RACY_NS", 0)
    seen, real = list[str](), store._read_file

    def spy(root: str, path: str) -> Any:
        seen.append(path)
        return real(root, path)

    monkeypatch.setattr(store, "_read_file", spy)
    first = vault.registry.entities
    assert sorted(seen) == [f"entities/tool/{name}.md" for name in "abc"]
    seen.clear()
    assert vault.registry.entities == first
    assert seen == []
    write(vault, "entities/tool/b.md", "---\ntitle: other\n---\n")
    os.unlink(Path(vault.root, "entities/tool/c.md"))
    assert [one.name for one in vault.registry.entities] == ["aa", "other"]
    assert seen == ["entities/tool/b.md"]


def test_a_file_as_young_as_the_clock_is_read_again(vault: Vault) -> None:
    """Two edits of one size within a tick leave no other trace."""
    file = write(vault, "entities/tool/a.md", "---\ntitle: one\n---\n")
    assert vault.registry.find("one")
    status = file.stat()
    write(vault, "entities/tool/a.md", "---\ntitle: two\n---\n")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert vault.registry.find("two")


def test_symbolic_links_are_not_followed(vault: Vault, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("---\ntitle: Outside\n---\n")
    folder = Path(vault.root, "entities/tool")
    folder.mkdir(parents=True)
    (folder / "link.md").symlink_to(outside)
    assert vault.registry.entities == ()


# --- saving -----------------------------------------------------------------------


def test_a_single_save_registers_what_it_names(vault: Vault) -> None:
    saved = vault.save("x", type="person", entities=["Ada Lovelace"], register=True)
    assert (saved.entities, saved.registered) == (("Ada Lovelace",),) * 2
    (one,) = vault.registry.entities
    assert (one.name, one.type) == ("Ada Lovelace", "person")
    assert one.path == "entities/person/ada-lovelace.md"
    shown = git(vault, "show", "--name-only", "--format=%s")
    assert shown.split("\n")[:1] == ["save: x"]
    assert one.path in shown
    again = vault.save("y", entities=["ada  lovelace"], register=True)
    assert (again.entities, again.registered) == (("Ada Lovelace",), ())


def test_an_entity_that_the_same_text_adds_is_registered(vault: Vault) -> None:
    vault.save("a")
    again = vault.save(vault.draft({"text": "a", "entities": ["Two"]}), register=True)
    assert (again.merged, again.registered) == (("entities",), ("Two",))
    assert [entity.name for entity in vault.registry.entities] == ["Two"]


def test_batches_and_candidates_register_nothing(vault: Vault) -> None:
    vault.save_all([vault.draft({"text": "a", "entities": ["One"]})])
    waiting = {"text": "b", "entities": ["Three"], "status": "pending"}
    vault.save(vault.draft(waiting), register=True)
    assert vault.registry.entities == ()


@pytest.mark.parametrize("name", ["..", "---", "x" * 201])
def test_what_is_no_name_is_refused_and_nothing_is_saved(
    vault: Vault, name: str
) -> None:
    with pytest.raises(InvalidValue, match="not a name"):
        vault.save(vault.draft({"text": "x", "entities": [name]}), register=True)
    assert vault.recall("x").rows == []


def test_an_agent_registers_for_those_who_may_see_the_entry(
    vault: Vault, make_vault: VaultMaker
) -> None:
    ada = make_vault(agent="ada")
    ada.save("x", entities=["Secret"], visibility="private", register=True)
    ada.save("y", entities=["Open"], register=True)

    def seen(agent: Agent | None) -> set[str]:
        return {one.name for one in store.load(vault.root, agent).entities}

    assert seen(None) == seen(Agent("ada")) == {"Secret", "Open"}
    assert seen(Agent("bob")) == set()
    assert seen(Agent("bob", ReadPolicy.SHARED)) == {"Open"}


def test_a_second_file_that_an_agent_made_is_told_with_what_to_do(vault: Vault) -> None:
    head = "---\nid: {}\ntitle: Redis\n"
    write(vault, "entities/tool/redis-2.md", head.format("1m7yztbvbcatw6zn") + "---\n")
    private = head.format("1m7yztbpeck3mwtx") + "agent: ada\nvisibility: private\n---\n"
    write(vault, "entities/tool/redis.md", private)
    (finding,) = working_tree.about_registry(vault.root)
    first, second = "entities/tool/redis-2.md", "entities/tool/redis.md"
    assert finding.path == second
    assert finding.hint is not None
    assert f"into {first}, which every agent must see" in finding.hint
    assert f"delete {second}." in finding.hint
    Path(vault.root, second).unlink()
    with pytest.raises(UsageError, match=f"one entity already: {first}") as refused:
        decide.apply(vault, decide.EntityRequest("merge", "Redis", "redis"))
    assert "memcli inspect lint" in (refused.value.hint or "")
