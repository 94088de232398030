"""Commits of memcli that a pull, a rebase or a stash has left out of every branch.

Invariant: reads only. A `git rebase`, also that of `git pull --rebase`, moves the
branch without a look at what was committed to it meanwhile: the commit is in the reflog
alone, and its files are gone from the folder. So does the `git reset` inside a `git
stash`, which moves HEAD to what HEAD was when it began; nobody means that, and a repair
brings the commit back. What a person took back with `git reset` to another commit, or
with `git commit --amend`, is theirs, and is not named.
"""

from __future__ import annotations

import contextlib
from functools import partial

from memcli.entries import layout
from memcli.entries.finding import WARNING, Finding
from memcli.errors import MemcliError
from memcli.storage import files
from memcli.storage.journal import FileChange
from memcli.storage.vault_paths import inside
from memcli.vault import lookup
from memcli.vault.health.repair_step import Repair, Step

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memcli.storage.git.beside_head import Comparable
    from memcli.storage.git.printed import Blob
    from memcli.vault.vault import Vault

# How the reflog calls what moves HEAD without a look at it.
_RESET = "reset: moving to HEAD"
_MOVERS = ("rebase", "pull", "merge", _RESET)
# Commits of a stash that are looked at.
_MOST = 50


def findings(vault: Vault, repository: Comparable) -> Iterator[Finding]:
    """A finding for each such commit with an entry that the vault has not.

    Args:
        vault: whose files.
        repository: where they are committed.

    Raises:
        HistoryError: git refused.
    """
    behind = dict(repository.left_behind(_MOVERS))
    if not behind:
        return
    named = set()
    for commit in repository.left_out(_RESET)[-_MOST:]:
        for path in _unlike_history(vault, repository, commit):
            named.add(path)
            message = f"commit {commit[:12]} is in no branch: a git stash left it out"
            yield Finding(path, 1, "dropped", WARNING, message, "memcli repair")
    for blob in _unknown(vault, repository, list(behind)):
        if blob.path not in named:
            named.add(blob.path)
            subject = behind[blob.commit]
            message = f"{subject!r} is in no branch: another git left it out"
            hint = f"git cherry-pick {blob.commit[:12]} brings it back."
            yield Finding(blob.path, 1, "dropped", WARNING, message, hint)


def _unknown(
    vault: Vault, repository: Comparable, commits: Sequence[str]
) -> Iterator[Blob]:
    """The entries of these commits that neither the vault nor HEAD's history knows."""
    from memcli.entries import codec

    # A rebase copies its commits: most contents come twice, and are known.
    written = {
        (blob.path, blob.id): blob
        for blob in reversed(repository.blobs_of(commits))
        if layout.is_entry(blob.path)
    }
    blobs = list(written.values())
    unknown: list[tuple[Blob, str]] = []
    for blob, data in zip(blobs, repository.contents(blobs), strict=True):
        with contextlib.suppress(MemcliError):
            entry = codec.decode(data, blob.path, kinds=vault.kinds).entry
            if not vault.index.again(partial(lookup.of_id, entry_id=entry.id)):
                unknown.append((blob, entry.id))
    if not unknown:
        return
    paths = {blob.path for blob, _ in unknown}
    had = {(blob.path, blob.id) for blob in repository.blobs(paths, None, of="HEAD")}
    for blob, entry_id in unknown:
        # Also when it was changed or removed later, the branch has known it.
        if (blob.path, blob.id) not in had and not repository.has_had(entry_id):
            yield blob


def steps(vault: Vault, repository: Comparable, found: Sequence[Finding]) -> list[Step]:
    """Steps that make such a commit again, one for each of its files.

    The detail of a step is the commit.
    """
    about = {finding.path: finding for finding in found if finding.code == "dropped"}
    chosen: list[Step] = []
    if about:
        for commit in repository.left_out(_RESET)[-_MOST:]:
            changes = changed_by(vault, repository, commit)
            if about.keys().isdisjoint(changes):
                continue
            for path in changes:
                action = f"make commit {commit[:12]} again: a git stash left it out"
                gone = [about[path]] if path in about else []
                chosen.append((Repair("dropped", path, action, commit), gone))
    return chosen


def changed_by(
    vault: Vault, repository: Comparable, commit: str
) -> dict[str, FileChange]:
    """What a commit did, by path; empty when one of its files was changed since."""
    changes = {}
    for path in repository.changes(commit):
        before, after = (_shown(repository, of, path) for of in (f"{commit}^", commit))
        try:
            now = files.current(inside(vault.root, path))
        except MemcliError:
            return {}
        if now not in (before, after):
            return {}
        changes[path] = FileChange(now, after)
    return changes


def _unlike_history(vault: Vault, repository: Comparable, commit: str) -> list[str]:
    """The entries of such a commit whose text HEAD's history never had."""
    wanted = {
        path: change.after
        for path, change in changed_by(vault, repository, commit).items()
        if layout.is_entry(path) and change.after not in (None, change.before)
    }
    known = repository.blobs([*wanted], None, of="HEAD")
    had = zip(known, repository.contents(known), strict=True) if known else ()
    for blob, data in had:
        if wanted.get(blob.path) == data:
            del wanted[blob.path]
    return [*wanted]


def _shown(repository: Comparable, commit: str, path: str) -> bytes | None:
    try:
        return repository.show(commit, path)
    except MemcliError:
        return None
