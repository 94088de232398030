"""Numbers of things, as a sentence says them.

Invariant: every message that counts something asks `counted`: none says "1 entries".
"""

from __future__ import annotations

_IRREGULAR = {"memory": "memories", "is": "are", "has": "have", "that": "those"}


def counted(number: float, thing: str) -> str:
    """A number with the thing that it counts.

    >>> counted(1, "entry"), counted(1200, "entry"), counted(0, "day")
    ('1 entry', '1,200 entries', '0 days')
    """
    shown = f"{number:,g}" if isinstance(number, float) else f"{number:,}"
    return f"{shown} {agreeing(number, thing)}"


def agreeing(number: float, word: str) -> str:
    """A noun, or a verb of the third person, in the form that goes with a number.

    >>> agreeing(1, "waits"), agreeing(2, "waits"), agreeing(2, "is")
    ('waits', 'wait', 'are')
    """
    if number == 1:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word in _VERBS:
        return _VERBS[word]
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


_VERBS = {"waits": "wait", "matches": "match", "begins": "begin", "links": "link"}
