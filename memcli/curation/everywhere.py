"""What two projects say in the same words: offered as holding everywhere.

Invariant: nothing holds everywhere by itself. The offer is a candidate like any other:
rejected, it is not made again; approved, it takes the place of the entries of the
projects, in the same commit.
"""

from __future__ import annotations

from memcli.entries.entry import Confidence, Entry, Source, Status
from memcli.entries.identity import claim
from memcli.errors import MemcliError
from memcli.vault import lineage, placing, saving

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.storage.transaction import Transaction
    from memcli.vault.duplicates import HeldTexts
    from memcli.vault.saved import Saved
    from memcli.vault.vault import Vault


def offer(
    vault: Vault,
    change: Transaction | None,
    drafts: Sequence[Entry],
    saved: Sequence[Saved],
    held: HeldTexts,
) -> None:
    """Put a candidate for each new entry whose words another project has.

    Args:
        vault: where they are.
        change: an open transaction; None only plans.
        drafts, saved: what was mined, and what became of each.
        held: what the vault holds of it, as `saving.look_up` gives it.
    """
    offers = [
        offered
        for draft, done in zip(drafts, saved, strict=True)
        if done.outcome == "created" and (offered := _candidate(draft, done.id, held))
    ]
    if offers:
        known = saving.look_up(vault, offers)[0]
        placing.place(vault, change, offers, known)


def _candidate(draft: Entry, entry_id: str, held: HeldTexts) -> Entry | None:
    others = held.elsewhere(draft)
    if draft.project is None or not others:
        return None
    projects = dict.fromkeys((*(str(other.project) for other in others), draft.project))
    return draft.replace(
        status=Status.PENDING,
        project=None,
        confidence=Confidence.MEDIUM,
        rationale=f"everywhere: said in {' and in '.join(projects)}",
        evidence=tuple(filter(None, (*(other.id for other in others), entry_id))),
        source=Source(writer=draft.source.writer),
    )


def take_over(vault: Vault, change: Transaction, entry: Entry, now: str) -> Entry:
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
