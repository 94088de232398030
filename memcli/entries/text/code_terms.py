"""The names, commands and paths in code at which a lesson is told.

Invariant: pure, and linear in the text. A text never brings a pattern of its own:
names are compared literally, and a path may have `*` and nothing else. When a lesson
forbids some names and recommends others, only the forbidden ones count, because code
that has the recommended ones keeps to the lesson.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import zip_longest

from memcli.entries.text.code_words import EVERYWHERE, KEYWORDS, PROGRAMS
from memcli.entries.text.identifiers import AROUND
from memcli.entries.text.named_code import (
    COMMAND,
    LONGEST,
    NAME,
    PATH,
    WORD,
    Piece,
    Trigger,
    candidate,
    may_name,
    plainly,
)
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["COMMAND", "NAME", "PATH", "WORD", "Trigger", "Triggers", "triggers"]

# Of a text this much is looked at; a lesson is shorter.
_LOOKED_AT = 4_000
MOST = 12
"""Triggers of one entry, at most."""

_PIECE = re.compile(r"`([^`\n]+)`|([^\s`]+)")
# `http.Client{}` makes one: it is the name that counts.
_BRACES = re.compile(r"(?<=\w)\{[^{}\n]*\}(?![\w./])")
_FORBIDS = frozenset(
    """
    avoid avoids cannot don't dont forbid forbids neither never no nobody nor not
    nothing without stop isn't aren't can't mustn't shouldn't doesn't won't wasn't
    """.split()
)
_CONDEMNS = frozenset(
    """
    banned broke broken breaks crash crashed crashes crashing deprecated disallowed
    forbidden gone hangs hung leak leaked leaks obsolete out prohibited refused removed
    swallowed swallows unsafe
    """.split()
)
_AUXILIARIES = frozenset(
    "is are was were be been do does did must may should can could will would".split()
)
_RECOMMENDS = frozenset(
    """
    by from need needs prefer prefers return take takes through to under use used uses
    using via with
    """.split()
)
_CLOSING = ")\"'\u201d\u2019»"
_ENDS = (".", ";", "!", "?", ":")
_HAS = frozenset("has have had there with".split())
# All words that say something of the names around them.
_CUES = (
    _FORBIDS | _CONDEMNS | _RECOMMENDS
    | frozenset("only outside except tests test instead rather is".split())
)  # fmt: skip
_AROUND_PIECES = f"{AROUND}.-"


# "Ask before you add a dependency", "no new crates": the commands that add one.
_ADDS = re.compile(
    r"(?i)\b(?:add|adding|install|installing|introduce|introducing|new)\s+"
    r"(?:(?:a|an|any|another|new|more|third-party)\s+){0,3}"
    r"(?:crate|dependency|dependencies|gem|library|libraries|package)s?\b"
)
_ADDING = tuple(
    Trigger(COMMAND, f"{command} *")
    for command in (
        *("npm install", "npm i", "pnpm add", "yarn add", "bun add", "pip install"),
        *("poetry add", "uv add", "cargo add", "go get", "bundle add"),
        "composer require",
    )
)


class Triggers(NamedTuple):
    """The triggers of a lesson: what makes hooks tell it.

    Attributes:
        found: what to look for, in the order of the text.
        spared: paths at which the lesson allows what it forbids elsewhere.
        forbids: whether it forbids one of the names, so that code without it keeps to
            the lesson.
    """

    found: tuple[Trigger, ...]
    spared: tuple[str, ...] = ()
    forbids: bool = False


class _Found:
    """The candidates of a text, by what the text says about them."""

    def __init__(self) -> None:
        self.forbidden: list[Trigger] = []
        self.neutral: list[Trigger] = []
        self.spared: list[str] = []


def triggers(text: str) -> Triggers:
    """The triggers of a lesson's text; none when it names no code.

    >>> triggers("HTTP goes through httpx.NewClient, never http.Client").found
    (Trigger(form='name', text='http.Client'),)
    """
    text = _BRACES.sub("", text[:_LOOKED_AT])
    found = _Found()
    for sentence in _sentences(text):
        _Reading(sentence, found).read()
    names = [each for each in found.forbidden if each.form != PATH]
    paths = [each for each in found.forbidden if each.form == PATH]
    for each in found.neutral:
        if each.form == PATH:
            # A lesson that forbids a name mentions paths for other reasons.
            if not names:
                paths.append(each)
        elif not found.forbidden and each.form != WORD:
            names.append(each)
    if not names and not paths and _ADDS.search(text):
        names += _ADDING
    chosen = [t for t in dict.fromkeys((*names, *paths)) if _is_usable(t)]
    spared = tuple(dict.fromkeys(found.spared))[:MOST]
    forbids = any(each in chosen and each.form != PATH for each in found.forbidden)
    return Triggers(tuple(chosen[:MOST]), spared, forbids)


def broad(trigger: Trigger) -> str:
    """Why a trigger is too broad to refuse anything; empty when it is not.

    A word of every second line, or a path that most files have, would stop all work.
    """
    letters = "".join(filter(str.isalnum, trigger.text))
    if trigger.form == PATH:
        names = [part for part in trigger.text.split("/") if part]
        first = names[0].partition("*")[0] if names else ""
        plain = {"src", "lib", "app", "test", "tests", "docs"}
        if "*" in trigger.text and not first.strip("."):
            return "it holds of every folder"
        if len(names) == 1 and names[0] in plain:
            return "it holds of most files"
    elif trigger.form == WORD and (
        trigger.text in KEYWORDS | EVERYWHERE or len(letters) < 3
    ):
        return "it is a word of most files"
    elif trigger.form == COMMAND and trigger.text in PROGRAMS:
        if trigger.text in ("cd", "git", "go", "make", "python", "sed", "ssh"):
            return "most commands run it"
    elif len(letters) < 3:
        return "it is too short"
    return ""


def _is_usable(trigger: Trigger) -> bool:
    letters = re.findall(r"[A-Za-z]{2,}|[A-Za-z]\d+", trigger.text)
    return bool(letters) and len(trigger.text) <= LONGEST


def _sentences(text: str) -> Iterator[list[Piece]]:
    pieces: list[Piece] = []
    for word, is_code, after in _words(text):
        if is_code:
            span = word.strip()
            ends, comma = after in _ENDS, after == ","
            pieces.append(Piece(span, plainly(span), True, True, ends, comma))
        elif (
            not word[0].isalnum()
            and not word.strip(_AROUND_PIECES)
            and word not in ("*", ".")
        ):
            # A dash between two spaces, or the mark after a code span.
            if pieces and word[0] in ".;:?!—–-":
                pieces[-1] = pieces[-1]._replace(ends=True)
            elif pieces and word[0] == ",":
                pieces[-1] = pieces[-1]._replace(comma=True)
        else:
            short = len(word) <= LONGEST
            one = _remembered_word if short else _word
            pieces.append(one(word, after.islower()))
        if pieces and pieces[-1].ends:
            yield pieces
            pieces = []
    yield pieces


def _words(text: str) -> Iterator[tuple[str, bool, str]]:
    """The words and code spans of a text; whether it is a span; what comes after.

    That is the character behind a span, and behind a word the first that is no space.
    """
    if "`" not in text:
        words = text.split()
        for word, following in zip_longest(words, words[1:], fillvalue=""):
            yield word, False, following[:1]
        return
    for match in _PIECE.finditer(text):
        end = match.end()
        if match[1] is not None:
            yield match[1], True, text[end : end + 1]
        else:
            yield match[2], False, text[end:].lstrip()[:1]


def _word(raw: str, goes_on: bool) -> Piece:
    """A word of prose, without the marks around it that belong to the sentence.

    `goes_on` says that a small letter follows.
    """
    bare = raw.rstrip(_CLOSING + ",;:?")
    ends = raw.rstrip(_CLOSING).endswith((".", ";", ":", "?"))
    if bare.endswith("!") and not goes_on:
        bare, ends = bare[:-1], True
    bare = bare.rstrip(".") if bare != "." else bare
    bare = bare.lstrip("([\"'\u201c\u2018«")
    if bare.count("(") > bare.count(")"):
        bare += ")" * (bare.count("(") - bare.count(")"))
    comma, names = raw.endswith(","), may_name(bare)
    return Piece(bare, plainly(bare), names, False, ends, comma)


# A vault says the same words again and again.
_remembered_word = lru_cache(maxsize=1 << 14)(_word)


class _Reading:
    """One sentence, read from its beginning; sorts what it names into `found`.

    `open` are the names of which nothing was said yet; `state` is forbids or recommends
    while the sentence does; `used` says whether that met a name.
    """

    def __init__(self, sentence: list[Piece], found: _Found) -> None:
        self._sentence = sentence
        self._found = found
        self._open: list[Trigger] = []
        self._state, self._used = "", False
        self._spares = False

    def read(self) -> None:
        """Read the sentence to its end."""
        sentence, at = self._sentence, 0
        while at < len(sentence):
            at += self._step(at)
            ends = sentence[at - 1].comma and self._state and self._used
            if ends and not _goes_on(sentence, at):
                self._state = ""
        self._found.neutral += self._open

    def _step(self, at: int) -> int:
        """Read what stands at a place; returns how many pieces that is."""
        piece = self._sentence[at]
        forbids = self._state == "forbids"
        if not (piece.names or forbids):
            if piece.low in _CUES:
                self._cue(at)
            return 1
        trigger, steps = candidate(self._sentence, at, forbids=forbids)
        if trigger is not None:
            self._name(trigger, at + steps)
        elif piece.low in _CUES and not piece.is_code:
            self._cue(at)
        return steps

    def _name(self, trigger: Trigger, at: int) -> None:
        """Sort a name; `at` is the place after it."""
        nexts = [each.text.lower() for each in self._sentence[at : at + 2]]
        if self._spares and trigger.form == PATH:
            self._found.spared.append(trigger.text)
            self._spares = False
        elif not self._sentence[at - 1].comma and (
            nexts in (["only"], ["it", "is"], ["does", "it"])
        ):
            # "yaml.safe_load it is" recommends it; "never http.Client, it is slow" not.
            pass
        elif self._state == "forbids":
            self._found.forbidden.append(trigger)
            self._used = True
        elif self._state == "recommends":
            self._used = True
        else:
            self._open.append(trigger)

    def _cue(self, at: int) -> None:
        """Take in a word that says something of names before or after it."""
        low = self._sentence[at].low
        before = self._sentence[at - 1].low if at else ""
        if low == "only" and at == 0:
            self._spares, self._state = True, "forbids"
        elif low in ("outside", "except"):
            self._spares = True
        elif self._spares and low in ("tests", "test"):
            self._found.spared.append("*test*")
            self._spares = False
        elif low == "no" and before in _HAS:
            pass  # "requests has no timeout" forbids nothing
        elif (
            low in _FORBIDS or self._is("instead of", at) or self._is("rather than", at)
        ):
            if before in _AUXILIARIES or low.endswith("n't"):
                # "X is not allowed", "X does not belong here". Else "X, not Y"
                # recommends what it names first.
                self._found.forbidden += self._open
            self._open = []
            self._state, self._used = "forbids", False
        elif low in _CONDEMNS and self._open:
            self._found.forbidden += self._open
            self._open = []
        elif low in _RECOMMENDS or self._is("it is", at - 1):
            # "Never use X" recommends nothing.
            waits = self._state == "forbids" and not self._used
            self._state = "forbids" if waits else "recommends"
            self._used = False

    def _is(self, words: str, at: int) -> bool:
        return " ".join(p.text.lower() for p in self._sentence[at : at + 2]) == words


def _goes_on(sentence: list[Piece], at: int) -> bool:
    """Whether a list of names goes on after a comma."""
    if at >= len(sentence):
        return False
    if sentence[at].text.lower() in ("and", "or", "nor"):
        return True
    return candidate(sentence, at, forbids=True)[0] is not None
