"""What a person told the agent to do from now on.

Invariant: pure. HIGH is a directive whose shape says that it holds beyond this task:
an imperative with a scope (always, everywhere, from now on), a prohibition of a way of
working, or a request to remember. A word alone never is: "it was never called" tells,
"the server should always answer" specifies, "don't commit it yet" ends today.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final

from memcli.entries.entry import Confidence
from memcli.sessions.mining.candidate import Reading
from memcli.sessions.mining.clauses import (
    AUXILIARY,
    MANNER,
    OBJECT,
    ONE_OFF,
    PRONOUN,
    SCOPE,
    STANDING,
    WHENEVER,
    WORK,
    WORKING,
    Clause,
    clauses,
    is_asked,
    judged,
    specifies,
    stripped,
)
from memcli.sessions.mining.customs import (
    custom,
    decided,
    each_time,
    liking,
    none_of,
    sealed,
    universal,
    wanted,
)
from memcli.sessions.mining.languages import foreign
from memcli.sessions.mining.reminders import remember
from memcli.sessions.mining.sentences import Sentence

HIGH, LOW = Confidence.HIGH, Confidence.LOW

# Somebody else's words without quotation marks: "the docs say always use ...".
_REPORTED: Final = (
    r"(?i)^\W*(?:and |but |so |also |ok |hmm )*(?!(?:i|we|you|u|let|as|please|can|could|to|it'?s?|this|that)\b)(?:(?:the|my|our|a|an|some) )?(?:[\w.'-]+ ){1,3}?"
    r"(?:says?|said|thinks?|thought|wrote|writes|suggests?|suggested|complains?|complained|claims?|claimed|recommends?|recommended|mentioned|asked|wants|told|reads)\b"
)
# What one edit does to the text at hand, however far it reaches: "rename it everywhere".
_EDITS: Final = r"(?:chang|renam|replac|fix|updat|apply|appli|remov|delet|mov|add|check|sync|revert|do|put|mak|mention|translat|show|hid|enabl|disabl|search|find|look|clean|renam|rewrit|convert|migrat|split|extract|commit|push|log)\w*"
# What a program does as well as an agent: "always sort by date".
_PROGRAM: Final = r"(?:print|hide|list|sort|fetch|send|store|expose|prompt|sync|set|redirect|copy|log|open|start|stop|restart|embed|enable|disable|apply|save|overwrite|append|block|render|retry|return|generate|delete|write to|update|show)"
_WORK_NOUN: Final = (
    r"(?:tests?|testing|commits?|committing|pushing|pull requests?|prs?|code|codebase|linter?|lint|branch|docs?|documentation|comments?|functions?|helpers?|types?|typings?|"
    r"imports?|dependenc(?:y|ies)|changelog|migrations?|refactor\w*|reviews?|tickets?|messages?|todos?|plans?|phases?|worktrees?|agents?|skills?|spelling|english|german|names?|naming)"
)


def directive(sentence: Sentence) -> Reading | None:
    """What a sentence tells the agent to do beyond this task; None for the rest."""
    found = foreign(sentence.plain, sentence.text) or remember(sentence)
    if found is None and not re.match(_REPORTED, sentence.plain):
        found = _first(
            _clause(sentence, start, end) for start, end in clauses(sentence.plain)
        )
    if found is not None and found.confidence is HIGH and not sentence.framed:
        why = "in the middle of a long text, which may be pasted"
        return found._replace(confidence=LOW, rationale=f"{found.rationale}; {why}")
    return found


# How a rule goes on after "before you commit".
_TOLD: Final = (
    r"(?:please |pls |then |also |just )?(?:always|never|make sure|don'?t|do not|(?:you|u|we) (?:always|never|should|must|need to|have to|are supposed to)|"
    rf"{WORK})"
)


# Words of developing: "whenever we add a key we must publish it" is of the program.
_DEVELOPING: Final = rf"(?i)\b(?:{_WORK_NOUN}|schemas?|entit(?:y|ies)|lint|regenerate|rebuild|compile|ask|document|changelog|readme|\w+\.md|run|releases?|commit|push|features?|endpoints?)\b"


def _agreed(rest: str, condition: "re.Match[str]") -> Reading | None:
    """What is to be done each time that the agent or the team does something."""
    then = rest[condition.end() :]
    if re.search(ONE_OFF, then, re.I) or re.search(
        r"(?i)\b(?:done|finished|ready)\b", condition[0]
    ):
        return None
    if re.match(r"(?i)(?:whenever|every|each|any)", rest):
        if not re.search(_DEVELOPING, rest) and "please" not in rest:
            return judged(LOW, "whenever", "what is to be done each time, or happens")
        return judged(HIGH, "whenever", "what is to be done each time")
    if re.search(
        rf"(?i)^(?:please |pls |then |also |just )?(?:(?:you|u|we) )?(?:should |must )?(?:always|never)\s+(?:make|{WORK})\b",
        then,
    ):
        return judged(HIGH, "whenever", "what is to be done each time: 'always'")
    return None


def _clause(sentence: Sentence, start: int, end: int) -> Reading | None:
    plain = sentence.plain[start:end].strip()
    words = sentence.text[start:end].strip(" ,;()")
    lead, rest = stripped(plain)
    is_question = is_asked(plain)
    if start and specifies(sentence.plain[:start]):
        return None
    if condition := re.match(
        rf"(?i){WHENEVER}[^,]{{0,80}}?(?:,|:)?\s+(?=(?:{_TOLD})\b)", rest
    ):
        told = _agreed(rest, condition)
        return told and told._replace(words=words)
    if re.match(AUXILIARY, rest, re.IGNORECASE) and not re.match(r"(?i)do not\b", rest):
        return None
    if re.match(AUXILIARY, plain, re.IGNORECASE) and not re.match(
        r"(?i)(?:do not|if)\b|i(?:'d| want| need| prefer| always)", plain
    ):
        return None
    found = _first(rule(Clause(plain, lead, rest)) for rule in _RULES)
    polite = re.search(r"(?:can|could|would|will) (?:you|u|we)|please|pls", lead)
    if found is None or (is_question and not (polite and found.confidence is HIGH)):
        return None
    if found.confidence is HIGH and _is_of_program(Clause(plain, lead, rest)):
        found = judged(LOW, found.pattern, "what an agent does, or the program")
    if sentence.listed and found.pattern == "always" and not lead and start:
        # "2. if it fails, always exit with 1" is a specification; a list of rules
        # starts its items with the rule.
        return None
    return found._replace(words=words)


def _first(readings: Iterable[Reading | None]) -> Reading | None:
    """The first that is explicit, else the first that is any."""
    rest = None
    for found in readings:
        if found is not None and found.confidence is HIGH:
            return found
        rest = rest or found
    return rest


_BOUND: Final = r"(?i)\b(?:for now|(?:in|for|on|with) th(?:is|ese) (?!repo|project|code ?base|team|org|house|and|but|or)[\w-]+|for the demo|for testing|this time|until)\b"


def _is_of_program(said: Clause) -> bool:
    """Whether it may as well say what the program under work does."""
    told = re.match(
        rf"(?i)(?:we )?(?:always|never|do not|don'?t|must (?:not|never|always)|should (?:not|never|always))\s+(?:ever )?{_PROGRAM}\b",
        said.rest,
    )
    to_agent = re.search(
        r"please|pls|you|\bu\b|agent|claude|remember|from now|future|general|rule",
        said.lead,
    )
    return bool(told and not to_agent) and not re.search(
        rf"(?i)\b{_WORK_NOUN}\b", said.rest
    )


def _general(said: Clause) -> Reading | None:
    """ "In general", "wherever possible": a scope of an imperative."""
    before = r"in general|generally|(?:wherever|whenever)(?: ever)? ?possible"
    behind = r"(?i)(?:keep|use|write|prefer|answer|avoid|make)\b.*\b(?:in general|generally)\b"
    if not re.search(before, said.lead) and not re.match(behind, said.rest):
        return None
    told = re.match(rf"(?i)(?:{WORK})\b", said.rest) or re.match(
        rf"(?i){_NOT}", said.rest
    )
    if told is None or re.search(ONE_OFF, said.rest, re.I):
        return None
    return judged(HIGH, "general", "a directive that is said to hold in general")


def _always(said: Clause) -> Reading | None:
    match = re.match(
        rf"(always|never)\s+(?:ever\s+|again\s+|just\s+)?({WORK})\b(?!ed)",
        said.rest,
        re.I,
    )
    if match:
        if re.match(
            rf"(?: of| about| on)?{PRONOUN}\W*(?:again\b.*)?$",
            said.rest[match.end() :],
            re.I,
        ):
            return judged(
                LOW,
                "always",
                f"'{match[1].lower()}' of something that only the session knows",
            )
        if re.search(_BOUND, said.rest):
            return judged(LOW, "always", "a directive for one place or occasion")
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
    if re.search(r"i(?:'d| would) ", said.lead) and re.match(
        r"(?i)(?:always|never) (?:[a-z]+ed|wrote|ran|put|kept|made|did|built|left)\b",
        said.rest,
    ):
        return judged(HIGH, "always", "a wish with a scope")
    match = re.match(rf"(?:do|please|you)?\s*always\s+({WORK})\b", said.rest, re.I)
    return judged(HIGH, "always", "a directive: 'always'") if match else None


_NOT = (
    rf"(?:(?:do not|don[\u2019'\u00b4]?t|dont|never|not to|to not|to never|not|no longer|shouldn[\u2019']?t|should not|mustn[\u2019']?t|must not|"
    rf"better not(?: to)?|(?:are|'re) (?:not|never) (?:allowed|supposed|permitted) to|under no circumstances)\s+(?:ever |just |simply |directly |blindly |even |you |be |please )*({WORK}|{WORKING})\b"
    rf"|(?:avoid|stop|quit|refrain from)\s+(?:ever )?({WORKING}))"
)


# Told to stop, a habit of the agent's, not a process that runs.
_HABIT: Final = r"(?i)(?:stop|quit) (?:using|adding|creating|writing|putting|making|guessing|committing|inventing|importing|mocking|including|generating|asking|apologi[sz]ing|hardcoding|duplicating)\b"
_DEFINITE: Final = r"(?i)\s+(?:the|that|this|these|those|my|your|its|it|him|her)\b"
_KEPT_OFF: Final = r"(?i)\b(?:touch|edit|change|modify|commit|format|lint)\s+(?:the |any |our )?(?:auto-?generated|generated|vendored|vendor|third[- ]party|production|prod|\.env|secrets?|lock)\b(?:[ -](?:files?|code|data|config|secrets?|types|database|db)|(?<=vendor)|(?<=\.env)|(?<=secrets)|(?<=production)|(?<=prod))\b"
_WRITTEN_IN: Final = (
    r"(?i)\b(?:in|to|into|from|on|at) (?:the |any |our |your )?(?:commit messages?|commits|prs|pr (?:descriptions?|titles?|bodies)|pull requests|comments|code comments|docs|tests|test files|"
    r"unit tests|migrations|controllers|components|error messages|changelogs?|production code|logs|branch names|docstrings|responses|answers)\b"
)


def _never(said: Clause) -> Reading | None:
    subject = (
        r"(?:(?:you|u|we|claude|codex|agents?|tests?|commits?|code|it'?s|it is)\s+)?"
    )
    match = re.match(subject + _NOT, said.rest, re.I)
    if not match:
        return None
    after = said.rest[match.end() :]
    if re.match(
        r"(?i)(?:in (?:this|our) \w+,? )?we (?:never|don)", said.rest
    ) and not re.search(MANNER, after, re.I):
        return judged(LOW, "custom", "a custom of the team, said in passing")
    if re.search(STANDING, said.plain, re.I):
        return judged(HIGH, "prohibition", "a prohibition that says how long it holds")
    if re.search(ONE_OFF, said.rest, re.I):
        return None
    if re.match(rf"(?: of| about| on)?{PRONOUN}", after, re.I):
        return None
    if re.search(SCOPE, said.rest[match.start() :], re.I) or re.match(
        r"(?i)never|under no", said.rest
    ):
        return judged(HIGH, "prohibition", "a prohibition with a scope")
    return _kind_of_work(said, match)


def _kind_of_work(said: Clause, match: "re.Match[str]") -> Reading | None:
    """A prohibition without a word of scope: of a way, a kind, or of this task alone."""
    # "Don't commit it, I'll edit it by hand": what follows has manners of its own.
    own = re.split(r",\s+", said.rest)[0]
    after = own[match.end() :]
    if len(after.split()) < 2 and not match[2]:
        return None
    if re.search(_KEPT_OFF, own):
        return judged(HIGH, "prohibition", "what nobody edits by hand")
    if re.search(_WRITTEN_IN, own):
        return judged(HIGH, "prohibition", "a prohibition for a kind of text")
    if match[2] and re.match(_HABIT, said.rest) and not re.match(_DEFINITE, after):
        return judged(HIGH, "prohibition", "a habit that shall stop")
    if re.search(MANNER, own, re.I):
        return judged(HIGH, "prohibition", "a prohibition of a way of working")
    kind = re.match(
        r"(?i)\s+(?!this\b|its\b|his\b|as\b)(?:\w+ ){0,2}?\w{3,}s\b\s+(?:that|which|in|to|with|for|from|on|into|like)\b",
        after,
    )
    if kind and not re.match(r"(?i)\s+(?:the|that|those|these|my|your|our)\b", after):
        return judged(HIGH, "prohibition", "a prohibition of a kind of thing")
    if specifies(after) or not re.search(
        r"please|pls|should|must|you|we|let", said.lead
    ):
        return None
    definite = re.match(
        r"\s+(?:the|that|this|my|your|its|his|her|their)\b(?!.*s\b)", after, re.I
    )
    return (
        None
        if definite or "sure" in said.lead
        else judged(LOW, "prohibition", "a prohibition that may be of this task alone")
    )


def _standing(said: Clause) -> Reading | None:
    if not re.search(STANDING.replace("|by default", ""), said.lead + said.rest, re.I):
        return None
    if (
        re.search(r"as a (?:general )?rule", said.lead)
        and not re.match(r"(?i)(?:the|it|this|that|an?|there)\b", said.rest)
        and len(said.rest.split()) >= 4
    ):
        return judged(HIGH, "standing", "the user calls it a rule")
    if re.match(rf"(?:{WORK})\b", said.rest, re.I) and re.search(
        r"from now on|going forward|moving forward|in (?:the |all |any )?future|henceforth|from here on|as a (?:general )?rule|next time|for (?:all )?future",
        said.lead + said.rest,
        re.I,
    ):
        return judged(HIGH, "standing", "a directive that says how long it holds")
    wished = r"(?i)(?:and |but |so |also )*(?:i|we)(?:'d| would)? (?:want|need|expect|like|prefer)\b"
    asked = re.match(wished, said.plain) or re.search(
        r"please|pls|make sure|ensure|let's|lets|i'd (?:like|prefer|love)|i want|\byou\b|\bu\b|\bwe\b",
        said.lead,
    )
    if asked and re.search(
        r"from now on|from today|going forward|moving forward|in (?:the )?future|henceforth|from here on",
        said.lead + said.rest,
        re.I,
    ):
        return judged(HIGH, "standing", "asks that something hold from now on")
    return None


def _everywhere(said: Clause) -> Reading | None:
    scope = (
        r"\b(?:everywhere|wherever(?: we| you| it(?:'s| is)?)?(?: can| possible)?|whenever (?:we|you|possible)|ever|at all times|in all cases|"
        r"across the (?:board|code ?base|repo(?:sitory)?|project)|throughout the (?:code ?base|repo(?:sitory)?|project))\b"
    )
    reach = re.search(scope, said.rest, re.I)
    if reach is None:
        return None
    if reach[0].lower() == "ever" and not re.search(
        r"(?i)\bnot?\b|\bonly\b|n't\b|\bdont\b|\bany\b|\bwithout\b",
        said.rest[: reach.start()],
    ):
        return None
    if re.match(rf"(?i)(?:{_EDITS})\b", said.rest) or re.search(
        r"(?i)\b(?:on|in|of) (?:the|that|this) (?:\S+ )?(?:page|file|module|screen|section|docs?|view|dialog|table|list|readme)\b",
        said.rest,
    ):
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


def _instead(said: Clause) -> Reading | None:
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
        if (
            named.match(match[1])
            or named.match(match[2])
            or re.search(
                r"(?i)\b(?:for|in|on) (?:the|that|an?|its|my|your) \S+",
                said.rest[match.start(1) :],
            )
        ):
            return judged(
                LOW, "instead", "one thing instead of another, perhaps only here"
            )
        if specifies(said.rest) or re.search(
            rf"(?i)\bfor (?!all|every|any|each|new|{_WORK_NOUN})\w+",
            said.rest[match.end() :],
        ):
            return judged(LOW, "instead", "one thing instead of another, in one case")
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


_RULES: Final[tuple[Callable[[Clause], Reading | None], ...]] = (
    _general,
    _always,
    _never,
    _standing,
    _everywhere,
    _instead,
    sealed,
    each_time,
    universal,
    wanted,
    none_of,
    decided,
    liking,
    custom,
)
