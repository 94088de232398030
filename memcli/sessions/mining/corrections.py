"""Where a person set the agent right.

Invariant: pure. A correction answers something the agent said or did; "no" alone
answers a question. HIGH says what is wrong and what is right; the rest is MEDIUM when
the agent took it up, and LOW when it did not.
"""

import re
from typing import Final, NamedTuple

from memcli.entries.entry import Confidence
from memcli.sessions.mining.candidate import Reading
from memcli.sessions.mining.sentences import Sentence

HIGH, MEDIUM, LOW = Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW

_WRONG: Final = (
    r"(?:^|[.,;!]\s*|\b(?:but|no|nope|and|hmm+|ok|well|actually)[,:]?\s+)(?:"
    r"(?:that|this|it)(?:['\u2019]?s| is| was)? (?:not (?:quite |really |entirely |fully |at all )?(?:correct|right(?! (?:after|before|at|below|above|now|side|next|here|there))|true|what i (?:asked|meant|want(?:ed)?|said))|wrong|incorrect|false|n[o']t true)"
    r"|that isn['\u2019]?t (?:correct|right|true|what i (?:asked|meant|want(?:ed)?|said))"
    r"|you (?:should(?:n['\u2019]?t| not)? have|misunderstood|got (?:it|that|this) wrong|are wrong|['\u2019]?re wrong|forgot(?! to (?:push|commit|save|run))|missed(?! (?:one|two|nothing)\b)|broke|were (?:not )?supposed to|keep (?:\w+ing|forgetting)|removed|deleted|ignored)"
    r"|i (?:said|told you|asked (?:you )?(?:for|to)|meant|never (?:said|asked))\b"
    r"|not what i (?:asked|meant|want(?:ed)?)|why did you\b"
    r"|(?:option \w+|that|this|it|your (?:\w+ )?(?:approach|fix|change|solution|suggestion|version)) (?:doesn['\u2019]?t|does not|won['\u2019]?t|will not|can['\u2019]?t|didn['\u2019]?t) work (?:since|because|as)(?! i\b| soon| well\b| expected| intended| before\b| it should| yesterday| last\b| this morning| the (?:last|update|upgrade|deploy)| today)"
    r"|(?:that|this|it) (?:should(?:n['\u2019]?t| not) (?:have )?be(?:en)?|should have been|should be\b(?=.{2,60}\b(?:not|instead|rather)))\b"
    r"|(?:that|this|it)(?:['\u2019]?s| is) not how\b|that isn['\u2019]?t how\b"
    r"|(?:this|that|the|your) (?:[\w-]+ ){0,2}(?:assumption|statement|explanation|description|claim|docs?|comment|conclusion|reasoning|premise|logic|approach|analysis|plan|understanding|summary|idea|theory)(?: \w+)? (?:is|was) (?:wrong|incorrect|false|not (?:correct|right|true))\b"
    r"|(?:you|we) can(?:['\u2019]?t|not) (?:just |simply |really |always )?(?:use|do|rely|assume|guarantee|store|take|derive|compare|expect|call|trust|compute|put|key|skip) .{2,60}?\b(?:since|because|as (?:the|it|this|that|we)|that['\u2019]?s why)\b"
    r"|(?:option|approach|variant|version|solution|idea|plan|way|this|that|it) \w{0,12} ?(?:doesn['\u2019]?t|does not|won['\u2019]?t|will not|can['\u2019]?t) work,? (?:since|because|as)\b(?! i\b| soon| well\b| expected| intended| before\b| it should| yesterday| last\b| this morning| the (?:last|update|upgrade|deploy)| today)"
    r"|you(?:['\u2019]re| are) (?:mixing|confusing|conflating)\b|you mixed (?:up )?\w+"
    r"|(?:that|this) is (?:only |just )?(?:partly|partially|half) (?:true|right|correct)"
    r"|wrong[,:.!]|not (?:true|correct),"
    r")"
)
_RIGHT: Final = (
    r"\b(?:we (?:don['\u2019]?t|do not|never|always|only|should|use|need|have to)|should (?:be|have|use|not|never|always|only)|shouldn['\u2019]?t|instead(?: of)?|rather than|"
    r"must(?: not)?|has to|have to|never|always|that['\u2019]?s why we|because we|the (?:right|correct|proper) (?:way|one|name|path|place))\b"
)
# A flat denial; what follows it in plain words is then how it is.
_FLAT: Final = (
    r"(?i)\b(?:wrong|incorrect|false|not (?:correct|right(?! (?:after|before|at|below|above|now|next))|true|how\b[^,.:;]*)|isn['\u2019]?t (?:correct|right|true|how\b[^,.:;]*)|mixing \w+ up|misunderstood|got (?:it|that|this) wrong|confusing \w+|"
    r"can(?:['\u2019]?t|not) .{3,60}?(?=\b(?:since|because|as|that['\u2019]?s)\b)|work,? (?=(?:since|because|as)\b(?! i\b| soon| well\b| expected| intended| before\b| it should| yesterday| last\b| this morning| the (?:last|update|upgrade|deploy)| today)))(?P<after>.*)"
)
_FACT: Final = (
    r"(?i)^[\s,.:;!\u2014-]*(?:since|because|as|it'?s because)?\s*(?!(?:i|please|pls|can|could|do|does|why|what|how|and|just|now|still|anymore|any ?more|here|again|with)\b)[^?]{0,80}?"
    r"\b(?:is|are|was|has|have|had|runs?|lives?|comes?|happens?|changes?|can|can'?t|gets?|creates?|uses?|needs?|reads?|writes?|sees?|shares?|contains?|"
    r"returns?|doesn'?t|does not|don'?t|do not|never|always|only|should|must)\b"
)
# "No" and how it is, with what it is not.
_NO_BUT: Final = (
    r"(?i)^(?:ok |well |h+m+,? )?(?:no|nope|nah|wrong|actually)[,.:!]*\s+(?!because\b|[^.]*\bstill\b)(?![^,.]{2,30}\bones? (?:is|are|was)\b)(?![^.]*\b(?:is|are) (?:fine|ok|okay|good|better|enough)\b)(?!(?:keep|use|put|take|do|make|write|i|it|its|that|thats|this|there|please|just|only|then|we|you|the (?:first|second|third|last|other))\b)"
    r"(?=.*\b(?:is|are|was|were|has|have|lives?|runs?|should|must|can)\b)(?=.*(?:\b(?:and|,|but)? ?(?:not|never) (?:the|in|on|an?|from|by|with|at|its?|to|run|be|part)\b|\bnever\b|\bonly\b|that'?s why|\bbecause\b|\bsince\b))(?:\S+\s+){5}"
)
_TOLD: Final = r"(?i)\bi (?:already |just )?(?:told|asked) you (?:to|not to|never)\b(?=.*\b(?:not|never|instead)\b)"
# What is right, without a word that something was wrong.
_MILD: Final = (
    r"(?:^(?:ok |well )?(?:no|nope|nah|wait|hmm+|actually)\b(?!,? (?:keep|use|put|take|do|make|write|only|just)\b).{3,120}?(?:,| and| but) ?not (?:the|in|on|an?|from|by|with|at|its?|my|your|to)\b"
    r"|\bi (?:was|am|'m) (?:talking|asking) about\b|\bi meant (?!to\b)|\byou (?:\w+ed|took|did|put|ran) the wrong\b|\bno,? it'?s the other\b|\bother way (?:a)?round\b|\byou only (?:fixed|changed|updated|did|added|removed)\b|^not (?:the|in|on) .{2,40}, (?:the|in|on)\b|\b(?:the|my) test setup was wrong\b|\b(?:that|this|it) (?:broke|breaks)\b(?! if| when)|\bthat'?s the wrong\b"
    r"|\b(?:no|actually),? .{0,80}?\btalking about\b|^it'?s not the \w+, it'?s|\bshouldn'?t (?:this|that|it) be\b.{3,80}\b(?:not|instead)\b"
    r"|\b(?:that|this) (?:isn'?t|is not|is no longer) (?:true|the case|needed|correct) any ?more\b|\bnot any ?more,? (?:we|since|because)\b"
    r"|the (?:code|test|spec|doc(?:s|umentation)?|implementation|config) (?:is|are|was) (?:right|correct|fine|wrong)\b"
    r"|\bcan['\u2019]?t (?:we|you) just (?!get|do (?:it|that|this))\w+|\b(?:is|are|was) (?:just )?\S+(?: \S+)?(?:,| and) not (?:an? |the )?\S+|\bit['\u2019]?s not (?:even )?(?:an? |the )?[^.]{2,40}?(?:,| it['\u2019]?s| but)"
    r"|\bthe (?:issue|problem|bug) was (?:with|in|that)\b.*\b(?:already|not|isn['\u2019]?t|wasn['\u2019]?t)\b)"
)
_PARTIAL: Final = r"(?:\b(?:this|that) is|^) ?not (?:fully|entirely|quite|completely) (?:true|right|correct|accurate)\b"
_POLITE: Final = (
    r"correct me if|if i(?:'m| am) (?:wrong|mistaken|not mistaken)|am i (?:wrong|right|correct)|is (?:this|that|it) (?:right|correct|wrong)\b.*\?|what(?:'s| is) wrong|"
    r"^(?:does|do|did|is|are|was|were|could|would|how|what|when|where|which|who|should)\b.*\?\s*$"
)
# German, French, Spanish, Portuguese, Chinese, Japanese: that is wrong.
_ELSEWHERE: Final = (
    r"^(?:nein|non|no|não)?[,!. ]*(?:das (?:ist|war) (?:falsch|nicht richtig|nicht korrekt|nicht das)|das stimmt (?:so )?nicht|c'est (?:faux|incorrect)|ce n'est pas (?:correct|ça|bon|ce que)|"
    r"(?:eso |esto )?(?:está mal|es incorrecto|no es correcto|no es lo que)|(?:isso |isto )?(?:está errado|não está certo|não é o que))\b"
    r"|^(?:不对|不是这样|错了|你(?:搞|弄|写)错了|这是错的)|^(?:違います|違う|それは(?:違|間違)|間違(?:って|い))"
)
_TAKEN_UP: Final = (
    r"(?i)\b(?:you(?:['\u2019]re| are) (?:absolutely |completely |quite )?(?:right|correct)|good (?:point|catch|call)|(?:ah|oh|right|understood|apolog\w+|sorry|my mistake|i (?:see|misunderstood|was wrong))\b[,.!\u2014 -]|"
    r"let me (?:fix|correct|revert|restore|update|undo|change|redo)|i(?:['\u2019]ll| will) (?:fix|correct|revert|restore|update|undo|change|use)|(?:fixed|corrected|reverted|restored|updated)\b|makes sense|fair point)"
)
_REFUSED: Final = (
    r"(?i)^\W*(?:actually,? (?:the|it|that|this)|i (?:checked|verified|looked) .{0,40}(?:and|but) (?:it|that|this) (?:is|does|was) (?:already |actually )?(?:correct|right|there)|"
    r"that(?:['\u2019]s| is) (?:fine|expected|by design))"
)


class Reaction(NamedTuple):
    """What the agent did after a turn: its next words, and whether it acted."""

    words: str
    acted: bool

    @property
    def took_up(self) -> bool:
        """Whether it agreed, or changed something, and did not contradict."""
        if re.search(_REFUSED, self.words[:200]):
            return False
        return self.acted or bool(re.search(_TAKEN_UP, self.words[:300]))


def correction(sentence: Sentence, rest: str, reaction: Reaction) -> Reading | None:
    """What a sentence sets right.

    Args:
        sentence: of a turn that answers the agent.
        rest: the sentence that follows it in the turn, which may say what is right.
        reaction: what the agent did then.
    """
    plain, words = sentence.plain, sentence.text
    if re.search(_POLITE, plain, re.I):
        return None
    if re.search(_PARTIAL, plain, re.I):
        return Reading(
            LOW, "not-quite", "says that something is only partly true", words
        )
    wrong = re.search(_WRONG, plain, re.I) or re.search(_ELSEWHERE, plain, re.I)
    if _denies_by_fact(sentence, reaction):
        why = "says no, and how it is; the agent took it up"
        return Reading(HIGH, "correction", why, words)
    if wrong and (found := _corrected(sentence, wrong, rest, reaction)):
        return found
    if re.search(_MILD, plain, re.I) and reaction.took_up:
        return Reading(
            MEDIUM, "set-right", "says how it is; the agent took it up", words
        )
    return None


def _denies_by_fact(sentence: Sentence, reaction: Reaction) -> bool:
    """Whether it says no and how it is, and the agent agreed."""
    answer = re.search(_NO_BUT, sentence.plain)
    asked = "?" in sentence.plain
    return bool(answer) and reaction.took_up and sentence.framed and not asked


def _corrected(
    sentence: Sentence, wrong: "re.Match[str]", rest: str, reaction: Reaction
) -> Reading | None:
    """What a sentence sets right that says in words that something was wrong."""
    plain, words = sentence.plain, sentence.text
    following = f"{words} {rest}".strip()
    tail = plain[wrong.start() :]
    opening = wrong[0].strip(" ,.").lower()
    if opening.startswith("why did") and not re.match(
        r"(?i)(?:i|we|it|that|this|the)\b", rest
    ):
        return None
    told = bool(re.search(_TOLD, plain)) and reaction.took_up
    asks = opening.startswith(("why did", "i asked", "i said", "i meant", "i told"))
    stated = reaction.took_up and _states(tail, rest)
    ruled = bool(re.search(_RIGHT, f"{tail} {rest}", re.I))
    right = ruled or stated or told
    short = len(plain[wrong.end() :].split()) < 2 and not rest
    # How the result shall look is of this task; what should have been done is not.
    looks = re.match(
        r"(?:\W|but |no |ok |well |and )*(?:this|that|it) should(?!.{0,6}have)", opening
    )
    if right and not (short or looks) and sentence.framed and (told or not asks):
        why = "says that it was wrong, and what is right"
        if reaction.took_up:
            why += "; the agent took it up"
        elif re.search(_REFUSED, reaction.words[:200]):
            why += "; the agent saw it otherwise"
            return Reading(LOW, "correction", why, following)
        alone = re.search(_RIGHT, plain, re.I) or _states(tail, "")
        return Reading(HIGH, "correction", why, words if alone else following)
    if short and not asks:
        return None
    confidence = MEDIUM if reaction.took_up and right else LOW
    if confidence is LOW and not reaction.took_up:
        return None
    return Reading(confidence, "correction", "says that it was wrong", following)


def _states(tail: str, rest: str) -> bool:
    """Whether a flat denial goes on with how it is."""
    flat = re.search(_FLAT, tail)
    if re.search(r"(?i)\b(?:right now|at the moment|currently|today|is down)\b", tail):
        return False
    return flat is not None and any(
        len(part.split()) >= 5
        and re.search(_FACT, part) is not None
        and not re.search(r"(?i)\?|any ?more", part)
        for part in (flat["after"], rest)
    )
