"""Versions that only commits hold, and commits in no branch.

Invariant: reads only. A `git rebase`, also that of `git pull --rebase`, moves the
branch without a look at what was committed to it meanwhile: the commit is in the reflog
alone, and its files are gone from the folder. So does the `git reset` inside a `git
stash`, which moves HEAD to what HEAD was when it began; nobody means that, and a repair
brings the commit back. What a person took back with `git reset` to another commit, or
with `git commit --amend`, is theirs, and is not named. Where an evolve and another git
meet, as in `git stash pop`, the new version may come without the archived old one; an
old version that was in the archive of any commit before HEAD, and is there no more, was
let go by a person.
"""

from __future__ import annotations

import contextlib
from functools import partial

from memcli.entries import codec, layout
from memcli.entries.file_checks import WARNING, Finding
from memcli.errors import MemcliError
from memcli.storage import files as disk
from memcli.storage.vault_paths import inside
from memcli.vault import lookup

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memcli.entries.entry import Entry
    from memcli.storage.git.repository import Blob, Repository
    from memcli.vault.vault import Vault

# How the reflog calls what moves HEAD without a look at it.
_RESET = "reset: moving to HEAD"
_MOVERS = ("rebase", "pull", "merge", _RESET)
# Commits of a stash that are looked at.
_MOST = 50


# --- commits ------------------------------------------------------------------------


def findings(vault: Vault, repository: Repository) -> Iterator[Finding]:
    """A finding for each such commit with an entry that the vault has not.

    Raises:
        HistoryError: git refused.
    """
    from memcli.storage.git import history

    behind = dict(history.left_behind(repository, _MOVERS))
    if not behind:
        return
    named = set()
    for commit in by_stash(repository):
        for path in _unlike_history(vault, repository, commit):
            named.add(path)
            message = f"commit {commit[:12]} is in no branch: a git stash left it out"
            yield Finding(path, 1, "dropped", WARNING, message, "memcli doctor --fix")
    for blob in _unknown(vault, repository, list(behind)):
        if blob.path not in named:
            named.add(blob.path)
            subject = behind[blob.commit]
            message = f"{subject!r} is in no branch: another git left it out"
            hint = f"git cherry-pick {blob.commit[:12]} brings it back."
            yield Finding(blob.path, 1, "dropped", WARNING, message, hint)


def _unknown(
    vault: Vault, repository: Repository, commits: Sequence[str]
) -> Iterator[Blob]:
    """The entries of these commits that neither the vault nor HEAD's history knows."""
    from memcli.storage.git import history

    # A rebase copies its commits: most contents come twice, and are known.
    written = {
        (blob.path, blob.id): blob
        for blob in reversed(history.blobs_of(repository, commits))
        if layout.is_entry(blob.path)
    }
    blobs = list(written.values())
    unknown: list[tuple[Blob, str]] = []
    for blob, data in zip(blobs, repository.contents(blobs), strict=True):
        with contextlib.suppress(MemcliError):
            name = codec.decode(data, blob.path, kinds=vault.kinds).entry.id
            if not vault.index.again(partial(lookup.of_id, entry_id=name)):
                unknown.append((blob, name))
    if not unknown:
        return
    paths = {blob.path for blob, _ in unknown}
    had = {
        (blob.path, blob.id)
        for blob in history.blobs(repository, paths, None, of="HEAD")
    }
    for blob, name in unknown:
        # Also when it was changed or removed later, the branch has known it.
        if (blob.path, blob.id) not in had and not history.has_had(repository, name):
            yield blob


def by_stash(repository: Repository) -> list[str]:
    """The last commits that stashes left out, oldest first."""
    from memcli.storage.git import history

    return history.left_out(repository, _RESET)[-_MOST:]


def changes_of(
    vault: Vault, repository: Repository, commit: str
) -> dict[str, tuple[bytes | None, bytes | None]]:
    """A commit's files as they are now and as it made them, by path; none when one of
    them was changed since."""
    from memcli.storage.git import history

    changes = {}
    for path in history.changes(repository, commit):
        before, after = (_shown(repository, of, path) for of in (f"{commit}^", commit))
        try:
            now = disk.current(inside(vault.root, path))
        except MemcliError:
            return {}
        if now not in (before, after):
            return {}
        changes[path] = now, after
    return changes


def _unlike_history(vault: Vault, repository: Repository, commit: str) -> list[str]:
    """The entries of such a commit whose text HEAD's history never had."""
    from memcli.storage.git import history

    wanted = {
        path: after
        for path, (now, after) in changes_of(vault, repository, commit).items()
        if layout.is_entry(path) and after not in (None, now)
    }
    known = history.blobs(repository, [*wanted], None, of="HEAD")
    had = zip(known, repository.contents(known), strict=True) if known else ()
    for blob, data in had:
        if wanted.get(blob.path) == data:
            del wanted[blob.path]
    return [*wanted]


def _shown(repository: Repository, commit: str, path: str) -> bytes | None:
    try:
        return repository.show(commit, path)
    except MemcliError:
        return None


# --- versions -----------------------------------------------------------------------


def of_id(
    vault: Vault,
    repository: Repository,
    entry_id: str,
    paths: Sequence[str],
    mark: str | None,
) -> list[tuple[Entry, bytes]]:
    """The entry as HEAD's history holds it, with its bytes; see `history.blobs`."""
    from memcli.storage.git import history

    blobs = history.blobs(repository, paths, mark, of="HEAD")
    found = []
    for blob, data in zip(blobs, repository.contents(blobs), strict=True):
        entry = codec.decode(data, blob.path, kinds=vault.kinds).entry
        if entry.id == entry_id:
            found.append((entry, data))
    return found
