"""What a person asks to have written down.

Invariant: pure. To name a file that agents read, or a memory, is the strongest signal
of all; to be reminded of something that only this session knows is LOW.
"""

import re
from typing import Final

from memcli.entries.entry import Confidence
from memcli.sessions.mining.candidate import Reading
from memcli.sessions.mining.clauses import ONE_OFF, is_asked
from memcli.sessions.mining.sentences import Sentence

HIGH, LOW = Confidence.HIGH, Confidence.LOW

_MEMORY_FILE: Final = (
    r"\b(?:CLAUDE|AGENTS?|GEMINI|MEMORY|CONVENTIONS|copilot-instructions|known[_-]limitations|lessons?(?:[_-]learned)?)(?:\.| )md\b"
    r"|\.learnings?\b|\.cursorrules|\.cursor/rules|\.windsurfrules|copilot-instructions|\bknown[_ ]limitations\b"
)

_REMEMBER: Final = (
    r"\b(?:memori[sz]e|so you know for (?:the |all )?(?:future|next)|for future reference|commit (?:this|that|it) to memory|(?:save|add|store|write|put) (?:this|that|it|these)?\s*(?:in|to|into) (?:your |the )?(?:long[- ]term )?memory|"
    r"note this(?: also| down)?(?! (?:also )?(?:in|on) (?:the|that|this))|make a note(?: of| that)?|update (?:your|the) memory|so (?:that )?you (?:will )?remember|lessons? learned:|"
    r"remember (?:this|that|for next time|for (?:the )?future)\b(?! time| when| day)|keep (?:this |that )?in mind (?:for|from|in) (?:the |all )*(?:future|next|now))"
)
_FILE_VERB: Final = r"\b(?:add(?:ing)?|updat(?:e|ing)|append|put(?:ting)?|writ(?:e|ing)|record(?:ing)?|log(?:ging)?|not(?:e|ing)|mention(?:ing)?|document(?:ing)?|include|extend|state|specify|sav(?:e|ing)|set|change|amend|create|make)\b"


# What is written into such a file: this, a rule, or the words that follow. "Parse
# CLAUDE.md and add the result to the report" is work on a file like any other.
_FILED: Final = (
    rf"(?i){_FILE_VERB} (?:also )?(?:this|that|it|these|(?:an? |the )?(?:[\w-]+ ){{0,3}}?(?:rule|note|entry|learning|lesson|reminder|line|convention|setup))\b[^.?!]{{0,60}}?(?<!\ba )(?<!\ban )(?:{_MEMORY_FILE})"
    rf"|{_FILE_VERB}[^.?!]{{0,60}}?(?<!\ba )(?<!\ban )(?:{_MEMORY_FILE})(?:[,.]?\s*(?:file|too|as well|somewhere|also|please)\b)*\s*(?:[:\u2014-]\s|\b(?:that|to (?:say|state|always|never|not|tell|mention|use|run|make|reflect that)|so (?:that|you|we|the|it|claude)|with (?:the|this|that) (?:rule|note|fact|info\w*|learning|convention)|(?:but|and) (?:make sure|please|also|say|tell|mention|never|always))\b)"
    rf"|{_FILE_VERB} (?:an? |the )?(?:@?(?:{_MEMORY_FILE})\S*) (?:entry|note|rule|learning|line)\b"
    r"|\b(?:log|note|add|record|save|store|keep) (?:it|this|that) as an? (?:learning|lesson|rule|convention)\b"
    rf"|\bmake (?:it|this|that) (?:an? )?(?:\w+ )?rule\b"
    r"|\b(?:add|put|save|write|note) (?:this|that|it|these)\b[^.?!]{0,20}\b(?:in|to|into) (?:the |your |our )?(?:project |agent |system )?(?:instructions|memory|rules(?: file)?)\b"
)
_NOT_FILED: Final = r"(?i)^\W*(?:did|does|is|was|were|why|what|how|where|who)\b|\.gitignore|\b(?:parse|detect|evaluat\w+|fixture|which checks|score|report) (?:\S+ ){0,6}?(?:CLAUDE|AGENTS|GEMINI)\.md"


_POLITE: Final = (
    r"(?i)\b(?:can|could|would|will|should|shall) (?:you|u|we)\b|\bplease\b|\blet'?s\b"
)


def _is_filed(words: str) -> bool:
    asked = is_asked(words) and not re.search(_POLITE, words)
    return bool(re.search(_FILED, words)) and not (
        asked or re.search(_NOT_FILED, words)
    )


def remember(sentence: Sentence) -> Reading | None:
    """What a sentence asks to remember or to write into a file that agents read."""
    plain, words = sentence.plain, sentence.text
    if re.search(
        r"(?i)\b(?:don't|do not|can't|cannot|didn't|did you|do you|you don't|i) remember\b|^(?:did|have|is|was) ",
        plain,
    ):
        return None
    file = re.search(_MEMORY_FILE, words, re.I)
    if _is_filed(words):
        name = file[0] if file else "what agents read"
        return Reading(HIGH, "memory-file", f"asks to write it into {name}", words)
    match = re.search(_REMEMBER, plain, re.I)
    if match and not (is_asked(plain) and not re.search(_POLITE, plain)):
        return Reading(
            HIGH, "remember", f"asks to remember: '{match[0].strip().lower()}'", words
        )
    match = re.search(
        r"(?i)(?:^|[.,;]\s*|\b(?:and|so|please|but|ok)\s+)(?:please )?(?:remember|keep in mind|don'?t forget|do not forget)\b(?! me\b| when| the time| how)[,:]?\s+(?:also |too |that )?(.{8,})",
        plain,
    )
    if match and not plain.endswith("?"):
        if (
            re.search(
                r"(?i)\b(?:we|our|every|each|always|never|only|whenever)\b", match[1]
            )
            and not re.match(
                r"(?i)(?:this|it|that|the user|we (?:talked|discussed|had|did|said|spoke|already|were))\b",
                match[1],
            )
            and not re.search(ONE_OFF, match[1], re.I)
        ):
            return Reading(
                HIGH, "remember", "asks to remember how things are done", words
            )
        if re.match(r"(?i)we (?:talked|discussed|had|said|spoke|were)\b", match[1]):
            return None
        return Reading(LOW, "remember", "reminds the agent of something", words)
    return None
