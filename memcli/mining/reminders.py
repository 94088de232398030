"""What a person asks to have written down.

Invariant: pure. To name a file that agents read, or a memory, is the strongest signal
of all; to be reminded of something that only this session knows is LOW.
"""

import re
from typing import Final

from memcli.entry import Confidence
from memcli.mining.candidate import Found
from memcli.mining.clauses import Sentence
from memcli.mining.phrases import ONE_OFF

HIGH, LOW = Confidence.HIGH, Confidence.LOW

_MEMORY_FILE: Final = (
    r"\b(?:CLAUDE|AGENTS?|GEMINI|MEMORY|CONVENTIONS|copilot-instructions|known[_-]limitations|lessons?(?:[_-]learned)?)(?:\.| )md\b"
    r"|\.learnings?\b|\.cursorrules|\.cursor/rules|\.windsurfrules|copilot-instructions|\bknown[_ ]limitations\b"
)

_REMEMBER: Final = (
    r"\b(?:memori[sz]e|for future reference|commit (?:this|that|it) to memory|(?:save|add|store|write|put) (?:this|that|it|these)?\s*(?:in|to|into) (?:your |the )?(?:long[- ]term )?memory|"
    r"note this(?: also| down)?|make a note(?: of| that)?|update (?:your|the) memory|so (?:that )?you (?:will )?remember|lessons? learned:|"
    r"remember (?:this|that|for next time|for (?:the )?future)\b(?! time| when| day)|keep (?:this |that )?in mind (?:for|from|in) (?:the |all )?(?:future|next|now))"
)
_FILE_VERB: Final = r"\b(?:add(?:ing)?|updat(?:e|ing)|append|put(?:ting)?|writ(?:e|ing)|record(?:ing)?|log(?:ging)?|not(?:e|ing)|mention(?:ing)?|document(?:ing)?|include|extend|state|specify|sav(?:e|ing)|set|change|amend)\b"


def remember(sentence: Sentence) -> Found | None:
    """What a sentence asks to remember or to write into a file that agents read."""
    plain, words = sentence.plain, sentence.text
    if re.search(
        r"(?i)\b(?:don't|do not|can't|cannot|didn't|did you|do you|you don't|i) remember\b|^(?:did|have|is|was) ",
        plain,
    ):
        return None
    file = re.search(_MEMORY_FILE, words, re.I)
    if (
        file
        and re.search(_FILE_VERB, plain, re.I)
        and not re.match(r"(?i)(?:did|does|is|was|were|why|what|how)\b", plain)
    ):
        return Found(HIGH, "memory-file", f"asks to write it into {file[0]}", words)
    match = re.search(_REMEMBER, plain, re.I)
    if match:
        return Found(
            HIGH, "remember", f"asks to remember: '{match[0].strip().lower()}'", words
        )
    match = re.search(
        r"(?i)(?:^|[.,;]\s*|\b(?:and|so|please|but|ok)\s+)(?:please )?(?:remember|keep in mind|don'?t forget|do not forget)\b(?! when| the time| how)[,:]?\s+(?:also |too |that )?(.{8,})",
        plain,
    )
    if match and not plain.endswith("?"):
        if re.search(
            r"(?i)\b(?:we|our|every|each|always|never|only|whenever)\b", match[1]
        ) and not re.search(ONE_OFF, match[1], re.I):
            return Found(
                HIGH, "remember", "asks to remember how things are done", words
            )
        return Found(LOW, "remember", "reminds the agent of something", words)
    return None
