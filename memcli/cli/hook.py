"""`memcli hook EVENT --host HOST`: what the hosts of agents call.

Invariant: whatever comes in and whatever goes wrong, the process ends with 0, within
its time, and prints one whole answer in the host's format or nothing. What may take
long is done by a process of its own, which outlives the host. Every call leaves a line
in the log that `memcli inspect sessions` shows.

The way from here to an answer is the hot path: it runs before every prompt. It loads
neither Typer nor Rich, YAML or GitPython.
"""

import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from memcli.cli.spec import Argument, Command, Context, Option, Result, named_agent
from memcli.sessions.hooks import pipe

if TYPE_CHECKING:
    from memcli.hosts.hook_payload import Event
    from memcli.sessions.hooks.answer import Teams
    from memcli.sessions.markers import Marker

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
# Seconds between two sweeps that sessions start by themselves.
_SWEEP_EVERY = 3_600.0
# These run hooks of Claude Code as well as their own.
_TWICE = ("copilot", "cursor")
_ONCE_FOR = 20.0
# These say that a session starts when it has been compacted.
_STARTS_AGAIN = ("claude-code", "codex")
_TELLING = ("session-start", "prompt-submit")
# Seconds that the vaults of teams may take after the own one has answered, and the
# share of the whole time after which nobody waits for them.
_TEAMS_WAIT = {"session-start": 1.5, "prompt-submit": 0.6}
_TEAMS_SHARE = 0.75


class Call:
    """One call of a hook: what came in, and what comes of it.

    Attributes:
        event: what the command line names; `work` for a detached process.
        flags: the rest of the command line.
        root: the vault, None when there is none.
        answer: what goes to the host; empty is no answer.
        line: what goes into the log.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.started = time.monotonic()
        self.event, self.flags = _parsed(words)
        self.root: str | None = None
        self.answer = ""
        self.line: dict[str, Any] = {"event": self.event[:40]}

    def fail(self, why: str) -> None:
        """Answer nothing, and say why in the log."""
        self.answer = ""
        self.line["error"] = why[:300]


def run(context: Context, **values: Any) -> Result:
    """Only `--help` and mistakes come through here; see `main`."""
    del context
    main([str(values["event"] or ""), "--host", str(values["host"] or "")])


def main(words: Sequence[str]) -> NoReturn:
    """Answer one call and end the process with 0."""
    try:
        call = Call(words)
        _limit(call)
        pipe.fill()
        if call.event == "work" and sys.platform != "win32":
            os.nice(10)
        answer(call, pipe.read)
        _end(call)
    finally:
        os._exit(0)


def answer(call: Call, read: Callable[[], Any]) -> None:
    """Do what an event asks for; whatever happens, `call` says what came of it.

    Args:
        call: its `answer` and `line` are filled in.
        read: gives what the host said, or None; called when an event came.
    """
    try:
        call.root = _root(call.flags.get("vault"))
        if "agent" in call.flags:
            # Here, so that it reaches the process that this may start, too.
            os.environ["MEMCLI_AGENT"] = named_agent(call.flags["agent"])
        if call.event == "work":
            _work(call)
        else:
            _answered(call, read())
    except BaseException as error:  # noqa: BLE001 a hook never hurts its host
        from memcli.sessions import hook_log

        call.fail(hook_log.named(error))


def _end(call: Call) -> None:
    """Give the answer whole, and write the line; the clock still runs."""
    try:
        if sys.platform != "win32":
            import signal

            # An answer that was begun is finished.
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        pipe.write(call.answer)
    except OSError as error:
        from memcli.sessions import hook_log

        call.fail(hook_log.named(error))
    _note(call)


def _note(call: Call) -> None:
    root = call.root
    if root and os.path.isdir(os.path.join(root, ".memcli")):
        from memcli.sessions import hook_log

        took = round((time.monotonic() - call.started) * 1000)
        about = {"at": int(time.time()), "ms": took, "chars": len(call.answer)}
        hook_log.note(root, {**about, **call.line})


def _late(call: Call) -> NoReturn:
    """The time is over, or somebody wants this process to end."""
    try:
        call.fail("out of time")
        if call.root and call.event in _TELLING:
            # Mostly it is an index that was never built: not the next prompt's work.
            call.line["did"] = _detached(call.root, ["--index"])
        _note(call)
    finally:
        os._exit(0)


def _answered(call: Call, given: Any) -> None:
    from memcli.hosts import hook_payload, hook_reply

    event = hook_payload.read(call.event, call.flags.get("host", ""), given)
    line, root = call.line, call.root
    line.update(host=event.host[:40], session=event.session)
    if call.event not in hook_payload.EVENTS:
        call.fail(f"no such event: {call.event[:40]}")
    elif root is None or not os.path.isdir(os.path.join(root, ".memcli")):
        pass
    elif given is None and call.event != "idle":
        call.fail("no JSON on standard input")
    elif event.host not in hook_payload.HOSTS:
        call.fail(f"no such host: {event.host[:40]}")
    elif event.host in _TWICE and event.session and _again(root, event):
        line["did"] = "nothing: the same event came twice"
    else:
        text = _done(root, event, line, _teams(call, event))
        call.answer = hook_reply.reply(event.host, event.name, text)


def _done(root: str, event: "Event", line: dict[str, Any], teams: "Teams") -> str:
    """Do it, say in `line` what was done; returns the text for the session."""
    from memcli.sessions import markers

    if event.name == "idle":
        if event.reason not in ("", "idle_prompt"):
            line["did"] = f"nothing at {event.reason[:40]}"
        else:
            line["did"] = _detached(root, ["--sweep"])
        return ""
    if event.name == "session-start":
        return _session_start(root, event, line, teams)
    if not event.session:
        line["error"] = "no session in the payload"
        return ""
    if event.name == "pre-compact" and event.host == "gemini":
        line["did"] = "nothing: it says so before each call of its model"
        return ""
    # At an end the host may not say where the transcript is; it said so before.
    _begin(root, event)
    if event.name == "prompt-submit":
        return _prompt_submit(root, event, line, teams)
    if event.name == "pre-compact" and event.host not in _STARTS_AGAIN:
        markers.show(root, event.session, [], afresh=True)
    flags = [f"--session={event.session}", f"--host={event.host}"]
    if event.transcript:
        flags.append(f"--transcript={event.transcript}")
    if event.name == "session-end":
        flags.append("--close")
    line["did"] = _detached(root, flags)
    return ""


def _begin(root: str, event: "Event") -> None:
    from memcli.sessions import markers

    agent = os.environ.get("MEMCLI_AGENT") or None
    markers.begin(
        root, event.session, event.host, event.transcript, _now(), agent=agent
    )


def _session_start(
    root: str, event: "Event", line: dict[str, Any], teams: "Teams"
) -> str:
    from memcli.hosts import hook_reply
    from memcli.sessions import hook_log
    from memcli.sessions.hooks import answer as telling

    try:
        if event.session:
            _begin(root, event)
        if telling.is_time(root, "swept", _SWEEP_EVERY):
            line["did"] = _detached(root, ["--sweep"])
    except OSError as error:  # a disk that is full or read-only can be read
        line["error"] = hook_log.named(error)
    if not hook_reply.takes_text(event.host, event.name):
        return ""
    return telling.at_start(root, event, line, teams)


def _prompt_submit(
    root: str, event: "Event", line: dict[str, Any], teams: "Teams"
) -> str:
    from memcli.hosts import hook_reply
    from memcli.sessions.hooks import answer as telling

    line["shown"] = 0
    if not event.prompt or not hook_reply.takes_text(event.host, event.name):
        return ""
    return telling.at_prompt(root, event, line, teams)


def _teams(call: Call, event: "Event") -> "Teams":
    """How the vaults of teams are asked; not beside one that the call names."""
    from memcli.sessions.hooks.answer import Teams

    return Teams(
        asked=not call.flags.get("vault"),
        seconds=_TEAMS_WAIT.get(event.name, 0.0),
        # The rest of the time is for the answer.
        until=call.started + _TEAMS_SHARE * _BUDGET.get(call.event, 1.0),
        build=lambda folder: _detached(folder, ["--index"]),
    )


def _work(call: Call) -> None:
    """What a detached process does: mine one session, sweep, or index."""
    from memcli.sessions import recovery
    from memcli.sessions.hooks import answer as telling

    root, flags, line = call.root, call.flags, call.line
    if root is None:
        return
    vault, _ = telling.opened(root)
    if "index" in flags:
        line["event"] = "index"
        vault.read(lambda reader: reader.size)
    elif "sweep" in flags:
        line["event"] = "sweep"
        done = recovery.sweep(vault, os.environ)
        recovery.tell_log(vault, done)
        line["did"] = f"looked at {len(done)} sessions"
    else:
        line["event"] = "reflect"
        session, host = flags.get("session", ""), flags.get("host", "")
        line.update(host=host, session=session)
        marker = _marker(root, call)
        recovery.settle(marker.transcript)
        path = recovery.transcript(marker, os.environ)
        if path is None:
            line["did"] = "no transcript yet"
            return
        found = recovery.mine(vault, session, path, host, close="close" in flags)
        line["did"] = "unchanged" if found is None else "reflected"
        line.update({} if found is None else found.counts)


def _marker(root: str, call: Call) -> "Marker":
    """The session as its marker has it, with the transcript that the call names."""
    from memcli.sessions import markers

    flags = call.flags
    session, host = flags.get("session", ""), flags.get("host", "")
    told = flags.get("transcript") or None
    for one in markers.markers(root):
        if one.session == session:
            return one._replace(host=host, transcript=told or one.transcript)
    return markers.Marker(session, host, told, "", markers.START, 0.0, "")


def _again(root: str, event: "Event") -> bool:
    """Whether the same event of the same session came just now, by another hook."""
    from zlib import crc32

    from memcli.sessions import markers

    prompt = event.prompt if event.name == "prompt-submit" else ""
    said = f"{event.name}\0{prompt}".encode("utf-8", "replace")
    path = markers.path(root, event.session, f".{crc32(said):08x}{markers.ONCE}")
    try:
        markers.make_folder(root)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        age = time.time() - os.stat(path).st_mtime
        os.utime(path)
        return 0 <= age < _ONCE_FOR
    except OSError:
        pass
    return False


def _detached(root: str, flags: Sequence[str]) -> str:
    """Start a process of its own, which outlives this one and its host."""
    import subprocess

    command = [sys.executable, "-P", "-m", "memcli", "hook", "work", *flags]
    command += ["--vault", root]
    nothing = subprocess.DEVNULL
    # DETACHED_PROCESS and CREATE_NEW_PROCESS_GROUP; the first try also with
    # CREATE_BREAKAWAY_FROM_JOB, which not every job allows.
    tries = (0x01000208, 0x208) if sys.platform == "win32" else (0,)
    for number, windows in enumerate(tries):
        try:
            subprocess.Popen(  # noqa: S603 our own interpreter
                command,
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
                cwd=root,
                creationflags=windows,
                start_new_session=True,
            )
        except OSError:
            if number == len(tries) - 1:
                raise
        else:
            break
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
        if name in ("sweep", "close", "index", "json"):
            flags[name] = "yes"
        else:
            flags[name] = value if equals else next(rest, "")
    return event, flags


def _root(named: str | None) -> str | None:
    from memcli.errors import MemcliError
    from memcli.storage import settings

    try:
        return settings.find_vault(named or None, os.environ)
    except MemcliError:
        return None  # no vault: a host without memory, as before


def _limit(call: Call) -> None:
    """See to it that this call ends in its time."""
    seconds = _WORK_BUDGET if call.event == "work" else _BUDGET.get(call.event, 1.0)
    if sys.platform == "win32":
        import threading

        timer = threading.Timer(seconds, _late, (call,))
        timer.daemon = True
        timer.start()
        return
    import signal

    def late(_number: int, _frame: object) -> None:
        _late(call)

    signal.signal(signal.SIGALRM, late)
    signal.signal(signal.SIGTERM, late)
    # Keys that a person presses, and a terminal that closes, are meant for the host.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _now() -> str:
    from memcli.entries import dates

    return dates.iso(int(time.time()))


COMMAND = Command("hook", _HELP, _PARAMETERS, run)
