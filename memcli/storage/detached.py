"""A memcli in a process of its own, which outlives the one that starts it.

Invariant: it shares no input, output or terminal with its starter, and stands in no
folder of a vault, where a relative PYTHONPATH would find modules. To start a sync
never raises, asks no network, and costs a write that is not synced by itself one look
into the user's config.
"""

from __future__ import annotations

import contextlib
import os
import sys

from memcli.entries import layout
from memcli.errors import MemcliError
from memcli.storage import files, state_dirs, user_config

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def start(words: Sequence[str], environ: Mapping[str, str] | None = None) -> None:
    """Start `memcli WORDS` and return at once.

    Args:
        words: its command line.
        environ: its environment; None is this process's own.

    Raises:
        OSError: it cannot be started.
    """
    import subprocess

    nothing = subprocess.DEVNULL
    # DETACHED_PROCESS and CREATE_NEW_PROCESS_GROUP; the first try also with
    # CREATE_BREAKAWAY_FROM_JOB, which not every job allows.
    tries = (0x01000208, 0x208) if sys.platform == "win32" else (0,)
    for number, windows in enumerate(tries):
        try:
            subprocess.Popen(  # noqa: S603 our own interpreter
                [sys.executable, "-P", "-m", "memcli", *words],
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
                env=None if environ is None else dict(environ),
                cwd=os.path.dirname(sys.executable),
                creationflags=windows,
                start_new_session=True,
            )
        except OSError:
            if number == len(tries) - 1:
                raise
        else:
            break


def after_write(root: str, environ: Mapping[str, str]) -> None:
    """Start the sync of a vault that was written to.

    Args:
        root: the vault's folder.
        environ: the environment of its user.
    """
    if _wanted(environ, (user_config.WRITES,)) and _has_remote(root):
        _start(("sync", "--auto", "--vault", root), environ)


def at_session(environ: Mapping[str, str]) -> None:
    """Start the sync of all the user's vaults, as a session begins or ends."""
    if _wanted(environ, (user_config.SESSIONS, user_config.WRITES)):
        _start(("sync", "--auto", "--all"), environ)


def _wanted(environ: Mapping[str, str], modes: tuple[str, ...]) -> bool:
    try:
        return user_config.auto_sync(environ) in modes
    except MemcliError:
        return False


def _has_remote(root: str) -> bool:
    """Whether the vault's own repository names a remote; read without git."""
    from memcli.storage.git import on_disk

    found = on_disk.with_remote(root)
    return bool(found and found.url and found.top == os.path.realpath(root))


def _start(words: tuple[str, ...], environ: Mapping[str, str]) -> None:
    # The owner syncs, also what an agent has written.
    environ = {k: value for k, value in environ.items() if k != "MEMCLI_AGENT"}
    with contextlib.suppress(OSError):
        start(words, environ)


# --- what a sync by itself brought -------------------------------------------------

_LARGEST = 100_000  # bytes of lines that wait


def note_news(root: str, line: str, environ: Mapping[str, str] | None) -> None:
    """Keep a line until the vault's user is told it."""
    path = state_dirs.path(root, layout.SYNC_NEWS, environ)
    with contextlib.suppress(OSError), open(path, "a", encoding="utf-8") as file:
        file.write(" ".join(line.split()) + "\n")


def take_news(root: str, environ: Mapping[str, str] | None) -> list[str]:
    """The lines that wait for the vault's user, who is told them once."""
    path = state_dirs.path(root, layout.SYNC_NEWS, environ)
    try:
        data = files.read(path, limit=_LARGEST)
        os.unlink(path)
    except (MemcliError, OSError):  # what cannot be taken away would be told for ever
        return []
    return data.decode("utf-8", "replace").splitlines()
