"""Ideas as pages: which ideas are known, and the page of each.

Invariant: pure. An idea that is known, in any state, is not added again; where it is
open, its page says when it was met again.
"""

from __future__ import annotations

import re

from memcli.curation.idea_text import (
    MARKUP,
    PAGE_KEYS,
    SLUG_LENGTH,
    Idea,
    append,
    clean,
    day_of,
    line_of,
    parse,
    slug,
    text_of,
    titled,
)
from memcli.entries import codec, ids, layout, plain_yaml
from memcli.entries.dates import check_date
from memcli.entries.eligibility import Agent, facts, visible
from memcli.entries.entry import Entry, Source, Status
from memcli.entries.identity import strict_key
from memcli.entries.text.links import escaped
from memcli.errors import InvalidEntry, UnsafePath
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

# A page that grows for ever is a log.
_MOST_SIGHTINGS = 50
# What is said of every idea, and tells none from another.
_FRAME = re.compile(
    r"(?i)\b(?:later|some ?day|one day|at some point|eventually|"
    r"(?:(?:it|that) )?(?:would|might|could) be "
    r"(?:nice|good|great|cool|useful|worth(?:while)?)(?: (?:to|if we))?|"
    r"(?:we|you|i) (?:should|could|might|may)(?: also)?|"
    r"add|build|make|create|introduce|"
    r"implement|provide|offer|support|have|get|do|try)\b"
)


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
    its words; what is said of every idea does not count.

    >>> again = Idea("It would be nice if login warmed the search index", "", "")
    >>> same(again, [Held("Warm the index on login")])
    Held(title='Warm the index on login', session=None, record=None, path='')
    """
    from memcli.entries.text.differences import restates

    keys = _keys(titled(idea), idea.session, idea.record)
    mine = _FRAME.sub("", titled(idea))
    for other in others:
        theirs = _FRAME.sub("", other.title)
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
        keys = _keys(titled(idea), idea.session, idea.record)
        if not seen.isdisjoint(keys):
            continue
        seen |= keys
        placed = idea._replace(slug=slug(idea.slug or titled(idea), taken))
        taken.add(placed.slug)
        text = append(text, placed)
        files[layout.idea_page(placed.slug)] = page_of(placed)
    if files:
        files[layout.IDEA_LEDGER] = plain_yaml.to_bytes(text)
    return files


def page_of(idea: Idea) -> bytes:
    """Return the page of an idea, which has a slug; raises as `append`."""
    path = page_path(idea.slug)
    title, excerpt = titled(idea), clean(idea.excerpt or "").strip()
    session, record = (line_of(each or "") for each in (idea.session, idea.record))
    blocks = [
        f"# {escaped(title)}",
        MARKUP.sub(r"\\", escaped(line_of(idea.summary))),
        *_met(idea, "Surfaced"),
    ]
    moment = check_date(idea.at, "at") if idea.at else day_of(idea)
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
                host=line_of(idea.host or "") or None,
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
    session = line_of(idea.session or "")
    known = (page.source.session, *page.evidence)
    if page.status is not Status.PENDING or not session or session in known:
        return None
    moment = check_date(idea.at, "at") if idea.at else day_of(idea)
    fresh = page.replace(
        body="\n\n".join((page.body.rstrip(), *_met(idea, "Met again"))) + "\n",
        seen=(*page.seen, moment)[-_MOST_SIGHTINGS:],
        evidence=(*page.evidence, session)[-_MOST_SIGHTINGS:],
    )
    return codec.rewrite(data, fresh)


def _met(idea: Idea, how: str) -> tuple[str, str]:
    """The words of a session about an idea, and where they stood."""
    excerpt = clean(idea.excerpt or "").strip()
    rows = (escaped(f"> {row}".rstrip()) for row in excerpt.splitlines())
    origin = [f"session {line_of(idea.session)}"] if idea.session else []
    origin += [f"record {line_of(idea.record)}"] if idea.record else []
    place = f"{' in ' if origin else ''}{', '.join(origin)}"
    return "\n".join(rows), escaped(f"{how} {day_of(idea)}{place}.")
