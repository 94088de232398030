"""The files of other tools: how they are read, and how a page is split into rules.

Invariant: a file is read up to a limit, and no link, pipe or device is followed. Text
that is no UTF-8 is a `Problem`, never a guess. A heading, a bullet or a comment inside
a fence is text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from memcli.entries import dates, frontmatter
from memcli.errors import InvalidEntry, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.vault_paths import walk

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

_LARGEST = 4_000_000
# Folders of rules and memories are small; a link farm or a home folder is not one.
_MOST_FILES = 20_000
_DEEPEST = 8
# Headings that could stand above any rule: with them it would be another claim.
_OF_ANY_RULE = frozenset(
    "rules guidelines conventions instructions preferences general notes".split()
)


class Memory(NamedTuple):
    """A memory that a file, a row or a rule of another tool holds.

    Attributes:
        place: the file.
        line: where it begins in the file, from 1.
        fields: `text`, and what else the tool says: title, kind, tags, occurred_at,
            expires_at; `said` is the text without the headings above it. What the tool
            does not say is an empty value.
        folder: the folder that it is about; None when it names none.
    """

    place: str
    line: int
    fields: dict[str, Any]
    folder: str | None = None


class Problem(NamedTuple):
    """A part that could not be read: where, from which line, and why."""

    place: str
    line: int
    reason: str


Found = Iterator[Memory | Problem]


class Note(NamedTuple):
    """A markdown file: the values of its frontmatter, and the body with its line."""

    values: dict[str, Any]
    body: str
    line: int


def note(path: str) -> Note | Problem:
    """Read a markdown file."""
    try:
        data = files.read(path, limit=_LARGEST, follow=False)
        page = frontmatter.take_apart(data, path)
    except InvalidEntry as error:
        return Problem(path, error.line, error.reason)
    except Unreadable as error:
        return Problem(path, 1, error.message.removeprefix(f"{path}: "))
    values = {part.name: part.value for part in page.parts}
    # The two fences stand around the lines.
    line = len(page.lines) + 3 if page.opening else 1
    return Note(values, page.body.replace("\r\n", "\n"), line)


def line_of(value: Any) -> str:
    """A value of a frontmatter as one line; empty when it is not a text."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def written(path: str) -> str | None:
    """When a file was last written, as an entry has dates."""
    try:
        return dates.iso(int(os.stat(path, follow_symlinks=False).st_mtime))
    except (OSError, ValueError, OverflowError):
        return None


def below(folder: str, *ends: str) -> list[str]:
    """The files of a folder whose names have one of these ends, in order.

    Links are not followed, and hidden folders not entered.
    """
    paths: list[str] = []
    for place, folders, names in walk(folder):
        depth = place.removeprefix(folder).count(os.sep)
        folders[:] = [f for f in folders if depth < _DEEPEST and not f.startswith(".")]
        found = (os.path.join(place, name) for name in names if name.endswith(ends))
        paths += (p for p in found if os.path.isfile(p) and not os.path.islink(p))
        if len(paths) > _MOST_FILES:
            break
    return sorted(paths)[:_MOST_FILES]


# --- rules of a page -----------------------------------------------------------------

BEGIN = "<!-- memcli:begin"
END = "<!-- memcli:end"
"""The lines around the block of `export --format agents-md`, the vault's own."""

_MARGIN, _BULLET = re.compile(r"[ \t]*"), re.compile(r"[ \t]*[-*+][ \t]+")
_NUMBER = re.compile(r"\d{1,9}[.)][ \t]+")
_ITEM = re.compile(
    r"^(?=[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])|(?<=\n\n)(?=\S)", re.MULTILINE
)
_IMPORT = re.compile(r"^[ \t]*@\S+[ \t]*(?:\n|\Z)", re.MULTILINE)
# A sentence that introduces a list; a longer one is a rule itself.
_LONGEST = 120


class Rule(NamedTuple):
    """One rule of a page.

    Attributes:
        line: where it begins, from 1.
        headings: from the page's title down to the nearest; none above the first.
        words: its lines, without the bullet.
        is_item: whether it is an item of a list.
        lead: the sentence that introduces its list; empty for none.
    """

    line: int
    headings: tuple[str, ...]
    words: str
    is_item: bool = False
    lead: str = ""

    def text(self, page: str = "") -> str:
        """The rule behind its headings: "push to main" may stand below "Never".

        Args:
            page: a name of the page for rules of pages that have one.
        """
        prefix = self._prefix(page)
        gap = "\n\n" if self._is_block else " "
        return f"{prefix}:{gap}{self.words}" if prefix else self.words

    def title(self, page: str = "") -> str:
        """A title for code, a table or steps, whose headings alone say too little; of
        any other rule its first words are one."""
        if not self._is_block:
            return ""
        lines = (_NUMBER.sub("", line.strip("|> ")) for line in self.words.split("\n"))
        said = (line for line in lines if line[:1].isalnum() or " " in line)
        return ": ".join(filter(None, [self._prefix(page), next(said, "")[:_LONGEST]]))

    def _prefix(self, page: str) -> str:
        # The page's own title says little where another heading follows.
        headings = self.headings[1:] or self.headings
        said = (name for name in headings if name.lower() not in _OF_ANY_RULE)
        names = [page, *said]
        above = [" / ".join(name[:_LONGEST] for name in names if name), self.lead]
        return ": ".join(part.rstrip(" :") for part in above if part)

    @property
    def _is_block(self) -> bool:
        is_marked = self.words.startswith(("```", "~~~", "|", ">"))
        return is_marked or bool(_NUMBER.match(self.words))


def rules(body: str, first: int = 1) -> Iterator[Rule]:
    """The rules of a page: each item of a list, each paragraph with code after it.

    A numbered list is a sequence, and stays one rule. A page without a heading or a
    list is one rule.

    Args:
        body: the page without its frontmatter.
        first: the line at which it begins in its file.
    """
    found = _blocks(body.replace("\r\n", "\n"), first)
    if not any(rule.headings or rule.is_item for rule in found):
        words = "\n\n".join(rule.words for rule in found)
        yield from (rule._replace(words=words) for rule in found[:1])
        return
    lead = ""
    for rule, after in zip(found, [*found[1:], Rule(0, (), "")], strict=True):
        if rule.is_item:
            yield rule._replace(lead=lead)
            continue
        above = after.is_item and after.headings == rule.headings
        lead = rule.words.strip("*_ ") if above and _introduces(rule.words) else ""
        if not lead:
            yield rule


def items(words: str) -> list[str]:
    """The parts of a rule: each paragraph, and each item of its list with its lines.

    >>> items("Before a release:\\n\\n1. tag it\\n2. tell us")
    ['Before a release:\\n\\n', '1. tag it\\n', '2. tell us']
    """
    return _ITEM.split(words)


def _blocks(body: str, first: int) -> list[Rule]:
    """The paragraphs, the items and what else a page has, code joined to them."""
    lines = body.split("\n")
    headings: dict[int, str] = {}
    found: list[Rule] = []
    end = 0  # the line behind the last block; 0 below a heading
    for kind, begin, stop, level in _parts(body):
        if level:
            headings = {n: name for n, name in headings.items() if n < level}
            headings[level] = " ".join(lines[begin].strip("# \t").split())
            end = 0
            continue
        is_item = kind == "list_item"
        words = _words("\n".join(lines[begin:stop]).rstrip(), kind)
        joins = kind in ("fence", "code_block") or (
            _introduces(found[-1].words)
            if end and kind == "ordered_list"
            else end == begin and not is_item
        )
        if end and joins:
            gap = "\n" * (1 + (begin > end))
            joined = f"{found[-1].words}{gap}{words}"
            found[-1] = found[-1]._replace(words=joined)
        else:
            own = tuple(filter(None, headings.values()))
            found.append(Rule(first + begin, own, words, is_item))
        end = begin + len(words.split("\n"))
    return [rule for rule in found if any(map(str.isalnum, rule.words))]


def _words(text: str, kind: str) -> str:
    """The lines of a block, moved to the left; those of an item without its bullet."""
    if kind == "paragraph":
        # A line `@docs/style.md` brings in another file, and says nothing itself.
        text = _IMPORT.sub("", text)
    mark = _BULLET.match(text) if kind == "list_item" else _MARGIN.match(text)
    cut = mark.end() if mark else 0
    head, *rest = text.split("\n")
    lines = (line[min(cut, len(line) - len(line.lstrip())) :] for line in rest)
    return "\n".join([head[cut:], *(line.rstrip() for line in lines)])


def _parts(body: str) -> Iterator[tuple[str, int, int, int]]:
    """(kind, first line, line behind it, level of a heading) of each part of a page."""
    from markdown_it import MarkdownIt

    # A definition of a link is text here.
    parser = MarkdownIt("commonmark").enable("table").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    hidden = in_list = False
    for token in parser.parse(body):
        kind = token.type.removesuffix("_open")
        if token.map is None or token.nesting < 0:
            continue
        if not token.level:
            in_list = kind == "bullet_list"
        comment = kind == "html_block" and token.content.startswith("<!--")
        if comment:
            hidden = (hidden or BEGIN in token.content) and END not in token.content
        if hidden or comment or kind == "hr":
            continue
        # An item of a bullet list lies in the list, all else stands alone.
        is_item = kind == "list_item" and token.level == 1
        if is_item if in_list else not token.level:
            level = int(token.tag[1:]) if kind == "heading" else 0
            yield kind, token.map[0], token.map[1], level


def _introduces(words: str) -> bool:
    return len(words) <= _LONGEST and words.rstrip("*_ ").endswith(":")
