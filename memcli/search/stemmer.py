"""The English stemmer: what makes `commit` find "committed".

Invariant: the same word has the same stem in the index and in a question, so both ask
this module and no other.
"""

from __future__ import annotations

from memcli.entries.text.english_stems import stem

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable


def stemmer() -> Callable[[str], str]:
    """The English stemmer, which remembers the words that it has seen.

    Not Porter's first one, which turns committed into committ, so that `commit` would
    miss it.
    """
    stems: dict[str, str] = {}

    def remembered(word: str) -> str:
        known = stems.get(word)
        if known is None:
            known = stems[word] = stem(word)
        return known

    return remembered
