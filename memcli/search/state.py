"""What the index describes: its segments, and the files of the vault as they were.

Invariant: written last and replaced at once, so a reader never sees half an update. A
state that another version wrote, or that is damaged, counts as none, and the index is
built anew.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memcli.search.segment import SegmentId
from memcli.storage import cache

_LARGEST = (1 << 63) - 1

Folders = dict[str, list[str | int]]
"""`files.Listing.folders`: for each folder a flat list: name, time, size, name, ..."""


class State(NamedTuple):
    """What was indexed: the one file that says which segments make up the index.

    `listing` describes the files, as `listed` makes it: comparing two is one look at
    bytes. `recent` holds the content number of racy files; `stamps` is the size and
    time of every file of the index, so that a damaged one is noticed.
    """

    version: tuple[int, ...]
    segments: tuple[SegmentId, ...]
    listing: bytes
    recent: dict[str, int]
    broken: dict[str, tuple[int, str]]
    stamps: dict[str, tuple[int, int]]

    @property
    def folders(self) -> Folders:
        """The files that were indexed."""
        return dict(_unlisted(self.listing))


def load(path: str) -> State | None:
    """The state in a file, None when there is none that can be used."""
    found = cache.load_with(path)
    if found is None:
        return None
    try:
        version, segments, recent, broken, stamps = found[0]
        return State(
            tuple(version),
            tuple(
                SegmentId(name, count, tuple(gone)) for name, count, gone in segments
            ),
            found[1],
            recent,
            {name: (line, reason) for name, (line, reason) in broken.items()},
            {name: (size, time) for name, (size, time) in stamps.items()},
        )
    except (AttributeError, TypeError, ValueError):
        return None


def store(path: str, state: State) -> None:
    """Write a state; raises OSError when the disk refuses."""
    value = (state.version, state.segments, state.recent, state.broken, state.stamps)
    cache.store(path, value, state.listing)


def listed(folders: Mapping[str, Sequence[str | int]]) -> bytes:
    """A listing of files as bytes; the same files give the same bytes."""
    parts: list[bytes] = []
    for folder in sorted(folders):
        flat = folders[folder]
        names = "\0".join((folder, *flat[::3]))  # type: ignore[arg-type]
        head = names.encode("utf-8", "surrogatepass")
        parts += (
            b"%d %d\n" % (len(head), len(flat) // 3),
            head,
            _packed(flat[1::3]),
            _packed(flat[2::3]),
        )
    return b"".join(parts)


def _packed(numbers: Sequence[Any]) -> bytes:
    try:
        return array("q", numbers).tobytes()
    except OverflowError:  # a clock in the year 2300
        return array("q", (number & _LARGEST for number in numbers)).tobytes()


def _unlisted(data: bytes) -> Iterator[tuple[str, list[str | int]]]:
    at = 0
    while at < len(data):
        end = data.index(b"\n", at) + 1
        length, count = map(int, data[at:end].split())
        head = data[end : end + length].decode("utf-8", "surrogatepass")
        folder, *names = head.split("\0")
        at = end + length
        times, sizes = array("q"), array("q")
        times.frombytes(data[at : at + 8 * count])
        sizes.frombytes(data[at + 8 * count : at + 16 * count])
        at += 16 * count
        flat: list[str | int] = [""] * (3 * count)
        flat[::3], flat[1::3], flat[2::3] = names, times, sizes
        yield folder, flat
