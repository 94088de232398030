"""The candidates of a session, with no secret in them.

Invariant: secrets are taken out before a rule or a judge sees a word, and a statement
that held one is not kept: with a mark in it, it says nothing.
"""

from __future__ import annotations

import re

from memcli.entries import no_secrets
from memcli.sessions.mining import Candidate, Mined, mine

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memcli.hosts.transcript import Step

# Such a word is not typed: it is an image, a minified file, a key. The miner's rules
# look at a line as a whole, and some take the square of the length of a word.
_ENDLESS = re.compile(r"(\S{1000})\S{1000,}")
_EMPTY = re.compile(r"\s{200,}")


def candidates(steps: Iterable[Step]) -> Mined:
    """The candidates of a session; one that held a secret is left out.

    Raises:
        Unreadable: the steps end early.
    """
    mined = mine(redacted(steps))
    clean = [one for one in mined.candidates if not _held_secret(one)]
    return mined._replace(candidates=clean)


def _held_secret(one: Candidate) -> bool:
    texts = (one.text, one.title, one.excerpt)
    return no_secrets.MARK in one.text or any(
        no_secrets.redact(text) != text for text in texts
    )


def redacted(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps without a secret, and without words that no person types."""
    for step in steps:
        text = _ENDLESS.sub(r"\1 … ", no_secrets.redact(step.text))
        record = no_secrets.masked(step.record)
        yield step._replace(text=_EMPTY.sub("\n\n", text), record=record)
