"""For every input and every damage: exit code 0, in time, no word too much.

`make test-all` makes a thousand hostile calls, all processes; else 300, most of them in
this process.
"""

import json
import os
import pty
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.hosts import hook_payload, table
from memcli.hosts.host import EVENTS
from memcli.sessions.hooks import call as hook
from memcli.sessions.hooks import pipe
from memcli.storage.lock import Lock
from tests.conftest import EVERYTHING, state_of
from tests.sessions.hooks.calling import call, harness, log, process, session, told
from tests.sessions.hooks.payloads import ID, PAYLOADS

RULE = "Never deploy the billing service on a Friday."
HOSTS = [host.name for host in table.with_hooks()]
CALLS = 1_000 if EVERYTHING else 300
PROCESSES = CALLS if EVERYTHING else 40
ASK = PAYLOADS["codex", "prompt-submit"]
HOOK = [sys.executable, "-P", "-m", "memcli", "hook"]


@pytest.fixture
def filled(live: Vault) -> Vault:
    """A vault with a rule that fits the prompt, its index built."""
    live.save(live.draft({"text": RULE, "kind": "constraint"}))
    live.recall("billing")
    return live


def is_fine(out: bytes, host: str, event: str) -> bool:
    """Whether a host takes an output for what it is."""
    if not out:
        return True
    document = json.loads(out)
    named = document.get("hookSpecificOutput", {}).get("hookEventName")
    text = told(out.decode())
    return (
        text.startswith("<memcli-memory>\n")
        and text.endswith("\n</memcli-memory>")
        and event in ("session-start", "prompt-submit")
        and (named is not None) is (host in ("claude-code", "codex", "gemini"))
        and len(out) <= 9_500
    )


# --- hostile calls ----------------------------------------------------------------

ODD: list[Any] = [
    *(None, True, -1, 1e308, [], {}, [[[[]]]], {"a": {"b": []}}),
    *("", "\x00", "\ud800", "../../../etc/passwd", "/dev/zero", "/", "~", "日本語"),
    *("x" * 10_000, "-–--sweep", "--close", "\u202e"),
]
STRANGE = ["", "no such", "claude-code\n"]


def hostile(chance: random.Random) -> tuple[str, str, bytes]:
    """(event, host, stdin) of one call."""
    (host, event), given = chance.choice(list(PAYLOADS.items()))
    whole = dict(given)
    kind = chance.randrange(6)
    if kind == 0:
        return event, host, chance.randbytes(chance.randrange(200))
    if kind == 1:
        data = json.dumps(whole).encode()
        return event, host, data[: chance.randrange(len(data))]
    if kind == 2:
        for name in chance.sample(sorted(whole), chance.randrange(1, len(whole) + 1)):
            whole[name] = chance.choice(ODD)
    if kind == 3:
        return event, host, json.dumps(chance.choice([*ODD, [whole]])).encode()
    if kind == 4:
        event = chance.choice([*EVENTS, "", "work", "--host", "no such", "\x1b[2J"])
        host = chance.choice([*HOSTS, *STRANGE])
    if kind == 5:
        torn = bytearray(json.dumps(whole).encode())
        for _ in range(3):
            torn[chance.randrange(len(torn))] = chance.randrange(256)
        return event, host, bytes(torn)
    return event, host, json.dumps(whole).encode()


def parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def sick(root: str, number: int) -> Callable[[], None]:
    """Make a vault sick in one of several ways; returns what makes it well."""
    log = state_of(root, layout.HOOK_LOG).parent
    ways = (state_of(root, layout.HARNESS), log, state_of(root, layout.INDEX))
    if number % 5 == 4:
        return _moved(Path(root) / ".memcli", None)
    return _moved(ways[number % 5], "a file") if number % 5 < 3 else lambda: None


def _moved(path: Path, instead: str | None) -> Callable[[], None]:
    aside = path.with_name("aside")
    there = path.exists()
    if there:
        path.rename(aside)
    if instead is not None:
        path.write_text(instead)

    def back() -> None:
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()
        if there:
            aside.rename(path)

    return back


@pytest.mark.slow
def test_hostile_calls_hurt_nobody(
    filled: Vault,
    snapshot: Callable[[str], dict[str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(5)
    before = entries(snapshot, filled)
    for number in range(PROCESSES):
        event, host, data = hostile(chance)
        well = sick(filled.root, number // 4)
        words = [word.replace("\x00", "") for word in (event, "--host", host)]
        done = subprocess.run(
            [*HOOK, *words], input=data, capture_output=True, check=False, timeout=30
        )
        well()
        assert (done.returncode, done.stderr) == (0, b""), (event, host, data)
        assert is_fine(done.stdout, named(host, data), event), done.stdout
    flags: list[Any] = []

    def detached(_root: str, *given: Any) -> str:
        # What a process is started with has to be words.
        assert all(isinstance(word, str) and "\0" not in word for word in given)
        flags.append(given)
        return "started a process of its own"

    monkeypatch.setattr(pipe, "start", detached)
    for number in range(CALLS - PROCESSES):
        event, host, data = hostile(chance)
        well = sick(filled.root, number // 20)
        one = hook.Call([event, "--host", host])
        hook.answer(one, lambda data=data: parsed(data))  # type: ignore[misc]
        well()
        assert is_fine(one.answer.encode(), named(host, data), event), one.answer
    assert flags or EVERYTHING
    assert entries(snapshot, filled) == before
    assert call(filled, "prompt-submit", "codex", {**ASK, "session_id": "x"}).answer


def named(host: str, data: bytes) -> str:
    return hook_payload.read("stop", host, parsed(data)).host


def entries(snapshot: Callable[[str], dict[str, str]], vault: Vault) -> dict[str, str]:
    return {
        name: value
        for name, value in snapshot(vault.root).items()
        if not name.startswith(".harness")
    }


# --- standard streams -------------------------------------------------------------


def open_call(event: str, host: str, **options: Any) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*HOOK, event, "--host", host],
        **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, **options},
    )


@pytest.mark.parametrize(
    ("event", "said"),
    [("session-end", b""), ("prompt-submit", b'{"session_id": "a", "prompt": ')],
)
def test_a_pipe_that_is_never_closed_ends_in_time(
    filled: Vault, event: str, said: bytes
) -> None:
    began = time.monotonic()
    child = open_call(event, "claude-code")
    assert child.stdin is not None
    child.stdin.write(said)
    child.stdin.flush()
    assert child.wait(timeout=20) == 0
    assert time.monotonic() - began < 10
    child.communicate()


def test_json_that_comes_in_pieces_is_put_together(filled: Vault) -> None:
    data = json.dumps({**ASK, "more": {"a": {"b": 1}}}).encode()
    with open_call("prompt-submit", "codex") as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for at in range(0, len(data), 40):
            child.stdin.write(data[at : at + 40])
            child.stdin.flush()
            time.sleep(0.02)
        assert RULE in told(child.stdout.read().decode())


def test_a_terminal_as_standard_input_is_not_waited_for_and_told_mistakes(
    filled: Vault,
) -> None:
    ours, theirs = pty.openpty()
    began = time.monotonic()
    child = open_call("prompt-submit", "codex", stdin=theirs)
    assert child.communicate(timeout=20)[0] == b""
    assert child.returncode == 0
    assert time.monotonic() - began < 5
    child = open_call("sesion-start", "codex", stdin=theirs, stderr=theirs)
    assert child.communicate(timeout=20)[0] == b""
    assert os.read(ours, 999) == b"memcli: no such event: sesion-start\r\n"
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize("closing", [">&-", ">&- 2>&- <&-", ">/dev/full", "2>&-"])
def test_closed_and_full_streams(filled: Vault, closing: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$@" {closing}', "sh", *HOOK, "prompt-submit", "--host=codex"],
        input=json.dumps(ASK).encode(),
        capture_output=True,
        check=False,
        timeout=20,
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert RULE in Vault.open(filled.root).recall("billing").rows[0].text


# --- vaults and environments ------------------------------------------------------


@pytest.mark.parametrize("event", ["session-start", "prompt-submit", "stop"])
def test_without_a_vault_a_host_is_as_it_would_be(tmp_path: Path, event: str) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    given = {**ASK, "transcript_path": str(tmp_path / "t.jsonl")}
    found = (str(tmp_path / name) for name in ("file", "folder"))
    for vault in (None, "", "/no/such", *found):
        done = process(event, "codex", given, environ={"MEMCLI_VAULT": vault})
        assert done == (0, b"", b"")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
    assert os.listdir(tmp_path / "folder") == []


@pytest.mark.slow
def test_a_disk_that_takes_nothing_keeps_the_vault_whole(
    filled: Vault, snapshot: Callable[[str], dict[str, str]], tmp_path: Path
) -> None:
    path = session(tmp_path, ID, "Always run the linter before committing.")
    before = entries(snapshot, filled)
    for event in EVENTS:
        given = {**ASK, "transcript_path": path}
        # No file may grow: what a full disk does, for one process and its children.
        done = subprocess.run(
            ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *HOOK, event, "--host=codex"],
            input=json.dumps(given).encode(),
            capture_output=True,
            check=False,
            timeout=30,
        )
        assert (done.returncode, done.stderr) == (0, b""), event
        assert is_fine(done.stdout, "codex", event)
        if event == "session-start":
            assert RULE in told(done.stdout.decode())
    time.sleep(1)
    assert entries(snapshot, filled) == before
    assert RULE in process("prompt-submit", "codex", {**ASK, "session_id": "b"}).text


# --- locks, the index, signals ----------------------------------------------------


def test_nobody_waits_for_an_index_that_is_being_built(filled: Vault) -> None:
    with Lock(str(state_of(filled.root, layout.INDEX_LOCK)), 0):
        for event in ("session-start", "prompt-submit"):
            began = time.monotonic()
            assert process(event, "codex", ASK).out == b""
            assert time.monotonic() - began < 5
            assert log(filled, event)[0]["did"] == "nothing: the index is being built"
    assert RULE in process("prompt-submit", "codex", ASK).text


def test_a_database_that_another_program_locks_costs_no_hook_its_time(
    filled: Vault,
) -> None:
    (path,) = state_of(filled.root, layout.INDEX).glob("*.db")
    filled.save(filled.draft({"text": "The release notes are written by hand."}))
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        for event in ("session-start", "prompt-submit"):
            began = time.monotonic()
            assert process(event, "codex", ASK).out == b""
            assert time.monotonic() - began < 4
    assert RULE in process("prompt-submit", "codex", ASK).text


def ends_well(program: str) -> None:
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, input=b"{}", capture_output=True, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_hook_whose_work_hangs_ends_in_its_time_and_says_so(filled: Vault) -> None:
    program = (
        "import time; from memcli.sessions.hooks import call\n"
        "call._handle = lambda *_: time.sleep(60)\n"
        "call.main(['stop', '--host', 'codex'], lambda: {'session_id': 'a'})"
    )
    ends_well(program)
    assert log(filled, "stop")[0]["error"] == "out of time"


def test_a_first_look_that_hangs_ends_in_its_time() -> None:
    program = (
        "import time; from memcli.sessions.hooks import glance\n"
        "glance.look = lambda *_: time.sleep(60)\n"
        "glance.payload_or_end([])"
    )
    ends_well(program)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGALRM])
def test_a_hook_that_is_told_to_end_ends_well(
    filled: Vault, number: signal.Signals
) -> None:
    child = open_call("session-start", "codex", stderr=subprocess.PIPE)
    assert child.stdin is not None
    # It waits for its input: then it is past what Python does by itself.
    time.sleep(0.6)
    child.send_signal(number)
    out, err = child.communicate(timeout=20)
    assert (child.returncode, out, err) == (0, b"", b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_keys_and_closed_terminals_are_meant_for_the_host(
    filled: Vault, number: signal.Signals
) -> None:
    child = open_call("stop", "codex")
    time.sleep(0.6)
    child.send_signal(number)
    child.communicate(json.dumps(PAYLOADS["codex", "stop"]).encode(), timeout=20)
    assert child.returncode == 0
    assert harness(filled) == [f"session-id-{ID}.start"]
