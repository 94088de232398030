"""The code that an entry speaks of: its anchors; and whether lines of code are still
what they were.

Invariant: pure. A path that `parse` returns is relative, stays below
its folder by its words alone, enters no `.git`, and is one printable line; whether a
link on the disk leads out is the question of `storage.checkout`. What an anchor is
written as is read back as the same anchor.

An anchor is one line, `PATH[:FROM-TO][#FINGERPRINT[@COMMIT]]`, which a person can type:
`src/app.py`, `src/app.py:10-20`.

The code cannot be read out of a fingerprint. Two texts have the same one when they
differ only in what editors and checkouts change without a change of meaning: the ends
of lines, white space before them, a byte order mark, blank lines. Indentation counts,
since in Python and YAML it is the meaning. A fingerprint is `11-1a2b3c4d9f8e7d6c`: the
number of lines that are not blank, a checksum of the first of them (eight digits), and
one of all (eight digits). By the first two the lines are found elsewhere in a file.
"""

from __future__ import annotations

import re
import zlib
from contextlib import suppress

from memcli.errors import InvalidValue
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 20
"""Anchors of one entry, at most."""

COMMIT_DIGITS = 12
"""Digits of a commit's id that an anchor keeps: git finds the commit by them."""

_LONGEST = 400
_SHOWN_DIGITS = 7
_FORM = (
    r"(.+?)(?::([0-9]{1,7})(?:-([0-9]{1,7}))?)?"
    r"(?:#([0-9]{1,7}-[0-9a-f]{16})(?:@([0-9a-f]{7,40}))?)?"
)


class Anchor(NamedTuple):
    """A file, or lines of it, as an entry names them.

    Attributes:
        path: relative to the project's folder, with `/`.
        first, last: its lines, counted from 1; 0 and 0 are the whole file.
        fingerprint: of these lines, as `fingerprint` gives it; empty where a
            person typed the anchor into a file.
        commit: the commit of the project at that time; empty where there was none.
    """

    path: str
    first: int = 0
    last: int = 0
    fingerprint: str = ""
    commit: str = ""

    @property
    def place(self) -> str:
        """The path and the lines, as `src/app.py:10-20`."""
        if not self.first:
            return self.path
        until = f"-{self.last}" if self.last != self.first else ""
        return f"{self.path}:{self.first}{until}"

    @property
    def since(self) -> str:
        """The commit as people write it, in seven digits; empty without one."""
        return self.commit[:_SHOWN_DIGITS]

    def __str__(self) -> str:
        mark = f"#{self.fingerprint}" if self.fingerprint else ""
        since = f"@{self.commit}" if mark and self.commit else ""
        return f"{self.place}{mark}{since}"


def checked(texts: Iterable[str]) -> tuple[str, ...]:
    """The anchors of an entry as memcli writes them.

    Raises:
        InvalidValue: one is none, or they are too many.
    """
    places = tuple(dict.fromkeys(str(parse(text)) for text in texts))
    if len(places) > MOST:
        raise InvalidValue(f"code holds more than {MOST} places", code="invalid_code")
    return places


def parse(text: str) -> Anchor:
    """The anchor that a text is.

    Raises:
        InvalidValue: it is none, or its path could lead out of the project.
    """
    match = re.fullmatch(_FORM, text.strip())
    if match is None:
        raise _refusal(text, "it names no file")
    path, first, last, mark, commit = match.groups()
    reason = unsafe(path.removeprefix("./"))
    if reason:
        raise _refusal(text, reason)
    start = int(first or 0)
    end = int(last or start)
    if first and not 1 <= start <= end:
        reason = "lines are counted from 1, and FROM comes before TO"
        raise _refusal(text, reason)
    commit = (commit or "")[:COMMIT_DIGITS]
    return Anchor(path.removeprefix("./"), start, end, mark or "", commit)


def read_all(code: Iterable[str]) -> list[Anchor]:
    """The anchors of a field of an entry; other values are passed over."""
    found = []
    for text in list(code)[:MOST]:
        with suppress(InvalidValue):
            found.append(parse(text))
    return found


def unsafe(path: str) -> str:
    """Why a path may not be followed in a project; empty where it may."""
    parts = path.split("/")
    is_safe = (
        len(path) <= _LONGEST
        and path.isprintable()
        and "\\" not in path
        and not re.match(r"~|[A-Za-z]:", path)
        and {"", ".", ".."}.isdisjoint(parts)
        and all(part.lower().rstrip(". ") != ".git" for part in parts)
    )
    return "" if is_safe else "its path leads out of the project, or is none"


def _refusal(text: str, reason: str) -> InvalidValue:
    return InvalidValue(
        f"code: not a place in the project's code: {text[:80]!r}: {reason}",
        hint="Write it like src/app.py or src/app.py:10-20, from the project's folder.",
        code="invalid_code",
    )


# --- lines of code --------------------------------------------------------------------


UNCHANGED, MOVED, CHANGED, GONE = "unchanged", "moved", "changed", "gone"
EXISTS = "exists"
"""The file or folder is there; what its lines say was not recorded."""
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
        raise InvalidValue(
            f"there is no line {last:,}; the file ends with line {len(lines):,}",
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
_MOST_LETTERS = 200


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
    """The differences between lines of a file and what took their place.

    Args:
        then: the file as it was.
        now: the file as it is.
        first, last: its lines as it was; 0 and 0 are all.
    """
    from difflib import unified_diff

    old, new = lines_of(then), lines_of(now)
    if max(len(old), len(new)) > MOST_LINES:
        return [f"(not compared: a file is longer than line {MOST_LINES:,})"]
    if first:
        start, end = mapped(then, now, first, last) or (1, 0)
        old, new = old[first - 1 : last], new[start - 1 : end]
    before = [line.decode("utf-8", "replace") for line in old]
    after = [line.decode("utf-8", "replace") for line in new]
    shown = [
        line[:_MOST_LETTERS]
        for line in list(unified_diff(before, after, n=2, lineterm=""))[2:]
        if not line.startswith("@@")
    ]
    left = len(shown) - _MOST_SHOWN
    if left > 0:
        shown[_MOST_SHOWN:] = [f"(and {left:,} more)"]
    return shown
