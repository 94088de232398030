"""New ideas as text: their lines in the ledger, and the page of each.

Invariant: pure. Adding an idea changes no existing byte, and no text of an idea can
look like another idea or like a decision. An idea that is known, in any state, is
not added again.
"""

from __future__ import annotations

import re

from memcli.curation.ideas.ledger import (
    SLUG_LENGTH,
    clean,
    line_of,
    newline_of,
    parse,
    slug,
    text_of,
)
from memcli.entries import codec, ids, layout, plain_yaml
from memcli.entries.checks import check_date
from memcli.entries.eligibility import Agent, facts, visible
from memcli.entries.entry import Entry, Source
from memcli.entries.identity import strict_key
from memcli.entries.text.links import escaped
from memcli.errors import InvalidEntry, InvalidValue, UnsafePath
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# A longer title is a summary; a memory's title may have 500 characters.
_TITLE_LENGTH = 200
_HEADER = "# Ideas"
# A blank line may hold these; for a markdown reader a form feed is not blank.
_BLANK = "\ufeff \t\r"
# Keys of an idea's page that mean nothing in the memory it becomes.
PAGE_KEYS = ("status", "slug", "surfaced_at", "surfaced_in_session")

# A line that starts with one of these would be more than a plain paragraph.
_MARKUP = re.compile(r"^(?=[#\[`~<>=*+_|-])|^(?=→)")


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


# --- names and sameness -----------------------------------------------------------


def page_path(name: str) -> str:
    """The page of the idea of this slug.

    Raises:
        UnsafePath: a ledger that was edited by hand names something that is not one
            folder in the incubator.
    """
    if re.search(r"[/\\\x00-\x1f]", name) or name.startswith(".") or not name:
        raise UnsafePath(f"{layout.IDEA_LEDGER}: {name!r} is not the name of a folder")
    return layout.idea_page(name)


def keys(idea: Idea) -> frozenset[str]:
    """The keys of an idea; two ideas that share a key are the same."""
    return _keys(_titled(idea), idea.session, idea.record)


def known(existing: Mapping[str, bytes], agent: Agent | None = None) -> frozenset[str]:
    """The keys of every existing idea, in any state.

    Args:
        agent: who asks, and knows the ideas whose pages it may see; the ledger, which
            has the titles of all, is the owner's.
        existing: path -> bytes of the ledger and of ideas' pages, archived or not; as
            `memcli.curation.ideas.incubator.existing` reads them.

    Raises:
        InvalidEntry: the ledger is not UTF-8 text.
    """
    keys: set[str] = set()
    for each in _held(existing, agent):
        keys |= _keys(*each)
    return frozenset(keys)


def titles(existing: Mapping[str, bytes], agent: Agent | None = None) -> list[str]:
    """The titles of every existing idea, in any state; as `known`."""
    return list(dict.fromkeys(title for title, _, _ in _held(existing, agent)))


def _held(
    existing: Mapping[str, bytes], agent: Agent | None
) -> Iterator[tuple[str, str | None, str | None]]:
    """Title, session and record of each existing idea."""
    ledger = text_of(existing.get(layout.IDEA_LEDGER, b""))
    for section in parse(ledger) if agent is None else ():
        yield section.title, None, None
    for path, data in existing.items():
        if not layout.is_idea(path):
            continue
        try:
            held = codec.decode(data, path).entry
        except InvalidEntry:
            continue  # its title is in the ledger; lint reports the page
        if agent is not None and not visible(facts(held), agent):
            continue
        yield held.display_title, held.source.session, held.source.record


def _keys(title: str, session: str | None, record: str | None) -> frozenset[str]:
    plain = line_of(title)
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
    """The files to write for new ideas: the whole ledger, and a page for each.

    Known ideas are left out; when all are known, there is nothing to write.

    Args:
        existing: as for `known`; a key that ends with `/` names a folder of the
            incubator that has no page.
        new: in their order in the ledger; those of an agent bring a slug of their own,
            since a number behind it would tell of another idea.
        agent: as for `known`.

    Returns:
        Path -> all of its bytes. A page is always a new file.

    Raises:
        InvalidEntry: the ledger is not UTF-8 text.
        InvalidValue: a day does not exist.
    """
    if not new:
        return {}
    text = text_of(existing.get(layout.IDEA_LEDGER, b""))
    seen = set(known(existing, agent))
    taken = {section.slug for section in parse(text)}
    taken |= {name for name in map(_folder, existing) if name}
    files: dict[str, bytes] = {}
    for idea in new:
        if not seen.isdisjoint(keys(idea)):
            continue
        seen |= keys(idea)
        placed = idea._replace(slug=slug(idea.slug or _titled(idea), taken))
        taken.add(placed.slug)
        text = append(text, placed)
        files[layout.idea_page(placed.slug)] = page_of(placed)
    if files:
        files[layout.IDEA_LEDGER] = plain_yaml.to_bytes(text)
    return files


def append(ledger: str, idea: Idea) -> str:
    """Return the ledger with an idea added at its end; unchanged if it has the idea.

    Args:
        ledger: the whole text, empty for a new one.
        idea: with a slug.

    Raises:
        InvalidValue: the day does not exist.
    """
    day = _day(idea)
    title = _titled(idea)
    key = strict_key("title", title)
    for section in parse(ledger):
        linked = section.link and section.slug == idea.slug
        # An agent may have an idea of the same title as one that it does not see.
        same = strict_key("title", line_of(section.title)) == key
        if linked or (same and idea.agent is None):
            return ledger
    newline = newline_of(ledger)
    lines = [f"## {day}: {title}"]
    summary = _MARKUP.sub(r"\\", line_of(idea.summary))
    if summary:
        lines.append(summary)
    lines.append(f"[[incubator/{idea.slug}/_index.md]]")
    if not ledger.strip("\ufeff \t\r\n"):
        lines[:0] = [_HEADER, ""]
    return ledger + _gap(ledger, newline) + newline.join(lines) + newline


def _gap(ledger: str, newline: str) -> str:
    """The line ends that the text needs to end with a blank line."""
    if not ledger.strip("\ufeff"):
        return ""
    *before, last = ledger.split("\n")
    if last.strip(_BLANK):
        return newline * 2
    if last or not before or before[-1].strip(_BLANK):
        return newline
    return ""


def page_of(idea: Idea) -> bytes:
    """Return the page of an incubating idea, which has a slug.

    Raises:
        InvalidValue: the day does not exist.
    """
    path = page_path(idea.slug)
    day = _day(idea)
    title, summary = _titled(idea), line_of(idea.summary)
    blocks = [f"# {escaped(title)}"]
    if summary:
        blocks.append(_MARKUP.sub(r"\\", escaped(summary)))
    excerpt = clean(idea.excerpt or "").strip()
    if excerpt:
        rows = (escaped(f"> {row}".rstrip()) for row in excerpt.splitlines())
        blocks.append("\n".join(rows))
    origin = [f"session {line_of(idea.session)}"] if idea.session else []
    origin += [f"record {line_of(idea.record)}"] if idea.record else []
    place = f"{' in ' if origin else ''}{', '.join(origin)}"
    blocks.append(escaped(f"Surfaced {day}{place}."))
    moment = check_date(idea.at, "at") if idea.at else day
    own = {
        # Among the extras, since it is the page's word for pending.
        "status": codec.INCUBATING,
        "slug": idea.slug,
        "surfaced_at": moment,
        "surfaced_in_session": line_of(idea.session or ""),
    }
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
                host=line_of(idea.host or "") or None,
                session=line_of(idea.session or "") or None,
                record=line_of(idea.record or "") or None,
                excerpt=excerpt or None,
            ),
            extra=tuple((k, plain_yaml.lines_of(k, v)) for k, v in own.items() if v),
            body="\n\n".join(blocks) + "\n",
            path=path,
        )
    )


def _day(idea: Idea) -> str:
    day = check_date(idea.day, "day")[:10]
    if len(day) < 10:
        raise InvalidValue(f"day: a whole day is needed, not {day}", code="invalid_day")
    return day


def _titled(idea: Idea) -> str:
    title = line_of(idea.title)[:_TITLE_LENGTH].rstrip()
    return title or Entry(id="Untitled idea", body=line_of(idea.summary)).display_title


def _folder(path: str) -> str:
    """The name of the incubator folder that a path lies in, archived or not."""
    place = path.removeprefix(layout.ARCHIVE + "/")
    if not place.startswith(layout.INCUBATOR):
        return ""
    return place.removeprefix(layout.INCUBATOR).partition("/")[0]
