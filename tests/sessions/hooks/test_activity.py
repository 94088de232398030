"""`memcli inspect sessions` shows what memory did by itself."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.errors import Unreadable
from memcli.sessions import hook_log, markers, recovery, reflect_session
from tests.conftest import state_of
from tests.entries.text.secret_kinds import fill
from tests.sessions.hooks.calling import ALWAYS, age, call, session, work


def inspected(vault: Vault, *flags: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "memcli", "inspect", "sessions", *flags],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "MEMCLI_VAULT": vault.root, "COLUMNS": "200"},
    )
    return done.stdout + done.stderr


@pytest.mark.slow
def test_sessions_are_listed_by_state_with_the_reason_why_one_failed(
    live: Vault,
    tmp_path: Path,
    started: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("mined", "failed", "waiting", "live"):
        path = session(tmp_path, name, ALWAYS)
        given = {"session_id": name, "transcript_path": path}
        call(live, "session-start", "claude-code", given)
    flags = ["--host=claude-code", "--close"]
    work(live, "--session=mined", f"--transcript={tmp_path}/mined.jsonl", *flags)

    def failing(*_: Any, **__: Any) -> None:
        raise Unreadable("no scanner here")

    monkeypatch.setattr(reflect_session, "reflect", failing)
    work(live, "--session=failed", f"--transcript={tmp_path}/failed.jsonl", *flags)
    folder = state_of(live.root, layout.HARNESS)
    for one in (folder / "session-id-waiting.start", tmp_path / "waiting.jsonl"):
        age(one, recovery.STILL + 60)
    found = recovery.activity(live, 5)
    states = {one["session"]: one["state"] for one in found["sessions"]}
    assert states == {name: name for name in ("mined", "failed", "waiting", "live")}
    assert found["by_state"] == {"live": 1, "waiting": 1, "failed": 1, "mined": 1}
    (failed,) = [one for one in found["sessions"] if one["state"] == "failed"]
    assert "no scanner here" in failed["why"]
    assert failed["there"]
    out = inspected(live)
    assert out.startswith("sessions: live 1, waiting 1, failed 1, mined 1\n")
    assert "no scanner here" in out
    data = json.loads(inspected(live, "--json"))["data"]
    assert data["by_state"] == found["by_state"]
    assert data["calls"][0]["event"] == "reflect"
    # What was tried again and went well is no failure any more.
    monkeypatch.undo()
    work(live, "--session=failed", f"--transcript={tmp_path}/failed.jsonl", *flags)
    assert recovery.activity(live, 5)["by_state"]["failed"] == 0


def test_a_log_that_is_damaged_is_read_as_far_as_it_goes(live: Vault) -> None:
    path = state_of(live.root, layout.HOOK_LOG)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b'\xff\xfe\n[1]\n{"event": 5, "ms": "x", "session": []}\n{"ev')
    hook_log.note(live.root, {"event": "idle", "ms": 1})
    assert [one["event"] for one in recovery.activity(live, 1)["calls"]] == ["idle"]
    inspected(live)


def test_a_log_that_is_a_pipe_holds_nobody_up(live: Vault) -> None:
    path = state_of(live.root, layout.HOOK_LOG)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    hook_log.note(live.root, {"event": "idle"})
    assert os.read(reading, 1) == b""
    os.close(reading)
    hook_log.note(live.root, {"event": "idle"})
    assert hook_log.last(live.root, 1) == []


def test_the_log_stays_small_and_keeps_its_newer_half(
    live: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook_log, "_MOST", 2_000)
    for number in range(500):
        hook_log.note(live.root, {"event": "stop", "ms": number})
    kept = hook_log.last(live.root, 1_000)
    assert [line["ms"] for line in kept] == list(range(499, 499 - len(kept), -1))
    assert 50 < len(kept) < 200
    assert not list(markers.markers(live.root))


def test_the_log_holds_no_secret(live: Vault) -> None:
    key = fill("nvapi-~64h~")
    for line in ({"event": "stop", "session": key}, {"event": "stop", "error": key}):
        hook_log.note(live.root, line)
    log = state_of(live.root, layout.HOOK_LOG).read_text()
    assert [json.loads(line)["event"] for line in log.splitlines()] == ["stop"] * 2
    assert key not in log
