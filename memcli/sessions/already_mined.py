"""What a session has brought before: a candidate that is met again is not new.

Invariant: the vault decides, then the record of the session. What the vault holds of
a candidate, in whatever state, is named; what the session brought and the vault holds
no more was forgotten, and stays so. Each entry answers for one candidate.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.entries.identity import claim
from memcli.entries.text.links import unlinked

if TYPE_CHECKING:
    from memcli.hosts.transcript import Session
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.sessions.mining import Candidate
    from memcli.vault.session_records import Record

WRITERS = ("pipeline", "hook")
"""Who writes what is mined: a person who asks for it, or a host's hook."""

FORGOTTEN = "forgotten"
_SIGHTED = ("seen", "recurred")


class Before(NamedTuple):
    """What became of a candidate earlier: `duplicate` or `forgotten`, and its id."""

    action: str
    id: str


class Brought:
    """What one session has brought, as the vault and the session's record have it.

    Args:
        rows: of the session's entries, in whatever state they are.
        record: of the session, None when there is none.
        existing: the ids in the record that the vault holds.
    """

    def __init__(
        self,
        rows: "Sequence[StoredRow]",
        record: "Record | None",
        existing: Collection[str],
    ) -> None:
        self.count = len(rows)
        self._rows = list(rows)
        noted = [one for one in record.candidates if one.get("id")] if record else []
        self._gone = [one for one in noted if one["id"] not in existing]
        self._sighted = [
            one
            for one in noted
            if one["id"] in existing and one.get("action") in _SIGHTED
        ]

    def match(self, candidates: Sequence["Candidate"]) -> list[Before | None]:
        """What each of these was before, None for what is new.

        First those in the same words; then what the same rule found in the same
        record, since people correct words and later turns change what is mined.
        """
        found = [self._same(one) for one in candidates]
        return [
            self._alike(one) if before is None else before
            for one, before in zip(candidates, found, strict=True)
        ]

    def _same(self, one: "Candidate") -> Before | None:
        words = claim(unlinked(one.text))
        for row in self._rows:
            if _sign_of(row) == _sign(one) and claim(row.text) == words:
                self._rows.remove(row)
                return Before("duplicate", row.id)
        for kept, action in ((self._sighted, "duplicate"), (self._gone, FORGOTTEN)):
            for noted in kept:
                if _noted(noted) == _sign(one) and noted.get("text") == one.text:
                    kept.remove(noted)
                    return Before(action, noted["id"])
        return None

    def _alike(self, one: "Candidate") -> Before | None:
        for row in self._rows:
            if _sign_of(row) == _sign(one):
                self._rows.remove(row)
                return Before("duplicate", row.id)
        for noted in self._gone:
            if _noted(noted) == _sign(one):
                self._gone.remove(noted)
                return Before(FORGOTTEN, noted["id"])
        return None


def brought(reader: "Reader", session: "Session", record: "Record | None") -> Brought:
    """What a session has brought; `record` is that of `sessions`."""
    rows = [reader.row(doc) for doc in reader.of_session(session.id)]
    mine = [
        row for row in rows if row.writer in WRITERS and row.source.host == session.host
    ]
    ids = {one.get("id") for one in record.candidates} if record else set()
    existing = {
        name for name in ids if isinstance(name, str) and reader.exact("id", name)
    }
    return Brought(mine, record, existing)


def _sign(one: "Candidate") -> tuple[str, str]:
    return one.record, one.pattern


def _sign_of(row: "StoredRow") -> tuple[str, str]:
    record = row.source.record or ""
    return record, (row.rationale or "").partition(":")[0]


def _noted(one: Mapping[str, Any]) -> tuple[Any, Any]:
    return one.get("record"), one.get("pattern")
