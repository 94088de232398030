"""Readings of the words of a question: spelling, other names, near words.

Invariant: a reading depends on the word, on the tables that come with memcli, and on
which terms the index holds; never on the order in which files were indexed. A word that
the index holds is never respelled.

The tables are mapped and looked up by bisection: a word costs a few pages of a file.
They are data: `tests/tables` makes them, and words/LICENSES.md says from what. A line
of a table of other words has a text, and after it others with their shares, in 255ths,
between tabs.
"""

from __future__ import annotations

import os
from functools import cache

from memcli.entries.shipped import WordList, ordinary_words, our_folder
from memcli.search.ranking.corpus import NEAR, SAME, SPELLING, Reading

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memcli.search.reader import Reader

PREFIX_SHARE = 0.7
"""The share of a word that begins like the one asked for, or the other way round."""

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
        for name, others in (*_rows(same, first + "\t"), *_rows(same, first + " ")):
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
            len(word) >= _SHORTEST
            and word.isalpha()
            and respelled < _MOST_RESPELLED
            and not reader.frequency(text)
        ):
            respelled += 1
            known = word in ordinary
            found.setdefault(text, []).extend(_spelled(text, word, reader, known=known))
        for _, others in _rows(near, text + "\t"):
            nearest = (Reading((other,), share, NEAR) for other, share in others)
            found.setdefault(text, []).extend(nearest)
    return {text: tuple(others) for text, others in found.items() if others}


def _spelled(text: str, word: str, reader: Reader, *, known: bool) -> list[Reading]:
    """The likely spellings of a word that is found nowhere.

    Args:
        text: its term.
        word: as asked.
        reader: says which terms are known.
        known: whether it is an ordinary word: it is spelled as it was meant then, and
            only longer and shorter forms of it count.
    """
    # How the terms begin and end that it may have been meant to be.
    looked_for: list[tuple[str, tuple[str, ...]]] = [(word[:_INTACT], ("",))]
    if not known:
        # An edit among the first letters leaves the end as it is.
        endings = (text[_INTACT + 1 :], word[_INTACT + 1 :])
        beginnings = {word[0], word[1], word[1] + word[0]}
        looked_for += [(letters, endings) for letters in beginnings]
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
    """The share of a term as a spelling of a word and its stem; 0 for most."""
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
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    one, other = one[same:], other[same:]
    if one[2:] == other[2:] and one[:2] == other[:2][::-1]:
        return True  # the first two are swapped, or nothing is left
    return one[1:] in (other, other[1:]) or one == other[1:]


@cache
def _tables() -> tuple[WordList, WordList, WordList]:
    folder = our_folder("words")
    same, near = (os.path.join(folder, f"{n}.txt") for n in ("developers", "near"))
    return WordList(same), WordList(near), ordinary_words()


def _rows(table: WordList, start: str) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """The texts of a table that begin so, each with others and their shares."""
    for line in table.lines(start):
        text, *row = line.split("\t")
        shares = (int(share) / 255 for share in row[1::2])
        yield text, [*zip(row[::2], shares, strict=True)]
