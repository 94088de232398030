"""What can be wrong in the life of an entry is found, and nothing else is."""

from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.entries.file_checks import Finding
from memcli.vault.health.lint import lint
from tests.conftest import VaultMaker, state_of
from tests.git_command import git
from tests.saving import write

A, B = "1m7y6wbehbqyv1ka", "1m7y6wbehbqyv1kb"
C, D = "1m7y6wbehbqyv1kc", "1m7y6wbehbqyv1kd"


def entry(name: str, *lines: str, body: str = "") -> str:
    fields = "".join(f"{line}\n" for line in lines)
    return f"---\nid: {name}\n{fields}---\n{body or f'The text of {name[-1]}'}\n"


def found(vault: Vault) -> list[tuple[str, int, str, str]]:
    return [(f.path, f.line, f.code, f.level) for f in lint(vault)]


def test_a_chain_that_memcli_made_is_clean(vault: Vault) -> None:
    name = vault.save(vault.draft({"text": "first"})).id
    other = vault.save(vault.draft({"text": "quite something else"})).id
    for text in ("second", "third"):
        name = vault.evolve(name, text, reason="r").id
    name = vault.evolve(name, "fourth", also=[other]).id
    vault.revert(name)
    item = vault.save(vault.draft({"text": "Always lint", "item": "invariant"})).id
    vault.resolve(item)
    vault.save(vault.draft({"text": "perhaps", "status": "pending"}))
    assert lint(vault) == []


def test_a_circle_of_versions_is_one_error(vault: Vault) -> None:
    for name, after in ((A, B), (B, C), (C, A)):
        write(
            vault,
            f"memories/{name[-1]}.md",
            entry(name, "status: superseded", f"superseded_by: {after}"),
        )
    cycles = [f for f in lint(vault) if f.code == "lineage_cycle"]
    assert [(f.path, f.line, f.level) for f in cycles] == [
        ("memories/a.md", 4, "error")
    ]
    assert f"{A} -> {B} -> {C} -> {A}" in cycles[0].message


def test_a_circle_that_only_its_newer_sides_tell_of_is_one(vault: Vault) -> None:
    write(vault, "a.md", entry(A, f"supersedes: {B}"))
    write(vault, "b.md", entry(B, f"supersedes: {A}"))
    (circle,) = lint(vault)
    assert (circle.path, circle.line, circle.code) == ("a.md", 3, "lineage_cycle")


def test_a_fork_that_the_replaced_one_hides_is_named(vault: Vault) -> None:
    """B says that it replaced A; A says that C has, into which D was merged."""
    for name, letter in ((A, "a"), (D, "d")):
        text = entry(name, "status: superseded", f"superseded_by: {C}")
        write(vault, f"{letter}.md", text)
    write(vault, "b.md", entry(B, f"supersedes: {A}"))
    write(vault, "c.md", entry(C, f"supersedes: {D}"))
    (fork,) = lint(vault)
    assert (fork.path, fork.line, fork.code) == ("b.md", 3, "lineage_fork")
    assert C in fork.message


def test_what_was_merged_into_another_is_no_fork(vault: Vault) -> None:
    for name, letter in ((A, "a"), (B, "b")):
        text = entry(name, "status: superseded", f"superseded_by: {C}")
        write(vault, f"{letter}.md", text)
    write(vault, "c.md", entry(C, f"supersedes: {A}"))
    assert lint(vault) == []


def test_a_fork_is_named_at_the_second_successor(vault: Vault) -> None:
    write(vault, "a.md", entry(A, "status: superseded", f"superseded_by: {B}"))
    write(vault, "b.md", entry(B, f"supersedes: {A}"))
    write(vault, "c.md", entry(C, f"supersedes: {A}"))
    (fork,) = lint(vault)
    assert (fork.path, fork.code, fork.level) == ("c.md", "lineage_fork", "warning")
    assert fork.hint == (
        "memcli doctor --fix makes one chain of them; or one text: "
        f"memcli evolve {C} --also {B}"
    )


@pytest.mark.parametrize(
    ("first", "second", "code", "path"),
    [
        (
            ["status: superseded", f"superseded_by: {B}"],
            [],
            "silent_successor",
            "a.md",
        ),
        ([], [f"supersedes: {A}"], "one_sided_lineage", "b.md"),
        (
            [f"superseded_by: {B}"],
            [f"supersedes: {A}"],
            "superseded_but_active",
            "a.md",
        ),
        (["status: superseded"], [], "superseded_by_nobody", "a.md"),
        (["status: resolved"], [], "resolved_when", "a.md"),
        (["item: derived", "key: 'derived:other'"], [], "stale_key", "a.md"),
        (["review_after: 2026-11-20"], [], "review_due", "a.md"),
        (["status: pending"], [], "pending_elsewhere", "a.md"),
        (["status: rejected"], [], "rejected_elsewhere", "a.md"),
        ([f"superseded_by: {B}"], [], "superseded_but_active", "a.md"),
        (
            ["status: superseded", f"superseded_by: {C}"],
            [],
            "dangling_lineage",
            "a.md",
        ),
    ],
)
def test_each_contradiction_is_one_finding(
    vault: Vault, first: list[str], second: list[str], code: str, path: str
) -> None:
    write(vault, "a.md", entry(A, *first))
    write(vault, "b.md", entry(B, *second))
    (finding,) = lint(vault)
    assert (finding.path, finding.code) == (path, code)
    assert finding.level == "warning"
    assert finding.hint


@pytest.mark.parametrize("folder", ["inbox", "archive"])
def test_an_active_entry_among_those_that_are_not_is_a_finding(
    vault: Vault, folder: str
) -> None:
    write(vault, f"{folder}/a.md", entry(A))
    assert [f.code for f in lint(vault)] == [f"active_in_{folder}"]


@pytest.mark.parametrize("folder", ["inbox", "archive", "reflections"])
def test_notes_of_others_may_lie_where_they_like(vault: Vault, folder: str) -> None:
    write(vault, f"{folder}/note.md", "just a note\n")
    assert lint(vault) == []


def test_the_same_words_resolved_and_active_are_named(vault: Vault) -> None:
    write(
        vault,
        "a.md",
        entry(A, "status: resolved", "resolved_at: 2026-11-20", body="Restart it."),
    )
    write(vault, "b.md", entry(B, body="- restart it"))
    (twin,) = lint(vault)
    assert (twin.path, twin.code) == ("b.md", "key_twins")
    assert "not shown; " in twin.message
    assert twin.message.endswith(f"its claim is resolved by {A}")
    assert twin.hint == f"To bring it back: memcli resolve --undo {A}"


@pytest.mark.parametrize(
    "word", ["done", "Closed", "fixed", "obsolete", "cancelled", "wontfix", "resolved"]
)
def test_a_trackers_word_for_solved_is_read_as_resolved(
    vault: Vault, word: str
) -> None:
    write(vault, "a.md", entry(A, f"status: {word}", body="Restart it."))
    write(vault, "note.md", f"---\nstatus: {word}\n---\nRestart that.\n")
    assert [finding.code for finding in lint(vault)] == ["resolved_when"] * 2
    assert vault.recall("restart").rows == []
    vault.reopen(A)
    assert [row.id for row in vault.recall("restart").rows] == [A]


def test_resolved_at_alone_is_read_as_resolved(vault: Vault) -> None:
    write(vault, "a.md", entry(A, "resolved_at: 2026-11-20", body="Restart it."))
    assert vault.recall("restart").rows == []
    vault.reopen(A)
    assert [row.id for row in vault.recall("restart").rows] == [A]


@pytest.mark.parametrize(
    "fields",
    [
        ("status: active", "resolved_at: 2026-11-20"),
        ("resolved_at: yes",),
        ("resolvedAt: 1771234567",),
    ],
)
def test_resolved_at_that_does_not_count_is_named(
    vault: Vault, fields: tuple[str, ...]
) -> None:
    write(vault, "a.md", entry(A, *fields, body="Restart it."))
    write(vault, "b.md", "---\n" + "\n".join(fields) + "\n---\nRestart that.\n")
    codes = {(finding.path, finding.code) for finding in lint(vault)}
    assert {("a.md", "resolved_but_active"), ("b.md", "resolved_but_active")} <= codes


def test_notes_that_are_only_titles_are_no_twins(vault: Vault) -> None:
    fields = ("status: resolved", "resolved_at: 2026-11-20", "title: One")
    lines = "".join(f"{field}\n" for field in fields)
    write(vault, "a.md", f"---\nid: {A}\n{lines}---\n")
    write(vault, "b.md", f"---\nid: {B}\ntitle: Two\n---\n")
    write(vault, "c.md", "")
    assert lint(vault) == []


def test_an_old_inbox_is_one_warning(vault: Vault) -> None:
    for number in range(3):
        fields = {"text": f"thing {number}", "status": "pending"}
        vault.save(vault.draft({**fields, "created": "2026-10-01T00:00:00Z"}))
    (warning,) = lint(vault)
    assert warning.code == "old_inbox"
    assert "51 days, the oldest of 3" in warning.message


def only(vault: Vault) -> Finding:
    (finding,) = lint(vault)
    return finding


def test_a_revert_in_progress_and_a_detached_head_are_named(vault: Vault) -> None:
    git(vault, "checkout", "--detach")
    assert (only(vault).code, only(vault).level) == ("detached_head", "warning")
    git(vault, "checkout", "main")
    Path(vault.root, ".git", "REVERT_HEAD").write_text("0" * 40 + "\n")
    assert (only(vault).code, only(vault).level) == ("git_state", "error")
    assert f"git -C {vault.root} revert --abort" in (only(vault).hint or "")


def test_a_rebase_that_stopped_is_told_as_a_rebase_alone(vault: Vault) -> None:
    git(vault, "checkout", "--detach")
    Path(vault.root, ".git", "rebase-merge").mkdir()
    Path(vault.root, ".git", "CHERRY_PICK_HEAD").write_text("0" * 40 + "\n")
    assert only(vault).message.startswith("a rebase is in progress")


def test_a_journal_that_cannot_be_read_is_an_error(vault: Vault) -> None:
    journal = state_of(vault.root, layout.JOURNAL)
    journal.parent.mkdir(exist_ok=True)
    journal.write_text("half of it")
    assert (only(vault).code, only(vault).path) == (
        "journal",
        str(state_of(vault.root, layout.JOURNAL)),
    )
    assert vault.recall("anything").rows == []  # and stops no reader


def test_backlinks_are_found_however_the_link_is_written(
    make_vault: VaultMaker,
) -> None:
    from memcli.vault.health.inspect import inspect

    vault = make_vault()
    target = vault.save(vault.draft({"text": "The runbook", "title": "Run Book"}))
    links = (
        "[x](../note/run-book.md)",
        "[x](/memories/note/run-book.md)",
        "| [[run-book\\|label]] |",
        "[x](Run%20Book.md)",
        "[[Run Book#part|label]]",
        "[[run book]]",
        f"[[{target.id}]]",
    )
    for number, link in enumerate(links):
        write(vault, f"memories/fix/link{number}.md", f"See {link}\n")
    found = inspect(vault, target.id).around.backlinks
    paths = sorted(row.path for row in found)
    assert paths == [f"memories/fix/link{n}.md" for n in range(len(links))]


def test_no_command_of_a_hint_holds_words_of_a_note_unquoted(vault: Vault) -> None:
    """A person pastes it into a shell."""
    note = Path(vault.root, "memories", "a.md")
    note.write_text(
        "---\nid: 1jy5e6hm03e2cs6s\nsupersedes: $(touch pwned); x\n---\nWe deploy\n"
    )
    (finding,) = [f for f in lint(vault) if f.code == "dangling_lineage"]
    assert (finding.hint or "").endswith("-S '$(touch pwned); x'")
