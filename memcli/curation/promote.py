"""Promote: a memory moves into the vault that the repository carries.

Invariant: it is in the repository's history before it is resolved where it was, so a
kill between the two leaves it in both, and the same call again ends the move. The note
of the resolve names the entry in the repository. Nothing goes along that tells of the
user's vault, sessions or agents.
"""

from __future__ import annotations

from memcli.curation import resolve
from memcli.entries.entry import Layer, Status, Visibility, is_unconfirmed
from memcli.errors import NotAllowed
from memcli.vault import lineage, saving

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.entries.entry import Entry
    from memcli.vault.saved import Saved
    from memcli.vault.vault import Vault

# What the entry says, and what a caller may give when it is saved.
_CARRIED = (
    "kind", "type", "title", "occurred_at", "occurred_until", "tags", "asked",
    "entities", "code", "pinned", "expires_at", "review_after",
)  # fmt: skip


def promote(
    vault: Vault, repo: Vault, entry_id: str, *, name: str, dry_run: bool = False
) -> tuple[Saved, str]:
    """Move an entry into the vault that the repository carries.

    Args:
        vault: where it is.
        repo: the repository's vault.
        entry_id: the entry, or a unique prefix of its id.
        name: what the note calls the repository: its remote, or its folder.
        dry_run: only say what would be done.

    Returns:
        The entry in the repository's vault, and the id of the one that moved.

    Raises:
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
        NotAllowed: the entry may not move, or the repository's vault has its text as
            one that is not in use.
        SecretFound: the text looks as if it held a secret.
        LockBusy, WriteFailed, HistoryError: one of the vaults cannot be written to.
    """
    old = vault.stored(vault.path_of(entry_id)).entry
    _refuse(vault, old)
    plan = resolve.plan(vault, [old.id], same_key=False)
    given = {each: v for each in _CARRIED if (v := getattr(old, each))}
    draft = repo.draft({"text": old.body, **given, "source": {"writer": "manual"}})
    (saved,) = saving.plan(repo, [draft])
    there = repo.get(saved.id) if saved.outcome != "created" else None
    if there and there.status is not Status.ACTIVE:
        raise NotAllowed(
            f"the repository's vault has the same text, {there.status}: {there.id}",
            hint=f"See why: memcli inspect {there.id} --vault repo",
            code="not_in_use_there",
        )
    if not dry_run:
        saved = saving.save(repo, draft)
        resolve.apply(vault, plan, note=f"moved to {name}, as {saved.id}")
    return saved, old.id


def _refuse(vault: Vault, entry: Entry) -> None:
    lineage.refuse_ended(vault, entry)
    why, hint = None, "Say it in words of its own: memcli save TEXT --vault repo"
    if is_unconfirmed(entry):
        why = "it was heard in a session, and nobody has confirmed it"
        hint = f"A person confirms it, at a terminal: memcli pin {entry.id}"
    elif entry.visibility is not Visibility.SHARED:
        why = f"it is {entry.visibility}, and a repository's vault is for all readers"
    elif entry.layer is not Layer.FACT or entry.item is not None or entry.evidence:
        why = "it rests on sessions, or on other entries of this vault"
    if why:
        raise NotAllowed(
            f"{entry.id} cannot move: {why}", hint=hint, code="cannot_move"
        )
