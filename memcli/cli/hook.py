"""`memcli hook EVENT --host HOST`: what the hosts of agents call.

Invariant: whatever comes in and whatever goes wrong, the process ends with 0, within
its time, and prints one whole answer in the host's format or nothing. What may take
long is done by a process of its own, which outlives the host. Every call leaves a line
in the log that `memcli inspect sessions` shows.

The way from here to an answer is the hot path: it runs before every prompt. It loads
neither Typer nor Rich, YAML or GitPython.
"""

import contextlib
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from memcli.cli.spec import Argument, Command, Context, Option, Result

if TYPE_CHECKING:
    from memcli.hosts.payload import Event
    from memcli.vault import Vault

_HELP = """Answer a hook of an agent's host (installed by memcli install)

    Reads the host's JSON on standard input and answers in the host's format. Always
    exits with 0, also when something is wrong; see memcli inspect sessions.

    EVENT is session-start, prompt-submit, stop, session-end, pre-compact or idle.

    \b
    Example:
      memcli hook prompt-submit --host claude-code < payload.json
    """

_PARAMETERS = (
    Argument("event", "What happened", metavar="EVENT"),
    Option(
        "host",
        ("--host",),
        str,
        "Whose hook: claude-code, codex, gemini, copilot, cursor, windsurf, opencode",
    ),
)

# Seconds. Hosts wait at a prompt; Codex gives an end of session three.
_BUDGET = {
    "session-start": 4.0,
    "prompt-submit": 2.0,
    "stop": 2.0,
    "session-end": 1.5,
    "pre-compact": 2.0,
    "idle": 2.0,
}
# A detached reflection: what takes longer than this hangs.
_WORK_BUDGET = 600.0
_STDIN_BUDGET = 1.0
_MOST_STDIN = 16_000_000
# Seconds between two sweeps that sessions start by themselves.
_SWEEP_EVERY = 3_600.0
# These run hooks of Claude Code as well as their own.
_TWICE = ("copilot", "cursor")
_ONCE_FOR = 20.0


class _Late(BaseException):
    """The time of this call is over."""


def run(context: Context, **values: Any) -> Result:
    """Only `--help` and mistakes come through here; see `main`."""
    del context
    main([str(values["event"] or ""), "--host", str(values["host"] or "")])


def main(words: Sequence[str]) -> NoReturn:
    """Answer one call and end the process with 0."""
    started = time.monotonic()
    answer, line, root = "", {}, None
    try:
        event, flags = _parsed(words)
        _limit(_WORK_BUDGET if event == "work" else _BUDGET.get(event, 1.0))
        root = _root(flags.get("vault"))
        if event == "work":
            line = _work(root, flags) if root else {}
        else:
            answer, line = _answered(root, event, flags.get("host", ""))
    except _Late:
        answer, line = "", {**line, "error": "out of time"}
    except BaseException as error:  # noqa: BLE001 a hook never hurts its host
        answer, line = "", {**line, "error": _named(error)}
    _end(answer, line, root, words, started)


def _end(
    answer: str,
    line: dict[str, Any],
    root: str | None,
    words: Sequence[str],
    started: float,
) -> NoReturn:
    try:
        _limit(0)
        if answer:
            data = memoryview(answer.encode("utf-8", "replace"))
            while data:
                data = data[os.write(1, data) :]
        if root and os.path.isdir(os.path.join(root, ".memcli")):
            from memcli import hooklog

            took = round((time.monotonic() - started) * 1000)
            about = {"at": int(time.time()), "event": words[0] if words else ""}
            hooklog.note(root, {**about, "ms": took, "chars": len(answer), **line})
    except BaseException:  # noqa: BLE001, S110 nothing is left that could be told
        pass
    os._exit(0)


def _answered(root: str | None, name: str, host: str) -> tuple[str, dict[str, Any]]:
    """(what to print, what to log) for one event."""
    from memcli.hosts import payload

    given = _stdin()
    event = payload.read(name, host, given)
    line = {"host": event.host, "session": event.session}
    if name not in payload.EVENTS:
        return "", {**line, "error": f"no such event: {name[:40]}"}
    if root is None or not os.path.isdir(os.path.join(root, ".memcli")):
        return "", line
    if given is None:
        return "", {**line, "error": "no JSON on standard input"}
    if event.host in _TWICE and _again(root, event):
        return "", {**line, "did": "nothing: the same event came twice"}
    text, did = _done(root, event)
    from memcli.hosts import reply

    return reply.reply(event.host, name, text), {**line, **did}


def _done(root: str, event: "Event") -> tuple[str, dict[str, Any]]:
    from memcli import harness

    if event.name == "session-start":
        return _session_start(root, event)
    if event.name == "prompt-submit":
        return _prompt_submit(root, event)
    if event.name == "idle":
        if event.reason not in ("", "idle_prompt"):
            return "", {"did": f"nothing at {event.reason[:40]}"}
        return "", {"did": _detached(root, ["--sweep"])}
    if not event.session:
        return "", {"error": "no session in the payload"}
    # At an end the host may not say where the transcript is; it said so before.
    harness.begin(root, event.session, event.host, event.transcript, _now())
    flags = ["--session", event.session, "--host", event.host]
    if event.transcript:
        flags += ["--transcript", event.transcript]
    if event.name == "session-end":
        flags.append("--close")
    return "", {"did": _detached(root, flags)}


def _session_start(root: str, event: "Event") -> tuple[str, dict[str, Any]]:
    from memcli import harness
    from memcli.hosts import reply

    did: dict[str, Any] = {}
    if event.session:
        harness.begin(root, event.session, event.host, event.transcript, _now())
    if _is_time_to_sweep(root):
        did["did"] = _detached(root, ["--sweep"])
    if not reply.takes_text(event.host, event.name):
        return "", did
    from memcli import briefing
    from memcli.framing import framed

    vault, view = _opened(root)
    items = briefing.at_start(vault, view)
    # A session that goes on still knows what it was told; any other knows nothing.
    resumed = event.reason == "resume"
    if resumed:
        shown = harness.shown(root, event.session)
        items = [item for item in items if item.id not in shown]
    found = framed(items, reply.MOST - 200)
    if event.session:
        harness.show(root, event.session, found.shown, afresh=not resumed)
    return found.text, {**did, "shown": len(found.shown)}


def _prompt_submit(root: str, event: "Event") -> tuple[str, dict[str, Any]]:
    from memcli import harness
    from memcli.hosts import reply

    if event.session:
        harness.beat(root, event.session)
    if not event.prompt or not reply.takes_text(event.host, event.name):
        return "", {"shown": 0}
    from memcli import briefing
    from memcli.framing import framed

    vault, view = _opened(root)
    shown = harness.shown(root, event.session) if event.session else set()
    items = briefing.for_prompt(vault, event.prompt, view, shown)
    found = framed(items, reply.MOST - 200)
    if event.session and found.shown:
        harness.show(root, event.session, found.shown)
    return found.text, {"shown": len(found.shown)}


def _work(root: str, flags: Mapping[str, str]) -> dict[str, Any]:
    """What a detached process does: mine one session, or sweep."""
    from memcli import recovery

    vault, _ = _opened(root)
    if "sweep" in flags:
        done = recovery.sweep(vault, os.environ)
        recovery.tell_log(vault, done)
        return {"event": "sweep", "did": f"looked at {len(done)} sessions"}
    session, host = flags.get("session", ""), flags.get("host", "")
    line = {"event": "reflect", "host": host, "session": session}
    path = flags.get("transcript") or _transcript(root, session)
    if path is None or not os.path.exists(path):
        path = recovery.found_again(host, session, os.environ)
    if path is None:
        return {**line, "did": "no transcript yet"}
    found = recovery.mine(vault, session, path, host, close="close" in flags)
    counts = {} if found is None else found.counts
    return {**line, "did": "unchanged" if found is None else "reflected", **counts}


def _transcript(root: str, session: str) -> str | None:
    from memcli import harness

    for marker in harness.markers(root):
        if marker.session == session:
            return marker.transcript
    return None


def _opened(root: str) -> "tuple[Vault, Any]":
    from memcli.eligibility import View
    from memcli.vault import Vault

    agent = os.environ.get("MEMCLI_AGENT") or None
    vault = Vault(root, environ=os.environ, agent=agent)
    return vault, View(vault.now_ms() // 1000)


def _again(root: str, event: "Event") -> bool:
    """Whether the same event of the same session came just now, by another hook."""
    from zlib import crc32

    from memcli import harness, layout

    said = f"{event.name}\0{event.prompt}\0{event.reason}".encode("utf-8", "replace")
    path = harness.path(root, event.session, f".{crc32(said):08x}.once")
    with contextlib.suppress(OSError):
        os.makedirs(os.path.join(root, layout.HARNESS), exist_ok=True)
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            age = time.time() - os.stat(path).st_mtime
            os.utime(path)
            return age < _ONCE_FOR
    return False


def _is_time_to_sweep(root: str) -> bool:
    from memcli import layout

    stamp = os.path.join(root, layout.HARNESS, "swept")
    with contextlib.suppress(OSError):
        if time.time() - os.stat(stamp).st_mtime < _SWEEP_EVERY:
            return False
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(stamp), exist_ok=True)
        with open(stamp, "w", encoding="utf-8"):
            pass
        return True
    return False


def _detached(root: str, flags: Sequence[str]) -> str:
    """Start a process of its own, which outlives this one and its host."""
    import subprocess

    command = [sys.executable, "-P", "-m", "memcli", "hook", "work", *flags]
    command += ["--vault", root]
    nothing = subprocess.DEVNULL
    # DETACHED_PROCESS, CREATE_NEW_PROCESS_GROUP, CREATE_BREAKAWAY_FROM_JOB
    windows = 0x8 | 0x200 | 0x01000000 if sys.platform == "win32" else 0
    subprocess.Popen(  # noqa: S603 our own interpreter
        command,
        stdin=nothing,
        stdout=nothing,
        stderr=nothing,
        cwd=root,
        creationflags=windows,
        start_new_session=True,
    )
    return "started a process of its own"


def _parsed(words: Sequence[str]) -> tuple[str, dict[str, str]]:
    """(event, flags); what is not understood is passed over."""
    event, flags = "", {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("--"):
            event = event or word
            continue
        name, equals, value = word[2:].partition("=")
        if name in ("sweep", "close", "json"):
            flags[name] = "yes"
        else:
            flags[name] = value if equals else next(rest, "")
    return event, flags


def _root(named: str | None) -> str | None:
    from memcli import config
    from memcli.errors import MemcliError

    try:
        return config.find_vault(named or None, os.environ)
    except MemcliError:
        return None  # no vault: a host without memory, as before


def _stdin() -> Any:
    """What the host says, or None; some never close the pipe, so nobody waits long."""
    import json

    if os.isatty(0):
        return None
    data = b""
    until = time.monotonic() + _STDIN_BUDGET
    while len(data) <= _MOST_STDIN:
        left = until - time.monotonic()
        if left <= 0 or not _readable(left):
            break
        part = os.read(0, 1 << 20)
        if not part:
            break
        data += part
        if data.rstrip().endswith(b"}"):
            with contextlib.suppress(ValueError, RecursionError):
                return json.loads(data)
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _readable(seconds: float) -> bool:
    if sys.platform == "win32":  # select takes only sockets there
        return True
    import select

    return bool(select.select([0], [], [], seconds)[0])


def _limit(seconds: float) -> None:
    """End this call after so many seconds; 0: no more."""
    if sys.platform == "win32":
        import threading

        if seconds:
            timer = threading.Timer(seconds + 0.5, os._exit, (0,))
            timer.daemon = True
            timer.start()
        return
    import signal

    def late(_number: int, _frame: object) -> None:
        raise _Late

    signal.signal(signal.SIGALRM, late)
    signal.signal(signal.SIGTERM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _named(error: BaseException) -> str:
    code = getattr(error, "error_code", type(error).__name__)
    message = getattr(error, "message", "")
    return f"{code}: {message}"[:300]


def _now() -> str:
    from memcli import temporal

    return temporal.iso(int(time.time()))


COMMAND = Command("hook", _HELP, _PARAMETERS, run)
