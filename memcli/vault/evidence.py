"""The evidence of observations and models: what it said, and who may see it.

Invariant: an entry that was drawn from memories is shown only to those who may see each
of them, and carries the fingerprint of every one, so that a later edit by hand shows.
"""

from typing import TYPE_CHECKING

from memcli.entries.entry import Entry, Layer, Visibility
from memcli.entries.identity import fingerprint
from memcli.vault import lookup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow

_SHARED = str(Visibility.SHARED)
_PRIVATE = str(Visibility.PRIVATE)


def is_drawn(entry: Entry) -> bool:
    """Whether an entry was drawn from others, and says from which."""
    return entry.layer is not Layer.FACT and bool(entry.evidence)


def settled(reader: "Reader", entry: Entry, *, agent: str | None, now: str) -> Entry:
    """A drawn entry as it is to be written.

    Args:
        reader: the entries that the author may see.
        entry: an observation or model with its evidence; fingerprints and
            `refreshed_at` that it brings stay as they are.
        agent: the author; None is the vault's owner.
        now: the moment, ISO 8601.

    Returns:
        It with the narrowest visibility of its evidence, a fingerprint for each
        piece of it, and the moment up to which it looked.
    """
    rows = [row for name in entry.evidence for row in lookup.of_id(reader, name)]
    known = {cited.partition(":")[0]: cited for cited in entry.fingerprints}
    prints = {name: known.get(name, "") for name in entry.evidence}
    for row in rows:
        name = row.id
        prints[name] = prints[name] or f"{name}:{fingerprint(row.text)}"
    return narrowed(entry, rows, agent).replace(
        fingerprints=tuple(filter(None, prints.values())),
        refreshed_at=entry.refreshed_at or now,
    )


def narrowed(
    entry: Entry, rows: "Sequence[StoredRow | Entry]", agent: str | None
) -> Entry:
    """The entry, shown only to those who may see all that it was made of.

    Private is narrower than group, and group than shared; of several groups those
    remain that see everything. Authors always see their own entries, so when part of it
    belongs to another agent, `agent` becomes the author.
    """
    limited = [row for row in rows if row.visibility != _SHARED]
    if not limited:
        return entry
    if any(row.agent != entry.agent for row in limited):
        entry = entry.replace(agent=agent)
    sets = [set(row.groups) for row in limited]
    if entry.visibility is Visibility.GROUP:
        sets.append(set(entry.groups))
    groups = set.intersection(*sets)
    private = any(row.visibility == _PRIVATE for row in limited)
    if private or not groups or entry.visibility is Visibility.PRIVATE:
        return entry.replace(visibility=Visibility.PRIVATE, groups=())
    if entry.visibility is Visibility.GROUP and groups == set(entry.groups):
        return entry
    return entry.replace(visibility=Visibility.GROUP, groups=tuple(sorted(groups)))
