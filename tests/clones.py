"""Clones of one vault around a bare remote, for tests of `memcli sync`.

Copies of a folder instead of `git clone`: a clone costs 30 ms of git, a copy 3.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from memcli import Vault
from memcli.curation import sync, sync_rules
from memcli.curation.sync_report import Synced
from memcli.entries import codec, layout
from memcli.entries.entry import Entry
from memcli.storage.git.remote import Terms
from memcli.vault.caller import Caller
from tests.conftest import NOW
from tests.git_command import git


class Ids:
    """Random bytes that are the same in every run, and differ between clones."""

    def __init__(self, start: int) -> None:
        self.number = start << 20

    def __call__(self, count: int) -> bytes:
        self.number += 1
        return int(self.number % 256**count).to_bytes(count, "big")


class Clones(NamedTuple):
    """A bare remote, and clones of it by name; each is a copy of the same vault."""

    remote: Path
    roots: dict[str, Path]

    def vault(self, name: str) -> Vault:
        """A clone, opened."""
        root = self.roots[name]
        number = list(self.roots).index(name) + 1
        return Vault(
            str(root),
            Caller(now_ms=clock(number), entropy=Ids(number * 1000)),
        )

    def sync(self, name: str) -> Synced:
        """Sync a clone, without pauses."""
        vault = self.vault(name)
        done = sync.sync(vault, TERMS, sleep=lambda _: None)
        sync_rules.told(vault)
        return done

    def tip(self) -> str:
        """The remote's commit."""
        return git(self.remote, "rev-parse", "main").strip()


TERMS = Terms(silence=20.0)
_ticks = iter(range(1, 10**9))


def clock(_number: int) -> Callable[[], int]:
    """A clock that goes a second with each look, the same for all clones."""
    return lambda: (NOW + next(_ticks)) * 1000


def make(ready: Path, folder: Path, *names: str) -> Clones:
    """A bare remote that holds a fresh vault, and clones of these names."""
    made = ready.parent / "-".join(("clones", *names))
    if not made.exists():
        made.mkdir()
        _make(ready, made, *names)
    return copied(made, folder, *names)


def copied(made: Path, folder: Path, *names: str) -> Clones:
    """The same remote and clones in another folder."""
    shutil.copytree(made, folder, symlinks=True, dirs_exist_ok=True)
    two = Clones(folder / "remote.git", {name: folder / name for name in names})
    for root in two.roots.values():
        config = root / ".git" / "config"
        text = config.read_text(encoding="utf-8")
        config.write_text(
            text.replace(str(made / "remote.git"), str(two.remote)), encoding="utf-8"
        )
    return two


def _make(ready: Path, folder: Path, *names: str) -> None:
    remote = folder / "remote.git"
    first = folder / names[0]
    shutil.copytree(ready, first)
    git(first, "remote", "add", "origin", str(remote))
    git(first, "config", "branch.main.remote", "origin")
    git(first, "config", "branch.main.merge", "refs/heads/main")
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(remote))
    shutil.rmtree(remote / "hooks")
    git(first, "push", "--quiet", "origin", "main")
    for name in names[1:]:
        shutil.copytree(first, folder / name, symlinks=True)


def say(vault: Vault, text: str) -> str:
    """Save a memory; its id."""
    return vault.save(vault.draft({"text": text})).id


def texts(root: Path) -> set[str]:
    """The text of every entry in the folder, of the archive, too."""
    return {entry.body.strip() for entry in entries(root).values()}


def entries(root: Path) -> dict[str, Entry]:
    """Every entry in the folder, of the archive, too, by its id."""
    found: dict[str, Entry] = {}
    for path in sorted(root.rglob("*.md")):
        relative = path.relative_to(root).as_posix()
        if layout.is_entry(relative) and not relative.startswith(".git/"):
            entry = codec.decode(path.read_bytes(), relative).entry
            assert entry.id not in found, f"{entry.id} twice"
            found[entry.id] = entry
    return found


def dirty(root: Path) -> str:
    """What git says where folder, index and HEAD are not the same."""
    return git(root, "status", "--porcelain", "-uall")


def tree(root: Path, commit: str = "HEAD") -> str:
    """The id of a commit's tree."""
    return git(root, "rev-parse", f"{commit}^{{tree}}").strip()


def put(root: Path, path: str, text: str) -> Path:
    """Write a file and commit it, as a person does."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    commit(root)
    return place


def commit(root: Path) -> None:
    """Commit all that is in a folder, as a person does."""
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "by hand")
