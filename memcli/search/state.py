"""What the index describes: its segments, and the files of the vault as they were.

Invariant: the state is written last and replaced at once, so a reader never sees half
an update. A state that another version wrote, or that is damaged, counts as none, and
the index is built anew. A file counts as changed by (time, size), and by content while
its time is so young that the file may change again without showing it.
"""

from __future__ import annotations

import os
import time
import zlib

from memcli.entries import layout
from memcli.errors import Unreadable
from memcli.named_tuple import NamedTuple
from memcli.search.segment import DOCUMENTS, POSTINGS, TERMS, SegmentId
from memcli.storage import cache, files
from memcli.storage.listed_files import ListedFiles, stats_of, times_in
from memcli.storage.listing import Listing, scan_changed, stamp_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any


NAME = "state"
"""The file, in the folder of the index."""

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


class UpdateCounts(NamedTuple):
    """What bringing the index up to date did, in numbers of files.

    `rebuilt` says why everything was indexed again; empty when it was not.
    """

    added: int = 0
    changed: int = 0
    removed: int = 0
    rebuilt: str = ""


class State(NamedTuple):
    """What was indexed: the one file that says which segments make up the index.

    `listing` has the files, and `recent` the content numbers of the racy ones;
    `stamps` is the size and time of every file of the index, so that a damaged one is
    noticed. `places` has the vault's folders with their times, as `places_of` makes it.
    """

    version: tuple[int, ...]
    segments: tuple[SegmentId, ...]
    listing: ListedFiles
    recent: dict[str, int]
    broken: dict[str, tuple[int, str]]
    stamps: dict[str, tuple[int, int]]
    places: dict[str, int]

    def held(self, paths: Iterable[str]) -> set[str]:
        """Those of these paths that were indexed."""
        return set(self.listing.times(paths))

    def is_whole(self, folder: str) -> bool:
        """Whether every file of the index is the one that was written."""
        try:
            return all(
                (status.st_size, status.st_mtime_ns) == stamp
                for name, stamp in self.stamps.items()
                for status in (os.stat(os.path.join(folder, name)),)
            )
        except OSError:
            return False

    def check(self) -> None:
        """Read all of it.

        Raises:
            ValueError: it does not hold what `store` writes, though its checksum is
                right.
        """
        for folder in self.listing:
            for _ in stats_of(self.listing.part(folder)):
                pass
        for values in (self.recent, self.places):
            if not all(isinstance(number, int) for number in values.values()):
                raise ValueError("a time or a checksum in the state is no number")

    def describes(self, root: str, listing: Listing) -> bool:
        """Whether exactly these files were indexed."""
        if not self.listing.is_of(listing.folders):
            return False
        return all(
            _content_number(os.path.join(root, path)) == number
            for path, number in self.recent.items()
        )

    def is_settled(self) -> bool:
        """Whether every racy file has aged enough to be told by its time."""
        times = self.listing.times(self.recent)
        return max(times.values(), default=0) <= time.time_ns() - _RACY_NS

    def settled(self, entered: Mapping[str, int], scanned: int) -> State:
        """This state after a listing in which nothing differs from it.

        Files and folders that have aged are told by their times from now on.

        Args:
            entered: `Listing.entered`.
            scanned: when they were listed, in nanoseconds since 1970.
        """
        recent = {} if self.recent and self.is_settled() else self.recent
        places = self.places
        if 0 in places.values():
            places = places_of(entered, scanned)
        return self._replace(recent=recent, places=places)

    def differences(self, root: str, listing: Listing) -> Differences:
        """How the files of the vault at `root` differ from those that were indexed."""
        now: dict[str, bytes | None] = dict.fromkeys(self.listing)
        now.update(listing.folders)
        return self._compared(root, now)

    def differences_by_folders(self, root: str) -> Differences:
        """As `differences`, of the folders alone whose time is not the one of then.

        A file that was written in place leaves its folder's time as it is, and is
        missing here unless another file beside it was made, replaced or removed.

        Args:
            root: the vault's folder.

        Raises:
            Unreadable: the vault's folder cannot be listed.
        """
        listing, gone = scan_changed(root, self.places)
        # Of a folder that cannot be listed, all is as it was.
        now: dict[str, bytes | None] = dict.fromkeys((*gone, *listing.entered))
        now.update(listing.folders)
        return self._compared(root, now)

    def _compared(self, root: str, now: Mapping[str, bytes | None]) -> Differences:
        """How folders differ, each given with its files as they are now; other folders
        are as they were."""
        changed: list[str] = []
        removed: list[str] = []
        for folder, found in now.items():
            known = self.listing.part(folder)
            if found == known:
                continue
            new, old = set(stats_of(found)), set(stats_of(known))
            paths = {path for path, _ in new}
            removed += (path for path, _ in old if path not in paths)
            changed += (path for path, _ in new - old)
        recent, edited = self._racy(root, now, set(changed))
        changed += edited
        entries = [path for path in sorted(changed) if layout.is_entry(path)]
        return Differences(entries, sorted(removed), recent)

    def _racy(
        self, root: str, found: Mapping[str, bytes | None], changed: set[str]
    ) -> tuple[dict[str, int], list[str]]:
        """Racy files whose content is the indexed one, and those that were edited."""
        if not self.recent:
            return {}, []
        now = time.time_ns()

        def part_of(folder: str) -> bytes | None:
            return found[folder] if folder in found else self.listing.part(folder)

        times = times_in(part_of, self.recent)
        recent, edited = {}, []
        for path, number in self.recent.items():
            if path in changed or path not in times:
                continue
            if _content_number(os.path.join(root, path)) != number:
                edited.append(path)
            elif times[path] > now - _RACY_NS:
                recent[path] = number
        return recent, edited


def load(path: str) -> State | None:
    """The state in a file, None when there is none that can be used."""
    return cache.load_with_bytes(path, _parsed)


def _parsed(value: Any, listing: bytes) -> State:
    version, segments, recent, broken, stamps, places = value
    return State(
        tuple(version),
        tuple(SegmentId(name, count, tuple(gone)) for name, count, gone in segments),
        ListedFiles(listing),
        recent,
        {name: (line, reason) for name, (line, reason) in broken.items()},
        {name: (size, time) for name, (size, time) in stamps.items()},
        dict(places),
    )


def store(path: str, state: State) -> None:
    """Write a state; raises OSError when the disk refuses."""
    version, segments, listing, *others = state
    cache.store(path, (version, segments, *others), listing.data)


def stamps(folder: str, segments: Sequence[SegmentId]) -> dict[str, tuple[int, int]]:
    """The size and time of every file of these segments, for `State.stamps`."""
    names = [s.file(end) for s in segments for end in (TERMS, POSTINGS, DOCUMENTS)]
    found = ((name, os.stat(os.path.join(folder, name))) for name in names)
    return {name: (stat.st_size, stat.st_mtime_ns) for name, stat in found}


def places_of(entered: Mapping[str, int], scanned: int) -> dict[str, int]:
    """The folders of a listing with their times; 0 for one that may change unseen.

    Args:
        entered: `Listing.entered`.
        scanned: when they were listed, in nanoseconds since 1970.
    """
    settled = scanned - _RACY_NS
    return {name: stamp if stamp < settled else 0 for name, stamp in entered.items()}


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
