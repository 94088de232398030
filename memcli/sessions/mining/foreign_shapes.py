"""The shapes of foreign text: a table to read and to extend, for `foreign`.

A shape is how a program, a mail or a chat lays text out: where it puts names, times,
brackets and colons. It holds in any language; where words are needed, they stand in
the languages that mail programs speak most. A shape has to serve people who never met.
"""

from __future__ import annotations

import re
from itertools import pairwise

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

_I: Final = re.IGNORECASE


def _any(*shapes: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{shape})" for shape in shapes), flags)


# --- what stands between two marks -----------------------------------------------------

ENCLOSED: Final = _any(
    r'"""[\s\S]*?(?:"""|\Z)|\'\'\'[\s\S]*?(?:\'\'\'|\Z)',
    r"(?<!\S)/\*(?=[\s*!])[\s\S]*?(?:\*/|\Z)|<!--[\s\S]*?(?:-->|\Z)",
    r"\u201c[^\u201d\u201c]{2,4000}\u201d|\u201e[^\u201c-\u201e]{2,4000}[\u201c\u201d]|\u00ab[^\u00ab\u00bb]{2,4000}\u00bb|\u300c[^\u300c\u300d]{2,4000}\u300d",
    # A document of a shell, and what stands between <<< and >>>.
    r"<<-?[ \t]*(?:[A-Z_]{2,20}|[^\w\s]{2,20}|['\"][A-Z_]{2,20}['\"])[ \t]*(?:>[^\n]*)?\n[\s\S]*?(?:\n[ \t]*[A-Z_]{2,}[ \t]*(?=\n|\Z)|\Z)|(?m:^)[ \t]*<{3,}[ \t]*\n[\s\S]*?(?:\n[ \t]*>{3,}|\Z)",
    # A quotation over several lines: it opens one, and closes another.
    r'(?m:^)[ \t]*"(?=[^"\n]*\n)[^"]{2,4000}"(?=[.,;:!?)]*\s*$|\s*\n)',
)

# --- words of other people, of programs: to the end of the turn -----------------------

_CLOCK: Final = r"\d{1,2}[:.h]\d\d(?::\d\d)?(?:\s?(?:[ap]\.?m\.?|uhr|utc|gmt|h)\b\.?)?"
_DATE: Final = (
    r"\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[/.-]\d\d?[/.-]\d{2,4}|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? \d"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|m[a\u00e4]r|mai|okt|dez|janv|f\u00e9vr|ao\u00fbt|d\u00e9c|ene|abr|ago|dic)[a-z\u00e9]*\.? '?\d{1,4}\b"
    r"|\d\d?\.? (?:de )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|m\u00e4r|mai|okt|dez|janv|f\u00e9v|avr|juin|juil|ao\u00fb|d\u00e9c|ene|abr|ago|dic)[a-z\u00e9]*\b"
)
_AGO: Final = (
    r"\b(?:\d+|an?|one|few) ?(?:s|secs?|m|mins?|h|hrs?|d|w|seconds?|minutes?|hours?|days?|weeks?|months?|years?)\.?(?: ago)?$"
    r"|\bago\b|\bvor (?:\d+|einem|einer) \w+|\bil y a \S+ \w+|\bhace \S+ \w+|\bjust now|\bgerade eben|\b(?:yesterday|today|this (?:morning|afternoon|week)|last (?:night|week)|gestern|heute|ayer|hoy|hier)$"
)
_WROTE: Final = (
    r"(?:wrote|writes|commented|replied|posted|answered|asked|said|says|shared|pinned|opened|reported|reviewed|approved|merged|left a comment|requested changes"
    r"|napisa\u0142|pisze|skrev|kirjoitti|started a (?:thread|discussion|conversation)|schrieb|kommentierte|antwortete|hat (?:[^\s.]+ ){1,4}(?:kommentiert|geschrieben|geantwortet)|a \u00e9crit|a comment\u00e9|a r\u00e9pondu|escribi\u00f3|coment\u00f3|respondi\u00f3|ha scritto|schreef|escreveu)"
)
_WHEN: Final = re.compile(
    rf"(?:{_CLOCK}|{_DATE}|{_AGO}|[\w.+-]+@[\w-]+\.\w+)", re.IGNORECASE
)
_HEADED: Final = re.compile(rf"\b{_WROTE}\b[^.!?]{{0,50}}$", re.IGNORECASE)
# Names and times alone: no word of a sentence.
_NAMES: Final = re.compile(
    r"(?:[\s\W\d_]|\b[A-Z][\w'-]*|@\S+|\S+@\S+|\b(?:at|on|um|am|le|el|\u00e0|a las|de|von|van|ago|via|bot|app|edited|pm|uhr|vor|il y a|hace|just now)\b|\b[ap]\.?m\.?\b|\d ?[a-z]{1,7}\b|\b[a-z][\w.-]{1,30}(?=\W*(?:\d|[\u2014\u00b7\u2022|,(\[])))+"
)

TURN: Final = _any(
    # Heads of mails, by their fields.
    r"^\W{0,4}(?:from|to|cc|bcc|subject|date|sent|reply-to|re|fwd?|von|an|betreff|gesendet|datum|aw|wg|de|\u00e0|objet|envoy\u00e9|para|asunto|enviado|fecha|rv|da|oggetto|inviato|van|aan|onderwerp|verzonden|assunto)\s?:[*_]*\s+\S",
    r"^\s*[-_=*~]{3,}\s*\w.{0,80}?[-_=*~]{3,}\s*$",
    r"\b(?:forwarded|original|weitergeleitete\w*|urspr\u00fcngliche) (?:message|nachricht|e-?mail)\b|\bmessage (?:transf\u00e9r\u00e9|r\u00e9exp\u00e9di\u00e9|d'origine)|\bmensaje (?:reenviado|original)|\bmessaggio (?:inoltrato|originale)",
    # What a model or its host says of itself.
    r"\b(?:summary|recap|transcript|zusammenfassung|r\u00e9sum\u00e9|resumen) (?:of|der|des|de|del) (?:(?:the|this|our|your|la|cette|esta|el|l')\s?)?(?:\w+ )?(?:conversation|session|chat|discussion|thread|meeting|unterhaltung|gespr\u00e4chs?|sitzung|conversaci\u00f3n|sesi\u00f3n|r\u00e9union)\b",
    r"\bsession is being continued|\bconversation (?:so far|history|was|is|has)\b",
    r"^\W*(?:[\w-]+ ){0,3}?\w*(?:hook|additional context|tool result|system prompt|assistant|human)\b[^:\n]{0,50}:(?:\s|$)",
    r"^\W*(?:\[(?:hook|tool|system|assistant|user|agent|bot|automated)\b[^\]]*\])",
    r"^\s*(?:fwd?|re|aw|wg|tr|rv)\s*:?\s*$",
    # The badge that a forge puts below a name or behind it.
    r"^\s*(?:contributor|collaborator|member|maintainer|owner|[\w.-]+ \[?bot\]?)\s*$",
    # A text to work on, without a colon.
    r"^\W*(?:(?:please|pls|kindly|can you|could you|now|bitte|kannst du|peux-tu|puedes) )*(?:translate|proof-?read|summari[sz]e|paraphrase|rephrase|reword|spell-?check|\u00fcbersetz\w*|korrigiere|fasse?|tradui\w*|r\u00e9sume\w*|reformule\w*|traduc\w*|traduzca|resum\w+|corrige)\b[^.!?\n:]{0,60}$",
    # Docs and reviews have headings.
    r"^\s*(?:#|=){1,6}\s+[^\W\d]",
    # The name of a file between marks, as programs print it above its text.
    r"^\s*(?:=+>|-{2,}|={2,})\s+\S+\s+(?:<=+|-{2,}|={2,})\s*$|^\W*contents? (?:of|from) [@\"'`\u00a4]?\S",
    flags=_I,
)
_TASK: Final = (
    r"translate|proof-?read|summari[sz]e|paraphrase|re(?:phrase|word|write)|spell-?check|correct|explain|classify|shorten|improve|reply to|respond to|mean"
    r"|\u00fcbersetz\w*|korrigier\w*|erkl\u00e4r\w*|fasse?\b.*zusammen|tradui\w*|r\u00e9sume\w*|corrige\w*|explique\w*|traduc\w*|traduzca|resum\w+|explica\w*"
)
TASK: Final = re.compile(rf"^\W*(?:[\w']+ ){{0,4}}?(?:{_TASK})\b[^.!?\n]*:", _I)


def is_head(read: str) -> bool:
    """Whether a line says who wrote what follows, and when.

    >>> is_head("Ada Lovelace  10:32 AM"), is_head("it broke 2 days ago")
    (True, False)
    """
    plain = read.strip(" \t*_")
    if len(plain) > 120 or len(plain.split()) > 14:
        return False
    if _OWN_LEAD.match(plain) or not _WHEN.search(plain.rstrip(" :.)]")):
        return False
    return plain.endswith(":") or bool(_HEADED.search(plain) or _NAMES.fullmatch(plain))


REVIEW: Final = re.compile(
    r"comment on lines|suggested change|nitpick|potential issue|coderabbit|greptile|bugbot|sonar(?:cloud|qube)|\bp[0-3] badge\b|useful\? react with|\blgtm\b"
    r"|^[ \t]*(?:in|on) \S{1,200}\.\w{1,5}(?::\d+| line)|_?\u26a0\ufe0f|copilot (?:ai|review)",
    _I | re.MULTILINE,
)
HEADING: Final = re.compile(
    r"\s*(?:#{1,5}\s+\S|\*\*[^*]{1,60}\*\*:?\s*$|\*\*[^*]{1,60}(?:\*\*:|:\*\*)|\|[^|].*\|\s*$|={3,}\s*$|-{3,}\s*$)"
)
# What starts like this is written for a model, or is a message of a commit.
COMPOSED: Final = _any(
    r"\s*you are (?:an?|the|now) (?:[\w-]+ ){0,5}?(?:engineer|developer|expert|agent|assistant|reviewer|architect|writer|analyst|auditor|specialist|tester|planner|researcher|orchestrator|executor|programmer|model|ai)\b",
    r"\s*(?:feat|fix|chore|docs|refactor|test|perf|ci|build|style)(?:\([\w ,/-]{1,40}\)!?: \S|!?: [^\n]{1,100}\n\s*\n)",
    r"\s*(?:stop|pre\w+|post\w+|session\w*) hook (?:feedback|error|blocking|says)|\s*act as an? |\s*your (?:task|role|job) is ",
    flags=_I,
)
# Two lines with names before them are a chat, or a head of fields; "note:" names nobody.
_LABEL: Final = re.compile(
    r"\s*(?:[*_]{1,2})?(?:[\[(]?\d\d?:\d\d(?::\d\d)?(?: ?[ap]m)?[\])]?\s*)?(?:@?[^\W\d_][\w.'-]{0,24})(?: [A-Z][\w.'-]{0,24}){0,2}(?: \([^)\n]{1,20}\))?[*_]{0,2}:[*_]{0,2}\s+\S"
)
_NO_NAME: Final = re.compile(
    r"\W*(?:also|and|but|so|note|notes|nb|rules?|important|remember|reminder|ideas?|bugs?|fix|todo|questions?|edit|ps|update|btw|fyi|"
    r"next|correction|first|second|third|finally|preferences?|conventions?|always|never|yes|no|ok|\w+s|option \w)\s*:",
    _I,
)
# Three such lines are YAML, or the head of a document.
KEYED: Final = re.compile(r"\s*(?:- )?[a-z_][\w.-]{0,40}:(?:\s+[^\s,]+){0,4}\s*$", _I)


def is_label(read: str) -> bool:
    """Whether a line begins with the name of a speaker or of a field."""
    return bool(_LABEL.match(read)) and not _NO_NAME.match(read)


# --- what a program printed: to the next empty line -----------------------------------

PARAGRAPH: Final = _any(
    # A prompt of a shell, of an interpreter, of a database.
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\^\[\[|\\(?:033|x1b|e)\[|\[\d{1,3}(?:;\d{1,3})*m",
    r"^\s*[$%<>\u276f\u279c\u00bb](?:\s|$)|^\s*\S+@\S+[:~ ][^\n$#]{0,60}[$#%]\s|^\s*(?:PS )?[A-Za-z]:\\[^>\n]{0,80}>|^\s*PS [^>\n]{0,80}>|^\s*\([\w.-]+\)\s+\S{0,40}[$%#>]",
    r"^\s*(?:>>>|\.\.\.|In \[\d+\]:|Out\[\d+\]:|irb\S*>)\s|^\s*[\w.:@~/()\[\]-]{2,60}[>$]\s+\S|^\s*[\w.-]+[=-]?[#>]\s|^\s*\S{0,60}[~/\])][#%]\s|^\s*[~/]\S{0,60} [$#%]\s",
    # Lines of logs: a moment or a level first, key=value pairs, JSON.
    r"^\s*[\[(<]?(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d?[/.]\d\d?[/.]\d\d+)[T ,_]|^\s*[\[(<]?\d\d?:\d\d(?::\d\d|[\])>]| ?[AaPp][Mm][\])>])|^\s*[A-Z][a-z]{2} +\d\d? \d\d:\d\d|^\s*\[?\s*\d+\.\d{3,}\]",
    r"^\W{0,3}(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE|PANIC)\b|^\s*[IWEF]\d{4} |\b(?:level|lvl|msg|ts|severity)=|^\s*\w+\[\d+\]:|^\s*[\w.-]+\s+\|\s",
    r'^\s*\{\s*["\u201c].*["}\],\u201d]\s*$|\s(?:INFO|WARN(?:ING)?|ERROR|DEBUG|FATAL)[\s:\]|]',
    r"^\s*[\w./:\[\]-]{0,60}\b(?i:error|exception|fatal|warn(?:ing)?|remote|panic|traceback|failed|failure|hint|deprecated|deprecation)\b\s*[:\]]",
    # Traces, and what compilers and tests print.
    r'^\s*(?:Traceback|File "|at \S+ ?\(|Caused by|Exception in|goroutine \d|thread \'|-->|FAIL\b|PASS\b|ok \d|not ok \d|E  +\S|={3,} )|^\s*[\w.]*(?:Error|Exception|Warning|Interrupt|Failure)\b\s*[:(]',
    r"^\s*(?:npm|yarn|pnpm) (?:WARN|ERR|notice)\b|error TS\d|TS\d{4}:|\S\.\w{1,4}:\d+(?::\d+)?[:\s]|^\s*\d+(?:[\u2192|:]|[,;\t](?=\S))|^\s*::\w|^\S+\.\w{1,5}-\d+-|^\s*(?:- )?[\w.-]+: *[>|][-+]?\s*$",
    # A commit, as logs and blame begin their lines; a note below a text.
    r"^\s*\^?(?=[a-f]*\d)[0-9a-f]{7,40}\s+\S|^\s*\[\^[\w-]+\]:",
    r"^\s*(?:diff --git|index [0-9a-f]{7,}|commit [0-9a-f]{7,}|(?:Author|Date|Merge):\s|\+\+\+|---\s|@@)",
)

# --- what a program is: this line ------------------------------------------------------

_MACHINE: Final = _any(
    # Code, its comments, and what is laid out in columns.
    r"^\s*(?:def|class|func|fn|import|from|const|let|var|return|package|public|private|static)\s+\S+.*[;:{(=]\s*$|^\s*(?://|/\*|\*/|\*\s|\*$|--\s|--\[|=\w+\s*$|;+\s|%+\s|\|\s|\"\"\"|'''|<!--|#(?!\d)|REM\s|@\w+\s)",
    r"[;)}\]{=,]\s*(?://|#|/\*|--)\s|[;{}]\s*$|^\s*[\w.]+\s*(?:[:+-]?=|=>|<-)\s*\S|^\s*</?\w+[^>]*>\s*$|^\s*[{}\[\]();,]+\s*$|\*/|\S\s+//\s",
    r"^\s*(?://|/\*|#|--|\*)?\s*(?:TODO|FIXME|XXX|HACK)\b|[\u2500-\u257f]|\S {3,}\S|^ {4,}\S|^\t+\S|^\s*[>+]\s",
)
# What stands for code and quotations is as good as letters.
_COVERED: Final = re.compile("[\u00a7\u00a4\ue000]")


def is_machine(read: str) -> bool:
    """Whether a program wrote this line."""
    if _MACHINE.search(read):
        return True
    read = _COVERED.sub("", read)
    letters = sum(char.isalpha() or char == " " for char in read)
    return len(read) > 30 and letters < 0.65 * len(read)


# --- in doubt, and signs of the person --------------------------------------------------

# How a sentence begins behind a comma, when the word before it is nobody's name.
_ADVERBS: Final = r"also|and|but|or|so|ok|okay|yes|yeah|yep|no|nope|now|then|well|please|pls|again|however|instead|generally|usually|normally|otherwise|first|second|third|finally|lastly|additionally|furthermore|moreover|thus|therefore|anyway|sorry|right|great|perfect|thanks|cool|agreed|decided|settled|decision|correct|wrong|exactly|sure|hmm+|claude|codex|gemini|copilot|cursor|agents?|remember|reminder|notes?|important|always|never|henceforth|tip|ps|btw|fyi|oh|ah|hey|hi|hello|good|nice|rules?|convention|policy|preference|wait|stop|actually|going|from|tests?|docs?|commits?|code|idea|backlog|todo|lesson|done"
# How a statement begins.
_BEGINS: Final = r"(?:from now on|going forward|in future|always|never|please|pls|do not|don'?t|we(?:'ve| have)? (?:decided|agreed)|we use|i prefer|ask me|every|all|no|remember|decision(?=:))(?!\w)"
DOUBTFUL: Final = _any(
    # A head that may be a sentence; a text that is announced; a ruler; an open quote.
    rf"^\W*(?!i |we |you |as )(?:[^\s.!?,;]+ ){{1,4}}{_WROTE}(?:\s|$)",
    r"^\W*(?:here(?:'s| is| are| comes)|below (?:is|are)|hier (?:ist|sind|kommt)|voici|aqu\u00ed (?:est\u00e1n?|tienes|va)|ecco)\b",
    # A text that comes next.
    r"\bhere(?:'s| is| are)\b[^.!?\n]{0,60}:\s*$|^\W*(?:the|these) following\b[^\n]*:\s*$|^\W*(?:next|below|this) (?:is|comes) (?:the|an?) \w+\b",
    # A ticket's "As a user, I want", a model's courtesy.
    r"^\W*as an? \w[\w -]{2,40},? i (?:want|need|would like)\b[^\n]*\bso that\b|^\W*certainly\b[!.,]|\bi'?d be (?:happy|glad) to help\b|\bas an ai\b",
    # A name behind a dash; a quotation that only ends; a line that hangs.
    r"\s[\u2013\u2014-]{1,2}\s(?-i:[A-Z][a-z'.-]+(?: [A-Z][\w'.-]*){1,2})\s*$",
    r"^\s+\*\s|^[^\"]*\"(?:[^\"]*\"[^\"]*\")*[^\"]*$|[\u201c-\u201f\u00ab\u00bb\u2039\u203a\u300c-\u300f]|\b(?:is|are|was|has|says?|said|prints?|printed|contains?|shows?|reads?|gets?|got|returns?|errors?|with|as|like)\s*$",
    r"\b(?:according to|as per|laut|selon|seg\u00fan|secondo)\b|^\W*per the\b|\bhereby\b|\blicensed under\b|\bcopyright\b",
    # A letter on one line: to whom, from whom, for whom, and when it was sent.
    r"^\W*(?:(?:hi|hello|hey|dear)\s+(?!claude|codex|gemini|copilot|cursor|agent|there|again)(?:(?-i:[A-Z])[\w'-]+|all|team|everyone|both|folks)|team|folks|all|everyone)\s*[,!]\s+\S",
    r"[.!?]\s+(?:(?:best |kind |warm )?(?:regards|wishes),?\s+\w+|(?:--|[\u2013\u2014~])?\s*[(\[]?(?!thanks?|cheers|please|ok|claude|codex|gemini)(?-i:[A-Z])[a-z]+[)\]]?|(?:/?cc\s+)?@\w+|/cc\b.*|\(?\d\d?:\d\d(?:\s?[ap]m)?\)?|#\w+(?:\s+#\w+)*)\s*$",
    # A name before a statement; a verb, a sign or a time that introduces a quotation.
    rf"^\W*(?:(?:hi|hey|hello|dear|to quote|as) )?@?(?!(?:{_ADVERBS})\b)[^\W\d_][\w.-]{{1,20}}(?:[,;]| [\u2013\u2014-]+>?| [=~]?>| [|\u00bb/~]+)\s+(?:{_BEGINS}|(?:use|run|keep|write|skip|make)\b)",
    rf"\b(?:is|are|be|was|were|says?|said|reads?|states?|prints?|types|contains?|answers?|think|goes|with|like|titled?(?: \w+)?|section|called|\d\d)[,:]?\s+(?!every|all|no\b|always|never){_BEGINS}|^\W*(?:\w+ )?(?:he|she|they)\b[^,:]{{0,30}}[,:]\s+{_BEGINS}|\b(?:say|read|state|print|be|answer)[,:]?\s+{_BEGINS}",
    # A message to another person; an example; a line that ends with "NAME wrote".
    r"^\W*(?:please )?(?:tell|ask|remind|inform|e-?mail|message) (?!(?:me|us|you|it|for|before|first|when\w*|if|each|every|agents?|claude|codex|gemini)\b)\w+|^\W*(?:e\.g\.|i\.e\.|for (?:example|instance)\b)|\b(?!(?:i|we)\b)\w+ (?:wrote|said|says)\W*$",
    # A capital within a sentence begins the text that the sentence speaks of.
    r"\w (?-i:From|Always|Never|We|We've|Do|Don't|Please|Use|Every|All|Any|Before|After|When|Whenever|If|Make|Remember|In|For|The|Our|You)\b",
    r"^\s*(?:hi|hello|hey|dear|hallo|liebe[rs]?|sehr geehrte\w*|guten \w+|bonjour|bonsoir|ch\u00e8re?s?|salut|hola|estimad[oa]s?|querid[oa]s?|buen[oa]s \w+|ciao|gentile)\b[^.!?\n:]{0,40}[,!]?\s*$",
    flags=_I,
)
# What a line of a person begins with: letters, digits, what is covered, a path, a flag.
_TYPED: Final = re.compile(
    r"\s*(?:(?![\u2100-\u214f])[^\W_](?!\ufe0f)|\u00a7{2}|[\u00a4\ue000@/\u00bf\u00a1]|~[\d/]|\.[a-z]|\([^\W_]|--?[a-z]|\+\d\b|#\d|\.{3}(?!\.)|\u2026)"
)
# What programs put above, before and behind others' words: a number, a name, a badge.
_BADGE: Final = _any(
    r"^\s*(?:\d[\w.,:]*(?:\s+\S+){0,3}|(?-i:[A-Z][\w'.-]*)(?:\s+(?:of|de|von|van|the|(?-i:[A-Z][\w'.-]*)))+|(?-i:[A-Z])[\w'-]+(?: \w+)?|\w+(?:[,;]\w+)+)(?<![.,;:!?])\s*$",
    r"^\s*(?:(?:\d+\.){2,}\d*|(?-i:[A-Z])\w+\.? #?\d[\d.]*\s?[.:)\u2013\u2014-]|[ivx]+[.)]|\(\w+\)|[a-z]\d?\.)\s+\S",
    r"^\s*\(?(?:edited|bearbeitet|modifi\u00e9|editado)\)?\s*$|\((?:she|he|they)/\w+\)\s*$",
    r"\((?:edited|bearbeitet|modifi\u00e9|editado|#\d+|(?-i:[A-Z]+)-\d+)\)\s*$|\s\[[^\]]{1,20}\]\s*$|^\s*(?:sent from|you received this|this e?-?mail (?:is|and)|get outlook|von mein\w+ \S+ gesendet|envoy\u00e9 d|enviado d)\b",
    flags=_I,
)


def is_odd(read: str) -> bool:
    """Whether a line is laid out as no person types it: what is around it waits.

    >>> is_odd("\u2705 done"), is_odd("[P1] slow"), is_odd("Bob Hill"), is_odd("it is slow")
    (True, True, True, False)
    """
    if ANSWER.fullmatch(read.strip()):
        return False
    if not _TYPED.match(read) or _BADGE.search(read):
        return True
    key, _, value = read.partition(":")
    return bool(value.strip() and KEYED.match(read) and handed_over(key))


_TITLE: Final = re.compile(
    r"(?:[\d.]+ )?[*_]*(?:[^\W\da-z_]|[@\[(])[^\n]{2,80}|\S*[^\W_][./:]\S*[^\W_]\S*"
)

# A path or an address and nothing else, whatever words it holds.
_PLACE: Final = re.compile(
    r"(?:(?:in|at|on) )?[@\"'`(<]?\S*[\w~][./\\]\w\S*(?: lines? [\d, -]+)?", _I
)
# An answer is no title, and goes with any hand.
ANSWER: Final = re.compile(
    r"(?:(?:yes|yep|yeah|no|nope|ok|okay|thanks|thank you|thx|great|perfect|nice|cool|good|hi|hello|hey|sure|done|right|exactly|agreed|alright)\b\W*)+",
    _I,
)


def is_title(read: str, *, alone: bool) -> bool:
    """Whether a line above others is a title, a name, a place: no end, few words.

    Args:
        read: the line.
        alone: whether an empty line follows; then it needs no capital.

    >>> is_title("Release Management", alone=False), is_title("grammar check", alone=True)
    (True, True)
    >>> is_title("Fix the build.", alone=True), is_title("thanks", alone=True)
    (False, False)
    """
    plain = read.strip()
    if _PLACE.fullmatch(plain):
        return True
    words = len(plain.split())
    if alone and words <= 2 and plain.endswith("?"):
        return True
    if words > 8 or plain.endswith((*".!?:,;)\u2026", "...")):
        return False
    if _RULES.search(plain) or _OWN_LEAD.match(plain) or ANSWER.fullmatch(plain):
        return False
    return bool(_TITLE.fullmatch(plain)) or (alone and words <= 5)


# How a person goes on below foreign text.
PERSON: Final = re.compile(
    r"\s*(?:[a-z\u00df-\u00ff][^:]*$|(?:Can|Could|Would) (?:you|we)\b|Please\b|Ok(?:ay)?\b)"
)


# A field of a document, with its value. What a person decided, remembers or adds is
# spoken.
FIELD: Final = re.compile(
    r"\W*(?:notes?|nb|rules?|conventions?|polic(?:y|ies)|guidelines?|memor(?:y|ies)|user preferences?|important|warning|caution|tips?|info|hint)\s?\d{0,3}[*_]*:",
    _I,
)
# Signs that a person speaks: "I", "please", a question. Documents have none of them.
VOICE: Final = re.compile(
    r"\b(?:i|i'\w+|me|my|mine|let'?s|please|pls|thanks?|(?:can|could|would|will) you|ok|okay|yes|yeah|no,|also|sorry|actually|you(?:'ve|'re| keep| forgot| did))\b|\?|\b(?:from now on|in future|going forward|remember)\b[^.]{0,40}:\s*$",
    _I,
)
CASUAL: Final = re.compile(r"\s*[a-z\u00df-\u00ff]")


def is_letter(reads: Sequence[str]) -> bool:
    """Whether lines end as letters do: a greeting with a comma, and a name.

    >>> is_letter(["Never do it.", "Best wishes,", "Ada"])
    True
    """
    last = [read.strip() for read in reads if read.strip()][-4:]
    for above, below in pairwise(last):
        short = len(above.split()) <= 5 and len(below.split()) <= 4
        if short and above.endswith(",") and below[:1].isupper():
            return not below.endswith((".", "?", "!"))
    return "--" in last


# --- colons -------------------------------------------------------------------------

# Rules that a person lists are introduced by their name.
_RULES: Final = re.compile(
    r"\b(?:rules?|always|never|from now on|remember|reminders?|preferences?|conventions?|guidelines?|"
    r"keep in mind|in (?:the )?future|future reference|(?:CLAUDE|AGENTS|GEMINI|MEMORY)[. ]md|memory|learnings?)\b",
    _I,
)
_OWN_LABEL: Final = re.compile(
    r"\W*(?:also|and|but|so|well|ok(?:ay)?|yes|no|notes?|nb|important|ideas?(?: for later)?|backlog|parking lot|(?:park|shelve|postpone|defer) (?:this|that|it)|(?:(?:final|team) )?decisions?|(?:no\W+)?(?:that|this|it)(?:'s| is) not how (?:we|i) [^.]{0,30}|(?:decided|agreed|settled)(?: (?:with|together with) [\w -]{2,40})?|bugs?|fix|todo|questions?|edit|ps|update|btw|fyi|next|correction|first|second|third|finally|again|sorry|wait|actually|(?:one|two|three|some|a few|another|last|future|more|other|\d)\b[^.]{0,30})\W*$",
    _I,
)
_OWN_LEAD: Final = re.compile(r"\W*(?:(?:and|but|so|because|ok|as) )?(?:i|we)\b", _I)
# What is a text, or gives one.
_SOURCE: Final = re.compile(
    r"\b(?:comments?|reviews?|reviewers?|feedback|messages?|output|logs?|e-?mails?|mails?|thread|chat|slack|transcript|summary|conversation|article|post|docs?|documentation|readme|spec(?:ification)?|wiki|page|policy|prompt|hint|warn(?:ing)?s?|errors?|response|reply|answer|text|copy|quote|snippet|excerpt|headline|heading|title|label|tooltip|modal|button|banner|tweet|faq|subject|slogan|placeholder|result|description|linter|scenario|requirements?|criteria|must-haves?|expected|actual|goals?|plan|section|example|draft|version|context|following|below|features?|behaviou?r|implement|logic|flow|approach"
    r"|says?|wrote|writes|complains|complained|reported|reports|reads|wants|describes|(?<!i )(?<!as )said|answered|replied|commented|posted|deprecat\w+|get|got|getting|like|should (?:be|read|look)"
    r"|nachricht|kommentar|ausgabe|protokoll|text|seite|sagt|schreibt|schrieb|meint|message|commentaire|sortie|journal|courriel|dit|\u00e9crit|mensaje|comentario|salida|registro|correo|dice|escribi\u00f3|from (?!now|here|today)\w+)\b"
    rf"|\b(?:{_TASK})\b",
    _I,
)

_FOUND: Final = re.compile(
    r"\b(?:contents? (?:of|from)|found (?:this|that|it|in)|copied from|pasted from)\b",
    _I,
)


def handed_over(lead: str) -> str:
    """Whose words follow a clause and its colon: "" says the person's own.

    >>> handed_over("the docs say"), handed_over("For the tests"), handed_over("My rules")
    ('foreign', 'doubtful', '')
    """
    if _FOUND.search(lead):
        return "foreign"
    if _PLACE.fullmatch(lead.strip()):
        return "doubtful"
    if _RULES.search(lead) or _OWN_LABEL.match(lead):
        return ""
    if _SOURCE.search(lead):
        return "foreign"
    return "" if _OWN_LEAD.match(lead) else "doubtful"
