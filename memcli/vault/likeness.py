"""Likeness: which entries say nearly the same as a text.

Invariant: reads only. Entries are as alike as their words are (Jaccard of the distinct
terms); what files say that changed after the index was made counts as well.
"""

from __future__ import annotations

from memcli.entries.entry import Entry, Status
from memcli.named_tuple import NamedTuple
from memcli.vault.duplicates import Later, decoded

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.contrary import Contrary

# Entries this alike (Jaccard of their distinct terms) say nearly the same. What is
# solved is named sooner: to tell it again as if it were new costs more than a look.
_SIMILAR = 0.6
_LIKE_RESOLVED = 0.5
_MOST_SIMILAR = 3
_ACTIVE = str(Status.ACTIVE)
# A file of a resolved entry holds one of these, the last where YAML escapes letters.
_ENDED = (b"status", b"resolved_at", b"\\")


class Similar(NamedTuple):
    """An entry that says nearly the same as a text; `likeness` is 0 to 1."""

    id: str
    title: str
    likeness: float


class Near(NamedTuple):
    """Entries in force near a text: those that say the same, and those that say
    otherwise. None is in both."""

    similar: tuple[Similar, ...] = ()
    contrary: tuple[Contrary, ...] = ()


def near(reader: Reader, later: Later, entry: Entry) -> Near:
    """What entries in force say nearly the same where it holds, or otherwise."""
    from memcli.search.document import document
    from memcli.search.stemmer import stemmer
    from memcli.vault.contrary import contrary

    stem = stemmer()
    mine = set(document(entry, stem).row.terms)
    rows = [
        (likeness, row)
        for likeness, row in alike(reader, mine, reader.plain, limit=10)
        if later.is_current(row)
    ]
    for path, data, body in later.bodies():
        # A third of the words in common is cheap to see, and less says too little.
        if len(mine) > 3 * sum(word in body.lower() for word in mine):
            continue
        row = document(decoded(data, path), stem).row
        if row.status == _ACTIVE:
            rows.append((_likeness(mine, row), row))
    rows = [
        (likeness, row)
        for likeness, row in rows
        if entry.project in (None, row.project or entry.project)
    ]
    against = contrary(entry, (row for _, row in rows))
    named = {one.id for one in against}
    nearest = [
        Similar(row.id, row.title, likeness)
        for likeness, row in rows
        if likeness >= _SIMILAR and row.id not in named
    ]
    nearest.sort(key=lambda item: (-item.likeness, item.id))
    return Near(tuple(nearest[:_MOST_SIMILAR]), tuple(against))


def like_resolved(
    reader: Reader, entry: Entry, later: Later | None = None
) -> Similar | None:
    """The resolved entry that says most nearly the same, if one does."""
    from memcli.entries.eligibility import resolve_of
    from memcli.search.document import document
    from memcli.search.stemmer import stemmer

    settling = set(reader.claims.settling())
    if not settling and (later is None or not later.files.changed):
        return None
    mine = set(document(entry, stemmer()).row.terms)
    rows = [
        (likeness, row)
        for likeness, row in alike(
            reader, mine, lambda _: True, limit=10, within=settling
        )
        if likeness >= _LIKE_RESOLVED and (later is None or later.is_current(row))
    ]
    for path, data, _ in later.bodies() if later else ():
        # Parsing loads YAML, which takes 15 ms.
        if not any(word in data for word in _ENDED):
            continue
        other = decoded(data, path)
        if resolve_of(other) is not None:
            row = document(other, stemmer()).row
            rows.append((_likeness(mine, row), row))
    near = [
        Similar(row.id, row.title, likeness)
        for likeness, row in rows
        if likeness >= _LIKE_RESOLVED
    ]
    return max(near, key=lambda item: (item.likeness, item.id), default=None)


def alike(
    reader: Reader,
    terms: Collection[str],
    admit: Callable[[int], bool],
    *,
    limit: int,
    within: Collection[int] | None = None,
) -> list[tuple[float, StoredRow]]:
    """The rows that share most with these terms, each with its likeness.

    Args:
        reader: the index.
        terms: those of a text, as `document` counts them.
        admit: whether a document may be shown.
        limit: how many of the best matches to look at.
        within: when given, only these documents.

    Returns:
        (Jaccard of the distinct terms, row), the best match first.
    """
    from memcli.search.ranking.corpus import Scope
    from memcli.search.ranking.nearest import nearest

    docs = nearest(terms, reader, limit=limit, scope=Scope(admit, within))
    rows = [reader.row(doc) for doc in docs]
    return [(_likeness(set(terms), row), row) for row in rows]


def _likeness(mine: set[str], row: StoredRow) -> float:
    theirs = set(row.terms)
    union = mine | theirs
    return round(len(mine & theirs) / len(union), 3) if union else 0.0
