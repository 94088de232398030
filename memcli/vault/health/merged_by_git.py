"""Merges by plain git, held against what `memcli sync` would have made of them.

Invariant: reads only. git merges file by file, so a new version comes without what the
other clone did to the old one: tags, a pin, a narrower audience.
"""

from __future__ import annotations

from functools import partial

from memcli.entries import codec, layout
from memcli.entries.file_checks import WARNING, Finding
from memcli.entries.merging.fields import CARRIED
from memcli.errors import MemcliError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.storage.git.repository import Repository
    from memcli.vault.vault import Vault

OTHER = "another clone"
"""The name of a clone that nobody has named."""

# The merges that are looked at, the last ones, and how those of memcli begin.
_MERGES = 3
_OWN = "sync: merge "


def findings(vault: Vault, repository: Repository) -> Iterator[Finding]:
    """A finding for each version that lacks what the other clone did to the one before.

    None where the history cannot be read, or a person has changed the version since.
    """
    for path, values in half_merged(vault, repository).items():
        what = ", ".join(sorted(values))
        message = f"a merge by git left out what the other clone changed: {what}"
        hint = "memcli doctor --fix takes it over, as memcli sync would have."
        yield Finding(path, 1, "half_merged", WARNING, message, hint)


def half_merged(vault: Vault, repository: Repository) -> dict[str, dict[str, Any]]:
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


def _merges(repository: Repository) -> Iterator[list[str]]:
    """The last merges of two commits that memcli has not made, with their parents."""
    words = ("--merges", f"--max-count={_MERGES}", "--format=%H %P%x1f%s", "HEAD")
    listed = repository.look("log", *words, "--").decode("utf-8", "replace")
    for line in listed.splitlines():
        commits, _, subject = line.partition("\x1f")
        names = commits.split()
        if len(names) == 3 and not subject.startswith(_OWN):
            yield names


def _left_out(
    vault: Vault, repository: Repository, merge: str, parents: Sequence[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    # Loaded only where there is a merge, which most vaults have not.
    from memcli.storage.git import merging, tree

    bases = tree.bases(repository, *parents)
    if not bases:
        return
    ours, theirs = (merging.side(repository, OTHER, parent) for parent in parents)
    plan = merging.planned(repository, bases[0], ours, theirs, vault.kinds)
    made, now = tree.of_commit(repository, merge), tree.of_commit(repository, "HEAD")
    for place, data in plan.put.items():
        if not (isinstance(data, bytes) and layout.is_entry(place)):
            continue
        try:
            wanted = codec.decode(data, place, kinds=vault.kinds).entry
            path = vault.index.again(partial(_path_of, entry_id=wanted.id))
            taken = made.get(path)
            sides = (ours.files.get(path), theirs.files.get(path))
            if taken is None or taken not in sides or now.get(path) != taken:
                continue
            entry = vault.stored(path).entry
        except MemcliError:
            continue
        values = {
            name: getattr(wanted, name)
            for name in CARRIED
            if getattr(wanted, name) != getattr(entry, name)
        }
        if values and not entry.superseded_by:
            yield path, values


def _path_of(reader: Reader, entry_id: str) -> str:
    """Where an entry lies; empty where there is none, or two files have its id."""
    docs = reader.exact("id", entry_id)
    return reader.row(docs[0]).path if len(docs) == 1 else ""
