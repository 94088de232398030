"""Files on disk: read, replaced, removed.

Invariant: a file that `write_atomic` writes holds either all of its old bytes or all of
its new ones, whenever the process is killed. Paths are `str`: to import `pathlib` or
`tempfile` takes longer than the work.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time

from memcli.errors import InvalidContent, Unreadable, WriteFailed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeVar

    _Parsed = TypeVar("_Parsed")

# Flags of `os.open` that not every system has. Windows opens files in text mode
# without BINARY. With NONBLOCK a pipe in a file's place does not stop the program for
# good; with NOFOLLOW a link, which may come with a clone, leads nowhere.
BINARY: int = getattr(os, "O_BINARY", 0)
NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY: int = getattr(os, "O_DIRECTORY", 0)

# Errors after which a disk writes nothing more.
REFUSED = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EIO, errno.EROFS)

POLL = 0.01  # seconds until a waiting writer tries again: a hundredth of a save

# Above so many files syncing them together is faster than one by one, and above so many
# os.sync, though it waits for every disk. Each fsync waits for the disk to empty its
# cache, and those of several threads wait together.
_TOGETHER = 8
_SYNC_ALL = 256
_THREADS = 16
# Far above any note; a sparse file of 3 GB in a note's place must not fill the memory.
LARGEST = 64_000_000


def reached(_step: str, /) -> None:
    """Called after each step of a write or a change, by its name; does nothing. A test
    puts a function in its place that acts between two steps, or ends the process."""


def read(
    path: str, *, limit: int = LARGEST, first: int | None = None, follow: bool = True
) -> bytes:
    """Return the bytes of a regular file.

    Args:
        path: any path that the operating system understands.
        limit: the largest size accepted, in bytes.
        first: return only so many bytes from the beginning.
        follow: whether the file may be a symbolic link.

    Raises:
        Unreadable: missing, a folder, a pipe or device, forbidden, or above limit.
    """
    flags = os.O_RDONLY | BINARY | NONBLOCK
    try:
        handle = os.open(path, flags if follow else flags | NOFOLLOW)
    except (OSError, ValueError) as error:
        if not follow and os.path.islink(path):
            what = "is a symbolic link, which memcli does not follow"
            raise Unreadable(f"{path}: {what}") from error
        raise Unreadable(f"{path}: {reason_of(error)}") from error
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            what = "a folder" if stat.S_ISDIR(status.st_mode) else "not a file"
            raise Unreadable(f"{path}: is {what}")
        chunks: list[bytes] = []
        total = status.st_size if status.st_size > limit else 0
        while total <= limit and total != first:
            size = status.st_size + 1
            chunk = os.read(handle, size if first is None else min(size, first - total))
            if not chunk:
                break
            chunks.append(chunk)
            total += len(chunk)
    except OSError as error:
        raise Unreadable(f"{path}: {reason_of(error)}") from error
    finally:
        os.close(handle)
    if total > limit:
        size = max(total, status.st_size)
        raise Unreadable(f"{path}: {size:,} bytes is above the limit of {limit:,}")
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def decoded(data: bytes, name: str) -> str:
    """The text of a file, or of what has another name.

    Raises:
        Unreadable: it is not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            f"{name}:{line}: not UTF-8 (byte {error.start:,})",
            hint="Convert it first, for example: iconv -f latin1 -t utf-8",
        ) from error


def current(path: str) -> bytes | None:
    """A file's bytes, None when there is none; raises Unreadable."""
    try:
        return read(path)
    except Unreadable:
        if os.path.lexists(path):
            raise
        return None


def standing(path: str) -> bytes | None:
    """As `current`; None, too, where a folder stands in the place of the file."""
    if os.path.isdir(path) and not os.path.islink(path):
        return None
    return current(path)


def write_atomic(path: str, data: bytes) -> None:
    """Make `path` hold `data`, or leave it as it was; durable on return.

    As `write_several`, for one file.
    """
    write_several([(path, data)])


def write_several(items: Sequence[tuple[str, bytes]]) -> None:
    """Make each path hold its bytes; durable on return.

    All bytes are on the disk before the first file is replaced, so a disk that is
    full changes none. Missing folders are made. The mode of a replaced file is kept; a
    new one gets what the umask allows. A symbolic link stays one: its target is
    replaced.

    Args:
        items: (path, all of its new bytes), in the order of replacement.

    Raises:
        WriteFailed: the disk refused. Where it refused to replace a file, those before
            it in the list are replaced already.
    """
    waiting: list[tuple[str, str, str]] = []
    path = ""
    try:
        for path, data in items:
            target = os.path.realpath(path) if os.path.islink(path) else path
            folder, name = os.path.split(target)
            make_folder(folder)
            temporary = os.path.join(folder, _temporary_name(name))
            waiting.append((temporary, target, path))
            _write_new(temporary, data)
            _keep_mode(temporary, target)
            reached("written")
        _sync_files([temporary for temporary, _, _ in waiting])
        reached("synced")
        waiting.reverse()
        while waiting:
            temporary, target, path = waiting[-1]
            _replace(temporary, target)
            waiting.pop()
            reached("replaced")
        for folder in dict.fromkeys(os.path.dirname(path) for path, _ in items):
            sync_folder(folder)
        reached("settled")
    except (OSError, ValueError) as error:
        raise write_failed(path, error) from error
    finally:
        for temporary, _, _ in waiting:
            remove_quietly(temporary)


def _sync_files(paths: Sequence[str]) -> None:
    """Wait until the bytes of these new files are on disk; OSError where they cannot.

    3,000 files of 900 bytes on ext4: fsync of one after the other 12.4 s, by 16 threads
    1.4 s; after os.sync, which takes .1 s, one after the other 8.5 s, by threads .3 s.
    os.sync alone never reports that the disk refused; and only Linux waits in it.
    """
    if sys.platform == "linux" and len(paths) > _SYNC_ALL:
        os.sync()
    try:
        if len(paths) > _TOGETHER:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(_THREADS) as pool:
                for _ in pool.map(_sync, paths):
                    pass
            return
    except RuntimeError:  # the system allows no more threads
        pass
    for path in paths:
        _sync(path)


def _sync(path: str) -> None:
    with open(path, "rb+") as file:  # Windows wants one that may write
        os.fsync(file.fileno())


def _write_new(path: str, data: bytes) -> None:
    """Write a file that must not exist yet."""
    with open(path, "xb") as file:
        file.write(data)


def _temporary_name(name: str) -> str:
    # 60 characters of the name: a file system allows 255 bytes, and the name itself
    # may already use all of them.
    return f".{name[:60]}.{os.getpid()}-{os.urandom(4).hex()}.tmp"


def write_derived(path: str, data: bytes) -> None:
    """Make `path` hold `data`, or leave it as it was; for what can be made again.

    Nothing is synced: after a power cut the file may be the old one, or empty. A
    symbolic link at `path` is replaced, never followed.

    Args:
        path: a file in a folder that exists.
        data: all of its new bytes.

    Raises:
        OSError: the disk refused.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, _temporary_name(name))
    try:
        _write_new(temporary, data)
        _replace(temporary, path)
    finally:
        remove_quietly(temporary)


def remove(path: str) -> None:
    """Remove a file, durably; one that is gone already is fine.

    Raises:
        WriteFailed: the system refused; the file is still there.
    """
    try:
        os.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        return  # a file where its folder was holds nothing of it
    except OSError as error:
        raise write_failed(path, error) from error
    sync_folder(os.path.dirname(path))


def make_room(path: str) -> None:
    """Remove the folders at the place of a file, when no file lies in them.

    What a sync brings may be a file where folders were. Where files are left, the
    folders stay, and the write that follows fails.
    """
    if not os.path.isdir(path) or os.path.islink(path):
        return
    try:
        for folder, _, _ in os.walk(path, topdown=False):
            os.rmdir(folder)
    except OSError:
        pass


def make_folder(folder: str) -> None:
    """Make a folder and those above it, durably; an existing one is fine."""
    if not folder or os.path.isdir(folder):
        return
    parent = os.path.dirname(folder)
    if parent != folder:
        make_folder(parent)
    # Another process may make it in between; a file in the way is still an error.
    try:
        os.mkdir(folder)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise
    sync_folder(parent)


def _keep_mode(temporary: str, target: str) -> None:
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return
    if stat.S_ISREG(status.st_mode):  # an empty folder may be in a file's place
        os.chmod(temporary, stat.S_IMODE(status.st_mode))


def _replace(temporary: str, target: str) -> None:
    # Windows refuses while a scanner or an editor has the file open for a moment.
    tries = 20 if sys.platform == "win32" else 1
    while True:
        try:
            os.replace(temporary, target)
        except PermissionError:
            tries -= 1
            if tries <= 0:
                raise
            time.sleep(POLL)
        else:
            return


def sync_folder(folder: str) -> None:
    """Make a rename durable where the system can.

    Failures are ignored: the new bytes are on disk already, so the worst that a
    power cut can do now is to bring back the complete old file.
    """
    if sys.platform == "win32":
        return
    try:
        handle = os.open(folder or ".", os.O_RDONLY | _DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError:
        pass


def remove_quietly(path: str) -> None:
    """Remove a file, if that can be done."""
    try:
        os.unlink(path)
    except (OSError, ValueError):
        pass


def write_failed(path: str, error: Exception) -> WriteFailed:
    """The error for a file that the system refused to write."""
    number = getattr(error, "errno", None)
    if number in (errno.ENOSPC, getattr(errno, "EDQUOT", None)):
        return WriteFailed(
            f"{path}: no space left on the disk; nothing was changed",
            hint="Free some space, then repeat the command.",
        )
    return WriteFailed(
        f"{path}: {reason_of(error)}; nothing was changed",
        hint="Check who may write there, and whether the disk is read-only.",
    )


def reason_of(error: Exception) -> str:
    """The system's reason, in lower case."""
    text = error.strerror if isinstance(error, OSError) else str(error)
    return (text or str(error) or type(error).__name__).lower()


# --- values that memcli can make again, as JSON ----------------------------------

MALFORMED = (
    *(AttributeError, IndexError, KeyError, OverflowError),
    *(RecursionError, TypeError, ValueError),
)
"""The errors of reading a value of an unexpected shape."""

# A gigabyte: the names of the files of a vault of ten million entries; and of a batch
# that is held in memory, what is given by mistake.
_LARGEST_VALUE = 1_000_000_000


def load_value(path: str, parsed: Callable[[Any], _Parsed]) -> _Parsed | None:
    """The value in a file, as `parsed` makes it; None when there is none to use.

    A value of another shape than the parser expects is none, whether the parser says
    so with None or raises one of `MALFORMED`.
    """
    import json

    try:
        return parsed(json.loads(read(path, limit=_LARGEST_VALUE)))
    except (Unreadable, *MALFORMED):
        return None


def store_value(path: str, value: Any) -> None:
    """Put a value that JSON can hold into a file, at once; not durable, since it can be
    made again.

    Raises:
        OSError: the disk refuses, or the file's folder does not exist.
    """
    import json

    # ASCII alone: file names may hold half a surrogate pair.
    write_derived(path, json.dumps(value, separators=(",", ":")).encode("ascii"))


# --- JSON Lines: one object a line ------------------------------------------------


def read_batch(path: str) -> bytes:
    """The bytes of a file of JSON lines."""
    return read(path, limit=_LARGEST_VALUE)


def json_lines(
    data: bytes, name: str
) -> Iterator[tuple[int, dict[str, Any] | Unreadable | InvalidContent]]:
    """(line number from 1, object) of each line that is not empty; of one that is not
    UTF-8, or no JSON object, the error."""
    import io
    import json

    for number, raw in enumerate(io.BytesIO(data.removeprefix(b"\xef\xbb\xbf")), 1):
        if not raw.strip():
            continue
        place, said = f"{name}:{number}", "not a JSON object"
        try:
            value = json.loads(raw.decode())
        except UnicodeDecodeError:
            value = Unreadable(f"{place}: not UTF-8")
        except (ValueError, RecursionError) as error:
            value, said = None, f"not JSON: {error}"
        if not isinstance(value, dict | Unreadable):
            value = InvalidContent(f"{place}: {said}", code="invalid_json")
        yield number, value
