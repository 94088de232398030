"""The trees that a merge starts from, its plan, and which files are the same.

Invariant: pure. A tree maps vault-relative paths to blobs, as git names them; bytes are
read through the caller, and of what changed alone. An entry that carries its id is
known by it, an entity of the registry by its id, or where it is new by its name, and
every other file by its path. No file takes the place of another one (`Places`), also
not on disks that do not tell `Note.md` from `note.md`.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from memcli.entries import codec, layout
from memcli.entries.frontmatter import values_of
from memcli.entries.ids import adopted_id
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from memcli.entries.entry import Entry


REGULAR = ("100644", "100755")
"""The modes of files; what has another one is a link or a repository."""


class Blob(NamedTuple):
    """A file of a tree, as git names it: `mode` in octal digits, `oid` of its bytes."""

    mode: str
    oid: str


def _never(_: str) -> int:
    return 0


class Side(NamedTuple):
    """One of the two clones.

    Attributes:
        name: for people, such as the machine's.
        files: all its files, by vault-relative path.
        changed: gives for a path the epoch seconds of the commit that changed it last;
            it is asked only where both sides changed the same file.
    """

    name: str
    files: Mapping[str, Blob]
    changed: Callable[[str], int] = _never


class MergeNote(NamedTuple):
    """The decision on one file, in a part of a sentence.

    `eyes` says whether a person should look; `kept` is the path of the text that gave
    way, if there is one; `id` is empty for a file that is no entry.
    """

    path: str
    id: str
    title: str
    what: str
    eyes: bool
    kept: str = ""


class MergePlan(NamedTuple):
    """The changes that a merge makes to our side.

    Attributes:
        put: what these paths hold afterwards: a blob of one of the trees, or new bytes
            (mode 100644).
        gone: paths of ours that hold nothing afterwards.
        notes: what was decided, by path.
        merged: how many files both sides had changed.
    """

    put: dict[str, Blob | bytes]
    gone: list[str]
    notes: list[MergeNote]
    merged: int


Read = Callable[[Sequence[Blob]], Sequence[bytes]]


class File(NamedTuple):
    """A file of one tree; `own` says whether memcli's id stands in it."""

    path: str
    blob: Blob
    data: bytes
    entry: Entry | None
    own: bool = False


def load(
    trees: Sequence[Mapping[str, Blob]],
    changed: Sequence[str],
    read: Read,
    kinds: Collection[str],
) -> tuple[dict[str, File], ...]:
    """Read the changed files of the trees, the base first, each under its key.

    Args:
        trees: the base and the two sides.
        changed: the paths to look at.
        read: gives the bytes of blobs; asked once.
        kinds: the kinds of the vault.
    """
    wanted = {
        tree[path]: None
        for tree in trees
        for path in changed
        if path in tree and tree[path].mode in REGULAR
    }
    blobs = [*wanted]
    texts = dict(zip(blobs, read(blobs), strict=True))
    files = [
        [
            file_of(path, tree[path], texts.get(tree[path]), kinds)
            for path in changed
            if path in tree
        ]
        for tree in trees
    ]
    keys = [_keys(files[0], group) for group in files]
    twice = {
        name for names in keys for name, count in Counter(names).items() if count > 1
    }

    def key(file: File, name: str) -> str:
        # The same new name of the registry on both sides is one entity.
        entity = name not in keys[0] and layout.registered_type(file.path)
        return f"/{file.path}" if entity or name in twice else name

    return tuple(
        {key(file, name): file for file, name in zip(group, names, strict=True)}
        for group, names in zip(files, keys, strict=True)
    )


def file_of(path: str, blob: Blob, data: bytes | None, kinds: Collection[str]) -> File:
    """A file as it is known; without bytes (a link) it is no entry."""
    if data is None or not (layout.is_entry(path) or layout.registered_type(path)):
        return File(path, blob, data or b"", None)
    try:
        decoded = codec.decode(data, path, kinds=kinds)
    except MemcliError:
        return File(path, blob, data, None)
    return File(path, blob, data, decoded.entry, decoded.own)


def _keys(base: Sequence[File], side: Sequence[File]) -> list[str]:
    """The keys that tell which files of two trees are one, for each file of a side.

    An entry with an id of its own is known by it, every other file by its path: by
    that in the base, if it was moved without a change.
    """
    moved = _renamed(base, side)
    before = {file.path: file.entry.id for file in base if file.entry}
    elsewhere = {file.entry.id for file in side if file.entry and file.own}
    keys: list[str] = []
    for file in side:
        place = moved.get(file.path, file.path)
        there = before.get(place, "")
        if file.entry is not None and file.own:
            keys.append(file.entry.id)
        elif there and there not in elsewhere:
            keys.append(there)  # its frontmatter is broken, or gone
        elif file.entry is not None:
            keys.append(adopted_id(place))
        else:
            keys.append(f"/{place}")
    return keys


def _renamed(base: Sequence[File], side: Sequence[File]) -> dict[str, str]:
    """New path -> path in the base, for files that moved without a change."""
    before = {file.path for file in base}
    there = {file.path for file in side}
    gone: dict[Blob, list[str]] = {}
    for file in base:
        if file.path not in there and file.data:
            gone.setdefault(file.blob, []).append(file.path)
    places: dict[str, str] = {}
    for file in side:
        if file.path in before or len(gone.get(file.blob, ())) != 1:
            continue
        if layout.is_entry(file.path) == layout.is_entry(gone[file.blob][0]):
            places[file.path] = gone.pop(file.blob)[0]
    return places


def same_entry(one: File, two: File) -> bool:
    """Whether two new files of one key are one entry, and not two of one name."""
    if layout.registered_type(one.path) and layout.registered_type(two.path):
        names = [
            {" ".join(name.casefold().split()) for name in _names(file)}
            for file in (one, two)
        ]
        return bool(names[0] & names[1])
    entries = layout.is_entry(one.path) or layout.is_entry(two.path)
    return (one.own and two.own) or not entries


def _names(file: File) -> list[str]:
    """The names of a registered entity."""
    stem = file.path.rpartition("/")[2].removesuffix(".md")
    if file.entry is None:
        return [stem]
    aliases = values_of(dict(file.entry.extra).get("aliases", ""))
    return [file.entry.title or stem, *aliases]


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
