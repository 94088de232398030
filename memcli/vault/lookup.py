"""Entries by what a caller calls them: an id, its beginning, a path, a file's name.

Invariant: a whole id, a beginning that only one id has, a path in the vault, or the
name of one file leads to one entry; anything else is refused, with the entries that it
might mean. Only what the reader shows is found or named. Two files carry one id for a
moment while a version is replaced, or after an older state was checked out: then the
active one is meant, or the one outside the archive.
"""

from __future__ import annotations

import os

from memcli.entries import layout
from memcli.entries.entry import Status
from memcli.entries.ids import ID_LENGTH, shortened
from memcli.entries.text.counted import counted
from memcli.entries.text.links import composed
from memcli.errors import AmbiguousId, EntryNotFound
from memcli.named_tuple import NamedTuple, taken

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow


_MOST_NAMED = 5
_OF_A_TITLE = 40
# What evidence takes for the beginning of an id has at least so many characters.
_SHORTEST = 4
# A mistyped id has at least so many characters, and all but the last two of them right.
_LEAST_ALIKE = 8
# A mistyped name of a file begins with so many right ones, and is so much alike.
_BEGINNING = 2
_SPELT_ALIKE = 0.8


def is_path(word: str) -> bool:
    """Whether a word addresses an entry by its file; no id looks like that."""
    return "/" in word or word.endswith(".md")


def in_vault(root: str, word: str) -> str:
    """A path as the index has it: from the vault's folder on, with `/`."""
    if not os.path.isabs(word):
        return word.replace(os.sep, "/").removeprefix("./")
    # The vault may be named by another way to the same folder.
    for base in (root, os.path.realpath(root)):
        inner = os.path.relpath(os.path.normpath(word), base)
        if not inner.startswith(os.pardir):
            return inner.replace(os.sep, "/")
    return word


def path_of(reader: Reader, word: str) -> str:
    """The path of the one entry that a word means, see `matching`.

    Raises:
        EntryNotFound, AmbiguousId: it means none, or several.
    """
    rows = matching(reader, word)
    if len(rows) > 1:
        one_id = len({row.id for row in rows}) == 1
        by_id = not one_id and all(row.id.startswith(word.strip()) for row in rows)
        labels = [f"{row.id} ({_called(row, by_id=by_id)})" for row in rows]
        raise ambiguous(word, labels, one_id=one_id)
    return rows[0].path


def _called(row: StoredRow, *, by_id: bool) -> str:
    """The label of an entry among several: its title where its id was typed, its
    path where a name was."""
    return shortened(row.title, _OF_A_TITLE, " ") if by_id else row.path


def matching(reader: Reader, word: str) -> list[StoredRow]:
    """The rows of the entries that a word may mean.

    They are at this path, or have this id, an id that begins so, or a file of this
    name, without its ending.

    Raises:
        EntryNotFound: there is none.
    """
    word = word.strip()
    if is_path(word):
        path = in_vault(reader.root, word)
        found = [*reader.exact("path", path)] or [*reader.exact("path", f"{path}.md")]
        if found:
            return [reader.row(doc) for doc in found]
        if os.path.isabs(word) or not _named(reader, word):
            raise EntryNotFound(
                f"no entry is at {word}",
                hint="Give the path from the vault's folder on, as inspect prints it.",
                entry_id=word,
            )
    prefix = word.lower()
    cut = 0 < len(prefix) < ID_LENGTH
    ids = reader.starting("id", prefix) if cut else [prefix]
    rows = [row for entry_id in ids for row in of_id(reader, entry_id)]
    if cut or not rows:
        ids_found = {row.path for row in rows}
        rows += [row for row in _named(reader, word) if row.path not in ids_found]
    if not rows:
        raise EntryNotFound(
            f"no entry has the id or the file name '{word}'",
            hint=_hint(reader, word),
            entry_id=word,
        )
    if len(rows) > 1 and len({row.id for row in rows}) == 1:
        # While a version is replaced, its archived copy stands beside it for a moment.
        # An older state that was checked out stands beside what review made of it.
        active = [row for row in rows if row.status == str(Status.ACTIVE)]
        in_place = [row for row in rows if not layout.is_archived(row.path)]
        for fewer in (active, in_place):
            if len(fewer) == 1:
                return fewer
    return rows


def _named(reader: Reader, word: str) -> list[StoredRow]:
    """The rows of the entries whose file has this name, by path.

    Where several differ in their case alone, the one that is spelt like the word.
    """
    key = composed(word.removesuffix(".md").casefold())
    rows = [reader.row(doc) for doc in reader.exact("name", key)] if key else []
    rows = [row for row in rows if composed(_stem(row).casefold()) == key]
    same = [row for row in rows if _stem(row) == word.removesuffix(".md")]
    return sorted(same or rows, key=lambda row: row.path)


def _stem(row: StoredRow) -> str:
    return row.path.rpartition("/")[2].removesuffix(".md")


def _hint(reader: Reader, word: str) -> str:
    """The advice for a word that leads nowhere: the entry whose id or file's name is
    spelt nearly like it."""
    from difflib import get_close_matches

    word = word.casefold()
    if len(word) > _BEGINNING:
        ids = reader.starting("id", word[: _LEAST_ALIKE - 2])
        ids = ids if len(word) >= _LEAST_ALIKE else []
        names = reader.starting("name", composed(word[:_BEGINNING]))
        by_start = {entry_id[: len(word)]: entry_id for entry_id in ids}
        for near in get_close_matches(word, [*by_start, *names], 3, _SPELT_ALIKE):
            known = by_start.get(near)
            for row in (of_id(reader, known) if known else _named(reader, near))[:1]:
                return f"Did you mean {row.id} ({row.title})?"
    return "Find its id: memcli recall WORDS, or memcli list"


def shortest(reader: Reader, entry_id: str) -> str:
    """The shortest beginning of an id that no other id has, as the reader sees them."""
    length = len(entry_id)
    while length > _SHORTEST and len(reader.starting("id", entry_id[: length - 1])) < 2:
        length -= 1
    return entry_id[:length]


def of_id(reader: Reader, entry_id: str) -> list[StoredRow]:
    """The rows of the entries with this whole id, by path, archived ones last."""
    rows = [reader.row(doc) for doc in reader.exact("id", entry_id)]
    return sorted(rows, key=lambda row: (layout.is_archived(row.path), row.path))


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
        hint="Two files carry the same id. Name one of them by its path, or take the "
        "line with the id out of the copy."
        if one_id
        else "Give more characters of the id, or the path.",
    )


class Brief(NamedTuple):
    """An entry in one line."""

    id: str
    title: str
    kind: str
    status: str
    created: str
    path: str

    @property
    def marked(self) -> str:
        """Its title, with its status where that is not active."""
        return self.title + f" ({self.status})" * (self.status != "active")


def brief(row: StoredRow) -> Brief:
    """An entry of the index in one line."""
    return taken(Brief, row)
