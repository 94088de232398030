"""What a caller may call an entry: an id, its beginning, a path, a file's name."""

import os

import pytest

from memcli import Vault
from memcli.errors import AmbiguousId, EntryNotFound
from tests.saving import save, write


def test_every_way_to_call_an_entry_leads_to_it(vault: Vault) -> None:
    name = save(vault, "Redis restarts at night")
    path = vault.path_of(name)
    assert path == "memories/note/2026/11/redis-restarts-at-night.md"
    for word in (
        name,
        name.upper(),
        name[:12],
        path,
        f" {path} ",
        f"./{path}",
        path.removesuffix(".md"),
        os.path.join(vault.root, path),
        os.path.join(vault.root, "memories", "..", path),
        "redis-restarts-at-night",
        "redis-restarts-at-night.md",
        "Redis-Restarts-At-Night",
    ):
        assert vault.get(word).id == name, word


NAMES_NOTHING = (
    *("", " ", "/", "..", "../x.md", "/etc/passwd", "/etc/x.md", "memories"),
    *("memories/note/", "redis-restarts-at-nigh", "redis", "x\0y", "\udce9.md"),
    "a" * 5000,
)


def test_anything_else_leads_to_no_entry(vault: Vault) -> None:
    save(vault, "Redis restarts at night")
    for word in NAMES_NOTHING:
        with pytest.raises(EntryNotFound):
            vault.path_of(word)


def test_a_mistyped_name_of_a_file_is_named_rightly(vault: Vault) -> None:
    save(vault, "Redis restarts at night")
    with pytest.raises(EntryNotFound) as caught:
        vault.path_of("redis-restart-at-night")
    assert "(Redis restarts at night)?" in str(caught.value.hint)


def test_a_name_of_two_files_is_refused_with_both(vault: Vault) -> None:
    write(vault, "a/plan.md", "one\n")
    write(vault, "b/plan.md", "two\n")
    with pytest.raises(AmbiguousId) as caught:
        vault.path_of("plan")
    assert "a/plan.md" in caught.value.message
    assert "b/plan.md" in caught.value.message
    assert "path" in str(caught.value.hint)
    assert vault.path_of("a/plan") == "a/plan.md"


def test_a_beginning_that_two_ids_have_is_refused_with_both(vault: Vault) -> None:
    ids = [f"01aaaaaaaaaaaaa{last}" for last in "bc"]
    for name in ids:
        write(vault, f"{name[-1]}.md", f"---\nid: {name}\n---\nwords\n")
    with pytest.raises(AmbiguousId) as caught:
        vault.path_of(ids[0][:-1])
    assert all(name in caught.value.message for name in ids)
    assert [vault.path_of(name) for name in ids] == ["b.md", "c.md"]


def test_a_file_named_like_the_beginning_of_an_id_takes_no_entry_away(
    vault: Vault,
) -> None:
    name = save(vault, "Redis restarts")
    write(vault, f"notes/{name[:6]}.md", "another\n")
    with pytest.raises(AmbiguousId):
        vault.path_of(name[:6])
    assert vault.path_of(name) == "memories/note/2026/11/redis-restarts.md"
    write(vault, f"notes/{name}.md", "an impostor\n")
    assert vault.path_of(name) == "memories/note/2026/11/redis-restarts.md"


def test_names_that_differ_in_case_alone_are_told_apart(vault: Vault) -> None:
    write(vault, "a/Plan.md", "one\n")
    write(vault, "b/plan.md", "two\n")
    assert vault.path_of("Plan") == "a/Plan.md"
    assert vault.path_of("plan") == "b/plan.md"
    with pytest.raises(AmbiguousId):
        vault.path_of("PLAN")


def test_a_title_or_alias_is_no_address(vault: Vault) -> None:
    write(vault, "a/x.md", "---\naliases: [The Plan]\ntitle: Our plan\n---\ntext\n")
    for word in ("The Plan", "Our plan"):
        with pytest.raises(EntryNotFound):
            vault.path_of(word)


def test_an_archived_version_does_not_share_the_name_of_its_successor(
    vault: Vault,
) -> None:
    old = save(vault, "Redis restarts at night", title="Redis")
    new = vault.evolve(old, "Redis restarts at noon", reason="moved").id
    assert vault.get("redis").id == new


def test_an_agent_finds_no_name_of_what_it_may_not_see(vault: Vault) -> None:
    save(vault, "The secret plan", visibility="private")
    other = save(vault, "The open plan", agent="bot")
    seen = vault.acting_as("bot")
    for word in ("the-secret-plan", "memories/note/2026/11/the-secret-plan.md"):
        with pytest.raises(EntryNotFound) as caught:
            seen.path_of(word)
        assert "secret" not in str(caught.value.hint)
    assert seen.path_of("the-open-plan") == vault.path_of(other)


def test_what_changes_entries_takes_names_and_paths(vault: Vault) -> None:
    fact = save(vault, "Redis restarts at night")
    other = save(vault, "Redis keeps no data")
    drawn = vault.save(
        "Redis may be restarted",
        layer="observation",
        evidence=["memories/note/2026/11/redis-keeps-no-data.md"],
        cite=["redis-restarts-at-night"],
    )
    assert set(vault.get(drawn.id).evidence) == {fact, other}
    new = vault.evolve("redis-restarts-at-night", "At noon", reason="moved").id
    assert vault.get(new).supersedes == fact
    (target, *_) = vault.resolve("memories/note/2026/11/redis-keeps-no-data.md")
    assert target.id == other
    assert vault.forget(os.path.join(vault.root, vault.path_of(other))).id == other
