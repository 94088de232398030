"""Starting a sync in a process of its own, where the user's config asks for it.

Invariant: it never raises, asks no network, and costs a write that is not synced by
itself one look into the user's config.
"""

from __future__ import annotations

import contextlib
import os

from memcli.errors import MemcliError
from memcli.storage import detached, user_config

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping


def after_write(root: str, environ: Mapping[str, str]) -> None:
    """Start the sync of a vault that was written to.

    Args:
        root: the vault's folder.
        environ: the environment of its user.
    """
    if _wanted(environ, (user_config.WRITES,)) and _has_remote(root, environ):
        _start(("sync", "--auto", "--vault", root), environ)


def at_session(environ: Mapping[str, str]) -> None:
    """Start the sync of all the user's vaults, as a session begins or ends."""
    if _wanted(environ, (user_config.SESSIONS, user_config.WRITES)):
        _start(("sync", "--auto", "--all"), environ)


def _wanted(environ: Mapping[str, str], modes: tuple[str, ...]) -> bool:
    try:
        return user_config.sync_settings(environ).auto in modes
    except MemcliError:
        return False


def _has_remote(root: str, environ: Mapping[str, str]) -> bool:
    """Whether the vault's own repository names a remote; read without git."""
    from memcli.storage.git import remotes

    found = remotes.find(root, environ)
    return (
        found is not None
        and found.url is not None
        and found.top == os.path.realpath(root)
    )


def _start(words: tuple[str, ...], environ: Mapping[str, str]) -> None:
    # The owner syncs, also what an agent has written.
    environ = {k: value for k, value in environ.items() if k != "MEMCLI_AGENT"}
    with contextlib.suppress(OSError):
        detached.start(words, environ)
