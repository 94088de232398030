"""What memory did by itself: the sessions it knows of, and the last calls of hooks.

Invariant: only looks. What it says of a session is what recovery would act on, and why
one failed is what the log says of its last try.
"""

import os
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.sessions import hook_log, markers, recovery

if TYPE_CHECKING:
    from memcli.vault.vault import Vault

STATES = ("live", "waiting", "failed", "mined")
"""Of a session: somebody is in it, it waits for a sweep, its last try failed, done."""

# The log holds about so many lines.
_ALL = 10_000
_TRIES = ("reflect", "sweep")


class KnownSession(NamedTuple):
    """One session.

    `state` is one of `STATES`; `idle_minutes` since it was last heard of; `transcript`
    where it is, None when the host does not say; `there` whether that file exists;
    `why` the error of its last try.
    """

    session: str
    host: str
    state: str
    started: str
    idle_minutes: int
    transcript: str | None
    there: bool
    why: str | None


class Took(NamedTuple):
    """How long the calls of one event took, in milliseconds."""

    event: str
    calls: int
    errors: int
    p50: int
    p95: int


class Activity(NamedTuple):
    """Sessions, the last heard of first; the newest calls; times of each event."""

    sessions: list[KnownSession]
    calls: list[dict[str, Any]]
    events: list[Took]

    @property
    def by_state(self) -> dict[str, int]:
        """How many sessions are in each state."""
        found = Counter(one.state for one in self.sessions)
        return {state: found[state] for state in STATES}

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "sessions": [one._asdict() for one in self.sessions],
            "by_state": self.by_state,
            "calls": self.calls,
            "events": [one._asdict() for one in self.events],
        }


def activity(vault: "Vault", most: int) -> Activity:
    """What memory did by itself in a vault.

    Args:
        vault: whose markers and log.
        most: how many of the newest calls to give; all that are kept count for times.
    """
    now = vault.now_ms() / 1000
    lines = hook_log.last(vault.root, _ALL)
    errors: dict[str, str | None] = {}
    for line in lines:  # the newest first
        if line.get("event") in _TRIES and isinstance(line.get("session"), str):
            errors.setdefault(line["session"], line.get("error"))
    found = [_known(marker, now, errors) for marker in markers.markers(vault.root, now)]
    found.sort(key=lambda one: (one.idle_minutes, one.session))
    return Activity(found, lines[:most], _times(lines))


def _known(
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


def _times(lines: Sequence[dict[str, Any]]) -> list[Took]:
    """Of each event, the one that is called most often first."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        if isinstance(line.get("ms"), int):
            groups.setdefault(str(line.get("event")), []).append(line)
    found = []
    for event, rows in groups.items():
        spent = sorted(row["ms"] for row in rows)
        found.append(
            Took(
                event,
                len(rows),
                sum(bool(row.get("error")) for row in rows),
                spent[len(spent) // 2],
                spent[min(len(spent) - 1, len(spent) * 95 // 100)],
            )
        )
    return sorted(found, key=lambda one: (-one.calls, one.event))
