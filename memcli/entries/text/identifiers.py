"""Identifiers in a text: names of code, files, packages and paths.

Invariant: pure, and linear in the text. A word is an identifier by its form alone, and
plain words of prose are not.
"""

from __future__ import annotations

# ruff: noqa: RUF001 (quotes and full-width marks are named on purpose)
import re
from functools import lru_cache

from memcli.entries.entry import FENCED

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 80
_SHORTEST = 4

_CAMEL = r"(?=[A-Za-z0-9]*[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2})[A-Za-z][A-Za-z0-9]*"
_SNAKE = r"_{0,2}(?=[A-Za-z0-9_]*[A-Za-z])[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)+_{0,2}"
_DOTTED = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+"
_PATH = r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\]?[\w.@+-]+(?:[/\\][\w.@+-]+)*[/\\]?"
_SCOPED = r"@[a-z0-9][\w.-]*/[a-z0-9][\w.-]*"
_PINNED = r"([A-Za-z][\w.-]*)(?:\[[\w,-]*\])?(?:[=<>~!]=|[<>@])v?\d[\w.*,<>=!~-]*"
_HYPHENED = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+"
_LINK = r"!?\[\[[^\[\]\n]*\]\]"
_SPAN = r"`([^`\n]+)`"
AROUND = "\"'`()[]{}<>,;:!?*|“”‘’«»…。，；：！？、（）「」"
"""Marks that stand around a word and do not belong to it."""
_SIGNS = frozenset("=<>@")
FILE_TYPES = frozenset(
    """
    c cc cfg cfn conf cpp cs css csv diff env ex go gradle h hpp html ini ipynb java js
    json jsonl jsx kt lock log lua md mdx mjs patch php pl proto ps1 py pyi r rb rs rst
    scala sh sql svg swift tf toml ts tsx txt vue xml yaml yml zig
    """.split()
)
"""Endings of files of a project."""


def identifiers(text: str) -> Iterator[str]:
    """The identifiers of a text, in their order; fenced code is passed over."""
    if "```" in text or "~~~" in text:
        text = re.sub(FENCED, " ", text, flags=re.DOTALL | re.MULTILINE)
    if "[[" in text:
        text = re.sub(_LINK, " ", text)
    spans = " ".join(re.findall(_SPAN, text)) if "`" in text else ""
    prose = re.sub(_SPAN, " ", text) if spans else text
    for part, is_code in ((spans, True), (prose, False)):
        for word in part.split():
            # With the marks around it.
            found = _of_word(word, is_code) if len(word) <= 2 * _LONGEST else None
            if found is not None:
                yield found


# A vault says the same words again and again.
@lru_cache(maxsize=1 << 14)
def _of_word(word: str, is_code: bool) -> str | None:
    """The identifier that a word is without the marks around it, or None.

    One that stands in code may be plainer.
    """
    bare = word.strip(AROUND).rstrip(".").rstrip(AROUND)
    if not is_code and bare.isalpha() and bare[1:].islower():
        return None
    return identifier(bare, code=is_code)


def identifier(word: str, *, code: bool = False) -> str | None:
    """The identifier that a word is, or None.

    `snake_case`, `CamelCase`, paths, file names, dotted modules, `@scope/package` and
    `package==1.2`, which gives the package. In code also `os.path` and `redis-cli`.
    """
    if not (_SHORTEST <= len(word) <= _LONGEST) or not word.isascii():
        return None
    if "(" in word:
        word = word.partition("(")[0]
    if "://" in word or word.startswith("-") or not any(map(str.isalpha, word)):
        return None
    if "/" in word or "\\" in word:
        return _path(word, code=code)
    signed = not _SIGNS.isdisjoint(word)
    if signed and (pinned := re.fullmatch(_PINNED, word)):
        return pinned[1] if len(pinned[1]) > 1 else None
    if "@" in word or ":" in word:
        return None
    if "." in word:
        return _dotted(word, code=code)
    if "_" in word:
        return word if re.fullmatch(_SNAKE, word) else None
    if code and "-" in word:
        return word if re.fullmatch(_HYPHENED, word) else None
    # Compiling the pattern of humps is left out where there are none.
    humps = word[1:] != word[1:].lower()
    return word if humps and len(word) >= _SHORTEST and _is_camel(word) else None


def is_code_term(name: str) -> bool:
    """Whether an identifier is a path or a command: code, and nothing to know more of.

    >>> is_code_term("./cmd/x/"), is_code_term("update-kubeconfig")
    (True, True)
    >>> is_code_term("@scope/pkg"), is_code_term("parse_args"), is_code_term("Redis")
    (False, False, False)
    """
    if "/" in name or "\\" in name:
        return name[0] != "@" or re.fullmatch(_SCOPED, name) is None
    return "-" in name and re.fullmatch(_HYPHENED, name) is not None


def _path(word: str, *, code: bool) -> str | None:
    if ":" in word:
        word = re.sub(r":\d+(?::\d+)?$", "", word)
    if re.fullmatch(_SCOPED, word):
        return word
    if not re.fullmatch(_PATH, word) or not re.search("[A-Za-z]{2}", word):
        return None
    ending = word.rpartition(".")[2].lower() in FILE_TYPES and "." in word
    # `and/or` and `read/write/execute` are words; `21/11/2026` has no letter.
    parts = [part for part in re.split(r"[/\\]", word) if part]
    rooted = word.startswith(("/", "~/", "./", "../")) and len(parts) > 1
    marked = any(re.search(r"[._]|[a-z]-[a-z]", part) for part in parts)
    if ending or rooted or (marked and len(parts) > 1) or (code and len(parts) > 1):
        return word
    return None


def _dotted(word: str, *, code: bool) -> str | None:
    stem, _, last = word.rpartition(".")
    if last.lower() in FILE_TYPES and re.fullmatch(r"[\w.-]*\w", stem):
        return word
    if not re.fullmatch(_DOTTED, word) or len(word) < _SHORTEST:
        return None
    parts = word.split(".")
    # `e.g.` and `U.S.A` have no part of two letters; two plain words may be a sentence
    # without its space.
    if max(map(len, parts)) < 2 or any(not part for part in parts):
        return None
    plain = all(part.isalpha() for part in parts) and len(parts) == 2
    if plain and not code and not any(_is_camel(part) for part in parts):
        return None
    return word


def _is_camel(word: str) -> bool:
    """Whether a word has humps like `parseArgs`, and not those of a random token."""
    if not re.fullmatch(_CAMEL, word):
        return False
    steps = len(re.findall("[a-z0-9][A-Z]", word))
    digits = sum(map(str.isdigit, word))
    return len(word) >= (5 if digits else 3) * steps and digits <= 3 and len(word) <= 50
