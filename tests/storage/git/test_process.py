"""git is the user's program, has an end, and ends when memcli does."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memcli.errors import HistoryError, Unreadable
from memcli.storage.git import commit as commits
from memcli.storage.git import index_lock, process
from memcli.storage.git.repository import Repository
from tests.git_command import git, hook, program
from tests.storage.git.conftest import copied

HOSTILE = "*a" * 60 + "b\n"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes and groups of POSIX")


PROGRAM = (
    "import sys; from memcli.storage.git.repository import Repository\n"
    "from memcli.storage.git import commit as commits\n"
    "commits.commit(Repository.open(sys.argv[1]), ['a.md'], 'add')"
)


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    return copied(made, "first", tmp_path / "vault")


def alive(words: str) -> bool:
    return not subprocess.run(["pgrep", "-f", words], capture_output=True).returncode


# --- which program it is --------------------------------------------------------------


@pytest.mark.parametrize("around", ["vault", "repository", "current folder"])
def test_a_git_that_lies_in_the_vault_or_its_repository_is_not_run(
    tmp_path: Path, made: Path, root: Path, monkeypatch: pytest.MonkeyPatch, around: str
) -> None:
    top = root
    if around == "repository":
        root = root / "docs" / "vault"
        root.mkdir(parents=True)
    elif around == "current folder":
        top = copied(made, "empty", tmp_path / "code")
    bin_folder = top / "bin"
    program(bin_folder / "git", f"touch {tmp_path}/ran")
    (top / "sub").mkdir()
    (tmp_path / "link").symlink_to(bin_folder)
    (tmp_path / "proc").symlink_to("/proc/self/cwd/bin")
    for folder in (
        bin_folder,
        "/proc/self/cwd/bin",
        tmp_path / "link",
        tmp_path / "proc",
    ):
        for here in (top, top / "sub"):
            monkeypatch.chdir(here)
            path = os.pathsep.join([str(folder), "bin", os.environ["PATH"]])
            environ = {**os.environ, "PATH": path}
            repository = Repository.open(str(root), environ=environ)
            # Nor by a hook of the user, by its name alone.
            assert str(bin_folder) not in repository.environment["PATH"]
            assert "/proc/" not in repository.environment["PATH"]
    (root / "a.md").write_text("a\n")
    assert commits.commit(repository, ["a.md"], "add")
    assert not (tmp_path / "ran").exists()


def test_a_git_below_a_home_folder_that_is_under_git_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Repository.init(str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    env = process.clean_environment({"PATH": str(tmp_path / "bin")}, str(tmp_path))
    assert env["PATH"] == str(tmp_path / "bin")


# --- when it ends ---------------------------------------------------------------------


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes"])
def test_a_rule_that_takes_git_for_ever_ends_at_the_limit_and_nothing_is_staged(
    root: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(process, "_LIMIT", 1.0)
    (root / name).write_text(HOSTILE.strip() + " text\n" * (name != ".gitignore"))
    path = "a" * 200 + ".md"
    (root / path).write_text("a\n")
    with pytest.raises(HistoryError, match="did not end within 1 s") as caught:
        commits.commit(Repository.open(str(root)), [path], "add")
    assert name in (caught.value.hint or "")
    assert not alive(f"git -C {root}")
    (root / name).unlink()
    assert Repository.open(str(root)).status() == [("??", path)]


@pytest.mark.parametrize(
    "name",
    [
        *(".gitignore", ".gitattributes", "notes/.gitignore"),
        *(".git/index", ".git/config", ".git/refs/heads/main", ".git/logs/HEAD"),
    ],
)
def test_a_pipe_that_git_would_wait_for_is_named_within_a_second(
    root: Path, name: str
) -> None:
    (root / "notes").mkdir()
    (root / "notes" / "a.md").write_text("a\n")
    (root / name).unlink(missing_ok=True)
    repository = Repository.open(str(root))
    os.mkfifo(root / name)
    asks = [
        repository.status,
        lambda: commits.commit(repository, ["notes/a.md"], "add"),
    ]
    # Only a commit reads attributes, the branch and its reflog.
    only = name.endswith(("attributes", "main", "logs/HEAD"))
    for ask in asks[1:] if only else asks:
        begun = time.monotonic()
        # memcli itself copies the index.
        with pytest.raises(
            (HistoryError, Unreadable), match=f"{name}:? is (a pipe|not)"
        ):
            ask()
        assert time.monotonic() - begun < 2
    assert not alive(f"git -C {root}")
    assert not (root / ".git" / "index.lock").exists()


def test_a_hook_of_a_person_may_take_its_time_and_ends_with_its_git_at_the_limit(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(root, "pre-commit", "sleep 0.7")
    (root / "a.md").write_text("a\n")
    assert commits.commit(Repository.open(str(root)), ["a.md"], "add")
    hook(root, "pre-commit", f"sh -c 'sleep 3333; echo {root}'")
    monkeypatch.setattr(process, "LONGEST", 1.0)
    (root / "a.md").write_text("b\n")
    with pytest.raises(HistoryError, match="git commit did not end within 1 s"):
        commits.commit(Repository.open(str(root)), ["a.md"], "change")
    assert not alive(f"sleep 3333; echo {root}")
    assert not (root / ".git" / "index.lock").exists()
    assert git(root, "diff", "--cached", "--name-only") == ""


def test_what_a_hook_leaves_in_the_background_outlives_the_commit(root: Path) -> None:
    hook(root, "post-commit", "(sleep 0.5; touch .git/later; sleep 10) &")
    (root / "a.md").write_text("a\n")
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", PROGRAM, str(root)], check=True)
    assert time.monotonic() - begun < 10, "a daemon keeps nobody waiting"
    until = time.monotonic() + 20
    while not (root / ".git" / "later").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert (root / ".git" / "later").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="the signal of a pipe is Linux's")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_git_ends_when_its_memcli_does(root: Path, number: signal.Signals) -> None:
    hook(root, "pre-commit", f"touch .git/started; sh -c 'sleep 3333; echo {root}'")
    (root / "a.md").write_text("a\n")
    running = subprocess.Popen([sys.executable, "-c", PROGRAM, str(root)])
    while not (root / ".git" / "started").exists():
        time.sleep(0.01)
    # memcli ties a git to itself when it runs; a busy machine may run the hook first.
    time.sleep(1)
    running.send_signal(number)
    running.wait()
    until = time.monotonic() + 10
    while alive(f"sleep 3333; echo {root}") and time.monotonic() < until:
        time.sleep(0.01)
    assert not alive(f"sleep 3333; echo {root}")
    git_dir = str(root / ".git")
    while not index_lock.release(git_dir) and time.monotonic() < until:
        time.sleep(0.01)
    assert not (root / ".git" / "index.lock").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="its handles are looked up")
def test_a_lock_has_its_mark_before_it_has_its_name(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill at either side of its making leaves none, or one that `release` knows."""
    git_dir = str(root / ".git")
    lock = root / ".git" / "index.lock"
    link = os.link

    def killed_before(*_: object, **__: object) -> None:
        raise SystemExit

    def killed_after(*words: str, **more: int) -> None:
        link(*words, **more)  # type: ignore[arg-type]
        raise SystemExit

    for kill, there in ((killed_before, False), (killed_after, True)):
        monkeypatch.setattr(os, "link", kill)
        with pytest.raises(SystemExit):
            index_lock._make(str(lock))
        assert lock.exists() is there
    for handle in os.listdir("/proc/self/fd"):  # what the end of a process closes
        path = f"/proc/self/fd/{handle}"
        if os.path.realpath(path).startswith(git_dir):
            os.close(int(handle))
    assert index_lock.release(git_dir)
    assert not lock.exists()


# --- what it reads --------------------------------------------------------------------


def test_a_replaced_commit_is_read_as_it_was_made(root: Path) -> None:
    (root / "a.md").write_text("a\n")
    commits.commit(Repository.open(str(root)), ["a.md"], "add")
    git(root, "replace", "HEAD", "HEAD^")
    repository = Repository.open(str(root))
    assert repository.status() == []
    (root / "b.md").write_text("b\n")
    commits.commit(repository, ["b.md"], "add")
    git(root, "replace", "-d", "HEAD^")
    assert git(root, "ls-tree", "--name-only", "HEAD") == "a.md\nb.md\nfirst.md\n"
    assert git(root, "status", "--porcelain") == ""
