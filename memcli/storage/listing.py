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
from memcli.storage.listed_files import head_and_names, numbers_as_bytes, part, stats_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from memcli.storage.statx import Statx

    _Same = Callable[[int, str, int, "Listing"], list[str] | None]

_WINDOWS = sys.platform == "win32"
# From an open folder the kernel finds each of its files by name, and need not walk
# the whole path: a sixth of the time of a listing.
_BY_HANDLE = os.scandir in os.supports_fd
# So many files are asked for by `statx`: to load ctypes takes 2 ms, and it spares .4 µs
# a file.
_WORTH_STATX = 20_000
_UTF_8 = sys.getfilesystemencoding() == "utf-8"


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
        shared: the files that have other names as well (hard links), where those were
            asked for.
    """

    folders: dict[str, bytes]
    symlinks: list[str]
    unreadable: list[str]
    entered: dict[str, int]
    shared: list[str] | None


class Earlier(NamedTuple):
    """What an earlier listing of the same vault found, by the rules of now.

    Attributes:
        stamps: every folder with its `stamp_of` from then; 0 where that does not tell
            of every later change.
        part: gives the files of a folder as `part` described them then.
        number: how many files these are; only speed depends on it.
    """

    stamps: Mapping[str, int]
    part: Callable[[str], bytes | None]
    number: int = 0


def scan(root: str, *, skip: Collection[str] = (), shared: bool = False) -> Listing:
    """List every `*.md` file below `root` with its time and size.

    Names that start with a dot are passed over, and so are folders
    of installed packages (`node_modules`).

    Args:
        root: the vault.
        skip: folders not to enter, as vault-relative POSIX paths.
        shared: whether `Listing.shared` is wanted.

    Raises:
        Unreadable: the root itself cannot be listed.
    """
    listing = Listing({}, [], [], {}, [] if shared else None)
    _scan_from([""], root, listing, skip=skip)
    return listing


def scan_again(root: str, earlier: Earlier) -> Listing:
    """As `scan`, but names are read only in folders whose time has changed, and below.

    Every file is asked for its size and time. The names in a folder are those of the
    earlier listing until a file is made, renamed or removed there; that needs a disk
    whose folders tell of it (`storage/watch.on_own_disk`). An eighth faster.

    Raises:
        Unreadable: the root itself cannot be listed.
    """
    below: dict[str, list[str]] = {}
    for folder in earlier.stamps:
        if folder:
            below.setdefault(folder.rpartition("/")[0], []).append(folder)
    anew: set[str] = set()
    statx = _statx() if earlier.number >= _WORTH_STATX else None

    def same(
        handle: int, folder: str, stamp: int, listing: Listing
    ) -> list[str] | None:
        # A folder that was moved here may have folders of the same tick of the clock as
        # the one that was here before: a clone or `cp` makes hundreds in one.
        moved = bool(folder) and folder.rpartition("/")[0] in anew
        found: bytes | None = None
        if stamp and not moved and earlier.stamps.get(folder) == stamp:
            known = earlier.part(folder)
            found = _asked_again(handle, known, statx) if known else b""
        if found is None:
            anew.add(folder)
            return None
        if found:
            listing.folders[folder] = found
        return below.get(folder, [])

    listing = Listing({}, [], [], {}, None)
    _scan_from([""], root, listing, same=same)
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
    _scan_from(changed, root, listing, known=known)
    return listing, sorted(gone)


def _scan_from(
    waiting: list[str],
    root: str,
    listing: Listing,
    *,
    skip: Collection[str] = (),
    known: Collection[str] = (),
    same: _Same | None = None,
) -> None:
    """Add these folders, and those below them that are not known, to a listing."""
    while waiting:
        folder = waiting.pop()
        try:
            stamp, below = _scan_folder(root, folder, listing, skip, same)
            listing.entered[folder] = stamp
            waiting += [name for name in below if name not in known]
        except FileNotFoundError as error:  # gone since its parent was listed
            if not folder:
                raise Unreadable(f"{root}: {reason_of(error)}") from error
        except OSError as error:
            if not folder:
                raise Unreadable(f"{root}: {reason_of(error)}") from error
            listing.unreadable.append(folder)
            above = folder.rpartition("/")[0]
            if above in listing.entered:
                listing.entered[above] = 0


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
    skip: Collection[str],
    same: _Same | None,
) -> tuple[int, list[str]]:
    """Add one folder's files to `listing`.

    Returns:
        As `Listing.entered` has it, and its sub-folders, which are to be entered.
    """
    path = os.path.join(root, folder) if folder else root
    if not _BY_HANDLE:
        stamp = stamp_of(os.stat(path))
        below, linked = _scan_opened(path, folder, listing, skip)
        return 0 if linked else stamp, below
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        stamp = stamp_of(os.fstat(handle))
        known = same(handle, folder, stamp, listing) if same else None
        if known is not None:
            return stamp, known
        below, linked = _scan_opened(handle, folder, listing, skip)
        return 0 if linked else stamp, below
    finally:
        os.close(handle)


def _statx() -> Statx | None:
    """What asks for many files faster than Python's `stat`; None where nothing does."""
    from memcli.storage.statx import Statx

    try:
        return Statx()
    except OSError:
        return None


def _asked_again(handle: int, known: bytes, statx: Statx | None) -> bytes | None:
    """The files that `part` described, as they are now.

    None when a name cannot be asked for, or is that of a file no more.

    Args:
        handle: of their folder, in which no file was made, renamed or removed.
        known: what `part` made of them.
        statx: asks first; what differs then is asked for again without it.
    """
    if not _UTF_8:
        return None
    head, text = head_and_names(known)
    try:
        # As bytes, which spares the system's own way of writing each name; but half a
        # surrogate pair stands for a byte that is no UTF-8.
        if b"\xed" in text:
            text.decode()
        names = text.split(b"\0")[1:]
        # No kind is asked for: to become a pipe, a file must be removed.
        if statx and statx.times_and_sizes(handle, names) == known[len(head) :]:
            return known
        found = [os.lstat(name, dir_fd=handle) for name in names]
    except (OSError, ValueError):
        return None
    if not all(map(stat.S_ISREG, {each.st_mode for each in found})):
        return None
    times = numbers_as_bytes([each.st_ctime_ns for each in found])
    sizes = numbers_as_bytes([each.st_size for each in found])
    now = b"".join((head, times, sizes))
    return known if now == known else now


def _scan_opened(
    opened: str | int, folder: str, listing: Listing, skip: Collection[str]
) -> tuple[list[str], bool]:
    """Add the files of an open folder (a path, or a handle) to `listing`.

    Returns:
        Its sub-folders, and whether there is a link in it.
    """
    with os.scandir(opened) as entries:
        notes = list(entries)
    others: list[os.DirEntry[str]] = []
    if not _are_notes([entry.name for entry in notes]):
        notes, others = _parted(notes)
    # Each step is done for all files before the next: a loop that takes all steps for
    # one file needs a tenth more time.
    found = _stats(notes)
    if found is None:
        others += [entry for entry in notes if not _is_file(entry)]
        notes = [entry for entry in notes if _is_file(entry)]
        found = [entry.stat(follow_symlinks=False) for entry in notes]
    prefix = folder + "/" if folder else ""
    if notes:
        names = [entry.name for entry in notes]
        times = (
            [status.st_mtime_ns for status in found]
            if _WINDOWS
            else [status.st_ctime_ns for status in found]
        )
        sizes = [status.st_size for status in found]
        listing.folders[folder] = part(folder, names, times, sizes)
        if listing.shared is not None:
            both = zip(names, found, strict=True)
            listing.shared.extend(
                prefix + name for name, status in both if status.st_nlink > 1
            )
    folders: list[str] = []
    linked = False
    for entry in others:
        name = entry.name
        if entry.is_symlink():
            linked = True
            if name[-3:] == ".md" or _is_folder(entry):
                listing.symlinks.append(prefix + name)
        elif entry.is_dir() and name not in FOREIGN and prefix + name not in skip:
            folders.append(prefix + name)
    return folders, linked


def _are_notes(names: list[str]) -> bool:
    """Whether all are names of markdown files, and none starts with a dot."""
    text = "\0".join(names)  # searched as one, since most folders hold notes alone
    if text[:1] == "." or "\0." in text:
        return False
    return text.count(".md\0") + text.endswith(".md") == len(names)


def _parted(
    entries: list[os.DirEntry[str]],
) -> tuple[list[os.DirEntry[str]], list[os.DirEntry[str]]]:
    """What is called as a markdown file is, and the rest without hidden names."""
    seen = [entry for entry in entries if entry.name[0] != "."]
    notes = [entry for entry in seen if entry.name[-3:] == ".md"]
    return notes, [entry for entry in seen if entry.name[-3:] != ".md"]


def _stats(entries: list[os.DirEntry[str]]) -> list[os.stat_result] | None:
    """What the system says of files; None unless each is there, and a regular file."""
    try:
        found = [entry.stat(follow_symlinks=False) for entry in entries]
    except FileNotFoundError:
        return None
    regular = map(stat.S_ISREG, {status.st_mode for status in found})
    return found if all(regular) else None


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether a regular file is there still; its `stat` is remembered from then on."""
    try:
        return stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _is_folder(link: os.DirEntry[str]) -> bool:
    """Whether a link leads to a folder; one that leads in a circle leads nowhere."""
    try:
        return link.is_dir()
    except OSError:
        return False
