"""Merges by plain git, made what `memcli sync` would have made of them.

Invariant: the plan reads only, and nothing is removed: a version that gives way goes to
the archive. git merges file by file. So it leaves marks in a file; two versions that
each claim to replace the same one; a new version without what the other clone did to
the old one (tags, a pin, a narrower audience); and a current version of what the other
clone has resolved.
"""

from __future__ import annotations

from functools import partial

from memcli.entries import codec, layout
from memcli.entries.entry import Status
from memcli.entries.file_checks import WARNING, Finding
from memcli.entries.merging import chains, one_file
from memcli.entries.merging.fields import CARRIED, RESOLUTION
from memcli.errors import MemcliError
from memcli.storage import files as disk
from memcli.storage.vault_paths import inside
from memcli.vault import lineage

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from memcli.entries.entry import Entry
    from memcli.search.reader import Reader
    from memcli.storage.git.repository import Repository
    from memcli.vault.health.mending import Changes, Files
    from memcli.vault.vault import Stored, Vault

# The merges that are looked at, the last ones, and how those of memcli begin.
_MERGES = 3
_OWN = "sync: merge "
_OTHER = "another clone"


# --- marks of a conflict ------------------------------------------------------------


def both_sides(files: Files, path: str, _: str | None = None) -> Changes:
    """A file with marks as it is merged, and the text that gives way."""
    files.on_disk(path)  # what is edited from here on is a Conflict
    changes = _merged(files, path)
    return {
        place: data
        for place, data in changes.items()
        if place == path or files.on_disk(place) != data
    }


def merge_marked(files: Files, path: str) -> bool:
    """Merge a marked file while git's merge is not finished, and tell git so.

    Nothing can be committed then; the person concludes the merge. Returns whether the
    file could be merged.

    Raises:
        WriteFailed, HistoryError: the disk or git refused; what was written is whole.
    """
    from memcli.storage.git.merge_driver import mark_merged

    changes = _merged(files, path)
    for place, data in changes.items():
        disk.write_atomic(inside(files.vault.root, place), data)
    if changes:
        mark_merged(files.repository, [*changes], files.vault.environ)
    return bool(changes)


def _merged(files: Files, path: str) -> dict[str, bytes]:
    """The files that a marked one becomes, itself the last: a kill between two writes
    leaves what gives way twice, and never loses it."""
    try:
        data = disk.read(inside(files.vault.root, path), follow=False)
        merged = one_file.merge_marked(data, path, files.vault.kinds)
    except MemcliError:
        return {}
    if merged is None or one_file.sides(merged.data) is not None:
        return {}
    return {**{kept.path: kept.data for kept in merged.kept}, path: merged.data}


# --- two versions of one entry ------------------------------------------------------


def one_chain(files: Files, path: str, _: str | None = None) -> Changes:
    """The files of a fork as one chain: the later version is current, and takes over
    what the other one added."""
    second = files.stored(path).entry
    before_id = second.supersedes or ""
    versions = _versions(files, second.id)
    entries = {name: each.entry for name, each in versions.items()}
    before = entries.get(before_id)
    if before is None or before.superseded_by in (None, second.id):
        return {}
    branch = _after(second.id, entries)
    start = before.replace(superseded_by=None, status=Status.ACTIVE, reason=None)
    ours = {name: entry for name, entry in entries.items() if name not in branch}
    theirs = {name: entries[name] for name in branch} | {
        before_id: start.replace(superseded_by=second.id, status=Status.SUPERSEDED)
    }
    sides = chains.Sides({before_id: start}, ours, theirs, (_OTHER, _OTHER))
    changes: Changes = {}
    for name, entry in sorted(chains.join(entries, sides).changed.items()):
        stored = versions[name]
        if entry.superseded_by and not entry.path.startswith(layout.ARCHIVE + "/"):
            place = layout.archived(entry.path, name)
            entry = entry.replace(path=lineage.free_place(files.vault.root, place))
            changes[stored.path] = None
        changes[entry.path] = codec.rewrite(stored.data, entry, kinds=files.vault.kinds)
    return changes


def _versions(files: Files, entry_id: str) -> dict[str, Stored]:
    """The files of a lineage by their ids."""
    rows = files.vault.read(lambda reader: lineage.versions(reader, entry_id))
    return {row.id: files.stored(row.path) for row in rows}


def _after(name: str, entries: dict[str, Entry]) -> set[str]:
    """A version and those that replaced it, one after the other."""
    found: set[str] = set()
    each: str | None = name
    while each and each in entries and each not in found:
        found.add(each)
        each = entries[each].superseded_by
    return found


def resolved(files: Files, path: str, _: str | None = None) -> Changes:
    """A current version with the resolution of the version before it."""

    def before(reader: Reader) -> str | None:
        for doc in reader.exact("path", path):
            if doc in reader.claims.heirs:
                return reader.row(reader.claims.heirs[doc]).path
        return None

    old = files.vault.read(before)
    if old is None or files.stored(path).entry.status is not Status.ACTIVE:
        return {}
    earlier = files.stored(old).entry
    values = {name: getattr(earlier, name) for name in RESOLUTION}
    return files.rewritten(
        path, lambda entry: entry.replace(status=Status.RESOLVED, **values)
    )


# --- a merge planned again ----------------------------------------------------------


def findings(vault: Vault, repository: Repository) -> Iterator[Finding]:
    """A finding for each version that lacks what the other clone did to the one before.

    None where the history cannot be read, or a person has changed the version since.
    """
    for path, values in _half_merged(vault, repository).items():
        what = ", ".join(sorted(values))
        message = f"a merge by git left out what the other clone changed: {what}"
        hint = "memcli doctor --fix takes it over, as memcli sync would have."
        yield Finding(path, 1, "half_merged", WARNING, message, hint)


def whole(files: Files, path: str, _: str | None = None) -> Changes:
    """A version with what a merge left out."""
    values = _half_merged(files.vault, files.repository).get(path, {})
    return files.rewritten(path, lambda entry: entry.replace(**values))


def _half_merged(vault: Vault, repository: Repository) -> dict[str, dict[str, Any]]:
    """By path the fields that would have other values after a sync."""
    found: dict[str, dict[str, Any]] = {}
    if repository.prefix:
        return found
    try:
        for merge, *parents in _merges(repository):
            for path, values in _left_out(vault, repository, merge, parents):
                found.setdefault(path, values)
    except MemcliError:
        return {}
    return found


def _merges(repository: Repository) -> Iterator[tuple[str, str, str]]:
    """The last merges of two commits that memcli has not made, with their parents."""
    words = ("--merges", f"--max-count={_MERGES}", "--format=%H %P%x1f%s", "HEAD")
    listed = repository.look("log", *words, "--").decode("utf-8", "replace")
    for line in listed.splitlines():
        commits, _, subject = line.partition("\x1f")
        names = commits.split()
        if len(names) == 3 and not subject.startswith(_OWN):
            yield names[0], names[1], names[2]


def _left_out(
    vault: Vault, repository: Repository, merge: str, parents: Sequence[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    # Loaded only where there is a merge, which most vaults have not.
    from memcli.storage.git import merging

    bases = merging.bases(repository, *parents)
    if not bases:
        return
    ours, theirs = (merging.side(repository, _OTHER, parent) for parent in parents)
    plan = merging.planned(repository, bases[0], ours, theirs, vault.kinds)
    made, now = merging.tree(repository, merge), merging.tree(repository, "HEAD")
    for place, data in plan.put.items():
        if not (isinstance(data, bytes) and layout.is_entry(place)):
            continue
        try:
            wanted = codec.decode(data, place, kinds=vault.kinds).entry
            path = vault.index.again(partial(_path_of, entry_id=wanted.id))
            taken = made.get(path or "")
            sides = (ours.files.get(path or ""), theirs.files.get(path or ""))
            if path is None or taken not in sides or now.get(path) != taken:
                continue
            entry = vault.stored(path).entry
        except MemcliError:
            continue
        values = {
            name: getattr(wanted, name)
            for name in CARRIED
            if getattr(wanted, name) != getattr(entry, name)
        }
        if taken is not None and values and not entry.superseded_by:
            yield path, values


def _path_of(reader: Reader, entry_id: str) -> str | None:
    """Where an entry lies; None where there is none, or two files have its id."""
    docs = reader.exact("id", entry_id)
    return reader.row(docs[0]).path if len(docs) == 1 else None
