"""Review: approving, rejecting and superseding the candidates in the inbox.

Invariant: nothing decides by itself, and no decision loses anything: each one is a
commit, which `undo` takes back, and a rejected candidate stays in the archive, so that
it is not proposed again; nor is one that was changed here, in its old words. A
candidate keeps its id for life. A secret that was edited away before any commit held it
never comes into one.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.curation import everywhere
from memcli.entries import layout
from memcli.entries.eligibility import View
from memcli.entries.entry import Confidence, Entry, Status
from memcli.entries.identity import claim, strict_key
from memcli.entries.ids import slug
from memcli.entries.rights import Action, may
from memcli.entries.text.counted import counted
from memcli.errors import InvalidValue, NotAllowed, UsageError
from memcli.vault import lineage
from memcli.vault.agents import refuse_unless

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault

DAY = 86_400
# Two texts with fewer words in common (Jaccard) are about different subjects.
_RELATED = 0.15
_MOST_PROPOSALS = 3
_ORDER = {str(Confidence.LOW): 1, str(Confidence.MEDIUM): 2, str(Confidence.HIGH): 3}


class PendingEntry(NamedTuple):
    """An entry that waits for review; `age_days` since it was written."""

    id: str
    title: str
    text: str
    kind: str
    item: str | None
    confidence: str | None
    rationale: str | None
    source: dict[str, Any]
    tags: list[str]
    created: str
    age_days: float
    path: str
    project: str | None = None


class Proposal(NamedTuple):
    """An entry in force that a candidate may repeat or contradict, and how alike."""

    id: str
    title: str
    kind: str
    path: str
    likeness: float


class DecidedEntry(NamedTuple):
    """What became of one candidate; `outcome` is approved, rejected or superseded."""

    id: str
    title: str
    path: str
    outcome: str


class EntryDecisions(NamedTuple):
    """Every decision of one commit."""

    items: list[DecidedEntry]
    commit: str | None


def pending(vault: "Vault", *, to_decide: bool = False) -> list[PendingEntry]:
    """The candidates that wait for review, the oldest first.

    With `to_decide` those alone that the agent which asks may decide on.
    """
    now = vault.now_ms() // 1000

    def look(reader: "Reader") -> list[PendingEntry]:
        docs = reader.exact("status", str(Status.PENDING))
        rows = (reader.row(doc) for doc in docs)
        # Ideas wait, too, and are decided on in their ledger (`ideas.incubator`).
        waiting = [
            _candidate(row, now)
            for row in rows
            if not layout.is_idea(row.path)
            and not (to_decide and not may(Action.REVIEW, row, vault.agent))
        ]
        return sorted(waiting, key=lambda candidate: (candidate.created, candidate.id))

    return vault.read(look)


def select(
    candidates: Iterable[PendingEntry],
    *,
    older_than_days: float | None = None,
    min_confidence: str | None = None,
) -> list[PendingEntry]:
    """The candidates that are old enough and sure enough; no confidence counts as LOW.

    Raises:
        InvalidValue: no such confidence.
    """
    least = 0
    if min_confidence is not None:
        if min_confidence.upper() not in _ORDER:
            raise InvalidValue(
                f"confidence must be one of {', '.join(reversed(_ORDER))} "
                f"(got {min_confidence!r})",
                code="invalid_confidence",
            )
        least = _ORDER[min_confidence.upper()]
    return [
        candidate
        for candidate in candidates
        if (older_than_days is None or candidate.age_days >= older_than_days)
        and _ORDER.get(candidate.confidence or "LOW", 1) >= least
    ]


def proposals(vault: "Vault", candidate: PendingEntry) -> list[Proposal]:
    """Entries in force that a candidate may replace.

    First those that it names as its evidence, then its own kind, then what is alike.
    """
    now = vault.now_ms() // 1000

    def look(reader: "Reader") -> list[Proposal]:
        from memcli.vault.likeness import alike

        docs = reader.exact("id", candidate.id)
        terms = reader.row(docs[0]).terms if docs else ()
        named = set(reader.row(docs[0]).evidence) if docs else set()

        def in_force(doc: int) -> bool:
            return reader.verdict(doc, View(now)) is None

        near = [
            Proposal(row.id, row.title, row.kind, row.path, likeness)
            for likeness, row in alike(reader, terms, in_force, limit=20)
            if likeness >= _RELATED and row.id != candidate.id
        ]
        near += [
            Proposal(row.id, row.title, row.kind, row.path, 0.0)
            for name in named - {one.id for one in near}
            for doc in reader.exact("id", name)
            if in_force(doc) and (row := reader.row(doc))
        ]
        near.sort(
            key=lambda p: (
                *(p.id not in named, p.kind != candidate.kind),
                *(-p.likeness, p.id),
            )
        )
        return near[:_MOST_PROPOSALS]

    return vault.read(look)


def approve(
    vault: "Vault",
    ids: Sequence[str],
    changes: Mapping[str, Any] | None = None,
    *,
    allow_secret: bool = False,
) -> EntryDecisions:
    """Turn candidates into memories, in one commit.

    Args:
        vault: where they are.
        ids: ids, or unique prefixes of them.
        changes: `text` and fields to change on the way, for a single candidate.
        allow_secret: whether a changed text that looks like a secret may be saved.

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
        _drop_secret(vault, ids[0], changes, allow_secret=allow_secret)
    done = []
    with vault.transaction() as change:
        change.allow_secret = allow_secret
        now = dates.iso(vault.now_ms() // 1000)
        folders: dict[str, set[str]] = {}
        for stored in _waiting(vault, ids):
            entry = _changed(vault, stored.entry, changes or {})
            if changes and not allow_secret:
                no_secrets.refuse(entry)
            updated = lineage.not_before(entry, now)
            entry = entry.replace(status=Status.ACTIVE, updated=updated)
            entry = everywhere.take_over(vault, change, entry, now)
            path = stored.path
            if path.startswith(layout.INBOX + "/"):
                name, folder = slug(entry.display_title), layout.folder_for(entry)
                path = vault.free_path(folder, name, folders)
            entry = entry.replace(path=path)
            data = codec.rewrite(stored.data, entry, kinds=vault.kinds)
            _move(change, stored, path, data)
            change.note(entry, "review")
            done.append(DecidedEntry(entry.id, entry.display_title, path, "approved"))
        change.message = _message("approved", done)
    return EntryDecisions(done, change.commit)


def reject(
    vault: "Vault", ids: Sequence[str], reason: str | None = None
) -> EntryDecisions:
    """Reject candidates, in one commit; their words are not proposed again.

    Raises:
        As `approve`.
    """
    from memcli.entries import codec, dates

    done = []
    with vault.transaction() as change:
        now = dates.iso(vault.now_ms() // 1000)
        for stored in _waiting(vault, ids):
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
    vault: "Vault", entry_id: str, target_id: str, reason: str | None = None
) -> EntryDecisions:
    """Make a candidate the next version of an entry in force.

    Raises:
        As `approve`; NotAllowed also when the target is not in force.
    """
    from memcli.curation import evolve
    from memcli.entries import dates

    with vault.transaction() as change:
        now_ms = vault.now_ms()
        now = dates.iso(now_ms // 1000)
        (stored,) = _waiting(vault, [entry_id])
        target = vault.stored(vault.path_of(target_id))
        refuse_unless(vault, Action.EVOLVE, target.entry)
        lineage.refuse_ended(vault, target.entry)
        candidate = stored.entry
        values = {
            "text": candidate.body,
            "title": candidate.title,
            "tags": candidate.tags,
            "entities": candidate.entities,
            "occurred_at": candidate.occurred_at,
            "expires_at": candidate.expires_at,
            "item": candidate.item,
        }
        fresh = evolve.successor(vault, target.entry, values, (), now_ms, True)
        keys = {name for name, _ in fresh.extra}
        evidence = (*target.entry.evidence, *candidate.evidence)
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
        lineage.replace(vault, change, target, fresh, reason=reason, now=now)
        change.remove(stored.path, expected=stored.data)
        change.note(fresh, "review")
        title = fresh.display_title
        done = [DecidedEntry(candidate.id, title, target.path, "superseded")]
        change.message = _message(f"superseded {target.entry.id} by", done)
    return EntryDecisions(done, change.commit)


def named(
    vault: "Vault", ids: Sequence[str], target_id: str | None = None
) -> list[PendingEntry]:
    """The candidates that a decision would be on, in the order of the ids.

    Args:
        vault: where they are.
        ids: ids, or unique prefixes of them.
        target_id: the entry that the candidate would supersede, if it would.

    Raises:
        EntryNotFound, AmbiguousId, NotAllowed: as the decision itself.
    """
    if target_id is not None:
        lineage.refuse_ended(vault, vault.get(target_id))
    waiting = {candidate.id: candidate for candidate in pending(vault)}
    return [waiting[stored.entry.id] for stored in _waiting(vault, ids)]


def _waiting(vault: "Vault", ids: Sequence[str]) -> "list[Stored]":
    """The candidates that the ids name, each once; to change one, hold the lock."""
    waiting: dict[str, Stored] = {}
    for name in ids:
        stored = vault.stored(vault.path_of(name))
        entry = stored.entry
        if layout.is_idea(stored.path):
            raise NotAllowed(
                f"{entry.id} is an idea of the incubator",
                hint=f"memcli ideas promote {entry.id}; or dismiss, or merge",
                code="not_pending",
            )
        if entry.status is not Status.PENDING:
            raise NotAllowed(
                f"{entry.id} does not wait for review: it is {entry.status}",
                hint="What waits: memcli review --list",
                code="not_pending",
            )
        refuse_unless(vault, Action.REVIEW, entry)
        waiting[entry.id] = stored
    return list(waiting.values())


def _drop_secret(
    vault: "Vault", name: str, changes: Mapping[str, Any], *, allow_secret: bool
) -> None:
    """Write a candidate with its new text over a secret that no commit holds yet.

    Otherwise the approval would first commit the old text, for good.
    """
    from memcli.entries import codec, no_secrets
    from memcli.entries.text import secrets

    (stored,) = _waiting(vault, [name])
    if allow_secret or not secrets.find(stored.data.decode("utf-8", "replace")):
        return
    entry = _changed(vault, stored.entry, changes)
    no_secrets.refuse(entry)
    data = codec.rewrite(stored.data, entry, kinds=vault.kinds)
    with vault.transaction() as change:
        change.message = f"keep: {stored.path}"
        written = change.put_over(stored.path, data, expected=stored.data)
    if written:
        vault.tell(f"{stored.path}: a secret in it came into no commit")


def _changed(vault: "Vault", entry: Entry, changes: Mapping[str, Any]) -> Entry:
    from memcli.entries.text import secrets

    given = {name: value for name, value in changes.items() if value not in (None, ())}
    text = given.pop("text", entry.body)
    checked = vault.draft({"text": text, **given})
    fields = {name: getattr(checked, name) for name in given}
    fields["tags"] = tuple(dict.fromkeys((*entry.tags, *checked.tags)))
    source = entry.source
    if claim(checked.body) != claim(entry.body) and not secrets.find(entry.body):
        # The next session that says it so finds it decided.
        source = source._replace(proposed=source.proposed or entry.body.strip())
    entry = entry.replace(body=checked.body, source=source, **fields)
    if entry.item is not None:
        entry = entry.replace(key=strict_key(entry.item, entry.body))
    return vault.link(entry) if "text" in changes else entry


def _move(change: "Transaction", stored: "Stored", path: str, data: bytes) -> None:
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


def _candidate(row: "StoredRow", now: int) -> PendingEntry:
    from memcli.entries import dates

    created = dates.to_epoch(row.created) if row.created else now
    return PendingEntry(
        id=row.id,
        title=row.title,
        text=row.text,
        kind=row.kind,
        item=row.item,
        confidence=row.confidence,
        rationale=row.rationale,
        source=row.source.as_dict(),
        tags=list(row.tags),
        created=row.created,
        age_days=round(max(0, now - created) / DAY, 1),
        path=row.path,
        project=row.project,
    )
