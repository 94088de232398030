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
from memcli.entries.dates import check_date
from memcli.entries.entry import fitting_tag
from memcli.errors import InvalidEntry, InvalidValue, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

_LARGEST = 4_000_000
# Folders of rules and memories are small; a link farm or a home folder is not one.
_MOST_FILES = 20_000
_DEEPEST = 8


class Memory(NamedTuple):
    """A memory that a file, a row or a rule of another tool holds.

    Attributes:
        place: the file.
        line: where it begins in the file, from 1.
        fields: `text`, and what else the tool says: title, kind, tags, occurred_at,
            expires_at, session. What the tool does not say is an empty value.
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
    values = {part.name: _plain(part.value) for part in page.parts}
    # The two fences stand around the lines.
    line = len(page.lines) + 3 if page.opening else 1
    return Note(values, page.body.replace("\r\n", "\n"), line)


def _plain(node: Any) -> Any:
    """A YAML node as texts, lists and dictionaries; two levels, as tools write them."""
    if node.id == "mapping":
        return {
            str(key.value): value.value
            for key, value in node.value
            if value.id == "scalar" and not frontmatter.is_null(value)
        }
    if node.id == "sequence":
        return [item.value for item in node.value if item.id == "scalar"]
    return "" if frontmatter.is_null(node) else node.value


def line_of(value: Any) -> str:
    """A value of a frontmatter as one line; empty when it is not a text."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def date_of(value: Any) -> str | None:
    """A tool's date as an entry has it; None when it is not a date."""
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        return check_date(value, "occurred_at")
    except InvalidValue:
        return None


def tags_of(values: Any) -> list[str]:
    """A tool's labels as tags, each in the nearest form that memcli takes."""
    labels = values.split(",") if isinstance(values, str) else values
    if not isinstance(labels, list):
        return []
    fitting = [fitting_tag(label) for label in labels if isinstance(label, str)]
    return list(dict.fromkeys(filter(None, fitting)))


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
    folders = [(folder, 0)]
    while folders and len(paths) < _MOST_FILES:
        place, depth = folders.pop()
        try:
            with os.scandir(place) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except (OSError, ValueError):
            continue
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                if depth < _DEEPEST and not entry.name.startswith("."):
                    folders.append((entry.path, depth + 1))
            elif entry.is_file(follow_symlinks=False) and entry.name.endswith(ends):
                paths.append(entry.path)
    return sorted(paths)[:_MOST_FILES]


# --- rules of a page -----------------------------------------------------------------

BEGIN = "<!-- memcli:begin"
END = "<!-- memcli:end"
"""The lines around the block of `export --format agents-md`, the vault's own."""

_PROSE, _ITEM, _STEPS = "prose", "item", "steps"
_BULLET = re.compile(r"[-*+][ \t]+")
_NUMBER = re.compile(r"\d{1,3}[.)][ \t]+")
# A sentence that introduces a list; a longer one is a rule itself.
_LONGEST = 120


class Rule(NamedTuple):
    """One rule of a page.

    Attributes:
        line: where it begins, from 1.
        headings: from the page's title down to the nearest; none above the first.
        words: its lines, without the bullet.
        lead: the sentence that introduces its list; empty for none.
    """

    line: int
    headings: tuple[str, ...]
    words: str
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
        names = [page, *(self.headings[1:] or self.headings)]
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
    blocks = list(_blocks(body, first))
    if all(form == _PROSE and not rule.headings for form, rule in blocks):
        words = "\n\n".join(rule.words for _, rule in blocks)
        yield from (rule._replace(words=words) for _, rule in blocks[:1])
        return
    lead = Rule(0, (), "")
    for number, (form, rule) in enumerate(blocks):
        if form == _ITEM:
            same = lead.headings == rule.headings
            yield rule._replace(lead=lead.words.strip("*_ ") if same else "")
            continue
        lead = Rule(0, (), "")
        for next_form, after in blocks[number + 1 : number + 2]:
            if next_form == _ITEM and after.headings == rule.headings:
                lead = rule if _introduces(rule.words) else lead
        if lead is not rule:
            yield rule


class _Block:
    """Lines that make one rule."""

    def __init__(self, form: str, line: int, words: str, margin: int, cut: int) -> None:
        self.form, self.line, self.margin, self.cut = form, line, margin, cut
        self.lines = [words]

    def takes(self, form: str, margin: int, gap: bool) -> bool:
        """Whether a line of this form goes on with the block."""
        if self.form == _PROSE:
            if form == _STEPS and _introduces("\n".join(self.lines)):
                self.form = _STEPS
            return self.form == form and (form == _STEPS or not gap)
        if margin > self.margin or (form == _PROSE and not gap):
            return True
        return self.form == form == _STEPS

    def add(self, line: str, gap: bool) -> None:
        """Add a line, and the blank one before it."""
        cut = min(self.cut, len(line) - len(line.lstrip()))
        self.lines += [""] * gap + [line[cut:].rstrip()]


def _blocks(body: str, first: int) -> Iterator[tuple[str, Rule]]:
    """(form, rule) of each block of lines, in order."""
    path: list[tuple[int, str]] = []
    block: _Block | None = None
    gap = False

    def ended() -> Iterator[tuple[str, Rule]]:
        if block and any(map(str.isalnum, "".join(block.lines))):
            headings = tuple(title for _, title in path if title)
            yield block.form, Rule(block.line, headings, "\n".join(block.lines))

    for number, line, level in _lines(body):
        text = line.strip()
        if level > 0:
            yield from ended()
            block, gap = None, False
            title = " ".join(text.strip("#").split())
            path = [*(part for part in path if part[0] < level), (level, title)]
            continue
        is_code = level < 0
        # A line `@docs/style.md` brings in another file, and says nothing itself.
        if not is_code and text.startswith("@") and " " not in text:
            continue
        if not is_code and not any(map(str.isalnum, text)) and text[:1] != "|":
            gap = True
            continue
        margin = len(line) - len(line.lstrip())
        mark = None if is_code else _BULLET.match(text)
        form = _ITEM if mark else _STEPS if _NUMBER.match(text) else _PROSE
        if block and (is_code or block.takes(form, margin, gap)):
            block.add(line, gap)
        else:
            yield from ended()
            words = text[mark.end() :] if mark else text
            cut = margin + (mark.end() if mark else 0)
            block = _Block(form, first + number, words, margin, cut)
        gap = False
    yield from ended()


def _introduces(words: str) -> bool:
    return len(words) <= _LONGEST and words.rstrip("*_ ").endswith(":")


def _lines(body: str) -> Iterator[tuple[int, str, int]]:
    """(number from 0, line, level of its heading) of each line outside of comments.

    The level is 0 for text, and -1 for a line of a fence.
    """
    fence, comment = "", ""
    for number, line in enumerate(body.replace("\r\n", "\n").split("\n")):
        text = line.strip()
        if comment:
            comment = "" if comment in text else comment
            continue
        if fence:
            fence = "" if text.strip(fence[0]) == "" and text >= fence else fence
            yield number, line, -1
            continue
        if text.startswith(BEGIN):
            comment = END
            continue
        if text.startswith("<!--"):
            comment = "" if "-->" in text else "-->"
            continue
        if text.startswith(("```", "~~~")):
            fence = text[:3]
            yield number, line, -1
            continue
        hashes = len(line) - len(line.lstrip("#"))
        heading = 0 < hashes <= 6 and line[hashes : hashes + 1] in (" ", "\t")
        yield number, line, hashes if heading else 0
