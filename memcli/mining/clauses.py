"""The sentences of a turn that are a person's own words.

Invariant: pure. Code, quotations, program output, pasted documents and words of the
agent that are given back to it are not the person's words; what is left keeps its
characters, and `plain` has the same length as `text`.

Most of what fools a pattern is not in the sentence but around it: product copy in
quotes, a review pasted from a web page, a log. So this is decided once, here.
"""

import re
from collections.abc import Collection
from typing import NamedTuple

CODE, QUOTE = "\u00a7", "\u00a4"
"""What stands in `plain` for each character of code, and of a quotation."""

_FENCE = re.compile(
    r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL
)
_SPAN = re.compile(r"`[^`\n]{1,200}`")
_QUOTED = re.compile(
    r"\"[^\"\n]{2,400}\"|\u201c[^\u201d\n]{2,400}\u201d|\u201e[^\u201c\u201d\n]{2,400}[\u201c\u201d]"
    r"|\u00ab[^\u00bb\n]{2,400}\u00bb|(?<![\w'])'[^'\n]{2,200}'(?![\w'])"
)
_BULLET = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,2}[.)]|\[[ xX]\])\s+")
_HEADING = re.compile(r"^\s*(?:#{1,5}\s+\S|\*\*[^*]+\*\*:?\s*$|\|.*\|\s*$)")
# What a program printed, or a program itself.
_MACHINE = re.compile(
    r"^\s*(?:[\u276f\u279c$%>+]\s|\+\+\+|---|@@|Traceback|File \"|at \S+ ?\(|\d+[\u2192|:]"
    r"|\[?\d{4}-\d\d-\d\d[T ]|\[\d\d:|commit [0-9a-f]{7,}|(?:Author|Date|Merge):\s"
    r"|diff --git|index [0-9a-f]{7,}|(?:def|class|func|fn|import|from|const|let|var|return|package)\s+\S+.*[;:{(=]\s*$"
    r"|</?\w+[^>]*>\s*$|[{}\[\]();,]+\s*$)"
    r"|^\s*[\w./:\[\]-]{0,60}\b(?:error|exception|fatal|warning|remote|panic|traceback|failed|hint)\b\s*[:\]]"
    r"|[\u2500-\u257f]|\S {3,}\S|^ {4,}\S|^\t+\S|\S+\.\w{1,4}:\d+(?::\d+)?[:\s]",
    re.IGNORECASE,
)
# A line that hands over to words of somebody else, to the end of the turn.
_HANDOVER = re.compile(
    r"\b(?:comments?|review(?:er)?s?|feedback|message|output|logs?|says|said|wrote|writes|"
    r"response|reply|answered|following|below|report(?:ed)?|describes|plan|prompt|text|"
    r"scenario|result|getting)\b[^:\n]{0,60}:\s*$",
    re.IGNORECASE,
)
_REVIEW = re.compile(
    r"comment on lines|suggested change|nitpick|potential issue|coderabbit|\blgtm\b"
    r"|^\s*(?:in|on) \S+\.\w{1,5}(?::\d+| line)|_?\u26a0\ufe0f|copilot (?:ai|review)",
    re.IGNORECASE | re.MULTILINE,
)
_MEMORY_FILE = re.compile(r"\b(?:CLAUDE|AGENTS|GEMINI|MEMORY)\.md\b", re.IGNORECASE)
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|resp|approx|z\.B|d\.h)\.$", re.I)
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=\S)|(?<=[\u3002\uff01\uff1f])\s*|\n+")
# Longer than this, a turn is mostly something that was pasted or specified.
_LONG = 2_500


class Sentence(NamedTuple):
    """One sentence of a person.

    Attributes:
        text: as it was written, on one line.
        plain: the same, with `CODE` and `QUOTE` for what is code or quoted.
        listed: it is an item of a list.
        framed: it stands at the start or the end of the turn, or the turn is short.
    """

    text: str
    plain: str
    listed: bool
    framed: bool


def sentences(text: str, said: Collection[str] = ()) -> list[Sentence]:
    """Split a turn.

    Args:
        text: what was typed.
        said: sentences that the agent has said before, as `normal` makes them.
    """
    plain = _masked(text)
    lines = _own_lines(plain)
    found = []
    for start, end, listed in lines:
        for first, last in _split(plain, start, end):
            whole, masked = text[first:last], plain[first:last]
            lead = len(whole) - len(whole.lstrip())
            whole, masked = whole.strip(), masked[lead:].rstrip()
            masked = masked[: len(whole)]
            if not re.search(r"[^\W\d_]", masked):
                continue
            if normal(whole) in said and len(whole.split()) >= 6:
                continue
            framed = len(text) <= _LONG or first < 400 or last > len(text) - 400
            found.append(Sentence(_flat(whole), _flat(masked), listed, framed))
    return found


def said_by(text: str) -> set[str]:
    """The sentences of the agent, for `sentences`."""
    return {normal(part) for part in _END.split(text) if len(part.split()) >= 6}


def normal(text: str) -> str:
    """For comparing: lower case, only letters, digits and single spaces."""
    return " ".join(re.findall(r"\w+", text.lower()))


def is_machine(line: str) -> bool:
    """Whether a program wrote this line."""
    if _MACHINE.search(line):
        return True
    letters = sum(char.isalpha() or char == " " for char in line)
    return len(line) > 30 and letters < 0.65 * len(line)


def _flat(text: str) -> str:
    return re.sub(r"\s", " ", text)


def _masked(text: str) -> str:
    def blank(match: "re.Match[str]", sign: str) -> str:
        return re.sub(r"[^\n]", sign, match[0])

    plain = _FENCE.sub(lambda m: blank(m, CODE), text)
    plain = _SPAN.sub(lambda m: blank(m, CODE), plain)
    return _QUOTED.sub(lambda m: blank(m, QUOTE), plain)


def _own_lines(plain: str) -> list[tuple[int, int, bool]]:
    """(start, end, whether in a list) of the lines that are the person's own."""
    rows, position = [], 0
    for line in plain.split("\n"):
        rows.append((position, position + len(line), line))
        position += len(line) + 1
    headings = sum(bool(_HEADING.match(line)) for _, _, line in rows)
    document = headings >= 3 or bool(_REVIEW.search(plain))
    found = []
    for start, end, line in rows:
        if document and (_HEADING.match(line) or _REVIEW.search(line) or start > 400):
            break
        bullet = _BULLET.match(line)
        if line.lstrip().startswith(">") or is_machine(
            line[bullet.end() if bullet else 0 :]
        ):
            continue
        found.append((start + (bullet.end() if bullet else 0), end, bullet is not None))
        if _HANDOVER.search(line) and not _MEMORY_FILE.search(line):
            break
    return found


def _split(plain: str, start: int, end: int) -> list[tuple[int, int]]:
    cuts, first = [], start
    for match in _END.finditer(plain, start, end):
        if _ABBREVIATION.search(plain[first : match.start()]):
            continue
        cuts.append((first, match.start()))
        first = match.end()
    cuts.append((first, end))
    return [(a, b) for a, b in cuts if plain[a:b].strip()]
