"""Bringing an index up to date: changed files become documents in its segments.

Invariant: the caller holds the index's lock. An update knows of no agent: each agent's
command leaves the same index of the whole vault. It ends by storing the state, so a
process that dies before leaves the index as it was. Loaded only when files of the
vault have changed.
"""

from __future__ import annotations

import errno
import os

from memcli.named_tuple import NamedTuple
from memcli.search import state as states
from memcli.search import triggers, writer
from memcli.search.segment_file import Damaged
from memcli.search.segments import Segments
from memcli.search.state import State, UpdateCounts
from memcli.search.trigger_table import NAME as TRIGGERS
from memcli.storage import settings
from memcli.storage.listed_files import ListedFiles

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memcli.search.batch import Batch
    from memcli.storage.listing import Listing


class Updated(NamedTuple):
    """The index after an update, and what the update did."""

    state: State
    counts: UpdateCounts


class Updater(NamedTuple):
    """What updates of one index have in common.

    Attributes:
        root: the vault's folder.
        folder: the index's.
        version: what the index depends on besides the vault's files.
        processes: how many may read files at once when there are thousands.
        tell: takes a sentence for the person who waits.
        progress: called with (files done, files to do).
    """

    root: str
    folder: str
    version: tuple[int, ...]
    processes: int
    tell: Callable[[str], None]
    progress: Callable[[int, int], None]

    def update(
        self, listing: Listing, scanned: int, state: State | None, reason: str = ""
    ) -> Updated:
        """Index the files that changed; all of them when there is no usable state.

        Args:
            listing: the vault's files.
            scanned: when they were listed, epoch ns.
            state: what was indexed.
            reason: why it is None, when that is known.

        Raises:
            WriteFailed: the disk refuses the files of the index.
        """
        if state is not None:
            try:
                return self._follow(listing, scanned, state)
            except Damaged as error:
                reason = f"it is damaged ({error})"
        return self._rebuild(listing, scanned, reason)

    def _rebuild(self, listing: Listing, scanned: int, reason: str) -> Updated:
        import shutil

        if os.path.isdir(self.folder):
            if not reason:
                reason = "memcli or the vault's config changed, or it was incomplete"
            self.tell(f"rebuilding the index: {reason}")
        try:
            if os.path.islink(self.folder) or os.path.isfile(self.folder):
                os.unlink(self.folder)
            shutil.rmtree(self.folder, ignore_errors=True)
            os.makedirs(self.folder, exist_ok=True)
        except OSError as error:
            raise writer.unwritable(self.folder, error) from error
        empty = State(self.version, (), ListedFiles(), {}, {}, {}, {})
        updated = self._follow(listing, scanned, empty, fresh=True)
        return updated._replace(counts=updated.counts._replace(rebuilt=reason))

    def _follow(
        self, listing: Listing, scanned: int, state: State, *, fresh: bool = False
    ) -> Updated:
        """Index how the files differ from those of a state, and store the new state."""
        changed, removed, recent = state.differences(self.root, listing)
        if not (changed or removed or fresh):
            # Only folders were listed in another order, or racy files have aged.
            state = state._replace(
                listing=ListedFiles.of(listing.folders),
                recent=recent,
                places=states.places_of(listing.entered, scanned),
            )
            self._store(state)
            return Updated(state, UpdateCounts())
        touched = {*changed, *removed}
        gone = self._numbers(state, touched)
        following = triggers.Following(
            self.folder,
            None if fresh else touched,
            lambda: settings.load(self.root).actions,
        )
        broken = {p: why for p, why in state.broken.items() if p not in touched}
        batches = self._batches(changed, broken, recent, following)
        try:
            segments = writer.update(self.folder, state.segments, gone, batches)
        except OSError as error:
            if fresh or error.errno in (errno.ENOSPC, errno.EROFS, errno.EACCES):
                raise writer.unwritable(self.folder, error) from error
            raise Damaged(f"{type(error).__name__}: {error}") from error
        new_state = state._replace(
            segments=segments,
            listing=ListedFiles.of(listing.folders),
            recent=recent,
            broken=broken,
            stamps=states.stamps(self.folder, segments),
            places=states.places_of(listing.entered, scanned),
        )
        self._store(new_state)
        # Not before: writing what was read takes a tenth of the time.
        self.progress(len(changed), len(changed))
        following.store(triggers.stamps(self.root, listing.entered, scanned))
        writer.sweep(self.folder, segments, (states.NAME, TRIGGERS))
        known = len(state.held(changed))
        counts = UpdateCounts(len(changed) - known, known, len(removed))
        return Updated(new_state, counts)

    def _store(self, state: State) -> None:
        try:
            states.store(os.path.join(self.folder, states.NAME), state)
        except OSError as error:
            raise writer.unwritable(self.folder, error) from error

    def _numbers(self, state: State, paths: set[str]) -> list[int]:
        """The documents of these paths, those that an agent may not see included."""
        if not state.segments:
            return []
        try:
            segments = Segments(self.folder, state.segments)
            docs = [doc for path in paths for doc in segments.exact("path", path)]
            segments.close()
        except Exception as error:
            raise Damaged(f"{type(error).__name__}: {error}") from error
        return docs

    def _batches(
        self,
        paths: Sequence[str],
        broken: dict[str, tuple[int, str]],
        recent: dict[str, int],
        following: triggers.Following,
    ) -> Iterator[Batch]:
        """The documents of these files; adds what else they hold to the rest."""
        from memcli.search.reading_processes import found_in

        done = 0
        self.progress(done, len(paths))
        for batch in found_in(self.root, paths, self.processes):
            done += batch.files
            # Of the last files it is told when they are written.
            if done < len(paths):
                self.progress(done, len(paths))
            recent |= batch.recent
            broken |= batch.broken
            following.add(batch.told)
            yield batch
