"""Init makes any folder a vault, and changes no byte of what is there."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.api import Vault
from memcli.errors import HistoryError, NotAllowed, NotAVault, WriteFailed
from memcli.vault import create
from tests.git_command import git, hook
from tests.saving import write


def test_a_second_init_changes_nothing(vault: Vault) -> None:
    made = create.prepare(vault.root)
    assert (made.plan.outcome, made.plan.added, made.commit) == ("exists", [], None)


def test_what_is_missing_is_put_back(vault: Vault) -> None:
    config = Path(vault.root, ".memcli", "config.toml")
    config.unlink()
    assert create.prepare(vault.root).plan.added == [".memcli/config.toml"]
    assert config.exists()


def test_a_vault_in_a_vault_is_made_only_when_a_person_agrees(vault: Vault) -> None:
    inner = os.path.join(vault.root, "inner")
    with pytest.raises(NotAllowed, match="its notes are in both"):
        create.prepare(inner)
    assert not os.path.exists(inner)
    assert create.prepare(inner, agreed=True).plan.outcome == "created"
    assert create.plan(inner).question is None


def test_the_program_in_a_folder_of_the_vaults_name_makes_no_vault(
    tmp_path: Path,
) -> None:
    (tmp_path / ".memcli" / "bin").mkdir(parents=True)
    assert create.plan(str(tmp_path / "memory")).question is None


def _tree(root: Path) -> dict[str, bytes]:
    """Every file and folder, git's own included."""
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else b""
        for path in root.rglob("*")
    }


def _nested_repository(root: Path) -> None:
    (root / "inner").mkdir(parents=True)
    git(root / "inner", "init", "--quiet")
    (root / "inner" / "note.md").write_text("a note", encoding="utf-8")


def _in_a_repository(root: Path, path: str, text: str) -> None:
    git(root.parent, "init", "--quiet")
    (root.parent / path).write_text(text, encoding="utf-8")


def _user_ignores_dot_folders(root: Path) -> None:
    rules = root.parent / "rules"
    rules.write_text(".*\n", encoding="utf-8")
    git(root.parent, "config", "--global", "core.excludesFile", str(rules))


def _commit_is_refused(root: Path) -> None:
    git(root.parent, "init", "--quiet")
    hook(root.parent, "pre-commit", "exit 1")


@pytest.mark.parametrize(
    ("prepared", "error", "why"),
    [
        (lambda root: root.write_text("mine"), NotAVault, "not a folder"),
        (_nested_repository, HistoryError, "inner is a git repository of its own"),
        (_user_ignores_dot_folders, NotAVault, "rules:1: .*"),
        (lambda root: _in_a_repository(root, ".gitignore", "vault/\n"),
         NotAVault, ".gitignore:1: vault/"),
        (lambda root: git(root.parent, "init", "--quiet", "--bare", str(root)),
         NotAVault, "git's own folder"),
        (_commit_is_refused, HistoryError, "cannot be committed"),
        (lambda root: _in_a_repository(root, "main.py", "pass\n"),
         NotAllowed, "every save is a commit in the repository"),
    ],
)  # fmt: skip
def test_a_folder_that_cannot_become_a_vault_is_left_as_it_was(
    prepared: Callable[[Path], object],
    error: type[Exception],
    why: str,
    tmp_path: Path,
) -> None:
    root = tmp_path / "vault"
    prepared(root)
    before = _tree(tmp_path)
    with pytest.raises(error) as refusal:
        create.prepare(str(root), agreed=error is not NotAllowed)
    assert why in str(refusal.value)
    after = _tree(tmp_path)
    if prepared is _commit_is_refused:  # git may leave objects that nothing names
        before, after = (
            {path: data for path, data in tree.items() if ".git" not in path}
            for tree in (before, after)
        )
        assert git(tmp_path, "diff", "--cached", "--name-only") == ""
    assert after == before


def test_no_vault_is_made_of_a_home_folder_or_of_what_holds_it(home: Path) -> None:
    for folder in (str(home), str(home.parent), "/"):
        with pytest.raises(NotAVault, match="your home folder"):
            create.prepare(folder)
    assert not Path(home, ".memcli").exists()


def test_no_vault_is_made_inside_gits_own_folder(vault: Vault) -> None:
    with pytest.raises(NotAVault, match="git's own folder"):
        create.prepare(os.path.join(vault.root, ".git", "notes"))
    assert not Path(vault.root, ".git", "notes").exists()


def test_a_disk_that_refuses_in_the_middle_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []

    def refuse(source: str, target: str) -> None:
        copied.append(target)
        if len(copied) > 3:
            raise OSError(28, "No space left on device")
        Path(target).write_bytes(Path(source).read_bytes())

    monkeypatch.setattr("shutil.copyfile", refuse)
    with pytest.raises(WriteFailed, match="no space left"):
        create.prepare(str(tmp_path / "deep" / "vault"))
    assert list(tmp_path.iterdir()) == []


def test_packages_that_others_wrote_are_no_entries(tmp_path: Path) -> None:
    for path in ("note.md", "node_modules/left-pad/README.md", ".venv/x/README.md"):
        write(tmp_path, path, "about left-pad")
    create.prepare(str(tmp_path))
    rows = Vault(str(tmp_path)).recall("left-pad").rows
    assert [row.path for row in rows] == ["note.md"]
    assert "node_modules" not in git(tmp_path, "ls-files")


def test_a_folder_of_code_is_taken_in_only_when_a_person_agreed(tmp_path: Path) -> None:
    for path in ("package.json", "vendor/a.md", "vendor/b.md", "docs/guide.md"):
        write(tmp_path, path)
    question = create.plan(str(tmp_path)).question
    assert question
    assert "holds code: 3 markdown files become entries" in question
    assert create.prepare(str(tmp_path), agreed=True).plan.notes == 3


def test_notes_that_git_ignores_are_left_out_of_the_first_commit(
    tmp_path: Path,
) -> None:
    write(tmp_path, "private/diary.md")
    (tmp_path / "note.md").write_text("ours", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("private/\n", encoding="utf-8")
    made = create.prepare(str(tmp_path))
    assert made.ignored == 1
    tracked = git(tmp_path, "ls-files").split()
    assert "note.md" in tracked
    assert "private/diary.md" not in tracked


def test_a_repository_of_notes_is_adopted_and_named(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "note.md").write_text("mine", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"png")
    plan = create.plan(str(tmp_path))
    assert (plan.question, plan.repository) == (None, os.path.realpath(tmp_path))
    (tmp_path / "main.py").write_text("print()", encoding="utf-8")
    git(tmp_path, "add", "main.py")
    assert "holds code: every save is a" in (create.plan(str(tmp_path)).question or "")


def test_a_clone_without_the_branch_that_has_the_vault_begins_no_second_one(
    vault: Vault, tmp_path: Path
) -> None:
    bare, desk = tmp_path / "remote.git", tmp_path / "desk"
    git(tmp_path, "init", "-q", "--bare", "--initial-branch=other", str(bare))
    git(Path(vault.root), "push", "-q", str(bare), "HEAD:main")
    git(tmp_path, "clone", "-q", str(bare), str(desk))
    with pytest.raises(NotAVault, match="has a vault on the branch main") as refused:
        create.prepare(str(desk))
    assert f"git -C {desk} switch main" in str(refused.value.hint)
    with pytest.raises(NotAVault) as unknown:
        Vault.open(str(desk))
    assert f"git -C {desk} switch main" in str(unknown.value.hint)
    git(desk, "switch", "-q", "main")
    assert create.prepare(str(desk)).plan.outcome == "exists"
