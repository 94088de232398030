"""Which lines of a turn its author did not write: a program, a reviewer did.

Invariant: pure, and linear in the length of a turn. A line is judged by its own shape
and by the line that introduces it, never by what it asks for. What is doubtful is
taken for pasted: a directive that is missed is said again, one that is invented stays.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

_BULLET: Final = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,2}[.)]|\[[ xX]\])\s+")
_HEADING: Final = re.compile(
    r"^\s*(?:#{1,5}\s+\S|\*\*[^*]{1,60}\*\*:?\s*$|\*\*[^*]{1,60}(?:\*\*:|:\*\*)|\|[^|].*\|\s*$|={3,}\s*$|-{3,}\s*$)"
)
# What a program printed, or a program itself. Read of a line: its first characters.
_READ: Final = 400
# What `sentences` puts for code and quotations is as good as letters.
_HIDDEN: Final = re.compile("[\u00a7\u00a4]")
_MACHINE: Final = re.compile(
    r"^\s*(?:[\u276f\u279c$%>+]\s|\+\+\+|---|@@|Traceback|File \"|at \S+ ?\(|\d+[\u2192|:]"
    r"|\[?\d{4}-\d\d-\d\d[T ]|\[\d\d:|commit [0-9a-f]{7,}|(?:Author|Date|Merge):\s"
    r"|diff --git|index [0-9a-f]{7,}|(?:def|class|func|fn|import|from|const|let|var|return|package)\s+\S+.*[;:{(=]\s*$"
    r"|</?\w+[^>]*>\s*$|[{}\[\]();,]+\s*$|(?:npm|yarn|pnpm) (?:WARN|ERR)|error TS\d|TS\d{4}:"
    r"|(?://|/\*|#|--|\*)?\s*(?-i:TODO|FIXME|XXX|HACK)\b)"
    r"|^\s*[\w./:\[\]-]{0,60}\b(?:error|exception|fatal|warn(?:ing)?|remote|panic|traceback|failed|hint|deprecated|deprecation)\b\s*[:\]]"
    r"|[\u2500-\u257f]|\S {3,}\S|^ {4,}\S|^\t+\S|\S\.\w{1,4}:\d+(?::\d+)?[:\s]",
    re.IGNORECASE,
)
# After a prompt of a shell comes what the command printed.
_SHELL: Final = re.compile(r"^\s*(?:[\u276f\u279c$]\s+\S|\S+@\S+[:~][^\n$]{0,60}\$\s)")
# Rules that a person lists are introduced by their name.
_RULES: Final = re.compile(
    r"\b(?:rules?|always|never|from now on|remember|reminders?|preferences?|conventions?|guidelines?|"
    r"keep in mind|in (?:the )?future|(?:CLAUDE|AGENTS|GEMINI|MEMORY)[. ]md|memory|learnings?)\b",
    re.IGNORECASE,
)
# A line that hands over to words of another person, to the end of the turn.
_HANDOVER: Final = re.compile(
    r"\b(?:comments?|review(?:er)?s?|feedback|message|output|logs?|says|said|wrote|writes|"
    r"response|reply|answered|following|below|report(?:ed)?|describes|plan|prompt|text|"
    r"scenario|result|getting|get|like|criteria|requirements?|expected|actual|goals?|must-haves?|"
    r"spec(?:ification)?|copy|readme|section|docs?|slack|behaviou?r|implement|features?|"
    r"description|example|draft|version|idea|approach|context|error|warning)\b[^:\n]{0,60}:\s*$",
    re.IGNORECASE,
)
# The same in the middle of a line, to its end.
_INTRODUCED: Final = re.compile(
    r"\b(?:(?:the|this|that|an?|from|my) (?:[\w'/-]+ ){0,3}?(?:comments?|review|feedback|message|output|logs?|docs?|"
    r"documentation|spec(?:ification)?|criteria|requirements?|policy|headline|heading|title|label|tooltip|text|copy|modal|"
    r"button|banner|e-?mail|mail|tweet|faq|answer|subject|slogan|warning|error|hint|prompt|placeholder|behaviou?r|logic|flow|result|response|description|readme|slack|linter)"
    r"(?: (?:is|are|was|says?|said|reads?|should|must|be|read|say|from|in|on|for|now|then|\w+\.md))*"
    r"|(?:says?|wrote|writes|complains|complained|reported|reads|translate|wants|(?<!i )(?<!as )said|should (?:be|read|say|look like|contain|include|mention)"
    r"|requirements?(?: from \w+)?|criteria|must-haves?|expected|(?:phase |the )?goal|headline|heading|(?:pr|commit|issue|page) (?:title|message|description|body)|hero copy|subject|warn(?:ing)?|deprecat\w+|error|review))"
    r"\s*:\s+(?=\S)",
    re.IGNORECASE,
)
_REVIEW: Final = re.compile(
    r"comment on lines|suggested change|nitpick|potential issue|coderabbit|greptile|bugbot|sonar(?:cloud|qube)|\bp[0-3] badge\b|useful\? react with|\blgtm\b"
    r"|^[ \t]*(?:in|on) \S{1,200}\.\w{1,5}(?::\d+| line)|_?\u26a0\ufe0f|copilot (?:ai|review)",
    re.IGNORECASE | re.MULTILINE,
)
# Two lines with names before them are a chat; "note: ..." names nobody.
_SPEAKER: Final = re.compile(
    r"^\s*(?:[\[(]?\d\d?:\d\d(?::\d\d)?(?: ?[ap]m)?[\])]?\s*)?@?[A-Za-z][\w.-]{1,20}(?: \(\w+\))?:\s+\S"
)
_NO_NAME: Final = re.compile(
    r"^\s*(?:also|and|but|so|note|notes|nb|rules?|important|remember|reminder|ideas?|bugs?|fix|todo|questions?|edit|ps|update|"
    r"next|correction|first|second|third|finally|preferences?|conventions?|always|never|yes|no|ok|\w+s|option \w)\s*:",
    re.IGNORECASE,
)
# Three such lines are YAML, or the head of a document.
_KEYED: Final = re.compile(r"^\s*(?:- )?[a-z_][\w.-]{0,40}:(?:\s+[^\s,]+){0,4}\s*$")
# What starts like this is written for a model, or is a message of a commit.
_COMPOSED: Final = re.compile(
    r"\s*(?:you are (?:an?|the|now) (?:[\w-]+ ){0,5}?(?:engineer|developer|expert|agent|assistant|reviewer|architect|"
    r"writer|analyst|auditor|specialist|tester|planner|researcher|orchestrator|executor|programmer|model|ai)\b"
    r"|(?:feat|fix|chore|docs|refactor|test|perf|ci|build|style)(?:\([\w ,/-]{1,40}\)!?: \S|!?: [^\n]{1,100}\n\s*\n)"
    r"|(?:stop|pre\w+|post\w+|session\w*) hook (?:feedback|error|blocking|says)|act as an? |your (?:task|role|job) is )",
    re.IGNORECASE,
)
_TAG: Final = re.compile(r"^\s*<([a-z][\w-]{1,40})(?:\s[^>\n]{0,200})?>", re.IGNORECASE)


def own_lines(plain: str) -> list[tuple[int, int]]:
    """The lines of a turn that are the person's own.

    Args:
        plain: the turn, without its code and quotations.

    Returns:
        (start, end) of each, behind its bullet, in their order.
    """
    if _COMPOSED.match(plain):
        return []
    lines = plain.split("\n")
    reads = [line[:_READ] for line in lines]
    headings = [bool(_HEADING.match(read)) for read in reads]
    document = sum(headings) >= 2 or bool(_REVIEW.search(plain))
    blocks = _in_blocks(reads)
    found: list[tuple[int, int]] = []
    after = 0
    for place, line in enumerate(lines):
        start, after = after, after + len(line) + 1
        read, end = reads[place], start + len(line)
        if blocks[place]:
            continue
        if document and (headings[place] or _REVIEW.search(read) or start > 400):
            break
        if re.match(r"\s*#{1,5}\s+[^\W\d]", read):
            break
        bullet = _BULLET.match(read)
        inner = start + (bullet.end() if bullet else 0)
        if is_machine(line[inner - start :]):
            continue
        introduced = _INTRODUCED.search(read)
        if introduced and not _RULES.search(read, 0, introduced.end()):
            end = start + introduced.start()
        found.append((inner, max(inner, end)))
        tail = line[-_READ:]
        if _HANDOVER.search(tail) and not _RULES.search(tail):
            break
    return found


def _in_blocks(reads: Sequence[str]) -> list[bool]:
    """Of each line, whether it belongs to what only several lines together show.

    That is what stands between tags or after a prompt of a shell (to the next empty
    line), chats, patches and YAML.
    """
    chat = sum(_is_spoken(read) for read in reads) >= 2
    patch = any(read.startswith(("@@ ", "diff --git ")) for read in reads)
    keyed = sum(bool(_KEYED.match(read)) for read in reads) >= 3
    tag, printed = "", False
    found = []
    for read in reads:
        if not tag and (opened := _TAG.match(read)):
            tag = opened[1].lower()
        tagged = bool(tag)
        if f"</{tag}>" in read.lower():
            tag = ""
        if not tagged:
            printed = bool(read.strip()) and (printed or bool(_SHELL.match(read)))
        found.append(
            tagged
            or printed
            or read.lstrip().startswith(">")
            or (chat and _is_spoken(read))
            or (patch and read.startswith(("+", "-", " ")))
            or (keyed and bool(_KEYED.match(read) or re.match(r"\s*- ", read)))
        )
    return found


def is_machine(line: str) -> bool:
    """Whether a program wrote this line."""
    read = line[:_READ]
    if _MACHINE.search(read):
        return True
    read = _HIDDEN.sub("", read)
    letters = sum(char.isalpha() or char == " " for char in read)
    return len(read) > 30 and letters < 0.65 * len(read)


def _is_spoken(read: str) -> bool:
    return bool(_SPEAKER.match(read)) and not _NO_NAME.match(read)
