"""The files of a listing, by folder, as bytes that are compared at once.

Invariant: the same files give the same bytes. A folder's part is taken apart when that
folder is asked for: of the 6 MB of 100,000 files a save looks at a few folders.

A part is a line with the size of the names and the number of files; the folder and its
files' names, separated by zeros; their times, then their sizes (i64 each).
"""

from __future__ import annotations

import re
from array import array

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_LARGEST = (1 << 63) - 1
_HEAD = re.compile(rb"(\d+) (\d+)\n([^\0]*)")


class ListedFiles:
    """The files of a listing.

    Args:
        data: its parts, one behind another.

    Raises (all methods):
        ValueError: it does not hold such parts.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, data: bytes = b"") -> None:
        self.data = data
        self._found: dict[str, tuple[int, int]] | None = None

    @classmethod
    def of(cls, folders: Mapping[str, bytes]) -> ListedFiles:
        """Those of `Listing.folders`."""
        return cls(b"".join(folders[name] for name in sorted(folders)))

    def __eq__(self, other: object) -> bool:
        """Whether both list the same files."""
        return isinstance(other, ListedFiles) and self.data == other.data

    @property
    def _places(self) -> dict[str, tuple[int, int]]:
        """Where the part of each folder begins and ends."""
        if self._found is None:
            self._found = {}
            at = 0
            while at < len(self.data):
                head = _HEAD.match(self.data, at)
                if head is None:
                    raise ValueError("no part of a listing begins here")
                length, count, name = head.groups()
                names = head.start(3)
                stop = names + int(length) + 16 * int(count)
                # A folder without files has no zero behind it.
                folder = name[: int(length)].decode("utf-8", "surrogatepass")
                self._found[folder] = at, stop
                at = stop
        return self._found

    def __iter__(self) -> Iterator[str]:
        """The folders."""
        return iter(self._places)

    def part(self, folder: str) -> bytes | None:
        """The part of a folder; `stats_of` reads it. None when it lists none there."""
        place = self._places.get(folder)
        return None if place is None else self.data[place[0] : place[1]]

    def below(self, top: str) -> dict[str, bytes]:
        """The parts of a folder and of the folders below it, by folder."""
        inside = top + "/"
        return {
            folder: self.data[start:end]
            for folder, (start, end) in self._places.items()
            if folder == top or folder.startswith(inside)
        }

    def times(self, paths: Iterable[str]) -> dict[str, int]:
        """The times of those of these paths that it lists."""
        return times_in(self.part, paths)


def part(
    folder: str, names: Sequence[str], times: Iterable[int], sizes: Iterable[int]
) -> bytes:
    """The files of one folder as bytes; the same files give the same bytes.

    Args:
        folder: its vault-relative POSIX path, "" for the root.
        names: of the files.
        times: `listing.stamp_of` each of them.
        sizes: in bytes.
    """
    text = "\0".join((folder, *names)).encode("utf-8", "surrogatepass")
    start = b"%d %d\n" % (len(text), len(names))
    return b"".join((start, text, _numbers(times), _numbers(sizes)))


def _numbers(numbers: Iterable[int]) -> bytes:
    numbers = list(numbers)
    try:
        return array("q", numbers).tobytes()
    except OverflowError:  # a clock in the year 2300
        return array("q", (number & _LARGEST for number in numbers)).tobytes()


def stats_of(part: bytes | None) -> Iterator[tuple[str, tuple[int, int]]]:
    """The paths of the files that `part` describes, each with time and size."""
    if part is None:
        return
    start, _, rest = part.partition(b"\n")
    length, count = map(int, start.split())
    folder, *names = rest[:length].decode("utf-8", "surrogatepass").split("\0")
    times, sizes = array("q"), array("q")
    times.frombytes(rest[length : length + 8 * count])
    sizes.frombytes(rest[length + 8 * count :])
    prefix = folder + "/" if folder else ""
    for name, time, size in zip(names, times, sizes, strict=True):
        yield prefix + name, (time, size)


def times_in(
    part_of: Callable[[str], bytes | None], paths: Iterable[str]
) -> dict[str, int]:
    """The times of those of these paths that the parts of their folders list."""
    wanted: dict[str, set[str]] = {}
    for path in paths:
        wanted.setdefault(path.rpartition("/")[0], set()).add(path)
    return {
        path: stat[0]
        for folder, here in wanted.items()
        for path, stat in stats_of(part_of(folder))
        if path in here
    }
