"""Numbers of things, as a sentence says them.

Invariant: every message that counts something asks `counted`: none says "1 entries".
"""

from __future__ import annotations


def counted(number: float, thing: str) -> str:
    """A number with the thing that it counts.

    >>> counted(1, "entry"), counted(1200, "entry"), counted(0, "match")
    ('1 entry', '1,200 entries', '0 matches')
    """
    shown = f"{number:,g}" if isinstance(number, float) else f"{number:,}"
    if number == 1:
        return f"{shown} {thing}"
    if thing.endswith("y") and thing[-2:-1] not in "aeiou":
        return f"{shown} {thing[:-1]}ies"
    return f"{shown} {thing}{'es' if thing.endswith(('s', 'x', 'ch', 'sh')) else 's'}"
