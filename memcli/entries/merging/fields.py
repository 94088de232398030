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
from memcli.entries.plain_yaml import lines_of
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    _Rule = Callable[..., Any]

_PLAIN = Entry("")
RESOLUTION = ("resolved_at", "resolved_by", "resolution_note", "resolution_scope")
"""The fields that a resolve sets."""
_NARROW = (Visibility.PRIVATE, Visibility.GROUP, Visibility.SHARED)
# Their own rules stand below; the text is merged by lines, the id is the same.
_APART = frozenset(
    {"id", "status", "title", "visibility", "groups", "extra", "body", "path",
     *RESOLUTION}
)  # fmt: skip
# Set anew by every change, so no decision of a person is lost with the other value.
_SILENT = frozenset({"updated", "key", "superseded_by", "supersedes", "reason"})
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
        sides = [getattr(side, name) for side in (base or _PLAIN, older, newer)]
        value = settled(*sides)
        if value is BOTH:
            rule: _Rule = _RULES.get(name, _newest)
            value = rule(*sides)
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
    decided = settled(
        base.status if base else None, older.status, newer.status, no_base=base is None
    )
    if decided is BOTH:
        both = (older.status, newer.status)
        ends = (Status.RESOLVED, Status.SUPERSEDED)
        decided = next((end for end in ends if end in both), newer.status)
    fields: dict[str, Any] = {"status": decided}
    if decided is Status.RESOLVED:
        resolved = [side for side in (older, newer) if side.status is Status.RESOLVED]
        if base is not None and base.status is Status.RESOLVED and len(resolved) == 2:
            before = decisions_of(base, RESOLUTION)
            resolved = [s for s in resolved if decisions_of(s, RESOLUTION) != before]
        by = max(resolved or [newer], key=lambda side: _epoch(side.resolved_at))
    elif decided is Status.ACTIVE and older.status is not newer.status:
        by, fields["reason"] = _PLAIN, None
    else:
        by = newer if newer.status is decided else older
    return fields | decisions_of(by, RESOLUTION)


def decisions_of(entry: Entry, names: Iterable[str]) -> dict[str, Any]:
    """The values that an entry has in these fields."""
    return {name: getattr(entry, name) for name in names}


class _Undecided:
    """The mark of a value that both sides changed, in different ways."""


BOTH = _Undecided()


def settled(base: Any, older: Any, newer: Any, *, no_base: bool = False) -> Any:
    """The value that one side alone changed, or both alike; else `BOTH`."""
    if older == newer or (older == base and not no_base):
        return newer
    if newer == base and not no_base:
        return older
    return BOTH


# --- the rules for a value that both sides changed ------------------------------------


def _newest(_: Any, __: Any, newer: Any) -> Any:
    return newer


def _latest(_: Any, older: str | None, newer: str | None) -> str | None:
    return max(older, newer, key=lambda text: (_epoch(text), text or ""))


def _sorted(*sides: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(union(*sides)))


def union(
    base: tuple[str, ...],
    older: tuple[str, ...],
    newer: tuple[str, ...],
    *,
    key: Callable[[str], str] = str,
) -> tuple[str, ...]:
    """A list with what one side added, and without what one side removed.

    Items of one key are one item, and the newer side's counts where both changed it.

    >>> union(("a", "b"), ("a", "c"), ("b", "d"))
    ('c', 'd')
    """
    tables = [{key(item): item for item in side} for side in (base, older, newer)]
    before, one, two = tables
    merged: list[str] = []
    for name in dict.fromkeys((*before, *one, *two)):
        value = settled(before.get(name), one.get(name), two.get(name))
        if value is BOTH:
            value = two.get(name) or one.get(name)
        if value is not None:
            merged.append(value)
    return tuple(merged)


def _union_by(sign: str) -> _Rule:
    return lambda *sides: union(*sides, key=lambda text: text.partition(sign)[0])


def _most(rule: _Rule, count: int) -> _Rule:
    return lambda *sides: rule(*sides)[:count]


_RULES: dict[str, _Rule] = {
    **dict.fromkeys(("tags", "entities", "evidence"), union),
    "seen": _sorted,
    "fingerprints": _union_by(":"),
    "code": _most(_union_by("#"), anchors.MOST),
    "code_names": _most(union, anchors.MOST),
    "asked": _most(union, MOST_ASKED),
    **dict.fromkeys(
        ("created", "updated", "occurred_at", "occurred_until", "refreshed_at",
         "expires_at", "review_after"),
        _latest,
    ),
    "superseded_by": lambda _, older, newer: min(older or newer, newer or older),
    "supersedes": lambda _, older, newer: max(older or newer, newer or older),
}  # fmt: skip
"""The rule for a field that both sides changed; of others the newest is taken."""

_FOLLOWING = ("tags", "entities", "evidence", "fingerprints", "seen")
_DECIDED = ("pinned", "project", "expires_at", "review_after", "enforce")
CARRIED = (*_FOLLOWING, *_DECIDED, "visibility", "groups")
"""The fields of the version before that the newest one gets from the other side."""


def carried(before: Entry, other: Entry, current: Entry) -> MergedFields:
    """The newest version with what another side made of the version before it."""
    values: dict[str, Any] = {}
    for name in (*_FOLLOWING, *_DECIDED):
        then, value, has = (getattr(e, name) for e in (before, other, current))
        if name in _FOLLOWING and value not in (then, has):
            values[name] = union(then, value, has)
        elif has == then:
            values[name] = value
    values |= audience(before, other, current)._asdict()
    return MergedFields(current.replace(**values), left_out(before, other, current))


def with_lists_of(side: Entry, merged: Entry) -> Entry:
    """A merged entry with the lists and unknown keys of one side alone.

    Who may see it stays as it was merged.
    """
    lists = [
        name for name, value in merged._asdict().items()
        if name not in _APART and isinstance(value, tuple)
    ]  # fmt: skip
    return merged.replace(**decisions_of(side, [*lists, "extra"]))


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
        value = settled(before.get(name), one.get(name), two.get(name))
        if value is not BOTH:
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
