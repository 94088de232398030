"""The plan of a merge: what becomes of every file that two clones have changed.

Invariant: pure, and symmetric: with either side as "ours", the files afterwards are the
same, byte for byte. An entry is known by its id and not by its path, so an archived
version, a renamed file and an approved entry meet what the other side did to them; an
entity of the registry is known by its id, or where it is new by its name, and every
other file by its path. Nothing is lost: what gives way is in the archive or beside what
is current, and only what a person has forgotten is gone. No file takes the place of
another one, also not on disks that do not tell `Note.md` from `note.md`. Bytes are read
through the caller, and of what changed alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from shlex import quote

from memcli.entries import codec, layout
from memcli.entries.entry import KINDS, Entry, Status
from memcli.entries.frontmatter import values_of
from memcli.entries.identity import File
from memcli.entries.ids import adopted_id
from memcli.entries.merging import chains
from memcli.entries.merging.files import Version, merge_file
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection

    from memcli.entries.merging.files import Kept

_REGULAR = ("100644", "100755")


Read = Callable[[Sequence[File]], Sequence[bytes]]


class Side(NamedTuple):
    """One of the two clones.

    Attributes:
        name: for people, such as the machine's.
        files: all its files, by vault-relative path.
        changed: gives for a path the epoch seconds of the commit that changed it last;
            it is asked only where both sides changed the same file.
        undid: whether an undo took an entry of the base away; asked only where the
            other side changed it.
    """

    name: str
    files: Mapping[str, File]
    changed: Callable[[str], int] = lambda _: 0
    undid: Callable[[Entry], bool] = lambda _: False


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

    put: dict[str, File | bytes]
    gone: list[str]
    notes: list[MergeNote]
    merged: int


def plan_merge(
    base: Mapping[str, File],
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
    found = _load(trees, changed, read, kinds)
    work = _Work((ours, theirs), kinds)
    work.overrule(found)
    for key in sorted({key for files in found for key in files}):
        work.merge_one(key, *(files.get(key) for files in found))
    work.join(found)
    return work.plan(changed)


class _File(NamedTuple):
    """A file of one tree, or of the merged vault before its place is settled.

    `blob` is None for new bytes; `own` says whether memcli's id stands in it; `rank`
    orders the claims to a place: what was there in the base comes first.
    """

    path: str
    blob: File | None
    data: bytes
    entry: Entry | None = None
    own: bool = False
    rank: int = 2

    @property
    def is_link(self) -> bool:
        """Whether it is a link or a repository."""
        return self.blob is not None and self.blob.mode not in _REGULAR


def _load(
    trees: Sequence[Mapping[str, File]],
    changed: Sequence[str],
    read: Read,
    kinds: Collection[str],
) -> list[dict[str, _File]]:
    """The changed files of the trees, the base first, each under its key."""
    groups = [[(p, tree[p]) for p in changed if p in tree] for tree in trees]
    blobs = dict.fromkeys(
        blob for group in groups for _, blob in group if blob.mode in _REGULAR
    )
    texts = dict(zip(blobs, read([*blobs]), strict=True))
    files = [
        [_file(path, blob, texts.get(blob), kinds) for path, blob in group]
        for group in groups
    ]
    keys = [_keys(files[0], group) for group in files]
    twice = {
        name for each in keys for name, count in Counter(each).items() if count > 1
    }
    found: list[dict[str, _File]] = []
    for group, names in zip(files, keys, strict=True):
        found.append({})
        for file, name in zip(group, names, strict=True):
            # The same new name of the registry on both sides is one entity.
            entity = name not in keys[0] and layout.registered_type(file.path)
            key = f"/{file.path}" if entity or name in twice else name
            found[-1][key] = file
    return found


def _file(
    path: str, blob: File | None, data: bytes | None, kinds: Collection[str]
) -> _File:
    """A file as it is known; without bytes (a link) it is no entry."""
    if data is None or not (layout.is_entry(path) or layout.registered_type(path)):
        return _File(path, blob, data or b"")
    try:
        decoded = codec.decode(data, path, kinds=kinds)
    except MemcliError:
        return _File(path, blob, data)
    return _File(path, blob, data, decoded.entry, decoded.own)


def _keys(base: Sequence[_File], side: Sequence[_File]) -> list[str]:
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
        else:
            keys.append(f"/{place}" if file.entry is None else adopted_id(place))
    return keys


def _renamed(base: Sequence[_File], side: Sequence[_File]) -> dict[str, str]:
    """New path -> path in the base, for files that moved without a change."""
    before, there = ({file.path for file in files} for files in (base, side))
    gone: dict[tuple[File | None, bool], list[str]] = {}
    for file in base:
        if file.path not in there and file.data:
            mark = file.blob, layout.is_entry(file.path)
            gone.setdefault(mark, []).append(file.path)
    places: dict[str, str] = {}
    for file in side:
        left = gone.get((file.blob, layout.is_entry(file.path)), [])
        if file.path not in before and len(left) == 1:
            places[file.path] = left.pop()
    return places


def _is_same(one: _File, two: _File) -> bool:
    """Whether two new files of one key are one, and not two of one name."""
    if layout.registered_type(one.path) and layout.registered_type(two.path):
        return not _names(one).isdisjoint(_names(two))
    entries = layout.is_entry(one.path) or layout.is_entry(two.path)
    return (one.own and two.own) or not entries


def _names(file: _File) -> set[str]:
    """The names of a registered entity."""
    names = [file.path.rpartition("/")[2].removesuffix(".md")]
    if file.entry is not None:
        names = [file.entry.title or names[0]]
        names += values_of(dict(file.entry.extra).get("aliases", ""))
    return {" ".join(name.casefold().split()) for name in names}


# --- the merge ------------------------------------------------------------------------


class _Work:
    """The state of one merge; `results` are the files of the merged vault by keys."""

    def __init__(self, sides: tuple[Side, Side], kinds: Collection[str]) -> None:
        self.sides, self.kinds = sides, kinds
        self.results: dict[str, _File] = {}
        self.kept: set[Kept] = set()
        self.notes: list[tuple[str, MergeNote]] = []
        self.merged = 0

    def overrule(self, found: Sequence[dict[str, _File]]) -> None:
        """Let a side have as it was, but for its words, what it took back in vain."""
        base, *both = map(_entries, found)
        undid = [side.undid for side in self.sides]
        for number, key, why in chains.overruled(base, *both, undid=undid):
            file = found[0][key]
            now = both[number].get(key, base[key])
            found[number + 1][key] = self._with(file, base[key].replace(body=now.body))
            if why:
                self._note(key, file, why, eyes=True)

    def _with(self, file: _File, entry: Entry) -> _File:
        """A file that holds an entry as it becomes."""
        if file.entry == entry:
            return file
        try:
            data = codec.rewrite(file.data, entry, kinds=self.kinds)
        except MemcliError:
            return file  # a field of it cannot be written; the lint names it
        return file._replace(blob=None, data=data, entry=entry)

    def merge_one(
        self, key: str, base: _File | None, one: _File | None, two: _File | None
    ) -> None:
        """Merge an entry or another file, as if it were the only one."""
        start, left, right = (f and (f.path, f.blob) for f in (base, one, two))
        if left == right or start in (left, right):
            file = two if left == start else one
            if file is not None:
                self._put(key, file, base)
            return
        self.merged += 1
        if not (one and two):
            for file in filter(None, (one, two)):
                self._removed_and_changed(key, base, file)
            return
        before = base and base.blob
        place = min(one.path, two.path)
        if one.blob == two.blob or before == two.blob:
            file = self._at(place, one)
        elif before == one.blob:
            file = self._at(place, two)
        elif one.is_link or two.is_link or not (base or _is_same(one, two)):
            first, second = sorted((one, two), key=lambda f: (f.is_link, f.blob))
            self._put(key, first, base)
            self._put(f"{key}#", second, base)
            what = "both sides made a file of this name: both are kept"
            self._note(key, first, what, eyes=one.is_link or two.is_link)
            return
        else:
            file = self._contents(key, place, base, one, two)
        self._put(key, self._at(_place(base, one, two, file.entry), file), base)

    def _at(self, path: str, file: _File) -> _File:
        """A file at another path, which decides whether it is an entry."""
        if file.path == path or file.is_link:
            return file._replace(path=path)
        return _file(path, file.blob, file.data, self.kinds)

    def _contents(
        self, key: str, path: str, base: _File | None, one: _File, two: _File
    ) -> _File:
        """The file that holds what both sides changed in one."""
        versions = [
            Version(file.data, side.name, partial(side.changed, file.path))
            for side, file in zip(self.sides, (one, two), strict=True)
        ]
        merged = merge_file(path, base and base.data, *versions, kinds=self.kinds)
        file = _file(path, None, merged.data, self.kinds)
        self.kept.update(merged.kept)
        if merged.notes:
            kept = merged.kept[0].path if merged.kept else ""
            self._note(key, file, "; ".join(merged.notes), eyes=True, kept=kept)
        return file

    def _removed_and_changed(self, key: str, base: _File | None, file: _File) -> None:
        """One side removed what the other changed: what was forgotten stays so, and a
        note that memcli did not write may have been moved by hand, so it is kept."""
        if base is not None and base.own and layout.is_entry(file.path):
            what = "one side forgot it, and the other changed it: it is forgotten; the "
            what += f"change: git log --full-history -p -- {quote(file.path)}"
        else:
            self._put(key, file, base)
            what = "one side removed it, and the other changed it: it is kept"
        self._note(key, file, what, eyes=True)

    def _put(self, key: str, file: _File, base: _File | None) -> None:
        is_old = base is not None and base.path == file.path
        rank = 0 if is_old else 1 if key.startswith("/") else 2
        self.results[key] = file._replace(rank=rank)

    def _note(
        self, key: str, file: _File, what: str, *, eyes: bool, kept: str = ""
    ) -> None:
        entry = file.entry
        entry_id, title = (entry.id, entry.display_title) if entry else ("", "")
        note = MergeNote(file.path, entry_id, title, what, eyes, kept)
        self.notes.append((key, note))

    def join(self, found: Sequence[Mapping[str, _File]]) -> None:
        """Make one chain of the versions of each entry; its head keeps the place."""
        base, *both = map(_entries, found)
        names = [side.name for side in self.sides]
        sides = zip(names, both, strict=True)
        joined = chains.Joined(_entries(self.results), base, *sides)
        for name, entry in joined.changed.items():
            self.results[name] = self._with(self.results[name], entry)
        for name in joined.replaced & self.results.keys():
            file = self.results[name]
            over = file.entry and file.entry.superseded_by
            if over and not layout.is_archived(file.path):
                place = layout.archived(file.path, name)
                self.results[name] = file._replace(path=place, rank=2)
        for name in joined.back:
            file = self.results[name]
            place = layout.before_archive(file.path)
            self.results[name] = file._replace(path=place)
        for name in joined.notes.keys() & self.results.keys():
            self._note(name, self.results[name], joined.notes[name], eyes=True)

    def plan(self, changed: Sequence[str]) -> MergePlan:
        """Settle where everything lies, and say what differs from our side."""
        ours = self.sides[0].files
        places = layout.Places(ours.keys() - set(changed))
        final: dict[str, File | bytes] = {}
        where: dict[str, str] = {}
        claims = sorted(self.results.items(), key=lambda item: (item[1].rank, item[0]))
        for key, file in claims:
            path = where[key] = places.take(file.path)
            final[path] = file.data if file.blob is None else file.blob
            if path != file.path:
                what = f"its name was taken by another file: it moved from {file.path}"
                # A person looks at a file that has taken the name of a whole folder.
                eyes = path.rpartition("/")[0] != file.path.rpartition("/")[0]
                self._note(key, file, what, eyes=eyes)
        for kept in sorted(self.kept):
            # Its name, with an id, is drawn from its text: what is there is the same.
            there = kept.path in ours and kept.path not in changed
            drawn = kept.path.removesuffix(".md").rpartition(".")[2]
            if not there and drawn not in self.results:
                final[places.take(kept.path)] = kept.data
        put = {
            path: data for path, data in sorted(final.items()) if ours.get(path) != data
        }
        gone = [path for path in changed if path in ours and path not in final]
        notes = sorted(
            note._replace(path=where.get(key, note.path)) for key, note in self.notes
        )
        return MergePlan(put, gone, notes, self.merged)


def _place(base: _File | None, one: _File, two: _File, entry: Entry | None) -> str:
    """Where a file lies that both sides have: where one side moved it, or both."""
    places = {one.path, two.path}
    if base is not None and len(places) == 2:
        places.discard(base.path)
    over = entry is not None and entry.status in (Status.SUPERSEDED, Status.REJECTED)
    return min(places, key=lambda path: (layout.is_archived(path) is not over, path))


def _entries(files: Mapping[str, _File]) -> dict[str, Entry]:
    """The entries that are known by their ids."""
    return {k: f.entry for k, f in files.items() if f.entry and k == f.entry.id}
