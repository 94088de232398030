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
    SUBCOMMANDS,
)
from memcli.entries.text.identifiers import FILE_TYPES, identifier
from memcli.named_tuple import NamedTuple

NAME, WORD, COMMAND, PATH = "name", "word", "command", "path"
"""How a trigger is looked for: a name anywhere in code; a word of plain English only
where code has names; a program with its arguments; a path of the file."""


class Trigger(NamedTuple):
    """One thing to look for, by its `form`: NAME, WORD, COMMAND or PATH."""

    form: str
    text: str


LONGEST = 80
"""Characters of a trigger, at most."""


class Piece(NamedTuple):
    """A word or a code span; `stop` is "." or "," where a sentence or a clause ends
    after it. `low` is in lower case, with a straight apostrophe."""

    text: str
    low: str
    is_code: bool
    stop: str


Sentence = list[Piece]

_DOTTED = re.compile(r"\.?[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+[!?]?")
_MARKED = re.compile(
    r"(?:[.:]{1,2}|[@!$%]|--)[A-Za-z_][\w-]*|\.?[A-Za-z_]\w*\(\)|[a-z_]\w*!"
)
_GLOB = re.compile(r"(?:[\w.@+*-]+/)+(?:[\w.@+*-]+)?|\*?[\w.@+-]*\*?\.[a-z]{1,6}")

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
_USES = ("use", "using", "call", "calling", "write", "no")
_NOT_USES = frozenset("cannot do don't dont it must never not or and to".split())
_KNOWN = PACKAGES | BUILTINS
_KNOWN_ALONE = _KNOWN - AMBIGUOUS
_KNOWN_FORBIDDEN = _KNOWN | KEYWORDS
# What may begin a command or a run of keywords.
_BEGIN = PROGRAMS.keys() | KEYWORDS | SQL
# The subcommands of programs; of "running to" a sentence says no command.
_VERBS = SUBCOMMANDS - {"i", "run", "test", "x"}
_BETWEEN = frozenset("a an any changes commits code our straight the your".split())


def candidate(
    sentence: Sentence, at: int, *, forbids: bool
) -> tuple[Trigger | None, int]:
    """The trigger that a piece names, if any, and how many pieces that takes."""
    word, low, is_code, _ = sentence[at]
    if is_code:
        return _of_span(word.removeprefix("&")), 1
    if (not forbids and _is_plain(word, low)) or not word.isascii():
        return None, 1
    if len(word) > LONGEST or "://" in word:
        return None, 1
    if word in _BEGIN or word.startswith("--"):
        words = []
        for each in sentence[at : at + 6]:
            words.append(each.text)
            if each.stop or each.is_code:
                break
        for form, count in (
            (COMMAND, _command(words, forbids=forbids)), (NAME, _run(words)),
        ):  # fmt: skip
            if count:
                return Trigger(form, " ".join(words[:count])), count
    trigger = _alone(word)
    if trigger is None and forbids:
        trigger = _plain(sentence, at) or _sent(sentence, at)
    elif trigger is None and low in _KNOWN_ALONE:
        before = sentence[at - 1] if at else None
        if before is None or before.stop or before.low in ("and", "or"):
            # Only a sentence that goes on to condemn it makes it one: "moment is
            # banned".
            trigger = Trigger(WORD, word)
    return trigger, 1


# A vault says the same words again and again.
@lru_cache(maxsize=1 << 14)
def _is_plain(word: str, low: str) -> bool:
    """Whether a word names nothing, unless a sentence forbids it."""
    begins = word in _BEGIN or low in _KNOWN_ALONE or word.startswith("--")
    return not begins and _alone(word) is None


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
    if words[0] in PROGRAMS or words[0].startswith("--"):
        return Trigger(COMMAND, " ".join(words))
    return Trigger(WORD if span.isidentifier() and not _is_name(span) else NAME, span)


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
    run = words[:length]
    if length < 2 or run[0] in _PLAIN - {"new", "using"} or run[-1] in _PLAIN:
        return 0
    return length if not AMBIGUOUS.issuperset(run) else 0


def _path(word: str) -> str | None:
    """The path or glob that a word is; None for a name with dots."""
    if word.startswith(("-", "http:", "~")) or "(" in word or "::" in word:
        return None
    word = re.sub(r":\d+(?:-\d+)?$", "", word).removeprefix("./")
    if word.count("/") == 1 and not re.search(r"[._*-]|/$", word):
        # `and/or` is a word, and `pkg/errors` a folder or a package: both are names,
        # not files to edit.
        left, right = word.split("/")
        known = left in ("src", "lib", "app", "data", "internal", "docs")
        return word if known and right else None
    if re.fullmatch(r"\*\.[a-z]{1,10}", word):
        return word
    if not _GLOB.fullmatch(word):
        return None
    stem, _, ending = word.lower().rpartition(".")
    is_file = (
        identifier(word, code=True) is not None
        and ending in FILE_TYPES
        and (len(ending) > 1 or "-" in stem or "_" in stem)
        and not (ending == "env" and stem)
    )
    return word if "/" in word or is_file else None


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


def _sent(sentence: Sentence, at: int) -> Trigger | None:
    """The command that a plain verb with its goal names: "never push to main".

    A verb alone is no command: "never add comments" is not about `git add`.
    """
    word = sentence[at].low.rpartition("-")[2]
    verb = next(
        (each for n in range(4) if (each := word[: len(word) - n]) in _VERBS), ""
    )
    nexts = [each.text for each in sentence[at + 1 : at + 6]]
    nexts = [each for each in nexts if not (each.endswith("ly") or each in _BETWEEN)]
    if not verb or nexts[:1] not in (["to"], ["onto"]) or len(nexts) < 2:
        return None
    is_goal = re.fullmatch(r"[A-Za-z][\w./-]*", nexts[1])
    return Trigger(COMMAND, f"* {verb} {nexts[1]}") if is_goal else None


def _plain(sentence: Sentence, at: int) -> Trigger | None:
    """The word of code that a sentence forbids by its bare name."""
    word, low, _, stop = sentence[at]
    if low not in _KNOWN_FORBIDDEN and len(low) > 4:
        low = low.removesuffix("s")
    if low not in _KNOWN_FORBIDDEN or (
        word[:1].isupper() and word[1:].islower() and at
    ):
        return None
    if low in _PLAIN or low in AMBIGUOUS:
        # "Never delete" is about deleting, "use delete" and "no delete" about the word;
        # "no new packages" is not.
        before = sentence[at - 1].low if at else ""
        nexts = sentence[at + 1].low if at + 1 < len(sentence) else ""
        listed = before in ("or", "and") and "no" in [
            each.low for each in sentence[max(0, at - 4) : at]
        ]
        named = low not in _PLAIN and before not in _NOT_USES
        if not (stop or not nexts or nexts in _PREPOSITIONS):
            return None
        if not (before in _USES or listed or named):
            return None
    return Trigger(WORD, low if word.islower() else word)
