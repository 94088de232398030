"""Bringing an index up to date: changed files become documents.

Invariant: the caller holds the index's lock. An update is one transaction: documents,
what is told of them, and the files that they were made of. It knows of no agent: each
agent's command leaves the same index of the whole vault. Loaded only where files of the
vault have changed.
"""

from __future__ import annotations

from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.search import database
from memcli.search.following import (
    NOTHING,
    Differences,
    State,
    UpdateCounts,
    folders_of,
    store,
)
from memcli.search.reading import found_in
from memcli.search.store import TABLES, Size, Store, encoded, packed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection

    from memcli.search.whoosh_codec import Writer
    from memcli.storage.listing import Listing

_EVERY = 128  # files, between two calls of the progress


class Update(NamedTuple):
    """One update of an index to the files of a listing; the index's lock is held.

    Attributes:
        root: the vault's folder.
        listing: its files.
        scanned: when they were listed, in nanoseconds since 1970.
        config: the time and size of its settings.
        processes: how many may read files at once when there are thousands.
        progress: called with (files done, files to do).
    """

    root: str
    listing: Listing
    scanned: int
    config: tuple[int, int]
    processes: int
    progress: Callable[[int, int], None]

    def apply(self, db: Connection, state: State | None) -> UpdateCounts:
        """Index the files that differ; all of them when there is no usable state.

        Raises:
            Unwritable: the disk takes no change.
            MemcliError: Whoosh, which writes the index, cannot be loaded.
        """
        counts = database.write(db, lambda: self._applied(db, state))
        # Not before: writing what was read takes a third of the time.
        many = counts.added + counts.changed
        self.progress(many, many)
        return counts

    def _applied(self, db: Connection, state: State | None) -> UpdateCounts:
        before = state or NOTHING
        if state is None:
            for table in TABLES:
                db.execute(f"DELETE FROM {table}")  # noqa: S608 our own names
        found = before.differences(self.root, self.listing.folders)
        changed, removed, recent = found
        folders = folders_of(self.listing.folders, self.listing.entered, self.scanned)
        now = before._replace(config=self.config, recent=recent, folders=folders)
        if changed or removed:
            now = self._indexed(db, now, found)
        store(db, now, before)
        known = len(before.times(changed))
        return UpdateCounts(len(changed) - known, known, len(removed))

    def _indexed(self, db: Connection, state: State, found: Differences) -> State:
        """The state after an update of the documents."""
        writer = _writer(db, state.size)
        paths = found.changed
        touched = {*paths, *found.removed}
        broken = {p: why for p, why in state.broken.items() if p not in touched}
        try:
            known = Store(db.execute, state.size)
            known.fetch("path", touched)
            for path in sorted(touched):
                writer.delete(known.exact("path", path))
            names = [(encoded(path),) for path in touched]
            told = db.executemany("DELETE FROM told WHERE path = ?", names).rowcount
            for done, each in enumerate(found_in(self.root, paths, self.processes)):
                if done % _EVERY == 0:
                    self.progress(done, len(paths))
                if each.number is not None:
                    found.recent[each.path] = each.number
                if each.broken is not None:
                    broken[each.path] = each.broken
                if each.told is not None:
                    line = packed(b"\n".join((each.told.row, *each.told.words)))
                    values = (encoded(each.path), line)
                    db.execute("REPLACE INTO told VALUES (?, ?)", values)
                    told += 1
                if each.document is not None:
                    writer.add(each.document)
            writer.commit()
        except BaseException:
            writer.drop()
            raise
        # After a rebuild nothing knows the last number, and readers and tables of
        # triggers of the old index may remain: the time was never given before.
        number = max(self.scanned, state.generation + 1)
        return state._replace(
            generation=number,
            told=number if told else state.told,
            broken=broken,
            size=writer.size,
        )


def _writer(db: Connection, size: Size) -> Writer:
    """Whoosh's writer of the index; raises MemcliError without Whoosh."""
    try:
        from memcli.search.whoosh_codec import Index
    except Exception as error:  # of another version, or half installed
        raise MemcliError(
            f"the index is behind the files, and Whoosh cannot be loaded: {error}",
            hint="Install memcli again: pip install --force-reinstall memcli",
            code="no_whoosh",
        ) from error
    return Index(db, size).writer()
