"""What mining has brought, and how each rule fares with the people who review it.

Invariant: the files say what became of an entry, whoever decided it and wherever it is
now; the records of sessions say only what was found there.
"""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.entries.entry import Status
from memcli.errors import EntryNotFound
from memcli.sessions.already_mined import WRITERS
from memcli.vault import session_records

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.session_records import Record
    from memcli.vault.vault import Vault

# Fewer decisions than this say nothing about a rule.
_ENOUGH = 3


class Pattern(NamedTuple):
    """One rule: how many entries it brought, and what became of them.

    `waiting` for review, `rejected` there, `kept`: in use or of use once. `noisy` when
    a person rejected more of it than they kept.
    """

    pattern: str
    brought: int
    kept: int
    waiting: int
    rejected: int

    @property
    def noisy(self) -> bool:
        """Whether people reject more than they keep of it."""
        return self.rejected >= _ENOUGH and self.rejected > self.kept


class Harvest(NamedTuple):
    """Of a vault: entries by category and confidence, rules, and sessions."""

    entries: int
    by_kind: dict[str, int]
    by_confidence: dict[str, int]
    patterns: list[Pattern]
    sessions: "list[Record]"

    @property
    def failed(self) -> "list[Record]":
        """The sessions that could not be mined."""
        return [record for record in self.sessions if not record.reflected]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "entries": self.entries,
            "by_kind": self.by_kind,
            "by_confidence": self.by_confidence,
            "patterns": [
                {**one._asdict(), "noisy": one.noisy} for one in self.patterns
            ],
            "sessions": {
                "mined": sum(record.reflected for record in self.sessions),
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
                        f"{one.get('category')} {one.get('confidence')}"
                        for record in self.sessions
                        for one in record.candidates
                    )
                ),
                "cut": sum(record.cut for record in self.sessions),
            },
        }


def harvest(vault: "Vault") -> Harvest:
    """Everything that mining has brought into a vault."""
    vault.owner_only("the record of mining")
    rows = vault.read(_rows)
    return Harvest(
        entries=len(rows),
        by_kind=_counted(row.kind for row in rows),
        by_confidence=_counted(row.confidence or "none" for row in rows),
        patterns=_patterns(rows),
        sessions=session_records.every(vault.root),
    )


def session(vault: "Vault", name: str) -> "Record":
    """What was found in one session; a unique start of its id will do.

    Raises:
        EntryNotFound: no session that was mined here is called so, or several are.
    """
    vault.owner_only("the record of mining")
    known = session_records.every(vault.root)
    found = [one for one in known if one.session == name or one.transcript == name]
    found = found or [one for one in known if one.session.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        some = ", ".join(one.session for one in found[:5])
        raise EntryNotFound(
            f"'{name}' starts the ids of {len(found)} sessions: {some}",
            hint="Give more of it.",
            code="ambiguous_session",
        )
    recent = ", ".join(one.session for one in known[:3])
    raise EntryNotFound(
        f"no session that was mined here is called '{name}'",
        hint=f"The last ones: {recent}."
        if recent
        else "Mine one with: memcli reflect --session PATH",
        code="session_not_found",
    )


def current(vault: "Vault", record: "Record") -> list[dict[str, Any]]:
    """The candidates of a session with the state that their entries have now."""

    def states(reader: "Reader") -> dict[str, str]:
        found = {}
        for one in record.candidates:
            name = one.get("id")
            for doc in reader.exact("id", name) if isinstance(name, str) else ():
                found[str(name)] = str(reader.row(doc).status)
        return found

    known = vault.read(states)
    return [
        {**one, "status": known.get(one.get("id") or "")} for one in record.candidates
    ]


def _rows(reader: "Reader") -> "list[StoredRow]":
    found = [reader.row(doc) for doc in reader.everything()]
    return [row for row in found if row.writer in WRITERS and row.rationale]


def _patterns(rows: "Iterable[StoredRow]") -> list[Pattern]:
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
    found = [
        Pattern(
            name, counts.total(), counts["kept"], counts["waiting"], counts["rejected"]
        )
        for name, counts in by_pattern.items()
    ]
    return sorted(found, key=lambda one: (-one.brought, one.pattern))


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))
