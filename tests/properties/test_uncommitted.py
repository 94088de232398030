"""What a person has not committed is not lost by what memcli makes of it.

Invariant: after an operation and its undo every byte that was on disk before is on
disk again, whether or not any commit held it.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli import Vault
from memcli.curation import inbox, review, undo
from memcli.entries import layout
from memcli.errors import Conflict, HistoryError, SecretFound
from memcli.storage.git import history
from memcli.storage.git.repository import Repository
from tests.conftest import sample, state_of
from tests.git_command import git, hook, objects
from tests.properties.test_kill_lifecycle import OPERATIONS, Act, id_of, opened
from tests.saving import pages, write

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not hasattr(os, "fork"), reason="shares the operations of tests that need fork"
    ),
]

# `forget` removes for good, and has a test of its own below; `undo` needs a history.
UNDONE: dict[str, Act] = {
    **{
        name: act
        for name, act in OPERATIONS.items()
        if name != "undo" and "forget" not in name
    },
    "approve changed": lambda v: review.approve(
        v, id_of(v, "Use emacs"), text="Use vim", kind="preference"
    ),
}
MARK = "mine: not committed\n"


def edit(vault: Vault) -> None:
    """Add a field of a person's own to every entry."""
    for path in Path(vault.root).rglob("*.md"):
        text = path.read_text("utf-8")
        if text.startswith("---\n"):
            path.write_text(text.replace("---\n", f"---\n{MARK}", 1), "utf-8")


def never_committed(vault: Vault) -> None:
    """The files are there, and git knows none of them."""
    shutil.rmtree(Path(vault.root, ".git"))
    git(vault, "init", "-q", "-b", "main")
    git(vault, "commit", "-q", "--allow-empty", "-m", "start")


def announced(vault: Vault) -> None:
    never_committed(vault)
    git(vault, "add", "--intent-to-add", ".")


def staged(vault: Vault) -> None:
    never_committed(vault)
    git(vault, "add", ".")


def edited(vault: Vault) -> None:
    edit(vault)


def edited_and_staged(vault: Vault) -> None:
    edit(vault)
    git(vault, "add", ".")


def edited_under_hooks(vault: Vault) -> None:
    """Where git is told to do more than store bytes, another way is taken."""
    edit(vault)
    hook(vault, "post-commit", "exit 0")


def in_a_larger_repository(vault: Vault) -> None:
    shutil.rmtree(Path(vault.root, ".git"))
    git(Path(vault.root).parent, "init", "-q", "-b", "main")
    git(vault, "commit", "-q", "--allow-empty", "-m", "start")


STATES: list[Callable[[Vault], None]] = [
    never_committed,
    announced,
    staged,
    edited,
    edited_and_staged,
    edited_under_hooks,
    in_a_larger_repository,
]


@pytest.fixture
def filled(full: Path, tmp_path: Path) -> Vault:
    shutil.copytree(full, tmp_path / "top" / "vault")
    return opened(tmp_path / "top" / "vault", 2_000)


def undo_newest(vault: Vault) -> undo.Undone:
    ((newest, *_),) = history.steps(Repository.open(vault.root), 1)
    return undo.undo(vault, newest.id)


@pytest.mark.parametrize("state", STATES)
def test_an_undo_brings_back_every_byte_that_was_on_disk(
    full: Path, tmp_path: Path, state: Callable[[Vault], None]
) -> None:
    for name in sample(UNDONE, 3):
        root = tmp_path / name / "vault"
        shutil.copytree(full, root)
        vault = opened(root, 2_000)
        state(vault)
        before = pages(vault)
        UNDONE[name](vault)
        assert pages(vault) != before, name
        undo_newest(vault)
        assert pages(vault) == before, name


@pytest.mark.parametrize("state", STATES)
def test_what_no_commit_held_is_a_commit_of_its_own_and_alone(
    filled: Vault, state: Callable[[Vault], None]
) -> None:
    state(filled)
    path = filled.path_of(id_of(filled, "Use emacs"))
    data = Path(filled.root, path).read_bytes()
    waiting = git(filled, "status", "--porcelain", "-uall").splitlines()
    review.reject(filled, id_of(filled, "Use emacs"))
    subjects = git(filled, "log", "-2", "--format=%s").splitlines()
    assert subjects == ["review: rejected Use emacs", f"keep: {path}"]
    changed = git(filled, "show", "--format=", "--name-only", "--relative", "HEAD~1")
    assert changed == f"{path}\n"
    assert git(filled, "show", f"HEAD~1:./{path}").encode() == data
    left = git(filled, "status", "--porcelain", "-uall").splitlines()
    assert left == [row for row in waiting if not row.endswith(path)]


@pytest.mark.parametrize("state", [never_committed, announced, edited])
def test_what_is_forgotten_comes_into_no_commit(
    filled: Vault, state: Callable[[Vault], None]
) -> None:
    """Forgetting is for what must not be there: it is not kept first."""
    state(filled)
    done = filled.forget(id_of(filled, "We deploy on Tuesdays"))
    assert not Path(filled.root, *done.paths).exists()
    words = MARK if state is edited else "We deploy on Tuesdays"
    listed = git(filled, "cat-file", "--batch-all-objects", "--batch-check")
    for row in listed.splitlines():
        assert words.strip() not in git(filled, "cat-file", "-p", row.split()[0])


def test_when_it_cannot_be_kept_nothing_is_changed(filled: Vault) -> None:
    edit(filled)
    hook(filled, "pre-commit", "echo not now\nexit 1")
    before = pages(filled)
    rows = git(filled, "status", "--porcelain", "-uall")
    with pytest.raises(HistoryError, match="not now"):
        review.reject(filled, id_of(filled, "Use emacs"))
    assert (pages(filled), git(filled, "status", "--porcelain", "-uall")) == (
        before,
        rows,
    )
    assert not state_of(filled.root, layout.JOURNAL).exists()


SECRET = "ghp_" + "Zq3x7Kd9Lm2Np5Rt8Vw1Yb4Cf6Hj0Sg3Uk7A"


@pytest.mark.parametrize("before", ["never", "without it"])
def test_a_secret_that_review_edits_away_comes_into_no_commit(
    vault: Vault, before: str
) -> None:
    head = f"---\nstatus: pending\n{MARK}---\n"
    if before == "without it":
        write(vault, "inbox/token.md", f"{head}We use a token\n")
        git(vault, "add", ".")
        git(vault, "commit", "-q", "-m", "mine")
    path = write(vault, "inbox/token.md", f"{head}We use the token {SECRET}\n")
    (waiting,) = inbox.pending(vault)
    with pytest.raises(SecretFound):
        review.approve(vault, waiting.id, text=f"The token: {SECRET}")
    assert SECRET in path.read_text("utf-8")
    done = review.approve(vault, waiting.id, text="The token is in the vault")
    assert [one.outcome for one in done.items] == ["approved"]
    assert not path.exists()
    assert SECRET not in objects(vault)
    undo.undo(vault)  # to what was committed before
    assert path.exists() is (before == "without it")
    assert git(vault, "status", "--porcelain") == ""


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_text_that_only_gits_index_holds_is_never_taken_out_of_it(
    filled: Vault, name: str
) -> None:
    on_disk = pages(filled)
    edit(filled)
    git(filled, "add", ".")
    for path, data in on_disk.items():
        Path(filled.root, path).write_bytes(data)
    before = git(filled, "ls-files", "--stage").splitlines()
    code = "staged"
    try:
        OPERATIONS[name](filled)
    except Conflict as error:
        code = error.code
    assert code == "staged"
    assert set(before) <= set(git(filled, "ls-files", "--stage").splitlines())
