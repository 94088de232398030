"""The YAML of a markdown file, taken apart into lines, and the lines of a value.

Invariant: a `Page` put together again is the file, byte for byte. YAML is only used to
find values; a change replaces whole lines.

A key begins at the start of its line. This is the only module that knows YAML, which
reads the lines of one key at a time, through python-frontmatter's handler and the C
loader into a tree of nodes, in which a scalar is the string that stands in the file.
Nearly all lines `simple_value` understands without it: importing yaml takes as long as
starting Python, and parsing with it is a fifth of the time of indexing a file.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from memcli.entries.entry import FIELDS, Source
from memcli.errors import InvalidEntry, InvalidValue
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


# More than this between two fences is not a frontmatter; YAML reads 20 MB/s.
_BLOCK_LIMIT = 256 * 1024
_DEEPEST = 1_000
# Changing a file looks through all of its keys for each; nobody has so many.
_MOST_KEYS = 1_000
_OPENING = re.compile(r"---[ \t]*(?:\r?\n|\Z)")
# It begins with the end of a line, which is looked for quickly.
_CLOSING = re.compile(r"\n((?:---|\.\.\.)[ \t]*(?:\r?\n|\Z))")
_CONFLICT = re.compile(r"^(?:<{7}|>{7})(?:[ \r]|$)", re.MULTILINE)
_FIRST_KEY = re.compile(
    r"""(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*["']?([\w.-]+)["']?[ \t]*:(?:\s|\Z)"""
)
_COMMENT = re.compile(r"[ \t]+#")
_ID_LINE = re.compile(r"^(?:memcli_)?id:\s", re.MULTILINE)


class Part(NamedTuple):
    """A key at the top level; its lines are first to end (exclusive), from 0.

    Attributes:
        name: the key.
        value: a text, a list, a table, None for null; 0 for what no field may hold.
        first, end: its lines.
        comment: what stands behind a value of one line, with the space before it.
    """

    name: str
    value: Any
    first: int
    end: int
    comment: str = ""


class Page(NamedTuple):
    """A file's text; without frontmatter, `opening` is empty and all is body."""

    bom: str
    opening: str
    lines: list[str]
    parts: list[Part]
    closing: str
    body: str

    @property
    def newline(self) -> str:
        """The line end that the file starts with."""
        first = self.opening or self.body[: self.body.find("\n") + 1]
        return "\r\n" if first.endswith("\r\n") else "\n"

    def verbatim(self, part: Part) -> str:
        """Return a key's own lines, with LF."""
        lines = self.lines[part.first : part.end]
        return "".join(lines).replace("\r\n", "\n")


def take_apart(data: bytes, path: str) -> Page:
    """Split a file; InvalidEntry for what `codec.decode` names."""
    text = _to_text(data, path)
    bom, text = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    whole = Page(bom, "", [], [], "", text)
    opening = _OPENING.match(text)
    if opening is None:
        if re.match(r"<{7} .*\r?\n---", text):
            raise _conflict(path, 1)
        return whole
    closing = _CLOSING.search(text, opening.end() - 1)
    begins = _FIRST_KEY.match(text, opening.end(), opening.end() + 1000)
    first = begins and begins[1]
    if closing is None:
        if first in FIELDS:
            raise InvalidEntry(path, 1, "the frontmatter is not closed by '---'")
        return whole
    block, after = text[opening.end() : closing.start(1)], text[closing.end() :]
    if len(block) > _BLOCK_LIMIT:
        if first in FIELDS:
            raise InvalidEntry(path, 1, f"frontmatter above {_BLOCK_LIMIT} characters")
        return whole
    lines = [f"{row}\n" for row in block.split("\n")[:-1]]
    try:
        parts = _parts(block, lines, path)
    except InvalidEntry:
        if first is not None or _ID_LINE.search(block):
            raise
        return whole  # a thematic break, and prose after it
    # Prose with a colon in it is YAML, too; a blank line tells it from a block.
    is_prose = block[:1].isspace() and not any(part.name in FIELDS for part in parts)
    if is_prose or (block.strip() and not parts):
        return whole
    return Page(bom, opening[0], lines, parts, closing[1], after)


def _to_text(data: bytes, path: str) -> str:
    nul = data.find(b"\0")
    if nul >= 0:
        line = data.count(b"\n", 0, nul) + 1
        raise InvalidEntry(path, line, "a NUL byte: this is no text")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        why = f"not UTF-8 (byte 0x{data[error.start]:02x})"
        raise InvalidEntry(path, line, why, hint="Save it as UTF-8.") from error


def _conflict(path: str, line: int) -> InvalidEntry:
    return InvalidEntry(
        path,
        line,
        "git conflict markers in the frontmatter",
        hint="memcli doctor --fix merges the two sides.",
    )


def _base_loader() -> Any:
    import yaml

    # Every scalar is a string; without libyaml the slow twin has to do.
    return getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@cache
def _loader() -> Callable[[str], Any]:
    from frontmatter.default_handlers import YAMLHandler

    base = _base_loader()
    nodes = type("_Nodes", (base,), {"get_single_data": base.get_single_node})
    handler = YAMLHandler()
    return lambda block: handler.load(block, Loader=nodes)


def _parts(block: str, lines: list[str], path: str) -> list[Part]:
    """The keys of a block with their lines.

    Raises:
        InvalidEntry: as `codec.decode`; or it is no block of keys.
    """
    mark = _CONFLICT.search(block)
    if mark:
        raise _conflict(path, block.count("\n", 0, mark.start()) + 2)
    starts = [
        number
        for number, row in enumerate(lines)
        if row[0] not in " \t#]}\r\n" and row[:2] not in ("- ", "-\n", "-\r")
    ]
    if len(starts) > _MOST_KEYS:
        raise InvalidEntry(path, 1, f"frontmatter of more than {_MOST_KEYS:,} keys")
    above = lines[: starts[0] if starts else len(lines)]
    if any(row.lstrip()[:1] not in ("", "#") for row in above):
        raise InvalidEntry(path, 2, "broken YAML: a line before the first key")
    found: dict[str, Part] = {}
    for first, end in pairwise([*starts, len(lines)]):
        value = simple_value(lines[first:end])
        if value == 0:
            part = _by_yaml(lines[first:end], first, path)
        else:
            part = Part(lines[first].partition(":")[0], value, first, end)
        if part.name in found:
            raise InvalidEntry(path, first + 2, f"'{part.name}' is given twice")
        found[part.name] = part
    return [*found.values()]


def _by_yaml(rows: list[str], first: int, path: str) -> Part:
    """The key of some lines, as YAML has it; raises InvalidEntry."""
    import yaml

    text = "".join(rows)
    try:
        _refuse_deep(text, first, path)
        root = _loader()(text)
    except (yaml.YAMLError, RecursionError) as error:
        mark: Any = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or getattr(error, "reason", "")
        raise InvalidEntry(
            path,
            first + (mark.line if mark else 0) + 2,
            f"broken YAML: {reason or 'nested too deep'}",
            hint='A value that begins with * or &, or holds ": " or " #", needs double '
            "quotes; a value that goes on in the next line is indented there.",
        ) from error
    if root is None or root.id != "mapping":
        raise InvalidEntry(path, first + 2, "broken YAML: a line without a key")
    key, value = root.value[0] if root.value else (root, root)
    places = key.start_mark.line, key.start_mark.column, key.end_mark.line
    is_plain = key.id == "scalar" and (key.value or key.style) and not any(places)
    if len(root.value) != 1 or not is_plain:
        raise InvalidEntry(path, first + 2, "a key without a line of its own")
    end = len(rows)
    # An indented mark may be text of a block.
    while end > 1 and (not rows[end - 1].strip() or rows[end - 1][0] == "#"):
        end -= 1
    mark = value.end_mark
    rest = rows[0][mark.column :].rstrip("\r\n") if end == 1 else ""
    comment = rest if mark.line == 0 and _COMMENT.match(rest) else ""
    return Part(key.value, _plain(value), first, first + end, comment)


def _refuse_deep(text: str, first: int, path: str) -> None:
    """Refuse what is nested too deep: the C loader recurses, and would end the process.

    Raises:
        InvalidEntry: values lie inside more than `_DEEPEST` others.
    """
    # Only these marks open a level; nearly every frontmatter has fewer of them.
    if sum(map(text.count, "[{:-?")) <= _DEEPEST:
        return
    import yaml

    depth = 0
    event: Any
    for event in yaml.parse(text, Loader=_base_loader()):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            line = first + event.start_mark.line + 2
            reason = f"broken YAML: values nested more than {_DEEPEST:,} deep"
            raise InvalidEntry(path, line, reason)


def _plain(node: Any, *, inner: bool = False) -> Any:
    """The value of a node, as `Part` has it; nulls inside of others are left out."""
    if node.id == "scalar":
        null = not node.style and node.value in ("", "~", "null", "Null", "NULL")
        return None if null else node.value
    if inner:
        return 0
    if node.id == "sequence":
        items = [_plain(item, inner=True) for item in node.value]
        return [item for item in items if item is not None]
    # Text of a node that aliases others may be endless.
    if any(key.id != "scalar" for key, _ in node.value):
        return 0
    table = {key.value: _plain(item, inner=True) for key, item in node.value}
    if len(table) < len(node.value):
        return 0  # a key is given twice
    return {key: item for key, item in table.items() if item is not None}


def checked_lines(lines: str) -> str:
    """Return an extra's lines, or raise InvalidValue if they would end the block."""
    if not lines.endswith("\n") or re.search(r"^(?:---|\.\.\.)", lines, re.MULTILINE):
        raise InvalidValue(f"not the lines of one key: {lines[:60]!r}")
    return lines


def checked_key(name: Any, lines: Any) -> tuple[str, str]:
    """Return a key and its lines, or raise InvalidValue unless they are just that."""
    is_text = isinstance(name, str) and isinstance(lines, str)
    if is_text and [part.name for part in _keys_in(lines)] == [name]:
        return name, lines
    raise InvalidValue(
        f"extra: not a key and its YAML lines: {str(name)[:60]!r}",
        hint='Write it like {"rating": "rating: 5\\n"}.',
        code="invalid_extra",
    )


def values_of(lines: str) -> list[str]:
    """The texts that the lines of one key hold; a scalar is split at its commas."""
    parts = _keys_in(lines)
    value = parts[0].value if parts else None
    texts = value.split(",") if isinstance(value, str) else value or ()
    return [text.strip() for text in texts if isinstance(text, str) and text.strip()]


def _keys_in(lines: str) -> list[Part]:
    """The keys that lines hold; none in what is no lines of keys."""
    try:
        return take_apart(f"---\n{checked_lines(lines)}---\n".encode(), "").parts
    except (InvalidEntry, InvalidValue, UnicodeEncodeError):
        return []


# --- simple YAML, read and written without a library ----------------------------------

# What may be more than a part of a word where it stands in a list in brackets.
_SPECIAL_IN_LIST = re.compile(r"[,\[\]{}\"':#?&*!|>%@`]")
_NULLS = (" null", " Null", " NULL")


def simple_value(rows: list[str]) -> Any:
    """The value of a key by its lines, as YAML gives it; 0 when it takes YAML.

    Understood are a word or words, a text in double quotes without a backslash, a list
    of such in brackets, and such keys two spaces below another.

    >>> simple_value(["tags: [a, b]\\n"])
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
# A NUL stays what it is, and `to_bytes` refuses it.
_UNSAFE = re.compile('["\\\\\x01-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]')
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
        items = ", ".join(_scalar(item, _PLAIN_IN_LIST) for item in value)
        return f"{key}: [{items}]\n"
    return f"{key}: {value:d}\n"


def _scalar(text: str, plain: re.Pattern[str]) -> str:
    if plain.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    return f'"{_UNSAFE.sub(_escape, text)}"'


def _escape(unsafe: re.Match[str]) -> str:
    letter = unsafe[0]
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
