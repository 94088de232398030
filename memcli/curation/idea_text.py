"""Ideas as text: the sections of the ledger, and a decision on one.

Invariant: pure. Adding an idea changes no existing byte, and a decision changes one
line and no other. No text of an idea can look like another idea or like a decision.
Text between the ideas is skipped, and edits by hand are understood where possible: any
dash, an idea without a page.
"""

from __future__ import annotations

import re
from itertools import pairwise

from memcli.entries import ids, layout
from memcli.entries.dates import check_date
from memcli.entries.entry import Entry
from memcli.entries.identity import strict_key
from memcli.entries.text.counted import agreeing, counted
from memcli.errors import EntryNotFound, InvalidEntry, InvalidValue, NotAllowed
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

OPEN, PROMOTED, DISMISSED, MERGED = "open", "promoted", "dismissed", "merged"
STATES = (OPEN, PROMOTED, DISMISSED, MERGED)
"""The states of an idea."""

SLUG_LENGTH = 40
PAGE_KEYS = ("status", "slug", "surfaced_at", "surfaced_in_session")
"""Keys of an idea's page that mean nothing in the memory that it becomes."""

# A longer title is a summary; a memory's title may have 500 characters.
_TITLE_LENGTH = 200
_DAY = r"\d{4}-\d\d-\d\d"
_GAP = r"(?:[ \t]*[:–—-][ \t]*|[ \t]+)"
_OPEN = re.compile(rf"##[ \t]+({_DAY}){_GAP}(\S.*)")
_ENDED = re.compile(
    rf"##[ \t]+~~({_DAY}){_GAP}(\S.*)~~"
    rf"(?:[ \t]*[–—-]+[ \t]*(promoted|dismissed|merged)"
    rf"(?:[ \t]+({_DAY}))?(?:[ \t]+(?:into|to)[ \t]+(.+))?)?",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"[ \t]*\[\[(?:[^\[\]|]*/)?incubator/([^\[\]|]+)/_index(?:\.md)?"
    r"(?:\|[^\[\]]*)?\]\].*"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\ufffe\uffff]")
# A line that starts with one of these would be more than a plain paragraph.
MARKUP = re.compile(r"^(?=[#\[`~<>=*+_|-])")


class Section(NamedTuple):
    """An idea in the ledger.

    `state` is one of STATES, `on` the day of the decision and `where` what the idea was
    promoted to or merged into, as far as the ledger says. `line` is the line of its
    heading, from 1; `linked` says whether it names its page.
    """

    title: str
    day: str
    slug: str
    state: str
    summary: str
    line: int
    linked: bool
    on: str | None = None
    where: str | None = None


class Idea(NamedTuple):
    """An idea as it was surfaced.

    `summary` has two sentences; `day` is `YYYY-MM-DD`, `at` the whole moment where it
    is known. `slug` may be empty: `plan` then makes one of the title. The other fields
    say where it came from: `record` is the record in the session, `agent` its agent.
    """

    title: str
    summary: str
    day: str
    slug: str = ""
    session: str | None = None
    record: str | None = None
    excerpt: str | None = None
    at: str | None = None
    host: str | None = None
    writer: str = "pipeline"
    agent: str | None = None


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
    whole = text.encode("utf-8", "replace").decode().replace("\r\n", "\n")
    return _CONTROL.sub(" ", whole.replace("\r", "\n"))


def line_of(text: str) -> str:
    """The text on one line."""
    return " ".join(clean(text).split())


# --- reading the ledger -----------------------------------------------------------


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
    taken = {section.slug for section in sections}
    for number, section in enumerate(sections):
        if not section.slug:
            name = slug(section.title, taken)
            taken.add(name)
            sections[number] = section._replace(slug=name)
    return sections


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
    return Section(title, day, name, state, summary, start + 1, bool(links), on, where)


def find(sections: Iterable[Section], name: str) -> Section:
    """The idea that a slug, or a unique beginning of one, names.

    Where a merge has left two ideas of one slug, the open one.

    Raises:
        EntryNotFound: none, or several begin so; the hint names the nearest.
    """
    ideas = sorted(sections, key=lambda idea: idea.state != OPEN)
    word = name.strip()
    exact = [idea for idea in ideas if idea.slug == word]
    folded = word.casefold()
    near = [
        idea for idea in ideas if folded and idea.slug.casefold().startswith(folded)
    ]
    if exact or len({idea.slug for idea in near}) == 1:
        return (exact or near)[0]
    names = [idea.slug for idea in near]
    if not near:
        from difflib import get_close_matches

        by_word = {idea.title.casefold(): idea.slug for idea in ideas}
        by_word |= {idea.slug.casefold(): idea.slug for idea in ideas}
        matches = get_close_matches(folded[:80], by_word, 3)
        names = list(dict.fromkeys(by_word[match] for match in matches))
    hint = "List them: memcli ideas list"
    if names:
        shown = " or ".join(f"'{name}'" for name in names[:3])
        hint = f"Did you mean {shown}?"
    many = "there is no idea"
    if near:
        many = f"{counted(len(near), 'idea')} {agreeing(len(near), 'begins')} with"
    raise EntryNotFound(f"{many} '{word}'", hint=hint, code="idea_not_found")


# --- deciding ---------------------------------------------------------------------


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


def decided(ledger: str, name: str, state: str, day: str, where: str = "") -> str:
    """Return the ledger with the heading of an open idea struck out.

    Args:
        ledger: the whole text.
        name: the slug of the idea.
        state: promoted, dismissed or merged.
        day: `YYYY-MM-DD`.
        where: what it became, or the open idea that takes it in.

    Raises:
        EntryNotFound, NotAllowed: as `open_one`, of the other idea as well; or an idea
            would be merged into itself.
    """
    section = open_one(ledger, name)
    if state == MERGED:
        where = open_one(ledger, where).slug
        if where == section.slug:
            raise NotAllowed(f"{name} cannot be merged into itself")
    lines = ledger.split("\n")
    line = lines[section.line - 1]
    start = line.index(section.day, 2)
    said = f"{state.title()} {day}"
    if where:
        said += f" {'into' if state == MERGED else 'to'} {line_of(where)}"
    struck = f"{line[:start]}~~{line[start:].rstrip()}~~ — {said}"
    lines[section.line - 1] = struck + ("\r" if line.endswith("\r") else "")
    return "\n".join(lines)


# --- adding -----------------------------------------------------------------------


def append(ledger: str, idea: Idea) -> str:
    """Return the ledger with an idea, which has a slug, added at its end.

    It is unchanged if it has the idea. InvalidValue: the day does not exist.
    """
    day, title = day_of(idea), titled(idea)
    key = strict_key("title", title)
    for section in parse(ledger):
        linked = section.linked and section.slug == idea.slug
        # An agent may have an idea of the same title as one that it does not see.
        same = strict_key("title", line_of(section.title)) == key
        if linked or (same and idea.agent is None):
            return ledger
    end = "\r\n" if ledger.partition("\n")[0].endswith("\r") else "\n"
    lines = [f"## {day}: {title}", MARKUP.sub(r"\\", line_of(idea.summary))]
    lines.append(f"[[incubator/{idea.slug}/_index.md]]")
    begins = not ledger.strip("\ufeff \t\r\n")
    gap = "" if begins or ledger.endswith(end * 2) else end
    if not begins and not ledger.endswith("\n"):
        gap = end * 2
    head = f"# Ideas{end}{end}" if begins else ""
    return ledger + gap + head + end.join(filter(None, lines)) + end


def day_of(idea: Idea) -> str:
    day = check_date(idea.day, "day")[:10]
    if len(day) < 10:
        raise InvalidValue(f"day: a whole day is needed, not {day}", code="invalid_day")
    return day


def titled(idea: Idea) -> str:
    title = line_of(idea.title)[:_TITLE_LENGTH].rstrip()
    return title or Entry(id="Untitled idea", body=line_of(idea.summary)).display_title
