"""A kill at any instant leaves a vault that the next command can use."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.api import Vault
from memcli.recall import recall
from memcli.recall.query import Query, view_of
from memcli.recall.results import Row
from memcli.vault import create
from tests.conftest import sample

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on Windows"
    ),
]

_SAVE = """
import os, signal, sys
from memcli.api import Vault
from memcli.vault.caller import Caller
root, last = sys.argv[1], int(sys.argv[2])
steps = 0
def fault(name):
    global steps
    steps += 1
    if steps == last:
        os.kill(os.getpid(), signal.SIGKILL)
vault = Vault(root, Caller(fault=fault))
texts = ["first new memory", "second new memory"]
vault.save_all([vault.draft({"text": text}) for text in texts])
print(steps)
"""

# The index has no steps of its own to be told: every opening, renaming and removal
# of a file below it is one (CPython tells audit hooks before it happens).
_INDEX = """
import os, signal, sys
from memcli.entries import codec
from memcli.search import document, updating, whoosh_codec
from memcli.api import Vault
from memcli.vault.caller import Caller
root, last = sys.argv[1], int(sys.argv[2])
STATE = os.environ["MEMCLI_STATE"]
steps = 0
def hook(event, arguments):
    global steps
    if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir"):
        if any(STATE in str(argument) for argument in arguments[:2]):
            steps += 1
            if steps == last:
                os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hook)
Vault(root).recall("anything")
print(steps)
"""


@pytest.fixture
def tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """On a disk where there is one, also when the other tests write to memory."""
    disk = "/var/tmp" if os.access("/var/tmp", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=disk) as name:
        monkeypatch.setenv("MEMCLI_STATE", os.path.join(name, "state"))
        yield Path(name)


def run(program: str, root: str, last: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, root, str(last)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )


def everything(vault: Vault) -> list[Row]:
    found = recall.enumerate_all(vault, Query("", view_of(2_000_000_000)))
    assert found.warnings == []
    return found.rows


def write(root: str, name: str, text: str) -> None:
    path = Path(root, "memories", "note", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_a_save_that_is_killed_at_any_step_leaves_a_usable_vault(
    tmp_path: Path, home: Path
) -> None:
    root = str(tmp_path / "counted")
    create.prepare(root)
    counted = run(_SAVE, root, 0)
    assert counted.returncode == 0, counted.stderr
    steps = int(counted.stdout)
    assert steps >= 10

    for last in sample(range(1, steps + 1), 5):
        root = str(tmp_path / f"vault-{last}")
        create.prepare(root)
        vault = Vault(root)
        old = vault.save(vault.draft({"text": "an older memory"}))
        before = Path(root, old.path).read_bytes()

        killed = run(_SAVE, root, last)
        assert killed.returncode == -signal.SIGKILL, (last, killed.stderr)

        assert Path(root, old.path).read_bytes() == before
        texts = {row.text for row in everything(Vault(root))}
        assert "an older memory" in texts
        assert texts <= {"an older memory", "first new memory", "second new memory"}
        # The next commands work, and what was cut short can be said again.
        vault = Vault(root)
        for text in ("first new memory", "second new memory", "and a later one"):
            vault.save(vault.draft({"text": text}))
        assert len(everything(Vault(root))) == 4
        fsck = subprocess.run(["git", "-C", root, "fsck"], capture_output=True)
        assert fsck.returncode == 0


def test_an_index_update_that_is_killed_at_any_step_changes_no_answer(
    tmp_path: Path, home: Path
) -> None:
    def prepared(name: str) -> str:
        root = str(tmp_path / name)
        create.prepare(root)
        for number in range(4):
            write(root, f"n{number}.md", f"anything about subject{number}\n")
        Vault(root).recall("anything")
        write(root, "n0.md", "anything about something else entirely\n")
        write(root, "n4.md", "anything that is new\n")
        os.unlink(os.path.join(root, "memories/note/n1.md"))
        return root

    root = prepared("counted")
    counted = run(_INDEX, root, 0)
    assert counted.returncode == 0, counted.stderr
    steps = int(counted.stdout)
    assert steps >= 5
    now = view_of(2_000_000_000)
    wanted = sorted(Vault(root).recall("anything new subject2", view=now).rows)
    assert [row for row in wanted if "subject1" in row.text] == []

    for last in sample(range(1, steps + 1), 12):
        root = prepared(f"vault-{last}")
        killed = run(_INDEX, root, last)
        assert killed.returncode == -signal.SIGKILL, (last, killed.stderr)
        rows = Vault(root).recall("anything new subject2", view=now).rows
        shown = [(row.path, row.text, row.score) for row in sorted(rows)]
        assert shown == [(row.path, row.text, row.score) for row in wanted], last
