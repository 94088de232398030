"""The journal of a change, so that a kill cannot halve it.

Invariant: the journal is written before the first file changes, and removed after the
commit. It holds the new bytes of every file. The next command that takes the lock
finishes what it says: a file that is still as it was gets its new bytes, one that has
them is left alone, and one that was edited since is left as it is and named; when it
was edited before the first file changed, nothing happens at all.

A journal of several files, or of one that goes, is synced. One of a single new text is
not, since its file is old or new by itself: a power cut may damage that journal, which
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
    from collections.abc import Iterable, Mapping

    from memcli.storage.git.merging import Move
    from memcli.storage.git.repository import Repository
    from memcli.storage.lock import Audience

_VERSION = 3
# How one begins that is not synced: what a power cut leaves of it can be told from
# another file.
_UNSYNCED = f'{{"journal": {_VERSION}, "synced": false, '.encode()
_LARGEST = 4_000_000_000  # bytes of a journal
# Stands for a folder, link or device in the place of a file.
_STRANGE = b"\0not a file\0"


class FileChange(NamedTuple):
    """The change of one file; None stands for no file."""

    before: bytes | None
    after: bytes | None


class Journal(NamedTuple):
    """A journal as it was read.

    `files` has, by path, the digest of the old bytes and the new bytes; None for no
    file. `move` says to which commit the branch goes, instead of making one.
    """

    files: dict[str, tuple[str | None, bytes | None]]
    message: str
    move: Move | None = None


def exists(root: str) -> bool:
    """Whether a command is changing files now, or was killed while it did."""
    return os.path.lexists(_path(root))


def write(
    root: str, changes: Mapping[str, FileChange], message: str, move: Move | None = None
) -> None:
    """Note what is about to happen.

    Args:
        root: the vault's folder.
        changes: by path.
        message: of the commit.
        move: what becomes of the branch, where no commit is to be made.

    Raises:
        WriteFailed: the disk refused.
    """
    import json

    synced = len(changes) != 1 or any(each.after is None for each in changes.values())
    document = {
        "journal": _VERSION,
        "synced": synced,
        "message": message,
        "files": {
            path: {"before": _digest(change.before), "after": _text(change.after)}
            for path, change in changes.items()
        },
        **({"move": list(move)} if move else {}),
    }
    data = json.dumps(document).encode()
    path = _path(root)
    if synced:
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


def load(root: str) -> Journal:
    """Read the journal; one that a power cut damaged is one without files.

    Raises:
        Unreadable: memcli did not write this journal, or another version did.
    """
    import json

    from memcli.storage.git.merging import Move

    data = files.read(_path(root), limit=_LARGEST)
    if not data.strip(b"\0"):
        return Journal({}, "")  # a power cut came before the bytes
    try:
        document = json.loads(data)
    except ValueError as error:
        if data.startswith(_UNSYNCED) or _UNSYNCED.startswith(data):
            return Journal({}, "")
        raise _strange(root) from error
    try:
        if document["journal"] != _VERSION:
            raise _strange(root)
        for path in document["files"]:
            inside(root, path)
        return Journal(
            {
                path: (item["before"], _bytes(item["after"]))
                for path, item in document["files"].items()
            },
            str(document["message"]),
            Move(*map(str, document["move"])) if "move" in document else None,
        )
    except (KeyError, ValueError, TypeError, AttributeError, UnsafePath) as error:
        raise _strange(root) from error


def _current(root: str, path: str) -> bytes | None:
    """As `files.current`; a folder, or a link out of the vault, equals no text."""
    try:
        return files.current(inside(root, path))
    except MemcliError:
        return _STRANGE


def _path(root: str) -> str:
    return state_dirs.path(root, layout.JOURNAL)


def _strange(root: str) -> Unreadable:
    import shlex

    status = shlex.join(["git", "-C", root, "status"])
    return Unreadable(
        f"{_path(root)} is not a journal that this memcli understands",
        hint=f"A killed command left it. See {status}, then delete that file.",
    )


def _digest(data: bytes | None) -> str | None:
    return None if data is None else identity.sha256(data).hex()


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")


# --- the old files, by another name -----------------------------------------------


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


# --- after a kill -----------------------------------------------------------------


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
    begun = load(root)
    move = begun.move
    drop_old(root)
    if move and repository.branch() != move.branch:
        raise HistoryError(
            f"a killed sync of the branch {move.branch} is not finished, and this is "
            f"{repository.branch() or 'a detached HEAD'}",
            hint=f"Go back: git switch {move.branch}; the next command finishes it.",
        )
    paths, conflicts = _put_rest(root, begun)
    if paths or (move and not conflicts):
        tell(f"finishing what a killed command began: {begun.message}")
    elif conflicts:
        tell(f"what a killed command began has not happened: {begun.message}")
        move = None
    for path in conflicts:
        tell(f"  {path} was edited meanwhile and is left as it is")
    try:
        if move and merging.conclude(repository, move):
            clear(root)
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
        clear(root)
    files.reached("cleared")


def _put_rest(root: str, begun: Journal) -> tuple[list[str], list[str]]:
    """Write what a killed command has not written; the paths to commit, and those that
    were edited since. Where nothing was begun and something was edited, nothing is."""
    now = {path: _current(root, path) for path in begun.files}
    left, conflicts, is_begun = [], [], False
    for path, (before, after) in begun.files.items():
        if now[path] == after:
            is_begun = is_begun or _digest(after) != before
        elif _digest(now[path]) == before:
            left.append(path)
        else:
            conflicts.append(path)
    if conflicts and not is_begun:
        return [], conflicts
    for path in left:
        if begun.files[path][1] is None:
            files.remove(inside(root, path))
            files.reached("removed")
    rest = ((inside(root, path), begun.files[path][1]) for path in left)
    written = [(place, data) for place, data in rest if data is not None]
    for place, _ in written:
        files.make_room(place)
    # At once: a killed import may have left thousands, each with a wait for the disk.
    files.write_several(written)
    return [path for path in begun.files if path not in conflicts], conflicts


def lock_path(root: str) -> str:
    """The file of the right to write to a vault."""
    return state_dirs.path(root, layout.LOCK)


def open_repository(root: str, environ: Mapping[str, str] | None) -> Repository:
    """The repository of a vault; git is imported only here."""
    from memcli.storage.git.repository import Repository

    return Repository.open(root, environ=environ)
