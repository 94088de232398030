"""The command line of a hook: `EVENT --host HOST [-v VAULT] [--agent NAME]`.

A module of its own, because the first look at an action (`glance`) loads it and nothing
else of a call.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

# `work`, a process that a hook starts, has the rest of these.
_WITH_VALUE = ("host", "vault", "agent", "session", "transcript")
_SWITCHES = ("sweep", "close", "index", "json")


def parsed(words: Sequence[str]) -> tuple[str, dict[str, str], str]:
    """Read the words after `memcli hook`.

    Returns:
        The event; its flags; why the words are not understood, or an empty text. A hook
        that is not understood says nothing: it might ask as somebody else.
    """
    event = ""
    flags: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.removeprefix("--").partition("=")
        if word[:2] == "-v":
            name, equals, value = "vault", word[2:], word[2:].removeprefix("=")
        elif not word.startswith("-"):
            if event:
                return event, flags, f"one word too many: {word[:40]}"
            event = word
            continue
        elif not word.startswith("--"):
            return event, flags, f"no such flag: {word[:40]}"
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
