"""The journal of a transaction, so that a kill cannot halve it.

Invariant: the journal is written before the first file changes, and removed after the
commit. One that holds the new bytes of every file is synced. The next command that
takes the lock finishes what it says: a file that is still as it was gets its new bytes,
one that has them is left alone, and one that was edited since is left as it is and
named; when it was edited before the first file changed, nothing happens at all.

Where each file stands for itself, the journal is a note: it holds what is to be
committed, without the bytes, and is not synced. A power cut may damage a note, which
then says that nothing happened.
"""

from __future__ import annotations

import os

from memcli.entries import identity, layout
from memcli.errors import HistoryError, LockBusy, MemcliError, Unreadable, UnsafePath
from memcli.named_tuple import NamedTuple
from memcli.storage import files, state_dirs
from memcli.storage.lock import Lock
from memcli.storage.vault_paths import inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memcli.storage.git.merging import Move
    from memcli.storage.git.repository import Repository
    from memcli.storage.lock import Audience

_VERSION = 2
# How a note begins: what a power cut leaves of one can be told from another file.
_NOTE = f'{{"journal": {_VERSION}, "whole": false, '.encode()
# Stands for a folder, link or device, and for a file outside the vault.
_STRANGE = b"\0not a file\0"


class FileChange(NamedTuple):
    """The change of one file; None stands for no file."""

    before: bytes | None
    after: bytes | None


class Journal(NamedTuple):
    """A journal as it was read.

    `files` has, by path, the digest of the old bytes and what is to be there; None for
    no file. With `whole` that is the new text, without it the digest of the new bytes.
    `move` says to which commit the branch goes, instead of making one.
    """

    whole: bool
    files: dict[str, tuple[str | None, str | None]]
    message: str
    move: Move | None = None


class Recovered(NamedTuple):
    """The outcome of finishing: the paths to commit, those left alone, the message.

    When nothing was finished because of what was left alone, there are no paths.
    `move` is what becomes of the branch, instead of a commit.
    """

    paths: list[str]
    conflicts: list[str]
    message: str
    move: Move | None = None


def exists(root: str) -> bool:
    """Whether a command is changing files now, or was killed while it did."""
    return os.path.lexists(_path(root))


def write(
    root: str,
    changes: Mapping[str, FileChange],
    message: str,
    *,
    whole: bool,
    move: Move | None = None,
) -> None:
    """Note what is about to happen.

    Args:
        root: the vault's folder.
        changes: by path.
        message: of the commit.
        whole: whether to keep all new bytes, synced. Without it a kill leaves files
            that are each old or new; until the commit is made, only this note tells a
            killed command's staged file from a person's.
        move: what becomes of the branch, where no commit is to be made.

    Raises:
        WriteFailed: the disk refused.
    """
    import json

    written = _text if whole else _digest
    document = {
        "journal": _VERSION,
        "whole": whole,
        "message": message,
        "files": {
            path: {"before": _digest(change.before), "after": written(change.after)}
            for path, change in changes.items()
        },
        **({"move": list(move)} if move else {}),
    }
    data = json.dumps(document).encode()
    path = _path(root)
    if whole:
        try:
            files.write_atomic(path, data)
        except MemcliError:  # perhaps only its folder was not synced
            files.remove_quietly(path)
            raise
        return
    try:
        files.make_folder(os.path.dirname(path))
        files.write_derived(path, data)
    except OSError as error:
        raise files.write_failed(path, error) from error


def clear(root: str) -> None:
    """Remove the journal: everything has happened, or was put back."""
    path = _path(root)
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise files.write_failed(path, error) from error


def written(root: str, journal: Journal) -> list[str]:
    """The files that a killed command has changed: they hold what was to be there."""
    found = []
    for path, (before, after) in journal.files.items():
        wanted = _digest(_bytes(after)) if journal.whole else after
        if wanted != before and _digest(_current(root, path)) == wanted:
            found.append(path)
    return found


def is_old(journal: Journal, path: str, data: bytes | None) -> bool:
    """Whether a file held these bytes, or was absent, before the command."""
    return journal.files[path][0] == _digest(data)


def recover(root: str, step: Callable[[str], None]) -> Recovered:
    """Finish what the journal says; the caller holds the lock, commits and clears.

    Raises:
        Unreadable: memcli did not write this journal, or a later version did.
        WriteFailed: the disk refused; the journal stays, for the next try.
    """
    whole, entries, message, move = load(root)
    now = {path: _current(root, path) for path in entries}
    wanted = {
        path: _digest(_bytes(after)) if whole else after
        for path, (_, after) in entries.items()
    }
    done = [path for path in entries if _digest(now[path]) == wanted[path]]
    conflicts = [
        path
        for path, (before, _) in entries.items()
        if path not in done and _digest(now[path]) != before
    ]
    if not whole:
        return Recovered(done, conflicts if done else [], message)
    begun = [path for path in done if wanted[path] != entries[path][0]]
    if move and not entries:
        return Recovered([], [], message, move)
    if conflicts and not begun:
        return Recovered([], conflicts, message)
    for path, (_, after) in entries.items():
        if path in done or path in conflicts:
            continue
        data = _bytes(after)
        if data is None:
            files.remove(inside(root, path))
        else:
            place = inside(root, path)
            files.make_room(place)
            files.write_atomic(place, data)
        step("recovered")
    paths = [path for path in entries if path not in conflicts]
    return Recovered(paths, conflicts, message, move)


def load(root: str) -> Journal:
    """Read the journal; a damaged note is one without files.

    Raises:
        Unreadable: memcli did not write this journal, or a later version did.
    """
    import json

    from memcli.storage.git.merging import Move

    path = _path(root)
    data = files.read(path)
    if not data.strip(b"\0"):
        return Journal(False, {}, "")  # a power cut came before the bytes
    try:
        document = json.loads(data)
    except ValueError as error:
        if data.startswith(_NOTE) or _NOTE.startswith(data):
            return Journal(False, {}, "")
        raise _strange(root) from error
    try:
        if document["journal"] != _VERSION:
            raise _strange(root)
        journal = Journal(
            bool(document["whole"]),
            {
                path: (item["before"], item["after"])
                for path, item in document["files"].items()
            },
            str(document["message"]),
            Move(*map(str, document["move"])) if "move" in document else None,
        )
        for path, (_, after) in journal.files.items():
            _bytes(after)
            if journal.whole:
                inside(root, path)
    except (KeyError, ValueError, TypeError, AttributeError, UnsafePath) as error:
        raise _strange(root) from error
    return journal


def _current(root: str, path: str) -> bytes | None:
    """As `files.current`; a folder, or a link out of the vault, equals no text."""
    try:
        return files.current(inside(root, path))
    except MemcliError:
        return _STRANGE


def _path(root: str) -> str:
    return state_dirs.path(root, layout.JOURNAL)


def _strange(root: str) -> Unreadable:
    return Unreadable(
        f"{_path(root)} is not a journal that this memcli understands",
        hint="A killed command left it. See git status, then delete that file.",
    )


def _digest(data: bytes | None) -> str | None:
    return None if data is None else identity.sha256(data).hex()


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")


def keep_old(root: str, places: Iterable[str]) -> dict[str, str]:
    """Give these files a second name; returns it by path, where that was possible.

    Raises:
        WriteFailed: the disk is full, so that nothing else should be begun.
    """
    kept: dict[str, str] = {}
    drop_old(root)
    folder = state_dirs.path(root, layout.OLD)
    for number, place in enumerate(places):
        name = os.path.join(folder, str(number))
        try:
            if number == 0:
                os.makedirs(folder, exist_ok=True)
            if not os.path.islink(place):  # the link would be kept, not its file
                os.link(place, name)
                kept[place] = name
        except OSError as error:
            if error.errno in files.REFUSED:
                raise files.write_failed(place, error) from error
    return kept


def put_old_back(kept: Mapping[str, str], place: str, data: bytes) -> bool:
    """Let a file be the old one again, if that was kept and holds these bytes."""
    name = kept.get(place)
    try:
        if name is None or files.current(name) != data:
            return False
        os.replace(name, place)
    except (OSError, MemcliError):
        return False
    try:
        files.sync_folder(os.path.dirname(place))
    except OSError:
        pass  # the file is the old one, if the machine does not fail now
    return True


def drop_old(root: str) -> None:
    """Remove the second names, also those that a killed command has left."""
    import contextlib

    folder = state_dirs.path(root, layout.OLD)
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            files.remove_quietly(os.path.join(folder, name))


def finish_killed(
    root: str, environ: Mapping[str, str] | None, audience: Audience
) -> None:
    """Finish what a killed command left in the journal, unless a writer is at work.

    For readers: a problem is told, and the files are read as they are.
    """
    if not exists(root):
        return
    try:
        with Lock(lock_path(root), 0):
            if exists(root):
                # A lock that a dead git has left would cost every reader the wait.
                repository = open_repository(root, environ)
                finish(root, repository, audience, patience=0)
    except LockBusy:
        return  # its writer is alive, or a git holds a lock: the next command tries
    except MemcliError as error:
        told = f"a killed command cannot be finished: {error.message}"
        audience.tell_of_killed(told)


def finish(
    root: str,
    repository: Repository,
    audience: Audience,
    patience: float = 2.0,
) -> None:
    """Finish what the journal says. While files may be staged, the journal stays.

    Nothing but the journal tells what memcli has staged from what a person has.

    Raises:
        LockBusy: a git holds a lock: the files are right, and not committed.
    """
    from memcli.storage.git import commit as commits
    from memcli.storage.git import merging

    tell, fault = audience.tell_of_killed, audience.fault
    begun = load(root)
    if begun.move and _left_on_its_branch(root, repository, begun, tell):
        clear(root)
        fault("cleared")
        return
    done = recover(root, fault)
    drop_old(root)
    if done.paths or done.move:
        tell(f"finishing what a killed command began: {done.message}")
    elif done.conflicts:
        tell(f"what a killed command began has not happened: {done.message}")
    for path in done.conflicts:
        tell(f"  {path} was edited meanwhile and is left as it is")
    try:
        if done.move and merging.conclude(repository, done.move):
            clear(root)
            fault("cleared")
            return
        # A commit that is made twice is empty: first the index shows what is in HEAD.
        commits.unstage(repository, done.paths, patience=patience)
        commits.commit(repository, done.paths, done.message, patience=patience)
    except LockBusy as error:
        tell(f"  it is not committed yet: {error.message}")
        raise
    except HistoryError as error:
        # The files are right; `inspect` names them, `memcli doctor --fix` commits them.
        tell(f"  it is not committed: {error.message}")
        commits.unstage(repository, done.paths)
    if not repository.unsettled:
        clear(root)
    fault("cleared")


def _left_on_its_branch(
    root: str,
    repository: Repository,
    begun: Journal,
    tell: Callable[[str], None],
) -> bool:
    """Take back what was begun on a branch that is not the one of the folder now.

    A person has switched the branch after the kill. A file that was written already
    gets the bytes that it had; one that the new branch holds like that stays.

    Returns:
        Whether that was so; otherwise nothing was done.
    """
    from memcli.storage.git import tree

    move = begun.move
    here = repository.branch()
    if move is None or here == move.branch:
        return False
    drop_old(root)
    head = tree.of_commit(repository, "HEAD") if repository.commit_of("HEAD") else {}
    ours = tree.of_commit(repository, move.before)
    theirs = tree.of_commit(repository, move.after)
    changed = [
        path for path in written(root, begun) if head.get(path) != theirs.get(path)
    ]
    old = [ours[path].oid for path in changed if path in ours]
    blobs = dict(zip(old, tree.read_blobs(repository, old), strict=True))
    # What goes makes room for what comes back.
    for path in sorted(changed, key=lambda path: path in ours):
        data = blobs[ours[path].oid] if path in ours else None
        if not is_old(begun, path, data):
            continue  # the commit holds other bytes than the folder held
        place = inside(root, path)
        if data is None:
            files.remove(place)
        else:
            files.make_room(place)
            files.write_atomic(place, data)
    tell(
        f"a killed sync of the branch {move.branch} was not finished: this is "
        f"{here or 'a detached HEAD'}; memcli sync repeats it on {move.branch}"
    )
    return True


def lock_path(root: str) -> str:
    """The file of the right to write to a vault."""
    return state_dirs.path(root, layout.LOCK)


def open_repository(root: str, environ: Mapping[str, str] | None) -> Repository:
    """The repository of a vault; git is imported only here."""
    from memcli.storage.git.repository import Repository

    return Repository.open(root, environ=environ)
