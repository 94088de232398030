"""What a hook leaves to a process of its own: mining a session, a sweep, an index.

Invariant: the process outlives the hook that started it, and the host. It is a call of
`memcli hook work`, so its end and its line in the log are those of any call.
"""

from __future__ import annotations

import os

from memcli.entries.text.counted import counted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memcli.sessions.markers import Marker


def start(root: str, flags: Sequence[str]) -> str:
    """Start the process that works on a vault; returns what the log says of it.

    Args:
        root: the vault.
        flags: `--sweep`, `--index`, or `--session=ID --host=HOST` with
            `--transcript=PATH` and `--close`.

    Raises:
        OSError: it cannot be started.
    """
    from memcli.storage import detached

    detached.start(("hook", "work", *flags, "--vault", root))
    return "started a process of its own"


def work(root: str | None, flags: Mapping[str, str], line: dict[str, Any]) -> None:
    """Do what `start` was asked for; `line` says what came of it.

    Raises:
        MemcliError, OSError: it was not done; the next sweep tries again.
    """
    from memcli.sessions import recovery
    from memcli.sessions.hooks import answer

    if root is None:
        return
    vault = answer.opened(root)
    if "index" in flags:
        line["event"] = "index"
        vault.read(lambda reader: reader.size)
    elif "sweep" in flags:
        line["event"] = "sweep"
        done = recovery.sweep(vault, os.environ)
        recovery.tell_log(vault, done)
        line["did"] = f"looked at {counted(len(done), 'session')}"
    else:
        line["event"] = "reflect"
        session, host = flags.get("session", ""), flags.get("host", "")
        line.update(host=host, session=session)
        marker = marker_of(root, flags)
        recovery.settle(marker.transcript)
        path = recovery.transcript(marker, os.environ)
        if path is None:
            line["did"] = "no transcript yet"
            return
        result = recovery.mine(vault, marker, path, os.environ, close="close" in flags)
        line["did"] = "unchanged" if result is None else "reflected"
        line.update({} if result is None else result.counts)
        if "close" in flags:
            from memcli.vault import background_sync

            # After the session was mined, so that what it taught goes along.
            background_sync.at_session(os.environ)


def marker_of(root: str, flags: Mapping[str, str]) -> Marker:
    """The session as its marker has it, with the transcript that the flags name."""
    from memcli.sessions import markers

    session, host = flags.get("session", ""), flags.get("host", "")
    transcript = flags.get("transcript") or None
    for marker in markers.markers(root):
        if marker.session == session:
            path = transcript or marker.transcript
            return marker._replace(host=host, transcript=path)
    return markers.Marker(session, host, transcript, "", markers.START, 0.0, "")
