"""What a person told the agent to do from now on.

Invariant: pure. HIGH is a directive whose shape says that it holds beyond this task:
an imperative with a scope (always, everywhere, from now on), a prohibition of a way of
working, or a request to remember. A word alone never is: "it was never called" tells,
"the server should always answer" specifies, "don't commit it yet" ends today.
"""

import re

from memcli.entry import Confidence
from memcli.mining.candidate import Found
from memcli.mining.clauses import Sentence
from memcli.mining.customs import custom, decided, liking
from memcli.mining.phrases import (
    AUXILIARY,
    MANNER,
    OBJECT,
    ONE_OFF,
    PRONOUN,
    SCOPE,
    STANDING,
    WORK,
    WORKING,
    Clause,
    clauses,
    judged,
    stripped,
)
from memcli.mining.reminders import remember
from memcli.mining.tongues import foreign

HIGH, LOW = Confidence.HIGH, Confidence.LOW


def directive(sentence: Sentence) -> Found | None:
    """What a sentence tells the agent to do beyond this task; None for the rest."""
    if foreign_found := foreign(sentence.plain, sentence.text):
        return foreign_found
    found = remember(sentence)
    if found is None:
        for start, end in clauses(sentence.plain):
            found = _clause(sentence, start, end)
            if found is not None:
                break
    if found is not None and found.confidence is HIGH and not sentence.framed:
        why = "in the middle of a long text, which may be pasted"
        return found._replace(confidence=LOW, rationale=f"{found.rationale}; {why}")
    return found


def _clause(sentence: Sentence, start: int, end: int) -> Found | None:
    plain = sentence.plain[start:end].strip()
    words = sentence.text[start:end].strip(" ,;()")
    lead, rest = stripped(plain)
    is_question = plain.rstrip().endswith("?")
    if re.match(AUXILIARY, rest, re.IGNORECASE) and not re.match(r"(?i)do not\b", rest):
        return None
    if re.match(AUXILIARY, plain, re.IGNORECASE) and not re.match(
        r"(?i)(?:do not|if)\b|i(?:'d| want| need| prefer)", plain
    ):
        return None
    for rule in (
        _always,
        _never,
        _standing,
        _everywhere,
        _instead,
        decided,
        liking,
        custom,
    ):
        found = rule(Clause(plain, lead, rest))
        if found is None:
            continue
        if is_question and found.confidence is not HIGH:
            return None
        if sentence.listed and found.pattern == "always" and not lead and start:
            # "2. if it fails, always exit with 1" is a specification; a list of rules
            # starts its items with the rule.
            return None
        return found._replace(words=words)
    return None


def _always(said: Clause) -> Found | None:
    match = re.match(
        rf"(always|never)\s+(?:ever\s+|again\s+|just\s+)?({WORK})\b(?!ed)",
        said.rest,
        re.I,
    )
    if match:
        if re.match(rf"{PRONOUN}\W*(?:again\W*)?$", said.rest[match.end() :], re.I):
            return judged(
                LOW,
                "always",
                f"'{match[1].lower()}' of something that only the session knows",
            )
        return judged(
            HIGH, "always", f"a directive: '{match[1].lower()}' and what an agent does"
        )
    match = re.match(
        rf"({WORK})\b.*\b(?:always|every ?time|each time|at all times)[.!]*$",
        said.rest,
        re.I,
    )
    if match and not said.lead.startswith("if"):
        return judged(HIGH, "always", "a directive with a scope at its end")
    match = re.match(rf"(?:do|please|you)?\s*always\s+({WORK})\b", said.rest, re.I)
    return judged(HIGH, "always", "a directive: 'always'") if match else None


_NOT = (
    rf"(?:(?:do not|don[\u2019'\u00b4]?t|dont|never|not to|to not|to never|not|no longer|shouldn[\u2019']?t|should not|mustn[\u2019']?t|must not|"
    rf"better not(?: to)?|under no circumstances)\s+(?:ever |just |simply |directly |blindly |even |you |be |please )*({WORK}|{WORKING})\b"
    rf"|(?:avoid|stop|quit|refrain from)\s+(?:ever )?({WORKING}))"
)


def _never(said: Clause) -> Found | None:
    subject = (
        r"(?:(?:you|we|claude|codex|agents?|tests?|commits?|code|it'?s|it is)\s+)?"
    )
    match = re.match(subject + _NOT, said.rest, re.I)
    if not match:
        return None
    after = said.rest[match.end() :]
    if re.search(STANDING, said.plain, re.I):
        return judged(HIGH, "prohibition", "a prohibition that says how long it holds")
    if re.search(ONE_OFF, said.rest, re.I):
        return None
    if re.match(PRONOUN, after, re.I):
        return None
    if re.search(SCOPE, said.rest[match.start() :], re.I) or re.match(
        r"(?i)never|under no", said.rest
    ):
        return judged(HIGH, "prohibition", "a prohibition with a scope")
    if len(after.split()) < 2 and not match[2]:
        return None
    if re.search(MANNER, said.rest, re.I):
        return judged(HIGH, "prohibition", "a prohibition of a way of working")
    kind = re.match(
        r"(?i)\s+(?!this\b|its\b|his\b|as\b)(?:\w+ ){0,2}?\w{3,}s\b\s+(?:that|which|in|to|with|for|from|on|into|like)\b",
        after,
    )
    if kind and not re.match(r"(?i)\s+(?:the|that|those|these|my|your|our)\b", after):
        return judged(HIGH, "prohibition", "a prohibition of a kind of thing")
    definite = re.match(
        r"\s+(?:the|that|this|my|your|its|his|her|their)\b(?!.*s\b)", after, re.I
    )
    return (
        None
        if definite
        else judged(LOW, "prohibition", "a prohibition that may be of this task alone")
    )


def _standing(said: Clause) -> Found | None:
    if not re.search(STANDING.replace("|by default", ""), said.lead + said.rest, re.I):
        return None
    if re.search(r"as a (?:general )?rule", said.lead) and len(said.rest.split()) >= 4:
        return judged(HIGH, "standing", "the user calls it a rule")
    if re.match(rf"(?:{WORK})\b", said.rest, re.I) and re.search(
        r"from now on|going forward|moving forward|in (?:the |all |any )?future|henceforth|from here on|as a (?:general )?rule|next time|for (?:all )?future",
        said.lead + said.rest,
        re.I,
    ):
        return judged(HIGH, "standing", "a directive that says how long it holds")
    return None


def _everywhere(said: Clause) -> Found | None:
    scope = (
        r"\b(?:everywhere|wherever(?: we| you| it(?:'s| is)?)?(?: can| possible)?|whenever (?:we|you|possible)|ever|at all times|in all cases|"
        r"across the (?:board|code ?base|repo(?:sitory)?|project)|throughout the (?:code ?base|repo(?:sitory)?|project))\b"
    )
    if not re.search(scope, said.rest, re.I):
        return None
    if re.search(
        r"\bmake sure|be sure|ensure|should|must|have to|need to|let's|lets|please\b",
        said.lead,
    ) and not re.match(r"(?i)(?:it|this|that|there|the)\b", said.rest):
        return judged(HIGH, "everywhere", "a directive with a scope")
    if re.match(rf"(?:{WORK})\b", said.rest, re.I) and not re.search(
        r"(?i)\bever\b", said.rest
    ):
        return judged(HIGH, "everywhere", "an imperative with a scope")
    if re.match(
        r"(?i)(?:we|you|claude|tests?|code|commits?|docs?|comments?|names?|[a-z]+s) should(?: not|n't)?\b",
        said.rest,
    ):
        return judged(HIGH, "everywhere", "a norm with a scope")
    return None


def _instead(said: Clause) -> Found | None:
    match = re.match(
        rf"(?:use|prefer|choose|stick (?:to|with)|go with|run|write|install with|switch to)\s+({OBJECT}(?:\s+{OBJECT})??(?:\s+for {OBJECT}(?:\s{OBJECT})?)?),?\s+"
        rf"(?:instead of|rather than|and not|not|over)\s+({OBJECT})",
        said.rest,
        re.I,
    )
    if match:
        named = re.compile(
            r"(?i)(?:the|a|an|this|that|these|those|my|your|our|its|it|them|one|option)\b"
        )
        if re.search(ONE_OFF, said.rest, re.I):
            return None
        if named.match(match[1]) or named.match(match[2]):
            return judged(
                LOW, "instead", "one thing instead of another, perhaps only here"
            )
        return judged(HIGH, "instead", "one tool or way instead of another, by name")
    match = re.match(
        rf"use\s+({OBJECT})\s+for (?:all|every|any|each)\b", said.rest, re.I
    )
    if match:
        return judged(HIGH, "instead", "a tool for every case")
    bare = re.match(
        rf"(?:please )?use\s+(?!the\b|a\b|an\b|this\b|that\b|it\b|my\b|your\b|our\b|them\b|one\b|option\b)({OBJECT})[.!]*$",
        said.rest,
        re.I,
    )
    if bare and "please" in said.lead:
        return judged(LOW, "use", "a tool by name")
    return None
