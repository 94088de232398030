"""The table of the agent hosts.

Invariant: the one list of hosts. A host is its module in this folder and its name here
(and, if its transcripts are like no other's, a module of `formats`). A record is loaded
when it is asked for: a hook pays for the host that calls it.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memcli.hosts.host import Host

NAMES = (
    "claude-code",
    "codex",
    "gemini",
    "copilot",
    "cursor",
    "windsurf",
    "opencode",
    "generic",  # last: a transcript is asked whether it is any other's first
)
"""The hosts, in the order in which people see them."""


def get(name: str) -> Host | None:
    """The host of this name; None when there is none."""
    if name not in NAMES:
        return None
    # `importlib` would load Python's warnings as well, half a percent of a hook.
    module = __import__(f"memcli.hosts.{name.replace('-', '_')}", fromlist=["HOST"])
    host: Host = module.HOST
    return host


def hosts() -> list[Host]:
    """Every host, in the order of the table."""
    return [host for name in NAMES if (host := get(name)) is not None]


def with_hooks() -> list[Host]:
    """Every host that has hooks, in the order of the table."""
    return [host for host in hosts() if host.events]


def running_in(environ: Mapping[str, str]) -> Host | None:
    """The host in whose session this program runs; None when none says so."""
    for host in hosts():
        named = (host.session_variable, *host.program_variables)
        if any(name and environ.get(name) for name in named):
            return host
    return None


def find(name: str, *, hooks: bool = False) -> Host:
    """The host of this name.

    Args:
        name: as a person wrote it.
        hooks: whether it has to have hooks.

    Raises:
        InvalidValue: there is none; the hint names the nearest, and all.
    """
    host = get(name)
    if host is not None and (host.events or not hooks):
        return host
    from difflib import get_close_matches

    from memcli.errors import InvalidValue

    names = [host.name for host in (with_hooks() if hooks else hosts())]
    near = get_close_matches(name.lower(), names, 1, 0.5)
    meant = f"Did you mean {near[0]}? " if near else ""
    raise InvalidValue(
        f"no such host: {name[:60]!r}",
        hint=f"{meant}There are: {', '.join(names)}.",
        code="invalid_host",
    )
