"""The quick way makes the commit that git would make, or leaves it to git."""

import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.errors import HistoryError
from memcli.storage.git import fast_commit, ignore_rules, process, staging
from memcli.storage.git.index_lock import IndexLock
from memcli.storage.git.remains import remove_remains
from memcli.storage.git.repository import Repository
from memcli.storage.git.work_tree import WorkTree
from tests.git_command import git


def work_tree(top: Path, settings: dict[str, str] | None = None) -> WorkTree:
    """A work tree that is also its user's home."""
    where = (str(top), str(top), str(top / ".git"))
    return WorkTree(*where, {"HOME": str(top)}, settings or {})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one commit and a vault in a folder of it."""
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "first.md").write_text("first\n")
    git(tmp_path, "add", "first.md")
    git(tmp_path, "commit", "-qm", "first")
    (tmp_path / "docs" / "vault").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands that were started, in their order."""
    started: list[str] = []
    real = process.run

    def record(
        root: str, env: dict[str, str], words: tuple[str, ...], data: bytes = b""
    ) -> process.GitResult:
        started.append(next(word for word in words if "=" not in word and word != "-c"))
        return real(root, env, words, data)

    for module in (fast_commit, staging):
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
    commit = Repository.open(str(vault)).commit([name], "save: #1 «x»\n\nbody")
    assert quick == ["config", "fast-import"]
    assert commit == git(root, "rev-parse", "HEAD").strip()
    assert git(root, "log", "-1", "--format=%an <%ae>|%B") == (
        "Test User <test@example.com>|save: #1 «x»\n\nbody\n\n"
    )
    changed = git(root, "show", "-z", "--name-status", "--format=", "HEAD")
    assert changed == f"A\0{folder + '/' if folder else ''}{name}\0"
    assert git(root, "status", "--porcelain") == "A  staged.txt\n"
    git(root, "fsck", "--strict")


@pytest.fixture
def tracked(root: Path) -> Path:
    """The repository, with a folder of which its index holds something."""
    (root / "notes").mkdir()
    (root / "notes" / "b.md").write_text("b\n")
    git(root, "add", "notes")
    git(root, "commit", "-qm", "notes")
    return root


def test_git_is_not_asked_to_put_a_file_beside_others(
    tracked: Path, quick: list[str]
) -> None:
    (tracked / "staged.txt").write_text("mine")
    git(tracked, "add", "staged.txt")
    repository = Repository.open(str(tracked))
    (tracked / "notes" / "a.md").write_text("a\n")
    (tracked / "notes" / "b.md").write_text("changed\n")
    assert repository.commit(["notes/a.md", "notes/b.md"], "save: two")
    (tracked / "notes" / "b.md").unlink()
    assert repository.commit(["notes/b.md"], "forget: one")
    assert quick == ["config", "fast-import"] * 2
    assert git(tracked, "status", "--porcelain") == "A  staged.txt\n"
    assert git(tracked, "ls-tree", "-r", "--name-only", "HEAD") == (
        "first.md\nnotes/a.md\n"
    )
    git(tracked, "fsck", "--strict")


def test_edit_in_the_tick_of_a_commit_is_seen_by_git(tracked: Path) -> None:
    """As after `git add`: the index is not younger than what it has not seen."""
    place = tracked / "notes" / "a.md"
    for number in range(10):
        place.write_text(f"old {number}\n")
        assert Repository.open(str(tracked)).commit(["notes/a.md"], "save")
        place.write_text(f"new {number}\n")
        assert git(tracked, "status", "--porcelain") == " M notes/a.md\n"


def make_old(*places: Path) -> None:
    """Give all of them the same time."""
    for place in places:
        os.utime(place, (1_700_000_000, 1_700_000_000))


def test_index_gets_the_present_time(tracked: Path, quick: list[str]) -> None:
    """A copy by size and time would miss a change that leaves the size."""
    index = tracked / ".git" / "index"
    place = tracked / "notes" / "b.md"
    for text in ("c\n", "d\n"):
        size = index.stat().st_size
        make_old(index)
        began = time.time()
        place.write_text(text)
        assert Repository.open(str(tracked)).commit(["notes/b.md"], "save")
        assert index.stat().st_mtime > began - 1
    assert index.stat().st_size == size
    assert quick == ["config", "fast-import"] * 2


@pytest.mark.parametrize("text", ["b\n", "B\n"], ids=["unchanged", "changed"])
def test_edit_that_only_the_time_of_the_index_betrays_is_seen_after_a_save(
    tracked: Path, quick: list[str], text: str
) -> None:
    """Made in the second in which the index was written, with the same size."""
    git(tracked, "config", "core.trustctime", "false")  # it takes no second to wait
    place = tracked / "notes" / "b.md"
    make_old(place)
    git(tracked, "add", "--refresh", "notes/b.md")
    git(tracked, "update-index", "-q", "--really-refresh")
    place.write_text(text)
    make_old(place, tracked / ".git" / "index")
    seen = " M notes/b.md\n" if text == "B\n" else ""
    (tracked / "notes" / "a.md").write_text("a\n")
    assert Repository.open(str(tracked)).commit(["notes/a.md"], "save")
    assert ("add" in quick) == (text == "B\n"), "git notes such an edit in the index"
    assert git(tracked, "status", "--porcelain") == seen


def test_many_files_as_young_as_the_index_are_left_to_git(
    tracked: Path, quick: list[str]
) -> None:
    """As after a clone. git has looked into them then."""
    for number in range(70):
        (tracked / "notes" / f"{number}.md").write_text("old\n")
        make_old(tracked / "notes" / f"{number}.md")
    git(tracked, "add", "notes")
    git(tracked, "commit", "-qm", "many")
    make_old(tracked / ".git" / "index")
    for name in ("x", "y"):
        (tracked / "notes" / f"{name}.md").write_text("new\n")
        assert Repository.open(str(tracked)).commit([f"notes/{name}.md"], "save")
    assert quick == ["config", "add", "fast-import", "config", "fast-import"]
    assert git(tracked, "status", "--porcelain") == ""


def test_index_keeps_its_rights(tracked: Path) -> None:
    """Others work in a repository that is shared (`core.sharedRepository`)."""
    index = tracked / ".git" / "index"
    index.chmod(0o664)
    before = os.umask(0o077)
    try:
        (tracked / "notes" / "a.md").write_text("a\n")
        assert Repository.open(str(tracked)).commit(["notes/a.md"], "save")
    finally:
        os.umask(before)
    assert stat.S_IMODE(index.stat().st_mode) == 0o664


def test_index_of_a_shared_repository_stays_readable(root: Path) -> None:
    """Also where git puts the file in."""
    git(root, "config", "core.sharedRepository", "group")
    git(root, "update-index", "--untracked-cache")
    before = os.umask(0o077)
    try:
        (root / "top.md").write_text("new\n")
        assert Repository.open(str(root)).commit(["top.md"], "save")
    finally:
        os.umask(before)
    assert stat.S_IMODE((root / ".git" / "index").stat().st_mode) & 0o060 == 0o060


@pytest.mark.parametrize("path", ["notes/a.md", "notes/b.md", "top.md"])
def test_what_is_staged_a_moment_after_the_commit_stays(
    tracked: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    install = IndexLock.install

    def then_a_person(lock: IndexLock) -> bool:
        installed = install(lock)
        os.unlink(tracked / ".git" / "index.lock")
        (tracked / path).write_text("newer\n")
        git(tracked, "add", path)
        return installed

    monkeypatch.setattr(IndexLock, "install", then_a_person)
    (tracked / path).write_text("saved\n")
    assert Repository.open(str(tracked)).commit([path], "save")
    assert git(tracked, "show", f"HEAD:{path}") == "saved\n"
    assert git(tracked, "show", f":{path}") == "newer\n"


def test_copies_of_killed_commands_are_removed(tracked: Path) -> None:
    left = tracked / ".git" / "memcli-index-1"
    left.write_text("left")
    (tracked / "notes" / "a.md").write_text("a\n")
    assert Repository.open(str(tracked)).commit(["notes/a.md"], "save")
    assert not left.exists()


def test_save_makes_no_pack_where_fetches_do(tracked: Path) -> None:
    git(tracked, "config", "transfer.unpackLimit", "1")
    (tracked / "notes" / "a.md").write_text("a\n")
    assert Repository.open(str(tracked)).commit(["notes/a.md"], "save")
    assert not list((tracked / ".git" / "objects" / "pack").iterdir())


def test_index_that_another_git_wrote_meanwhile_is_put_right(
    tracked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `git commit PATH` does, which reads the index before it locks it."""
    index = tracked / ".git" / "index"
    old = index.read_bytes()
    install = IndexLock.install

    def then_another_git(lock: IndexLock) -> bool:
        installed = install(lock)
        for _ in range(2):  # the second may be given the number of the first
            (tracked / ".git" / "theirs").write_bytes(old)
            os.replace(tracked / ".git" / "theirs", index)
        return installed

    monkeypatch.setattr(IndexLock, "install", then_another_git)
    (tracked / "notes" / "a.md").write_text("a\n")
    assert Repository.open(str(tracked)).commit(["notes/a.md"], "save")
    assert git(tracked, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("rules", "place"),
    [
        ("*.md", ".gitignore"),
        ("/notes/", ".git/info/exclude"),
        ("a.m[a-e]", "notes/.gitignore"),
        ("*", "notes/.gitignore"),
        ("**/a.md", ".gitignore"),
        ("no*s", ".gitignore"),
        ("\\a.md", ".gitignore"),
    ],
)
def test_file_that_a_rule_ignores_is_refused_as_by_git(
    tracked: Path, rules: str, place: str, quick: list[str]
) -> None:
    (tracked / place).write_text(f"# A comment\n\n!b.md\n{rules}\n")
    (tracked / "notes" / "a.md").write_text("a\n")
    with pytest.raises(HistoryError, match="ignore"):
        Repository.open(str(tracked)).commit(["notes/a.md"], "save")
    (tracked / "notes" / "b.md").write_text("changed\n")
    assert Repository.open(str(tracked)).commit(["notes/b.md"], "save")
    assert quick[-2:] == ["config", "fast-import"], "what is tracked is not ignored"


def test_file_in_a_repository_of_its_own_is_not_committed(tracked: Path) -> None:
    (tracked / "new" / "deep").mkdir(parents=True)
    git(tracked / "new", "init", "--quiet")
    git(tracked / "new", "commit", "--quiet", "--allow-empty", "-m", "its own")
    (tracked / "new" / "deep" / "note.md").write_text("of the other repository\n")
    assert not Repository.open(str(tracked)).commit(["new/deep/note.md"], "save")
    assert "new/" not in git(tracked, "ls-files")
    assert "new/" not in git(tracked, "ls-tree", "-r", "--name-only", "HEAD")


def test_file_behind_a_link_to_a_folder_is_refused_as_by_git(tracked: Path) -> None:
    (tracked / "elsewhere" / "deep").mkdir(parents=True)
    (tracked / "new").symlink_to("elsewhere")
    (tracked / "new" / "deep" / "note.md").write_text("no listing finds it here\n")
    with pytest.raises(HistoryError, match="symbolic link"):
        Repository.open(str(tracked)).commit(["new/deep/note.md"], "save")
    assert "new/" not in git(tracked, "ls-files")


def test_rule_behind_a_byte_order_mark_ignores(tracked: Path) -> None:
    """Editors on Windows write one; git passes over it."""
    (tracked / ".gitignore").write_bytes(b"\xef\xbb\xbfnotes/a*\n")
    (tracked / "notes" / "a.md").write_text("a\n")
    with pytest.raises(HistoryError, match="ignore"):
        Repository.open(str(tracked)).commit(["notes/a.md"], "save")


def test_rules_of_a_vault_concern_no_entry(tracked: Path) -> None:
    template = Path(__file__).parents[3] / "vault-template" / ".gitignore"
    (tracked / ".gitignore").write_bytes(template.read_bytes())
    path = "memories/note/2026/11/a.md"
    tree = work_tree(tracked)
    assert not ignore_rules.may_ignore(tree, path)
    any_case = work_tree(tracked, {"core.ignorecase": "true"})
    assert ignore_rules.may_ignore(any_case, path)
    rules = tracked / ".config" / "git" / "ignore"
    rules.parent.mkdir(parents=True)
    rules.write_text("memor*\n")
    assert ignore_rules.may_ignore(tree, path)
    own = {"core.excludesfile": "~/.config/git/ignore"}
    assert ignore_rules.may_ignore(work_tree(tracked, own), path)


@pytest.mark.parametrize(
    "place", ["~root/ignore", "%(prefix)/etc/ignore", ":(optional)ignore", "~/ignore"]
)
def test_rules_at_a_place_that_git_alone_knows_may_ignore(
    tracked: Path, place: str
) -> None:
    tree = work_tree(tracked, {"core.excludesfile": place})._replace(env={})
    assert ignore_rules.may_ignore(tree, "notes/a.md")


@pytest.mark.parametrize(
    ("rule", "may"),
    [(" #a.md", True), ("a.md \r", True), ("a.md\0x", True), ("#a", False)],
)
def test_rule_is_read_as_git_reads_it(tracked: Path, rule: str, *, may: bool) -> None:
    (tracked / ".gitignore").write_bytes(rule.encode())
    assert ignore_rules.may_ignore(work_tree(tracked), "notes/ #a.md") == may


def sign(root: Path) -> None:
    git(root, "config", "commit.gpgsign", "false")


def hook(root: Path) -> None:
    path = root / ".git" / "hooks" / "post-commit"
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


def line_ends(root: Path) -> None:
    git(root, "config", "core.autocrlf", "input")


def attributes(root: Path) -> None:
    (root / ".gitattributes").write_text("*.md text eol=crlf\n")


def attributes_in_the_index_alone(root: Path) -> None:
    attributes(root)
    git(root, "add", ".gitattributes")
    git(root, "commit", "-qm", "attributes")
    (root / ".gitattributes").unlink()


def detached(root: Path) -> None:
    git(root, "checkout", "-q", "--detach")


def packed(root: Path) -> None:
    git(root, "pack-refs", "--all")


def hooks_elsewhere(root: Path) -> None:
    git(root, "config", "core.hooksPath", "/dev/null")


def compressed_names(root: Path) -> None:
    git(root, "update-index", "--index-version", "4")


def no_programs(root: Path) -> None:
    git(root, "config", "core.fileMode", "false")


def no_links(root: Path) -> None:
    git(root, "config", "core.symlinks", "false")


def branch_that_names_another(root: Path) -> None:
    git(root, "branch", "other")
    git(root, "symbolic-ref", "refs/heads/main", "refs/heads/other")


def name_in_latin_1(root: Path) -> None:
    with (root / ".git" / "config").open("ab") as file:
        file.write(b"[user]\nname = J\xf6rg\n")


@pytest.mark.parametrize(
    "reason",
    [
        sign,
        hook,
        line_ends,
        attributes,
        attributes_in_the_index_alone,
        detached,
        packed,
        hooks_elsewhere,
        compressed_names,
        no_programs,
        no_links,
        branch_that_names_another,
        name_in_latin_1,
    ],
)
def test_anything_unusual_takes_the_long_way(
    root: Path, reason: Callable[[Path], None], quick: list[str]
) -> None:
    reason(root)
    (root / "new.md").write_text("new\n")
    commit = Repository.open(str(root)).commit(["new.md"], "save: new")
    assert "fast-import" not in quick
    assert commit == git(root, "rev-parse", "HEAD").strip()
    assert git(root, "show", "--name-only", "--format=", "HEAD") == "new.md\n"


def test_program_of_the_index_stays_one_where_the_disk_knows_no_modes(
    tracked: Path,
) -> None:
    git(tracked, "config", "core.fileMode", "false")
    git(tracked, "update-index", "--chmod=+x", "notes/b.md")
    git(tracked, "commit", "-qm", "program")
    (tracked / "notes" / "b.md").write_text("changed\n")
    assert Repository.open(str(tracked)).commit(["notes/b.md"], "save")
    assert git(tracked, "status", "--porcelain") == ""
    assert git(tracked, "ls-tree", "HEAD", "notes/b.md").startswith("100755 ")


@pytest.mark.parametrize("name", ["Jörg Meyer", " Jon Meyer Jr. ", "'Jo, the \"1.\"'"])
def test_author_is_the_one_that_git_names(tracked: Path, name: str) -> None:
    git(tracked, "config", "user.name", name)
    git(tracked, "commit", "-q", "--allow-empty", "-m", "by git")
    (tracked / "notes" / "a.md").write_text("a\n")
    assert Repository.open(str(tracked)).commit(["notes/a.md"], "save")
    mine, theirs = git(tracked, "log", "-2", "--format=%an <%ae> %cn").splitlines()
    assert mine == theirs


def test_failed_import_leaves_nothing_staged(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fast_commit, "_stream", lambda *_: b"nonsense\n")
    (root / "new.md").write_text("new\n")
    env = process.clean_environment(None)
    where = (str(root), str(root / ".git"), env)
    assert fast_commit.commit_quickly(*where, {"new.md": b"new\n"}, "save", "") is None
    assert git(root, "status", "--porcelain") == "?? new.md\n"
    assert not list((root / ".git").glob("fast_import_crash_*"))


def test_only_what_a_failed_import_left_is_removed(root: Path) -> None:
    objects = root / ".git" / "objects"
    names = ("pack/tmp_pack_a", "pack/tmp_idx_b", "ab/tmp_obj_c")
    kept = ("pack/tmp_pack_old", "pack/tmp_pack_large", "pack/pack-1.pack")
    (objects / "ab").mkdir(exist_ok=True)
    for name in (*names, *kept):
        (objects / name).write_text("x")
    os.truncate(objects / "pack/tmp_pack_large", 10_000_000)
    os.utime(objects / "pack/tmp_pack_old", (1, 1))
    remove_remains(str(root / ".git"), b"", 2_000_000_000, 100)
    assert [name for name in names if (objects / name).exists()] == []
    assert [name for name in kept if not (objects / name).exists()] == []


def test_full_disk_is_known_by_either_message_of_git() -> None:
    for said in (
        b"tmp_pack_1' write error. Out of diskspace",
        b"No space left on device",
    ):
        assert process.refused_by_disk(b"fatal: " + said, "v"), said
