"""Review: decisions on candidates in the inbox, and on versions that a merge replaced.

Invariant: nothing decides by itself, and no decision loses anything: each one is a
commit, which `undo` takes back, and a rejected candidate stays in the archive, so that
it is not proposed again; nor is one that was changed here, in its old words. A
candidate keeps its id for life. A secret that was edited away before any commit held it
never comes into one.
"""

from __future__ import annotations

from memcli.curation.inbox import waiting
from memcli.entries import layout
from memcli.entries.eligibility import Action, may
from memcli.entries.entry import Entry, Status
from memcli.entries.identity import claim, strict_key
from memcli.entries.ids import slug
from memcli.entries.merging.entry_file import MERGED_FROM
from memcli.entries.text.counted import counted
from memcli.errors import MemcliError, NotAllowed, UsageError
from memcli.named_tuple import NamedTuple
from memcli.vault import free_paths, lineage
from memcli.vault.agents import refuse_unless
from memcli.vault.free_paths import next_path

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault


class DecidedEntry(NamedTuple):
    """A decision on one candidate; `outcome` is approved, rejected or superseded."""

    id: str
    title: str
    path: str
    outcome: str


class EntryDecisions(NamedTuple):
    """Every decision of one commit."""

    items: list[DecidedEntry]
    commit: str | None


def approve(
    vault: Vault, ids: Sequence[str], changes: Mapping[str, Any] | None = None
) -> EntryDecisions:
    """Turn candidates into memories, in one commit.

    Args:
        vault: where they are.
        ids: ids, or unique prefixes of them.
        changes: `text` and fields to change on the way, for a single candidate.

    Raises:
        EntryNotFound, AmbiguousId: an id leads to no entry, or to several.
        NotAllowed: an entry does not wait for review.
        InvalidValue, SecretFound: a change is not valid.
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    from memcli.entries import codec, dates, no_secrets

    if changes and len(ids) != 1:
        raise UsageError("changes apply to one candidate", hint="Name one id.")
    if changes and changes.get("text"):
        _drop_secret(vault, ids[0], changes)
    done = []
    with vault.transaction() as change:
        now = dates.iso(vault.now_ms() // 1000)
        folders: dict[str, set[str]] = {}
        for stored in waiting(vault, ids):
            entry = _changed(vault, stored.entry, changes or {})
            if changes:
                no_secrets.refuse(entry)
            updated = lineage.not_before(entry, now)
            entry = entry.replace(status=Status.ACTIVE, updated=updated)
            entry = _take_over(vault, change, entry, now)
            path = stored.path
            if path.startswith(layout.INBOX + "/"):
                name, folder = slug(entry.display_title), layout.folder_for(entry)
                path = free_paths.free_path(vault, folder, name, folders)
            entry = entry.replace(path=path)
            data = codec.rewrite(stored.data, entry, kinds=vault.kinds)
            _move(change, stored, path, data)
            change.note(entry, "review")
            done.append(DecidedEntry(entry.id, entry.display_title, path, "approved"))
        change.message = _message("approved", done)
    return EntryDecisions(done, change.commit)


def reject(
    vault: Vault, ids: Sequence[str], reason: str | None = None
) -> EntryDecisions:
    """Reject candidates, in one commit; their words are not proposed again.

    Raises:
        As `approve`.
    """
    from memcli.entries import codec, dates

    done = []
    with vault.transaction() as change:
        now = dates.iso(vault.now_ms() // 1000)
        for stored in waiting(vault, ids):
            place = layout.archived(stored.path, stored.entry.id)
            path = lineage.free_place(vault.root, place)
            entry = stored.entry.replace(
                path=path,
                status=Status.REJECTED,
                reason=reason,
                updated=lineage.not_before(stored.entry, now),
            )
            data = codec.rewrite(stored.data, entry, kinds=vault.kinds)
            _move(change, stored, path, data)
            change.note(entry, "review")
            title = stored.entry.display_title
            done.append(DecidedEntry(entry.id, title, path, "rejected"))
        change.message = _message("rejected", done)
    return EntryDecisions(done, change.commit)


def supersede(
    vault: Vault, entry_id: str, target_id: str, reason: str | None = None
) -> EntryDecisions:
    """Make a candidate the next version of an entry in force.

    Raises:
        As `approve`; NotAllowed also when the target is not in force.
    """
    from memcli.curation.successor import successor
    from memcli.entries import dates

    with vault.transaction() as change:
        now_ms = vault.now_ms()
        now = dates.iso(now_ms // 1000)
        (stored,) = waiting(vault, [entry_id])
        target = vault.stored(vault.path_of(target_id))
        refuse_unless(vault, Action.EVOLVE, target.entry)
        lineage.refuse_ended(vault, target.entry)
        candidate = stored.entry
        values = {
            "text": candidate.body,
            "title": candidate.title,
            "tags": candidate.tags,
            "asked": candidate.asked,
            "entities": candidate.entities,
            "occurred_at": candidate.occurred_at,
            "expires_at": candidate.expires_at,
            "item": candidate.item,
        }
        fresh = successor(vault, target.entry, values, (), now_ms, True)
        keys = {name for name, _ in fresh.extra}
        evidence = (*target.entry.evidence, *candidate.evidence)
        evidence = tuple(mark for mark in evidence if mark != target.entry.id)
        fresh = fresh.replace(
            id=candidate.id,
            source=candidate.source,
            agent=candidate.agent or target.entry.agent,
            confidence=candidate.confidence,
            rationale=candidate.rationale,
            seen=candidate.seen,
            evidence=tuple(dict.fromkeys(evidence)),
            extra=(*fresh.extra, *(x for x in candidate.extra if x[0] not in keys)),
        )
        fresh = lineage.passed_on(
            vault, fresh, [target.entry, candidate], shared_anew=False
        )
        if not reason:
            # `superseded_by` names it, to those who may see it; a text would to all.
            reason = "superseded in review"
        title = fresh.display_title
        fresh = fresh.replace(path=next_path(vault, target.entry, title))
        lineage.replace(vault, change, target, fresh, reason=reason, now=now)
        change.remove(stored.path, expected=stored.data)
        change.note(fresh, "review")
        done = [DecidedEntry(candidate.id, title, fresh.path, "superseded")]
        change.message = _message(f"superseded {target.entry.id} by", done)
    return EntryDecisions(done, change.commit)


def _drop_secret(vault: Vault, name: str, changes: Mapping[str, Any]) -> None:
    """Write a candidate with its new text over a secret that no commit holds yet.

    Otherwise the approval would first commit the old text, for good.
    """
    from memcli.entries import codec, no_secrets
    from memcli.entries.text import secrets

    (stored,) = waiting(vault, [name])
    if not secrets.find(stored.data.decode("utf-8", "replace")):
        return
    entry = _changed(vault, stored.entry, changes)
    no_secrets.refuse(entry)
    data = codec.rewrite(stored.data, entry, kinds=vault.kinds)
    with vault.transaction() as change:
        change.message = f"keep: {stored.path}"
        written = change.put_over(stored.path, data, expected=stored.data)
    if written:
        vault.tell(f"{stored.path}: the secret that was in it is in no commit")


def retagged(tags: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """Tags with some added (`x`, `+x`) and some dropped (`-x`)."""
    dropped = {word[1:].lower() for word in words if word.startswith("-")}
    added = [word.removeprefix("+") for word in words if not word.startswith("-")]
    return tuple(dict.fromkeys(t for t in (*tags, *added) if t.lower() not in dropped))


def _changed(vault: Vault, entry: Entry, changes: Mapping[str, Any]) -> Entry:
    from memcli.entries.text import secrets

    given = {name: value for name, value in changes.items() if value not in (None, ())}
    text = given.pop("text", entry.body)
    tags = changes.get("retagged", entry.tags)
    given.pop("retagged", None)
    checked = vault.draft({"text": text, **given})
    fields = {name: getattr(checked, name) for name in given}
    fields["tags"] = tuple(dict.fromkeys((*tags, *checked.tags)))
    if claim(checked.body) != claim(entry.body) and "title" not in given:
        fields["title"] = ""  # that of the words before; the new ones give their own
    source = entry.source
    if claim(checked.body) != claim(entry.body) and not secrets.find(entry.body):
        # The next session that says it so finds it decided.
        source = source._replace(proposed=source.proposed or entry.body.strip())
    entry = entry.replace(body=checked.body, source=source, **fields)
    if entry.item is not None:
        entry = entry.replace(key=strict_key(entry.item, entry.body))
    return vault.link(entry) if "text" in changes else entry


def _move(change: Transaction, stored: Stored, path: str, data: bytes) -> None:
    if path == stored.path:
        change.put(path, data, expected=stored.data)
        return
    change.put(path, data, expected=None)
    change.remove(stored.path, expected=stored.data)


def _message(verb: str, done: Sequence[DecidedEntry]) -> str:
    from memcli.storage.transaction import subject

    if len(done) == 1:
        return subject("review", f"{verb} {done[0].title}")
    return f"review: {counted(len(done), 'candidate')} {verb}"


# --- what two projects say in the same words --------------------------------------


def _take_over(vault: Vault, change: Transaction, entry: Entry, now: str) -> Entry:
    """Archive the entries of projects that an approved candidate stands for.

    These are the entries of its evidence, in force and in its words. Returns the entry
    with its lineage.
    """
    if entry.project is not None:
        return entry
    replaced = []
    for name in entry.evidence:
        try:
            other = vault.stored(vault.path_of(name))
        except MemcliError:
            continue  # a session, or an entry that is gone
        same = claim(other.entry.body) == claim(entry.body)
        if other.entry.project and other.entry.status is Status.ACTIVE and same:
            reason = "it holds everywhere"
            lineage.archive(vault, change, other, by=entry.id, reason=reason, now=now)
            replaced.append(other.entry.id)
    if not replaced:
        return entry
    kept = tuple(name for name in entry.evidence if name not in replaced)
    return entry.replace(supersedes=replaced[0], evidence=kept)


# --- versions that were replaced in a merge of two clones -------------------------


_DECIDED = ", reviewed"


class MergedVersion(NamedTuple):
    """A version that was replaced, and the entry that is current instead of it.

    `reason` names the machine that it came from.
    """

    id: str
    title: str
    text: str
    path: str
    reason: str
    current_id: str
    current_title: str
    current_text: str


def merged_versions(vault: Vault, *, listed: bool = False) -> list[MergedVersion]:
    """The versions that nobody has decided on, the oldest first.

    Those whose entry is resolved, forgotten or says the same by now are left out.

    Args:
        vault: where to look.
        listed: its index was brought up to date a moment ago, for the same answer.
    """

    def look(reader: Reader) -> list[tuple[StoredRow, str | None]]:
        rows = map(reader.row, reader.exact("status", str(Status.SUPERSEDED)))
        return [
            (row, lineage.current(reader, row.id))
            for row in rows
            if _waits(row.reason) and may(Action.EVOLVE, row, vault.agent)
        ]

    found: list[MergedVersion] = []
    ask = vault.index.again if listed else vault.read
    for row, head in ask(look):
        current = vault.get(head) if head else None
        if current is None or current.status is not Status.ACTIVE:
            continue
        if current.body.strip() == row.text.strip():
            continue
        found.append(
            MergedVersion(
                id=row.id,
                title=row.title,
                text=row.text,
                path=row.path,
                reason=row.reason or "",
                current_id=current.id,
                current_title=current.display_title,
                current_text=current.body,
            )
        )
    return sorted(found)


def _waits(reason: str | None) -> bool:
    text = reason or ""
    return text.startswith(MERGED_FROM) and not text.endswith(_DECIDED)


def keep_current(vault: Vault, entry_id: str) -> None:
    """Decide that the current version is right.

    Raises:
        NotAllowed: it does not wait for a decision.
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    with vault.transaction() as change:
        version, _ = _merged_version(vault, entry_id)
        _note_decided(vault, change, version)
        change.message = _subject("kept the version beside", version.entry)


def take(vault: Vault, entry_id: str, *, both: bool = False) -> None:
    """Make the text of such a version the next version of its entry.

    Args:
        vault: where it is.
        entry_id: the version that was replaced.
        both: put it behind the current text instead.

    Raises:
        As `keep_current`; NotAllowed also where the entry is not in force.
    """
    from memcli.curation.successor import successor
    from memcli.entries import dates

    with vault.transaction() as change:
        version, head = _merged_version(vault, entry_id)
        now_ms = vault.now_ms()
        text = version.entry.body
        if both:
            text = f"{head.entry.body.rstrip()}\n\n{text}"
        old = [head.entry, version.entry]
        fresh = successor(vault, head.entry, {"text": text}, (), now_ms, False)
        fresh = lineage.passed_on(vault, fresh, old, shared_anew=False)
        change.carry(version.data)
        change.carry(head.data)
        reason = "joined in review" if both else "taken in review"
        now = dates.iso(now_ms // 1000)
        lineage.replace(vault, change, head, fresh, reason=reason, now=now)
        _note_decided(vault, change, version)
        change.note(fresh, "review")
        change.message = _subject("joined" if both else "took", version.entry)


def _merged_version(vault: Vault, entry_id: str) -> tuple[Stored, Stored]:
    """The version, and what is current instead of it; the lock is held."""
    version = vault.stored(vault.path_of(entry_id))
    refuse_unless(vault, Action.EVOLVE, version.entry)
    if not _waits(version.entry.reason):
        raise NotAllowed(f"{version.entry.id} waits for no decision", code="decided")
    name = vault.read(lambda reader: lineage.current(reader, version.entry.id))
    if name is None:
        raise NotAllowed(f"{version.entry.id} has no current version", code="gone")
    head = vault.stored(vault.path_of(name))
    refuse_unless(vault, Action.EVOLVE, head.entry)
    lineage.refuse_ended(vault, head.entry)
    return version, head


def _note_decided(vault: Vault, change: Transaction, version: Stored) -> None:
    """Note on a version that it is not to be asked about again."""
    from memcli.entries import codec

    entry = version.entry.replace(reason=f"{version.entry.reason}{_DECIDED}")
    data = codec.rewrite(version.data, entry, kinds=vault.kinds)
    change.put(version.path, data, expected=version.data)


def _subject(what: str, entry: Entry) -> str:
    from memcli.storage.transaction import subject

    return subject("review", f"{what} {entry.display_title}")
