"""Which facts cannot both be right, as far as their words tell.

Invariant: pure, and narrow. Two facts are a conflict only when both say nearly the same
about the same things and differ in a number or in a "not", when their claims disagree
(`entries.text.disagreement`), or when lineage says that they are versions of one. Two
directives are also one when they name different choices where only one can be followed.
A conflict is a hint to look, never a verdict.
"""

import re
from itertools import combinations
from typing import TYPE_CHECKING

from memcli.entries.text import disagreement, tokens
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


# Words that directives share whatever they are about.
_GENERAL = frozenset("use using always please make sure write run everywhere".split())


class Conflict(NamedTuple):
    """Two facts, the older first; `rule` is versions, numbers, negation, alternative,
    given_up or order."""

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
    claims = [(row, _claim(row.text), disagreement.claim(row.text)) for row in rows]
    pairs = []
    for pair in combinations(claims, 2):
        first, second = sorted(pair, key=lambda item: _age(item[0]))
        older, newer = first[0], second[0]
        reason = _versions(older, newer)
        if reason is None and not _apart(older, newer):
            if _same_subject(older, newer):
                reason = _disagree(first[1], second[1])
            if reason is None and _one_subject(older, newer) and first[2] and second[2]:
                reason = disagreement.disagree(first[2], second[2])
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
    for choices in disagreement.CHOICES:
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


def _one_subject(older: "Row", newer: "Row") -> bool:
    """Whether both may speak of one thing: what their texts do not name is the same."""
    if older.kind == "event" or older.kind != newer.kind:
        return False
    if older.layer != newer.layer:
        return False
    told = f"{older.text} {newer.text}".lower()
    mine, theirs = (
        {tokens.name_key(name) for name in row.entities if name.lower() not in told}
        for row in (older, newer)
    )
    return mine == theirs


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
