"""Ideas in a vault: listed, added, and decided on.

Invariant: an idea that is known, in any state, is not added again. A decision stands in
the ledger and on the idea's page, and both change in one commit, which `undo` takes
back. Nothing is deleted: a page stays where it is and says what became of the idea.
"""

from __future__ import annotations

import os

from memcli.curation import idea_page, idea_text
from memcli.curation.changing import Changing
from memcli.curation.idea_text import DISMISSED, MERGED, OPEN, PROMOTED
from memcli.entries import dates, layout
from memcli.entries.entry import Entry, Status
from memcli.entries.ids import new_id
from memcli.entries.text.counted import counted
from memcli.errors import (
    AmbiguousId,
    EntryNotFound,
    InvalidEntry,
    InvalidValue,
    NotAllowed,
    Unreadable,
    UnsafePath,
    UsageError,
)
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.vault_paths import inside
from memcli.vault import lineage

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memcli.curation.idea_text import Idea, Section
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault

_DAY = 86_400


class ListedIdea(NamedTuple):
    """An idea of the ledger with its page; `id` and `path` are None without one.

    `state` is open, promoted, dismissed or merged; `line` is the line of its heading;
    `problem` says why the page cannot be used.
    """

    slug: str
    title: str
    day: str
    age_days: int
    state: str
    summary: str
    on: str | None
    where: str | None
    line: int
    id: str | None = None
    path: str | None = None
    session: str | None = None
    record: str | None = None
    excerpt: str | None = None
    problem: str | None = None


class DecidedIdea(NamedTuple):
    """A decision on one idea: promoted, dismissed or merged.

    `id` and `path` name what stands for the idea from now on: the memory, its own page,
    or the idea that took it in.
    """

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


def listed(vault: Vault, *, only_open: bool = False) -> list[ListedIdea]:
    """The ideas of the ledger, in its order.

    Raises:
        InvalidEntry: the ledger is not UTF-8 text.
        Unreadable, UnsafePath: the ledger is not a file of the vault.
    """
    vault.owner_only("the ledger of ideas")
    today = vault.now_ms() // 1000
    vault.read(lambda _: None)  # finishes what a killed command began
    ideas = []
    for section in sections(vault):
        if only_open and section.state != OPEN:
            continue
        page, problem = None, None
        try:
            page = _page(vault, section.slug)
        except (InvalidEntry, Unreadable, UnsafePath) as error:
            problem = error.message
        try:
            age = (today - dates.to_epoch(section.day)) // _DAY
        except InvalidValue:
            age = 0  # the 31st of February, by hand
        fields: dict[str, Any] = section._asdict()
        del fields["linked"]
        if page is not None:
            source = page.entry.source
            fields |= {"id": page.entry.id, "path": page.path}
            fields |= {"session": source.session, "record": source.record}
            fields["excerpt"] = source.excerpt
        ideas.append(ListedIdea(**fields, age_days=max(0, age), problem=problem))
    return ideas


def named(vault: Vault, words: Sequence[str]) -> list[str]:
    """The slugs of the ideas that slugs, beginnings of them, or pages' ids name.

    Raises:
        NotAllowed: an agent asks: the ledger names the ideas of all.
        EntryNotFound: there is none, or several begin so (`idea_not_found`).
    """
    vault.owner_only("deciding on ideas")
    known = sections(vault)
    slugs = []
    for word in words:
        try:
            slugs.append(idea_text.find(known, word).slug)
        except EntryNotFound as refusal:
            try:
                path = vault.path_of(word)
            except (EntryNotFound, AmbiguousId):
                raise refusal from None
            if not path.startswith(layout.INCUBATOR):
                raise EntryNotFound(
                    f"{word} is no idea, but {path}",
                    hint="A candidate takes --approve or --reject.",
                    code="idea_not_found",
                ) from None
            slugs.append(path.split("/")[2])
    return list(dict.fromkeys(slugs))


def existing(vault: Vault) -> dict[str, bytes]:
    """The files that `idea_page.plan` and `idea_page.held` take: path -> bytes.

    Raises:
        UnsafePath: a symbolic link leads out of the vault; Unreadable.
    """
    data = _ledger(vault)
    contents = {} if data is None else {layout.IDEA_LEDGER: data}
    for above in (layout.INCUBATOR, f"{layout.ARCHIVE}/{layout.INCUBATOR}"):
        folder = inside(vault.root, above)
        try:
            names = sorted(os.listdir(folder))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise Unreadable(f"{above}: {error.strerror}") from error
        for name in names:
            inner = os.path.join(folder, name)
            if not os.path.isdir(inner):
                continue
            contents[f"{above}{name}/"] = b""  # a folder that may hold no page
            for file in sorted(os.listdir(inner)):
                path = f"{above}{name}/{file}"
                if layout.is_idea(path):
                    contents[path] = files.read(inside(vault.root, path))
    return contents


def _ledger(vault: Vault) -> bytes | None:
    """The ledger's bytes; None when there is no ledger."""
    path = inside(vault.root, layout.IDEA_LEDGER)
    return files.read(path) if os.path.lexists(path) else None


def _page(vault: Vault, name: str) -> Stored | None:
    """The page of an idea in the incubator; None when it has none."""
    path = idea_page.page_path(name)
    place = inside(vault.root, path)
    real = os.path.realpath(vault.root)
    if os.path.realpath(place) != os.path.join(real, *path.split("/")):
        raise UnsafePath(
            f"{path}: a symbolic link is on the way",
            hint="Put the idea's own folder there.",
        )
    return vault.stored(path) if os.path.exists(place) else None


# --- writing ----------------------------------------------------------------------


def add(vault: Vault, change: Transaction, new: Sequence[Idea]) -> list[str]:
    """Put new ideas into an open transaction; ideas that are known are left out.

    Returns:
        The paths of the new ideas' pages.

    Raises:
        InvalidEntry, InvalidValue: as `idea_page.plan`; UnsafePath, Unreadable: as
            `existing`.
    """
    if not new:
        return []
    there = existing(vault)
    planned = idea_page.plan(there, new, vault.agent)
    for path, data in planned.items():
        change.put(path, data, expected=there.get(path))
    return [path for path in planned if layout.is_idea(path)]


def meet(vault: Vault, change: Transaction | None, path: str, idea: Idea) -> bool:
    """Say on an open idea's page that a session brought it again, if that is news."""
    page, pending = vault.stored(path), change and change.pending(path)
    data = idea_page.met_again(pending or page.data, path, idea)
    if data is not None and change is not None:
        change.put(path, data, expected=page.data)
    return data is not None


class _Ledger:
    """The ledger while a decision changes it, which all goes into one commit."""

    def __init__(self, at: Changing) -> None:
        self.at, self.vault = at, at.vault
        self._before = _ledger(at.vault)
        self.text = idea_text.text_of(self._before or b"")
        self.day = at.now[:10]
        self.done: list[DecidedIdea] = []

    def decide(
        self, section: Section, state: str, by: Entry | None = None, where: str = ""
    ) -> None:
        """Strike an idea out; `by` stands for it from now on."""
        self.text = idea_text.decided(self.text, section.slug, state, self.day, where)
        title = by.display_title if by and state == PROMOTED else section.title
        name, path = (by.id, by.path) if by else (None, None)
        self.done.append(DecidedIdea(section.slug, title, name, path, state))

    def write(self, page: Stored, entry: Entry) -> None:
        """Write the page of an idea."""
        updated = lineage.not_before(entry, self.at.now)
        self.at.write(page, entry.replace(updated=updated))

    def end(self, page: Stored | None, by: str, reason: str) -> None:
        """Write into an idea's page which entry stands for it from now on."""
        if page is not None:
            status = Status.SUPERSEDED
            ended = page.entry.replace(status=status, superseded_by=by, reason=reason)
            self.write(page, ended)

    def finish(self) -> list[DecidedIdea]:
        """Write the ledger, and say what was decided."""
        change, done = self.at.change, self.done
        if done:
            data = self.text.encode()
            change.put(layout.IDEA_LEDGER, data, expected=self._before)
            what = counted(len(done), "idea") if done[1:] else done[0].title
            self.at.say("review", [f"{done[0].outcome} {what}"])
        return done


def promote(
    vault: Vault, names: Sequence[str], changes: Mapping[str, Any] | None = None
) -> IdeaDecisions:
    """Make memories of open ideas, in one commit; their kind is idea by default.

    Args:
        vault: where they are.
        names: slugs, as `named` takes them.
        changes: `kind`, `title` and `tags` of the memory; a title for one idea only.

    Raises:
        EntryNotFound: there is no such idea (`idea_not_found`).
        NotAllowed: one is not open any more (`idea_not_open`).
        InvalidValue, TooLarge: a change is not valid.
        UnsafePath: its slug or a symbolic link leads out of the incubator.
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    from memcli.entries import codec

    given = {name: value for name, value in (changes or {}).items() if value}
    if "title" in given and len(names) != 1:
        raise UsageError("a title is for one idea", hint="Name one.")
    with Changing(vault) as at:
        ledger = _Ledger(at)
        for number, name in enumerate(named(vault, names)):
            section = idea_text.open_one(ledger.text, name)
            page = _page(vault, name)
            fresh = _memory(vault, section, page, given).replace(created=at.now)
            entry_id = new_id(at.now_ms + number, vault.entropy)
            fresh = vault.link(fresh.replace(id=entry_id, path=at.free_path(fresh)))
            at.change.put(fresh.path, codec.encode(fresh), expected=None)
            ledger.decide(section, PROMOTED, fresh, f"[[{fresh.path}]]")
            ledger.end(page, entry_id, f"promoted to {fresh.path}")
        done = ledger.finish()
    return IdeaDecisions(done, at.change.commit)


def dismiss(
    vault: Vault, names: Sequence[str], reason: str | None = None
) -> IdeaDecisions:
    """Strike open ideas out in the ledger and reject their pages, in one commit.

    Raises:
        As `promote`.
    """

    with Changing(vault) as at:
        ledger = _Ledger(at)
        for name in named(vault, names):
            section, page = idea_text.open_one(ledger.text, name), _page(vault, name)
            ledger.decide(section, DISMISSED, page and page.entry)
            if page is not None:
                rejected = {"status": Status.REJECTED, "reason": reason}
                ledger.write(page, page.entry.replace(**rejected))
        done = ledger.finish()
    return IdeaDecisions(done, at.change.commit)


def merge(vault: Vault, name: str, other: str) -> IdeaDecisions:
    """Merge an open idea into another open one, whose page takes its text in.

    Raises:
        As `promote`; NotAllowed also when the other one has no page.
    """

    with Changing(vault) as at:
        ledger = _Ledger(at)
        (mine,), (theirs,) = named(vault, [name]), named(vault, [other])
        section = idea_text.open_one(ledger.text, mine)
        page, target = _page(vault, mine), _page(vault, theirs)
        ledger.decide(section, MERGED, target and target.entry, theirs)
        if target is None:
            raise NotAllowed(
                f"the idea {theirs} has no page to take {mine} in",
                hint=f"Merge the other way round, or write {layout.idea_page(theirs)}.",
            )
        entry = target.entry
        fresh = entry.replace(body=_with_text(entry.body, section, page, ledger.day))
        if page is not None:
            fresh = fresh.replace(supersedes=entry.supersedes or page.entry.id)
            both = [entry, page.entry]
            fresh = lineage.passed_on(vault, fresh, both, shared_anew=False)
        # The slug of the other idea is not for all agents.
        ledger.end(page, entry.id, "merged into another idea")
        ledger.write(target, fresh)
        done = ledger.finish()
    return IdeaDecisions(done, at.change.commit)


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
    own = (*idea_text.PAGE_KEYS, "id")
    return fresh.replace(
        tags=tuple(dict.fromkeys((*old.tags, *fresh.tags))),
        type=old.type,
        entities=old.entities,
        agent=old.agent,
        visibility=old.visibility,
        groups=old.groups,
        source=old.source,
        supersedes=old.id,
        extra=tuple(item for item in old.extra if item[0] not in own),
    )


def _with_text(body: str, section: Section, page: Stored | None, day: str) -> str:
    """The text of an idea that takes another one in."""
    inner = page.entry.body if page else section.summary
    lines = inner.replace("\r\n", "\n").strip().split("\n")
    if lines[0].startswith("# "):
        del lines[0]
    text = f"## {section.title}\n\nMerged {day}.\n\n" + "\n".join(lines).strip()
    gap = "" if not body or body.endswith("\n") else "\n"
    block = f"{gap}\n{text.rstrip()}\n"
    return body + (block.replace("\n", "\r\n") if "\r\n" in body else block)
