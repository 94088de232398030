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
    from collections.abc import Iterable, Iterator, Sequence

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
    if not mined.candidates:
        return mined
    return mined._replace(candidates=_scrubbed(mined.candidates))


def redacted(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps without a secret, and without words that no person types."""
    for step in steps:
        text = _ENDLESS.sub(r"\1 … ", redaction.redact(step.text))
        record = redaction.masked(step.record)
        yield step._replace(text=_EMPTY.sub("\n\n", text), record=record)


def _scrubbed(candidates: Sequence[Candidate]) -> list[Candidate]:
    texts = [(one.text, one.title, one.excerpt) for one in candidates]
    clean = redaction.scrub_all(text for three in texts for text in three)
    found = [
        candidate._replace(title=title, excerpt=excerpt)
        if text == candidate.text
        else retitled(candidate._replace(text=text, excerpt=excerpt))
        for candidate, text, title, excerpt in zip(
            candidates, clean[::3], clean[1::3], clean[2::3], strict=True
        )
    ]
    if clean[::3] == [one.text for one in candidates]:
        return found
    # A title that was made of a text with marks in it was not looked at yet.
    titles = redaction.scrub_all(one.title for one in found)
    return [one._replace(title=title) for one, title in zip(found, titles, strict=True)]
