"""The obvious way to mine: a few words that look like preferences, fixes and ideas.

For comparison only. It is what an earlier tool did, told again in our own expressions:
every user's text, each pattern on its own, and no look at who wrote the record, at
quotations, at code or at where in a sentence the word stands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memcli.entries.entry import Confidence
from memcli.sessions.mining import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memcli.sessions.mining.candidate import Category
    from tests.benchmarks.records import Told

_RULES: tuple[tuple[Category, Confidence, str], ...] = (
    ("preference", Confidence.HIGH, r"\b(?:always|never)(?:\s+\S+){1,6}"),
    ("preference", Confidence.HIGH, r"\bi (?:prefer|want|need|like|expect|require)\b"),
    (
        "preference",
        Confidence.HIGH,
        r"\b(?:use|do|prefer)\s+\S+(?:\s+\S+){0,3}?\s+(?:not|instead of|rather than)\b",
    ),
    (
        "preference",
        Confidence.HIGH,
        r"\b(?:don'?t|do not) (?:use|do|add|include|put|write|commit)\b",
    ),
    (
        "correction",
        Confidence.MEDIUM,
        r"\b(?:no|nope|actually|wait)\b.{0,40}"
        r"\b(?:wrong|incorrect|missing|broken|not right)\b",
    ),
    (
        "correction",
        Confidence.MEDIUM,
        r"\b(?:you|that) should(?:n'?t)? have\b|\bi (?:said|told|asked)\b",
    ),
    (
        "fix",
        Confidence.MEDIUM,
        r"\b(?:fixed|resolved) by\b|\bworkaround\b"
        r"|\b(?:bug|error|issue|failure)\b.{0,60}\bwas\b.{0,30}"
        r"\b(?:caused by|due to|because of)\b",
    ),
    (
        "idea",
        Confidence.MEDIUM,
        r"\bwe (?:should|could) (?:also|later|eventually)\b"
        r"|\bfollow-ups?\b|\bcould be (?:its|their) own\b|\bidea:",
    ),
)


def mine(records: Iterable[Told]) -> Iterator[Candidate]:
    """Yield the first match of each category in each text, as it stands."""
    for told in records:
        seen: set[str] = set()
        for category, confidence, shape in _RULES:
            match = re.search(shape, told.text, re.IGNORECASE)
            if match is None or category in seen:
                continue
            seen.add(category)
            around = told.text[max(0, match.start() - 80) : match.end() + 80]
            yield Candidate(
                category=category,
                confidence=confidence,
                pattern="naive",
                rationale=match[0],
                title=match[0][:80],
                text=match[0],
                excerpt=" ".join(around.split()),
                line=told.line,
                record=told.name,
            )
