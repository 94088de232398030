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
from array import array

from memcli.entries import layout
from memcli.errors import Unreadable
from memcli.named_tuple import NamedTuple
from memcli.search.segment import DOCUMENTS, POSTINGS, TERMS, SegmentId
from memcli.storage import cache, files
from memcli.storage.listing import Listing, scan_changed, stamp_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any


NAME = "state"
"""The file, in the folder of the index."""

_LARGEST = (1 << 63) - 1
# A file whose time is this close to the moment it was read may change again within
# the same tick of the file system's clock (FAT: 2 s); its content is compared.
_RACY_NS = 2_000_000_000

LOOKED_AT = 1_000_001
"""So many bytes of a file are read for the index, one more than it holds."""

Folders = dict[str, list[str | int]]
"""`Listing.folders`: for each folder a flat list: name, time, size, name, ..."""


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

    `listing` describes the files, as `listed` makes it: comparing two is one look at
    bytes. `recent` holds the content number of racy files; `stamps` is the size and
    time of every file of the index, so that a damaged one is noticed. `places` has the
    vault's folders with their times, as `places_of` makes it.
    """

    version: tuple[int, ...]
    segments: tuple[SegmentId, ...]
    listing: bytes
    recent: dict[str, int]
    broken: dict[str, tuple[int, str]]
    stamps: dict[str, tuple[int, int]]
    places: dict[str, int]

    @property
    def folders(self) -> Folders:
        """The files that were indexed."""
        return dict(_unlisted(section) for _, section in _sections(self.listing))

    def held(self, paths: Iterable[str]) -> set[str]:
        """Those of these paths that were indexed."""
        return set(_times(self.sections(), paths))

    def sections(self) -> dict[str, bytes]:
        """The parts of the listing by folder; `stats_of` reads one."""
        return dict(_sections(self.listing))

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

    def describes(self, root: str, listing: Listing) -> bool:
        """Whether exactly these files were indexed."""
        if listed(listing.folders) != self.listing:
            return False
        return all(
            _content_number(os.path.join(root, path)) == number
            for path, number in self.recent.items()
        )

    def is_settled(self) -> bool:
        """Whether every racy file has aged enough to be told by its time."""
        times = _times(self.sections(), self.recent)
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
        before = self.sections()
        now = {name: _section(name, flat) for name, flat in listing.folders.items()}
        return self._compared(root, before, now)

    def differences_by_folders(
        self, root: str, before: Mapping[str, bytes]
    ) -> Differences:
        """As `differences`, of the folders alone whose time is not the one of then.

        A file that was written in place leaves its folder's time as it is, and is
        missing here unless another file beside it was made, replaced or removed.

        Args:
            root: the vault's folder.
            before: the `sections` of this state.

        Raises:
            Unreadable: the vault's folder cannot be listed.
        """
        listing, gone = scan_changed(root, self.places)
        now = {**before}
        # Of a folder that cannot be listed, all is as it was.
        for folder in (*gone, *listing.entered):
            now.pop(folder, None)
        for name, flat in listing.folders.items():
            now[name] = _section(name, flat)
        return self._compared(root, before, now)

    def _compared(
        self, root: str, before: Mapping[str, bytes], now: Mapping[str, bytes]
    ) -> Differences:
        """How two listings differ, each as its parts by folder."""
        changed: list[str] = []
        removed: list[str] = []
        for folder in {**now, **before}:
            if now.get(folder) == before.get(folder):
                continue
            new, old = set(stats_of(now.get(folder))), set(stats_of(before.get(folder)))
            paths = {path for path, _ in new}
            removed += (path for path, _ in old if path not in paths)
            changed += (path for path, _ in new - old)
        recent, edited = self._racy(root, now, set(changed))
        changed += edited
        entries = [path for path in sorted(changed) if layout.is_entry(path)]
        return Differences(entries, sorted(removed), recent)

    def _racy(
        self, root: str, sections: Mapping[str, bytes], changed: set[str]
    ) -> tuple[dict[str, int], list[str]]:
        """Racy files whose content is the indexed one, and those that were edited."""
        if not self.recent:
            return {}, []
        now = time.time_ns()
        times = _times(sections, self.recent)
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
    found = cache.load_with(path)
    if found is None:
        return None
    try:
        version, segments, recent, broken, stamps, places = found[0]
        return State(
            tuple(version),
            tuple(
                SegmentId(name, count, tuple(gone)) for name, count, gone in segments
            ),
            found[1],
            recent,
            {name: (line, reason) for name, (line, reason) in broken.items()},
            {name: (size, time) for name, (size, time) in stamps.items()},
            dict(places),
        )
    except (AttributeError, TypeError, ValueError):
        return None


def store(path: str, state: State) -> None:
    """Write a state; raises OSError when the disk refuses."""
    version, segments, listing, *others = state
    cache.store(path, (version, segments, *others), listing)


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


def listed(folders: Mapping[str, Sequence[str | int]]) -> bytes:
    """A listing of files as bytes; the same files give the same bytes."""
    return b"".join(_section(folder, folders[folder]) for folder in sorted(folders))


def _section(folder: str, flat: Sequence[str | int]) -> bytes:
    """The part of a listing that describes the files of one folder."""
    names = "\0".join((folder, *flat[::3]))  # type: ignore[arg-type]
    head = names.encode("utf-8", "surrogatepass")
    start = b"%d %d\n" % (len(head), len(flat) // 3)
    return b"".join((start, head, _packed(flat[1::3]), _packed(flat[2::3])))


def _packed(numbers: Sequence[Any]) -> bytes:
    try:
        return array("q", numbers).tobytes()
    except OverflowError:  # a clock in the year 2300
        return array("q", (number & _LARGEST for number in numbers)).tobytes()


def _sections(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The parts of a listing, each with its folder; most are only compared."""
    at = 0
    while at < len(data):
        head = data.index(b"\n", at) + 1
        length, count = map(int, data[at:head].split())
        end = head + length + 16 * count
        stop = data.find(b"\0", head, head + length)
        name = data[head : stop if stop >= 0 else head + length]
        yield name.decode("utf-8", "surrogatepass"), data[at:end]
        at = end


def _unlisted(section: bytes) -> tuple[str, list[str | int]]:
    """The folder that a section describes, and its files as `Folders` has them."""
    start, _, rest = section.partition(b"\n")
    length, count = map(int, start.split())
    folder, *names = rest[:length].decode("utf-8", "surrogatepass").split("\0")
    times, sizes = array("q"), array("q")
    times.frombytes(rest[length : length + 8 * count])
    sizes.frombytes(rest[length + 8 * count :])
    flat: list[str | int] = [""] * (3 * count)
    flat[::3], flat[1::3], flat[2::3] = names, times, sizes
    return folder, flat


def stats_of(section: bytes | None) -> Iterator[tuple[str, tuple[int, int]]]:
    """The paths of the files that a section describes, each with time and size."""
    if section is None:
        return
    folder, flat = _unlisted(section)
    prefix = folder + "/" if folder else ""
    items = iter(flat)
    for name, mtime, size in zip(items, items, items, strict=True):
        yield f"{prefix}{name}", (int(mtime), int(size))


def _times(sections: Mapping[str, bytes], paths: Iterable[str]) -> dict[str, int]:
    """The times of those of these paths that a listing has."""
    wanted: dict[str, set[str]] = {}
    for path in paths:
        wanted.setdefault(path.rpartition("/")[0], set()).add(path)
    return {
        path: stat[0]
        for folder, here in wanted.items()
        for path, stat in stats_of(sections.get(folder))
        if path in here
    }


def _content_number(path: str) -> int | None:
    try:
        return zlib.crc32(files.read(path, first=LOOKED_AT))
    except Unreadable:
        return None
