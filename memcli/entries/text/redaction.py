"""Takes secrets out of what is mined from a session.

Invariant: nothing that looks like a secret goes on to a file, a commit or a log. In
mined text nobody is asked, so a false alarm costs a word and a miss costs a key: the
scanner of `secrets` reads it with `wide`. `masked` takes out what a save would refuse,
and leaves ids alone.
"""

from __future__ import annotations

import re

from memcli.entries.text import secrets

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

MARK: Final = "[REDACTED]"

_ROUNDS: Final = 20

_CERTIFICATE: Final = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}CERTIFICATE-----[^-]*(?:-----END [A-Z0-9 ]{1,60}-----)?"
)


def redact(text: str) -> str:
    """The text with a mark in place of what looks like a secret."""
    return _marked(_CERTIFICATE.sub(MARK, text), wide=True)


def masked(text: str) -> str:
    """The text with a mark in place of what a save would refuse."""
    return _marked(text, wide=False)


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


def _apart(spans: Iterable[secrets.Span]) -> list[tuple[int, int]]:
    """The stretches, with those that overlap made one."""
    found: list[tuple[int, int]] = []
    for start, end, _ in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
