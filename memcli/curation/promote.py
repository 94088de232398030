"""Promote: a memory moves into the vault that the repository carries.

Invariant: it is in the repository's history before it leaves the vault that it was in,
so a kill between the two leaves it in both, and the same call again ends the move. Each
side names the id on the other, and which vault that is in. Nothing goes along that
tells of the user's sessions or agents; the archive keeps it.
"""

from __future__ import annotations

from memcli.curation.changing import Changing
from memcli.entries import layout
from memcli.entries.eligibility import Action
from memcli.entries.entry import Entry, Layer, Status, Visibility
from memcli.errors import Conflict, NotAllowed
from memcli.vault import lineage, saving
from memcli.vault.agents import refuse_unless

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.vault.saved import Saved
    from memcli.vault.vault import Vault

# What the entry says, and what a caller may give when it is saved.
_CARRIED = (
    "kind", "type", "title", "occurred_at", "occurred_until", "tags", "asked",
    "entities", "code", "code_names", "pinned", "expires_at", "review_after",
)  # fmt: skip


def promote(
    vault: Vault, repo: Vault, entry_id: str, *, name: str, dry_run: bool = False
) -> tuple[Saved, str, str]:
    """Move an entry into the vault that the repository carries.

    Args:
        vault: where it is.
        repo: the repository's vault.
        entry_id: the entry, or a unique prefix of its id.
        name: what the archive calls the repository: its remote, or its folder.
        dry_run: only say what would be done.

    Returns:
        The entry in the repository's vault; the id of the one that moved; and where
        that is from then on, in the vault that it was in.

    Raises:
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
        NotAllowed: the entry may not move, or the repository's vault has its text as
            one that is not in use.
        SecretFound: the text looks as if it held a secret.
        Conflict: the entry was changed meanwhile; it is in both vaults.
        LockBusy, WriteFailed, HistoryError: one of the vaults cannot be written to.
    """
    from memcli.entries import no_secrets

    old = vault.stored(vault.path_of(entry_id))
    _refuse(vault, old.entry)
    draft = _draft(vault, repo, old.entry)
    no_secrets.refuse(draft)
    (planned,) = saving.plan(repo, [draft])
    there = repo.get(planned.id) if planned.outcome != "created" else None
    if there and there.status is not Status.ACTIVE:
        raise NotAllowed(
            f"the repository's vault has the same text, {there.status}: {there.id}",
            hint=f"See why: memcli inspect {there.id} --vault repo",
            code="not_in_use_there",
        )
    if dry_run:
        place = layout.archived(old.path, old.entry.id)
        return planned, old.entry.id, place
    saved = saving.save(repo, draft)
    with Changing(vault) as at:
        if vault.stored(old.path).data != old.data:
            raise Conflict(
                f"{old.path} was changed while it moved; it is in both vaults",
                hint=f"Look at both, then call it again: memcli promote {old.entry.id}",
            )
        moved = old.entry.replace(other_vault=name)
        gone = old._replace(decoded=old.decoded._replace(entry=moved))
        place = lineage.archive(
            vault, at.change, gone, by=saved.id, reason="moved", now=at.now
        )
        at.say("promote", [old.entry.display_title])
    vault.recorder.acted([old.entry.id], "evolve")
    return saved, old.entry.id, place


def _refuse(vault: Vault, entry: Entry) -> None:
    refuse_unless(vault, Action.EVOLVE, entry)
    lineage.refuse_ended(vault, entry)
    why = None
    if entry.visibility is not Visibility.SHARED:
        why = f"it is {entry.visibility}, and a repository's vault is for all readers"
    elif entry.layer is not Layer.FACT or entry.item is not None or entry.evidence:
        why = "it rests on sessions, or on other entries of this vault"
    if why:
        raise NotAllowed(
            f"{entry.id} cannot move: {why}",
            hint="Say it in words of its own: memcli save TEXT --vault repo",
            code="cannot_move",
        )


def _draft(vault: Vault, repo: Vault, old: Entry) -> Entry:
    fields = {name: getattr(old, name) for name in _CARRIED}
    given = {name: str(v) if name == "type" else v for name, v in fields.items() if v}
    draft = repo.draft({"text": old.body, **given, "source": {"writer": "manual"}})
    return draft.replace(supersedes=old.id, other_vault=vault.source)
