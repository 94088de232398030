"""The ledger of ideas as text: its sections, a decision on one, and a new one.

Invariant: pure. Adding an idea changes no existing byte, and a decision changes one
line and no other. No text of an idea can look like another idea or like a decision, and
no link leads out of the incubator. Text between the ideas is skipped, and edits by hand
are understood where possible: any dash, an idea without a page.
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
    from collections.abc import Iterable

OPEN, PROMOTED, DISMISSED = "open", "promoted", "dismissed"
STATES = (OPEN, PROMOTED, DISMISSED)
"""The states of an idea."""

SLUG_LENGTH = 40
_DAY = r"\d{4}-\d\d-\d\d"
_GAP = r"(?:[ \t]*[:–—-][ \t]*|[ \t]+)"
_OPEN = re.compile(rf"##[ \t]+({_DAY}){_GAP}(\S.*)")
_ENDED = re.compile(
    rf"##[ \t]+~~({_DAY}){_GAP}(\S.*)~~"
    rf"(?:[ \t]*[–—-]+[ \t]*(promoted|dismissed)"
    rf"(?:[ \t]+({_DAY}))?(?:[ \t]+to[ \t]+(.+))?)?",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"[ \t]*\[\[(?:[^\[\]|]*/)?incubator/([^\[\]|/\\.\x00-\x1f][^\[\]|/\\\x00-\x1f]*)"
    r"/_index(?:\.md)?(?:\|[^\[\]]*)?\]\].*"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\ufffe\uffff]")
# A line that starts with one of these would be more than a plain paragraph.
_MARKUP = re.compile(r"^(?=[#\[`~<>=*+_|-])")


class Section(NamedTuple):
    """An idea in the ledger, with its page where that was looked up.

    `state` is one of STATES, `on` the day of the decision and `where` what the idea was
    promoted to, as far as the ledger says. `line` is the line of its heading, from 1.
    `id`, `path` and where it came from are those of the page; `problem` says why that
    cannot be used.
    """

    slug: str
    title: str
    day: str
    state: str
    summary: str
    line: int
    on: str | None = None
    where: str | None = None
    age_days: int = 0
    id: str | None = None
    path: str | None = None
    session: str | None = None
    record: str | None = None
    excerpt: str | None = None
    problem: str | None = None


def clean(text: str) -> str:
    """The text without control characters and halves of surrogate pairs."""
    whole = text.encode("utf-8", "replace").decode().replace("\r\n", "\n")
    return _CONTROL.sub(" ", whole.replace("\r", "\n")).strip()


def line_of(text: str | None) -> str:
    """The text on one line."""
    return " ".join(clean(text or "").split())


def paragraph(text: str) -> str:
    """The text as a plain paragraph of one line."""
    return _MARKUP.sub(r"\\", line_of(text))


def text_of(data: bytes) -> str:
    """The ledger's text; InvalidEntry: not UTF-8, or git conflict markers in it."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"not UTF-8 (byte 0x{data[error.start]:02x})"
        raise InvalidEntry(layout.IDEA_LEDGER, line, reason) from error
    mark = re.search("^(?:<{7}|>{7}) ", text, re.MULTILINE)
    if mark:
        raise InvalidEntry(
            layout.IDEA_LEDGER,
            text.count("\n", 0, mark.start()) + 1,
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
    starts = [n for n, line in enumerate(lines) if line.startswith(("# ", "## "))]
    read = [_section(lines, *part) for part in pairwise([*starts, len(lines)])]
    sections = [section for section in read if section]
    taken = {section.slug.casefold() for section in sections}
    for number, section in enumerate(sections):
        if not section.slug:
            name = next(name for name in slugs(section.title) if name not in taken)
            taken.add(name)
            sections[number] = section._replace(slug=name)
    return sections


def slugs(title: str) -> Iterable[str]:
    """The names that an idea's folder may have, the first without a number."""
    yield ids.slug(title, SLUG_LENGTH)
    for number in range(2, 10**6):
        mark = f"-{number}"
        yield ids.slug(title, SLUG_LENGTH - len(mark)) + mark


def _section(lines: list[str], start: int, end: int) -> Section | None:
    heading = lines[start].rstrip()
    if ended := _ENDED.fullmatch(heading):
        day, title, word, on, where = ended.groups()
        state = (word or DISMISSED).lower()
    elif plain := _OPEN.fullmatch(heading):
        day, title = plain.groups()
        state, on, where = OPEN, None, None
    else:
        return None
    below = lines[start + 1 : end]
    links = [match[1] for match in map(_LINK.match, below) if match]
    texts = (line.strip() for line in below if not _LINK.match(line))
    summary = next(filter(None, texts), "")
    name = links[0] if links else ""
    where = where.strip() if where else None
    return Section(name, title, day, state, summary, start + 1, on, where)


def find(sections: Iterable[Section], name: str) -> Section:
    """The idea that a slug, or a unique beginning of one, names.

    Where a merge has left two ideas of one slug, the open one.

    Raises:
        EntryNotFound: none, or several begin so; the hint names the nearest.
    """
    ideas = sorted(sections, key=lambda idea: idea.state != OPEN)
    word = name.strip().casefold()
    exact = [idea for idea in ideas if idea.slug.casefold() == word]
    near = [idea for idea in ideas if word and idea.slug.casefold().startswith(word)]
    names = list(dict.fromkeys(idea.slug for idea in near))
    if exact or len(names) == 1:
        return (exact or near)[0]
    problem = f"{counted(len(names), 'idea')} {agreeing(len(names), 'begins')} with"
    if not near:
        from difflib import get_close_matches

        problem = "there is no idea"
        names = get_close_matches(word[:80], [idea.slug for idea in ideas], 1)
    shown = " or ".join(f"'{each}'" for each in names[:3])
    raise EntryNotFound(
        f"{problem} '{name.strip()}'",
        hint=f"Did you mean {shown}?" if names else "List them: memcli ideas list",
        code="idea_not_found",
    )


def open_one(ledger: str, name: str) -> Section:
    """The open idea that a slug names.

    Raises:
        EntryNotFound: there is no such idea.
        NotAllowed: it is not open any more.
    """
    section = find(parse(ledger), name)
    if section.state != OPEN:
        when = f" since {section.on}" if section.on else ""
        raise NotAllowed(
            f"the idea {section.slug} is {section.state}{when}",
            hint="What is open: memcli ideas",
            code="idea_not_open",
        )
    return section


def decided(ledger: str, section: Section, became: str) -> str:
    """The ledger with the heading of an open idea struck out; `became` says the state,
    the day, and what it became."""
    lines = ledger.split("\n")
    line = lines[section.line - 1]
    start = line.index(section.day, 2)
    struck = f"{line[:start]}~~{line[start:].rstrip()}~~ — {became}"
    lines[section.line - 1] = struck + ("\r" if line.endswith("\r") else "")
    return "\n".join(lines)


def append(ledger: str, title: str, day: str, summary: str, name: str) -> str:
    """The ledger with one more idea at its end; its title is one line, its day
    `YYYY-MM-DD`, `name` the folder of its page."""
    end = "\r\n" if ledger.partition("\n")[0].endswith("\r") else "\n"
    lines = [f"## {day}: {title}", paragraph(summary)]
    lines.append(f"[[incubator/{name}/_index.md]]")
    begins = not ledger.strip("\ufeff \t\r\n")
    gap = "" if begins or ledger.endswith(end * 2) else end
    if not begins and not ledger.endswith("\n"):
        gap = end * 2
    head = f"# Ideas{end}{end}" if begins else ""
    return ledger + gap + head + end.join(filter(None, lines)) + end
