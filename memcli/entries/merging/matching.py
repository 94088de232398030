"""Which files of three trees are the same one, at the same path or another.

Invariant: pure, and reads nothing but what changed. An entry that carries its id is
known by it, an entity of the registry by its id, or where it is new by its name, and
every other file by its path.
"""

from __future__ import annotations

from memcli.entries import codec, layout
from memcli.entries.frontmatter import values_of
from memcli.entries.ids import adopted_id
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memcli.entries.entry import Entry
    from memcli.entries.merging.plans import Blob, Read

REGULAR = ("100644", "100755")
"""The modes of files; what has another one is a link or a repository."""


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
    twice = set.union(*(_twice(names) for names in keys))
    tables: list[dict[str, File]] = []
    for group, names in zip(files, keys, strict=True):
        table: dict[str, File] = {}
        for file, name in zip(group, names, strict=True):
            new = name not in keys[0]
            # The same new name of the registry on both sides is one entity.
            by_path = name in twice or (new and layout.registered_type(file.path))
            table[f"/{file.path}" if by_path else name] = file
        tables.append(table)
    return tuple(tables)


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
    """What tells which files of two trees are the same one, for each file of a side.

    An entry with an id of its own is known by it, every other file by its path: by
    that in the base, if it was moved without a change.
    """
    moved = _renamed(base, side)
    before = {file.path: _id_of(file) for file in base}
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


def _id_of(file: File) -> str:
    return file.entry.id if file.entry else ""


def _twice(names: Sequence[str]) -> set[str]:
    """The ids that several files have."""
    seen: set[str] = set()
    return {name for name in names if name and (name in seen or seen.add(name))}  # type: ignore[func-returns-value]


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
