"""Mining in the background, and recovery: a session whose end memcli did not see is
mined all the same.

A hook leaves the mining of a session, a sweep and an index to a process of its own,
which outlives the hook and the host. It is a call of `memcli hook work`, so its end and
its line in the log are those of any call.

Invariant: a session that a person is in is never an orphan: both its marker and its
transcript must have been still for an hour. One process mines at a time. A marker
changes only when everything was kept; what fails is tried again by the next sweep, and
given up, with a line in the log, after thirty days. A report calls a session what a
sweep would act on.
"""

from __future__ import annotations

import os
import time

from memcli.entries import layout
from memcli.entries.text.counted import counted
from memcli.errors import LockBusy, MemcliError
from memcli.sessions import hook_log, markers, reflect_session
from memcli.sessions.markers import REFLECTED, START, Marker
from memcli.storage import state_dirs
from memcli.storage.files import remove_quietly
from memcli.storage.lock import Lock

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memcli.sessions.bringing import Reflected
    from memcli.vault.vault import Vault

STILL = 3_600.0
"""Seconds without a sign after which a session has ended, or crashed."""

KEPT = 30 * 86_400.0
"""Seconds that a marker is kept after its session was mined, or never could be."""

# A host may write the transcript late, or never: a day is late.
_NEVER = 86_400.0
# Copilot CLI writes its transcript a third of a second after what it tells; three times
# that, and not for ever: a person may be typing.
_PAUSE = 1.0
_MOST_PAUSES = 8
# Another process may be mining a session; it needs a second, seldom ten.
_WAIT = 30.0


def work(vault: Vault, flags: Mapping[str, str], line: dict[str, Any]) -> None:
    """Do what a hook left to this process; `line` says what came of it.

    Args:
        vault: where.
        flags: `index`, `sweep`, or `session` and `host` with `transcript` and `close`.
        line: of the log.

    Raises:
        MemcliError, OSError: it was not done; the next sweep tries again.
    """
    if "index" in flags:
        line["event"] = "index"
        vault.read(lambda reader: reader.size)
        return
    if "sweep" in flags:
        line["event"] = "sweep"
        done = sweep(vault)
        line["did"] = f"looked at {counted(len(done), 'session')}"
        return
    session, host = flags.get("session", ""), flags.get("host", "")
    line.update(event="reflect", host=host, session=session)
    known = (each for each in markers.markers(vault.root) if each.session == session)
    marker = next(known, Marker(session, host, None, "", START, 0.0, ""))
    named = flags.get("transcript") or marker.transcript
    marker = marker._replace(host=host, transcript=named)
    settle(named)
    path = transcript(marker, vault.environ)
    if path is None:
        line["did"] = "no transcript yet"
        return
    result = mine(vault, marker, path, close="close" in flags)
    line["did"] = "unchanged" if result is None else "reflected"
    line.update({} if result is None else result.counts)
    if "close" in flags:
        from memcli.storage import detached

        # After the session was mined, so that what it taught goes along.
        detached.at_session(vault.environ)


def sweep(vault: Vault) -> dict[str, str]:
    """Mine the sessions that ended unseen, and remove markers of long ago.

    Returns by session: reflected, unchanged, live, waiting (no transcript yet), failed,
    dropped (given up), expired (mined long ago).

    Each is mined as its own agent, so that its teachings become no other agent's; an
    agent sweeps its own sessions and learns of no other. The log says what was
    reflected, failed or given up.
    """
    done = {}
    now = vault.now_ms() / 1000
    for marker in _own(vault.root, vault.agent_name, now):
        about = {"host": marker.host, "session": marker.session}
        outcome, why = _swept(vault.acting_as(marker.agent), marker)
        done[marker.session] = outcome
        if outcome in ("dropped", "expired"):
            remove_quietly(marker.path)
        if outcome in ("reflected", "failed", "dropped"):
            line = {"at": int(now), "event": "sweep", **about, "did": outcome}
            hook_log.note(vault.root, {**line, "agent": marker.agent, "error": why})
    return done


def _own(root: str, agent: str | None, now: float | None = None) -> list[Marker]:
    """The markers of an agent's sessions; the owner, None, sees all."""
    found = markers.markers(root, now)
    return [marker for marker in found if agent in (None, marker.agent)]


def mine(vault: Vault, marker: Marker, path: str, *, close: bool) -> Reflected | None:
    """Mine a session for a hook; None when nothing has changed since it was mined.

    When it is over, the judge is asked as well, if the user has named one.

    Args:
        vault: where it goes.
        marker: of the session.
        path: the transcript, which may be another than the marker's.
        close: whether the session is over: its marker says then that it was mined.

    Raises:
        MemcliError, OSError: it was not kept; the marker stays as it is.
    """
    since = time.time()
    lock = os.path.join(state_dirs.path(vault.root, layout.HARNESS), "lock")
    with Lock(lock, _WAIT):
        opened = reflect_session.opened(vault, path, None, marker.cwd)
        reflected = None
        if not reflect_session.is_unchanged(vault, opened):
            reflected = reflect_session.reflect(vault, opened, writer="hook")
        if close:
            markers.finish(vault.root, marker.session, since)
    if close:  # also when the end of its last turn has mined all of it
        from memcli.sessions import judge

        judge.judge_session(vault, path, marker.cwd)
    return reflected


def transcript(marker: Marker, environ: Mapping[str, str]) -> str | None:
    """The transcript of a session: where its marker says, or found by its id."""
    path = marker.transcript
    # A pipe or a device would never end.
    if path is not None and os.path.isfile(path):
        return path
    from memcli.hosts import transcripts

    return transcripts.named(marker.host, marker.session, environ)


def newest(
    root: str, cwd: str, agent: str | None, environ: Mapping[str, str]
) -> str | None:
    """The transcript of the session in a folder that gave a sign last; None for none.

    Args:
        root: the vault.
        cwd: the folder; links are resolved.
        agent: only sessions of this agent; None for the owner, who sees all.
        environ: where the hosts keep transcripts, for markers that name none.
    """
    here = os.path.realpath(cwd)
    found = sorted(_own(root, agent), key=lambda marker: -marker.touched)
    in_folder = (m for m in found if m.cwd and os.path.realpath(m.cwd) == here)
    paths = (transcript(marker, environ) for marker in in_folder)
    return next(filter(None, paths), None)


def settle(path: str | None) -> None:
    """Wait until a host has written to its transcript what it told the hook.

    That is when the file stays as it is for a second, or was never still for eight.
    """
    seen: object = path
    for _ in range(_MOST_PAUSES):
        try:
            now = reflect_session.state(path or "")
        except MemcliError:
            now = None
        if now == seen:
            return
        seen = now
        time.sleep(_PAUSE)


def _swept(vault: Vault, marker: Marker) -> tuple[str, str | None]:
    """The outcome for one marker, and why."""
    written = 0.0
    if marker.state == REFLECTED:
        try:
            written = os.stat(marker.transcript or "").st_mtime
        except (OSError, ValueError):
            pass
    age = vault.now_ms() / 1000 - max(written, marker.touched)
    if marker.state == REFLECTED and written <= marker.touched:
        return ("unchanged" if age <= KEPT else "expired"), None
    if age < STILL:
        return "live", None
    path = transcript(marker, vault.environ)
    if path is None:
        if age < _NEVER:
            return "waiting", "no transcript yet"
        return "dropped", "no transcript for a day"
    try:
        mine(vault, marker, path, close=True)
    except LockBusy as error:
        return "waiting", error.message
    except Exception as error:  # noqa: BLE001 one session must not stop the others
        return ("dropped" if age > KEPT else "failed"), hook_log.named(error)
    return "reflected", None


# --- a report ------------------------------------------------------------------------

STATES = ("live", "waiting", "failed", "mined")
"""The states of a session: a person is in it, it waits for a sweep, its last try
failed, it was mined."""

# The log holds about so many lines.
_ALL = 10_000


def activity(vault: Vault, most: int) -> dict[str, Any]:
    """Returns a report on a vault's sessions and calls; an agent's are its own.

    Args:
        vault: whose markers and log.
        most: how many of the newest calls to give.

    Returns:
        `sessions`, the liveliest first; `by_state`; and the newest `calls`.
    """
    from collections import Counter

    now, agent = vault.now_ms() / 1000, vault.agent_name
    lines = [
        line
        for line in hook_log.last(vault.root, _ALL)
        if agent in (None, line.get("agent"))
    ]
    errors: dict[str, str | None] = {}
    for line in lines:  # the newest first
        if line.get("event") in ("reflect", "sweep"):
            errors.setdefault(str(line.get("session")), line.get("error"))
    sessions = [
        _session(marker, now, errors.get(marker.session))
        for marker in _own(vault.root, agent, now)
    ]
    sessions.sort(key=lambda each: (each["idle_minutes"], each["session"]))
    states = Counter(each["state"] for each in sessions)
    by_state = {state: states[state] for state in STATES}
    return {"sessions": sessions, "by_state": by_state, "calls": lines[:most]}


def _session(marker: Marker, now: float, why: str | None) -> dict[str, Any]:
    idle, path = max(0.0, now - marker.touched), marker.transcript
    state = "mined" if marker.state == REFLECTED else "failed" if why else ""
    return {
        "session": marker.session,
        "host": marker.host,
        "state": state or ("live" if idle < STILL else "waiting"),
        "started": marker.started,
        "idle_minutes": int(idle // 60),
        "transcript": path,
        "there": path is not None and os.path.isfile(path),
        "why": why if state == "failed" else None,
    }
