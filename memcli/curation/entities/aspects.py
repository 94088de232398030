"""Which side of an entity a memory tells of: what it prefers, decided, is, has done.

Invariant: pure, and a table: the kind decides where it says enough, then the first row
of `VERBS` of which a word stands in the text, then whether it has a date. The tables
are printed in docs/use/entities.md, and a test holds the two against each other.
"""

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
"""Aspects that a kind says by itself."""

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
"""Verbs of the other kinds, the first row that fits wins."""

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
        text: what it says; its first 500 characters are looked at.
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
