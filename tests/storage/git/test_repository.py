import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from memcli.errors import HistoryError, LockBusy, NotAVault
from memcli.storage.git import commit as commits
from memcli.storage.git import history, process
from memcli.storage.git.repository import Repository
from memcli.storage.git.staging import MANY
from tests.conftest import ROOT

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


class Vault:
    """A folder with real git in it, and what a user would do there by hand."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *arguments: str, check: bool = True) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.root), *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def write(self, path: str, text: str = "text\n") -> str:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return path

    def hook(self, name: str, script: str) -> None:
        path = Path(self.git("rev-parse", "--absolute-git-dir").strip())
        (path / "hooks").mkdir(exist_ok=True)
        (path / "hooks" / name).write_text("#!/bin/sh\n" + script + "\n")
        (path / "hooks" / name).chmod(0o755)

    def open(self) -> Repository:
        return Repository.open(str(self.root))

    def tracked(self, commit: str = "HEAD") -> list[str]:
        listed = self.git("ls-tree", "-r", "-z", "--name-only", commit)
        return listed.split("\0")[:-1]

    def changed(self, commit: str | None) -> list[str]:
        assert commit
        options = ("diff-tree", "--root", "-r", "-z", "--no-commit-id", "--name-only")
        return self.git(*options, commit).split("\0")[:-1]

    def status(self) -> str:
        return self.git("status", "--porcelain", "--untracked-files=all")


@pytest.fixture(autouse=True)
def _own_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """git as on a fresh machine: no configuration but the user's name."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "config").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
    for name in [n for n in os.environ if n.startswith("GIT_") or n == "EMAIL"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "config"))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)


@pytest.fixture
def empty(tmp_path: Path) -> Vault:
    root = tmp_path / "va ult"
    root.mkdir()
    Repository.init(str(root))
    return Vault(root)


@pytest.fixture
def vault(empty: Vault) -> Vault:
    empty.write("README.md")
    empty.git("add", "-A")
    empty.git("commit", "-qm", "start")
    return empty


# --- open and init --------------------------------------------------------------


def test_folder_outside_git_is_not_a_vault(tmp_path: Path) -> None:
    with pytest.raises(NotAVault) as caught:
        Repository.open(str(tmp_path))
    assert "memcli init" in (caught.value.hint or "")


def test_empty_git_folder_is_not_a_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    with pytest.raises(NotAVault):
        Repository.open(str(tmp_path))


def test_init_starts_on_main_and_keeps_the_users_name(empty: Vault) -> None:
    assert empty.git("symbolic-ref", "HEAD") == "refs/heads/main\n"
    assert empty.git("config", "--local", "user.name", check=False) == ""


def test_init_names_an_author_where_none_is_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    Repository.init(str(tmp_path))
    vault = Vault(tmp_path)
    assert vault.git("config", "--local", "user.name") == "memcli\n"
    assert vault.git("config", "--local", "user.email") == "memcli@localhost\n"


def test_init_again_changes_nothing(vault: Vault) -> None:
    before = vault.git("rev-parse", "HEAD")
    Repository.init(str(vault.root))
    assert vault.git("rev-parse", "HEAD") == before


def test_missing_git_is_said(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    repository = vault.open()
    with pytest.raises(HistoryError, match="cannot be started") as caught:
        commits.commit(repository, [vault.write("a.md")], "add")
    assert "Install git" in (caught.value.hint or "")


# --- commit: what goes in -------------------------------------------------------


def test_first_commit_of_an_empty_repository(empty: Vault) -> None:
    empty.write("other.md")
    commit = commits.commit(empty.open(), [empty.write("memories/a.md")], "add: a")
    assert commit == empty.git("rev-parse", "HEAD").strip()
    assert empty.tracked() == ["memories/a.md"]
    assert empty.status() == "?? other.md\n"


def test_added_changed_and_deleted_in_one_commit(vault: Vault) -> None:
    repository = vault.open()
    commits.commit(repository, [vault.write("a.md"), vault.write("b.md")], "two")
    (vault.root / "a.md").unlink()
    vault.write("b.md", "changed\n")
    vault.write("c.md")
    commit = commits.commit(repository, ["a.md", "b.md", "c.md"], "all three")
    assert vault.changed(commit) == ["a.md", "b.md", "c.md"]
    assert vault.tracked() == ["README.md", "b.md", "c.md"]
    assert vault.status() == ""


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_name_commits_only_itself(vault: Vault, name: str) -> None:
    vault.write("glob/a.md")
    vault.write("glob/b.md")
    vault.write("magic.md")
    vault.write(name)
    commit = commits.commit(vault.open(), [name], "odd")
    assert vault.changed(commit) == [name]
    (vault.root / name).unlink()
    commit = commits.commit(vault.open(), [name], "odd, gone")
    assert vault.changed(commit) == [name]


def test_nothing_different_is_no_commit(vault: Vault) -> None:
    before = vault.git("rev-parse", "HEAD")
    repository = vault.open()
    assert commits.commit(repository, ["README.md"], "nothing") is None
    assert commits.commit(repository, [], "nothing") is None
    assert commits.commit(repository, ["never-was.md"], "nothing") is None
    assert vault.git("rev-parse", "HEAD") == before


def test_path_that_never_was_does_not_stop_the_others(vault: Vault) -> None:
    paths = [vault.write("a.md"), "never-was.md", "a.md"]
    commit = commits.commit(vault.open(), paths, "add")
    assert vault.changed(commit) == ["a.md"]


def test_three_thousand_paths_are_one_commit(vault: Vault) -> None:
    paths = [vault.write(f"memories/n {i:04}.md", str(i)) for i in range(3000)]
    commit = commits.commit(vault.open(), paths, "import: 3,000 entries")
    assert vault.changed(commit) == paths
    assert vault.git("rev-list", "--count", "HEAD") == "2\n"
    assert vault.status() == ""


@pytest.mark.parametrize(
    "message",
    ["save: a", "#not a comment", "é 🙂 日本", "-m\n\nbody\n# kept", "a\0b\udc80"],
)
def test_message_is_kept(vault: Vault, message: str) -> None:
    commits.commit(vault.open(), [vault.write("a.md")], message)
    said = vault.git("log", "-1", "--format=%B").rstrip("\n")
    assert said == message.replace("\0", " ").replace("\udc80", "?")


# --- commit: what stays out -----------------------------------------------------


def test_staged_file_of_the_user_stays_staged(vault: Vault) -> None:
    vault.write("README.md", "edited\n")
    vault.write("draft.md")
    vault.git("add", "README.md", "draft.md")
    vault.write("draft.md", "edited again\n")
    vault.write("untracked.md")
    before = vault.status()
    commit = commits.commit(vault.open(), [vault.write("memories/a.md")], "add")
    assert vault.changed(commit) == ["memories/a.md"]
    assert vault.status() == before == "M  README.md\nAM draft.md\n?? untracked.md\n"
    assert vault.git("show", ":draft.md") == "text\n"


def test_staged_deletion_of_the_user_stays_staged(vault: Vault) -> None:
    vault.git("rm", "-q", "--cached", "README.md")
    commit = commits.commit(vault.open(), [vault.write("a.md")], "add")
    assert vault.changed(commit) == ["a.md"]
    assert vault.status() == "D  README.md\n?? README.md\n"


def test_deletion_that_the_user_has_staged_is_committed(vault: Vault) -> None:
    vault.git("rm", "-q", "README.md")
    commit = commits.commit(vault.open(), ["README.md"], "forget")
    assert vault.changed(commit) == ["README.md"]
    assert vault.status() == ""


# --- commit: who and how --------------------------------------------------------


@pytest.mark.parametrize("only_configured", [False, True])
def test_commit_without_a_configured_user(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, only_configured: bool
) -> None:
    config = vault.root.parent / "nobody"
    config.write_text("[user]\n\tuseConfigOnly = true\n" if only_configured else "")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert commits.commit(vault.open(), [vault.write("a.md")], "add")
    if only_configured:
        who = vault.git("log", "-1", "--format=%an <%ae>")
        assert who == "memcli <memcli@localhost>\n"


def test_configured_user_is_the_author(vault: Vault) -> None:
    commits.commit(vault.open(), [vault.write("a.md")], "add")
    assert vault.git("log", "-1", "--format=%an <%ae>") == "Ada <ada@example.org>\n"


def test_hooks_see_exactly_the_commit(vault: Vault) -> None:
    vault.write("staged.md")
    vault.git("add", "staged.md")
    vault.hook("pre-commit", "git diff --cached --name-only -- '*.md' > .git/seen")
    vault.hook("commit-msg", 'echo "Signed: hook" >> "$1"')
    vault.hook("post-commit", "echo noise; echo '[main 1234] noise' >&2")
    commit = commits.commit(vault.open(), [vault.write("a.md")], "add")
    assert commit == vault.git("rev-parse", "HEAD").strip()
    assert (vault.root / ".git/seen").read_text() == "a.md\n"
    assert vault.git("log", "-1", "--format=%B") == "add\nSigned: hook\n\n"


def test_failing_hook_is_told_and_leaves_no_trace(vault: Vault) -> None:
    vault.write("staged.md")
    vault.git("add", "staged.md")
    vault.write("README.md", "edited\n")
    vault.write("new.md")
    before, index = vault.status(), vault.git("ls-files", "--stage")
    vault.hook("pre-commit", "echo 'no entry without a tag'; exit 1")
    with pytest.raises(HistoryError, match="no entry without a tag"):
        commits.commit(vault.open(), ["new.md", "README.md"], "add")
    assert (vault.status(), vault.git("ls-files", "--stage")) == (before, index)


def test_daemon_left_by_a_hook_keeps_nobody_waiting(vault: Vault) -> None:
    vault.hook("post-commit", "sleep 20 & echo $! > .git/daemon")
    started = time.monotonic()
    commits.commit(vault.open(), [vault.write("a.md")], "add")
    assert time.monotonic() - started < 10
    os.kill(int((vault.root / ".git/daemon").read_text()), signal.SIGKILL)


def test_talkative_hook_does_not_block(vault: Vault) -> None:
    vault.hook("pre-commit", "head -c 1000000 /dev/zero | tr '\\0' x; exit 1")
    with pytest.raises(HistoryError) as caught:
        commits.commit(vault.open(), [vault.write("a.md")], "add")
    assert len(caught.value.message) < 3000


def test_commit_from_inside_another_repositorys_hook(
    vault: Vault, tmp_path: Path
) -> None:
    other = Vault(tmp_path / "other")
    other.root.mkdir()
    Repository.init(str(other.root))
    other.write("code.py")
    other.git("add", "-A")
    vault.write("a.md")
    program = (
        "import sys; from memcli.storage.git.repository import Repository\n"
        "from memcli.storage.git import commit as commits\n"
        "r = Repository.open(sys.argv[1])\n"
        "assert commits.commit(r, ['a.md'], 'from a hook')\n"
        "assert r.head() and r.status() == []"
    )
    package = ROOT
    other.hook(
        "pre-commit",
        f"PYTHONPATH='{package}' '{sys.executable}' -c \"{program}\" '{vault.root}'",
    )
    other.git("commit", "-qm", "code")
    assert vault.tracked() == ["README.md", "a.md"]
    assert other.tracked() == ["code.py"]
    assert (vault.status(), other.status()) == ("", "")


def test_user_locale_does_not_change_what_is_understood(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")
    assert commits.commit(vault.open(), ["never-was.md"], "add") is None
    assert commits.commit(vault.open(), [vault.write("a.md")], "add")


def test_users_configuration_does_not_change_what_is_understood(vault: Vault) -> None:
    for key, value in (
        ("color.ui", "always"),
        ("commit.cleanup", "strip"),
        ("commit.verbose", "true"),
        ("core.abbrev", "7"),
        ("diff.renames", "copies"),
        ("i18n.commitEncoding", "latin1"),
        ("i18n.logOutputEncoding", "latin1"),
        ("log.showSignature", "true"),
        ("status.branch", "true"),
        ("status.relativePaths", "false"),
        ("status.showUntrackedFiles", "no"),
        ("status.short", "true"),
    ):
        vault.git("config", key, value)
    repository = vault.open()
    commit = commits.commit(repository, [vault.write("a.md")], "#é 日本")
    assert commit == repository.head()
    assert [c.subject for c in history.log(repository, "a.md")] == ["#é 日本"]
    vault.write("é.md")
    assert repository.status() == [("??", "é.md")]
    assert commits.commit(repository, ["a.md"], "nothing") is None


def test_garbage_is_left_alone_until_git_would_collect_it(vault: Vault) -> None:
    vault.git("config", "gc.auto", "1")
    vault.git("config", "gc.autoDetach", "false")
    repository = vault.open()
    commits.commit(repository, [vault.write("a.md")], "add")
    assert "in-pack: 0" in vault.git("count-objects", "-v")
    sample = vault.root / ".git/objects/17"
    sample.mkdir(exist_ok=True)
    for number in range(30):
        (sample / f"{number:038x}").touch()
    commits.commit(repository, [vault.write("b.md")], "add")
    assert "in-pack: 0" not in vault.git("count-objects", "-v")


# --- commit: where it cannot ----------------------------------------------------


def conflict(vault: Vault, command: str) -> None:
    vault.git("switch", "-qc", "side")
    vault.write("README.md", "theirs\n")
    vault.git("commit", "-qam", "theirs")
    vault.git("switch", "-q", "main")
    vault.write("README.md", "ours\n")
    vault.git("commit", "-qam", "ours")
    vault.git(command, "side", check=False)


@pytest.mark.parametrize("resolved", [False, True])
@pytest.mark.parametrize("command", ["merge", "cherry-pick", "rebase"])
def test_unfinished_merge_is_named_and_untouched(
    vault: Vault, command: str, resolved: bool
) -> None:
    conflict(vault, command)
    if resolved:
        vault.write("README.md", "both\n")
        vault.git("add", "README.md")
    vault.write("a.md")
    before, index = vault.status(), vault.git("ls-files", "--stage")
    with pytest.raises(HistoryError) as caught:
        commits.commit(vault.open(), ["a.md"], "add")
    assert caught.value.hint
    assert f"a {command} is in progress" in caught.value.message
    assert (vault.status(), vault.git("ls-files", "--stage")) == (before, index)


def test_conflict_of_a_stash_stays_as_it_is(vault: Vault) -> None:
    vault.write("README.md", "mine\n")
    vault.git("stash", "-q")
    vault.write("README.md", "ours\n")
    vault.git("commit", "-qam", "ours")
    vault.git("stash", "pop", check=False)
    commit = commits.commit(vault.open(), [vault.write("a.md")], "add")
    assert vault.changed(commit) == ["a.md"]
    assert vault.status() == "UU README.md\n"


def test_detached_head_takes_commits(vault: Vault) -> None:
    vault.git("switch", "-q", "--detach")
    commit = commits.commit(vault.open(), [vault.write("a.md")], "add")
    assert commit == vault.git("rev-parse", "HEAD").strip()
    assert vault.git("rev-list", "--count", "main") == "1\n"


def test_ignored_path_is_refused_with_the_reason(vault: Vault) -> None:
    vault.write(".gitignore", "*.tmp.md\n")
    vault.write("fine.md")
    with pytest.raises(HistoryError, match="gitignore") as caught:
        commits.commit(vault.open(), ["fine.md", vault.write("a.tmp.md")], "add")
    assert "check-ignore" in (caught.value.hint or "")
    assert vault.status() == "?? .gitignore\n?? fine.md\n"


@pytest.mark.parametrize("lock", ["index.lock", "refs/heads/main.lock"])
def test_lock_of_another_git_is_busy(vault: Vault, lock: str) -> None:
    path = vault.root / ".git" / lock
    path.touch()
    vault.write("a.md")
    with pytest.raises(LockBusy) as caught:
        commits.commit(vault.open(), ["a.md"], "add", patience=0)
    assert str(path) in caught.value.message
    assert re.search(r"for \d+ s", caught.value.message)
    path.unlink()
    assert vault.status() == "?? a.md\n"
    assert commits.commit(vault.open(), ["a.md"], "add")


def test_lock_that_an_editor_takes_for_a_moment_is_waited_for(vault: Vault) -> None:
    path = vault.root / ".git/index.lock"
    path.touch()
    timer = threading.Timer(0.2, path.unlink)
    timer.start()
    assert commits.commit(vault.open(), [vault.write("a.md")], "add", patience=30)
    timer.join()


def test_interrupted_commit_is_undone_or_done(vault: Vault) -> None:
    vault.hook("pre-commit", "touch .git/started; exec sleep 30")
    vault.write("a.md")
    program = (
        "import sys; from memcli.storage.git.repository import Repository\n"
        "from memcli.storage.git import commit as commits\n"
        "commits.commit(Repository.open(sys.argv[1]), ['a.md'], 'add')"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", program, str(vault.root)],
        stderr=subprocess.PIPE,
        start_new_session=True,
        cwd=ROOT,
    )
    while not (vault.root / ".git/started").exists():
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)  # as the terminal does on Ctrl-C
    running.communicate()
    # An interrupt that comes when git has finished is dropped.
    made = running.returncode == 0
    assert vault.git("rev-list", "--count", "HEAD") == ("2\n" if made else "1\n")
    assert vault.status() == ("" if made else "?? a.md\n")


@pytest.mark.skipif(sys.platform != "linux", reason="the signal of a pipe is Linux's")
def test_git_of_a_killed_memcli_ends_with_it_and_leaves_no_lock(vault: Vault) -> None:
    vault.hook("pre-commit", "test -e .git/started && exit; touch .git/started; "
               "sleep 60; touch .git/outlived")  # fmt: skip
    vault.write("a.md")
    program = (
        "import sys; from memcli.storage.git.repository import Repository\n"
        "from memcli.storage.git import commit as commits\n"
        "commits.commit(Repository.open(sys.argv[1]), ['a.md'], 'add: a')"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", program, str(vault.root)],
        cwd=ROOT,
    )
    while not (vault.root / ".git/started").exists():
        time.sleep(0.01)
    running.kill()
    running.wait()
    assert commits.commit(vault.open(), [vault.write("b.md")], "add: b", patience=20)
    assert vault.git("log", "--format=%s") == "add: b\nstart\n"
    done = subprocess.run(["pgrep", "-f", str(vault.root)], capture_output=True)
    assert done.stdout == b""


# --- a vault inside something else ----------------------------------------------


@pytest.fixture
def nested(vault: Vault) -> Vault:
    inner = Vault(vault.root / "docs" / "my vault")
    inner.write("memories/old.md", "old\n")
    vault.write("code.py")
    vault.git("add", "-A")
    vault.git("commit", "-qm", "code")
    return inner


def test_vault_in_a_folder_of_another_repository(nested: Vault, vault: Vault) -> None:
    vault.write("code.py", "edited\n")
    vault.git("add", "code.py")
    nested.write("README.md")  # the outer repository has one as well
    repository = nested.open()
    commit = commits.commit(repository, ["README.md"], "add")
    assert vault.changed(commit) == ["docs/my vault/README.md"]
    assert vault.status() == "M  code.py\n"
    nested.write("memories/old.md", "new\n")
    assert repository.status() == [(" M", "memories/old.md")]
    assert not repository.is_clean(["memories/old.md"])
    assert repository.is_clean(["README.md"])
    assert repository.show("HEAD", "memories/old.md") == b"old\n"
    assert [c.subject for c in history.log(repository, "memories/old.md")] == ["code"]


def test_failed_commit_in_a_nested_vault_leaves_no_trace(
    nested: Vault, vault: Vault
) -> None:
    vault.hook("pre-commit", "exit 1")
    index = vault.git("ls-files", "--stage")
    with pytest.raises(HistoryError, match="ended with 1"):
        commits.commit(nested.open(), [nested.write("memories/new.md")], "add")
    assert vault.git("ls-files", "--stage") == index


def test_linked_work_tree_is_a_repository(vault: Vault, tmp_path: Path) -> None:
    vault.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Vault(tmp_path / "linked")
    commit = commits.commit(linked.open(), [linked.write("a.md")], "add")
    assert linked.changed(commit) == ["a.md"]
    assert linked.open().status() == []
    assert vault.tracked() == ["README.md"]


def test_symbolic_link_to_a_vault_is_that_vault(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(vault.root)
    commit = commits.commit(
        Repository.open(str(tmp_path / "link")), [vault.write("a.md")], "x"
    )
    assert vault.changed(commit) == ["a.md"]


# --- questions ------------------------------------------------------------------


def test_log_follows_a_rename_newest_first(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = vault.open()
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2026-01-02T03:04:05+02:00")
    repository = vault.open()
    commits.commit(repository, [vault.write("a.md", "line\n" * 20)], "add: a | 'ü'")
    os.replace(vault.root / "a.md", vault.root / "b.md")
    commits.commit(repository, ["a.md", "b.md"], "move")
    found = history.log(repository, "b.md")
    assert [c.subject for c in found] == ["move", "add: a | 'ü'"]
    assert found[0].id == repository.head()
    assert (found[1].author, found[1].when) == ("Ada", "2026-01-02T01:04:05Z")
    assert history.log(repository, "b.md", 1) == found[:1]


def test_log_does_not_run_on_into_a_similar_file(vault: Vault) -> None:
    repository = vault.open()
    commits.commit(repository, [vault.write("a.md", "line\n" * 20)], "add: a")
    commits.commit(repository, [vault.write("b.md", "line\n" * 20)], "add: b")
    commits.commit(repository, [vault.write("b.md", "line\n" * 21)], "edit: b")
    assert [c.subject for c in history.log(repository, "b.md")] == ["edit: b", "add: b"]


def test_empty_repository_answers(empty: Vault) -> None:
    repository = empty.open()
    empty.write("a.md")
    assert repository.head() is None
    assert history.log(repository, "a.md") == []
    assert repository.status() == [("??", "a.md")]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_name_is_answered_for(vault: Vault, name: str) -> None:
    repository = vault.open()
    commits.commit(repository, [vault.write(name, "a\r\n\n")], "odd")
    assert repository.show("HEAD", name) == b"a\r\n\n"
    assert [c.subject for c in history.log(repository, name)] == ["odd"]
    vault.write(name, "b")
    assert repository.status() == [(" M", name)]


def test_show_gives_the_bytes_of_then(vault: Vault) -> None:
    repository = vault.open()
    (vault.root / "a.md").write_bytes(b"\xff\x00\r\n")
    first = commits.commit(repository, ["a.md"], "one")
    commits.commit(repository, [vault.write("a.md")], "two")
    assert first
    assert repository.show(first, "a.md") == b"\xff\x00\r\n"
    assert repository.show(first[:8], "a.md") == b"\xff\x00\r\n"


@pytest.mark.parametrize(
    ("commit", "path"),
    [("HEAD", "never-was.md"), ("0" * 40, "README.md"), ("--textconv", "README.md")],
)
def test_show_of_what_is_not_there_is_an_error(
    vault: Vault, commit: str, path: str
) -> None:
    with pytest.raises(HistoryError):
        vault.open().show(commit, path)


# --- the module -----------------------------------------------------------------


def started(module: str) -> Sequence[str]:
    program = (
        f"import sys, {module}\n"
        "print(*[m for m in ('git', 'subprocess', 'tempfile', 'signal', 'pathlib')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return done.stdout.split()


def test_import_is_light() -> None:
    assert started("memcli.storage.git.commit") == []


def test_portable_way_to_start_git_agrees(vault: Vault) -> None:
    """What Windows uses gives the same answers as what everything else uses."""
    git = shutil.which("git")
    assert git
    env = dict(os.environ)
    for words in (["status", "--short"], ["rev-parse", "none"], ["check-ignore", "-z"]):
        command = [git, "-C", str(vault.root), *words]
        vault.write("a.md")
        here = process.spawn(command, env, b"a.md\0")
        there = process.run_portably(command, env, b"a.md\0")
        assert here == there


def test_bulk_commit_is_like_any_other(vault: Vault) -> None:
    vault.write("staged.txt", "mine")
    vault.git("add", "staged.txt")
    vault.hook("post-commit", "#!/bin/sh\ntouch hooked\n")
    repository = vault.open()
    paths = [vault.write(f"memories/n {n} ü.md", f"{n}\n") for n in range(MANY)]
    commit = commits.commit(repository, paths, "import: many")
    assert sorted(vault.changed(commit)) == sorted(paths)
    assert vault.status().splitlines() == ["A  staged.txt", "?? hooked"]
    os.unlink(vault.root / paths[0])
    vault.write(paths[1], "changed\n")
    again = commits.commit(repository, paths, "import: again")
    assert sorted(vault.changed(again)) == sorted(paths[:2])
    assert commits.commit(repository, paths, "import: nothing new") is None


def test_what_was_only_announced_and_is_gone_is_nothing_to_commit(vault: Vault) -> None:
    path = vault.write("a.md")
    vault.write("staged.md")
    vault.git("add", "staged.md")
    vault.git("add", "--intent-to-add", path)
    (vault.root / path).unlink()
    head = vault.git("rev-parse", "HEAD")
    assert commits.commit(vault.open(), [path], "m") is None
    assert commits.commit(vault.open(), [path], "m") is None
    assert vault.git("rev-parse", "HEAD") == head
    assert vault.git("status", "--porcelain") == "A  staged.md\n"


def test_files_unlike_head_are_told_by_their_bytes(vault: Vault) -> None:
    names = [*ODD_NAMES, "empty.md"]
    data = {name: b"" if name == "empty.md" else name.encode() for name in names}
    repository = vault.open()
    assert repository.unlike_head(data) == names
    for name in names:
        vault.write(name, data[name].decode())
    commits.commit(repository, names, "m")
    # With a line end in a name nobody is asked; committing it again does nothing.
    assert repository.unlike_head(data) == ["memories/tab\tand\nnewline.md"]
    changed = {**data, "empty.md": b"x", "glob/*.md": b""}
    found = repository.unlike_head(changed)
    assert set(found) == {"memories/tab\tand\nnewline.md", "empty.md", "glob/*.md"}
    vault.write("empty.md", "staged only")
    vault.git("add", "empty.md")
    assert repository.unlike_head({"empty.md": b"staged only"}) == ["empty.md"]


def test_files_unlike_head_are_told_before_the_first_commit(tmp_path: Path) -> None:
    fresh = Vault(tmp_path)
    fresh.git("init", "-q", "--object-format=sha256")
    fresh.write("a.md")
    assert fresh.open().unlike_head({"a.md": b"text\n"}) == ["a.md"]
    fresh.git("add", "a.md")
    fresh.git("commit", "-qm", "m")
    assert fresh.open().unlike_head({"a.md": b"text\n", "b.md": b""}) == ["b.md"]
