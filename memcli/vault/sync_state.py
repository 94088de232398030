"""How the last sync of a vault ended, and how far it is from its remote.

Invariant: reads start no network call. The note lies outside of the vault, so no pull
can write it; one that cannot be read or written counts as none.
"""

from __future__ import annotations

import contextlib

from memcli.entries import layout
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import cache, state_dirs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memcli.vault.vault import Vault


class SyncState(NamedTuple):
    """The state of a vault's remote, as it is known without asking it.

    Attributes:
        remote, address, branch: which it is; the address holds no password.
        ahead, behind: commits that only the vault has, or only the remote as it was
            last seen; None when it was never seen.
        at: when the last sync ended, epoch seconds; None for never.
        line: how it ended, in one line.
        error: the code of its failure; None when it did not fail.
        others: branches of the remote that hold a vault which this one does not meet.
    """

    remote: str
    address: str
    branch: str
    ahead: int | None
    behind: int | None
    at: int | None
    line: str
    error: str | None
    others: tuple[str, ...]


def state(vault: Vault) -> SyncState | None:
    """The state of the vault's remote; None without one."""
    from memcli.storage.git import remote as remotes
    from memcli.storage.git.repository import Repository

    try:
        repository = Repository.open(vault.root, environ=vault.environ)
        remote = None if repository.prefix else remotes.remote(repository)
        if remote is None:
            return None
        seen, head = repository.commit_of(remote.tracking), repository.commit_of("HEAD")
        ahead = behind = None
        if seen and head:
            ahead, behind = remotes.ahead_behind(repository, head, seen)
        found = remotes.elsewhere(repository, remote.name, remote.tracking)
        others = [each.ref for each in found if not (seen and each.same)]
    except MemcliError:
        return None
    last = _last(vault)
    at, line, error = last.get("at"), last.get("line"), last.get("error")
    return SyncState(
        remote.name,
        remote.shown,
        remote.branch,
        ahead,
        behind,
        at if isinstance(at, int) else None,
        line if isinstance(line, str) else "",
        error if isinstance(error, str) else None,
        tuple(others),
    )


def note(vault: Vault, data: Mapping[str, Any], line: str) -> None:
    """Note how a sync ended."""
    _store(vault, {"line": line, "error": None, "data": dict(data)})


def note_failure(vault: Vault, error: MemcliError) -> None:
    """Note why a sync did not end."""
    _store(vault, {"line": error.message, "error": error.error_code})


def _store(vault: Vault, facts: dict[str, Any]) -> None:
    path = state_dirs.path(vault.root, layout.SYNC_STATE, vault.environ)
    with contextlib.suppress(OSError):
        cache.store(path, {"at": vault.now_ms() // 1000, **facts})


def _last(vault: Vault) -> dict[str, Any]:
    path = state_dirs.path(vault.root, layout.SYNC_STATE, vault.environ)
    return cache.load(path, dict) or {}
