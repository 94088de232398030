"""What a session has brought before: a candidate that is met again is not new.

Invariant: the vault decides first, then the record of the session. An entry that the
vault holds is named, in any state; one that the session brought and the vault no
longer holds was forgotten, and stays so. Each entry answers for one candidate.
"""

from __future__ import annotations

from memcli.entries.entry import Confidence
from memcli.entries.identity import claim
from memcli.entries.text import tokens
from memcli.entries.text.links import unlinked
from memcli.named_tuple import NamedTuple
from memcli.sessions.mining import rules

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from memcli.hosts.transcript import Session
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.sessions.mining import Candidate
    from memcli.vault.session_records import Record

WRITERS = ("pipeline", "hook")
"""The writers of mined entries: a person's command, and a host's hook."""

JUDGED = "judged"
"""The `pattern` of a candidate that a judge found, and no rule."""

FORGOTTEN = "forgotten"
_SIGHTED = ("seen", "recurred")
# A session's summary holds the words of many sentences, and stands for none.
_EVENT = "event"
# The share of the shorter text's words that a judge and a rule have in common when both
# read the same sentence.
_SHARED = 0.5


class Before(NamedTuple):
    """What became of a candidate earlier: `duplicate` or `forgotten`, and its id."""

    action: str
    id: str


class Brought:
    """What one session has brought, as the vault and the session's record have it.

    Args:
        rows: of the session's entries, in any state.
        record: of the session, None when there is none.
        existing: the ids in the record that the vault holds.
    """

    def __init__(
        self,
        rows: Sequence[StoredRow],
        record: Record | None,
        existing: Collection[str],
    ) -> None:
        self._all = tuple(rows)
        self._rows = list(rows)
        noted = [each for each in record.candidates if each.get("id")] if record else []
        self._gone = [each for each in noted if each["id"] not in existing]
        self._sighted = [
            each
            for each in noted
            if each["id"] in existing and each.get("action") in _SIGHTED
        ]

    def count(self, *, sure: bool, judged: bool) -> int:
        """How many entries it has brought that are HIGH, or are not.

        Args:
            sure: those that are HIGH; else the others.
            judged: only those of a judge.
        """
        return sum(
            (row.confidence == Confidence.HIGH) is sure
            and (not judged or _mark_of_row(row)[1] == JUDGED)
            for row in self._all
        )

    def match(self, candidates: Sequence[Candidate]) -> list[Before | None]:
        """What became of each candidate earlier, None for a new one.

        First come those in the same words; then what the same rule found in the same
        record, since people correct words and later turns change what is mined; then
        what a judge and a rule made of one sentence. A rule that got another name is
        the same rule.
        """
        same = [self._in_same_words(candidate) for candidate in candidates]
        return [
            before or self._by_same_rule(candidate) or self._of_same_sentence(candidate)
            for candidate, before in zip(candidates, same, strict=True)
        ]

    def _in_same_words(self, candidate: Candidate) -> Before | None:
        words, mark = claim(unlinked(candidate.text)), _mark(candidate)
        for row in self._rows:
            if _mark_of_row(row) == mark and claim(row.text) == words:
                self._rows.remove(row)
                return Before("duplicate", row.id)
        for group, action in ((self._sighted, "duplicate"), (self._gone, FORGOTTEN)):
            for noted in group:
                if (
                    _mark_of_noted(noted) == mark
                    and noted.get("text") == candidate.text
                ):
                    group.remove(noted)
                    return Before(action, noted["id"])
        return None

    def _by_same_rule(self, candidate: Candidate) -> Before | None:
        mark = _mark(candidate)
        for row in self._rows:
            if _mark_of_row(row) == mark:
                self._rows.remove(row)
                return Before("duplicate", row.id)
        for noted in self._gone:
            if _mark_of_noted(noted) == mark:
                self._gone.remove(noted)
                return Before(FORGOTTEN, noted["id"])
        return None

    def _of_same_sentence(self, candidate: Candidate) -> Before | None:
        if candidate.kind == _EVENT:
            return None
        words = _words(candidate.text)
        judged = candidate.pattern == JUDGED
        for row in self._all:
            record, rule = _mark_of_row(row)
            one_of_each = (rule == JUDGED) is not judged and row.kind != _EVENT
            if record == candidate.record and one_of_each:
                others = _words(row.text)
                if len(words & others) >= _SHARED * min(len(words), len(others)):
                    return Before("duplicate", row.id)
        return None


def brought(reader: Reader, session: Session, record: Record | None) -> Brought:
    """What a session has brought, by the vault and its record of the session."""
    rows = [reader.row(doc) for doc in reader.of_session(session.id)]
    mined = [
        row for row in rows if row.writer in WRITERS and row.source.host == session.host
    ]
    ids = {noted.get("id") for noted in record.candidates} if record else set()
    existing = {
        name for name in ids if isinstance(name, str) and reader.exact("id", name)
    }
    return Brought(mined, record, existing)


def _words(text: str) -> set[str]:
    """The words of a text that say something, cut so that their forms meet."""
    return {word[:5] for word in tokens.words(text) if word not in tokens.STOP_WORDS}


def _mark(candidate: Candidate) -> tuple[str, str]:
    """Where a candidate was found, and by which rule."""
    return candidate.record, candidate.pattern


def _mark_of_row(row: StoredRow) -> tuple[str, str]:
    name = (row.rationale or "").partition(":")[0]
    return row.source.record or "", rules.current(name)


def _mark_of_noted(noted: Mapping[str, Any]) -> tuple[Any, Any]:
    return noted.get("record"), rules.current(str(noted.get("pattern")))
