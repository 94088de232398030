"""Ideas in a vault: listed, added, met again, and decided on.

Invariant: an idea that is known, in any state, is not added again. A decision stands in
the ledger and on the idea's page, and both change in one commit, which `undo` takes
back. Nothing is deleted: a page stays where it is and says what became of the idea.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress

from memcli.curation import idea_text
from memcli.curation.changing import Changing
from memcli.curation.idea_text import DISMISSED, PROMOTED, line_of
from memcli.entries import codec, dates, ids, layout, plain_yaml
from memcli.entries.entry import Entry, Source, Status
from memcli.entries.identity import strict_key
from memcli.entries.text.counted import counted
from memcli.entries.text.links import escaped
from memcli.errors import InvalidValue, MemcliError, UsageError
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.vault_paths import inside
from memcli.vault import free_paths, lineage

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from memcli.curation.idea_text import Section
    from memcli.search.reader import Reader
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault

    # The state of an idea from now on, what the ledger says it became, and the entry
    # that stands for it.
    _Act = Callable[[Changing, Section, Stored | None], tuple[str, str, Entry | None]]

_DAY = 86_400
# A longer title is a summary; a memory's title may have 500 characters.
_TITLE_LENGTH = 200
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


class Idea(NamedTuple):
    """An idea as it was surfaced: its title, two sentences, the moment (ISO 8601, at
    least a day), and where it came from."""

    title: str
    summary: str
    at: str
    session: str | None = None
    record: str | None = None
    excerpt: str | None = None
    host: str | None = None


class DecidedIdea(NamedTuple):
    """A decision on one idea, promoted or dismissed; `id` and `path` name what stands
    for it from now on: the memory, or its own page."""

    slug: str
    title: str
    id: str | None
    path: str | None
    outcome: str


class IdeaDecisions(NamedTuple):
    """Every decision of one commit; `commit` is None when there was none to make."""

    items: list[DecidedIdea]
    commit: str | None


# --- reading ----------------------------------------------------------------------


def sections(vault: Vault) -> list[Section]:
    """The ideas of the ledger; InvalidEntry when it is not UTF-8 text."""
    return idea_text.parse(idea_text.text_of(_ledger(vault) or b""))


def listed(vault: Vault) -> list[Section]:
    """The ideas of the ledger, in its order.

    Raises:
        InvalidEntry: the ledger is not UTF-8 text.
        Unreadable, UnsafePath: the ledger is not a file of the vault.
    """
    vault.owner_only("the ledger of ideas")
    today = vault.now_ms() // 1000
    vault.read(lambda _: None)  # finishes what a killed command began
    ideas = []
    for idea in sections(vault):
        try:
            page = _page(vault, idea.slug)
            if page is not None:
                source = page.entry.source
                idea = idea._replace(
                    id=page.entry.id,
                    path=page.path,
                    session=source.session,
                    record=source.record,
                    excerpt=source.excerpt,
                )
        except MemcliError as error:
            idea = idea._replace(problem=error.message)
        with suppress(InvalidValue):  # the 31st of February, by hand
            age = (today - dates.to_epoch(idea.day)) // _DAY
            idea = idea._replace(age_days=max(0, age))
        ideas.append(idea)
    return ideas


def named(vault: Vault, words: Sequence[str]) -> list[str]:
    """The slugs of the ideas that slugs, or beginnings of them, name.

    Raises:
        NotAllowed: an agent asks: the ledger names the ideas of all.
        EntryNotFound: there is none, or several begin so (`idea_not_found`).
    """
    vault.owner_only("deciding on ideas")
    known = sections(vault)
    return list(dict.fromkeys(idea_text.find(known, word).slug for word in words))


def known(vault: Vault) -> list[tuple[str, str]]:
    """Title and page of every idea that is there, in any state, as far as the caller
    may see; the owner's has the titles of the ledger as well, without a page."""

    def look(reader: Reader) -> list[tuple[str, str]]:
        paths = reader.starting("path", layout.INCUBATOR)
        docs = (doc for path in paths for doc in reader.exact("path", path))
        return [(reader.row(doc).title, reader.row(doc).path) for doc in docs]

    own = sections(vault) if vault.agent is None else ()
    return [*vault.read(look), *((section.title, "") for section in own)]


def same(title: str, others: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """The idea that says the same: its title, or one that says nothing more, in nearly
    its words; what is said of every idea does not count.

    >>> again = "It would be nice if login warmed the search index"
    >>> same(again, [("Warm the index on login", "")])
    ('Warm the index on login', '')
    """
    from memcli.entries.text.differences import restates

    key, mine = strict_key("title", line_of(title)), _FRAME.sub("", title)
    for other in others:
        theirs = _FRAME.sub("", other[0])
        alike = restates(mine, theirs) or restates(theirs, mine)
        if alike or strict_key("title", line_of(other[0])) == key:
            return other
    return None


def _ledger(vault: Vault) -> bytes | None:
    """The ledger's bytes; None when there is no ledger."""
    path = inside(vault.root, layout.IDEA_LEDGER)
    return files.read(path) if os.path.lexists(path) else None


def _page(vault: Vault, name: str) -> Stored | None:
    """The page of an idea in the incubator; None when it has none."""
    path = layout.idea_page(name)
    there = os.path.lexists(inside(vault.root, path))
    return vault.stored(path) if there else None


# --- adding -----------------------------------------------------------------------


def add(vault: Vault, change: Transaction, new: Sequence[Idea]) -> list[str]:
    """Put new ideas into an open transaction: each into the ledger, with a page.

    Returns:
        The paths of the pages.

    Raises:
        InvalidEntry: the ledger is not UTF-8 text.
        InvalidValue: a moment does not exist.
        UnsafePath, Unreadable: the incubator is not a folder of the vault.
    """
    before = _ledger(vault)
    text = idea_text.text_of(before or b"")
    taken = {section.slug.casefold() for section in idea_text.parse(text)}
    paths = []
    for idea in new:
        title = line_of(idea.title)[:_TITLE_LENGTH].rstrip() or "Untitled idea"
        short = ids.slug(title, idea_text.SLUG_LENGTH - free_paths.OWN_MARK)
        # An agent's has a mark of its own: a number would tell of another idea.
        names = idea_text.slugs(
            free_paths.own_name(vault, short) if vault.agent else title
        )
        name = next(n for n in names if n not in taken and not _is_taken(vault, n))
        taken.add(name)
        path, moment = layout.idea_page(name), dates.check_date(idea.at, "at")
        text = idea_text.append(text, title, moment[:10], idea.summary, name)
        page = _new_page(vault, idea, title, moment).replace(
            id=ids.adopted_id(path), path=path
        )
        change.put(path, codec.encode(page), expected=None)
        paths.append(path)
    if paths:
        data = plain_yaml.to_bytes(text)
        change.put(layout.IDEA_LEDGER, data, expected=before)
    return paths


def _is_taken(vault: Vault, name: str) -> bool:
    folder = os.path.dirname(layout.idea_page(name))
    places = (folder, f"{layout.ARCHIVE}/{folder}")
    return any(os.path.lexists(inside(vault.root, place)) for place in places)


def _new_page(vault: Vault, idea: Idea, title: str, moment: str) -> Entry:
    """The page of an idea, without id and path."""
    blocks = [
        f"# {escaped(title)}",
        escaped(idea_text.paragraph(idea.summary)),
        *_met(idea, "Surfaced", moment),
    ]
    return Entry(
        "",
        agent=vault.agent_name,
        kind="idea",
        status=Status.PENDING,
        title=title,
        created=moment,
        updated=moment,
        source=Source(
            writer="pipeline",
            host=line_of(idea.host) or None,
            session=line_of(idea.session) or None,
            record=line_of(idea.record) or None,
            excerpt=idea_text.clean(idea.excerpt or "") or None,
        ),
        body="\n\n".join(filter(None, blocks)) + "\n",
    )


def meet(vault: Vault, change: Transaction | None, path: str, idea: Idea) -> bool:
    """Say on an open idea's page that a session brought it again, if that is news.

    Raises:
        InvalidEntry: the page is not in order.
    """
    page, pending = vault.stored(path), change and change.pending(path)
    data = pending or page.data
    entry, session = codec.decode(data, path).entry, line_of(idea.session)
    known = (entry.source.session, *entry.evidence)
    if entry.status is not Status.PENDING or not session or session in known:
        return False
    moment = dates.check_date(idea.at, "at")
    blocks = (entry.body.rstrip(), *_met(idea, "Met again", moment))
    fresh = entry.replace(
        body="\n\n".join(blocks) + "\n",
        seen=(*entry.seen, moment)[-_MOST_SIGHTINGS:],
        evidence=(*entry.evidence, session)[-_MOST_SIGHTINGS:],
    )
    if change is not None:
        change.put(path, codec.rewrite(data, fresh), expected=page.data)
    return True


def _met(idea: Idea, how: str, moment: str) -> tuple[str, str]:
    """The words of a session about an idea, and where they stood."""
    excerpt = idea_text.clean(idea.excerpt or "")
    rows = (escaped(f"> {row}".rstrip()) for row in excerpt.splitlines())
    origin = [f"session {line_of(idea.session)}"] if idea.session else []
    origin += [f"record {line_of(idea.record)}"] if idea.record else []
    place = f"{' in ' if origin else ''}{', '.join(origin)}"
    return "\n".join(rows), escaped(f"{how} {moment[:10]}{place}.")


# --- deciding ---------------------------------------------------------------------


def _decide(vault: Vault, names: Sequence[str], act: _Act) -> IdeaDecisions:
    """Decide on open ideas, in one commit.

    Raises:
        EntryNotFound: there is no such idea (`idea_not_found`).
        NotAllowed: one is not open any more (`idea_not_open`).
        InvalidValue, TooLarge: a change is not valid.
        UnsafePath: a symbolic link leads out of the incubator.
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    with Changing(vault) as at:
        before = _ledger(vault)
        text, done = idea_text.text_of(before or b""), list[DecidedIdea]()
        for each in named(vault, names):
            section = idea_text.open_one(text, each)
            state, where, by = act(at, section, _page(vault, section.slug))
            became = f"{state.title()} {at.now[:10]}{where}"
            text = idea_text.decided(text, section, became)
            title = by.display_title if by and state == PROMOTED else section.title
            name, path = (by.id, by.path) if by else (None, None)
            done.append(DecidedIdea(section.slug, title, name, path, state))
        if done:
            change, data = at.change, text.encode()
            change.put(layout.IDEA_LEDGER, data, expected=before)
            what = counted(len(done), "idea") if done[1:] else done[0].title
            at.say("review", [f"{done[0].outcome} {what}"])
    return IdeaDecisions(done, at.change.commit)


def _write(at: Changing, page: Stored | None, **fields: Any) -> None:
    """Write what became of an idea into its page, if it has one."""
    if page is not None:
        updated = lineage.not_before(page.entry, at.now)
        at.write(page, page.entry.replace(**fields, updated=updated))


def promote(
    vault: Vault, names: Sequence[str], changes: Mapping[str, Any] | None = None
) -> IdeaDecisions:
    """Make memories of open ideas, in one commit; their kind is idea by default.

    Args:
        vault: where they are.
        names: slugs, as `named` takes them.
        changes: `kind`, `title` and `tags` of the memory; a title for one idea only.

    Raises:
        As `_decide`.
    """
    given = {name: value for name, value in (changes or {}).items() if value}
    if "title" in given and len(names) != 1:
        raise UsageError("a title is for one idea", hint="Name one.")

    def act(
        at: Changing, section: Section, page: Stored | None
    ) -> tuple[str, str, Entry]:
        fresh = _memory(vault, section, page, given).replace(created=at.now)
        fresh = fresh.replace(id=vault.new_id(), path=at.free_path(fresh))
        fresh = vault.link(fresh)
        at.change.put(fresh.path, codec.encode(fresh), expected=None)
        reason = f"promoted to {fresh.path}"
        status = Status.SUPERSEDED
        _write(at, page, status=status, superseded_by=fresh.id, reason=reason)
        return PROMOTED, f" to [[{fresh.path}]]", fresh

    return _decide(vault, names, act)


def dismiss(
    vault: Vault, names: Sequence[str], reason: str | None = None
) -> IdeaDecisions:
    """Strike open ideas out in the ledger and reject their pages, in one commit.

    Raises:
        As `_decide`.
    """

    def act(
        at: Changing, _: Section, page: Stored | None
    ) -> tuple[str, str, Entry | None]:
        _write(at, page, status=Status.REJECTED, reason=reason)
        return DISMISSED, "", page and page.entry

    return _decide(vault, names, act)


def _memory(
    vault: Vault, section: Section, page: Stored | None, given: Mapping[str, Any]
) -> Entry:
    """The memory that an idea becomes, without id and path."""
    text = f"# {section.title}\n\n{section.summary}".rstrip()
    old = page.entry if page else Entry("", body=text)
    values = {
        "kind": "idea",
        "title": old.title or section.title,
        "text": old.body if old.body.strip() else f"# {section.title}",
    }
    fresh = vault.draft({**values, **given})
    if page is None:
        return fresh
    return fresh.replace(
        tags=tuple(dict.fromkeys((*old.tags, *fresh.tags))),
        type=old.type,
        entities=old.entities,
        agent=old.agent,
        visibility=old.visibility,
        groups=old.groups,
        source=old.source,
        supersedes=old.id,
        extra=tuple(item for item in old.extra if item[0] != "id"),
    )
