"""The vault that a repository carries in `.memory/`, and whether the user allows it.

Invariant: of one that is not allowed nothing is read but that it is there, and no
process is started. It is allowed by a file in the user's own config folder that names
the repository's folder and its remote: in another folder, or once the remote is another
one, it must be allowed anew. Nothing in the repository can allow it.
"""

from __future__ import annotations

import os
import stat

from memcli.errors import NotAllowed, VaultNotFound
from memcli.named_tuple import NamedTuple
from memcli.storage import files, state_dirs
from memcli.storage.git import on_disk

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = ".memory"
"""The folder of such a vault, at the top of the work tree."""

NOTICE = (
    "this repository carries a memory of its own in .memory/, which is not read until "
    "you allow it: memcli allow"
)
"""The notice for a user who has not allowed it."""


class RepoVault(NamedTuple):
    """The vault of a repository.

    Attributes:
        path: its folder.
        top: the folder of the repository's work tree.
        remote: the name of its remote, without user or token; empty without one.
        allowed: whether the user allows it, in this folder and with this remote.
    """

    path: str
    top: str
    remote: str
    allowed: bool


class Permission(NamedTuple):
    """A repository whose vault the user allows: its folder and its remote."""

    top: str
    remote: str


def find(folder: str | None, environ: Mapping[str, str]) -> RepoVault | None:
    """The vault that the repository around a folder carries; None when it has none.

    A `.memory` that is a link, or a repository of its own, is none; nor does a home
    folder that is under git carry one for all that lies below it.

    Args:
        folder: where a command was called, or a session runs.
        environ: HOME, and where the user's configs lie.
    """
    if not folder or not os.path.isabs(folder):
        return None
    found = on_disk.find(folder)
    if found is None:
        return None
    top = found[0]
    path = os.path.join(top, FOLDER)
    if not _is_vault(path) or _holds_home(top, environ):
        return None
    remote = _remote(top)
    return RepoVault(path, top, remote, _allowed(environ).get(top) == remote)


def needed(folder: str | None, environ: Mapping[str, str]) -> RepoVault:
    """As `find`; there must be one, and the user must allow it.

    Raises:
        VaultNotFound: the repository around the folder carries none.
        NotAllowed: the user has not allowed it.
    """
    found = find(folder, environ)
    if found is None:
        raise VaultNotFound(
            f"no repository around {folder or 'this place'} carries a vault",
            hint="Make one at the top of this repository: memcli init --repo",
        )
    if not found.allowed:
        raise NotAllowed(
            f"{found.path} is a vault of this repository that you have not allowed",
            hint="Look at what it holds, then: memcli allow",
            code="vault_not_allowed",
        )
    return found


def allow(found: RepoVault, environ: Mapping[str, str]) -> None:
    """Remember that the user allows a vault, in this folder and with this remote.

    Raises:
        WriteFailed: the user's config folder cannot be written to.
    """
    _write({**_allowed(environ), found.top: found.remote}, environ)


def revoke(folder: str, environ: Mapping[str, str]) -> str | None:
    """Forget that the vault of a repository is allowed, which may be gone by now.

    Returns:
        The top of the repository; None when it was not allowed.
    """
    allowed = _allowed(environ)
    for top in (os.path.realpath(folder), top_of(folder)):
        if top and top in allowed:
            del allowed[top]
            _write(allowed, environ)
            return top
    return None


def permissions(environ: Mapping[str, str]) -> list[Permission]:
    """The repositories that the user allows, in the order of the folders."""
    return [Permission(*each) for each in sorted(_allowed(environ).items())]


def top_of(folder: str) -> str | None:
    """The top of the work tree around a folder; None when it is not under git."""
    found = on_disk.find(folder)
    return found and found[0]


def _is_vault(path: str) -> bool:
    """Whether a folder is a vault of the repository that it lies in: not a link, and
    no repository of its own, whose config git would obey."""
    try:
        folders = [os.lstat(path), os.lstat(os.path.join(path, ".memcli"))]
    except (OSError, ValueError):
        return False
    is_own = os.path.lexists(os.path.join(path, ".git"))
    return all(stat.S_ISDIR(each.st_mode) for each in folders) and not is_own


def _holds_home(top: str, environ: Mapping[str, str]) -> bool:
    home = os.path.realpath(environ.get("HOME") or os.path.expanduser("~"))
    return (home + os.sep).startswith(top.rstrip(os.sep) + os.sep)


def _remote(top: str) -> str:
    from memcli.storage.git import on_disk

    repository = on_disk.with_remote(top)
    url = repository.url if repository else None
    if not url:
        return ""
    named = on_disk.name_of(url) or on_disk.local_path(url, top)
    if named:
        return named
    import hashlib

    # It may hold a token.
    return "unnamed:" + hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:16]


def _allowed(environ: Mapping[str, str]) -> dict[str, str]:
    """The remote of each repository whose vault the user allows, by its folder."""
    found = files.load_value(state_dirs.allowed_file(environ), dict)
    return {str(top): str(remote) for top, remote in (found or {}).items()}


def _write(allowed: Mapping[str, str], environ: Mapping[str, str]) -> None:
    import json

    files.write_atomic(
        state_dirs.allowed_file(environ), f"{json.dumps(allowed, indent=1)}\n".encode()
    )
