"""Old versions that HEAD's history holds, and no file does.

Invariant: reads only. Where an evolve and another git meet, as in `git stash pop`, the
new version may come without the archived old one. A version that was in the archive of
any commit before HEAD, and is there no more, was let go by a person: it is left.
"""

from __future__ import annotations

from memcli.entries import layout
from memcli.entries.entry import Entry, Status
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.vault import lineage, lookup
from memcli.vault.health.repair_step import Repair, Step

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.entries.finding import Finding
    from memcli.storage.git.repository import Repository
    from memcli.vault.vault import Vault


class Lost(NamedTuple):
    """A version: its id, the path in the archive that is its own, its bytes there."""

    id: str
    place: str
    data: bytes


def steps(
    vault: Vault, repository: Repository, findings: Sequence[Finding]
) -> list[Step]:
    """A step for each such version; its detail is the path of what replaced it."""
    chosen: list[Step] = []
    for finding in findings:
        if finding.code != "dangling_lineage":
            continue
        lost = replaced_by(vault, repository, finding.path)
        # An entry may name two versions that are gone: what it replaced, and by what.
        if lost is not None and finding.message.endswith(lost.id):
            action = f"bring {lost.id} back from HEAD's history: an evolve lost it"
            step = Repair("lost_version", lost.place, action, finding.path)
            chosen.append((step, [finding]))
    return chosen


def replaced_by(vault: Vault, repository: Repository, path: str) -> Lost | None:
    """The version that the entry at this path replaced; None when it is not lost."""
    from memcli.entries import codec

    try:
        fresh = vault.stored(path).entry
        old_id = fresh.supersedes
        if not old_id or vault.read(lambda reader: lookup.of_id(reader, old_id)):
            return None
        before = layout.before_archive(path)
        places = [before, layout.archived(before, old_id)]
        versions = _of_id(vault, repository, old_id, places, None)
        if not versions:  # the new version has another name: look at every commit
            versions = _of_id(vault, repository, old_id, [], f"id: {old_id}\n")
        if any(old.path.startswith(layout.ARCHIVE + "/") for old, _ in versions):
            return None
        for old, data in versions:
            if old.status is Status.ACTIVE:
                place = layout.archived(old.path, old_id)
                ended = lineage.ended(old, place, by=fresh.id, now=fresh.created)
                lost = codec.rewrite(data, ended, kinds=vault.kinds)
                return Lost(old_id, place, lost)
    except MemcliError:  # what cannot be read, or found, is left to a person
        return None
    return None


def _of_id(
    vault: Vault,
    repository: Repository,
    entry_id: str,
    paths: Sequence[str],
    mark: str | None,
) -> list[tuple[Entry, bytes]]:
    """The entry as HEAD's history holds it, with its bytes; see `Repository.blobs`."""
    from memcli.entries import codec

    blobs = repository.blobs(paths, mark, of="HEAD")
    found = []
    for blob, data in zip(blobs, repository.contents(blobs), strict=True):
        entry = codec.decode(data, blob.path, kinds=vault.kinds).entry
        if entry.id == entry_id:
            found.append((entry, data))
    return found
