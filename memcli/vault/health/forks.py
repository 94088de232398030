"""Two versions that each claim to replace the same one, made one chain by the repair.

Invariant: the plan reads only. The chain is that which `memcli sync` would have made of
the two: the later version is current and takes over what the other one added, the
other one goes to the archive. Nothing is removed.

git leaves such a fork where it merged two clones by itself: it takes the new version of
each side, which lie at paths of their own.
"""

from __future__ import annotations

from memcli.entries import codec, layout
from memcli.entries.entry import Entry, Status
from memcli.entries.merging import chains
from memcli.errors import MemcliError
from memcli.storage import files
from memcli.storage.vault_paths import inside
from memcli.vault import lineage
from memcli.vault.health.repair_step import Repair, Step

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.entries.finding import Finding
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault

CODE = "fork"
_FINDING = "lineage_fork"
_OTHER = "another clone"


def steps(vault: Vault, findings: Sequence[Finding]) -> list[Step]:
    """A step for each fork that can be made a chain."""
    chosen: list[Step] = []
    for finding in findings:
        if finding.code != _FINDING:
            continue
        joined = _joined(vault, finding.path)
        if joined is None:
            continue
        action = "make one chain of it and the other version of the same entry"
        chosen.append((Repair(CODE, finding.path, action), [finding]))
    return chosen


def take(vault: Vault, change: Transaction, wanted: Sequence[Repair]) -> list[Repair]:
    """Put the chains, inside a transaction; returns the steps that were taken."""
    done: list[Repair] = []
    for step in wanted:
        joined = _joined(vault, step.path)
        # An entry may be part of two forks: the next repair takes the second.
        if joined is None or any(s.path in change.paths for s, _ in joined):
            continue
        for stored, entry in joined:
            data = codec.rewrite(stored.data, entry, kinds=vault.kinds)
            if entry.path != stored.path:
                change.put(entry.path, data, expected=None)
                change.remove(stored.path, expected=stored.data)
            else:
                change.put(stored.path, data, expected=stored.data)
        done.append(step)
    return done


def _joined(vault: Vault, path: str) -> list[tuple[Stored, Entry]] | None:
    """The files of a fork that change, each with what it becomes; None without one."""
    try:
        second = vault.stored(path)
        before_id = second.entry.supersedes or ""
        stored = _versions(vault, second.entry.id)
    except MemcliError:
        return None
    before = stored.get(before_id)
    if before is None or before.entry.superseded_by in (None, second.entry.id):
        return None
    entries = {name: each.entry for name, each in stored.items()}
    branch = _after(second.entry.id, entries)
    start = before.entry.replace(superseded_by=None, status=Status.ACTIVE, reason=None)
    ours = {name: entry for name, entry in entries.items() if name not in branch}
    theirs = {name: entries[name] for name in branch} | {
        before_id: start.replace(
            superseded_by=second.entry.id, status=Status.SUPERSEDED
        )
    }
    sides = chains.Sides({before_id: start}, ours, theirs, (_OTHER, _OTHER))
    joined = chains.join(entries, sides)
    changed: list[tuple[Stored, Entry]] = []
    for name, entry in sorted(joined.changed.items()):
        archived = entry.path.startswith(layout.ARCHIVE + "/")
        if entry.superseded_by and not archived:
            place = lineage.free_place(vault.root, layout.archived(entry.path, name))
            entry = entry.replace(path=place)
        changed.append((stored[name], entry))
    return changed or None


def _versions(vault: Vault, entry_id: str) -> dict[str, Stored]:
    """The files of a lineage by their ids.

    Raises:
        MemcliError: one of them cannot be read, or two have one id.
    """
    rows = vault.read(lambda reader: lineage.versions(reader, entry_id))
    found = {row.id: vault.stored(row.path) for row in rows}
    for row in rows:
        if files.current(inside(vault.root, row.path)) != found[row.id].data:
            raise MemcliError(f"{row.path} has changed")
    return found


def _after(name: str, entries: dict[str, Entry]) -> set[str]:
    """A version and those that replaced it, one after the other."""
    found: set[str] = set()
    each: str | None = name
    while each and each in entries and each not in found:
        found.add(each)
        each = entries[each].superseded_by
    return found
