"""Following the files of a vault: how they differ from those that were indexed.

Invariant: a file counts as changed by (time, size), and by content while its time is so
young that the file may change again without showing it.
"""

from __future__ import annotations

import os
import stat
import time
import zlib

from memcli.entries import layout
from memcli.entries.eligibility import visible
from memcli.errors import MemcliError, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.search import database
from memcli.search.store import Damaged, Sums, decoded, encoded, packed
from memcli.storage import files
from memcli.storage.files import MALFORMED
from memcli.storage.listing import scan, stamp_of, stats_of, times_in

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from sqlite3 import Connection

    from memcli.entries.eligibility import Agent
    from memcli.entries.entry import Entry
    from memcli.storage.listing import Folders, Listing

# A file whose time is this close to the moment it was read may change again within
# the same tick of the file system's clock (FAT: 2 s); its content is compared.
_RACY_NS = 2_000_000_000

LOOKED_AT = 1_000_001
"""So many bytes of a file are read for the index, one more than it holds."""


class Behind(Exception):
    """The index cannot answer before much of it is written."""


class Differences(NamedTuple):
    """How the files of a vault differ from those that were indexed, as paths.

    `changed` are to be indexed, `removed` to be dropped; `recent` are the racy files
    that are as they were, with their content numbers.
    """

    changed: list[str]
    removed: list[str]
    recent: dict[str, int]


class State(NamedTuple):
    """The files that were indexed.

    Attributes:
        config: the time and size of the settings that it was made with.
        told: the number of the last change of the entries that sessions are told at an
            action; it rises, and no other index of the vault ever had it.
        recent: the content numbers of the racy files.
        broken: by path the line and reason of files that are not entries.
        sums: those over all documents.
        folders: by folder its time, 0 where that does not tell of every later change,
            and its files (`listing.part`), empty where it has none.
    """

    config: tuple[int, int]
    told: int
    recent: dict[str, int]
    broken: dict[str, tuple[int, str]]
    sums: Sums
    folders: dict[str, tuple[int, bytes]]

    def part(self, folder: str) -> bytes | None:
        """The files of a folder."""
        return self.folders.get(folder, (0, b""))[1] or None

    def differences(self, root: str, listing: Listing) -> Differences:
        """How the files of a vault differ from those that were indexed.

        Raises:
            Damaged: the files that were indexed cannot be read.
        """
        now = {**dict.fromkeys(self.folders), **listing.folders}
        found = Differences([], [], {})
        try:
            for folder, part in now.items():
                known = self.part(folder)
                if part != known:
                    new, old = dict(stats_of(part)), dict(stats_of(known))
                    found.removed.extend(old.keys() - new)
                    both = new.items() - old.items()
                    found.changed.extend(p for p, _ in both if layout.is_entry(p))
            # The racy files: their content is the indexed one, or was edited.
            settled, touched = time.time_ns() - _RACY_NS, {*found.changed}
            for path, stamp in times_in(now.get, self.recent).items():
                number = self.recent[path]
                if path in touched:
                    continue
                if _content_number(os.path.join(root, path)) != number:
                    found.changed.append(path)
                elif stamp > settled:
                    found.recent[path] = number
        except MALFORMED as error:
            raise Damaged(f"{type(error).__name__}: {error}") from error
        found.changed.sort()
        found.removed.sort()
        return found

    def is_aged(self, found: Differences, folders: Folders) -> bool:
        """Whether files or folders are racy no more, which is worth a note.

        Args:
            found: how the files differ.
            folders: `folders_of` their listing.
        """
        return bool(self.recent and not found.recent) or any(
            stamp and stamp != self.folders.get(name, (0,))[0]
            for name, (stamp, _) in folders.items()
        )


NOTHING = State((0, 0), 0, {}, {}, Sums(), {})
"""The state of an index of no files."""


def listed(root: str, state: State | None, *, quick: bool = False) -> Listing:
    """The vault's files; a folder that cannot be listed is as it was.

    Another program took one permission error for the deletion of every note. `quick` is
    that of `scan`.
    """
    listing = scan(root, state and state.folders, quick=quick)
    if state is not None and listing.unreadable:
        lost = tuple(f"{folder}/" for folder in listing.unreadable)
        for name, (_, part) in state.folders.items():
            if part and f"{name}/".startswith(lost):
                listing.folders[name] = part
    return listing


class Unindexed:
    """The files that an index knows wrongly, or not at all, for an answer that must not
    wait.

    A file that was made, removed, renamed or replaced is known. One that was written in
    place is found when an answer rests on it (`is_current`), or when its folder is
    listed; nothing else tells of it without a `look` at every file, which takes as long
    as the rest of a save at 30,000 entries.

    Args:
        root: the vault's folder.
        state: what was indexed.

    Attributes:
        changed: the paths of entries that are to be read from their files.
        removed: the paths of entries that are gone.

    Raises:
        Unreadable: the vault's folder cannot be listed.
    """

    def __init__(self, root: str, state: State) -> None:
        self.root, self._state = root, state
        self._read: dict[str, Entry | None] = {}
        self.look(quick=True)

    def look(self, *, quick: bool) -> None:
        """List the files; unless it is `quick`, those written in place are found."""
        listing = listed(self.root, self._state, quick=quick)
        found = self._state.differences(self.root, listing)
        self.changed, self.removed = found.changed, found.removed

    def is_current(self, path: str) -> bool:
        """Whether the index holds this file as it is now.

        One that it does not hold so is among `changed` or `removed` from then on.
        """
        if path in self.changed or path in self.removed:
            return False
        try:
            status = os.lstat(os.path.join(self.root, *path.split("/")))
        except OSError:
            self.removed.append(path)
            return False
        part = self._state.part(path.rpartition("/")[0])
        if (path, (stamp_of(status), status.st_size)) in stats_of(part):
            return True
        is_entry = stat.S_ISREG(status.st_mode) and layout.is_entry(path)
        (self.changed if is_entry else self.removed).append(path)
        return False

    def entries(self, agent: Agent | None) -> Iterator[Entry]:
        """The entries in the changed files that an agent, or the owner, may see."""
        from memcli.entries import codec

        for path in self.changed:
            if path not in self._read:
                try:
                    data = files.read(os.path.join(self.root, *path.split("/")))
                    self._read[path] = codec.decode(data, path).entry
                except MemcliError:  # it holds no entry; every reader reports it
                    self._read[path] = None
            entry = self._read[path]
            if entry and (agent is None or visible(entry, agent)):
                yield entry


def folders_of(listing: Listing, scanned: int) -> dict[str, tuple[int, bytes]]:
    """`State.folders` of a listing of this time, in nanoseconds since 1970."""
    settled, parts = scanned - _RACY_NS, listing.folders
    times = {n: stamp if stamp < settled else 0 for n, stamp in listing.entered.items()}
    names = sorted({*parts, *times})
    return {name: (times.get(name, 0), parts.get(name, b"")) for name in names}


def racy_number(status: os.stat_result, data: bytes, read_at: int) -> int | None:
    """The content number of a file that may change again unseen; None for others.

    Args:
        status: of the file, after it was read.
        data: its first `LOOKED_AT` bytes.
        read_at: when the reading began, in nanoseconds since 1970.
    """
    return zlib.crc32(data) if stamp_of(status) > read_at - _RACY_NS else None


def _content_number(path: str) -> int | None:
    try:
        return zlib.crc32(files.read(path, first=LOOKED_AT))
    except Unreadable:
        return None


def config_of(root: str) -> tuple[int, int]:
    """The time and size of a vault's settings, on which documents depend."""
    try:
        status = os.stat(os.path.join(root, *layout.CONFIG.split("/")))
    except OSError:
        return 0, 0
    return stamp_of(status), status.st_size


# --- in the database ----------------------------------------------------------------


def load(db: Connection) -> State | None:
    """The state of a database, at the beginning of a transaction that goes on.

    None where none was written yet.

    Raises:
        Damaged: it is not what was written.
    """
    database.end(db)
    db.execute("BEGIN")
    found = db.execute("SELECT value FROM meta WHERE name = 'state'").fetchone()
    if found is None:
        return None
    import json

    try:
        config, told, recent, broken, sums = json.loads(zlib.decompress(found[0]))
        folders = {
            decoded(path): (stamp, data)
            for path, stamp, data in db.execute("SELECT path, time, files FROM folder")
        }
        first, second = config
        broken = {path: (line, reason) for path, (line, reason) in broken.items()}
        return State((first, second), told, recent, broken, Sums(*sums), folders)
    except MALFORMED as error:
        raise Damaged(f"{type(error).__name__}: {error}") from error


def store(db: Connection, state: State, before: State) -> None:
    """Write a state down in place of another; the transaction goes on."""
    import json

    *values, folders = state
    # ASCII alone: file names may hold half a surrogate pair.
    value = packed(json.dumps(values, separators=(",", ":")).encode("ascii"))
    db.execute("REPLACE INTO meta VALUES ('state', ?)", (value,))
    gone = [(encoded(name),) for name in before.folders if name not in folders]
    db.executemany("DELETE FROM folder WHERE path = ?", gone)
    new = [
        (encoded(name), *folders[name])
        for name in folders
        if folders[name] != before.folders.get(name)
    ]
    db.executemany("REPLACE INTO folder VALUES (?, ?, ?)", new)
