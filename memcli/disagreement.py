"""Which recalled facts cannot both be right, as far as their words tell.

Invariant: pure, and narrow: a pair is named only when both say nearly the same of the
same things and differ in a number or in a "not", or when lineage says that they are
versions of one claim. It is a hint to look, never a verdict.
"""

import re
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from memcli import analysis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.recall import Row

# Two facts this alike (Jaccard of their words, numbers and negations aside), with at
# least this many words in common, say the same. Chat has many short near-twins.
_ALIKE = 0.6
_FEWEST = 2
_MOST = 10
_NUMBER = re.compile(r"(?<![\w.])\d[\w.,:%]*(?<![.,:])", re.ASCII)
_NEGATIONS = frozenset(
    """
    not no never none neither nor cannot without cant dont doesnt didnt isnt arent
    wasnt werent wont wouldnt couldnt shouldnt mustnt hasnt havent hadnt
    """.split()
)


class Conflict(NamedTuple):
    """Two facts, the older first; `rule` is versions, numbers or negation."""

    ids: tuple[str, str]
    rule: str
    why: str


class _Said(NamedTuple):
    words: frozenset[str]
    numbers: frozenset[str]
    negated: bool


def conflicts(rows: "Sequence[Row]") -> list[Conflict]:
    """The pairs among these rows that disagree, in the order of the rows, at most 10.

    >>> conflicts([])
    []
    """
    said = [(row, _said(row.text)) for row in rows]
    found = []
    for pair in combinations(said, 2):
        (one, mine), (other, theirs) = sorted(pair, key=lambda item: _age(item[0]))
        told = _versions(one, other) or _words(one, other, mine, theirs)
        if told:
            found.append(Conflict((one.id, other.id), *told))
    return found[:_MOST]


def _versions(one: "Row", other: "Row") -> tuple[str, str] | None:
    links = {one.supersedes, one.superseded_by} - {None}
    back = {other.supersedes, other.superseded_by} - {None}
    if other.id in links or one.id in back:
        return "versions", "one is a version of the other"
    if one.supersedes and one.supersedes == other.supersedes:
        return "versions", "both replace the same entry"
    return None


def _words(
    one: "Row", other: "Row", mine: _Said, theirs: _Said
) -> tuple[str, str] | None:
    if one.kind != other.kind or _names(one) != _names(other):
        return None
    common = mine.words & theirs.words
    if len(common) < max(_FEWEST, _ALIKE * len(mine.words | theirs.words)):
        return None
    ours, others = mine.numbers - theirs.numbers, theirs.numbers - mine.numbers
    if ours and others:
        first, second = sorted(ours)[0], sorted(others)[0]
        return "numbers", f"nearly the same words, but {first} and {second}"
    if mine.negated != theirs.negated and not (ours or others):
        return "negation", "nearly the same words, and one of them says not"
    return None


def _said(text: str) -> _Said:
    plain = _NUMBER.sub(" ", text)
    words = set(analysis.words(plain))
    return _Said(
        words=frozenset(words - analysis.STOP_WORDS - _NEGATIONS),
        numbers=frozenset(_NUMBER.findall(text)),
        negated=not words.isdisjoint(_NEGATIONS),
    )


def _names(row: "Row") -> set[str]:
    return {" ".join(analysis.words(name)) for name in row.entities}


def _age(row: "Row") -> tuple[str, str]:
    return (row.occurred_at or row.created, row.id)
