"""What else the words of a question may be read as: spelling, other names, near words.

Invariant: a reading depends on the word, on the tables that come with memcli, and on
which terms the index holds; never on the order in which files were indexed. A word that
the index holds is never respelled.
"""

from __future__ import annotations

import os
from functools import cache

from memcli.search.ranking.corpus import NEAR, SAME, SPELLING, Reading
from memcli.search.word_table import WordList, WordTable
from memcli.storage import state_dirs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memcli.search.reader import Reader

PREFIX_SHARE = 0.7
"""What a word counts that begins like the one that was asked for, or the other way."""

_ONE_THING = 1.0  # the share of names of one thing, in the developers' table
_SHORTEST = 4  # letters of a word that is respelled
_SHORTEST_PREFIX = 5
_SHORTEST_TERM = 3
_INTACT = 3  # letters at the beginning; an edit is among them or behind them
# A pasted log has thousands of words: so many of its first ones may be read as others,
# and so many of those that are found nowhere are respelled, which takes 1 ms each.
_MOST_WORDS = 64
_MOST_RESPELLED = 8


def readings(
    question: Sequence[tuple[str, str]], reader: Reader
) -> dict[str, tuple[Reading, ...]]:
    """The readings of each term of a question that has any.

    Args:
        question: (term, word as asked), in the order of the question; only the first
            words of a long one are read as others.
        reader: says which terms are known.
    """
    same, near, ordinary = _tables()
    found: dict[str, list[Reading]] = {}
    question = question[:_MOST_WORDS]
    terms = [text for text, _ in question]
    respelled = 0
    for start, first in enumerate(terms):
        for name, others in same.beginning(first):
            words = name.split()
            if terms[start : start + len(words)] != words:
                continue
            for other, share in others:
                kind = SAME if share >= _ONE_THING else NEAR
                for text in words:
                    reading = Reading(tuple(other.split()), share, kind)
                    found.setdefault(text, []).append(reading)
    for text, word in dict.fromkeys(question):
        if (
            _may_be_wrong(word)
            and respelled < _MOST_RESPELLED
            and not reader.frequency(text)
        ):
            respelled += 1
            known = word in ordinary
            found.setdefault(text, []).extend(_spelled(text, word, reader, known=known))
        found.setdefault(text, []).extend(
            Reading((other,), share, NEAR) for other, share in near.others(text)
        )
    return {text: tuple(others) for text, others in found.items() if others}


def likely(question: Sequence[tuple[str, str]]) -> list[str]:
    """The terms that `readings` gives by the tables alone, whichever are known."""
    same, near, _ = _tables()
    found: dict[str, None] = {}
    question = question[:_MOST_WORDS]
    terms = [text for text, _ in question]
    for start, text in enumerate(terms):
        for name, others in same.beginning(text):
            words = name.split()
            if terms[start : start + len(words)] == words:
                found.update(
                    (word, None) for other, _ in others for word in other.split()
                )
        found.update((other, None) for other, _ in near.others(text))
    return [*found]


def _may_be_wrong(word: str) -> bool:
    return len(word) >= _SHORTEST and word.isalpha()


def _looked_for(
    text: str, word: str, *, known: bool
) -> Iterator[tuple[str, Sequence[str]]]:
    """How the terms begin and end that a word may have been meant to be."""
    yield word[:_INTACT], ("",)
    if not known:
        # An edit among the first letters leaves the end as it is.
        endings = (text[_INTACT + 1 :], word[_INTACT + 1 :])
        for letters in {word[0], word[1], word[1] + word[0]}:
            yield letters, endings


def _spelled(text: str, word: str, reader: Reader, *, known: bool) -> list[Reading]:
    """What a word that is found nowhere may have been meant to be.

    Args:
        text: its term.
        word: as asked.
        reader: says which terms are known.
        known: whether it is an ordinary word: it is spelled as it was meant then, and
            only longer and shorter forms of it count.
    """
    looked_for = _looked_for(text, word, known=known)
    terms = set[str]().union(*(reader.beginning(*each) for each in looked_for))
    alike = {
        term: share
        for term in terms
        if (share := _alike(text, word, term, known=known))
    }
    counts = reader.frequencies([*alike])
    found = [
        Reading((term,), share, SPELLING)
        for (term, share), count in zip(alike.items(), counts, strict=True)
        if count
    ]
    found.sort(key=lambda reading: (-reading.share, reading.terms))
    return found


def _alike(text: str, word: str, term: str, *, known: bool) -> float:
    """What a term counts for a word and its stem that it is not; 0 for most."""
    if len(term) < _SHORTEST_TERM or not term.isalpha():
        return 0.0
    if not known and (
        (abs(len(term) - len(text)) < 2 and one_edit(text, term))
        or (abs(len(term) - len(word)) < 2 and one_edit(word, term))
    ):
        return 1.0
    shorter = min(len(word), len(term))
    if shorter >= _SHORTEST_PREFIX and word[:shorter] == term[:shorter]:
        return PREFIX_SHARE
    return 0.0


def one_edit(one: str, other: str) -> bool:
    """Whether one letter added, left out, replaced or swapped makes one the other."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1:
        return False
    i = 0
    while i < len(short) and short[i] == long[i]:
        i += 1
    if len(short) < len(long):
        return short[i:] == long[i + 1 :]
    if short[i + 1 :] == long[i + 1 :]:
        return True
    swapped = short[i : i + 2] == long[i : i + 2][::-1]
    return swapped and short[i + 2 :] == long[i + 2 :]


@cache
def _tables() -> tuple[WordTable, WordTable, WordList]:
    folder = state_dirs.our_folder("words")
    return (
        WordTable(os.path.join(folder, "developers.bin")),
        WordTable(os.path.join(folder, "near.bin")),
        WordList(os.path.join(folder, "ordinary.txt")),
    )
