"""Where a sentence says that it holds.

Invariant: pure. What a person says in a project holds there, unless their words say
everywhere: all projects, or a manner in general. "Everywhere in this repository" says
the contrary, and so does a sentence that names the project as well. It reads English;
a judge says itself where an entry holds.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Final

_ALL: Final = r"(?:all|every|each|any)(?: one)?(?: of)?(?: (?:my|our|the|your|other))*"
_WORK: Final = r"(?:\w+ )?(?:projects?|repos?|repositor(?:y|ies)|code ?bases?)"
_EVERYWHERE: Final = re.compile(
    rf"\b(?:in|across|for|on|to|with|over) {_ALL} {_WORK}\b"
    rf"|\bacross (?:my |our )?(?:projects|repos|repositories|code ?bases)\b"
    r"|\b(?:whatever|whichever|no matter (?:what|which)|regardless of(?: the)?)"
    rf" {_WORK}\b"
    r"|(?:^|[.,;:!] ?)(?:(?:and|but|so|also|please) )?"
    r"(?:generally|in general|as a general rule)\b"
    r"|\beverywhere\b"
    r"(?!\?|,? (?:in|on|inside|within|across|else|we|you|i|it|that|this|the|where))",
    re.IGNORECASE,
)
_HERE: Final = re.compile(
    r"\b(?:in|for|across|throughout|of|on) (?:this|the|our) (?:\w+ )?"
    r"(?:project|repo|repository|code ?base)\b",
    re.IGNORECASE,
)


def says_everywhere(text: str, around: str = "") -> bool:
    """Whether the words of a sentence say that it holds in all projects.

    Args:
        text: the words that were mined.
        around: where they stand; the whole sentence counts, and no other one.

    >>> says_everywhere("In all my projects, use pnpm.")
    True
    >>> says_everywhere("Use US English everywhere in the docs.")
    False
    """
    text, around = (" ".join(each.split()) for each in (text, around))
    place = around.find(text)
    if place >= 0:
        begin = max(around.rfind(f"{mark} ", 0, place) for mark in ".!?;") + 1
        text = around[begin : place + len(text)]
    plain = text.replace("\u2019", "'")
    return bool(_EVERYWHERE.search(plain)) and not _HERE.search(plain)
