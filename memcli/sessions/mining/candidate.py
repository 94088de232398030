"""The candidates of the miner, with the reasons.

Invariant: a candidate can be read without its transcript, and found again in it.
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal

from memcli.entries.entry import cut
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.entries.entry import Confidence

Category = Literal["preference", "correction", "fix", "workflow", "idea"]


# Courtesies and answers before what is said, and those after it.
_LEAD: Final = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|yes|yeah|well(?=[,:])|so|also|and|but|then|now|alright|please|pls|just"
    r"|(?:can|could) (?:we|you)|let'?s|make sure(?: (?:that|to))?|be sure to)[,:]?\s+)+"
)
_TAIL: Final = re.compile(r"(?i)[\s,]+(?:please|pls|thanks|thank you)[.!]*$")
# What only says that something is said.
_LABEL: Final = re.compile(
    r"(?i)^\W*(?:(?:final|team|house|general|standing|golden|new|important|my|our) )?(?:decision(?: made| taken)?|decided|agreed|settled|rules?|note|reminder|remember"
    r"|convention|preference|policy|important|fyi|for the record|idea|todo|lesson(?: learned)?|heads[ -]up)(?: for (?:later|the future))?(?:\s*[:\u2014\u2013]|\s-)\s+"
)
_SENTENCE: Final = re.compile(r"(?<=[^.][.!?\u3002])\s|:?\n")
_CLAUSE: Final = re.compile(r"[;:,]\s|\s[\u2013\u2014-]\s")
# "I think we should also add X" is the idea to add X.
_IDEA_LEAD: Final = re.compile(
    r"(?i)^(?:(?:i think|maybe|perhaps|also|idea:|it(?:'?s| is)|eventually|later|as a follow[- ]?up,?"
    r"|at some (?:\w+ )?point,?|(?:we|i|you|one) (?:should|could|can|might|may|would|will)(?: want to)?"
    r"|(?:could|should|can|might) (?:we|i)|worth(?:while)?(?= \w+ing))\s+)+"
)


class Candidate(NamedTuple):
    """Something of a session that may be worth keeping.

    Attributes:
        category: what it is; ideas are kept apart from memories.
        confidence: HIGH for what is explicit and standing, MEDIUM for what a person has
            to look at, LOW for what a veto leaves of a rule: it is noted, and no more.
        pattern: the name of the rule that found it.
        rationale: why it was chosen, in words.
        title: the directive itself, 80 characters at most.
        text: what would be kept.
        excerpt: the words around it in the transcript, 300 characters at most.
        line, record, at: where it stands, as in `Step`.
        occurrences: in how many turns it was said or done.
        kind: of the entry, where the category does not say it.
        entities: names that it is about.
        everywhere: whether it holds beyond the project of the session.
        evolves: the id of the entry that it is offered to supersede.
        resolves: the ids of entries that it says are settled.
        item: the reflection item that it is, which fades; None for what stays.
        confirms: the id of the entry that it says again.
        code: anchors in the code of the session's project.
        tags: of the entry.
        asked: phrases in which somebody may look for it.
        doubtful: another may have said it, so it is never saved unasked.
        own: a person says it so in a turn that a judge names.
    """

    category: Category
    confidence: Confidence
    pattern: str
    rationale: str
    title: str
    text: str
    excerpt: str
    line: int
    record: str
    at: str | None = None
    occurrences: int = 1
    kind: str | None = None
    entities: tuple[str, ...] = ()
    everywhere: bool = False
    item: str | None = None
    evolves: str | None = None
    resolves: tuple[str, ...] = ()
    confirms: str | None = None
    code: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    doubtful: bool = False
    own: bool = False

    def as_dict(self) -> dict[str, Any]:
        """For JSON, which says by the confidence what is in doubt."""
        fields = {**self._asdict(), "confidence": str(self.confidence)}
        del fields["doubtful"], fields["own"]
        return fields


class Reading(NamedTuple):
    """The reading of a sentence by a rule."""

    confidence: Confidence
    pattern: str
    rationale: str
    # The part of the sentence that carries it, as it was written.
    words: str


def title(words: str, category: Category = "preference") -> str:
    """The first clause as a title: one line, no courtesies, cut at a word.

    >>> title("please  make sure we're using US English everywhere please")
    "We're using US English everywhere"
    """
    clean = _LABEL.sub("", words.replace("`", "").strip())
    parts = (one for one in _SENTENCE.split(clean) if len(one.split()) > 2)
    clause = next(parts, clean)
    plain = _LEAD.sub("", " ".join(clause.split()))
    if category == "idea":
        plain = _IDEA_LEAD.sub("", plain) or plain
    plain = _TAIL.sub("", plain)
    plain = plain.strip(" \t-*#>,;:.!。") or " ".join(words.split())
    if not words.lstrip().startswith("`"):
        plain = plain[:1].upper() + plain[1:]
    ends = [one.start() for one in _CLAUSE.finditer(plain, 40, 81)]
    return plain[: ends[-1]] if ends and len(plain) > 80 else cut(plain)


def excerpt(text: str, words: str) -> str:
    """Where it stands: the words with what is around them, on one line."""
    line, inner = (" ".join(each.replace("**", "").split()) for each in (text, words))
    start = max(0, line.find(inner))
    room = max(0, 300 - len(inner)) // 2
    first, last = max(0, start - room), start + len(inner) + room
    return line[first : min(last, first + 300)].strip()
