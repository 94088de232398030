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
from memcli.entries.merging.entry_file import Kept, Version
from memcli.entries.merging.plans import (
    REGULAR,
    Blob,
    File,
    MergeNote,
    MergePlan,
    Places,
    Read,
    Side,
    file_of,
    load,
    same_entry,
)
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["Blob", "MergeNote", "MergePlan", "Side", "plan_merge"]


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
    work = _Work((ours, theirs), kinds, changed)
    work.found = load(trees, changed, read, kinds)
    before, one, two = work.found
    for key in sorted({*before, *one, *two}):
        work.merge_one(key, before.get(key), one.get(key), two.get(key))
    work.join()
    return work.plan()


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
        sides: tuple[Side, Side],
        kinds: Collection[str],
        changed: list[str],
    ) -> None:
        self.sides, self.kinds = sides, kinds
        self.changed = changed
        self.results: dict[str, _Result] = {}
        self.kept: list[Kept] = []
        self.notes: list[tuple[str, MergeNote]] = []
        self.merged = 0
        self.found: tuple[dict[str, File], ...] = ({}, {}, {})

    # --- each file by itself --------------------------------------------------------

    def merge_one(
        self, key: str, base: File | None, one: File | None, two: File | None
    ) -> None:
        """Merge an entry or another file, as if it were the only one."""
        start, left, right = (
            file and (file.path, file.blob) for file in (base, one, two)
        )
        if left == right or start in (left, right):
            file = two if left == start else one
            if file is not None:
                self._result(key, file.path, file, base)
            return
        self.merged += 1
        if one is None or two is None:
            self._removed_and_changed(key, base, one or two)
            return
        if base is None and one.blob != two.blob and not same_entry(one, two):
            # Two new notes of one name: both stay.
            rank = 1 if key.startswith("/") else 2
            for file in (one, two):
                name = f"{key}#{file.path}#{file.blob.oid}"
                self.results[name] = _Result(file.path, file.blob, file.entry, rank)
            self._note(key, one, "both sides made a file of this name: both are kept")
            return
        path = self._path(base, one, two)
        if one.blob == two.blob:  # a path decides what is an entry
            self._result(key, path, one if one.path == path else two, base)
        elif base and base.blob in (one.blob, two.blob):
            self._result(key, path, one if two.blob == base.blob else two, base)
        elif not all(f.blob.mode in REGULAR for f in (one, two)):
            other, winner = sorted(
                (one, two), key=lambda f: (f.blob.mode in REGULAR, f.blob)
            )
            self._result(key, path, winner, base)
            self.results[f"{key}#"] = _Result(f"{other.path}.other", other.blob, rank=9)
            what = "one side made a link of it: both are kept"
            self._note(key, winner, what, eyes=True)
        else:
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
        self._result(key, path, file, base, merged.data)
        self.kept += merged.kept
        if merged.notes:
            kept = merged.kept[0].path if merged.kept else ""
            self._note(key, file, "; ".join(merged.notes), eyes=merged.eyes, kept=kept)

    def _versions(self, one: File, two: File) -> tuple[Version, Version]:
        ours, theirs = self.sides
        return (
            Version(one.data, ours.name, partial(ours.changed, one.path)),
            Version(two.data, theirs.name, partial(theirs.changed, two.path)),
        )

    def _result(
        self,
        key: str,
        path: str,
        file: File,
        base: File | None,
        data: bytes | None = None,
    ) -> None:
        rank = 0 if base and base.path == path else 1 if key.startswith("/") else 2
        entry = file.entry.replace(path=path) if file.entry else None
        content = file.blob if data is None else data
        self.results[key] = _Result(path, content, entry, rank)

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
        else:
            self._result(key, file.path, file, base)
            what = "one side removed it, and the other changed it: it is kept"
        self._note(key, file, what, eyes=True)

    def _path(self, base: File | None, one: File, two: File) -> str:
        """Where a file lies that both sides have."""
        places = {one.path, two.path}
        if base is not None and len(places) == 2 and base.path in places:
            return min(places - {base.path})
        if len(places) == 1 or one.entry is None or two.entry is None:
            return min(places)
        versions = self._versions(one, two)
        older, newer = entry_file.in_order(min(places), *versions, self.kinds)
        entries = dict(zip(versions, (one.entry, two.entry), strict=True))
        before = base.entry if base else None
        status = fields.status(before, entries[older], entries[newer])["status"]
        archived = [path for path in places if path.startswith(layout.ARCHIVE + "/")]
        if status in (Status.SUPERSEDED, Status.REJECTED) and archived:
            return min(archived)
        both = (one.path, one.entry), (two.path, two.entry)
        wanted = [path for path, entry in both if entry.status is status]
        return min(wanted or places)

    def _note(
        self,
        key: str,
        file: File | _Result,
        what: str,
        *,
        eyes: bool = False,
        kept: str = "",
    ) -> None:
        entry = file.entry
        entry_id, title = (entry.id, entry.display_title) if entry else ("", "")
        note = MergeNote(file.path, entry_id, title, what, eyes, kept)
        self.notes.append((key, note))

    # --- lineages -------------------------------------------------------------------

    def join(self) -> None:
        """Make one chain of the versions of each entry; its head keeps the place."""
        merged = _entries(self.results)
        base, ours, theirs = map(_entries, self.found)
        names = (self.sides[0].name, self.sides[1].name)
        joined = chains.join(merged, chains.Sides(base, ours, theirs, names))
        for name, head in joined.heads.items():
            if name in base and head in self.results:
                self._follow_the_move(name, head, base[name].path, (ours, theirs))
        for name, entry in joined.changed.items():
            self._rewritten(name, entry)
        for name in joined.heads:
            self._to_archive(name)
        for name, what in joined.notes.items():
            self._note(name, self.results[name], what, eyes=True)

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
        self, name: str, head: str, place: str, sides: tuple[Mapping[str, Entry], ...]
    ) -> None:
        """Let the current version lie where the other side moved the one before."""
        moved = [
            side[name].path
            for side in sides
            if name in side and not side[name].path.startswith(layout.ARCHIVE + "/")
        ]
        if self.results[head].path == place and moved and moved[0] != place:
            self._move(head, moved[0])

    def _to_archive(self, name: str) -> None:
        """Move a version that gave way out of the place of the current one."""
        result = self.results.get(name)
        if result is None or result.path.startswith(layout.ARCHIVE + "/"):
            return
        if result.entry is not None and result.entry.superseded_by:
            self._move(name, layout.archived(result.path, name))
            self.results[name] = self.results[name]._replace(rank=2)

    def _move(self, name: str, path: str) -> None:
        result = self.results[name]
        entry = result.entry and result.entry.replace(path=path)
        self.results[name] = result._replace(path=path, entry=entry)

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
            path = where[key] = places.take(result.path)
            final[path] = result.data
            if path != result.path:
                what = "its name was taken by another file: it moved from "
                what += result.path
                # A person looks at a file that has taken the name of a whole folder.
                eyes = path.rpartition("/")[0] != result.path.rpartition("/")[0]
                self._note(key, result, what, eyes=eyes)
        for kept in sorted(set(self.kept)):
            # Its name, with an id, is drawn from its text: what is there is the same.
            there = kept.path in ours and kept.path not in changed
            drawn = kept.path.removesuffix(".md").rpartition(".")[2]
            if not there and drawn not in self.results:
                final[places.take(kept.path)] = kept.data
        put = {
            path: data for path, data in sorted(final.items()) if ours.get(path) != data
        }
        gone = sorted(path for path in changed if path in ours and path not in final)
        notes = sorted(
            note._replace(path=where.get(key, note.path)) for key, note in self.notes
        )
        return MergePlan(put, gone, notes, self.merged)


def _entries(files: Mapping[str, File] | Mapping[str, _Result]) -> dict[str, Entry]:
    """The entries that are known by their ids."""
    return {
        key: each.entry
        for key, each in files.items()
        if each.entry is not None and key == each.entry.id
    }
