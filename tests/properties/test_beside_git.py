"""Beside a person whose git stashes, pulls, restores and commits, no id is lost.

Invariant: what memcli has acknowledged is found when the person is done and has run
`memcli doctor --fix`; a save that could not be made was refused.

The normal run has 3 writers of 3 saves; with `make test-all` it is 16 of 12.
"""

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli import Vault
from memcli.vault.health import repair
from tests.conftest import EVERYTHING
from tests.properties.test_crowd import start

pytestmark = pytest.mark.slow

WRITERS, SAVES = (16, 12) if EVERYTHING else (3, 3)

_WRITER = """
import sys
from memcli import Vault
from memcli.errors import MemcliError
root, name, count = sys.argv[1:]
for number in range(int(count)):
    vault = Vault(root)
    try:
        saved = vault.save(vault.draft({"text": f"writer{name} notes thing{number}"}))
        print(saved.id)
        if number % 2:
            print(vault.evolve(saved.id, f"writer{name} knows better {number}").id)
    except MemcliError as error:
        print(error.code, error.message[:200], file=sys.stderr)
"""


def git(root: Path, *words: str) -> int:
    """As a person would: what fails is tried again later."""
    command = ["git", "-C", str(root), *words]
    return subprocess.run(command, capture_output=True, check=False).returncode


def stash_everything(mine: Path, _clone: Path) -> None:
    (mine / "by-hand.txt").write_text("edited\n", encoding="utf-8")
    if git(mine, "stash", "--quiet", "--include-untracked") == 0:
        git(mine, "stash", "pop", "--quiet")


def commit_all(mine: Path, _clone: Path) -> None:
    path = mine / "by-hand.txt"
    path.write_text(path.read_text("utf-8") + "more\n", encoding="utf-8")
    git(mine, "commit", "--quiet", "--all", "--message=by hand")


def pull(mine: Path, clone: Path) -> None:
    """With a merge. What a rebase leaves out is a finding (test_lint)."""
    path = clone / "theirs.txt"
    path.write_text(path.read_text("utf-8") + "more\n", encoding="utf-8")
    git(clone, "commit", "--quiet", "--all", "--message=theirs")
    if git(mine, "pull", "--quiet", "--no-rebase", "origin", "main"):
        git(mine, "merge", "--abort")


def restore(mine: Path, _clone: Path) -> None:
    git(mine, "restore", ".")
    git(mine, "clean", "--force", "--quiet")


def done_with_it(mine: Path) -> None:
    """The person ends what is in progress."""
    git(mine, "merge", "--abort")
    git(mine, "switch", "--quiet", "main")
    while git(mine, "stash", "pop", "--quiet") == 0:
        pass
    git(mine, "reset", "--quiet", "--merge")  # a pop that ended in a conflict


@pytest.mark.parametrize("act", [stash_everything, commit_all, pull, restore])
def test_what_is_acknowledged_is_found_when_the_person_is_done(
    vault: Vault, tmp_path: Path, act: Callable[[Path, Path], None]
) -> None:
    mine, clone = Path(vault.root), tmp_path / "clone"
    for name in ("by-hand.txt", "theirs.txt"):
        (mine / name).write_text("first\n", encoding="utf-8")
    config = mine / ".memcli" / "config.toml"
    config.write_text("[limits]\nlock_wait = 200\n", encoding="utf-8")
    git(mine, "add", ".")
    git(mine, "commit", "--quiet", "--message=by hand")
    git(mine, "clone", "--quiet", str(mine), str(clone))
    git(mine, "remote", "add", "origin", str(clone))
    done = threading.Event()

    def person() -> None:
        while not done.wait(0.02):
            act(mine, clone)

    thread = threading.Thread(target=person)
    thread.start()
    try:
        writers = [start(_WRITER, vault, name, SAVES) for name in range(WRITERS)]
        ended = [writer.communicate(timeout=300) for writer in writers]
    finally:
        done.set()
        thread.join()
    acknowledged = [entry_id for ids, _ in ended for entry_id in ids.split()]
    refused = [line for _, errors in ended for line in errors.splitlines()]
    assert not [line for line in refused if "Traceback" in line]
    vault = Vault(vault.root)
    vault.recall("anything")
    repair.apply(vault, repair.plan(vault))
    done_with_it(mine)
    repair.apply(vault, repair.plan(vault))
    found = {row.id for row in vault.read(lambda r: [r.row(d) for d in r.everything()])}
    assert set(acknowledged) <= found, refused
    assert acknowledged, refused
