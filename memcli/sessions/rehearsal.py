"""A copy of a vault to try on what many steps would do, each after the one before.

Invariant: the vault itself is only read. The copy has its notes, its settings and its
records of sessions, a history of its own, and is gone afterwards with everything that
memcli kept about it.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress

from memcli.entries import layout
from memcli.errors import WriteFailed
from memcli.storage import state_dirs
from memcli.storage.listing import paths_of, scan
from memcli.storage.vault_paths import inside
from memcli.vault import create

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcli.vault.vault import Vault

_BESIDE = (layout.CONFIG, layout.IDEA_LEDGER, layout.IGNORED_NAMES)


@contextmanager
def rehearsal(vault: Vault) -> Iterator[Vault]:
    """The copy, for the same caller at the same time of day.

    Raises:
        WriteFailed: there is no room for it.
        HistoryError: git is missing or refused.
    """
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="memcli-", ignore_cleanup_errors=True) as folder:
        root = os.path.join(folder, os.path.basename(vault.root) or "vault")
        try:
            _copy(vault, root)
        except OSError as error:
            raise WriteFailed(
                f"{root}: no copy can be made to try this on: {error.strerror}",
                hint="TMPDIR may name a folder with more room.",
            ) from error
        create.prepare(root, environ=vault.environ, agreed=True)
        kept = state_dirs.path(root, layout.SESSIONS)
        cached = state_dirs.path(root, layout.INDEX)
        try:
            with suppress(FileNotFoundError):
                shutil.copytree(state_dirs.path(vault.root, layout.SESSIONS), kept)
            yield vault.copied_to(root)
        finally:
            for place in (kept, cached):
                shutil.rmtree(os.path.dirname(place), ignore_errors=True)


def _copy(vault: Vault, root: str) -> None:
    # `scan` follows no link, and what is gone since was there no more.
    for path in dict.fromkeys((*paths_of(scan(vault.root)), *_BESIDE)):
        source, target = inside(vault.root, path), inside(root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with suppress(FileNotFoundError):
            shutil.copyfile(source, target, follow_symlinks=False)
