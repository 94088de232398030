"""Ideas in a vault: what waits in the incubator, and what becomes of it.

Invariant: the ledger says what became of an idea, its page says it too, and both
change in one commit, which `undo` takes back. Nothing is deleted: what is dismissed
lies in the archive, and the ledger keeps its heading, so it is not proposed again.
"""

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.curation.ideas import ledger
from memcli.curation.ideas import page as ideas
from memcli.entries import layout
from memcli.entries.entry import Entry, Status
from memcli.entries.ids import new_id, slug
from memcli.errors import (
    InvalidEntry,
    InvalidValue,
    NotAllowed,
    Unreadable,
    UnsafePath,
    UsageError,
)
from memcli.storage import files
from memcli.vault import lineage

if TYPE_CHECKING:
    from memcli.curation.ideas.ledger import Section
    from memcli.curation.ideas.page import Idea
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault

_DAY = 86_400


class Listed(NamedTuple):
    """An idea of the ledger with its page; `id` and `path` are None without one.

    `state` is open, promoted, dismissed or merged; `line` that of its heading;
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


class Decided(NamedTuple):
    """What became of one idea: promoted, dismissed or merged.

    `id` and `path` are those of what stands for it now: the memory, the page in the
    archive, the idea that it went into.
    """

    slug: str
    title: str
    id: str | None
    path: str | None
    outcome: str


class Outcome(NamedTuple):
    """The decisions of one commit."""

    items: list[Decided]
    commit: str | None


# --- reading ----------------------------------------------------------------------


def listed(vault: "Vault", *, only_open: bool = False) -> list[Listed]:
    """The ideas of the ledger, in its order.

    Raises:
        InvalidEntry: the ledger is no text.
        Unreadable, UnsafePath: it is no file of the vault.
    """
    vault.owner_only("the ledger of ideas")
    from memcli.entries import dates

    today = vault.now_ms() // 1000
    vault.read(lambda _: None)  # finishes what a killed command began
    found = []
    for section in ledger.parse(ledger.text_of(_ledger(vault) or b"")):
        if only_open and section.state != ledger.OPEN:
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
        del fields["link"]
        if page is not None:
            source = page.entry.source
            fields |= {"id": page.entry.id, "path": page.path}
            fields |= {"session": source.session, "record": source.record}
            fields["excerpt"] = source.excerpt
        one = Listed(**fields, age_days=max(0, age), problem=problem)
        found.append(one)
    return found


def named(vault: "Vault", words: Sequence[str]) -> list[str]:
    """The slugs of the ideas that slugs, beginnings of them, or pages' ids name.

    Raises:
        EntryNotFound: there is none, or several begin so (`idea_not_found`).
    """
    from memcli.errors import AmbiguousId, EntryNotFound

    sections = ledger.parse(ledger.text_of(_ledger(vault) or b""))
    found = []
    for word in words:
        try:
            found.append(ledger.find(sections, word).slug)
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
            found.append(path.split("/")[2])
    return list(dict.fromkeys(found))


def existing(vault: "Vault") -> dict[str, bytes]:
    """What `ideas.plan` and `ideas.known` need of the vault's files.

    Raises:
        UnsafePath: a symbolic link leads out of the vault; Unreadable.
    """
    found: dict[str, bytes] = {}
    data = _ledger(vault)
    if data is not None:
        found[layout.IDEA_LEDGER] = data
    for above in (layout.INCUBATOR, f"{layout.ARCHIVE}/{layout.INCUBATOR}"):
        folder = files.inside(vault.root, above)
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
            found[f"{above}{name}/"] = b""  # a folder that may hold no page
            for file in sorted(os.listdir(inner)):
                path = f"{above}{name}/{file}"
                if layout.is_idea(path):
                    found[path] = files.read(files.inside(vault.root, path))
    return found


# --- writing ----------------------------------------------------------------------


def add(vault: "Vault", change: "Transaction", new: "Sequence[Idea]") -> list[str]:
    """Put new ideas into a transaction that is open; known ones are left out.

    Returns:
        The paths of the pages of those that are new.

    Raises:
        InvalidEntry, InvalidValue: as `ideas.plan`; UnsafePath, Unreadable: as
            `existing`.
    """
    if not new:
        return []
    there = existing(vault)
    planned = ideas.plan(there, new)
    for path, data in planned.items():
        change.put(path, data, expected=there.get(path))
    return [path for path in planned if layout.is_idea(path)]


def promote(
    vault: "Vault", names: Sequence[str], changes: Mapping[str, Any] | None = None
) -> Outcome:
    """Make memories of open ideas, in one commit; their kind is idea by default.

    Args:
        vault: where they are.
        names: slugs, as `named` takes them.
        changes: `kind`, `title` and `tags` of the memory; a title for one idea only.

    Raises:
        EntryNotFound: no such idea (`idea_not_found`).
        NotAllowed: one is not open any more (`idea_not_open`).
        InvalidValue, TooLarge: a change is not valid.
        UnsafePath: its slug or a symbolic link leads somewhere else.
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    from memcli.entries import codec

    given = {name: value for name, value in (changes or {}).items() if value}
    if "title" in given and len(names) != 1:
        raise UsageError("a title is for one idea", hint="Name one.")

    def decide(change: "Transaction", text: "_Text") -> list[Decided]:
        done = []
        folders: dict[str, set[str]] = {}
        for number, name in enumerate(named(vault, names)):
            section = ledger.open_one(text.now, name)
            page = _page(vault, name)
            fresh = _memory(vault, section, page, given)
            path = vault.free_path(
                layout.folder_for(fresh), slug(fresh.display_title), folders
            )
            fresh = fresh.replace(
                id=new_id(vault.now_ms() + number, vault.entropy),
                created=text.moment,
                path=path,
            )
            fresh = vault.link(fresh)
            change.put(path, codec.encode(fresh), expected=None)
            text.now = ledger.promote(text.now, name, text.day, f"[[{path}]]")
            if page is not None:
                reason = f"promoted to {path}"
                _end(vault, change, page, fresh.id, reason, text.moment)
            title = fresh.display_title
            done.append(Decided(name, title, fresh.id, path, ledger.PROMOTED))
        return done

    return _decided(vault, decide)


def dismiss(vault: "Vault", names: Sequence[str], reason: str | None = None) -> Outcome:
    """Say no to open ideas, in one commit: struck out, folders to the archive.

    Raises:
        As `promote`.
    """

    def decide(change: "Transaction", text: "_Text") -> list[Decided]:
        done = []
        for name in named(vault, names):
            section = ledger.open_one(text.now, name)
            page = _page(vault, name)
            text.now = ledger.dismiss(text.now, name, text.day)
            path = _archive(vault, change, page, reason, text.moment)
            title, entry_id = section.title, page.entry.id if page else None
            done.append(Decided(name, title, entry_id, path, ledger.DISMISSED))
        return done

    outcome = _decided(vault, decide)
    for item in outcome.items:
        page = ideas.page_path(item.slug)
        with contextlib.suppress(OSError):  # git knows no folders; people would wonder
            os.rmdir(os.path.dirname(files.inside(vault.root, page)))
    return outcome


def merge(vault: "Vault", name: str, other: str) -> Outcome:
    """Let an open idea go into another open one, whose page takes its text in.

    Raises:
        As `promote`; NotAllowed also when the other one has no page.
    """
    from memcli.entries import codec

    def decide(change: "Transaction", text: "_Text") -> list[Decided]:
        (mine,) = named(vault, [name])
        (theirs,) = named(vault, [other])
        section = ledger.open_one(text.now, mine)
        text.now = ledger.merge(text.now, mine, theirs, text.day)
        page, target = _page(vault, mine), _page(vault, theirs)
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
            reason = f"merged into {theirs}"
            _end(vault, change, page, entry.id, reason, text.moment)
        data = codec.rewrite(target.data, fresh, kinds=vault.kinds)
        change.put(target.path, data, expected=target.data)
        title = section.title
        return [Decided(mine, title, entry.id, target.path, ledger.MERGED)]

    return _decided(vault, decide)


def _decided(
    vault: "Vault", decide: "Callable[[Transaction, _Text], list[Decided]]"
) -> Outcome:
    """Do in one transaction what `decide` puts into it.

    Ideas are written by hand, too, and left uncommitted. `undo` goes back to the
    commit before, so what a person wrote has to be in that one; a rehearsal finds the
    files, and whatever is refused is refused by it, before anything is committed.
    """
    from memcli.storage.git.repository import Repository
    from memcli.vault.vault import subject

    rehearsal = vault.transaction()
    text = _Text(vault)
    if not decide(rehearsal, text):
        return Outcome([], None)
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
            change.message = f"review: {len(done)} ideas {done[0].outcome}"
    return Outcome(done, change.commit)


class _Text:
    """The ledger while it changes: `now` is its text; the lock is held."""

    def __init__(self, vault: "Vault") -> None:
        from memcli.entries import dates

        self._before = _ledger(vault)
        self.now = ledger.text_of(self._before or b"")
        self.moment = dates.iso(vault.now_ms() // 1000)
        self.day = self.moment[:10]

    def put(self, change: "Transaction") -> None:
        data = self.now.encode()
        change.put(layout.IDEA_LEDGER, data, expected=self._before)


def _ledger(vault: "Vault") -> bytes | None:
    path = files.inside(vault.root, layout.IDEA_LEDGER)
    return files.read(path) if os.path.lexists(path) else None


def _page(vault: "Vault", name: str) -> "Stored | None":
    """The page of an idea in the incubator, None when nobody wrote one."""
    path = ideas.page_path(name)
    place = files.inside(vault.root, path)
    real = os.path.realpath(vault.root)
    if os.path.realpath(place) != os.path.join(real, *path.split("/")):
        raise UnsafePath(
            f"{path}: a symbolic link is on the way",
            hint="Put the idea's own folder there.",
        )
    return vault.stored(path) if os.path.exists(place) else None


def _memory(
    vault: "Vault", section: "Section", page: "Stored | None", given: Mapping[str, Any]
) -> Entry:
    """The memory that an idea becomes, without an id and a place."""
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
    vault: "Vault",
    change: "Transaction",
    page: "Stored",
    by: str,
    reason: str,
    moment: str,
) -> None:
    """Write into an idea's page what stands for it from now on."""
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
    vault: "Vault",
    change: "Transaction",
    page: "Stored | None",
    reason: str | None,
    moment: str,
) -> str | None:
    """Move an idea's folder below the archive; the path of its page from then on."""
    from memcli.entries import codec

    if page is None:
        return None
    source = page.path.rpartition("/")[0]
    target, number = f"{layout.ARCHIVE}/{source}", 1
    while _holds_something(files.inside(vault.root, target)):
        number += 1
        target = f"{layout.ARCHIVE}/{source}-{number}"
    for path in _files_below(vault.root, source):
        if path != page.path:
            data = files.read(files.inside(vault.root, path))
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
    """Whether a path is in use; `undo` leaves empty folders behind."""
    if os.path.islink(path) or not os.path.isdir(path):
        return os.path.lexists(path)
    return any(names for _, _, names in os.walk(path))


def _files_below(root: str, folder: str) -> list[str]:
    """The regular files below a folder; names that start with a dot stay behind."""
    found = []
    top = files.inside(root, folder)
    for above, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if name[0] != ".")
        inner = os.path.relpath(above, top).replace(os.sep, "/")
        prefix = folder if inner == "." else f"{folder}/{inner}"
        found += [
            f"{prefix}/{name}"
            for name in sorted(names)
            if name[0] != "." and not os.path.islink(os.path.join(above, name))
        ]
    return found


def _taken_in(body: str, section: "Section", page: "Stored | None", day: str) -> str:
    """What is added to the body of an idea that takes another one in."""
    inner = page.entry.body if page else section.summary
    lines = inner.replace("\r\n", "\n").strip().split("\n")
    if lines[0].startswith("# "):
        del lines[0]
    text = f"## {section.title}\n\nMerged {day}.\n\n" + "\n".join(lines).strip()
    gap = "" if not body or body.endswith("\n") else "\n"
    block = f"{gap}\n{text.rstrip()}\n"
    return block.replace("\n", "\r\n") if "\r\n" in body else block
