"""What the miner found: a candidate, and why.

Invariant: a candidate can be read without its transcript, and found again in it.
"""

from typing import Any, Literal, NamedTuple

from memcli.entries.entry import Confidence

Category = Literal["preference", "correction", "fix", "workflow", "idea"]


# "I think we should also add X" is the idea to add X.
_IDEA_LEAD = (
    r"^(?:(?:i think|maybe|perhaps|also|and|so|idea:|it'?s|its|it is|(?:we|i|you|one) (?:should|could|can|might|may|would|will)(?: want to)?|"
    r"(?:could|should|can|might) (?:we|i)|also|eventually|later|as a follow[- ]?up,?|at some (?:future |later )?point,?|let's|worth(?:while)?(?= \w+ing)|"
    r"(?:we|i|you) (?:may|might) want to)\s+)+"
)


class Candidate(NamedTuple):
    """Something of a session that may be worth keeping.

    Attributes:
        category: what it is; ideas are kept apart from memories.
        confidence: HIGH for what is explicit and standing, MEDIUM for what a person has
            to look at. The miner finds nothing at LOW; a judge may.
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
        code: anchors in the code of the session's project.
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
    evolves: str | None = None
    code: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**self._asdict(), "confidence": str(self.confidence)}


class Reading(NamedTuple):
    """What a rule says of a sentence."""

    confidence: Confidence
    pattern: str
    rationale: str
    # The part of the sentence that carries it, as it was written.
    words: str


# What begins an answer, and says nothing by itself.
_FILLER = (
    r"^(?:(?:ok(?:ay)?|yes|yeah|yep|sure|no|nope|well|hmm+|ah|oh|so|also|and|but|alright|great|"
    r"thanks|perfect|agreed)\b[,.!]*\s+|(?:please )+(?=please ))+"
)


def alone(words: str) -> str:
    """A sentence as it is kept: without what only answers the one before it.

    >>> alone("yeah, but never push to main")
    'never push to main'
    """
    import re

    plain = re.sub(_FILLER, "", words, flags=re.IGNORECASE)
    return plain if len(plain.split()) > 2 else words


def title(words: str, category: Category = "preference") -> str:
    """The directive as a title: one line, no courtesies, cut at a word.

    >>> title("please  make sure we're using US English everywhere please")
    "We're using US English everywhere"
    """
    import re

    plain = " ".join(words.replace("`", "").split())
    lead = (
        r"^(?:(?:ok(?:ay)?|yes|yeah|well|so|also|and|but|then|now|alright|please|pls|"
        r"can (?:we|you)|could (?:we|you)|let's|lets|just|bitte|por favor|"
        r"s'il (?:te|vous) pla[iî]t|make sure(?: that)?|be sure to)[,:]?\s+)+"
    )
    plain = re.sub(lead, "", plain, flags=re.IGNORECASE)
    if category == "idea":
        plain = re.sub(_IDEA_LEAD, "", plain, flags=re.IGNORECASE) or plain
    plain = re.sub(
        r"[\s,]+(?:please|pls|thanks|thank you)[.!]*$", "", plain, flags=re.I
    )
    plain = plain.strip(" \t-*#>,;:.!。") or " ".join(words.split())
    if not words.lstrip().startswith("`"):
        plain = plain[:1].upper() + plain[1:]
    if len(plain) <= 80:
        return plain
    cut = plain[:79].rpartition(" ")[0]
    return (cut if len(cut) > 40 else plain[:79]).rstrip(" ,;:-") + "…"


def retitled(one: Candidate) -> Candidate:
    """The candidate with the title that its text gives now."""
    return one._replace(title=title(core(one.category, one.text), one.category))


def core(category: Category, words: str) -> str:
    """The sentence that says it: of a correction, not "no, that's wrong"."""
    import re

    if category == "correction":
        # "... is not correct, " says which; what is right comes after it.
        rest = re.split(
            r"\b(?:not (?:\w+ )?(?:correct|right|true)|wrong)[,;:] ", words
        )[-1]
        words = rest if len(rest.split()) > 3 else words
    parts = [part for part in re.split(r"(?<=[.!?])\s+", words) if part]
    if category == "correction" and len(parts) > 1 and len(parts[0].split()) < 6:
        return parts[1]
    return parts[0] if parts else words


def excerpt(text: str, words: str) -> str:
    """Where it stands: the words with what is around them, on one line."""
    line, inner = (" ".join(each.replace("**", "").split()) for each in (text, words))
    start = max(0, line.find(inner))
    room = max(0, 300 - len(inner)) // 2
    first, last = max(0, start - room), min(len(line), start + len(inner) + room)
    if first:
        first = line.find(" ", first, start) + 1 or first
    if last < len(line):
        last = max(line.rfind(" ", start + len(inner), last), start + len(inner))
    return line[first : min(last, first + 300)].strip()
