"""Which recalled facts cannot both be right, as far as their words tell.

Invariant: pure, and narrow: a pair is named only when both say nearly the same of the
same things and differ in a number or in a "not", or when lineage says that they are
versions of one claim; of directives also when they take the other of two ways. It is a
hint to look, never a verdict.
"""

import re
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from memcli.entries.text import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.recall.results import Row

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


# Ways of which one is taken; a directive for one is a directive against the others.
_WAYS = tuple(
    frozenset(row.split())
    for row in (
        "us american british uk english german french spanish japanese chinese",
        "tabs spaces",
        "pip uv poetry conda pipenv pdm",
        "npm pnpm yarn bun",
        "squash rebase merge",
        "snake_case camelcase kebab-case pascalcase",
        "single double",
        "main master develop trunk",
        "jest vitest mocha",
        "pytest unittest nose",
        "postgres postgresql mysql sqlite mariadb",
        "black ruff yapf autopep8",
        "eslint biome",
        "monday tuesday wednesday thursday friday saturday sunday",
        "absolute relative",
        "short long",
    )
)


# What directives share whatever they are about.
_GENERAL = frozenset("use using always please make sure write run everywhere".split())


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


def differ(one: str, other: str) -> tuple[str, str] | None:
    """(rule, why) when two directives cannot both be followed, else None.

    >>> differ("Use tabs in this repo", "Use spaces in this repo")
    ('alternative', 'one says tabs, the other spaces')
    """
    mine, theirs = _said(one), _said(other)
    found = _texts(mine, theirs)
    if found:
        return found
    if mine.words == theirs.words and mine.negated == theirs.negated:
        before, after = _preferred(one), _preferred(other)
        if before and after and before != after:
            return "alternative", f"one prefers {before}, the other {after}"
    # All words here: "us" is a stop word, and a kind of English.
    first_words, second_words = set(tokens.words(one)), set(tokens.words(other))
    ours, others = first_words - second_words, second_words - first_words
    if mine.negated == theirs.negated:
        shared = (mine.words & theirs.words) - _GENERAL
        for ways in _WAYS:
            one_way, other_way = ours & ways, others & ways
            if one_way and other_way and shared:
                first, second = sorted(one_way)[0], sorted(other_way)[0]
                return "alternative", f"one says {first}, the other {second}"
    return None


def _preferred(text: str) -> str | None:
    """What a text puts before "instead of", "rather than", "over" or ", not"."""
    match = re.search(
        r"(\S+)[,`\"']*\s+(?:instead of|rather than|and not|not|over)\s", text.lower()
    )
    return match[1].strip("`\"',.") if match else None


def _words(
    one: "Row", other: "Row", mine: _Said, theirs: _Said
) -> tuple[str, str] | None:
    if one.kind != other.kind or _names(one) != _names(other):
        return None
    return _texts(mine, theirs)


def _texts(mine: _Said, theirs: _Said) -> tuple[str, str] | None:
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
    words = set(tokens.words(plain))
    return _Said(
        words=frozenset(words - tokens.STOP_WORDS - _NEGATIONS),
        numbers=frozenset(_NUMBER.findall(text)),
        negated=not words.isdisjoint(_NEGATIONS),
    )


def _names(row: "Row") -> set[str]:
    return {tokens.name_key(name) for name in row.entities}


def _age(row: "Row") -> tuple[str, str]:
    return (row.occurred_at or row.created, row.id)
