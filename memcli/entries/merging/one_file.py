"""The merge of one path, as git asks for it, which does not know the rest of the vault.

Invariant: pure, symmetric, and no text is lost, as in `trees`. Where the sides have
different entries at the path, be they versions of one, the newest stands there and the
other is a file besides: `memcli doctor --fix` makes one chain of such versions.

In a file in which git has left the marks of a merge, what stands between the marks
belongs to the sides that they name, and every other line to both. A file whose marks do
not close, or stand inside of each other, has no sides.
"""

from __future__ import annotations

from memcli.entries import layout
from memcli.entries.entry import KINDS, Entry, Status
from memcli.entries.merging import fields, files
from memcli.entries.merging.files import Kept, MergedFile, Version
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection

_LONGEST_NAME = 60


def merge_path(
    path: str,
    base: bytes | None,
    ours: Version,
    theirs: Version,
    *,
    kinds: Collection[str] = KINDS,
) -> MergedFile:
    """Merge what three commits have at one path.

    Args:
        path: vault-relative.
        base: what both sides started from; None for no file.
        ours: one side.
        theirs: the other side.
        kinds: the kinds of the vault.
    """
    sides = files.in_order(path, ours, theirs, kinds)
    read = [files.understood(side.data, path, kinds) for side in sides]
    older, newer = (decoded and decoded.entry for decoded in read)
    if not (older and newer and layout.is_entry(path)) or older.id == newer.id:
        return files.merge_file(path, base, ours, theirs, kinds=kinds)
    start = files.understood(base, path, kinds) if base is not None else None
    before = start.entry if start else Entry("")
    for entry, side, other, after in (
        (older, sides[0], newer, sides[1]),
        (newer, sides[1], older, sides[0]),
    ):
        if entry.id == before.id:  # the other side evolved it
            resolved = Status.RESOLVED is entry.status is not before.status
            if entry.body == before.body and not resolved:
                return MergedFile(after.data)
            text = files.archived_text(path, side, entry, other, other.id)
            note = f"one side evolved it: the version of {side.name} is in the archive"
            return MergedFile(after.data, (text,), (note,), eyes=True)
    kept = Kept(f"{path.removesuffix('.md')}-2.md", sides[0].data)
    note = "both sides made a file of this name: both are kept"
    return MergedFile(sides[1].data, (kept,), (note,), eyes=True)


# --- the marks of a merge -------------------------------------------------------------


class Sides(NamedTuple):
    """Both files, named as git named them, and their base if the marks tell it."""

    ours: Version
    theirs: Version
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
    return Sides(
        Version(ours, _name(names[0], "ours")),
        Version(theirs, _name(names[1], "theirs")),
        base if told else None,
    )


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
    read = {
        side: files.understood(side.data, path, kinds)
        for side in (found.ours, found.theirs)
    }
    entries = {side: decoded.entry for side, decoded in read.items() if decoded}
    if len(entries) < len(read):
        return None
    older, newer = files.in_order(path, found.ours, found.theirs, kinds)
    merged = fields.merge(None, entries[older], entries[newer]).entry
    texts = [f"{side.name}:\n\n{entries[side].body.strip()}" for side in read]
    if entries[older].body == entries[newer].body:
        texts = [entries[newer].body.strip()]
    body = "\n\n".join(["(A merge left two versions of this.)", *texts])
    return merged.replace(body=f"{body}\n", path=path)


def merge_marked(
    data: bytes, path: str, kinds: Collection[str] = KINDS
) -> MergedFile | None:
    """Merge the two sides of a marked file; None for a file without the marks."""
    found = sides(data)
    if found is None:
        return None
    return merge_path(path, found.base, found.ours, found.theirs, kinds=kinds)
