"""The plan of a merge: what becomes of every file that two clones have changed.

Invariant: pure, and symmetric: with either side as "ours", the files afterwards are the
same, byte for byte. An entry is known by its id and not by its path, so a version that
moved to the archive, a file that was renamed and an entry that was approved meet what
the other side did to them. Nothing is lost: what gives way is in the archive or beside
what is current, and only what a person has forgotten is gone.
"""

from __future__ import annotations

from functools import partial

from memcli.entries import codec, layout
from memcli.entries.entry import KINDS, Entry, Status
from memcli.entries.merging import chains, entry_file, fields, other_files
from memcli.entries.merging.entry_file import Kept, MergedFile, Version
from memcli.entries.merging.matching import REGULAR, File, file_of, load, same_entry
from memcli.entries.merging.places import Places
from memcli.entries.merging.plans import Blob, MergeNote, MergePlan, Read, Side
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["Blob", "MergeNote", "MergePlan", "Side", "plan_merge"]

_NEW = "100644"


def plan_merge(
    base: Mapping[str, Blob],
    ours: Side,
    theirs: Side,
    read: Read,
    *,
    kinds: Collection[str] = KINDS,
) -> MergePlan:
    """Decide what becomes of a vault that two clones have changed.

    Args:
        base: the files of the commit that both started from; none where there is none.
        ours: one side.
        theirs: the other side.
        read: gives the bytes of blobs; asked once, and only for files that changed.
        kinds: the kinds of the vault.
    """
    trees = (base, ours.files, theirs.files)
    changed = sorted(
        path
        for path in {*base, *ours.files, *theirs.files}
        if not base.get(path) == ours.files.get(path) == theirs.files.get(path)
    )
    work = _Work(trees, ours, theirs, kinds, changed)
    if all(_is_clear(*(tree.get(path) for tree in trees)) for path in changed):
        work.take_clear()
    else:
        work.found = load(trees, changed, read, kinds)
        work.merge_each()
        work.join()
    return work.plan()


def _is_clear(base: Blob | None, ours: Blob | None, theirs: Blob | None) -> bool:
    """Whether one side alone changed a file, or both wrote the same.

    What both took away may lie elsewhere, in two places.
    """
    return (ours == theirs and ours is not None) or base in (ours, theirs)


class _Result(NamedTuple):
    """A file of the merged vault, before its place is settled.

    `rank` orders the claims to a place: what was there in the base comes first.
    """

    path: str
    data: Blob | bytes
    entry: Entry | None = None
    rank: int = 2


class _Work:
    """The state of one merge."""

    def __init__(
        self,
        trees: tuple[Mapping[str, Blob], ...],
        ours: Side,
        theirs: Side,
        kinds: Collection[str],
        changed: list[str],
    ) -> None:
        self.trees, self.sides, self.kinds = trees, (ours, theirs), kinds
        self.changed = changed
        self.results: dict[str, _Result] = {}
        self.kept: list[Kept] = []
        self.notes: list[tuple[str, MergeNote]] = []
        self.merged = 0
        self.found: tuple[dict[str, File], ...] = ({}, {}, {})

    def take_clear(self) -> None:
        """Take every file from the side that changed it; nothing needs to be read."""
        for path in self.changed:
            base, one, two = (tree.get(path) for tree in self.trees)
            blob = two if one == base else one
            if blob is not None:
                rank = 0 if base is not None else 2
                self.results[path] = _Result(path, blob, rank=rank)

    # --- each file by itself --------------------------------------------------------

    def merge_each(self) -> None:
        """Merge each entry and each other file, as if it were the only one."""
        base, ours, theirs = self.found
        for key in sorted({*base, *ours, *theirs}):
            self._merge_one(key, base.get(key), ours.get(key), theirs.get(key))

    def _merge_one(
        self, key: str, base: File | None, one: File | None, two: File | None
    ) -> None:
        held = [file and (file.path, file.blob) for file in (base, one, two)]
        rank = 0 if base else 1 if key.startswith("/") else 2
        if held[1] == held[2] or held[2] == held[0] or held[1] == held[0]:
            file = two if held[1] == held[0] else one
            if file is not None:
                self._result(key, file.path, file.blob, file.entry, base)
            return
        self.merged += 1
        if one is None or two is None:
            self._removed_and_changed(key, base, one or two)
            return
        if base is None and one.blob != two.blob and not same_entry(one, two):
            # Two new notes of one name: both stay.
            for file in (one, two):
                name = f"{key}#{file.path}#{file.blob.oid}"
                self.results[name] = _Result(file.path, file.blob, file.entry, rank)
            what = "both sides made a file of this name: both are kept"
            self._note(key, one, what, False)
            return
        path = self._path(base, one, two)
        if one.blob == two.blob:
            file = one if one.path == path else two  # a path decides what is an entry
            self._result(key, path, file.blob, file.entry, base)
            return
        if base and two.blob == base.blob:
            self._result(key, path, one.blob, one.entry, base)
            return
        if base and one.blob == base.blob:
            self._result(key, path, two.blob, two.entry, base)
            return
        if not all(f.blob.mode in REGULAR for f in (one, two)):
            winner = max((one, two), key=lambda f: (f.blob.mode in REGULAR, f.blob))
            other = two if winner is one else one
            self._result(key, path, winner.blob, winner.entry, base)
            self.results[f"{key}#"] = _Result(f"{other.path}.other", other.blob, rank=9)
            self._note(key, winner, "one side made a link of it: both are kept", True)
            return
        self._contents(key, path, base, one, two)

    def _contents(
        self, key: str, path: str, base: File | None, one: File, two: File
    ) -> None:
        versions = self._versions(one, two)
        data = base.data if base else None
        if layout.is_entry(path) or layout.registered_type(path):
            merged = entry_file.merge(path, data, *versions, kinds=self.kinds)
        else:
            merged = other_files.merge(path, data, *versions)
        file = file_of(path, one.blob, merged.data, self.kinds)
        self._result(key, path, merged.data, file.entry, base)
        self.kept += merged.kept
        self._notes_of(key, file, merged)

    def _versions(self, one: File, two: File) -> tuple[Version, Version]:
        ours, theirs = self.sides
        return (
            Version(one.data, ours.name, partial(ours.changed, one.path)),
            Version(two.data, theirs.name, partial(theirs.changed, two.path)),
        )

    def _notes_of(self, key: str, file: File, merged: MergedFile) -> None:
        if merged.notes:
            kept = merged.kept[0].path if merged.kept else ""
            what = "; ".join(merged.notes)
            self._note(key, file, what, merged.eyes, kept)

    def _result(
        self,
        key: str,
        path: str,
        data: Blob | bytes,
        entry: Entry | None,
        base: File | None,
    ) -> None:
        rank = 0 if base and base.path == path else 1 if key.startswith("/") else 2
        if entry is not None:
            entry = entry.replace(path=path)
        self.results[key] = _Result(path, data, entry, rank)

    def _removed_and_changed(
        self, key: str, base: File | None, file: File | None
    ) -> None:
        """One side removed what the other changed: what was forgotten stays so.

        A note that memcli did not write may have been moved by hand, so it is kept.
        """
        if file is None:
            return
        if file.own and base is not None and layout.is_entry(file.path):
            what = "one side forgot it, and the other changed it: it is forgotten"
            self._note(key, file, what, True)
            return
        self._result(key, file.path, file.blob, file.entry, base)
        what = "one side removed it, and the other changed it: it is kept"
        self._note(key, file, what, True)

    def _path(self, base: File | None, one: File, two: File) -> str:
        """Where a file lies that both sides have."""
        places = {one.path, two.path}
        if base is not None and len(places) == 2 and base.path in places:
            (place,) = places - {base.path}
            return place
        if len(places) == 1 or one.entry is None or two.entry is None:
            return min(places)
        versions = self._versions(one, two)
        older, newer = entry_file.in_order(min(places), *versions, self.kinds)
        entries = dict(zip(versions, (one.entry, two.entry), strict=True))
        before = base.entry if base else None
        status = fields.status(before, entries[older], entries[newer])["status"]
        both = (one.path, one.entry), (two.path, two.entry)
        wanted = [path for path, entry in both if entry.status is status]
        archived = [path for path in places if path.startswith(layout.ARCHIVE + "/")]
        if status in (Status.SUPERSEDED, Status.REJECTED) and archived:
            return min(archived)
        return min(wanted or places)

    def _note(
        self, key: str, file: File, what: str, eyes: bool, kept: str = ""
    ) -> None:
        entry = file.entry
        entry_id, title = (entry.id, entry.display_title) if entry else ("", "")
        note = MergeNote(file.path, entry_id, title, what, eyes, kept)
        self.notes.append((key, note))

    # --- lineages -------------------------------------------------------------------

    def join(self) -> None:
        """Make one chain of the versions of each entry; its head keeps the place."""
        merged = {
            key: result.entry
            for key, result in self.results.items()
            if result.entry is not None and key == result.entry.id
        }
        base, ours, theirs = (
            {
                key: file.entry
                for key, file in table.items()
                if file.entry is not None and key == file.entry.id
            }
            for table in self.found
        )
        names = (self.sides[0].name, self.sides[1].name)
        joined = chains.join(merged, chains.Sides(base, ours, theirs, names))
        for name, head in joined.heads.items():
            self._follow_the_move(name, head, base, (ours, theirs))
        for name, entry in joined.changed.items():
            self._rewritten(name, entry)
        for name in joined.heads:
            self._to_archive(name)
        for name, what in joined.notes.items():
            result = self.results[name]
            file = File(result.path, Blob(_NEW, ""), b"", result.entry)
            self._note(name, file, what, True)

    def _rewritten(self, name: str, entry: Entry) -> None:
        result = self.results[name]
        data = result.data
        if isinstance(data, Blob):
            files = [table[name] for table in self.found if name in table]
            data = next(file.data for file in files if file.blob == data)
        entry = entry.replace(path=result.path)
        try:
            data = codec.rewrite(data, entry, kinds=self.kinds)
        except MemcliError:
            return  # a field of it cannot be written; the lint names it
        self.results[name] = result._replace(data=data, entry=entry)

    def _follow_the_move(
        self,
        name: str,
        head: str,
        base: Mapping[str, Entry],
        sides: tuple[Mapping[str, Entry], ...],
    ) -> None:
        """Let the current version lie where the other side moved the one before."""
        if name not in base or head not in self.results:
            return
        place = base[name].path
        moved = [
            side[name].path
            for side in sides
            if name in side and not side[name].path.startswith(layout.ARCHIVE + "/")
        ]
        result = self.results[head]
        if result.path == place and moved and moved[0] != place:
            entry = result.entry.replace(path=moved[0]) if result.entry else None
            self.results[head] = result._replace(path=moved[0], entry=entry)

    def _to_archive(self, name: str) -> None:
        """Move a version that gave way out of the place of the current one."""
        result = self.results.get(name)
        if result is None or result.path.startswith(layout.ARCHIVE + "/"):
            return
        if result.entry is None or not result.entry.superseded_by:
            return
        place = layout.archived(result.path, name)
        entry = result.entry.replace(path=place)
        self.results[name] = result._replace(path=place, entry=entry, rank=2)

    # --- places ---------------------------------------------------------------------

    def plan(self) -> MergePlan:
        """Settle where everything lies, and say what differs from our side."""
        ours = self.sides[0].files
        changed = set(self.changed)
        places = Places(
            (path for path in ours if path not in changed),
            (self.sides[0].files, self.sides[1].files),
        )
        final: dict[str, Blob | bytes] = {}
        where: dict[str, str] = {}
        claims = sorted(self.results.items(), key=lambda item: (item[1].rank, item[0]))
        for key, result in claims:
            path = places.take(result.path)
            final[path], where[key] = result.data, path
            if path != result.path:
                self._moved_aside(key, result, path)
        for kept in sorted(set(self.kept)):
            # Its name is drawn from its text: what is there is the same text.
            there = kept.path in ours and kept.path not in changed
            if not there and _marked_id(kept.path) not in self.results:
                final[places.take(kept.path)] = kept.data
        put = {
            path: data for path, data in sorted(final.items()) if ours.get(path) != data
        }
        gone = sorted(path for path in changed if path in ours and path not in final)
        notes = sorted(
            note._replace(path=where.get(key, note.path)) for key, note in self.notes
        )
        return MergePlan(put, gone, notes, self.merged)

    def _moved_aside(self, key: str, result: _Result, path: str) -> None:
        file = File(path, Blob(_NEW, ""), b"", result.entry)
        what = f"its name was taken by another file: it moved from {result.path}"
        # A person looks at a file that has taken the name of a whole folder.
        eyes = path.rpartition("/")[0] != result.path.rpartition("/")[0]
        self._note(key, file, what, eyes)


def _marked_id(path: str) -> str:
    """The id in the name of an archived version."""
    return path.removesuffix(".md").rpartition(".")[2]
