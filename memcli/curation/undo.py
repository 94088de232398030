"""Undo: take back one commit of memcli's, with a commit of its own.

Invariant: no later change is overwritten. Every file of the commit must still be as the
commit left it; otherwise the error names the file, and nothing changes. A commit that
was taken back is passed over, so that another undo goes further back. What another
clone has committed is taken back only when it is named.
"""

from __future__ import annotations

import re
from shlex import quote

from memcli.errors import Conflict, NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.git import history
from memcli.storage.git.repository import Repository
from memcli.storage.git.staging import refuse_filtered
from memcli.storage.vault_paths import inside
from memcli.vault.health.log import CHANGES, verb_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcli.storage.git.repository import Commit
    from memcli.vault.vault import Vault

# How many commits back `last` looks, and `named`.
_HORIZON = 500
_FURTHEST = 100_000
_UNDONE = re.compile(r"^undo: .* \(([0-9a-f]{10})\)$")
# Digits of a commit's id: git takes no fewer, and has no more.
_SHORTEST, _LONGEST = 4, 64


class Undone(NamedTuple):
    """The commit that was taken back, or would be, and its files."""

    commit: str
    subject: str
    paths: list[str]


def undo_last(vault: Vault, prefix: str = "") -> Undone:
    """Take back what `last` names; raises as `last` and `undo`."""
    return undo(vault, last(vault, prefix))


def last(vault: Vault, prefix: str = "") -> Undone:
    """The newest commit that was made in this clone, whose subject starts with
    `prefix`, and that was not taken back yet.

    Without a prefix the newest change of memcli's, of any kind, that was committed
    under the name by which git commits here. What came by a sync or a pull is passed
    over, also when it has the same author: the same person's, on another machine.

    Raises:
        NotAllowed: there is none (code `nothing_to_undo`).
    """
    vault.owner_only("undo")
    repository = Repository.open(vault.root, environ=vault.environ)
    name = None if prefix else repository.user_name()
    own = history.made_here(repository)
    for commit in _standing(repository, _HORIZON):
        if not commit.subject.startswith(prefix) or name not in (None, commit.author):
            continue
        if own is None or commit.id in own:
            paths = history.changes(repository, commit.id)
            return Undone(commit.id, commit.subject, paths)
    what = f"one that starts with '{prefix.strip()}'" if prefix else "a change"
    by = f" by {name}" if name else ""
    whose = f"none of the last {_HORIZON:,} commits is {what}{by} made in this clone"
    raise NotAllowed(
        f"there is nothing to undo: {whose}",
        hint="A change of another clone, by its commit: memcli log --json",
        code="nothing_to_undo",
    )


def named(vault: Vault, commit: str) -> Undone:
    """The change of memcli's that this commit made, in this clone or in another.

    Args:
        vault: where it is in the history.
        commit: its id, or the beginning of it.

    Raises:
        NotAllowed: there is no such commit, or it cannot be taken back.
    """
    vault.owner_only("undo")
    repository = Repository.open(vault.root, environ=vault.environ)
    start = commit.lower()
    found = [
        each
        for each in _standing(repository, _FURTHEST)
        if len(start) >= _SHORTEST and each.id.startswith(start)
    ]
    if len(found) == 1:
        paths = history.changes(repository, found[0].id)
        return Undone(found[0].id, found[0].subject, paths)
    shown = commit[:_LONGEST]
    message = f"no change of memcli's that can be undone has the id {shown!r}"
    if found:
        message = f"{len(found):,} changes have an id that begins with {shown!r}"
    raise NotAllowed(
        message,
        hint="To see the changes with the ids of their commits: memcli log --json",
        code="nothing_to_undo",
    )


def _standing(repository: Repository, limit: int) -> Iterator[Commit]:
    """The changes of memcli's that were not taken back, the newest first."""
    undone = set()
    for commit in history.subjects(repository, limit):
        taken_back = _UNDONE.match(commit.subject)
        if taken_back:
            undone.add(taken_back[1])
        elif verb_of(commit.subject) in CHANGES and commit.id[:10] not in undone:
            yield commit


def undo(vault: Vault, found: Undone) -> Undone:
    """Take back a commit that `last` or `named` gives.

    Raises:
        As `check`; LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    with vault.transaction() as change:
        change.allow_secret = True  # its bytes are in the history already
        for path, left, before in check(vault, found):
            change.put(path, before, expected=left)
        change.message = f"undo: {found.subject} ({found.commit[:10]})"
    return found


def check(vault: Vault, found: Undone) -> list[tuple[str, bytes | None, bytes | None]]:
    """Each file of a commit: as the commit left it, and as it was before.

    Raises:
        Conflict: a file was changed since; nothing was changed.
        NotAllowed: git passes one through a filter.
    """
    repository = Repository.open(vault.root, environ=vault.environ)
    commit, paths = found.commit, found.paths
    refuse_filtered(repository, paths)
    left = repository.files_at(commit, paths)
    before = repository.files_at(f"{commit}^", paths)
    for path in paths:
        if files.current(inside(vault.root, path)) != left[path]:
            git = f"git -C {quote(vault.root)}"
            raise Conflict(
                f"{path} was changed since; nothing was undone",
                hint="By hand, or in a merge, which undo does not take back. "
                f"See what the change was: {git} show {commit[:10]}",
            )
    return [(path, left[path], before[path]) for path in paths]
