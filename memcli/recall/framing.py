"""The words around a question that say only that it is one.

Invariant: pure. What is left is what the question is about; where nothing would be
left, all of it stays. "What do we know about the ledger?" is about the ledger, and an
entry with "ops knows Redis" does not answer it.
"""

from __future__ import annotations

import re

_WHO = "(?:we|you|i|they|memory|the vault)"
_KNOW = "(?:already )?(?:know|remember|recall|have)"
_ABOUT = r"(?:about|of|on|regarding|concerning)"
_ALL = "(?:everything|anything|something|all|more)"
_FRAME = rf"""\s*(?:so,?\ |and\ |please,?\ )?(?:
      what\ (?:do|did|does)\ {_WHO}\ {_KNOW}(?:\ so\ far)?\ {_ABOUT}
    | what(?:'s|\ is)\ known\ {_ABOUT}
    | (?:do|does)\ {_WHO}\ {_KNOW}(?:\ {_ALL})?\ {_ABOUT}
    | (?:can\ you\ )?(?:tell|remind)\ me(?:\ {_ALL})?
      (?:\ (?:that\ )?{_WHO}\ know)?\ {_ABOUT}
    | {_ALL}(?:\ (?:that\ )?(?:{_WHO}\ know|is\ known|there\ is))?\ about
    | what\ (?:should|must)\ i\ know(?:\ {_ABOUT})?
    | (?:what|which)(?:\ other)?\ (?:kind|sort|type)s?\ of
    )\b"""
# No frame is without one of these, and most questions hold none.
_SIGNS = (
    *("know", "remember", "recall", "thing", "tell ", "remind ", "have ", " about"),
    *("kind", "sort", "type"),
)


def unframed(text: str) -> str:
    """A question without its frame.

    >>> unframed("What do we know about the ledger?")
    ' the ledger?'
    >>> unframed("Who knows Redis?")
    'Who knows Redis?'
    """
    folded = text.lower()
    if not any(sign in folded for sign in _SIGNS):
        return text
    # Compiled at its first use, which takes as long as twenty rows.
    frame = re.compile(_FRAME, re.IGNORECASE | re.VERBOSE)
    rest = frame.sub("", text, count=1) if frame.match(text) else text
    return rest if re.search(r"\w", rest) else text
