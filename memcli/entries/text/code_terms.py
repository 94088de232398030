"""The names, commands and paths in code at which a lesson is told.

A word of `words/code.txt` is English as well (`black`), so it names code only where a
sentence forbids it, and is looked for only where code has a name (`sessions.lessons`).

Invariant: pure, and linear in the text. A text never brings a pattern of its own: names
are compared literally, and a path may have `*` and nothing else. Of names that a lesson
forbids and others that it recommends only the forbidden ones count.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile

from memcli.entries.shipped import code_words
from memcli.entries.text.identifiers import FILE_TYPES, identifier
from memcli.entries.text.tokens import NEGATIONS
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

_LISTS = code_words()
KEYWORDS, SQL = _LISTS["keywords"], _LISTS["sql"]
_KNOWN, _AMBIGUOUS = _LISTS["known"], _LISTS["ambiguous"]
_PROGRAMS: dict[str, frozenset[str]] = {
    **dict.fromkeys(_LISTS["alone"], frozenset()),
    **dict.fromkeys(_LISTS["with-subcommands"], _LISTS["subcommands"]),
}

NAME, WORD, COMMAND, PATH = "name", "word", "command", "path"
"""How a trigger is looked for: a name anywhere in code; a word of plain English only
where code has names; a program with its arguments; a path of the file."""


class Trigger(NamedTuple):
    """One thing to look for, by its `form`: NAME, WORD, COMMAND or PATH."""

    form: str
    text: str


class Triggers(NamedTuple):
    """The words and paths at which hooks tell a lesson.

    Attributes:
        found: what to look for, in the order of the text.
        spared: paths at which the lesson allows what it forbids elsewhere.
        forbids: whether it forbids a name, so that code without it keeps to it.
    """

    found: tuple[Trigger, ...]
    spared: tuple[str, ...] = ()
    forbids: bool = False


# Of a text this much is looked at; a lesson is shorter.
_LOOKED_AT, _LONGEST = 4_000, 80
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
    chosen = [
        each
        for each in dict.fromkeys((*names, *paths))
        if len(each.text) <= _LONGEST and re.search("[A-Za-z][A-Za-z0-9]", each.text)
    ]
    forbids = any(each in chosen and each.form != PATH for each in said.forbidden)
    spared = tuple(dict.fromkeys(said.spared))[:MOST]
    return Triggers(tuple(chosen[:MOST]), spared, forbids)


_EVERYDAY = frozenset(
    "src lib app test tests docs cd git go make python sed ssh".split()
)


def broad(trigger: Trigger) -> str:
    """Why a trigger is too broad to refuse anything; empty when it is not.

    A word of every second line, or a path that most files have, would stop all work.
    """
    form, text = trigger
    if form == PATH and "*" in text and not text.partition("*")[0].strip("./"):
        return "it holds of every folder"
    is_word = form == WORD and text in KEYWORDS | _LISTS["everywhere"]
    if is_word or (form in (PATH, COMMAND) and text.strip("/") in _EVERYDAY):
        return "most files or commands have it"
    return "it is too short" if sum(map(str.isalnum, text)) < 3 else ""


# --- words and sentences ------------------------------------------------------------


class _Piece(NamedTuple):
    """A word or a code span; `stop` is "." or "," where a sentence or a clause ends
    after it. `low` is in lower case, with a straight apostrophe."""

    text: str
    low: str
    is_code: bool = False
    stop: str = ""


_Sentence = list[_Piece]
_PIECE = re.compile(r"`([^`\n]+)`|([^\s`]+)")
_OPENING = "([\"'\u201c\u2018«{<*|"
_CLOSING = ")]}>\"'\u201d\u2019»*|"
_STOPS = ".;:!?—–"


def _sentences(text: str) -> Iterator[_Sentence]:
    pieces: _Sentence = []
    for match in _PIECE.finditer(text):
        span, word = match.groups()
        if span is not None:
            pieces.append(_Piece(span.strip(), span, is_code=True))
            continue
        goes_on = "!" in word and text[match.end() :].lstrip()[:1].islower()
        piece = _of_prose(word, goes_on)
        if piece.text:
            pieces.append(piece)
        elif pieces and piece.stop:  # a dash, or the mark after a code span
            pieces[-1] = pieces[-1]._replace(stop=piece.stop)
        if pieces and pieces[-1].stop == ".":
            yield pieces
            pieces = []
    yield pieces


# A vault says the same words again and again.
@lru_cache(maxsize=1 << 14)
def _of_prose(raw: str, goes_on: bool) -> _Piece:
    """A word without the marks around it that belong to the sentence.

    `goes_on` says that a small letter follows: `panic!` is a name then.
    """
    if raw == "*":
        return _Piece(raw, raw)
    marks = raw.rstrip(_CLOSING)[-1:]
    stop = "." if marks in (*_STOPS, "-") else "," if raw.endswith(",") else ""
    bare = raw.rstrip(")\"'\u201d\u2019»,;:?—–")
    if bare.endswith("!"):
        stop = "" if goes_on else "."
        bare = bare if goes_on else bare[:-1]
    elif marks == "-" and raw.strip("-"):
        stop = ""
    bare = bare.rstrip(".").lstrip("([\"'\u201c\u2018«")
    if not bare.strip(f"{_OPENING}{_CLOSING}.,;:!?—–-"):
        return _Piece("", "", stop=stop)
    bare += ")" * (bare.count("(") - bare.count(")"))
    return _Piece(bare, bare.lower().replace("\u2019", "'"), stop=stop)


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
_HAS = frozenset("has have had there with".split())
_CUES = _CONDEMNS | _RECOMMENDS
_CUES |= frozenset("only outside except tests test instead rather is".split())


class _Said:
    """The names of a text, by what it says about them.

    `state` is forbids or recommends while a sentence does; `used` says whether that met
    a name; `open` are the names of which nothing was said yet.
    """

    def __init__(self) -> None:
        self.forbidden: list[Trigger] = []
        self.neutral: list[Trigger] = []
        self.spared: list[str] = []

    def read(self, sentence: _Sentence) -> None:
        """Read a sentence from its beginning to its end."""
        self._open: list[Trigger] = []
        self._state, self._used, self._spares = "", False, False
        at = 0
        while at < len(sentence):
            trigger, steps = _candidate(sentence, at, self._state == "forbids")
            if trigger is not None:
                self._name(trigger, sentence, at + steps)
            elif not sentence[at].is_code:
                self._cue(sentence, at)
            at += steps
            if self._used and sentence[at - 1].stop and at < len(sentence):
                goes_on = sentence[at].low in ("and", "or", "nor")
                if not goes_on and _candidate(sentence, at, True)[0] is None:
                    self._state = ""
        self.neutral += self._open

    def _name(self, trigger: Trigger, sentence: _Sentence, after: int) -> None:
        nexts = [each.low for each in sentence[after : after + 2]]
        if self._spares and trigger.form == PATH:
            self.spared.append(trigger.text)
            self._spares = False
        elif nexts in (["only"], ["it", "is"], ["does", "it"]) and (
            sentence[after - 1].stop != ","
        ):
            pass  # "yaml.safe_load it is", not "never http.Client, it is slow"
        elif self._state:
            if self._state == "forbids":
                self.forbidden.append(trigger)
            self._used = True
        else:
            self._open.append(trigger)

    def _cue(self, sentence: _Sentence, at: int) -> None:
        """Take in a word that says something of names before or after it."""
        low = sentence[at].low
        denies = low in _FORBIDS or low.endswith("n't")
        if not denies and low not in _CUES:
            return
        before = sentence[at - 1].low if at else ""
        two = [each.low for each in sentence[at : at + 2]]
        if low == "only" and at == 0:
            self._spares, self._state = True, "forbids"
        elif low in ("outside", "except"):
            self._spares = True
        elif self._spares and low in ("tests", "test"):
            self.spared.append("*test*")
            self._spares = False
        elif low == "no" and before in _HAS:
            pass  # "requests has no timeout" forbids nothing
        elif denies or two in (["instead", "of"], ["rather", "than"]):
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


# --- the name that a word or a span is ------------------------------------------------

_DOTTED = re.compile(r"\.?[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+[!?]?")
_MARKED = re.compile(
    r"(?:[.:]{1,2}|[@!$%]|--)[A-Za-z_][\w-]*|\.?[A-Za-z_]\w*\(\)|[a-z_]\w*!"
)
_GLOB = re.compile(r"(?:[\w.@+*-]+/)+(?:[\w.@+*-]+)?|\*?[\w.@+-]*\*?\.[a-z]{1,6}")
_ROOTS = ("src", "lib", "app", "data", "internal", "docs")

_PREPOSITIONS = frozenset(
    """
    and anywhere at directly for from here in inside itself on or outside themselves to
    under yourself
    """.split()
)
_USES = ("use", "using", "call", "calling", "write", "no")
# What may begin a command or a run of keywords.
_BEGIN = _PROGRAMS.keys() | KEYWORDS | SQL
# The subcommands of programs; of "running to" a sentence says no command.
_VERBS = _LISTS["subcommands"] - {"i", "run", "test", "x"}
_BETWEEN = frozenset("a an any changes commits code our straight the your".split())


def _candidate(
    sentence: _Sentence, at: int, forbids: bool
) -> tuple[Trigger | None, int]:
    """The trigger that a piece names, if any, and how many pieces that takes."""
    word, low, is_code, _ = sentence[at]
    if is_code:
        return _of_span(word.removeprefix("&")), 1
    if not word.isascii() or len(word) > _LONGEST or "://" in word:
        return None, 1
    if word in _BEGIN or word.startswith("--"):
        words = []
        for each in sentence[at : at + 6]:
            words.append(each.text)
            if each.stop or each.is_code:
                break
        if count := _command(words, forbids):
            return Trigger(COMMAND, " ".join(words[:count])), count
        if count := _run(words):
            return Trigger(NAME, " ".join(words[:count])), count
    trigger = _alone(word)
    if trigger is None and forbids:
        trigger = _plain(sentence, at) or _sent(sentence, at)
    elif trigger is None and low in _KNOWN and low not in _AMBIGUOUS:
        before = sentence[at - 1] if at else None
        if before is None or before.stop or before.low in ("and", "or"):
            # A sentence that goes on to condemn it makes it one: "moment is banned".
            trigger = Trigger(WORD, word)
    return trigger, 1


@lru_cache(maxsize=1 << 14)
def _alone(word: str) -> Trigger | None:
    """The path or name that a word is by its form."""
    path = _path(word)
    if path:
        return Trigger(PATH, path)
    bare = word.strip("()") if word.startswith("(") else word
    return Trigger(NAME, bare) if _is_name(bare) else None


def _of_span(span: str) -> Trigger | None:
    words = span.split()
    if not words:
        return None
    path = _path(span) if len(words) == 1 else None
    if path:
        return Trigger(PATH, path)
    if words[0] in _PROGRAMS or words[0].startswith("--"):
        return Trigger(COMMAND, " ".join(words))
    return Trigger(WORD if span.isidentifier() and not _is_name(span) else NAME, span)


def _command(words: list[str], forbids: bool) -> int:
    """How many words make a command: a program, its subcommand, and options."""
    first = words[0]
    if first not in _PROGRAMS:
        return int(first.startswith("--") and len(first) > 3)
    known, option = _PROGRAMS[first], re.compile(r"--?[A-Za-z][\w-]*")
    rest = takewhile(lambda word: word in known or option.fullmatch(word), words[1:])
    length = 1 + len(list(rest))
    # A program's bare name is English too often: only what a sentence forbids counts,
    # unless the name cannot be anything else.
    is_plain = first in _AMBIGUOUS or first in KEYWORDS
    return length if length > 1 or ((forbids or "-" in first) and not is_plain) else 0


def _run(words: list[str]) -> int:
    """How many words are one phrase of code: keywords in a row, or SQL in capitals."""
    for known in (SQL | {"*"}, KEYWORDS):
        run = list(takewhile(known.__contains__, words))
        if len(run) > 1 and run[-1] not in _AMBIGUOUS and run[0] != "*":
            return len(run)
    return int(words[0] in ("TRUNCATE", "VACUUM", "CASCADE"))


def _path(word: str) -> str | None:
    """The path or glob that a word is; None for a name with dots."""
    word = re.sub(r":\d+(?:-\d+)?$", "", word).removeprefix("./")
    if word.startswith("-") or not _GLOB.fullmatch(word):
        return None
    left, slash, right = word.partition("/")
    if slash:
        # `and/or` is a word, and `pkg/errors` a package: no files to edit.
        is_name = not re.search(r"[/._*-]", left + right) and bool(right)
        return word if not is_name or left in _ROOTS else None
    stem, _, ending = word.lower().rpartition(".")
    is_file = ending in FILE_TYPES and (len(ending) > 1 or "-" in stem or "_" in stem)
    is_file = is_file and identifier(word, code=True) is not None
    return word if stem == "*" or (is_file and not (ending == "env" and stem)) else None


def _is_name(word: str) -> bool:
    bare = word.removesuffix("()")
    if _DOTTED.fullmatch(bare):
        parts = re.split(r"\.|::|->", bare.strip("."))
        return max(map(len, parts)) > 2 and not bare.lower().startswith(("e.g", "i.e"))
    if _MARKED.fullmatch(word):
        return len(word) > 2
    return (
        "." not in word and "/" not in word and identifier(word, code=False) is not None
    )


def _sent(sentence: _Sentence, at: int) -> Trigger | None:
    """The command of a plain verb with its goal: "never push to main"."""
    verb = sentence[at].low.rpartition("-")[2]
    nexts = [each.text for each in sentence[at + 1 : at + 6]]
    nexts = [each for each in nexts if not (each.endswith("ly") or each in _BETWEEN)]
    if verb not in _VERBS or nexts[:1] not in (["to"], ["onto"]) or len(nexts) < 2:
        return None
    is_goal = re.fullmatch(r"[A-Za-z][\w./-]*", nexts[1])
    return Trigger(COMMAND, f"* {verb} {nexts[1]}") if is_goal else None


def _plain(sentence: _Sentence, at: int) -> Trigger | None:
    """The word of code that a sentence forbids by its bare name."""
    word, low, _, stop = sentence[at]
    if low not in _KNOWN | KEYWORDS:
        low = low.removesuffix("s")
    if low not in _KNOWN | KEYWORDS or (at and word.istitle()):
        return None
    if low in _AMBIGUOUS:
        # "Never delete" is about deleting, "use delete" and "no delete" about the word;
        # "no new packages" is not.
        before = sentence[at - 1].low if at else ""
        following = sentence[at + 1].low if at + 1 < len(sentence) else ""
        ends = stop or not following or following in _PREPOSITIONS
        if not ends or before not in _USES:
            return None
    return Trigger(WORD, low if word.islower() else word)
