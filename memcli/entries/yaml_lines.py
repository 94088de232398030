"""Fields of an entry written as YAML lines.

Invariant: every reader of YAML, old or new, reads the string that was written. It needs
no library: importing yaml costs more than a save does.
"""

from __future__ import annotations

import re

from memcli.entries.entry import Source
from memcli.errors import InvalidValue

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

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
