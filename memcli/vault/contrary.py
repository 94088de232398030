"""Which entries a new one seems to contradict.

Invariant: a hint and nothing more: the entry is saved, and nothing else is changed.
Named is only what holds where the new one does, and could be meant as the same claim.
"""

from __future__ import annotations

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memcli.entries.entry import Entry
    from memcli.search.stored_row import StoredRow

_MOST = 3
# Kinds of what is so. A plan, an idea or an event contradicts only one of its own kind:
# "delete the XML serializer" goes well with "XML was dropped".
_OF_STATE = frozenset(
    """
    note preference decision convention constraint workflow reference fix lesson
    """.split()
)
# Kinds of what ends: an entry that denies one says that it is over.
_OVER = ("blocker",)


class Contrary(NamedTuple):
    """An entry that says otherwise; `rule` is numbers, negation, alternative, given_up
    or order, and `why` says it as a sentence."""

    id: str
    title: str
    kind: str
    rule: str
    why: str

    def sentence(self, new_id: str) -> str:
        """What the entry says, and the commands that show it and that end it."""
        told = f"{self.id} may say otherwise ({self.why}): {self.title}"
        told += f"; look first: memcli show {self.id}"
        if self.kind in _OVER:
            return f"{told}; only if it is over: memcli resolve {self.id}"
        then = f"memcli evolve {new_id} --also {self.id}"
        return f"{told}; both may hold; only if it no longer does: {then}"


def contrary(entry: Entry, rows: Iterable[StoredRow]) -> list[Contrary]:
    """Of these rows those that the entry seems to contradict, at most 3.

    Args:
        entry: the new one.
        rows: entries in force, those that are nearest first.
    """
    from memcli.entries.text.disagreement import claim, disagree

    newer = claim(entry.body)
    if newer is None or entry.layer != "fact":
        return []
    found = []
    for row in rows:
        # What says that a blocker is gone is of another kind, and only denies it.
        over = row.kind in _OVER and entry.kind != row.kind
        older = claim(row.text) if _comparable(entry, row) else None
        reason = disagree(older, newer) if older else None
        if reason and (reason[0] == "negation" or not over):
            found.append(Contrary(row.id, row.title, row.kind, *reason))
    return found[:_MOST]


def _comparable(entry: Entry, row: StoredRow) -> bool:
    """Whether both could be the same claim: of one layer, kind, time and subject."""
    from memcli.entries.text.tokens import name_key

    ends = row.kind in _OVER and entry.kind in {*_OF_STATE, "event", row.kind}
    same = entry.kind == row.kind or {entry.kind, row.kind} <= _OF_STATE
    if row.layer != "fact" or not (same or ends):
        return False
    happened = {entry.occurred_at, row.occurred_at} - {None}
    if entry.kind == "event" and len(happened) > 1:
        return False
    mine = {name_key(name) for name in entry.entities}
    theirs = {name_key(name) for name in row.entities}
    # What the text itself names is part of its claim: "We chose Sentry".
    said = all(name.lower() in entry.body.lower() for name in entry.entities)
    return said or not theirs or bool(mine & theirs)
