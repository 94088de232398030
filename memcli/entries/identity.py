"""When two texts say the same: as text, and as a claim; and how git names bytes.

Invariant: pure, and stable: fingerprints and keys are compared with those of years
later, so a change here is a change of the index's `ROW_VERSION`.
"""

# ruff: noqa: RUF001 (look-alike quotes and dashes are named on purpose)
from __future__ import annotations

import re
from functools import cache, lru_cache

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Literal


# One kind of quotes and dashes; an em dash parts words, and marks of scripts without
# spaces part none; nobody sees the last ones.
_UNIFIED = str.maketrans(
    dict.fromkeys("‘’‚‛′´", "'")
    | dict.fromkeys("“”„‟″«»", '"')
    | dict.fromkeys("‐‑‒–−", "-")
    | dict.fromkeys("—―", " ")
    | dict.fromkeys("。，；：！？、「」『』", "")
    | dict.fromkeys("\u00ad\u200b\u2060\ufeff", "")
)
# Marks of lists, headings, callouts, tasks and tables, at the beginning of a line.
_BULLETS = (
    r"^(?:(?:[-*+>•‣◦▪·|]|#{1,6}|\d{1,3}[.)]|\[[ x]\]|\[![\w-]+\][+-]?"
    r"|[*_]*(?:todo|fixme)(?:\([^()\s]*\))?[*_]*:[*_]*)(?:\s+|$))+"
)
# What all of these begin with, beside digits.
_BULLET_SIGNS = "-*+>•‣◦▪·|[#_tf"
# At the end of a text: the edge of a table, and the name of a block.
_AT_END = r"\|$|\^(?!\d+$)[\w-]+$"
# Comments, tags, escapes of spaces, footnotes, and all of a link or a highlight but its
# words and the page of the web: "the runbook is [here](URL)" says its URL.
_MARKUP = (
    r"<!--[^<>]*-->|</?(?:b|i|em|strong|code|br|p|u|s|mark|del|ins|span|div)\b[^<>]*>"
    r"|&nbsp;|\[\^[\w-]+\]|!?\[([^\[\]]+)\]\((?:(https?://[^()\s]+)|[^()\s]*)"
    r"(?: \"[^\"\n]*\")?\)"
    r"|\[\[[^\[\]|]*\|([^\[\]|]+)\]\]"
    r"|(?<![\w=])==(?=[^\s=])([^=\n<&]*[^\s=<&])==(?![\w=])"
)
_MARKS = ("<", "&nbsp;", "](", "[[", "[^", "==")
# Tags that stand apart: on lines of their own, behind a sentence, or several at an end.
# One behind a word may be what is spoken of ("ask in #deploys"), and so is a colour.
_TAG = r"#(?!(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\b)[^\W\d][\w/-]*"
# A run of tags that does not end its line is matched as well, and stays: else each tag
# of a long one would be looked at again from each tag before it.
_TAGS = (
    rf"(?:^(?:[ \t]*{_TAG})+|(?<=[.!?])(?:[ \t]+{_TAG})+"
    rf"|(?<![ \t])(?:[ \t]+{_TAG}){{2,}})[ \t]*($)?"
)
_ESCAPES = r"(?<!\\)\\+(?=[*_`~#<>\[\]])"
# Quotes, emphasis, code spans and brackets around words, and what ends a part of a
# sentence. No more, and not within words: `.env`, `C++`, `C#`, `-x` and `1.5` say what
# `env`, `C`, `x` and `15` do not.
_BEFORE = "'\"`*_~([{¿¡"
_BEHIND = "'\"`*_~)]}.,;:!?…"
# In front of these a star or a tilde is a part of a path: `*.py`, `~/bin`.
_PATH = ("*.", "*/", "~/")
# Of pictures, which else are ornament, these say no.
_NO = "❌❎✗✘☒👎🚫⛔"


# Signs that are brought into a normal form at once: accents are put in order one by
# one, so that a run of n takes the square of n.
_AT_ONCE = r"(?s).{1,2000}(?=\s)|.{1,2000}"


def composed(text: str, form: Literal["NFC", "NFKC", "NFKD"] = "NFC") -> str:
    """The text in a normal form of Unicode; by default with each letter and its accents
    as one sign where there is one."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return "".join(normalize(form, part) for part in re.findall(_AT_ONCE, text))


def fingerprint(text: str) -> str:
    """Return 16 hexadecimal characters that equal texts share.

    Equal means: apart from line ends, indentation, runs of spaces, blank lines,
    case, and composed or decomposed accents.
    """
    folded = composed(text).casefold()
    lines = (" ".join(line.split()) for line in folded.splitlines())
    plain = composed("\n".join(line for line in lines if line))
    return sha256(plain.encode("utf-8", "surrogatepass")).hex()[:16]


@lru_cache(maxsize=256)  # saving asks for that of a draft at every step
def claim(text: str) -> str:
    """Return 16 hexadecimal characters that texts of the same strict key share.

    The kind is left out: a rule and a lesson in the same words are one claim, and
    `resolve` resolves claims (docs/internals/decisions.md). A text without a word
    claims nothing, and gives the empty string: two notes that are only a title say
    nothing in common.
    """
    words = strict_key(text)
    if not words:
        return ""
    data = f":{words}".encode("utf-8", "surrogatepass")
    return sha256(data).hex()[:16]


def claim_number(text: str) -> int:
    """The claim of a text as a number of 64 bits, 0 for none."""
    return int(claim(text) or "0", 16)


def strict_key(text: str) -> str:
    """Return a text stripped of everything but its words.

    Case, layout, quotes, dashes, emphasis and other markup, and the punctuation around
    words do not count. Resolving one item resolves every item of its key.
    """
    if text.isascii():
        plain = text.lower()
    else:
        plain = composed(composed(text.translate(_UNIFIED)).casefold())
    if "\\" in plain:
        plain = re.sub(_ESCAPES, "", plain)
    if any(mark in plain for mark in _MARKS):
        plain = re.sub(_MARKUP, r" \1 \2 \3\4 ", plain)
    if "#" in plain:
        plain = re.sub(_TAGS, _kept, plain, flags=re.MULTILINE)
    lines = (_without_bullet(line.strip()) for line in plain.splitlines())
    words = [*filter(None, map(_word, " ".join(lines).split()))]
    while words and words[-1][0] in "|^" and re.match(_AT_END, words[-1]):
        words.pop()
    # Once more, for a mark of a list that stood within others.
    return _without_bullet(" ".join(words))


def title_after(title: str, before: str, after: str) -> str:
    """The title of a text that takes the place of another one; empty where it says what
    that one said, and the new one does not.

    >>> title_after("Deploy on Fridays", "We deploy on Fridays.", "We deploy daily.")
    ''
    """
    said = strict_key(title)
    stale = said in strict_key(before) and said not in strict_key(after)
    return "" if stale else title


def _kept(tags: re.Match[str]) -> str:
    return tags[0] if tags[1] is None else ""


def _word(chunk: str) -> str:
    if chunk.isalnum():
        return chunk
    word = chunk.rstrip(_BEHIND)
    left = word.lstrip(_BEFORE)
    is_path = word[-len(left) - 1 :].startswith(_PATH) and chunk[-1:] not in "*~"
    word = word[-len(left) - 1 :] if is_path else left
    return word if word.strip("-#") and not _is_picture(word) else ""


def _is_picture(word: str) -> bool:
    """Whether a word is emoji alone, and neither an arrow, a sign of mathematics nor a
    no."""
    return ord(word[0]) > 0x22FF and not any(
        char.isalnum() or char in _NO for char in word
    )


def _without_bullet(line: str) -> str:
    first = line[:1]
    if first in _BULLET_SIGNS or first.isdigit():
        return re.sub(_BULLETS, "", line)
    return line


# What `hashlib` itself takes where there is no OpenSSL: modules of CPython's own, by
# the names that they have from 3.12 on and had before.
_MODULES = {"blake2b": ("_blake2",), "sha1": ("_sha1",), "sha256": ("_sha2", "_sha256")}


def blake2b(data: bytes, size: int, key: bytes = b"") -> bytes:
    """The BLAKE2b digest of so many bytes."""
    return _digest("blake2b", data, digest_size=size, key=key)


class File(NamedTuple):
    """A file as git names it: `mode` in octal digits, `oid` of its bytes."""

    mode: str
    oid: str


def sha1(*parts: bytes | memoryview[int]) -> bytes:
    """The SHA-1 digest, by which git names what it keeps, of parts behind another."""
    return _digest("sha1", *parts)


def sha256(data: bytes) -> bytes:
    """The SHA-256 digest."""
    return _digest("sha256", data)


def _digest(name: str, *parts: bytes | memoryview[int], **options: Any) -> bytes:
    made = _function(name)(**options, usedforsecurity=False)
    for part in parts:
        made.update(part)
    digest: bytes = made.digest()
    return digest


# Python remembers modules that it found, but not that one is missing: `_sha2`
# was looked for on the whole path twice for each file of a vault, a sixth of its time.
@cache
def _function(name: str) -> Any:
    """The function that makes digests of this name."""
    for module in (*_MODULES[name], "hashlib"):
        try:
            return getattr(__import__(module), name)
        except ImportError:
            continue
    raise AssertionError(name)  # hashlib has them all
