"""Many processes save at once: nobody's entry is lost, and git stays tidy."""

import subprocess
import sys
from pathlib import Path

from memcli import recall
from memcli.library import Vault

PROCESSES, SAVES = 8, 10

_CHILD = """
import sys
from memcli.library import Vault
root, name, count = sys.argv[1:]
vault = Vault(root)
for number in range(int(count)):
    text = f"writer{name} notes thing{number} about shared subject"
    saved = vault.save(vault.draft({"text": text}))
    assert saved.outcome == "created", saved
"""


def git(vault: Vault, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", vault.root, *arguments],
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    ).stdout


def test_eight_processes_saving_at_once_lose_nothing(vault: Vault) -> None:
    commits = int(git(vault, "rev-list", "--count", "HEAD"))
    staged = Path(vault.root, "staged-by-the-user.md")
    staged.write_text("mine, not yet committed\n", encoding="utf-8")
    git(vault, "add", staged.name)

    children = [
        subprocess.Popen(
            [sys.executable, "-c", _CHILD, vault.root, str(name), str(SAVES)],
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        for name in range(PROCESSES)
    ]
    for child in children:
        _, errors = child.communicate(timeout=120)
        assert child.returncode == 0, errors

    everything = recall.enumerate_all(vault, view=recall.view(2_000_000_000)).rows
    texts = {row.text for row in everything if row.path != staged.name}
    assert len(texts) == PROCESSES * SAVES
    assert len({row.id for row in everything}) == len(everything) == len(texts) + 1
    for name in range(PROCESSES):
        found = vault.recall(f"writer{name}", limit=50).rows
        assert len([r for r in found if f"writer{name} " in r.text]) == SAVES
    assert int(git(vault, "rev-list", "--count", "HEAD")) == commits + len(texts)
    assert git(vault, "status", "--porcelain") == f"A  {staged.name}\n"
    git(vault, "fsck", "--no-dangling")
    for commit in git(vault, "rev-list", "HEAD", f"-{len(texts)}").split():
        changed = git(vault, "show", "--name-only", "--format=", commit).split()
        assert len(changed) == 1


def test_two_processes_saving_the_same_text_make_one_entry(vault: Vault) -> None:
    child = (
        "import sys\nfrom memcli.library import Vault\nvault = Vault(sys.argv[1])\n"
        "print(vault.save(vault.draft({'text': 'the very same words'})).outcome)"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", child, vault.root],
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        for _ in range(4)
    ]
    outcomes = sorted(child.communicate(timeout=60)[0].strip() for child in children)
    assert outcomes == ["created", "duplicate", "duplicate", "duplicate"]
    assert len(vault.recall("very same words").rows) == 1
