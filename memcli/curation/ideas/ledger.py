"""The ledger of ideas as text: reading it, and changing a line for a decision.

Invariant: pure. A decision changes one line, or adds one, and no other byte. Text
between the ideas is skipped, and edits by hand are understood where possible: any dash,
a struck heading, an idea without a page.
"""

from __future__ import annotations

import re
from itertools import pairwise

from memcli.entries import ids, layout
from memcli.entries.text.counted import agreeing, counted
from memcli.errors import EntryNotFound, InvalidEntry, NotAllowed
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

OPEN, PROMOTED, DISMISSED, MERGED = "open", "promoted", "dismissed", "merged"
STATES = (OPEN, PROMOTED, DISMISSED, MERGED)
"""The states of an idea."""

SLUG_LENGTH = 40

_DAY = r"\d{4}-\d\d-\d\d"
_GAP = r"(?:[ \t]*[:–—-][ \t]*|[ \t]+)"
_HEADING = re.compile(rf"##[ \t]+({_DAY}){_GAP}(\S.*)")
_ENDED = re.compile(
    rf"##[ \t]+~~({_DAY}){_GAP}(\S.*)~~"
    rf"(?:[ \t]*[–—-]+[ \t]*(dismissed|merged)"
    rf"(?:[ \t]+({_DAY}))?(?:[ \t]+into[ \t]+(.+))?)?",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"[ \t]*\[\[(?:[^\[\]|]*/)?incubator/([^\[\]|]+)/_index(?:\.md)?"
    r"(?:\|[^\[\]]*)?\]\](.*)"
)
_PROMOTED = re.compile(rf"(?:→|->)[ \t]*promoted[ \t]+({_DAY})[ \t]+to[ \t]+(.+)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\ufffe\uffff]")


class Section(NamedTuple):
    """An idea in the ledger.

    `state` is one of STATES, `on` the day of the decision and `where` what the idea was
    promoted to or merged into, as far as the ledger says. `line` is the line of its
    heading, from 1; `link` the line of the link to its page, 0 without one.
    """

    title: str
    day: str
    slug: str
    state: str
    summary: str
    line: int
    link: int
    on: str | None = None
    where: str | None = None


def slug(title: str, taken: Collection[str] = ()) -> str:
    """Return the name of an idea's folder: at most 40 characters, not yet taken.

    >>> slug("Warm the index on login", {"warm-the-index-on-login"})
    'warm-the-index-on-login-2'
    """
    used = {name.casefold() for name in taken}
    name, number = ids.slug(title, SLUG_LENGTH), 1
    while name in used:
        number += 1
        mark = f"-{number}"
        name = ids.slug(title, SLUG_LENGTH - len(mark)) + mark
    return name


def clean(text: str) -> str:
    """The text without control characters and halves of surrogate pairs."""
    whole = text.encode("utf-8", "replace").decode()
    return _CONTROL.sub(" ", whole.replace("\r\n", "\n").replace("\r", "\n"))


def line_of(text: str) -> str:
    """The text on one line."""
    return " ".join(clean(text).split())


def newline_of(ledger: str) -> str:
    """The line end that the ledger starts with."""
    first = ledger.find("\n")
    return "\r\n" if first > 0 and ledger[first - 1] == "\r" else "\n"


# --- reading ----------------------------------------------------------------------


def text_of(data: bytes) -> str:
    """The ledger's text.

    Raises:
        InvalidEntry: not UTF-8, or git conflict markers in it.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"not UTF-8 (byte 0x{data[error.start]:02x})"
        raise InvalidEntry(layout.IDEA_LEDGER, line, reason) from error
    for mark in ("<<<<<<< ", ">>>>>>> "):
        at = 0 if text.startswith(mark) else text.find("\n" + mark)
        if at >= 0:
            line = text.count("\n", 0, at + 1) + 1
            raise InvalidEntry(
                layout.IDEA_LEDGER,
                line,
                "git conflict markers",
                hint="Keep the ideas of both sides, then 'git add' the file.",
            )
    return text


def parse(ledger: str) -> list[Section]:
    """Read the ideas of a ledger, in its order.

    A heading `## YYYY-MM-DD: Title` begins an idea; other text is skipped. An idea
    without a link gets the slug of its title.
    """
    lines = [line.rstrip("\r") for line in ledger.removeprefix("\ufeff").split("\n")]
    starts = [number for number, line in enumerate(lines) if _heads(line)]
    read = [_section(lines, *part) for part in pairwise([*starts, len(lines)])]
    sections = [section for section in read if section]
    taken = {section.slug for section in sections}
    for number, section in enumerate(sections):
        if not section.slug:
            name = slug(section.title, taken)
            taken.add(name)
            sections[number] = section._replace(slug=name)
    return sections


def _heads(line: str) -> bool:
    return line.startswith(("# ", "## "))


def _section(lines: list[str], start: int, end: int) -> Section | None:
    heading = lines[start].rstrip()
    ended = _ENDED.fullmatch(heading)
    plain = None if ended else _HEADING.fullmatch(heading)
    if ended:
        day, title, word, on, where = ended.groups()
        state = MERGED if (word or "").lower() == MERGED else DISMISSED
    elif plain:
        day, title = plain.groups()
        state, on, where = OPEN, None, None
    else:
        return None
    name, link, summary, marks = "", 0, "", ""
    for number in range(start + 1, end):
        line = lines[number]
        linked = None if link else _LINK.fullmatch(line)
        if linked:
            name, link, marks = linked[1], number + 1, marks or linked[2]
        elif line.startswith(("→ promoted", "-> promoted")):
            marks = line
        elif line.strip() and not summary:
            summary = line.strip()
    promoted = _PROMOTED.search(marks) if state == OPEN else None
    if promoted:
        state, on, where = PROMOTED, promoted[1], promoted[2]
    where = where.strip() if where else None
    return Section(title, day, name, state, summary, start + 1, link, on, where)


def find(sections: Iterable[Section], name: str) -> Section:
    """The idea that a slug, or a unique beginning of one, names.

    Where a merge has left two ideas of one slug, the open one.

    Raises:
        EntryNotFound: none, or several begin so; the hint names the nearest.
    """
    ideas = sorted(sections, key=lambda idea: idea.state != OPEN)
    word = name.strip()
    for idea in ideas:
        if idea.slug == word:
            return idea
    folded = word.casefold()
    near = [
        idea for idea in ideas if folded and idea.slug.casefold().startswith(folded)
    ]
    if len({idea.slug for idea in near}) == 1:
        return near[0]
    names = [idea.slug for idea in near] or _nearest(ideas, folded)
    hint = "List them: memcli ideas list"
    if names:
        shown = " or ".join(f"'{name}'" for name in names[:3])
        hint = f"Did you mean {shown}?"
    many = "there is no idea"
    if near:
        many = f"{counted(len(near), 'idea')} {agreeing(len(near), 'begins')} with"
    raise EntryNotFound(f"{many} '{word}'", hint=hint, code="idea_not_found")


def _nearest(ideas: Iterable[Section], word: str) -> list[str]:
    from difflib import get_close_matches

    by_word = {idea.title.casefold(): idea.slug for idea in ideas}
    by_word |= {idea.slug.casefold(): idea.slug for idea in ideas}
    near = get_close_matches(word[:80], by_word, 3)
    return list(dict.fromkeys(by_word[match] for match in near))


# --- decisions --------------------------------------------------------------------


def promote(ledger: str, name: str, day: str, where: str) -> str:
    """Return the ledger in which an open idea was promoted.

    Args:
        ledger: the whole text.
        name: the slug of the idea.
        day: `YYYY-MM-DD`.
        where: what it became, on one line.

    Raises:
        EntryNotFound: there is no such idea.
        NotAllowed: it is not open any more.
    """
    section = open_one(ledger, name)
    mark = f"→ promoted {day} to {line_of(where)}"
    lines = ledger.split("\n")
    if section.link:
        line = lines[section.link - 1]
        lines[section.link - 1] = _ended_with(line, f" {mark}")
    else:
        end = newline_of(ledger)[:-1]
        lines.insert(section.line, mark + end)
        if section.line + 1 == len(lines):  # the heading had no line end
            lines[-2:] = [lines[-2] + end, mark]
    return "\n".join(lines)


def dismiss(ledger: str, name: str, day: str) -> str:
    """Return the ledger in which an open idea was dismissed; as `promote`."""
    return _struck(ledger, name, f"Dismissed {day}")


def merge(ledger: str, name: str, other: str, day: str) -> str:
    """Return the ledger in which an open idea was merged into another; as `promote`.

    Raises:
        NotAllowed: also where the other idea is the same one, or not open.
    """
    target = open_one(ledger, other)
    if target.slug == open_one(ledger, name).slug:
        raise NotAllowed(f"{name} cannot be merged into itself")
    return _struck(ledger, name, f"Merged {day} into {target.slug}")


def open_one(ledger: str, name: str) -> Section:
    """The open idea that a slug names; raises as `promote`."""
    section = find(parse(ledger), name)
    if section.state != OPEN:
        when = f" since {section.on}" if section.on else ""
        raise NotAllowed(
            f"the idea {section.slug} is {section.state}{when}",
            hint="What is open: memcli ideas",
            code="idea_not_open",
        )
    return section


def _struck(ledger: str, name: str, what: str) -> str:
    section = open_one(ledger, name)
    lines = ledger.split("\n")
    line = lines[section.line - 1]
    start = line.index(section.day, 2)
    body = line[start:].rstrip()
    end = "\r" if line.endswith("\r") else ""
    lines[section.line - 1] = f"{line[:start]}~~{body}~~ — {what}{end}"
    return "\n".join(lines)


def _ended_with(line: str, mark: str) -> str:
    end = "\r" if line.endswith("\r") else ""
    return line.rstrip() + mark + end
