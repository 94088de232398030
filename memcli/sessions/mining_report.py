"""What mining has brought, and how each rule fares with the people who review it.

Invariant: the vault's files say what became of an entry; the records of sessions say
only what was found in them.
"""

from __future__ import annotations

from collections import Counter

from memcli.entries.entry import Status
from memcli.entries.text.counted import counted
from memcli.errors import EntryNotFound
from memcli.named_tuple import NamedTuple
from memcli.sessions.already_mined import WRITERS
from memcli.vault import session_records

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.session_records import Record
    from memcli.vault.vault import Vault

# Fewer decisions than this say nothing about a rule.
_ENOUGH = 3


class RuleReport(NamedTuple):
    """How one rule fares.

    Attributes:
        pattern: its name.
        brought: how many entries it brought.
        kept: how many of them are active, or were once.
        waiting: how many wait for review.
        rejected: how many a review rejected.
    """

    pattern: str
    brought: int
    kept: int
    waiting: int
    rejected: int

    @property
    def noisy(self) -> bool:
        """Whether people reject more of its entries than they keep."""
        return self.rejected >= _ENOUGH and self.rejected > self.kept


class MiningReport(NamedTuple):
    """A vault's mined entries by kind and confidence, its rules, and its sessions."""

    entries: int
    by_kind: dict[str, int]
    by_confidence: dict[str, int]
    patterns: list[RuleReport]
    sessions: list[Record]

    @property
    def mined(self) -> int:
        """How many sessions were mined, by all agents."""
        mined = (record for record in self.sessions if record.reflected)
        return len({(record.host, record.session) for record in mined})

    @property
    def noted(self) -> int:
        """How many candidates are in the records alone."""
        found = (each for record in self.sessions for each in record.candidates)
        return sum(each.get("action") == "noted" for each in found)

    @property
    def failed(self) -> list[Record]:
        """The sessions that could not be mined."""
        return [record for record in self.sessions if not record.reflected]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "entries": self.entries,
            "by_kind": self.by_kind,
            "by_confidence": self.by_confidence,
            "patterns": [
                {**rule._asdict(), "noisy": rule.noisy} for rule in self.patterns
            ],
            "sessions": {
                "mined": self.mined,
                "not_reflected": [
                    {
                        "session": record.session,
                        "host": record.host,
                        "transcript": record.transcript,
                        "at": record.at,
                        "error": record.error,
                    }
                    for record in self.failed
                ],
                "found": dict(
                    Counter(
                        f"{candidate.get('category')} {candidate.get('confidence')}"
                        for record in self.sessions
                        for candidate in record.candidates
                    )
                ),
                "noted": self.noted,
                "cut": sum(record.cut for record in self.sessions),
            },
        }


def report(vault: Vault) -> MiningReport:
    """Everything that mining has brought into a vault.

    Raises:
        NotAllowed: an agent asks; the records are the owner's.
    """
    vault.owner_only("the record of mining")
    rows = vault.read(_rows)
    return MiningReport(
        entries=len(rows),
        by_kind=_counted(row.kind for row in rows),
        by_confidence=_counted(row.confidence or "none" for row in rows),
        patterns=_patterns(rows),
        sessions=session_records.every(vault.root),
    )


def session(vault: Vault, name: str) -> Record:
    """The record of one session.

    Args:
        vault: where it was mined.
        name: its id, a unique start of it, or its transcript.

    Raises:
        EntryNotFound: no session that was mined here has this name, or several have.
    """
    vault.owner_only("the record of mining")
    records = session_records.every(vault.root)
    matches = [each for each in records if name in (each.session, each.transcript)]
    matches = matches or [each for each in records if each.session.startswith(name)]
    # Several agents may have mined one session, each with a record of its own.
    sessions = dict.fromkeys((record.host, record.session) for record in matches)
    if len(sessions) == 1:
        record = session_records.get(vault.root, *sessions.popitem()[0], None)
        return record or matches[0]
    if sessions:
        some = ", ".join(session for _, session in list(sessions)[:5])
        raise EntryNotFound(
            f"'{name}' starts the ids of {counted(len(sessions), 'session')}: {some}",
            hint="Give more of the id.",
            code="ambiguous_session",
        )
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

    def states(reader: Reader) -> dict[str, str]:
        status_by_id = {}
        for candidate in record.candidates:
            name = candidate.get("id")
            for doc in reader.exact("id", name) if isinstance(name, str) else ():
                status_by_id[str(name)] = str(reader.row(doc).status)
        return status_by_id

    status_by_id = vault.read(states)
    return [
        {**candidate, "status": status_by_id.get(candidate.get("id") or "")}
        for candidate in record.candidates
    ]


def _rows(reader: Reader) -> list[StoredRow]:
    rows = [reader.row(doc) for doc in reader.naming(WRITERS)]
    return [row for row in rows if row.writer in WRITERS and row.rationale]


def _patterns(rows: Iterable[StoredRow]) -> list[RuleReport]:
    by_pattern: dict[str, Counter[str]] = {}
    for row in rows:
        counts = by_pattern.setdefault(
            (row.rationale or "").partition(":")[0], Counter()
        )
        status = str(row.status)
        if status == Status.PENDING:
            counts["waiting"] += 1
        elif status == Status.REJECTED:
            counts["rejected"] += 1
        else:
            counts["kept"] += 1
    rules = [
        RuleReport(
            name, counts.total(), counts["kept"], counts["waiting"], counts["rejected"]
        )
        for name, counts in by_pattern.items()
    ]
    return sorted(rules, key=lambda rule: (-rule.brought, rule.pattern))


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))
