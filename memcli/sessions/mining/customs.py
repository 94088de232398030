"""What a team has decided, does, or likes: said as a fact, and meant as a rule.

Invariant: pure. HIGH is a decision that is called one, or a liking that says over what
or how generally; a custom that is mentioned in passing is LOW.
"""

import re
from typing import Final

from memcli.entries.entry import Confidence
from memcli.sessions.mining.candidate import Reading
from memcli.sessions.mining.clauses import ONE_OFF, WORK, Clause, is_asked, judged

HIGH, LOW = Confidence.HIGH, Confidence.LOW


# What developers make, as opposed to what the program is about.
_MADE: Final = (
    r"(?:(?:new|public|exported|shared|other|added|unit|integration|e2e) )*(?:code|features?|bug ?fix(?:es)?|fix(?:es)?|tests?|prs?|pull requests?|"
    r"migrations?|docs?|comments?|functions?|methods?|helpers?|components?|endpoints?|dependenc(?:y|ies)|commit messages?|changes?|"
    r"error messages?|packages?|modules?|commands?|flags?|phases?|plans?|entit(?:y|ies)|releases?|refactorings?)"
)
_NORM: Final = r"(?:should(?:n't| not)?|must(?: not)?|needs?(?: to)?|ha(?:s|ve) to|shall|gets?|goes|go)"
# Makes a rule of what was said before it.
_SEAL: Final = (
    r"(?i)\b(?:keep (?:it|this|that) (?:that|this) way|stick (?:to|with) (?:that|it|this|those)|(?:that'?s|this is|thats) (?:the|our|a|my) (?:rule|convention|policy|standard)|"
    r"no exceptions?|without exception|keep (?:that|this) in mind|(?:please |and )remember (?:that|this|it)|please remember\W*$|respect that|follow that|make sure of (?:that|it)|is (?:the|our) (?:rule|convention|policy))\b"
)


def universal(said: Clause) -> Reading | None:
    """A norm for everything of a kind that developers make: "every PR needs ..."."""
    kind = re.match(
        rf"(?i)(?:all|every|each|any|no)\s+(?:of (?:our|the|your) |our |the )?{_MADE}\s+(?:(?:in|for|of|under|to) [^,]{{2,40}}? )?(?:always |never |also )?{_NORM}\b",
        said.rest,
    )
    if kind is None or is_asked(said.plain) or re.search(ONE_OFF, said.rest, re.I):
        return None
    firm = re.search(_SEAL, said.rest) or re.search(
        r"(?i)\b(?:always|never|new)\b|^no\b", kind[0] + said.rest[-12:]
    )
    if firm or re.search(
        r"please|pls|make sure|ensure|i'd|i want|rule|general", said.lead
    ):
        return judged(
            HIGH, "universal", "a norm for all of a kind that developers make"
        )
    # "All commands should accept --json" asks for work.
    return None


def each_time(said: Clause) -> Reading | None:
    """What is to be done for every change, or for all new things of a kind."""
    new = rf"(?:all|every|each|any) (?:new|future) (?:[\w-]+ )?{_MADE}"
    told = re.match(
        rf"(?i)(?:for {new},? (?:please |pls |always |also )*(?:{WORK})\b|(?:always )?(?:{WORK})\b.*\bfor (?:every|each|any) (?:[\w-]+ )?(?:changes?|commit|pr|pull request|release|new \w+)\b)",
        said.rest,
    )
    if told is None or is_asked(said.plain) or re.search(ONE_OFF, said.rest, re.I):
        return None
    return judged(HIGH, "each-time", "what is to be done for each of a kind")


def sealed(said: Clause) -> Reading | None:
    """A custom that is called the rule in the same breath."""
    if (
        not re.search(_SEAL, said.plain)
        or is_asked(said.plain)
        or re.search(ONE_OFF, re.sub(r"(?i)\bhere\b", "", said.plain), re.I)
    ):
        return None
    if re.search(
        rf"(?i)(?:^|[,;:]\s*|\b(?:and|but|so|here|repo|project|code ?base) )(?:we|you|u|everyone) (?:always|never|only|usually|don't|dont|do not|want|keep|use|write|need|should|must|have to)\b|\b(?:all|every|each|no) (?:new )?{_MADE}\b|\b(?:{_MADE}|commits) (?:are|is) (?:always|never)\b",
        said.plain,
    ):
        return judged(HIGH, "sealed", "a custom that the user calls the rule")
    return None


def wanted(said: Clause) -> Reading | None:
    """What is wanted always or everywhere, of how work is done."""
    match = re.match(
        r"(?i)(?:and |but |so |also |ok |because )*(?:we|i) (?:always want|want (?!the\b).{3,60}?\b(?:everywhere|at all times|in every \w+)|(?:don'?t|do not|never) (?:ever )?want (?:you|u|claude|to ever|any|to see any)(?: to)?\b)(?! users?| the users?| the same\b)",
        said.plain,
    )
    if match is None or is_asked(said.plain):
        return None
    if re.search(ONE_OFF, said.plain, re.I) or re.search(
        r"(?i)\b(?:users?|customers?|app|screen|page|button)\b", said.plain
    ):
        return None
    if re.search(
        r"(?i)always|everywhere|ever\b|never|every|at all times|without", said.plain
    ):
        return judged(HIGH, "wanted", "what the user wants always")
    return judged(LOW, "wanted", "what the user does not want")


def none_of(said: Clause) -> Reading | None:
    """ "No emojis in commit messages": a kind of thing that is not wanted."""
    match = re.match(
        r"(?i)no (?!need|idea|problem|worries|rush|one\b|thanks|longer|matter|way|change|more|i\b|it\b|the\b|we\b|you\b|that|this|not\b|wait|but|and|just|changes|clue)(?:[\w-]+ ){0,3}?[\w-]{2,}s\b(.*)",
        said.plain,
    )
    lone = said.plain if match else ""
    if match is None or is_asked(said.plain) or re.search(ONE_OFF, said.plain, re.I):
        return None
    if re.search(
        r"(?i)\b(?:ever|always|never|anywhere|everywhere|please in future)\b", match[1]
    ) or re.match(
        r"(?i)\s+(?:please |pls )?(?:in|without) (?:the |our |any )?(?:commit messages?|commits|prs|pr (?:descriptions?|titles?)|code|comments|tests|docs|asking|discussi\w+|error messages|production code|components|controllers)\b",
        match[1],
    ):
        return judged(HIGH, "none-of", "a kind of thing that shall never be there")
    if re.search(r"(?i)\b(?:please|pls)\b", lone) and len(lone.split()) >= 4:
        return judged(LOW, "none-of", "a kind of thing that is not wanted")
    return None


def decided(said: Clause) -> Reading | None:
    """A decision that is called one."""
    if (
        re.match(
            r"(?i)(?!.{0,60}\b(?:option \w\b|approach \w\b|for the prototype|for now))(?:decision:|(?:we|i)(?:'ve| have) (?:now |finally )?(?:decided|settled|agreed|standardi[sz]ed) (?:to|on|that|against)|"
            r"the decision (?:is|was) (?:to|that)|(?:let's |let us )?lock (?:it |this |that )?in\b|it(?:'s| is) (?:decided|settled))",
            said.rest
            if said.rest.lower().startswith("decision")
            else said.plain.lstrip(),
        )
        and len(said.plain.split()) >= 5
    ):
        return judged(HIGH, "decided", "a decision that the user calls decided")
    return None


# A wish about style without a word that says for how long.
_STYLE: Final = (
    r"(?i)^(?:let's|lets|let us) instead\b"
    r"|\b(?:same|consistent(?:ly)?|in line|aligned|like (?:we do|it is done)) .{0,40}?\b(?:as|with|like|in) (?:we do |in )?(?:the |all |our )?(?:others?|rest|existing|remaining)\b"
    r"|\bi(?:'d| would) (?:like|prefer|love|rather)(?: to)? (?:see|have|use) (?!the\b|an?\b|how|what|if\b|it\b|this|that|my|your|some|more\b|it|both|all\b)(?:[\w-]+ ){0,3}?[\w-]+s\b"
    r"|\bsame (?:\w+ )?(?:pattern|style|approach|format|naming|structure|convention|wording)s? (?:as|like|that)\b"
    r"|\bi(?:'d| would) (?:like|prefer|rather)(?: have| see| use)? (?:[\w-]+ ){0,2}[\w-]+s (?:rather than|instead of|over)\b"
    r"|\bi(?:'d| would) rather (?:have|use|see) (?!the\b).{3,60} than\b|^(?:please |pls |then )?replace (?:all|every)\b.{3,80}\b(?:with|by)\b"
    r"|\binstead of .{3,60}?,? i(?:'d| would) (?:like|prefer|rather)\b"
    r"|^(?:please |pls |let's |lets |can we |could we )?(?:use|have|write|keep) .{3,60}?(?:,|because|since|as)? ?(?:it'?s|that'?s|they'?re|it is|that is|which is) (?:much |way |a bit |just )?(?:easier|simpler|cleaner|nicer|more (?:readable|consistent|idiomatic)|better)\b"
)


def liking(said: Clause) -> Reading | None:
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
    ) or re.search(_STYLE, said.plain):
        return judged(LOW, "style", "a wish about how things of a kind are done")
    return None


def custom(said: Clause) -> Reading | None:
    """What the team does, said in passing."""
    match = re.match(
        r"(?i)\W*(?:and |but |fyi |btw )?(?:in (?:this|our) (?:repo|project|code ?base),? )?we\s+(?:always|usually|normally|generally|typically|never|only|already|have|don'?t|do not|use|prefer|deploy|release|name|write|commit|keep|run|test)\s+(.+)",
        said.plain,
    )
    if not match or is_asked(said.plain) or re.search(ONE_OFF, said.plain, re.I):
        return None
    told = re.match(
        rf"(?i)\W*we\s+(?:always|usually|normally|generally|typically|never|only)\s+(?:{WORK})\b",
        said.plain,
    )
    use = re.match(
        r"(?i)\W*(?:fyi |btw )?we\s+(?:use|prefer|deploy|release|have)\s+.*\b(?:everywhere|explicitly|in (?:the |all )?(?:other|rest)|elsewhere|for (?:all|everything)|by convention|in this (?:repo|project))",
        said.plain,
    )
    shun = re.match(
        r"(?i)\W*(?:and |but |fyi |btw )?(?:in (?:this|our) (?:repo|project|code ?base),? )?we\s+(?:don'?t|do not|never) (?:use|write|commit|mock|allow)\s+\S+",
        said.plain,
    )
    helper = re.match(
        r"(?i)\W*we\s+(?:already )?have (?:an?|our own|some) (?:.{2,40} for (?:that|this|it|these)\b|.{0,40}\b(?:helper|util))",
        said.plain,
    )
    if told or use or shun or helper:
        return judged(LOW, "custom", "a custom of the team, said in passing")
    return None
