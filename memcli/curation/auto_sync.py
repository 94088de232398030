"""A sync that memcli starts by itself: in its turn, quietly, once for a row of writes.

Invariant: at most one sync of a vault works and one waits. The one that waits begins
after the other has ended, so it also sends what was written before it began.
"""

from __future__ import annotations

import os
import sys
import time

from memcli.curation import sync
from memcli.entries import layout
from memcli.errors import LockBusy, MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import state_dirs
from memcli.storage.lock import Lock

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memcli.vault.vault import Vault

# Seconds in which further writes join the sync that the first one has started.
_GATHERED = 1.0
# Seconds that a sync may wait for the one that works.
_PATIENCE = 600.0


class Done(NamedTuple):
    """How it ended: `outcome` is synced, waiting (another sync sends it as well) or the
    code of an error; `line` says it in words."""

    vault: str
    outcome: str
    line: str

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return self._asdict()


def run(vault: Vault, sleep: Callable[[float], None] = time.sleep) -> Done:
    """Sync a vault by itself; an error is noted for `memcli doctor`, and returned."""
    vault.starts_sync = False
    path = state_dirs.path(vault.root, layout.SYNC_LOCK)
    try:
        with Lock(path + ".waiting", 0):
            sleep(_GATHERED)
            turn = Lock(path, _PATIENCE).__enter__()
    except LockBusy:
        line = "another sync waits already, and will send this as well"
        return Done(vault.named, "waiting", line)
    except MemcliError as error:
        return Done(vault.named, error.error_code, error.message)
    try:
        done = sync.in_turn(vault, sync.Terms(), dry_run=False, sleep=sleep)
    except MemcliError as error:
        return Done(vault.named, error.error_code, error.message)
    finally:
        turn.__exit__(None, None, None)
    return Done(vault.named, "synced", done.line)


def be_nice() -> None:
    """Let other processes come first."""
    if sys.platform != "win32":
        os.nice(10)
