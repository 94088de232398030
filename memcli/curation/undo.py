"""Undo: take back one commit of memcli's, with a commit of its own.

Invariant: no later change is overwritten. Every file of the commit must still be as the
commit left it; otherwise the error names the file, and nothing changes.
"""

import re
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from memcli.errors import Conflict, HistoryError, NotAllowed
from memcli.storage import files
from memcli.storage.git.repository import Repository

if TYPE_CHECKING:
    from memcli.vault.vault import Vault

# How many commits back `undo_last` looks.
_HORIZON = 500
_UNDONE = re.compile(r"^undo: .* \(([0-9a-f]{10})\)$")


class Undone(NamedTuple):
    """The commit that was taken back, or would be, and its files."""

    commit: str
    subject: str
    paths: list[str]


def undo_last(vault: "Vault", prefix: str) -> Undone:
    """Take back what `last` names; raises as `last` and `undo`."""
    found = last(vault, prefix)
    return undo(vault, found.commit, found.subject)


def last(vault: "Vault", prefix: str) -> Undone:
    """The newest commit whose subject starts with `prefix`, and that was not taken
    back yet.

    Raises:
        NotAllowed: there is none (code `nothing_to_undo`).
    """
    vault.owner_only("undo")
    repository = Repository.open(vault.root, environ=vault.environ)
    undone = set()
    for commit in repository.subjects(_HORIZON):
        taken_back = _UNDONE.match(commit.subject)
        if taken_back:
            undone.add(taken_back[1])
        elif commit.subject.startswith(prefix) and commit.id[:10] not in undone:
            return Undone(commit.id, commit.subject, repository.changes(commit.id))
    raise NotAllowed(
        f"there is nothing to undo: no commit starts with '{prefix.strip()}'",
        code="nothing_to_undo",
    )


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
        for path in paths:
            left = _blob(repository, commit, path)
            now = files.current(files.inside(vault.root, path))
            if now != left:
                git = f"git -C {quote(vault.root)}"
                raise Conflict(
                    f"{path} was changed since; nothing was undone",
                    hint=f"See what it was: {git} show {commit[:10]}",
                )
            before = _blob(repository, f"{commit}^", path)
            if before is None:
                change.remove(path, expected=left)
            else:
                change.put(path, before, expected=left)
        change.message = f"undo: {subject} ({commit[:10]})"
    return Undone(commit, subject, paths)


def _blob(repository: Repository, commit: str, path: str) -> bytes | None:
    """A file's bytes as of a commit, None when the commit has no such file."""
    try:
        return repository.show(commit, path)
    except HistoryError:
        return None
