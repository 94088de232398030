"""Likeness: which entries have nearly the words of a text.

Invariant: reads only. Entries are as alike as their words are (Jaccard of the distinct
terms); what files say that changed after the index was made counts as well.
"""

from __future__ import annotations

from memcli.entries.entry import Entry, Status
from memcli.named_tuple import NamedTuple, taken

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from memcli.entries.eligibility import View
    from memcli.search.following import Unindexed
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow

SIMILAR = 0.25
"""Entries with so much of their words in common (Jaccard of the terms) are similar.

Of 100 pairs that contradict each other, among 296 entries, the older is among the three
nearest of the newer in 92 (tests/entries/text/pairs.toml).
"""
MAY_REPLACE = 0.5
"""So alike, and with a difference that may matter, one may replace the other.

Of 100 pairs that contradict each other 53 may, and 28 of 196 that can both hold. From
SIMILAR on 78 and 122: what a person said would wait for a review too often.
"""
# What is solved is named later: it is shown no more.
_LIKE_RESOLVED = 0.5
MOST_SIMILAR = 3
_ACTIVE = str(Status.ACTIVE)


class Similar(NamedTuple):
    """An entry whose words are much those of a text.

    `likeness` is the share of common words, 0 to 1; `differs` says in what the two
    differ that may matter (`entries.text.differences`), and `newer` that the entry is
    newer than the text.
    """

    id: str
    title: str
    likeness: float
    path: str = ""
    text: str = ""
    kind: str = ""
    differs: tuple[str, ...] = ()
    newer: bool = False

    @property
    def solved(self) -> str:
        """The sentence about a resolved entry that says nearly the same."""
        return (
            f"{self.id} says nearly the same ({self.likeness:.0%}) and is resolved; if "
            f"it is back: memcli resolve --undo {self.id}"
        )

    @property
    def may_replace(self) -> bool:
        """Whether one of the two may replace the other."""
        return self.likeness >= MAY_REPLACE and bool(self.differs)


def near(
    reader: Reader, later: Unindexed, entry: Entry, view: View
) -> tuple[Similar, ...]:
    """The entries in force whose words are nearest to a draft's, where it holds."""
    rows = alike_now(reader, later, entry, view)
    when = entry.occurred_at or "9"  # what is saved now is newer than all
    return nearest(
        similar(likeness, row, entry.body, when)
        for likeness, row in rows
        if row.status == _ACTIVE
        and entry.project in (None, row.project or entry.project)
        and row.id not in entry.evidence
    )


def row_of(entry: Entry) -> StoredRow:
    """An entry as the index would hold it."""
    from memcli.entries.text.tokens import stemmer
    from memcli.search.document import document

    return document(entry, stemmer()).row


def alike_now(
    reader: Reader,
    later: Unindexed | None,
    entry: Entry | StoredRow,
    view: View | None,
    within: Collection[int] | None = None,
    *,
    limit: int = 10,
) -> list[tuple[float, StoredRow]]:
    """As `alike`, but of files that changed since what they say now: each of them that
    shares enough words, whatever its status, is among the rows."""
    mine = set((row_of(entry) if isinstance(entry, Entry) else entry).terms)
    rows = alike(reader, mine, view, limit=limit, within=within)
    if later is None:
        return rows
    rows = [pair for pair in rows if later.is_current(pair[1].path)]
    for other in later.entries(reader.agent):
        # A fourth of the words in common is cheap to see, and less says too little.
        body = other.body.lower()
        if len(mine) <= 4 * sum(word in body for word in mine):
            row = row_of(other)
            rows.append((_likeness(mine, row), row))
    return rows


def similar(likeness: float, row: StoredRow, text: str, when: str) -> Similar:
    """An entry beside a text of a time, ISO 8601."""
    from memcli.entries.text.differences import differences

    return taken(
        Similar,
        row,
        likeness=likeness,
        differs=differences(row.text, text) if likeness >= SIMILAR else (),
        newer=(row.occurred_at or row.created) > when,
    )


def nearest(found: Iterable[Similar]) -> tuple[Similar, ...]:
    """The nearest of these, at most three; those that differ in what may matter first.

    Among the three nearest themselves, so that a difference brings in nothing that is
    less alike.
    """
    alike = [one for one in found if one.likeness >= SIMILAR]
    alike.sort(key=lambda one: (-one.likeness, one.id))
    return tuple(sorted(alike[:MOST_SIMILAR], key=lambda one: not one.differs))


def like_resolved(
    reader: Reader, entry: Entry, later: Unindexed | None = None
) -> Similar | None:
    """The resolved entry that says most nearly the same, if one does."""
    from memcli.entries.eligibility import resolve_of

    settling = set(reader.claims.settling())
    if not settling and (later is None or not later.changed):
        return None
    rows = alike_now(reader, later, entry, None, settling)
    found = (
        Similar(row.id, row.title, likeness)
        for likeness, row in rows
        if likeness >= _LIKE_RESOLVED and resolve_of(row) is not None
    )
    return max(found, key=lambda item: (item.likeness, item.id), default=None)


def alike(
    reader: Reader,
    terms: Collection[str],
    view: View | None,
    *,
    limit: int,
    within: Collection[int] | None = None,
) -> list[tuple[float, StoredRow]]:
    """The rows that share most with these terms, each with its likeness.

    Args:
        reader: the index.
        terms: those of a text, as `document` counts them.
        view: as which they may be shown; None lets all pass.
        limit: how many of the best matches to look at.
        within: when given, only these documents.

    Returns:
        (Jaccard of the distinct terms, row), the best match first.
    """
    from memcli.search.ranking.corpus import LEXICAL, Question, Scope
    from memcli.search.ranking.rank import rank

    question = Question([(term, term) for term in sorted(terms)])
    weights = LEXICAL._replace(pool=limit)
    scope = Scope(lambda docs: reader.shown(docs, view) if view else docs, within)
    hits = rank(question, reader, limit=limit, scope=scope, weights=weights).hits
    rows = [reader.row(hit.doc) for hit in hits]
    return [(_likeness(set(terms), row), row) for row in rows]


def _likeness(mine: set[str], row: StoredRow) -> float:
    theirs = set(row.terms)
    union = mine | theirs
    return round(len(mine & theirs) / len(union), 3) if union else 0.0
