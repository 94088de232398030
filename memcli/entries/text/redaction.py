"""Takes secrets out of what is mined from a session.

Invariant: nothing that looks like a secret goes on to a file, a commit or a log. In
mined text nobody is asked, so a false alarm costs a word and a miss costs a key: the
scanner of `secrets` reads it with `wide`, and when detect-secrets cannot run, nothing
is mined.

`redact` is cheap enough for every word of a transcript; `scrub` puts detect-secrets on
top, for what is about to be kept; `masked` takes out what a save would refuse, and
leaves ids alone. detect-secrets is no part of a save: to import it takes 140 ms here, as
long as a whole save, and it finds no form there that `secrets` does not find.
"""

from __future__ import annotations

import re

from memcli.entries.text import secrets
from memcli.errors import ScannerFailed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

MARK: Final = "[REDACTED]"

_ROUNDS: Final = 20

# Characters of a line that detect-secrets is given at once, and how many of them it is
# given again with the next ones, so that a key of that length is seen whole.
_PIECE: Final = 2_000
_OVERLAP: Final = 500

_CERTIFICATE: Final = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}CERTIFICATE-----[^-]*(?:-----END [A-Z0-9 ]{1,60}-----)?"
)
# Rules of detect-secrets that judge words by how random they look: measured on prose,
# they name every second word.
_GUESSING: Final = (
    "HexHighEntropyString",
    "Base64HighEntropyString",
    "IPPublicDetector",
)


def redact(text: str) -> str:
    """The text with a mark in place of what looks like a secret."""
    return _marked(_CERTIFICATE.sub(MARK, text), wide=True)


def masked(text: str) -> str:
    """The text with a mark in place of what a save would refuse."""
    return _marked(text, wide=False)


def scrub(text: str) -> str:
    """As `redact`, and what detect-secrets finds.

    Raises:
        ScannerFailed: it is not installed, or it failed.
    """
    return scrub_all((text,))[0]


def scrub_all(texts: Iterable[str]) -> list[str]:
    """As `scrub` for each of these texts; raises as that does.

    To set detect-secrets up takes 4 ms, and a short text .4: each is scanned once.
    """
    redacted = [redact(text) for text in texts]
    try:
        found = _scanned(redacted)
    except Exception as error:  # what was not scanned is not kept
        raise ScannerFailed(
            f"the scanner for secrets failed: {type(error).__name__}: {error}",
            hint="Nothing was kept. Reinstall memcli (detect-secrets belongs to it).",
        ) from error
    return [_without(text, found[text]) for text in redacted]


def _without(text: str, values: Iterable[str]) -> str:
    for value in sorted(values, key=lambda one: (-len(one), one)):
        text = text.replace(value, MARK)
    return text


def _marked(text: str, *, wide: bool) -> str:
    # A key that was written right behind another begins with a word after the mark.
    for _ in range(_ROUNDS):
        found = _apart(secrets.spans(text, wide=wide))
        if not found:
            break
        pieces, place = [], 0
        for start, end in found:
            pieces += [text[place:start], MARK]
            place = end
        text = "".join((*pieces, text[place:]))
    return text


def _scanned(texts: Iterable[str]) -> dict[str, set[str]]:
    """By text what detect-secrets takes for secrets in it."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import transient_settings

    known: dict[str, type] = get_mapping_from_secret_type_to_class()
    rules = [rule.__name__ for rule in known.values()]
    names = [{"name": name} for name in rules if name not in _GUESSING]
    found: dict[str, set[str]] = {}
    with transient_settings({"plugins_used": names}):
        for text in dict.fromkeys(texts):
            pieces = (piece for line in text.splitlines() for piece in _pieces(line))
            values = (
                secret.secret_value or ""
                for piece in pieces
                for secret in scan_line(piece)
            )
            found[text] = {v for v in values if len(v) >= 4 and MARK not in v}
    return found


def _pieces(line: str) -> list[str]:
    """A line in pieces that overlap.

    Of detect-secrets' rules those for npm, OpenAI, web tokens and names with a value
    take the square of a line's length: 16,000 times `/` took .8 s.
    """
    if len(line) <= _PIECE:
        return [line]
    starts = range(0, len(line) - _OVERLAP, _PIECE - _OVERLAP)
    return [line[start : start + _PIECE] for start in starts]


def _apart(spans: Iterable[secrets.Span]) -> list[tuple[int, int]]:
    """The stretches, with those that overlap made one."""
    found: list[tuple[int, int]] = []
    for start, end, _ in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
