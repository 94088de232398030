"""Decisions on ideas: promoted to a memory, dismissed, merged into another idea.

Invariant: the ledger says what became of an idea, its page says it too, and both
change in one commit, which `undo` takes back. Nothing is deleted: a dismissed idea
lies in the archive, and the ledger keeps its heading, so it is not proposed again.
"""

from __future__ import annotations

import contextlib
import os

from memcli.curation.ideas import ledger
from memcli.curation.ideas import page as ideas
from memcli.curation.ideas.incubator import ledger_of, named, page_of
from memcli.entries import layout
from memcli.entries.entry import Entry, Status
from memcli.entries.ids import new_id, slug
from memcli.entries.text.counted import counted
from memcli.errors import NotAllowed, UsageError
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.vault_paths import inside, walk
from memcli.vault import free_paths, lineage

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from memcli.curation.ideas.ledger import Section
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault


class DecidedIdea(NamedTuple):
    """What became of one idea: promoted, dismissed or merged.

    `id` and `path` name what stands for the idea from now on: the memory, the page in
    the archive, or the idea that took it in.
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

    def decide(change: Transaction, text: _Text) -> list[DecidedIdea]:
        done = []
        folders: dict[str, set[str]] = {}
        for number, name in enumerate(named(vault, names)):
            section = ledger.open_one(text.now, name)
            page = page_of(vault, name)
            fresh = _memory(vault, section, page, given)
            fresh = fresh.replace(created=text.moment)
            path = free_paths.free_path(
                vault, layout.folder_for(fresh), slug(fresh.display_title), folders
            )
            fresh = fresh.replace(
                id=new_id(vault.now_ms() + number, vault.entropy), path=path
            )
            fresh = vault.link(fresh)
            change.put(path, codec.encode(fresh), expected=None)
            text.now = ledger.promote(text.now, name, text.day, f"[[{path}]]")
            if page is not None:
                reason = f"promoted to {path}"
                _end(vault, change, page, fresh.id, reason, text.moment)
            title = fresh.display_title
            done.append(DecidedIdea(name, title, fresh.id, path, ledger.PROMOTED))
        return done

    return _rehearse_and_commit(vault, decide)


def dismiss(
    vault: Vault, names: Sequence[str], reason: str | None = None
) -> IdeaDecisions:
    """Strike open ideas out in the ledger and archive their folders, in one commit.

    Raises:
        As `promote`.
    """

    def decide(change: Transaction, text: _Text) -> list[DecidedIdea]:
        done = []
        for name in named(vault, names):
            section = ledger.open_one(text.now, name)
            page = page_of(vault, name)
            text.now = ledger.dismiss(text.now, name, text.day)
            path = _archive(vault, change, page, reason, text.moment)
            title, entry_id = section.title, page.entry.id if page else None
            done.append(DecidedIdea(name, title, entry_id, path, ledger.DISMISSED))
        return done

    outcome = _rehearse_and_commit(vault, decide)
    for item in outcome.items:
        page = ideas.page_path(item.slug)
        with contextlib.suppress(OSError):  # git leaves empty folders
            os.rmdir(os.path.dirname(inside(vault.root, page)))
    return outcome


def merge(vault: Vault, name: str, other: str) -> IdeaDecisions:
    """Merge an open idea into another open one, whose page takes its text in.

    Raises:
        As `promote`; NotAllowed also when the other one has no page.
    """
    from memcli.entries import codec

    def decide(change: Transaction, text: _Text) -> list[DecidedIdea]:
        (mine,) = named(vault, [name])
        (theirs,) = named(vault, [other])
        section = ledger.open_one(text.now, mine)
        text.now = ledger.merge(text.now, mine, theirs, text.day)
        page, target = page_of(vault, mine), page_of(vault, theirs)
        if target is None:
            raise NotAllowed(
                f"the idea {theirs} has no page to take {mine} in",
                hint=f"Merge the other way round, or write {layout.idea_page(theirs)}.",
            )
        entry = target.entry
        fresh = entry.replace(
            body=entry.body + _taken_in(entry.body, section, page, text.day),
            updated=lineage.not_before(entry, text.moment),
        )
        if page is not None:
            fresh = fresh.replace(supersedes=entry.supersedes or page.entry.id)
            both = [entry, page.entry]
            fresh = lineage.passed_on(vault, fresh, both, shared_anew=False)
            reason = "merged into another idea"  # whose slug is not for all agents
            _end(vault, change, page, entry.id, reason, text.moment)
        data = codec.rewrite(target.data, fresh, kinds=vault.kinds)
        change.put(target.path, data, expected=target.data)
        title = section.title
        return [DecidedIdea(mine, title, entry.id, target.path, ledger.MERGED)]

    return _rehearse_and_commit(vault, decide)


def _rehearse_and_commit(
    vault: Vault, decide: Callable[[Transaction, _Text], list[DecidedIdea]]
) -> IdeaDecisions:
    """Call `decide` for a rehearsal, then for one transaction that is committed.

    People write ideas by hand, too, and leave them uncommitted. `undo` goes back to the
    commit before the decision, so that commit must hold what a person wrote. The
    rehearsal finds the files that the decision touches, and raises every refusal before
    anything is committed.
    """
    from memcli.storage.git.repository import Repository
    from memcli.storage.transaction import subject

    rehearsal = vault.transaction()
    text = _Text(vault)
    if not decide(rehearsal, text):
        return IdeaDecisions([], None)
    text.put(rehearsal)
    repository = Repository.open(vault.root, environ=vault.environ)
    touched = set(rehearsal.paths)
    edited = [path for _, path in repository.status() if path in touched]
    if edited:
        with vault.transaction() as change:
            for path in edited:
                change.include(path)
            change.message = "ideas: as they were written by hand"
    with vault.transaction() as change:
        text = _Text(vault)
        done = decide(change, text)
        text.put(change)
        if len(done) == 1:
            change.message = subject("review", f"{done[0].outcome} {done[0].title}")
        else:
            change.message = f"review: {counted(len(done), 'idea')} {done[0].outcome}"
    return IdeaDecisions(done, change.commit)


class _Text:
    """The ledger while a decision changes it: `now` is its text; the lock is held."""

    def __init__(self, vault: Vault) -> None:
        from memcli.entries import dates

        self._before = ledger_of(vault)
        self.now = ledger.text_of(self._before or b"")
        self.moment = dates.iso(vault.now_ms() // 1000)
        self.day = self.moment[:10]

    def put(self, change: Transaction) -> None:
        data = self.now.encode()
        change.put(layout.IDEA_LEDGER, data, expected=self._before)


def _memory(
    vault: Vault, section: Section, page: Stored | None, given: Mapping[str, Any]
) -> Entry:
    """The memory that an idea becomes, without id and path."""
    values: dict[str, Any] = {"kind": "idea", "title": section.title}
    if page is None:
        values["text"] = f"# {section.title}\n\n{section.summary}".rstrip()
        return vault.draft({**values, **given})
    old = page.entry
    values["text"] = old.body if old.body.strip() else f"# {section.title}"
    values["title"] = old.title or section.title
    fresh = vault.draft({**values, **given})
    own = (*ideas.PAGE_KEYS, "id")
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


def _end(
    vault: Vault,
    change: Transaction,
    page: Stored,
    by: str,
    reason: str,
    moment: str,
) -> None:
    """Write into an idea's page which entry stands for it from now on."""
    from memcli.entries import codec

    ended = page.entry.replace(
        status=Status.SUPERSEDED,
        superseded_by=by,
        reason=reason,
        updated=lineage.not_before(page.entry, moment),
    )
    data = codec.rewrite(page.data, ended, kinds=vault.kinds)
    change.put(page.path, data, expected=page.data)


def _archive(
    vault: Vault,
    change: Transaction,
    page: Stored | None,
    reason: str | None,
    moment: str,
) -> str | None:
    """Move an idea's folder below the archive; return the new path of its page."""
    from memcli.entries import codec

    if page is None:
        return None
    source = page.path.rpartition("/")[0]
    target, number = f"{layout.ARCHIVE}/{source}", 1
    while _holds_something(inside(vault.root, target)):
        number += 1
        target = f"{layout.ARCHIVE}/{source}-{number}"
    for path in _files_below(vault.root, source):
        if path != page.path:
            data = files.read(inside(vault.root, path))
            change.put(target + path.removeprefix(source), data, expected=None)
            change.remove(path, expected=data)
    archived = layout.archived(page.path, page.entry.id)
    place = target + "/" + archived.rpartition("/")[2]
    entry = page.entry.replace(
        path=place,
        status=Status.REJECTED,
        reason=reason,
        updated=lineage.not_before(page.entry, moment),
    )
    data = codec.rewrite(page.data, entry, kinds=vault.kinds)
    change.put(place, data, expected=None)
    change.remove(page.path, expected=page.data)
    return place


def _holds_something(path: str) -> bool:
    """Whether a path holds a file; `undo` leaves empty folders behind."""
    if os.path.islink(path) or not os.path.isdir(path):
        return os.path.lexists(path)
    return any(names for _, _, names in walk(path))


def _files_below(root: str, folder: str) -> list[str]:
    """The regular files below a folder; names that start with a dot stay behind."""
    paths = []
    top = inside(root, folder)
    for above, folders, names in walk(top):
        folders[:] = sorted(name for name in folders if name[0] != ".")
        inner = os.path.relpath(above, top).replace(os.sep, "/")
        prefix = folder if inner == "." else f"{folder}/{inner}"
        paths += [
            f"{prefix}/{name}"
            for name in sorted(names)
            if name[0] != "." and not os.path.islink(os.path.join(above, name))
        ]
    return paths


def _taken_in(body: str, section: Section, page: Stored | None, day: str) -> str:
    """The text that an idea gains when it takes another one in."""
    inner = page.entry.body if page else section.summary
    lines = inner.replace("\r\n", "\n").strip().split("\n")
    if lines[0].startswith("# "):
        del lines[0]
    text = f"## {section.title}\n\nMerged {day}.\n\n" + "\n".join(lines).strip()
    gap = "" if not body or body.endswith("\n") else "\n"
    block = f"{gap}\n{text.rstrip()}\n"
    return block.replace("\n", "\r\n") if "\r\n" in body else block
