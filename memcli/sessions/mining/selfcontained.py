"""Whether a sentence can be read by itself, and what it takes along to be so.

Invariant: pure. What is kept has the noun of its "it": it stands in the sentence, or
the sentences before it in the same turn come along. A sentence that rests on what the
agent said, or on an option that it offered, is not kept at all.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

    from memcli.sessions.mining.candidate import Category

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
    r"(?i)^(?:(?:ok(?:ay)?|yes|yeah|yep|sure|no|nope|well|hmm+|ah|oh|so|also|and|but|alright|great"
    r"|thanks|perfect|agreed)\b[,.!]*\s+|(?:please )+(?=please ))+"
)
# "... is not correct, " says which; what is right comes after it.
_DENIED: Final = re.compile(
    r"(?i)^.*?\b(?:not (?:\w+ )?(?:correct|right|true|accurate)|wrong|incorrect|misunderstood|mistaken|not how \w+ \w+)[,.;:\u2014-]+ "
)


def told(texts: Sequence[str], place: int, category: Category) -> str:
    """The sentence at `place` as it is kept, "" when it cannot be read by itself.

    Args:
        texts: the person's own sentences of a turn.
        place: which of them.
        category: what it was found to be; a correction loses what it only denies.

    >>> told(["The api was wiped.", "yeah, but never do that again"], 1, "preference")
    'The api was wiped. never do that again'
    """
    words = _alone(texts[place], category)
    if _OPTION.match(words):
        return ""
    if _OPEN.search(words):
        after = texts[place + 1] if place + 1 < len(texts) else ""
        if not after:
            return ""
        words = f"{words} {after}"
    first = place
    while _LEANS.match(_FILLER.sub("", texts[first]) if first < place else words):
        first -= 1
        if first < max(0, place - _ALONG):
            return ""
    return " ".join([*texts[first:place], words])


def _alone(words: str, category: Category) -> str:
    """A sentence without what only answers the one before it."""
    for lead in (_FILLER, _DENIED) if category == "correction" else (_FILLER,):
        rest = lead.sub("", words, count=1)
        words = rest if len(rest.split()) > 2 else words
    return words
