"""Ideas: what a person would like to have one day, and does not ask for now.

Invariant: pure. An idea is put off in words (later, at some point, its own project);
a wish alone is a request, and a question is a question.
"""

import re
from typing import Final

from memcli.entries.entry import Confidence
from memcli.sessions.mining.candidate import Reading
from memcli.sessions.mining.sentences import Sentence

MEDIUM, LOW = Confidence.MEDIUM, Confidence.LOW

_LATER: Final = (
    r"(?:later(?: on)?(?! (?:than|today|in the|you))|eventually|some ?day|one day|at some (?:future |later )?point|in (?:the|a) (?:future|later|follow[- ]?up|next) ?(?:version|release|phase|pr|iteration|step|milestone)?|"
    r"down the (?:line|road)|as a follow[- ]?up|long(?:er)?[- ]term|next (?:version|release|quarter|milestone)|(?:in|for|with) v\d|(?:in|for) a later (?:version|phase|release|pr|milestone))"
)
_PATTERNS: Final[tuple[tuple[str, Confidence, str, str], ...]] = (
    (
        "deferred",
        MEDIUM,
        "something to do, put off to later",
        rf"\b(?:we|i|you|one|let's|lets) (?:should|could|can|might|may|would|will|'ll|want to|may want to|might want to|need to|park|shelve)?\b.{{0,80}}\b{_LATER}\b"
        rf"|\b{_LATER},? (?:we|i|you|it|this|that) ?(?:should|could|can|might|may|would|will|want|need|have to|'d)\b"
        r"|\b(?:we|i) (?:should|could|might|can|will|need to|have to|'ll) (?:revisit|come back to|pick (?:this|that|it) up|park)\b|\b(?:let'?s|let us) (?:revisit|park)\b"
        rf"|\b(?:for|in) v\d\b.{{0,40}}\b(?:would|could|should|might|'d|want)\b"
        r"|\bas an? (?:future|later|possible|potential) (?:improvement|enhancement|idea|work|optimi[sz]ation)\b|\bcould be (?:an?|the) .{2,40}\bfor (?:a|the) (?:later|future|next)\b|\b(?:future|possible|later|potential) (?:improvements?|enhancements?|work|extensions?|optimi[sz]ations?)\b\s*[:,-]|\b(?:follow[- ]?up|backlog|roadmap)\s*:\s|\b(?:nice|good|possible|great|separate|for a) follow[- ]?up\b",
    ),
    (
        "own-project",
        MEDIUM,
        "something that could stand for itself",
        r"\b(?:could|should|might|would|can|deserves to) be(?:come)? (?:its|their|an?|it's) (?:own|separate) (?:project|tool|thing|package|library|repo(?:sitory)?|plugin|pr|issue|feature|service)\b",
    ),
    (
        "ticket",
        MEDIUM,
        "an issue or note for later",
        rf"\b(?:create|open|file|add|make|write|put)\b.{{0,40}}\b(?:issue|ticket|todo|card|backlog|story|note)\b.{{0,80}}\b(?:later|future|follow[- ]?up|someday|eventually|handle|out of scope|(?:don'?t|do not|won'?t|never) forget|{_LATER})\b"
        r"|\b(?:add|put|move) (?:it|this|that|them) (?:to|in|on) (?:the|our|my) (?:gsd )?(?:backlog|todos?|roadmap|wish ?list|parking lot)\b"
        r"|\b(?:add|put|note|write)\b.{2,80}\b(?:in|to|on|into) (?:the|our) (?:backlog|roadmap|wish ?list|parking lot)\b"
        r"|\b(?:make|create|open|file) (?:an? |the )?follow[- ]?up (?:ticket|issue|todo|pr|task)\b",
    ),
    (
        "todo",
        LOW,
        "something to do that is written down, not done",
        r"\b(?:add|create|log|make|open|file|capture)\b (?:an? |the )?(?:new )?(?:gsd |linear |github |jira )?(?:todo|ticket|issue|backlog item)\b (?:for|about|regarding|on|to|that)\b",
    ),
    (
        "noted",
        MEDIUM,
        "worth noting for later",
        r"\b(?:worth(?:while)?|good) (?:noting|writing|recording|exploring|looking into|considering|investigating|thinking about)\b.{0,120}\b(?:planning|trade-?off|possible|future|later|solution|roadmap|backlog|idea|option)\b",
    ),
    (
        "idea",
        MEDIUM,
        "called an idea",
        r"(?:^|[.!]\s*|\b(?:another|an|my|new|random|crazy|just an|one more) )idea(?: for (?:later|the future))?: ",
    ),
    (
        "wish",
        LOW,
        "a wish for some day",
        rf"\bwould be (?:nice|cool|great|useful|interesting|good|awesome)\b.{{0,100}}\b(?:{_LATER}|in future|another pr|separate pr|next pr|not now)\b|\bnot now,? but\b.{{0,20}}\bwould be (?:nice|cool|great|useful|good)\b|\bnice[- ]to[- ]have\b|\b(?:research|explore|investigate|look into)\b.{{3,60}}\b{_LATER}\b",
    ),
)
_SUBJECTS = ("we ", "We ", "let", "Let", "at some", "At some")
# Later today is a plan, and "we'll see later" nothing.
_NO_IDEA: Final = (
    r"(?i)\b(?:later today|tell (?:me|you) later|see you|talk (?:about it )?later|(?:i|we|you|let'?s)(?:'ll| will| can)? (?:do|check|see|review|look|test|decide|merge|push|commit|come back|get|handle) (?:it|that|this|them)?\s*later|"
    r"(?:i|we) \w+ (?:it|that|this|them) later|remind me|sooner or later|later (?:commits?|stages?|steps?|versions? of)|no later|or later\b|(?:minute|second|hour|day|week|month|year|moment|commit|step|line|turn|bit|while)s? later|much later|later,? (?:it|he|she|they|i) (?:was|were|had|got|failed|crashed))"
)


def idea(sentence: Sentence) -> Reading | None:
    """What a sentence puts off to some day."""
    plain = sentence.plain
    if re.search(_NO_IDEA, plain):
        return None
    if plain.rstrip().endswith("?") and not re.match(
        r"(?i)\W*(?:should|could|can|maybe|perhaps|what about|how about)\b.*\b(?:we|it)\b",
        plain,
    ):
        return None
    for name, confidence, rationale, shape in _PATTERNS:
        match = re.search(shape, plain, re.I)
        if match:
            # What leads up to it may be longer than the idea.
            start = match.start() if match[0].startswith(_SUBJECTS) else 0
            words = sentence.text[start:].lstrip(" .!,")
            return Reading(confidence, name, rationale, words)
    return None
