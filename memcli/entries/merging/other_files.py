"""A three-way merge of the files of a vault that hold no entry, and where files lie.

Invariant: pure and symmetric. The list of ignored names merges as a set, all else by
lines. Where both sides changed the same lines, both stay: in a text one below the
other, in settings those of the older side as comments. What is no text is kept beside
the other.
"""

from __future__ import annotations

import unicodedata

from memcli.entries import layout
from memcli.entries.merging import entry_file, fields
from memcli.entries.merging.entry_file import (
    Kept,
    MergedFile,
    Version,
    drawn_id,
    merge_texts,
    text_of_both,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any


def merge_file(
    path: str,
    base: bytes | None,
    ours: Version,
    theirs: Version,
    *,
    kinds: Collection[str],
) -> MergedFile:
    """Merge two versions of one file, whatever it holds."""
    if layout.is_entry(path) or layout.registered_type(path):
        return entry_file.merge(path, base, ours, theirs, kinds=kinds)
    return merge(path, base, ours, theirs)


def merge(path: str, base: bytes | None, ours: Version, theirs: Version) -> MergedFile:
    """Merge two versions of a file that is no entry."""
    if ours.data == theirs.data or theirs.data == base:
        return MergedFile(ours.data)
    if ours.data == base:
        return MergedFile(theirs.data)
    older, newer = sorted((ours, theirs), key=lambda side: (side.changed(), side.data))
    texts = [_text(data) for data in (base or b"", older.data, newer.data)]
    if None in texts:
        return _beside(path, older, newer)
    start, one, two = (text or "" for text in texts)
    if path == layout.IGNORED_NAMES:
        rows = fields.union(*(tuple(text.splitlines()) for text in (start, two, one)))
        return MergedFile(_lines("\n".join(rows)))
    if path == layout.CONFIG:
        return _settings(start, one, two, older.name)
    clean = text_of_both(base, older.data, newer.data)
    if clean is not None:
        return MergedFile(clean)
    there = set(two.splitlines())
    more = [line for line in one.splitlines() if line not in there]
    note = f"both sides changed the same lines: those of {older.name} stand at the end"
    both = two if two.endswith("\n") or not two else two + "\n"
    return MergedFile(_lines(both + "\n".join(more)), (), (note,), eyes=True)


def _text(data: bytes) -> str | None:
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None


def _lines(text: str) -> bytes:
    return (text if text.endswith("\n") or not text else text + "\n").encode()


def _beside(path: str, older: Version, newer: Version) -> MergedFile:
    """Keep the newer file, and the other one beside it under a name of its own."""
    folder, _, name = path.rpartition("/")
    stem, dot, ending = name.partition(".")
    mark = drawn_id(0, older.data.decode("utf-8", "surrogateescape"))[-7:]
    place = f"{folder}/{stem}-{mark}{dot}{ending}".removeprefix("/")
    note = f"both sides changed it: the file of {older.name} is kept as {place}"
    kept = (Kept(place, older.data),)
    return MergedFile(newer.data, kept, (note,), eyes=True)


def _settings(base: str, older: str, newer: str, name: str) -> MergedFile:
    """Settings merged by lines; else the newer ones, with the others as comments."""
    clean = _settings_of_both(base, older, newer)
    if clean is not None:
        return MergedFile(clean)
    if _table(newer) is None and _table(older) is not None:
        older, newer = newer, older
    there = {line.strip() for line in newer.splitlines()}
    left = [
        line for line in older.splitlines()
        if line.strip() not in there and f"# {line}" not in there
    ]  # fmt: skip
    comments = "".join(f"# {line}\n" for line in left)
    head = f"# What {name} had besides:\n" if left else ""
    note = f"both sides changed the same settings: those of {name} became comments"
    data = _lines(newer) + (head + comments).encode()
    return MergedFile(data, (), (note,), eyes=True)


def _settings_of_both(base: str, older: str, newer: str) -> bytes | None:
    """Settings merged by lines, where they say what both sides say, key by key.

    A line says something else below another `[section]`, and lines know nothing of
    sections: a key for one agent could become a key for the next one. So both orders of
    what the sides added at one place are tried, and a result is taken only when it
    parses to the merged settings.
    """
    start, one, two = (_table(text) for text in (base, older, newer))
    if start is None or one is None or two is None:
        return None
    wanted = {
        key: fields.settled(start.get(key), one.get(key), two.get(key))
        for key in {*one, *two}
    }
    if fields.BOTH in wanted.values():
        return None
    wanted = {key: value for key, value in wanted.items() if value is not None}
    for first, second in ((older, newer), (newer, older)):
        merged = merge_texts(base, first, second)
        if not merged.conflicts and _table(merged.text) == wanted:
            return merged.text.encode()
    return None


def _table(text: str) -> dict[tuple[str, ...], Any] | None:
    """Settings by their keys; None for what is no TOML, or nested too deep."""
    from memcli.entries import toml_text

    def flat(value: Any, *key: str) -> dict[tuple[str, ...], Any]:
        if not isinstance(value, dict) or not value:
            return {key: value}
        return {
            inner: leaf
            for name in value
            for inner, leaf in flat(value[name], *key, name).items()
        }

    try:
        return flat(toml_text.tables(text))
    except (ValueError, RecursionError):
        return None


# --- places ---------------------------------------------------------------------------


class Places:
    """The places of a vault that are taken."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()
        for path in taken:
            self._add(path)

    def take(self, path: str) -> str:
        """Take this place, or a numbered one beside it where it is not free."""
        free, number = path, 1
        while hindrance := self._hindrance(free):
            number += 1
            parts = path.split("/")
            name, dot, ending = parts[hindrance - 1], "", ""
            if hindrance == len(parts) and "." in name[1:]:
                name, dot, ending = name.rpartition(".")
            parts[hindrance - 1] = f"{name}-{number}{dot}{ending}"
            free = "/".join(parts)
        self._add(free)
        return free

    def _add(self, path: str) -> None:
        folder = _folded(path)
        self._files.add(folder)
        while folder not in self._folders and "/" in folder:
            folder = folder.rpartition("/")[0]
            self._folders.add(folder)

    def _hindrance(self, path: str) -> int:
        """How many parts of the path make a taken name; 0 when it is free."""
        parts = _folded(path).split("/")
        for count in range(1, len(parts) + 1):
            place = "/".join(parts[:count])
            if place in self._files or (count == len(parts) and place in self._folders):
                return count
        return 0


def _folded(path: str) -> str:
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
