"""The words that say who shall do what, how far and how long.

Invariant: pure. Tables and the cutting of a sentence into clauses; what they mean
together is for `directives`, `customs` and `reminders` to say.
"""

import re
from typing import Final, NamedTuple

from memcli.entries.entry import Confidence
from memcli.sessions.mining.candidate import Reading
from memcli.sessions.mining.sentences import CODE, QUOTE

# What an agent does, as opposed to what the program does that it works on.
WORK: Final = (
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
WORKING: Final = r"[a-z-]{2,}ing"
OBJECT: Final = rf"(?:[\w{CODE}{QUOTE}@/.+#-]+)"
FILLER: Final = (
    r"(?:ok(?:ay)?|k|um|uh|yes|yeah|yep|yup|sure|no|nope|nah|well|so|also|and|but|or|oh|hey|hi|h+m+|alright|all right|right|great|good|nice|"
    r"cool|perfect|thanks|thank you|now|then|next(?! time)|again|actually|btw|by the way|fyi|important(?:ly)?|reminder|rule|"
    r"note(?: that)?|please note(?: that)?|one (?:more |other |last )?thing|(?:just )?a (?:quick |small )?reminder|in general|generally(?: speaking)?|as always|as (?:i )?said(?: before)?|going back|"
    r"claude|codex|gemini|copilot|please|pls|plz|kindly|just|really|instead|(?:can|could|would|will) (?:you|u|we)|let's|lets|let us|"
    r"i(?:'d| would)? (?:really )?(?:always )?(?:want|need|prefer|expect|like|love|ask) (?:you|u|claude|us|it)(?: all)? to|i(?:'d| would) (?:like|prefer|love) (?:it )?(?:that|if)(?: you| we| u)?|i want that(?: you| we| u)?|i(?:'d| would) rather (?:you|we)|"
    r"(?:you|u|we|everyone|claude|codex|agents?)(?:'ll| will)? (?:should|must|need to|have to|ought to|shall)|you are to|"
    r"make (?:really |100% )?sure(?: that)?(?: you| u| we| to)*|be sure(?: to| that you)?|ensure(?: that)?(?: you| u| we)*|see to it that(?: you| we)?|"
    r"remember(?: to|,|:| that you(?: should| must)?)?|try to|in this (?:repo(?:sitory)?|project|code ?base)|for this (?:repo(?:sitory)?|project|code ?base)|"
    r"from now on|going forward|moving forward|in (?:the )?future|henceforth|from here on(?: out)?|from today(?: on)?|as a (?:general )?rule(?! of)|by default|it'?s (?:really |very |super )?important (?:that (?:you|we|u)|to)|"
    r"for (?:all )?(?:the )?(?:next|future) \w+|for (?:the )?future|next time|(?:wherever|whenever|where|when|if) ?(?:ever )?possible|in (?:all |any )?future \w+)[,:;!]*\s+"
)
STANDING: Final = (
    r"\b(?:from now on|from today on|going forward|moving forward|in (?:the )?future|henceforth|from here on|for the future|as a (?:general )?rule(?! of)|in (?:all |any )?future \w+|"
    r"for (?:all )?future \w+|next time|by default|for (?:all|every|any) \w+)\b"
)
SCOPE: Final = (
    r"\b(?:always|never|ever|everywhere|wherever|anywhere|whenever|every ?time|each time|at all times|no matter|under no circumstances|"
    r"without exception|in all cases|in every case|at any (?:time|point)|across the (?:board|code ?base|repo(?:sitory)?|project)|"
    r"throughout the (?:code ?base|repo(?:sitory)?|project))\b|" + STANDING
)
MANNER: Final = (
    r"\b(?:directly|blindly|manually|silently|automatically|by hand|by [a-z]+ing|without|instead of|rather than|(?:when(?:ever)?|if|before|after|unless|until) (?:i|you|u|we|asking|checking|running|reading|talking|told|asked)\b|whenever|"
    r"again|ever|any (?!more)[a-z]+s?|just|simply|on (?:main|master|prod(?:uction)?)|to (?:main|master|prod(?:uction)?)|in production)\b"
)
ONE_OFF: Final = (
    r"\b(?:yet|for now|right now|this time|for the moment|at the moment|for the time being|until|today|tonight|tomorrow|temporarily|so far|"
    r"(?<!from )now|(?:in|for|with|on) th(?:is|ese) (?!repo|project|code ?base|team|org|house|(?:in|and|but|or|so|when|if|btw|please|pls|too|as)\b)[\w-]+|(?<!we have )(?<!we do )here|(?<!it )(?<!me )(?<!that )(?<!this )first|before we start|one more time|this round|"
    r"before i (?:had|have|'ve|did|get|am|come|look|check)\b|worry|bother|mind|panic|hesitate|feel free)\b"
)
PRONOUN: Final = (
    r"\s+(?:it|this|that|them|these|those|anything|so|all of (?:it|them|this))\b"
)
AUXILIARY: Final = (
    r"^(?:why|what|how|when|where|which|who|is|are|was|were|do|does|did|should|could it|can it|isn't|aren't|doesn't|don't (?:we|you)|"
    r"shouldn't|has|have|if|in case|assuming|suppose|i(?! always (?:want|prefer|like|need)) (?:allow|think|guess|believe|thought|wonder|see|saw|don't|do not|never|always|was|am|have)|i'm|i've)\b"
)


# What a clause may begin with after a comma: people type on where a book has a stop.
_OPENER: Final = (
    "but|and|so|then|please|pls|plz|also|never|always|don'?t|do not|make sure|from now|let'?s|can you|could you|we|you|u|"
    "no|in (?:this|the future|future)|every|each|all|when(?:ever)?|before|wherever|going forward|next time|stop|use|"
    "avoid|i want|i'?d|i don'?t want|i always|i prefer|keep|as a rule|update|add|remember|memori[sz]e|note|worth|just|must|better not"
)
# A condition on the program under work, not on what the agent or the team does.
_CONDITION: Final = re.compile(
    r"\b(?:if|when|whenever|once|in case|unless|as soon as|given)\b(?! (?:i|you|u|we|possible|needed|necessary|in doubt|unsure|not sure|writing|adding|creating|fixing|changing|\w+ing)\b)",
    re.IGNORECASE,
)
# What the agent or the team does, told as a condition of a rule.
WHENEVER: Final = (
    r"(?:(?:before|after|when|whenever|every ?time|each time|any ?time|if|once|as soon as) (?:that )?(?:(?:you|u|we|i)(?:'re| are| ever)? )?"
    r"(?:start(?:ing)? (?:a|an|with|work)|commit\w*|push\w*|finish\w*|complet\w+|add(?:ing|s)?|chang(?:e|ing)|writ(?:e|ing)|creat(?:e|ing)|fix(?:ing)?|edit(?:ing)?|touch(?:ing)?|"
    r"modif(?:y|ying)|updat(?:e|ing)|mak(?:e|ing)|implement(?:ing)?|refactor(?:ing)?|merg(?:e|ing)|renam(?:e|ing)|run(?:ning)?|deploy(?:ing)?|delet(?:e|ing)|remov(?:e|ing)|"
    r"generat(?:e|ing)|open(?:ing)? (?:a |the )?(?:pr|pull)|releas(?:e|ing)|bump(?:ing)?|review(?:ing)?|install(?:ing)?|clos(?:e|ing) (?:a|an|the)|mov(?:e|ing)|not sure|unsure|in doubt)\b)"
)


class Clause(NamedTuple):
    """A clause, the courtesies that were taken off its start, and what is left."""

    plain: str
    lead: str
    rest: str


def clauses(plain: str) -> list[tuple[int, int]]:
    """Where the clauses of a sentence stand; the whole sentence is the first."""
    cut = re.compile(
        rf"[;:\u2014]\s+|\s-{{1,2}}\s|,\s+(?=(?:{_OPENER})\b)"
        r"|(?:,\s*)?\b(?:but|and)\s+(?=(?:please|pls|also|never|always|don'?t|do not|make sure|remember|from now|memorize|in (?:the )?future)\b)"
        r"|\s(?=(?:please|pls) (?:don'?t|do not|never|always|make sure)\b)|\band (?=we should (?:never|always)\b)|[(]",
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


def specifies(before: str) -> bool:
    """Whether what stands before a clause makes it a case of a program.

    "If there is no session, always create one" says what the program does; "before you
    commit, always run the tests" what the agent does.
    """
    labelled = re.search(r"\.(?!md\b)\w{1,5}\s*:\s*$", before)
    return bool(labelled or _CONDITION.search(re.split(r"[;\u2014]", before)[-1]))


def is_asked(plain: str) -> bool:
    """Whether a clause is a question; "ok?" at its end only wants a nod."""
    asked = plain.rstrip(" )")
    nod = r"(?i)[,.]?\s*(?:does (?:that|this|it) make sense|ok(?:ay)?|yeah|got it|please|thanks|thx|deal|clear|understood)\s*\?+$"
    return asked.endswith("?") and not re.search(nod, asked)


def stripped(clause: str) -> tuple[str, str]:
    """(what was taken away, what is left) of a clause without its courtesies."""
    rest = clause.lstrip(" ,-(")
    lead = ""
    while match := re.match(FILLER, rest, re.IGNORECASE):
        lead += match[0].lower()
        rest = rest[match.end() :]
    return lead, rest


def judged(confidence: Confidence, pattern: str, rationale: str) -> Reading:
    """A reading whose words are those of its clause; `directives` fills them in."""
    return Reading(confidence, pattern, rationale, "")
