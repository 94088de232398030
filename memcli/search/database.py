"""The file of an index: a SQLite database in the user's private cache.

Invariant: it is changed in transactions alone, so a process that dies leaves the old
state or the new one. It is never replaced by another file while a process may have it
open: a `-wal` of a killed writer would be taken for the new file's. A damaged one is
removed under the index's lock, with what lies beside it.
"""

from __future__ import annotations

# Not `sqlite3`, which loads datetime for its adapters: a fifth of a bare Python.
import _sqlite3 as sqlite3
import os
import zlib

from memcli.search.store import TABLES, Damaged

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    _Done = TypeVar("_Done")

Error = sqlite3.DatabaseError
# SQLite quotes a damaged schema, which is no text then.
DAMAGE = (Error, Damaged, zlib.error, UnicodeDecodeError)
"""The errors of reading what is not what was written."""
ENDING = ".db"
# The database first: without its `-wal`, which a process that is killed here may have
# removed, it could be half of two states. A `-wal` without a database is nothing, and
# `make` removes it before there is one.
_FILES = ("", "-wal", "-shm", "-journal")
_KEPT = 64_000  # KiB of pages: a first index would spill them
_SPEAKS_OF_DISK = (
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY),
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM),
)


class Unwritable(Exception):
    """The disk, or the folder of the index, takes no change."""


def opened(path: str, patience: float) -> sqlite3.Connection | None:
    """The database in a file; None when there is none.

    Args:
        path: the file.
        patience: seconds to wait for another process.
    """
    if not os.path.isfile(path):
        return None
    return _set(sqlite3.connect(path, patience, 0, None, check_same_thread=False))


def in_memory(copied: sqlite3.Connection | None) -> sqlite3.Connection:
    """A database that no disk has to take: a copy of another, or an empty one."""
    db = _set(
        sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    )
    try:
        if copied is not None:
            end(copied)
            copied.backup(db)
            db.execute("SELECT 1 FROM meta")
            return db
    except Error:
        db = _set(sqlite3.connect(":memory:", isolation_level=None))
    _make_tables(db)
    return db


def _set(db: sqlite3.Connection) -> sqlite3.Connection:
    db.execute("PRAGMA synchronous = normal")
    # What a hostile file could bring, were it to get here.
    db.execute("PRAGMA trusted_schema = off")
    return db


def make(path: str) -> str:
    """Make the tables in a new file; the caller holds the index's lock.

    Returns:
        Why there was no usable one, when there was one.

    Raises:
        Unwritable, OSError: the disk refuses.
    """
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    names = os.listdir(folder)
    reason = "memcli changed" if any(n.endswith(ENDING) for n in names) else ""
    if os.path.lexists(path):
        reason = "it is damaged (no database)"
    for name in sorted(names, key=lambda name: not name.endswith(ENDING)):
        _remove(os.path.join(folder, name))
    try:
        db = sqlite3.connect(path, isolation_level=None)
        try:
            # Most rows take a kilobyte; three quarters of a smaller page stay empty.
            db.execute("PRAGMA page_size = 8192")
            db.execute("PRAGMA journal_mode = wal")
            _make_tables(db)
        finally:
            db.close()
    except Error as error:
        raise Unwritable(str(error)) from error
    return reason


def _make_tables(db: sqlite3.Connection) -> None:
    db.execute("BEGIN IMMEDIATE")
    for name, columns in TABLES.items():
        end = "" if name == "doc" else " WITHOUT ROWID"
        db.execute(f"CREATE TABLE {name} ({columns.format(bytes='BLOB')}){end}")
    db.execute("COMMIT")


def remove(path: str) -> None:
    """Remove a database; the caller holds the index's lock."""
    for ending in _FILES:
        _remove(path + ending)


def _remove(path: str) -> None:
    if os.path.lexists(path):
        os.unlink(path)


def write(
    db: sqlite3.Connection, patience: float, change: Callable[[], _Done]
) -> _Done:
    """Return `change()`, in a transaction: all that it writes is kept, or nothing.

    Args:
        db: the database.
        patience: seconds to wait for another process, in which no signal is heard.
        change: writes.

    Raises:
        Unwritable: the disk takes no change.
    """
    try:
        end(db)
        db.execute(f"PRAGMA cache_size = -{_KEPT}")
        db.execute(f"PRAGMA busy_timeout = {round(1000 * patience)}")
        db.execute("BEGIN IMMEDIATE")
        try:
            done = change()
            db.execute("COMMIT")
        except BaseException:
            end(db)
            raise
    except Error as error:
        if code_of(error) in _SPEAKS_OF_DISK:
            raise Unwritable(str(error)) from error
        raise
    try:
        # What fails here was kept all the same, and the next writer does it: where
        # another process reads, nobody waits.
        db.execute("PRAGMA busy_timeout = 0")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except Error:
        pass
    return done


def version(db: sqlite3.Connection) -> int:
    """A number that changes when another connection has written; read from here on."""
    if not db.in_transaction:
        db.execute("BEGIN")
    number: int = db.execute("PRAGMA data_version").fetchone()[0]
    return number


def end(db: sqlite3.Connection | None) -> None:
    """End the transaction: while one reads, the `-wal` of a writer only grows."""
    if db is not None and db.in_transaction:
        db.execute("ROLLBACK")


def is_busy(error: Exception) -> bool:
    """Whether another process kept the database locked."""
    return code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def code_of(error: Exception) -> int:
    """The primary code of an error of SQLite."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF
