"""Whether two directives tell an agent to do different things, or the same again.

Invariant: pure. `differ` is asked of two texts whose words are already found alike: of
a mined candidate and an entry, and of a candidate in review and its neighbours. A
person then decides, so a false hint costs one look. A missed one costs more: the
candidate would count as one more proof of what it contradicts. So one word more or less
is the same subject here, and of the 196 pairs of
tests/entries/text/disagreement_pairs.toml that can both hold, 43 differ by these rules.
`save` and `reflect` tell an agent at once, and go by the narrow rules of
`disagreement`, which name none of the 196. `restates` decides alone, and errs the other
way: what is taken for a restatement is not kept in its own words.
"""

from __future__ import annotations

import re

from memcli.entries.text import disagreement, tokens
from memcli.named_tuple import NamedTuple

# Two texts this alike (Jaccard of their words, without numbers and negations), with at
# least this many words in common, say the same.
_ALIKE = 0.6
_FEWEST = 2
_NUMBER = re.compile(r"(?<![\w.])\d[\w.,:%]*(?<![.,:])", re.ASCII)
# As `tokens.words` gives them.
_DENYING = frozenset(word.replace("'", "") for word in disagreement.DENYING)
# Words that directives about different things share.
_GENERAL = frozenset("use using always please make sure write run everywhere".split())
# Words that only tell that something is said, or said again.
_TELLING = _GENERAL | frozenset(
    "again already ever remember forget forgetting forgot keep told said now going "
    "forward must should need needs every each time just really decision rule "
    "note you".split()
)
# So much of a restatement stands in what it restates; and so much of that in it. Of
# seven words one may be new: "the payment service" is not "the login service".
_SAID = 0.85
_HELD = 0.5


class _Directive(NamedTuple):
    """What a text says, as far as it is compared."""

    words: frozenset[str]
    numbers: frozenset[str]
    negated: bool


def differ(text: str, other: str) -> tuple[str, str] | None:
    """(rule, why) when two directives cannot both be followed, else None.

    >>> differ("Use tabs in this repo", "Use spaces in this repo")
    ('alternative', 'one says tabs, the other spaces')
    """
    first, second = _read(text), _read(other)
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


def restates(text: str, other: str) -> bool:
    """Whether a text says nothing that the other does not, in nearly its words.

    >>> restates("You keep forgetting to lint before you commit!",
    ...     "Always run the linter before committing.")
    False
    >>> restates("Again: run the linter before every commit.",
    ...     "Always run the linter before committing.")
    True
    """
    first, second = _read(text), _read(other)
    if first.negated != second.negated or first.numbers != second.numbers:
        return False
    mine, theirs = _stems(first), _stems(second)
    common = len(mine & theirs)
    return common >= _FEWEST and (
        common >= _SAID * len(mine) and common >= _HELD * len(theirs)
    )


def _stems(directive: _Directive) -> set[str]:
    from memcli.entries.text.english_stems import stem

    words = directive.words - _TELLING
    return {stem(word) if word.isascii() else word for word in words}


def _preferred(text: str) -> str | None:
    """What a text puts before "instead of", "rather than", "over" or ", not"."""
    match = re.search(
        r"(\S+)[,`\"']*\s+(?:instead of|rather than|and not|not|over)\s", text.lower()
    )
    return match[1].strip("`\"',.") if match else None


def _disagree(first: _Directive, second: _Directive) -> tuple[str, str] | None:
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


def _read(text: str) -> _Directive:
    plain = _NUMBER.sub(" ", text)
    words = set(tokens.words(plain))
    return _Directive(
        words=frozenset(words - tokens.STOP_WORDS - _DENYING),
        numbers=frozenset(_NUMBER.findall(text)),
        negated=not words.isdisjoint(_DENYING),
    )
