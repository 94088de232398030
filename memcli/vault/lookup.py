"""Entries by id: from an id or a prefix to the entries that have it.

Invariant: a whole id, a prefix that only one id starts with, or a path leads to one
entry; anything else is refused, with the entries that it might mean. Two files carry
one id for a moment while a version is replaced, or after an older state was checked
out: then the active one is meant, or the one outside the archive.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memcli.entries import layout
from memcli.entries.entry import Status
from memcli.entries.ids import ID_LENGTH
from memcli.entries.text.counted import counted
from memcli.errors import AmbiguousId, EntryNotFound

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow

_MOST_NAMED = 5
# What evidence takes for the beginning of an id has at least so many characters.
_SHORTEST = 4
# A mistyped id has at least so many characters, and all but the last two of them right.
_LEAST_ALIKE = 8


def is_path(word: str) -> bool:
    """Whether a word addresses an entry by its file; no id looks like that."""
    return "/" in word or word.endswith(".md")


def docs(reader: "Reader", word: str) -> "Sequence[int]":
    """The documents of a whole id, or of a path."""
    return reader.exact("path" if is_path(word) else "id", word)


def path_of(reader: "Reader", prefix: str) -> str:
    """The path of the entry at a path, with an id, or the only id with a prefix.

    Raises:
        EntryNotFound, AmbiguousId: no entry has such an id, or several.
    """
    rows = matching(reader, prefix)
    if len(rows) > 1:
        labels = [f"{row.id} ({row.path})" for row in rows]
        raise ambiguous(prefix, labels, one_id=len({row.id for row in rows}) == 1)
    return rows[0].path


def matching(reader: "Reader", prefix: str) -> "list[StoredRow]":
    """The rows of the entries at a path, with an id, or with an id of this prefix.

    Raises:
        EntryNotFound: no entry has such an id or path.
    """
    if is_path(prefix):
        found = [reader.row(doc) for doc in docs(reader, prefix)]
        if not found:
            raise EntryNotFound(
                f"no entry is at {prefix}",
                hint="Give the path from the vault's folder on, as inspect prints it.",
                entry_id=prefix,
            )
        return found
    cut = 0 < len(prefix) < ID_LENGTH
    ids = reader.starting("id", prefix) if cut else [prefix]
    rows = [row for entry_id in ids for row in of_id(reader, entry_id)]
    if not rows:
        near = _near(reader, prefix)
        raise EntryNotFound(
            f"no entry has the id '{prefix}'",
            hint=f"Did you mean {near.id} ({near.title})?"
            if near
            else "List what there is with: memcli list",
            entry_id=prefix,
        )
    if len(rows) > 1 and len(ids) == 1:
        # While a version is replaced, its archived copy stands beside it for a moment.
        # An older state that was checked out stands beside what review made of it.
        active = [row for row in rows if row.status == str(Status.ACTIVE)]
        in_place = [row for row in rows if not _is_archived(row)]
        for fewer in (active, in_place):
            if len(fewer) == 1:
                return fewer
    return rows


def shortest(reader: "Reader", entry_id: str) -> str:
    """The shortest beginning of an id that no other id has, as the reader sees them."""
    length = len(entry_id)
    while length > _SHORTEST and reader.begins_one("id", entry_id[: length - 1]):
        length -= 1
    return entry_id[:length]


def _near(reader: "Reader", word: str) -> "StoredRow | None":
    """The entry whose id begins like a mistyped one, if one is much alike."""
    if len(word) < _LEAST_ALIKE:
        return None
    from difflib import get_close_matches

    begun = reader.starting("id", word[: _LEAST_ALIKE - 2])
    by_start = {entry_id[: len(word)]: entry_id for entry_id in begun}
    near = get_close_matches(word, by_start, 1, 0.8)
    return of_id(reader, by_start[near[0]])[0] if near else None


def of_id(reader: "Reader", entry_id: str) -> "list[StoredRow]":
    """The rows of the entries with this whole id, by path, archived ones last."""
    rows = [reader.row(doc) for doc in reader.exact("id", entry_id)]
    return sorted(rows, key=lambda row: (_is_archived(row), row.path))


def ambiguous(prefix: str, labels: Sequence[str], *, one_id: bool) -> AmbiguousId:
    """The refusal of an id that several entries have.

    Args:
        prefix: what was given.
        labels: what to call each of them; the first five are named.
        one_id: whether all have the same id.
    """
    more = len(labels) - _MOST_NAMED
    shown = ", ".join(labels[:_MOST_NAMED])
    return AmbiguousId(
        f"'{prefix}' addresses {counted(len(labels), 'entry')}: {shown}"
        + (f" and {more:,} more" if more > 0 else ""),
        hint="Two files carry the same id. Name one of them by its path, or give the "
        "copy an id of its own: memcli repair"
        if one_id
        else "Give more characters of the id.",
    )


def _is_archived(row: "StoredRow") -> bool:
    return row.path.startswith(layout.ARCHIVE + "/")
