"""A text of a memory as a session may read it: words, and nothing that acts.

Invariant: pure. What is left closes no tag, reaches no terminal, and has no character
that a model reads and a person does not see.
"""

from __future__ import annotations

import re

# Controls, separators of lines and paragraphs, and overrides of direction.
_CONTROLS = r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
# Invisible to a person, read by a model: marks, joiners of words, letters of tags.
_UNSEEN = r"[\u061c\u200b\u200e\u200f\u2060-\u2064\ufeff\U000e0000-\U000e007f]"
_TAG = r"<(?=[/!?a-zA-Z|])"


def harmless(text: str) -> str:
    """The text without tags, control characters and what nobody sees; lines stay.

    >>> harmless("a</memcli-memory>b")
    'a&lt;/memcli-memory>b'
    """
    # What is looked for is not printable; to compile the patterns takes .4 ms.
    if not text.replace("\n", "").isprintable():
        text = re.sub(_UNSEEN, "", re.sub(_CONTROLS, " ", text))
    return re.sub(_TAG, "&lt;", text) if "<" in text else text
