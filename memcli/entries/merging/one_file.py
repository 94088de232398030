"""The merge of one path, as git asks for it, which does not know the rest of the vault.

Invariant: pure, symmetric, and no text is lost, as in `trees`. Where the sides have
different versions of one entry at the path, the newest stands there and the others are
files besides, under names that no other file of either side has.
"""

from __future__ import annotations

from memcli.entries import codec, layout
from memcli.entries.entry import KINDS, Entry, Status
from memcli.entries.merging import entry_file, other_files
from memcli.entries.merging.entry_file import Kept, MergedFile, Version
from memcli.entries.merging.plans import Blob, Side
from memcli.entries.merging.trees import plan_merge

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection


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
    if not (layout.is_entry(path) or layout.registered_type(path)):
        return other_files.merge(path, base, ours, theirs)
    read = [entry_file.understood(side.data, path, kinds) for side in (ours, theirs)]
    entries = [decoded.entry for decoded in read if decoded is not None]
    same = len({entry.id for entry in entries}) < 2
    if same or layout.registered_type(path):
        return entry_file.merge(path, base, ours, theirs, kinds=kinds)
    return _versions(path, base, (ours, theirs), (entries[0], entries[1]), kinds)


def _versions(
    path: str,
    base: bytes | None,
    sides: tuple[Version, Version],
    entries: tuple[Entry, Entry],
    kinds: Collection[str],
) -> MergedFile:
    """Two versions of one entry, or two entries of one name.

    git shows one path. The version that a side replaced is in its archive, at a path
    of its own, so it is put there for the plan, and is no result of it.
    """
    read = entry_file.understood(base, path, kinds) if base is not None else None
    before = read.entry if read else None
    place = layout.archived(path, before.id) if before else ""
    blobs: dict[Blob, bytes] = {}
    trees: list[dict[str, Blob]] = []
    kept: list[Kept] = []
    for side, entry in zip(sides, entries, strict=True):
        files = {path: side.data}
        if before is not None and base is not None and entry.id != before.id:
            replaced = before.replace(
                path=place, status=Status.SUPERSEDED, superseded_by=entry.id
            )
            files[place] = codec.rewrite(base, replaced, kinds=kinds)
        elif before is not None:
            kept += _changed_in_place(path, side, before, entry, entries, kinds)
        trees.append(_tree(files, blobs))
    start = _tree({path: base} if base is not None else {}, blobs)
    plan = plan_merge(
        start,
        Side(sides[0].name, trees[0]),
        Side(sides[1].name, trees[1]),
        lambda wanted: [blobs[blob] for blob in wanted],
        kinds=kinds,
    )
    after = {name: blobs[blob] for name, blob in trees[0].items()}
    after |= {
        name: blobs[data] if isinstance(data, Blob) else data
        for name, data in plan.put.items()
    }
    kept += [
        Kept(name, data)
        for name, data in after.items()
        if name not in (path, place) and name not in plan.gone
    ]
    notes = tuple(dict.fromkeys(note.what for note in plan.notes))
    return MergedFile(after[path], tuple(sorted(kept)), notes, eyes=bool(notes))


def _changed_in_place(
    path: str,
    side: Version,
    before: Entry,
    entry: Entry,
    entries: tuple[Entry, Entry],
    kinds: Collection[str],
) -> list[Kept]:
    """The entry that one side changed and the other replaced, where that matters."""
    resolved = entry.status is Status.RESOLVED and before.status is not Status.RESOLVED
    if entry.body == before.body and not resolved:
        return []
    (successor,) = [each for each in entries if each.id != entry.id]
    return [
        entry_file.archived_text(
            path, side, entry, successor.id, successor, kinds=kinds
        )
    ]


def _tree(files: dict[str, bytes], blobs: dict[Blob, bytes]) -> dict[str, Blob]:
    """Files as a tree; the same bytes are the same blob."""
    numbers = {data: blob for blob, data in blobs.items()}
    tree: dict[str, Blob] = {}
    for path, data in files.items():
        blob = numbers.setdefault(data, Blob("100644", f"{len(numbers):040x}"))
        blobs[blob] = data
        tree[path] = blob
    return tree
