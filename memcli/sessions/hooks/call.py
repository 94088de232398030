"""One call of a hook: from the payload on standard input to the answer.

Invariant: for every input and every failure, the process ends with exit code 0,
within its time, and prints one whole answer in the host's format or nothing. Work that
may take long runs in a process of its own (`background`), which outlives the host.
Every call leaves a line in the log that `memcli inspect sessions` shows.

This is the hot path: it runs before every prompt. It loads neither Typer nor Rich,
YAML or GitPython.
"""

from __future__ import annotations

import os
import sys
import time

from memcli.sessions.hooks import events, pipe
from memcli.sessions.hooks.events import BUDGET, Call

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn

__all__ = ["Call", "answer", "main", "note"]

# Background work that takes longer than this hangs.
_WORK_BUDGET = 600.0
_TELLING = ("session-start", "prompt-submit")


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
        if call.event == "work":
            from memcli.sessions.hooks import background

            background.work(call.root, call.flags, call.line)
        else:
            events.respond(call, read())
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
        agent = events.agent_name()
        whose = {"agent": agent} if agent else {}
        hook_log.note(root, {**about, **whose, **call.line})


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


def _give_up(call: Call) -> NoReturn:
    """End the process: its time is over, or it was asked to end."""
    try:
        call.fail("out of time")
        if call.root and call.event in _TELLING:
            # Mostly it is an index that was never built: not the next prompt's work.
            call.line["did"] = events.start(call.root, "--index")
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
    seconds = _WORK_BUDGET if call.event == "work" else BUDGET.get(call.event, 1.0)
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
