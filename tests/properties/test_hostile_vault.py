"""What a vault brings is never executed, followed out of it, or taken for our own.

A vault comes through git from other people; each test is an attack that worked once,
or a variation of one.
"""

import os
import pickle
import shutil
import stat
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from memcli import Vault, Vaults
from memcli.entries import layout
from memcli.entries.text import prompt_injection
from memcli.errors import MemcliError, Unreadable
from memcli.sessions.hooks import call as hook
from memcli.sessions.hooks import pipe
from memcli.storage import journal, state_dirs
from memcli.storage.journal import FileChange
from memcli.vault.health.lint import lint
from tests import processes
from tests.checkouts import allow
from tests.conftest import VaultMaker, state_of
from tests.git_command import git, program
from tests.recall.test_team_troubles import sparse
from tests.saving import write

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and modes of POSIX")


class Trap:
    """Unpickled, or run by git, it leaves a file behind."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return os.system, (f"touch {self.mark}",)

    @property
    def command(self) -> str:
        return f"touch {self.mark}; false"


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path / "executed")


def every_path(vault: Vault) -> None:
    """What reads, writes and looks into a vault, once."""
    fresh = Vault.open(vault.root, now_ms=vault.now_ms)
    fresh.recall("deploy")
    fresh.reflect("deploy")
    saved = fresh.save("We deploy on Mondays, says a test")
    fresh.evolve(saved.id, "We deploy on Tuesdays")
    list(lint(fresh))
    for words in (["inspect"], ["inspect", "index"], ["recall", "deploy"]):
        processes.run(*words, "--vault", vault.root)


@posix
def test_a_planted_journal_and_a_link_into_git_write_nothing(
    vault: Vault, trap: Trap
) -> None:
    Path(vault.root, "g").symlink_to(".git")
    run = Path(vault.root, ".memcli", "run")
    run.mkdir(exist_ok=True)
    changes = {"g/config": FileChange(None, b"[core]\n\tfsmonitor = touch /x\n")}
    journal.write(vault.root, changes, "a change")
    planted = state_of(vault.root, layout.JOURNAL)
    planted.rename(run / "journal")
    before = Path(vault.root, ".git", "config").read_bytes()
    every_path(vault)
    assert Path(vault.root, ".git", "config").read_bytes() == before
    assert (run / "journal").exists()
    (run / "journal").rename(planted)  # even in its own place it writes nothing
    with pytest.raises(Unreadable):
        every_path(vault)
    assert Path(vault.root, ".git", "config").read_bytes() == before


# --- where our own files lie --------------------------------------------------------


# --- a repository that carries a vault of its own -------------------------------------

_watched: list[str] | None = None


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _watched is not None and event in ("open", "os.listdir", "os.scandir"):
        path = arguments[0]
        if isinstance(path, str | bytes | os.PathLike):
            _watched.append(os.fsdecode(path))


@pytest.fixture
def carrying(make_vault: VaultMaker, tmp_path: Path) -> Path:
    """A repository of code with a vault in `.memory`, as a clone brings it."""
    source = make_vault("theirs")
    source.save("Deploy from the repository", pinned=True)
    top = tmp_path / "shop"
    git(top.parent, "init", "-q", str(top))
    shutil.copytree(source.root, top / ".memory", ignore=lambda *_: {".git"})
    git(top, "add", "-A")
    git(top, "commit", "-qm", "begin")
    return top


def test_of_a_repositorys_vault_nothing_is_read_until_the_user_allows_it(
    vault: Vault, carrying: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_VAULT", vault.root)
    monkeypatch.setattr(pipe, "start", lambda *_: "started nothing")
    vault.save("Deploy on Mondays", kind="constraint")
    sys.addaudithook(_watch)

    def every_way() -> None:
        asked = Vaults.open(cwd=str(carrying), now_ms=vault.now_ms)
        asked.recall("deploy")
        asked.reflect("deploy")
        for event in ("session-start", "prompt-submit", "stop", "session-end"):
            one = hook.Call([event, "--host", "claude-code"])
            about = {"session_id": event, "cwd": str(carrying)}
            payload = {**about, "prompt": "deploy from the repository"}
            hook.answer(one, partial(dict, payload))

    def read_of_it() -> list[str]:
        global _watched
        _watched = []
        every_way()
        read, _watched = _watched, None
        return [path for path in read if "shop/.memory" in path]

    assert read_of_it() == []
    allow(carrying)
    assert read_of_it(), "the watch sees what is read"


def test_a_repositorys_vault_runs_nothing_once_it_is_allowed(
    carrying: Path, trap: Trap, tmp_path: Path
) -> None:
    memory = carrying / ".memory"
    (memory / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
    with (memory / ".memcli" / "config.toml").open("a") as config:
        config.write(f'\n[judge]\ncommand = "{trap.command}"\n')
    # A bare repository in it, and hooks that git would take if it were asked there.
    (memory / "HEAD").write_text("ref: refs/heads/main\n")
    for folder in ("objects", "refs", "hooks"):
        (memory / folder).mkdir()
    (memory / "config").write_text(f"[core]\n\tfsmonitor = {trap.command}\n")
    program(memory / "hooks" / "pre-commit", trap.command)
    (memory / "memories" / "note").mkdir(parents=True, exist_ok=True)
    (memory / "memories" / "fix").symlink_to(tmp_path)
    for name in ("journal", "index"):
        (memory / ".memcli" / name).write_bytes(pickle.dumps(trap))
    allow(carrying)
    here = str(carrying)
    repo = Vault.open("repo", cwd=here, now_ms=lambda: int(time.time() * 1000))
    Vaults.open("repo", cwd=here).recall("deploy")
    saved = repo.save("Tests run with vitest")
    repo.evolve(saved.id, "Tests run with jest")
    with pytest.raises(MemcliError):
        repo.save("A fix that would leave", kind="fix")
    assert not trap.mark.exists()
    assert not list(tmp_path.glob("*.md"))
    committed = git(here, "log", "--format=", "--name-only", "-2").split()  # fmt: skip
    assert committed
    assert all(path.startswith(".memory/") for path in committed)


def test_a_new_vault_at_an_old_path_inherits_nothing(make_vault: VaultMaker) -> None:
    old = make_vault("same")
    first = state_of(old.root, layout.EVENTS)
    shutil.rmtree(old.root)
    time.sleep(0.01)
    git(Path(old.root).parent, "init", "-q", old.root)
    assert state_of(old.root, layout.EVENTS) != first


@posix
def test_without_a_home_our_files_are_private_to_the_user(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, "/nonexistent")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    private = tmp_path / f"memcli-{os.getuid()}"
    monkeypatch.setattr(state_dirs, "_is_made", lambda _: False)
    place = state_of(vault.root, layout.INDEX)
    assert private in place.parents
    assert stat.S_IMODE(private.stat().st_mode) == 0o700


@posix
def test_a_private_folder_that_others_can_write_to_is_refused(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memcli.errors import WriteFailed

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(state_dirs, "_is_made", lambda _: False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/nonexistent")
    taken = tmp_path / f"memcli-{os.getuid()}"
    taken.mkdir(mode=0o777)
    taken.chmod(0o777)
    with pytest.raises(WriteFailed, match="only you"):
        state_dirs.path(vault.root, layout.INDEX)
    taken.rmdir()
    taken.symlink_to(tmp_path)
    with pytest.raises(WriteFailed, match="only you"):
        state_dirs.path(vault.root, layout.INDEX)


# --- what is read has a limit -------------------------------------------------------


def deep(opening: str, closing: str, depth: int = 25_000) -> str:
    return opening * depth + closing * depth


DEEP = (
    "tags: " + deep("[", "]"),
    "tags: " + deep("{a: ", "}"),
    "tags:\n " + "- " * 25_000 + "x",
    "tags:\n" + "\n".join(" " * n + "a:" for n in range(1_200)),
    deep("? ", "", 5_000) + "x: y",
    "\n".join(f"k{n}: v" for n in range(15_000)),
    "tags: " + "[" * 25_000,
)


def recalled(vault: Vault) -> tuple[str, str]:
    """What a recall that finds a memory prints, and what it says beside that."""
    done = processes.run("recall", "deploy", "--vault", vault.root, timeout=60)
    assert done.returncode == 0, done.stderr
    assert b"We deploy on Mondays" in done.stdout
    return done.stdout.decode(), done.stderr.decode()


def test_notes_nested_too_deep_are_named_and_end_no_command(vault: Vault) -> None:
    vault.save("We deploy on Mondays")
    for number, lines in enumerate(DEEP):
        note = Path(vault.root, "memories", f"deep{number}.md")
        note.write_text(f"---\nid: 1m7xvn68xtqp48{number:02}\n{lines}\n---\nx\n")
    _, said = recalled(vault)
    named = vault.recall("deploy").warnings
    assert all(f"deep{number}.md" in f"{said}{named}" for number in range(len(DEEP)))


STRANGE: dict[str, Callable[[Path], object]] = {
    "sparse": sparse,
    "fifo": os.mkfifo,
    "zero": lambda path: path.symlink_to("/dev/zero"),
    "folder": os.mkdir,
    "nested": lambda path: path.write_text("a = " + deep("[", "]", 100_000)),
}


@posix
@pytest.mark.parametrize("what", STRANGE)
def test_a_strange_file_in_any_place_takes_no_answer_away(
    vault: Vault, what: str
) -> None:
    vault.save("We deploy on Mondays")
    for place in (".gitattributes", "memories/n.md", "entities/tool/redis.md"):
        path = Path(vault.root, place)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        STRANGE[what](path)
    recalled(vault)


# --- what would begin a line of its own in an answer ----------------------------------


def test_a_path_of_two_lines_is_no_entry_and_is_named(vault: Vault) -> None:
    vault.save("We deploy on Mondays")
    for path in ("memories/a\nsaved\tx.md", "b\x1b[2J/c.md", "memories/\u2028.md"):
        write(vault, path, "We deploy whenever we like\n")
    assert len(vault.recall("deploy").rows) == 1
    found = [finding for finding in lint(vault) if finding.code == "odd_path"]
    assert [finding.path for finding in found] == [
        r"b\x1b[2J/c.md",
        r"memories/\u2028.md",
        r"memories/a\nsaved\tx.md",
    ]


def test_a_field_of_two_lines_is_one_line_in_every_answer(vault: Vault) -> None:
    fields = "".join(
        f'{name}: "a\\nFAKE\\x85FAKE\\u2028FAKE"\n'
        for name in ("title", "agent", "reason", "resolved_by", "resolution_note")
    )
    note = Path(vault.root, "memories", "a.md")
    note.write_text(
        f"---\nid: 1jy5e6hm03e2cs6s\n{fields}visibility: shared\n"
        'entities: ["Redis\\nFAKE"]\nsource:\n  session: "s\\nFAKE"\n---\nWe deploy\n'
    )
    broken = '---\nid: 1jy5e6hm03e2cs6t\n"a\\nFAKE": 1\n"a\\nFAKE": 2\n---\nx\n'
    note.with_name("b.md").write_text(broken)
    note.with_name("c.md").write_text("---\nid: 1jy5e6hm03e2cs6v\n---\n[[a\nFAKE]]\n")
    assert vault.recall("deploy").rows[0].title == "a FAKE FAKE FAKE"
    for words in (
        ["recall", "deploy"],
        ["inspect", "1jy5e6hm03e2cs6s"],
        ["inspect", "lint"],
        ["list", "--all", "--kind", "decision"],
    ):
        done = processes.run(*words, "--vault", vault.root)
        lines = (done.stdout + done.stderr).decode().split("\n")
        assert any("FAKE" in line for line in lines), words
        assert not [line for line in lines if line.startswith("FAKE")]


@pytest.mark.parametrize("piece", ["<!--", "[[", "[a](", "`", "\\", "(", "==", "~~~\n"])
def test_a_text_of_openings_that_nothing_closes_is_read_in_its_length(
    vault: Vault, piece: str
) -> None:
    text = piece * 20_000
    write(vault, "openings.md", f"---\nkind: constraint\n---\n{text}\n")
    began = time.process_time()
    assert vault.recall("openings").rows is not None
    assert prompt_injection.of_entry("openings", text, "repo") is None
    assert time.process_time() - began < 3
