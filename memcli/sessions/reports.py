"""Reports of what memcli did by itself: sessions, calls of hooks, judges, mining.

Invariant: it only looks, and a report is plain data. A session's state is the one that
recovery would act on; the vault's files say what became of an entry, the records of
sessions only what was found in them.
"""

from __future__ import annotations

import os
from collections import Counter

from memcli.entries.entry import Status
from memcli.errors import EntryNotFound
from memcli.sessions import hook_log, markers, recovery
from memcli.sessions.bringing import WRITERS
from memcli.vault import session_records

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.session_records import Record
    from memcli.vault.vault import Vault

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
        for marker in markers.markers(vault.root, now)
        if agent in (None, marker.agent)
    ]
    sessions.sort(key=lambda each: (each["idle_minutes"], each["session"]))
    states = Counter(each["state"] for each in sessions)
    return {
        "sessions": sessions,
        "by_state": {state: states[state] for state in STATES},
        "calls": lines[:most],
    }


def _session(marker: markers.Marker, now: float, why: str | None) -> dict[str, Any]:
    idle = max(0.0, now - marker.touched)
    if marker.state == markers.REFLECTED:
        state, why = "mined", None
    elif why is not None:
        state = "failed"
    else:
        state = "live" if idle < recovery.STILL else "waiting"
    path = marker.transcript
    return {
        "session": marker.session,
        "host": marker.host,
        "state": state,
        "started": marker.started,
        "idle_minutes": int(idle // 60),
        "transcript": path,
        "there": path is not None and os.path.isfile(path),
        "why": why,
    }


def mining(vault: Vault) -> dict[str, Any]:
    """Everything that mining has brought into a vault.

    Raises:
        NotAllowed: an agent asks; the records are the owner's.

    Returns:
        How many `entries`, `by_kind` and `by_confidence`; of the `patterns` how many
        entries each rule brought, and how many of them are kept, wait or were rejected;
        of the `sessions` how many were mined, which not, and how many candidates were
        only noted.
    """
    vault.owner_only("the record of mining")
    rows = vault.read(_mined)
    records = session_records.every(vault.root)
    candidates = [each for record in records for each in record.candidates]
    names = ("session", "host", "transcript", "at", "error")
    return {
        "entries": len(rows),
        "by_kind": _counts(row.kind for row in rows),
        "by_confidence": _counts(row.confidence or "none" for row in rows),
        "patterns": _patterns(rows),
        "sessions": {
            # Several agents may have mined one session.
            "mined": len({(r.host, r.session) for r in records if r.reflected}),
            "not_reflected": [
                {name: getattr(record, name) for name in names}
                for record in records
                if not record.reflected
            ],
            "noted": sum(each.get("action") == "noted" for each in candidates),
        },
    }


def session(vault: Vault, name: str) -> Record:
    """The record of one session.

    Args:
        vault: where it was mined.
        name: its id, a start of it, or its transcript; of several the last one.

    Raises:
        EntryNotFound: no session that was mined here has this name.
    """
    vault.owner_only("the record of mining")
    records = session_records.every(vault.root)
    for each in sorted(records, key=lambda record: record.session != name):
        if each.session.startswith(name) or each.transcript == name:
            # Several agents may have mined it, each with a record of its own.
            own = session_records.get(vault.root, each.host, each.session, None)
            return own or each
    recent = ", ".join(record.session for record in records[:3])
    raise EntryNotFound(
        f"no session that was mined here is called '{name}'",
        hint=f"The last ones: {recent}."
        if recent
        else "Mine one with: memcli reflect --session PATH",
        code="session_not_found",
    )


def current(vault: Vault, record: Record) -> list[dict[str, Any]]:
    """The candidates of a session with the state that their entries have now."""

    def states(reader: Reader) -> list[dict[str, Any]]:
        found = []
        for each in record.candidates:
            name = each.get("id")
            docs = reader.exact("id", name) if isinstance(name, str) else ()
            status = next((str(reader.row(doc).status) for doc in docs), None)
            found.append({**each, "status": status})
        return found

    return vault.read(states)


def _mined(reader: Reader) -> list[StoredRow]:
    rows = map(reader.row, reader.everything())
    return [row for row in rows if row.writer in WRITERS and row.rationale]


def _patterns(rows: Iterable[StoredRow]) -> list[dict[str, Any]]:
    by_rule: dict[str, Counter[str]] = {}
    names: Mapping[str, str] = {Status.PENDING: "waiting", Status.REJECTED: "rejected"}
    for row in rows:
        rule = (row.rationale or "").partition(":")[0]
        counts = by_rule.setdefault(rule, Counter())
        counts[names.get(row.status, "kept")] += 1
    return [
        {
            "pattern": rule,
            "brought": counts.total(),
            **{name: counts[name] for name in ("kept", "waiting", "rejected")},
        }
        for rule, counts in sorted(
            by_rule.items(), key=lambda each: (-each[1].total(), each[0])
        )
    ]


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))
