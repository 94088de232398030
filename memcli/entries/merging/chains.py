"""The versions of one entry that two clones have made, as one chain.

Invariant: pure and symmetric. After it no entry has two successors, what one side
evolved and the other changed in place is one lineage, and the newest version carries
what the other side added to the one before: tags, entities, evidence, a pin, a resolve.
A lineage that one side resolved stays resolved, and where both sides decided who may
see it, the narrower decision holds.

A lineage that both sides evolved, or that lost a version, is put in the order of its
ids, which are times; a pinned model that nothing has replaced comes last. So three
clones come to one chain in any order of merging.

Where one side undid what the other changed, the undo does not count (`overruled`). An
entry whose replacement the other side has forgotten is in force again (`Joined.back`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from memcli.entries import dates, layout
from memcli.entries.eligibility import is_pinned
from memcli.entries.entry import Entry, Layer, ResolutionScope, Status, Subtype
from memcli.entries.ids import is_adopted
from memcli.entries.merging import fields
from memcli.entries.merging.files import MERGED_FROM

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any


Entries = Mapping[str, Entry]
_Side = tuple[str, Entries]

_LAYERS = tuple(Layer)
_RESOLVED = ("status", *fields.RESOLUTION)
_NONE = Entry("")
_OPEN = fields.decisions_of(_NONE, _RESOLVED)


class Joined:
    """The versions of each entry as one chain.

    Args:
        merged: every entry that any side changed, each merged by itself.
        base: the entries by id, as both sides had them.
        sides: each with its name.

    Attributes:
        now: the entries as they become.
        notes: by id what was decided.
        replaced: the versions that gave way, or whose lineage went on elsewhere.
        back: those in force again, since what replaced them was forgotten.
    """

    def __init__(self, merged: Entries, base: Entries, *sides: _Side) -> None:
        self._merged, self._base = merged, base
        is_unnamed = len(dict(sides)) < len(sides)
        # In an order that does not depend on who merges.
        self._both = sorted(
            sides,
            key=lambda side: (side[0], is_unnamed and repr(sorted(side[1].items()))),
        )
        self.now = dict(merged)
        self.notes: dict[str, str] = {}
        self.replaced: set[str] = set()
        self.back: set[str] = set()
        known = {*base}.union(*(side for _, side in sides))
        self._gone = known - merged.keys()
        # By each version those that any side has directly after it.
        self._after: dict[str, set[str]] = {}
        for name in known:
            for later in self._links(name, "superseded_by"):
                self._after.setdefault(name, set()).add(later)
            for before in self._links(name, "supersedes"):
                self._after.setdefault(before, set()).add(name)
        for group in self._lineages():
            self._line_up(group)
        # From here on no link changes.
        ends = [_ends(tree) for tree in (self.now, *(side for _, side in self._both))]
        for name, entry in sorted(base.items()):
            if entry.superseded_by not in base:
                self._follow(name, entry, *(each.get(name) for each in ends))
        self._settle()
        for name, looked in _looked_before(base, *(side for _, side in sides)):
            report = self.now.get(name)
            if report is not None and report.status is Status.ACTIVE:
                self.now[name] = report.replace(refreshed_at=looked)

    @property
    def changed(self) -> dict[str, Entry]:
        """The entries that have to change."""
        return {n: entry for n, entry in self.now.items() if entry != self._merged[n]}

    def _links(self, name: str, field: str) -> set[str]:
        """The links of an entry; a side that did not change one says nothing of it."""
        before = getattr(self._base.get(name), field, None)
        links = {
            getattr(side[name], field) for _, side in self._both if name in side
        } - {None}
        return links - {before} or links

    def _lineages(self) -> Iterator[set[str]]:
        """The ids that links tie together, in groups."""
        beside: dict[str, set[str]] = {}
        for name, laters in self._after.items():
            for later in laters:
                beside.setdefault(name, set()).add(later)
                beside.setdefault(later, set()).add(name)
        while beside:
            group, waiting = set[str](), [next(iter(beside))]
            while waiting:
                name = waiting.pop()
                if name not in group:
                    group.add(name)
                    waiting += beside.pop(name)
            yield group

    def _line_up(self, group: set[str]) -> None:
        """Put the versions of an entry behind each other, without the forgotten ones.

        A line of versions stays as it is; two versions after one, and a circle, in
        which each has one after it, become a line.
        """
        laters = {name: self._after.get(name, set()) for name in group}
        lost = group & self._gone
        if not lost and max(map(len, laters.values())) < 2 and not all(laters.values()):
            for name in group & self.now.keys():
                entry = self.now[name]
                if entry.status is Status.SUPERSEDED and not entry.superseded_by:
                    self._change(name, superseded_by=min(laters[name], default=None))
            return
        # A head that is not among `now` is one that no side has changed: it stays.
        last = ((name, self.now.get(name)) for name in group if not laters[name])
        kept = {n for n, e in last if e is None or e.subtype is Subtype.PINNED}
        ages = _ages(laters)
        order = sorted(
            group - lost, key=lambda n: (n in kept, not is_adopted(n), ages[n], n)
        )
        for before, name in pairwise(["", *order]):
            entry = self.now.get(name, _NONE)
            if entry.id and (before or entry.supersedes in group):
                self._change(name, supersedes=before or None)
        for name, later in pairwise([*order, ""]):
            entry = self.now.get(name, _NONE)
            if entry.id and later:
                self._supersede(entry, later, order[-1])
            elif entry.superseded_by in group:
                self._change(name, superseded_by=None)
                forgot = [
                    side for _, side in self._both if not laters[name] & side.keys()
                ]
                had = [side[name] for side in forgot if name in side]
                knew = any(each.superseded_by for each in had)
                if entry.status is Status.SUPERSEDED and not knew:
                    # What replaced it was no word of anybody's for it.
                    was = had[0].updated if had else entry.updated
                    self._change(name, status=Status.ACTIVE, reason=None, updated=was)
                    self.notes[name] = _BACK
                    self.back.add(name)

    def _change(self, name: str, **values: Any) -> None:
        self.now[name] = self.now[name].replace(**values)

    def _supersede(self, entry: Entry, successor: str, head: str) -> None:
        """Let a version be replaced by another one."""
        name = entry.id
        values: dict[str, Any] = {"superseded_by": successor}
        sides = [(who, side[name]) for who, side in self._both if name in side]
        reasons = [e.reason for _, e in sides if e.superseded_by == successor]
        if any(reasons):
            values["reason"] = next(filter(None, reasons))
        elif sides and not any(e.superseded_by for _, e in sides):
            who = sides[0][0]
            values["reason"] = f"{MERGED_FROM}{who}"
            self.notes[head] = (
                "both sides evolved it: the later version, or a pinned one, is "
                f"current, and the one by {who} is in the archive as {name}"
            )
        if entry.status is not Status.RESOLVED:
            values["status"] = Status.SUPERSEDED
        if entry.superseded_by != successor:
            created = self.now[head].created if head in self.now else ""
            times = (entry.updated, entry.created, created)
            values["updated"] = max(filter(None, times), key=dates.to_epoch, default="")
            self.replaced.add(name)
        self._change(name, **values)

    def _follow(
        self, name: str, before: Entry, head: str | None, *ends: str | None
    ) -> None:
        """Let the newest version have what a side made of the one before."""
        for (who, side), end in zip(self._both, ends, strict=True):
            if not (head and end):
                continue
            if end != head:
                self.replaced.add(end)
                self._carry(before, side[end], head, who)
            if fields.readers(before) == fields.readers(side[end]):
                continue
            later = name
            while later != head:
                later = self.now[later].superseded_by or head
                if later not in side:
                    self._narrow(before, side[end], self.now[later])

    def _narrow(self, before: Entry, other: Entry, later: Entry) -> None:
        """Let no more see a version than another side lets see the one before, which
        its author did not know."""
        told = later.replace(**fields.audience(before, other, later))
        self._change(later.id, **fields.audience(None, told, later))

    def _carry(self, before: Entry, other: Entry, head: str, who: str) -> None:
        current = fields.carried(before, other, self.now[head])
        if current.agent not in (None, before.agent):  # a person chose other words
            own = self.now[head]
            current = current.replace(pinned=own.pinned, enforce=own.enforce)
        kept = self.now.get(other.id)
        edited = other.id == before.id and other.body != before.body
        if edited and current.body == before.body:
            current = current.replace(body=other.body)
        elif edited and kept is not None and kept.status is not Status.ACTIVE:
            self._change(other.id, reason=f"{MERGED_FROM}{who}")
            self.notes[head] = (
                f"one side evolved it, and {who} changed the text before: "
                f"that text is in the archive as {other.id}"
            )
        was, has, now = map(_resolution, (before, other, current))
        # An agent ends nothing that a person keeps.
        if is_pinned(current) and has.get("resolution_scope") is ResolutionScope.AGENT:
            has = was
        decided = fields.settled(was, has, now)
        if decided is fields.BOTH:
            decided = max(has, now, key=lambda each: each.get("resolved_at") or "")
        if decided and not now:
            self.notes[head] = (
                "one side resolved it, and the other wrote a new version: it stays "
                "resolved"
            )
        if decided != now:
            current = current.replace(**(decided or _OPEN))
        self.now[head] = current

    def _settle(self) -> None:
        """Let no version that was replaced count as one in use."""
        sides = (self._base, *(side for _, side in self._both))
        for name, entry in self.now.items():
            over = entry.superseded_by or (
                layout.is_archived(entry.path)
                and any(
                    name in side and side[name].status is not Status.ACTIVE
                    for side in sides
                )
            )
            if entry.status is Status.ACTIVE and over and name not in self.back:
                self._change(name, status=Status.SUPERSEDED)


def _resolution(entry: Entry) -> dict[str, Any]:
    """The fields that a resolve has set; none when the entry is not resolved."""
    is_resolved = entry.status is Status.RESOLVED
    return fields.decisions_of(entry, _RESOLVED) if is_resolved else {}


def _ends(entries: Entries) -> dict[str, str | None]:
    """By each version the one that stands for it now; None when that is a circle."""
    ends: dict[str, str | None] = {}
    for first in entries:
        name, way = first, []
        while name not in ends:
            later = entries[name].superseded_by
            way.append(name)
            ends[name] = None if later in entries else name
            name = later if later and later in entries else name
        ends.update(dict.fromkeys(way, ends[name]))
    return ends


def _looked_before(
    base: Mapping[str, Entry], one: Mapping[str, Entry], two: Mapping[str, Entry]
) -> Iterator[tuple[str, str]]:
    """The reports of one side that could not know what the other side wrote of their
    subject before their author looked: with the second before the first of that."""
    for mine, others in ((one, two), (two, one)):
        reports = [
            (name, entry, dates.to_epoch(entry.refreshed_at or entry.created))
            for name, entry in mine.items()
            if entry.layer is not Layer.FACT and entry.created
            if base.get(name) != entry
        ]
        news = [
            (dates.to_epoch(entry.created), entry)
            for name, entry in others.items()
            if reports and entry.created and not (name in base or name in mine)
        ]
        for name, report, looked in reports:
            unknown = [
                at
                for at, entry in news
                if at <= looked
                and _LAYERS.index(entry.layer) < _LAYERS.index(report.layer)
                and {*_subjects(report)} & {*_subjects(entry), *entry.tags}
            ]
            if unknown:
                yield name, dates.iso(min(unknown) - 1)


def _subjects(entry: Entry) -> Sequence[str]:
    """The subjects of an entry: its entities as they are compared, or else its tags."""
    from memcli.entries.text.tokens import name_key

    return [f"@{name_key(name)}" for name in entry.entities] or entry.tags


def _ages(laters: Mapping[str, set[str]]) -> dict[str, tuple[str, int]]:
    """A key for each version of a lineage, by which it comes after what it replaces:
    the newest id among these and its own, and the steps from there.

    A clock may have been wrong, and a candidate older than what it replaces.
    """
    ages = {name: (name, 0) for name in laters}
    before = Counter(later for names in laters.values() for later in names)
    ready = [name for name in laters if not before[name]]
    for name in ready:
        newest, steps = ages[name]
        for later in laters[name]:
            ages[later] = max(ages[later], (newest, steps + 1))
            before[later] -= 1
            if not before[later]:
                ready.append(later)
    return ages


_KEPT = "one side took it back with undo, and the other changed it: it stays"
_BACK = "one side replaced it by an entry that the other forgot: it is in force"


def overruled(
    base: Entries, *sides: Entries, undid: Sequence[Callable[[Entry], bool]]
) -> Iterator[tuple[int, str, str]]:
    """The entries that a side is to have as they were in the base, but for their words.

    Args:
        base: the entries that any side changed, by id, as both sides had them.
        sides: the same, as each has them.
        undid: for each side whether it removed an entry of the base by an undo.

    Yields:
        The number of the side, the id, and why; empty where another entry tells it.
    """
    active = [
        {name for name, entry in tree.items() if entry.status is Status.ACTIVE}
        for tree in (*sides, base)
    ]
    replaced: dict[str | None, list[str]] = {}
    for name, entry in base.items():
        replaced.setdefault(entry.superseded_by, []).append(name)
    for number, mine in enumerate(sides):
        for name, was in base.items():
            here, there = mine.get(name), sides[1 - number].get(name)
            if there is None or was in (here, there) or is_adopted(name):
                continue
            back = active[number].intersection(replaced.get(name, ()))
            if here is None:
                undone = bool(back) or undid[number](was)
            elif here.status is Status.PENDING:  # no more than a candidate, again
                undone = name in active[2] and there.status is not Status.PENDING
            else:
                ended = there.status is Status.RESOLVED is not here.status
                undone = bool(back) and ended
            if undone:
                yield number, name, _KEPT
                yield from ((number, each, "") for each in back)
