"""A three-way merge of the fields of one entry.

Invariant: pure. `older` and `newer` are the two sides in an order that does not depend
on who merges, so the result does not, either. A list is a union in which what one side
removed stays removed. What one side alone changed is taken. Where both changed a value,
the rule is that of its field; what is not taken is named.
"""

from __future__ import annotations

import re

from memcli.entries import anchors, dates
from memcli.entries.entry import FIELDS, Entry, Status, Visibility
from memcli.entries.field_values import MOST_ASKED
from memcli.entries.frontmatter import values_of
from memcli.entries.yaml_lines import lines_of
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


_PLAIN = Entry("")
_LATER = frozenset(
    {"created", "updated", "occurred_at", "occurred_until", "refreshed_at",
     "expires_at", "review_after"}
)  # fmt: skip
RESOLUTION = ("resolved_at", "resolved_by", "resolution_note", "resolution_scope")
"""The fields that a resolve sets."""
_NARROW = (Visibility.PRIVATE, Visibility.GROUP, Visibility.SHARED)
# Their own rules stand below; the text is merged by lines, the id is the same.
_APART = frozenset({"id", "status", "title", "visibility", "groups", *RESOLUTION})
# Set anew by every change, so no decision of a person is lost with the other value.
_SILENT = frozenset({"updated", "key", "superseded_by", "supersedes", "reason"})
_MOST = {"code_names": anchors.MOST, "asked": MOST_ASKED}
_IS_LIST = re.compile(r"[\w-]+:[ \t]*(?:\[|(?:#[^\n]*)?\n[ \t]*-)")


class MergedFields(NamedTuple):
    """An entry with merged fields (its title and text are the newer side's), and one
    sentence part for each value that was not taken as it was."""

    entry: Entry
    notes: tuple[str, ...]


def merge(base: Entry | None, older: Entry, newer: Entry) -> MergedFields:
    """Merge the fields of two versions of one entry.

    Args:
        base: the version that both started from; None when they have none in common.
        older: the side that gives way where nothing else decides.
        newer: the other side.
    """
    values: dict[str, Any] = {}
    notes: list[str] = []
    for name in FIELDS:
        if name in _APART:
            continue
        sides = _sides(name, base, older, newer)
        value = _settled(*sides)
        if value is _BOTH:
            value = _both_changed(name, *sides)
            left = [side for side in sides[1:] if side != value]
            if left and not isinstance(value, tuple) and name not in _SILENT:
                notes.append(
                    f"{name} '{_shown(left[0])}' gave way to '{_shown(value)}'"
                )
        values[name] = value
    readers = audience(base, older, newer)
    values |= readers._asdict()
    notes += left_out(base, older, newer)
    values |= status(base, older, newer)
    values["extra"], kept = _extra(base, older, newer)
    notes += kept
    return MergedFields(newer.replace(**values), tuple(notes))


def status(base: Entry | None, older: Entry, newer: Entry) -> dict[str, Any]:
    """The merged status with the fields that belong to it.

    One side's decision is taken. Of two, a resolve wins, then a new version, then the
    later one.
    """
    decided = _settled(
        base.status if base else None, older.status, newer.status, no_base=base is None
    )
    if decided is _BOTH:
        both = (older.status, newer.status)
        ends = (Status.RESOLVED, Status.SUPERSEDED)
        decided = next((end for end in ends if end in both), newer.status)
    fields: dict[str, Any] = {"status": decided}
    if decided is Status.RESOLVED:
        resolved = [side for side in (older, newer) if side.status is Status.RESOLVED]
        if base is not None and base.status is Status.RESOLVED and len(resolved) == 2:
            resolved = [s for s in resolved if _resolution(s) != _resolution(base)]
        by = max(resolved or [newer], key=lambda side: _epoch(side.resolved_at))
        fields |= {name: getattr(by, name) for name in RESOLUTION}
    elif decided is Status.ACTIVE and older.status is not newer.status:
        fields |= {name: getattr(_PLAIN, name) for name in RESOLUTION}
        fields["reason"] = None
    else:
        side = newer if newer.status is decided else older
        fields |= {name: getattr(side, name) for name in RESOLUTION}
    return fields


def _resolution(entry: Entry) -> tuple[Any, ...]:
    return tuple(getattr(entry, name) for name in RESOLUTION)


class _Undecided:
    """The mark of a value that both sides changed, in different ways."""


_BOTH = _Undecided()


def _sides(
    name: str, base: Entry | None, older: Entry, newer: Entry
) -> tuple[Any, ...]:
    before = base if base is not None else _PLAIN
    return tuple(getattr(entry, name) for entry in (before, older, newer))


def _settled(base: Any, older: Any, newer: Any, *, no_base: bool = False) -> Any:
    """The value that one side alone changed, or both alike; else `_BOTH`."""
    if older == newer or (older == base and not no_base):
        return newer
    if newer == base and not no_base:
        return older
    return _BOTH


def _both_changed(name: str, base: Any, older: Any, newer: Any) -> Any:
    if name == "code":
        place = lambda text: text.partition("#")[0]  # noqa: E731 one word says it
        return union(base, older, newer, place)[: anchors.MOST]
    if name == "fingerprints":
        return union(base, older, newer, lambda text: text.partition(":")[0])
    if isinstance(newer, tuple) and name != "source":
        merged = union(base, older, newer)
        if name in _MOST:
            return merged[: _MOST[name]]
        return tuple(sorted(merged)) if name == "seen" else merged
    if name in _LATER:
        return max(older, newer, key=lambda text: (_epoch(text), text or ""))
    if name == "superseded_by":
        return min(older or newer, newer or older)
    if name == "supersedes":
        return max(older or newer, newer or older)
    return newer


def with_lists_of(side: Entry, merged: Entry) -> Entry:
    """A merged entry with the lists and unknown keys of one side alone.

    Who may see it stays as it was merged.
    """
    lists = {
        name: getattr(side, name)
        for name in FIELDS
        if name not in _APART and isinstance(getattr(merged, name), tuple)
    }
    return merged.replace(**lists, extra=side.extra)


def union(
    base: tuple[str, ...],
    older: tuple[str, ...],
    newer: tuple[str, ...],
    key: Callable[[str], str] = str,
) -> tuple[str, ...]:
    """What both sides made of a list: what one added is there, what one removed is not.

    Items of one key are one item, and the newer side's counts where both changed it.

    >>> union(("a", "b"), ("a", "c"), ("b", "d"))
    ('c', 'd')
    """
    tables = [{key(item): item for item in side} for side in (base, older, newer)]
    before, one, two = tables
    merged: list[str] = []
    for name in dict.fromkeys((*before, *one, *two)):
        value = _settled(before.get(name), one.get(name), two.get(name))
        if value is _BOTH:
            value = two.get(name) or one.get(name)
        if value is not None:
            merged.append(value)
    return tuple(merged)


class Audience(NamedTuple):
    """Who may see an entry besides its owner: the fields of these names."""

    visibility: Visibility
    groups: tuple[str, ...]


def audience(base: Entry | None, older: Entry, newer: Entry) -> Audience:
    """Who may see an entry: what one side decided, or the narrower of two decisions.

    Of two lists of groups that is what stands in both. It is the same in either order
    but for the order of the groups.
    """
    told = [Audience(side.visibility, side.groups) for side in (older, newer)]
    before = Audience(base.visibility, base.groups) if base else None
    if told[0] in (told[1], before):
        return told[1]
    if told[1] == before:
        return told[0]
    seen = min((side.visibility for side in told), key=_NARROW.index)
    lists = [side.groups for side in told if side.visibility is seen]
    if seen is not Visibility.GROUP:
        lists = [side.groups for side in told]
    both = tuple(name for name in lists[-1] if name in lists[0])
    return Audience(seen, both)


def left_out(base: Entry | None, older: Entry, newer: Entry) -> tuple[str, ...]:
    """A sentence part on groups that one side named and that may not see the entry."""
    readers = audience(base, older, newer)
    sides = (older.groups, newer.groups)
    if readers.visibility is not Visibility.GROUP or readers.groups in sides:
        return ()
    names = sorted({*older.groups, *newer.groups} - {*readers.groups})
    shown = _shown(", ".join(names))
    return (f"both sides changed its groups: these may not see it: {shown}",)


# --- keys that memcli does not use ---------------------------------------------------


def _extra(
    base: Entry | None, older: Entry, newer: Entry
) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    """The merged keys, in the newer side's order, and notes on what has a new name."""
    before, one, two = (dict(e.extra) if e else {} for e in (base, older, newer))
    merged: dict[str, str] = {}
    notes: list[str] = []
    for name in dict.fromkeys((*two, *one)):
        value = _settled(before.get(name), one.get(name), two.get(name))
        if value is not _BOTH:
            if value is not None:
                merged[name] = value
            continue
        if name not in one or name not in two:  # removed here, changed there
            merged[name] = two.get(name) or one[name]
            continue
        lists = [side[name] for side in (one, two)]
        if all(map(_IS_LIST.match, lists)):
            start, *rest = (tuple(values_of(x)) for x in (before.get(name, ""), *lists))
            merged[name] = lines_of(name, union(start, rest[0], rest[1]))
            continue
        merged[name] = two[name]
        other = _free(f"{name}_merged", {*one, *two, *merged, *FIELDS})
        if one[name].startswith(name):
            merged[other] = other + one[name][len(name) :]
            notes.append(f"both changed {name}: the other value stands in {other}")
        else:
            notes.append(f"both changed {name}: that of one side was not taken")
    return tuple(merged.items()), notes


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}{number}"
    return free


def _epoch(text: str | None) -> int:
    return dates.to_epoch(text) if text else 0


def _shown(value: Any) -> str:
    return str(value)[:60]
