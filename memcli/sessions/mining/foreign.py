"""Which lines of a turn its author wrote, and which others did: the one recogniser.

Invariant: pure, and linear in the length of a turn. A line is judged by its shape and
by the head above it, never by what it asks for. A head reaches over what follows: over
its line, its paragraph or the rest of the turn. What follows foreign words without a
sign of the person is doubtful: it may wait for a person, and is never saved unasked.
So is a turn that is laid out as a document and in which nobody speaks.
"""

from __future__ import annotations

import re

from memcli.named_tuple import NamedTuple
from memcli.sessions.mining import foreign_shapes as shapes

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Final

# Of a line, so many first characters are read; and the last ones, for its colon.
_READ: Final = 400
# Stands for what is covered; no text of a host holds it.
_COVER: Final = "\ue000"
_UNCOVERED: Final = re.compile(f"[^{_COVER}]+")
_BULLET: Final = re.compile(r"\s*(?:[-*\u2022]|\d{1,2}[.)]|\[[ xX]\])\s+")
_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})([^`\n]*)$")
_CLOSING: Final = re.compile(r"[<\[]/([A-Za-z][\w:.-]*)\s*[>\]]?")
_OPENING: Final = re.compile(r"[<\[]([A-Za-z][\w:.-]*)(?=[\s/>\]=])")
# An item that is the heading of what follows.
_NAMED: Final = re.compile(r"\s*[A-Z]\w*(?: \w+)?\s*")
# A bare colon after so many characters ends no lead.
_LEAD: Final = re.compile(
    r"(\S.{0,120}?)\s?(?::(?:[*_\"\u201c\u00a4]*\s|[*_]*$)|\uff1a)"
)


class Span(NamedTuple):
    """Words of a turn that may be its author's.

    Attributes:
        start, end: where they stand, on one line and behind its bullet.
        doubtful: another may have written them.
    """

    start: int
    end: int
    doubtful: bool


def own(text: str) -> list[Span]:
    """The words that the author of a turn wrote, in order; the rest is foreign.

    Args:
        text: the turn; what is quoted within a line may be covered.
    """
    if shapes.COMPOSED.match(text):
        return []
    turn = _Turn(_covered(text))
    for line, below in zip(turn.lines, [*turn.lines[1:], ""], strict=True):
        turn.read(line, below)
    if turn.others or turn.is_laid_out():
        return [span._replace(doubtful=True) for span in turn.found]
    return turn.found


def _covered(text: str) -> str:
    """The text with what stands between two marks covered, line ends kept.

    An element reaches to the last closing tag of its name: its content may hold others.
    """

    last = {match[1].lower(): match.end() for match in _CLOSING.finditer(text)}
    parts, after = [], 0
    for match in _OPENING.finditer(text) if last else ():
        end = last.get(match[1].lower(), 0)
        if match.start() >= after and end > match.start():
            parts += [text[after : match.start()], _cover(text[match.start() : end])]
            after = end
    text = "".join([*parts, text[after:]])
    return shapes.ENCLOSED.sub(lambda match: _cover(match[0]), text)


def _cover(text: str) -> str:
    return re.sub(r"[^\n]", _COVER, text)


class _Turn:
    """A turn while it is read line by line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        reads = [line[:_READ] for line in self.lines]
        self.found: list[Span] = []
        self.at = 0
        # What is known of the whole: others wrote in it, a chat, a patch, YAML.
        self.others = shapes.is_letter(reads)
        self.doubt = False
        self.labelled = sum(map(shapes.is_label, reads)) >= 2
        self.patch = any(
            read.startswith(("@@ ", "diff --git ", "+ ")) for read in reads
        )
        self.keyed = sum(bool(shapes.KEYED.match(read)) for read in reads) >= 3
        self.document = sum(bool(shapes.HEADING.match(read)) for read in reads) >= 2
        # What reaches into the next line.
        self.fences: list[str] = []
        self.foreign = ""  # "", "quote", "paragraph" or "turn"
        self.lazy = False  # right below a fence
        self.listed: bool | None = (
            False  # a list that a colon opened; None: it may come
        )
        self.blank = False  # the line before was empty
        # Of what is not foreign: items of lists, fields, other lines; a voice.
        self.items = self.fields = self.rows = 0
        self.voice = False

    def is_laid_out(self) -> bool:
        """Whether it is a list, rows or fields, and nobody speaks in it."""
        laid_out = self.items > 1 or self.fields or self.rows > 2
        return bool(laid_out) and not self.voice

    def read(self, line: str, below: str) -> None:
        """Judge the next line; `below` is the one after it."""
        start, self.at = self.at, self.at + len(line) + 1
        read = line[:_READ]
        if self._is_fenced(read):
            self.blank = False
        elif not read.strip():
            self._ends_paragraph()
        elif not read.strip(" \t\r" + _COVER):
            self._shown()
        else:
            self._judge(line, read, start, below)
            self.blank = False

    def _is_fenced(self, read: str) -> bool:
        fence = _FENCE.match(read)
        if fence is None:
            return bool(self.fences)
        self._shown()
        mark, about = fence[1], fence[2].strip()
        if not self.fences or (about and mark[0] == self.fences[-1][0]):
            self.fences.append(mark)
        elif mark.startswith(self.fences[-1]):
            self.fences.pop()
            self.lazy = True
        return True

    def _shown(self) -> None:
        """Note that what a colon announced has marks of its own, and ends with them."""
        if self.listed is None:
            self.listed = False

    def _ends_paragraph(self) -> None:
        if self.foreign == "paragraph":
            self.doubt = True
        if self.foreign != "turn":
            self.foreign = ""
        self.lazy, self.blank = False, True

    def _judge(self, line: str, read: str, start: int, below: str) -> None:
        bullet = _BULLET.match(read)
        if read.lstrip().startswith(">"):
            self._shown()
        if self.listed and self.blank and not bullet:
            self.listed = False
        elif self.listed is None:
            # A colon opens a list, which ends, or a text, which does not.
            self.listed = bool(bullet)
            self.doubt = self.doubt or not bullet
        if self.foreign == "turn":
            if not (self.blank and shapes.PERSON.match(read)):
                return
            self.foreign, self.doubt = "", True
        inner = bullet.end() if bullet else 0
        words = line[inner : inner + _READ]
        reach = self._reach(read, words, start)
        self.others = self.others or reach == "turn"
        if reach:
            self.foreign = self.foreign if reach == "line" else reach
            self.doubt = self.doubt or reach == "line"
        if reach or self.foreign:
            return
        boxed = bool(bullet) and read.lstrip().startswith("[")
        self._count(words, listed=bool(bullet), boxed=boxed)
        doubtful = self.doubt or self.lazy or bool(self.listed)
        if shapes.DOUBTFUL.search(read):
            doubtful = self.doubt = True
        self._cut_at_lead(line, start, inner, doubtful=doubtful)
        self.others = self.others or shapes.is_odd(words)
        below = below.strip()
        if not bullet:
            self.doubt = self.doubt or shapes.is_title(words, alone=not below)
        elif below and not _BULLET.match(below):
            self.doubt = self.doubt or bool(_NAMED.fullmatch(words))

    def _count(self, words: str, *, listed: bool, boxed: bool) -> None:
        """Count a line that may be the person's, and listen for their voice."""
        self.items += listed + boxed  # a person ticks no box
        self.rows += not listed
        if shapes.FIELD.match(words):
            self.fields += 1
            return
        spoken = not listed and shapes.VOICE.search(words)
        self.voice = self.voice or bool(spoken or shapes.CASUAL.match(words))

    def _reach(self, read: str, words: str, start: int) -> str:
        """How far what begins with this line is foreign; "" when it is not."""
        if read.lstrip().startswith(">"):
            return "quote"
        if shapes.TURN.search(read) or shapes.is_head(read):
            return "turn"
        headed = shapes.HEADING.match(read) or start > _READ
        if self.document and (headed or shapes.REVIEW.search(read)):
            return "turn"
        if self.labelled and shapes.is_label(read):
            return "turn"
        if shapes.PARAGRAPH.search(words):
            return "paragraph"
        if self.patch and read.startswith(("+", "-", " ")):
            return "line"
        if self.keyed and (shapes.KEYED.match(read) or re.match(r"\s*- ", read)):
            return "line"
        return "line" if shapes.is_machine(words) else ""

    def _cut_at_lead(
        self, line: str, start: int, inner: int, *, doubtful: bool
    ) -> None:
        """Keep a line up to the colon that hands over to other words."""
        end = len(line)
        lead = _LEAD.match(line, inner, min(end, inner + _READ))
        while lead is not None:
            last = not line[lead.end() :].strip()
            ends = (". ", "! ", "? ", "; ")
            clause = max(line.rfind(mark, inner, lead.end(1)) for mark in ends) + 1
            clause = max(inner, clause)
            given = shapes.handed_over(line[clause : lead.end(1)])
            if given == "foreign":
                self.foreign = "turn" if last or shapes.TASK.search(line) else ""
                self._keep(start + inner, start + clause, doubtful=doubtful)
                return
            if given == "doubtful" and last:
                self.listed = None
            elif given == "doubtful":
                self._keep(start + inner, start + clause, doubtful=doubtful)
                self._keep(start + clause, start + end, doubtful=True)
                return
            lead = None if last else _LEAD.match(line, lead.end(), inner + _READ)
        self._keep(start + inner, start + end, doubtful=doubtful)

    def _keep(self, start: int, end: int, *, doubtful: bool) -> None:
        for part in _UNCOVERED.finditer(self.text, start, end):
            self.found.append(Span(part.start(), part.end(), doubtful))
