"""When two texts say the same: as text, and as a claim.

Invariant: pure, and stable: fingerprints and keys are compared with those of years
later, so a change here is a change of the index's `ROW_VERSION`.
"""

from __future__ import annotations

# ruff: noqa: RUF001 (look-alike quotes and dashes are named on purpose)
import re
from functools import lru_cache

from memcli.entries import digests

_UNIFIED = str.maketrans(
    dict.fromkeys("‘’‚‛′`´", "'")
    | dict.fromkeys("“”„‟″«»", '"')
    | dict.fromkeys("‐‑‒–—―−", "-")
)
_BULLETS = r"^(?:(?:[-*+>•‣◦▪·]|\d{1,3}[.)]|\[[ x]\])(?:\s+|$))+"
# What all of these begin with, beside digits.
_BULLET_SIGNS = "-*+>•‣◦▪·["
_TRAILING = " .,;:!?…。，；：！？、"


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
    `resolve` resolves claims (docs/decisions/0006). A text without a word claims
    nothing, and gives the empty string: two notes that are only a title say nothing
    in common.
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
    """Return `kind:text`, with the text stripped of everything but its claim.

    Quotes and dashes unified, bullets and trailing punctuation dropped, spaces
    collapsed, lower case. Resolving one item resolves every item of its key.
    """
    if text.isascii():
        plain = text.replace("`", "'").lower()
    else:
        import unicodedata

        plain = unicodedata.normalize("NFC", text.translate(_UNIFIED)).lower()
    lines = (_without_bullet(line.strip()) for line in plain.splitlines())
    words = " ".join(" ".join(lines).split())
    # Once more, for a text that is nothing but marks.
    return f"{kind}:{_without_bullet(words.rstrip(_TRAILING))}"


def _without_bullet(line: str) -> str:
    first = line[:1]
    if first in _BULLET_SIGNS or first.isdigit():
        return re.sub(_BULLETS, "", line)
    return line
