"""Three clones that meet by plain git alone, with memcli's driver, and repair.

What `memcli sync` does is proved in `test_clones` and by its own tests.
"""

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries import codec
from memcli.entries.entry import Entry, Status
from memcli.vault.create import let_git_merge
from memcli.vault.health import repair
from tests.conftest import EVERYTHING, NOW, SEED
from tests.lineages import check_lineages, check_resolved

pytestmark = pytest.mark.slow

PROGRAM = (sys.executable, "-P", "-m", "memcli")
WORDS = ("deploy", "cache", "queue", "port", "disk")
ROUNDS = 6 if EVERYTHING else 1


class Machine:
    """A clone and the person who works in it."""

    def __init__(self, root: Path, clock: list[int]) -> None:
        self.root = root
        let_git_merge(str(root), PROGRAM)
        self.vault = Vault.open(str(root), now_ms=lambda: clock[0] * 1000)

    def git(self, *words: str, asks: str | None = None) -> str:
        """What git prints; it may end with a conflict that begins with `asks`."""
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "gc.auto=0"]
        command = ["git", "-C", str(self.root), *who, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        assert done.returncode == 0 or (asks and said.startswith(asks)), said
        return done.stdout

    def sync(self) -> None:
        """What a person would do: commit, pull, repair, push.

        Where one side moved a file into the archive and the other removed it, git asks
        (docs/use/sharing.md): the person keeps what git has left there.
        """
        self.commit()
        pull = ("pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main")
        self.git(*pull, asks="CONFLICT (rename/delete)")
        for _ in range(3):  # an entry in two forks takes two repairs
            planned = repair.plan(self.vault)
            if not planned.steps:
                break
            repair.apply(self.vault, planned)
        self.commit()
        self.git("push", "--quiet", "origin", "main")

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "by hand")

    def entries(self) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        for place in sorted(self.root.rglob("*.md")):
            path = place.relative_to(self.root).as_posix()
            if path != "README.md":
                entry = codec.decode(place.read_bytes(), path).entry
                assert entry.id not in found, f"two files are {entry.id}"
                found[entry.id] = entry
        return found

    def files(self) -> dict[str, bytes]:
        paths = self.git("ls-files", "-z").split("\0")[:-1]
        return {path: (self.root / path).read_bytes() for path in paths}


@pytest.mark.parametrize("number", range(ROUNDS))
def test_clones_that_meet_by_plain_git_end_equal(
    number: int, ready_vault: Path, tmp_path: Path
) -> None:
    chosen = random.Random(f"{SEED} {number}")
    clock = [NOW]
    remote = tmp_path / "remote.git"
    shutil.copytree(ready_vault, tmp_path / "0")
    clone = ["git", "clone", "--quiet"]
    command = [*clone, "--bare", str(tmp_path / "0"), str(remote)]
    subprocess.run(command, check=True)
    for name in "12":
        subprocess.run([*clone, str(remote), str(tmp_path / name)], check=True)
    machines = [Machine(tmp_path / name, clock) for name in "012"]
    machines[0].git("remote", "add", "origin", str(remote))
    said: set[str] = set()
    resolved: set[str] = set()
    for _ in range(18):
        machine = chosen.choice(machines)
        clock[0] += 1
        words = " ".join(chosen.sample(WORDS, 3)) + f" {clock[0]}"
        old = [e for e in machine.entries().values() if e.status is Status.ACTIVE]
        act = chosen.choice(("save", "evolve", "evolve", "tag", "resolve", "sync"))
        if act == "sync":
            machine.sync()
        elif act == "save" or not old:
            machine.vault.save(machine.vault.draft({"text": words}))
            said.add(words)
        elif act == "evolve":
            machine.vault.evolve(chosen.choice(old).id, words)
            said.add(words)
        elif act == "resolve":
            entry = chosen.choice(old)
            machine.vault.resolve(entry.id)
            resolved.add(entry.id)
        else:
            entry = chosen.choice(old)
            changed = entry.replace(tags=(*entry.tags, words.split()[0]))
            place = machine.root / entry.path
            place.write_bytes(codec.rewrite(place.read_bytes(), changed))
    for machine in [*machines, *machines]:
        machine.sync()
    files = machines[0].files()
    assert files == machines[1].files() == machines[2].files()
    entries = machines[0].entries()
    bodies = "\n".join(entry.body for entry in entries.values())
    assert not [text for text in said if text not in bodies]
    check_lineages(entries)
    check_resolved(entries, resolved)
