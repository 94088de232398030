"""The one real removal: what goes, what stays, and how to take it out of git."""

import os
import subprocess
from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation import forget
from memcli.errors import EntryNotFound
from memcli.vault.health.lint import lint
from tests.git_command import git, objects
from tests.saving import save

SECRET = "xyzzy-the-words-to-forget"


def in_files(root: str) -> list[str]:
    found = []
    for folder, folders, names in os.walk(root):
        if ".git" in folders:
            folders.remove(".git")
        found += [
            name for name in names if SECRET.encode() in Path(folder, name).read_bytes()
        ]
    return found


def purge(done: forget.Forgotten) -> int:
    """Run the commands as they are printed; the exit code."""
    told = subprocess.run(["sh", "-c", " &&\n".join(done.purge)], capture_output=True)
    return told.returncode


def test_the_file_goes_in_one_commit_that_does_not_repeat_it(vault: Vault) -> None:
    name = save(vault, SECRET)
    vault.recall("xyzzy")
    assert in_files(vault.root)
    done = vault.forget(name[:15])
    assert (done.id, done.applied, done.commits) == (name, True, 1)
    # Not in the index either.
    assert in_files(vault.root) == []
    assert git(vault.root, "log", "-1", "--format=%s") == f"forget: {name}\n"
    assert git(vault.root, "status", "--porcelain") == ""
    assert vault.recall("xyzzy").rows == []
    with pytest.raises(EntryNotFound):
        vault.get(name)


def test_the_commands_work_in_a_vault_inside_another_repository(
    ready_vault: Path, tmp_path: Path
) -> None:
    import shutil

    outer = tmp_path / "pro'ject"
    root = outer / "docs" / "vault"
    shutil.copytree(ready_vault, root, ignore=shutil.ignore_patterns(".git"))
    subprocess.run(["git", "init", "-q", str(outer)], check=True)
    (outer / "code.py").write_text("x\n", encoding="utf-8")
    git(str(outer), "add", "-A")
    git(str(outer), "commit", "-qm", "start")
    vault = Vault(str(root))
    done = vault.forget(save(vault, SECRET))
    assert purge(done) == 0
    assert SECRET not in objects(outer)
    assert (outer / "code.py").exists()
    assert git(str(outer), "status", "--porcelain") == ""


def test_the_versions_on_both_sides_point_at_each_other(vault: Vault) -> None:
    first = save(vault, "one")
    second = vault.evolve(first, "two").id
    third = vault.evolve(second, "three").id
    done = vault.forget(second)
    assert sorted(done.versions) == sorted([first, third])
    assert vault.get(first).superseded_by == third
    assert vault.get(third).supersedes == first
    assert lint(vault) == []


def test_all_versions_go_when_that_is_asked_for(vault: Vault) -> None:
    name = save(vault, f"{SECRET} one")
    for text in (f"{SECRET} two", f"{SECRET} three"):
        name = vault.evolve(name, text).id
    done = vault.forget(name, versions=True)
    assert len(done.paths) == 3
    assert in_files(vault.root) == []
    assert purge(done) == 0
    assert SECRET not in objects(vault)


def test_what_its_resolution_had_hidden_is_named(vault: Vault) -> None:
    name = save(vault, "Sentry drops events", kind="blocker")
    vault.resolve(name)
    Path(vault.root, "later.md").write_text("sentry drops events!\n")
    assert not vault.recall("sentry").rows
    plan = forget.forget(vault, name, dry_run=True)
    assert [row.path for row in plan.reopened] == ["later.md"]
    assert forget.forget(vault, name).reopened == plan.reopened
    (row,) = vault.recall("sentry").rows
    assert forget.forget(vault, row.id, dry_run=True).reopened == []


def test_text_that_no_commit_holds_is_named_before_it_goes(vault: Vault) -> None:
    name = save(vault, "Foxes")
    path = vault.path_of(name)
    assert forget.forget(vault, name, dry_run=True).uncommitted == []
    with Path(vault.root, path).open("a") as file:
        file.write("an hour of writing\n")
    assert forget.forget(vault, name, dry_run=True).uncommitted == [path]


def test_who_links_to_it_is_told(vault: Vault) -> None:
    name = save(vault, "The runbook", title="Run Book")
    other = save(vault, "see [[Run Book]]")
    found = forget.forget(vault, name, dry_run=True)
    assert [row.id for row in found.linked_from] == [other]


def test_the_commands_take_the_title_out_of_the_messages_and_leave_the_rest(
    vault: Vault,
) -> None:
    """memcli's own commits name what they change."""
    name = save(vault, "100% of it", title=f"It's {SECRET} 100%")
    save(vault, "what stays")
    vault.evolve(name, "harmless")
    Path(vault.root, "mine.txt").write_text("mine", "utf-8")
    git(vault.root, "add", "mine.txt")
    git(vault.root, "commit", "-q", "-m", "by hand\n\n  two lines\n")
    git(vault.root, "tag", "-a", "v1", "-m", "a tag")
    assert SECRET in git(vault.root, "log", "--format=%B")
    assert purge(vault.forget(name)) == 0
    # The title goes on, in the next version; the old one is taken out.
    assert SECRET not in git(vault.root, "log", "--all", "--format=%B")
    subjects = git(vault.root, "log", "--format=%s").splitlines()
    assert f"evolve: {name}" in subjects
    assert {"by hand", "save: what stays"} <= set(subjects)
    assert "\n  two lines\n" in git(vault.root, "log", "--format=%B")
    assert git(vault.root, "cat-file", "-t", "v1") == "tag\n"


def test_a_title_within_another_and_the_words_of_others_stay_whole(
    vault: Vault,
) -> None:
    first = save(vault, "one", title=f"Login {SECRET} of Anna", entities=["Gateway"])
    vault.evolve(first, "two", title="Login")
    save(vault, "three", title="we changed the Login")
    current = vault.get(first).superseded_by or ""
    done = forget.forget(vault, current, versions=True)
    assert purge(done) == 0
    subjects = git(vault.root, "log", "--format=%s").splitlines()
    assert "save: we changed the Login" in subjects
    assert not [each for each in subjects if "Anna" in each or SECRET in each]


def test_stashes_are_not_thrown_away_but_named(vault: Vault) -> None:
    name = save(vault, SECRET)
    kept = Path(vault.root, vault.save("mine").path)
    kept.write_text("not committed\n", encoding="utf-8")
    git(vault.root, "stash", "-q")
    before = git(vault.root, "rev-parse", "main")
    done = vault.forget(name)
    assert "stashes would be lost" in done.purge[0]
    assert purge(done) != 0
    assert git(vault.root, "rev-parse", "main~1") == before
    assert git(vault.root, "stash", "list") != ""
    git(vault.root, "stash", "pop", "-q")
    assert kept.read_text("utf-8") == "not committed\n"
    git(vault.root, "checkout", "-q", "--", ".")
    assert purge(done) == 0
    assert SECRET not in objects(vault)
