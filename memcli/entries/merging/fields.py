"""A three-way merge of the fields of one entry, of texts by lines, and of settings.

Invariant: pure. `older` and `newer` are the two sides in an order that does not depend
on who merges, so the result does not, either. A list is a union in which what one side
removed stays removed. What one side alone changed is taken. Where both changed a value,
the rule is that of its field (`_RULES`); what is not taken is named.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from itertools import takewhile

from memcli.entries import anchors, dates, toml_text
from memcli.entries.eligibility import is_pinned
from memcli.entries.entry import (
    FIELDS,
    Entry,
    Layer,
    ResolutionScope,
    Status,
    Subtype,
    Visibility,
)
from memcli.entries.fields import MOST_ASKED
from memcli.entries.frontmatter import lines_of, values_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    _Rule = Callable[..., Any]

_PLAIN = Entry("")
RESOLUTION = (
    "resolved_at", "resolved_by", "resolution_note", "resolution_scope", "resolved_text"
)  # fmt: skip
"""The fields that a resolve sets."""
_STANDING = ("status", "reason", *RESOLUTION)
_WIDER = ("entry", "agent", "claim")
_NARROW = (Visibility.PRIVATE, Visibility.GROUP, Visibility.SHARED)
# Their own rules stand below; the text is merged by lines, the id is the same.
_APART = frozenset(
    {"id", "status", "title", "visibility", "groups", "extra", "body", "path",
     *RESOLUTION}
)  # fmt: skip
# Set anew by every change, so no decision of a person is lost with the other value.
_SILENT = frozenset({"updated", "superseded_by", "supersedes", "reason"})
_IS_LIST = re.compile(r"[\w-]+:[ \t]*(?:\[|(?:#[^\n]*)?\n[ \t]*-)")

_MOST_SET = 200
"""Of settings that a merge sets one by one: each takes a time that grows with all."""

BOTH = object()
"""The mark of a value that both sides changed, in different ways."""


def settled(base: Any, older: Any, newer: Any) -> Any:
    """The value that one side alone changed, or both alike; else `BOTH`."""
    if older in (newer, base):
        return newer
    return older if newer == base else BOTH


# --- the rules for a value that both sides changed ------------------------------------


def union(
    *sides: tuple[str, ...], sign: str = "\0", most: int | None = None
) -> tuple[str, ...]:
    """A list with what one side added, and without what one side removed.

    Items that are equal before a sign are one item, and the newer side's counts where
    both changed it. Only so many are kept.

    Args:
        sides: the list in the base, in the older and in the newer side.
        sign: what ends the part of an item that tells which it is.
        most: how many items are kept.

    >>> union(("a", "b"), ("a", "c"), ("b", "d"))
    ('c', 'd')
    """
    before, one, two = ({each.partition(sign)[0]: each for each in s} for s in sides)
    merged = []
    for name in dict.fromkeys((*before, *one, *two)):
        value = settled(before.get(name), one.get(name), two.get(name))
        value = two.get(name) or one.get(name) if value is BOTH else value
        if value is not None:
            merged.append(value)
    return tuple(merged[:most])


def _latest(_: Any, older: str | None, newer: str | None) -> str | None:
    return max(older, newer, key=lambda text: (dates.to_epoch(text), text or ""))


_RULES: dict[str, _Rule] = {
    **dict.fromkeys(("tags", "entities", "evidence"), union),
    "seen": lambda *sides: tuple(sorted(union(*sides))),
    "fingerprints": partial(union, sign=":"),
    "code": partial(union, sign="#", most=anchors.MOST),
    "asked": partial(union, most=MOST_ASKED),
    **dict.fromkeys(
        ("created", "updated", "occurred_at", "occurred_until", "refreshed_at",
         "expires_at", "review_after"),
        _latest,
    ),
    "subtype": lambda _, *both: Subtype.PINNED if Subtype.PINNED in both else both[1],
    "superseded_by": lambda _, older, newer: min(older or newer, newer or older),
    "supersedes": lambda _, older, newer: max(older or newer, newer or older),
}  # fmt: skip
"""The rule for a field that both sides changed; of others the newer side's is taken."""

CARRIED = (
    "tags", "entities", "evidence", "fingerprints", "seen", "pinned", "project",
    "expires_at", "review_after", "enforce", "visibility", "groups",
)  # fmt: skip
"""The fields of the version before that the newest one gets from the other side."""


# Of a report they belong to its words: of two looks at different words one counts, as a
# whole.
_LOOKED = ("evidence", "fingerprints", "refreshed_at", "research")


def merge(
    base: Entry | None, older: Entry, newer: Entry
) -> tuple[Entry, tuple[str, ...]]:
    """Merge the fields of two versions of one entry.

    Returns:
        The entry, whose title and text are the newer side's, and a part of a sentence
        for each value that was not taken as it was.

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
            value = _RULES[name](*sides) if name in _RULES else sides[2]
            if not isinstance(value, tuple) and name not in _SILENT:
                other = sides[1] if value == sides[2] else sides[2]
                notes.append(f"{name} '{_shown(other)}' gave way to '{_shown(value)}'")
        values[name] = value
    if newer.layer is not Layer.FACT:
        looks = [decisions_of(side, _LOOKED) for side in (base or _PLAIN, older, newer)]
        look = settled(*looks)
        if look is not BOTH:
            values |= look
        elif older.body != newer.body:
            values |= looks[2]
        else:  # both add to what the same words rest on
            seen = [each.refreshed_at or each.created for each in (older, newer)]
            values["refreshed_at"] = min(seen, key=dates.to_epoch)
            values["research"] = newer.research if older.research else None
    readers = audience(base, older, newer)
    is_group = readers["visibility"] is Visibility.GROUP
    if is_group and readers["groups"] not in (older.groups, newer.groups):
        notes.append("both sides changed its groups: only those of both may see it")
    values |= readers | status(base, older, newer)
    if values["status"] is Status.ACTIVE and Status.REJECTED in (
        {older.status, newer.status} - {base and base.status}
    ):
        notes.append("one side approved it, and the other rejected it: it is in force")
    values["extra"], renamed = _extra(base, older, newer)
    notes += renamed
    merged = newer.replace(**values)
    by_agent = merged.resolution_scope is ResolutionScope.AGENT
    if base and by_agent and (is_pinned(merged) or merged.enforce):
        # An agent ends nothing that a person keeps.
        merged = merged.replace(**decisions_of(base, _STANDING))
    return merged, tuple(notes)


def carried(before: Entry, other: Entry, current: Entry) -> Entry:
    """The newest version with what another side made of the version before it."""
    merged, _ = merge(before, other, current)
    names = set(CARRIED)
    if current.layer is not Layer.FACT:
        same = other.body == current.body
        names = names.union(_LOOKED) if same else names.difference(_LOOKED)
    return current.replace(**decisions_of(merged, names))


def status(base: Entry | None, older: Entry, newer: Entry) -> dict[str, Any]:
    """The merged status with the fields that belong to it.

    One side's decision is taken. Of two, a resolve wins, then a new version, then an
    approval; of two that concern what was resolved, the later one.
    """
    sides = (base, older, newer)
    by = settled(*(side and decisions_of(side, _STANDING) for side in sides))
    if by is BOTH:
        ends = [Status.RESOLVED, Status.SUPERSEDED, Status.ACTIVE, newer.status]
        if base and base.status is Status.RESOLVED:
            ends = [Status.SUPERSEDED, newer.status]
        end = next(end for end in ends if end in (newer.status, older.status))
        either = (side for side in (newer, older) if side.status is end)
        by = decisions_of(max(either, key=_reach), _STANDING)
    return {**by}


def _reach(resolved: Entry) -> tuple[int, int]:
    """How many entries a resolve settles (that of `promote` the entry alone), and
    when."""
    scope = resolved.resolution_scope or "claim"
    return _WIDER.index(scope), dates.to_epoch(resolved.resolved_at)


def decisions_of(entry: Entry, names: Iterable[str]) -> dict[str, Any]:
    """The values that an entry has in these fields."""
    return {name: getattr(entry, name) for name in names}


def readers(entry: Entry) -> tuple[Visibility, tuple[str, ...]]:
    """Who may see an entry."""
    return entry.visibility, entry.groups


def audience(base: Entry | None, older: Entry, newer: Entry) -> dict[str, Any]:
    """Who may see an entry: what one side decided, or the narrower of two decisions.

    Of two lists of groups that is what stands in both. It is the same in either order
    but for the order of the groups.
    """
    told = [readers(side) for side in (older, newer)]
    decided = settled(base and readers(base), *told)
    if decided is BOTH:
        seen = min((visibility for visibility, _ in told), key=_NARROW.index)
        lists = [
            groups for visibility, groups in told
            if visibility is seen or seen is not Visibility.GROUP
        ]  # fmt: skip
        decided = seen, tuple(name for name in lists[-1] if name in lists[0])
    return dict(zip(("visibility", "groups"), decided, strict=True))


def _extra(
    base: Entry | None, older: Entry, newer: Entry
) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    """The merged keys that memcli does not use, in the newer side's order, and notes on
    what has a new name."""
    before, one, two = (dict(e.extra) if e else {} for e in (base, older, newer))
    merged: dict[str, str] = {}
    notes: list[str] = []
    for name in dict.fromkeys((*two, *one)):
        value = settled(before.get(name), one.get(name), two.get(name))
        if value is BOTH and not (name in one and name in two):
            value = two.get(name) or one[name]  # removed here, changed there
        elif value is BOTH and _IS_LIST.match(one[name]) and _IS_LIST.match(two[name]):
            sides = (before.get(name, ""), one[name], two[name])
            value = lines_of(name, union(*(tuple(values_of(side)) for side in sides)))
        elif value is BOTH:
            value = two[name]
            other, number = f"{name}_merged", 1
            while other in {*one, *two, *merged, *FIELDS}:
                number += 1
                other = f"{name}_merged{number}"
            merged[name] = value
            merged[other] = one[name].replace(name, other, 1)
            notes.append(f"both changed {name}: the other value stands in {other}")
        if value is not None:
            merged[name] = value
    return tuple(merged.items()), notes


def _shown(value: Any) -> str:
    return str(value)[:60]


# --- texts, by lines --------------------------------------------------------------


# Longer changes count as one: lines in another order take the square of their number,
# of 16,000 half a minute.
_MOST_LINES = 4_000


def merge_texts(base: str, older: str, newer: str) -> tuple[str, int]:
    """Merge two texts that were one: the text, and the number of conflicts, which are
    regions that both sides changed; the newer side's lines stand there.

    Args:
        base: what both were before; empty when they have nothing in common.
        older: the side that gives way where both changed the same lines.
        newer: the other side.

    >>> merge_texts("a\\nb\\nc\\n", "A\\nb\\nc\\n", "a\\nb\\nc\\nd\\n")
    ('A\\nb\\nc\\nd\\n', 0)
    >>> merge_texts("a\\n", "b\\n", "c\\n")
    ('c\\n', 1)
    """
    if older == newer or base == older:
        return newer, 0
    if base == newer:
        return older, 0
    if not base:  # every line would count as added by both
        return newer, 1
    start = base.split("\n")
    changes = sorted(
        (
            (first, end, side, lines)
            for side, text in enumerate((older, newer))
            for first, end, lines in _hunks(start, text.split("\n"))
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
        sides = [list(before), list(before)]
        for begin, stop, side, lines in reversed(group):
            sides[side][begin - first : stop - first] = lines
        one, two = sides
        merged += start[done:first]
        if first == end and before not in (one, two):
            head = _shared(one, two)
            tail = _shared(one[head:][::-1], two[head:][::-1])
            merged += [*one[: len(one) - tail], *two[head:]]
        else:
            conflicts += one not in (two, before) and two != before
            merged += one if two == before else two
        done = end
    merged += start[done:]
    return "\n".join(merged), conflicts


def _shared(one: list[str], two: list[str]) -> int:
    """How many lines two texts share at their beginning."""
    pairs = zip(one, two, strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _hunks(base: list[str], side: list[str]) -> list[tuple[int, int, list[str]]]:
    """The changes of a side, in the order of the base: from where to where (exclusive)
    other lines stand, and which."""
    from difflib import SequenceMatcher

    head = _shared(base, side)
    tail = _shared(base[head:][::-1], side[head:][::-1])
    old, new = base[head : len(base) - tail], side[head : len(side) - tail]
    if max(len(old), len(new)) > _MOST_LINES:
        return [(head, head + len(old), new)]
    # In a long text lines that it holds again and again anchor nothing (`autojunk`):
    # the time would grow with the square of their number.
    return [
        (head + first, head + end, new[start:stop])
        for what, first, end, start, stop in SequenceMatcher(
            None, old, new
        ).get_opcodes()
        if what != "equal"
    ]


# --- settings, by their keys ----------------------------------------------------------


def merge_settings(base: str, older: str, newer: str) -> tuple[str, str]:
    """Merge two texts of settings that were one, key by key.

    Lines know nothing of sections: a key for one agent could become a key for the next
    one. So what they give is corrected where it does not say what both sides say.

    Returns:
        The text, and the names of what both sides changed, where the newer side's
        holds; all `settings` where a text is no TOML.

    >>> merge_settings("", "[a]\\nx = 1\\n", "[a]\\ny = 2\\n")
    ('[a]\\ny = 2\\nx = 1\\n', '')
    """
    start, one, two = map(toml_text.flat, (base, older, newer))
    if start is None or one is None or two is None:
        return newer, "settings"
    wanted = {
        key: settled(start.get(key), one.get(key), two.get(key))
        for key in sorted({*one, *two})
    }
    both = [key for key, value in wanted.items() if value is BOTH]
    wanted |= {key: two.get(key) for key in both}
    told = {key: value for key, value in wanted.items() if value is not None}
    text, _ = merge_texts(base, older, newer)
    now = toml_text.flat(text)
    if now is None:
        text, now = newer, two
    changed = {
        ".".join(key): told.get(key)
        for key in {**wanted, **now}
        if now.get(key) != told.get(key)
    }
    if 0 < len(changed) <= _MOST_SET:
        with suppress(Exception):  # whatever it holds, what is not right is not taken
            text = toml_text.with_values(text, "", changed)
    if toml_text.flat(text) == told:
        return text, ", ".join(map(".".join, both))
    return newer, "settings"
