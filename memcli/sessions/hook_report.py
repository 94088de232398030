"""What memcli did by itself: the sessions that it knows, the last calls of hooks, and
what judges were asked.

Invariant: it only looks. A session's state is the one that recovery would act on, and
the reason of a failure is the one that the log has of the last try.
"""

from __future__ import annotations

import os
from collections import Counter

from memcli.named_tuple import NamedTuple
from memcli.sessions import hook_log, markers, recovery
from memcli.sessions.judging import command

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.vault.vault import Vault

STATES = ("live", "waiting", "failed", "mined")
"""The states of a session: a person is in it, it waits for a sweep, its last try
failed, it was mined."""

# The log holds about so many lines.
_ALL = 10_000
_TRIES = ("reflect", "sweep")


class KnownSession(NamedTuple):
    """One session.

    Attributes:
        session, host: whose it is.
        state: one of `STATES`.
        started: when, ISO 8601 in UTC.
        idle_minutes: since the last sign of it.
        transcript: its path; None when the host does not say.
        there: whether that file exists.
        why: the error of the last try.
    """

    session: str
    host: str
    state: str
    started: str
    idle_minutes: int
    transcript: str | None
    there: bool
    why: str | None


class EventTimes(NamedTuple):
    """How long the calls of one event took: their median and 95th percentile, in ms."""

    event: str
    calls: int
    errors: int
    p50: int
    p95: int


class JudgeCalls(NamedTuple):
    """What judges were asked in 24 hours.

    Attributes:
        calls: how many times, failed ones too.
        failed: how many gave no answer.
        asked, said: characters of the digests, bytes of the answers.
    """

    calls: int
    failed: int
    asked: int
    said: int


class Activity(NamedTuple):
    """Sessions, the liveliest first; the newest calls; the times of each event; the
    judge's calls of 24 hours."""

    sessions: list[KnownSession]
    calls: list[dict[str, Any]]
    events: list[EventTimes]
    judge: JudgeCalls

    @property
    def by_state(self) -> dict[str, int]:
        """How many sessions are in each state."""
        counts = Counter(session.state for session in self.sessions)
        return {state: counts[state] for state in STATES}

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "sessions": [session._asdict() for session in self.sessions],
            "by_state": self.by_state,
            "calls": self.calls,
            "events": [times._asdict() for times in self.events],
            "judge": self.judge._asdict(),
        }


def activity(vault: Vault, most: int) -> Activity:
    """What memcli did by itself in a vault; for an agent, in its own sessions.

    Args:
        vault: whose markers and log.
        most: how many of the newest calls to give; all that are kept count for times.
    """
    now = vault.now_ms() / 1000
    agent = vault.agent_name
    lines = [
        line
        for line in hook_log.last(vault.root, _ALL)
        if agent in (None, line.get("agent"))
    ]
    errors: dict[str, str | None] = {}
    for line in lines:  # the newest first
        if line.get("event") in _TRIES and isinstance(line.get("session"), str):
            errors.setdefault(line["session"], line.get("error"))
    sessions = [
        _state(marker, now, errors)
        for marker in markers.markers(vault.root, now)
        if agent in (None, marker.agent)
    ]
    sessions.sort(key=lambda session: (session.idle_minutes, session.session))
    return Activity(sessions, lines[:most], _times(lines), _judged(lines, now))


def _state(
    marker: markers.Marker, now: float, errors: dict[str, str | None]
) -> KnownSession:
    idle = max(0.0, now - marker.touched)
    why = errors.get(marker.session)
    if marker.state == markers.REFLECTED:
        state, why = "mined", None
    elif why is not None:
        state = "failed"
    else:
        state = "live" if idle < recovery.STILL else "waiting"
    path = marker.transcript
    return KnownSession(
        session=marker.session,
        host=marker.host,
        state=state,
        started=marker.started,
        idle_minutes=int(idle // 60),
        transcript=path,
        there=path is not None and os.path.isfile(path),
        why=why,
    )


def _times(lines: Sequence[dict[str, Any]]) -> list[EventTimes]:
    """The times of each event, the one that is called most often first."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        if isinstance(line.get("ms"), int):
            groups.setdefault(str(line.get("event")), []).append(line)
    times = []
    for event, calls in groups.items():
        spent = sorted(line["ms"] for line in calls)
        times.append(
            EventTimes(
                event,
                len(calls),
                sum(bool(line.get("error")) for line in calls),
                spent[len(spent) // 2],
                spent[min(len(spent) - 1, len(spent) * 95 // 100)],
            )
        )
    return sorted(times, key=lambda each: (-each.calls, each.event))


def _judged(lines: Sequence[dict[str, Any]], now: float) -> JudgeCalls:
    calls = command.calls(lines, now)
    asked, said = (
        sum(line[name] for line in calls if isinstance(line.get(name), int))
        for name in ("asked", "said")
    )
    failed = sum(bool(line.get("error")) for line in calls)
    return JudgeCalls(len(calls), failed, asked, said)
