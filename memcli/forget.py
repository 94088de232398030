"""Forget: the one real removal of an entry.

Invariant: nothing else in memcli takes an entry out of the vault. The file goes in
one commit, what pointed at it is told, and nobody is left to believe that the text
is gone: git's history still holds it until the commands are run that are printed.
"""

import os
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli import layout, lineage
from memcli.entry import Entry
from memcli.errors import MemcliError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.gitreading import Blob
    from memcli.history import Repository
    from memcli.reader import Reader
    from memcli.transaction import Transaction
    from memcli.vault import Stored, Vault


class Forgotten(NamedTuple):
    """What was removed, or would be.

    `commits` is how many commits hold the text, `purge` the shell commands that take
    it out of the history, in order. `linked_from` are entries that link to it,
    `versions` other versions of it, which stay.
    """

    id: str
    title: str
    paths: list[str]
    commits: int
    purge: list[str]
    linked_from: list[dict[str, Any]]
    versions: list[str]
    applied: bool

    def as_dict(self) -> dict[str, Any]:
        """The `data` of the JSON envelope."""
        return self._asdict()


def plan(vault: "Vault", entry_id: str, *, versions: bool = False) -> Forgotten:
    """What forgetting an entry would remove.

    Args:
        vault: where it is.
        entry_id: the entry, or a unique prefix of its id.
        versions: also every other version of it.

    Raises:
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
    """
    stored, others = _named(vault, entry_id)
    return _planned(vault, stored, others, versions=versions)


def forget(vault: "Vault", entry_id: str, *, versions: bool = False) -> Forgotten:
    """Remove an entry from the vault; see `plan`.

    Raises:
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    import shutil

    from memcli.vault import subject

    with vault.transaction() as change:
        stored, others = _named(vault, entry_id)
        found = _planned(vault, stored, others, versions=versions)
        gone = [stored, *(others if versions else [])]
        for item in gone:
            change.remove(item.path, expected=item.data)
        if not versions:
            _relink(vault, change, stored.entry, others)
        # The title may be what is to be forgotten: a commit outlives it.
        change.message = subject("forget", stored.entry.id)
    # The index keeps the words of removed entries until it is merged.
    shutil.rmtree(os.path.join(vault.root, *layout.INDEX.split("/")), True)
    return found._replace(applied=True)


def _named(vault: "Vault", entry_id: str) -> "tuple[Stored, list[Stored]]":
    """The entry, and the other versions of it."""
    stored = vault.stored(vault.path_of(entry_id))
    rows = vault.read(lambda reader: lineage.versions(reader, stored.entry.id))
    return stored, [vault.stored(row.path) for row in rows if row.path != stored.path]


def _planned(
    vault: "Vault", stored: "Stored", others: "list[Stored]", *, versions: bool
) -> Forgotten:
    gone = [stored, *(others if versions else [])]
    from memcli.history import Repository

    paths = [item.path for item in gone]
    ids = {item.entry.id for item in gone}
    repository = Repository.open(vault.root, environ=vault.environ)
    known = _history(repository, gone)
    return Forgotten(
        id=stored.entry.id,
        title=stored.entry.display_title,
        paths=paths,
        commits=len({blob.commit for blob in known}),
        purge=purge_commands(repository, known) if known else [],
        linked_from=vault.read(lambda reader: _linked(reader, stored.entry, ids)),
        versions=[] if versions else [item.entry.id for item in others],
        applied=False,
    )


def _history(repository: "Repository", gone: "Sequence[Stored]") -> "list[Blob]":
    """Everything that git holds of these entries, wherever it has been.

    By content and not by path: the path of an old version is that of the current one.
    """
    from memcli import codec
    from memcli.entry import is_adopted

    found: list[Blob] = []
    for item in gone:
        name = item.entry.id
        paths = {item.path, layout.before_archive(item.path)}
        blobs = repository.blobs(paths, None if is_adopted(name) else name)
        for blob, data in zip(blobs, repository.contents(blobs), strict=True):
            try:
                held = codec.decode(data, blob.path).entry.id
            except MemcliError:
                held = name if blob.path == item.path else ""
            if held == name:
                found.append(blob)
    return found


def purge_commands(repository: "Repository", blobs: "Sequence[Blob]") -> list[str]:
    """Shell commands that take these contents out of every commit, with plain git."""
    there = f"git -C {shlex.quote(repository.top)}"
    either = " || ".join(f'$2 == "{name}"' for name in sorted({b.id for b in blobs}))
    # A mode of 0 removes a line of the index; the path is what stands after the tab.
    awk = f'{either} {{ sub(/^[^\t]*\t/, "0 " $2 "\t"); print }}'
    remove = (
        f"git ls-files --stage | awk {shlex.quote(awk)} | git update-index --index-info"
    )
    return [
        f"FILTER_BRANCH_SQUELCH_WARNING=1 {there} filter-branch --force --prune-empty "
        f"--index-filter {shlex.quote(remove)} -- --all",
        f"{there} for-each-ref --format='delete %(refname)' refs/original "
        f"| {there} update-ref --stdin",
        f"{there} reflog expire --expire=now --all",
        f"{there} gc --prune=now --quiet",
    ]


def _linked(reader: "Reader", entry: Entry, gone: set[str]) -> list[dict[str, Any]]:
    from memcli.document import link_keys

    names = link_keys(entry.id, entry.path, entry.display_title)
    docs = {doc for name in names for doc in reader.exact("link", name)}
    rows = [reader.row(doc) for doc in docs]
    rows.sort(key=lambda row: str(row["id"]))
    return [
        {"id": row["id"], "title": row["title"], "path": row["path"]}
        for row in rows
        if row["id"] not in gone
    ]


def _relink(
    vault: "Vault", change: "Transaction", entry: Entry, others: "list[Stored]"
) -> None:
    """Let the versions on both sides of a removed one point at each other."""
    from memcli import codec

    for other in others:
        fresh = other.entry
        if fresh.superseded_by == entry.id:
            fresh = fresh.replace(superseded_by=entry.superseded_by)
        if fresh.supersedes == entry.id:
            fresh = fresh.replace(supersedes=entry.supersedes)
        if fresh != other.entry:
            data = codec.rewrite(other.data, fresh, kinds=vault.kinds)
            change.put(other.path, data, expected=other.data)
