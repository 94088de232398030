"""What a team has decided, does, or likes: said as a fact, and meant as a rule.

Invariant: pure. HIGH is a decision that is called one, or a liking that says over what
or how generally; a custom that is mentioned in passing is LOW.
"""

import re

from memcli.entry import Confidence
from memcli.mining.candidate import Found
from memcli.mining.phrases import ONE_OFF, WORK, Clause, judged

HIGH, LOW = Confidence.HIGH, Confidence.LOW


def decided(said: Clause) -> Found | None:
    """A decision that is called one."""
    if (
        re.match(
            r"(?i)(?:decision:|(?:we|i)(?:'ve| have) (?:now |finally )?(?:decided|settled|agreed|standardi[sz]ed) (?:to|on|that|against)|"
            r"the decision (?:is|was) (?:to|that)|(?:let's |let us )?lock (?:it |this |that )?in\b|it(?:'s| is) (?:decided|settled))",
            said.rest
            if said.rest.lower().startswith("decision")
            else said.plain.lstrip(),
        )
        and len(said.plain.split()) >= 5
    ):
        return judged(HIGH, "decided", "a decision that the user calls decided")
    return None


def liking(said: Clause) -> Found | None:
    """What the user prefers, or how they wish things of a kind to be done."""
    match = re.match(
        r"(?i)i\s+(generally |usually |typically |strongly |always |much |really )?(prefer|hate|dislike|can't stand|don't like)\s+(?!that one|option|the (?:first|second|third|former|latter|other)|this|that|it\b|your|approach)(.+)",
        said.plain,
    )
    if match and not re.search(ONE_OFF, said.plain, re.I):
        firm = match[1] or re.search(
            r"\b(?:over|rather than|instead of|to have)\b", match[3], re.I
        )
        if firm:
            return judged(
                HIGH,
                "prefer",
                "the user says what they prefer, over what or how generally",
            )
        return judged(LOW, "prefer", "the user says what they prefer")
    if (
        re.search(
            r"(?i)\b(?:i(?:'d| would) (?:also )?(?:like|love|prefer)|let's|can we|could we|please)\b",
            said.plain,
        )
        and re.search(
            r"(?i)\b(?:all|every|each|any)\b(?! of this| good| set| done)", said.plain
        )
        and re.search(
            r"(?i)\b(?:instead of|replaced? (?:with|by)|rather than|consistent(?:ly)?|(?:same|single) (?:style|format|way|comparison))",
            said.plain,
        )
    ) or re.search(r"(?i)^(?:let's|lets|let us) instead\b", said.plain):
        return judged(LOW, "style", "a wish about how things of a kind are done")
    return None


def custom(said: Clause) -> Found | None:
    """What the team does, said in passing."""
    match = re.match(
        r"(?i)\W*we\s+(?:always|usually|normally|generally|typically|never|only|don't|do not|use|prefer|deploy|release|name|write|commit|keep|run|test)\s+(.+)",
        said.plain,
    )
    if not match or said.plain.endswith("?") or re.search(ONE_OFF, said.plain, re.I):
        return None
    told = re.match(
        rf"(?i)\W*we\s+(?:always|usually|normally|generally|typically|never|only)\s+(?:{WORK})\b",
        said.plain,
    )
    use = re.match(
        r"(?i)\W*we\s+(?:use|prefer|deploy|release)\s+.*\b(?:everywhere|explicitly|in other places|elsewhere|for (?:all|everything)|by convention|in this (?:repo|project))",
        said.plain,
    )
    if told or use:
        return judged(LOW, "custom", "a custom of the team, said in passing")
    return None
