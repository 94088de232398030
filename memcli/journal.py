"""What a transaction of several files is about to do, so that a kill cannot halve it.

Invariant: the journal is written, whole and synced, before the first file changes,
and removed after the commit. Whoever finds one while holding the lock finishes what
it says: a file that is still as it was gets its new bytes, one that has them is left
alone, and one that somebody has edited since is theirs and is named.
"""

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from memcli import files, layout
from memcli.errors import MemcliError, Unreadable, UnsafePath

_VERSION = 1


class Change(NamedTuple):
    """What becomes of one file; None stands for no file."""

    before: bytes | None
    after: bytes | None


class Recovered(NamedTuple):
    """What was finished: every path of the journal, those left alone, the message."""

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
    entries, message = load(root)
    conflicts = []
    for path, (before, after) in entries.items():
        absolute = files.inside(root, path)
        now = current(absolute)
        if now == after:
            continue
        if _digest(now) != before:
            conflicts.append(path)
        elif after is None:
            files.remove(absolute)
        else:
            files.write_atomic(absolute, after)
        step("recovered")
    return Recovered(list(entries), conflicts, message)


def load(root: str) -> tuple[dict[str, tuple[str | None, bytes | None]], str]:
    """What the journal says: by path (hash before, bytes after); and the message.

    Raises:
        Unreadable: the journal is none of ours, or of a later version.
    """
    import json

    try:
        document = json.loads(files.read(_path(root)))
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
