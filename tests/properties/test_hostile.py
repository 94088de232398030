"""Disks that are full, folders that are closed, gits that are in the way.

Each refusal leaves the vault as it was, to the byte, and says what to do.
"""

import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.curation import review
from memcli.entries import layout
from memcli.errors import HistoryError, UnsafePath
from memcli.storage.lock import Lock
from memcli.vault.caller import Caller
from memcli.vault.health.lint import lint
from tests import processes
from tests.conftest import NOW, isolated_environment, state_of
from tests.forks import REFUSED, ended
from tests.git_command import git, hook
from tests.saving import write

Snapshot = Callable[[str], dict[str, str]]

# Each on an entry, an item and a candidate that `filled` has put there.
OPERATIONS: dict[str, Callable[[Vault, dict[str, str]], object]] = {
    "save": lambda v, ids: v.save("something new"),
    "evolve": lambda v, ids: v.evolve(ids["fact"], "another text", reason="r"),
    "resolve": lambda v, ids: v.resolve(ids["fact"], ids["item"]),
    "forget": lambda v, ids: v.forget(ids["fact"]),
    "approve": lambda v, ids: review.approve(v, ids["candidate"]),
    "reject": lambda v, ids: review.reject(v, ids["candidate"]),
    "supersede": lambda v, ids: review.supersede(v, ids["candidate"], ids["fact"]),
}

# One of each way to write: changed, and moved beside one that is new.
SOME = ("evolve", "approve")


def filled(vault: Vault) -> dict[str, str]:
    drafts = {
        "fact": {"text": "We deploy on Tuesdays"},
        "item": {"text": "Retest rerank", "item": "derived"},
        "candidate": {"text": "We deploy on Mondays", "status": "pending"},
    }
    return {name: vault.save(vault.draft(d)).id for name, d in drafts.items()}


def test_what_is_written_while_a_hook_refuses_stays_and_is_told(vault: Vault) -> None:
    """Putting the old bytes back would overwrite it: hooks may take minutes."""
    ids = filled(vault)
    path = vault.path_of(ids["fact"])
    place = Path(vault.root, path)
    before = place.read_bytes()
    hook(vault, "pre-commit", f"echo theirs >'{path}'\nexit 1")
    for operation in ("evolve", "resolve", "forget"):
        told: list[str] = []
        vault.caller = vault.caller._replace(tell=told.append)
        with pytest.raises(HistoryError):
            OPERATIONS[operation](vault, ids)
        assert told == [f"{path} was edited meanwhile and is left as it is"]
        assert place.read_bytes() == b"theirs\n"
        place.write_bytes(before)
        assert git(vault, "status", "--porcelain") == ""


def as_nobody(act: Callable[[], object]) -> int:
    """Run in a child without the rights of root; its exit code."""

    def without_rights() -> None:
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        act()

    return ended(without_rights)


_UNTESTED = "NOT TESTED, a vault that may only be read"


@pytest.fixture
def open_vault(ready_vault: Path) -> Iterator[Vault]:
    """A vault that a user without rights can reach, with its git's settings.

    Not below pytest's own folders: those are closed to other users, and parallel
    runs share them, so a test that opened and closed them would do it to others.
    """
    base = Path(tempfile.gettempdir()).resolve()
    closed = [f for f in (base, *base.parents) if f.stat().st_mode & 0o005 != 0o005]
    if closed and os.getuid() == 0:  # others stay who they are, and may go there
        reason = f"{closed[0]} is closed to users without rights: set TMPDIR"
        warnings.warn(f"{_UNTESTED}; {reason}", stacklevel=1)
        pytest.skip(reason)
    # What the child needs may lie where only root can read it.
    from memcli.curation import evolve, forget, resolve

    assert evolve
    assert forget
    assert resolve
    mask = os.umask(0o022)
    top = Path(tempfile.mkdtemp(prefix="memcli-test-", dir=base))
    try:
        environ = isolated_environment(top)
        shutil.copytree(ready_vault, top / "vault")
        for folder, _, names in os.walk(top):
            os.chmod(folder, 0o755)
            for name in names:
                os.chmod(os.path.join(folder, name), 0o644)
        yield Vault(
            str(top / "vault"), Caller(environ=environ, now_ms=lambda: NOW * 1000)
        )
    finally:
        os.umask(mask)
        shutil.rmtree(top)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings(f"default:{_UNTESTED}")  # shown in every run
def test_a_vault_that_may_only_be_read_answers_and_refuses_to_change(
    open_vault: Vault, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = open_vault
    # The reader has no folder of its own for the index but below the temporary one.
    temporary = Path(vault.root).with_name("temporary")
    temporary.mkdir()
    temporary.chmod(0o1777)
    monkeypatch.setenv("TMPDIR", str(temporary))
    ids = filled(vault)
    time.sleep(2.1)  # the index trusts the times of files that are so old
    vault.recall("deploy")
    vault.recall("deploy")
    before = snapshot(vault.root)
    for folder, _, _ in os.walk(vault.root):
        os.chmod(folder, 0o555)
    try:

        def read() -> None:
            reader = Vault(
                vault.root, Caller(environ=vault.environ, now_ms=vault.now_ms)
            )
            rows = reader.recall("deploy").rows
            assert [row.text for row in rows] == ["We deploy on Tuesdays"]

        assert as_nobody(read) == 0
        for name, act in OPERATIONS.items():

            def change(act: Any = act) -> None:
                fresh = Vault(
                    vault.root, Caller(environ=vault.environ, now_ms=vault.now_ms)
                )
                act(fresh, ids)

            assert as_nobody(change) == REFUSED, name
    finally:
        for folder, _, _ in os.walk(vault.root):
            os.chmod(folder, 0o755)
    assert snapshot(vault.root) == before


def test_a_held_lock_is_exit_code_75_within_the_configured_wait(vault: Vault) -> None:
    write(vault, layout.CONFIG, "[limits]\nlock_wait = 0.5\n")
    with Lock(str(state_of(vault.root, layout.LOCK)), 0):
        started = time.monotonic()
        done = processes.run("save", "x", "--vault", vault.root)
        waited = time.monotonic() - started
        assert done.returncode == 75
        assert "is locked" in done.stderr.decode()
        assert 0.5 <= waited < 9
        # Who only reads waits for nobody.
        assert processes.run("recall", "x", "--vault", vault.root).returncode == 0
    assert vault.save("x").outcome == "created"


def conflicting_branches(vault: Vault) -> None:
    path = write(vault, "both.md", "one\n")
    git(vault, "add", "both.md")
    git(vault, "commit", "-qm", "one")
    git(vault, "checkout", "-qb", "side")
    path.write_text("side\n", encoding="utf-8")
    git(vault, "commit", "-qam", "side")
    git(vault, "checkout", "-q", "main")
    path.write_text("main\n", encoding="utf-8")
    git(vault, "commit", "-qam", "main")


@pytest.mark.parametrize("state", ["merge", "rebase", "cherry-pick"])
def test_what_is_in_progress_is_not_concluded_by_a_write(
    vault: Vault, snapshot: Snapshot, state: str
) -> None:
    ids = filled(vault)
    conflicting_branches(vault)
    git(vault, state, "side", code=1)
    before = snapshot(vault.root)
    with pytest.raises(HistoryError, match=f"a {state} is in progress") as refusal:
        OPERATIONS["evolve"](vault, ids)
    assert f"git -C {vault.root} {state} --abort" in (refusal.value.hint or "")
    assert snapshot(vault.root) == before
    assert "git_state" in [finding.code for finding in lint(vault)]
    git(vault, state, "--abort")
    OPERATIONS["evolve"](vault, ids)


@pytest.mark.parametrize("name", SOME)
def test_a_detached_head_is_written_on(vault: Vault, name: str) -> None:
    ids = filled(vault)
    git(vault, "checkout", "-q", "--detach")
    commits = int(git(vault, "rev-list", "--count", "HEAD"))
    told: list[str] = []
    vault.caller = vault.caller._replace(tell=told.append)
    OPERATIONS[name](vault, ids)
    assert [said for said in told if "HEAD is detached" in said] == told != []
    assert int(git(vault, "rev-list", "--count", "HEAD")) == commits + 1
    assert git(vault, "status", "--porcelain") == ""


def test_an_archive_that_leads_out_of_the_vault_is_not_followed(
    vault: Vault, snapshot: Snapshot, tmp_path: Path
) -> None:
    ids = filled(vault)
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.rmtree(Path(vault.root, "archive"))
    Path(vault.root, "archive").symlink_to(outside)
    before = snapshot(vault.root)
    for name in ("evolve", "reject", "supersede"):
        with pytest.raises(UnsafePath, match="symbolic link"):
            OPERATIONS[name](vault, ids)
    assert snapshot(vault.root) == before
    assert list(outside.iterdir()) == []
