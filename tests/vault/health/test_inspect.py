"""Inspect shows what is known of a vault and of an entry, and why."""

from pathlib import Path

from memcli import Vault
from memcli.named_tuple import encoded
from memcli.vault.health.inspect import index_facts, inspect, overview
from tests.saving import edit, save, write


def test_overview_counts_by_status_and_kind(vault: Vault):
    save(vault, "one", kind="fix", created="2026-01-01")
    save(vault, "two", pinned=True, created="2026-01-02")
    write(vault, "c.md", "---\nid: 1jy5e6hm03e2cs6s\nstatus: resolved\n---\nthree\n")
    found = overview(vault)
    assert found["entries"] == 3
    assert found["by_status"] == {"active": 2, "resolved": 1}
    assert found["by_kind"] == {"fix": 1, "note": 2}
    assert [row["title"] for row in found["pinned"]] == ["two"]
    assert [row["title"] for row in found["newest"]] == ["two", "one"]
    assert found["dirty"] == ["c.md"]
    assert found["head"]


def test_index_facts_say_what_has_just_been_brought_up_to_date(vault: Vault):
    first = write(vault, "a.md", "one\n")
    write(vault, "b.md", "two\n")
    assert index_facts(vault)["changed"] == 2
    again = Vault.open(vault.root)
    first.unlink()
    write(vault, "c.md", "---\nid: [\n---\n")
    facts = index_facts(again)
    assert [facts[name] for name in ("changed", "removed", "entries")] == [1, 1, 1]
    assert [item.path for item in facts["broken"]] == ["c.md"]
    assert facts["stale"] is False


def test_entry_is_shown_with_every_field_and_unknown_ones(vault: Vault):
    entry_id = save(vault, "Body text", title="T", tags=["a"], kind="fix")
    path = edit(vault, entry_id, "---\nBody", "colour: [red, 1.10]\n---\nBody")
    found = encoded(inspect(vault, entry_id[:12]).as_dict())
    assert (found["id"], found["title"], found["kind"]) == (entry_id, "T", "fix")
    assert found["tags"] == ["a"]
    assert found["extra"] == {"colour": "colour: [red, 1.10]\n"}
    assert found["text"] == "Body text"
    assert found["path"] == path.relative_to(vault.root).as_posix()
    assert found["file"]["bytes"] == path.stat().st_size
    assert (found["eligible"], found["reason_not_eligible"]) == (True, None)


def test_history_says_who_when_and_what_is_not_committed(vault: Vault):
    entry_id = save(vault, "We deploy on Tuesdays")
    found = inspect(vault, entry_id)
    (commit,) = found.history
    assert commit.author == "Test User"
    assert commit.subject == "save: We deploy on Tuesdays"
    assert found.history_note is None
    with Path(vault.root, found.entry.path).open("a") as file:
        file.write("Or on Fridays.\n")
    assert inspect(vault, entry_id).history_note == "edited since the last commit"


def test_history_of_a_new_file_and_of_a_vault_without_git(vault: Vault):
    write(vault, "a.md", "---\nid: 1jy5e6hm03e2cs6s\n---\nx\n")
    assert inspect(vault, "1jy5").history_note == "not committed yet"
    Path(vault.root, ".git").rename(Path(vault.root).parent / "elsewhere")
    assert (inspect(vault, "1jy5").history_note or "").endswith("not under git")


def test_links_lead_where_lint_says_they_do(vault: Vault):
    write(vault, "ops/Kube.md", "---\naliases: [K8s]\n---\n# Kubernetes\n")
    write(vault, "img/shot.png", "a picture")
    write(
        vault,
        "notes/a.md",
        "---\nid: 1jy5e6hm03e2cs6s\n---\n# Links\n"
        "[[K8s]] [[kubernetes]] [up](../ops/Kube.md) ![[shot.png]] [[Nope]]\n",
    )
    links = {link.target: link for link in inspect(vault, "1jy5").links}
    assert {target: link.file for target, link in links.items()} == {
        "K8s": "ops/Kube.md",
        "kubernetes": "ops/Kube.md",
        "../ops/Kube.md": "ops/Kube.md",
        "shot.png": "img/shot.png",
        "Nope": None,
    }
    kube = links["K8s"].entry
    assert kube is not None
    assert kube.title == "Kubernetes"
    assert links["shot.png"].entry is None
    dangling = [f.message for f in overview(vault)["findings"]]
    assert dangling == ["links to nothing: Nope"]


def test_a_link_that_means_another_entry_of_the_name_is_no_backlink(
    vault: Vault,
) -> None:
    for path in ("a/foo.md", "b/foo.md"):
        write(vault, path, f"# In {path[0]}\n\nwords\n")
    write(vault, "linking.md", "see [[b/foo]] and [x](a/foo.md)\n")
    write(vault, "other.md", "see [[b/foo]]\n")
    ids = {row.path: row.id for row in vault.recall("words see").rows}
    linked = {
        path: [row.path for row in inspect(vault, ids[path]).backlinks]
        for path in ("a/foo.md", "b/foo.md")
    }
    assert linked["a/foo.md"] == ["linking.md"]
    assert sorted(linked["b/foo.md"]) == ["linking.md", "other.md"]


def test_a_link_that_a_new_version_was_left_counts_in_both_directions(
    vault: Vault,
) -> None:
    target = vault.save("The runbook", title="Run Book").id
    old = vault.save("see [[Run Book]]").id
    new = vault.evolve(old, "no link in here").id
    assert {row.id for row in inspect(vault, target).backlinks} >= {new}
    assert [link.entry and link.entry.id for link in inspect(vault, new).links] == [
        target
    ]
