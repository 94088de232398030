"""The command line of a hook, its pipes in and out, and the process to which it leaves
what takes long.

Invariant: a hook does not wait for a host that never closes its pipe, and no file of
the vault can stand where a host has closed a stream. It reads and writes bytes, not
Python's streams: the host's locale changes nothing.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


# Seconds that a host has for its JSON.
_PATIENCE = 1.0
_MOST = 16_000_000


def read(loads: Callable[[bytes | bytearray], Any] | None = None) -> Any:
    """The host's JSON value; None when it sends nothing, no JSON, or too much.

    `loads` makes a value of bytes, as that of `json`, which is used without it.
    """
    if loads is None:
        import json

        loads = json.loads
    if os.isatty(0):
        return None
    data = bytearray()
    until = time.monotonic() + _PATIENCE
    while (left := until - time.monotonic()) > 0:
        # It is all there when nothing more comes and it can be read.
        if data[-8:].rstrip().endswith(b"}") and not _comes(0):
            try:
                return loads(data)
            except (ValueError, RecursionError):
                pass
        if not _comes(left):
            break
        part = os.read(0, 1 << 20)
        if not part:
            break
        # The rest is read all the same: a host may mind a pipe that breaks.
        if len(data) <= _MOST:
            data += part
    try:
        return None if len(data) > _MOST else loads(data)
    except (ValueError, RecursionError):
        return None


def write(text: str) -> None:
    """Write a text whole.

    Raises:
        OSError: the host has closed its end.
    """
    data = memoryview(text.encode("utf-8", "replace"))
    while data:
        try:
            data = data[os.write(1, data) :]
        except BlockingIOError:
            time.sleep(0.01)


def fill() -> None:
    """Open the streams that the host closed, or a vault's file becomes stdout."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _comes(seconds: float) -> bool:
    """Whether there is data or the end of the pipe within so many seconds."""
    if sys.platform == "win32":  # select takes only sockets there
        return True
    import select

    return bool(select.select([0], [], [], seconds)[0])


# `work`, a process that a hook starts, has the rest of these.
_WITH_VALUE = ("host", "vault", "agent", "session", "transcript")
_SWITCHES = ("sweep", "close", "index", "json")


def parsed(words: Sequence[str]) -> tuple[str, dict[str, str], str]:
    """Read the words after `memcli hook`.

    Returns:
        The event; its flags; why the words are not understood, or an empty text. Such a
        hook says nothing, since it could use the wrong vault or agent.
    """
    event = ""
    flags: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            if event:
                return event, flags, f"one word too many: {word[:40]}"
            event = word
            continue
        name, equals, value = word.removeprefix("--").partition("=")
        if word[:2] == "-v":
            name, equals, value = "vault", word[2:], word[2:].removeprefix("=")
        if name in _SWITCHES and not equals:
            flags[name] = "yes"
        elif name in _WITH_VALUE:
            given = value if equals else next(rest, None)
            if given is None or (name == "vault" and not given):
                return event, flags, f"--{name} has no value"
            flags[name] = given
        else:
            return event, flags, f"no such flag: {word[:40]}"
    return event, flags, ""


def start(root: str, *flags: str) -> str:
    """Start the process that works on a vault; returns what the log says of it.

    Args:
        root: the vault.
        flags: `--sweep`, `--index`, or `--session=ID --host=HOST` with
            `--transcript=PATH` and `--close`.
    """
    from memcli.storage import detached

    try:
        detached.start(("hook", "work", *flags, "--vault", root))
    except OSError as error:
        return f"nothing: no process can be started: {error.strerror}"
    return "started a process of its own"
