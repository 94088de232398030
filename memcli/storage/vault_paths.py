"""Where the paths of a vault lie on disk, and that none leaves it.

Invariant: no path that `inside` returns leaves its root, by its names or by a link on
it, or enters git's own folder.
"""

from __future__ import annotations

import os

from memcli.errors import UnsafePath

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


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
            raise _unsafe(relative, "leads out of the vault", linked=True)
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
            hint="To see the links of a vault: memcli inspect lint",
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
