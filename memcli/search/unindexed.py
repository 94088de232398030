"""What an index does not hold as it is now, for an answer that must not wait.

Invariant: a file that was made, removed, renamed or replaced since the last update is
known. One that was written in place is found when an answer rests on it (`is_current`),
or when its folder is listed; nothing else tells of it without a look at every file,
which takes as long as the rest of a save at 30,000 entries.
"""

from __future__ import annotations

import os
import stat

from memcli.entries import layout
from memcli.storage.listed_files import stats_of
from memcli.storage.listing import stamp_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.search.state import State


class Unindexed:
    """The files of a vault that its index knows wrongly, or not at all.

    Args:
        root: the vault's folder.
        state: what was indexed; None where the index has just been brought up to date.

    Attributes:
        changed: the paths of entries that are to be read from their files.
        removed: the paths of entries that are gone.

    Raises:
        Unreadable: the vault's folder cannot be listed.
    """

    def __init__(self, root: str, state: State | None = None) -> None:
        self.root = root
        self.changed: list[str] = []
        self.removed: list[str] = []
        self._listing = state and state.listing
        if state is not None:
            self.changed, self.removed, _ = state.differences_by_folders(root)

    def __len__(self) -> int:
        """How many files are known to differ."""
        return len(self.changed) + len(self.removed)

    def is_current(self, path: str) -> bool:
        """Whether the index holds this file as it is now.

        One that it does not hold so is among `changed` or `removed` from then on.
        """
        if path in self.changed or path in self.removed:
            return False
        if self._listing is None:
            return True
        try:
            status = os.lstat(os.path.join(self.root, *path.split("/")))
        except OSError:
            self.removed.append(path)
            return False
        part = self._listing.part(path.rpartition("/")[0])
        if (path, (stamp_of(status), status.st_size)) in stats_of(part):
            return True
        if stat.S_ISREG(status.st_mode) and layout.is_entry(path):
            self.changed.append(path)
        else:
            self.removed.append(path)
        return False
