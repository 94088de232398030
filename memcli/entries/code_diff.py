"""What changed between two versions of a file, around the lines that an entry names.

Invariant: pure, and bounded: files of more lines than `MOST_LINES` are not compared,
and a difference has at most `_MOST_SHOWN` lines of `_LONGEST` characters.
"""

from __future__ import annotations

import re

from memcli.entries.code_lines import lines_of

MOST_LINES = 10_000
"""Lines of a file, above which it is not compared: it would take seconds."""

_MOST_SHOWN = 60
_LONGEST = 200


def mapped(then: bytes, now: bytes, first: int, last: int) -> tuple[int, int] | None:
    """Where lines of a file are in its later version, changed or not.

    None where none of them, nor what took their place, is left, and for files that are
    too long.

    >>> mapped(b"a\\nb\\nc\\n", b"x\\na\\nB\\nc\\n", 2, 2)
    (3, 3)
    """
    from difflib import SequenceMatcher

    old, new = lines_of(then), lines_of(now)
    if max(len(old), len(new)) > MOST_LINES or last > len(old):
        return None
    start = end = len(new)
    # Backwards, so that the first block that holds a line has the last word.
    for tag, i1, i2, j1, j2 in reversed(SequenceMatcher(None, old, new).get_opcodes()):
        if i1 <= first - 1 < i2:
            start = j1 + (first - 1 - i1 if tag == "equal" else 0)
        if i1 < last <= i2:
            end = j1 + last - i1 if tag == "equal" else j2
    return (start + 1, end) if start < end else None


def diff(then: bytes, now: bytes, first: int, last: int) -> list[str]:
    """The differences that touch lines of a file, as a unified diff has them.

    Args:
        then: the file as it was.
        now: the file as it is.
        first, last: its lines as it was; 0 and 0 are all.
    """
    from difflib import unified_diff

    old, new = lines_of(then), lines_of(now)
    if max(len(old), len(new)) > MOST_LINES:
        return [f"(not compared: a file is longer than line {MOST_LINES:,})"]
    shown: list[str] = []
    wanted = False
    before = [line.decode("utf-8", "replace") for line in old]
    after = [line.decode("utf-8", "replace") for line in new]
    for line in list(unified_diff(before, after, n=2, lineterm=""))[2:]:
        if line.startswith("@@"):
            wanted = not first or _touches(line, first, last)
        if wanted:
            shown.append(line[:_LONGEST])
    left = len(shown) - _MOST_SHOWN
    if left > 0:
        shown[_MOST_SHOWN:] = [f"(and {left:,} more)"]
    return shown


def _touches(header: str, first: int, last: int) -> bool:
    """Whether a hunk is about some of these lines of the older file."""
    match = re.match(r"@@ -(\d+)(?:,(\d+))?", header)
    if match is None:
        return False
    start, count = int(match[1]), int(match[2] or 1)
    return start <= last and start + max(count, 1) > first
