"""Whether lines of code are still what they were, and where a change moved them.

Invariant: pure, and bounded by the size of the file. The code cannot be read out of a
fingerprint. Two texts have the same one when they differ only in what editors and
checkouts change without a change of meaning:

- the ends of lines: git writes CRLF or LF by the settings of each machine;
- white space at a line's end, and a byte order mark: editors remove them unasked;
- blank lines: formatters put them in and take them out.

Indentation counts, since in Python and YAML it is the meaning. So does all else.

A fingerprint is `11-1a2b3c4d9f8e7d6c`: the number of lines that are not blank, a
checksum of the first of them (eight digits), and one of all (eight digits). The number
and the first line's checksum are what makes it cheap to find the lines elsewhere in a
file: only where a line has that checksum are so many lines looked at.
"""

from __future__ import annotations

import re
import zlib

from memcli.errors import InvalidValue
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.entries.anchors import Anchor


UNCHANGED, MOVED, CHANGED, GONE = "unchanged", "moved", "changed", "gone"
EXISTS = "exists"
"""The file or the name is there; what its lines say was not recorded."""
NOT_CHECKED = "not_checked"

STALE = (CHANGED, GONE)
"""The states that say: look again before you rely on the entry."""

_BOM = b"\xef\xbb\xbf"
_CHECKSUM_DIGITS = 8
# Lines that are looked at for one anchor. Only a file in which the first line of a
# long anchor stands thousands of times needs more.
_MOST_LINES = 500_000


class Found(NamedTuple):
    """The fate of an anchor's lines, and where they are now; 0: the whole file."""

    state: str
    first: int = 0
    last: int = 0


def fingerprint(data: bytes, first: int = 0, last: int = 0) -> str:
    """The fingerprint of a file, or of its lines `first` to `last`, counted from 1.

    Raises:
        InvalidValue: the file has no such lines, or they are blank.
    """
    lines = lines_of(data)
    if last > len(lines):
        from memcli.entries.text.counted import counted

        raise InvalidValue(
            f"the file has {counted(len(lines), 'line')}; there is no line {last:,}",
            code="invalid_code",
        )
    part = list(filter(None, lines[first - 1 : last] if first else lines))
    if first and not part:
        raise InvalidValue("these lines are blank", code="invalid_code")
    return _mark(part)


def compare(anchor: Anchor, data: bytes) -> Found:
    """Finds an anchor's lines in the file as it is now.

    Of several places that hold the same lines, the nearest to the old one counts.
    """
    first, last = anchor.first, anchor.last
    if not anchor.fingerprint:
        return Found(EXISTS, first, last)
    lines = lines_of(data)
    there = lines[first - 1 : last] if first else lines
    if _mark(list(filter(None, there))) == anchor.fingerprint:
        return Found(UNCHANGED, first, last)
    if not first:
        return Found(CHANGED)
    numbers = [number for number, line in enumerate(lines, 1) if line]
    starts = _starts(list(filter(None, lines)), anchor.fingerprint)
    if not starts:
        return Found(NOT_CHECKED if starts is None else CHANGED, first, last)
    start = min(starts, key=lambda place: abs(numbers[place] - first))
    end = start + _size(anchor.fingerprint) - 1
    state = UNCHANGED if numbers[start] == first else MOVED
    return Found(state, numbers[start], numbers[end])


def _starts(lines: list[bytes], mark: str) -> list[int] | None:
    """The places where the lines of a fingerprint begin; None: too many to look at."""
    size = _size(mark)
    if not size:
        return []
    first = int(mark.partition("-")[2][:_CHECKSUM_DIGITS], 16)
    found: list[int] = []
    left = _MOST_LINES
    for place, line in enumerate(lines[: max(0, len(lines) - size + 1)]):
        if zlib.crc32(line) == first:
            left -= size
            if left < 0:
                return found or None
            if _mark(lines[place : place + size]) == mark:
                found.append(place)
    return found


def _size(mark: str) -> int:
    """How many lines that are not blank a fingerprint is of."""
    return int(mark.partition("-")[0])


def _mark(lines: list[bytes]) -> str:
    """The fingerprint of lines as `lines_of` gives them, without blank ones."""
    from hashlib import blake2b

    first = zlib.crc32(lines[0]) if lines else 0
    whole = blake2b(b"\n".join(lines), digest_size=_CHECKSUM_DIGITS // 2).hexdigest()
    return f"{len(lines)}-{first:08x}{whole}"


def lines_of(data: bytes) -> list[bytes]:
    """The lines as editors count them, without what stands at their ends."""
    lines = data.removeprefix(_BOM).split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line.rstrip() for line in lines]


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
