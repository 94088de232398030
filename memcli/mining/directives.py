"""What a person told the agent to do from now on.

Invariant: pure. HIGH is a directive whose shape says that it holds beyond this task:
an imperative with a scope (always, everywhere, from now on), a prohibition of a way of
working, or a request to remember. A word alone never is: "it was never called" tells,
"the server should always answer" specifies, "don't commit it yet" ends today.
"""

import re
from typing import Final, NamedTuple

from memcli.entry import Confidence
from memcli.mining.candidate import Found
from memcli.mining.clauses import CODE, QUOTE, Sentence
from memcli.mining.tongues import foreign

HIGH, LOW = Confidence.HIGH, Confidence.LOW

# What an agent does, as opposed to what the program does that it works on.
_WORK: Final = (
    "add|adopt|amend|annotate|answer|apply|ask|assume|attach|avoid|base|break|build|bump|bypass|call|capitalize|cd|change|"
    "check|checkout|choose|cite|clean|clone|comment|commit|communicate|compile|confirm|consider|consult|copy|cover|create|"
    "debug|default|delete|deploy|describe|develop|disable|discuss|do|document|double-check|draft|duplicate|edit|embed|"
    "enable|escape|execute|explain|expose|extract|fetch|find|finish|fix|follow|force|force-push|format|generate|get|give|go|grep|"
    "guess|hand-edit|hardcode|hard-code|hide|ignore|implement|import|include|inform|inline|inspect|install|introduce|invent|investigate|keep|"
    "kill|label|leave|link|lint|list|log|look|make|mention|merge|mix|mock|modify|monkeypatch|move|name|note|omit|open|overwrite|pin|"
    "place|plan|prefer|prefix|preserve|print|prompt|propose|publish|pull|push|put|quote|read|rebase|rebuild|record|refactor|"
    "refer|release|rely|remember|remind|remove|rename|reply|request|research|respond|restart|reuse|revert|review|rewrite|run|save|search|"
    "send|set|share|ship|show me|sign|skip|sort|speak|split|squash|start|stash|stick|stop|store|stub|suggest|summari[sz]e|"
    "switch|sync|tag|talk|tell|test|think|touch|track|translate|treat|try|turn|type|uninstall|update|upgrade|use|validate|"
    "verify|wait|work|wrap|write"
)
# The same as gerunds: "avoid mocking", "stop adding".
_WORKING: Final = r"[a-z-]{2,}ing"
_OBJECT: Final = rf"(?:[\w{CODE}{QUOTE}@/.+#-]+)"
_MEMORY_FILE: Final = (
    r"(?:CLAUDE|AGENTS?|GEMINI|MEMORY|CONVENTIONS|copilot-instructions|known[_-]limitations|lessons?(?:[_-]learned)?)\.md"
    r"|\.learnings?\b|\.cursorrules|\.cursor/rules|\.windsurfrules|copilot-instructions|\bknown_limitations\b"
)

_FILLER: Final = (
    r"(?:ok(?:ay)?|yes|yeah|yep|yup|sure|no|nope|nah|well|so|also|and|but|or|oh|hey|hi|hmm+|alright|all right|right|great|good|nice|"
    r"cool|perfect|thanks|thank you|now|then|next|again|actually|btw|by the way|fyi|important(?:ly)?|reminder|rule|"
    r"note(?: that)?|please note(?: that)?|one (?:more |other |last )?thing|in general|generally|as always|going back|"
    r"claude|codex|gemini|copilot|please|pls|plz|kindly|just|really|instead|(?:can|could|would|will) (?:you|we)|let's|lets|let us|"
    r"i(?:'d| would)? (?:really )?(?:want|need|prefer|expect|like|ask) (?:you|claude|us|it)(?: all)? to|i(?:'d| would) rather (?:you|we)|"
    r"(?:you|we|claude|codex|agents?)(?:'ll| will)? (?:should|must|need to|have to|ought to|shall)|you are to|"
    r"make sure(?: that)?(?: you| we| to)*|be sure(?: to| that you)?|ensure(?: that)?(?: you| we)*|see to it that(?: you| we)?|"
    r"remember(?: to|,|:| that you(?: should| must)?)?|try to|in this (?:repo(?:sitory)?|project|code ?base)|for this (?:repo(?:sitory)?|project|code ?base)|"
    r"from now on|going forward|moving forward|in (?:the )?future|henceforth|from here on(?: out)?|as a (?:general )?rule|by default|"
    r"for (?:all )?(?:the )?(?:next|future) \w+|in (?:all |any )?future \w+)[,:;!]*\s+"
)
_STANDING: Final = (
    r"\b(?:from now on|going forward|moving forward|in (?:the )?future|henceforth|from here on|as a (?:general )?rule|in (?:all |any )?future \w+|"
    r"for (?:all )?future \w+|next time|by default|for (?:all|every|any) \w+)\b"
)
_SCOPE: Final = (
    r"\b(?:always|never|ever|everywhere|wherever|anywhere|whenever|every ?time|each time|at all times|no matter|under no circumstances|"
    r"without exception|in all cases|in every case|at any (?:time|point)|across the (?:board|code ?base|repo(?:sitory)?|project)|"
    r"throughout the (?:code ?base|repo(?:sitory)?|project))\b|" + _STANDING
)
_MANNER: Final = (
    r"\b(?:directly|blindly|manually|silently|automatically|by hand|by [a-z]+ing|without|unless|instead of|rather than|when(?:ever)?|if|before|after|until (?:i|you)|"
    r"again|ever|any (?!more)[a-z]+s?|just|simply|on (?:main|master|prod(?:uction)?)|to (?:main|master|prod(?:uction)?)|in production)\b"
)
_ONE_OFF: Final = (
    r"\b(?:yet|for now|right now|this time|for the moment|at the moment|for the time being|until|today|tonight|tomorrow|temporarily|so far|"
    r"(?<!from )now|(?:in|for|with|on) th(?:is|ese) (?!repo|project|code ?base|team|org|house)[\w-]+|here|first|before we start|one more time|this round|"
    r"worry|bother|mind|panic|hesitate|feel free)\b"
)
_PRONOUN: Final = (
    r"\s+(?:it|this|that|them|these|those|anything|so|all of (?:it|them|this))\b"
)
_AUXILIARY: Final = (
    r"^(?:why|what|how|when|where|which|who|is|are|was|were|do|does|did|should|could it|can it|isn't|aren't|doesn't|don't (?:we|you)|"
    r"shouldn't|has|have|if|in case|assuming|suppose|i (?:allow|think|guess|believe|thought|wonder|see|saw|don't|do not|never|always|was|am|have)|i'm|i've)\b"
)


class _Clause(NamedTuple):
    """A clause, the courtesies that were taken off its start, and what is left."""

    plain: str
    lead: str
    rest: str


def directive(sentence: Sentence) -> Found | None:
    """What a sentence tells the agent to do beyond this task; None for the rest."""
    if foreign_found := foreign(sentence.plain, sentence.text):
        return foreign_found
    found = _remember(sentence)
    if found is None:
        for start, end in clauses(sentence.plain):
            found = _clause(sentence, start, end)
            if found is not None:
                break
    if found is not None and found.confidence is HIGH and not sentence.framed:
        why = "in the middle of a long text, which may be pasted"
        return found._replace(confidence=LOW, rationale=f"{found.rationale}; {why}")
    return found


def clauses(plain: str) -> list[tuple[int, int]]:
    """Where the clauses of a sentence stand; the whole sentence is the first."""
    cut = re.compile(
        r"[;:\u2014]\s+|\s-{1,2}\s|,\s+(?=(?:but|and|so|then|please|also|never|always|don'?t|do not|make sure|from now)\b)"
        r"|(?:,\s*)?\b(?:but|and)\s+(?=(?:please|also|never|always|don'?t|do not|make sure|remember|from now|memorize)\b)|[(]",
        re.IGNORECASE,
    )
    starts = [0, *(match.end() for match in cut.finditer(plain))]
    ends = [*(match.start() for match in cut.finditer(plain)), len(plain)]
    whole = [] if len(starts) == 1 else [(0, len(plain))]
    # An imperative binds the rest of its sentence: "always X, but Y" keeps its Y.
    return [
        *whole,
        *((a, b) for a, b in zip(starts, ends, strict=True) if plain[a:b].strip()),
    ]


def _stripped(clause: str) -> tuple[str, str]:
    """(what was taken away, what is left) of a clause without its courtesies."""
    rest = clause.lstrip(" ,-(")
    lead = ""
    while match := re.match(_FILLER, rest, re.IGNORECASE):
        lead += match[0].lower()
        rest = rest[match.end() :]
    return lead, rest


def _clause(sentence: Sentence, start: int, end: int) -> Found | None:
    plain = sentence.plain[start:end].strip()
    words = sentence.text[start:end].strip(" ,;()")
    lead, rest = _stripped(plain)
    is_question = plain.rstrip().endswith("?")
    if re.match(_AUXILIARY, rest, re.IGNORECASE) and not re.match(
        r"(?i)do not\b", rest
    ):
        return None
    if re.match(_AUXILIARY, plain, re.IGNORECASE) and not re.match(
        r"(?i)(?:do not|if)\b|i(?:'d| want| need| prefer)", plain
    ):
        return None
    for rule in (
        _always,
        _never,
        _standing,
        _everywhere,
        _instead,
        _decided,
        _liking,
        _custom,
    ):
        found = rule(_Clause(plain, lead, rest))
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


def _found(confidence: Confidence, pattern: str, rationale: str) -> Found:
    return Found(confidence, pattern, rationale, "")


def _always(said: _Clause) -> Found | None:
    match = re.match(
        rf"(always|never)\s+(?:ever\s+|again\s+|just\s+)?({_WORK})\b(?!ed)",
        said.rest,
        re.I,
    )
    if match:
        if re.match(rf"{_PRONOUN}\W*(?:again\W*)?$", said.rest[match.end() :], re.I):
            return _found(
                LOW,
                "always",
                f"'{match[1].lower()}' of something that only the session knows",
            )
        return _found(
            HIGH, "always", f"a directive: '{match[1].lower()}' and what an agent does"
        )
    match = re.match(
        rf"({_WORK})\b.*\b(?:always|every ?time|each time|at all times)[.!]*$",
        said.rest,
        re.I,
    )
    if match and not said.lead.startswith("if"):
        return _found(HIGH, "always", "a directive with a scope at its end")
    match = re.match(rf"(?:do|please|you)?\s*always\s+({_WORK})\b", said.rest, re.I)
    return _found(HIGH, "always", "a directive: 'always'") if match else None


_NOT = (
    rf"(?:(?:do not|don[\u2019'\u00b4]?t|dont|never|not to|to not|to never|not|no longer|shouldn[\u2019']?t|should not|mustn[\u2019']?t|must not|"
    rf"better not(?: to)?|under no circumstances)\s+(?:ever |just |simply |directly |blindly |even |you |be |please )*({_WORK}|{_WORKING})\b"
    rf"|(?:avoid|stop|quit|refrain from)\s+(?:ever )?({_WORKING}))"
)


def _never(said: _Clause) -> Found | None:
    subject = (
        r"(?:(?:you|we|claude|codex|agents?|tests?|commits?|code|it'?s|it is)\s+)?"
    )
    match = re.match(subject + _NOT, said.rest, re.I)
    if not match:
        return None
    after = said.rest[match.end() :]
    if re.search(_STANDING, said.plain, re.I):
        return _found(HIGH, "prohibition", "a prohibition that says how long it holds")
    if re.search(_ONE_OFF, said.rest, re.I):
        return None
    if re.match(_PRONOUN, after, re.I):
        return None
    if re.search(_SCOPE, said.rest[match.start() :], re.I) or re.match(
        r"(?i)never|under no", said.rest
    ):
        return _found(HIGH, "prohibition", "a prohibition with a scope")
    if len(after.split()) < 2 and not match[2]:
        return None
    if re.search(_MANNER, said.rest, re.I):
        return _found(HIGH, "prohibition", "a prohibition of a way of working")
    kind = re.match(
        r"(?i)\s+(?!this\b|its\b|his\b|as\b)(?:\w+ ){0,2}?\w{3,}s\b\s+(?:that|which|in|to|with|for|from|on|into|like)\b",
        after,
    )
    if kind and not re.match(r"(?i)\s+(?:the|that|those|these|my|your|our)\b", after):
        return _found(HIGH, "prohibition", "a prohibition of a kind of thing")
    definite = re.match(
        r"\s+(?:the|that|this|my|your|its|his|her|their)\b(?!.*s\b)", after, re.I
    )
    return (
        None
        if definite
        else _found(LOW, "prohibition", "a prohibition that may be of this task alone")
    )


def _standing(said: _Clause) -> Found | None:
    if not re.search(_STANDING.replace("|by default", ""), said.lead + said.rest, re.I):
        return None
    if re.search(r"as a (?:general )?rule", said.lead) and len(said.rest.split()) >= 4:
        return _found(HIGH, "standing", "the user calls it a rule")
    if re.match(rf"(?:{_WORK})\b", said.rest, re.I) and re.search(
        r"from now on|going forward|moving forward|in (?:the |all |any )?future|henceforth|from here on|as a (?:general )?rule|next time|for (?:all )?future",
        said.lead + said.rest,
        re.I,
    ):
        return _found(HIGH, "standing", "a directive that says how long it holds")
    return None


def _everywhere(said: _Clause) -> Found | None:
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
        return _found(HIGH, "everywhere", "a directive with a scope")
    if re.match(rf"(?:{_WORK})\b", said.rest, re.I) and not re.search(
        r"(?i)\bever\b", said.rest
    ):
        return _found(HIGH, "everywhere", "an imperative with a scope")
    if re.match(
        r"(?i)(?:we|you|claude|tests?|code|commits?|docs?|comments?|names?|[a-z]+s) should(?: not|n't)?\b",
        said.rest,
    ):
        return _found(HIGH, "everywhere", "a norm with a scope")
    return None


def _instead(said: _Clause) -> Found | None:
    match = re.match(
        rf"(?:use|prefer|choose|stick (?:to|with)|go with|run|write|install with|switch to)\s+({_OBJECT}(?:\s+{_OBJECT})??(?:\s+for {_OBJECT}(?:\s{_OBJECT})?)?),?\s+"
        rf"(?:instead of|rather than|and not|not|over)\s+({_OBJECT})",
        said.rest,
        re.I,
    )
    if match:
        named = re.compile(
            r"(?i)(?:the|a|an|this|that|these|those|my|your|our|its|it|them|one|option)\b"
        )
        if re.search(_ONE_OFF, said.rest, re.I):
            return None
        if named.match(match[1]) or named.match(match[2]):
            return _found(
                LOW, "instead", "one thing instead of another, perhaps only here"
            )
        return _found(HIGH, "instead", "one tool or way instead of another, by name")
    match = re.match(
        rf"use\s+({_OBJECT})\s+for (?:all|every|any|each)\b", said.rest, re.I
    )
    if match:
        return _found(HIGH, "instead", "a tool for every case")
    bare = re.match(
        rf"(?:please )?use\s+(?!the\b|a\b|an\b|this\b|that\b|it\b|my\b|your\b|our\b|them\b|one\b|option\b)({_OBJECT})[.!]*$",
        said.rest,
        re.I,
    )
    if bare and "please" in said.lead:
        return _found(LOW, "use", "a tool by name")
    return None


def _decided(said: _Clause) -> Found | None:
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
        return _found(HIGH, "decided", "a decision that the user calls decided")
    return None


def _liking(said: _Clause) -> Found | None:
    match = re.match(
        r"(?i)i\s+(generally |usually |typically |strongly |always |much |really )?(prefer|hate|dislike|can't stand|don't like)\s+(?!that one|option|the (?:first|second|third|former|latter|other)|this|that|it\b|your|approach)(.+)",
        said.plain,
    )
    if match and not re.search(_ONE_OFF, said.plain, re.I):
        firm = match[1] or re.search(
            r"\b(?:over|rather than|instead of|to have)\b", match[3], re.I
        )
        if firm:
            return _found(
                HIGH,
                "prefer",
                "the user says what they prefer, over what or how generally",
            )
        return _found(LOW, "prefer", "the user says what they prefer")
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
        return _found(LOW, "style", "a wish about how things of a kind are done")
    return None


def _custom(said: _Clause) -> Found | None:
    match = re.match(
        r"(?i)\W*we\s+(?:always|usually|normally|generally|typically|never|only|don't|do not|use|prefer|deploy|release|name|write|commit|keep|run|test)\s+(.+)",
        said.plain,
    )
    if not match or said.plain.endswith("?") or re.search(_ONE_OFF, said.plain, re.I):
        return None
    told = re.match(
        rf"(?i)\W*we\s+(?:always|usually|normally|generally|typically|never|only)\s+(?:{_WORK})\b",
        said.plain,
    )
    use = re.match(
        r"(?i)\W*we\s+(?:use|prefer|deploy|release)\s+.*\b(?:everywhere|explicitly|in other places|elsewhere|for (?:all|everything)|by convention|in this (?:repo|project))",
        said.plain,
    )
    if told or use:
        return _found(LOW, "custom", "a custom of the team, said in passing")
    return None


_REMEMBER: Final = (
    r"\b(?:memori[sz]e|for future reference|commit (?:this|that|it) to memory|(?:save|add|store|write|put) (?:this|that|it|these)?\s*(?:in|to|into) (?:your |the )?(?:long[- ]term )?memory|"
    r"note this(?: also| down)?|make a note(?: of| that)?|update (?:your|the) memory|so (?:that )?you (?:will )?remember|lessons? learned:|"
    r"remember (?:this|that|for next time|for (?:the )?future)\b(?! time| when| day)|keep (?:this |that )?in mind (?:for|from|in) (?:the |all )?(?:future|next|now))"
)
_FILE_VERB: Final = r"\b(?:add|update|append|put|write|record|log|note|mention|document|include|extend|state|specify|save)\b"


def _remember(sentence: Sentence) -> Found | None:
    plain, words = sentence.plain, sentence.text
    if re.search(
        r"(?i)\b(?:don't|do not|can't|cannot|didn't|did you|do you|you don't|i) remember\b|^(?:did|have|is|was) ",
        plain,
    ):
        return None
    file = re.search(_MEMORY_FILE, words, re.I)
    if (
        file
        and re.search(_FILE_VERB, plain, re.I)
        and not re.match(r"(?i)(?:did|does|is|was|were|why|what|how)\b", plain)
    ):
        return Found(HIGH, "memory-file", f"asks to write it into {file[0]}", words)
    match = re.search(_REMEMBER, plain, re.I)
    if match:
        return Found(
            HIGH, "remember", f"asks to remember: '{match[0].strip().lower()}'", words
        )
    match = re.search(
        r"(?i)(?:^|[.,;]\s*|\b(?:and|so|please|but|ok)\s+)(?:please )?(?:remember|keep in mind|don't forget|do not forget)\b(?! when| the time| how)[,:]?\s+(?:also |too |that )?(.{8,})",
        plain,
    )
    if match and not plain.endswith("?"):
        if re.search(
            r"(?i)\b(?:we|our|every|each|always|never|only|whenever)\b", match[1]
        ) and not re.search(_ONE_OFF, match[1], re.I):
            return Found(
                HIGH, "remember", "asks to remember how things are done", words
            )
        return Found(LOW, "remember", "reminds the agent of something", words)
    return None
