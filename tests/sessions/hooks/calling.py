"""Calls hooks as hosts do: as a process, and in this process where many are called."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from memcli import Vault
from memcli.entries import layout
from memcli.sessions import hook_log
from memcli.sessions.hooks import call as hook
from tests import processes
from tests.conftest import state_of
from tests.hosts.writing import Claude, moment, write

ALWAYS = "Always run the linter before committing."
NEVER = "Never deploy the billing service on a Friday."


class Said(NamedTuple):
    """What a hook did: its exit code, what it printed, what it said on stderr."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """What the host brings into the session."""
        return told(self.out.decode())


def told(answer: str) -> str:
    """The text in an answer, in whichever format it is."""
    if not answer:
        return ""
    document = json.loads(answer)
    inner = document.get("hookSpecificOutput", document)
    text: str = inner.get("additionalContext") or inner["additional_context"]
    return text


def process(
    event: str,
    host: str,
    payload: Any = None,
    *,
    stdin: bytes | None = None,
    environ: dict[str, str | None] | None = None,
    cwd: Path | None = None,
) -> Said:
    """Call a hook as a process; `environ` adds variables, or takes them away (None)."""
    given = json.dumps(payload).encode() if stdin is None else stdin
    wanted = {**os.environ, **(environ or {})}
    done = processes.run(
        *("hook", event, "--host", host),
        stdin=given,
        environ={name: value for name, value in wanted.items() if value is not None},
        timeout=60,
        cwd=cwd,
    )
    return Said(done.returncode, done.stdout, done.stderr)


def call(vault: Vault, event: str, host: str, payload: Any, *flags: str) -> hook.Call:
    """Call a hook in this process."""
    one = hook.Call([event, "--host", host, "--vault", vault.root, *flags])
    hook.answer(one, lambda: payload)
    return one


def work(vault: Vault, *flags: str) -> hook.Call:
    """Do in this process what a detached process does."""
    one = hook.Call(["work", *flags, "--vault", vault.root])
    hook.answer(one, lambda: None)
    hook.note(one)
    return one


def harness(vault: Vault) -> list[str]:
    """The names of the markers."""
    folder = state_of(vault.root, layout.HARNESS)
    names = sorted(os.listdir(folder)) if folder.is_dir() else []
    return [name for name in names if name.endswith((".start", ".reflected"))]


def age(path: Path | str, seconds: float) -> None:
    """Make a file so old."""
    moment = time.time() - seconds
    os.utime(path, (moment, moment))


def session(folder: Path, name: str, *texts: str, cwd: str = "/home/dev/work") -> str:
    """A transcript of Claude Code in which the user says these things."""
    talk = Claude()
    for text in ("hello", *texts):
        talk.user(text, cwd=cwd, sessionId=name, timestamp=moment(name))
        talk.agent("You're right, done.", cwd=cwd, sessionId=name)
    return write(folder / f"{name}.jsonl", talk.records)


def log(vault: Vault, event: str) -> list[dict[str, Any]]:
    """The lines of the log about an event, the newest first."""
    return [line for line in hook_log.last(vault.root, 1_000) if line["event"] == event]


def wait(condition: Callable[[], Any], seconds: float = 40) -> None:
    """Wait until something is so."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)


def texts(vault: Vault) -> list[str]:
    """The texts of the entries in force, read anew."""
    rows = Vault.open(vault.root).read(
        lambda reader: [reader.row(doc) for doc in reader.exact("status", "active")]
    )
    return sorted(row.text.strip() for row in rows)
