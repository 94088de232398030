"""A new version that git took from one clone without what the other did to the old one.

Invariant: reads only, and looks at the last merges that plain git has made. What the
version lacks is what `memcli sync` would have given it: tags and the like that the
other clone added to the version before, a pin, and the narrower of two audiences. A
version that a person has changed since the merge is let be.

git merges file by file: where one clone gave an entry a tag, and the other one replaced
it by a version at another path, the tag stays on the old version.
"""

from __future__ import annotations

from memcli.entries import layout
from memcli.entries.finding import WARNING, Finding
from memcli.entries.merging.chains import CARRIED
from memcli.entries.merging.trees import Blob, Side, plan_merge
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.vault.health.repair_step import Repair, Step

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from memcli.entries.entry import Entry
    from memcli.storage.git.joining import Joining
    from memcli.storage.git.log import Readable
    from memcli.vault.vault import Vault

CODE = "half_merged"
_MERGES = 3
_OWN = "sync: merge "
_OTHER = "another clone"


class _Half(NamedTuple):
    """A version, and the fields that would have other values after a sync."""

    path: str
    values: dict[str, Any]


def findings(vault: Vault, repository: Readable) -> Iterator[Finding]:
    """A finding for each such version; none where the history cannot be read."""
    for half in _halves(vault, repository):
        what = ", ".join(sorted(half.values))
        message = f"a merge by git left out what the other clone changed: {what}"
        hint = "memcli repair takes it over, as memcli sync would have."
        yield Finding(half.path, 1, CODE, WARNING, message, hint)


def steps(found: Sequence[Finding]) -> list[Step]:
    """A step for each of these findings."""
    action = "take over what the other clone changed in the version before"
    return [
        (Repair(CODE, each.path, action), [each]) for each in found if each.code == CODE
    ]


def whole(vault: Vault, repository: Readable, entry: Entry) -> Entry:
    """The entry with what the merge left out; itself where that is nothing."""
    for half in _halves(vault, repository):
        if half.path == entry.path:
            return entry.replace(**half.values)
    return entry


def _halves(vault: Vault, repository: Readable) -> list[_Half]:
    from memcli.storage.git.joining import Joining

    found: dict[str, _Half] = {}
    if repository.prefix:
        return []
    try:
        joining = Joining.of(repository)
        for merge, ours, theirs in _merges(repository):
            for half in _of_merge(vault, joining, merge, (ours, theirs)):
                found.setdefault(half.path, half)
    except MemcliError:
        return []
    return list(found.values())


def _merges(repository: Readable) -> Iterator[tuple[str, str, str]]:
    """The last merges of two commits that memcli has not made, with their parents."""
    words = ("--merges", f"--max-count={_MERGES}", "--format=%H %P%x1f%s", "HEAD")
    listed = repository.look("log", *words, "--").decode("utf-8", "replace")
    for line in listed.splitlines():
        commits, _, subject = line.partition("\x1f")
        names = commits.split()
        if len(names) == 3 and not subject.startswith(_OWN):
            yield names[0], names[1], names[2]


def _of_merge(
    vault: Vault, joining: Joining, merge: str, parents: tuple[str, str]
) -> Iterator[_Half]:
    bases = joining.bases(*parents)
    if not bases:
        return
    ours, theirs = (_side(joining, parent) for parent in parents)
    plan = plan_merge(
        joining.tree(bases[0]),
        ours,
        theirs,
        lambda blobs: joining.read_blobs([blob.oid for blob in blobs]),
        kinds=vault.kinds,
    )
    made, now = joining.tree(merge), joining.tree("HEAD")
    for path, data in plan.put.items():
        if isinstance(data, Blob) or not layout.is_entry(path):
            continue
        half = _compared(vault, path, data)
        if half is None:
            continue
        taken = made.get(half.path)
        untouched = taken is not None and taken in (
            ours.files.get(half.path),
            theirs.files.get(half.path),
        )
        if untouched and now.get(half.path) == taken:
            yield half


def _side(joining: Joining, commit: str) -> Side:
    return Side(
        _OTHER, joining.tree(commit), lambda path: joining.changed_at(commit, path)
    )


def _compared(vault: Vault, path: str, data: bytes) -> _Half | None:
    """What the entry of a merged file lacks in the vault; None for nothing."""
    from memcli.entries import codec

    try:
        wanted = codec.decode(data, path, kinds=vault.kinds).entry
        stored = vault.stored(vault.path_of(wanted.id))
    except MemcliError:
        return None
    differing = {
        name: getattr(wanted, name)
        for name in CARRIED
        if getattr(wanted, name) != getattr(stored.entry, name)
    }
    if not differing or stored.entry.superseded_by:
        return None
    return _Half(stored.path, differing)
