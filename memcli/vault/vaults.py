"""Which vaults a question goes to: the user's own, those of teams, the repository's;
and how far each is from its remote, as it is known without asking it.

Invariant: a vault that the caller names can be opened, or it is an error; so is a
personal vault that `MEMCLI_VAULT` or the default names and that is not there, since the
rows of teams are no answer without it. Another one that cannot be opened is a warning,
and the others are asked. Each folder is asked once, though it may have two names.
"""

from __future__ import annotations

import contextlib
import os

from memcli.entries import layout
from memcli.errors import MemcliError, NotAVault, VaultNotFound
from memcli.named_tuple import NamedTuple
from memcli.storage import files, known_vaults, projects, state_dirs
from memcli.vault.caller import OWNER, Caller
from memcli.vault.vault import Vault

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Self


# Seconds for another process that indexes a vault which nobody named.
_PATIENCE = 1.0


class Vaults:
    """Vaults to ask as one.

    Args:
        vaults: at least one.
        named: whether the caller named each of them; then a vault that cannot be read
            is an error, otherwise a warning.
        warnings: what the caller must know besides, such as vaults that are left out.

    Attributes:
        own: the user's own vault, if it is among them: what is resolved there is not
            shown from the others either. None of those can hide what the own one holds.
    """

    def __init__(
        self,
        vaults: Sequence[Vault],
        *,
        named: bool = True,
        warnings: Sequence[str] = (),
    ) -> None:
        self.vaults = tuple(vaults)
        self.named = named
        self.warnings = tuple(warnings)
        own = (one for one in self.vaults if one.source == known_vaults.PERSONAL)
        self.own = next(own, None)
        for vault in self.vaults:
            if self.own is not None and vault is not self.own:
                vault.stand_beside(self.own)

    @classmethod
    def open(
        cls, *words: str, caller: Caller = OWNER, personal_only: bool = False
    ) -> Self:
        """Open vaults by names of the user's config or by paths.

        Without words the personal vault, those whose `recall` is on, and that of the
        repository around `cwd`, if the user allows it.

        Args:
            words: names or paths.
            caller: who asks each of the vaults.
            personal_only: without words, the personal vault alone.

        Raises:
            VaultNotFound, NotAVault: a named one, the personal one that the settings
                name, or every one, cannot be opened.
            InvalidConfig: the user's config cannot be understood.
        """
        environ = caller.environ
        if words:
            vaults = [Vault.open(word, caller) for word in words]
            if len(vaults) > 1:
                _label(vaults, environ)
            return cls(_distinct(vaults))
        teams: list[str] = []
        warnings: list[str] = []
        if not personal_only:
            teams, warnings = _beside(caller.cwd, environ)
        vaults, refusals = [], []
        for name in (known_vaults.PERSONAL, *teams):
            own = name == known_vaults.PERSONAL
            try:
                vault = Vault.open(
                    name, caller if own else caller._replace(waits=False)
                )
                if not own:
                    vault.opened.patience = _PATIENCE
                vaults.append(vault)
            except MemcliError as error:
                missing = isinstance(error, VaultNotFound | NotAVault)
                missing = missing or error.code == "vault_not_allowed"
                named = missing and known_vaults.named_personal(environ)
                if own and (named or not teams):
                    # What else there is to ask.
                    error.hint = "; ".join(filter(None, (error.hint, *warnings)))
                    raise
                refusals.append(error)
                warnings.append(not_asked(name, error))
        if not vaults:
            raise refusals[0]
        return cls(_distinct(vaults), named=not teams, warnings=warnings)


def _beside(cwd: str | None, environ: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The names of the vaults that are asked beside the personal one; and what the
    user must know of one that is not."""
    names = [place.name for place in known_vaults.beside(cwd, environ)]
    found = known_vaults.of_repository(cwd, environ)
    return names, [projects.NOTICE] if found and not found.allowed else []


def not_asked(name: str, error: MemcliError) -> str:
    """The warning of a vault that is left out; `name` is its name or its source."""
    label = name if ":" in name else known_vaults.KnownVault(name, "").source
    return f"{label} was not asked: {error.message}"


class VaultState(NamedTuple):
    """A vault of the user, the personal one or one of the config, as it is now.

    One of `entries` and `problem` is None; `sync` is None where there is no remote.
    """

    name: str
    source: str
    path: str | None
    role: str
    recall: bool
    hooks: bool
    entries: int | None
    problem: str | None
    sync: SyncState | None = None


def states(caller: Caller) -> list[VaultState]:
    """The personal vault, those of the user's config, and the repository's, each
    looked at; of one that is not allowed only where it is.

    Raises:
        InvalidConfig: the user's config cannot be understood.
    """
    environ = caller.environ
    teams = known_vaults.configured(environ)
    found = known_vaults.of_repository(caller.cwd, environ)
    if found:
        name = known_vaults.REPO
        teams[name] = known_vaults.KnownVault(name, found.path)
    looked_at = []
    for name in (known_vaults.PERSONAL, *teams):
        entries, problem, path, sync = None, None, None, None
        place = teams.get(name)
        try:
            path = place.path if place else known_vaults.find_vault(name, environ)
            # The personal vault may be configured as a team's, and has its role then.
            place = place or known_vaults.at(path, environ)
            vault = Vault.open(name, caller)
            vault.opened.patience = _PATIENCE
            entries = vault.read(lambda reader: reader.size)
            sync = sync_state(vault)
        except MemcliError as error:
            problem = error.message
        place = place or known_vaults.KnownVault(name, path or "")
        personal = name == known_vaults.PERSONAL
        closed = name == known_vaults.REPO and found and not found.allowed
        recall = personal or (place.recall and not closed)
        hooks = personal or (recall and place.hooks)
        source = known_vaults.KnownVault(name, "").source
        where = place.where if place.engine else path
        told = (name, source, where, place.role, recall, hooks, entries, problem, sync)
        looked_at.append(VaultState(*told))
    return looked_at


def _distinct(vaults: Sequence[Vault]) -> list[Vault]:
    """Each folder once, though it has two names."""
    by_folder: dict[str, Vault] = {}
    for vault in vaults:
        by_folder.setdefault(os.path.realpath(vault.root), vault)
    return list(by_folder.values())


def _label(vaults: Sequence[Vault], environ: Mapping[str, str]) -> None:
    """Give a vault its path as the source, if it is neither a team's nor the default.

    Otherwise two of them would both be "personal" in an answer.
    """
    default = os.path.realpath(state_dirs.default_vault(environ) or "")
    for vault in vaults:
        unknown = vault.source == known_vaults.PERSONAL != vault.named
        if unknown and os.path.realpath(vault.root) != default:
            vault.source = f"path:{vault.root}"


# --- how the last sync ended ----------------------------------------------------------


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


def sync_state(vault: Vault) -> SyncState | None:
    """The state of the vault's remote; None without one."""
    from memcli.storage.git import remote as remotes
    from memcli.storage.git import tree

    try:
        repository = vault.repository()
        remote = None if repository.prefix else remotes.remote(repository)
        if remote is None:
            return None
        seen, head = repository.commit_of(remote.tracking), repository.commit_of("HEAD")
        ahead = behind = None
        if seen and head:
            ahead = tree.count(repository, head, seen)
            behind = tree.count(repository, seen, head)
        found = remotes.elsewhere(repository, remote.name, remote.tracking)
        others = [each.ref for each in found if not (seen and each.same)]
    except MemcliError:
        return None
    path = state_dirs.path(vault.root, layout.SYNC_STATE, vault.environ)
    known = files.load_value(path, dict) or {}
    last: dict[str, Any] = {"at": None, "line": "", "error": None, **known}
    ended = (last["at"], last["line"], last["error"], tuple(others))
    return SyncState(remote.name, remote.shown, remote.branch, ahead, behind, *ended)


def writers(vault: Vault, path: str, seconds: float) -> list[str] | None:
    """The authors of a file of the vault, but for its user; None where git cannot say
    it in this time. In a vault without a remote all that names nobody is the user's."""
    from memcli.storage.git import merging, on_disk

    found = on_disk.with_remote(vault.root)
    if found is None:
        return []
    names = None
    with contextlib.suppress(MemcliError):
        repository = vault.repository()
        names = merging.writers(repository, path, seconds)
    if found.url:
        return names
    return [name for name in names or () if name != merging.OTHER]


def note_sync(vault: Vault, line: str, error: str | None) -> None:
    """Note how a sync ended; `error` is the code of its failure."""
    path = state_dirs.path(vault.root, layout.SYNC_STATE, vault.environ)
    with contextlib.suppress(OSError):
        facts = {"at": vault.now_ms() // 1000, "line": line, "error": error}
        files.store_value(path, facts)
