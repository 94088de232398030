"""Runs one command: the boundary where errors become output and exit codes.

Invariant: also after a bug inside, the process prints one answer and leaves with 0,
1, 2, 70 or 75 (docs/agents/output.md). The clock, the environment and the terminal are
looked at here and nowhere below.
"""

from __future__ import annotations

import errno
import os
import sys
import time

from memcli.cli import commands, render
from memcli.cli.context import Context
from memcli.errors import MemcliError, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def run(name: str, values: dict[str, Any]) -> int:
    """Run a command with the values of its command line.

    Args:
        name: of the command.
        values: of its parameters, and of those that every command has.

    Returns:
        The exit code.
    """
    render.prepare_streams()
    empty = _flag_without_value(name, values)
    as_json = bool(values.pop("json", False))
    header = bool(values.pop("header", False))
    vault, named = values.pop("vault", None), values.pop("agent", None)
    asked = [vault] if vault else values.get("vaults") or []
    screen = render.Screen(name, as_json=as_json, header=header, asked=asked)
    context = _context(name, vault, as_json, screen)
    try:
        if empty:
            raise UsageError(
                f"{empty} is given without a value",
                hint="Give one, or leave the flag out. Is a script's variable empty?",
            )
        if named is not None:
            from memcli.vault.agents import named_agent

            context = context._replace(agent=named_agent(named))
        values = commands.with_fields(name, values)
        return screen.success(commands.answer(name, context, values))
    except MemcliError as error:
        return screen.failure(error)
    except BrokenPipeError:
        # The reader has seen enough (`memcli recall x | head -1`): no error.
        # Python flushes stdout at exit and would complain a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt as stop:
        if not stop.args and sys.stderr is not None and sys.stderr.isatty():
            screen.tell("")  # the terminal shows ^C, and what was drawn until then
        screen.tell("Interrupted. Nothing half-done was kept.")
        return 130
    except Exception as error:  # noqa: BLE001 the one place that may
        # The vault's own files never raise these bare: they are the output's.
        if isinstance(error, OSError) and error.errno in _OF_OUTPUT:
            screen.tell(f"memcli: cannot write the output: {error.strerror}")
            return 1
        if os.environ.get("MEMCLI_DEBUG"):
            import traceback

            traceback.print_exception(error)
        return screen.failure(render.Bug(error))


_OF_OUTPUT = (errno.ENOSPC, errno.EIO, errno.EBADF)


def _flag_without_value(name: str, values: Mapping[str, Any]) -> str | None:
    """The flag whose value is the empty text, as of `--since "$UNSET"`.

    Where it counted as not given, a script asked for more than it meant.
    """
    empty = {
        each
        for each, value in values.items()
        if value == "" or (isinstance(value, list) and "" in value)
    }
    known = commands.flags(name).items() if empty else ()
    return next((flag for flag, one in known if one.name in empty), None)


def _context(
    name: str, vault: str | None, as_json: bool, screen: render.Screen
) -> Context:
    return Context(
        environ=os.environ,
        now_ms=lambda: time.time_ns() // 1_000_000,
        entropy=os.urandom,
        read_stdin=lambda: sys.stdin.buffer.read() if sys.stdin else b"",
        stdin_is_terminal=sys.stdin is None or sys.stdin.isatty(),
        ask=screen.ask,
        tell=screen.tell,
        progress=screen.progress,
        vault=vault,
        json=as_json,
        agent=os.environ.get("MEMCLI_AGENT") or None,
        via="reflect" if name == "reflect" else "recall",
        cwd=_cwd(),
    )


def _cwd() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # the folder is gone
        return None
