"""The markdown files below a folder, with what tells that one has changed.

Invariant: no symbolic link is followed, no name that starts with a dot is listed, and
no folder is entered that a package manager fills.
"""

from __future__ import annotations

import os
import stat
import sys
from array import array

from memcli.entries.layout import FOREIGN
from memcli.errors import Unreadable
from memcli.named_tuple import NamedTuple
from memcli.storage.files import reason_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Folders = Mapping[str, tuple[int, bytes]]
    """By folder `Listing.entered` and `Listing.folders` of an earlier listing."""

_WINDOWS = sys.platform == "win32"
# From an open folder the kernel finds each of its files by name, and need not walk
# the whole path: a sixth of the time of a listing.
_BY_HANDLE = os.scandir in os.supports_fd


class Listing(NamedTuple):
    """The markdown files of a vault.

    Attributes:
        folders: for each folder that holds `*.md` files (vault-relative POSIX path,
            "" is the root) their names, times and sizes, as `part` makes bytes of
            them: most folders are only compared with what they were.
        symlinks: paths of symbolic links to folders and `*.md` files. None is
            followed: a file of the vault is listed at its own place, and a file
            outside does not belong to the vault.
        unreadable: folders that the system refused to list.
        entered: every folder that was listed, also one without such files, with its
            `stamp_of` from before it was listed; 0 where that does not tell of every
            later change of its list: a link leads elsewhere, a folder cannot be listed.
    """

    folders: dict[str, bytes]
    symlinks: list[str]
    unreadable: list[str]
    entered: dict[str, int]


def scan(root: str, before: Folders | None = None, *, quick: bool = False) -> Listing:
    """List every `*.md` file below `root` with its time and size.

    Names that start with a dot are passed over, and so are folders
    of installed packages (`node_modules`).

    Args:
        root: the vault.
        before: an earlier listing. Names are read in those folders alone whose time has
            changed, and below: a third faster.
        quick: whether the files of the other folders are taken to be as they were: one
            that was written in place is not seen then. One that is made, removed,
            renamed or replaced changes the time of its folder.

    Raises:
        Unreadable: the root itself cannot be listed.
    """
    listing = Listing({}, [], [], {})
    before = before or {}
    inside: dict[str, list[str]] = {}
    for name in filter(None, before):
        inside.setdefault(name.rpartition("/")[0], []).append(name)
    # Folders of which the list is as it was; and those that were not moved here.
    same, known = set[str](), set[str]()
    trusted = known if quick else same
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        above = folder.rpartition("/")[0]
        # One that was moved here may be of the same tick of the clock as the one that
        # was here before, and so may those below it. Most disks give it another time,
        # which is enough for a quick look.
        was = before.get(folder) if not folder or above in trusted else None
        try:
            stamp, below = _scan_folder(root, folder, listing, was, quick=quick)
            if below is None:
                same.add(folder)
                below = inside.get(folder, [])
            if not same.isdisjoint((folder, above)):
                known.add(folder)
            listing.entered[folder] = stamp
            waiting += below
        except OSError as error:
            if not folder:
                raise Unreadable(f"{root}: {reason_of(error)}") from error
            if isinstance(error, FileNotFoundError):
                continue  # gone since its parent was listed
            listing.unreadable.append(folder)
            if above in listing.entered:
                listing.entered[above] = 0
    return listing


def paths_of(listing: Listing) -> list[str]:
    """The vault-relative paths of a listing's files, in no particular order."""
    return [path for each in listing.folders.values() for path, _ in stats_of(each)]


def stamp_of(status: os.stat_result) -> int:
    """When a file last changed, in ns; no program can set this time back.

    The time of the inode: `cp -p`, `tar` and two swapped names leave mtime and size as
    they were. Windows keeps the time of creation there, so it is mtime's.
    """
    return status.st_mtime_ns if _WINDOWS else status.st_ctime_ns


def _scan_folder(
    root: str,
    folder: str,
    listing: Listing,
    was: tuple[int, bytes] | None,
    *,
    quick: bool,
) -> tuple[int, list[str] | None]:
    """Add one folder's files to `listing`.

    Returns:
        As `Listing.entered` has it, and its sub-folders, which are to be entered; None
        where its names are those that it had before.
    """
    path = os.path.join(root, folder) if folder else root
    if not _BY_HANDLE:
        stamp = stamp_of(os.stat(path))
        below, linked = _scan_opened(path, folder, listing)
        return 0 if linked else stamp, below
    if quick and was and was[0] == stamp_of(os.stat(path)):
        if was[1]:
            listing.folders[folder] = was[1]
        return was[0], None
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        status = os.fstat(handle)
        stamp = stamp_of(status)
        if was and was[0] == stamp:
            # A folder's time tells of each new name, on disks of this machine's own:
            # those of others, and of programs, have no major number.
            found = _asked_again(handle, was[1]) if os.major(status.st_dev) else None
            if found is not None:
                _add(listing, folder, *found)
                return stamp, None
        below, linked = _scan_opened(handle, folder, listing)
        return 0 if linked else stamp, below
    finally:
        os.close(handle)


def _asked_again(
    handle: int, part: bytes
) -> tuple[list[str], list[os.stat_result]] | None:
    """The files of an open folder, which has the names that it had before.

    None where that turns out to be wrong.
    """
    try:
        names = _names_in(part)[0][1:] if part else []
        found = [os.lstat(name, dir_fd=handle) for name in names]
    except (OSError, ValueError):
        return None
    regular = map(stat.S_ISREG, {status.st_mode for status in found})
    return (names, found) if all(regular) else None


def _scan_opened(
    opened: str | int, folder: str, listing: Listing
) -> tuple[list[str], bool]:
    """Add the files of an open folder (a path, or a handle) to `listing`.

    Returns:
        Its sub-folders, and whether there is a link in it.
    """
    prefix = folder + "/" if folder else ""
    names: list[str] = []
    found: list[os.stat_result] = []
    folders: list[str] = []
    linked = False
    with os.scandir(opened) as entries:
        for entry in entries:
            name = entry.name
            if name[0] == ".":
                continue
            if entry.is_symlink():
                linked = True
                if name[-3:] == ".md" or _is_folder(entry):
                    listing.symlinks.append(prefix + name)
            elif entry.is_dir():
                if name not in FOREIGN:
                    folders.append(prefix + name)
            elif name[-3:] == ".md" and entry.is_file():
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if stat.S_ISREG(status.st_mode):
                    names.append(name)
                    found.append(status)
    _add(listing, folder, names, found)
    return folders, linked


def _add(
    listing: Listing, folder: str, names: list[str], found: list[os.stat_result]
) -> None:
    """Add the files of a folder to a listing."""
    if names:
        # As `stamp_of`, without a call for each file.
        times = [s.st_mtime_ns if _WINDOWS else s.st_ctime_ns for s in found]
        sizes = [s.st_size for s in found]
        listing.folders[folder] = part(folder, names, times, sizes)


def _is_folder(link: os.DirEntry[str]) -> bool:
    """Whether a link leads to a folder; one that leads in a circle leads nowhere."""
    try:
        return link.is_dir()
    except OSError:
        return False


# --- the bytes of a folder's files -----------------------------------------------


def part(
    folder: str, names: Sequence[str], times: Iterable[int], sizes: Iterable[int]
) -> bytes:
    """The files of one folder as bytes; the same files give the same bytes.

    They are a line with the size of the names and the number of files; the folder and
    the names, separated by zeros; their times, then their sizes (i64 each).

    Args:
        folder: its vault-relative POSIX path, "" for the root.
        names: of the files.
        times: `stamp_of` each of them.
        sizes: in bytes.
    """
    text = "\0".join((folder, *names)).encode("utf-8", "surrogatepass")
    start = b"%d %d\n" % (len(text), len(names))
    return b"".join(
        (start, text, *(array("q", each).tobytes() for each in (times, sizes)))
    )


def stats_of(part: bytes | None) -> Iterator[tuple[str, tuple[int, int]]]:
    """The paths of the files that `part` describes, each with time and size."""
    if part is None:
        return
    (folder, *names), data = _names_in(part)
    numbers = array("q", data)
    prefix = folder + "/" if folder else ""
    both = zip(numbers[: len(names)], numbers[len(names) :], strict=True)
    for name, found in zip(names, both, strict=True):
        yield prefix + name, found


def _names_in(part: bytes) -> tuple[list[str], bytes]:
    """The folder and the names of its files, and the bytes of their numbers."""
    start, _, rest = part.partition(b"\n")
    length = int(start.partition(b" ")[0])
    return rest[:length].decode("utf-8", "surrogatepass").split("\0"), rest[length:]


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
