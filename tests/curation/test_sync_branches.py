"""A sync goes with the branch that is meant, and names what it does not meet."""

import shutil
from pathlib import Path

import pytest

from memcli.curation import sync, undo
from memcli.errors import NotAllowed, RemoteRefused, UnsafePath
from memcli.vault import vaults
from memcli.vault.health import repair
from tests import clones
from tests.clones import TERMS, Clones, say, texts
from tests.conftest import VaultMaker
from tests.git_command import git


def test_a_clone_on_another_branch_of_its_vault_is_told_and_may_insist(
    two: Clones,
) -> None:
    root = two.roots["desk"]
    git(root, "switch", "-q", "-c", "trip")
    say(two.vault("desk"), "We deploy on Tuesdays")
    before = git(two.remote, "for-each-ref")
    with pytest.raises(NotAllowed, match="has this vault on the branch main") as told:
        two.sync("desk")
    assert told.value.code == "other_branch"
    assert f"git -C {root} switch main" in (told.value.hint or "")
    assert git(two.remote, "for-each-ref") == before
    state = vaults.sync_state(two.vault("desk"))
    assert state is not None
    assert state.error == "other_branch"
    git(root, "push", "-q", "-u", "origin", "trip")
    assert two.sync("desk").others == ()
    state = vaults.sync_state(two.vault("desk"))
    assert state is not None
    assert state.others == ()


def test_two_vaults_on_one_remote_are_told_of_each_other(
    make_vault: VaultMaker, two: Clones
) -> None:
    stranger = make_vault("stranger")
    git(stranger.root, "commit", "--amend", "--quiet", "-m", "another beginning")
    git(stranger.root, "branch", "-m", "main", "notes")
    git(stranger.root, "remote", "add", "origin", str(two.remote))
    say(stranger, "They deploy on Mondays")
    with pytest.raises(NotAllowed, match="another vault on the branch main"):
        sync.sync(stranger, TERMS)
    git(stranger.root, "push", "-q", "-u", "origin", "notes")
    done = sync.sync(stranger, TERMS)
    assert done.others == ("origin/main",)
    assert "another vault, which is not synced, is on origin/main" in done.line
    # The other machine, as a fresh clone has it.
    git(two.roots["laptop"], "fetch", "-q", "origin")
    assert two.sync("laptop").others == ("origin/notes",)
    state = vaults.sync_state(two.vault("laptop"))
    assert state is not None
    assert state.others == ("origin/notes",)


@pytest.mark.parametrize("way", ["a clone that was killed", "a push into the folder"])
def test_a_file_that_git_never_put_into_the_folder_is_not_taken_for_deleted(
    two: Clones, way: str
) -> None:
    say(two.vault("desk"), "We deploy on Tuesdays")
    two.sync("desk")
    root = two.roots["laptop"]
    if way == "a push into the folder":
        git(root, "config", "receive.denyCurrentBranch", "ignore")
        git(two.roots["desk"], "push", "-q", str(root), "main")
    else:
        shutil.rmtree(root)
        git(root.parent, "clone", "-q", "-n", str(two.remote), str(root))
        git(root, "checkout", "-q", "HEAD", "--", ".memcli")
    git(root, "reset", "-q")
    done = two.sync("laptop")
    assert done.committed == done.forgotten == ()
    assert done.left
    vault = two.vault("laptop")
    repair.apply(vault, repair.plan(vault))
    assert texts(root) == {"We deploy on Tuesdays"}


@pytest.mark.parametrize("rule", ["filter=rot13", "working-tree-encoding=UTF-16"])
def test_what_git_filters_is_left_to_git(two: Clones, rule: str) -> None:
    """Written as stored, the next commit would hold it filtered twice."""
    desk = two.roots["desk"]
    say(two.vault("laptop"), "We deploy on Tuesdays")
    two.sync("laptop")
    say(two.vault("desk"), "We test on Fridays")
    (desk / ".git" / "info").mkdir(exist_ok=True)
    (desk / ".git" / "info" / "attributes").write_text(f"*.md {rule}\n")
    git(desk, "config", "filter.rot13.clean", "tr a-z n-za-m")
    git(desk, "config", "filter.rot13.smudge", "tr a-z n-za-m")
    vault = two.vault("desk")
    for act in (
        lambda: sync.sync(vault, TERMS, dry_run=True),
        lambda: two.sync("desk"),
        lambda: undo.undo(vault),
        lambda: undo.undo(vault, dry_run=True),
    ):
        with pytest.raises(NotAllowed, match=f"with {rule}"):
            act()
    next(desk.glob("memories/**/*.md")).unlink()
    git(desk, "read-tree", "HEAD")  # as if git had never put it there
    with pytest.raises(NotAllowed, match=f"with {rule}"):
        repair.apply(vault, repair.plan(vault))
    assert texts(desk) == set()
    assert two.tip() not in git(desk, "rev-list", "HEAD")


@pytest.mark.parametrize(
    ("place", "what"),
    [
        (".gitattributes", "filter=lfs"),
        ("memories/.gitattributes", "filter=lfs"),
        (".gitattributes", "ident"),
    ],
)
def test_a_remote_turns_on_no_filter(two: Clones, place: str, what: str) -> None:
    laptop, desk = two.roots["laptop"], two.roots["desk"]
    say(two.vault("desk"), "We deploy on Tuesdays")
    two.sync("desk")
    two.sync("laptop")
    with Path(laptop, place).open("a") as file:
        file.write(f"[attr]note -text {what}\n*.md note\n")
    clones.commit(laptop)
    git(laptop, "push", "-q")
    head = git(desk, "rev-parse", "HEAD")
    with pytest.raises(NotAllowed, match=f"{place} has files changed .*{what}"):
        two.sync("desk")
    assert git(desk, "rev-parse", "HEAD") == head
    git(desk, "merge", "-q", "origin/main")
    say(two.vault("desk"), "We test on Fridays")
    assert two.sync("desk").pushed, "the user has taken it"


def test_a_push_that_the_fetched_address_does_not_get_is_refused(
    two: Clones, tmp_path: Path
) -> None:
    root = two.roots["laptop"]
    there = str(tmp_path / "there.git")
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", there)
    git(root, "config", "remote.origin.pushurl", there)
    say(two.vault("laptop"), "We deploy on Tuesdays")
    for _ in range(2):
        with pytest.raises(RemoteRefused, match="another address") as refusal:
            two.sync("laptop")
    assert "remote.origin.pushurl" in str(refusal.value.hint)
    git(root, "config", "remote.origin.pushurl", f"file://{two.remote}")
    assert two.sync("laptop").pushed


def test_a_ref_that_ends_in_the_name_of_the_branch_is_refused(two: Clones) -> None:
    git(two.remote, "update-ref", "refs/heads/refs/heads/main", "main")
    say(two.vault("laptop"), "We deploy on Tuesdays")
    with pytest.raises(RemoteRefused, match="refs/heads/main matches more than one"):
        two.sync("laptop")


def test_a_name_with_a_line_break_is_named_with_the_way_out(two: Clones) -> None:
    root = two.roots["desk"]
    clones.put(root, "a\nb.md", "a note\n")
    git(root, "push", "--quiet", "origin", "main")
    with pytest.raises(UnsafePath, match=r"a\\nb\.md") as refusal:
        two.sync("laptop")
    assert "git rm -- 'a?b.md'" in str(refusal.value.hint)
    git(root, "rm", "--quiet", "--", "a?b.md")
    git(root, "commit", "--quiet", "-m", "x")
    git(root, "push", "--quiet", "origin", "main")
    assert two.sync("laptop").came.commits == 2
