"""What is solved is out of every path, by claim and not by row, and can come back."""

from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation import inbox, resolve
from memcli.entries.eligibility import View
from memcli.entries.entry import Status
from memcli.errors import EntryNotFound, NotAllowed
from memcli.recall.query import Query
from memcli.sessions.briefing import select
from memcli.vault.health.inspect import inspect
from memcli.vault.health.lint import lint
from tests.clones import Clones
from tests.conftest import NOW
from tests.git_command import git
from tests.saving import edit, every, save, write

VIEW = View(NOW)


def shown(vault: Vault) -> list[str]:
    """Everything that any path shows."""
    rows = every(vault, Query("", VIEW)).rows
    found = vault.read(lambda reader: select.chosen(reader, vault.settings, VIEW))
    return sorted({row.text for row in rows} | {one.text for one in found})


def test_if_id_provided_directly_resolve_by_id(vault: Vault) -> None:
    """Sets resolvedAt to now, resolvedBy and an optional note."""
    name = save(vault, "Rerank is misconfigured")
    (target,) = vault.resolve(name[:14], by="erin", note="config fixed")
    assert target.id == name
    entry = vault.get(name)
    assert entry.status is Status.RESOLVED
    assert entry.resolved_at == "2026-11-21T12:00:00Z"
    assert (entry.resolved_by, entry.resolution_note) == ("erin", "config fixed")
    assert git(vault, "log", "-1", "--format=%s") == (
        "resolve: Rerank is misconfigured\n"
    )
    assert git(vault, "status", "--porcelain") == ""


def twin(vault: Vault, text: str, *lines: str) -> str:
    """An entry of the same words that came by another way (git, another machine)."""
    fields = "".join(f"{line}\n" for line in lines)
    head = f'---\nid: 1m7y6wbehbqyv1kh\ncreated: "2026-11-20T00:00:00Z"\n{fields}---\n'
    write(vault, "reflections/twin.md", f"{head}{text}\n")
    return "1m7y6wbehbqyv1kh"


def test_resolving_an_item_automatically_resolves_all_items_of_the_same_strict_key(
    vault: Vault,
) -> None:
    name = save(vault, "Verify the cache — it’s stale", item="derived")
    other = twin(vault, "* verify the cache - it's STALE.", "item: derived")
    found = resolve.plan(vault, [name])
    assert {t.id: t.same_key_as for t in found.targets} == {name: None, other: name}
    assert len(resolve.apply(vault, found)) == 2
    assert shown(vault) == []
    assert len(vault.reopen(other)) == 2
    assert len(shown(vault)) == 2


def test_only_this_leaves_the_twin_and_says_so_in_the_file(vault: Vault) -> None:
    name = save(vault, "Verify the cache", item="derived")
    other = twin(vault, "verify the cache", "kind: note")
    assert [t.id for t in vault.resolve(name, same_key=False)] == [name]
    assert vault.get(other).status is Status.ACTIVE
    assert vault.get(name).resolution_scope == "entry"
    assert shown(vault) == ["verify the cache"]
    vault.reopen(name)
    assert "resolution_scope" not in Path(vault.root, vault.path_of(name)).read_text()


def test_an_entry_written_after_the_resolve_makes_the_claim_recur(vault: Vault) -> None:
    name = save(vault, "Verify the cache")
    vault.resolve(name)
    edit(vault, twin(vault, "verify the cache"), "2026-11-20", "2027-01-01")
    assert inspect(vault, name).recurred_at == "2027-01-01T00:00:00Z"


def test_a_candidate_in_the_inbox_is_closed_with_its_claim_and_waits_again_after_undo(
    vault: Vault,
) -> None:
    waiting = save(vault, "Verify the cache", status="pending")
    path = Path(vault.root, vault.path_of(waiting))
    before = path.read_bytes()
    Path(vault.root, "known.md").write_text("verify the cache\n", encoding="utf-8")
    (name,) = [row.id for row in vault.recall("cache").rows]
    assert {t.id for t in vault.resolve(name)} == {name, waiting}
    assert inbox.pending(vault) == []
    assert {t.id for t in vault.reopen(name)} == {name, waiting}
    assert [one.id for one in inbox.pending(vault)] == [waiting]
    assert path.read_bytes() == before


def test_who_resolved_it_is_the_agent_or_else_the_name_that_git_commits_under(
    vault: Vault,
) -> None:
    agent = vault.acting_as("ann")
    ways = ((vault, None, "Test User"), (agent, None, "ann"), (vault, "erin", "erin"))
    for who, by, resolved_by in ways:
        name = save(who, f"for {resolved_by}")
        who.resolve(name, by=by)
        assert vault.get(name).resolved_by == resolved_by


def test_undo_without_an_id_takes_back_the_last_resolve_alone(vault: Vault) -> None:
    with pytest.raises(EntryNotFound, match="nothing is resolved"):
        vault.reopen()
    first = save(vault, "one")
    pair = [save(vault, "two"), save(vault, "three")]
    vault.resolve(first)
    vault.resolve(*pair)  # within the same second
    assert sorted(t.id for t in vault.reopen()) == sorted(pair)
    assert [t.id for t in vault.reopen()] == [first]


def test_undo_without_an_id_leaves_what_another_clone_resolved(
    two: Clones,
) -> None:
    laptop, desk = two.vault("laptop"), two.vault("desk")
    mine = save(laptop, "of the laptop")
    theirs = save(desk, "of the desk")
    laptop.resolve(mine)
    desk.resolve(theirs)
    two.sync("desk")
    two.sync("laptop")
    laptop = two.vault("laptop")
    assert [target.id for target in laptop.reopen()] == [mine]
    with pytest.raises(NotAllowed, match="nothing that this clone resolved") as none:
        laptop.reopen()
    assert f"memcli resolve --undo {theirs}" in (none.value.hint or "")


def test_a_claim_that_an_edit_by_hand_opens_again_is_named_by_lint_and_by_sync(
    two: Clones,
) -> None:
    laptop = two.vault("laptop")
    name = save(laptop, "Restart the cache after a deploy")
    laptop.resolve(name)
    two.sync("laptop")
    two.sync("desk")
    edit(laptop, name, "a deploy", "each deploy")
    found = [each.code for each in lint(laptop)]
    assert "resolved_reworded" in found
    assert two.sync("laptop").force.reworded == 0
    done = two.sync("desk")
    assert done.force.reworded == 1
    assert "1 resolved entry with new words" in done.line
    desk = two.vault("desk")
    assert [each.code for each in lint(desk)] == ["resolved_reworded"]
    desk.reopen(name)
    desk.resolve(name)
    assert lint(desk) == []
    # One clone resolves what another rewords: the merge keeps both.
    other = save(desk, "Warm the index before a deploy")
    two.sync("desk")
    two.sync("laptop")
    edit(laptop, other, "a deploy", "each deploy")
    two.sync("laptop")
    desk.resolve(other)
    assert two.sync("desk").force.reworded == 1


def test_undo_brings_it_back_and_takes_the_marks_away(vault: Vault) -> None:
    name = save(vault, "one", item="derived")
    path = Path(vault.root, vault.path_of(name))
    before = path.read_bytes()
    vault.resolve(name, by="erin", note="done")
    assert path.read_bytes() != before
    assert [t.id for t in vault.reopen(name)] == [name]
    assert path.read_bytes() == before
    assert shown(vault) == ["one"]
    assert vault.reopen(name) == []


def test_a_plan_names_what_says_nearly_the_same_and_stays(vault: Vault) -> None:
    solved = save(vault, "Uploads over 5 MB fail with 413", kind="blocker")
    lesson = save(vault, "uploads over 5 MB are failing with a 413", item="derived")
    save(vault, "Uploads of pictures are scaled")
    found = resolve.plan(vault, [solved])
    assert [one.id for one in found.left] == [lesson]
    resolve.apply(vault, found)
    assert not resolve.plan(vault, [solved], undo=True).left


def test_a_plan_names_what_an_entry_that_goes_along_hides_elsewhere(
    vault: Vault,
) -> None:
    text, kind = "Jest hangs when the mock server is up", "blocker"
    mine, theirs, everywhere = (
        save(vault, text, kind=kind, project=project)
        for project in ("acme/shop", "other/till", None)
    )
    found = resolve.plan(vault, [mine])
    assert [one.id for one in found.targets] == [mine, everywhere]
    assert [(one.id, one.same_key_as) for one in found.hides] == [(theirs, everywhere)]
    assert found.left == []
