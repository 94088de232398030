"""Where the paths of a vault lie on disk, that none leaves it, and which are free.

Invariant: no path that `inside` returns leaves its root, by its names or by a link on
it, or enters git's own folder. The name of a new file tells an agent nothing of the
files that it may not see.
"""

from __future__ import annotations

import os

from memcli.entries import layout
from memcli.errors import UnsafePath

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def inside(root: str, relative: str) -> str:
    """Return the absolute path of a vault-relative POSIX path.

    The file need not exist. Empty and `.` components are dropped.

    Raises:
        UnsafePath: the path is absolute, names a drive, climbs with `..`, holds a
            NUL or a backslash, enters `.git`, or a symbolic link on it leads out.
    """
    return all_inside(root, (relative,))[relative]


def all_inside(root: str, relatives: Iterable[str]) -> dict[str, str]:
    """As `inside` for each of these paths, by the path.

    Each folder is followed once: of 10,000 new notes that is a tenth of an import.
    """
    top = os.path.abspath(root)
    real_top = os.path.realpath(root)
    folders: dict[str, str] = {}  # where each really lies
    places: dict[str, str] = {}
    for relative in relatives:
        parts = _parts(relative)
        path = os.path.join(top, *parts)
        folder = os.path.dirname(path)
        real = folders.get(folder)
        if real is None:
            real = folders[folder] = os.path.realpath(folder)
        # On Windows a name may be the short form of another one.
        if os.name == "nt" or os.path.islink(path):
            inner = _below(real_top, os.path.realpath(path))
        else:
            inner = _below(real_top, os.path.join(real, parts[-1]))
        if inner is None:
            raise _unsafe(relative, f"leads out of {root}", linked=True)
        if any(part.lower() == ".git" for part in inner.split(os.sep)):
            raise _unsafe(relative, "enters git's own folder", linked=True)
        places[relative] = path
    return places


def _parts(relative: str) -> list[str]:
    """The names on a vault-relative path; UnsafePath where the path itself is bad."""
    parts = [part for part in relative.split("/") if part not in ("", ".")]
    if "\0" in relative or "\\" in relative:
        raise _unsafe(relative, "holds a NUL or a backslash")
    if relative.startswith("/") or _names_drive(relative):
        raise _unsafe(relative, "is not relative to the vault")
    if not parts:
        raise _unsafe(relative, "names no file")
    if ".." in parts:
        raise _unsafe(relative, "climbs out with '..'")
    if any(part.lower() == ".git" for part in parts):
        raise _unsafe(relative, "enters git's own folder")
    return parts


def _unsafe(relative: str, reason: str, *, linked: bool = False) -> UnsafePath:
    if linked:
        return UnsafePath(
            f"{relative!r} {reason} through a symbolic link",
            hint="Put a file or folder in the place of the link. In a vault, see: "
            "memcli inspect lint",
        )
    return UnsafePath(f"{relative!r} {reason}")


def _names_drive(relative: str) -> bool:
    if os.name == "nt":  # a colon anywhere: also `note.md:stream`
        return ":" in relative
    # `Q: how to deploy.md` is a good file name on every other system.
    return relative[1:2] == ":" and relative[2:3] in ("", "/")


def _below(real_top: str, real: str) -> str | None:
    """Where a path lies below a folder, None when it leads out of it; both without
    links."""
    top = os.path.normcase(real_top).rstrip(os.sep) + os.sep
    real = os.path.normcase(real)
    return real.removeprefix(top) if real.startswith(top) else None


def parents(path: str) -> list[str]:
    """The folders above a path, without the vault's own."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: length + 1]) for length in range(len(parts))]


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


# --- names of new files ---------------------------------------------------------------


class FreePaths:
    """Paths for the new files of one change, each of which no file has yet.

    Args:
        root: the vault's folder.
        fresh_id: where an agent writes, gives ids. A number behind a name would tell it
            that there is a file which it may not see, so what it writes has a name of
            its own from the start.
    """

    def __init__(self, root: str, fresh_id: Callable[[], str] | None) -> None:
        self._root, self._fresh_id = root, fresh_id
        # The names that each folder has or was given, in lower case.
        self._folders: dict[str, set[str]] = {}

    def take(self, folder: str, name: str) -> str:
        """A path in this folder; collisions get a number, which the owner sees."""
        if self._fresh_id is not None:
            name = f"{name}-{self._fresh_id()[-6:]}"
        elif layout.is_month(folder):
            folder = self._with_room(folder)
        taken = self._names(folder)
        file = next(n for n in layout.numbered(name) if n.casefold() not in taken)
        taken.add(file.casefold())
        return f"{folder}/{file}"

    def _with_room(self, folder: str) -> str:
        """A month's folder; when that is full, the last of those beside it, or a new
        one.

        Beside it and not in it, so that a commit does not write the full list anew.
        """
        if self._has_room(folder):
            return folder
        year, _, month = folder.rpartition("/")
        beside = self._names(year)
        number = max((layout.part_of(month, name) for name in beside), default=0)
        number = max(number, 2)
        while not self._has_room(layout.month_part(folder, number)):
            number += 1
        beside.add(layout.month_part(month, number))
        return layout.month_part(folder, number)

    def _has_room(self, folder: str) -> bool:
        path = os.path.join(self._root, folder)
        if os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path)):
            return False
        return len(self._names(folder)) < layout.ROOMY

    def _names(self, folder: str) -> set[str]:
        """The names in a folder, and those that were given there."""
        if folder not in self._folders:
            try:
                names = os.listdir(inside(self._root, folder))
            except FileNotFoundError:
                names = []
            self._folders[folder] = {item.casefold() for item in names}
        return self._folders[folder]
