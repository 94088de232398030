"""Whose hand a statement is in: the person's own, or that of a text they handed over.

Invariant: pure. A pasted text without any mark is recognised by the words around it:
- a line in another style or another language, or one about a text or a person;
- a sentence that hands over the next one, or takes back the one before;
- the turn before or after, or the agent's reply, when it is about a text;
- the other turns of the session, when all of them are in another style.
Each of these is a doubt and no proof: a statement in doubt waits for the person.
"""

from __future__ import annotations

import re

from memcli.named_tuple import NamedTuple
from memcli.sessions.mining.foreign_shapes import ANSWER

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

    from memcli.sessions.mining.proof import Exchange
    from memcli.sessions.mining.statements import Sentence

_I: Final = re.IGNORECASE
# A line apart, or a turn about another, is no longer, in words.
_SHORT: Final = 14
# Another person, or a text as such: what is read, worded, answered.
_ABOUT: Final = re.compile(
    r"\b(?:he|she|him|his|her|guy|dude|lady|who|whom|(?:they|them) (?:mean|want|say|said|write|wrote|ask(?:ed)?|sent)|(?:do|does|did) (?:they|it) (?:mean|want|say)"
    r"|(?:some(?:one|body)|legal|customers?|clients?|boss|colleagues?|coworkers?|manager|support|pm) (?:is|are|was|were|wrote|sent|said|says|asks?|asked|wants?|gave|posted|forwarded)"
    r"|e-?mails?|mails?|messages?|slack|letters?|tickets?|wiki|tweets?|drafts?|repl(?:y|ies)|respon(?:d|se)(?! (?:only )?with)|answers?(?! the question)|wording|tone|grammar|typos?|translat\w+|summar\w+|tl;?dr|shorte[rn]\w*|longer|(?:in)?formal(?:ly)?|polite\w*|nice(?:r|ly)|friendl\w+|re(?:write|phrase|word)|proof-?read|spam|scam|legit\w*|sarcas\w+"
    r"|(?:in|in)?to (?:german|english|french|spanish|italian|portuguese|plain english)|sounds?|get back to (?:him|her|them)|sent (?:me|us|this)|(?:got|get|received|found|forwarded) (?:this|that|these)"
    r"|(?:any|your) (?:thoughts|opinions?)|wdyt|make sense|outdated|eli5|explain like|(?:what|how|would|do) (?:do |would )?you (?:think|agree|say|reply|answer)|your take|quote|paste\w*"
    r"|schreib|antwort\w*|k\u00fcrzer|\u00fcbersetz\w*|wer|r\u00e9ponds?|r\u00e9ponse|traduis|plus court|responde|respuesta|traduce|m\u00e1s corto)\b",
    _I,
)
# "this" and "it" without a name, in a question or at an end.
_POINTS: Final = re.compile(
    r"\b(?:this|that|these|those)(?: one)?(?:[^\w:]*$| (?:is|was|says?|means?|true|correct|right|ok|okay|real|into|to|from|by|more)\b)"
    r"|\b(?:is|are|was) (?:it|this|that|they)\b.*\?|^\W*(?:why|who|what|how|where)\b.*\b(?:say|mean|write|this|that)\b.*$|^\W*thoughts\b|\b(?:what|as|like) (?:it|this|that|he|she) says\b",
    _I,
)
# What names a thing of the work, or what is done to one; and "do it".
_WORK: Final = re.compile(
    r"\b(?:prs?|pull requests?|review (?:it|that|comments?)|(?:pr|review|code) comments?|commit\w*|branch\w*|push\w*|merge\w*|rebas\w+|main|tests?|testing|code|errors?|fail\w*|crash\w*|bugs?|build\w*|files?|folders?|hooks?|plan|phase\w*|slices?|steps?|tasks?|repo\w*|readme|changelog|docs|cli|md|todos?|implement\w*|refactor\w*"
    r"|functions?|methods?|class(?:es)?|modules?|packages?|librar\w+|dependenc\w+|releases?|deploy\w*|ci|pipeline|lint\w*|types?|works?|broke\w*|slow\w*|fast\w*|logs|data|database|db|sql|schema|tables?|columns?|quer(?:y|ies)|apis?|endpoints?|server|ui|pages?|button|screen|css|html|json|config\w*|settings?|flags?|cache\w*|scripts?|commands?|terminal|shell|install\w*|debug\w*|rerun|questions?|options?|(?:the|this|that|your|my) (?:approach|solution|change|changes|feature|agent|skill)"
    r"|later|eventually|follow[- ]?up|address\w*|continue|proceed|go (?:ahead|on|for it)|next|more things?|notes?|noted|i (?:said|told|fixed|did|ran|tried|see|saw|think|am|was|will|want|need|like)|i'(?:m|ll|ve)|you (?:did|forgot|keep|are|have|were|just)"
    r"|(?:do|did|doing|fix|add|push|keep|extend|adjust|check|implement|use|try|handle|revert|undo|start)(?: all(?: of)?)? (?:this|that|these|those|it|so|both))\b|^\W*(?:please )?do\b|[/@_=<>{}|$\\\u00a7\u00a4`#]|\w\.\w",
    _I,
)
_PLAIN_WORK: Final = re.compile(
    r"\b(?:prs?|pull request|(?:pr|review|code) comments?|commit\w*|branch\w*|push\w*|merge\w*|tests?|code|errors?|build|files?|hooks?|questions?|plan|repo|readme|changelog|cli|md|todos?"
    r"|(?:do|did|doing|fix|add|push|keep|extend|adjust|check|implement|use|try|handle|revert|undo|start)(?: all(?: of)?)? (?:this|that|these|those|it))\b",
    _I,
)
# A task whose thing is "this" or "it": beside a text, that is the text.
_TASK: Final = re.compile(
    r"\b(?:for|into|to|of|with|on|about|after|against) (?:this|that|these|it|them)[^\w:]*$"
    r"|^\W*(?!.*\b(?:remember|memory|claude|agents|rules?)\b)(?:(?:please|pls|can you|could you|now|then|just|ok) )*[a-z]+ (?:this|that|these|it|them)(?: (?:into|to|in|for|as|out|up|by|please|pls|now|all|later)\b.*)?[^\w:]*$",
    _I,
)
# Who speaks of "we" speaks of the work.
_OURS: Final = re.compile(r"\b(?:we|i)\b", _I)
# How a person begins an answer to the agent.
_REPLY: Final = re.compile(
    r"\W*(?:ok|okay|yes|yeah|yep|no|nope|wait|also|so|but|and|hmm+|uh+|alright|great|perfect)\b",
    _I,
)
# A command, an address, a name of code: nobody's words.
_CODE: Final = re.compile(r"\s-|[/@_=<>{}|$\\]")
# The agent takes a turn as a text to work on.
_TAKEN: Final = re.compile(
    r"\b(?:you(?:'ve| have)? (?:pasted|shared|forwarded)|pasted|what would you like|what do you want me to|(?:this|the) (?:message|e-?mail|text|note|ticket|letter|thread|post|sender|author|writer|customer|document|excerpt)\b"
    r"|here(?:'s| is| are)\b[^.\n]{0,40}\b(?:drafts?|repl(?:y|ies)|responses?|answers?|versions?|summary|translation|rewrite)|draft(?:ed)? (?:reply|response|answer)|tl;?dr)",
    _I,
)
# A line or sentence that hands over what stands behind it: it ends with a colon or points
# there, or supposes it. Who says that a rule follows hands over nothing.
_HANDS_OVER: Final = re.compile(
    r":$|\b(?:with|as|by|like|after|from|is|are|says?|reads?) (?:this|these|the following)(?: \w+)?\W*$"
    r"|\b(?:told|gave|answered|left|sent|said|wrote|posted|suggested|proposed|say) (?:me |us )?(?:this|that|the following)\b"
    r"|^\W*(?:imagine|suppose|pretend|what if|let's say)\b",
    _I,
)
_OWN_RULE: Final = re.compile(
    r"\b(?:remember|memor\w+|rules?|notes?|preferences?|conventions?|decisions?|decided|things?|say(?:ing)? (?:this|it)|"
    r"again|tired of|stop|no|not|don't|(?:do|did|doing|done|keep|about) (?:this|that))\b",
    _I,
)
# A sentence that takes back what stands before it.
_TAKES_BACK: Final = re.compile(
    r"\b(?:don'?t|do not|never|not|wouldn'?t|won'?t)\b.{0,20}\b(?:agree|mean(?:t)?|what (?:i|we) want)\b|\bwhat (?:i|we) (?:don'?t|never)\b"
    r"|^\W*(?:should (?:we|i)|is that|do you agree|compare|what would you)\b",
    _I,
)
_ASKS_YOU: Final = re.compile(r"\W*(?:can|could|would|will|do) you\b", _I)
# Letters of other scripts, and the commonest words of other languages; English ones.
_OTHER_LETTERS: Final = re.compile(r"[\u0370-\u1fff\u3040-\ud7ff]{2}")
_WORD: Final = re.compile(r"[^\W\d_]+")
_OTHER_WORDS: Final = frozenset(
    """der das ich wir ist nicht mir dir und den dem ein eine einen kannst bitte dazu soll
    je te le la les un une est pas que qui ce cette du des mon moi el los las lo una por
    qu\u00e9 para esto ahora il che di ti da gli questo um uma isto vou het een ik dit dat jij
    voor nie jest bir bu az egy nekem""".split()
)
_ENGLISH: Final = frozenset(
    "the a an is are to of and in it you we i that this for on with not be do was me my what".split()
)
# Of other turns so many say how a person types, and so large a share of them agrees.
_ENOUGH: Final = 2
_AGREE: Final = 0.8
# Words of a paragraph that is long.
_LONG: Final = 30
# Of the agent's reply, so many characters are read.
_READ: Final = 2_000
_PARAGRAPH: Final = re.compile(r"\n\s*\n")


class Around(NamedTuple):
    """The session around a turn: the person's turns before and after it, the agent's
    words before and after it, whether it worked on code then, and how many other turns
    of the person there are and are typed casually."""

    before: str
    asked: str
    reply: str
    worked: bool
    after: str
    others: int
    casual: int


def around(exchanges: Sequence[Exchange]) -> list[Around]:
    """The session around each of its turns."""
    texts = [one.turn.text if one.turn is not None else "" for one in exchanges]
    casual = [bool(text) and not is_formal(text) for text in texts]
    turns = sum(map(bool, texts))
    said = ["".join(_said(one))[:_READ] for one in exchanges]
    return [
        Around(
            texts[place - 1] if place else "",
            said[place - 1] if place else "",
            said[place],
            "`" in said[place] or any(one.role == "call" for one in each.steps),
            texts[place + 1] if place + 1 < len(texts) else "",
            turns - bool(texts[place]),
            sum(casual) - casual[place],
        )
        for place, each in enumerate(exchanges)
    ]


def _said(exchange: Exchange) -> list[str]:
    return [step.text for step in exchange.steps if step.role == "assistant"][:1]


def is_formal(text: str) -> bool:
    """Whether a text is written and not typed: no small letter first, a sign last.

    >>> is_formal("We use tabs."), is_formal("shorter please"), is_formal("Ok do it")
    (True, False, False)
    """
    plain = text[:1] + text[-20:].rstrip(" \t\n\r\"'`)*_")
    return not text[:1].islower() and not plain[-1:].isalnum()


def is_about(line: str) -> bool:
    """Whether a short line or turn speaks of a text, or of somebody who wrote it.

    >>> is_about("write an answer to this guy"), is_about("fix the build")
    (True, False)
    """
    if not _is_short(line) or _PLAIN_WORK.search(line):
        return False
    points = _POINTS.search(line) and not _OURS.search(line)
    return bool(points or _ABOUT.search(line))


def is_loose(line: str) -> bool:
    """Whether a short line or turn names nothing of the work, and answers nothing.

    >>> is_loose("fact check"), is_loose("fix the build"), is_loose("ok, thanks")
    (True, False, False)
    """
    plain = line.strip()
    if not _is_short(plain) or plain.endswith(":") or ANSWER.fullmatch(plain):
        return False
    return is_about(line) or not _WORK.search(line)


def doubts(own: Sequence[Sentence], near: Around) -> list[bool]:
    """Of each sentence of a turn, whether a statement that it begins is in doubt.

    Args:
        own: the sentences of the turn that may be the person's.
        near: the session around it.
    """
    # One sentence alone is typed as often as pasted: a loose turn behind it says nothing.
    is_text = len(own) > 1 and all(is_formal(one.text) for one in own)
    if not own or _is_handed_over(near, is_text=is_text):
        return [True] * len(own)
    lines: list[list[int]] = []
    paragraphs: list[list[int]] = []
    for place, one in enumerate(own):
        if not place or _PARAGRAPH.search(one.gap):
            paragraphs.append([])
        if not place or "\n" in one.gap:
            lines.append([])
        lines[-1].append(place)
        paragraphs[-1].append(place)
    edges = [
        (line, words)
        for line in (lines[0], lines[-1])
        for words in [" ".join(own[place].text for place in line)]
        if _is_short(words) and not ANSWER.fullmatch(words)
    ]
    loose = [line for line, words in edges if is_loose(words) or _is_task(words)]
    typed = [line for line, words in edges if _is_typed(words)]
    about = [place for place in (0, len(own) - 1) if _asks_about(own[place].text)]
    others = [is_other(one.text) for one in own]
    mixed = not all(others) and (any(others) or is_other(near.before))
    found = []
    for paragraph in paragraphs:
        apart = [line for line in typed if line[0] not in paragraph]
        inside = [line for line in typed if line[0] in paragraph]
        block = [p for p in paragraph if not any(p in line for line in inside)]
        formal = sum(is_formal(own[p].text) for p in block) > len(block) / 2
        length = sum(len(own[p].text.split()) for p in block)
        document = formal and len(block) > 2 and length > _LONG
        pasted = document and not _REPLY.match(own[paragraph[0]].text)
        known = near.others >= _ENOUGH and near.casual >= _AGREE * near.others
        clash = formal and (apart or (inside and len(block) > 1))
        for place in paragraph:
            beside = any(place not in line for line in loose)
            beside = beside or any(place != each for each in about)
            beside = beside or _is_given(own, place) or (mixed and not others[place])
            found.append(bool(beside or clash or (pasted and known)))
    return found


def _is_given(own: Sequence[Sentence], place: int) -> bool:
    """Whether the sentence before hands a sentence over, or the next one takes it back."""
    before = own[place - 1].text if place else ""
    if re.search(r"\w", own[place].gap):  # what it hands over is the code between them
        before = ""
    if _HANDS_OVER.search(before) and not _OWN_RULE.search(before):
        return True
    after = own[place + 1].text if place + 1 < len(own) else ""
    asks = after.endswith("?") and is_loose(after) and not _ASKS_YOU.match(after)
    return asks or bool(_TAKES_BACK.search(after))


def is_other(text: str) -> bool:
    """Whether a text is in another language than English.

    >>> is_other("mira lo que dice el jefe"), is_other("шеф пишет"), is_other("fix it")
    (True, True, False)
    """
    words = [word.lower() for word in _WORD.findall(text)]
    strange = sum(word in _OTHER_WORDS for word in words)
    english = sum(word in _ENGLISH for word in words)
    accents = sum(not word.isascii() for word in words)
    return bool(_OTHER_LETTERS.search(text)) or strange + accents > english


def _is_handed_over(near: Around, *, is_text: bool) -> bool:
    """Whether the turns around a turn, or the agent, take it for a text of others."""
    replies = near.worked or _REPLY.match(near.after)
    if is_about(near.after) or (is_text and is_loose(near.after) and not replies):
        return True
    if near.before.rstrip().endswith(":") or _TAKEN.search(near.reply):
        return True
    asks = near.asked.rstrip().endswith("?") or _TAKEN.search(near.asked)
    if asks and (is_loose(near.before) or _is_task(near.before)):
        return True
    return is_about(near.before) and bool(_ABOUT.search(near.before))


def _is_typed(line: str) -> bool:
    """Whether a line has no full stop, or is a question in small letters."""
    if _CODE.search(line):
        return False
    return line[-1:].isalnum() or (line[:1].islower() and line[-1:] == "?")


def _asks_about(sentence: str) -> bool:
    """Whether a sentence on the line of others is about a text: "That is it" is none."""
    points = sentence.endswith("?") or _ABOUT.search(sentence)
    return bool(points) and is_about(sentence)


def _is_task(line: str) -> bool:
    return _is_short(line) and bool(_TASK.search(line))


def _is_short(text: str) -> bool:
    return 0 < len(text[:400].split()) <= _SHORT
