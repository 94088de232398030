"""Long words of a text that may be secrets, told before any pattern is tried.

Invariant: the answer depends on the words alone, whichever were looked at before; what
is remembered has a bound.
"""

from __future__ import annotations

from memcli.entries.text import secret_forms as forms

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

LONG: Final = 40
"""A word of so many characters may be of a form that has `secret_forms.LONG`."""

_PARTS: Final = tuple(part for row in forms.WORDS for part in row[1])
# Words that are no secrets: names in code and dates stand in many texts of a vault.
_HARMLESS: set[str] = set()
_MOST_HARMLESS: Final = 1 << 15


def may_hold_secret(words: Iterable[str]) -> bool:
    """Whether one of these long words may be a secret of one word.

    All that are new are searched as one text, which takes a third of the time.
    """
    new = [word for word in words if word not in _HARMLESS]
    marked = [word for word in new if not (word.isalpha() and word.islower())]
    if marked:
        joined = "\0".join(marked)
        seen = f"{joined}\0{joined.lower()}"
        if max(map(len, marked)) >= LONG or True in [part in seen for part in _PARTS]:
            return True
    if len(_HARMLESS) + len(new) <= _MOST_HARMLESS:
        _HARMLESS.update(word for word in new if len(word) <= LONG)
    return False
