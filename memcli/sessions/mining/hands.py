"""Whether a person says a turn to the agent and means it, or hands over others' words.

Invariant: pure. A pasted text needs no mark to be one, so a statement has to earn its
place. It is sure only in a turn of one line, as it is typed, in which every sentence is
a statement, an answer or a task, or says "I", "we", "you" or what shall be. No sentence,
and no turn around, may speak of a text, of another person or of a game, or take back.
All else is a doubt and no proof: what is in doubt waits for the person.
"""

from __future__ import annotations

import re

from memcli.entries.entry import Confidence
from memcli.entries.shipped import ordinary_words
from memcli.entries.text.tokens import STOP_WORDS
from memcli.named_tuple import NamedTuple
from memcli.sessions.mining.statements import leans, masked

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

    from memcli.sessions.mining.proof import Exchange
    from memcli.sessions.mining.rules import Rule
    from memcli.sessions.mining.statements import Sentence

_I: Final = re.IGNORECASE
# A longer line is dictated or pasted.
_LONG: Final = 800
# A turn around is read whole if it has no more words, else the sentence that is next to
# the statement; and words of a turn that may begin a game.
_SHORT, _TYPED = 25, 80
# Turns before, in which a game or a story may have begun; and turns behind, in which a
# statement may be given up.
_BEFORE, _BEHIND = 4, 50
# Of a turn around, and of the agent's reply, so many characters are read.
_READ: Final = 2_000

# --- signs that a person speaks to the agent ------------------------------------------

# How a typed line begins; and what it never holds: a control character, half a
# quotation, a sign or a smile, a tag, an escape, a badge at its end.
_BEGINS: Final = re.compile(r"\s*(?!\d+[.):])[('`@/.\w\u00a7\u00a4]")
_ODD: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u201c-\u201f\u00ab\u00bb\u2190-\u2bff\u300c-\u300f\"\U0001f000-\U0001ffff]|[:;]-?[()DP](?:\s|$)|</?[A-Za-z]|\\\w|\w\]\s*$|''|\u00b4|\*/|-->|\^\^|!{3}|\?{2}|\(\d+/\d+\)|[Ss]ent from|\s[-\u2013\u2014~] ?[A-Z][\w.]*(?: [A-Z][\w.]*)?\W*$"
)
# What agrees, thanks, greets or only connects.
_WORDS: Final = (
    r"(?:yes|yep|yeah|ok|okay|thanks?(?: you)?|thx|great|perfect|nice|cool|good(?: find| catch)?|hi|hello|hey|sure|done|right|exactly|agreed|correct|alright|please|pls|well|and|also|so|but|now|then|hmm+|first|finally|actually|btw|next|continue|proceed|(?:good ?)?bye|good night|see you(?: \w+)?|that(?:.s| is) (?:all|it)"
    r"|claude|codex|(?:looks|works|sounds) (?:good|great|fine)|(?:that|this)(?:'s| is)? (?:works?|it|right|correct)(?: now| exactly)?|got it|makes sense|(?:do|go for) (?:it|that|so)|go ahead|understood|(?:is (?:that|this) )?clear|(?:only )?respond with \w+|if you understand|one more thing)"
)
_ANSWER: Final = re.compile(rf"(?:[\s,.!\u2013\u2014-]*\b{_WORDS}\b)+[\s,.!]*", _I)
# What names a statement before its colon.
_LABEL: Final = re.compile(
    r"(?:rules?|remember|reminder|note to self|edit|ps|update|correction|decision|(?:(?:the|one|two|three|some|a few|another|last|more|other|next|my|our) )+(?:rules?|things?|notes?|preferences?|conventions?)\b.{0,30}|(?:for|in) (?:this|the|our|all|every)\b.{0,30}|before (?:we|you) .{0,30})\W*",
    _I,
)
# "No, that's wrong", which denies what the agent said when it stands in front.
_DENIES: Final = re.compile(
    r"(?:\W*(?:no|nope|stop|wait)\b\W*)*(?:(?:that|this|it)(?:'s| is| was)? (?:wrong|not (?:how|the way|right|correct|true)\b).*)?",
    _I,
)
_REPLIES: Final = re.compile(
    r"\W*(?:yes|yep|yeah|ok|okay|no|nope|hmm+|great|perfect|right|exactly|agreed|thanks|good|nice|alright)\b",
    _I,
)
# A task, with its thing.
_TASK: Final = re.compile(
    r"\s*(?:please |pls |just |go ahead and |actually )*(?:(?:continue|debug|fix|implement|proceed|rebase|refactor|rename|rerun|revert)\b"
    r"|(?:add|ask|build|bump|change|check|clean|commit|create|delete|deploy|do|extract|finish|give|go|install|invoke|keep|look|make|merge|move|open|push|release|remove|replace|restart|review|run|show|split|start|switch|test|try|update|upgrade|use|write) (?:the|an?|all|any|more|my|our|both|two|three|option|ahead|at|for|into|me|on|up|to|with)\b)",
    _I,
)
# Behind a statement such a task may be about its words.
_MAKES: Final = re.compile(
    r"\s*(?:please |pls |just )*(?:give|make|show|create|write|do|keep)\b", _I
)
_ASKS: Final = re.compile(
    r"\W*(?:why (?:did|do|are|have) you\b|(?:can|could|will|would) (?:you|we) (.*))",
    _I,
)
_QUESTION: Final = re.compile(
    r"\W*(?:when|where|which|what|how) (?!about|if|.*\b(?:it|this|that|these|those)\b)",
    _I,
)
# A bound or a condition of the agent's work; a word on what it does, or was told; what
# the person does meanwhile.
_DIRECTS: Final = re.compile(
    r"^\W*(?:please )?(?:don'?t|do not|never|always|i (?:hate|dislike|prefer|like))\b(?!.*\b(?:it|this|that)\b)|^\W*(?:once|when|before|after|until|if)\b(?!.*\b(?:so|would|were|did)\b)"
    r"|\bi(?:'ve| have)? (?:(?:already|just|also) )?(?:told|asked|want|need) you\b|\byou (?:should|must|need to|have to) (?!not\b|never\b|have\b)|^\W*you (?:keep|forgot|missed|broke)\b|\bthat to happen again\b"
    r"|\b(?:i'm|i am|we're|we are) (?:going to )?(?:build|chang|continu|debug|deploy|fix|implement|migrat|mov|refactor|releas|replac|review|runn?|switch|test|us|work)(?:e|ing)?\b",
    _I,
)
_DECIDED: Final = re.compile(r"\W*(?:\w+\W+){0,5}decision\b[^:]{0,20}:", _I)
# What may be, or was: no reason of what shall be.
_UNSURE: Final = re.compile(
    r"n't\b|\b(?:would|could|might|may|not|tried|did|was|were|had|of course|obviously)\b",
    _I,
)
_SUBJECT: Final = re.compile(r"\b(?:i|we)\b", _I)
_OURS: Final = re.compile(r"\b(?:we|our|us)\b", _I)

# --- signs that it speaks of others' words, or does not mean its own ------------------

# "this", "that" and "it" without a noun of their own.
_POINTS: Final = re.compile(
    r"\b(?:it|following|(?:this|that|these|those)(?=\W*$|[,;:]|'s| (?:is|was|are|were|to|in|into|on|for|as|at|with|from|by|out|up|all|sounds?|and|or|one|please|now)\b))",
    _I,
)
# Another person, and what another person said.
_PEOPLE: Final = re.compile(
    r"\b(?:he|she|him|his|her|hers|yours|who|whose|guy|architect|boss|managers?|leads?|colleagues?|co-?workers?|(?:to|tell|let|remind|inform|ask) (?:the|my|our) (?:\w+ )?(?:team|group|channel|list|devs)|customers?|vendors?|teachers?|friends?|some(?:one|body)|every(?:one|body)|no(?:body| one)|people|legal|hr|ceo|cto|regards|cheers"
    r"|(?<!\bi )(?<!\byou )(?<!already )(?:told|tells|said|says|spoke|wrote|writes|wants|forwarded|texted)|they (?:say|want|mean|ask)|takes? over|competitors?|consultants?|contractors?|predecessors?|(?:old|last|former|previous|other) (?:job|team|company|employer|repo)|(?:found|got|get|received|saw|read|hear|heard|copied) (?:this|that|it|these|something)|according)\b",
    _I,
)
# A text, and what is done to one.
_TEXT: Final = re.compile(
    r"\b(?:e-?mails?|mails?|(?<!commit )(?<!error )(?<!log )messages?|slack|letters?|wiki|tweets?|posters?|drafts?|repl(?:y|ies)|respon(?:d|se)(?! (?:only )?with)|wording|tone|grammar|english|feedback|comments?(?=\W*$)|memor(?:y|ies)|remembers?|typos?|sentences?|phrases?|words?|paragraphs?|texts?"
    r"|quot\w+|translat\w+|summar\w+|tl;?dr|shorte[rn]\w*|formal\w*|polite\w*|friendl\w+|re(?:write|phrase|word)\w*|proof-?read\w*|titles?|headings?|headlines?|captions?|slogans?|banners?|articles?|blogs?|books?|poems?|songs?|lyrics|speech|dictat\w+|transcri\w+|subtitles?|slides?|paste[ds]?|example|scenario|spam|scam|legit\w*"
    r"|german|french|spanish|italian|portuguese|dutch|russian|chinese|japanese|thoughts|opinions?|wdyt|eli5|explain|say|rules?|instruct\w+|(?:this|that|these|those|same) (?:line|string)s?|placeholders?|training data|should read|(?:glad|happy) to help|my next \w+|(?:what|thing|one|line) (?:that )?i(?:'ll| will)? (?:send|paste|type|write|put)|i(?:'ll| will)? (?:send|paste)|answer (?:this|that|him|her|them|to)|how (?:should|would|do) (?:i|you|we) (?:react|answer|reply))\b",
    _I,
)
# A game, a story, a case that is only supposed.
_PLAY: Final = re.compile(
    r"\b(?:imagine|suppose|assume|pretend\w*|hypothe\w+|what if|let's say|role-?play\w*|mock (?:interview|exam)|in character|rehears\w+|sketch|demo|games?|story|stories|novel|scene|act (?:as|like)|jok(?:e|es|ing)|kidding|ha(?:ha)+|lol|lmao|rofl|sarcas\w*|ironic\w*|quiz|riddle|exam|exercise|fiction\w*|in theory|theoretical\w*|prank|parody|satire|improv|persona|you are now|from (?:now|here) on,? you(?:'re| are)|i(?:'m| am) \w+ now|phishing|malicious|red team|attack\w*|resist|evil|trap|dry run|(?:test|see|try) (?:you\b|whether|if you|how you)|yeah right|play (?:a|an|the|my)\b)\b",
    _I,
)
# Mocked, or of no account.
_MOCKED: Final = re.compile(
    r"^\W*(?:oh|wow|yay|sure|yeah|lovely|brilliant)\b[, ]|\b(?:blah|yada|(?:or )?whatever(?=\W*$)|bla|what could go wrong|because why not|see if i care|of course|obviously|apparently|supposedly|said no(?:body| one)|they said|lmao|lol|haha+|hehe|rofl|smh|gonna|thou)\b|\.\.\.\W*$|/s\W*$",
    _I,
)
# Words for other people; a question, with or without its mark; a rule that holds only
# until a named person is done.
_ASIDE: Final = re.compile(
    r"^\W*(?:please )?(?:(?:ask|tell|remind|inform|let) (?!me\b|before|first)\w|(?:should|must|would|could|do|does|is|are) (?:you|we|i)\b)|\bwhile (?-i:[A-Z][a-z])",
    _I,
)
_TAKES_BACK: Final = re.compile(
    r"\b(?:never ?mind|scratch (?:that|it)|forget (?:it|that|what|about|the)|ignore|disregard|strike that|take (?:it|that|this) back|second thoughts?|opposite|contrary|fooled|refuse|nonsense|silly|ridiculous|just (?:saying|venting|testing)|wrong (?:window|chat|tab|terminal|session)|what i (?:just )?(?:said|wrote|typed)|meant for|oops|undo (?:that|this|it))\b"
    r"|(?:n't|\bnot) (?:\w+ )?(?:mean|meant|agree|believe|listen|serious\w*|really|want (?:it|that|this)\W*$)\b|^\W*(?:not|nah|or)\b",
    _I,
)
# How the turn behind a statement begins that takes it back.
_BUT: Final = re.compile(
    r"\W*(?:hmm*|wait|nah|as if|of course not|until|(?:for|as) (?:now|long)|in this|no,? (?:wait|no)|sorry|oops|ups|cancel|nvm|wrong (?:repo|window|chat)|changed my mind|just (?:kidding|testing)|(?:do not|don'?t) save|(?:just|only) (?:for|in|on|once|this|today)|i meant?|actually,? (?:no|never|not|don'?t)|delete (?:it|that)|(?:it|this) was (?:an?|the|for|from|in|meant|my|said|written)\b|not (?:for you|meant)|was(?:n'?t| not) for|that(?:'?s| is)? (?:for|from|by|how|what)\b|found in\b|that was\b|vergiss|oublie|olvida)\b",
    _I,
)
_GIVES_UP: Final = re.compile(
    r"\b(?:forget|ignore|disregard|scrap|scratch|ditch|undo|never ?mind|kidding|(?:drop|no more|stop|without) (?:the|that|this)|take .{0,40}\bback|no longer|any ?more|changed? (?:my|our) mind|i was wrong|was (?:just )?a (?:joke|mistake|quote|test))\b",
    _I,
)
# What a turn does with a text that comes next or went before, or an end that waits for it.
_HANDS_ON: Final = re.compile(
    r"(?:[:,]|\b(?:a|an|and|about|as|at|by|for|from|in|is|of|on|or|says?|shows?|that|the|to|with))\s*$"
    r"|\b(?:add|append|change|delete|drop|find|include|insert|log|make|mention|name|paste|post|put|remove|replace|save|search|send|turn|what|where|which|who|why|write)\b[^.!?]{0,30}\b(?:it|this|that|these|those)(?=\W*$|[.!?] | (?:as|at|by|for|from|in|into|on|to|up|with)\b)"
    r"|\b(?:add|append|change|edit|insert|put|remove|replace|write)\b.*(?:\.md|contributing|docs?|guide|handbook|readme|wiki)\b|\b(?:it|this|that|these|those) as\b"
    r"|\b(?:about|for|of|with) (?:it|this|that|these|those)\W*$|^\W*(?:is|was|are) (?:it|this|that|these|those)\b|^\W*(?:create|file|log|open|write) an? (?:\w+ )?(?:bug|card|comment|entry|issue|note|story|task|test|ticket)\W*$",
    _I,
)
# A sentence: who or what does something, or what is to be done.
_SAYS: Final = re.compile(
    r"\b(?:i|i'?m|we|you|it|let'?s|is|are|was|were|has|have|does|do|did|can|could|should|would|will|must|needs?|wants?|fail(?:s|ed|ing)|works?|pass(?:es|ed)|(?:ca|could|did|do|does|had|has|have|is|should|was|were|wo|would)n'?t|always|never)\b|\?\W*$"
    r"|^\W*(?:/\w|(?:please |pls |just |then |also |now )*(?:add|address|bring|build|bump|change|check|clean|commit|complete|configure|continue|create|debug|delete|deploy|document|draft|ensure|explore|extract|find|finish|fix|focus|fold|generate|get|give|go|have|help|implement|improve|include|install|keep|launch|link|look|make|merge|migrate|move|open|prefer|pull|push|put|rebase|refactor|release|remember|remove|rename|replace|rerun|reset|respond|review|rewrite|run|set|show|skip|split|squash|start|stop|switch|try|turn|update|upgrade|use|verify|wait|write)\b)",
    _I,
)
_DO: Final = re.compile(
    r"(?:/\w{3}|(?:build|commit|deploy|merge|push|rebase|rerun)\b)", _I
)
# The words of an agent that takes a turn for a text to work on.
_TAKEN: Final = re.compile(
    r"\b(?:that(?:'s| is)? (?:an? )?(?:comment|joke|line|quote|saying|sentence|text)|good joke|next question|(?:added|inserted|pasted|put|wrote) (?:it|that|the|this)(?: \w+)? (?:to|in|into)\b|(?:colleague|someone|somebody) (?:said|wrote)|(?:you(?:'ve| have)?|the) (?:pasted|shared|forwarded)|what would you like|what do you want me to|(?:this|the) (?:message|e-?mail|text|letter|post|sender|author|writer|excerpt)\b"
    r"|here(?:'s| is| are)\b[^.\n]{0,40}\b(?:drafts?|repl(?:y|ies)|responses?|answers?|versions?|summary|translation|rewrite))",
    _I,
)
# The agent waits for words, or asks and does not only offer to do something: the turn
# behind it may be these words.
_ASKS_FOR: Final = re.compile(
    r"\W*(?:(?:and|so|or|ok(?:ay)?|sure|great|got it)\W+)*(?:what|which|who|whose|how|where|why)\b.*\?\W*"
    r"|(?!.*\b(?:(?:should|shall|may|can|could) (?:i|we)|(?:want|like) me|or|proceed|continue)\b).*\?\W*"
    r"|.*\b(?:enter|give|listening|need the|paste|quote|send|share|show|tell me|type|waiting)\b.*",
    _I,
)
_SENTENCE: Final = re.compile(r"(?<=[.!?:])\s+|\n")
# The commonest words that English shares with no neighbour.
_ENGLISH: Final = re.compile(
    r"\b(?:the|it|and|you|we|to|this|that|for|with|of|on|please|ok|yes|go|do|what|why|how|my|be|i|look|fix|run|add|make|not|always|never|use|should|when|before|after|are|is|has|have|from|now|new|yeah)\b",
    _I,
)


# What is of the trade: things and acts, and how its names are written.
_WORK: Final = re.compile(
    r"\b(?:(?:apis?|auth|backend|bugs?|class(?:es)?|cli|ci|code|commands?|comments?|continue|css|db|deps?|dev|diffs?|docs?|env|exports?|features?|files?|fix|fixe[ds]|flags?|frontend|functions?|gh|git|html|https?|imports?|interface|json|logs?|main|master|methods?|modules?|npm|null|packages?|patch|pip|plan|pnpm|production|projects?|prs?|pull requests?|push|python|release[sd]?|repos?|review|routers?|run|runs|running|schema|scripts?|server|sessions?|specs?|sql|tabs?|tests?|tested|testing|todos?|tools?|ts|types?|typing|ui|unit|url|variables?|versions?|works|working|(?<=it )work|worktree|yarn|callers?|clients?|columns?|controllers?|errors?|factory|fields?|folders?|headers?|history|ids?|layers?|literals?|names?|pages?|paths?|tables?|values?)\b"
    r"|(?:abstract|annot|architect|asser|branch|build|cach|changelog|codebase|coding|commit|compil|component|config|container|coverage|databas|debug|dependenc|deploy|docker|document|eject|endpoint|enum|eslint|(?<!no )exception|float|format|github|handler|implement|indent|install|kubern|librar|lint|logging|logger|merg|metadata|migrat|mock|naming|parameter|parser|pipeline|plugin|postgres|pytest|quer(?:y|ies)|readme|rebas|refactor|regex|reposit|retr(?:y|ies)|returns?\b|snapshot|squash|staging|string|timestamp|timeout|typescript|upgrad|whitespac|wrapper|yaml)\w*)"
    r"|\w_\w|\w\.[a-z]{1,4}\b|/[a-z]|(?-i:[a-z][A-Z]|\b[A-Z]{3,}\b)|--\w|\u00a7|#\d",
    _I,
)


_DAY: Final = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:jan|febr)uary|march|april|june|july|august|(?:septem|octo|novem|decem)ber)\b",
    _I,
)
# How the agent talks.
_TALK: Final = re.compile(
    r"\b(?:ask (?:me|before|first)|asking|(?:your|with|in) (?:\w+ )?(?:answers?|replies|summaries|explanations)|explain|guess\w*|assum\w+|speak \w+ (?:to|with) me|(?:answer|reply|respond|write|think|talk) in \w+|confirm|approv\w+|interview|apologi\w+|emojis?|english|spelling|use \S+ (?:instead of|rather than))\b",
    _I,
)


class Around(NamedTuple):
    """The session around a turn: the person's turns before it, the last one first; the
    agent's last sentence before it; its reply; the person's next turn; and those behind
    it that give something up."""

    before: Sequence[str]
    asked: str
    reply: str
    after: str
    given_up: Sequence[str]


def around(exchanges: Sequence[Exchange]) -> list[Around]:
    """The session around each of its turns."""
    texts = [one.turn.text[:_READ] if one.turn else "" for one in exchanges]
    give_up = [
        text if _words(text) <= _SHORT and _GIVES_UP.search(text) else ""
        for text in texts
    ]
    found, last = [], ""
    for place, each in enumerate(exchanges):
        said = [one.text for one in each.steps if one.role == "assistant"]
        before = texts[max(0, place - _BEFORE) : place][::-1]
        after = texts[place + 1] if place + 1 < len(texts) else ""
        later = [*filter(None, give_up[place + 1 : place + 1 + _BEHIND])]
        asked = _SENTENCE.split(last.rstrip(" *_`\n"))[-1]
        found.append(Around(before, asked, "".join(said[:1])[:_READ], after, later))
        last = said[-1][-_READ:] if said else ""
    return found


def in_doubt(
    text: str, own: Sequence[Sentence], rules: Sequence[Rule | None], near: Around
) -> bool:
    """Whether the statements of a turn may be another's, or not be meant.

    Args:
        text: the turn.
        own: the sentences of it that may be the person's.
        rules: which rule finds something in each of them.
        near: the session around the turn.
    """
    lines = [line for line in masked(text).split("\n") if line.strip()]
    typed = [line for line in lines if not _ANSWER.fullmatch(line)]
    if len(typed) > 1 or len(text) > _LONG or not all(map(_is_typed, typed)):
        return True
    answers = _ASKS_FOR.fullmatch(near.asked) and not _REPLIES.match(text)
    if answers or _is_announced(near):
        return True
    if any(_stems(text) & _stems(later) for later in near.given_up):
        return True
    if not _is_of_trade(lines):
        return True
    explained = [_is_explained(*each) for each in zip(own, rules, strict=True)]
    behind = ""
    for place, (one, rule) in enumerate(zip(own, rules, strict=True)):
        plain = one.plain
        sure = rule is not None and rule.confidence is not Confidence.LOW
        if rule is not None and sure and behind != "explained":
            taken_back = behind and _TAKES_BACK.search(plain)
            mocked = _MOCKED.search(plain) or _PLAY.search(plain)
            if (
                taken_back
                or mocked
                or _ASIDE.search(plain)
                or not _is_introduced(plain, rule)
            ):
                return True
            behind = "explained" if explained[place] else "ruled"
            continue
        rests = place + 1 < len(own) and leans(own[place + 1].text)
        replies = any(explained) and _REPLIES.match(plain)
        if not behind and (rests or replies):
            said = not _is_about(plain)
        else:
            said = _is_said(plain, behind)
        if not said:
            return True
    return False


def _is_typed(line: str) -> bool:
    return bool(_BEGINS.match(line)) and not _ODD.search(line)


def _is_of_trade(lines: Sequence[str]) -> bool:
    """Whether lines are of the trade: a word of them is, or is no word of English."""
    plain = _DAY.sub("", " ".join(lines))
    if _WORK.search(plain) or _TALK.search(plain):
        return True
    ordinary = ordinary_words()
    return any(word not in ordinary for word in re.findall(r"[a-z]{4,}", plain.lower()))


def _is_explained(one: Sentence, rule: Rule | None) -> bool:
    """Whether a sentence begins what others explain: a decision, or what is right."""
    if rule is None:
        return False
    return bool(_DECIDED.match(one.plain) or _DENIES.fullmatch(one.plain))


def _is_announced(near: Around) -> bool:
    """Whether the turns around a turn, or the agent, may take it for a text or a game."""
    if any(_words(text) <= _TYPED and _PLAY.search(text) for text in near.before):
        return True
    said = (text for text in near.before if not _ANSWER.fullmatch(text))
    last, after = next(said, ""), near.after
    if _BUT.match(after) or _TAKEN.search(near.reply):
        return True
    if after and near.reply.rstrip().endswith("?") and _words(after) <= 3:
        return True  # the agent doubted it too
    return not (_is_of_work(last, -1) and _is_of_work(after, 0))


def _stems(text: str) -> set[str]:
    words = re.findall(r"[^\W\d_]{4,}", text.lower())
    return {word[:5] for word in words if word not in STOP_WORDS}


def _is_of_work(text: str, next_to: int) -> bool:
    """Whether a turn around a statement is of the work alone; one without words is.

    Args:
        text: the turn.
        next_to: which of its sentences stands next to the statement.
    """
    plain = masked(text).strip()
    if _ANSWER.fullmatch(plain) or not plain:
        return True
    if next_to and plain.endswith(":"):
        return False
    if _words(plain) > _SHORT:
        # Of several lines it is a specification.
        return "\n" in plain or not _is_about(_SENTENCE.split(plain)[next_to])
    if _is_about(plain) or _HANDS_ON.search(plain):
        return False
    if next_to and _REPLIES.match(plain):
        return True
    if not _WORK.search(plain):
        return False
    if not (_SAYS.search(plain) or _ANSWER.match(plain)):
        return False
    words = _words(plain)
    return bool(_ENGLISH.search(plain) if words > 3 else words > 1 or _DO.match(plain))


def _is_introduced(plain: str, rule: Rule) -> bool:
    """Whether what stands before a statement in its sentence introduces it."""
    match = rule.pattern.search(plain.lower())
    lead = plain[: match.start()] if match else plain
    lead = lead if _PLAY.search(lead) else _bare(lead).strip()
    if not lead or _LABEL.fullmatch(lead) or _DENIES.fullmatch(lead):
        return True
    task = _TASK.match(lead) and not lead.rstrip().endswith(" that")
    own = _DIRECTS.search(lead) or task
    return bool(own or rule.category == "correction") and not _is_about(lead)


def _is_said(plain: str, behind: str) -> bool:
    """Whether a sentence of a turn is said to the agent, and meant.

    Args:
        plain: the sentence, as `Sentence.plain` has it.
        behind: what stands before it: "", a statement, or one that is "explained".
    """
    if not behind:
        plain = _DENIES.sub("", plain, count=1)
    if not plain or _ANSWER.fullmatch(plain):
        return True
    if _is_about(plain, explains=behind == "explained"):
        return False
    if behind == "explained":
        words = plain.split()
        return len(words) > 2 and sum(word[:1].islower() for word in words) > 1
    if plain.rstrip(" )").endswith("?"):
        asks = _ASKS.match(plain)
        if _POINTS.search(plain):
            return False
        if asks is None:  # a question about the work, with a thing of its own
            return bool(behind and _QUESTION.match(plain) and _WORK.search(plain))
        if asks[1] is None:
            return not behind
        plain = asks[1]
    plain = _bare(plain)
    if _DIRECTS.search(plain):
        return len(plain.split()) > (4 if behind else 2)
    if behind and _MAKES.match(plain):
        return False
    pointed = _POINTS.search(plain)
    if behind and _OURS.search(plain) and not (pointed or _UNSURE.search(plain)):
        return True
    return bool(_TASK.match(plain) and (_SUBJECT.search(plain) or not pointed))


def _bare(plain: str) -> str:
    """Words without the answer that they begin with."""
    answer = _ANSWER.match(plain)
    return plain[answer.end() :] if answer else plain


def _is_about(plain: str, *, explains: bool = False) -> bool:
    """Whether words are about a person, a text or a game, or take something back.

    An explanation may be about a text, and who says "we" speaks of the work.
    """
    if _PEOPLE.search(plain) or _PLAY.search(plain) or _TAKES_BACK.search(plain):
        return True
    ours = explains or (_OURS.search(plain) and not _POINTS.search(plain))
    return bool(_TEXT.search(plain)) and not ours


def _words(text: str) -> int:
    return len(text.split())
