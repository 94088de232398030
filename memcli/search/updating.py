"""Bringing an index up to date: changed files are read and become documents.

Invariant: the caller holds the index's lock. An update is one transaction: documents,
what is told of them, and the files that they were made of. It knows of no agent: each
agent's command leaves the same index of the whole vault. What is found depends on the
files alone and comes in the order of their paths, however many processes read them and
whichever of them dies; none outlives the one that started it. Loaded only where files
of the vault have changed.
"""

from __future__ import annotations

import os
import time

from memcli.entries import codec, file_checks
from memcli.entries.entry import KINDS
from memcli.entries.text.tokens import stemmer
from memcli.errors import InvalidEntry, MemcliError, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.search import database
from memcli.search.document import Checked, Prepared, document, prepared
from memcli.search.following import (
    LOOKED_AT,
    NOTHING,
    Differences,
    State,
    UpdateCounts,
    folders_of,
    racy_number,
    store,
)
from memcli.search.store import TABLES, Size, Store, encoded, packed
from memcli.search.triggers import of_row
from memcli.storage import files
from memcli.storage import settings as config

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from sqlite3 import Connection

    from memcli.entries.entry import Entry
    from memcli.entries.file_checks import Finding
    from memcli.entries.text.tokens import Stem
    from memcli.search.triggers import Line
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


# --- reading files --------------------------------------------------------------------

# Larger files are indexed by their beginning: a memory of a megabyte is a mistake
# that must not stop every recall.
_LARGEST = file_checks.INDEXED
# Below this many files another process costs more than it brings: it loads for a
# tenth of a second, which is some 200 files.
_WORTH_A_PROCESS = 1_000
# More find no faster than one process writes what they found.
_MOST_PROCESSES = 4
_MOST_FILES = 128  # that a process reads before it tells what it found


class Found(NamedTuple):
    """The content of a file of the vault.

    `number` is its content number while it may change unseen (`following.racy_number`);
    `broken` the line and reason when it is no entry, and `document` is None then.
    `told` is what sessions are told of the entry, None when that is nothing.
    """

    path: str
    number: int | None
    broken: tuple[int, str] | None
    document: Prepared | None
    told: Line | None = None


class Files:
    """The files of one vault.

    Args:
        root: the vault's folder.

    Raises:
        InvalidConfig: the vault's settings cannot be understood.
    """

    def __init__(self, root: str) -> None:
        settings = config.load(root)
        self.root = root
        self._kinds = (*KINDS, *settings.kinds)
        self._policies = settings.policies
        self._stem: Stem = stemmer()

    def held(
        self,
        path: str,
        data: bytes,
        seen: Callable[[Entry], Entry | None] | None = None,
    ) -> Found:
        """The content of these bytes of a file, of which the beginning counts.

        Args:
            path: of the file.
            data: its bytes.
            seen: gives what is to be seen of an entry, None for nothing.
        """
        data = data[:LOOKED_AT]
        beginning = _beginning(data)
        try:
            both = _both_sides(beginning, path, self._kinds)
            decoded = both or codec.decode(beginning, path, kinds=self._kinds)
        except InvalidEntry as error:
            return Found(path, None, (error.line, error.reason), None)
        if both is None:
            checked = _checked(beginning, decoded, self._kinds, len(data))
        else:
            checked = _listed(file_checks.in_conflict(beginning, path), ())
        entry = seen(decoded.entry) if seen else decoded.entry
        if entry is None:
            return Found(path, None, None, None)
        doc = document(entry, self._stem, self._policies, checked)
        told = of_row(doc.row)
        return Found(path, None, None, prepared(doc), told and told.as_line())

    def found(self, path: str) -> Found:
        """The content of the file of a path."""
        absolute = os.path.join(self.root, path)
        number = None
        try:
            read_at = time.time_ns()
            data = files.read(absolute, first=LOOKED_AT, follow=False)
            number = racy_number(os.stat(absolute), data, read_at)
        except (Unreadable, OSError) as error:
            why = str(error).removeprefix(absolute).strip(": ")
            return Found(path, number, (1, why), None)
        return self.held(path, data)._replace(number=number)


def _both_sides(data: bytes, path: str, kinds: Collection[str]) -> codec.Decoded | None:
    """A file in which git left two sides, as one entry that names them both."""
    if b"<<<<<<< " not in data:
        return None
    from memcli.entries.merging import one_file

    both = one_file.shown(data, path, kinds)
    return None if both is None else codec.Decoded(both, (), True)


def _listed(found: Iterable[Finding], links: tuple[tuple[str, int], ...]) -> Checked:
    return Checked(
        tuple((f.line, f.code, f.level, f.message, f.hint) for f in found), links
    )


def _checked(
    data: bytes, decoded: codec.Decoded, kinds: Collection[str], size: int
) -> Checked:
    """The findings of a file; those of one that is not indexed whole are the lint's."""
    if size > _LARGEST:
        return Checked(is_large=True)
    text = file_checks.text_of(data, decoded.entry)
    found = file_checks.findings(text, size, decoded, kinds)
    return _listed(found, file_checks.link_lines(text))


def _beginning(data: bytes) -> bytes:
    """The data, cut before the limit at the end of a character."""
    if len(data) <= _LARGEST:
        return data
    return data[:_LARGEST].decode("utf-8", "ignore").encode()


# --- several processes --------------------------------------------------------------


def found_in(root: str, paths: Sequence[str], processes: int) -> Iterator[Found]:
    """The content of these files, in the order of the paths.

    Args:
        root: the vault's folder.
        paths: vault-relative.
        processes: how many may read at most.

    Raises:
        InvalidConfig: the vault's settings cannot be understood.
    """
    here = Files(root)
    several = min(processes, _MOST_PROCESSES, len(paths) // _WORTH_A_PROCESS)
    found = _found_by_several(root, paths, several) if several > 1 else iter(())
    done = 0
    try:
        for each in found:
            yield each
            done += 1
    except (OSError, RuntimeError):
        pass  # a process died, or none could start; RuntimeError is the pool's
    yield from map(here.found, paths[done:])


def _found_by_several(
    root: str, paths: Sequence[str], processes: int
) -> Iterator[Found]:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # A process of its own starts in the folder that the command was called in, which
    # may be anybody's: nothing is to be imported from there.
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    pool = ProcessPoolExecutor(
        processes,
        mp_context=get_context("spawn"),
        initializer=_begin,
        initargs=(os.path.abspath(root), os.getpid()),
    )
    try:
        shares = [paths[n : n + _MOST_FILES] for n in range(0, len(paths), _MOST_FILES)]
        for found in pool.map(_read, shares):
            yield from found
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        if before is None:
            os.environ.pop(_SAFE_PATH, None)
        else:
            os.environ[_SAFE_PATH] = before


_SAFE_PATH = "PYTHONSAFEPATH"
_vault: list[Files] = []


def _begin(root: str, parent: int) -> None:
    """Make this process a reader of files, which ends with its parent."""
    import gc
    from threading import Thread

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    Thread(target=watch, daemon=True).start()
    # As `cli.argv` does: what is read makes no circles.
    gc.set_threshold(100_000)
    _vault.append(Files(root))


def _read(paths: Sequence[str]) -> list[Found]:
    return [*map(_vault[0].found, paths)]
