"""The simple YAML of most frontmatters, read and written without a YAML library.

Invariant: pure. Lines that are understood give the nodes that YAML gives; for all
others the answer is None, and `frontmatter` asks YAML. What is understood: keys at the
start of their lines with a value behind them on the same line, which is a word or
words, a text in double quotes without a backslash, or a list of such in brackets; and
such keys two spaces below another. memcli itself writes little else.

Importing yaml takes as long as starting Python, and parsing with it is a fifth of the
time of indexing a file.
"""

from __future__ import annotations

import re

from memcli.entries.entry import Source
from memcli.errors import InvalidValue
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


# What may be more than a part of a word where it stands in a list in brackets.
_SPECIAL_IN_LIST = re.compile(r"[,\[\]{}\"':#?&*!|>%@`]")
# More lines than a person writes; YAML has a limit for them.
_MOST_LINES = 500


class Mark(NamedTuple):
    """A place in the block; both count from 0."""

    line: int
    column: int


class Node(NamedTuple):
    """A value, with the attributes of YAML's nodes that memcli asks for.

    Attributes:
        id: scalar, sequence or mapping.
        value: a text; a list of nodes; a list of pairs of nodes.
        style: the quotation mark of a scalar; empty for none.
        line, column: where the value ends; of a mapping, where its last value does.
    """

    id: str
    value: Any
    style: str
    line: int
    column: int

    @property
    def end_mark(self) -> Mark:
        """Where the value ends; only a change of the file asks for it."""
        return Mark(self.line, self.column)


class Part(NamedTuple):
    """A key at the top level; its lines are first to end (exclusive), from 0.

    `value` is a `Node`, or one of YAML's.
    """

    name: str
    value: Any
    first: int
    end: int


def read(block: str) -> list[Part] | None:
    """The keys of a block with their values, None when it takes YAML to read it.

    >>> read("kind: note\\ntags: [a, b]\\n")[1].value.value[0].value
    'a'
    """
    rows = block.split("\n")
    if rows.pop() or not rows or len(rows) > _MOST_LINES:
        return None
    if not "".join(rows).isprintable():
        return None
    found: list[Part] = []
    names: set[str] = set()
    number = 0
    while number < len(rows):
        first = number
        name, node = _pair(rows[first], first, 0)
        number += 1
        if node is None and rows[first] == f"{name}:":
            pairs = []
            while number < len(rows) and rows[number].startswith("  "):
                inner, value = _pair(rows[number], number, 2)
                if value is None:
                    return None
                key = Node("scalar", inner, "", number, 2 + len(inner))
                pairs.append((key, value))
                number += 1
            if pairs:
                last = pairs[-1][1]
                node = Node("mapping", pairs, "", last.line, last.column)
        if node is None or name in names:
            return None
        names.add(name)
        found.append(Part(name, node, first, number))
    return found


def _pair(row: str, number: int, indent: int) -> tuple[str, Node | None]:
    """The key of a line, empty for none, and its value, None without a simple one.

    Args:
        row: the line.
        number: counts it.
        indent: how many characters stand before the key.
    """
    name, colon, text = row[indent:].partition(":")
    if not (colon and name.isascii() and name.isidentifier()):
        return "", None
    if text[:1] != " ":
        return name, None
    return name, _value(text[1:], number, len(row))


def _value(text: str, line: int, end: int) -> Node | None:
    """The value behind the colon and a space, up to the end of the line."""
    if text[:1] == "[":
        return _listed(text, line, end)
    if text[:1] == '"':
        return _quoted(text, line, end)
    if not text[:1].isalnum() or ": " in text or " #" in text or text[-1] in " :":
        return None
    return Node("scalar", text, "", line, end)


def _quoted(text: str, line: int, end: int) -> Node | None:
    inner = text[1:-1]
    if len(text) < 2 or text[-1] != '"' or '"' in inner or "\\" in inner:
        return None
    return Node("scalar", inner, '"', line, end)


def _listed(text: str, line: int, end: int) -> Node | None:
    if text[-1] != "]":
        return None
    items: list[Node] = []
    at = end - len(text) + 1
    words = text[1:-1].split(", ") if len(text) > 2 else []
    # Of most lists, all words at once.
    plain = _SPECIAL_IN_LIST.search("".join(words)) is None
    for word in words:
        at += len(word)
        item = None
        if word[:1] == '"':
            item = _quoted(word, line, at)
        elif (
            word[:1].isalnum()
            and word[-1] != " "
            and (plain or _SPECIAL_IN_LIST.search(word) is None)
        ):
            item = Node("scalar", word, "", line, at)
        if item is None:
            return None
        items.append(item)
        at += 2
    return Node("sequence", items, "", line, end)


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
