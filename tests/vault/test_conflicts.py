"""A file in which git left a conflict is told as two versions, and can be merged."""

from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries import codec
from memcli.entries.eligibility import View
from memcli.sessions.briefing import start
from memcli.vault.health import repair
from memcli.vault.health.inspect import inspect
from memcli.vault.health.lint import lint
from tests.git_command import git

BOTH = (
    "Deploys\n<<<<<<< HEAD\nrun on Mondays\n=======\nrun on Fridays\n>>>>>>> theirs\n"
)


def marked(vault: Vault, text: str, changed: tuple[str, str]) -> tuple[str, Path]:
    """A saved memory in whose file a merge has left two versions of some text."""
    saved = vault.save(text, tags=["deploy"])
    path = Path(vault.root, saved.path)
    before = path.read_bytes()
    old, new = (part.encode() for part in changed)
    assert old in before
    both = b"<<<<<<< HEAD\n%b\n=======\n%b\n>>>>>>> theirs" % (old, new)
    path.write_bytes(before.replace(old, both))
    return saved.id, path


@pytest.mark.parametrize(
    "changed",
    [
        ("Deploys run on Mondays", "Deploys run on Fridays"),
        ("tags: [deploy]", "tags: [deploy, ci]"),
    ],
    ids=["in the text", "in the frontmatter"],
)
def test_recall_shows_both_sides_and_repair_makes_one_of_them(
    vault: Vault, changed: tuple[str, str]
) -> None:
    text = "Deploys run on Mondays\n"
    entry_id, path = marked(vault, text, changed)

    (row,) = vault.recall("deploys on Mondays").rows
    assert row.id == entry_id
    assert "A merge left two versions" in row.text
    assert "<<<" not in row.text
    if "Mondays" in changed[0]:
        assert "HEAD:\n\nDeploys run on Mondays" in row.text
        assert "theirs:\n\nDeploys run on Fridays" in row.text
    (found,) = [each for each in lint(vault) if each.path == row.path]
    assert (found.code in ("conflict", "broken"), found.level) == (True, "error")
    assert "memcli doctor --fix" in (found.hint or "")

    planned = repair.plan(vault)
    assert [step.code for step in planned.steps] == ["conflict"]
    done = repair.apply(vault, planned)
    assert (done.steps, done.left) == (planned.steps, [])
    entry = vault.get(entry_id)
    assert "<<<" not in path.read_text(encoding="utf-8")
    if "Mondays" in changed[0]:
        (archived,) = Path(vault.root, "archive").rglob("*.md")
        assert {entry.body, codec.decode(archived.read_bytes(), "x.md").entry.body} == {
            "Deploys run on Mondays\n",
            "Deploys run on Fridays\n",
        }
    else:
        assert (entry.tags, entry.body) == (("deploy", "ci"), text)
    assert repair.plan(vault).steps == []


def test_a_resolved_side_keeps_both_out_of_recall(vault: Vault) -> None:
    changed = ("tags: [deploy]", "tags: [deploy]\nstatus: resolved")
    marked(vault, "Deploys run on Mondays\n", changed)
    assert vault.recall("deploys on Mondays").rows == []


def test_marks_that_do_not_close_are_shown_by_nothing(vault: Vault) -> None:
    saved = vault.save("Deploys run on Mondays", pinned=True)
    path = Path(vault.root, saved.path)
    text = path.read_text(encoding="utf-8")
    both = BOTH.replace("Deploys\n", "Deploys\n<<<<<<< HEAD\n")
    path.write_text(text.replace("Deploys run on Mondays\n", both), encoding="utf-8")

    assert vault.recall("deploys on Mondays").rows == []
    assert vault.reflect("when do deploys run?").facts == []
    reader = vault.index.current()
    (doc,) = reader.exact("id", saved.id)
    assert reader.verdict(doc, View(0, as_of=2**40)) is not None
    session = start.Session(View(vault.now_ms() // 1000))
    assert vault.read(lambda r: start.standing(vault, r, session)).items == []

    seen = inspect(vault, saved.id)
    assert seen.reason_not_eligible == "a merge conflict stands in it"
    (found,) = [each for each in lint(vault) if each.code == "conflict"]
    assert (found.path, found.level) == (saved.path, "error")
    assert repair.plan(vault).steps == []


def test_a_merge_that_stopped_is_made_ready_for_its_commit(vault: Vault) -> None:
    saved = vault.save("Deploys run on Mondays")
    path = Path(vault.root, saved.path)
    before = path.read_text(encoding="utf-8")
    git(vault, "switch", "--quiet", "-c", "other")
    path.write_text(before.replace("Mondays", "Fridays"), encoding="utf-8")
    git(vault, "commit", "--quiet", "-am", "x")
    git(vault, "switch", "--quiet", "main")
    path.write_text(before.replace("Mondays", "Sundays"), encoding="utf-8")
    git(vault, "commit", "--quiet", "-am", "y")
    git(vault, "merge", "other", code=1)
    assert repair.apply(vault, repair.plan(vault)).steps
    git(vault, "commit", "--quiet", "-m", "merged")
    bodies = {
        codec.decode(each.read_bytes(), "x.md").entry.body
        for each in Path(vault.root).rglob("deploys*.md")
    }
    assert bodies == {"Deploys run on Fridays\n", "Deploys run on Sundays\n"}
    assert git(vault, "status", "--porcelain") == ""
