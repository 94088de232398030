"""A three-way merge of one file of a vault.

Invariant: pure, and no text is lost. The fields of an entry merge by their meaning and
texts by lines; where both sides changed the same lines, the newer text is current and
the other one becomes an archived version of the entry. Every other file merges by
lines: where both sides changed the same ones, both stay. Settings merge by their keys:
of one that both changed the newer side's counts, and the older side's becomes a
comment. A file that cannot be merged is kept beside the other, byte for byte. The
result does not depend on which side is "ours".

`merge_path` merges the files at one path for git, which does not know the rest of the
vault. Where the sides have different entries there, be they versions of
one, the newest stands there and the other is a file besides: `memcli doctor --fix`
makes one chain of such versions. In a file in which git has left the marks of a merge,
what stands between the marks belongs to the sides that they name, and every other line
to both. A file whose marks do not close, or stand inside of each other, has no sides.
"""

from __future__ import annotations

from memcli.entries import codec, dates, layout
from memcli.entries.entry import KINDS, Entry, Status, printable
from memcli.entries.ids import LAST_MS, new_id
from memcli.entries.merging import fields
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from memcli.entries.codec import Decoded


MERGED_FROM = "merged from "
"""How the reason of an archived version begins that a merge has made."""


class Version(NamedTuple):
    """A file as one side has it.

    Attributes:
        data: its bytes.
        name: the side, for people.
        changed: epoch seconds of the commit that changed the file last; only asked
            where it matters, 0 where that is not known.
    """

    data: bytes
    name: str
    changed: Callable[[], int] = int


class Kept(NamedTuple):
    """A file that a merge adds, with a text that gave way."""

    path: str
    data: bytes


class MergedFile(NamedTuple):
    """The result of merging a file.

    Attributes:
        data: its bytes.
        kept: files to write besides, so that nothing is lost.
        notes: what was decided, in sentence parts; a person should look at it then.
    """

    data: bytes
    kept: tuple[Kept, ...] = ()
    notes: tuple[str, ...] = ()


def merge_file(
    path: str,
    base: bytes | None,
    ours: Version,
    theirs: Version,
    *,
    kinds: Collection[str] = KINDS,
) -> MergedFile:
    """Merge two versions of one file, whatever it holds.

    Args:
        path: where it is to be, vault-relative.
        base: the version that both started from; None when there is none.
        ours: one side.
        theirs: the other side.
        kinds: the kinds that the vault knows.
    """
    decided = fields.settled(base, ours.data, theirs.data)
    if decided is not fields.BOTH:
        return MergedFile(decided)
    older, newer = in_order(path, ours, theirs, kinds)
    if not (layout.is_entry(path) or layout.registered_type(path)):
        return _by_lines(path, base, older, newer) or _beside(path, older, newer)
    before = understood(base, path, kinds) if base is not None else None
    known = _invalid(before)
    read = (understood(side.data, path, kinds) for side in (older, newer))
    one, two = (each if _invalid(each) <= known else None for each in read)
    if one is not None and two is not None:
        try:
            return _merged(before, (older, newer), (one, two), path, kinds)
        except MemcliError:
            pass  # the merged file would be read back as something else
    if two is None and one is not None:
        older, newer = newer, older  # what can be read is current
    return _beside(path, older, newer)


def understood(data: bytes, path: str, kinds: Collection[str]) -> Decoded | None:
    """A file as an entry; None where it cannot be read."""
    try:
        return codec.decode(data, path, kinds=kinds)
    except MemcliError:
        return None


def _invalid(decoded: Decoded | None) -> set[str]:
    """The fields whose value cannot be read: a side that has more of them than the base
    may have meant a decision, and is not merged as if it had taken one back."""
    return {problem.field for problem in decoded.problems} if decoded else set()


def in_order(
    path: str, ours: Version, theirs: Version, kinds: Collection[str] = KINDS
) -> tuple[Version, Version]:
    """The side that changed the file earlier, and the other; by bytes, if both did."""

    def moment(side: Version) -> tuple[int, bytes]:
        decoded = understood(side.data, path, kinds)
        return max(side.changed(), _moment(decoded.entry) if decoded else 0), side.data

    older, newer = sorted((ours, theirs), key=moment)
    return older, newer


def _moment(*entries: Entry) -> int:
    told = [t for e in entries for t in (e.updated, e.created, e.resolved_at) if t]
    return max(map(dates.to_epoch, told), default=0)


# --- entries --------------------------------------------------------------------------


def _merged(
    base: Decoded | None,
    sides: tuple[Version, Version],
    read: tuple[Decoded, Decoded],
    path: str,
    kinds: Collection[str],
) -> MergedFile:
    """Merge two files that can be read; the older side first, here as everywhere.

    Raises:
        MemcliError: the merged file would be read back as something else.
    """
    start = base.entry if base else Entry("")
    one, two = (each.entry for each in read)
    entry, notes = fields.merge(base and start, one, two)
    body, conflicts = fields.merge_texts(start.body, one.body, two.body)
    both_named = len({start.title, one.title, two.title}) == 3
    entry = entry.replace(
        id=min(one.id, two.id),
        path=path,
        title=one.title if two.title == start.title else two.title,
    )
    kept: tuple[Kept, ...] = ()
    if layout.registered_type(path):
        if conflicts:
            body = _both_texts(one.body, two.body)
        if both_named:
            entry = _with_alias(entry, one.title)
            notes += (f"'{one.title}' became an alias",)
    elif conflicts or both_named:
        # Agents that may not see the current text may not see the one before, either.
        one = one.replace(visibility=entry.visibility, groups=entry.groups)
        kept = (archived_text(path, sides[0], one, two, entry.id),)
        what = f"both sides changed the same {'lines' if conflicts else 'title'}"
        whose = f"the version of {sides[0].name} is in the archive"
        notes += (f"{what}: the newer one is current, and {whose}",)
        if entry.supersedes is None and read[1].own:
            archived = codec.decode(kept[0].data, kept[0].path, kinds=kinds).entry
            entry = entry.replace(supersedes=archived.id)
    entry = entry.replace(body=body)
    own = read[0].own or read[1].own
    data = codec.rewrite(sides[1].data, entry, kinds=kinds, adopting=own)
    if codec.decode(data, path, kinds=kinds).entry != entry:
        data = codec.encode(entry)
        if not own or codec.decode(data, path, kinds=kinds).entry != entry:
            raise MemcliError(f"{path}: cannot be written as it was merged")
    return MergedFile(data, kept, notes)


def archived_text(
    path: str, side: Version, entry: Entry, newer: Entry, successor: str
) -> Kept:
    """A text that gave way, as an archived version of its entry.

    Its id is drawn from what it says, so that every clone that merges the same two
    texts makes the same file.
    """
    version_id = _drawn_id(_moment(entry) * 1000, entry.id, entry.title, entry.body)
    place = layout.archived(layout.before_archive(path), version_id)
    at = _moment(entry, newer)
    resolved = entry.status is Status.RESOLVED
    version = entry.replace(
        id=version_id,
        path=place,
        status=Status.RESOLVED if resolved else Status.SUPERSEDED,
        supersedes=None,
        superseded_by=successor,
        reason=f"{MERGED_FROM}{side.name}",
        updated=dates.iso(at) if at else entry.updated,
    )
    # A kind that only the vault knows is written as it is.
    data = codec.rewrite(side.data, version, kinds=(*KINDS, entry.kind))
    return Kept(place, data)


def _drawn_id(now_ms: int, *texts: str) -> str:
    """An id of this moment whose other half is drawn from texts."""
    import hashlib

    whole = "\0".join(texts).encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(whole).digest()
    return new_id(min(max(now_ms, 0), LAST_MS), lambda count: digest[:count])


def _both_texts(one: str, two: str) -> str:
    """The newer text, and below it the paragraphs that only the older one has."""
    there = set(two.split("\n\n"))
    more = [part for part in one.split("\n\n") if part.strip() and part not in there]
    return "\n\n".join([two.rstrip("\n"), *more]) if more else two


def _with_alias(entry: Entry, name: str) -> Entry:
    from memcli.entries.frontmatter import lines_of, values_of

    extra = dict(entry.extra)
    names = dict.fromkeys((*values_of(extra.get("aliases", "")), name))
    extra["aliases"] = lines_of("aliases", tuple(names))
    return entry.replace(extra=tuple(extra.items()))


# --- other files ----------------------------------------------------------------------


def _by_lines(
    path: str, base: bytes | None, older: Version, newer: Version
) -> MergedFile | None:
    """Two files that hold no entry, merged by lines; None for what is no text."""
    try:
        start, one, two = (d.decode() for d in (base or b"", older.data, newer.data))
    except UnicodeDecodeError:
        return None
    if "\0" in one + two:
        return None
    if path == layout.CONFIG:
        text, both = fields.merge_settings(start, one, two)
        mark, ending = "# ", "became comments"
    else:
        text, conflicts = fields.merge_texts(start, one, two)
        mark, ending = "", "stand at the end"
        both = "the same lines" if conflicts else ""
    there = {"", *(line.strip() for line in f"{start}\n{text}".splitlines())}
    more = "".join(
        f"{line}\n" if line.startswith("#") else f"{mark}{line}\n"
        for line in one.splitlines()
        if line.strip() not in there
    )
    gap = "\n" if more and not text.endswith("\n") else ""
    note = f"both sides changed {both}: those of {older.name} {ending}"
    return MergedFile(f"{text}{gap}{more}".encode(), (), (note,) if both else ())


def _beside(path: str, older: Version, newer: Version) -> MergedFile:
    """Keep the newer file, and the other one under a name of its own: of an entry in
    the archive."""
    mark = _drawn_id(0, path, older.data.decode("utf-8", "surrogateescape"))
    if layout.is_entry(path):
        place = layout.archived(layout.before_archive(path), mark)
    else:
        folder, slash, name = path.rpartition("/")
        stem, dot, ending = name.partition(".")
        place = f"{folder}{slash}{stem}-{mark[-7:]}{dot}{ending}"
    note = f"both sides changed it: the file of {older.name} is kept as {place}"
    return MergedFile(newer.data, (Kept(place, older.data),), (note,))


# --- one path, as git asks for it -----------------------------------------------------


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
    sides = in_order(path, ours, theirs, kinds)
    read = [understood(side.data, path, kinds) for side in sides]
    older, newer = (decoded and decoded.entry for decoded in read)
    if not (older and newer and layout.is_entry(path)) or older.id == newer.id:
        return merge_file(path, base, ours, theirs, kinds=kinds)
    start = understood(base, path, kinds) if base is not None else None
    before = start.entry if start else Entry("")
    both = ((older, sides[0]), (newer, sides[1]))
    for (entry, side), (other, after) in (both, both[::-1]):
        if entry.id == before.id:  # the other side evolved it
            resolved = Status.RESOLVED is entry.status is not before.status
            if entry.body == before.body and not resolved:
                return MergedFile(after.data)
            text = archived_text(path, side, entry, other, other.id)
            note = f"one side evolved it: the version of {side.name} is in the archive"
            return MergedFile(after.data, (text,), (note,))
    kept = Kept(f"{path.removesuffix('.md')}-2.md", sides[0].data)
    note = "both sides made a file of this name: both are kept"
    return MergedFile(sides[1].data, (kept,), (note,))


# --- the marks of a merge -------------------------------------------------------------


_LONGEST_NAME = 60


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
    shown = [
        printable(name.decode("utf-8", "replace"))[:_LONGEST_NAME] for name in names
    ]
    return Sides(
        Version(ours, shown[0] or "ours"),
        Version(theirs, shown[1] or "theirs"),
        base if told else None,
    )


def shown(data: bytes, path: str, kinds: Collection[str] = KINDS) -> Entry | None:
    """A marked file as one entry whose text names both sides; None for other files.

    It is shown to nobody who may not see one of the sides, and is resolved when one is.
    """
    found = sides(data)
    if found is None:
        return None
    read = {
        side: understood(side.data, path, kinds) for side in (found.ours, found.theirs)
    }
    entries = {side: decoded.entry for side, decoded in read.items() if decoded}
    if len(entries) < len(read):
        return None
    older, newer = in_order(path, found.ours, found.theirs, kinds)
    merged = fields.merge(None, entries[older], entries[newer])[0]
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
