"""A change of several files: journalled, written, committed; or all taken back.

Invariant: what is committed are the bytes that were meant, and they are on disk when
the change is reported as done, or the journal stays for the next command. The journal
is written before the first file changes, and removed after the commit. It holds the new
bytes of every file. Before the commit is made, a failure puts the old bytes back, all
of them or none; after it, a failure is a warning.

After a kill the next command that takes the lock finishes what the journal says: a file
that is still as it was gets its new bytes, one that has them is left alone, and one
that was edited since is left as it is and named; when it was edited before the first
file changed, nothing happens at all. Nor does a sync go on whose branch has not moved:
the edit knows nothing of what came, so the next sync merges them.

A journal of several files, or of one that goes, is synced. One of a single new text is
not, since its file is old or new by itself: one that a power cut has damaged says that
nothing happened.
"""

from __future__ import annotations

import os

from memcli.entries import identity, layout
from memcli.errors import Conflict, MemcliError, Unreadable, UnsafePath, WriteFailed
from memcli.named_tuple import NamedTuple
from memcli.storage import files, state_dirs
from memcli.storage.vault_paths import all_inside, inside, parents

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from memcli.storage.git.merging import Move
    from memcli.storage.git.repository import Repository
    from memcli.storage.lock import Audience

_VERSION = 3
_LARGEST = 4_000_000_000  # bytes of a journal
# Stands for a folder, link or device in the place of a file.
_STRANGE = b"\0not a file\0"
_UNCHANGED = "; nothing was changed"


class FileChange(NamedTuple):
    """The change of one file; None stands for no file.

    One that stays as it is, is committed as it is.
    """

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


# --- carrying a change out --------------------------------------------------------


def carry_out(
    root: str,
    repository: Repository,
    changes: Mapping[str, FileChange],
    message: str,
    audience: Audience,
    move: Move | None = None,
) -> str | None:
    """Write and commit files, for a caller that holds the vault's lock.

    Args:
        root: the vault's folder.
        repository: where they are committed.
        changes: by path.
        message: of the commit.
        audience: who is told what went wrong after the commit.
        move: what becomes of the branch, where the repository goes to a commit that
            exists.

    Returns:
        The commit; None where HEAD holds all of it already.

    Raises:
        Conflict: a file holds what neither the vault had nor memcli wrote.
        WriteFailed, HistoryError, LockBusy: the disk or git refused.
    """
    from memcli.storage.git import commit as commits
    from memcli.storage.git import on_disk

    changed = {
        path: each for path, each in changes.items() if each.before != each.after
    }
    places = all_inside(root, changed)
    before = on_disk.commit(repository.git_dir)
    write(root, changes, message, move)
    files.reached("journalled")
    try:
        _put(places, {path: each.after for path, each in changed.items()})
        files.reached("wrote")
        meant = {path: each.after for path, each in changes.items()}
        if move is None:
            commit = commits.commit(repository, [*meant], message, meant=meant)
        else:
            from memcli.storage.git import merging

            merging.go(repository, move, meant)
            commit = move.after
    except BaseException as error:
        if not _is_made(repository, before, changed):
            _take_back(root, places, changed, audience, error)
        raise
    away = _taken_away(root, repository, places, changed)
    if repository.is_detached():
        from shlex import quote

        audience.tell(
            "warning: HEAD is detached: this commit belongs to no branch; "
            f"git -C {quote(root)} switch -c NAME makes one of it"
        )
    files.reached("committed")
    wrong = ""
    if away or not (commit is None or repository.keeps(commit)):
        wrong = f"another git took {away or 'the commit'} away"
    elif repository.unsettled:
        wrong = "git's index could not be written"
    else:
        try:
            clear(root)
        except MemcliError as error:
            wrong = error.message.replace(_UNCHANGED, "")
    if wrong:
        audience.tell(
            f"this is committed, but {wrong}; the next memcli command puts it right"
        )
    files.reached("cleared")
    return commit


def _is_made(
    repository: Repository, before: str, changed: Mapping[str, FileChange]
) -> bool:
    """Whether HEAD went on and holds the change: git was ended after its commit."""
    from memcli.storage.git import on_disk

    if on_disk.commit(repository.git_dir) == before:
        return False
    after = {path: each.after for path, each in changed.items()}
    try:
        return not repository.unlike_head(after)
    except MemcliError:
        return False


def _taken_away(
    root: str,
    repository: Repository,
    places: Mapping[str, str],
    changed: Mapping[str, FileChange],
) -> str:
    """The first file that is as before, or gone, after the commit: a person's git may
    move files. Empty for none; the next command writes it again.

    Raises:
        Conflict: a file holds something else, which HEAD does not hold.
    """
    away = ""
    for path, change in changed.items():
        now = files.standing(places[path])
        if now == change.after:
            continue
        if now in (None, change.before):
            away = away or path
        elif repository.unlike_head({path: now}):
            clear(root)
            raise Conflict(
                f"{path} was changed while it was committed: HEAD holds what "
                "memcli wrote, the file does not",
                hint=f"See git diff HEAD -- {path}; memcli doctor --fix commits it.",
            )
    return away


def _take_back(
    root: str,
    places: Mapping[str, str],
    changed: Mapping[str, FileChange],
    audience: Audience,
    error: BaseException,
) -> None:
    """Put the old bytes back. What a person has written meanwhile (git's hooks may take
    long) stays; where the disk refuses, the journal does, and nothing is put back.

    Raises:
        WriteFailed: the disk refuses the old bytes as well.
    """
    old: dict[str, bytes | None] = {}
    for path, change in changed.items():
        now = _current(root, path)
        if now not in (None, *change):
            audience.tell(f"{path} was edited meanwhile and is left as it is")
        elif now != change.before:
            old[path] = change.before
    try:
        _put(places, old)
    except MemcliError as refused:
        if any(_current(root, path) != data for path, data in old.items()):
            message = getattr(error, "message", None) or refused.message
            raise WriteFailed(
                f"{message.replace(_UNCHANGED, '')}; and the old text of "
                f"{', '.join(old)} could not be put back",
                hint="Free some space; the next memcli command finishes the change.",
            ) from error
    clear(root)


def _put(places: Mapping[str, str], wanted: Mapping[str, bytes | None]) -> None:
    """Let files hold these bytes, None for no file. New ones are there before old ones
    go, but for those that stand in the way."""
    gone = [path for path, data in wanted.items() if data is None]
    early = _in_the_way(gone, wanted.keys() - gone)
    written = [
        (places[path], data) for path, data in wanted.items() if data is not None
    ]
    for path in early:
        files.remove(places[path])
        files.reached("removed")
    for place, _ in written:
        files.make_room(place)
    if written:
        # At once: an import has thousands, each with a wait for the disk.
        files.write_several(written)
    for path in gone:
        if path not in early:
            files.remove(places[path])
            files.reached("removed")


def _in_the_way(gone: Sequence[str], written: AbstractSet[str]) -> list[str]:
    """The files that go before others are written: at whose place a folder comes, that
    lie where a file comes, or whose name differs from a new one in case alone."""
    if not gone:
        return []
    folders = {parent for path in written for parent in parents(path)}
    names = {path.casefold() for path in written}
    return [
        path
        for path in gone
        if path in folders
        or path.casefold() in names
        or not written.isdisjoint(parents(path))
    ]


def put_rest(
    root: str, begun: Journal, *, is_made: bool = False
) -> tuple[list[str], list[str]]:
    """Write what a killed command has not written; the paths to commit, and those that
    were edited since. Where something was edited, nothing is written if nothing was
    begun, or if the branch is to move and has not (`is_made`)."""
    now = {path: _current(root, path) for path in begun.files}
    left, conflicts, is_begun = [], [], False
    for path, (before, after) in begun.files.items():
        if now[path] == after:
            is_begun = is_begun or _digest(after) != before
        elif _digest(now[path]) == before:
            left.append(path)
        else:
            conflicts.append(path)
    if conflicts and not is_made and (begun.move or not is_begun):
        return [], conflicts
    places = all_inside(root, left)
    _put(places, {path: begun.files[path][1] for path in left})
    return [path for path in begun.files if path not in conflicts], conflicts


# --- the journal ------------------------------------------------------------------


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

    document = {
        "journal": _VERSION,
        "message": message,
        "files": {
            path: {"before": _digest(change.before), "after": _text(change.after)}
            for path, change in changes.items()
        },
        **({"move": list(move)} if move else {}),
    }
    data = json.dumps(document).encode()
    path = _path(root)
    if len(changes) != 1 or any(each.after is None for each in changes.values()):
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
    try:
        document = json.loads(data)
    except ValueError:
        return Journal({}, "")
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
    """As `files.standing`; what cannot be read, or lies outside, equals no text."""
    try:
        return files.standing(inside(root, path))
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


def lock_path(root: str) -> str:
    """The file of the right to write to a vault."""
    return state_dirs.path(root, layout.LOCK)
