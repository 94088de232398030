"""The names, commands and paths in code at which a lesson is told.

Invariant: pure, and linear in the text. A text never brings a pattern of its own:
names are compared literally, and a path may have `*` and nothing else. When a lesson
forbids some names and recommends others, only the forbidden ones count, because code
that has the recommended ones keeps to the lesson. A word of plain English names code
only where a sentence forbids it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memcli.entries.text.code_words import EVERYWHERE, KEYWORDS, PROGRAMS
from memcli.entries.text.identifiers import AROUND
from memcli.entries.text.named_code import (
    COMMAND,
    LONGEST,
    NAME,
    PATH,
    WORD,
    Piece,
    Sentence,
    Trigger,
    candidate,
)
from memcli.entries.text.tokens import NEGATIONS
from memcli.named_tuple import NamedTuple

__all__ = ["COMMAND", "NAME", "PATH", "WORD", "Trigger", "Triggers", "triggers"]

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator


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


# Of a text this much is looked at; a lesson is shorter.
_LOOKED_AT = 4_000
MOST = 12
"""Triggers of one entry, at most."""

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


def triggers(text: str) -> Triggers:
    """The triggers of a lesson's text; none when it names no code.

    >>> triggers("HTTP goes through httpx.NewClient, never http.Client").found
    (Trigger(form='name', text='http.Client'),)
    """
    text = text[:_LOOKED_AT]
    said = _Said()
    for sentence in _sentences(text):
        said.read(sentence)
    names = [each for each in said.forbidden if each.form != PATH]
    paths = [each for each in said.forbidden if each.form == PATH]
    for each in said.neutral:
        # A lesson that names something mentions paths after it for other reasons.
        if each.form == PATH and not names:
            paths.append(each)
        elif each.form not in (PATH, WORD) and not said.forbidden:
            names.append(each)
    if not names and not paths and _ADDS.search(text):
        names += _ADDING
    chosen = [each for each in dict.fromkeys((*names, *paths)) if _is_usable(each)]
    forbids = any(each in chosen and each.form != PATH for each in said.forbidden)
    spared = tuple(dict.fromkeys(said.spared))[:MOST]
    return Triggers(tuple(chosen[:MOST]), spared, forbids)


def _is_usable(trigger: Trigger) -> bool:
    letters = re.search(r"[A-Za-z]{2}|[A-Za-z]\d", trigger.text)
    return letters is not None and len(trigger.text) <= LONGEST


_OF_MOST_FILES = frozenset("src lib app test tests docs".split())
_OF_MOST_COMMANDS = frozenset("cd git go make python sed ssh".split())


def broad(trigger: Trigger) -> str:
    """Why a trigger is too broad to refuse anything; empty when it is not.

    A word of every second line, or a path that most files have, would stop all work.
    """
    form, text = trigger
    if form == PATH:
        names = [part for part in text.split("/") if part]
        first = names[0].partition("*")[0] if names else ""
        if "*" in text and not first.strip("."):
            return "it holds of every folder"
        most = len(names) == 1 and names[0] in _OF_MOST_FILES
        return "it holds of most files" if most else ""
    if form == COMMAND and text in PROGRAMS:
        return "most commands run it" if text in _OF_MOST_COMMANDS else ""
    if form == WORD and text in KEYWORDS | EVERYWHERE:
        return "it is a word of most files"
    return "it is too short" if sum(map(str.isalnum, text)) < 3 else ""


# --- words and sentences ------------------------------------------------------------


_PIECE = re.compile(r"`([^`\n]+)`|([^\s`]+)")
_AROUND_PIECES = f"{AROUND}.-—–"
_OPENING = "([\"'\u201c\u2018«"
_CLOSING = ")\"'\u201d\u2019»"
_ENDS = tuple(".;:!?—–-")


def _sentences(text: str) -> Iterator[Sentence]:
    pieces: Sentence = []
    for match in _PIECE.finditer(text):
        span, word = match.groups()
        if span is not None:
            pieces.append(_piece(span.strip(), True, ""))
        elif word == "." and text[match.start() - 1 : match.start()] != "`":
            pieces.append(_of_prose(word, False))
        elif _is_word(word):
            goes_on = "!" in word and text[match.end() :].lstrip()[:1].islower()
            pieces.append(_of_prose(word, goes_on))
        elif pieces and word[0] in _ENDS:  # a dash, or the mark after a code span
            pieces[-1] = pieces[-1]._replace(stop=".")
        elif pieces and word[0] == ",":
            pieces[-1] = pieces[-1]._replace(stop=",")
        if pieces and pieces[-1].stop == ".":
            yield pieces
            pieces = []
    yield pieces


def _piece(text: str, is_code: bool, stop: str) -> Piece:
    return Piece(text, text.lower().replace("\u2019", "'"), is_code, stop)


# A vault says the same words again and again.
@lru_cache(maxsize=1 << 14)
def _is_word(word: str) -> bool:
    return word == "*" or bool(word.strip(_AROUND_PIECES))


@lru_cache(maxsize=1 << 14)
def _of_prose(raw: str, goes_on: bool) -> Piece:
    """A word without the marks around it that belong to the sentence.

    `goes_on` says that a small letter follows: `panic!` is a name then.
    """
    bare = raw.rstrip(_CLOSING + ",;:?")
    ends = raw.rstrip(_CLOSING).endswith((".", ";", ":", "?"))
    if bare.endswith("!") and not goes_on:
        bare, ends = bare[:-1], True
    bare = (bare.rstrip(".") or bare).lstrip(_OPENING)
    bare += ")" * (bare.count("(") - bare.count(")"))
    return _piece(bare, False, "." if ends else "," if raw.endswith(",") else "")


# --- what a sentence says of the names in it -----------------------------------------

_FORBIDS = NEGATIONS | {"avoid", "avoids", "forbid", "forbids", "stop"}
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
_INSTEAD = ("instead of", "rather than")
_HAS = frozenset("has have had there with".split())
_CUES = _FORBIDS | _CONDEMNS | _RECOMMENDS
_CUES |= frozenset("only outside except tests test no instead rather is".split())


class _Said:
    """The names of a text, by what it says about them.

    `state` is forbids or recommends while a sentence does; `used` says whether that met
    a name; `open` are the names of which nothing was said yet.
    """

    def __init__(self) -> None:
        self.forbidden: list[Trigger] = []
        self.neutral: list[Trigger] = []
        self.spared: list[str] = []

    def read(self, sentence: Sentence) -> None:
        """Read a sentence from its beginning to its end."""
        self._open: list[Trigger] = []
        self._state, self._used, self._spares = "", False, False
        at = 0
        while at < len(sentence):
            forbids = self._state == "forbids"
            trigger, steps = candidate(sentence, at, forbids=forbids)
            if trigger is not None:
                self._name(trigger, sentence, at + steps)
            elif not sentence[at].is_code:
                self._cue(sentence, at)
            at += steps
            if self._used and sentence[at - 1].stop and at < len(sentence):
                goes_on = sentence[at].low in ("and", "or", "nor")
                if not goes_on and candidate(sentence, at, forbids=True)[0] is None:
                    self._state = ""
        self.neutral += self._open

    def _name(self, trigger: Trigger, sentence: Sentence, after: int) -> None:
        nexts = [each.low for each in sentence[after : after + 2]]
        if self._spares and trigger.form == PATH:
            self.spared.append(trigger.text)
            self._spares = False
        elif sentence[after - 1].stop != "," and (
            nexts in (["only"], ["it", "is"], ["does", "it"])
        ):
            # "yaml.safe_load it is" recommends it; "never http.Client, it is slow" not.
            pass
        elif self._state:
            if self._state == "forbids":
                self.forbidden.append(trigger)
            self._used = True
        else:
            self._open.append(trigger)

    def _cue(self, sentence: Sentence, at: int) -> None:
        """Take in a word that says something of names before or after it."""
        low = sentence[at].low
        if low not in _CUES and not low.endswith("n't"):
            return
        before = sentence[at - 1].low if at else ""
        two = f"{low} {sentence[at + 1].low}" if at + 1 < len(sentence) else low
        if low == "only" and at == 0:
            self._spares, self._state = True, "forbids"
        elif low in ("outside", "except"):
            self._spares = True
        elif self._spares and low in ("tests", "test"):
            self.spared.append("*test*")
            self._spares = False
        elif low == "no" and before in _HAS:
            pass  # "requests has no timeout" forbids nothing
        elif low in _FORBIDS or low.endswith("n't") or two in _INSTEAD:
            if before in _AUXILIARIES or low.endswith("n't"):
                # "X is not allowed", "X does not belong here". Else "X, not Y"
                # recommends what it names first.
                self.forbidden += self._open
            self._open = []
            self._state, self._used = "forbids", False
        elif low in _CONDEMNS and self._open:
            self.forbidden += self._open
            self._open = []
        elif low in _RECOMMENDS or (before, low) == ("it", "is"):
            # "Never use X" recommends nothing.
            waits = self._state == "forbids" and not self._used
            self._state = "forbids" if waits else "recommends"
            self._used = False
