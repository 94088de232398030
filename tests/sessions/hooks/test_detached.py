"""What hooks start outlives them, is done once, and loses nothing."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.errors import Unreadable
from memcli.sessions import markers, recovery, reflect_session
from memcli.sessions.hooks import call as hook
from memcli.storage.lock import Lock
from tests.conftest import VaultMaker, state_of
from tests.git_command import git
from tests.saving import write
from tests.sessions.hooks.calling import (
    ALWAYS,
    NEVER,
    age,
    call,
    harness,
    log,
    process,
    session,
    texts,
    wait,
    work,
)

DAY = 86_400


def mark(vault: Vault, name: str, state: str = ".start") -> Path:
    return state_of(vault.root, layout.HARNESS) / f"session-id-{name}{state}"


def end(vault: Vault, name: str, path: str | None, host: str = "claude-code") -> None:
    """A session that has begun and is over, as its hooks say it."""
    given = {"session_id": name, "transcript_path": path}
    for event in ("session-start", "session-end"):
        call(vault, event, host, given)


def outcomes(vault: Vault) -> list[str]:
    return [*recovery.sweep(vault).values()]


def closing(name: str, path: str, host: str = "claude-code") -> list[str]:
    return [f"--session={name}", f"--host={host}", f"--transcript={path}", "--close"]


def still(vault: Vault, path: str, seconds: float) -> None:
    """Nothing has come of a session, s1, for so long."""
    for one in (mark(vault, "s1"), path):
        age(one, seconds)


# --- a process of its own ---------------------------------------------------------


@pytest.mark.slow
def test_the_work_outlives_the_host_and_its_process_group(
    live: Vault, tmp_path: Path
) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    given = json.dumps({"session_id": "s1", "transcript_path": path})
    # The lock keeps the work from being done before the host is dead.
    with Lock(str(state_of(live.root, layout.LOCK)), 0):
        host = subprocess.Popen(
            [
                *(sys.executable, "-c"),
                "import subprocess, sys, time\n"
                "subprocess.run(sys.argv[2:], input=sys.argv[1].encode())\n"
                "print('done', flush=True); time.sleep(60)",
                *(given, sys.executable, "-m", "memcli", "hook", "session-end"),
                *("--host", "claude-code"),
            ],
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert host.stdout is not None
        assert host.stdout.readline() == b"done\n"
        os.killpg(host.pid, signal.SIGKILL)
        host.communicate()
    wait(lambda: mark(live, "s1", ".reflected").exists())
    assert texts(live) == [ALWAYS]


def test_the_session_that_is_being_mined_is_locked(
    live: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: list[str]
) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    end(live, "s1", path)
    monkeypatch.setattr(recovery, "_WAIT", 0.0)
    with Lock(str(state_of(live.root, layout.HARNESS) / "lock"), 0):
        done = work(live, *closing("s1", path))
        assert done.line["error"].startswith("lock_busy")
        still(live, path, 7_200)
        assert outcomes(live) == ["waiting"]
    assert mark(live, "s1").exists()
    assert texts(live) == []
    assert outcomes(live) == ["reflected"]
    assert texts(live) == [ALWAYS]


# --- a turn at a time -------------------------------------------------------------


def test_gemini_that_resumes_and_writes_elsewhere_is_followed(
    live: Vault, tmp_path: Path, started: list[list[str]]
) -> None:
    for event, minute in (("session-start", 13), ("prompt-submit", 12)):
        given = {"session_id": "f27d41f6", "transcript_path": f"/t/{minute}.jsonl"}
        call(live, event, "gemini", {**given, "prompt": "hello"})
    (marker,) = markers.markers(live.root)
    assert marker.transcript == "/t/12.jsonl"
    began = marker.started
    given = {"session_id": "f27d41f6", "transcript_path": "/t/11.jsonl"}
    call(live, "stop", "gemini", given)
    (marker,) = markers.markers(live.root)
    assert (marker.transcript, marker.started) == ("/t/11.jsonl", began)


# --- what goes wrong --------------------------------------------------------------


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception, only: str = "") -> None:
    """Let mining fail, of every session or of those whose file has this name."""
    real = reflect_session.reflect

    def reflect(vault: Vault, transcript: Any, **kwargs: Any) -> object:
        if only in os.path.basename(transcript.path):
            raise error
        return real(vault, transcript, **kwargs)

    monkeypatch.setattr(reflect_session, "reflect", reflect)


def test_a_session_that_fails_is_tried_again_and_given_up_after_30_days(
    live: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: list[str]
) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    end(live, "s1", path)
    failing(monkeypatch, Unreadable("no scanner"))
    for days, outcome in ((1, "failed"), (29, "failed"), (31, "dropped")):
        still(live, path, days * DAY)
        assert outcomes(live) == [outcome]
    assert not mark(live, "s1").exists()
    line = log(live, "sweep")[0]
    assert line["did"] == "dropped"
    assert line["error"].endswith(": no scanner")


@pytest.mark.parametrize("error", [Unreadable("x"), OSError(28, "full"), KeyError()])
def test_one_session_that_fails_stops_no_other(
    live: Vault,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    started: list[str],
    error: Exception,
) -> None:
    for name in ("s1", "s2", "s3"):
        end(
            live,
            name,
            session(tmp_path, name, f"Always run the {name}-db tests before a push."),
        )
        for one in (mark(live, name), tmp_path / f"{name}.jsonl"):
            age(one, 7_200)
    failing(monkeypatch, error, "s2")
    found = recovery.sweep(live)
    assert found == {"s1": "reflected", "s2": "failed", "s3": "reflected"}
    assert len(texts(live)) == 2


# --- who lives --------------------------------------------------------------------


@pytest.mark.parametrize("event", ["prompt-submit", "stop", "session-start"])
def test_a_session_that_was_mined_meanwhile_lives_again(
    live: Vault, tmp_path: Path, started: list[str], event: str
) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    given = {"session_id": "s1", "transcript_path": path, "prompt": "hello"}
    call(live, "session-start", "claude-code", given)
    still(live, path, 7_200)
    recovery.sweep(live)
    assert mark(live, "s1", ".reflected").exists()
    # Back from lunch; and then the host crashes.
    call(live, event, "claude-code", given)
    assert [one.state for one in markers.markers(live.root)] == [".start"]
    session(tmp_path, "s1", ALWAYS, NEVER)
    still(live, path, 7_200)
    recovery.sweep(live)
    assert texts(live) == sorted([ALWAYS, NEVER])


@pytest.mark.slow
def test_a_session_that_comes_back_while_it_is_mined_stays_alive(
    live: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: list[str]
) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    end(live, "s1", path)
    age(mark(live, "s1"), 5)
    real = reflect_session.reflect

    def resumed(*args: Any, **kwargs: Any) -> object:
        given = {"session_id": "s1", "transcript_path": path, "source": "resume"}
        call(live, "session-start", "claude-code", given)
        return real(*args, **kwargs)

    monkeypatch.setattr(reflect_session, "reflect", resumed)
    assert work(live, *closing("s1", path)).line["did"] == "reflected"
    assert mark(live, "s1").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["a/b", "../x", "日本語", "x" * 300, ".", "-x", "a.b", "CON", "a b"]
)
def test_any_id_has_one_marker_of_its_own(
    live: Vault, tmp_path: Path, started: list[list[str]], name: str
) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    end(live, name, path)
    (marker,) = markers.markers(live.root)
    assert marker.session == name
    assert os.path.dirname(marker.path) == str(state_of(live.root, layout.HARNESS))
    assert work(live, *started[-1]).line["did"] == "reflected"
    (marker,) = markers.markers(live.root)
    assert (marker.session, marker.state) == (name, ".reflected")


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00", b"session", b"session: s1\n" * 9_999, b"{}"]
)
def test_a_marker_with_garbage_in_it_goes_after_a_day(
    live: Vault, content: bytes
) -> None:
    write(mark(live, "s1").parent, "session-id-s1.start", content)
    done = work(live, "--session=s1", "--host=claude-code", "--close")
    assert done.line["did"] == "no transcript yet"
    for hours, outcome in ((2, "waiting"), (25, "dropped")):
        age(mark(live, "s1"), hours * 3_600)
        assert outcomes(live) == [outcome]
    mark(live, "folder").mkdir()
    assert recovery.sweep(live) == {}


def test_a_marker_from_the_future_keeps_nobody_alive(
    live: Vault, tmp_path: Path
) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    markers.begin(live.root, "s1", "claude-code", path)
    for one in (mark(live, "s1"), path):
        os.utime(one, (4e9, 4e9))
    assert outcomes(live) == ["reflected"]


def test_markers_hold_nothing_that_was_said_and_git_does_not_see_them(
    make_vault: VaultMaker, started: list[str]
) -> None:
    vault = make_vault("adopted", now_ms=None)
    # An adopted folder has no .gitignore of memcli's.
    Path(vault.root, ".gitignore").unlink()
    before = git(vault, "status", "--porcelain", "-uall")
    given = {"session_id": "s1", "prompt": "a secret thought", "cwd": "/home/dev"}
    call(
        vault, "prompt-submit", "claude-code", {**given, "transcript_path": "/t.jsonl"}
    )
    text = mark(vault, "s1").read_text()
    names = [line.partition(":")[0] for line in text.splitlines()]
    assert names == ["session", "host", "cwd", "transcript", "started"]
    assert "thought" not in text
    assert git(vault, "status", "--porcelain", "-uall") == before


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
    still(live, path, 3_700)
    idle = {"session_id": "s2", "notification_type": "idle_prompt"}
    assert process("idle", "claude-code", idle).code == 0
    wait(lambda: harness(live) == ["session-id-s1.reflected"])
    assert texts(live) == [ALWAYS]


def test_marker_gc_at_30_days(live: Vault) -> None:
    folder = state_of(live.root, layout.HARNESS)
    for name, days in (("old", 31), ("young", 29)):
        age(write(folder, f"session-id-{name}.reflected", "session: x\n"), days * DAY)
    work(live, "--sweep")
    assert harness(live) == ["session-id-young.reflected"]


def test_what_a_host_writes_after_a_session_was_mined_is_mined_by_a_sweep(
    live: Vault, tmp_path: Path, started: list[list[str]]
) -> None:
    path = session(tmp_path, "s1", ALWAYS)
    end(live, "s1", path)
    work(live, *closing("s1", path))
    age(mark(live, "s1", ".reflected"), 8_000)
    age(path, 9_000)
    assert outcomes(live) == ["unchanged"]
    session(tmp_path, "s1", ALWAYS, NEVER)
    # A person may be in it; then it is mined, once.
    for seconds, outcome in ((60, "live"), (7_000, "reflected"), (7_000, "unchanged")):
        age(path, seconds)
        assert outcomes(live) == [outcome]
    assert texts(live) == sorted([ALWAYS, NEVER])


def test_waiting_for_a_host_that_never_stops_writing_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, waited = tmp_path / "s1.jsonl", list[float]()

    def grow(seconds: float) -> None:
        waited.append(seconds)
        path.write_text("x" * len(waited))

    monkeypatch.setattr(time, "sleep", grow)
    recovery.settle(str(path))
    assert sum(waited) == 8


def test_the_newest_session_of_a_folder_and_agent_is_found(
    vault: Vault, tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    path = write(tmp_path, "talk.jsonl", "")
    gone = str(tmp_path / "gone.jsonl")
    markers.begin(vault.root, "one", "opencode", str(path), "ada", str(here))
    markers.begin(vault.root, "two", "opencode", gone, None, str(there))
    (tmp_path / "link").symlink_to(here)
    asked = (str(here), "ada"), (str(tmp_path / "link"), None), (str(here), "bob")
    found = [recovery.newest(vault.root, folder, who, {}) for folder, who in asked]
    assert found == [str(path), str(path), None]
    assert recovery.newest(vault.root, str(there), None, {}) is None


def test_sessions_sweep_once_an_hour(
    live: Vault, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        call(live, "session-start", "codex", {"session_id": f"s{number}"})
    assert started == [["--sweep"]]
    age((state_of(live.root, layout.HARNESS) / "swept"), hook._SWEEP_EVERY + 1)
    call(live, "session-start", "codex", {"session_id": "s4"})
    assert len(started) == 2
