"""The simple YAML of most frontmatters, read and written without a YAML library.

Invariant: pure. Lines that are understood give the value that YAML gives; for all
others the answer is 0, and `frontmatter` asks YAML. What is understood: a key at the
start of its line with a value behind it on the same line, which is a word or words, a
text in double quotes without a backslash, or a list of such in brackets; and such keys
two spaces below another. memcli itself writes little else.

Importing yaml takes as long as starting Python, and parsing with it is a fifth of the
time of indexing a file.
"""

from __future__ import annotations

import re

from memcli.entries.entry import Source
from memcli.errors import InvalidValue

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


# What may be more than a part of a word where it stands in a list in brackets.
_SPECIAL_IN_LIST = re.compile(r"[,\[\]{}\"':#?&*!|>%@`]")
_NULLS = (" null", " Null", " NULL")


def read(rows: list[str]) -> Any:
    """The value of a key by its lines, 0 when it takes YAML to read them.

    >>> read(["tags: [a, b]\\n"])
    ['a', 'b']
    """
    head = rows[0][:-1]
    name, value = _pair(head)
    if len(rows) == 1:
        return value if value is not None and head.isprintable() else 0
    table: dict[str, Any] = {}
    for row in rows[1:]:
        inner, value = _pair(row[2:-1])
        is_plain = isinstance(value, str) and row[:-1].isprintable()
        if not (is_plain and row.startswith("  ")) or inner in table:
            return 0
        table[inner] = value
    return table if head == f"{name}:" else 0


def _pair(row: str) -> tuple[str, Any]:
    """The key of a line, empty for none, and its value, None without a simple one."""
    name, colon, text = row.partition(":")
    if not (colon and name.isascii() and name.isidentifier()):
        return "", None
    if text[:2] == " [":
        return name, _listed(text[1:])
    if text[:2] == ' "':
        return name, _quoted(text[1:])
    if ": " in text or " #" in text or not text[1:2].isalnum() or text[-1] in " :":
        return name, None
    is_value = text[0] == " " and text not in _NULLS
    return name, text[1:] if is_value else None


def _quoted(text: str) -> str | None:
    inner = text[1:-1]
    if len(text) < 2 or text[-1] != '"' or '"' in inner or "\\" in inner:
        return None
    return inner


def _listed(text: str) -> list[str] | None:
    if text[-1] != "]":
        return None
    items: list[str] = []
    words = text[1:-1].split(", ") if len(text) > 2 else []
    # Of most lists, all words at once.
    plain = _SPECIAL_IN_LIST.search("".join(words)) is None
    for word in words:
        item = None
        if word[:1] == '"':
            item = _quoted(word)
        elif (
            word[:1].isalnum()
            and word[-1] != " "
            and (plain or _SPECIAL_IN_LIST.search(word) is None)
            and f" {word}" not in _NULLS
        ):
            item = word
        if item is None:
            return None
        items.append(item)
    return items


# Plain only where every YAML, old or new, reads the same string: a letter in front,
# or an id-like word with a letter that no number has (no 1e5, 0x1f, 12:30, 2026-01).
_WORD = r"(?<! )|[0-9][0-9a-z]{0,40}[g-nq-su-wy][0-9a-z-]{0,40}"
_PLAIN = re.compile(r"[^\W\d_](?:[\w .,/()'@%*?=;~$!&+-]|:(?=[\w/]))*" + _WORD)
_PLAIN_IN_LIST = re.compile(r"[^\W\d_][\w ./()'@%*?=;~$!&+-]*" + _WORD)
_RESERVED = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))
_UNSAFE = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def lines_of(key: str, value: Any) -> str:
    """Return the YAML lines of a field: a text, flag, number, tuple or Source."""
    if isinstance(value, str):
        return f"{key}: {_scalar(value, _PLAIN)}\n"
    if value is True or value is False:
        return f"{key}: {'true' if value else 'false'}\n"
    if isinstance(value, Source):
        pairs = zip(value._fields, value, strict=True)
        inner = (
            lines_of("  " + name, part) for name, part in pairs if part is not None
        )
        return f"{key}:\n{''.join(inner)}"
    if isinstance(value, tuple):
        return (
            f"{key}: [{', '.join(_scalar(item, _PLAIN_IN_LIST) for item in value)}]\n"
        )
    return f"{key}: {value:d}\n"


def _scalar(text: str, plain: re.Pattern[str]) -> str:
    if plain.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    return f'"{_UNSAFE.sub(_escape, text)}"'


def _escape(unsafe: re.Match[str]) -> str:
    letter = unsafe[0]
    if letter == "\0":
        raise InvalidValue("a text may not hold a NUL", code="invalid_text")
    return _ESCAPES.get(letter) or f"\\u{ord(letter):04x}"


def to_bytes(text: str) -> bytes:
    """Return the file's bytes, or raise InvalidValue for what is no text."""
    if "\0" in text:
        raise InvalidValue("a text may not hold a NUL", code="invalid_text")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidValue(
            "a text may not hold half a surrogate pair", code="invalid_text"
        ) from error
