"""Carrying a change out: files written, journalled, committed, or all taken back.

Invariant: what is committed are the bytes that were meant, and they are on disk when
the change is reported as done. Before the commit is made, a failure puts the old bytes
back; after it, a failure is a warning, and the journal stays where work is left.
"""

from __future__ import annotations

import os
import zlib

from memcli.entries import layout
from memcli.errors import Conflict, MemcliError, WriteFailed
from memcli.storage import files, journal, state_dirs
from memcli.storage.journal import FileChange
from memcli.storage.vault_paths import all_inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memcli.storage.git.merging import Move
    from memcli.storage.git.repository import Repository
    from memcli.storage.lock import Audience

# So often a change is written again that another git has taken out of the folder.
_TRIES = 3


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
        self._made = False

    def carry_out(self, audience: Audience) -> None:
        """Write and commit.

        Raises:
            Conflict: a file holds what neither the vault had nor memcli wrote.
            WriteFailed, HistoryError, LockBusy: the disk or git refused.
        """
        fault, tell = audience.fault, audience.tell
        self._fault, self._tell, self._progress = fault, tell, audience.progress
        journal.write(self._root, self._everything, self._message, self._move)
        fault("journalled")
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
                self._clear_journal()  # else it holds what is left to write
            raise
        finally:
            if self._kept:
                journal.drop_old(self._root)
        if self._made and self._repository.is_detached():
            from shlex import quote

            tell(
                "warning: HEAD is detached: this commit belongs to no branch; "
                f"git -C {quote(self._root)} switch -c NAME makes one of it"
            )
        fault("committed")
        self._clear_journal()
        fault("cleared")

    def _write_and_commit(self) -> None:
        """Write, commit, and look whether both hold: a person's git may move files.

        A `git stash` between the write and the commit, or at any moment before the
        lock of git's index was taken, puts old bytes back: they are written again.

        Raises:
            Conflict: a file holds what neither the vault had nor memcli wrote.
        """
        from memcli.storage.git import commit as commits

        meant = {path: change.after for path, change in self._everything.items()}
        wrong = dict(self._changes)
        for _ in range(_TRIES):
            try:
                self._write(wrong)
            except WriteFailed as error:
                if self._made:
                    raise _not_written_again(error) from error
                raise
            self._fault("wrote")
            try:
                commit = self._commit(meant)
            except Conflict:
                wrong = self._strayed()
                continue
            self.commit = commit or self.commit
            if commit is not None and not self._repository.keeps(commit):
                wrong = self._strayed()
                continue
            self._made = True
            wrong = self._strayed()
            if not wrong:
                return
            if self._repository.unsettled:
                commits.unstage(self._repository, [*wrong])
        raise self._again_and_again(next(iter(wrong), "a file"))

    def _commit(self, meant: Mapping[str, bytes | None]) -> str | None:
        from memcli.storage.git import commit as commits

        if self._move is None:
            return commits.commit(
                self._repository, [*meant], self._message, meant=meant
            )
        from memcli.storage.git import merging

        merging.go(self._repository, self._move, meant)
        return self._move.after

    def _again_and_again(self, path: str) -> MemcliError:
        if self._made:  # perhaps without this file, by a `git commit` that missed it
            return WriteFailed(
                f"this is committed, but another program takes {path} away again "
                "and again",
                hint="The next memcli command writes it, when no other git works in "
                "this folder.",
            )
        return Conflict(
            f"{path} was changed by another program again and again while it was "
            "being changed; nothing was changed",
            hint="Repeat the command when no other git works in this folder.",
        )

    def _strayed(self) -> dict[str, FileChange]:
        """The files that are as before, or gone, and have to be written again.

        Raises:
            Conflict: a file holds something else, which HEAD does not hold.
        """
        wrong = {}
        for path, change in self._changes.items():
            now = files.standing(self._places[path])
            if now == change.after:
                continue
            if now in (None, change.before):
                wrong[path] = FileChange(now, change.after)
            elif not self._made or self._repository.unlike_head({path: now}):
                raise self._changed_by_another(path)
        return wrong

    def _changed_by_another(self, path: str) -> Conflict:
        if self._made:
            return Conflict(
                f"{path} was changed while it was committed: HEAD holds what memcli "
                "wrote, the file does not",
                hint=f"See git diff HEAD -- {path}; memcli doctor --fix commits it.",
            )
        return Conflict(
            f"{path} was edited while it was being changed; nothing was changed",
            hint="Repeat the command: it starts from the edited file.",
        )

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
            self._fault("removed")
        written = [
            (self._places[path], change.after)
            for path, change in changes.items()
            if change.after is not None
        ]
        for place, _ in written:
            files.make_room(place)
        if written:
            files.write_several(written, fault=self._fault, progress=self._progress)
        for path, change in changes.items():
            if change.after is None and path not in early:
                files.remove(self._places[path])
                self._fault("removed")


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


def _not_written_again(error: WriteFailed) -> WriteFailed:
    """The error where a committed file was taken away, and the disk is full."""
    reason = error.message.replace("; nothing was changed", "")
    return WriteFailed(
        f"this is committed, but another program took a file of it away: {reason}",
        hint="Free some space; the next memcli command writes it.",
    )
