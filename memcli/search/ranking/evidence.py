"""How much the words that a text shares with an entry say that it needs the entry.

A sum over the shared words, and no share of either text: what a person decided is
needed by a task that speaks of it in a few rare words, however long both are. A word
counts by how rare it is among the entries, and by how rare it is in what people say
anyway, since "add", "test" and "file" are rare in a small vault.

Invariant: pure but for one table, which comes with memcli; the sum depends on the
terms, the counts and the size alone.
"""

from __future__ import annotations

import os
from functools import cache
from math import log

from memcli.entries.shipped import our_folder
from memcli.search.ranking.corpus import ASKED, inverse_frequency
from memcli.search.store import WEIGHTED

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcli.search.reader import Reader

MOST = 5.0
"""The most that a word counts."""

WORDS = 24
"""Of a longer text so many words count: the rarest say what it is about."""

_TWICE = 1.5
# All parts of one name (a path, an URL, a.b) count as one word that is said twice.
_MOST_TWICE = MOST * _TWICE

# More than one word can count.
_TWO_WORDS = 8.0

# A vault of fewer entries is weighed as if it had so many: in ten entries each word is
# rare. By docs/benchmarks/README.md, as are the numbers of `bar`.
_SMALL = 200
# A number of fewer digits (a version, a count, a size) says nothing.
_DIGITS = 4


def weight(term: str, frequency: int, size: int) -> float:
    """The weight of a shared term that `frequency` of `size` entries hold."""
    if len(term) == 1 or (term.isdigit() and len(term) < _DIGITS):
        return 0.0
    rare = inverse_frequency(frequency, max(size, _SMALL))
    return min(rare, float(_common().get(term, MOST)), MOST)


def of_documents(
    reader: Reader, names: Sequence[Sequence[str]]
) -> tuple[dict[int, float], int]:
    """The evidence of each document that shares a word with a text; how many count.

    It is the sum over the rarest terms of the text that the entry holds; what an entry
    says twice, or in its title, is what it is about.

    Args:
        reader: of the vault.
        names: the terms of the text, those of one name together (`tokens.names`).
    """
    terms = list(dict.fromkeys(term for name in names for term in name))
    size, counts = reader.size, reader.frequencies(terms)
    pairs = zip(terms, counts, strict=True)
    weighed = sorted(((weight(t, n, size), t) for t, n in pairs if n), reverse=True)
    rarest = [term for says, term in weighed[:WORDS] if says]
    reader.fetch(WEIGHTED, rarest)
    shared: dict[str, list[tuple[int, float]]] = {}
    for term in rarest:
        found = zip(*reader.postings(term), strict=True)
        # Words that somebody might ask with are no evidence.
        docs = [(doc, times) for doc, times in found if times > ASKED]
        once = weight(term, len(docs), size)
        twice = once * _TWICE
        shared[term] = [(doc, twice if times > 1 else once) for doc, times in docs]
    total: dict[int, float] = {}
    for name in names:
        part: dict[int, float] = {}
        for term in name:
            for doc, says in shared.get(term, ()):
                part[doc] = part.get(doc, 0.0) + says
        for doc, says in part.items():
            total[doc] = total.get(doc, 0.0) + min(says, _MOST_TWICE)
    return total, len(rarest)


def bar(size: int, words: int = WORDS) -> float:
    """The evidence from which on an entry is told.

    Args:
        size: how many entries there are; among more, more share a few words by chance.
        words: of the text that count, and may be shared by chance.
    """
    asked = 6.5 + 4.0 * log(max(words, 1)) + 1.8 * log(max(size, _SMALL) / _SMALL)
    return max(asked, _TWO_WORDS)


@cache
def _common() -> Mapping[str, str]:
    """Of a common stem, -ln of the share of what people say that holds it."""
    path = os.path.join(our_folder("words"), "common.txt")
    with open(path, encoding="ascii") as file:
        fields = file.read().split()
    return dict(zip(fields[::2], fields[1::2], strict=True))
