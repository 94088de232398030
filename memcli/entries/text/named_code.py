"""The names in code of a word or a code span of a sentence.

Invariant: pure. A word of plain English names code only where a sentence forbids it;
`code_terms` reads the sentence and says where that is.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memcli.entries.text.code_words import (
    AMBIGUOUS,
    BUILTINS,
    KEYWORDS,
    PACKAGES,
    PROGRAMS,
    SQL,
)
from memcli.entries.text.identifiers import FILE_TYPES, identifier
from memcli.named_tuple import NamedTuple

NAME, WORD, COMMAND, PATH = "name", "word", "command", "path"
"""How a trigger is looked for: a name anywhere in code; a word of plain English only
where code has names; a program with its arguments; a path of the file."""


LONGEST = 80
"""Characters of a trigger, at most."""

_DOTTED = re.compile(r"\.?[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+[!?]?")
_MARKED = re.compile(
    r"(?:[.:]{1,2}|[@!$%]|--)[A-Za-z_][\w-]*|\.?[A-Za-z_]\w*\(\)|[a-z_]\w*!"
)
_GLOB = re.compile(r"(?:[\w.@+*-]+/)+(?:[\w.@+*-]+)?|\*?[\w.@+-]*\*?\.[a-z]{1,6}")
_VERSION = re.compile(r"v?\d+(\.\d+)*")

# Words of every sentence, which are keywords as well.
_PLAIN = frozenset(
    """
    any as by case do for from if import in internal is long loop new not nothing of on
    or out self short static string super super switch template test this type unknown
    use using where while with
    """.split()
)
_PREPOSITIONS = frozenset(
    """
    and anywhere at directly for from here in inside itself on or outside themselves to
    under yourself
    """.split()
)

_KNOWN = PACKAGES | BUILTINS
_KNOWN_ALONE = _KNOWN - AMBIGUOUS
_KNOWN_FORBIDDEN = _KNOWN | KEYWORDS
# What may begin a command or a run of keywords.
_BEGIN = PROGRAMS.keys() | KEYWORDS | SQL
# The subcommands of programs; of "running to" a sentence says no command.
_VERBS = frozenset().union(*PROGRAMS.values()) - {"run", "test", "x"}
_BETWEEN = frozenset("a an any changes commits code our straight the your".split())
_NOT_USES = frozenset("cannot do don't dont it must never not or and to".split())


class Trigger(NamedTuple):
    """One thing to look for, by its `form`: NAME, WORD, COMMAND or PATH."""

    form: str
    text: str


class Piece(NamedTuple):
    """A word or a code span, with whether a sentence or a clause ends after it.

    `low` is the text as `plainly` gives it; `names` says whether it may name code where
    nothing is forbidden.
    """

    text: str
    low: str
    names: bool
    is_code: bool
    ends: bool
    comma: bool


def plainly(word: str) -> str:
    """A word in lower case, with a straight apostrophe."""
    return word.lower().replace("\u2019", "'")


def candidate(
    sentence: list[Piece], at: int, *, forbids: bool
) -> tuple[Trigger | None, int]:
    """The trigger that a piece names, if any, and how many pieces that takes."""
    piece = sentence[at]
    if piece.is_code:
        return _of_span(piece.text.removeprefix("&")), 1
    word = piece.text
    if not word.isascii() or len(word) > LONGEST or "://" in word:
        return None, 1
    trigger, steps = _coded(sentence, at, forbids=forbids)
    if trigger is not None:
        return trigger, steps
    if forbids:
        return _plain(sentence, at) or _sent(sentence, at), 1
    before = sentence[at - 1] if at else None
    subject = before is None or before.comma or before.text.lower() in ("and", "or")
    if word.lower() in _KNOWN_ALONE and subject:
        # Only a sentence that goes on to condemn it makes it one: "moment is banned".
        return Trigger(WORD, word), 1
    return None, 1


def _coded(
    sentence: list[Piece], at: int, *, forbids: bool
) -> tuple[Trigger | None, int]:
    """The trigger of a word by its form or by the next, as `candidate` gives it."""
    word = sentence[at].text
    if word in _BEGIN or word.startswith("--"):
        words = []
        for each in sentence[at : at + 6]:
            words.append(each.text)
            if each.ends or each.comma or each.is_code:
                break
        command = _command(words, forbids=forbids)
        if command:
            return Trigger(COMMAND, " ".join(words[:command])), command
        run = _run(words)
        if run:
            return Trigger(NAME, " ".join(words[:run])), run
    return _alone(word), 1


def may_name(word: str) -> bool:
    """Whether a word may name code in a sentence that forbids nothing."""
    if not word.isascii() or len(word) > LONGEST:
        return False
    if word in _BEGIN or word.startswith("--") or word.lower() in _KNOWN_ALONE:
        return True
    return _alone(word) is not None


# A vault says the same words again and again; `candidate` asks of none above LONGEST.
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
    if len(words) == 1:
        path = _path(span)
        if path:
            return Trigger(PATH, path)
    if words[0] in PROGRAMS or words[0].startswith("--"):
        return Trigger(COMMAND, " ".join(words))
    if len(words) == 1 and span.isidentifier() and not _is_name(span):
        return Trigger(WORD, span)
    return Trigger(NAME, span)


def _command(words: list[str], *, forbids: bool) -> int:
    """How many words make a command: a program, its subcommand, and options."""
    first = words[0]
    if first.startswith("--") and len(first) > 3:
        return 1
    if first not in PROGRAMS:
        return 0
    length = 1
    for word in words[1:]:
        known = word in PROGRAMS[first] or (length == 1 and word == "compose")
        if not known and not re.fullmatch(r"--?[A-Za-z][\w-]*", word):
            break
        length += 1
    if length > 1:
        return length
    # A program's bare name is English too often: only what a sentence forbids counts,
    # unless the name cannot be anything else.
    plain = first in AMBIGUOUS or first in KEYWORDS
    return 1 if (forbids or "-" in first) and not plain else 0


def _run(words: list[str]) -> int:
    """How many words are one phrase of code: keywords in a row, or SQL in capitals."""
    length = 0
    while length < len(words) and (
        words[length] in SQL or (length and words[length] == "*")
    ):
        length += 1
    if length > 1 or (length and words[0] in ("TRUNCATE", "VACUUM", "CASCADE")):
        return length
    length = 0
    while length < len(words) and words[length] in KEYWORDS:
        length += 1
    plain = length and (
        words[0] in _PLAIN - {"new", "using"} or words[length - 1] in _PLAIN
    )
    strong = length and any(word not in AMBIGUOUS for word in words[:length])
    return length if length > 1 and strong and not plain else 0


def _path(word: str) -> str | None:
    """The path or glob that a word is; None for a name with dots."""
    if word.startswith(("-", "http:", "~")) or "(" in word or "::" in word:
        return None
    if ":" in word:
        word = re.sub(r":\d+(?:-\d+)?$", "", word)
    word = word.removeprefix("./")
    if word.count("/") == 1 and not re.search(r"[._*]|/$|-", word):
        left, right = word.split("/")
        if not right or left in ("and", "he", "she", "him") or len(left) < 3:
            return None
        # `pkg/errors` is a folder or a package: both are names, not files to edit.
        return (
            word if left in ("src", "lib", "app", "data", "internal", "docs") else None
        )
    known = identifier(word, code=True)
    is_file = "/" not in word and known is not None and _GLOB.fullmatch(word)
    if is_file and _is_file_name(word):
        return word
    if re.fullmatch(r"\*\.[a-z]{1,10}", word):
        return word
    return word if "/" in word and _GLOB.fullmatch(word) else None


def _is_file_name(word: str) -> bool:
    ending = word.rpartition(".")[2].lower()
    stem = word.rpartition(".")[0]
    if ending == "env" and stem:
        return False
    return ending in FILE_TYPES and (len(ending) > 1 or "-" in stem or "_" in stem)


def _is_name(word: str) -> bool:
    bare = word.removesuffix("()")
    if _VERSION.fullmatch(bare):
        return False
    if _DOTTED.fullmatch(bare):
        parts = re.split(r"\.|::|->", bare.strip("."))
        return max(map(len, parts)) > 2 and not bare.lower().startswith(("e.g", "i.e"))
    if _MARKED.fullmatch(word):
        return len(word) > 2
    return (
        "." not in word and "/" not in word and identifier(word, code=False) is not None
    )


def _verb(word: str) -> str:
    """The subcommand of a program that a verb is in any form: push, "pushing"."""
    word = word.rpartition("-")[2]
    return next(
        (form for n in range(4) if (form := word[: len(word) - n]) in _VERBS), ""
    )


def _sent(sentence: list[Piece], at: int) -> Trigger | None:
    """The command that a plain verb with its goal names: "never push to main".

    A verb alone is no command: "never add comments" is not about `git add`.
    """
    verb = _verb(sentence[at].text.lower())
    nexts = [each.text for each in sentence[at + 1 : at + 6]]
    while nexts and (nexts[0].endswith("ly") or nexts[0] in _BETWEEN):
        del nexts[0]
    if not verb or nexts[:1] not in (["to"], ["onto"]):
        return None
    goal = next((each for each in nexts[1:] if each not in _BETWEEN), "")
    if not re.fullmatch(r"[A-Za-z][\w./-]*", goal):
        return None
    return Trigger(COMMAND, f"* {verb} {goal}")


def _plain(sentence: list[Piece], at: int) -> Trigger | None:
    """The word of code that a sentence forbids by its bare name."""
    word = sentence[at].text
    low = word.lower()
    known = _KNOWN_FORBIDDEN
    if low not in known and low.removesuffix("s") in known and len(low) > 4:
        low = low.removesuffix("s")
    if low not in known or (word[:1].isupper() and word[1:].islower() and at):
        return None
    before = sentence[at - 1].low if at else ""
    # "Never delete" is about deleting, "use delete" and "no delete" about the word;
    # "no new packages" is not.
    if low in _PLAIN or low in AMBIGUOUS:
        nexts = sentence[at + 1].text.lower() if at + 1 < len(sentence) else ""
        piece = sentence[at]
        alone = piece.ends or piece.comma or not nexts or nexts in _PREPOSITIONS
        others = [each.text.lower() for each in sentence[max(0, at - 4) : at]]
        listed = before in ("or", "and") and "no" in others
        used = before in ("use", "using", "call", "calling", "write", "no") or listed
        named = low not in _PLAIN and before not in _NOT_USES
        if not alone or not (used or named):
            return None
    return Trigger(WORD, low if sentence[at].text.islower() else word)
