"""Where memcli keeps what it makes for itself about a vault: outside the working tree;
and where the user's settings, and the folders that come with memcli, are.

Invariant: nothing that git writes into a vault can create, change or be taken for one
of these files. The index and other caches lie in the user's cache folder; logs,
markers of sessions and research runs in the user's state folder; the lock and the
journal in git's own folder, where every user and container that shares the vault
meets them.

A vault's folder is named after its real path and the moment its repository was made,
so that a new vault at an old path does not inherit anything.
"""

from __future__ import annotations

import os
import stat
import sys
import zlib

from memcli.entries import layout
from memcli.errors import WriteFailed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memcli.storage.lock import Lock

_CACHED = frozenset({layout.INDEX, layout.INDEX_LOCK, layout.REGISTRY_CACHE})
_PATIENCE = 10.0  # seconds that a change of the settings waits for another one
_WITH_GIT = frozenset({layout.LOCK, layout.JOURNAL, layout.SYNC_LOCK})


def path(root: str, name: str, environ: Mapping[str, str] | None = None) -> str:
    """The place of one of memcli's own files about the vault at `root`.

    Args:
        root: the vault's folder.
        name: one of the names in `layout`, as `layout.INDEX`.
        environ: names the user's folders; None: this process's environment.

    Raises:
        WriteFailed: there is no folder that only this user can write to.
    """
    if name in _WITH_GIT:
        from memcli.storage.git.on_disk import find

        found = find(root)
        if found:
            return os.path.join(found[1], "memcli", name)
    folder = _folder(root, "cache" if name in _CACHED else "state", environ)
    return os.path.join(folder, *name.split("/"))


def of_engine(name: str, place: str, environ: Mapping[str, str] | None = None) -> str:
    """The folder for the settings of a vault that a database answers for.

    Args:
        name: the user's name for it.
        place: all that says which vault it is; no part of it can be read off the path.
        environ: names the user's folders; None: this process's environment.
    """
    from hashlib import blake2b

    digest = blake2b(place.encode("utf-8", "surrogatepass"), digest_size=8)
    folder = f"{name}-{digest.hexdigest()}"
    return os.path.join(_base("cache", environ), "published", folder)


def _folder(root: str, kind: str, environ: Mapping[str, str] | None) -> str:
    base = _base(kind, environ)
    real = os.path.realpath(root).rstrip(os.sep) + os.sep
    if (os.path.realpath(base) + os.sep).startswith(real):  # a home that is a vault
        base = os.path.join(_private(), kind)
    folder = os.path.join(base, _name(root))
    if _is_made(folder):
        return folder
    folder = os.path.join(_private(), kind, _name(root))
    _is_made(folder)  # else told when something is written there
    return folder


def _is_made(folder: str) -> bool:
    """Whether there is such a folder now, that the user may write to, or would be if
    the disk were not full."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        import errno

        return error.errno == errno.ENOSPC
    return os.access(folder, os.W_OK)


def _name(root: str) -> str:
    """The name of a vault's folder: readable, and no two vaults have the same."""
    real = os.path.realpath(root)
    label = "".join(c if c.isalnum() else "-" for c in os.path.basename(real))
    return f"{label[:40]}-{zlib.crc32(os.fsencode(real)):08x}-{_born(root):x}"


def _born(root: str) -> int:
    """When the vault's repository was made, ns; 0 when that cannot be told.

    git writes `description` once, at `git init` and `git clone`, and never again; a
    linked work tree has a `.git` file instead, written once as well.
    """
    for name in ("description", ""):
        try:
            found = os.stat(os.path.join(root, ".git", name).rstrip(os.sep))
        except OSError:
            continue
        if name or not stat.S_ISDIR(found.st_mode):
            return found.st_mtime_ns
    return 0


def _base(kind: str, environ: Mapping[str, str] | None) -> str:
    """The folder of all vaults: `kind` is cache or state."""
    environ = os.environ if environ is None else environ
    if sys.platform == "win32":
        local = environ.get("LOCALAPPDATA") or ""
        return os.path.join(local or _private(), "memcli", kind)
    variable = "XDG_CACHE_HOME" if kind == "cache" else "XDG_STATE_HOME"
    folder = environ.get(variable) or ""
    if os.path.isabs(folder):  # a relative one is to be ignored, says the standard
        return os.path.join(folder, "memcli")
    home = environ.get("HOME") or os.path.expanduser("~")
    if not os.path.isabs(home):
        return os.path.join(_private(), kind)
    parts = [".cache"] if kind == "cache" else [".local", "state"]
    if sys.platform == "darwin":
        parts = ["Library", "Caches" if kind == "cache" else "Application Support"]
    return os.path.join(home, *parts, "memcli")


def _private() -> str:
    """A folder below the system's temporary one that only this user can write to.

    Raises:
        WriteFailed: it cannot be made, or another user has taken its name.
    """
    import contextlib

    user = os.getuid() if hasattr(os, "getuid") else 0
    top = os.environ.get("TMPDIR") or ("/tmp" if os.name == "posix" else os.curdir)  # noqa: S108
    folder = os.path.join(os.path.abspath(top), f"memcli-{user}")
    with contextlib.suppress(OSError):
        os.mkdir(folder, 0o700)
    with contextlib.suppress(OSError):
        found = os.lstat(folder)
        closed = os.name != "posix" or not found.st_mode & 0o077
        if stat.S_ISDIR(found.st_mode) and closed and found.st_uid in (user, 0):
            return folder
    raise WriteFailed(
        f"{folder} is not a folder that only you can write to",
        hint="Set HOME to a folder of your own.",
    )


def user_folder(environ: Mapping[str, str]) -> str:
    """The folder of the user's own settings."""
    # `platformdirs` would cost every command 30 ms to find one path.
    above = environ.get("XDG_CONFIG_HOME") or environ.get("APPDATA")
    if not above:
        above = os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".config")
    return os.path.join(above, "memcli")


def path_of(environ: Mapping[str, str]) -> str:
    """The path of the user's config file, which may not be there."""
    return os.path.join(user_folder(environ), "config.toml")


def default_vault(environ: Mapping[str, str]) -> str | None:
    """The vault that the user made the default, if any."""
    path = default_vault_file(environ)
    if not os.path.isfile(path):  # a pipe would be waited for
        return None
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def user_lock(environ: Mapping[str, str]) -> Lock:
    """The lock of the user's own settings, which a change reads first."""
    from memcli.storage.lock import Lock

    return Lock(os.path.join(_base("state", environ), "settings.lock"), _PATIENCE)


def allowed_file(environ: Mapping[str, str]) -> str:
    """The file that names the repositories whose vaults the user allows."""
    return os.path.join(user_folder(environ), "allowed.json")


def default_vault_file(environ: Mapping[str, str]) -> str:
    """The file that names the default vault."""
    # One line in a file of its own: parsing TOML costs 11 ms.
    return os.path.join(user_folder(environ), "default-vault")
