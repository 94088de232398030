"""The name of a project: where a memory holds.

Invariant: pure. A name is lower case, one line without spaces, and safe to print; an
entry without one holds everywhere. `holds` is the one answer to "does it hold here?".
"""

from __future__ import annotations

import zlib

from memcli.errors import InvalidValue

NONE = "none"
"""The word for "no project": what has none holds everywhere."""

HERE, ANY = "here", "any"
"""The words of a filter: this project and what holds everywhere; all projects."""

LONGEST = 200
_SIGNS = frozenset("._~+%@:-/")


def is_name(text: str) -> bool:
    """Whether a text may be a project's name."""
    return (
        len(text) <= LONGEST
        and text == text.lower()
        and text not in (NONE, HERE, ANY)
        and all(sign.isalnum() or sign in _SIGNS for sign in text)
        and all(text.split("/"))
        and any(map(str.isalnum, text))
    )


def check_project(value: str) -> str:
    """Return a project's name in lower case, or raise InvalidValue."""
    name = value.strip().lower()
    if is_name(name):
        return name
    raise InvalidValue(
        f"not a project's name: {value[:60]!r}",
        hint="A name has no spaces, such as github.com/acme/shop; `none` means "
        "everywhere.",
        code="invalid_project",
    )


def number(name: str | None) -> int:
    """The number of a project in 32 bits, never 0; 0 for no project: everywhere."""
    return 0 if not name else zlib.crc32(name.encode("utf-8", "replace")) or 1


def holds(project: int, here: int) -> bool:
    """Whether what was learned in a project holds here; both as `number` gives them."""
    return project in (0, here)
