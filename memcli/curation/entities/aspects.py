"""The aspect of an entity that a memory describes: a preference, a decision, an event.

Invariant: pure, and a table: the kind decides where it says enough, then the first row
of `VERBS` with a word in the text, then whether the memory has a date. A test proves
that docs/use/projects.md shows the same tables.
"""

from __future__ import annotations

import re

KINDS = {
    "preference": "preference",
    "decision": "decision",
    "event": "event",
    "constraint": "rule",
    "convention": "rule",
    "lesson": "lesson",
    "fix": "lesson",
    "blocker": "status",
    "action": "status",
    "workflow": "workflow",
    "skill": "workflow",
}
"""Kinds that decide the aspect by themselves."""

VERBS = {
    "decision": "decided, agreed, chose, picked, settled on, went with, switched to",
    "preference": "prefers, likes, loves, hates, dislikes, would rather, favourite",
    "rule": "must, never, always, should not, do not, don't",
    "status": "is down, is broken, fails, is blocked, is done, is live, deprecated",
    "relation": "uses, depends on, requires, owns, belongs to, part of, runs on, "
    "works with, works on, works for, reports to, replaces, maintains, calls, "
    "is based on",
    "event": "released, launched, shipped, met, joined, left, migrated, happened",
    "lesson": "learned, turned out, it helps to",
}
"""Verbs that decide the aspect for other kinds; the first row that fits wins."""

OTHER = "about"
ORDER = (
    *("preference", "decision", "rule", "status", "relation", "event", "lesson"),
    *("workflow", OTHER),
)
"""The aspects, in the order in which they are shown."""


def aspect(kind: str, text: str, *, dated: bool = False) -> str:
    """The aspect of a memory.

    Args:
        kind: its kind.
        text: its text; the first 500 characters count.
        dated: whether it says when it happened.

    >>> aspect("note", "Ada owns the checkout service")
    'relation'
    """
    if kind in KINDS:
        return KINDS[kind]
    plain = text[:500].lower().replace("’", "'")
    for name, verbs in VERBS.items():
        words = "|".join(re.escape(verb) for verb in verbs.split(", "))
        if re.search(rf"\b(?:{words})\b", plain):
            return name
    return "event" if dated else OTHER
