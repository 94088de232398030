"""Two crowds write and sync at once, over each way to a remote; nothing is lost.

Five rounds here, fifty in `make test-all`.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from memcli.curation import sync
from memcli.errors import LockBusy
from tests import clones
from tests.clones import TERMS, Clones, dirty, say, texts, tree
from tests.conftest import EVERYTHING
from tests.git_command import git
from tests.properties.test_kill_git import child

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not hasattr(os, "fork"), reason="needs fork, which Windows has not"
    ),
]

ROUNDS = 50 if EVERYTHING else 5
WRITERS = 2


@pytest.fixture
def two(ready_vault: Path, tmp_path: Path) -> Clones:
    return clones.make(ready_vault, tmp_path, "laptop", "desk")


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


def free_port() -> int:
    """A port of this machine that nothing listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def wait_for(daemon: "subprocess.Popen[bytes]", port: int, way: str) -> None:
    """Wait until a server listens; skip the test, with its words, when it ends."""
    assert daemon.stderr is not None
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if daemon.poll() is not None:
            said = daemon.stderr.read().decode()
            daemon.stderr.close()
            pytest.skip(f"NOT TESTED: sync over {way}, which cannot start: {said}")
        time.sleep(0.02)


def end(daemon: "subprocess.Popen[bytes]") -> None:
    """Stop a server and its children."""
    assert daemon.stderr is not None
    os.killpg(daemon.pid, 15)
    daemon.wait()
    daemon.stderr.close()


@pytest.fixture
def served(two: Clones) -> Iterator[str]:
    """The address of the remote at a `git daemon` of this machine."""
    port = free_port()
    daemon = subprocess.Popen(
        [
            "git", "daemon", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}",
            "--export-all", "--enable=receive-pack", f"--base-path={two.remote.parent}",
            str(two.remote.parent),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    wait_for(daemon, port, "git daemon")
    yield f"git://127.0.0.1:{port}/{two.remote.name}"
    end(daemon)


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


def test_over_a_git_daemon(two: Clones, served: str) -> None:
    over(two, served)


def test_over_gits_ssh_transport(
    two: Clones, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for ssh, which runs what it is told on this machine."""
    ssh = tmp_path / "ssh"
    ssh.write_text(
        '#!/bin/sh\nwhile [ "$1" != host ]; do shift; done\nshift\neval "$@"\n'
    )
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    monkeypatch.setenv("GIT_SSH_VARIANT", "simple")
    over(two, f"host:{two.remote}")


@pytest.fixture
def ssh_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of an ssh server of this test's own, which lets this user in."""
    server = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    if not (server and shutil.which("ssh") and shutil.which("ssh-keygen")):
        pytest.skip("NOT TESTED: sync over a real ssh; sshd is not installed")
    for name in ("host", "own"):
        key = str(tmp_path / name)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key])
    shutil.copy(tmp_path / "own.pub", tmp_path / "let_in")
    port = free_port()
    options = {
        "Port": port,
        "ListenAddress": "127.0.0.1",
        "HostKey": tmp_path / "host",
        "AuthorizedKeysFile": tmp_path / "let_in",
        "StrictModes": "no",  # others may write where tests do
        "PidFile": "none",
    }
    config = tmp_path / "sshd_config"
    config.write_text("".join(f"{name} {value}\n" for name, value in options.items()))
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(
            exist_ok=True
        )  # where a server of root's locks itself up
    daemon = subprocess.Popen(
        [server, "-D", "-e", "-f", str(config)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    wait_for(daemon, port, "a real ssh")
    ssh = f"ssh -F none -i {tmp_path}/own -o UserKnownHostsFile={tmp_path}/known"
    monkeypatch.setenv("GIT_SSH_COMMAND", f"{ssh} -o StrictHostKeyChecking=no")
    yield port
    end(daemon)


def test_over_ssh_to_this_machine(two: Clones, ssh_port: int) -> None:
    over(two, f"ssh://127.0.0.1:{ssh_port}{two.remote}")
