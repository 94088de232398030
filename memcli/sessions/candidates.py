"""The candidates of a session, with no secret in them.

Invariant: secrets are taken out before a rule or a judge sees a word, and again, by the
wider scanner, of what is about to be kept.
"""

from __future__ import annotations

import re

from memcli.entries.text import redaction
from memcli.sessions.mining import Candidate, Mined, mine
from memcli.sessions.mining.candidate import retitled

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memcli.hosts.transcript import Step

# Such a word is not typed: it is an image, a minified file, a key. The miner's rules
# look at a line as a whole, and some take the square of the length of a word.
_ENDLESS = re.compile(r"(\S{1000})\S{1000,}")
_EMPTY = re.compile(r"\s{200,}")


def candidates(steps: Iterable[Step]) -> Mined:
    """The candidates of a session, without a secret in them.

    Raises:
        Unreadable, ScannerFailed: the steps end early, or the scanner cannot run.
    """
    mined = mine(redacted(steps))
    scrubbed = [_scrubbed(candidate) for candidate in mined.candidates]
    return mined._replace(candidates=scrubbed)


def redacted(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps without a secret, and without words that no person types."""
    for step in steps:
        text = _ENDLESS.sub(r"\1 … ", redaction.redact(step.text))
        record = redaction.masked(step.record)
        yield step._replace(text=_EMPTY.sub("\n\n", text), record=record)


def _scrubbed(candidate: Candidate) -> Candidate:
    text = redaction.scrub(candidate.text)
    if text != candidate.text:
        candidate = retitled(candidate._replace(text=text))
    return candidate._replace(
        title=redaction.scrub(candidate.title),
        excerpt=redaction.scrub(candidate.excerpt),
    )
