"""git's marks of a merge conflict in a text.

Invariant: pure. A text is in conflict when all three marks begin a line, in their
order; marks that are quoted are indented.
"""

from __future__ import annotations

_MARKS = (r"^<{7} ", r"^={7}\r?$", r"^>{7} ")


def begins(text: str) -> int:
    """Where a conflict begins in a text; -1 when it holds none.

    >>> begins("one\\n<<<<<<< HEAD\\na\\n=======\\nb\\n>>>>>>> other\\n")
    4
    """
    if "<<<<<<< " not in text:
        return -1
    import re

    places = [0]
    for mark in _MARKS:
        found = re.compile(mark, re.MULTILINE).search(text, places[-1])
        if found is None:
            return -1
        places.append(found.start())
    return places[1]
