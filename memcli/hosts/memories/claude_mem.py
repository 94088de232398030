"""What claude-mem remembers: the observations and rules of its SQLite file.

Invariant: the file is opened for reading alone and never changed, also while
claude-mem runs. What its schema would compute is not computed, and no more is read
than the file can hold: a default of a column is given again for every row.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from urllib.parse import quote

from memcli.hosts.memories.memory import (
    Found,
    Memory,
    Problem,
    date_of,
    line_of,
    tags_of,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# What claude-mem calls an observation, and what memcli calls it.
_KINDS = {
    "decision": "decision",
    "bugfix": "fix",
    "discovery": "lesson",
    "feature": "event",
    "refactor": "event",
    "change": "event",
}
_COLUMNS = (
    *("id", "memory_session_id", "project", "merged_into_project", "created_at"),
    *("text", "type", "title", "subtitle", "facts", "narrative", "concepts"),
    *("content", "status"),
)
# The files that SQLite opens for a database.
_BESIDE = ("", "-wal", "-shm", "-journal")
# Bytes of one value that SQLite itself makes, at most; more is an error.
_LARGEST = 64_000_000


def memories(path: str) -> Found:
    """The memories of `claude-mem.db`."""
    for end in _BESIDE:
        if os.path.lexists(path + end) and (
            os.path.islink(path + end) or not os.path.isfile(path + end)
        ):
            yield Problem(path + end, 1, "is a link, or not a file; nothing is read")
            return
    try:
        with contextlib.closing(_opened(path)) as database:
            rows = _within(path, database)
            yield from _observations(path, rows("observations"))
            yield from _directives(path, rows("directives"))
    except (sqlite3.Error, OverflowError) as error:
        yield Problem(path, 1, f"not a database of claude-mem: {error}")


def _opened(path: str) -> sqlite3.Connection:
    # `immutable` would read past what claude-mem is writing; `ro` waits for it.
    address = f"file:{quote(os.path.abspath(path))}?mode=ro"
    database = sqlite3.connect(address, uri=True, timeout=5)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST)
    database.row_factory = sqlite3.Row
    database.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return database


def _within(
    path: str, database: sqlite3.Connection
) -> Callable[[str], Iterator[dict[str, Any]]]:
    """The function that gives the rows of a table, up to what the file can hold."""
    files = (path, f"{path}-wal")
    # Twice: a text of two bytes in UTF-16 is up to three in UTF-8.
    left = 2 * sum(os.path.getsize(file) for file in files if os.path.exists(file))

    def rows(table: str) -> Iterator[dict[str, Any]]:
        nonlocal left
        for row in _rows(database, table):
            left -= sum(
                len(one) for one in row.values() if isinstance(one, str | bytes)
            )
            if left < 0:
                raise sqlite3.DataError(f"{table} gives more than the file holds")
            yield row

    return rows


def _rows(database: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    """The rows of a table, in the order of the file; none without such a table."""
    is_table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    if not database.execute(is_table, (table,)).fetchone():
        return
    # A generated column, which this leaves out, may compute gigabytes.
    there = {row["name"] for row in database.execute(f"PRAGMA table_info({table})")}
    columns = ", ".join(name for name in _COLUMNS if name in there)
    if columns:
        query = f"SELECT {columns} FROM {table}"  # noqa: S608 names of ours
        yield from map(dict, database.execute(query))


def _observations(path: str, rows: Iterator[dict[str, Any]]) -> Found:
    for row in rows:
        place = f"{path}#observation-{row.get('id')}"
        text = _text_of(row)
        if not text:
            yield Problem(place, 1, "an observation without text")
            continue
        name = line_of(row.get("merged_into_project") or row.get("project"))
        fields = {
            "text": text,
            "title": line_of(row.get("title")),
            "kind": _KINDS.get(line_of(row.get("type")), "note"),
            "tags": tags_of(_list(row.get("concepts"))),
            "created": date_of(row.get("created_at")),
            "session": row.get("memory_session_id"),
            "named_project": name,
        }
        yield Memory(place, 1, fields)


def _directives(path: str, rows: Iterator[dict[str, Any]]) -> Found:
    for row in rows:
        text = row.get("content")
        if row.get("status") != "active" or not isinstance(text, str):
            continue
        fields = {
            "text": text,
            "kind": "constraint",
            "created": date_of(row.get("created_at")),
            "named_project": line_of(row.get("project")),
        }
        yield Memory(f"{path}#directive-{row.get('id')}", 1, fields)


def _text_of(row: dict[str, Any]) -> str:
    """What an observation says: its story, then its facts as a list."""
    story = row.get("narrative") or row.get("text") or row.get("subtitle")
    parts = [story.strip()] if isinstance(story, str) and story.strip() else []
    facts = [fact for fact in _list(row.get("facts")) if isinstance(fact, str)]
    if facts:
        parts.append("\n".join(f"- {fact}" for fact in facts))
    return "\n\n".join(parts) or line_of(row.get("title"))


def _list(value: Any) -> list[Any]:
    """A list that a column holds as JSON."""
    import json

    try:
        found = json.loads(value) if isinstance(value, str) else []
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else []
