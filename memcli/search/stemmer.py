"""The English stemmer: what makes `commit` find "committed".

Invariant: the same word has the same stem in the index and in a question, so both ask
this module and no other.
"""

from collections.abc import Callable


def stemmer() -> Callable[[str], str]:
    """The English stemmer (snowball), which remembers the words that it has seen.

    Not Whoosh's default "porter", which turns committed into committ, so that
    `commit` would miss it.
    """
    from whoosh.lang.snowball.english import EnglishStemmer

    stem = EnglishStemmer().stem
    stems: dict[str, str] = {}

    def remembered(word: str) -> str:
        known = stems.get(word)
        if known is None:
            known = stems[word] = stem(word)
        return known

    return remembered
