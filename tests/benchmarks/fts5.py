"""SQLite FTS5 as the measure of other searches: the same texts and the same words.

Porter stemming, the words joined by OR, ordered by bm25 with its default constants.
"""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# unicode61 parts words at everything that is neither letter nor digit.
WORD = re.compile(r"[^\W_]+")


class Fts5:
    """A table of titles and texts on disk, found by the keys they were given."""

    def __init__(self, path: str) -> None:
        """Open the database at `path`, made when it is not there."""
        self.connection = sqlite3.connect(path)
        self.connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS notes USING "
            "fts5(title, text, tokenize='porter unicode61')"
        )

    def add(self, notes: Iterable[tuple[str, str]]) -> None:
        """Store (title, text) pairs; the first becomes number 1."""
        with self.connection:
            self.connection.executemany(
                "INSERT INTO notes (title, text) VALUES (?, ?)", notes
            )
            self.connection.execute("INSERT INTO notes(notes) VALUES ('optimize')")

    def search(self, words: Sequence[str], limit: int) -> list[int]:
        """Return the numbers of the best `limit` notes that hold any of the words.

        Their titles and texts are read too, since a recall returns them.
        """
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        rows = self.connection.execute(
            "SELECT rowid, title, text FROM notes WHERE notes MATCH ? "
            "ORDER BY rank LIMIT ?",
            (match, limit),
        ).fetchall()
        return [int(row[0]) for row in rows]

    def close(self) -> None:
        """Close the database."""
        self.connection.close()


def words(text: str) -> list[str]:
    """Return the different words of a text as FTS5's tokenizer parts them."""
    return list(dict.fromkeys(WORD.findall(text.lower())))
