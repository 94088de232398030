"""What can be mended without guessing is mended, after a plan; the rest is named."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.vault.health import repair
from memcli.vault.health.lint import lint
from memcli.vault.health.repair import RepairPlan
from tests.git_command import git
from tests.saving import write
from tests.vault.health.test_lint import OVER, A, B, entry


def codes(found: RepairPlan) -> list[tuple[str, str]]:
    return [(step.code, step.path) for step in found.steps]


MARKED = entry(A, body="<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs")
HALF = "memories/.a.md.123-0123abcd.tmp"
COMMIT = ("git add .", "git commit -qm x")
# Files as they are, what is done to them, a repair's steps, what is left for people,
# git's status after it, and what a file holds then, or after "!" does not.
PLANS = {
    "what takes a decision is left": (
        {"a.md": entry(A), "b.md": entry(B, f"supersedes: {A}")}, (),
        ["uncommitted a.md", "uncommitted b.md"], ["one_sided_lineage b.md"], "", {},
    ),
    "whether the old one is in force is for people: it says both": (
        {"a.md": entry(A, "status: active", f"superseded_by: {B}"), "b.md": entry(B)},
        COMMIT, [], ["superseded_but_active a.md"], "", {},
    ),
    "a successor that is gone, of a version that stays archived": (
        {f"archive/memories/a.{A}.md": entry(A, OVER, f"superseded_by: {B}")}, (),
        [f"uncommitted archive/memories/a.{A}.md"], [], "", {},
    ),
    "what is broken, staged or no entry is left, and what was deleted is forgotten": (
        {"gone.md": entry(A), "edited.md": "old"},
        (*COMMIT, "rm gone.md", "cp /dev/null broken.md", "sed -i s/o/b/ edited.md",
         "touch staged.md picture.txt", "git add staged.md"),
        ["forgotten gone.md", "uncommitted broken.md", "uncommitted edited.md"], [],
        "A  staged.md\n?? picture.txt", {"edited.md": ("bld",)},
    ),
    "a staged file is not rewritten": (
        {"a.md": MARKED}, ("git add .",), [], ["conflict a.md"], "A  a.md",
        {"a.md": ("<<<<<<<",)},
    ),
    "the text that gives way takes the place of no other memory": (
        {"a.md": f"<<<<<<< a\n{entry(A)}=======\n{entry(B)}>>>>>>> b\n",
         "a-2.md": "other"}, COMMIT, ["conflict a.md"], [], "", {"a-2.md": ("other",)},
    ),
    "an edit with a secret comes into no commit": (
        {"a.md": entry(A)}, (*COMMIT, "sed -i s/text/DB_PASSWORD=Tr0ub4dor3x/ a.md"),
        [], ["secret a.md"], "M a.md", {},
    ),
    "what git knows by name alone, as a killed save leaves it": (
        {"a.md": "announced"}, ("git add --intent-to-add a.md",),
        ["uncommitted a.md"], [], "", {},
    ),
    "in a merge nothing is begun that cannot be committed": (
        {"a.md": "new", HALF: "half"}, ("git update-ref MERGE_HEAD HEAD",),
        [f"leftover {HALF}"], ["git_state .git"], "?? a.md", {},
    ),
    "in a merge the index gets back what concluding it would delete": (
        {"a.md": entry(A)}, (*COMMIT, "git rm -q --cached a.md",
                             "git update-ref MERGE_HEAD HEAD"),
        ["index a.md"], ["git_state .git"], "", {},
    ),
    "what the index has lost, by a `git commit PATH` that began before": (
        {"a.md": entry(A)},
        (*COMMIT, "cp .git/index .git/before", "sed -i s/text/words/ a.md",
         "touch b.md", *COMMIT, "mv .git/before .git/index",
         "touch mine.md", "git add mine.md"),
        ["index a.md", "index b.md"], [], "A  mine.md", {"a.md": ("words of a",)},
    ),
    "a deletion that a person staged is theirs": (
        {"a.md": entry(A)}, (*COMMIT, "git rm -q a.md"),
        [], ["missing a.md"], "D  a.md", {},
    ),
    "a file that was moved by hand is a move and no loss": (
        {"a.md": entry(A), "notes/plain.md": "a note without an id"},
        (*COMMIT, "mv a.md here.md", "mv notes/plain.md there.md"),
        ["moved a.md", "moved notes/plain.md", "uncommitted here.md",
         "uncommitted there.md"], [], "", {"here.md": ("text of a",)},
    ),
    "a file that was moved to where git sees nothing is left": (
        {"a.md": entry(A), ".gitignore": "off/"},
        ("git add .gitignore", *COMMIT, "mkdir off", "mv a.md off/a.md"),
        [], ["missing a.md", "ignored off/a.md"], "D a.md", {"off/a.md": ("of a",)},
    ),
    "a folder in the place of a note is a note that was deleted": (
        {"a.md": entry(A)},
        (*COMMIT, "mv a.md away", "mkdir a.md", "mv away a.md/inner.md"),
        ["moved a.md", "uncommitted a.md/inner.md"], [], "",
        {"a.md/inner.md": ("text of a",)},
    ),
    "an approval whose journal could not be committed": (
        {"inbox/a.md": entry(A, "status: pending")},
        (*COMMIT, "sed -i /status/d inbox/a.md",
         "mv inbox/a.md memories/a.md"),
        ["moved inbox/a.md", "uncommitted memories/a.md"], [], "", {},
    ),
    "what is edited back, and was in no commit, is an edit": (
        {"a.md": entry(A)},
        (*COMMIT, "sed -i s/text/words/ a.md", "git stash -q", "git stash apply -q"),
        ["uncommitted a.md"], [], "", {"a.md": ("words of a",)},
    ),
    "without git only halves of writes go": (
        {"a.md": MARKED, HALF: "half"}, ("mv .git ../away",),
        [f"leftover {HALF}"], ["no_history .", "conflict a.md"], None, {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PLANS.values(), ids=PLANS.keys())
def test_a_repair_takes_its_steps_and_leaves_the_rest(vault: Vault, case: Any) -> None:
    files, commands, steps, left, status, holds = case
    for path, text in files.items():
        place = write(vault, path, text)
        if path == HALF:
            os.utime(place, (1, 1))
    for command in commands:
        subprocess.run(command.split(), cwd=vault.root, check=True)
    found = repair.apply(vault, repair.plan(vault))
    assert sorted(f"{step.code} {step.path}" for step in found.steps) == steps
    assert [f"{each.code} {each.path}" for each in found.left] == left
    assert status is None or git(vault, "status", "--porcelain").strip() == status
    for path, parts in holds.items():
        text = Path(vault.root, path).read_text()
        assert all((part.lstrip("!") in text) != (part[0] == "!") for part in parts)


def test_what_has_changed_since_the_plan_is_left_as_it_is(vault: Vault) -> None:
    lock = Path(vault.root, ".git", "index.lock")
    names = ("broken.md", "fine.md", "staged.md")
    for name in names:
        write(vault, name, f"{name}\n")
    write(vault, "key.md", MARKED)
    of_sync = Path(vault.root, ".git", "refs", "memcli", "sync.lock")
    of_sync.parent.mkdir()
    for each in (lock, of_sync):
        each.touch()
        os.utime(each, (1, 1))
    found = repair.plan(vault)
    assert {step.code for step in found.steps} == {
        "git_lock",
        "conflict",
        "uncommitted",
    }
    lock.unlink()
    git(vault, "add", "staged.md")
    write(vault, "broken.md", "---\na: [\n---\n")
    write(vault, "key.md", entry(B))
    done = repair.apply(vault, found)
    of_both = [("git_lock", ".git/refs/memcli/sync.lock"), ("uncommitted", "fine.md")]
    assert sorted(codes(done)) == of_both
    assert git(vault, "status", "--porcelain").splitlines() == [
        "A  staged.md",
        "?? broken.md",
        "?? key.md",
    ]


def clone_of(vault: Vault) -> Path:
    """A clone whose commits the vault pulls."""
    clone = Path(vault.root).parent / "clone"
    git(vault, "clone", "-q", vault.root, str(clone))
    git(vault, "remote", "add", "origin", str(clone))
    git(vault, "fetch", "-q")
    git(vault, "branch", "-q", "--set-upstream-to", "origin/main")
    return clone


def test_what_a_lost_race_of_git_pull_took_away_comes_back(vault: Vault) -> None:
    """git has checked out what it fetched, and then could not move the branch."""
    changed = vault.save("The port is 80", title="Port")
    clone = clone_of(vault)
    other = Vault.open(str(clone), now_ms=vault.now_ms)
    theirs = other.save("from the other side")
    new = vault.evolve(changed.id, "The port is 8080")
    added = vault.save("acknowledged")
    head = git(vault, "rev-parse", "HEAD")
    git(vault, "fetch", "-q")
    git(vault, "read-tree", "--reset", "-u", "FETCH_HEAD")
    assert vault.recall("acknowledged").rows == []
    assert {(f.path, f.code) for f in lint(vault)} >= {
        (added.path, "missing"),
        (changed.path, "older"),
    }
    found = repair.apply(vault, repair.plan(vault))
    assert {step.code for step in found.steps} == {"missing", "older"}
    assert found.left == []
    assert vault.get(new.id).body.strip() == "The port is 8080"
    assert vault.get(changed.id).superseded_by == new.id
    assert vault.get(added.id).body.strip() == "acknowledged"
    assert git(vault, "rev-parse", "HEAD") == head
    assert git(vault, "status", "--porcelain") == f"A  {theirs.path}\n"


@pytest.mark.parametrize(
    "words",
    [
        ("restore", "--source=HEAD~2", "."),
        ("rm", "-q", "--cached", "-r", "memories/note"),
    ],
    ids=" ".join,
)
def test_what_a_restore_took_away_is_named_and_comes_back(
    vault: Vault, words: tuple[str, ...]
) -> None:
    changed = vault.save("The port is 80", title="Port")
    new = vault.evolve(changed.id, "The port is 8080")
    added = vault.save("acknowledged")
    head = git(vault, "rev-parse", "HEAD")
    git(vault, *words)
    codes_found = {f.path: f.code for f in lint(vault)}
    assert codes_found.keys() >= {changed.path, added.path}
    found = repair.apply(vault, repair.plan(vault))
    assert (found.left, git(vault, "status", "--porcelain")) == ([], "")
    assert git(vault, "rev-parse", "HEAD") == head
    assert vault.get(new.id).body.strip() == "The port is 8080"
    assert vault.get(added.id).body.strip() == "acknowledged"
    assert lint(vault) == []


def test_deletions_are_committed_when_they_are_accepted(vault: Vault) -> None:
    gone = vault.save("deleted by hand")
    changed = vault.save("The port is 80", title="Port")
    vault.evolve(changed.id, "The port is 8080")
    git(vault, "restore", "--source=HEAD~1", ".")
    Path(vault.root, gone.path).unlink()
    found = repair.apply(vault, repair.plan(vault, accept_deletions=True))
    assert {step.code for step in found.steps} == {"deleted"}
    assert (found.left, git(vault, "status", "--porcelain")) == ([], "")
    assert vault.get(changed.id).body.strip() == "The port is 80"
    assert lint(vault) == []


def test_a_restored_version_that_had_another_name_is_not_in_use_again(
    vault: Vault,
) -> None:
    changed = vault.save("The port is 80")
    new = vault.evolve(changed.id, "The port is 8080")
    git(vault, "restore", "--source=HEAD~1", ".")
    while (planned := repair.plan(vault)).steps:
        repair.apply(vault, planned)
    assert [row.id for row in vault.recall("port").rows] == [new.id]
    assert (lint(vault), git(vault, "status", "--porcelain")) == ([], "")


def test_a_version_that_a_person_moved_out_of_the_archive_is_in_use(
    vault: Vault,
) -> None:
    changed = vault.save("The port is 80")
    vault.evolve(changed.id, "The port is 8080")
    archived = Path(vault.root, vault.path_of(changed.id))
    text = archived.read_text("utf-8").replace("status: superseded\n", "")
    write(vault, changed.path, re.sub("superseded_by:.*\n", "", text))
    archived.unlink()
    repair.apply(vault, repair.plan(vault))
    assert vault.get(changed.id).path == changed.path
    assert git(vault, "status", "--porcelain") == ""
