"""One call of a hook: from the payload on standard input to the answer.

Invariant: for every input and every failure, the process ends with exit code 0,
within its time, and prints one whole answer in the host's format or nothing. Work that
may take long runs in a process of its own (`recovery.work`), which outlives the host.
Every call leaves a line in the log that `memcli inspect sessions` shows.

This is the hot path: it runs before every prompt. It loads neither Typer nor Rich,
YAML or GitPython.
"""

from __future__ import annotations

import os
import sys
import time

from memcli.sessions.hooks import pipe

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn

    from memcli.hosts.hook_payload import Event
    from memcli.hosts.host import Host
# Seconds that memcli takes of the host's time, at most. A person waits at a prompt;
# Codex gives the end of a session three.
BUDGET = {"session-start": 4.0, "session-end": 1.5}
BUDGET |= dict.fromkeys(("prompt-submit", "pre-tool", "post-tool", "stop"), 2.0)
BUDGET |= {"pre-compact": 2.0, "idle": 2.0}
# Seconds between two sweeps that sessions start by themselves.
_SWEEP_EVERY = 3_600.0
_TOOLS = ("pre-tool", "post-tool")
# The share of the budget after which a hook waits for the vaults of teams no longer:
# the rest is for the answer.
_TEAMS_SHARE = 0.75


class Call:
    """One call of a hook: what came in, and what comes of it.

    Attributes:
        event: what the command line names; `work` for a background process.
        flags: the rest of the command line.
        unclear: why the command line is not understood; empty when it is.
        root: the vault; None when there is none.
        answer: what goes to the host; empty for no answer.
        line: what goes into the log.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.started = time.monotonic()
        self.event, self.flags, self.unclear = pipe.parsed(words)
        self.root: str | None = None
        self.answer = ""
        self.line: dict[str, Any] = {"event": self.event[:40]}

    def fail(self, why: str) -> None:
        """Answer nothing, and say why in the log."""
        self.answer = ""
        self.line["error"] = why[:300]


def main(words: Sequence[str], read: Callable[[], Any] | None = None) -> NoReturn:
    """Answer one call and end the process with exit code 0.

    Args:
        words: the command line after `memcli hook`.
        read: gives the host's payload, when it was read already.
    """
    try:
        # A command that memcli itself starts, such as a judge, has hooks of its own.
        if os.environ.get("MEMCLI_HOOKS") == "off":
            os._exit(0)
        call = Call(words)
        _limit(call)
        if read is None:
            pipe.fill()
        if call.event == "work" and sys.platform != "win32":
            os.nice(10)
        answer(call, read or pipe.read)
        _finish(call)
    finally:
        os._exit(0)


def answer(call: Call, read: Callable[[], Any]) -> None:
    """Do what an event asks for; `call` says what came of it, also of a failure.

    Args:
        call: its `answer` and `line` are filled in.
        read: gives the host's payload, or None; called when an event came.
    """
    try:
        call.root = _vault_root(call.flags.get("vault"))
        if call.unclear:
            call.fail(call.unclear)
            return
        if "agent" in call.flags:
            from memcli.vault.agents import named_agent

            # In the environment, so that it reaches a process that this one starts.
            os.environ["MEMCLI_AGENT"] = named_agent(call.flags["agent"])
        if call.event != "work":
            _respond(call, read())
        elif call.root:
            from memcli.sessions import recovery
            from memcli.sessions.hooks import tell

            recovery.work(tell.opened(call.root), call.flags, call.line)
    except BaseException as error:  # noqa: BLE001 a hook never hurts its host
        from memcli.sessions import hook_log

        call.fail(hook_log.named(error))


def note(call: Call) -> None:
    """Write the line of this call into the log of its vault, if there is one."""
    root = call.root
    if root and os.path.isdir(os.path.join(root, ".memcli")):
        from memcli.sessions import hook_log

        took = round((time.monotonic() - call.started) * 1000)
        about = {"at": int(time.time()), "ms": took, "chars": len(call.answer)}
        agent = os.environ.get("MEMCLI_AGENT") or None
        hook_log.note(root, {**about, "agent": agent, **call.line})


def _finish(call: Call) -> None:
    """Print the answer whole, and write the line; the clock still runs."""
    try:
        if sys.platform != "win32":
            import signal

            # An answer that was begun is finished.
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        pipe.write(call.answer)
    except OSError as error:
        from memcli.sessions import hook_log

        call.fail(hook_log.named(error))
    note(call)
    if os.isatty(0) and "error" in call.line:  # a person typed it; a host has a pipe
        os.write(2, f"memcli: {call.line['error']}\n".encode())


def _give_up(call: Call) -> NoReturn:
    """End the process: its time is over, or it was asked to end."""
    try:
        call.fail("out of time")
        if call.root and call.event in ("session-start", "prompt-submit"):
            # Mostly it is an index that was never built: not the next prompt's work.
            call.line["did"] = pipe.start(call.root, "--index")
        note(call)
    finally:
        os._exit(0)


def _vault_root(named: str | None) -> str | None:
    from memcli.errors import MemcliError
    from memcli.storage import known_vaults

    try:
        return known_vaults.find_vault(named or None, os.environ)
    except MemcliError:
        return None  # no vault: a host without memory, as before


def _limit(call: Call) -> None:
    """See to it that this call ends in its time."""
    # Background work that takes longer hangs.
    seconds = 600.0 if call.event == "work" else BUDGET.get(call.event, 1.0)
    if sys.platform == "win32":
        import threading

        timer = threading.Timer(seconds, _give_up, (call,))
        timer.daemon = True
        timer.start()
        return
    import signal

    def give_up(_number: int, _frame: object) -> None:
        _give_up(call)

    signal.signal(signal.SIGALRM, give_up)
    signal.signal(signal.SIGTERM, give_up)
    # Keys that a person presses, and a terminal that closes, are meant for the host.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _respond(call: Call, payload: Any) -> None:
    """Do what an event of a host asks for; the payload is None when it sent none."""
    from memcli.hosts import hook_payload, table
    from memcli.hosts.host import EVENTS
    from memcli.sessions import markers

    root, line = call.root, call.line
    if root is None or not os.path.isdir(os.path.join(root, ".memcli")):
        return
    event = hook_payload.read(call.event, call.flags.get("host", ""), payload)
    host = table.get(event.host)
    line.update(host=event.host[:40], session=event.session)
    if call.event not in EVENTS:
        call.fail(f"no such event: {call.event[:40]}")
    elif payload is None and call.event != "idle":
        call.fail("no JSON on standard input")
    elif host is None or not host.events:
        call.fail(f"no such host: {event.host[:40]}")
    elif event.name == "idle":
        line["did"] = f"nothing at {event.reason[:40]}"
        if event.reason in ("", "idle_prompt"):
            line["did"] = pipe.start(root, "--sweep")
    elif not event.session and event.name not in (*_TOOLS, "session-start"):
        call.fail("no session in the payload")
    elif (
        event.session
        and event.name not in _TOOLS
        and any(host.name in each.hooks_also_run_by for each in table.hosts())
        and markers.came_before(root, event)
    ):
        line["did"] = "nothing: the same event came twice"
    else:
        call.answer = _handle(call, root, event, host)


def _handle(call: Call, root: str, event: Event, host: Host) -> str:
    """Do the work of an event of a session; returns the answer to the host."""
    from memcli.sessions import hook_log, markers
    from memcli.sessions.hooks import tell

    last = call.started + _TEAMS_SHARE * BUDGET[event.name]
    answer = tell.Answer(
        root, event, call.line, None if "vault" in call.flags else last
    )
    if event.name in _TOOLS:
        from memcli.sessions.hooks import at_tool

        return at_tool.at_tool(answer, host)
    line, agent, is_ours, text = call.line, tell.agent_name(), True, ""
    try:
        if event.session:
            # At an end the host may not say where the transcript is; it said so before.
            about = event.session, event.host, event.transcript, agent, event.cwd
            is_ours = markers.begin(root, *about)
    except OSError as error:  # a disk that is full or read-only can be read
        line["error"] = hook_log.named(error)
    if event.name == "session-start":
        from memcli.storage import detached

        text = tell.at_start(answer) if host.takes_text else ""
        # Afterwards: a sweep, of each agent's own sessions, may hold the index for as
        # long as it is being built.
        if tell.is_time(root, "swept" + markers.mark_of(agent), _SWEEP_EVERY):
            line.setdefault("did", pipe.start(root, "--sweep"))
        detached.at_session(os.environ)
    elif event.name == "prompt-submit":
        line["shown"] = 0
        if event.prompt and host.takes_text:
            text = tell.at_prompt(answer)
    elif not is_ours:
        line["did"] = "nothing: the session is another agent's"
    else:
        if event.name == "pre-compact" and not host.starts_after_compaction:
            markers.forget(root, event.session, agent)
        flags = [f"--session={event.session}", f"--host={event.host}"]
        if event.transcript:
            flags.append(f"--transcript={event.transcript}")
        if event.name == "session-end":
            flags.append("--close")
        line["did"] = pipe.start(root, *flags)
    return host.reply(event.name, text)
