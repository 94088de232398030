"""The markdown files below a folder, with what tells that one has changed.

Invariant: no symbolic link is followed, no name that starts with a dot is listed, and
no folder is entered that a package manager fills.
"""

from __future__ import annotations

import os
import stat
import sys

from memcli.entries.layout import FOREIGN
from memcli.errors import Unreadable
from memcli.named_tuple import NamedTuple
from memcli.storage.files import reason_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

_WINDOWS = sys.platform == "win32"
# From an open folder the kernel finds each of its files by name, and need not walk
# the whole path: a sixth of the time of a listing.
_BY_HANDLE = os.scandir in os.supports_fd


class Listing(NamedTuple):
    """The markdown files of a vault.

    Attributes:
        folders: for each folder that holds `*.md` files (vault-relative POSIX path,
            "" is the root) a flat list: name, `stamp_of` it, size in bytes, name, ...
            Flat, because 10,000 tuples more cost 4 ms.
        symlinks: paths of symbolic links to folders and `*.md` files. None is
            followed: a file of the vault is listed at its own place, and a file
            outside does not belong to the vault.
        unreadable: folders that the system refused to list.
        entered: every folder that was listed, also one without such files, with its
            `stamp_of` from before it was listed.
        shared: the files that have other names as well (hard links), where those were
            asked for.
    """

    folders: dict[str, list[str | int]]
    symlinks: list[str]
    unreadable: list[str]
    entered: dict[str, int]
    shared: list[str] | None


def scan(root: str, *, skip: Collection[str] = (), shared: bool = False) -> Listing:
    """List every `*.md` file below `root` with its time and size.

    Names that start with a dot are passed over, whatever they are, and so are folders
    of installed packages (`node_modules`).

    Args:
        root: the vault.
        skip: folders not to enter, as vault-relative POSIX paths.
        shared: whether `Listing.shared` is wanted.

    Raises:
        Unreadable: the root itself cannot be listed.
    """
    listing = Listing({}, [], [], {}, [] if shared else None)
    _scan_from([""], root, listing, skip)
    return listing


def scan_changed(root: str, known: Mapping[str, int]) -> tuple[Listing, list[str]]:
    """List the folders alone that may have changed, with the new ones below them.

    A file that is made, removed, renamed or replaced changes the time of its folder;
    one that is written in place does not.

    Args:
        root: the vault.
        known: every folder of an earlier listing with its `stamp_of` from then; 0 where
            that does not tell of every later change.

    Returns:
        The listing, and the known folders that are gone.

    Raises:
        Unreadable: the root itself cannot be listed.
    """
    changed: list[str] = []
    gone: set[str] = set()
    for folder in sorted(known):  # those above come first
        parent = folder.rpartition("/")[0]
        if folder and (parent in gone or parent not in known):
            gone.add(folder)
            continue
        try:
            # The root may be a link; a link below it is not followed.
            status = (os.lstat if folder else os.stat)(os.path.join(root, folder))
        except OSError as error:
            if folder and isinstance(error, FileNotFoundError):
                gone.add(folder)
            else:
                changed.append(folder)  # listing it says what is wrong
            continue
        if folder and not stat.S_ISDIR(status.st_mode):
            gone.add(folder)
        elif not known[folder] or stamp_of(status) != known[folder]:
            changed.append(folder)
    listing = Listing({}, [], [], {}, None)
    _scan_from(changed, root, listing, (), known)
    return listing, sorted(gone)


def _scan_from(
    waiting: list[str],
    root: str,
    listing: Listing,
    skip: Collection[str],
    known: Collection[str] = (),
) -> None:
    """Add these folders, and those below them that are not known, to a listing."""
    while waiting:
        folder = waiting.pop()
        try:
            stamp, below = _scan_folder(root, folder, listing, skip)
            listing.entered[folder] = stamp
            waiting += [name for name in below if name not in known]
        except FileNotFoundError as error:  # gone since its parent was listed
            if not folder:
                raise Unreadable(f"{root}: {reason_of(error)}") from error
        except OSError as error:
            if not folder:
                raise Unreadable(f"{root}: {reason_of(error)}") from error
            listing.unreadable.append(folder)


def paths_of(listing: Listing) -> list[str]:
    """The vault-relative paths of a listing's files, in no particular order."""
    return [
        f"{folder}/{name}" if folder else str(name)
        for folder, flat in listing.folders.items()
        for name in flat[::3]
    ]


def stamp_of(status: os.stat_result) -> int:
    """When a file last changed, in ns; no program can set this time back.

    The time of the inode: `cp -p`, `tar` and two swapped names leave mtime and size as
    they were. Windows keeps the time of creation there, so it is mtime's.
    """
    return status.st_mtime_ns if _WINDOWS else status.st_ctime_ns


def _scan_folder(
    root: str, folder: str, listing: Listing, skip: Collection[str]
) -> tuple[int, list[str]]:
    """Add one folder's files to `listing`.

    Returns:
        Its time from before, and its sub-folders, which are to be entered.
    """
    path = os.path.join(root, folder) if folder else root
    if not _BY_HANDLE:
        stamp = stamp_of(os.stat(path))
        return stamp, _scan_opened(path, folder, listing, skip)
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        stamp = stamp_of(os.fstat(handle))
        return stamp, _scan_opened(handle, folder, listing, skip)
    finally:
        os.close(handle)


def _scan_opened(
    opened: str | int, folder: str, listing: Listing, skip: Collection[str]
) -> list[str]:
    """As `_scan_folder`, of a path or of the handle of an open folder."""
    files: list[str | int] = []
    folders: list[str] = []
    prefix = folder + "/" if folder else ""
    shared = listing.shared
    with os.scandir(opened) as entries:
        for entry in entries:
            name = entry.name
            if name[0] == ".":
                continue
            if name[-3:] == ".md":
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if stat.S_ISREG(status.st_mode):
                    # As `stamp_of`; a call for each of 10,000 files takes 1 ms.
                    stamp = status.st_mtime_ns if _WINDOWS else status.st_ctime_ns
                    files += (name, stamp, status.st_size)
                    if shared is not None and status.st_nlink > 1:
                        shared.append(prefix + name)
                    continue
            if entry.is_symlink():
                if name[-3:] == ".md" or _is_folder(entry):
                    listing.symlinks.append(prefix + name)
            elif entry.is_dir() and name not in FOREIGN and prefix + name not in skip:
                folders.append(prefix + name)
    if files:
        listing.folders[folder] = files
    return folders


def walk(root: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """As `os.walk`, from above, following no link; however deep the folders are.

    That of Python 3.11 calls itself for each level.
    """
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        folders: list[str] = []
        names: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    is_folder = entry.is_dir(follow_symlinks=False)
                    (folders if is_folder else names).append(entry.name)
        except OSError:
            continue
        yield folder, folders, names
        waiting += (os.path.join(folder, name) for name in reversed(folders))


def _is_folder(link: os.DirEntry[str]) -> bool:
    """Whether a link leads to a folder; one that leads in a circle leads nowhere."""
    try:
        return link.is_dir()
    except OSError:
        return False
