"""The sentences of a turn that are a person's own words; where a statement begins and
ends, and whether it can be read by itself.

Invariant: pure. Code, quotations, program output, pasted documents and words of the
agent that are given back to it are not the person's words; what is left keeps its
characters, and `plain` has the same length as `text`.

Most of what fools a pattern is not in the sentence but around it: product copy in
quotes, a review pasted from a web page, a log. So this is decided once, here.

A statement goes on to the end of its paragraph, unless that turns to something else.
What is kept has the noun of its "it": it stands in the sentence, or the sentences
before it in the same turn come along. A sentence that rests on what the agent said, or
on an option that it offered, is not kept at all.
"""

from __future__ import annotations

import re

from memcli.named_tuple import NamedTuple
from memcli.sessions.mining import foreign

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Final

    from memcli.sessions.mining.candidate import Category

CODE, QUOTE = "\u00a7", "\u00a4"
"""The signs in `plain` for each character of code, and of a quotation."""

_SPAN = re.compile(r"`[^`\n]{1,200}`")
_QUOTED = re.compile(
    r"\"[^\"\n]{2,400}\"|\u201c[^\u201d\n]{2,400}\u201d|\u201e[^\u201c\u201d\n]{2,400}[\u201c\u201d]"
    r"|\u00ab[^\u00bb\n]{2,400}\u00bb|(?<![\w'])'[^'\n]{2,200}'(?![\w'])"
)
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|resp|approx|z\.B|d\.h)\.$", re.I)
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=\S)|(?<=[\u3002\uff01\uff1f])\s*|\n+")
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
        gap: what stands between the one before and this.
    """

    text: str
    plain: str
    gap: str = ""


def sentences(text: str, said: Collection[str] = ()) -> list[Sentence]:
    """Split a turn.

    Args:
        text: what was typed.
        said: sentences that the agent has said before, as `normal` makes them.
    """
    if len(text) > 2 * _WINDOW:
        text = f"{text[:_WINDOW]}\n\n{text[-_WINDOW:]}"
    plain = masked(text)
    found = []
    before = 0
    for start, end in foreign.own(plain):
        for first, last in _split(plain, start, end):
            whole, shown = text[first:last], plain[first:last]
            lead = len(whole) - len(whole.lstrip())
            whole, shown = whole.strip(), shown[lead:].rstrip()
            shown = shown[: len(whole)]
            if len(whole) > _SENTENCE or not re.search(r"[^\W\d_]", shown):
                continue
            if normal(whole) in said and len(whole.split()) >= 6:
                continue
            gap, before = text[before : first + lead], last
            found.append(Sentence(_flat(whole), _flat(shown), gap))
    return found


def said_by(text: str) -> set[str]:
    """The sentences of the agent, for `sentences`; also what follows a colon in one."""
    parts = _END.split(text)
    parts += [part.partition(": ")[2] for part in parts if ": " in part]
    return {normal(part) for part in parts if len(part.split()) >= 6}


def normal(text: str) -> str:
    """For comparing: lower case, only letters, digits and single spaces."""
    return " ".join(re.findall(r"\w+", text.lower()))


def masked(text: str) -> str:
    """A text with the signs for what is code or quoted, and straight apostrophes."""

    def blank(match: re.Match[str], sign: str) -> str:
        return re.sub(r"[^\n]", sign, match[0])

    plain = _SPAN.sub(lambda m: blank(m, CODE), text)
    return _QUOTED.sub(lambda m: blank(m, QUOTE), plain).translate(_CURLY)


def _flat(text: str) -> str:
    return re.sub(r"\s", " ", text)


def _split(plain: str, start: int, end: int) -> list[tuple[int, int]]:
    cuts, first = [], start
    for match in _END.finditer(plain, start, end):
        if _ABBREVIATION.search(plain[first : match.start()]):
            continue
        cuts.append((first, match.start()))
        first = match.end()
    cuts.append((first, end))
    return [(a, b) for a, b in cuts if plain[a:b].strip()]


# --- statements ------------------------------------------------------------------------

LONGEST = 600
"""Of a statement, in characters; it is cut at a sentence."""
# Between two sentences of a paragraph, and between two items of a list.
_GAP: Final = re.compile(r"[\"'\u201d)\]*_]*[ \t]*\n?[ \t]*")
_ITEM: Final = re.compile(r"[ \t]*\n\s*(?:[-*+\u2022]|\d{1,2}[.)])\s+")
# So long a line without an end is wrapped, and goes on.
_WRAPPED: Final = 60
# What turns to the task at hand, or asks.
_TURNS: Final = re.compile(
    r"(?i)^\W*(?:(?:now|next|then|first|anyway|meanwhile)\b(?! on\b)|(?:ok(?:ay)?|thanks|thank you|please|pls|for now"
    r"|(?:can|could|will|would) (?:you|we)|let'?s|let me|but first|go ahead|continue|btw|by the way|back to)\b)|\?\W*$"
)
# So many sentences come along at most, for "it" may lean on another "it".
_ALONG: Final = 2
# After a few words the noun stands in the sentence itself, mostly.
_VERBS: Final = (
    r"(?:do|did|use|add|keep|make|push|commit|run|put|write|skip|change|create|move|remove"
    r"|rename|hide|show|fix|see|get|like|want|improve|handle|document|implement|leave"
    r"|revisit|drop|test|check|think|build|try|adding|doing|using|making|removing|pulling"
    r"|handling|changing|leaving|keeping|for|on|with|about|from|of|in|to) (?:all (?:of )?)?"
)
_LEANS: Final = re.compile(
    # Its object, before the first comma: "don't do that", "keep it", "work on this".
    rf"(?i)^\W*(?:[^\s,;:]+ ){{0,4}}?{_VERBS}(?:it|them)\b"
    rf"|^\W*(?:[^\s,;:]+ ){{0,8}}?{_VERBS}(?:this|that|these|those)\b"
    r"(?! (?:way|repo|project|code|team|org|(?:we|you|i|the|our|my|is|are)\b))"
    # Its subject: "this could be a project", "but that may not"; not "it would be nice".
    r"|^\W*(?:(?:and|but|so|also|though|because|then|maybe|otherwise)\W+)*"
    r"(?:(?:it|that|this)(?:'s| (?:is|was|has|needs|may|might|could|should|would|will|can|must|does)\b)"
    r"(?! (?:be )?(?:important|nice|good|great|cool|useful|not (?:fully|quite|entirely)))"
    r"|(?:they|these|those|which|if so)\b|(?:definitely |probably )?more of\b)"
)
# An answer to one of the options that the agent offered: "B) as a separate feature".
_OPTION: Final = re.compile(
    r"(?i)^\W*(?:[a-h0-9]{1,2}[).:] |\d (?:is|does|seems|looks)\b|(?:option|number|nr\.?|#) ?[a-h0-9]\b|(?:the )?(?:former|latter)\b)"
)
# What a line may not end with: the next one goes on.
_OPEN: Final = re.compile(
    r"(?i)(?::|,|\b(?:if|or|and|but|the|an?|to|for|of|in|with|wait|when|unless|that))$"
)
# What begins an answer, and says nothing by itself.
_FILLER: Final = re.compile(
    # "No tabs", "well tested": only before a mark do these answer.
    r"(?i)^(?:(?:ok(?:ay)?|yes|yeah|yep|sure|hmm+|ah|oh|so|also|and|but|alright|great"
    r"|thanks|perfect|agreed)\b[,.!]*\s+|(?:no|nope|well)\b[,.!:;\u2013\u2014-]+\s+|(?:please )+(?=please )"
    r"|(?:please )?(?:add|save|put|write|note|record|document) (?:this|it|that|these)\b[^:]{0,60}: )+"
)
# "... is not correct, " says which; what is right comes after it.
_DENIED: Final = re.compile(
    r"(?i)^.*?\b(?:not (?:\w+ )?(?:correct|right|true|accurate)|wrong|incorrect|misunderstood|mistaken|not (?:how|the way|our) [^,.;:\u2014]{2,40})[,.;:\u2014-]+ "
)
_ONLY_DENIES: Final = re.compile(
    r"(?i)^\W*(?:no\W+)?(?:that|this|it)(?:'s| is| was)? ?(?:not|n't) (?:how|the way|our) [^,;:]{2,60}$"
)


def end(own: Sequence[Sentence], place: int, goes_on: Sequence[bool]) -> int:
    """The last sentence of the statement that begins at `place`.

    Args:
        own: the person's own sentences of a turn.
        place: where it begins.
        goes_on: of each sentence, whether it may belong to the one before.
    """
    length, last = len(own[place].text), place
    listed = own[place].text.endswith(":")
    for later in range(place + 1, len(own)):
        one, before = own[later], own[later - 1].text
        length += len(one.text) + 1
        item = listed and _ITEM.fullmatch(one.gap)
        near = _GAP.fullmatch(one.gap) and not (
            "\n" in one.gap and before[-1].isalnum() and len(before) < _WRAPPED
        )
        open_end = last == place and _OPEN.search(before)
        if length > LONGEST or not (item or open_end or (near and goes_on[later])):
            break
        if _TURNS.search(one.plain) and not open_end:
            break
        last = later
    return last


def told(own: Sequence[Sentence], place: int, last: int, category: Category) -> str:
    """A statement as it is kept, "" when it cannot be read by itself.

    Args:
        own: the person's own sentences of a turn.
        place: its first.
        last: its last.
        category: what it was found to be; a correction loses what it only denies.
    """
    words = _alone(own[place].text, category)
    rest = own[place + 1 : last + 1]
    if category == "correction" and _ONLY_DENIES.match(words):
        words, rest = rest[0].text if rest else "", rest[1:]
    if not words or _OPTION.match(words) or (_OPEN.search(words) and not rest):
        return ""
    first = place
    while leans(own[first].text) if first < place else _LEANS.match(words):
        first -= 1
        if first < max(0, place - _ALONG):
            return ""
    along = [one.text for one in own[first:place]]
    along[:1] = [_alone(text, category) for text in along[:1]]
    whole = " ".join([*along, words])
    for one in rest:
        item = _ITEM.fullmatch(one.gap)
        whole += f"\n{one.gap.strip()} {one.text}" if item else f" {one.text}"
    return whole if len(whole) <= LONGEST else _cut(whole)


def leans(text: str) -> bool:
    """Whether a sentence rests on the one before it."""
    return bool(_LEANS.match(_FILLER.sub("", text)))


def _cut(words: str) -> str:
    """Words that are too long, up to the last sentence that fits, or else word."""
    ends = [one.start() for one in re.finditer(r"(?<=[.!?])\s", words[: LONGEST + 1])]
    if ends:
        return words[: ends[-1]]
    return words[:LONGEST].rpartition(" ")[0] + " \u2026"


def _alone(words: str, category: Category) -> str:
    """A sentence without what only answers the one before it."""
    for lead in (_FILLER, _DENIED) if category == "correction" else (_FILLER,):
        rest = lead.sub("", words, count=1)
        words = rest if len(rest.split()) > 2 else words
    return words
