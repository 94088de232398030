"""A host's JSON settings as text that can be changed in one place.

Invariant: an edit changes only the bytes it is about. Comments, trailing commas, order,
line ends and indentation of everything else stay, and `remove` takes away exactly what
`append` has put in. Text that is no JSON is refused with its line and column.
"""

from __future__ import annotations

import json
import re

from memcli.errors import InvalidConfig
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

Path = tuple[str | int, ...]

_SPACE = " \t\r\n"
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"true|false|null")
_LINE_COMMENT = re.compile(r"//[^\r\n]*")
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# No settings file is deeper; Python's own stack ends at about 1,000.
_DEPTH = 100


class Node:
    """A value with its place: `text[start:end]`.

    `children` are (name or index, where the key or the value starts, value); `commas`
    are the places of the commas between and after them.
    """

    __slots__ = ("children", "commas", "end", "start", "value")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.value: Any = None
        self.children: list[tuple[str | int, int, Node]] = []
        self.commas: list[int] = []


class Comment(NamedTuple):
    """Where a comment stands; one of a line ends before its line end."""

    start: int
    end: int
    line: bool


class Document:
    """JSON as hosts accept it: comments, trailing commas and a BOM are fine.

    Args:
        text: all of it.
        name: the file's, for errors.

    Raises:
        InvalidConfig: it does not parse; the message has line and column.
    """

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.comments: list[Comment] = []
        self._at = 1 if text.startswith("\ufeff") else 0
        self._skip()
        self.root = self._value(0)
        self._skip()
        if self._at < len(text):
            raise self.problem("text after the end of the value", self._at)

    def problem(self, what: str, place: int) -> InvalidConfig:
        """The error for a problem at this place of the text."""
        before = re.split(r"\r\n|\r|\n", self.text[:place])
        column = len(before[-1].lstrip("\ufeff")) + 1
        return InvalidConfig(
            f"{self.name}:{len(before)}:{column}: {what}; nothing was changed",
            hint="Correct the file, then repeat the command.",
            code="invalid_settings",
        )

    # --- reading ---

    def at(self, path: Path) -> Node | None:
        """The value at a path of names and indexes, if there is one."""
        node = self.root
        for name in path:
            matches = [child for key, _, child in node.children if key == name]
            if not matches:
                return None
            if len(matches) > 1:
                raise self.problem(f'"{name}" stands here twice', node.start)
            node = matches[0]
        return node

    def raw(self, node: Node) -> str:
        """The text of a value."""
        return self.text[node.start : node.end]

    def comments_in(self, start: int, end: int) -> list[Comment]:
        """The comments between two places, those of inner values included."""
        return [c for c in self.comments if start <= c.start and c.end <= end]

    # --- edits: each gives a new document ---

    def append(self, path: Path, name: str | None, value: Any) -> Document:
        """With one more child at the end of an object (by name) or array (None)."""
        box = self._box(path)
        last = box.children[-1][2] if box.children else None
        trailing = len(box.commas) == len(box.children) > 0
        if last is None:
            after = box.start + 1
        else:
            after = box.commas[-1] + 1 if trailing else last.end
        place, lines = after, self._in_lines(path)
        remarks = self.comments_in(after, box.end)
        if remarks:
            place = remarks[-1].end
            lines = lines or remarks[-1].line
        indent = self._indent(box, lines)
        piece = self._written(name, value, indent, lines)
        if lines:
            piece = self._newline + indent + piece
            rest = self.text[place : box.end - 1]
            if last is None and "\n" not in rest and "\r" not in rest:
                piece += self._newline + self._margin(box.start)
        elif last is not None or remarks:
            piece = " " + piece
        if trailing:
            piece += ","
        comma = "," if last is not None and not trailing else ""
        where = last.end if last is not None else place
        text = self.text[:where] + comma + self.text[where:place] + piece
        return Document(text + self.text[place:], self.name)

    def replace(self, path: Path, value: Any) -> Document:
        """With another value at a path."""
        node = self._box(path)
        lines = self._in_lines(path[:-1])
        written = self._written(None, value, self._margin(node.start), lines)
        text = self.text[: node.start] + written + self.text[node.end :]
        return Document(text, self.name)

    def remove(self, path: Path, empty: str | None = None) -> Document:
        """Without the child at a path.

        Args:
            path: leads to it.
            empty: how its object or array is written when nothing else is in it;
                None: without a space, or as it is when there are comments in it.
        """
        box = self._box(path[:-1])
        number = [key for key, _, _ in box.children].index(path[-1])
        _, start, node = box.children[number]
        text = self.text
        if len(box.children) == 1:
            bare = not self._own_comments(box)
            if empty is not None or bare:
                hull = text[box.start] + text[box.end - 1]
                hull = hull if empty is None else empty
                return Document(text[: box.start] + hull + text[box.end :], self.name)
        gap = self._gap_before(start)
        # Its own comma, or that of the child before; [] for a single child.
        comma = box.commas[number : number + 1] or box.commas[-1:]
        rest = text[node.end + (comma == [node.end]) :]
        if not re.match(r"[ \t]*[\r\n]", rest) and any(
            comment.line and comment.end == gap for comment in self.comments
        ):
            gap = start  # or the comment would swallow what comes next
        spans = [(gap, node.end), *((place, place + 1) for place in comma)]
        for first, end in sorted(spans, reverse=True):
            text = text[:first] + text[end:]
        return Document(text, self.name)

    def bare(self, path: Path) -> bool:
        """Whether an object or array holds at most one child, and no comment."""
        box = self._box(path)
        return len(box.children) < 2 and not self._own_comments(box)

    # --- how it is written ---

    @property
    def _newline(self) -> str:
        match = re.search(r"\r\n|\n|\r", self.text)
        return match.group() if match else "\n"

    @property
    def _unit(self) -> str:
        if self.root.children and self._in_lines(()):
            start = self.root.children[0][1]
            margin = self._margin(start)
            if margin and self._opens_line(start):
                return margin
        return "  "

    def _in_lines(self, path: Path) -> bool:
        """Whether the children of a value stand on lines of their own."""
        box = self._box(path)
        end = box.children[0][1] if box.children else box.end
        if re.search(r"[\r\n]", self.text[box.start : end]):
            return True
        return not box.children and (not path or self._in_lines(path[:-1]))

    def _indent(self, box: Node, lines: bool) -> str:
        for _, start, _ in reversed(box.children) if lines else ():
            if self._opens_line(start):
                return self._margin(start)
        return self._margin(box.start) + self._unit

    def _line_start(self, place: int) -> int:
        start = max(self.text.rfind("\n", 0, place), self.text.rfind("\r", 0, place))
        start += 1
        return start + 1 if self.text[start : start + 1] == "\ufeff" else start

    def _margin(self, place: int) -> str:
        """The white space that the line of a place begins with."""
        rest = self.text[self._line_start(place) :]
        return rest[: len(rest) - len(rest.lstrip(" \t"))]

    def _opens_line(self, place: int) -> bool:
        return not self.text[self._line_start(place) : place].strip(" \t")

    def _written(self, name: str | None, value: Any, indent: str, lines: bool) -> str:
        text = json.dumps(
            value, ensure_ascii=False, indent=self._unit if lines else None
        )
        text = text.replace("\n", self._newline + indent)
        return text if name is None else f"{json.dumps(name)}: {text}"

    def _gap_before(self, place: int) -> int:
        return len(self.text[:place].rstrip(_SPACE))

    def _own_comments(self, box: Node) -> list[Comment]:
        inner = [node for _, _, node in box.children]
        return [
            comment
            for comment in self.comments_in(box.start, box.end)
            if not any(node.start <= comment.start < node.end for node in inner)
        ]

    def _box(self, path: Path) -> Node:
        node = self.at(path)
        if node is None:
            raise KeyError(path)
        return node

    # --- parsing ---

    def _skip(self) -> None:
        text = self.text
        while self._at < len(text):
            if text[self._at] in _SPACE:
                self._at += 1
                continue
            match = _LINE_COMMENT.match(text, self._at)
            line = match is not None
            match = match or _BLOCK_COMMENT.match(text, self._at)
            if match is None:
                return
            self.comments.append(Comment(match.start(), match.end(), line))
            self._at = match.end()

    def _value(self, depth: int) -> Node:
        if depth > _DEPTH:
            raise self.problem("nested too deep", self._at)
        node = Node(self._at)
        first = self.text[self._at : self._at + 1]
        if first == "{":
            node.value = {}
            self._children(node, depth, "}")
        elif first == "[":
            node.value = []
            self._children(node, depth, "]")
        else:
            node.value = self._scalar(_STRING, _NUMBER, _WORD)
        node.end = self._at
        return node

    def _children(self, node: Node, depth: int, close: str) -> None:
        opened = self._at
        self._at += 1
        while True:
            self._skip()
            if self._at >= len(self.text):
                raise self.problem(f"'{self.text[opened]}' is never closed", opened)
            if self.text[self._at] == close:
                self._at += 1
                return
            if len(node.commas) < len(node.children):
                raise self.problem(f"a comma or '{close}' is missing", self._at)
            self._child(node, depth, close)
            self._skip()
            if self.text[self._at : self._at + 1] == ",":
                node.commas.append(self._at)
                self._at += 1

    def _child(self, node: Node, depth: int, close: str) -> None:
        start = self._at
        if close == "]":
            child = self._value(depth + 1)
            node.children.append((len(node.children), start, child))
            node.value.append(child.value)
            return
        name = self._scalar(_STRING)
        self._skip()
        if self.text[self._at : self._at + 1] != ":":
            raise self.problem("a ':' is missing", self._at)
        self._at += 1
        self._skip()
        child = self._value(depth + 1)
        node.children.append((name, start, child))
        node.value[name] = child.value

    def _scalar(self, *forms: re.Pattern[str]) -> Any:
        for form in forms:
            match = form.match(self.text, self._at)
            if match:
                try:
                    value = json.loads(match.group())
                except ValueError as error:
                    raise self.problem("no valid value", self._at) from error
                self._at = match.end()
                return value
        what = "a value" if len(forms) > 1 else "a name in double quotes"
        raise self.problem(f"{what} is missing", self._at)
