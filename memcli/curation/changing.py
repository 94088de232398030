"""Entries on their way into one commit: each is found, checked, and written anew; what
a change makes stale; and changes in place: tags, pin, project, the file as edited.

Invariant: what is changed was read under the lock, and a file that has changed since is
a Conflict. A file that would hold the same as before is not written. In place the id
and the lineage stay: what replaces a claim by another is `evolve`. Tags, pin and
project are no claim: text and `updated` stay as they are, so that what rests on the
entry does not become stale.
"""

from __future__ import annotations

from memcli.curation import citing
from memcli.entries import codec, dates, fields, layout
from memcli.entries.eligibility import Action, View
from memcli.entries.entry import Status
from memcli.entries.identity import claim
from memcli.entries.ids import ID_LENGTH, slug
from memcli.entries.text.counted import counted
from memcli.errors import InvalidContent, InvalidEntry, InvalidValue, NotAllowed
from memcli.named_tuple import NamedTuple, taken
from memcli.storage.vault_paths import FreePaths
from memcli.vault import lineage, lookup, staleness
from memcli.vault.agents import refuse_unless

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

    from memcli.entries.entry import Entry
    from memcli.search.following import Unindexed
    from memcli.search.reader import Reader
    from memcli.vault.vault import Stored, Vault


class Changing:
    """A transaction that changes entries; used with `with`.

    Attributes:
        vault: where they are.
        change: the transaction.
        now: the moment of the change, ISO 8601.
    """

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.change = vault.transaction()
        self._paths = FreePaths(vault.root, vault.new_id if vault.agent else None)

    def __enter__(self) -> Self:
        self.change.__enter__()
        self.now = dates.iso(self.vault.now_ms() // 1000)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.change.__exit__(kind, error, trace)

    def in_use(self, entry_id: str, action: Action) -> Stored:
        """An entry that the caller may do this to.

        Raises:
            EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
            NotAllowed: it is not in use, or the agent may not.
        """
        stored = self.vault.stored(path_of(self.vault, entry_id))
        refuse_unless(self.vault, action, stored.entry)
        lineage.refuse_ended(self.vault, stored.entry)
        return stored

    def write(self, old: Stored, fresh: Entry, action: str = "") -> bool:
        """Write an entry to its path, in the place of an old one; False when nothing
        differs. The log of signals gets the `action`, if there is one.

        Raises:
            TooLarge: its fields could not be read again.
        """
        if fresh == old.entry and fresh.path == old.path:
            return False
        fields.refuse_wide(fresh)
        data = codec.rewrite(old.data, fresh, kinds=self.vault.kinds)
        moves = fresh.path != old.path
        if moves:
            self.change.put(old.path, None, expected=old.data)
        self.change.put(fresh.path, data, expected=None if moves else old.data)
        if action:
            self.change.note(fresh, action)
        return True

    def free_path(self, entry: Entry) -> str:
        """A path for a new memory, which nothing holds, and no other of this commit."""
        return self._paths.take(layout.folder_for(entry), slug(entry.display_title))

    def say(self, verb: str, titles: Sequence[str]) -> None:
        """Set the message of the commit: the one entry's title, or how many."""
        from memcli.storage.transaction import subject

        self.change.message = (
            subject(verb, titles[0])
            if len(titles) == 1
            else f"{verb}: {counted(len(titles), 'entry')}"
        )


def path_of(vault: Vault, entry_id: str) -> str:
    """The path of an entry; that of a whole id without a look at every file.

    Raises:
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
    """

    def glance(reader: Reader, unindexed: Unindexed) -> list[str]:
        paths = (row.path for row in lookup.of_id(reader, entry_id))
        found = [*filter(unindexed.is_current, paths)]
        read = unindexed.entries(reader.agent)
        return [*found, *(entry.path for entry in read if entry.id == entry_id)]

    whole = len(entry_id) == ID_LENGTH
    found = vault.index.glance(glance) if whole else ()
    return found[0] if len(found) == 1 else vault.path_of(entry_id)


# --- what a change makes stale --------------------------------------------------------


class Resting(NamedTuple):
    """An observation or model that rests on something; `layer` says which it is."""

    id: str
    title: str
    layer: str


def resting_on(
    reader: Reader, ids: Iterable[str], now: int, text: str | None = None
) -> list[Resting]:
    """Those that rest on entries which end, or get another text.

    Args:
        reader: the vault before or after the entries are resolved; before they are
            removed, or replaced.
        ids: of the entries.
        now: epoch seconds.
        text: of the version that takes their place, if they are replaced.
    """
    found = staleness.resting_on(reader, ids, View(now), text)
    return [taken(Resting, row) for row in found]


# --- pin --------------------------------------------------------------------------


class Changed(NamedTuple):
    """An entry as it is now, with its tags and its project (None is everywhere);
    `changed` is False if it was so already."""

    id: str
    path: str
    title: str
    tags: tuple[str, ...]
    project: str | None
    changed: bool


def _changed(entry: Entry, *, changed: bool) -> Changed:
    return taken(Changed, entry, title=entry.display_title, changed=changed)


def pin(vault: Vault, *ids: str, off: bool = False) -> list[Changed]:
    """Put entries into every session, or take them out again, all in one commit.

    Args:
        vault: where they are.
        ids: the entries, by their ids or unique prefixes.
        off: whether they are to be taken out.

    Raises:
        EntryNotFound, AmbiguousId: an id leads to no entry, or to several.
        NotAllowed: an entry is not in use, or an agent has not written it.
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    done: dict[str, Changed] = {}
    with Changing(vault) as at:
        for entry_id in ids:
            old = at.in_use(entry_id, Action.PIN)
            changed = at.write(old, old.entry.replace(pinned=not off))
            done[old.path] = _changed(old.entry, changed=changed)
        titles = [one.title for one in done.values() if one.changed]
        at.say("unpin" if off else "pin", titles)
    return list(done.values())


# --- tag --------------------------------------------------------------------------


def tag(
    vault: Vault,
    entry_id: str,
    *add: str,
    untag: Sequence[str] = (),
    project: str | None = None,
) -> Changed:
    """Add and drop tags, or say where an entry holds; it stays the same version.

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
        InvalidValue: no tag, or no name of a project.
        InvalidContent: a tag that the entry lacks.
        Conflict, LockBusy, WriteFailed, HistoryError, SecretFound: nothing was changed.
    """
    # The check of a draft is that of `save`; its text is not looked at.
    wanted = vault.draft({"text": "-", "tags": list(add), "project": project or "none"})
    with Changing(vault) as at:
        old = at.in_use(entry_id, Action.EVOLVE)
        if any(name == "tags" for name, _ in old.entry.extra):
            raise InvalidValue(
                f"{old.path}: its tags cannot be read, and would be replaced",
                hint=f"Mend them first: memcli edit {old.entry.id}",
                code="invalid_tags",
            )
        # By its tags and project a report is held against what is newer.
        citing.refuse_unsearched(vault, old.entry.layer)
        fresh = old.entry.replace(tags=retagged(old.entry, wanted.tags, untag))
        if project:
            fresh = fresh.replace(project=wanted.project)
        changed = at.write(old, fresh)
        at.say("tag", [fresh.display_title])
    return _changed(fresh, changed=changed)


def retagged(entry: Entry, add: Sequence[str], untag: Sequence[str]) -> tuple[str, ...]:
    """The tags of an entry with some more, and without others.

    Raises:
        InvalidContent: it has no such tag (code `invalid_tag`).
    """
    dropped = {word.strip().lower() for word in untag}
    unknown = dropped - set(entry.tags)
    if unknown:
        raise InvalidContent(
            f"{entry.id} has no tag '{min(unknown)}'",
            hint=f"It has: {', '.join(entry.tags) or 'none'}.",
            code="invalid_tag",
        )
    kept = [one for one in entry.tags if one not in dropped]
    return tuple(dict.fromkeys((*kept, *add)))


# --- the whole file ---------------------------------------------------------------


def opened(vault: Vault, entry_id: str) -> Stored:
    """The file to edit.

    Raises:
        NotAllowed: an agent asks: a file also says who may see the entry.
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
    """
    vault.owner_only("edit")
    return vault.stored(vault.path_of(entry_id))


def edit(
    vault: Vault, old: Stored, text: str, *, allow_secret: bool = False
) -> Changed:
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
    data = text.encode("utf-8", "surrogateescape")
    before = old.entry
    if data == old.data:
        return _changed(before, changed=False)
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
    resolved = before.status is entry.status is Status.RESOLVED
    if resolved and claim(before.body) != claim(entry.body):
        raise NotAllowed(
            f"{before.id} is resolved, and its words are what it resolves; nothing was "
            "changed",
            hint=f"Bring it back first: memcli resolve --undo {before.id}",
            code="resolved",
        )
    known = {(one.field, one.message) for one in old.decoded.problems}
    for problem in decoded.problems:
        if (problem.field, problem.message) not in known:
            raise InvalidEntry(old.path, problem.line, problem.message)
    with Changing(vault) as at:
        at.change.allow_secret = allow_secret
        fresh = entry
        if entry.status is Status.ACTIVE and entry.updated == before.updated:
            fresh = fresh.replace(updated=lineage.not_before(entry, at.now))
        if fresh != entry:
            data = codec.rewrite(data, fresh, kinds=vault.kinds)
        at.change.put(old.path, data, expected=old.data)
        at.change.note(entry, "edit")
        at.say("edit", [entry.display_title])
    return _changed(entry, changed=True)
