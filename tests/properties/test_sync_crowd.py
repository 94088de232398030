"""Two crowds write and sync at once, over each way to a remote; nothing is lost.

Five rounds here, fifty in `make test-all`.
"""

import os
from functools import partial
from pathlib import Path

import pytest

from memcli.curation import sync
from memcli.errors import LockBusy
from tests.clones import TERMS, Clones, dirty, say, texts, tree
from tests.conftest import EVERYTHING
from tests.forks import child
from tests.git_command import git, program

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not hasattr(os, "fork"), reason="needs fork, which Windows has not"
    ),
]

ROUNDS = 50 if EVERYTHING else 5
WRITERS = 2


def synced(two: Clones, name: str) -> None:
    """Sync, as a person would: once more where the remote moved too often."""
    for _ in range(5):
        try:
            sync.sync(two.vault(name), TERMS)
        except LockBusy:
            continue
        return
    raise AssertionError("the remote moved again and again")


def test_two_crowds_that_write_while_they_sync_lose_nothing(two: Clones) -> None:
    shared = say(two.vault("laptop"), "everybody changes this")
    two.sync("laptop")
    two.sync("desk")
    said = {"everybody changes this"}
    for number in range(ROUNDS):
        children = []
        for name in two.roots:
            for writer in range(WRITERS):
                text = f"round {number}, {name} {writer}"
                said.add(text)

                def write(name: str = name, text: str = text) -> None:
                    vault = two.vault(name)
                    vault.caller = vault.caller._replace(entropy=os.urandom)
                    say(vault, text)

                children.append(child(write))
            children.append(child(partial(synced, two, name)))
        codes = [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children]
        assert codes == [0] * len(children), number
    for name in ("laptop", "desk", "laptop"):
        synced(two, name)
    for root in two.roots.values():
        assert texts(root) == said
        assert dirty(root) == ""
    assert tree(two.roots["laptop"]) == tree(two.roots["desk"])
    assert two.vault("desk").get(shared).body.strip() == "everybody changes this"
    git(two.remote, "fsck", "--no-dangling")


def over(two: Clones, address: str) -> None:
    """Both clones say something and sync over this address."""
    for name, root in two.roots.items():
        git(root, "remote", "set-url", "origin", address)
        say(two.vault(name), f"from {name}")
    for name in ("laptop", "desk", "laptop"):
        two.sync(name)
    for root in two.roots.values():
        assert texts(root) == {"from laptop", "from desk"}
        assert dirty(root) == ""


def test_over_gits_ssh_transport(
    two: Clones, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for ssh, which runs what it is told on this machine."""
    told = 'while [ "$1" != host ]; do shift; done\nshift\neval "$@"'
    ssh = program(tmp_path / "ssh", told)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    monkeypatch.setenv("GIT_SSH_VARIANT", "simple")
    over(two, f"host:{two.remote}")
