"""git's index as it was, put back without space on the disk.

Invariant: the index is only replaced while it is the file that memcli's own change has
made, and under git's lock. What another git wrote since then stays.
"""

from __future__ import annotations

import contextlib
import os


class IndexBackup:
    """A second name of the index. git replaces the index by another file, so the old
    one stays under that name and takes no more space.

    Args:
        git_dir: the repository's git folder, absolute. When this process is killed, the
            next `IndexLock` removes the second name.
    """

    def __init__(self, git_dir: str) -> None:
        self._index = os.path.join(git_dir, "index")
        self._kept = os.path.join(git_dir, f"memcli-index-{os.getpid()}-old")
        self._changed: os.stat_result | None = None
        self.drop()
        with contextlib.suppress(OSError):
            os.link(self._index, self._kept)

    def note_change(self) -> None:
        """Note that the index is now the file with the change to be undone."""
        with contextlib.suppress(OSError):
            self._changed = os.stat(self._index)

    def put_back(self) -> bool:
        """Undo the change; False where another git has written the index since then.

        The lock is the old index under a third name: that takes no space, either.
        """
        lock = self._index + ".lock"
        try:
            os.link(self._kept, lock)
        except OSError:
            return False
        try:
            if self._is_unchanged():
                os.replace(lock, self._index)
                return True
        except OSError:
            pass
        with contextlib.suppress(OSError):
            os.unlink(lock)
        return False

    def _is_unchanged(self) -> bool:
        now, then = os.stat(self._index), self._changed
        return (
            then is not None
            and os.path.samestat(now, then)
            and (now.st_mtime_ns, now.st_size) == (then.st_mtime_ns, then.st_size)
        )

    def drop(self) -> None:
        """Remove the second name."""
        with contextlib.suppress(OSError):
            os.unlink(self._kept)
