"""A new version that git took from one clone without what the other did to the old one.

Invariant: reads only, and looks at the last merges that plain git has made. What the
version lacks is what `memcli sync` would have given it: tags and the like that the
other clone added to the version before, a pin, and the narrower of two audiences. A
version that a person has changed since the merge is let be.

git merges file by file: where one clone gave an entry a tag, and the other one replaced
it by a version at another path, the tag stays on the old version.
"""

from __future__ import annotations

import contextlib

from memcli.entries import layout
from memcli.entries.finding import WARNING, Finding
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.vault.health.repair_step import Repair, Step

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from memcli.entries.entry import Entry
    from memcli.entries.merging.trees import Blob, Side
    from memcli.search.reader import Reader
    from memcli.storage.git.joining import Joining
    from memcli.storage.git.readable import Readable
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
    found: dict[str, _Half] = {}
    if repository.prefix:
        return []
    try:
        for merge, *parents in _merges(repository):
            for half in _of_merge(vault, repository, merge, parents):
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
    vault: Vault, repository: Readable, merge: str, parents: Sequence[str]
) -> Iterator[_Half]:
    # Loaded only where there is a merge, which most vaults have not.
    from memcli.entries.merging.trees import plan_merge
    from memcli.storage.git.joining import Joining

    joining = Joining.of(repository)
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
    merged = dict(_entries(vault, plan.put))
    places = vault.index.again(lambda reader: _places(reader, merged))
    made, now = joining.tree(merge), joining.tree("HEAD")
    for name, path in places.items():
        taken = made.get(path)
        sides = (ours.files.get(path), theirs.files.get(path))
        if taken is not None and taken in sides and now.get(path) == taken:
            values = _lacking(vault, path, merged[name])
            if values:
                yield _Half(path, values)


def _entries(
    vault: Vault, put: Mapping[str, Blob | bytes]
) -> Iterator[tuple[str, Entry]]:
    """By id the entries of a merge's plan whose files it has written."""
    from memcli.entries import codec
    from memcli.entries.merging.trees import Blob

    for path, data in put.items():
        if isinstance(data, Blob) or not layout.is_entry(path):
            continue
        with contextlib.suppress(MemcliError):
            entry = codec.decode(data, path, kinds=vault.kinds).entry
            yield entry.id, entry


def _places(reader: Reader, names: Iterable[str]) -> dict[str, str]:
    """Where the entries of these ids lie; without an id that two files have."""
    docs = {name: reader.exact("id", name) for name in names}
    return {
        n: reader.row(found[0]).path for n, found in docs.items() if len(found) == 1
    }


def _side(joining: Joining, commit: str) -> Side:
    from memcli.entries.merging.trees import Side

    return Side(
        _OTHER, joining.tree(commit), lambda path: joining.changed_at(commit, path)
    )


def _lacking(vault: Vault, path: str, wanted: Entry) -> dict[str, Any]:
    """The fields in which the file differs; none where its entry was replaced."""
    from memcli.entries.merging.fields import CARRIED

    try:
        entry = vault.stored(path).entry
    except MemcliError:
        return {}
    if entry.superseded_by:
        return {}
    return {
        name: getattr(wanted, name)
        for name in CARRIED
        if getattr(wanted, name) != getattr(entry, name)
    }
