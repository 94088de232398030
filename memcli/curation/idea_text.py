"""Ideas as text: the sections of the ledger, a decision on one, and the page of each.

Invariant: pure. Adding an idea changes no existing byte, and a decision changes one
line and no other. No text of an idea can look like another idea or like a decision. An
idea that is known, in any state, is not added again; where it is open, its page says
when it was met again. Text between the ideas is skipped, and edits by hand are
understood where possible: any dash, an idea without a page.
"""

from __future__ import annotations

import re
from itertools import pairwise

from memcli.entries import codec, ids, layout, plain_yaml
from memcli.entries.checks import check_date
from memcli.entries.eligibility import Agent, facts, visible
from memcli.entries.entry import Entry, Source, Status
from memcli.entries.identity import strict_key
from memcli.entries.text.counted import agreeing, counted
from memcli.entries.text.links import escaped
from memcli.errors import (
    EntryNotFound,
    InvalidEntry,
    InvalidValue,
    NotAllowed,
    UnsafePath,
)
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

OPEN, PROMOTED, DISMISSED, MERGED = "open", "promoted", "dismissed", "merged"
STATES = (OPEN, PROMOTED, DISMISSED, MERGED)
"""The states of an idea."""

SLUG_LENGTH = 40
PAGE_KEYS = ("status", "slug", "surfaced_at", "surfaced_in_session")
"""Keys of an idea's page that mean nothing in the memory that it becomes."""

# A longer title is a summary; a memory's title may have 500 characters.
_TITLE_LENGTH = 200
# A page that grows for ever is a log.
_MOST_SIGHTINGS = 50
# What is said of every idea, and tells none from another.
_LATER = re.compile(r"(?i)\b(?:later|some ?day|one day|at some point|eventually)\b")
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
_MARKUP = re.compile(r"^(?=[#\[`~<>=*+_|-])")


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


def _clean(text: str) -> str:
    """The text without control characters and halves of surrogate pairs."""
    whole = text.encode("utf-8", "replace").decode().replace("\r\n", "\n")
    return _CONTROL.sub(" ", whole.replace("\r", "\n"))


def _line(text: str) -> str:
    """The text on one line."""
    return " ".join(_clean(text).split())


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
        said += f" {'into' if state == MERGED else 'to'} {_line(where)}"
    struck = f"{line[:start]}~~{line[start:].rstrip()}~~ — {said}"
    lines[section.line - 1] = struck + ("\r" if line.endswith("\r") else "")
    return "\n".join(lines)


# --- which ideas are known --------------------------------------------------------


def page_path(name: str) -> str:
    """The page of the idea of this slug.

    UnsafePath: a ledger that was edited by hand names no folder of the incubator.
    """
    if re.search(r"[/\\\x00-\x1f]", name) or name.startswith(".") or not name:
        raise UnsafePath(f"{layout.IDEA_LEDGER}: {name!r} is not the name of a folder")
    return layout.idea_page(name)


class Held(NamedTuple):
    """An idea that is there, in any state; `path` is its page's, empty without one."""

    title: str
    session: str | None = None
    record: str | None = None
    path: str = ""


def same(idea: Idea, others: Iterable[Held]) -> Held | None:
    """The idea that says the same: its title, or one that says nothing more, in nearly
    its words.

    >>> again = Idea("It would be nice if login warmed the search index", "", "")
    >>> same(again, [Held("Warm the index on login")])
    Held(title='Warm the index on login', session=None, record=None, path='')
    """
    from memcli.entries.text.differences import restates

    keys = _keys(_titled(idea), idea.session, idea.record)
    mine = _LATER.sub("", _titled(idea))
    for other in others:
        theirs = _LATER.sub("", other.title)
        if keys & _keys(*other[:3]) or restates(mine, theirs) or restates(theirs, mine):
            return other
    return None


def held(existing: Mapping[str, bytes], agent: Agent | None = None) -> Iterator[Held]:
    """Every idea that is there, those with a page first.

    Args:
        existing: path -> bytes of the ledger and of ideas' pages, as
            `memcli.curation.ideas.existing` reads them.
        agent: who asks, and knows the ideas whose pages it may see; the ledger, which
            has the titles of all, is the owner's.

    Raises:
        InvalidEntry: the ledger is not UTF-8 text.
    """
    for path, data in existing.items():
        if not layout.is_idea(path):
            continue
        try:
            page = codec.decode(data, path).entry
        except InvalidEntry:
            continue  # its title is in the ledger; lint reports the page
        if agent is None or visible(facts(page), agent):
            source = page.source
            yield Held(page.display_title, source.session, source.record, path)
    ledger = text_of(existing.get(layout.IDEA_LEDGER, b""))
    for section in parse(ledger) if agent is None else ():
        yield Held(section.title)


def _keys(title: str, session: str | None, record: str | None) -> frozenset[str]:
    plain = _line(title)
    keys = {strict_key("title", plain)}
    if record:
        # One record may hold several ideas; a title that differs in its marks or
        # behind its 40th character is the same idea, read again.
        keys.add(f"record:{session or ''}:{record}:{ids.slug(plain, SLUG_LENGTH)}")
    return frozenset(keys)


# --- new ideas --------------------------------------------------------------------


def plan(
    existing: Mapping[str, bytes], new: Sequence[Idea], agent: Agent | None = None
) -> dict[str, bytes]:
    """The files to write for new ideas: the whole ledger, and a new page for each.

    Known ideas are left out; when all are known, there is nothing to write.

    Args:
        existing: as for `held`; a key that ends with `/` names a folder of the
            incubator that has no page.
        new: in their order in the ledger; those of an agent bring a slug of their own,
            since a number behind it would tell of another idea.
        agent: as for `held`.

    Returns:
        Path -> all of its bytes. A page is always a new file.

    Raises:
        InvalidEntry: the ledger is not UTF-8 text.
        InvalidValue: a day does not exist.
    """
    text = text_of(existing.get(layout.IDEA_LEDGER, b""))
    seen = {key for each in held(existing, agent) for key in _keys(*each[:3])}
    taken = {section.slug for section in parse(text)}
    places = (path.removeprefix(layout.ARCHIVE + "/") for path in existing)
    taken |= {
        place.removeprefix(layout.INCUBATOR).partition("/")[0]
        for place in places
        if place.startswith(layout.INCUBATOR)
    }
    files: dict[str, bytes] = {}
    for idea in new:
        keys = _keys(_titled(idea), idea.session, idea.record)
        if not seen.isdisjoint(keys):
            continue
        seen |= keys
        placed = idea._replace(slug=slug(idea.slug or _titled(idea), taken))
        taken.add(placed.slug)
        text = append(text, placed)
        files[layout.idea_page(placed.slug)] = page_of(placed)
    if files:
        files[layout.IDEA_LEDGER] = plain_yaml.to_bytes(text)
    return files


def append(ledger: str, idea: Idea) -> str:
    """Return the ledger with an idea, which has a slug, added at its end.

    It is unchanged if it has the idea. InvalidValue: the day does not exist.
    """
    day, title = _day(idea), _titled(idea)
    key = strict_key("title", title)
    for section in parse(ledger):
        linked = section.linked and section.slug == idea.slug
        # An agent may have an idea of the same title as one that it does not see.
        same = strict_key("title", _line(section.title)) == key
        if linked or (same and idea.agent is None):
            return ledger
    end = "\r\n" if ledger.partition("\n")[0].endswith("\r") else "\n"
    lines = [f"## {day}: {title}", _MARKUP.sub(r"\\", _line(idea.summary))]
    lines.append(f"[[incubator/{idea.slug}/_index.md]]")
    begins = not ledger.strip("\ufeff \t\r\n")
    gap = "" if begins or ledger.endswith(end * 2) else end
    if not begins and not ledger.endswith("\n"):
        gap = end * 2
    head = f"# Ideas{end}{end}" if begins else ""
    return ledger + gap + head + end.join(filter(None, lines)) + end


def page_of(idea: Idea) -> bytes:
    """Return the page of an idea, which has a slug; raises as `append`."""
    path = page_path(idea.slug)
    title, excerpt = _titled(idea), _clean(idea.excerpt or "").strip()
    session, record = (_line(each or "") for each in (idea.session, idea.record))
    blocks = [
        f"# {escaped(title)}",
        _MARKUP.sub(r"\\", escaped(_line(idea.summary))),
        *_met(idea, "Surfaced"),
    ]
    moment = check_date(idea.at, "at") if idea.at else _day(idea)
    # The status is among the extras, since it is the page's word for pending.
    own = zip(PAGE_KEYS, (codec.INCUBATING, idea.slug, moment, session), strict=True)
    return codec.encode(
        Entry(
            agent=idea.agent,
            id=ids.adopted_id(path),
            kind="idea",
            title=title,
            created=moment,
            updated=moment,
            source=Source(
                writer=idea.writer,
                host=_line(idea.host or "") or None,
                session=session or None,
                record=record or None,
                excerpt=excerpt or None,
            ),
            extra=tuple((k, plain_yaml.lines_of(k, v)) for k, v in own if v),
            body="\n\n".join(filter(None, blocks)) + "\n",
            path=path,
        )
    )


def met_again(data: bytes, path: str, idea: Idea) -> bytes | None:
    """The page of an open idea that another session brought again; None where it says
    so already, and for one that is not open.

    Raises:
        InvalidEntry: the page is not in order.
        InvalidValue: the day does not exist.
    """
    page = codec.decode(data, path).entry
    session = _line(idea.session or "")
    known = (page.source.session, *page.evidence)
    if page.status is not Status.PENDING or not session or session in known:
        return None
    moment = check_date(idea.at, "at") if idea.at else _day(idea)
    fresh = page.replace(
        body="\n\n".join((page.body.rstrip(), *_met(idea, "Met again"))) + "\n",
        seen=(*page.seen, moment)[-_MOST_SIGHTINGS:],
        evidence=(*page.evidence, session)[-_MOST_SIGHTINGS:],
    )
    return codec.rewrite(data, fresh)


def _met(idea: Idea, how: str) -> tuple[str, str]:
    """The words of a session about an idea, and where they stood."""
    excerpt = _clean(idea.excerpt or "").strip()
    rows = (escaped(f"> {row}".rstrip()) for row in excerpt.splitlines())
    origin = [f"session {_line(idea.session)}"] if idea.session else []
    origin += [f"record {_line(idea.record)}"] if idea.record else []
    place = f"{' in ' if origin else ''}{', '.join(origin)}"
    return "\n".join(rows), escaped(f"{how} {_day(idea)}{place}.")


def _day(idea: Idea) -> str:
    day = check_date(idea.day, "day")[:10]
    if len(day) < 10:
        raise InvalidValue(f"day: a whole day is needed, not {day}", code="invalid_day")
    return day


def _titled(idea: Idea) -> str:
    title = _line(idea.title)[:_TITLE_LENGTH].rstrip()
    return title or Entry(id="Untitled idea", body=_line(idea.summary)).display_title
