"""Undo: take back one commit of memcli's, with a commit of its own.

Invariant: no later change is overwritten. Every file of the commit must still be as the
commit left it; otherwise the error names the file, and nothing changes. A commit that
was taken back is passed over, so that another undo goes further back. What another
clone has committed, and an undo, is taken back only when it is named; what a person
wrote by hand never.
"""

from __future__ import annotations

import re
from shlex import quote

from memcli.errors import Conflict, NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.git import history
from memcli.storage.git.staging import refuse_filtered
from memcli.storage.vault_paths import inside
from memcli.vault.health.log import CHANGES, verb_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memcli.storage.git.repository import Commit, Repository
    from memcli.vault.vault import Vault

# How many commits back the last change is looked for, and a named one.
_HORIZON = 500
_FURTHEST = 100_000
_UNDONE = re.compile(r"^undo: .* \(([0-9a-f]{10})\)$")
# Digits of a commit's id: git takes no fewer, and has no more.
_SHORTEST, _LONGEST = 4, 64


class Undone(NamedTuple):
    """The commit that was taken back, or would be, its files, and those of them that
    there were not before it."""

    commit: str
    subject: str
    paths: list[str]
    deleted: list[str]


def undo(vault: Vault, commit: str | None = None, *, dry_run: bool = False) -> Undone:
    """Take back a change of memcli's.

    Args:
        vault: whose owner asks.
        commit: its id, or the beginning of it, in this clone or in another; without it
            the newest change, of any kind, that was made in this clone under the name
            by which git commits here, and that was not taken back yet. What came by a
            sync or a pull is passed over, also when it has the same author: the same
            person's, on another machine.
        dry_run: check everything, and change nothing.

    Raises:
        NotAllowed: there is no such change (code `nothing_to_undo`), git passes a file
            of it through a filter, or an agent asks (code `owner_only`).
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    vault.owner_only("undo")
    if vault.caller.is_agent:
        raise NotAllowed(
            "undo takes back what a person may have done, and an MCP client asks",
            hint="Ask the user to run it, or bring one entry back by its id.",
            code="owner_only",
        )
    repository = vault.repository()
    git = f"git -C {quote(vault.root)}"
    if commit is None:
        _refuse_deleted(vault, repository, git)
        found = _last(repository)
    else:
        found = _named(repository, commit, git)
    paths = history.changes(repository, found.id)
    refuse_filtered(repository, paths)
    with vault.transaction() as change:
        change.allow_secret = True  # its bytes are in the history already
        left = repository.files_at(found.id, paths)
        before = repository.files_at(f"{found.id}^", paths)
        for path in paths:
            if files.current(inside(vault.root, path)) != left[path]:
                later = _standing(history.log(repository, path))
                changes = (each for each in later if verb_of(each.subject) != "undo")
                last = next(changes, found)
                how = f"by {last.id[:10]}, {last.subject}"
                how = "by hand" if last.id == found.id else how
                raise Conflict(
                    f"{path} was changed since {found.subject} ({how}); nothing was "
                    "undone",
                    hint="Undo does not take back an edit by hand, or a merge. See "
                    f"what it was: {git} diff {found.id[:10]} -- {quote(path)}",
                )
            if not dry_run:
                change.put(path, before[path], expected=left[path])
        change.message = f"undo: {found.subject} ({found.id[:10]})"
    deleted = [path for path in paths if before[path] is None]
    return Undone(found.id, found.subject, paths, deleted)


def _refuse_deleted(vault: Vault, repository: Repository, git: str) -> None:
    """Refuse where a person has deleted a file, whose undo is not that of a commit."""
    from memcli.vault.health.working_tree import working_tree

    for row in working_tree(vault, repository, repository.status()):
        if row.state == "forgotten":
            raise Conflict(
                f"{row.path} was deleted by hand, which no commit has yet; nothing was "
                "undone",
                hint=f"To bring it back: {git} restore -- {quote(row.path)}; to let it "
                "go: memcli doctor --fix; to take back a change of memcli's: memcli "
                "undo COMMIT",
            )


def _last(repository: Repository) -> Commit:
    """The newest change that was made in this clone by who commits here."""
    name = repository.user_name()
    own = history.made_here(repository)
    for commit in _standing(row.commit for row in history.steps(repository, _HORIZON)):
        is_mine = name in (None, commit.author) and (own is None or commit.id in own)
        if is_mine and verb_of(commit.subject) in CHANGES:
            return commit
    by = f" by {name}" if name else ""
    whose = f"none of the last {_HORIZON:,} commits is a change{by} made in this clone"
    raise NotAllowed(
        f"there is nothing to undo: {whose}",
        hint="A change of another clone, by its commit: memcli log --json",
        code="nothing_to_undo",
    )


def _named(repository: Repository, commit: str, git: str) -> Commit:
    """The change with an id that begins so."""
    start = commit.lower()
    found = [
        each
        for each in _standing(
            row.commit for row in history.steps(repository, _FURTHEST)
        )
        if len(start) >= _SHORTEST and each.id.startswith(start)
    ]
    shown = commit[:_LONGEST]
    message = f"no one change of memcli's that can be undone has the id {shown!r}"
    hint = "The commits, with those that were taken back already: memcli log --json"
    if len(found) == 1:
        verb = verb_of(found[0].subject)
        if verb in CHANGES or verb == "undo":
            return found[0]
        message = f"{shown} is no change of memcli's, but an edit by hand or a merge"
        hint = f"To take back an edit by hand: {git} revert {found[0].id[:10]}"
    raise NotAllowed(message, hint=hint, code="nothing_to_undo")


def _standing(commits: Iterable[Commit]) -> Iterator[Commit]:
    """Those of the commits, the newest first, that were not taken back."""
    undone = set()
    for commit in commits:
        if commit.id[:10] not in undone:
            if taken_back := _UNDONE.match(commit.subject):
                undone.add(taken_back[1])
            yield commit
