"""The remote of a vault, named once (`memcli sync --setup URL`), and syncs that memcli
starts by itself.

Invariant: a remote that does not answer, or refuses, is not kept. Nothing that exists
is overwritten: neither another remote of the vault, nor a folder that is no repository.
"""

from __future__ import annotations

import os
import sys
import time
from shlex import quote

from memcli.curation import sync
from memcli.entries import layout
from memcli.errors import HistoryError, LockBusy, MemcliError, NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.storage import state_dirs
from memcli.storage.git import on_disk as addresses
from memcli.storage.git import remote as remotes
from memcli.storage.git.on_disk import Remote
from memcli.storage.lock import Lock

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli.storage.git.remote import Terms
    from memcli.storage.git.repository import Repository
    from memcli.vault.vault import Vault


def setup(vault: Vault, address: str, terms: Terms) -> bool:
    """Give a vault its remote, and tell the person; whether it is new.

    Args:
        vault: its owner asks.
        address: a folder, which is made when only its parent exists; ssh or https.
        terms: how git may talk to it.

    Raises:
        InvalidValue: the address would start a program, or cannot be used.
        NotAllowed: the vault has another remote, or the folder holds something else.
        RemoteUnreachable, RemoteRefused: the remote does not answer, or refuses.
    """
    vault.owner_only("sync")
    vault.refuse_read_only()
    repository = sync.joinable(vault)
    address = _absolute(addresses.checked(address), vault.cwd)
    branch = repository.branch() or "main"
    known = remotes.remote(repository)
    if known and os.path.realpath(known.address) != os.path.realpath(address):
        raise NotAllowed(
            f"{vault.named} has the remote {known.name} ({known.shown}) already",
            hint=f"To replace it: git -C {quote(vault.root)} remote set-url "
            f"{known.name} {addresses.shown_of(address)}",
            code="remote_exists",
        )
    if known is not None:
        return False
    remote = Remote("origin", address, branch)
    if addresses.is_folder(address) and remotes.make_bare(
        address, branch, vault.environ
    ):
        vault.tell(f"made a bare repository at {remote.shown}")
    _add(repository, remote, terms)
    vault.tell(f"the remote {remote.name} is {remote.shown}")
    return True


def _add(repository: Repository, remote: Remote, terms: Terms) -> None:
    """Add the remote, and take it out again when it does not answer."""
    done = repository.git(("remote", "add", "--", remote.name, remote.address))
    if done.code:
        raise HistoryError(f"git cannot add the remote {remote.name}: {done.text}")
    try:
        remotes.see_branches(repository, remote, terms)
        remotes.set_upstream(repository, remote)
    except (MemcliError, KeyboardInterrupt) as error:
        repository.git(("remote", "remove", remote.name))
        if isinstance(error, MemcliError) and error.hint == remotes.LATER:
            error.hint += f" --setup {quote(remote.shown)}"
        raise


def _absolute(address: str, cwd: str | None) -> str:
    """A folder by its whole path: a relative one would be one of the vault's."""
    if not addresses.is_folder(address):
        return address
    path = os.path.join(cwd or os.getcwd(), os.path.expanduser(address))
    return os.path.normpath(path)


# --- a sync that memcli starts by itself ------------------------------------------


# Seconds in which further writes join the sync that the first one has started.
_GATHERED = 1.0
# Seconds that a sync may wait for the one that works.
_PATIENCE = 600.0


class SyncedByItself(NamedTuple):
    """How it ended: `outcome` is synced, waiting (another sync sends it as well) or the
    code of an error; `line` says it in words."""

    vault: str
    outcome: str
    line: str


def run_by_itself(
    vault: Vault, sleep: Callable[[float], None] = time.sleep
) -> SyncedByItself:
    """Sync a vault by itself; an error is noted for `memcli doctor`, and returned."""
    vault.starts_sync = False
    path = state_dirs.path(vault.root, layout.SYNC_LOCK)
    try:
        with Lock(path + ".waiting", 0):
            sleep(_GATHERED)
            turn = Lock(path, _PATIENCE).__enter__()
    except LockBusy:
        line = "another sync waits already, and will send this as well"
        return SyncedByItself(vault.named, "waiting", line)
    except MemcliError as error:
        return SyncedByItself(vault.named, error.code, error.message)
    try:
        done = sync.in_turn(vault, sync.Terms(), sleep=sleep, by_itself=True)
    except MemcliError as error:
        return SyncedByItself(vault.named, error.code, error.message)
    finally:
        turn.__exit__(None, None, None)
    return SyncedByItself(vault.named, "synced", done.line)


def be_nice() -> None:
    """Let other processes come first."""
    if sys.platform != "win32":
        os.nice(10)
