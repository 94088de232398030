"""Which facts cannot both be right, as far as their words tell.

Invariant: pure, and narrow. Two facts are a conflict only when both say nearly the same
about the same things and differ in a number or in a "not", or when lineage says that
they are versions of one claim. Two directives are also one when they name different
choices where only one can be followed. A conflict is a hint to look, never a verdict.
"""

import re
from itertools import combinations
from typing import TYPE_CHECKING

from memcli.entries.text import tokens
from memcli.named_tuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.recall.results import Row

# Two facts this alike (Jaccard of their words, without numbers and negations), with at
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


# Choices of which only one can be followed: a directive for one is against the others.
_CHOICES = tuple(
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
        "mondays tuesdays wednesdays thursdays fridays saturdays sundays",
        "absolute relative",
        "short long",
    )
)


# Words that directives share whatever they are about.
_GENERAL = frozenset("use using always please make sure write run everywhere".split())


class Conflict(NamedTuple):
    """Two facts, the older first; `rule` is versions, numbers or negation."""

    ids: tuple[str, str]
    rule: str
    why: str


class _Claim(NamedTuple):
    """What a text says, as far as it is compared."""

    words: frozenset[str]
    numbers: frozenset[str]
    negated: bool


def conflicts(rows: "Sequence[Row]") -> list[Conflict]:
    """The pairs among these rows that disagree, in the order of the rows, at most 10.

    >>> conflicts([])
    []
    """
    claims = [(row, _claim(row.text)) for row in rows]
    pairs = []
    for pair in combinations(claims, 2):
        (older, earlier), (newer, later) = sorted(pair, key=lambda item: _age(item[0]))
        reason = _versions(older, newer)
        if reason is None and not _apart(older, newer) and _same_subject(older, newer):
            reason = _disagree(earlier, later)
        if reason:
            pairs.append(Conflict((older.id, newer.id), *reason))
    return pairs[:_MOST]


def _apart(older: "Row", newer: "Row") -> bool:
    """Whether each holds in a project of its own, where both can be right."""
    both = older.project and newer.project
    return bool(both) and older.project != newer.project


def _versions(older: "Row", newer: "Row") -> tuple[str, str] | None:
    links = {older.supersedes, older.superseded_by} - {None}
    back = {newer.supersedes, newer.superseded_by} - {None}
    if newer.id in links or older.id in back:
        return "versions", "one is a version of the other"
    if older.supersedes and older.supersedes == newer.supersedes:
        return "versions", "both replace the same entry"
    return None


def differ(text: str, other: str) -> tuple[str, str] | None:
    """(rule, why) when two directives cannot both be followed, else None.

    >>> differ("Use tabs in this repo", "Use spaces in this repo")
    ('alternative', 'one says tabs, the other spaces')
    """
    first, second = _claim(text), _claim(other)
    reason = _disagree(first, second)
    if reason:
        return reason
    if first.negated != second.negated:
        return None
    if first.words == second.words:
        one_choice, other_choice = _preferred(text), _preferred(other)
        if one_choice and other_choice and one_choice != other_choice:
            why = f"one prefers {one_choice}, the other {other_choice}"
            return "alternative", why
    if not (first.words & second.words) - _GENERAL:
        return None
    # All words here: "us" is a stop word, and a kind of English.
    words, other_words = set(tokens.words(text)), set(tokens.words(other))
    for choices in _CHOICES:
        mine = sorted(choices & (words - other_words))
        theirs = sorted(choices & (other_words - words))
        if mine and theirs:
            return "alternative", f"one says {mine[0]}, the other {theirs[0]}"
    return None


def _preferred(text: str) -> str | None:
    """What a text puts before "instead of", "rather than", "over" or ", not"."""
    match = re.search(
        r"(\S+)[,`\"']*\s+(?:instead of|rather than|and not|not|over)\s", text.lower()
    )
    return match[1].strip("`\"',.") if match else None


def _same_subject(row: "Row", other: "Row") -> bool:
    return row.kind == other.kind and _names(row) == _names(other)


def _disagree(first: _Claim, second: _Claim) -> tuple[str, str] | None:
    common = first.words & second.words
    if len(common) < max(_FEWEST, _ALIKE * len(first.words | second.words)):
        return None
    mine = sorted(first.numbers - second.numbers)
    theirs = sorted(second.numbers - first.numbers)
    if mine and theirs:
        return "numbers", f"nearly the same words, but {mine[0]} and {theirs[0]}"
    if first.negated != second.negated and not (mine or theirs):
        return "negation", "nearly the same words, and one of them says not"
    return None


def _claim(text: str) -> _Claim:
    plain = _NUMBER.sub(" ", text)
    words = set(tokens.words(plain))
    return _Claim(
        words=frozenset(words - tokens.STOP_WORDS - _NEGATIONS),
        numbers=frozenset(_NUMBER.findall(text)),
        negated=not words.isdisjoint(_NEGATIONS),
    )


def _names(row: "Row") -> set[str]:
    return {tokens.name_key(name) for name in row.entities}


def _age(row: "Row") -> tuple[str, str]:
    return (row.occurred_at or row.created, row.id)
