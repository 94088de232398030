"""What can be mended without guessing is mended, after a plan; the rest is named."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memcli import Vault, repair
from memcli.inspect import overview
from memcli.lint import lint

A, B = "1m7y6wbehbqyv1ka", "1m7y6wbehbqyv1kb"


def write(vault: Vault, path: str, text: str) -> Path:
    file = Path(vault.root, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def git(vault: Vault, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", vault.root, *words], check=True, capture_output=True, text=True
    )
    return done.stdout


def codes(found: repair.Mending) -> list[tuple[str, str]]:
    return [(step.code, step.path) for step in found.steps]


def test_a_clean_vault_needs_nothing(vault: Vault) -> None:
    vault.save(vault.draft({"text": "fine"}))
    assert repair.plan(vault) == repair.Mending([], [])


def test_the_plan_changes_nothing(vault: Vault, snapshot: Callable[[str], Any]) -> None:
    write(vault, "a.md", "new\n")
    before = snapshot(vault.root)
    assert codes(repair.plan(vault)) == [("uncommitted", "a.md")]
    assert snapshot(vault.root) == before


def test_files_of_a_killed_import_and_edits_are_committed(vault: Vault) -> None:
    saved = vault.save(vault.draft({"text": "edited later"}))
    gone = vault.save(vault.draft({"text": "deleted by hand"}))
    write(vault, saved.path, Path(vault.root, saved.path).read_text() + "more\n")
    Path(vault.root, gone.path).unlink()
    write(vault, "memories/note/new.md", "new\n")
    mine = write(vault, "staged.md", "staged by its owner\n")
    git(vault, "add", mine.name)
    broken = write(vault, "broken.md", "---\na: [\n---\n")
    foreign = write(vault, "picture.txt", "not an entry")
    found = repair.apply(vault, repair.plan(vault))
    assert found.applied
    assert git(vault, "status", "--porcelain", "-uall").splitlines() == [
        f" D {gone.path}",
        "A  staged.md",
        "?? broken.md",
        "?? picture.txt",
    ]
    assert [(f.path, f.code) for f in found.left] == [
        ("broken.md", "broken"),
        (gone.path, "deleted"),
    ]
    assert "git restore" in (found.left[1].hint or "")
    assert not found.ok
    assert broken.exists()
    assert foreign.exists()
    rest = ["broken.md", gone.path, "picture.txt", "staged.md"]
    assert overview(vault).dirty == rest


def test_leftovers_of_killed_writes_go(vault: Vault) -> None:
    scratch = write(vault, "memories/.a.md.123-0123abcd.tmp", "half")
    assert repair.plan(vault).steps == []  # its write may be going on
    os.utime(scratch, (1, 1))
    found = repair.apply(vault, repair.plan(vault))
    assert codes(found) == [("leftover", "memories/.a.md.123-0123abcd.tmp")]
    assert not scratch.exists()
    assert lint(vault) == []


def test_a_dead_lock_of_git_goes_and_one_that_may_live_stays(vault: Vault) -> None:
    lock = Path(vault.root, ".git", "index.lock")
    lock.touch()
    recent = lock.stat().st_mtime - 300
    os.utime(lock, (recent, recent))
    found = repair.plan(vault)
    assert (found.steps, found.ok) == ([], False)
    os.utime(lock, (1, 1))
    found = repair.apply(vault, repair.plan(vault))
    assert [step.code for step in found.steps] == ["git_lock"]
    assert not lock.exists()
    vault.save(vault.draft({"text": "works again"}))


def test_keys_and_the_other_side_of_a_lineage_are_written(vault: Vault) -> None:
    write(
        vault,
        "a.md",
        f"---\nid: {A}\nstatus: superseded\nsuperseded_by: {B}\n---\nold\n",
    )
    write(
        vault,
        "b.md",
        f"---\nid: {B}\nitem: derived\nkey: 'derived:old'\nmine: 1 # kept\n---\nNew.\n",
    )
    found = repair.apply(vault, repair.plan(vault))
    assert {step.code for step in found.steps} == {
        "uncommitted",
        "stale_key",
        "lineage",
    }
    entry = vault.get(B)
    assert (entry.key, entry.supersedes) == ("derived:new", A)
    assert "mine: 1 # kept" in Path(vault.root, "b.md").read_text()
    assert found.left == []
    assert lint(vault) == []
    assert git(vault, "status", "--porcelain") == ""


def test_what_takes_a_decision_is_left_with_what_to_do(vault: Vault) -> None:
    write(vault, "a.md", f"---\nid: {A}\n---\nold\n")
    write(vault, "b.md", f"---\nid: {B}\nsupersedes: {A}\n---\nnew\n")
    found = repair.apply(vault, repair.plan(vault))
    assert [f.code for f in found.left] == ["one_sided_lineage"]
    assert found.left[0].hint == f"If it is meant: memcli evolve {B} --also {A}"


def test_what_the_index_has_lost_is_put_back_and_what_is_staged_stays(
    vault: Vault,
) -> None:
    """As a person's `git commit PATH` leaves it that began before ours."""
    kept = vault.save(vault.draft({"text": "kept"}))
    changed = vault.save(vault.draft({"text": "changed"}))
    index = Path(vault.root, ".git", "index")
    before = index.read_bytes()
    vault.resolve(changed.id)
    added = vault.save(vault.draft({"text": "added"}))
    index.write_bytes(before)
    mine = Path(vault.root, kept.path)
    mine.write_text(mine.read_text() + "staged\n", encoding="utf-8")
    git(vault, "add", kept.path)
    commits = git(vault, "rev-list", "--count", "HEAD")
    found = repair.apply(vault, repair.plan(vault))
    assert sorted(codes(found)) == [("index", added.path), ("index", changed.path)]
    assert git(vault, "status", "--porcelain") == f"M  {kept.path}\n"
    assert git(vault, "rev-list", "--count", "HEAD") == commits
