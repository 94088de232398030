"""The names of a session's files among the markers.

Invariant: loads next to nothing, because a hook asks before each edit whether a session
was told something already.
"""

from __future__ import annotations

import os

from memcli.entries import layout
from memcli.storage import state_dirs

PREFIX = "session-id-"
ACTED = ".acted"
"""What a session was told at its actions, and what need not be looked at again."""

_LONGEST_NAME = 100
_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def path(root: str, session: str, ending: str) -> str:
    """The path of a session's file among the markers, by its ending."""
    folder = state_dirs.path(root, layout.HARNESS)
    return os.path.join(folder, f"{PREFIX}{name_of(session)}{ending}")


def mark_of(agent: str | None) -> str:
    """The part of a file's name that marks it as an agent's; empty for the owner's."""
    if agent is None:
        return ""
    from zlib import crc32  # `hashlib` would load OpenSSL: 3 ms of a hook

    return f".{crc32(agent.encode('utf-8', 'replace')):08x}"


def name_of(session: str) -> str:
    """A session's id as part of a file's name; the hash of a strange one."""
    is_plain = _SIGNS.issuperset(session) and session[:1].isalnum()
    if is_plain and len(session) <= _LONGEST_NAME:
        return session
    import hashlib

    return hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:32]


def act(root: str, session: str, ids: list[str], agent: str | None) -> None:
    """Note ids that need not be told to this session at its actions again.

    Raises:
        OSError: it cannot be noted.
    """
    place = path(root, session, mark_of(agent) + ACTED)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "a", encoding="ascii", errors="replace") as file:
        file.write("".join(f"{name}\n" for name in ids))


def acted(root: str, session: str, agent: str | None) -> set[str]:
    """The ids of entries that need not be told to this session at its actions."""
    try:
        with open(path(root, session, mark_of(agent) + ACTED), "rb") as file:
            return set(file.read(1_000_000).decode("ascii", "replace").split())
    except OSError:
        return set()
