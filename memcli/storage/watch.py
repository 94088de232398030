"""A vault's files, listed again only after something happened to them.

Invariant: `quiet` is True only when every change that was finished before it was asked
would have shown. Where that cannot be known there is no watch, and the files are listed
each time. docs/decisions/0018-folders-are-watched.md says what a watch cannot see;
`LONGEST` bounds for how long.

The kernel queues an event before the call that made the change returns, and `quiet`
looks at the queue itself. A library that collects events in a thread of its own answers
before it has them all.
"""

from __future__ import annotations

import os
import sys
import time

from memcli.storage.listing import Earlier, Listing, scan, scan_again

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from inotify_simple import INotify

LONGEST = 60.0
"""For so many seconds the files are not listed when nothing seems to happen."""

_FROM = 3
"""The listing of a process that is watched first: most processes make one or two."""

_MOST_FAILURES = 3
"""After so many attempts to watch in a row that failed there is no other."""

_MOST_FOLDERS = 10_000
"""So many folders are watched at most: editors need watches, too (often 65,536 in all).

A folder holds up to a hundred entries.
"""

_MANY = 10
"""From so many folders on it is worth to look where the vault lies.

Reading the table of mounts takes .2 ms, as long as the names of 500 files.
"""

# Disks of this machine's own. On others (NFS, SMB, FUSE, 9p, overlay) a change that was
# made elsewhere causes no event.
_OWN = frozenset(("btrfs", "ext2", "ext3", "ext4", "f2fs", "tmpfs", "xfs"))
_MOUNTS = "/proc/self/mountinfo"


class Unwatched(Exception):
    """The files cannot be watched; `args` says why."""


class WatchedFiles:
    """The files of one vault, for one caller at a time.

    Args:
        root: the vault's folder.
        clock: gives seconds that never go back.

    Attributes:
        scans: how often the files were listed.
        unwatched: why the last listing is not watched; empty when it is.
    """

    def __init__(self, root: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.scans = 0
        self.unwatched = "the process has only begun to ask"
        self._root = root
        self._clock = clock
        self._failures = 0
        self._folders: Collection[str] = [""]
        self._watch: _Watch | None = None
        self._listed = 0.0

    def scan(self, earlier: Earlier | None = None) -> Listing:
        """The vault's files, as `listing.scan`.

        Args:
            earlier: what an earlier listing found; folders that have not changed since
                are not read again then, where the disk tells of that.

        Raises:
            Unreadable: the root itself cannot be listed.
        """
        self.scans += 1
        self.close()
        listing = None
        if self.scans >= _FROM and self._failures < _MOST_FAILURES:
            listing = self._watched()
        many = earlier if earlier and len(earlier.stamps) >= _MANY else None
        if listing is None and many and on_own_disk(self._root):
            listing = scan_again(self._root, many)
        listing = listing or scan(self._root)
        self._folders = listing.entered
        return listing

    def _watched(self) -> Listing | None:
        """The files, which are watched from now on; None when they cannot be."""
        began = self._clock()
        try:
            self._watch, listing = _listed_under_watch(self._root, self._folders)
        except Unwatched as error:
            self._failures += 1
            self.unwatched = str(error)
            return None
        self._failures, self.unwatched, self._listed = 0, "", began
        return listing

    def quiet(self) -> bool:
        """Whether nothing happened to the files since the last `scan`."""
        return (
            self._watch is not None
            and self._clock() - self._listed < LONGEST
            and self._watch.quiet()
        )

    def close(self) -> None:
        """Stop watching, until the files are listed again."""
        if self._watch is not None:
            self._watch.close()
            self._watch = None


class _Watch:
    """The folders of a vault under watch; nothing is ever read of what happened.

    Args:
        root: the vault's folder.
        notes: tells that something happened. It does not close its descriptor.
        mounts: the descriptor of the table of what is mounted where.
    """

    def __init__(self, root: str, notes: INotify, mounts: int) -> None:
        from select import POLLIN, POLLPRI, poll

        self._root = root
        self._notes = notes
        # Not as files: the garbage collector may finish those before this object, and
        # warns that nobody closed them.
        self._open = [notes.fileno(), mounts]
        self._watched: set[str] = set()
        self._identity = _identity(root)
        self._poll = poll()
        self._poll.register(notes.fileno(), POLLIN)
        self._poll.register(mounts, POLLPRI)

    def cover(self, folders: Collection[str]) -> bool:
        """Watch these folders too; whether one of them was not watched before."""
        from inotify_simple import flags

        new = [folder for folder in folders if folder not in self._watched]
        if len(self._watched) + len(new) > _MOST_FOLDERS:
            raise Unwatched(f"it has more than {_MOST_FOLDERS:,} folders")
        wanted = (
            (flags.MODIFY | flags.ATTRIB | flags.CLOSE_WRITE | flags.CREATE)
            | (flags.DELETE | flags.MOVED_FROM | flags.MOVED_TO)
            | (flags.DELETE_SELF | flags.MOVE_SELF | flags.ONLYDIR)
        )
        for folder in new:
            link = flags.DONT_FOLLOW if folder else 0
            try:
                self._notes.add_watch(os.path.join(self._root, folder), wanted | link)
            except (FileNotFoundError, NotADirectoryError):
                continue  # gone: it will not be among those that are listed
            except OSError as error:
                raise Unwatched(f"{folder or '.'}: {error.strerror}") from error
            self._watched.add(folder)
        return bool(new)

    def quiet(self) -> bool:
        """Whether nothing has happened, and the vault is the folder that is watched."""
        # Of a root that lies elsewhere now, or another folder in its place, no watched
        # folder tells.
        return not self._poll.poll(0) and self.in_place()

    def in_place(self) -> bool:
        """Whether the vault's path still leads to the folder that is watched."""
        return self._identity is not None and _identity(self._root) == self._identity

    def close(self) -> None:
        """Stop watching."""
        while self._open:
            os.close(self._open.pop())

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        """Stop watching: a user has 128 of these in all."""
        # At the end of the process the modules may be gone before this object.
        while self._open:
            close(self._open.pop())


def _begun(root: str) -> _Watch:
    """A watch that watches no folder yet.

    Raises:
        Unwatched: the system, or where the vault lies, does not allow it.
    """
    if sys.platform != "linux":
        raise Unwatched("this system is not Linux")
    try:
        from inotify_simple import INotify
    except ImportError as error:
        raise Unwatched("inotify_simple is not installed") from error
    try:
        # Opened before it is read: a later change of it shows in a poll.
        mounts = os.open(_MOUNTS, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise Unwatched(f"{_MOUNTS}: {error.strerror}") from error
    try:
        with open(mounts, "rb", closefd=False) as table:
            _check_mounts(os.fsdecode(table.read()), os.path.realpath(root))
        return _Watch(root, INotify(closefd=False), mounts)
    except (OSError, TypeError) as error:  # an older version has another signature
        os.close(mounts)
        raise Unwatched(f"inotify: {error}") from error
    except BaseException:
        os.close(mounts)
        raise


def _listed_under_watch(root: str, folders: Collection[str]) -> tuple[_Watch, Listing]:
    """A watch, and the files as they were listed after it began.

    Args:
        root: the vault's folder.
        folders: those that were there when it was last listed.

    Raises:
        Unwatched: it cannot be watched, or folders came all the time.
        Unreadable: the root itself cannot be listed.
    """
    watch = _begun(root)
    try:
        watch.cover(folders)
        for _ in range(3):
            listing = scan(root, shared=True)
            # What was written in a folder before it was watched is listed once more.
            if watch.cover(listing.entered):
                continue
            if listing.shared:
                raise Unwatched(f"{listing.shared[0]} has several names (hard links)")
            if listing.unreadable:
                raise Unwatched(f"{listing.unreadable[0]} cannot be listed")
            if watch.in_place():
                return watch, listing
        raise Unwatched("the folders change all the time")
    except BaseException:
        watch.close()
        raise


def on_own_disk(root: str) -> bool:
    """Whether a vault lies on one disk of this machine's own.

    There a folder's time changes with each name that comes to it or goes. On a network
    folder that is the server's affair.
    """
    try:
        with open(_MOUNTS, "rb") as table:
            _check_mounts(os.fsdecode(table.read()), os.path.realpath(root))
    except (OSError, Unwatched):  # not Linux, or another disk
        return False
    return True


def _check_mounts(mounts: str, root: str) -> None:
    """Refuse a vault that is not on one disk of this machine's own.

    Args:
        mounts: the text of `/proc/self/mountinfo`.
        root: the vault's folder, without links in its path.

    Raises:
        Unwatched: it is not.
    """
    kind, longest = "", -1
    for line in mounts.splitlines():
        head, _, tail = line.partition(" - ")
        place = _unescaped(head.split(" ")[4])
        if place.startswith(root.rstrip("/") + "/"):
            raise Unwatched(f"{place} is mounted in it")
        inside = f"{root}/".startswith(place.rstrip("/") + "/")
        if inside and len(place) >= longest:  # a later mount hides an earlier one
            kind, longest = tail.split(" ")[0], len(place)
    if kind not in _OWN:
        raise Unwatched(f"it lies on {kind or 'an unknown file system'}")


def _unescaped(place: str) -> str:
    """A path of the mount table, which writes white space as octal numbers."""
    for sign in " \t\n\\":
        place = place.replace(f"\\{ord(sign):03o}", sign)
    return place


def _identity(root: str) -> tuple[int, int] | None:
    """What tells a folder from another one at the same path."""
    try:
        status = os.stat(root)
    except OSError:
        return None
    return status.st_dev, status.st_ino
