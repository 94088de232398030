"""A three-way merge of the files of a vault that hold no entry.

Invariant: pure and symmetric. The ledger of ideas merges idea by idea, lists of names
line by line, other texts by lines. Where both sides changed the same lines, both stay:
in a text one below the other, in settings the one that gave way as a comment. What is
no text is kept beside the other.
"""

import re

from memcli.entries import layout
from memcli.entries.merging import lines
from memcli.entries.merging.entry_file import (
    Kept,
    MergedFile,
    Version,
    drawn_id,
    text_of_both,
)

_LISTS = frozenset({layout.IGNORED_NAMES, ".gitignore", ".gitattributes"})
_HEAD = re.compile(r"^(?=##? )", re.MULTILINE)
_SLUG = re.compile(r"\[\[(?:[^\[\]|]*/)?incubator/([^\[\]|]+)/_index")
_DECIDED = re.compile(r"^##[ \t]+~~|(?:→|->)[ \t]*promoted[ \t]", re.MULTILINE)
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
    if path in _LISTS:
        rows = (text.splitlines() for text in (start, one, two))
        return MergedFile(_lines("\n".join(_rows(*rows))))
    clean = text_of_both(base, older.data, newer.data)
    if path == layout.CONFIG:
        return _settings(clean, one, two, older.name)
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
    kept = (Kept(place, older.data, ""),)
    return MergedFile(newer.data, kept, (note,), eyes=True)


def _rows(base: list[str], older: list[str], newer: list[str]) -> list[str]:
    """A list of lines with what both sides added, and without what one removed."""
    removed = (set(base) - set(older)) | (set(base) - set(newer))
    rows = dict.fromkeys((*newer, *older))
    return [row for row in rows if row not in removed]


def _settings(clean: bytes | None, older: str, newer: str, name: str) -> MergedFile:
    """Settings merged by lines; else the newer ones, with the others as comments."""
    if clean is not None and _is_toml(clean):
        return MergedFile(clean)
    there = {line.strip() for line in newer.splitlines()}
    left = [
        line for line in older.splitlines()
        if line.strip() not in there and f"# {line}" not in there
    ]  # fmt: skip
    comments = "".join(f"# {line}\n" for line in left)
    if not _is_toml(newer.encode()) and _is_toml(older.encode()):
        return _settings(None, newer, older, name)
    head = f"# What {name} had besides:\n" if left else ""
    note = f"both sides changed the same settings: those of {name} became comments"
    data = _lines(newer) + (head + comments).encode()
    return MergedFile(data, (), (note,), eyes=True)


def _is_toml(data: bytes) -> bool:
    import tomllib

    try:
        tomllib.loads(data.decode())
    except (ValueError, RecursionError):
        return False
    return True


# --- the ledger of ideas --------------------------------------------------------------


def _ledger(base: str, older: str, newer: str, name: str) -> MergedFile:
    tables = [_sections(text) for text in (base, older, newer)]
    before, one, two = tables
    merged: list[str] = []
    notes: list[str] = []
    added = sorted((set(one) | set(two)) - set(before))
    for key in (*before, *added):
        text = _section(before.get(key), one.get(key), two.get(key))
        if text is None:
            continue
        both = [side.get(key) for side in (one, two)]
        if text not in both and any(both):
            notes.append(f"both sides changed the idea '{key[1][:60]}'")
        merged.append(text.rstrip("\r\n"))
    end = "\r\n" if "\r\n" in newer[:500] else "\n"
    text = (end + end).join(merged) + end
    shown = (f"{notes[0]}: look at it ({name} was first)",) if notes else ()
    return MergedFile(text.encode(), (), shown, eyes=bool(notes))


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
