"""Databases that kept a call waiting in vain, noted so that the next calls do not wait.

Invariant: a note is a hint. One that cannot be written or read, or is of another time,
counts as none, and the database is asked.
"""

from __future__ import annotations

import os

from memcli.errors import MemcliError, Unavailable
from memcli.named_tuple import NamedTuple
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

LONG = 1.0
"""Seconds: a question that failed sooner kept nobody waiting."""

_AGAIN = 60
"""Seconds until such a database is asked again."""

_LARGEST = 100  # bytes of a note: a time


class Silence(NamedTuple):
    """The note about one database.

    Attributes:
        folder: of this machine, for what belongs to the vault in the database.
        now_ms: the clock, in milliseconds since 1970.
    """

    folder: str
    now_ms: Callable[[], int]

    def note(self) -> None:
        """Note that a call has waited in vain."""
        try:
            files.make_folder(self.folder)
            files.write_derived(self._path, b"%d\n" % self.now_ms())
        except (OSError, MemcliError):
            pass

    def forget(self) -> None:
        """The database has answered."""
        files.remove_quietly(self._path)

    def refuse(self, where: str) -> None:
        """Refuse to ask a database that has just been silent.

        Args:
            where: the database, as it may be shown.

        Raises:
            Unavailable: it is not to be asked now.
        """
        try:
            noted = int(files.read(self._path, limit=_LARGEST))
        except (MemcliError, ValueError):
            return
        past = (self.now_ms() - noted) // 1000
        if 0 <= past < _AGAIN:
            raise Unavailable(
                f"{where} gave no answer in time {past} s ago; it is asked again in "
                f"{_AGAIN - past} s",
                hint="A command that names the vault (--vault NAME) asks it at once.",
            )

    @property
    def _path(self) -> str:
        return os.path.join(self.folder, "silent")
