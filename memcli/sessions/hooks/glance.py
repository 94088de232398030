"""The first look at an action: mostly there is nothing to say, and the process ends.

Invariant: as long as no trigger may fire, nothing is loaded that a bare Python has not
loaded, but for a few of memcli's own modules that load nothing either; tests/cli/
test_startup.py guards it, because every edit of every session pays for it. It only
decides that there is nothing to tell. What it is not sure of (a vault by name, a
table that is older than its vault, vaults of others) goes to `hooks.call`, which knows.
"""

from __future__ import annotations

import os

from memcli.entries import layout
from memcli.hosts import tool_call
from memcli.search import trigger_table
from memcli.sessions.hooks import pipe
from memcli.storage import state_dirs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

_LARGEST = 1_000_000
# Seconds of the host's time; an edit of 200,000 characters takes a third.
_BUDGET = 2.0


def payload_or_end(words: Sequence[str]) -> Callable[[], Any]:
    """Read the host's payload; end the process unless there may be something to tell.

    Args:
        words: the command line after `memcli hook`.

    Returns:
        What gives the payload, for `hooks.call`.
    """
    if os.environ.get("MEMCLI_HOOKS") == "off":
        os._exit(0)
    payload = None
    try:
        _limit()
        pipe.fill()
        payload = pipe.read(loads)
        if not look(words, payload, os.environ):
            os._exit(0)
    except Exception:  # noqa: BLE001, S110 `call` meets it again, and says so in the log
        pass
    return lambda: payload


def _limit() -> None:
    """See to it that the process ends in its time, with nothing said.

    Not by `signal`, which loads `enum`. `hooks.call` sets its own limit later.
    """
    import _signal as signals  # type: ignore[import-not-found]

    if hasattr(signals, "setitimer"):
        signals.signal(signals.SIGALRM, lambda *_: os._exit(0))
        signals.setitimer(signals.ITIMER_REAL, _BUDGET)


def look(words: Sequence[str], payload: Any, environ: Mapping[str, str]) -> bool:
    """Whether there may be something to tell before or after a tool.

    Args:
        words: the command line after `memcli hook`.
        payload: what the host sent.
        environ: names the user's folders.
    """
    _, flags, unclear = pipe.parsed(words)
    if unclear:
        return True
    root = _vault(flags, environ)
    if root == "":
        return False
    if not isinstance(payload, dict) or root is None:
        return True
    if not os.path.isdir(os.path.join(root, ".memcli")):
        return False
    roots = payload.get("workspace_roots")  # Cursor's
    root_folder = roots[0] if isinstance(roots, list) and roots else ""
    folder = payload.get("cwd") or payload.get("directory") or root_folder
    folder = folder if isinstance(folder, str) else ""
    found = tool_call.actions(payload, folder)
    if not found:
        return False
    index = state_dirs.path(root, layout.INDEX, environ)
    table = trigger_table.read(os.path.join(index, trigger_table.NAME))
    if table is None or not table.is_fresh(root):
        return True
    if not flags.get("vault") and _may_ask_others(folder, environ):
        return True
    evident, triggered = table.evident(found), table.triggered(found)
    if not evident and not triggered:
        return False
    names = map(payload.get, ("session_id", "sessionId", "conversation_id"))
    session = next((each for each in names if each and isinstance(each, str)), "")
    from memcli.sessions import markers

    agent = flags.get("agent") or environ.get("MEMCLI_AGENT") or None
    acted = markers.noted(root, session, markers.ACTED, agent) if session else set()
    rows = table.rows()
    if any(loads(rows[number])[0] not in acted for number in evident):
        return True
    told = [loads(rows[number]) for number in triggered]
    # What is refused or asked for each time: where it was told may be another place.
    told = [row for row in told if row[3] or row[0] not in acted]
    if not told:
        return False
    # This loads regular expressions.
    from memcli.entries.text.code_terms import Trigger
    from memcli.sessions.lessons import Action, fired

    actions = [Action(*each) for each in found]
    return any(
        fired([Trigger(*each) for each in row[4]], row[5], one)
        for row in told
        for one in actions
    )


def loads(data: bytes | bytearray) -> Any:
    """The value of JSON, without `json`, which loads regular expressions: 8 ms.

    Raises:
        ValueError: it is no JSON.
    """
    try:
        from _json import make_scanner

        text = bytes(data).decode().strip()
        value, end = make_scanner(_Context())(text, 0)  # type: ignore[arg-type]
    except (ImportError, StopIteration, UnicodeDecodeError, TypeError):
        import json

        return json.loads(data)
    if end != len(text):
        raise ValueError("more than one value")
    return value


class _Context:
    """The part of `json.JSONDecoder` that the scanner asks for."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    memo: dict[str, str] = {}  # noqa: RUF012 the scanner's own

    @staticmethod
    def parse_constant(name: str) -> None:
        """NaN and the infinities: nothing here counts."""
        del name


def _vault(flags: Mapping[str, str], environ: Mapping[str, str]) -> str | None:
    """The folder of the vault; empty for no vault, None where only `call` can tell."""
    named = flags.get("vault") or environ.get("MEMCLI_VAULT") or ""
    named = named or state_dirs.default_vault(environ) or ""
    if not named:
        return ""
    # A name of the user's config has no slash; a path that memcli wrote has one.
    if os.sep not in named and "/" not in named:
        return None
    return os.path.abspath(os.path.expanduser(named))


def _may_ask_others(folder: str, environ: Mapping[str, str]) -> bool:
    """Whether other vaults may be asked in a folder, which only `call` can tell."""
    try:
        with open(state_dirs.path_of(environ), "rb") as file:
            if b"vaults" in file.read(_LARGEST):
                return True
    except OSError:
        pass
    if os.path.exists(state_dirs.allowed_file(environ)):
        above = ""
        while folder and folder != above:
            if os.path.isdir(os.path.join(folder, ".memory")):
                return True
            folder, above = os.path.dirname(folder), folder
    return False
