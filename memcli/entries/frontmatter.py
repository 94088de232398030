"""The YAML of a markdown file, taken apart into lines.

Invariant: a `Page` put together again is the file, byte for byte. YAML is only used to
find keys and values; a change replaces whole lines.

This is the only module that knows YAML. It reads through python-frontmatter's handler
and the C loader into a tree of nodes, which carry their lines, and in which a scalar is
the string that stands in the file. What `plain_yaml` understands does not need that: it
gives the same nodes. `yaml_lines` writes YAML without a library.
"""

from __future__ import annotations

import re
from functools import cache

from memcli.entries import plain_yaml
from memcli.entries.entry import FIELDS
from memcli.entries.plain_yaml import Part as Part
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
    if closing is None:
        if _first_key(text, opening.end()) in FIELDS:
            raise InvalidEntry(path, 1, "the frontmatter is not closed by '---'")
        return whole
    block, after = text[opening.end() : closing.start(1)], text[closing.end() :]
    if len(block) > _BLOCK_LIMIT:
        if _first_key(text, opening.end()) in FIELDS:
            raise InvalidEntry(path, 1, f"frontmatter above {_BLOCK_LIMIT} characters")
        return whole
    simple = plain_yaml.read(block)
    if simple is not None:
        rows = block.splitlines(keepends=True)
        return Page(bom, opening[0], rows, simple, closing[1], after)
    conflict = _CONFLICT.search(block)
    if conflict:
        raise _conflict(path, block.count("\n", 0, conflict.start()) + 2)
    first = _first_key(text, opening.end())
    likely = first is not None or _ID_LINE.search(block) is not None
    root = _parse(block, path, strict=likely)
    if root is None and block.strip():
        return whole  # a thematic break, and prose after it
    # After a clean parse these are the line ends that YAML knows, and no others.
    lines = block.splitlines(keepends=True)
    parts = _parts(root, lines, path, strict=likely)
    if parts is None or (
        # Prose with a colon in it is YAML, too; a blank line tells it from a block.
        lines and not lines[0].strip() and not any(p.name in FIELDS for p in parts)
    ):
        return whole
    return Page(bom, opening[0], lines, parts, closing[1], after)


def _first_key(text: str, start: int) -> str | None:
    """The key with which a mapping begins at a place; None where none does."""
    found = _FIRST_KEY.match(text, start, start + 1000)
    return found and found[1]


def _to_text(data: bytes, path: str) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InvalidEntry(path, 1, "UTF-16, not UTF-8", hint="Save it as UTF-8.")
    nul = data.find(b"\0")
    if nul >= 0:
        line = data.count(b"\n", 0, nul) + 1
        raise InvalidEntry(path, line, "a NUL byte: this is no text")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidEntry(
            path, line, f"not UTF-8 (byte 0x{data[error.start]:02x})"
        ) from error


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


def _parse(block: str, path: str, *, strict: bool) -> Any:
    """Return the root of a block mapping, or None when the block is not a mapping.

    Args:
        block: the lines between the fences.
        path: for the error.
        strict: the block starts like a mapping, so broken YAML is an error.
    """
    import yaml

    try:
        _check(block, path, strict=strict)
        root = _loader()(block)
    except (yaml.YAMLError, RecursionError) as error:
        if not strict:
            return None
        mark: Any = getattr(error, "problem_mark", None)
        position = getattr(error, "position", 0)
        line = mark.line if mark else block.encode()[:position].count(b"\n")
        reason = getattr(error, "problem", None) or getattr(error, "reason", "")
        raise InvalidEntry(
            path,
            line + 2,
            f"broken YAML: {reason or 'nested too deep'}",
            hint='A value that holds ": " or " #" needs double quotes.',
        ) from error
    if root is None or root.id != "mapping" or root.flow_style:
        return None
    return root


def _check(block: str, path: str, *, strict: bool) -> None:
    """Refuse aliases in a block that is strict, and what is nested too deep: the C
    loader recurses, and would end the process.

    Raises:
        InvalidEntry: there is an alias, or values lie inside more than `_DEEPEST`
            others.
    """
    aliases = strict and "*" in block and "&" in block
    # Only these marks open a level; nearly every frontmatter has fewer of them.
    if not aliases and sum(map(block.count, "[{:-?")) <= _DEEPEST:
        return
    import yaml

    depth = 0
    for event in yaml.parse(block, Loader=_base_loader()):
        at: Any = event.start_mark
        if isinstance(event, yaml.AliasEvent) and strict:
            raise InvalidEntry(
                path,
                at.line + 2,
                f"a YAML alias (*{event.anchor})",
                hint="Write the value out, or put it in double quotes.",
            )
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEEPEST:
                reason = f"broken YAML: values nested more than {_DEEPEST:,} deep"
                raise InvalidEntry(path, at.line + 2, reason)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _parts(
    root: Any, lines: list[str], path: str, *, strict: bool
) -> list[Part] | None:
    """Find the lines of each key; None, or when strict an error, if one has none.

    That is a key like `{{x}}` or `? x`, or two keys with an exotic line end between.
    """
    parts: list[Part] = []
    limit = len(lines)
    if root is not None and len(root.value) > _MOST_KEYS:
        if strict:
            raise InvalidEntry(path, 1, f"frontmatter of more than {_MOST_KEYS:,} keys")
        return None
    for key, value in reversed(root.value if root else ()):
        first = key.start_mark.line
        floor = max(_end(value), first + 1)
        end = limit
        while end > floor and lines[end - 1].lstrip()[:1] in ("", "#"):
            end -= 1
        mark = value.end_mark
        rest = lines[first][mark.column :].rstrip("\r\n") if end == first + 1 else ""
        comment = rest if mark.line == first and _COMMENT.match(rest) else ""
        parts.append(Part(key.value, _plain(value), first, end, comment))
        limit = first
        if not (
            key.id == "scalar"
            and (key.value or key.style)
            and key.start_mark.column == 0
            and key.end_mark.line == first
            and lines[end - 1].endswith("\n")
        ):
            if strict:
                raise InvalidEntry(path, first + 2, "a key without a line of its own")
            return None
    if parts and parts[-1].first != root.start_mark.line:
        # A tag or an anchor of the whole block, which a key put before it would take.
        if strict:
            line = root.start_mark.line + 2
            raise InvalidEntry(path, line, "a tag or an anchor before the first key")
        return None
    parts.reverse()
    seen = set()
    for part in parts:
        if part.name in seen:
            raise InvalidEntry(path, part.first + 2, f"'{part.name}' is given twice")
        seen.add(part.name)
    return parts


def _end(node: Any) -> int:
    """Return the line after the last one that a value needs.

    YAML ends a block collection where the next token starts, comments included.
    """
    while node.id != "scalar" and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if node.id == "mapping" else last
    block_scalar = node.id == "scalar" and node.style in ("|", ">")
    line: int = node.end_mark.line
    return line if block_scalar else line + 1


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
    table = {str(key.value): _plain(item, inner=True) for key, item in node.value}
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
    if isinstance(name, str) and isinstance(lines, str):
        try:
            page = take_apart(f"---\n{checked_lines(lines)}---\n".encode(), "extra")
        except (InvalidEntry, UnicodeEncodeError, InvalidValue):
            page = None
        if page and [part.name for part in page.parts] == [name]:
            return name, lines
    raise InvalidValue(
        f"extra: not a key and its YAML lines: {str(name)[:60]!r}",
        hint='Write it like {"rating": "rating: 5\\n"}.',
        code="invalid_extra",
    )


def values_of(lines: str) -> list[str]:
    """The texts that the lines of one key hold; a scalar is split at its commas."""
    try:
        parts = take_apart(f"---\n{lines}---\n".encode(), "").parts
    except (InvalidEntry, UnicodeEncodeError):
        return []
    value = parts[0].value if parts else None
    texts = value.split(",") if isinstance(value, str) else value or ()
    return [text.strip() for text in texts if isinstance(text, str) and text.strip()]
