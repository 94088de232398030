"""Changes of an entry where it stands: tags, pin, project, and the file as edited.

Invariant: the id and the lineage stay: what replaces a claim by another is `evolve`.
Each change is one commit; one that would change nothing writes nothing. Tags, pin and
project are no claim: text and `updated` stay as they are, so that what rests on the
entry does not become stale.
"""

from __future__ import annotations

from memcli.entries.eligibility import Action
from memcli.entries.entry import Status
from memcli.entries.identity import strict_key
from memcli.entries.text.counted import counted
from memcli.errors import InvalidContent, InvalidEntry, NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.vault import lineage
from memcli.vault.agents import refuse_unless

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.entries.entry import Entry
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault


def _named(vault: Vault, entry_id: str, action: Action) -> Stored:
    """The entry that is to be changed, read under the lock of a transaction.

    Raises:
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
        NotAllowed: it is not in use, or the agent may not do this to it.
    """
    stored = vault.stored(vault.path_of(entry_id))
    refuse_unless(vault, action, stored.entry)
    lineage.refuse_ended(vault, stored.entry)
    return stored


def _put(vault: Vault, change: Transaction, old: Stored, fresh: Entry) -> bool:
    """Write an entry with other fields to its file; False when nothing differs.

    Raises:
        TooLarge: its fields could not be read again.
    """
    from memcli.entries import codec, fields

    if fresh == old.entry:
        return False
    fields.refuse_wide(fresh)
    data = codec.rewrite(old.data, fresh, kinds=vault.kinds)
    change.put(old.path, data, expected=old.data)
    return True


# --- pin --------------------------------------------------------------------------


class Pinned(NamedTuple):
    """An entry that was to be pinned or unpinned; `changed` is False if it was so."""

    id: str
    path: str
    title: str
    changed: bool


def pin(vault: Vault, ids: Sequence[str], *, pinned: bool = True) -> list[Pinned]:
    """Pin entries, or unpin them, all in one commit.

    Args:
        vault: where they are.
        ids: the entries, by their ids or unique prefixes.
        pinned: whether they are to be pinned from now on.

    Raises:
        EntryNotFound, AmbiguousId: an id leads to no entry, or to several.
        NotAllowed: an entry is not in use, or an agent has not written it.
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    from memcli.storage.transaction import subject

    done: dict[str, Pinned] = {}
    with vault.transaction() as change:
        for entry_id in ids:
            old = _named(vault, entry_id, Action.PIN)
            fresh = old.entry.replace(pinned=pinned)
            changed = _put(vault, change, old, fresh)
            title = old.entry.display_title
            done[old.path] = Pinned(old.entry.id, old.path, title, changed)
        titles = [one.title for one in done.values() if one.changed]
        verb = "pin" if pinned else "unpin"
        change.message = (
            subject(verb, titles[0])
            if len(titles) == 1
            else f"{verb}: {counted(len(titles), 'entry')}"
        )
    return list(done.values())


def pinned_as_dict(done: Sequence[Pinned], *, pinned: bool) -> dict[str, Any]:
    """The `data` of the JSON envelope."""
    entries = [one._asdict() for one in done]
    return {"entries": entries, "count": len(entries), "pinned": pinned}


# --- tag --------------------------------------------------------------------------


class Tagged(NamedTuple):
    """An entry with its tags and its project (None is everywhere) as they are now.

    `changed` says whether the call changed anything.
    """

    id: str
    path: str
    title: str
    tags: tuple[str, ...]
    project: str | None
    changed: bool


def tag(
    vault: Vault,
    entry_id: str,
    *,
    add: Sequence[str] = (),
    untag: Sequence[str] = (),
    project: str | None = None,
) -> Tagged:
    """Add and drop tags, and set the project.

    Args:
        vault: where it is.
        entry_id: the entry, or a unique prefix of its id.
        add: tags to add.
        untag: tags to drop.
        project: where it holds from now on: a name, `here`, or `none` for everywhere;
            None leaves it.

    Raises:
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
        NotAllowed: the entry is not in use, or another agent's and pinned.
        InvalidValue: no tag, or no name of a project; or a tag that the entry lacks.
        Conflict, LockBusy, WriteFailed, HistoryError, SecretFound: nothing was changed.
    """
    from memcli.storage.transaction import subject

    # The check of a draft is that of `save`; its text is not looked at.
    wanted = vault.draft({"text": "-", "tags": list(add), "project": project or "none"})
    with vault.transaction() as change:
        old = _named(vault, entry_id, Action.EVOLVE)
        dropped = {word.strip().lower() for word in untag}
        unknown = dropped - set(old.entry.tags)
        if unknown:
            raise InvalidContent(
                f"{old.entry.id} has no tag '{min(unknown)}'",
                hint=f"It has: {', '.join(old.entry.tags) or 'none'}.",
                code="invalid_tag",
            )
        kept = [one for one in old.entry.tags if one not in dropped]
        fresh = old.entry.replace(tags=tuple(dict.fromkeys((*kept, *wanted.tags))))
        if project:
            fresh = fresh.replace(project=wanted.project)
        changed = _put(vault, change, old, fresh)
        change.message = subject("tag", fresh.display_title)
    return Tagged(
        fresh.id, old.path, fresh.display_title, fresh.tags, fresh.project, changed
    )


# --- the whole file ---------------------------------------------------------------


class Edited(NamedTuple):
    """The entry as it is now; `changed` is False when the file was left as it was."""

    id: str
    path: str
    title: str
    changed: bool


def opened(vault: Vault, entry_id: str) -> Stored:
    """The file to edit.

    Raises:
        NotAllowed: an agent asks: a file also says who may see the entry.
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
    """
    vault.owner_only("edit")
    return vault.stored(vault.path_of(entry_id))


def edit(vault: Vault, old: Stored, text: str, *, allow_secret: bool = False) -> Edited:
    """Replace the file of an entry with the edited one.

    Args:
        vault: where it is.
        old: the file as `opened` gave it.
        text: all of its new text.
        allow_secret: whether text that looks like a secret may be written.

    Raises:
        InvalidEntry: the text is no entry, or a field of it cannot be read.
        NotAllowed: it has another id (code `id_changed`).
        Conflict: the file was changed meanwhile; nothing was changed.
        SecretFound, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    from memcli.entries import codec, dates
    from memcli.storage.transaction import subject

    vault.owner_only("edit")
    data = text.encode("utf-8", "surrogateescape")
    before = old.entry
    if data == old.data:
        return Edited(before.id, old.path, before.display_title, False)
    decoded = codec.decode(data, old.path, kinds=vault.kinds)
    entry = decoded.entry
    if entry.id != before.id:
        # A file without an id has one that its path gives.
        to = f"to {entry.id}" if entry.id in text else "or taken out"
        raise NotAllowed(
            f"the id {before.id} was changed {to}; nothing was changed",
            hint="Leave the line of the id as it was.",
            code="id_changed",
        )
    known = {(one.field, one.message) for one in old.decoded.problems}
    for problem in decoded.problems:
        if (problem.field, problem.message) not in known:
            raise InvalidEntry(old.path, problem.line, problem.message)
    with vault.transaction() as change:
        change.allow_secret = allow_secret
        changes: dict[str, Any] = {}
        if entry.status is Status.ACTIVE and entry.updated == before.updated:
            now = dates.iso(vault.now_ms() // 1000)
            changes["updated"] = lineage.not_before(entry, now)
        if entry.item is not None and entry.key == before.key:
            changes["key"] = strict_key(entry.item, entry.body)
        if changes:
            fresh = entry.replace(**changes)
            data = codec.rewrite(data, fresh, kinds=vault.kinds)
        change.put(old.path, data, expected=old.data)
        change.note(entry, "edit")
        change.message = subject("edit", entry.display_title)
    return Edited(entry.id, old.path, entry.display_title, True)
