"""What a rebase has left out of every branch is named, however long ago that was."""

import subprocess
from pathlib import Path

import pytest

from memcli import Vault
from memcli.vault.health.lint import lint
from tests.git_command import git


@pytest.mark.parametrize("after", [0, 1, 70])
def test_a_save_that_an_aborted_rebase_took_away_is_named_behind_any_number_of_commits(
    vault: Vault, after: int
) -> None:
    kept = vault.save("kept")
    commit = "git commit -q --allow-empty -m by-hand"
    script = f"for n in $(seq {after}); do {commit}; done"
    subprocess.run(["sh", "-c", script], cwd=vault.root, check=True)
    git(vault, "switch", "-qc", "other", "HEAD~" + str(after))
    git(vault, "commit", "-q", "--allow-empty", "-m", "elsewhere")
    git(vault, "switch", "-q", "main")
    # The rebase stops at its start: memcli refuses to commit in one, and one that was
    # begun in the same instant commits all the same.
    git(vault, "-c", "sequence.editor=sed -i 1ibreak", "rebase", "-q", "-i", "other")
    Path(vault.root, ".git/rebase-merge").rename(Path(vault.root, ".git/hidden"))
    lost = [vault.save(f"acknowledged {word}").path for word in ("one", "two")]
    Path(vault.root, ".git/hidden").rename(Path(vault.root, ".git/rebase-merge"))
    if after:  # the rest is picked, and then the person gives up
        todo = Path(vault.root, ".git/rebase-merge/git-rebase-todo")
        todo.write_text(todo.read_text() + "break\n")
        git(vault, "rebase", "--continue")
    git(vault, "rebase", "--abort")
    found = [each for each in lint(vault) if each.code == "dropped"]
    assert sorted(each.path for each in found) == sorted(lost)
    for each in found:
        git(vault, *(each.hint or "").split()[3:5])
    assert vault.get(kept.id)
    assert [each.code for each in lint(vault)] == []


def test_a_commit_that_a_person_drops_in_a_rebase_is_theirs(vault: Vault) -> None:
    vault.save("taken back")
    git(vault, "reset", "-q", "--hard", "HEAD~1")
    assert lint(vault) == []
    vault.save("kept")
    vault.save("dropped by hand")
    vault.save("kept as well")
    git(vault, "-c", "sequence.editor=sed -i 1d", "rebase", "-q", "-i", "HEAD~2")
    assert lint(vault) == []
