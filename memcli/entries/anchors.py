"""The code that an entry speaks of: anchors, and names that its text mentions.

Invariant: pure. A path that `parse` or `parse_name` returns is relative, stays below
its folder by its words alone, enters no `.git`, and is one printable line; whether a
link on the disk leads out is the question of `storage.checkout`. What an anchor is
written as is read back as the same anchor.

An anchor is one line, `PATH[:FROM-TO][#FINGERPRINT[@COMMIT]]`, which a person can type:
`src/app.py`, `src/app.py:10-20`. A name is `PATH` or `SYMBOL@PATH`.
"""

from __future__ import annotations

import re

from memcli.errors import InvalidValue
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeVar

    _Place = TypeVar("_Place")

MOST = 20
"""Anchors of one entry, and names of one entry, at most."""

COMMIT_DIGITS = 12
"""Digits of a commit's id that an anchor keeps: git finds the commit by them."""

PATH, SYMBOL = "path", "symbol"

_LONGEST = 400
_SHOWN_DIGITS = 7
_FORM = (
    r"(.+?)(?::([0-9]{1,7})(?:-([0-9]{1,7}))?)?"
    r"(?:#([0-9]{1,7}-[0-9a-f]{16})(?:@([0-9a-f]{7,40}))?)?"
)
_SYMBOL = r"[A-Za-z_$][\w.$]*"


class Anchor(NamedTuple):
    """A file, or lines of it, as an entry names them.

    Attributes:
        path: relative to the project's folder, with `/`.
        first, last: its lines, counted from 1; 0 and 0 are the whole file.
        fingerprint: of these lines, as `code_lines.fingerprint` gives it; empty where a
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


class Name(NamedTuple):
    """A name in the code that a text mentions.

    `kind` is path or symbol; `word` is what the text says; `path` is the file or folder
    that is meant, or that defines the symbol.
    """

    kind: str
    word: str
    path: str

    def __str__(self) -> str:
        return f"{self.word}@{self.path}" if self.kind == SYMBOL else self.word


def checked(texts: Iterable[str], field: str) -> tuple[str, ...]:
    """The values of a field, `code` or `code_names`, as memcli writes them.

    Raises:
        InvalidValue: one is not in the field's form, or they are too many.
    """
    read = parse if field == "code" else parse_name
    places = tuple(dict.fromkeys(str(read(text)) for text in texts))
    if len(places) > MOST:
        raise InvalidValue(
            f"{field} holds more than {MOST} places", code=f"invalid_{field}"
        )
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
        raise _refusal(text, "lines are counted from 1, and FROM comes before TO")
    commit = (commit or "")[:COMMIT_DIGITS]
    return Anchor(path.removeprefix("./"), start, end, mark or "", commit)


def parse_name(text: str) -> Name:
    """Reads a text of the field `code_names`.

    Raises:
        InvalidValue: it is not printable, or its path could lead out of the project.
    """
    text = text.strip()
    word, sign, path = text.partition("@")
    if sign and re.fullmatch(_SYMBOL, word):
        name = Name(SYMBOL, word, path)
    else:
        name = Name(PATH, text, text.removeprefix("./").rstrip("/"))
    reason = unsafe(name.path)
    if reason:
        raise _refusal(text, reason, field="code_names")
    return name


def read_all(code: Iterable[str]) -> list[Anchor]:
    """The anchors of an entry's field `code`; other values are passed over."""
    return list(_readable(code, parse))


def read_names(names: Iterable[str]) -> list[Name]:
    """The names of an entry's field `code_names`; other values are passed over."""
    return list(_readable(names, parse_name))


def _readable(texts: Iterable[str], read: Callable[[str], _Place]) -> Iterator[_Place]:
    for text in list(texts)[:MOST]:
        try:
            yield read(text)
        except InvalidValue:
            continue


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


def _refusal(text: str, reason: str, field: str = "code") -> InvalidValue:
    return InvalidValue(
        f"{field}: not a place in the project's code: {text[:80]!r}: {reason}",
        hint="Write it like src/app.py or src/app.py:10-20, from the project's folder.",
        code=f"invalid_{field}",
    )
