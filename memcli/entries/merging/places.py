"""Where each file of a merged vault lies.

Invariant: pure and symmetric. No file takes the place of another one, also not on disks
that do not tell `Note.md` from `note.md`, and none has a name that is a folder
elsewhere. What lay at its place in the base keeps it.
"""

from __future__ import annotations

import unicodedata

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


class Places:
    """The places that are taken.

    Args:
        taken: paths that no merge moves.
        together: groups of paths that lie beside each other on one side; two of them
            that differ in case alone are that side's business.
    """

    def __init__(
        self, taken: Iterable[str], together: Collection[Mapping[str, object]]
    ) -> None:
        self._paths: dict[str, set[str]] = {}
        self._folders: set[str] = set()
        self._together = together
        for path in taken:
            self._add(path)

    def take(self, path: str) -> str:
        """Take this place, or a numbered one beside it where it is not free."""
        free, number = path, 1
        while (hindrance := self._hindrance(free)) is not None:
            number += 1
            free = _numbered(path, hindrance, number)
        self._add(free)
        return free

    def _add(self, path: str) -> None:
        folded = _folded(path)
        self._paths.setdefault(folded, set()).add(path)
        while "/" in folded:
            folded = folded.rpartition("/")[0]
            if folded in self._folders:
                break
            self._folders.add(folded)

    def _hindrance(self, path: str) -> int | None:
        """How many parts of the path make a taken name; None when it is free."""
        folded = _folded(path)
        beside = all(
            other != path
            and any({other, path} <= side.keys() for side in self._together)
            for other in self._paths.get(folded, ())
        )
        parts = folded.split("/")
        if not beside or folded in self._folders:
            return len(parts)
        for count in range(1, len(parts)):
            if "/".join(parts[:count]) in self._paths:
                return count
        return None


def _folded(path: str) -> str:
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _numbered(path: str, count: int, number: int) -> str:
    """A path whose part of this place, counted from 1, bears a number."""
    parts = path.split("/")
    name = parts[count - 1]
    stem, dot, ending = name, "", ""
    if count == len(parts) and "." in name[1:]:
        stem, dot, ending = name.rpartition(".")
    parts[count - 1] = f"{stem}-{number}{dot}{ending}"
    return "/".join(parts)
