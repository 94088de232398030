"""A session that ends, is idle or crashes is mined, by the processes that hosts run."""

import subprocess
import sys
from pathlib import Path

from memcli import Vault
from memcli.entries import layout
from tests.conftest import state_of
from tests.sessions.hooks.calling import (
    ALWAYS,
    age,
    harness,
    log,
    process,
    session,
    texts,
    wait,
    work,
)


def test_stop_hook_fires_on_session_end_and_reflection_runs_against_its_transcript(
    live: Vault, tmp_path: Path
) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    payload = {"session_id": "s1", "transcript_path": path}
    for event in ("session-start", "stop", "session-end"):
        assert process(event, "claude-code", payload).code == 0
    wait(lambda: harness(live) == ["session-id-s1.reflected"])
    assert texts(live) == [ALWAYS]
    wait(lambda: len(log(live, "reflect")) == 2)
    assert {line["session"] for line in log(live, "reflect")} == {"s1"}


def test_idle_hook_fires_after_n_min_idle(live: Vault, tmp_path: Path) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    process("session-start", "claude-code", {"session_id": "s1"})
    mark = state_of(live.root, layout.HARNESS) / "session-id-s1.start"
    payload = {"session_id": "s1", "transcript_path": path}
    process("prompt-submit", "claude-code", {**payload, "prompt": "hello"})
    # The host says so a minute after the turn: nobody has left yet.
    idle = {**payload, "notification_type": "idle_prompt"}
    process("idle", "claude-code", idle)
    wait(lambda: len(log(live, "sweep")) == 2)
    assert mark.exists()
    for one in (mark, path):
        age(one, 3_700)
    process("idle", "claude-code", idle)
    wait(lambda: harness(live) == ["session-id-s1.reflected"])
    assert texts(live) == [ALWAYS]


def test_crashed_session_marker_recovery(live: Vault, tmp_path: Path) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    payload = {"session_id": "s1", "transcript_path": path}
    # A host that starts a session and is killed before it can say that it ends.
    host = subprocess.run(
        [
            *(sys.executable, "-c"),
            "import os, signal, subprocess, sys\n"
            "subprocess.run(sys.argv[1:], input=sys.stdin.buffer.read())\n"
            "os.kill(os.getpid(), signal.SIGKILL)",
            *(sys.executable, "-m", "memcli", "hook", "session-start"),
            *("--host", "claude-code"),
        ],
        input=str(payload).replace("'", '"').encode(),
        check=False,
    )
    assert host.returncode < 0
    assert harness(live) == ["session-id-s1.start"]
    for one in ((state_of(live.root, layout.HARNESS) / "session-id-s1.start"), path):
        age(one, 3_700)
    idle = {"session_id": "s2", "notification_type": "idle_prompt"}
    assert process("idle", "claude-code", idle).code == 0
    wait(lambda: harness(live) == ["session-id-s1.reflected"])
    assert texts(live) == [ALWAYS]


def test_marker_gc_at_30_days(live: Vault) -> None:
    folder = state_of(live.root, layout.HARNESS)
    folder.mkdir(exist_ok=True)
    for name, days in (("old", 31), ("young", 29)):
        mark = folder / f"session-id-{name}.reflected"
        mark.write_text("session: x\n")
        age(mark, days * 86_400)
    work(live, "--sweep")
    assert harness(live) == ["session-id-young.reflected"]
