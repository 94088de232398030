"""A file in which git has left the marks of a merge: both sides, read again.

Invariant: pure. What stands between the marks belongs to the sides that they name, and
every other line to both. A file whose marks do not close, or stand inside of each
other, has no sides.
"""

from __future__ import annotations

from memcli.entries.entry import KINDS, Entry
from memcli.entries.merging import entry_file, fields, one_file
from memcli.entries.merging.entry_file import MergedFile, Version
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection

_LONGEST_NAME = 60


class Sides(NamedTuple):
    """Both files, how git named them, and their base if the marks tell it."""

    ours: bytes
    theirs: bytes
    names: tuple[str, str]
    base: bytes | None = None


def sides(data: bytes) -> Sides | None:
    """The two files that a merge put into one; None for a file without its marks."""
    if b"<<<<<<< " not in data or b"\n>>>>>>> " not in data:
        return None
    files: tuple[list[bytes], list[bytes], list[bytes]] = ([], [], [])
    names: list[bytes] = [b"", b""]
    place: int | None = None  # 0 ours, 1 base, 2 theirs; None outside of the marks
    told = False
    for line in data.splitlines(keepends=True):
        mark = line[:8].rstrip()
        if mark == b"<<<<<<<" and place is None:
            place, names[0] = 0, names[0] or line[8:].strip()
        elif mark == b"|||||||" and place == 0:
            place, told = 1, True
        elif line.rstrip(b"\r\n") == b"=======" and place in (0, 1):
            place = 2
        elif mark == b">>>>>>>" and place == 2:
            place, names[1] = None, names[1] or line[8:].strip()
        elif mark in (b"<<<<<<<", b">>>>>>>"):
            return None
        else:
            for number, file in enumerate(files):
                if place in (None, number):
                    file.append(line)
    if place is not None:
        return None
    ours, base, theirs = (b"".join(file) for file in files)
    if ours == theirs == data:
        return None
    one, two = (
        _name(name, word) for name, word in zip(names, ("ours", "theirs"), strict=True)
    )
    return Sides(ours, theirs, (one, two), base if told else None)


def _name(name: bytes, otherwise: str) -> str:
    text = " ".join(name.decode("utf-8", "replace").split())
    shown = "".join(letter for letter in text if letter.isprintable())
    return shown[:_LONGEST_NAME] or otherwise


def shown(data: bytes, path: str, kinds: Collection[str] = KINDS) -> Entry | None:
    """A marked file as one entry whose text names both sides; None for other files.

    It is shown to nobody who may not see one of the sides, and is resolved when one is.
    """
    found = sides(data)
    if found is None:
        return None
    versions = [
        Version(side, name)
        for side, name in zip((found.ours, found.theirs), found.names, strict=True)
    ]
    read = [entry_file.understood(each.data, path, kinds) for each in versions]
    if read[0] is None or read[1] is None:
        return None
    older, newer = entry_file.in_order(path, versions[0], versions[1], kinds)
    by_name = dict(zip(versions, (each.entry for each in read if each), strict=True))
    merged = fields.merge(None, by_name[older], by_name[newer]).entry
    texts = [
        f"{version.name}:\n\n{by_name[version].body.strip()}" for version in versions
    ]
    if by_name[older].body == by_name[newer].body:
        texts = [by_name[newer].body.strip()]
    body = "\n\n".join(["(A merge left two versions of this.)", *texts])
    return merged.replace(body=f"{body}\n", path=path)


def merge(data: bytes, path: str, kinds: Collection[str] = KINDS) -> MergedFile | None:
    """Merge the two sides of a marked file; None for a file without the marks."""
    found = sides(data)
    if found is None:
        return None
    ours, theirs = (
        Version(side, name)
        for side, name in zip((found.ours, found.theirs), found.names, strict=True)
    )
    return one_file.merge_path(path, found.base, ours, theirs, kinds=kinds)
