"""Undo: take back one commit of memcli's, with a commit of its own.

Invariant: no later change is overwritten. Every file of the commit must still be as the
commit left it; otherwise the error names the file, and nothing changes. A commit that
was taken back is passed over, so that another undo goes further back.
"""

import re
from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

from memcli.entries.text.counted import counted
from memcli.errors import Conflict, NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.git.repository import Repository
from memcli.vault.health.log import CHANGES, verb_of

if TYPE_CHECKING:
    from memcli.vault.vault import Vault

# How many commits back `last` looks.
_HORIZON = 500
_UNDONE = re.compile(r"^undo: .* \(([0-9a-f]{10})\)$")


class Undone(NamedTuple):
    """The commit that was taken back, or would be, and its files."""

    commit: str
    subject: str
    paths: list[str]


class _Step(NamedTuple):
    """What becomes of one file: what the commit left, and what was before it."""

    path: str
    left: bytes | None
    before: bytes | None


def undo_last(vault: "Vault", prefix: str = "") -> Undone:
    """Take back what `last` names; raises as `last` and `undo`."""
    found = last(vault, prefix)
    return undo(vault, found.commit, found.subject)


def last(vault: "Vault", prefix: str = "") -> Undone:
    """The newest commit whose subject starts with `prefix`, and that was not taken
    back yet.

    Without a prefix the newest change of memcli's, whatever it did, that was committed
    under the name by which git commits here: what came from others by a pull is theirs.

    Raises:
        NotAllowed: there is none (code `nothing_to_undo`).
    """
    vault.owner_only("undo")
    repository = Repository.open(vault.root, environ=vault.environ)
    name = None if prefix else repository.user_name()
    undone = set()
    for commit in repository.subjects(_HORIZON):
        taken_back = _UNDONE.match(commit.subject)
        if taken_back:
            undone.add(taken_back[1])
            continue
        meant = (
            commit.subject.startswith(prefix)
            if prefix
            else verb_of(commit.subject) in CHANGES and name in (None, commit.author)
        )
        if meant and commit.id[:10] not in undone:
            return Undone(commit.id, commit.subject, repository.changes(commit.id))
    whose = f"no commit starts with '{prefix.strip()}'"
    if not prefix:
        by = f" by {name}" if name else ""
        horizon = counted(_HORIZON, "commit")
        whose = f"no change of memcli's{by} is among the last {horizon}"
    raise NotAllowed(f"there is nothing to undo: {whose}", code="nothing_to_undo")


def check(vault: "Vault", found: Undone) -> None:
    """Raise what `undo` would raise for a commit that cannot be taken back."""
    repository = Repository.open(vault.root, environ=vault.environ)
    _plan(vault, repository, found.commit, found.paths)


def undo(vault: "Vault", commit: str, subject: str) -> Undone:
    """Take back a commit.

    Args:
        vault: where it was made.
        commit: its id.
        subject: its subject, for the message of the new commit.

    Raises:
        Conflict: a file was changed since; nothing was changed.
        LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    vault.owner_only("undo")
    repository = Repository.open(vault.root, environ=vault.environ)
    with vault.transaction() as change:
        change.allow_secret = True  # its bytes are in the history already
        paths = repository.changes(commit)
        for path, left, before in _plan(vault, repository, commit, paths):
            if before is None:
                change.remove(path, expected=left)
            else:
                change.put(path, before, expected=left)
        change.message = f"undo: {subject} ({commit[:10]})"
    return Undone(commit, subject, paths)


def _plan(
    vault: "Vault", repository: Repository, commit: str, paths: Sequence[str]
) -> list[_Step]:
    """What becomes of each file of a commit.

    Raises:
        Conflict: a file is not as the commit left it.
    """
    left = repository.files_at(commit, paths)
    before = repository.files_at(f"{commit}^", paths)
    for path in paths:
        if files.current(files.inside(vault.root, path)) != left[path]:
            git = f"git -C {quote(vault.root)}"
            raise Conflict(
                f"{path} was changed since; nothing was undone",
                hint=f"See what it was: {git} show {commit[:10]}",
            )
    return [_Step(path, left[path], before[path]) for path in paths]
