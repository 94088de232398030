"""In what two similar texts differ that may matter: a number, a weekday, a not, a name.

Invariant: pure, and no verdict. It compares words and knows no meaning, so it never
says that one text contradicts the other: both may hold. `begins` finds the marks of a
merge that git left.
"""

from __future__ import annotations

import re

from memcli.entries.text.tokens import NEGATIONS, STOP_WORDS, stemmer

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable


NUMBER, WEEKDAY, NOT, NAME, ORDER = "number", "weekday", "not", "name", "order"
SAID = {
    NUMBER: "another number",
    WEEKDAY: "another weekday",
    NOT: "one says not",
    NAME: "another name in the same place",
    ORDER: "the same words in another order",
}
"""The words for each difference."""

# A longer text makes many claims, and one word of it says little about the others.
_LONGEST = 600
_WORD = re.compile(r"[^\W_][\w.:'’/+#%-]*")
_MARKS = ".:'’/-"
_WEEKDAY = re.compile("(?:mon|tues|wednes|thurs|fri|satur|sun)days?")
_DENYING = NEGATIONS | {"forbidden", "stop", "stopped"}
# Words that only tell that something is said, or said again.
_TELLING = frozenset(
    """
    always please make sure again already ever remember forget forgetting forgot keep
    told said now going forward must should need needs every each time just really
    decision rule note you
    """.split()
)
# Words that say little, and may still tell two rules apart.
_DOING = frozenset("use using write run everywhere".split())
_QUIET = STOP_WORDS | _TELLING | _DOING
_TURNING = frozenset(
    "with without from into off before after unless until except only my your".split()
)
_EMPHASIS = re.compile(r"(\*{1,3}|~~|`{1,3})(?=\S)([^*`~\n]+?)(?<=\S)\1")
_SIGN = re.compile(r"[=<>+/\\|&^%$#@~{}*]+|(?<!\S)[.-]+(?=\w)|(?<=\w)[\[(]|!=")
_EXACT = re.compile(r"(?<!\S)(?:--?\w[\w-]*|[\w.~-]*/[\w./~-]*)(?=[^\w]*(?:\s|$))")
# Of a restatement so much stands in what it restates, and of that so much in it: of
# seven words one may be new. "The payment service" is not "the login service".
_ANEW, _HELD, _FEWEST = 0.85, 0.5, 2
# A name stands without one of these: "the tests" and "the linter" are two things.
_ARTICLES = frozenset(
    "a an the this that these those each every any all my our".split()
)


def differences(text: str, other: str) -> tuple[str, ...]:
    """In what two texts differ, of `SAID`; nothing where one has many claims.

    >>> differences("We deploy on Tuesdays at 9", "We deploy on Mondays at 10")
    ('number', 'weekday')
    >>> differences("Use yarn in this repository", "Use bun in this repository")
    ('name',)
    """
    if max(len(text), len(other)) > _LONGEST:
        return ()
    first, second = _words(text), _words(other)
    mine, theirs = _alone(first, second), _alone(second, first)
    found = []
    if any(map(_is_number, mine)) and any(map(_is_number, theirs)):
        found.append(NUMBER)
    if any(map(_WEEKDAY.fullmatch, mine)) and any(map(_WEEKDAY.fullmatch, theirs)):
        found.append(WEEKDAY)
    if any(map(_denies, first)) != any(map(_denies, second)):
        found.append(NOT)
    # "Never use A" and "Never use B" are two rules.
    is_denied = any(map(_denies, first)) and any(map(_denies, second))
    if not is_denied and _places(first, mine) & _places(second, theirs):
        found.append(NAME)
    if not (mine or theirs) and first != second and sorted(first) == sorted(second):
        found.append(ORDER)
    return tuple(found)


def restates(text: str, other: str) -> bool:
    """Whether a text says nothing that the other does not, in nearly its words.

    >>> restates("You keep forgetting to lint before you commit!",
    ...     "Always run the linter before committing.")
    False
    >>> restates("Again: run the linter before every commit.",
    ...     "Always run the linter before committing.")
    True
    """
    mine, theirs = _stems(text) - _DOING, _stems(other) - _DOING
    common = len(mine & theirs)
    return (
        _agree(text, other)
        and common >= max(_FEWEST, _ANEW * len(mine))
        and common >= _HELD * len(theirs)
    )


def says_again(text: str, other: str) -> bool:
    """Whether two texts say the same: neither has a word that narrows or widens it, and
    the words stand in one order, but for a part that is put in front.

    >>> says_again("Ask Anna before you deploy", "Please ask Anna before deploying")
    True
    >>> says_again("Ask Anna before you deploy", "Ask Anna before you deploy on Friday")
    False
    """
    if len(_stems(text)) < _FEWEST or not _agree(text, other):
        return False
    mine, theirs = _in_order(text), _in_order(other)
    # "Before you commit, lint" is "lint before you commit"; of two words nothing is.
    turns = range(len(mine) if len(mine) > _FEWEST else 1)
    return any(mine[turn:] + mine[:turn] == theirs for turn in turns)


def _in_order(text: str) -> list[str]:
    """The words that say something, each where it stands first; among them the small
    ones that turn a rule round, as "without" does."""
    from memcli.entries.text import tokens

    plain = re.sub(r"(?i)\bfrom (?:now|here) on\b", "", text)
    quiet = (STOP_WORDS | _TELLING) - _TURNING
    words = (word for word in tokens.words(plain) if word not in quiet)
    return list(dict.fromkeys(map(_stem, words)))


def _agree(text: str, other: str) -> bool:
    """Whether both deny as often, with the same numbers and signs of code."""
    first, second = _words(text), _words(other)
    # "Never merge without review" denies twice, and is no "merge without review".
    if sum(map(_denies, first)) != sum(map(_denies, second)):
        return False
    numbers = set(filter(_is_number, first)) == set(filter(_is_number, second))
    return numbers and _signs(text) == _signs(other)


def _signs(text: str) -> list[str]:
    """The signs of a text that are no punctuation and no emphasis, with its paths and
    flags as they are written; in any order."""
    plain = _EMPHASIS.sub(r"\2", text)
    return sorted(_SIGN.findall(plain) + _EXACT.findall(plain))


def _stems(text: str) -> set[str]:
    from memcli.entries.text import tokens

    words = set(tokens.words(text)) - STOP_WORDS - _TELLING
    return {_stem(word) for word in words if not (_is_number(word) or _denies(word))}


def told(likeness: float, differs: Iterable[str]) -> str:
    """The words for two similar texts: "62% of the words, another number"."""
    return ", ".join((f"{likeness:.0%} of the words", *(SAID[one] for one in differs)))


def _words(text: str) -> list[str]:
    """The words of a text in lower case; names in capitals stay ("US" is not "us")."""
    found = (match[0].rstrip(_MARKS) for match in _WORD.finditer(text))
    return [
        word if word.isupper() and len(word) > 1 else word.lower() for word in found
    ]


def _is_number(word: str) -> bool:
    return word[0].isdecimal()


def _denies(word: str) -> bool:
    return word in _DENYING or word.endswith(("n't", "n’t"))


def _alone(words: list[str], others: list[str]) -> set[str]:
    """The words that the other text has in no form ("commit" is one with "commits")."""
    held = set(map(_stem, others))
    return {word for word in words if _stem(word) not in held}


def _stem(word: str) -> str:
    plain = word.isascii() and word.islower() and word.isalpha()
    return stemmer()(word) if plain else word


def _places(words: list[str], alone: set[str]) -> set[tuple[int, str]]:
    """The places of a text's own words: after and before which word each stands."""
    around = ["", *words, ""]
    found = set()
    for at, word in enumerate(words, 1):
        before, after = around[at - 1], around[at + 1]
        if word in _QUIET or before in _ARTICLES or word not in alone:
            continue
        if not (_is_number(word) or _denies(word) or _WEEKDAY.fullmatch(word)):
            found |= {(-1, before), (1, after)}
    return found


_CONFLICT = (r"^<{7} ", r"^={7}\r?$", r"^>{7} ")


def begins(text: str) -> int:
    """Where a conflict begins in a text; -1 when it holds none.

    >>> begins("one\\n<<<<<<< HEAD\\na\\n=======\\nb\\n>>>>>>> other\\n")
    4
    """
    if "<<<<<<< " not in text:
        return -1
    places = [0]
    for mark in _CONFLICT:
        found = re.compile(mark, re.MULTILINE).search(text, places[-1])
        if found is None:
            return -1
        places.append(found.start())
    return places[1]
