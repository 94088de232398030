"""Review: decisions on candidates in the inbox, and on versions that a merge replaced.

Invariant: nothing decides by itself, and no decision loses anything: each one is a
commit, which `undo` takes back, and a rejected candidate stays in the archive, so that
it is not proposed again; nor is one that was changed here, in its old words. A
candidate keeps its id for life. A secret that was edited away before any commit held it
never comes into one, so no undo brings that candidate back.
"""

from __future__ import annotations

from memcli.curation import citing
from memcli.curation.changing import Changing
from memcli.curation.inbox import waiting
from memcli.entries import layout
from memcli.entries.eligibility import Action, may
from memcli.entries.entry import Entry, Status
from memcli.entries.identity import claim
from memcli.entries.merging.files import MERGED_FROM
from memcli.entries.text.counted import counted
from memcli.entries.text.mentions import linked
from memcli.errors import NotAllowed, UsageError
from memcli.named_tuple import NamedTuple
from memcli.vault import lineage
from memcli.vault.agents import refuse_unless

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Stored, Vault


# What a candidate says, besides its text, of the entry that it replaces; and what
# says where the words are from.
_SAID = (
    "title", "tags", "asked", "entities", "occurred_at", "expires_at", "item",
)  # fmt: skip
_OF_THE_WORDS = ("id", "source", "confidence", "rationale", "seen")


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


def planned(
    vault: Vault, ids: Sequence[str], target_id: str | None = None
) -> list[DecidedEntry]:
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
    return [_decision(stored.entry, "pending") for stored in waiting(vault, ids)]


def approve(
    vault: Vault, *ids: str, by_judge: bool = False, **changes: Any
) -> EntryDecisions:
    """Turn candidates into memories, in one commit.

    Args:
        vault: where they are.
        ids: ids, or unique prefixes of them.
        by_judge: nobody has decided, so they stay unconfirmed.
        changes: `text` and fields to change on the way, for a single candidate.

    Raises:
        EntryNotFound, AmbiguousId: an id leads to no entry, or to several.
        NotAllowed: an entry does not wait for review.
        InvalidValue, SecretFound: a change is not valid.
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    from memcli.entries import no_secrets
    from memcli.entries.text import secrets

    given = {name: value for name, value in changes.items() if value is not None}
    if given and len(ids) != 1:
        raise UsageError("changes apply to one candidate", hint="Name one id.")

    def approved(at: Changing, stored: Stored) -> Entry:
        entry = _changed(vault, stored.entry, given)
        citing.refuse_other_layer(vault, stored.entry, entry)
        if given:
            citing.refuse_unsearched(vault, entry.layer)
            no_secrets.refuse(entry)
            if secrets.find(stored.data.decode("utf-8", "replace")):
                # Else the approval would first commit the old text, for good.
                at.change.put(stored.path, None, keep=False)
        updated = lineage.not_before(entry, at.now)
        # A memory from now on: a report that is older did not know it.
        entry = entry.replace(status=Status.ACTIVE, created=updated)
        entry = entry if by_judge else entry.replace(updated=updated)
        if entry.pinned or entry.enforce:  # nobody who approves has read these
            vault.tell(
                f"{entry.id}: its pin and its `enforce` are left out; to set them: "
                f"memcli pin {entry.id}, memcli evolve {entry.id} --enforce deny"
            )
            entry = entry.replace(pinned=False, enforce=None)
        if layout.is_waiting(stored.path):
            entry = entry.replace(path=at.free_path(entry))
        return entry

    return _decided(vault, ids, "approved", approved)


def reject(vault: Vault, *ids: str, reason: str | None = None) -> EntryDecisions:
    """Reject candidates, in one commit; their words are not proposed again.

    Raises:
        As `approve`.
    """

    def rejected(at: Changing, stored: Stored) -> Entry:
        place = layout.archived(stored.path, stored.entry.id)
        return stored.entry.replace(
            path=lineage.free_place(vault.root, place),
            status=Status.REJECTED,
            reason=reason,
            updated=lineage.not_before(stored.entry, at.now),
        )

    return _decided(vault, ids, "rejected", rejected)


def _decided(
    vault: Vault, ids: Sequence[str], outcome: str, make: Callable[..., Entry]
) -> EntryDecisions:
    """Write each candidate as `make` gives it, in one commit."""
    done = []
    with Changing(vault) as at:
        for stored in waiting(vault, ids):
            entry = make(at, stored)
            at.write(stored, entry, "review")
            done.append(_decision(entry, outcome))
        if len(done) == 1:
            at.say("review", [f"{outcome} {done[0].title}"])
        else:
            at.change.message = f"review: {counted(len(done), 'candidate')} {outcome}"
    return EntryDecisions(done, at.change.commit)


def supersede(
    vault: Vault, entry_id: str, target_id: str, reason: str | None = None
) -> EntryDecisions:
    """Make a candidate the next version of an entry in force.

    Raises:
        As `approve`; NotAllowed also when the target is not in force.
    """
    from memcli.curation.evolve import successor

    with Changing(vault) as at:
        (stored,) = waiting(vault, [entry_id])
        target = at.in_use(target_id, Action.EVOLVE)
        citing.refuse_unsearched(vault, target.entry.layer)
        candidate = stored.entry
        values = {name: getattr(candidate, name) for name in _SAID}
        values["text"] = candidate.body
        fresh = successor(vault, target.entry, values, (), True)
        keys = {name for name, _ in fresh.extra}
        fresh = fresh.replace(
            **{name: getattr(candidate, name) for name in _OF_THE_WORDS},
            agent=candidate.agent or target.entry.agent,
            extra=(*fresh.extra, *(x for x in candidate.extra if x[0] not in keys)),
        )
        fresh = citing.reviewed(fresh, target.entry, candidate)
        fresh = lineage.passed_on(
            vault, fresh, [target.entry, candidate], shared_anew=False
        )
        # `superseded_by` names it, to those who may see it; a text would to all.
        reason = reason or "superseded in review"
        fresh = fresh.replace(path=target.path)
        lineage.replace(vault, at.change, target, fresh, reason=reason, now=at.now)
        at.change.put(stored.path, None, expected=stored.data)
        at.change.note(fresh, "review")
        done = [_decision(fresh, "superseded")]
        at.say("review", [f"superseded {target.entry.id} by {done[0].title}"])
    return EntryDecisions(done, at.change.commit)


def _changed(vault: Vault, entry: Entry, changes: Mapping[str, Any]) -> Entry:
    from memcli.entries.text import secrets

    given = {"text": entry.body, **changes}
    checked = vault.draft(given)
    fields = {name: getattr(checked, name) for name in given if name != "text"}
    fields["tags"] = tuple(dict.fromkeys((*entry.tags, *checked.tags)))
    if claim(checked.body) != claim(entry.body) and "title" not in given:
        fields["title"] = ""  # that of the words before; the new ones give their own
    source = entry.source
    if claim(checked.body) != claim(entry.body) and not secrets.find(entry.body):
        # The next session that says it so finds it decided.
        source = source._replace(proposed=source.proposed or entry.body.strip())
    entry = entry.replace(body=checked.body, source=source, **fields)
    return linked(entry, vault.registry.names)[0] if "text" in changes else entry


def _decision(entry: Entry, outcome: str) -> DecidedEntry:
    return DecidedEntry(entry.id, entry.display_title, entry.path, outcome)


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


def merged_versions(vault: Vault) -> list[MergedVersion]:
    """The versions that nobody has decided on, the oldest first.

    Those whose entry is resolved, forgotten or says the same by now are left out.
    """

    def look(reader: Reader) -> list[tuple[StoredRow, str | None]]:
        rows = map(reader.row, reader.exact("status", str(Status.SUPERSEDED)))
        return [
            (row, lineage.current(reader, row.id))
            for row in rows
            if _waits(row.reason) and may(Action.EVOLVE, row, vault.agent)
        ]

    found: list[MergedVersion] = []
    for row, head in vault.read(look):
        now = vault.get(head) if head else None
        if now is None or now.status is not Status.ACTIVE:
            continue
        if now.body.strip() != row.text.strip():
            mine = (row.id, row.title, row.text, row.path, row.reason or "")
            found.append(MergedVersion(*mine, now.id, now.display_title, now.body))
    return sorted(found)


def _waits(reason: str | None) -> bool:
    text = reason or ""
    return text.startswith(MERGED_FROM) and not text.endswith(_DECIDED)


def settle(vault: Vault, entry_id: str, outcome: str) -> str | None:
    """Decide on a version that was replaced.

    Args:
        vault: where it is.
        entry_id: the version.
        outcome: kept, the current version is right; taken, its text becomes the next
            version of its entry; or joined, its text goes behind the current one.

    Returns:
        The commit's id.

    Raises:
        NotAllowed: it does not wait for a decision, or its entry is not in force.
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    from memcli.curation.evolve import successor

    with Changing(vault) as at:
        version, head = _merged_version(at, entry_id)
        if outcome != "kept":
            text = version.entry.body
            if outcome == "joined":
                text = f"{head.entry.body.rstrip()}\n\n{text}"
            fresh = successor(vault, head.entry, {"text": text}, (), False)
            old = [head.entry, version.entry]
            fresh = citing.reviewed(fresh, *old)
            fresh = lineage.passed_on(vault, fresh, old, shared_anew=False)
            at.change.carry(version.data)
            at.change.carry(head.data)
            reason = f"{outcome} in review"
            lineage.replace(vault, at.change, head, fresh, reason=reason, now=at.now)
            at.change.note(fresh, "review")
        # It is not to be asked about again.
        decided = version.entry.replace(reason=f"{version.entry.reason}{_DECIDED}")
        at.write(version, decided)
        at.say("review", [f"{_SAID_OF[outcome]} {version.entry.display_title}"])
    return at.change.commit


_SAID_OF = {"kept": "kept the version beside", "taken": "took", "joined": "joined"}


def _merged_version(at: Changing, entry_id: str) -> tuple[Stored, Stored]:
    """The version, and what is current instead of it."""
    vault = at.vault
    version = vault.stored(vault.path_of(entry_id))
    refuse_unless(vault, Action.EVOLVE, version.entry)
    if not _waits(version.entry.reason):
        raise NotAllowed(f"{version.entry.id} waits for no decision", code="decided")
    name = vault.read(lambda reader: lineage.current(reader, version.entry.id))
    if name is None:
        raise NotAllowed(f"{version.entry.id} has no current version", code="decided")
    return version, at.in_use(name, Action.EVOLVE)
