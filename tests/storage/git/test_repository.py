"""A commit holds what was meant and nothing else; questions are answered as git would.

What the quick way and git's own way each do is in `test_commit`, and what becomes of
git's index in `test_index`.
"""

import os
import shutil
import sys
import threading
from pathlib import Path

import pytest

from memcli.errors import HistoryError, LockBusy
from memcli.storage.git import commit as commits
from memcli.storage.git import history, process
from memcli.storage.git.repository import Repository
from memcli.storage.git.staging import MANY
from tests.conftest import ROOT
from tests.git_command import git, hook
from tests.saving import write
from tests.storage.git.conftest import copied

ODD_NAMES = (
    "memories/with space.md",
    "memories/quote'\"s.md",
    "memories/日本-é-🙂.md",
    "memories/tab\tand\nnewline.md",
    "-leading/--dash.md",
    "glob/*.md",
    "glob/[a].md",
    ":(top)magic.md",
    ":!x.md",
    "back\\slash.md",
)
COMMIT = (
    "import sys; from memcli.storage.git.repository import Repository\n"
    "from memcli.storage.git import commit as commits\n"
    "r = Repository.open(sys.argv[1])\n"
    "commits.commit(r, ['a.md'], 'from a program')"
)


class Vault:
    """A folder with real git in it, and what a user would do there by hand."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *arguments: str) -> str:
        return git(self.root, *arguments)

    def write(self, path: str, text: str = "text\n") -> str:
        write(self.root, path, text)
        return path

    def open(self) -> Repository:
        return Repository.open(str(self.root))

    def commit(self, *paths: str, message: str = "m") -> str | None:
        return commits.commit(self.open(), paths, message)

    def changed(self, commit: str | None) -> list[str]:
        assert commit
        options = ("diff-tree", "--root", "-r", "-z", "--no-commit-id", "--name-only")
        return self.git(*options, commit).split("\0")[:-1]

    def status(self) -> str:
        return self.git("status", "--porcelain", "--untracked-files=all")

    def state(self) -> tuple[str, str]:
        return self.status(), self.git("ls-files", "--stage")


@pytest.fixture
def vault(made: Path, tmp_path: Path) -> Vault:
    return Vault(copied(made, "first", tmp_path / "va ult"))


# --- open and init --------------------------------------------------------------


def test_init_starts_on_main_and_names_an_author_where_none_is_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Repository.init(str(tmp_path))
    assert git(tmp_path, "symbolic-ref", "HEAD") == "refs/heads/main\n"
    assert "[user]" not in (tmp_path / ".git" / "config").read_text()
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    Repository.init(str(tmp_path))
    assert git(tmp_path, "config", "--local", "user.name") == "memcli\n"
    assert git(tmp_path, "config", "--local", "user.email") == "memcli@localhost\n"


def test_missing_git_is_said(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(HistoryError, match="cannot be started") as caught:
        vault.commit(vault.write("a.md"))
    assert "Install git" in (caught.value.hint or "")


# --- commit: what goes in, and what stays out --------------------------------------


def test_odd_names_commit_only_themselves_and_are_answered_for(vault: Vault) -> None:
    vault.write("glob/a.md")
    vault.write("magic.md")
    repository = vault.open()
    for name in ODD_NAMES:
        vault.write(name, "a\r\n\n")
    assert sorted(vault.changed(vault.commit(*ODD_NAMES))) == sorted(ODD_NAMES)
    for name in ODD_NAMES:
        assert "\n" in name or repository.files_at("HEAD", [name]) == {name: b"a\r\n\n"}
        vault.write(name, "b")
    assert [c.subject for c in history.log(repository, ODD_NAMES[5])] == ["m"]
    edited = [path for code, path in repository.status() if code == " M"]
    assert sorted(edited) == sorted(ODD_NAMES)
    for name in ODD_NAMES:
        (vault.root / name).unlink()
    assert sorted(vault.changed(vault.commit(*ODD_NAMES))) == sorted(ODD_NAMES)


def test_nothing_different_is_no_commit(vault: Vault) -> None:
    before = vault.git("rev-parse", "HEAD")
    assert vault.commit("first.md") is None
    assert vault.commit() is None
    assert vault.commit("never-was.md") is None
    assert vault.git("rev-parse", "HEAD") == before
    commit = vault.commit(vault.write("a.md"), "never-was.md", "a.md")
    assert vault.changed(commit) == ["a.md"]


def test_a_bulk_commit_is_like_any_other(vault: Vault) -> None:
    vault.write("staged.txt", "mine")
    vault.git("add", "staged.txt")
    hook(vault.root, "post-commit", "touch hooked")
    paths = [vault.write(f"memories/n {n} ü.md", f"{n}\n") for n in range(MANY)]
    assert sorted(vault.changed(vault.commit(*paths))) == sorted(paths)
    assert vault.status().splitlines() == ["A  staged.txt", "?? hooked"]
    os.unlink(vault.root / paths[0])
    vault.write(paths[1], "changed\n")
    assert sorted(vault.changed(vault.commit(*paths))) == sorted(paths[:2])
    assert vault.commit(*paths) is None


def test_a_message_is_kept(vault: Vault) -> None:
    for message in ("#not a comment", "é 🙂 日本", "-m\n\nbody\n# kept", "a\0b\udc80"):
        vault.commit(vault.write("a.md", repr(message)), message=message)
        said = vault.git("log", "-1", "--format=%B").rstrip("\n")
        assert said == message.replace("\0", " ").replace("\udc80", "?")


def test_what_a_person_has_staged_stays_staged(vault: Vault) -> None:
    vault.write("first.md", "edited\n")
    vault.write("draft.md")
    vault.write("gone.md")
    vault.commit("gone.md")
    vault.git("add", "first.md", "draft.md")
    vault.git("rm", "-q", "--cached", "gone.md")
    vault.write("draft.md", "edited again\n")
    before = vault.status()
    assert vault.changed(vault.commit(vault.write("a.md"))) == ["a.md"]
    assert vault.status() == before
    assert vault.git("show", ":draft.md") == "text\n"


def test_a_deletion_that_a_person_has_staged_is_committed_where_it_is_meant(
    vault: Vault,
) -> None:
    vault.git("rm", "-q", "first.md")
    assert vault.changed(vault.commit("first.md")) == ["first.md"]
    assert vault.status() == ""


def test_what_was_only_announced_and_is_gone_is_nothing_to_commit(vault: Vault) -> None:
    path = vault.write("a.md")
    vault.write("staged.md")
    vault.git("add", "staged.md")
    vault.git("add", "--intent-to-add", path)
    (vault.root / path).unlink()
    for _ in range(2):
        assert vault.commit(path) is None
    assert vault.git("status", "--porcelain") == "A  staged.md\n"


# --- commit: who and how --------------------------------------------------------


@pytest.mark.parametrize("only_configured", [False, True])
def test_commit_without_a_configured_user(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, only_configured: bool
) -> None:
    config = vault.root.parent / "nobody"
    config.write_text("[user]\n\tuseConfigOnly = true\n" if only_configured else "")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert vault.commit(vault.write("a.md"))
    if only_configured:
        who = vault.git("log", "-1", "--format=%an <%ae>")
        assert who == "memcli <memcli@localhost>\n"


def test_hooks_see_exactly_the_commit(vault: Vault) -> None:
    vault.write("staged.md")
    vault.git("add", "staged.md")
    hook(vault.root, "pre-commit", "git diff --cached --name-only > .git/seen")
    hook(vault.root, "commit-msg", 'echo "Signed: hook" >> "$1"')
    hook(vault.root, "post-commit", "echo noise; echo '[main 1234] noise' >&2")
    commit = vault.commit(vault.write("a.md"), message="add")
    assert commit == vault.git("rev-parse", "HEAD").strip()
    assert (vault.root / ".git/seen").read_text() == "a.md\n"
    assert vault.git("log", "-1", "--format=%B") == "add\nSigned: hook\n\n"


def test_commit_from_inside_another_repositorys_hook(
    vault: Vault, made: Path, tmp_path: Path
) -> None:
    other = Vault(copied(made, "empty", tmp_path / "other"))
    other.git("add", other.write("code.py"))
    vault.write("a.md")
    hook(
        other.root,
        "pre-commit",
        f"PYTHONPATH='{ROOT}' '{sys.executable}' -c \"{COMMIT}\" '{vault.root}'",
    )
    other.git("commit", "-qm", "code")
    assert vault.git("ls-tree", "--name-only", "HEAD") == "a.md\nfirst.md\n"
    assert other.git("ls-tree", "--name-only", "HEAD") == "code.py\n"
    assert (vault.status(), other.status()) == ("", "")


def test_the_users_configuration_does_not_change_what_is_understood(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = """
        [color] ui = always
        [commit] cleanup = strip
        [commit] verbose = true
        [core] abbrev = 7
        [diff] renames = copies
        [i18n] commitEncoding = latin1
        [i18n] logOutputEncoding = UTF-16
        [log] showSignature = true
        [status] branch = true
        [status] relativePaths = false
        [status] showUntrackedFiles = no
        [status] short = true
    """
    with (vault.root / ".git" / "config").open("a") as file:
        file.write(settings)
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")
    repository = vault.open()
    commit = vault.commit(vault.write("a.md"), message="#é\x1f日本")
    assert commit == repository.head()
    assert [c.subject for c in history.log(repository, "a.md")] == ["#é\x1f日本"]
    assert commit in (history.made_here(repository) or ())
    vault.write("é.md")
    assert repository.status() == [("??", "é.md")]
    assert vault.commit("a.md", "never-was.md") is None


@pytest.mark.parametrize(("sample", "packed"), [("", True), ("x", False)])
def test_garbage_is_collected_after_some_commits(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, sample: str, packed: bool
) -> None:
    monkeypatch.setattr(commits, "_GC_SAMPLE", sample)
    vault.git("config", "gc.auto", "1")
    vault.git("config", "gc.autoDetach", "false")
    folder = vault.root / ".git/objects/17"
    folder.mkdir(exist_ok=True)
    for number in range(30):
        (folder / f"{number:038x}").touch()
    vault.commit(vault.write("b.md"))
    assert ("in-pack: 0" not in vault.git("count-objects", "-v")) == packed


# --- commit: where it cannot ----------------------------------------------------


@pytest.mark.parametrize("lock", ["index.lock", "refs/heads/main.lock"])
def test_lock_of_another_git_is_waited_for_and_then_named(
    vault: Vault, lock: str
) -> None:
    path = vault.root / ".git" / lock
    path.touch()
    vault.write("a.md")
    with pytest.raises(LockBusy) as caught:
        commits.commit(vault.open(), ["a.md"], "add", patience=0)
    assert str(path) in caught.value.message
    timer = threading.Timer(0.1, path.unlink)  # as an editor, which takes a moment
    timer.start()
    assert commits.commit(vault.open(), ["a.md"], "add", patience=30)
    timer.join()


# --- a vault inside something else ----------------------------------------------


def test_vault_in_a_folder_of_another_repository(vault: Vault) -> None:
    nested = Vault(vault.root / "docs" / "my vault")
    nested.write("memories/old.md", "old\n")
    vault.git("add", "-A")
    vault.git("commit", "-qm", "code")
    vault.write("first.md", "edited\n")
    vault.git("add", "first.md")
    repository = nested.open()
    commit = nested.commit(nested.write("first.md"))  # the outer one has such a file
    assert vault.changed(commit) == ["docs/my vault/first.md"]
    assert vault.status() == "M  first.md\n"
    nested.write("memories/old.md", "new\n")
    assert repository.status() == [(" M", "memories/old.md")]
    found = repository.files_at("HEAD", ["memories/old.md"])
    assert found == {"memories/old.md": b"old\n"}
    assert [c.subject for c in history.log(repository, "memories/old.md")] == ["code"]


def test_a_linked_work_tree_and_a_link_to_a_vault_are_repositories(
    vault: Vault, tmp_path: Path
) -> None:
    vault.git("worktree", "add", "-q", str(tmp_path / "linked"))
    (tmp_path / "link").symlink_to(tmp_path / "linked")
    linked = Vault(tmp_path / "link")
    assert linked.changed(linked.commit(linked.write("a.md"))) == ["a.md"]
    assert linked.open().status() == []
    assert vault.git("ls-tree", "--name-only", "HEAD") == "first.md\n"


# --- questions ------------------------------------------------------------------


def test_log_follows_a_rename_newest_first_and_not_into_a_similar_file(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2026-01-02T03:04:05+02:00")
    repository = vault.open()
    vault.commit(vault.write("a.md", "line\n" * 20), message="add: a | 'ü'")
    os.replace(vault.root / "a.md", vault.root / "b.md")
    vault.commit("a.md", "b.md", message="move")
    found = history.log(repository, "b.md")
    assert [c.subject for c in found] == ["move", "add: a | 'ü'"]
    assert found[0].id == repository.head()
    assert (found[1].author, found[1].when) == ("Test User", "2026-01-02T01:04:05Z")
    assert history.log(repository, "b.md", 1) == found[:1]
    vault.commit(vault.write("c.md", "line\n" * 20), message="add: c")
    vault.commit(vault.write("c.md", "line\n" * 21), message="edit: c")
    assert [c.subject for c in history.log(repository, "c.md")] == ["edit: c", "add: c"]


def test_files_are_given_as_of_a_commit(vault: Vault) -> None:
    repository = vault.open()
    (vault.root / "a.md").write_bytes(b"\xff\x00\r\n")
    first = vault.commit("a.md")
    vault.commit(vault.write("a.md"))
    assert first
    for commit in (first, first[:8]):
        found = repository.files_at(commit, ["a.md", "never-was.md"])
        assert found == {"a.md": b"\xff\x00\r\n", "never-was.md": None}
    assert repository.files_at("0" * 40, ["first.md"]) == {"first.md": None}
    with pytest.raises(HistoryError):
        repository.files_at("--textconv", ["first.md"])


def test_files_unlike_head_are_told_by_their_bytes(vault: Vault) -> None:
    names = [*ODD_NAMES, "empty.md"]
    data = {name: b"" if name == "empty.md" else name.encode() for name in names}
    repository = vault.open()
    assert repository.unlike_head(data) == names
    for name in names:
        vault.write(name, data[name].decode())
    vault.commit(*names)
    # With a line end in a name nobody is asked; committing it again does nothing.
    assert repository.unlike_head(data) == ["memories/tab\tand\nnewline.md"]
    changed = {**data, "empty.md": b"x", "glob/*.md": b""}
    found = repository.unlike_head(changed)
    assert set(found) == {"memories/tab\tand\nnewline.md", "empty.md", "glob/*.md"}
    vault.write("empty.md", "staged only")
    vault.git("add", "empty.md")
    assert repository.unlike_head({"empty.md": b"staged only"}) == ["empty.md"]


def test_portable_way_to_start_git_agrees(vault: Vault) -> None:
    """What Windows uses gives the same answers as what everything else uses."""
    program = shutil.which("git")
    assert program
    env = dict(os.environ)
    vault.write("a.md")
    for words in (["status", "--short"], ["rev-parse", "none"], ["check-ignore", "-z"]):
        command = [program, "-C", str(vault.root), *words]
        here = process.spawn(command, env, b"a.md\0")
        assert here == process.run_portably(command, env, b"a.md\0")
