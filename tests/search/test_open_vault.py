"""A vault that stays open answers like one that is opened anew, after every change."""

import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memcli import Vault
from memcli.recall.results import Recalled
from memcli.search import following
from tests.git_command import git

WORDS = ("deploy", "friday", "queue", "retry", "cache", "port")


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    # A young file is compared by content in each read.
    monkeypatch.setattr(following, "_RACY_NS", 0)


@pytest.fixture
def kept(vault: Vault) -> Vault:
    """A vault of a few files that was asked already."""
    for word in WORDS:
        write(Path(vault.root, "memories", "note", f"{word}.md"), f"The {word} is new")
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "notes")
    vault.recall("deploy")
    return vault


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def answers(vault: Vault) -> list[Recalled]:
    return [vault.recall(word, limit=50) for word in (*WORDS, "new old")]


def agrees(vault: Vault) -> bool:
    kept = answers(vault)
    return kept == answers(Vault.open(vault.root, now_ms=vault.now_ms))


def test_what_memcli_itself_writes_is_found(kept: Vault) -> None:
    entry = kept.save(kept.draft({"text": "We deploy on Tuesdays"})).id
    assert entry in [row.id for row in kept.recall("deploy").rows]
    kept.evolve(entry, "We deploy on Wednesdays", reason="it changed")
    assert [row.text for row in kept.recall("wednesday").rows] == [
        "We deploy on Wednesdays"
    ]


def test_other_settings_are_heeded(kept: Vault) -> None:
    with Path(kept.root, ".memcli", "config.toml").open("a") as config:
        config.write("\n# changed\n")
    assert agrees(kept)


def lives(folder: Path, vault: Vault) -> Iterator[Callable[[], object]]:
    """Every sort of change, as functions."""

    def note() -> Path:
        return random.choice(sorted(folder.rglob("*.md")))

    def text() -> str:
        return f"The {random.choice(WORDS)} is {random.choice(('old', 'new', 'x'))}"

    def replace() -> None:
        path = note()
        before = path.stat()
        write(path.with_name(".tmp"), text())
        os.utime(path.with_name(".tmp"), ns=(before.st_atime_ns, before.st_mtime_ns))
        path.with_name(".tmp").replace(path)

    def another_folder() -> None:
        write(folder / f"{random.random()}" / "deep" / "new.md", text())

    def commit() -> None:
        git(vault, "add", "-A")
        git(vault, "commit", "-q", "--allow-empty", "-m", "more")

    def stash() -> None:
        git(vault, "add", "-A")
        git(vault, "stash", "-q")

    yield lambda: write(note(), text())
    yield replace
    yield another_folder
    yield lambda: note().rename(folder / f"{random.random()}.md")
    yield lambda: note().unlink()
    yield lambda: shutil.move(note().parent, folder / f"{random.random()}")
    yield commit
    yield stash
    yield lambda: git(vault, "checkout", "-q", "-f", "HEAD~1")
    yield lambda: git(vault, "reset", "-q", "--hard", "main")
    yield lambda: vault.save(vault.draft({"text": text()}))


@pytest.mark.slow
def test_life_of_edits_is_followed(kept: Vault) -> None:
    folder = Path(kept.root, "memories")
    git(kept, "branch", "-f", "-M", "main")
    chance = random.Random(4)
    random.seed(4)
    for _ in range(12):
        try:
            chance.choice(list(lives(folder, kept)))()
        except (OSError, shutil.Error, IndexError, subprocess.CalledProcessError):
            write(folder / "note" / "again.md", "The deploy is new")
        assert agrees(kept)
