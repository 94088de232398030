"""A three-way merge of the files of a vault that hold no entry.

Invariant: pure and symmetric. The ledger of ideas merges idea by idea, the list of
ignored names as a set, other texts by lines. Where both sides changed the same lines,
both stay: in a text one below the other, in settings those of the older side as
comments. What is no text is kept beside the other.
"""

from __future__ import annotations

import re

from memcli.entries import layout
from memcli.entries.merging import fields, lines
from memcli.entries.merging.entry_file import (
    Kept,
    MergedFile,
    Version,
    drawn_id,
    text_of_both,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    _Table = dict[str, Any]

_HEAD = re.compile(r"^(?=##? )", re.MULTILINE)
_SLUG = re.compile(r"\[\[(?:[^\[\]|]*/)?incubator/([^\[\]|]+)/_index")
_DECIDED = re.compile(r"^##[ \t]+~~", re.MULTILINE)
_HEADING = re.compile(r"##?[ \t]+(?:~~)?(.*?)(?:~~.*)?$", re.MULTILINE)


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
    if path == layout.IDEA_LEDGER:
        return _ledger(start, one, two, older.name)
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
    parses to the merged tables.
    """
    tables = [_table(text) for text in (base, older, newer)]
    start, one, two = tables
    if start is None or one is None or two is None:
        return None
    try:
        wanted = _table_of_both(start, one, two)
        for first, second in ((older, newer), (newer, older)):
            merged = lines.merge(base, first, second)
            if not merged.conflicts and _table(merged.text) == wanted:
                return merged.text.encode()
    except (_Disagreement, RecursionError):  # tables can be nested by dots, too
        pass
    return None


class _Disagreement(Exception):
    """Both sides changed one setting, in different ways."""


def _table_of_both(base: _Table, older: _Table, newer: _Table) -> _Table:
    """The settings that both sides made of a table.

    Raises:
        _Disagreement: both changed one of them.
    """
    merged: _Table = {}
    for key in {*older, *newer}:
        before, one, two = (side.get(key) for side in (base, older, newer))
        if isinstance(one, dict) and isinstance(two, dict):
            start = before if isinstance(before, dict) else {}
            merged[key] = _table_of_both(start, one, two)
            continue
        if before not in (one, two) and one != two:
            raise _Disagreement
        value = two if one == before else one
        if value is not None:
            merged[key] = value
    return merged


def _table(text: str) -> _Table | None:
    """Settings as a table; None for what is no TOML, or nested too deep."""
    from memcli.entries import toml_text

    try:
        return toml_text.tables(text)
    except (ValueError, RecursionError):
        return None


# --- the ledger of ideas --------------------------------------------------------------


def _ledger(base: str, older: str, newer: str, name: str) -> MergedFile:
    before, one, two = (_sections(text) for text in (base, older, newer))
    merged: list[str] = []
    changed: list[str] = []
    for key in (*before, *sorted((one.keys() | two.keys()) - before.keys())):
        both = (one.get(key), two.get(key))
        text = _section(before.get(key), *both)
        if text is None:
            continue
        if text not in both and any(both):
            changed.append(key[1][:60])
        merged.append(text.rstrip("\r\n"))
    end = "\r\n" if "\r\n" in newer[:500] else "\n"
    data = ((end + end).join(merged) + end).encode()
    if not changed:
        return MergedFile(data)
    note = f"both sides changed the idea '{changed[0]}': look at it ({name} was first)"
    return MergedFile(data, (), (note,), eyes=True)


def _sections(text: str) -> dict[tuple[int, str, int], str]:
    """The parts of a ledger by what they are about, in their order.

    The first is what stands before every heading. Headings that repeat are counted.
    """
    sections: dict[tuple[int, str, int], str] = {}
    for part in _HEAD.split(text):
        if not part.strip():
            continue
        slug = _SLUG.search(part)
        heading = _HEADING.match(part)
        word = slug[1] if slug else " ".join(heading[1].split()) if heading else ""
        # A title of the whole, and text before it, come first.
        rank = 0 if not part.startswith("## ") else 1
        number = 0
        while (rank, word, number) in sections:
            number += 1
        sections[rank, word, number] = part
    return sections


def _section(base: str | None, older: str | None, newer: str | None) -> str | None:
    """One idea of a ledger; None when it was removed."""
    bare = [text.rstrip() if text else text for text in (base, older, newer)]
    if bare[1] == bare[2] or bare[1] == bare[0]:
        return newer
    if bare[2] == bare[0]:
        return older
    if older is None or newer is None:
        return newer or older
    decided = [bool(_DECIDED.search(text)) for text in (older, newer)]
    if decided[0] and not decided[1]:
        older, newer = newer, older
    merged = lines.merge(bare[0], older.rstrip(), newer.rstrip())
    there = set(merged.text.splitlines())
    more = [
        line for line in older.splitlines()
        if line.strip() and line not in there and not line.startswith("#")
    ]  # fmt: skip
    return "\n".join([merged.text, *more]) if merged.conflicts else merged.text
