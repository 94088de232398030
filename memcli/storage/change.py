"""Carrying a change out: files written, journalled, committed, or all taken back.

Invariant: what is committed are the bytes that were meant, and they are on disk when
the change is reported as done, or the journal stays for the next command. Before the
commit is made, a failure puts the old bytes back; after it, a failure is a warning.
"""

from __future__ import annotations

import os
import zlib

from memcli.entries import layout
from memcli.errors import Conflict, MemcliError, WriteFailed
from memcli.storage import files, journal, state_dirs
from memcli.storage.vault_paths import all_inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memcli.storage.git.merging import Move
    from memcli.storage.git.repository import Repository
    from memcli.storage.journal import FileChange
    from memcli.storage.lock import Audience


class Change:
    """A change of some files; the caller holds the vault's lock.

    Args:
        root: the vault's folder.
        repository: where it is committed.
        changes: by path.
        unchanged: files that are committed as they are, too.
        message: of the commit.
        move: what becomes of the branch, where the repository goes to a commit that
            exists.

    Attributes:
        commit: its id, once it is there.
    """

    def __init__(
        self,
        root: str,
        repository: Repository,
        changes: Mapping[str, FileChange],
        unchanged: Mapping[str, FileChange],
        message: str,
        move: Move | None = None,
    ) -> None:
        self.commit: str | None = None
        self._move = move
        self._root = root
        self._repository = repository
        self._changes = changes
        self._everything = {**unchanged, **changes}
        self._message = message
        self._places = all_inside(root, changes)
        self._made, self._is_done = False, True

    def carry_out(self, audience: Audience) -> None:
        """Write and commit.

        Raises:
            Conflict: a file holds what neither the vault had nor memcli wrote.
            WriteFailed, HistoryError, LockBusy: the disk or git refused.
        """
        self._tell = audience.tell
        journal.write(self._root, self._everything, self._message, self._move)
        files.reached("journalled")
        old = [
            self._places[p] for p, c in self._changes.items() if c.before is not None
        ]
        self._kept: dict[str, str] = {}
        try:
            if old:
                self._kept = journal.keep_old(self._root, old)
            self._write_and_commit()
        except BaseException as error:
            if not self._made:
                self._take_back(error)
            elif isinstance(error, Conflict):
                self._clear_journal()
            raise
        finally:
            if self._kept:
                journal.drop_old(self._root)
        if self._made and self._repository.is_detached():
            from shlex import quote

            self._tell(
                "warning: HEAD is detached: this commit belongs to no branch; "
                f"git -C {quote(self._root)} switch -c NAME makes one of it"
            )
        files.reached("committed")
        self._clear_journal()
        files.reached("cleared")

    def _write_and_commit(self) -> None:
        """Write, commit, and look whether both hold: a person's git may move files.

        What a `git stash` has taken away after the commit is written again by the next
        command: the journal stays.

        Raises:
            Conflict: a file holds what neither the vault had nor memcli wrote.
        """
        self._write(self._changes)
        files.reached("wrote")
        self.commit = self._commit(
            {path: change.after for path, change in self._everything.items()}
        )
        self._made = True
        is_kept = self.commit is None or self._repository.keeps(self.commit)
        strayed = self._strayed()
        if strayed or not is_kept:
            self._is_done = False
            self._tell(
                f"this is committed, but another git took {strayed or 'the commit'} "
                "away; the next memcli command brings it back"
            )

    def _commit(self, meant: Mapping[str, bytes | None]) -> str | None:
        from memcli.storage.git import commit as commits

        if self._move is None:
            return commits.commit(
                self._repository, [*meant], self._message, meant=meant
            )
        from memcli.storage.git import merging

        merging.go(self._repository, self._move, meant)
        return self._move.after

    def _strayed(self) -> str:
        """The first file that is as before, or gone, after the commit; else empty.

        Raises:
            Conflict: a file holds something else, which HEAD does not hold.
        """
        strayed = ""
        for path, change in self._changes.items():
            now = files.standing(self._places[path])
            if now == change.after:
                continue
            if now in (None, change.before):
                strayed = strayed or path
            elif self._repository.unlike_head({path: now}):
                raise Conflict(
                    f"{path} was changed while it was committed: HEAD holds what "
                    "memcli wrote, the file does not",
                    hint=f"See git diff HEAD -- {path}; memcli doctor --fix commits "
                    "it.",
                )
        return strayed

    def _take_back(self, error: BaseException) -> None:
        """Put the old bytes back; the journal stays while anything is left to do.

        Raises:
            WriteFailed: the disk refuses the old bytes as well.
        """
        stuck = self._restore()
        if not stuck:
            journal.clear(self._root)
        elif isinstance(error, MemcliError):
            message = error.message.replace("; nothing was changed", "")
            raise WriteFailed(
                f"{message}; and the old text of {', '.join(stuck)} could not be put "
                "back",
                hint="Free some space; the next memcli command finishes the change.",
            ) from error

    def _clear_journal(self) -> None:
        """Remove the journal of what is committed; a warning where that fails."""
        if not self._is_done:
            return
        if self._repository.unsettled:
            self._tell(
                "this is committed, but git's index could not be written; "
                "the next memcli command does that"
            )
            return
        try:
            journal.clear(self._root)
        except MemcliError as error:
            reason = error.message.replace("; nothing was changed", "")
            self._tell(f"this is committed, but its journal is still there: {reason}")

    def _restore(self) -> list[str]:
        """Put old bytes back; return the paths of the files where that failed.

        What a person has written meanwhile (git's hooks may take long) is put aside.
        """
        stuck = []
        # In the other order: a file may have taken the place of a folder.
        for path, change in reversed(list(self._changes.items())):
            try:
                now = files.standing(self._places[path])
                if now not in (None, *change):
                    self._tell(f"{path} was edited meanwhile: {self._aside(path, now)}")
                if change.before is None:
                    files.remove(self._places[path])
                elif now != change.before:
                    place = self._places[path]
                    files.make_room(place)
                    if not journal.put_old_back(self._kept, place, change.before):
                        files.write_atomic(place, change.before)
            except MemcliError:
                if not self._is_old(path):  # else only the folder was not synced
                    stuck.append(path)
        return stuck

    def _is_old(self, path: str) -> bool:
        try:
            return files.standing(self._places[path]) == self._changes[path].before
        except MemcliError:
            return False

    def _aside(self, path: str, data: bytes) -> str:
        """Store these bytes beside the vault's state; return the path."""
        name = f"{zlib.crc32(data):08x}-{path.rpartition('/')[2]}"
        place = os.path.join(state_dirs.path(self._root, layout.ASIDE), name)
        files.write_atomic(place, data)
        return place

    def _write(self, changes: Mapping[str, FileChange]) -> None:
        early = _making_room(changes)
        for path in early:
            files.remove(self._places[path])
            files.reached("removed")
        written = [
            (self._places[path], change.after)
            for path, change in changes.items()
            if change.after is not None
        ]
        for place, _ in written:
            files.make_room(place)
        if written:
            files.write_several(written)
        for path, change in changes.items():
            if change.after is None and path not in early:
                files.remove(self._places[path])
                files.reached("removed")


def _making_room(changes: Mapping[str, FileChange]) -> list[str]:
    """The files that go before others are written: at whose place a folder comes, that
    lie where a file comes, or whose name differs from a new one in case alone."""
    gone = [path for path, change in changes.items() if change.after is None]
    if not gone:
        return []
    written = {path for path, change in changes.items() if change.after is not None}
    folders = {parent for path in written for parent in parents(path)}
    names = {path.casefold() for path in written}
    return [
        path
        for path in gone
        if path in folders
        or path.casefold() in names
        or not written.isdisjoint(parents(path))
    ]


def parents(path: str) -> list[str]:
    """The folders above a path, without the vault's own."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: length + 1]) for length in range(len(parts))]
