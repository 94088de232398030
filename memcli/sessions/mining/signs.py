"""The signs by which `hands` tells whose words a turn holds, and whether they are meant.

Invariant: a sign is a class of words or marks, never one person's sentence.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Final

_I: Final = re.IGNORECASE

# --- signs that a person speaks to the agent ------------------------------------------

# How a typed line begins; and what it never holds: a control character, half a
# quotation, a sign or a smile, a tag, an escape, a badge at its end.
BEGINS: Final = re.compile(r"\s*(?!\d+[.):])[('`@/.\w\u00a7\u00a4]")
ODD: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\u00b2\u00b3\u00b9\u2020\u2021\u2026\u201c-\u201f\u00ab\u00bb\u2190-\u2bff\u300c-\u300f\"\U0001f000-\U0001ffff]|[:;]-?[()DP](?:\s|$)|</?[A-Za-z]|\\\w|[\w.\u2026]\]\s*$|''|\u00b4|\*/|-->|\^\^|!{3}|\?{2}|\(\d+/\d+\)|\s[|\u00b7]\s|\w>\s|[Ss]ent from|\s[-\u2013\u2014~] ?[A-Z][\w.]*(?: [A-Z][\w.]*)?\W*$"
    # A mark or a number that stands for itself behind the last sentence.
    r"|\s:[\w+-]+:\s*$|[.!?]\W*\s(?!.*(?:[^\W\d_]|[\u00a7\u00a4]{3}))\S|\s[^\w\s\u00a7\u00a4.!?]+\s*$|^\s*\([^)]*$|\u00a9|[.!?]\s+(?:[\u2013\u2014-]\s|[(\[].*[)\]]\W*$)"
    # The beginning of a sentence behind no end of one: behind a name.
    r"|[\w)\]] (?:Please|Always|Never|From now|Going forward|You should)\b"
)
# What agrees, thanks, greets or only connects.
WORDS: Final = (
    r"(?:yes|yep|yeah|ok|okay|thanks?(?: you)?|thx|great|perfect|nice|cool|good(?: find| catch)?|hi|hello|hey|sure|done|right|exactly|agreed|correct|alright|please|pls|well|and|also|so|but|now|then|hmm+|first|finally|actually|btw|next|continue|proceed|(?:good ?)?bye|good night|see you(?: \w+)?|that(?:.s| is) (?:all|it)"
    r"|claude|codex|(?:looks|works|sounds) (?:good|great|fine)|(?:that|this)(?:'s| is)? (?:works?|it|right|correct)(?: now| exactly)?|got it|makes sense|(?:do|go for) (?:it|that|so)|go ahead|understood|(?:is (?:that|this) )?clear|(?:only )?respond with \w+|if you understand|one more thing)"
)
ANSWER: Final = re.compile(rf"(?:[\s,.!\u2013\u2014-]*\b{WORDS}\b)+[\s,.!]*", _I)
# What names a statement before its colon.
LABEL: Final = re.compile(
    r"(?:rules?|remember|reminder|note to self|correction|decision|(?:(?:the|one|two|three|some|a few|another|last|more|other|next|my|our) )+(?:rules?|things?|notes?|preferences?|conventions?)\b.{0,30}|(?:for|in) (?:this|the|our|all|every)\b.{0,30}|before (?:we|you) .{0,30})\W*",
    _I,
)
# "No, that's wrong", which denies what the agent said when it stands in front.
DENIES: Final = re.compile(
    r"(?:\W*(?:no|nope|stop|wait)\b\W*)*(?:(?:that|this|it)(?:'s| is| was)? (?:wrong|not (?:how|the way|right|correct|true)\b).*)?",
    _I,
)
GREETS: Final = re.compile(r"\W*(?:hi|hello|hey|thanks?)\b\W*", _I)
REPLIES: Final = re.compile(
    r"\W*(?:yes|yep|yeah|ok|okay|no|nope|hmm+|great|perfect|right|exactly|agreed|thanks|good|nice|alright)\b",
    _I,
)
# How a question asks for what it names.
POLITE: Final = re.compile(r"\b(?:can|could|would) (?:you|we)\b|\bplease\b|, ok\?", _I)
QUESTION: Final = re.compile(
    r"\?[\s)]*$|^\W*(?:why|(?:are|did|do|does|is|must|shall|should) (?:i|it|that|the|there|they|this|we|you))\b",
    _I,
)
# A task, with its thing.
TASK: Final = re.compile(
    r"\s*(?:please |pls |just |go ahead and |actually )*(?:(?:continue|debug|fix|implement|proceed|rebase|refactor|rename|rerun|revert)\b"
    r"|(?:add|ask|build|bump|change|check|clean|commit|create|delete|deploy|do|extract|finish|give|go|install|invoke|keep|look|make|merge|move|open|push|release|remove|replace|restart|review|run|show|split|start|switch|test|try|update|upgrade|use|write) (?:the|an?|all|any|more|my|our|both|two|three|option|ahead|at|for|into|me|on|up|to|with)\b)",
    _I,
)
# How a person asks about the work.
ASKS: Final = re.compile(
    r"\W*(?:(?:can|could|will|would) (?:you|we)|why (?:did|do|are|have) you|(?:when|where|which|what|how)(?!.*\b(?:it|this|that|these|those)\b))\b",
    _I,
)
# A bound or a condition of the agent's work; a word on what it does, or was told; what
# the person does meanwhile.
DIRECTS: Final = re.compile(
    r"^\W*(?:please )?(?:don'?t|do not|never|always|i (?:hate|dislike|prefer|like))\b(?!.*\b(?:it|this|that)\b)|^\W*(?:once|when|before|after|until|if)\b(?!.*\b(?:so|would|were|did)\b)"
    r"|\bi(?:'ve| have)? (?:(?:already|just|also) )?(?:told|asked|want|need) you\b|\byou (?:should|must|need to|have to) (?!not\b|never\b|have\b)|^\W*you (?:keep|forgot|missed|broke)\b|\bthat to happen again\b"
    r"|\b(?:i'm|i am|we're|we are) (?:going to )?(?:build|chang|continu|debug|deploy|fix|implement|migrat|mov|refactor|releas|replac|review|runn?|switch|test|us|work)(?:e|ing)?\b",
    _I,
)
DECIDED: Final = re.compile(r"\W*(?:\w+\W+){0,5}decision\b[^:]{0,20}:", _I)
OWN: Final = re.compile(r"\b(?:i|we|our|us)\b", _I)
OURS: Final = re.compile(r"\b(?:we|our|us)\b", _I)

# --- signs that it speaks of others' words, or does not mean its own ------------------

# "this", "that" and "it" without a noun of their own.
POINTS: Final = re.compile(
    r"\b(?:it|following|(?:this|that|these|those)(?=\W*$|[,;:]|'s| (?:is|was|are|were|to|in|into|on|for|as|at|with|from|by|out|up|all|sounds?|and|or|one|please|now)\b))",
    _I,
)
# A name for a document, or for a place of talk: by itself, or as where a thing is from.
_THE: Final = r"(?:(?:an?|the|this|that|my|our|their) )?(?:\w+ )?"
_TALK: Final = r"(?:channel|chat|commit message|discussion|document|meeting|policy|retro|spec(?:ification)?|thread|ticket)"
_DOCUMENT: Final = (
    r"(?:readme|changelog|contributing|handbook|runbook|playbook|guide(?:book|lines?)?|docs?(?!/)|documentation|wiki|rfcs?|memos?|notes|newsletters?|announcements?|(?:copy|excerpts?|extracts?|minutes|snippets?|transcript) (?:from|of)|advice|checklists?|criteria|grammat\w+|quot(?:e|es|ation)|rule of thumb|translat\w+|unread messages?|slack|e-?mails?|mails?|articles?|blog(?: ?posts?)?|posts|tickets? (?-i:#|[A-Z]|\d)\S*|(?:the|this|that) (?:policy|thread|ticket|manual(?! \w))|(?:first|next|last|second|third|this|following) (?:line|section|paragraph|chapter|part)|(?:section|chapter|appendix|page|figure) \d+|comments?(?=\W*$)|(?:file|from|read|see) \S+\.(?:md|rst|txt|pdf|docx)"
    rf"|(?:according to|as per|from|per|read|see|(?:that's|this is)(?= the)) {_THE}(?:comments?|issues?|pr|pull request|reviews?|{_TALK})"
    rf"|(?:at|check|in|into|of|on|to) {_THE}{_TALK}"
    r"|(?:commit message|issue|manual|polic(?:y|ies)|pr|pull request|release|review|spec(?:ification)?|thread|ticket)s?(?:'s)? (?:asks?|bod(?:y|ies)|demands?|descriptions?|has|notes?|mentions?|reads?|recommends?|requires?|says?|texts?|titles?|wants?))"
)
# What is done to a document that is the work; what it says is none.
_MAKES: Final = r"(?:add|build|bump|chang|clos|creat|delet|edit|fix|forg[eo]t(?:ting)?|generat|implement|merg|miss|open(?= an?\b|ed an?\b|ing an?\b)|push|rebas|refactor|remov|renam|restructur|updat|upgrad|writ|wrote)(?:e|es|ed|d|s|ing|ten)?"
DOCUMENT: Final = re.compile(
    rf"\b{_DOCUMENT} (?:asks?|demands?|goes|has|have|mentions?|puts?|reads?|recommends?|requires?|says?|states?|tells?|wants?)\b|^(?!\W*(?:please )?(?:always|don'?t|never)\b|.*\b{_MAKES}\b).*(?<!\w){_DOCUMENT}\b",
    _I,
)
# Another person, and what another person said.
PEOPLE: Final = re.compile(
    r"\b(?:he|she|him|his|her|hers|yours|who|whose|guy|architect|boss|managers?|leads?|colleagues?|co-?workers?|(?:to|tell|let|remind|inform|ask) (?:the|my|our) (?:\w+ )?(?:team|group|channel|list|devs)|customers?|vendors?|teachers?|friends?|some(?:one|body)|every(?:one|body)|no(?:body| one)|people|legal|hr|ceo|cto|regards|cheers"
    r"|(?<!\bi )(?<!\byou )(?<!already )(?:told|tells|said|says|spoke|wrote|writes|wants|forwarded|texted|answered|commented|replied|messaged|mailed|pinged|insist(?:s|ed))|(?:ask|dear|hi|hello|hey|ping|tell|thank) (?!claude|codex|copilot|cursor|gemini)(?-i:[A-Z][a-z]+)|(?:from|of|in) another|left (?:an?|some|\w+) (?:comment|note|remark|review)s?|(?<!look )(?<!looking )at (?-i:[A-Z][a-z]+)(?![\w/(]|\.\w)|teams?|(?-i:[A-Z][a-z]{2,})'s (?:comment|concern|feedback|idea|note|point|request|rule|suggestion|view|wish|words)|(?:any|have) questions|questions?,? (?:ask|contact|ping|reach)|your cooperation|have a (?:nice|good|great)|told (?-i:[A-Z][a-z]+)|contact (?:me|us|the)|reach out|auditors?|approvals?|maintainers?|employees|(?:join|star|follow) us|(?:my|our) (?:company|employer)|folks|guys|appreciate|look forward|contributions?|reserve|licen[sc]e|your pr will|sponsors?|(?:dear|hi|hey|hello) (?:all|devs)|as (?:agreed|discussed)|failure to|deviations?|mandatory|must be approved|they (?:say|want|mean|ask)|takes? over|competitors?|consultants?|contractors?|predecessors?|(?:old|last|former|previous|other) (?:job|team|company|employer|repo)|(?:found|got|get|received|saw|read|hear|heard|copied|(?:gave|had|sent|showed)(?: me| us)?) (?:this|that|it|these|something)|what i found|(?<!\bi )(?<!\byou )approved|agrees|(?:advis|argu|believ|claim|demand|expect|feel|hop|insist|mention|prefer|propos|reckon|recommend|suggest|think|warn|wish)e?s (?!(?:no|not|of)\b)|(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bi'd )(?<!\bwe'd )(?:advised|asked|believed|decided|demanded|mentioned|proposed|recommended|suggested|thought|warned|wished|would like)|(?!(?:each|it|that|this|what)\b)(?-i:[A-Z][a-z]+)(?: (?-i:[A-Z][a-z]+))? (?!(?:is|was|has)\b)\w+s (?:it|this|us|(?:that )?(?:we|you))|(?:the|our) \w+ (?:needs|wants) (?:it|that|this)|the (?:author|idea of)|(?:kudos|thanks) to|do you agree|we (?:discussed|met|talked|voted|agreed on (?:it|that|this))|(?:by|signed) (?-i:[A-Z][a-z]+)(?=\W*$)|according)\b",
    _I,
)
# A text, and what is done to one.
TEXT: Final = re.compile(
    r"\b(?:e-?mails?|mails?|(?<!commit )(?<!error )(?<!log )messages?|slack|letters?|wiki|tweets?|posters?|drafts?|repl(?:y|ies)|respon(?:d|se)(?! (?:only )?with)|wording|tone|grammar|english|feedback|comments?(?=\W*$)|memor(?:y|ies)|remembers?|typos?|sentences?|phrases?|words?|paragraphs?|texts?"
    r"|quot\w+|translat\w+|summar\w+|tl;?dr|shorte[rn]\w*|formal\w*|polite\w*|friendl\w+|re(?:write|phrase|word)\w*|proof-?read\w*|titles?|headings?|headlines?|captions?|slogans?|banners?|(?<!of )courses?|articles?|blogs?|books?|poems?|songs?|lyrics|speech|dictat\w+|transcri\w+|subtitles?|slides?|paste[ds]?|example|scenario|episode|lessons?|tutorials?|spam|scam|legit\w*"
    r"|german|french|spanish|italian|portuguese|dutch|russian|chinese|japanese|thoughts|opinions?|what do you think|wdyt|eli5|explain|say|rules?|instruct\w+|(?:this|that|these|those|same) (?:line|string)s?|placeholders?|training data|should read|(?:load|see|show|view) (?:less|more)|(?:glad|happy) to help|my next \w+|(?:what|thing|one|line) (?:that )?i(?:'ll| will)? (?:send|paste|type|write|put)|i(?:'ll| will)? (?:send|paste)|answer (?:this|that|him|her|them|to)|(?:how|what) (?:should|would|do) (?:i|you|we) (?:react|answer|reply|make of)|spell ?check|(?:warning|alternatives|assignee|author|consequences|context|labels?|owner|previous|priority|status)(?=:))\b",
    _I,
)
# A game, a story, a case that is only supposed.
PLAY: Final = re.compile(
    r"\b(?:imagine|suppose|assume|pretend\w*|hypothe\w+|what if|let's say|role-?play\w*|mock (?:interview|exam)|in character|rehears\w+|sketch|demo|games?|story|stories|novel|scene|act (?:as|like)|jok(?:e|es|ing)|kidding|ha(?:ha)+|lol|lmao|rofl|sarcas\w*|ironic\w*|quiz|riddle|exam|exercise|fiction\w*|in theory|theoretical\w*|prank|parody|satire|improv|persona|you are now|from (?:now|here) on,? you(?:'re| are)|i(?:'m| am) \w+ now|phishing|malicious|red team|attack\w*|resist|evil|trap|dry run|(?:test|see|try) (?:you\b|whether|if you|how you)|yeah right|play (?:a|an|the|my)\b)\b",
    _I,
)
# Mocked, or of no account.
MOCKED: Final = re.compile(
    r"^\W*(?:oh|wow|yay|sure|yeah|lovely|brilliant)\b[, ]|\b(?:blah|yada|(?:or )?whatever(?=\W*$)|bla|what could go wrong|because why not|see if i care|of course|obviously|apparently|supposedly|said no(?:body| one)|they said|lmao|lol|haha+|hehe|rofl|smh|gonna|thou)\b|\.\.\.\W*$|(?:/s|\b(?:jk|oops|ups|never ?mind|(?:forget|ignore) (?:it|this|that)))\W*$",
    _I,
)
# Words for other people; a question, with or without its mark, or two ways; a rule that
# holds only until a named person is done.
ASIDE: Final = re.compile(
    r"^\W*(?:please )?(?:(?:ask|tell|remind|inform|let) (?!me\b|before|first)\w|(?:should|must|would|could|do|does|is|are) (?:you|we|i)\b)|\bwhile (?-i:[A-Z][a-z])|^\W*(?:\w+ ){0,2}(?:contributors|developers|employees|engineers|maintainers|members|staff|teams)\b"
    r"|\bor (?:(?:is|are|was|do|does|did|can|could|should|not|only|just|even|maybe|sometimes)\b|what\W*$)|^(?!.*\b(?:never|no|not|before|after|when|if|without)\b|.*n't\b).*\bor\b"
    r"|(?:,|\s)(?:no|yes|right|correct|huh|eh|is that so|am i right|yes or no|(?:(?:do|does|are)(?:n'?t)? (?:we|you|they)|is(?:n'?t)? it))\W*$",
    _I,
)
# Behind a rule: who says so; or the rule is given up. A name or a place of texts, set
# off by a mark, is a source; one behind a comma needs a word of saying.
_SAYS: Final = r"(?:says|said|puts|spoke|states|stated|wrote|writes|written|quoth|thinks|reads|asked|requested|required|insists?|demands|wants|told|tells)"
SAID_BY: Final = re.compile(
    r"\b(?:forget|drop|ignore|scrap) (?:the|that|this|my|our) (?:rules?|preference|convention|decision|note)\b|\bnot\W*$"
    rf"|(?:[,;:]|\s-{{1,2}}|\s[\u2013\u2014~]|[(\[]) ?(?:{_SAYS}\b|according to\b|if you ask (?!me)|(?:as|so|thus|it) (?:\S+ ){{0,3}}?{_SAYS}\b|\S+ {_SAYS}\b|[\w.]+ (?:docs|guide|manual|handbook)\b|(?:to quote|quot(?:e|ing)|citing|courtesy|signed|in the words)\b|(?-i:[A-Z][a-z]+)(?:'s \w+| \w{{2,}}(?:s|ed))\W*$)"
    # Between brackets or behind a dash, where it comes from; a name, a place, a year.
    r"|(?:[(\[]|\s[-\u2013\u2014] )(?:[^)\]]*\b)?(?:by|cf|copied|excerpt|from|minutes|on|per|see|source|taken|ticket|via|wiki|\d{4})\b[^)\]]*[)\]]?\W*$|[(\[|] ?(?-i:[A-Z@#\d])[^)\]|]*[)\]|]\W*$|\(c\)|\b(?:best|cheers|regards|thanks|thx)\W+(?-i:[A-Z][a-z]+)\W*$"
    r"|, (?:per|via)\b|, (?:thanks? )?(?:all|colleagues|devs|every(?:body|one)|folks|guys|people|team)\W*$|^\W*(?:created|signed|written)\b.*\b(?:by|the)\b|, (?:at|by|from|in|on) (?:behalf|decree|orders?|request|\S+'s)\b|, (?:by|from) (?-i:[A-Z])|, (?-i:[A-Z][a-z]+ [A-Z][a-z]+)\b|\b20\d\d\W*$"
    r"|\s-{2} ?(?-i:[A-Z])|\s/(?:/ ?\w+| ?(?-i:[A-Z][a-z]+))\W*$|\s-{2} \w+\W*$|\s# ?\w+\W*$|\s/?cc (?:@|(?-i:[A-Z])|\w+\W*$)|\bvia (?:the |an? )?(?:docs|e?-?mail|slack|wiki)\b|\s(?:br|cheers|regards|mfg|lg(?: \w+)?|xoxo|(?:[-\u2013\u2014] )?(?:the|your) (?:\w+ )?team)\W*$|(?:\s[#@]\w[\w-]*\W*$|, @\w)|\s~ ?\w[^~]*$|\s\^ ?\w+\W*$|, (?-i:[A-Z][a-z]+), (?!and\b|or\b)(?-i:[a-z])|\byou\b.*, (?!claude|codex|copilot|cursor|gemini)(?-i:[A-Z][a-z]+)\W*$|\bis (?:what|how) (?!we\b|i\b|you\b)"
    # As somebody puts or wants it, or did with others; where it is written.
    rf"| as (?:per\b|(?-i:[A-Z][a-z]+) (?:put|{_SAYS})\b)|, (?:as|like) (?:per\b|(?-i:[A-Z][a-z]+) (?!does\b)\w+|\w{{3,}}ed (?:by|in|on|to|with)\b)|, (?:the|our|my|an?) \w+ {_SAYS}\b|, (?:wish\w*|\w{{3,}}ed by)\b"
    r"|, (?:cf|ref|refs|see|source|src)\b|(?:,|\s[-\u2013\u2014]) ?(?-i:[A-Z]{2,}-\d+)\W*$|\u00a7 ?\d[\d.]*\W*$"
    # What a chat puts behind a message: its state, its time, its answers.
    r"|[(\[][\w.]+[)\]]\W*$|(?<!after )(?<!every )(?<!for )(?<!in )(?<!of )(?<!than )(?<!to )\b\d+[smhdw](?: ago)?\W*$|\s(?:edited|pinned|seen|(?:learn|read|see|show|view) more|unsubscribe|(?-i:Copy|Like|Reply|Report|Share)|\brfc \d+|pp?\.? ?\d+)\W*$|(?<!\bat )(?<!\bby )(?<!before )(?<!after )(?<!until )\b\d?\d:\d\d(?: ?[ap]m)?\W*$|\s\d+/\d+\W*$|\s\+\d+\W*$|\b\d+ (?:comments?|likes?|reactions?|repl(?:y|ies)|votes?)\W*$",
    _I,
)
# Behind a rule: what is so now, or what comes of it, in words of its own. A reason may
# pass, and a complaint says the contrary.
BESIDES: Final = re.compile(
    r"(?:,|;|\s-|\s\u2014) (?:it|that|which|we|i|you|my|this|saves?|sadly|sigh)\b|(?:,|;|\s-|\s\u2014) (?!they\b)[^,;]{1,40}?(?:\b(?:is|are|am|was|were)\b|'(?:s|re|m)\b)"
    r"|\band (?:it|then)\b|\b(?:yesterday|today|tonight|currently|at the moment|right now|last (?:week|month|year)|option [a-h0-9])\b",
    _I,
)
# What passes or is regretted, wherever it stands.
PASSES: Final = re.compile(
    r"\b(?:still|sadly|regret|sigh|nightmare|wonder|(?:as|like) (?:always|usual|ever)|this (?:migration|refactor\w*|pr|task|change|release)|pr #?\d+)\b|\bwe (?:always|never|usually)\b.*\b(?:too|enough|wrong|late|first\W*$)\b|\buntil\b.*\b(?:is|are) (?:up|down|back|done|over|fixed|ready)\b|\b(?:before|until) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)|\bdecided\b.*\buntil\b|\bremember (?:that )?(?:i'm|i am|we're|you)\b|\bremember (?:that|this) (?:bug|day|one|time)\b|\bremember\b.*\b(?:already|(?:is|are) (?:\w+ing|red|down|broken)|i have to)\b",
    _I,
)
# Praise, and a rule in the same breath, mocks as often as it praises.
PRAISES: Final = re.compile(
    r"^\W*(?:oh,? )?(?:perfect|great|lovely|wonderful|brilliant|fantastic|awesome|(?:ok(?:ay)? )?cool|nice one|well done|good job)\b",
    _I,
)
# What announces a row of texts, each in a turn of its own.
SERIES: Final = re.compile(
    r"\bone by one\b|\bread\w* (?:\w+ )?(?:out|aloud)\b|\bdictat\w+|\bgo(?:ing)? through the (?:thread|mails?|chat|comments|tickets|proposals)\b"
    r"|\b(?:label|classif\w+|sort|translate|collect|transcribe|rate)\b.*\b(?:sentences?|messages?|strings?|proposals?|tickets?|mails?|rules?|dataset|lines?)\b|\bhere (?:are|come) the (?:tickets|requirements|proposals|sentences|messages)\b",
    _I,
)
# What stands before a colon; and what of it names a rule, where "shorter:" names a text.
NAMES: Final = re.compile(r"^\W*([\w-]+(?: [\w-]+){0,2}):\s")
HEADS: Final = re.compile(
    r"(?:\w+ )?(?:rules?|remember|reminder|note|correction|deci\w+|agreed|settled|convention|preference|lesson)\b|(?:for|in|before|when|here|this|our|my|one|two|three)\b",
    _I,
)
# Calls somebody, or has the name of who said it: "lena, ...", "lena - ...".
CALLS: Final = re.compile(
    r"\W*(?!(?:agreed|also|always|claude|codex|decided|generally|henceforth|here|however|instead|later|never|no|nope|otherwise|please|remember|settled|sorry|still|there|today|usually|wait|why|wrong)\b)[^\W\d_]+(?:,| [-\u2013\u2014]) (?!and\b|or\b|not\b)",
    _I,
)
TAKES_BACK: Final = re.compile(
    r"\b(?:never ?mind|scratch (?:that|it)|forget (?:it|that|what|about|the)|ignore|disregard|strike that|take (?:it|that|this) back|second thoughts?|opposite|contrary|fooled|refuse|nonsense|silly|ridiculous|just (?:saying|venting|testing)|wrong (?:window|chat|tab|terminal|session)|what i (?:just )?(?:said|wrote|typed)|meant for|oops|undo (?:that|this|it)|the other (?:project|repo|window|tab|chat|one))\b"
    r"|(?:n't|\bnot) (?:\w+ )?(?:mean|meant|agree|believe|listen|serious\w*|really|want (?:it|that|this)(?=\W*$))\b|^\W*(?:not|nah|or)\b",
    _I,
)
# How the turn behind a statement begins that takes it back.
BUT: Final = re.compile(
    r"\W*(?:(?:no|nope)\W*(?:$|(?:i (?:do not|don'?t|did not|didn'?t)|wrong|not|stop|the (?:other|opposite|reverse))\b)|(?:no\W+)?(?:please )?(?:stop|quit)\W*$|(?:no\W+)?(?:please )?(?:stop|quit|never|don'?t|do not|not) (?:do(?:ing)? )?(?:it|so|that|this)\b|(?:that|this)(?:'?s| is| was)? (?:all )?(?:wrong|not (?:right|true))|(?:better|rather|maybe|let'?s) (?:not|skip)|i (?:was wrong|mis\w+|take)|wrong\W*$|the (?:other way|opposite|reverse)|hold on|april|hmm*|eh\b|wait|nah|as if|of course not|until|(?:for|as) (?:now|long)|in this|no,? (?:wait|no)|sorry|oops|ups|cancel|nvm|wrong (?:repo|window|chat)|changed my mind|just (?:kidding|testing)|(?:do not|don'?t) save|(?:just|only) (?:for|in|on|once|this|today)|i meant?|actually,? (?:no|never|not|don'?t)|delete (?:it|that)|(?:it|this) was (?:an?|the|for|from|in|meant|my|said|written)\b|not (?:for you|meant)|was(?:n'?t| not) for|that(?:'?s| is)? (?:for|from|by|how|what)\b|found in\b|that was\b|vergiss|oublie|olvida)\b",
    _I,
)
GIVES_UP: Final = re.compile(
    r"\b(?:(?:own|fine|ok) again|enough|keep going with|from here on|forget|ignore|disregard|scrap|scratch|ditch|undo|never ?mind|kidding|(?:drop|no more|stop|without) (?:the|that|this)|take .{0,40}\bback|no longer|any ?more|changed? (?:my|our) mind|i was wrong|was (?:just )?a (?:joke|mistake|quote|test)|not mine|i pasted|(?:was|is|came) (?:from |by )?(?-i:[A-Z][a-z]+)'s"
    # What allows the contrary.
    r"|allowed|bad idea|don'?t care|instead|overkill|pointless|silly|stupid|too (?:much|noisy|slow)|permitted|optional|un(?:necessary|needed)|not (?:needed|necessary|required|(?:so|that) important)|needn'?t|no need|(?:don'?t|do not|doesn'?t) (?:need|have) to|too strict|after all|relax\w*|skip(?:ping)?|(?<!or )without \w+ing|(?:fine|ok(?:ay)?) (?:again|as well|from|in|too|with)|as (?:before|it was)|the old way)\b",
    _I,
)
# A condition of what a rule forbids, under which the same is right.
UNLESS: Final = re.compile(
    r"\b(?:without|before|unless|until|till|when|if|while|directly)\b", _I
)
# Denies what a claim says; and what is no denial of it, or denies in another way.
DENIED: Final = re.compile(
    r"\b(?:(?:are|ca|do|does|is|must|need|should|wo)n'?t|not|never|no(?! later\b|,)|nobody|no longer|any ?more|stop|avoid|cannot|forget|wrong|unnecessary|forbidden|nicht|kein\w*|nie|niemals|pas|jamais|nunca)\b",
    _I,
)
UNDENIED: Final = re.compile(
    r"\b(?:(?:don'?t|do not|never) (?:forget|care|mind)|you (?:did|had|have|were)(?:n'?t| not)|instead|rather|only|without|unless|until|till)\b",
    _I,
)
# Takes a thing away that a rule asks for.
STOPS: Final = re.compile(
    r"\W*(?:(?:please|no|ok(?:ay)?|so|and|just)\W+)*(?:never|don'?t(?! forget)|do not(?! forget)|stop|quit|uninstall|remove|skip|no more|we do not)\b"
    r"|.*\b(?:is|are) (?:gone|dead|deprecated)\b",
    _I,
)
# Says how a thing is done that a rule does in another way.
USES: Final = re.compile(
    r"\W*(?:(?:please|just|ok(?:ay)?|let'?s|we|i|now)\W+)*(?:prefer|take|use|write)\b",
    _I,
)
# Gives up what a rule names without naming it: "let's go back to npm".
TURNS_BACK: Final = re.compile(
    r"\b(?:back|over|return|revert|switch|move|change) to (?!(?:the|this|that|it|my|our|your|an?|work|normal)\b)[\w.-]+(?: again| now| then)?\W*$",
    _I,
)
# What a turn does with a text that comes next or went before, or an end that waits for it.
HANDS_ON: Final = re.compile(
    r"(?:[:,]|\b(?:a|an|and|about|as|at|by|for|from|in|is|of|on|or|prints?|says?|shows?|that|the|to|was|were|with))\s*$"
    r"|\b(?:add|append|change|delete|drop|find|include|insert|log|make|mention|name|paste|post|put|remove|replace|save|search|send|turn|what|where|which|who|why|write)\b[^.!?]{0,30}\b(?:it|this|that|these|those)(?=\W*$|[.!?] | (?:as|at|by|for|from|in|into|on|to|up|with)\b)"
    rf"|\b(?:add|append|change|edit|insert|put|remove|replace|write)\b.* (?=(?:in|into|of|to|with) )(?:\w+ (?:.* )?)?{_DOCUMENT}\b|\b(?:take|use|with) (?:this|these|the following) (?:\w+ )?(?:captions?|descriptions?|messages?|names?|notes?|phrases?|texts?|titles?|wording)\W*$|\b(?:it|this|that|these|those) as\b"
    r"|\b(?:about|for|of|with) (?:it|this|that|these|those)\W*$|^\W*(?:(?:is|was|are) it|(?:what )?(?:is|was|are|do|does|did) (?:this|that|these|those))\b|^(?:(?:it|that|this)(?:'s| is| was) )?(?:(?:the|some|an?) )?(?:\w+ )?(?:data|input|log|message|output|prompt|template|text)\W*$|^\W*(?:create|draft|file|i need|log|open|write)(?: an?| the| some)? (?:\w+ )?(?:bug|card|comment|entry|issue|message|notes?|story|task|test|text|ticket)\W*$",
    _I,
)
# The end of a turn that announces the next one.
ANNOUNCES: Final = re.compile(
    r"(?:[:,]|\b(?:be|below|following|reads?|said|says?|sent|states?|wrote|\w{2,}[^\We]ed)"
    r"|\b(?:following|these|this)(?: \w+){1,3})[\s.,:!]*$",
    _I,
)
DO: Final = re.compile(
    r"(?:/\w{3}|(?:build|commit|deploy|merge|push|rebase|rerun)\b)", _I
)
# The words of an agent that takes a turn for a text to work on.
TAKEN: Final = re.compile(
    r"^\W*(?:added|inserted|appended|written|typed|true|false)\b(?!.*\b(?:agents|claude|memory)\b)|\b(?:that(?:'s| is)? (?:an? )?(?:comment|joke|line|quote|saying|sentence|text)|good joke|next question|reads well|where is (?:this|that) from|(?:i'll|i will|let me) (?:add|append|insert|put|write) (?:it|that|this)(?: \w+)? (?:to|in|into|on) (?:the|your) (?!memory|project)|^\W*(?:title|subject):|thank(?:s| you) for (?:forwarding|passing|sharing|the quote)|(?:added|inserted|pasted|put|wrote) (?:it|that|the|this)(?: \w+)? (?:to|in|into)\b|(?:colleague|someone|somebody) (?:said|wrote)|(?:you(?:'ve| have)?|the) (?:pasted|shared|forwarded)|what would you like|what do you want me to|(?:this|the) (?:message|e-?mail|text|letter|post|sender|author|writer|excerpt)\b"
    r"|here(?:'s| is| are)\b[^.\n]{0,40}\b(?:drafts?|repl(?:y|ies)|responses?|answers?|versions?|summary|translation|rewrite))",
    _I,
)
# The agent hands over what comes next.
HANDS_OVER: Final = re.compile(
    r"(?:\b(?:below|following|follows?)|^(?!.*\b(?:i|i'll|i'm|let me|let's)\b).*:)\W*$|^\W*(?:(?:here(?:'s| is| are)|this is) (?:the|your) (?:content|file|output|text))\b|\b(?:downloaded|fetched|loaded|opened) (?:the|your|file|page)\b",
    _I,
)
# The agent waits for words, or asks and does not only offer to do something: the turn
# behind it may be these words.
ASKS_FOR: Final = re.compile(
    r"\W*(?:(?:and|so|or|ok(?:ay)?|sure|great|got it)\W+)*(?:what|which|who|whose|how|where|why)\b.*\?\W*"
    r"|(?!.*\b(?:(?:should|shall|may|can|could) (?:i|we)|(?:want|like) me|or|proceed|continue)\b).*\?\W*"
    r"|.*\b(?:go ahead|ready|next|shoot|your turn|enter|give|go on|listening|need the|paste|provide|quote|send|share|show|tell me|type|waiting)\b.*",
    _I,
)
SENTENCE: Final = re.compile(r"(?<=[.!?:])\s+|\n")
# The commonest words that English shares with no neighbour.
ENGLISH: Final = re.compile(
    r"\b(?:the|it|and|you|we|to|this|that|for|with|of|on|please|ok|yes|go|do|what|why|how|my|be|i|look|fix|run|add|make|not|always|never|use|should|when|before|after|are|is|has|have|from|now|new|yeah)\b",
    _I,
)
