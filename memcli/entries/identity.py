"""When two texts say the same: as text, and as a claim.

Invariant: pure, and stable: fingerprints and keys are compared with those of years
later, so a change here is a change of the index's `ROW_VERSION`.
"""

from __future__ import annotations

# ruff: noqa: RUF001 (look-alike quotes and dashes are named on purpose)
import re
from functools import lru_cache

from memcli.entries import digests

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
# Marks of lists and headings, at the beginning of a line.
_BULLETS = r"^(?:(?:[-*+>•‣◦▪·]|#{1,6}|\d{1,3}[.)]|\[[ x]\])(?:\s+|$))+"
# What all of these begin with, beside digits.
_BULLET_SIGNS = "-*+>•‣◦▪·[#"
# Quotes, emphasis, code spans and brackets around words, and what ends a part of a
# sentence. No more, and not within words: `.env`, `C++`, `C#`, `-x` and `1.5` say what
# `env`, `C`, `x` and `15` do not.
_BEFORE = "'\"`*_~([{¿¡"
_BEHIND = "'\"`*_~)]}.,;:!?…"


def fingerprint(text: str) -> str:
    """Return 16 hexadecimal characters that equal texts share.

    Equal means: apart from line ends, indentation, runs of spaces, blank lines,
    case, and composed or decomposed accents.
    """
    import unicodedata

    folded = unicodedata.normalize("NFC", text).casefold()
    lines = (" ".join(line.split()) for line in folded.splitlines())
    plain = unicodedata.normalize("NFC", "\n".join(line for line in lines if line))
    return digests.sha256(plain.encode("utf-8", "surrogatepass")).hex()[:16]


@lru_cache(maxsize=256)  # saving asks for that of a draft at every step
def claim(text: str) -> str:
    """Return 16 hexadecimal characters that texts of the same strict key share.

    The kind is left out: a rule and a lesson in the same words are one claim, and
    `resolve` resolves claims (docs/internals/decisions.md). A text without a word
    claims nothing, and gives the empty string: two notes that are only a title say
    nothing in common.
    """
    words = strict_key("", text).removeprefix(":")
    if not words:
        return ""
    data = f":{words}".encode("utf-8", "surrogatepass")
    return digests.sha256(data).hex()[:16]


def claim_number(text: str) -> int:
    """The claim of a text as a number of 64 bits, 0 for none."""
    return int(claim(text) or "0", 16)


def strict_key(kind: str, text: str) -> str:
    """Return `kind:text`, with the text stripped of everything but its words.

    Case, layout, quotes, dashes, emphasis and other markup, and the punctuation around
    words do not count. Resolving one item resolves every item of its key.
    """
    if text.isascii():
        plain = text.lower()
    else:
        import unicodedata

        plain = unicodedata.normalize("NFC", text.translate(_UNIFIED)).casefold()
        plain = unicodedata.normalize("NFC", plain)
    lines = (_without_bullet(line.strip()) for line in plain.splitlines())
    words = " ".join(filter(None, map(_word, " ".join(lines).split())))
    # Once more, for a mark of a list that stood within others.
    return f"{kind}:{_without_bullet(words)}"


def _word(chunk: str) -> str:
    if chunk.isalnum():
        return chunk
    word = chunk.lstrip(_BEFORE).rstrip(_BEHIND)
    return word if word.strip("-") else ""


def _without_bullet(line: str) -> str:
    first = line[:1]
    if first in _BULLET_SIGNS or first.isdigit():
        return re.sub(_BULLETS, "", line)
    return line
