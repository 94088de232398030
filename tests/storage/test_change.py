"""What is committed are the bytes that were meant, also when files are moved."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.errors import Conflict, HistoryError, WriteFailed
from memcli.storage import files
from memcli.storage.git import commit as commits
from memcli.vault.health import repair
from memcli.vault.health.lint import lint
from tests.conftest import state_of
from tests.git_command import git, hook
from tests.saving import pages, save

Beside = Callable[[Callable[[], object]], None]


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Beside:
    """Let a person do something, once, when a change has written its files."""

    def at_once(act: Callable[[], object]) -> None:
        waiting = [act]

        def reached(name: str) -> None:
            if name == "wrote" and waiting:
                waiting.pop()()

        monkeypatch.setattr(files, "reached", reached)

    return at_once


def committed(vault: Vault) -> dict[str, bytes]:
    paths = git(vault, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")
    return {
        path: git(vault, "show", f"HEAD:{path}").encode()
        for path in paths
        if path.endswith(".md")
    }


@pytest.fixture
def old(vault: Vault) -> str:
    """The id of an entry that is committed."""
    return vault.save("We deploy on Tuesdays").id


@pytest.mark.parametrize(
    ("words", "hooked"),
    [
        (("stash",), False),
        (("stash", "--include-untracked"), True),
        (("restore", "."), False),
        (("reset", "--hard"), True),
    ],
)
def test_a_change_that_a_person_takes_away_before_its_commit_is_a_conflict(
    vault: Vault, old: str, beside: Beside, words: tuple[str, ...], hooked: bool
) -> None:
    if hooked:
        hook(vault, "post-commit", "exit 0")
    before, head = pages(vault), git(vault, "rev-parse", "HEAD")
    beside(lambda: git(vault, *words))
    with pytest.raises(Conflict, match="was changed between its write and its commit"):
        vault.evolve(old, "We deploy on Mondays")
    assert pages(vault) == before == committed(vault)
    assert git(vault, "rev-parse", "HEAD") == head
    assert git(vault, "status", "--porcelain") == ""
    assert not state_of(vault.root, layout.JOURNAL).exists()


def test_a_file_that_is_edited_before_its_commit_stops_the_change_and_stays(
    vault: Vault, old: str, beside: Beside
) -> None:
    path = Path(vault.root, vault.path_of(old))
    before = pages(vault)
    told: list[str] = []
    vault.caller = vault.caller._replace(tell=told.append)
    beside(lambda: path.write_text("mine\n"))
    with pytest.raises(Conflict, match="was changed between its write"):
        vault.evolve(old, "We deploy on Mondays")
    name = path.relative_to(vault.root).as_posix()
    assert pages(vault) == {**before, name: b"mine\n"}
    assert told == [f"{name} was edited meanwhile and is left as it is"]


def test_a_hook_that_formats_a_file_and_adds_it_is_obeyed(vault: Vault) -> None:
    # Its file keeps its name when the text changes.
    titled = save(vault, "We deploy on Tuesdays", title="Deploys")
    path = vault.path_of(titled)
    hook(vault, "pre-commit", f"echo formatted >>'{path}'; git add '{path}'")
    new = vault.evolve(titled, "We deploy on Mondays")
    assert vault.get(new.id).body.strip() == "We deploy on Mondays\nformatted"
    assert committed(vault) == pages(vault)
    assert git(vault, "status", "--porcelain") == ""


def test_a_hook_that_edits_a_file_behind_the_commit_is_a_conflict(
    vault: Vault, old: str
) -> None:
    path = vault.path_of(old)
    hook(vault, "post-commit", f"echo more >>'{path}'")
    with pytest.raises(Conflict, match="HEAD holds what memcli wrote"):
        vault.evolve(old, "We deploy on Mondays")
    assert not state_of(vault.root, layout.JOURNAL).exists()


def test_what_fails_after_the_commit_is_a_warning(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    vault.caller = vault.caller._replace(tell=told.append)
    from memcli.storage import journal

    def full(root: str) -> None:
        raise WriteFailed("journal: no space left on the disk; nothing was changed")

    with monkeypatch.context() as patch:
        patch.setattr(journal, "clear", full)
        patch.setattr(type(vault.recorder), "_note", lambda *_: False)
        saved = vault.save("something new")
    assert saved.outcome == "created"
    assert told == [
        "this is committed, but journal: no space left on the disk; "
        "the next memcli command puts it right",
        "this is committed, but missing from the log of signals",
    ]
    assert vault.recall("something new").rows[0].id == saved.id
    assert not state_of(vault.root, layout.JOURNAL).exists()


def test_what_is_taken_away_after_the_commit_is_brought_back_by_the_next_command(
    vault: Vault, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, told = commits.commit, list[str]()
    vault.caller = vault.caller._replace(tell=told.append)

    def commit(*words: Any, **options: Any) -> str | None:
        made = real(*words, **options)
        shutil.rmtree(Path(vault.root, "archive", "memories"))
        return made

    with monkeypatch.context() as patch:
        patch.setattr(commits, "commit", commit)
        vault.evolve(old, "We deploy on Mondays")
    (said,) = told
    assert said.startswith("this is committed, but another git took archive/memories")
    vault.recall("deploy")
    assert vault.get(old).superseded_by
    assert committed(vault) == pages(vault)
    assert git(vault, "status", "--porcelain") == ""
    assert not state_of(vault.root, layout.JOURNAL).exists()


def test_a_commit_from_which_a_reset_has_moved_head_back_is_made_again(
    vault: Vault, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`git stash` ends in a `git reset`, which reads HEAD before it takes the lock."""
    real, head = commits.make, git(vault, "rev-parse", "HEAD").strip()
    calls = 0

    def commit(*words: Any) -> object:
        nonlocal calls
        calls += 1
        made = real(*words)
        if calls == 1:
            moved_back(vault, head)
        return made

    monkeypatch.setattr(commits, "make", commit)
    new = vault.evolve(old, "We deploy on Mondays")
    assert vault.get(old).superseded_by == new.id
    assert calls == 2
    assert committed(vault) == pages(vault)
    assert git(vault, "status", "--porcelain") == ""


@pytest.mark.parametrize("act", ["save", "evolve", "resolve"])
def test_a_commit_that_a_reset_leaves_out_later_is_named_and_brought_back(
    vault: Vault, old: str, act: str
) -> None:
    head = git(vault, "rev-parse", "HEAD").strip()
    path = vault.path_of(old)
    if act == "save":
        path = vault.save("something new").path
    elif act == "evolve":
        path = vault.evolve(old, "We deploy on Mondays").path
    else:
        vault.resolve(old)
    before = pages(vault)
    moved_back(vault, head)
    found = lint(vault)
    assert {finding.code for finding in found} == {"dropped"}
    assert path in [finding.path for finding in found]
    done = repair.apply(vault, repair.plan(vault))
    assert {step.code for step in done.steps} == {"dropped"}
    assert pages(vault) == before == committed(vault)
    assert lint(vault) == []


def moved_back(vault: Vault, head: str) -> None:
    """What a `git reset --hard` does that read HEAD before the last commit."""
    git(vault, "read-tree", "--reset", "-u", head)
    git(vault, "update-ref", "-m", "reset: moving to HEAD", "HEAD", head)


def test_a_commit_that_a_person_amends_at_once_is_not_made_again(
    vault: Vault, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = commits.make

    def commit(*words: Any) -> object:
        made = real(*words)
        if made:
            git(vault, "commit", "--amend", "--quiet", "--message=by hand")
        return made

    count = len(git(vault, "rev-list", "HEAD").split())
    with monkeypatch.context() as patch:
        patch.setattr(commits, "make", commit)
        new = vault.evolve(old, "We deploy on Mondays")
    assert vault.get(old).superseded_by == new.id
    assert len(git(vault, "rev-list", "HEAD").split()) == count + 1
    assert committed(vault) == pages(vault)


@pytest.mark.parametrize("harm", ["empty", "staged", "link"])
def test_a_save_into_a_folder_that_git_does_not_hold_says_which(
    vault: Vault, harm: str
) -> None:
    folder = Path(vault.root, "memories", "decision")
    if harm == "link":
        folder.with_name("note").mkdir()
        folder.symlink_to("note")
    else:
        git(vault, "init", "--quiet", str(folder))
    if harm == "staged":
        git(vault, "-C", str(folder), "commit", "--quiet", "--allow-empty", "-m", "own")
        git(vault, "-c", "advice.addEmbeddedRepo=false", "add", str(folder))
    before, status = pages(vault), git(vault, "status", "--porcelain")
    with pytest.raises(HistoryError) as caught:
        save(vault, "We deploy on Tuesdays", kind="decision")
    link = harm == "link"
    what = "a symbolic link" if link else "a git repository of its own"
    assert f" cannot be committed: memories/decision is {what}" in caught.value.message
    assert "memories/decision" in (caught.value.hint or "")
    assert (pages(vault), git(vault, "status", "--porcelain")) == (
        before,
        status,
    )
