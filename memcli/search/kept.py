"""Indexes that stay open from one call of a process to the next.

Invariant: one call at a time has an index, and what a call is answered does not depend
on who had it before; an index is for one vault, one agent and one person who waits.
"""

from __future__ import annotations

import contextlib
import threading

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memcli.entries.eligibility import Agent
    from memcli.search.index import Index

_MOST = 8
"""So many indexes wait for the next call; each holds a few open files."""


class Wanted(NamedTuple):
    """Whose index, for whom: the vault's folder, the agent, and who is told."""

    root: str
    agent: Agent | None
    tell: Callable[[str], None]


class KeptIndexes:
    """The indexes of a process that stays, for calls that may run at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[tuple[Wanted, Index]] = []

    @contextlib.contextmanager
    def lent(self) -> Iterator[Lent]:
        """For one call: what gives it indexes, which come back at its end."""
        lent = Lent(self._take)
        try:
            yield lent
        finally:
            for wanted, index in lent.given:
                index.rest()
                self._keep(wanted, index)

    def close(self) -> None:
        """Let go of the indexes that wait."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for _, index in waiting:
            index.close()

    def _take(self, wanted: Wanted) -> Index | None:
        with self._lock:
            for place, (kept, index) in enumerate(self._waiting):
                if kept == wanted:
                    del self._waiting[place]
                    return index
        return None

    def _keep(self, wanted: Wanted, index: Index) -> None:
        with self._lock:
            self._waiting.insert(0, (wanted, index))
            last = self._waiting.pop() if len(self._waiting) > _MOST else None
        if last is not None:
            last[1].close()


class Lent:
    """The indexes of one call.

    Attributes:
        given: those that it was given, each with what was asked for.
    """

    def __init__(self, take: Callable[[Wanted], Index | None]) -> None:
        self._take = take
        self.given: list[tuple[Wanted, Index]] = []

    def index(self, wanted: Wanted, made: Callable[[], Index]) -> Index:
        """The index that is wanted, which was kept or is made now."""
        index = self._take(wanted) or made()
        self.given.append((wanted, index))
        return index
