"""A current version whose earlier version is resolved, resolved by the repair as well.

Invariant: the plan reads only. The version gets the resolution that `memcli sync` would
have given it; no text changes.

A plain git pull leaves this where one clone resolved an entry, and the other one had
replaced it by a version at another path: git merges the file of the old version alone.
"""

from __future__ import annotations

from memcli.entries.eligibility import resolve_of
from memcli.entries.entry import Entry, Status
from memcli.entries.merging.fields import RESOLUTION
from memcli.errors import MemcliError
from memcli.vault.health.repair_step import Repair, Step

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.entries.finding import Finding
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault

CODE = "resolved_before"


def steps(vault: Vault, found: Sequence[Finding]) -> list[Step]:
    """A step for each finding of this code."""
    chosen: list[Step] = []
    for finding in found:
        if finding.code == CODE:
            before = _resolved(vault, vault.stored(finding.path).entry)
            if before is not None:
                action = f"resolve it: {before.id}, which it replaced, is resolved"
                step = Repair(CODE, finding.path, action, before.id)
                chosen.append((step, [finding]))
    return chosen


def resolved(vault: Vault, entry: Entry) -> Entry:
    """The entry as resolved as its earlier version; itself where that is not so."""
    before = _resolved(vault, entry)
    if before is None or entry.status is not Status.ACTIVE:
        return entry
    values = {name: getattr(before, name) for name in RESOLUTION}
    return entry.replace(status=Status.RESOLVED, **values)


def _resolved(vault: Vault, entry: Entry) -> Entry | None:
    """The newest version before an entry that is resolved, and says more than that of
    itself; None without one."""

    def before(reader: Reader) -> str | None:
        """The path of the newest version before it that is resolved."""
        name, old, seen = entry.id, entry.supersedes, set[str]()
        while old and old not in seen:
            seen.add(old)
            docs = reader.exact("id", old)
            row = reader.row(docs[0]) if len(docs) == 1 else None
            if row is None or row.superseded_by != name:
                return None
            if row.status == str(Status.RESOLVED):
                return row.path
            name, old = old, row.supersedes
        return None

    path = vault.index.again(before)
    try:
        found = vault.stored(path).entry if path else None
    except MemcliError:
        return None
    return found if found is not None and resolve_of(found) else None
