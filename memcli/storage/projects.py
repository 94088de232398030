"""The project of a folder, where what is learned in it holds; and the vault that its
repository carries in `.memory/`, with whether the user allows it.

Invariant: no process is started. Work trees and clones of one remote are one project;
the user's own config has the last word inside a repository and names what has no
remote. The home folder, the root, a temporary folder and a vault are no project: what
is learned there holds everywhere. Of a vault that is not allowed nothing is read but
that it is there. It is allowed by a file in the user's own config folder that names the
repository's folder and its remote: in another folder, or once the remote is another
one, it must be allowed anew. Nothing in the repository can allow it.
"""

from __future__ import annotations

import os
import re
import stat
import zlib

from memcli.entries import identity
from memcli.entries.ids import NONE, check_project
from memcli.errors import InvalidConfig, InvalidValue, NotAllowed, VaultNotFound
from memcli.named_tuple import NamedTuple
from memcli.storage import files, state_dirs, user_config
from memcli.storage.git import on_disk

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEMPORARY = (
    "/tmp",  # noqa: S108 not written to
    "/var/tmp",  # noqa: S108
    "/private/tmp",
    "/private/var",
    "/dev/shm",  # noqa: S108
    "/run",
)
_VARIABLES = ("TMPDIR", "TEMP", "TMP")
_LONGEST_SLUG = 60


class Project(NamedTuple):
    """A project.

    Attributes:
        name: as entries have it.
        folder: its top: that of the work tree, or the one that the config names.
    """

    name: str
    folder: str


def of(folder: str | None, environ: Mapping[str, str]) -> Project | None:
    """The project of a folder; None when what is learned there holds everywhere.

    Args:
        folder: where a command was called, or a session ran; it may be gone by now.
        environ: HOME, and where the user's configs lie.

    Raises:
        InvalidConfig: `[projects]` of the user's config cannot be understood.
    """
    if not folder or not os.path.isabs(folder):
        return None
    real = os.path.realpath(folder)
    repository = on_disk.with_remote(real)
    # Files of a home folder that is under git are no project of all that lies below.
    if repository and _holds_home(repository.top, environ):
        repository = None
    if vault_around(real):
        return None
    remote = on_disk.name_of(repository.url or "") if repository else None
    given = _configured(real, repository, remote, environ)
    if given is not None:
        return None if given.name == NONE else given
    if repository and remote:
        return Project(remote, repository.top)
    top = place = real
    if repository:
        top, place = repository.top, repository.home
        if repository.url:
            place = on_disk.local_path(repository.url, top) or place
    if _holds_home(place, environ) or _is_temporary(place, environ):
        return None
    return Project(_name_of_folder(place), top)


def _configured(
    real: str,
    repository: on_disk.Repository | None,
    remote: str | None,
    environ: Mapping[str, str],
) -> Project | None:
    """The project that `[projects]` gives: the longest path that holds the folder.

    A key is a path, or the name of a remote. Inside a repository that has a remote,
    only what names it or a folder of it counts.
    """
    names, config = user_config.table("projects", environ)
    best: tuple[int, Project] | None = None
    for key, value in names.items():
        name = _checked(key, value, config)
        if key.startswith(("/", "~", ".")) or os.path.isabs(key):
            path = os.path.join(os.path.dirname(config), os.path.expanduser(key))
            top = os.path.realpath(path)
            outside = repository and remote and not is_below(top, repository.top)
            if outside or not is_below(real, top):
                continue
        elif repository and remote and key.strip(" /").lower() == remote.lower():
            top = repository.top
        else:
            continue
        if best is None or len(top) > best[0]:
            best = len(top), Project(name, top)
    return best[1] if best else None


def _checked(key: str, value: object, config: str) -> str:
    try:
        if not isinstance(value, str):
            raise InvalidValue("not a text")
        return NONE if value.strip().lower() == NONE else check_project(value)
    except InvalidValue as error:
        raise InvalidConfig(
            f"{config}: [projects] '{key[:80]}': {error.message}",
            hint='Write it like "~/notes" = "notes".',
        ) from error


def vault_around(folder: str) -> str | None:
    """The vault that a folder is, or lies in; None for none."""
    # Programs are put into ~/.memcli, which makes no vault of a home.
    while not os.path.isfile(os.path.join(folder, ".memcli", "config.toml")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return None
    return folder


def is_below(path: str, folder: str) -> bool:
    """Whether a path is that of a folder, or of something in it."""
    path, folder = os.path.normcase(path), os.path.normcase(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _holds_home(path: str, environ: Mapping[str, str]) -> bool:
    home = os.path.realpath(environ.get("HOME") or os.path.expanduser("~"))
    return is_below(home, path)


def _is_temporary(path: str, environ: Mapping[str, str]) -> bool:
    named = (environ.get(name) for name in _VARIABLES)
    folders = [*_TEMPORARY, *(os.path.realpath(each) for each in named if each)]
    return any(is_below(path, each) for each in folders)


def _name_of_folder(path: str) -> str:
    """The folder's name, and eight digits of where it lies."""
    words = re.sub(r"[^\w.+-]+", "-", os.path.basename(path).lower()).strip("-.")
    mark = zlib.crc32(os.path.normcase(path).encode("utf-8", "surrogatepass"))
    return f"{words[:_LONGEST_SLUG] or 'folder'}-{mark:08x}"


# --- the vault of a repository ---------------------------------------------------

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


def carried(folder: str | None, environ: Mapping[str, str]) -> RepoVault | None:
    """The vault that the repository around a folder carries; None when it has none.

    A `.memory` that is a link, or a repository of its own, is none; nor does a home
    folder that is under git carry one for all that lies below it.

    Args:
        folder: where a command was called, or a session runs.
        environ: HOME, and where the user's configs lie.
    """
    if not folder or not os.path.isabs(folder):
        return None
    top = top_of(folder)
    if top is None:
        return None
    path = os.path.join(top, FOLDER)
    if not _is_vault(path) or _holds_home(top, environ):
        return None
    remote = _remote(top)
    return RepoVault(path, top, remote, permissions(environ).get(top) == remote)


def needed(folder: str | None, environ: Mapping[str, str]) -> RepoVault:
    """As `carried`; there must be one, and the user must allow it.

    Raises:
        VaultNotFound: the repository around the folder carries none.
        NotAllowed: the user has not allowed it.
    """
    found = carried(folder, environ)
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
    with state_dirs.user_lock(environ):
        _write({**permissions(environ), found.top: found.remote}, environ)


def revoke(folder: str, environ: Mapping[str, str]) -> str | None:
    """Forget that the vault of a repository is allowed, which may be gone by now.

    Returns:
        The top of the repository; None when it was not allowed.
    """
    tops = os.path.realpath(folder), top_of(folder)
    with state_dirs.user_lock(environ):
        allowed = permissions(environ)
        top = next((each for each in tops if each in allowed), None)
        if top is not None:
            del allowed[top]
            _write(allowed, environ)
    return top


def permissions(environ: Mapping[str, str]) -> dict[str, str]:
    """The remotes of the repositories whose vaults the user allows, by their folders,
    in order."""
    found = files.load_value(state_dirs.allowed_file(environ), dict)
    return {str(top): str(remote) for top, remote in sorted((found or {}).items())}


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


def _remote(top: str) -> str:
    """The name of a repository's remote, or another mark of it; empty without one."""
    repository = on_disk.with_remote(top)
    url = (repository.url if repository else None) or ""
    named = on_disk.name_of(url) or (on_disk.local_path(url, top) if url else "")
    # It may hold a token.
    data = url.encode("utf-8", "replace")
    return named or (url and f"unnamed:{identity.sha256(data).hex()[:16]}")


def _write(allowed: Mapping[str, str], environ: Mapping[str, str]) -> None:
    import json

    files.write_atomic(
        state_dirs.allowed_file(environ), f"{json.dumps(allowed, indent=1)}\n".encode()
    )
