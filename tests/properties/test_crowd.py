"""A crowd writes, changes, resolves and reads at once, and a person commits beside it.

The normal run has 8 writers of 12 saves each, to stay short on two cores; with
`make test-all` it is 16 writers of 50 saves.
"""

import subprocess
import sys
import time
from collections import Counter

import pytest

from memcli import Vault
from memcli.entries.entry import Status
from memcli.recall.query import from_words
from memcli.vault.health import repair
from memcli.vault.health.lint import lint
from tests.conftest import EVERYTHING
from tests.git_command import git
from tests.saving import every, write

pytestmark = pytest.mark.slow

WRITERS, SAVES = (16, 50) if EVERYTHING else (6, 9)

_WRITER = """
import sys
import time
from memcli import Vault
root, name, count = sys.argv[1:]
vault = Vault(root)
for number in range(int(count)):
    text = f"writer{name} notes thing{number} about shared subject"
    assert vault.save(vault.draft({"text": text})).outcome == "created"
"""

# Everybody wants to be the next version of the same entries.
_CHANGER = """
import sys
import time
from memcli import Vault
from memcli.errors import NotAllowed
root, name, count, *ids = sys.argv[1:]
vault = Vault(root)
won = 0
for number in range(int(count)):
    wanted = ids[number % len(ids)]
    for _ in range(50):
        try:
            vault.evolve(wanted, f"version of changer{name}, round {number}")
        except NotAllowed as error:
            assert error.code == "superseded", error
            assert error.hint, error
            wanted = error.hint.split()[-1]
            continue
        won += 1
        break
print(won)
"""

_RESOLVER = """
import sys
import time
from memcli import Vault
root, count, *ids = sys.argv[1:]
vault = Vault(root)
for number in range(int(count)):
    for name in ids:
        vault.resolve(name, note=f"round {number}")
        vault.reopen(name)
"""

_READER = """
import sys
import time
from memcli import Vault
from memcli.recall.query import from_words
from tests.saving import every
root, count = sys.argv[1:]
for number in range(int(count)):
    vault = Vault(root)
    assert vault.recall("shared subject").warnings == []
    rows = every(vault, from_words("", 2_000_000_000, history=True)).rows
    active = [row.id for row in rows if row.status == "active"]
    assert len(active) == len(set(active)), "an id twice"
"""


def start(program: str, vault: Vault, *words: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", program, vault.root, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def patiently(vault: Vault, *words: str) -> None:
    """Run git until no other git holds its lock, as a person would."""
    for _ in range(1_000):
        done = subprocess.run(
            ["git", "-C", vault.root, *words],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            return
        assert "lock" in done.stderr, done.stderr
    raise AssertionError(done.stderr)


def test_a_crowd_loses_nothing_and_each_id_has_one_current_version(
    vault: Vault,
) -> None:
    # How long one waits is the machine's affair; that all come in is the claim.
    write(vault, ".memcli/config.toml", "[limits]\nlock_wait = 200\n")
    git(vault, "commit", "-q", "-a", "-m", "wait longer")
    fought = [vault.save(f"fought over, number {number}").id for number in range(3)]
    solved = [vault.save(f"solved again, number {number}").id for number in range(2)]
    staged = write(vault, "staged-by-the-user.md", "mine, not yet committed\n")
    git(vault, "add", staged.name)

    rounds = SAVES // 3
    writers = [start(_WRITER, vault, name, SAVES) for name in range(WRITERS)]
    changers = [start(_CHANGER, vault, name, rounds, *fought) for name in range(3)]
    others = [
        start(_RESOLVER, vault, rounds // 2, *solved),
        start(_READER, vault, SAVES),
        start(_READER, vault, SAVES),
    ]
    processes = [*writers, *changers, *others]
    # A person commits beside it, as an editor's plugin does.
    own = 0
    while any(process.poll() is None for process in writers):
        mine = write(vault, f"by-hand-{own}.txt", "from an editor\n")
        patiently(vault, "add", mine.name)
        patiently(vault, "commit", "-q", "-m", "by hand", "--", mine.name)
        own += 1
        time.sleep(0.05)
    won = 0
    ended = [process.communicate(timeout=300) for process in processes]
    for process, (said, errors) in zip(processes, ended, strict=True):
        assert process.returncode == 0, errors
        won += int(said or 0)

    query = from_words("", 2_000_000_000, statuses=[*map(str, Status)])
    rows = [row for row in every(vault, query).rows if row.path != staged.name]
    texts = Counter(row.text for row in rows if row.text.startswith("writer"))
    assert len(texts) == WRITERS * SAVES
    assert set(texts.values()) == {1}
    assert won == 3 * rounds
    assert len({row.id for row in rows}) == len(rows)
    successors = Counter(row.supersedes for row in rows if row.supersedes)
    assert set(successors.values()) == {1}, "an entry was replaced twice"
    heads = [row for row in rows if row.status == "active"]
    assert len(heads) == WRITERS * SAVES + len(fought) + len(solved)
    assert len(rows) == len(heads) + won
    assert own > 0
    # The person's git reads its index before it locks it, and may overwrite ours with
    # what it read. memcli looks afterwards, and cannot look for ever: what is lost
    # later is named and mended (docs/internals/decisions.md).
    if found := repair.plan(vault).steps:
        assert {step.code for step in found} == {"index"}
        repair.apply(vault, repair.plan(vault))
    assert git(vault, "status", "--porcelain") == f"A  {staged.name}\n"
    git(vault, "fsck", "--no-dangling")
    assert lint(vault) == []
    for commit in git(vault, "rev-list", "--grep=^save: ", "HEAD").split():
        changed = git(vault, "show", "--name-only", "--format=", commit).split()
        assert len(changed) == 1


def test_processes_that_save_the_same_text_make_one_entry(vault: Vault) -> None:
    program = (
        "import sys\nfrom memcli import Vault\nvault = Vault(sys.argv[1])\n"
        "print(vault.save(vault.draft({'text': 'the very same words'})).outcome)"
    )
    children = [start(program, vault) for _ in range(4)]
    outcomes = sorted(child.communicate(timeout=60)[0].strip() for child in children)
    assert outcomes == ["created", "duplicate", "duplicate", "duplicate"]
    assert len(vault.recall("very same words").rows) == 1
