"""Which words of a turn stand between marks that programs and documents set.

Invariant: pure, and linear in the length of a turn. A line is judged by its shape and
by the head above it, never by what it asks for. It keeps noise out of the inbox and
pastes out of a judge's digest; it does not have to find every paste, since in a turn of
more than one line nothing is saved unasked (`hands`).
"""

from __future__ import annotations

import re

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Final

_I: Final = re.IGNORECASE
# Of a line, so many first characters are read.
_READ: Final = 400
# Stands for what is covered; no text of a host holds it.
_COVER: Final = "\ue000"
_UNCOVERED: Final = re.compile(f"[^{_COVER}]+")
_BULLET: Final = re.compile(r"\s*(?:[-*\u2022]|\d{1,2}[.)]|\[[ xX]\])\s+")
_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})([^`\n]*)$")
_CLOSING: Final = re.compile(r"[<\[]/([A-Za-z][\w:.-]*)\s*[>\]]?")
_OPENING: Final = re.compile(r"[<\[]([A-Za-z][\w:.-]*)(?=[\s/>\]=])")


def _any(*shapes: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{shape})" for shape in shapes), flags)


# What stands between two marks, or behind one that nothing closes.
_ENCLOSED: Final = _any(
    r'"""[\s\S]*?(?:"""|\Z)|\'\'\'[\s\S]*?(?:\'\'\'|\Z)',
    r"(?<!\S)/\*(?=[\s*!])[\s\S]*?(?:\*/|\Z)|<!--[\s\S]*?(?:-->|\Z)",
    r"\u201c[^\u201d\u201c]{2,4000}\u201d|\u201e[^\u201c-\u201e]{2,4000}[\u201c\u201d]|\u00ab[^\u00ab\u00bb]{2,4000}\u00bb|\u300c[^\u300c\u300d]{2,4000}\u300d",
    r"<<-?[ \t]*(?:['\"]?[A-Z_]{2,20}['\"]?|[^\w\s]{2,20})[^\n]{0,200}\n[\s\S]*?(?:\n[ \t]*[A-Z_]{2,}[ \t]*(?=\n|\Z)|\Z)",
    r'(?m:^)[ \t]*"(?=[^"\n]*\n)[^"]{2,4000}"(?=[.,;:!?)]*\s*$|\s*\n)',
    r"(?<!\w)(?:\"(?=\S)[^\"\n]{20,4000}\"|['\u2018](?=\S)(?:[^'\u2018\u2019\n]|(?<=\w)['\u2019](?=\w)){20,4000}['\u2019])(?!\w)",
)
# What starts like this is written for a model, or is a message of a commit.
_COMPOSED: Final = _any(
    r"\s*you are (?:an?|the|now) (?:[\w-]+ ){0,5}?(?:engineer|developer|expert|agent|assistant|reviewer|architect|writer|analyst|auditor|specialist|tester|planner|researcher|orchestrator|executor|programmer|model|ai)\b",
    r"\s*(?:feat|fix|chore|docs|refactor|test|perf|ci|build|style)(?:\([\w ,/-]{1,40}\)!?: \S|!?: [^\n]{1,100}\n\s*\n)",
    r"\s*(?:stop|pre\w+|post\w+|session\w*) hook (?:feedback|error|blocking|says)|\s*act as an? |\s*your (?:task|role|job) is ",
    flags=_I,
)
# Heads of mails and documents: what follows is foreign to the end of the turn.
_HEAD: Final = _any(
    r"^\W{0,4}(?:from|to|cc|subject|date|sent|re|fwd?|von|an|betreff|gesendet|datum|aw|de|objet|para|asunto|da|oggetto)\s?:[*_]*\s+\S",
    r"^\s*[-_=*~]{3,}\s*\w.{0,80}?[-_=*~]{3,}\s*$|^\s*(?:#|=){1,6}\s+[^\W\d]",
    r"\b(?:forwarded|original) message\b|\bsession is being continued|\b(?:summary|transcript) of (?:the|this) (?:conversation|session)\b|^contents? (?:of|from) ",
    r"^[^\n:]{1,80}(?<!\bi )\b(?:wrote|commented|says?|said|schrieb|a \u00e9crit|escribi\u00f3)\b[^\n:]{0,40}:(?:\s|$)",
    r"^\W*(?:(?:please|pls|can you|could you) )*(?:translate|proof-?read|summari[sz]e|rephrase|reword)\b[^.!?\n]{0,60}[:?]?\s*$",
    # A mail to several people, and a message of a chat with its time.
    r"^\W*(?:hi|hello|hey|dear) (?:all|colleagues|every(?:one|body)|folks|team)\b\W*$|^\W*\w+(?: \w+)?\s+\W?\d?\d:\d\d(?: ?[ap]m)?\W*$",
    flags=_I,
)
# How a person goes on below a text.
_PERSON: Final = re.compile(
    r"\s*(?:[a-z\u00df-\u00ff][^:]*$|(?:Can|Could|Would) (?:you|we)\b|Please\b|Ok(?:ay)?\b)"
)
# What a program printed, to the next empty line.
_PRINTED: Final = _any(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\\(?:033|x1b|e)\[|\[\d{1,3}(?:;\d{1,3})*m",
    r"^\s*[>$%<\u276f\u279c\u00bb](?:\s|$)|^\s*\S+@\S+[:~ ][^\n$#]{0,60}[$#%]\s|^\s*(?:PS )?[A-Za-z]:\\[^>\n]{0,80}>|^\s*(?:>>>|\.\.\.|In \[\d+\]:|Out\[\d+\]:)\s",
    r"^\s*[\[(<]?(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d?[/.]\d\d?[/.]\d\d+)[T ,_]|^\s*[\[(<]?\d\d?:\d\d:\d\d|^\s*[A-Z][a-z]{2} +\d\d? \d\d:\d\d",
    r"^\W{0,3}(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b|\b(?:level|lvl|msg|ts|severity)=|^\s*\w+\[\d+\]:|^\s*\{\s*\".*[\"},\]]\s*$",
    r"^\s*[\w./:\[\]-]{0,60}\b(?i:error|exception|fatal|warn(?:ing)?|remote|panic|traceback|failed|failure|hint|deprecat\w+)\b\s*[:\]]",
    r'^\s*(?:Traceback|File "|at \S+ ?\(|Caused by|Exception in|goroutine \d|thread \'|-->|FAIL\b|PASS\b|not ok \d|E  +\S|={3,} )|^\s*[\w.]*(?:Error|Exception|Warning)\b\s*[:(]',
    r"^\s*(?:npm|yarn|pnpm) (?:WARN|ERR|notice)\b|error TS\d|\S\.\w{1,4}:\d+(?::\d+)?[:\s]|^\s*\d+[\u2192|:\t]",
    r"^\s*(?:diff --git|index [0-9a-f]{7,}|commit [0-9a-f]{7,}|(?:Author|Date|Merge):\s|\+\+\+|---\s|@@)",
)
# What a program is: this line.
_CODE: Final = _any(
    r"^\s*(?:def|class|func|fn|import|from|const|let|var|return|package|public|private|static)\s+\S+.*[;:{(=]\s*$|^\s*(?://|/\*|\*/|\*\s|--\s|;+\s|\|\s|<!--|#(?!\d)|REM\s|@\w+\s)",
    r"[;)}\]{=,]\s*(?://|#|/\*|--)\s|[;{}]\s*$|^\s*[\w.]+\s*(?:[:+-]?=|=>|<-)\s*\S|^\s*</?\w+[^>]*>\s*$|^\s*[{}\[\]();,]+\s*$|[\u2500-\u257f]|\S {3,}\S|^ {4,}\S|^\t+\S|^\s*[+]\s",
)


def own(text: str) -> list[tuple[int, int]]:
    """Where the words stand that may be its author's, in order, each on one line.

    Args:
        text: the turn; what is quoted within a line may be covered.
    """
    if _COMPOSED.match(text):
        return []
    text = _covered(text)
    found: list[tuple[int, int]] = []
    fences: list[str] = []
    # How far what began above is foreign: to the next empty line, to the person's words.
    at, paragraph, rest, blank = 0, False, False, False
    for line in text.split("\n"):
        read = line[:_READ]
        start, at = at, at + len(line) + 1
        if _is_fenced(read, fences):
            continue
        if not read.strip():
            paragraph, blank = False, True
            continue
        after, blank = blank, False
        rest = rest and not (after and _PERSON.match(read))
        rest = rest or bool(_HEAD.search(read))
        paragraph = paragraph or bool(_PRINTED.search(read))
        bullet = _BULLET.match(read)
        inner = start + (bullet.end() if bullet else 0)
        words = read[inner - start :]
        if rest or paragraph or _CODE.search(words):
            continue
        parts = _UNCOVERED.finditer(text, inner, start + len(line))
        found += [part.span() for part in parts]
    return found


def _covered(text: str) -> str:
    """The text with what stands between two marks covered, line ends kept.

    An element reaches to the last closing tag of its name: its content may hold others.
    """
    last = {match[1].lower(): match.end() for match in _CLOSING.finditer(text)}
    parts, after = [], 0
    for match in _OPENING.finditer(text) if last else ():
        end = last.get(match[1].lower(), 0)
        if match.start() >= after and end > match.start():
            parts += [text[after : match.start()], _cover(text[match.start() : end])]
            after = end
    text = "".join([*parts, text[after:]])
    return _ENCLOSED.sub(lambda match: _cover(match[0]), text)


def _cover(text: str) -> str:
    return re.sub(r"[^\n]", _COVER, text)


def _is_fenced(read: str, fences: list[str]) -> bool:
    """Whether a line is a fence, or within the fences that are open; notes them."""
    fence = _FENCE.match(read)
    if fence is None:
        return bool(fences)
    mark, about = fence[1], fence[2].strip()
    if not fences or (about and mark[0] == fences[-1][0]):
        fences.append(mark)
    elif mark.startswith(fences[-1]):
        fences.pop()
    return True
