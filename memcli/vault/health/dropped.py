"""Commits of memcli that a pull or a rebase has left out of every branch.

Invariant: reads only. A `git rebase`, also that of `git pull --rebase`, moves the
branch without a look at what was committed to it meanwhile: the commit is in the reflog
alone, and its files are gone from the folder. What a person took back with `git reset`
or `git commit --amend` is theirs, and is not named.
"""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from memcli.entries import layout
from memcli.errors import MemcliError
from memcli.vault.health.finding import WARNING, Finding

if TYPE_CHECKING:
    from memcli.storage.git.repository import Repository
    from memcli.vault.vault import Vault

# How the reflog calls what moves HEAD without a look at it.
_MOVERS = ("rebase", "pull", "merge")
# Commits that are looked at; a rebase leaves every commit that it copies.
_MOST = 50


def findings(
    vault: "Vault", repository: "Repository", ids: Collection[str]
) -> Iterator[Finding]:
    """A finding for each such commit with an entry that the vault has not.

    Args:
        vault: whose files.
        repository: where they are committed.
        ids: of every entry in the vault's folder.

    Raises:
        HistoryError: git refused.
    """
    from memcli.entries import codec

    for commit, subject in repository.left_behind(_MOVERS)[:_MOST]:
        for path in repository.changes(commit):
            if not layout.is_entry(path):
                continue
            try:
                data = repository.show(commit, path)
                entry = codec.decode(data, path, kinds=vault.kinds).entry
                # Whatever became of it later, the branch has known it.
                known = entry.id in ids or repository.has_had(entry.id)
            except MemcliError:  # the commit removed it
                continue
            if not known:
                message = f"{subject!r} is in no branch: a pull or rebase left it out"
                hint = f"git cherry-pick {commit[:12]} brings it back."
                yield Finding(path, 1, "dropped", WARNING, message, hint)
