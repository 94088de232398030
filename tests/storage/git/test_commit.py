"""The quick way makes the commit that git would make, or leaves it to git."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli.errors import Conflict, HistoryError
from memcli.storage.git import commit as commits
from memcli.storage.git import process, staging
from memcli.storage.git.repository import Repository
from tests.git_command import git, hook


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands that were started, in their order."""
    started: list[str] = []
    real = process.run

    def record(
        root: str, env: dict[str, str], words: tuple[str, ...], data: bytes = b""
    ) -> process.GitResult:
        started.append(process.subcommand(words))
        return real(root, env, words, data)

    for module in (commits, staging):
        monkeypatch.setattr(module, "run", record)
    return started


@pytest.mark.parametrize("folder", ["", "docs/vault"])
def test_quick_commit_is_the_one_that_git_makes(
    root: Path, folder: str, quick: list[str]
) -> None:
    vault = root / folder
    (root / "staged.txt").write_text("mine")
    git(root, "add", "staged.txt")
    name = "a b ü [x]*.md"
    (vault / name).write_bytes(b"\xef\xbb\xbfbody\r\n\0 raw")
    commit = commits.commit(Repository.open(str(vault)), [name], "save: #1 «x»\n\nbody")
    assert quick == ["check-ignore", "update-index", "diff-index", "fast-import"]
    assert commit == git(root, "rev-parse", "HEAD").strip()
    assert git(root, "log", "-1", "--format=%an <%ae>|%B") == (
        "Test User <test@example.com>|save: #1 «x»\n\nbody\n\n"
    )
    changed = git(root, "show", "-z", "--name-status", "--format=", "HEAD")
    assert changed == f"A\0{folder + '/' if folder else ''}{name}\0"
    assert git(root, "status", "--porcelain") == "A  staged.txt\n"
    git(root, "fsck", "--strict")


def test_save_makes_no_pack_where_fetches_do(tracked: Path) -> None:
    git(tracked, "config", "transfer.unpackLimit", "1")
    (tracked / "notes" / "a.md").write_text("a\n")
    assert commits.commit(Repository.open(str(tracked)), ["notes/a.md"], "save")
    assert not list((tracked / ".git" / "objects" / "pack").iterdir())


def test_files_that_a_rule_ignores_are_refused_as_by_git(
    tracked: Path, quick: list[str]
) -> None:
    repository = Repository.open(str(tracked))
    (tracked / "notes" / "a.md").write_text("a\n")
    for rules, place in (
        ("*.md", ".gitignore"),
        ("/notes/", ".git/info/exclude"),
    ):
        (tracked / place).write_text(f"# A comment\n\n!b.md\n{rules}\n")
        with pytest.raises(HistoryError, match="ignore"):
            commits.commit(repository, ["notes/a.md"], "save")
        (tracked / "notes" / "b.md").write_text(f"{rules}\n")
        assert commits.commit(repository, ["notes/b.md"], "save")
        assert quick[-1] == "fast-import", "what is tracked is not ignored"
        (tracked / place).unlink()


def name_in_latin_1(root: Path) -> None:
    with (root / ".git" / "config").open("ab") as file:
        file.write(b"[user]\nname = J\xf6rg\n")


UNUSUAL: dict[str, Callable[[Path], object]] = {
    "signing": lambda root: git(root, "config", "commit.gpgsign", "false"),
    "a hook": lambda root: hook(root, "post-commit", ""),
    "no branch": lambda root: git(root, "checkout", "-q", "--detach"),
    "hooks elsewhere": lambda root: git(root, "config", "core.hooksPath", "/dev/null"),
    "a branch that names another": lambda root: [
        git(root, "branch", "other"),
        git(root, "symbolic-ref", "refs/heads/main", "refs/heads/other"),
    ],
    "a name in latin 1": name_in_latin_1,
}


@pytest.mark.parametrize("reason", UNUSUAL.values(), ids=UNUSUAL.keys())
def test_anything_unusual_takes_the_long_way(
    root: Path, reason: Callable[[Path], object], quick: list[str]
) -> None:
    reason(root)
    (root / "new.md").write_text("new\n")
    commit = commits.commit(Repository.open(str(root)), ["new.md"], "save: new")
    assert "fast-import" not in quick
    assert commit == git(root, "rev-parse", "HEAD").strip()
    assert git(root, "show", "--name-only", "--format=", "HEAD") == "new.md\n"


def test_author_is_the_one_that_git_names(tracked: Path) -> None:
    for name in ("Jörg Meyer", " Jon Meyer Jr. ", "'Jo, the \"1.\"'"):
        git(tracked, "config", "user.name", name)
        git(tracked, "commit", "-q", "--allow-empty", "-m", "by git")
        (tracked / "notes" / "a.md").write_text(name)
        assert commits.commit(Repository.open(str(tracked)), ["notes/a.md"], "save")
        mine, theirs = git(tracked, "log", "-2", "--format=%an <%ae> %cn").splitlines()
        assert mine == theirs


def test_full_disk_is_known_by_either_message_of_git() -> None:
    for said in (
        b"tmp_pack_1' write error. Out of diskspace",
        b"No space left on device",
    ):
        assert staging.refused_by_disk(b"fatal: " + said, "v"), said


def in_the_work_tree(root: Path, rule: str) -> None:
    (root / ".gitattributes").write_text(rule)


def in_the_home_folder(root: Path, rule: str) -> None:
    (root / ".git" / "own").write_text(rule)
    git(root, "config", "core.attributesFile", str(root / ".git" / "own"))


@pytest.mark.parametrize(
    ("place", "count"),
    [
        (in_the_work_tree, staging.MANY),
        (in_the_home_folder, 1),
    ],
)
def test_filtered_file_is_committed_as_its_filter_makes_it(
    root: Path, place: Callable[[Path, str], None], quick: list[str], count: int
) -> None:
    """As with git-crypt: what is committed past the filter would be clear text."""
    git(root, "config", "filter.rot13.clean", "tr a-z n-za-m")
    git(root, "config", "filter.rot13.smudge", "tr a-z n-za-m")
    place(root, "*.md filter=rot13\n")
    names = [f"{number}.md" for number in range(count)]
    for name in names:
        (root / name).write_text("secret\n")
    assert commits.commit(Repository.open(str(root)), names, "save: secret")
    assert git(root, "show", f"HEAD:{names[-1]}") == "frperg\n"
    assert "fast-import" not in quick
    assert git(root, "diff", "--cached", "--name-only") == ""
    assert not commits.commit(Repository.open(str(root)), names, "save: again")


def test_line_ends_are_committed_as_git_is_told(root: Path, quick: list[str]) -> None:
    git(root, "config", "core.autocrlf", "input")
    (root / "new.md").write_bytes(b"one\r\n")
    assert commits.commit(Repository.open(str(root)), ["new.md"], "save")
    assert "fast-import" not in quick
    assert git(root, "show", "HEAD:new.md") == "one\n"


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_change_that_git_was_told_to_overlook_is_committed(
    tracked: Path, flag: str
) -> None:
    git(tracked, "update-index", flag, "notes/b.md")
    (tracked / "notes" / "b.md").write_text("changed\n")
    assert commits.commit(Repository.open(str(tracked)), ["notes/b.md"], "save")
    assert git(tracked, "show", "HEAD:notes/b.md") == "changed\n"


def test_failed_import_is_left_to_git_and_leaves_no_report(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "stream_of", lambda *_: b"nonsense\n")
    (root / "new.md").write_text("new\n")
    assert commits.commit(Repository.open(str(root)), ["new.md"], "save")
    assert git(root, "status", "--porcelain") == ""
    assert not list((root / ".git").glob("fast_import_crash_*"))


def test_file_that_changes_while_it_is_staged_is_a_conflict(
    tracked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = staging.stage

    def then_an_editor(*words: Any) -> Any:
        staged = real(*words)
        (tracked / "notes" / "b.md").write_text("newer\n")
        return staged

    monkeypatch.setattr("memcli.storage.git.staging.stage", then_an_editor)
    (tracked / "notes" / "b.md").write_text("saved\n")
    with pytest.raises(Conflict):
        commits.commit(Repository.open(str(tracked)), ["notes/b.md"], "save")
    assert git(tracked, "status", "--porcelain") == " M notes/b.md\n"
