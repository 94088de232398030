"""The index: follows the files, answers questions about them, can be deleted.

Invariant: no writer tells the index about a change. `Index.read` compares the files
with those that were indexed, by (time, size, content), brings the index up to date and
only then answers; so a save, an edit by hand, a `git pull`, a crash and a deleted file
are one case. Everything in its folder is derived, carries a version, and is rebuilt
when it is older, damaged or gone.
"""

from __future__ import annotations

import os
import time

from memcli.entries import layout
from memcli.entries.entry import KINDS
from memcli.entries.text.tokens import ANALYSIS_VERSION
from memcli.errors import LockBusy, MemcliError, WriteFailed
from memcli.search import state as states
from memcli.search.reader import Reader
from memcli.search.segment_file import FORMAT, Damaged
from memcli.search.segments import Segments
from memcli.search.state import Behind, Differences, State, UpdateCounts
from memcli.storage import state_dirs
from memcli.storage.listing import scan
from memcli.storage.lock import Lock

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from memcli.entries.eligibility import Agent
    from memcli.search.resolved_claims import ResolvedClaims
    from memcli.search.trigger_table import Actions
    from memcli.search.triggers import Told
    from memcli.search.unindexed import Unindexed
    from memcli.storage.listing import Listing

    _Answer = TypeVar("_Answer")

# Raised when `document.py` changes what it gives for the same entry, or `stored_row.py`
# its fields; tests/search/test_row_version.py fails where that is forgotten.
ROW_VERSION = 27

# So many changed files are read faster one by one than indexed.
_FEW = 64

_PATIENCE = 10.0  # seconds to wait for another process that indexes


class Index:
    """The index of one vault.

    Args:
        root: the vault's folder.
        tell: takes a sentence for the person who waits (rebuilds and their reason).
        progress: called with (files done, files to do) while many are read.
        agent: who asks, when it is not the owner.
        processes: how many may read files at once when there are thousands.

    Attributes:
        patience: seconds to wait for another process that indexes.
        elsewhere: gives what is resolved in another vault and counts here as well.
        change: what the last update did.
        stale: whether the last reader shows an older state, since another process kept
            the index locked.
        unreadable: the folders that could not be listed.
        symlinks: the links to folders and `*.md` files, which are not followed.
    """

    def __init__(
        self,
        root: str,
        *,
        tell: Callable[[str], None] | None = None,
        progress: Callable[[int, int], None] | None = None,
        agent: Agent | None = None,
        processes: int = 1,
    ) -> None:
        self.root = root
        self.elsewhere: Callable[[], ResolvedClaims | None] = lambda: None
        self._agent = agent
        self._processes = processes
        self.patience = _PATIENCE
        self.change = UpdateCounts()
        self.stale = False
        self.unreadable: list[str] = []
        self._folder = state_dirs.path(root, layout.INDEX)
        self._lock = state_dirs.path(root, layout.INDEX_LOCK)
        self._tell = tell or (lambda _: None)
        self._progress = progress or (lambda _done, _all: None)
        self._reader: Reader | None = None
        self._state: State | None = None
        self._scanned = 0
        self.symlinks: list[str] = []
        self._entered: dict[str, int] = {}

    def read(self, answer: Callable[[Reader], _Answer]) -> _Answer:
        """Bring the index up to date, then return `answer(reader)`.

        When `answer` fails because of the index (a file vanished under it, or is
        damaged), it is called again with a fresh reader; it must therefore have no
        effects. What fails for another reason is raised.
        """
        return self._answered(answer, self.current)

    def again(self, answer: Callable[[Reader], _Answer]) -> _Answer:
        """As `read`, over the files as the last `read` found them, if there was one."""
        return self._answered(answer, lambda: self._reader or self.current())

    def _answered(
        self, answer: Callable[[Reader], _Answer], reader: Callable[[], Reader]
    ) -> _Answer:
        try:
            return answer(reader())
        except Exception as error:
            if isinstance(error, MemcliError) or not self.mend(error):
                raise
        return answer(self.current())

    def told(
        self, found: Actions | None = None, *, enabled: bool = True
    ) -> list[Told] | None:
        """What the entries are told at, of the files as the last reader found them.

        None when no table was written yet and the reader is not the index's own.
        The table in the index's folder is brought up to date on the way.

        Args:
            found: what a tool is about to do; what does not touch it is left out.
            enabled: whether the vault's settings let sessions be told.
        """
        from memcli.search import triggers

        if self._reader is None or self._state is None:
            return triggers.load(self._folder, found)
        segments = self._state.segments
        if not self.stale:
            stamps = triggers.stamps(self.root, self._entered, self._scanned)
            triggers.settle(self._folder, segments, self.root, stamps, enabled=enabled)
        told = triggers.load(self._folder, found)
        if told is None:
            told = triggers.of_segments(self._folder, segments, self.root)
        return told

    def mend(self, error: Exception) -> bool:
        """Mend the index, and say whether the answer that failed may succeed now.

        Damage shows as any exception, and so does a bug: the index itself, read from
        beginning to end, tells which it was.
        """
        self._close()
        damage = self._damage()
        if not damage:
            return isinstance(error, (Damaged, OSError))
        with Lock(self._lock, self.patience):
            why = f"it is damaged ({damage})"
            self._update(self._scan(None), None, why)
        return True

    def _damage(self) -> str:
        """What is wrong with the files of the index; empty when nothing is."""
        state = self._load()
        try:
            if state is not None:
                state.check()
                self._open(state).check()
        except Exception as error:  # noqa: BLE001 nothing but the index is read here
            return f"{type(error).__name__}: {error}"
        return ""

    def glance(self, answer: Callable[[Reader, Unindexed], _Answer]) -> _Answer:
        """As `read`, but `answer` is told what the index, as it is, knows wrongly.

        When that is much, or anything is off, the index is brought up to date first.
        """
        from memcli.search.unindexed import Unindexed

        def look(state: State) -> _Answer:
            unindexed = Unindexed(self.root, state)
            if len(unindexed) + len(state.recent) > _FEW:
                raise Behind
            return self._of_state(state, lambda reader: answer(reader, unindexed))

        try:
            return self._as_usable(look)
        except Behind:
            return self.read(lambda reader: answer(reader, Unindexed(self.root)))

    def at_once(
        self,
        answer: Callable[[Reader, list[str], list[str]], _Answer],
        *,
        as_it_was: bool = False,
    ) -> _Answer:
        """Return `answer(reader, changed, removed)`: what the reader knows wrongly.

        Nothing is indexed, and no lock is waited for.

        Args:
            answer: is called once.
            as_it_was: look at no file of the vault, for what is only a proposal.

        Raises:
            Behind: the index must be built first, or be brought far up to date.
        """

        def look(state: State) -> _Answer:
            changed, removed, _ = Differences([], [], {})
            if not as_it_was:
                changed, removed, _ = state.differences(self.root, self._scan(state))
            if len(changed) + len(removed) > _FEW:
                raise Behind
            if not (changed or removed or as_it_was):
                state = self._settled(state)
            return self._of_state(state, lambda it: answer(it, changed, removed))

        return self._as_usable(look)

    def _as_usable(self, answer: Callable[[State], _Answer]) -> _Answer:
        """The answer from the state of the last update.

        Raises:
            Behind: there is none, or the index is damaged, which `read` mends.
        """
        state = self._load()
        if state is None or not state.is_whole(self._folder):
            raise Behind
        try:
            return answer(state)
        except Exception as error:
            known = isinstance(error, (MemcliError, Behind))
            if not known and (isinstance(error, (Damaged, OSError)) or self._damage()):
                raise Behind from error
            raise

    def _of_state(self, state: State, answer: Callable[[Reader], _Answer]) -> _Answer:
        """The answer of a reader of its own."""
        reader = self._open(state)
        result = answer(reader)
        reader.close()
        return result

    def _close(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = self._state = None  # which keeps its file open, too

    def _open(self, state: State) -> Reader:
        segments = Segments(self._folder, state.segments)
        reader = Reader(segments, state.broken, self._agent, self.root)
        reader.count_resolved(self.elsewhere())
        return reader

    def _scan(self, state: State | None) -> Listing:
        """The vault's files; a folder that cannot be listed is as it was.

        Another program took one permission error for the deletion of every note.
        """
        self._scanned = time.time_ns()
        listing = scan(self.root)
        if listing.symlinks != self.symlinks:
            self._tell_links(listing.symlinks)
        self._entered, self.symlinks = listing.entered, listing.symlinks
        self.unreadable = sorted(listing.unreadable)
        for lost in listing.unreadable:
            listing.folders.update(state.listing.below(lost) if state else {})
        return listing

    def _tell_links(self, links: list[str]) -> None:
        """Say which folders of the vault are not read, since a link stands there."""
        for path in links:
            if layout.is_own_folder(path, KINDS) and not layout.is_odd(path):
                what = "a symbolic link, which memcli does not follow"
                self._tell(f"{path} is {what}; see: memcli repair")

    def current(self) -> Reader:
        """A reader of the files as they are now; it lasts until the next is asked for.

        What it reads may turn out to be damaged: then `mend` is to be called.
        """
        self.stale = False
        state = self._state if self._reader else self._load()
        listing = self._scan(state)
        if self._reader is not None:
            same = state is not None and state.version == self._version()
            if state and same and state.describes(self.root, listing):
                self._state = self._settled(state)
                self._reader.count_resolved(self.elsewhere())
                return self._reader
            self._close()
            state = self._load()
        as_then = state is not None and state.describes(self.root, listing)
        if state and as_then and state.is_whole(self._folder):
            state = self._settled(state)
        else:
            state = self._catch_up(listing, state)
        self._reader, self._state = self._open(state), state
        return self._reader

    def _catch_up(self, listing: Listing, state: State | None) -> State:
        try:
            with Lock(self._lock, self.patience):
                # The process that held the lock before may have done the work, for
                # files that were written after this listing.
                before, state = state, self._load()
                if state != before:
                    listing = self._scan(state)
                reason = ""
                if state is not None and not state.is_whole(self._folder):
                    state, reason = None, "it is damaged (files changed or missing)"
                    listing = self._scan(None)
                if state is not None and state.describes(self.root, listing):
                    return state
                return self._update(listing, state, reason)
        except LockBusy:
            if state is None or not state.is_whole(self._folder):
                raise
            self.stale = True
            return state

    def _update(self, listing: Listing, state: State | None, reason: str) -> State:
        """Index what changed; without a state, everything. The lock is held."""
        from memcli.search.updating import Updater

        updater = Updater(
            self.root,
            self._folder,
            self._version(),
            self._processes,
            self._tell,
            self._progress,
        )
        updated = updater.update(listing, self._scanned, state, reason)
        self.change = updated.counts
        return updated.state

    def _version(self) -> tuple[int, ...]:
        """What an index depends on besides the files that it follows."""
        try:
            status = os.stat(os.path.join(self.root, *layout.CONFIG.split("/")))
            config = (status.st_mtime_ns, status.st_size)
        except OSError:
            config = (0, 0)
        return (FORMAT, ANALYSIS_VERSION, ROW_VERSION, *config)

    def _load(self) -> State | None:
        state = states.load(os.path.join(self._folder, states.NAME))
        return state if state and state.version == self._version() else None

    def _settled(self, state: State) -> State:
        """Note that files and folders are racy no more, after a look at all."""
        settled = state.settled(self._entered, self._scanned)
        if settled == state:
            return state
        try:
            with Lock(self._lock, 0):
                if self._load() == state:
                    states.store(os.path.join(self._folder, states.NAME), settled)
        except (LockBusy, WriteFailed, OSError):
            pass  # another process writes a newer state, or the disk takes none
        return settled
