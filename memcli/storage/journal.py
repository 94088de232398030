"""What a transaction is about to do, so that a kill cannot halve it.

Invariant: the journal is written before the first file changes, and removed after the
commit. Where a kill between two files would leave half a change it is whole and synced
and holds all new bytes, and whoever finds it while holding the lock finishes what it
says: a file that is still as it was gets its new bytes, one that has them is left
alone, and one that somebody has edited since is theirs and is named; when that was
before the first file changed, nothing happens at all. Where each file stands for
itself it is a note of what is to be committed, which a power cut may take away.
"""

import os
import zlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

from memcli.entries import layout
from memcli.errors import MemcliError, Unreadable, UnsafePath
from memcli.storage import files

_VERSION = 1
# The first and the last field of a note; one without its end says nothing.
_NOTE, _END = b"commit", b"end"
# Stands for what is no file, or none of the vault's.
_STRANGE = b"\0not a file\0"


class Change(NamedTuple):
    """What becomes of one file; None stands for no file."""

    before: bytes | None
    after: bytes | None


class Recovered(NamedTuple):
    """What was finished: the paths to commit, those left alone, the message.

    When nothing was finished because of what was left alone, there are no paths.
    """

    paths: list[str]
    conflicts: list[str]
    message: str


def exists(root: str) -> bool:
    """Whether somebody is writing several files, or was killed at it."""
    return os.path.lexists(_path(root))


def write(root: str, changes: Mapping[str, Change], message: str) -> None:
    """Note what is about to happen; raises WriteFailed."""
    import json

    entries = {
        path: {"before": _digest(change.before), "after": _text(change.after)}
        for path, change in changes.items()
    }
    document = {"journal": _VERSION, "message": message, "files": entries}
    files.write_atomic(_path(root), json.dumps(document, indent=1).encode())


def note(root: str, changes: Mapping[str, Change], message: str) -> None:
    """Note what is about to be committed, file by file; raises WriteFailed.

    Not synced, and without the bytes: every file is written as a whole, and until the
    commit is made only this tells a killed command's staged file from a person's.
    """
    fields = [_NOTE, message.replace("\0", " ").encode("utf-8", "replace")]
    for path, change in changes.items():
        fields += (_encode(path), _number(change.before), _number(change.after))
    path = _path(root)
    try:
        files.make_folder(os.path.dirname(path))
        with open(path, "wb") as file:
            file.write(b"\0".join((*fields, _END)))
    except OSError as error:
        raise files.write_failed(path, error) from error


def clear(root: str) -> None:
    """Forget it: everything has happened, or has been put back."""
    try:
        os.unlink(_path(root))
    except FileNotFoundError:
        return
    except OSError as error:
        raise files.write_failed(_path(root), error) from error


def recover(root: str, step: Callable[[str], None]) -> Recovered:
    """Finish what the journal says; the caller holds the lock, commits and clears.

    Raises:
        Unreadable: the journal is none of ours, or of a later version.
        WriteFailed: the disk refused; the journal stays, for the next try.
    """
    noted = _noted(files.read(_path(root)))
    if noted is not None:
        return _look(root, *noted)
    entries, message = load(root)
    found = {path: _found(root, path) for path in entries}
    done = [path for path, (_, after) in entries.items() if found[path] == after]
    conflicts = [
        path
        for path, (before, _) in entries.items()
        if path not in done and _digest(found[path]) != before
    ]
    begun = [path for path in done if _digest(found[path]) != entries[path][0]]
    if conflicts and not begun:
        return Recovered([], conflicts, message)
    for path, (_, after) in entries.items():
        if path in done or path in conflicts:
            continue
        if after is None:
            files.remove(files.inside(root, path))
        else:
            files.write_atomic(files.inside(root, path), after)
        step("recovered")
    paths = [path for path in entries if path not in conflicts]
    return Recovered(paths, conflicts, message)


def _look(
    root: str, entries: Mapping[str, tuple[bytes, bytes]], message: str
) -> Recovered:
    """What of a note has happened: those files are still to be committed."""
    paths, conflicts = [], []
    for path, (before, after) in entries.items():
        now = _number(_found(root, path))
        if now == after:
            paths.append(path)
        elif now != before:
            conflicts.append(path)
    return Recovered(paths, conflicts if paths else [], message)


def _noted(data: bytes) -> tuple[dict[str, tuple[bytes, bytes]], str] | None:
    """What a note says; None when it is no note but a journal."""
    if not data.strip(b"\0"):
        return {}, ""  # a power cut came before its bytes were on the disk
    fields = data.split(b"\0")
    if fields[0] != _NOTE:
        return None
    if fields[-1] != _END or len(fields) % 3:
        return {}, ""
    rows = zip(fields[2:-1:3], fields[3:-1:3], fields[4:-1:3], strict=True)
    entries = {_decode(path): (before, after) for path, before, after in rows}
    return entries, fields[1].decode("utf-8", "replace")


def load(root: str) -> tuple[dict[str, tuple[str | None, bytes | None]], str]:
    """What the journal says: by path (hash before, bytes after); and the message.

    A note has no bytes: it says nothing here.

    Raises:
        Unreadable: the journal is none of ours, or of a later version.
    """
    import json

    data = files.read(_path(root))
    if _noted(data) is not None:
        return {}, ""
    try:
        document = json.loads(data)
        known = document["journal"] == _VERSION
        entries = {
            path: (item["before"], _bytes(item["after"]))
            for path, item in document["files"].items()
        }
        message = str(document["message"])
        for path in entries:
            files.inside(root, path)
    except (ValueError, KeyError, TypeError, AttributeError, UnsafePath) as error:
        raise _strange(root) from error
    if not known:
        raise _strange(root)
    return entries, message


def current(path: str) -> bytes | None:
    """A file's bytes, None when there is none; raises Unreadable."""
    try:
        return files.read(path)
    except MemcliError:
        if os.path.lexists(path):
            raise
        return None


def _found(root: str, path: str) -> bytes | None:
    """As `current`; a folder or a link out of the vault is nobody's old or new text."""
    try:
        return current(files.inside(root, path))
    except MemcliError:
        return _STRANGE


def _path(root: str) -> str:
    return os.path.join(root, *layout.JOURNAL.split("/"))


def _strange(root: str) -> Unreadable:
    return Unreadable(
        f"{_path(root)} is not a journal that this memcli understands",
        hint="A killed command left it. See git status, then delete that file.",
    )


def _digest(data: bytes | None) -> str | None:
    import hashlib

    return None if data is None else hashlib.sha256(data).hexdigest()


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")


def _number(data: bytes | None) -> bytes:
    return b"-" if data is None else b"%d" % zlib.crc32(data)


def _encode(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _decode(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
