"""A memcli in a process of its own, which outlives the one that starts it.

Invariant: it shares no input, output or terminal with its starter, and stands in no
folder of a vault, where a relative PYTHONPATH would find modules.
"""

from __future__ import annotations

import os
import sys

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
