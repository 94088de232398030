"""Changes of several files that happen together or not at all.

Invariant: the lock is taken, what the change depends on is read again, files are
written one by one, exactly those paths are committed, the lock is let go. When
anything fails before the commit, the old bytes are put back. A kill leaves a journal,
from which the next command, reading or writing, finishes the change. Text that no
commit holds is committed as it is before it is replaced or removed, unless the person
wants it gone. A secret that the vault did not hold is written by no command, unless the
person insists.
"""

from __future__ import annotations

import contextlib

from memcli.errors import Conflict, HistoryError, LockBusy, MemcliError, WriteFailed
from memcli.storage import files, journal, settings
from memcli.storage.journal import FileChange, carry_out
from memcli.storage.lock import Lock
from memcli.storage.vault_paths import all_inside, inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

    from memcli.entries.entry import Entry
    from memcli.storage.git.repository import Repository
    from memcli.storage.lock import Audience

    # An entry that a commit wrote: what was done, by whom, and what it is.
    Note = Mapping[str, str]

_UNREAD = b"\0unread"


class Transaction:
    """A context manager: inside the block the lock is held and nothing is written.

    At the end of the block everything is written and committed, then `commit` is the
    commit's id. An exception in the block writes nothing, and a kill leaves no part.

    Args:
        root: the vault's folder.
        environ: the environment of git.
        audience: who gets messages about it.
        wrote: called after the commit with what `note` was given; whether it was noted.

    Attributes:
        message: of the commit.
        commit: its id, once it is there.
        action: what is done to the entries, for `note`.
        allow_secret: whether text that looks like a secret may be written.
        dry_run: whether nothing is written at the end either.
    """

    def __init__(
        self,
        root: str,
        environ: Mapping[str, str] | None,
        audience: Audience,
        wrote: Callable[[list[Note]], bool],
    ) -> None:
        self.message = "memcli"
        self.action = "save"
        self.commit: str | None = None
        self.allow_secret = False
        self.dry_run = False
        self._carried: list[bytes] = []
        self._root = root
        self._environ = environ
        self._audience = audience
        self._wrote = wrote
        self._notes: list[Note] = []
        self._after: dict[str, bytes | None] = {}
        self._expected: dict[str, bytes | None] = {}
        self._included: list[str] = []
        self._given_up: set[str] = set()

    def put(
        self,
        path: str,
        data: bytes | None,
        *,
        expected: bytes | None = _UNREAD,
        keep: bool = True,
    ) -> None:
        """Write these bytes at this vault-relative path, at the end; or remove it.

        Args:
            path: the file.
            data: all of its new bytes; None for no file.
            expected: what it held when the change was decided, None for no file;
                when it holds something else by then, nothing happens: Conflict.
            keep: whether old text that no commit holds is committed first.
        """
        self._after[path] = data
        if expected is not _UNREAD:
            self._expected[path] = expected
        if not keep:
            self._given_up.add(path)

    def note(self, entry: Entry, action: str | None = None) -> None:
        """Log, once it is committed, that an entry was written."""
        self._notes.append(
            {
                "id": entry.id,
                "action": action or self.action,
                "writer": entry.source.writer or "manual",
                "kind": entry.kind,
                "type": str(entry.type),
            }
        )

    @property
    def committer(self) -> str | None:
        """The name under which git commits in this vault; None when it has none."""
        return self._repository.user_name()

    def carry(self, data: bytes) -> None:
        """Name bytes that the vault holds: no secret in them is new when it is put."""
        self._carried.append(data)

    def include(self, path: str) -> None:
        """Commit this file, too, as it is on disk, or its absence."""
        self._included.append(path)

    def pending(self, path: str) -> bytes | None:
        """The bytes that `put` was given for a path, None when it was not."""
        return self._after.get(path)

    def __enter__(self) -> Self:
        self._repository = open_repository(self._root, self._environ)
        self._lock = take_lock(self._root, self._repository, self._audience)
        return self

    def __exit__(self, _: object, error: object, _trace: object) -> None:
        try:
            if error is None and not self.dry_run and (self._after or self._included):
                self._commit()
        finally:
            self._lock.__exit__()

    def _commit(self) -> None:
        # What comes first is what a reader may see alone for a moment: new files
        # before old ones go, so that nothing is missing in between.
        paths = sorted(self._after, key=lambda path: self._after[path] is None)
        places = all_inside(self._root, paths)
        changes = {
            path: FileChange(files.current(places[path]), self._after[path])
            for path in paths
        }
        for path, expected in self._expected.items():
            if changes[path].before != expected:
                raise Conflict(
                    f"{path} was edited while it was being changed; "
                    "nothing was changed",
                    hint="Repeat the command: it starts from the edited file.",
                )
        if not self.allow_secret:
            from memcli.entries import no_secrets

            no_secrets.refuse_new(changes, self._carried, self.message)
        files.reached("locked")
        held = {path: change.before for path, change in changes.items()}
        # A new file, as of each save, replaces nothing.
        replaces = any(data is not None for data in held.values())
        if replaces and self._repository.unlike_head(held, staged=True):
            from memcli.storage.git import history

            # A text that a person has staged, and nothing else holds: a commit of the
            # file would take it out of git's index.
            for path in history.staged_alone(self._repository, paths):
                raise staged(self._root, path)
            self._commit_uncommitted(changes)
        for path in self._included:  # committed as they are
            data = files.standing(inside(self._root, path))
            changes.setdefault(path, FileChange(data, data))
        self.commit = carry_out(
            self._root, self._repository, changes, self.message, self._audience
        )
        if not self._wrote(self._notes):
            self._audience.tell(
                "this is committed, but missing from the log of signals"
            )

    def _commit_uncommitted(self, changes: Mapping[str, FileChange]) -> None:
        """Commit old bytes that no commit holds, since `undo` returns to the parent."""
        old = {
            path: change.before
            for path, change in changes.items()
            if change.before is not None and path not in self._given_up
        }
        lost = self._repository.unlike_head(old) if old else []
        if not lost:
            return
        if not self.allow_secret:
            from memcli.entries import no_secrets

            head = self._repository.files_at("HEAD", lost)
            no_secrets.refuse_new({p: (head[p], old[p]) for p in lost}, (), "")
        message = f"keep: {lost[0] if len(lost) == 1 else f'{len(lost)} files'}"
        same = {path: FileChange(old[path], old[path]) for path in lost}
        carry_out(self._root, self._repository, same, message, self._audience)
        if self._repository.unsettled:
            raise WriteFailed(
                f"git's index in {self._repository.git_dir} could not be written; "
                "nothing was changed",
                hint="Free some space; the next memcli command puts it right.",
            )
        files.reached("kept")


def staged(root: str, path: str) -> Conflict:
    """The error for a file of which git's index has a text of its own."""
    from shlex import quote

    restore = f"git -C {quote(root)} restore --staged -- {quote(path)}"
    return Conflict(
        f"{path} has another text in git's index than in the folder; "
        "nothing was changed",
        hint=f"Commit what you have staged, or give it up: {restore}",
        code="staged",
    )


def subject(verb: str, title: str) -> str:
    """The first line of a commit: what was done, to which entry.

    >>> subject("save", "We deploy on Tuesdays")
    'save: We deploy on Tuesdays'
    """
    return f"{verb}: {title if len(title) <= 60 else title[:59] + '…'}"


def take_lock(root: str, repository: Repository, audience: Audience) -> Lock:
    """Take the lock, and finish what a killed command left in the journal.

    The configured wait is read only when another process holds the lock.
    """
    lock = Lock(journal.lock_path(root), 0)
    try:
        lock.__enter__()
    except LockBusy:
        lock.timeout = settings.load(root).limits.lock_wait
        lock.__enter__()
    if journal.exists(root):
        try:
            finish(root, repository, audience)
        except BaseException:
            lock.__exit__()
            raise
    return lock


# --- after a kill -----------------------------------------------------------------


def finish_killed(
    root: str, environ: Mapping[str, str] | None, audience: Audience
) -> None:
    """Finish what a killed command left in the journal, unless a writer is at work.

    For readers: a problem is told, and the files are read as they are.
    """
    try:
        with Lock(journal.lock_path(root), 0):
            if journal.exists(root):
                # A lock that a dead git has left would cost every reader the wait.
                finish(root, open_repository(root, environ), audience, patience=0)
    except LockBusy:
        return  # its writer is alive, or a git holds a lock: the next command tries
    except MemcliError as error:
        told = f"a killed command cannot be finished: {error.message}"
        audience.tell_of_killed(told)


def finish(
    root: str, repository: Repository, audience: Audience, patience: float = 2.0
) -> None:
    """Finish what the journal says. While files may be staged, the journal stays.

    Nothing but the journal tells what memcli has staged from what a person has.

    Raises:
        LockBusy: a git holds a lock: the files are right, and not committed.
        Unreadable: memcli did not write this journal, or another version did.
        WriteFailed: the disk refused; the journal stays, for the next try.
    """
    from memcli.storage.git import commit as commits
    from memcli.storage.git import merging

    tell = audience.tell_of_killed
    begun = journal.load(root)
    move = begun.move
    if move and repository.branch() != move.branch:
        raise HistoryError(
            f"a killed sync of the branch {move.branch} is not finished, and this is "
            f"{repository.branch() or 'a detached HEAD'}",
            hint=f"Go back: git switch {move.branch}; the next command finishes it.",
        )
    is_made = move is not None and repository.commit_of("HEAD") == move.after
    paths, conflicts = journal.put_rest(root, begun, is_made=is_made)
    if paths or is_made or (move and not conflicts):
        tell(f"finishing what a killed command began: {begun.message}")
    elif conflicts:
        how = "is left to the next sync" if move else "has not happened"
        tell(f"what a killed command began {how}: {begun.message}")
        move = None
    for path in conflicts:
        tell(f"  {path} was edited meanwhile and is left as it is")
    try:
        if move:
            # The plain files are right already, but for those edited since.
            with contextlib.suppress(HistoryError):  # the branch is elsewhere
                merging.go(repository, move, {})
                journal.clear(root)
                files.reached("cleared")
                return
        # A commit that is made twice is empty: first the index shows what is in HEAD.
        commits.unstage(repository, paths, patience=patience)
        commits.commit(repository, paths, begun.message, patience=patience)
    except LockBusy as error:
        tell(f"  it is not committed yet: {error.message}")
        raise
    except HistoryError as error:
        # The files are right; `inspect` names them, `memcli doctor --fix` commits them.
        tell(f"  it is not committed: {error.message}")
        commits.unstage(repository, paths)
    if not repository.unsettled:
        journal.clear(root)
    files.reached("cleared")


def open_repository(root: str, environ: Mapping[str, str] | None) -> Repository:
    """The repository of a vault; git is imported only here."""
    from memcli.storage.git.repository import Repository

    return Repository.open(root, environ=environ)
