"""The sentences of a turn that are a person's own words.

Invariant: pure. Code, quotations, program output, pasted documents and words of the
agent that are given back to it are not the person's words; what is left keeps its
characters, and `plain` has the same length as `text`.

Most of what fools a pattern is not in the sentence but around it: product copy in
quotes, a review pasted from a web page, a log. So this is decided once, here.
"""

from __future__ import annotations

import re

from memcli.named_tuple import NamedTuple
from memcli.sessions.mining import foreign

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection

CODE, QUOTE = "\u00a7", "\u00a4"
"""What stands in `plain` for each character of code, and of a quotation."""

_SPAN = re.compile(r"`[^`\n]{1,200}`")
_QUOTED = re.compile(
    r"\"[^\"\n]{2,400}\"|\u201c[^\u201d\n]{2,400}\u201d|\u201e[^\u201c\u201d\n]{2,400}[\u201c\u201d]"
    r"|\u00ab[^\u00bb\n]{2,400}\u00bb|(?<![\w'])'[^'\n]{2,200}'(?![\w'])"
)
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|resp|approx|z\.B|d\.h)\.$", re.I)
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=\S)|(?<=[\u3002\uff01\uff1f])\s*|\n+")
# Longer than this, a turn is mostly something that was pasted or specified.
_LONG = 2_500
# Of a turn, so much of its start and of its end is read; the rest was pasted.
_WINDOW = 6_000
# Longer than this, it is no sentence of a person (a dictated one has some 1,000).
_SENTENCE = 2_000
_CURLY = str.maketrans("\u2019\u2018\u00b4", "'''")


class Sentence(NamedTuple):
    """One sentence of a person.

    Attributes:
        text: as it was written, on one line.
        plain: the same, with `CODE` and `QUOTE` for what is code or quoted.
        framed: it stands at the start or the end of the turn, or the turn is short.
        doubtful: another may have written it.
        gap: what stands between the one before and this.
    """

    text: str
    plain: str
    framed: bool
    doubtful: bool = False
    gap: str = ""


def sentences(text: str, said: Collection[str] = ()) -> list[Sentence]:
    """Split a turn.

    Args:
        text: what was typed.
        said: sentences that the agent has said before, as `normal` makes them.
    """
    if len(text) > 2 * _WINDOW:
        text = f"{text[:_WINDOW]}\n\n{text[-_WINDOW:]}"
    plain = _masked(text)
    found = []
    before = 0
    for start, end, doubtful in foreign.own(plain):
        for first, last in _split(plain, start, end):
            whole, masked = text[first:last], plain[first:last]
            lead = len(whole) - len(whole.lstrip())
            whole, masked = whole.strip(), masked[lead:].rstrip()
            masked = masked[: len(whole)]
            if len(whole) > _SENTENCE or not re.search(r"[^\W\d_]", masked):
                continue
            if normal(whole) in said and len(whole.split()) >= 6:
                continue
            framed = len(text) <= _LONG or first < 400 or last > len(text) - 400
            gap, before = text[before : first + lead], last
            found.append(Sentence(_flat(whole), _flat(masked), framed, doubtful, gap))
    return found


def said_by(text: str) -> set[str]:
    """The sentences of the agent, for `sentences`."""
    return {normal(part) for part in _END.split(text) if len(part.split()) >= 6}


def normal(text: str) -> str:
    """For comparing: lower case, only letters, digits and single spaces."""
    return " ".join(re.findall(r"\w+", text.lower()))


def _flat(text: str) -> str:
    return re.sub(r"\s", " ", text)


def _masked(text: str) -> str:
    def blank(match: re.Match[str], sign: str) -> str:
        return re.sub(r"[^\n]", sign, match[0])

    plain = _SPAN.sub(lambda m: blank(m, CODE), text)
    return _QUOTED.sub(lambda m: blank(m, QUOTE), plain).translate(_CURLY)


def _split(plain: str, start: int, end: int) -> list[tuple[int, int]]:
    cuts, first = [], start
    for match in _END.finditer(plain, start, end):
        if _ABBREVIATION.search(plain[first : match.start()]):
            continue
        cuts.append((first, match.start()))
        first = match.end()
    cuts.append((first, end))
    return [(a, b) for a, b in cuts if plain[a:b].strip()]
