"""A three-way merge of one entry's file.

Invariant: pure, and no text is lost. Fields merge by their meaning and texts by lines;
where both sides changed the same lines, the newer text is current and the other one
becomes an archived version of the entry. A side that cannot be understood is kept
beside the other, byte for byte. The result does not depend on which side is "ours".
"""

from __future__ import annotations

from collections.abc import Sequence

from memcli.entries import codec, dates, layout
from memcli.entries.entry import KINDS, Entry, Status
from memcli.entries.fields import refuse_wide
from memcli.entries.identity import strict_key
from memcli.entries.ids import LAST_MS, new_id
from memcli.entries.merging import fields
from memcli.errors import MemcliError, TooLarge
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
        notes: what was decided, in sentence parts.
        eyes: whether a person should look at it.
    """

    data: bytes
    kept: tuple[Kept, ...] = ()
    notes: tuple[str, ...] = ()
    eyes: bool = False


def merge(
    path: str,
    base: bytes | None,
    ours: Version,
    theirs: Version,
    *,
    kinds: Collection[str] = KINDS,
) -> MergedFile:
    """Merge two versions of the file of one entry.

    Args:
        path: where it is to be, vault-relative.
        base: the version that both started from; None when there is none.
        ours: one side.
        theirs: the other side.
        kinds: the kinds that the vault knows.
    """
    if ours.data == theirs.data or theirs.data == base:
        return MergedFile(ours.data)
    if ours.data == base:
        return MergedFile(theirs.data)
    older, newer = in_order(path, ours, theirs, kinds)
    one, two = (understood(side.data, path, kinds) for side in (older, newer))
    if one is not None and two is not None:
        before = understood(base, path, kinds) if base is not None else None
        try:
            return _merged(path, before, (older, newer), (one, two), kinds)
        except MemcliError:
            pass  # the merged file would be read back as something else
    if two is None and one is not None:
        older, newer = newer, older  # what can be read is current
    return _by_text(path, base, older, newer, kinds)


def understood(data: bytes, path: str, kinds: Collection[str]) -> Decoded | None:
    """A file as an entry; None where it, or one of its fields, cannot be read."""
    try:
        decoded = codec.decode(data, path, kinds=kinds)
    except MemcliError:
        return None
    return None if decoded.problems else decoded


def in_order(
    path: str, ours: Version, theirs: Version, kinds: Collection[str] = KINDS
) -> tuple[Version, Version]:
    """The side that changed the file earlier, and the other; by bytes, if both did."""

    def moment(side: Version) -> tuple[int, bytes]:
        decoded = understood(side.data, path, kinds)
        told = _moment(decoded.entry) if decoded else 0
        return max(side.changed(), told), side.data

    older, newer = sorted((ours, theirs), key=moment)
    return older, newer


def _moment(entry: Entry) -> int:
    told = (entry.updated, entry.created, entry.resolved_at)
    return max(dates.to_epoch(text) if text else 0 for text in told)


def _merged(
    path: str,
    base: Decoded | None,
    sides: tuple[Version, Version],
    read: tuple[Decoded, Decoded],
    kinds: Collection[str],
) -> MergedFile:
    """Merge two files that can be read; the older side first, here as everywhere."""
    start = base.entry if base else None
    one, two = (each.entry for each in read)
    entry, notes = fields.merge(start, one, two)
    entry = entry.replace(id=min(one.id, two.id))
    body, conflicts = merge_texts(start.body if start else None, one.body, two.body)
    before = start.title if start else ""
    title = one.title if two.title == before else two.title
    both_named = len({before, one.title, two.title}) == 3
    is_wide = _is_wide(entry)
    kept: tuple[Kept, ...] = ()
    if layout.registered_type(path):
        if conflicts:
            body = _both_texts(one.body, two.body)
        if both_named:
            entry = _with_alias(entry, one.title)
            notes += (f"'{one.title}' became an alias",)
    elif conflicts or both_named or is_wide:
        # Agents that may not see the current text may not see the one before, either.
        one = one.replace(visibility=entry.visibility, groups=entry.groups)
        kept = (archived_text(path, sides[0], one, entry.id, two, kinds=kinds),)
        whose = f"the version of {sides[0].name} is in the archive"
        if conflicts or both_named:
            what = "lines" if conflicts else "title"
            what = f"both sides changed the same {what}: the newer one is current"
            notes += (f"{what}, and {whose}",)
        if is_wide:
            lists = (name for name, v in two._asdict().items() if isinstance(v, tuple))
            values = fields.decisions_of(two, {*lists} - {"groups"})
            entry = entry.replace(**values)
            notes += (
                f"its lists are too long together: one side's stand, and {whose}",
            )
        if entry.supersedes is None and read[1].own:
            archived = codec.decode(kept[0].data, kept[0].path, kinds=kinds).entry
            entry = entry.replace(supersedes=archived.id)
    entry = entry.replace(title=title, body=body, path=path)
    if entry.item is not None and (one.key or two.key):
        entry = entry.replace(key=strict_key(entry.item, body))
    own = read[0].own or read[1].own
    data = _written(sides[1].data, entry, kinds=kinds, own=own)
    return MergedFile(data, kept, notes, eyes=bool(kept or notes))


def _is_wide(entry: Entry) -> bool:
    """Whether no command would save an entry with these fields."""
    try:
        refuse_wide(entry)
    except TooLarge:
        return True
    return False


def _written(
    original: bytes, entry: Entry, *, kinds: Collection[str], own: bool
) -> bytes:
    """The bytes of a merged entry, in the form of one side's file.

    Raises:
        MemcliError: they would be read back as something else.
    """
    data = codec.rewrite(original, entry, kinds=kinds, adopting=own)
    if codec.decode(data, entry.path, kinds=kinds).entry != entry:
        data = codec.encode(entry)
        if not own or codec.decode(data, entry.path, kinds=kinds).entry != entry:
            raise MemcliError(f"{entry.path}: cannot be written as it was merged")
    return data


def archived_text(
    path: str,
    side: Version,
    entry: Entry,
    successor: str,
    newer: Entry,
    *,
    kinds: Collection[str],
) -> Kept:
    """A text that gave way, as an archived version of its entry.

    Its id is drawn from what it says, so that every clone that merges the same two
    texts makes the same file.
    """
    version_id = drawn_id(_moment(entry) * 1000, entry.id, entry.title, entry.body)
    place = layout.archived(layout.before_archive(path), version_id)
    at = max(_moment(entry), _moment(newer))
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
    data = codec.rewrite(side.data, version, kinds=kinds)
    return Kept(place, data)


def drawn_id(now_ms: int, *texts: str) -> str:
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
    from memcli.entries.frontmatter import values_of
    from memcli.entries.plain_yaml import lines_of

    extra = dict(entry.extra)
    names = dict.fromkeys((*values_of(extra.get("aliases", "")), name))
    extra["aliases"] = lines_of("aliases", tuple(names))
    return entry.replace(extra=tuple(extra.items()))


# --- what cannot be read as an entry --------------------------------------------------


def _by_text(
    path: str,
    base: bytes | None,
    older: Version,
    newer: Version,
    kinds: Collection[str],
) -> MergedFile:
    """Merge two files as texts; where that is not clear, keep both."""
    merged = text_of_both(base, older.data, newer.data)
    if merged is not None and understood(merged, path, kinds) is not None:
        return MergedFile(merged)
    version_id = drawn_id(0, path, older.data.decode("utf-8", "surrogateescape"))
    place = layout.archived(layout.before_archive(path), version_id)
    note = (
        f"both sides changed it, and one of them cannot be read: the file of "
        f"{older.name} is kept as {place}"
    )
    return MergedFile(newer.data, (Kept(place, older.data),), (note,), eyes=True)


def text_of_both(base: bytes | None, older: bytes, newer: bytes) -> bytes | None:
    """Both files merged by lines; None for conflicts and for what is no text."""
    try:
        texts = [
            None if data is None else data.decode() for data in (base, older, newer)
        ]
    except UnicodeDecodeError:
        return None
    merged = merge_texts(texts[0], texts[1] or "", texts[2] or "")
    return None if merged.conflicts else merged.text.encode()


# --- texts, by lines --------------------------------------------------------------


Lines = Sequence[str]


class Hunk(NamedTuple):
    """Lines of the base, `first` to `end` (exclusive), and what took their place."""

    first: int
    end: int
    lines: tuple[str, ...]


class MergedText(NamedTuple):
    """A merged text; `conflicts` counts the regions that both sides changed, in which
    the newer side's lines stand."""

    text: str
    conflicts: int


def merge_texts(base: str | None, older: str, newer: str) -> MergedText:
    """Merge two texts that were one.

    Args:
        base: what both were before; None when they have nothing in common.
        older: the side that gives way where both changed the same lines.
        newer: the other side.

    >>> merge_texts("a\\nb\\nc\\n", "A\\nb\\nc\\n", "a\\nb\\nc\\nd\\n")
    MergedText(text='A\\nb\\nc\\nd\\n', conflicts=0)
    >>> merge_texts("a\\n", "b\\n", "c\\n")
    MergedText(text='c\\n', conflicts=1)
    """
    if older == newer or base == older:
        return MergedText(newer, 0)
    if base == newer:
        return MergedText(older, 0)
    if not base:  # every line would count as added by both
        return MergedText(newer, 1)
    start = base.split("\n")
    changes = sorted(
        (
            (hunk.first, hunk.end, side, hunk.lines)
            for side, text in enumerate((older, newer))
            for hunk in hunks(start, text.split("\n"))
        ),
        reverse=True,
    )
    merged: list[str] = []
    conflicts = done = 0
    while changes:
        group = [changes.pop()]
        first, end, *_ = group[0]
        # What concerns the same lines, or is added between the same two.
        while changes and (
            changes[-1][0] < end or changes[-1][:2] == (first, end) == (first, first)
        ):
            group.append(changes.pop())
            end = max(end, group[-1][1])
        before = start[first:end]
        one, two = (_applied(start, group, side, first, end) for side in (0, 1))
        merged += start[done:first]
        if first == end and before not in (one, two):
            merged += _both_added(one, two)
        else:
            conflicts += one not in (two, before) and two != before
            merged += one if two == before else two
        done = end
    merged += start[done:]
    return MergedText("\n".join(merged), conflicts)


def _applied(
    base: Lines,
    group: Sequence[tuple[int, int, int, Lines]],
    side: int,
    first: int,
    end: int,
) -> list[str]:
    """A region of the base as one side left it."""
    lines: list[str] = []
    for start, stop, whose, news in group:
        if whose == side:
            lines += [*base[first:start], *news]
            first = stop
    return [*lines, *base[first:end]]


def _both_added(older: list[str], newer: list[str]) -> list[str]:
    """The lines that both sides added at one place; once, those that both share."""
    limit = min(len(older), len(newer))
    head = tail = 0
    while head < limit and older[head] == newer[head]:
        head += 1
    while tail < limit - head and older[-1 - tail] == newer[-1 - tail]:
        tail += 1
    return [*older[: len(older) - tail], *newer[head:]]


def hunks(base: Lines, side: Lines) -> list[Hunk]:
    """The changes of a side, in the order of the base."""
    from difflib import SequenceMatcher

    head = tail = 0
    limit = min(len(base), len(side))
    while head < limit and base[head] == side[head]:
        head += 1
    while tail < limit - head and base[-1 - tail] == side[-1 - tail]:
        tail += 1
    old, new = base[head : len(base) - tail], side[head : len(side) - tail]
    # In a long text lines that it holds again and again anchor nothing (`autojunk`):
    # the time would grow with the square of their number.
    changes = SequenceMatcher(None, old, new).get_opcodes()
    return [
        Hunk(head + first, head + end, tuple(new[start:stop]))
        for what, first, end, start, stop in changes
        if what != "equal"
    ]
