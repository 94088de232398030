"""The log of signals on disk: appended by any number of processes, bounded by rotation.

Invariant: a line is one `write` to a file opened for appending, so no two lines mix; a
reader passes over lines that a kill or a full disk has cut. Nothing is moved without
the rotation's lock, each full file gets a number that only grows, and the oldest file
goes only when no process writes to it, after its uses of skills were added to the
total, exactly once, however often a rotation is killed. A log that cannot be written
is not written: nothing here raises.
"""

from __future__ import annotations

import os
import stat

from memcli.entries import digests, layout
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import state_dirs
from memcli.storage.files import BINARY, NOFOLLOW, NONBLOCK, write_derived
from memcli.vault.signals import event

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any


# A full file is about 400 recalls of ten rows; four files hold a person's last weeks.
_FULL = 1_000_000
_KEPT = 3
# Where rotation fails (on Windows, while another process reads) a file may grow to
# this size.
_MOST = 4_000_000
_TRIES = 5
# A larger file is not of this log: rotation never leaves so much.
_LARGEST = 16_000_000
_FLAGS: int = BINARY | NONBLOCK | NOFOLLOW


class Log(NamedTuple):
    """The events, the newest last, and by skill the uses that were rotated away."""

    events: list[event.Event]
    folded: dict[str, int]

    def uses(self) -> dict[str, int]:
        """How often each skill was stored or recalled, by id."""
        counts = event.uses(self.events)
        counts.update(self.folded)
        return dict(counts)


class _Total(NamedTuple):
    """Uses of skills in every file up to the number `upto`, which is gone or going."""

    upto: int
    uses: dict[str, int]


def encode(line: Mapping[str, Any]) -> bytes:
    """An event as its line.

    Raises:
        ValueError, TypeError: JSON has no form for a value in it.
    """
    import json

    return json.dumps(line, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def decode(line: bytes) -> event.Event | None:
    """The event in a line; None when the line was cut, or holds no event."""
    import json

    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if event.is_event(value) else None


def append(root: str, lines: Sequence[Mapping[str, Any]], full: int = _FULL) -> bool:
    """Add events; returns whether all of them are in the log now.

    Args:
        root: the vault's folder.
        lines: the events, in their order.
        full: bytes from which on a file is put away.
    """
    try:
        chunk: list[bytes] = []
        size = 0
        for data in map(encode, lines):
            if size and size + len(data) > full:
                _write(root, b"".join(chunk), full)
                chunk, size = [], 0
            chunk.append(data)
            size += len(data)
        if chunk:
            _write(root, b"".join(chunk), full)
    except (OSError, ValueError, TypeError, MemcliError):
        return False
    return True


def read(root: str) -> Log:
    """Everything that the log holds now; an unreadable file counts as empty."""
    for _ in range(_TRIES):
        before = _total(root)
        files = _files(root, before.upto)
        if files is not None and _total(root).upto == before.upto:
            break
    lines = (line for data in files or () for line in data.split(b"\n"))
    return Log([event for event in map(decode, lines) if event], before.uses)


def newest(root: str, *holding: str) -> Iterator[event.Event]:
    """The events, the newest first; with texts only lines that hold one of them."""
    marks = [text.encode() for text in holding]
    for data in reversed(_files(root, _total(root).upto) or ()):
        for line in reversed(data.split(b"\n")):
            if line and (not marks or any(mark in line for mark in marks)):
                decoded = decode(line)
                if decoded is not None:
                    yield decoded


def size(root: str) -> int:
    """The bytes of its files."""
    return sum(map(len, _files(root, 0) or ()))


def key(root: str, fresh: bytes) -> bytes:
    """The key that hashes a vault's questions; `fresh` becomes it when there is none.

    Raises:
        OSError: the key can neither be read nor made.
    """
    path = _path(root, layout.EVENTS_KEY)
    there = True
    try:
        secret = _bytes(path)
        if len(secret) >= len(fresh):
            return secret
    except FileNotFoundError:
        there = False
        os.makedirs(os.path.dirname(path), exist_ok=True)
    write_derived(path, fresh, mode=0o600, over=there)
    return _bytes(path)


def hashed(question: str, secret: bytes) -> str:
    """A question as its keyed hash; case and space make no difference.

    >>> hashed("Who?", b"k" * 32) == hashed(" who? ", b"k" * 32)
    True
    """
    words = " ".join(question.casefold().split()).encode("utf-8", "surrogatepass")
    return digests.blake2b(words, 12, key=secret[:64]).hex()


# --- writing ------------------------------------------------------------------------


def _write(root: str, data: bytes, full: int) -> None:
    handle = _to_append(_path(root, layout.EVENTS))
    try:
        size = os.fstat(handle).st_size
        if size > max(_MOST, 4 * full):
            raise OSError("the log cannot be rotated")
        if size and hasattr(os, "pread") and os.pread(handle, 1, size - 1) != b"\n":
            data = b"\n" + data  # the last line was cut
        if os.write(handle, data) != len(data):
            raise OSError("the disk is full")
    finally:
        os.close(handle)
    if size + len(data) > full:
        _rotate(root, full)


def _to_append(path: str) -> int:
    """The handle of the log, held so that no rotation drops the file meanwhile."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
    for _ in range(_TRIES):
        try:
            handle = _opened(path, flags)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            handle = _opened(path, flags)
        # Between the two calls the file may have been put away, and dropped.
        if _held(handle, for_all=False) and os.fstat(handle).st_nlink:
            return handle
        os.close(handle)
    raise OSError("the log is put away again and again")


def _held(handle: int, *, for_all: bool) -> bool:
    """Hold a file until it is closed; whether no other process holds it otherwise.

    Args:
        handle: of the file.
        for_all: to drop it, which one process may; else to append, which many may.
    """
    try:
        import fcntl
    except ImportError:  # Windows: what is open there cannot be put away
        return True
    try:
        kind = fcntl.LOCK_EX if for_all else fcntl.LOCK_SH
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a disk without such locks
        return True
    return True


def _rotate(root: str, full: int) -> None:
    """Put the full file away and drop the oldest, unless another process does it."""
    from memcli.storage.lock import Lock

    path = _path(root, layout.EVENTS)
    try:
        with Lock(_path(root, layout.EVENTS_LOCK), 0):
            if os.stat(path).st_size <= full:
                return  # another process has put it away
            total = _total(root)
            numbers = _numbers(root)
            last = max([total.upto, *numbers]) + 1
            os.rename(path, _numbered(root, last))
            for number in [*numbers, last][:-_KEPT]:
                folded = _folded(root, number, total)
                if folded is None:
                    return  # a process still writes to it; the next rotation drops it
                total = folded
    except (OSError, MemcliError):
        return


def _folded(root: str, number: int, total: _Total) -> _Total | None:
    """Drop a file after its uses were added to the total, which is returned.

    None when a process writes to it at this moment: nothing was done.
    """
    path = _numbered(root, number)
    handle = _opened(path)
    try:
        if not _held(handle, for_all=True):
            return None
        return _dropped(root, number, total, _all(handle))
    finally:
        os.close(handle)


def _dropped(root: str, number: int, total: _Total, data: bytes) -> _Total:
    """The total with the uses of a file, which is gone then."""
    import json

    from memcli.storage import files

    if number > total.upto:
        counts = event.uses(filter(None, map(decode, data.split(b"\n"))))
        counts.update(total.uses)
        total = _Total(number, dict(counts))
        line = json.dumps({"v": event.VERSION, **total._asdict()}).encode() + b"\n"
        place = _path(root, layout.EVENTS_TOTAL)
        if os.path.islink(place):
            os.unlink(place)  # memcli makes no link; the target is not its file
        files.write_atomic(place, line)
    os.unlink(_numbered(root, number))
    return total


# --- reading ------------------------------------------------------------------------


def _files(root: str, upto: int) -> list[bytes] | None:
    """The bytes of the files that count, the newest last; None when they moved."""
    try:
        current: int | None = _opened(_path(root, layout.EVENTS))
    except OSError:
        current = None
    contents: list[bytes] = []
    try:
        # The current file was opened before the others are listed: put away meanwhile,
        # it would else be missed. Now it is seen twice, and passed over once.
        for number in _numbers(root):
            path = _numbered(root, number)
            try:
                put_away = current is not None and os.path.samestat(
                    os.stat(path), os.fstat(current)
                )
                if number > upto and not put_away:
                    contents.append(_bytes(path))
            except FileNotFoundError:
                return None
            except OSError:
                continue
        if current is not None:
            contents.append(_all(current))
    except OSError:
        return contents
    finally:
        if current is not None:
            os.close(current)
    return contents


def _bytes(path: str) -> bytes:
    handle = _opened(path)
    try:
        return _all(handle)
    finally:
        os.close(handle)


def _opened(path: str, flags: int = os.O_RDONLY) -> int:
    """The handle of a file of the log; OSError for anything else."""
    handle = os.open(path, flags | _FLAGS, 0o600)
    status = os.fstat(handle)
    if stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST:
        return handle
    os.close(handle)
    raise OSError("not a file of the log")


def _all(handle: int) -> bytes:
    chunks: list[bytes] = []
    while chunk := os.read(handle, 1 << 20):
        chunks.append(chunk)
    return b"".join(chunks)


def _total(root: str) -> _Total:
    try:
        data = _bytes(_path(root, layout.EVENTS_TOTAL))
    except OSError:
        return _Total(0, {})
    import json

    try:
        value = json.loads(data)
        return _Total(int(value["upto"]), {k: int(n) for k, n in value["uses"].items()})
    except (ValueError, TypeError, LookupError, AttributeError):
        return _Total(0, {})
    except (OverflowError, RecursionError):  # numbers and depths of no real log
        return _Total(0, {})


def _numbers(root: str) -> list[int]:
    """The numbers of the files that were put away, the oldest first."""
    folder, _, name = _path(root, layout.EVENTS).rpartition(os.sep)
    stem = name.removesuffix(".jsonl") + "-"
    try:
        names: Iterable[str] = os.listdir(folder)
    except OSError:
        return []
    parts = (
        name.removesuffix(".jsonl").removeprefix(stem)
        for name in names
        if name.startswith(stem)
    )
    return sorted(int(part) for part in parts if part.isascii() and part.isdigit())


def _numbered(root: str, number: int) -> str:
    return _path(root, layout.EVENTS).removesuffix(".jsonl") + f"-{number}.jsonl"


def _path(root: str, name: str) -> str:
    return state_dirs.path(root, name)
