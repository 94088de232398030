"""The index: follows the files, answers questions about them, can be deleted.

Invariant: no writer tells the index about a change. `Index.read` compares the files
with those that were indexed, by (time, size, content), brings the index up to date and
only then answers; so a save, an edit by hand, a `git pull`, a crash and a deleted file
are one case. Its folder is derived, and made anew when it is of another version,
damaged or gone. A reader sees one state, the last one that was written whole.
"""

from __future__ import annotations

import os
import time
import zlib
from _weakref import ref

from memcli.entries import layout
from memcli.entries.entry import KINDS
from memcli.entries.text.tokens import ANALYSIS_VERSION
from memcli.errors import LockBusy, WriteFailed
from memcli.search import database, following
from memcli.search.following import Behind, Differences, State, Unindexed
from memcli.search.reader import Reader
from memcli.search.store import FORMAT, TABLES, Outdated
from memcli.search.trigger_table import NAME as TRIGGERS
from memcli.storage import files, state_dirs
from memcli.storage.lock import Lock

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from sqlite3 import Connection
    from typing import Any, TypeVar

    from memcli.entries.eligibility import Agent
    from memcli.search.reader import ResolvedClaims
    from memcli.search.trigger_table import Actions
    from memcli.search.triggers import Told
    from memcli.storage.listing import Listing

    _Answer = TypeVar("_Answer")

# Raised when `document.py` changes what it gives for the same entry, or `stored_row.py`
# its fields; tests/search/test_row_version.py fails where that is forgotten.
ROW_VERSION = 40

FEW = 64
"""So many changed files are read faster one by one than indexed."""

_NONE = -1  # no version of a database
_ALL = 1 << 62  # more files than any vault has
_PATIENCE = 10.0  # seconds to wait for another process that indexes


def version() -> str:
    """The version of the tables and of the rows in them."""
    return f"{FORMAT}.{ANALYSIS_VERSION}.{ROW_VERSION}"


class Index:
    """The index of one vault.

    Args:
        root: the vault's folder.
        tell: takes a sentence for the person who waits (rebuilds and their reason).
        progress: called with (files done, files to do) while many are read.
        agent: who asks, when it is not the owner.

    Attributes:
        patience: seconds to wait for another process that indexes.
        elsewhere: gives what is resolved in another vault and counts here.
        change: how many files the last update indexed, or removed, and why everything
            was indexed again.
        stale: whether the last reader shows an older state, as another process indexes.
        unreadable, symlinks: folders that cannot be listed; links not followed.
    """

    _db: Connection | None = None

    def __init__(
        self,
        root: str,
        *,
        tell: Callable[[str], None] | None = None,
        progress: Callable[[int, int], None] | None = None,
        agent: Agent | None = None,
    ) -> None:
        self.root = root
        self.elsewhere: Callable[[], ResolvedClaims | None] = lambda: None
        self._agent = agent
        self.patience = _PATIENCE
        self.change = {"changed": 0, "removed": 0, "rebuilt": ""}
        self.stale = False
        self.unreadable: list[str] = []
        self.symlinks: list[str] = []
        self._folder = state_dirs.path(root, layout.INDEX)
        self._lock = state_dirs.path(root, layout.INDEX_LOCK)
        self._tell = tell or (lambda _: None)
        self._progress = progress or (lambda _done, _all: None)
        self._reader: Reader | None = None
        self._state: State | None = None
        self._is_in_memory, self._version, self._scanned = False, _NONE, 0

    def __del__(self) -> None:
        if self._db is not None:  # which refers to itself: nothing else closes it
            self._db.close()

    # --- answers

    def read(
        self, answer: Callable[[Reader], _Answer], *, most: int | None = None
    ) -> _Answer:
        """Bring the index up to date, then return `answer(reader)`.

        When `answer` fails because of the index (it changed meanwhile, or is damaged),
        it is called again with a fresh reader; it must therefore have no effects. What
        fails for another reason is raised.

        Args:
            answer: gives the answer.
            most: so many files may be indexed first.

        Raises:
            Behind: more are to be indexed.
        """
        return self._answered(answer, lambda: (self.current(most=most),))

    def again(self, answer: Callable[[Reader], _Answer]) -> _Answer:
        """As `read`, over the files as the last `read` found them, if there was one."""
        return self._answered(answer, lambda: (self._kept() or self.current(),))

    def glance(self, answer: Callable[[Reader, Unindexed], _Answer]) -> _Answer:
        """As `read`, but `answer` is told what the index, as it is, knows wrongly.

        When that is much, or there is no index, it is brought up to date first.
        """

        def given() -> tuple[Reader, Unindexed]:
            state = self._opened()
            if state is not None:
                unindexed = Unindexed(self.root, state)
                wrong = [*unindexed.changed, *unindexed.removed, *state.recent]
                if len(wrong) <= FEW:
                    return self._reader_of(state), unindexed
            reader = self.current()
            return reader, Unindexed(self.root, self._state or following.NOTHING)

        return self._answered(answer, given)

    def _answered(
        self, answer: Callable[..., _Answer], given: Callable[[], tuple[Any, ...]]
    ) -> _Answer:
        mended = False
        while True:
            try:
                return answer(*given())
            except Exception as error:
                if mended or not self._mend(error):
                    raise
                mended = True
            finally:
                self.release()

    def release(self) -> None:
        """Let the index go until the last reader is asked again, which may be late.

        It reads on where no other process has written meanwhile; else it is Outdated.
        Its words are weighed alone again.
        """
        if self._reader is not None:
            self._reader.weigh_with(())
        database.end(self._db)

    def _kept(self) -> Reader | None:
        """The last reader, if it can read on; it is at its state then."""
        db = self._db
        if db is None:
            return None
        if database.version(db) != self._version:
            database.end(db)
            return None
        return self._reader

    def ask(self, sql: str, values: Sequence[Any] = ()) -> Iterable[Sequence[Any]]:
        """The rows that the tables have for a SELECT; Outdated when they changed."""
        if self._db is None or not (self._db.in_transaction or self._kept()):
            raise Outdated("the index changed meanwhile")
        return self._db.execute(sql, values)

    def current(self, *, most: int | None = None) -> Reader:
        """A reader of the files as they are now; it lasts until the next is asked for.

        What it reads may turn out to be damaged, which `read` mends. `most` is that of
        `read`.
        """
        self.stale = False
        state, many = self._opened(), _ALL
        listing = self._scan(state)
        if state is not None:
            found = state.differences(self.root, listing)
            many = len(found.changed) + len(found.removed)
            folders = following.folders_of(listing, self._scanned)
            if not many and not state.is_aged(found, folders):
                return self._reader_of(state)
        if most is not None and many > most:
            raise Behind
        return self._reader_of(self._catch_up(listing, state, must=many > 0))

    def told(self, found: Actions | None = None, *, enabled: bool = True) -> list[Told]:
        """The triggers of the entries, of the files as the last reader found them.

        The table in the index's folder is brought up to date on the way.

        Args:
            found: what a tool is about to do; what does not touch it is left out.
            enabled: whether the vault's settings let sessions be told.
        """
        from memcli.search import triggers

        def answer(_: Reader) -> list[Told]:
            state = self._state or following.NOTHING
            rows = self._told if enabled else tuple
            keep = not (self.stale or self._is_in_memory)
            where = self._folder, self.root, state
            return triggers.load(triggers.settled(*where, rows, keep=keep), found)

        return self.again(answer)

    def _told(self) -> Iterator[bytes]:
        for (data,) in self.ask("SELECT data FROM told ORDER BY path"):
            yield zlib.decompress(data)

    # --- the database

    @property
    def _path(self) -> str:
        """The file of the index; its name says what it depends on."""
        return os.path.join(self._folder, version() + database.ENDING)

    def _opened(self) -> State | None:
        """The state of the index as it is now, in a transaction of its own.

        None when there is no usable one.
        """
        try:
            if self._db is None:
                self._db = database.opened(self._path, self.patience)
            if self._db is None:
                return None
            state = following.load(self._db)
        except database.DAMAGE as error:
            if database.is_busy(error):
                raise LockBusy(f"{self._path}: {error}") from error
            self._close()
            return None
        if state is None or state.config != following.config_of(self.root):
            return None
        return state

    def _reader_of(self, state: State | None) -> Reader:
        """A reader of a state, which the database is at; Outdated where it is gone."""
        if self._db is None or state is None:
            raise Outdated("the index is gone")
        version = database.version(self._db)
        if self._reader is None or version != self._version:
            if self._reader is not None:
                self._reader.close()
            me: Any = ref(self)  # no circle: an index that is let go closes its file
            self._reader = Reader(
                lambda sql, values: me().ask(sql, values),
                state.sums,
                state.broken,
                self._agent,
                self.root,
            )
        self._version, self._state = version, state
        self._reader.claims.count_resolved(self.elsewhere())
        return self._reader

    def _close(self) -> None:
        if self._reader is not None:
            self._reader.close()
        if self._db is not None:
            self._db.close()
        self._reader = self._state = self._db = None
        self._is_in_memory = False

    def _mend(self, error: Exception) -> bool:
        """Mend the index, and say whether the answer that failed may succeed now."""
        if isinstance(error, (Outdated, OSError)):
            self._close()
            return True
        if not isinstance(error, database.DAMAGE) or database.is_busy(error):
            return False
        self._close()
        damage = f"{type(error).__name__}: {error}"
        self._tell(f"rebuilding the index: it is damaged ({damage})")
        try:
            with Lock(self._lock, self.patience):
                database.remove(self._path)
        except (WriteFailed, OSError) as refused:
            self._into_memory(refused)
        return True

    # --- following the files

    def _scan(self, state: State | None) -> Listing:
        self._scanned = time.time_ns()
        listing = following.listed(self.root, state)
        # Folders of the vault are not read where a link stands in their place.
        for path in listing.symlinks if listing.symlinks != self.symlinks else ():
            if layout.is_own_folder(path, KINDS) and not layout.is_odd(path):
                self._tell(f"{path} is a symbolic link, not read: memcli doctor --fix")
        self.symlinks = listing.symlinks
        self.unreadable = sorted(listing.unreadable)
        return listing

    def _catch_up(
        self, listing: Listing, state: State | None, *, must: bool
    ) -> State | None:
        """The state of the files as they were listed, or of a later moment; None where
        the index is gone.

        Args:
            listing: the files.
            state: what was indexed.
            must: whether files differ; else some are racy no more, which is noted.
        """
        if self._is_in_memory:
            return self._update(listing, state)
        try:
            with Lock(self._lock, self.patience if must else 0):
                return self._update(listing, state)
        except LockBusy:
            if state is None:
                raise
            self.stale = must
        except (WriteFailed, OSError, database.Unwritable) as error:
            if must or state is None:
                self._into_memory(error)
                return self._update(listing, None)
        return self._opened()

    def _into_memory(self, error: Exception) -> None:
        """Go on with a copy of the index that no disk has to take, as it took none."""
        why = getattr(error, "message", None) or str(error)
        self._tell(f"the index is kept in memory: {self._path}: {why}")
        copy = database.in_memory(self._db)
        self._close()
        self._db, self._is_in_memory = copy, True

    def _update(self, listing: Listing, before: State | None) -> State:
        """Index the files that changed. The lock is held.

        Args:
            listing: the files, as they were before the lock was taken.
            before: the state at that moment.
        """
        # The process that held it before may have done the work, for files that were
        # written after this listing.
        state, reason = self._opened(), ""
        if self._db is None:
            reason = database.make(self._path)
            self._db = database.opened(self._path, self.patience)
        elif state is None and following.load(self._db) is not None:
            reason = "the vault's config changed"
        db = self._db
        if db is None:
            raise database.Unwritable(f"{self._path} is gone")
        if state != before:
            listing = self._scan(state)
        if reason:
            self._tell(f"rebuilding the index: {reason}")
        old = state or following.NOTHING

        def change() -> tuple[Differences, State]:
            if state is None:
                for table in TABLES:
                    db.execute(f"DELETE FROM {table}")  # noqa: S608 our own names
            found = old.differences(self.root, listing)
            new = old._replace(
                config=following.config_of(self.root),
                recent=found.recent,
                folders=following.folders_of(listing, self._scanned),
            )
            if found.changed or found.removed:
                from memcli.search.updating import indexed

                new = indexed(db, new, found, self.root, self._scanned, self._progress)
            if state is None or new.told != old.told:
                # The next hook at a tool makes it, when it needs it.
                files.remove_quietly(os.path.join(self._folder, TRIGGERS))
            following.store(db, new, old)
            return found, new

        found, new = database.write(db, self.patience, change)
        database.version(db)  # before another process may write
        many, removed = len(found.changed), len(found.removed)
        if many or removed or reason:
            self._version = _NONE  # a document may have another number now
            self.change = {"changed": many, "removed": removed, "rebuilt": reason}
            # Not before: writing what was read takes a third of the time.
            self._progress(many, many)
        return new
