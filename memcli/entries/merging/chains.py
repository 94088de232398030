"""The versions of one entry that two clones have made, as one chain.

Invariant: pure and symmetric. After it no entry has two successors, what one side
evolved and the other changed in place is one lineage, and the newest version carries
what the other side added to the one before: tags, entities, evidence, a pin, a resolve.
A lineage that one side resolved stays resolved, and where both sides decided who may
see it, the narrower decision holds.

What both sides evolved is put into the order of the ids, which sort by time. So three
clones come to one chain in any order of merging.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from memcli.entries import dates, layout
from memcli.entries.entry import Entry, Status
from memcli.entries.merging import fields
from memcli.entries.merging.entry_file import MERGED_FROM
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


Entries = Mapping[str, Entry]


class Sides(NamedTuple):
    """The entries by id as the base and both sides have them, and the sides' names."""

    base: Entries
    ours: Entries
    theirs: Entries
    names: tuple[str, str]

    @property
    def both(self) -> list[tuple[str, Entries]]:
        """The two sides, in an order that does not depend on who merges."""
        pairs = [(self.names[0], self.ours), (self.names[1], self.theirs)]
        same = self.names[0] == self.names[1]
        return sorted(
            pairs, key=lambda pair: (pair[0], same and repr(sorted(pair[1].items())))
        )


class Joined(NamedTuple):
    """The entries that have to change, and by id what was decided.

    `heads` maps each version that gave way, or whose lineage went on elsewhere, to the
    version that is current.
    """

    changed: dict[str, Entry]
    notes: dict[str, str]
    heads: dict[str, str]


def join(merged: Entries, sides: Sides) -> Joined:
    """Make one chain of the versions of each entry.

    Args:
        merged: every entry that any side changed, each merged by itself.
        sides: what they were made of.
    """
    work = _Work(merged, sides)
    work.relink()
    work.straighten()
    work.follow()
    work.settle()
    changed = {name: entry for name, entry in work.now.items() if entry != merged[name]}
    return Joined(changed, work.notes, work.heads)


class _Work:
    """The state of one joining; `now` are the entries as they become."""

    def __init__(self, merged: Entries, sides: Sides) -> None:
        self.sides = sides
        self.now = dict(merged)
        self.notes: dict[str, str] = {}
        self.heads: dict[str, str] = {}
        known = {**sides.base, **sides.ours, **sides.theirs}
        self.gone = known.keys() - merged.keys()
        links = {(name, to) for name in known for to in self._links(name, True)}
        links |= {(to, name) for name in known for to in self._links(name, False)}
        self.after: dict[str, set[str]] = {name: set() for name, _ in links}
        for name, later in links:
            self.after[name].add(later)

    def _links(self, name: str, ahead: bool) -> set[str]:
        """The links of an entry; a side that did not change one says nothing of it."""
        field = "superseded_by" if ahead else "supersedes"
        before = getattr(self.sides.base.get(name), field, None)
        links = [
            getattr(side[name], field)
            for _, side in self.sides.both
            if name in side and not side[name].other_vault
        ]
        return set(filter(None, [link for link in links if link != before] or links))

    def _ahead(self, name: str, through: frozenset[str] | None = None) -> set[str]:
        """Every version that came after one; on ways through some alone, if given."""
        reached: set[str] = set()
        waiting = [*self.after.get(name, ())]
        while waiting:
            each = waiting.pop()
            if each not in reached:
                reached.add(each)
                if through is None or each in through:
                    waiting += self.after.get(each, ())
        return reached

    def relink(self) -> None:
        """Let every link that names a forgotten version name the one beyond it."""
        gone = frozenset(self.gone)
        self.after = {
            name: self._ahead(name, gone) - gone - {name}
            for name in self.after.keys() - gone
        }
        before = {
            later: name for name in sorted(self.after) for later in self.after[name]
        }
        for name, entry in self.now.items():
            changes: dict[str, Any] = {}
            ended = entry.status is Status.SUPERSEDED and not entry.superseded_by
            if ended or entry.superseded_by in gone:
                changes["superseded_by"] = min(self.after.get(name, ()), default=None)
            if entry.supersedes in gone:
                changes["supersedes"] = before.get(name)
            if changes:
                self.now[name] = entry.replace(**changes)

    def straighten(self) -> None:
        """Put versions that two sides made of one entry behind each other."""
        for name in sorted(self.after):
            if len(self.after[name]) > 1:
                ahead = self._ahead(name)
                self._chain(None if name in ahead else name, ahead)
        done: set[str] = set()
        for name in sorted(self.after):
            way: list[str] = []
            each: str | None = name
            while each is not None and each not in done:
                done.add(each)
                way.append(each)
                each = next(iter(self.after.get(each, ())), None)
            if each in way:  # a circle
                self._chain(None, {*way[way.index(each) :]})

    def _chain(self, root: str | None, group: set[str]) -> None:
        """Let the versions of a group follow a root, in the order of their ids."""
        order = sorted(group & self.now.keys())
        if not order:
            return
        head = order[-1]
        for name in group:
            self.after[name] = set()
        chain = order if root is None else [root, *order]
        for name, later in pairwise(chain):
            self.after[name] = {later}
            self.now[later] = self.now[later].replace(supersedes=name)
            if name in self.now:
                self._supersede(name, later, head)
        if root is None:
            self.now[order[0]] = self.now[order[0]].replace(supersedes=None)
        if self.now[head].superseded_by in group:
            self.now[head] = self.now[head].replace(superseded_by=None)

    def _supersede(self, name: str, successor: str, head: str) -> None:
        """Let a version be replaced by another one."""
        entry = self.now[name]
        changes: dict[str, Any] = {"superseded_by": successor}
        sides = [(who, side[name]) for who, side in self.sides.both if name in side]
        chosen = [
            e.reason for _, e in sides if e.superseded_by == successor and e.reason
        ]
        if chosen:
            changes["reason"] = chosen[0]
        elif sides and not any(e.superseded_by for _, e in sides):
            changes["reason"] = f"{MERGED_FROM}{sides[0][0]}"
            self.notes[head] = (
                "both sides evolved it: the later version is current, "
                f"and the one by {sides[0][0]} is in the archive as {name}"
            )
        if entry.status is not Status.RESOLVED:
            changes["status"] = Status.SUPERSEDED
        if entry.superseded_by != successor:
            times = (entry.updated, entry.created, self.now[head].created)
            changes["updated"] = max(
                filter(None, times), key=dates.to_epoch, default=""
            )
            self.heads[name] = head
        self.now[name] = entry.replace(**changes)

    def follow(self) -> None:
        """Let the newest version have what the other side added to the one before."""
        for name, before in sorted(self.sides.base.items()):
            if before.superseded_by in self.sides.base:
                continue
            head = _end(name, self.now)
            if head is None:
                continue
            ends = []
            for who, side in self.sides.both:
                end = _end(name, side)
                if end is None:
                    continue
                ends.append(side[end])
                if end != head:
                    self.heads[end] = head
                    self._carry(before, side[end], head, who)
            self._stay_resolved(before, ends, head)

    def _carry(self, before: Entry, other: Entry, head: str, who: str) -> None:
        current = self.now[head]
        self.now[head], notes = fields.carried(before, other, current)
        for note in notes:
            self.notes.setdefault(head, note)
        edited = other.id == before.id and other.body != before.body
        kept = self.now.get(other.id)
        if edited and kept is not None and kept.status is not Status.ACTIVE:
            self.now[other.id] = kept.replace(reason=f"{MERGED_FROM}{who}")
            self.notes[head] = (
                f"one side evolved it, and {who} changed the text before: "
                f"that text is in the archive as {other.id}"
            )

    def _stay_resolved(self, before: Entry, ends: list[Entry], head: str) -> None:
        """Let the newest version be resolved, or reopened, as one side decided."""
        current = self.now[head]
        resolved = [end for end in ends if end.status is Status.RESOLVED]
        is_resolved = current.status is Status.RESOLVED
        if before.status is Status.RESOLVED:
            # It was resolved by a merge, as the version before that is open again.
            followed = current.resolved_at == before.resolved_at
            reopened = len(resolved) < len(ends) and followed
            if reopened and is_resolved and not current.superseded_by:
                plain = fields.decisions_of(Entry(""), fields.RESOLUTION)
                self.now[head] = current.replace(status=Status.ACTIVE, **plain)
        elif resolved and not is_resolved:
            by = max(resolved, key=lambda end: (end.resolved_at or "", end.id))
            decided = fields.decisions_of(by, fields.RESOLUTION)
            self.now[head] = current.replace(status=Status.RESOLVED, **decided)
            self.notes[head] = (
                "one side resolved it, and the other wrote a new version: it stays "
                "resolved"
            )

    def settle(self) -> None:
        """Let no version that was replaced count as one in use."""
        trees = (self.sides.base, self.sides.ours, self.sides.theirs)
        for name, entry in self.now.items():
            over = entry.superseded_by or (
                entry.path.startswith(layout.ARCHIVE + "/")
                and any(
                    name in tree and tree[name].status is not Status.ACTIVE
                    for tree in trees
                )
            )
            if entry.status is Status.ACTIVE and over:
                self.now[name] = entry.replace(status=Status.SUPERSEDED)


def _end(name: str, entries: Entries) -> str | None:
    """The version that stands for one now; None when it is gone, or a circle."""
    seen: set[str] = set()
    while name in entries and name not in seen:
        seen.add(name)
        later = entries[name].superseded_by
        if not later or later not in entries:
            return name
        name = later
    return None
