"""Several processes read the files of a vault, and say what they found over pipes.

Invariant: a process that dies, or says something that is no answer, loses nothing: the
rest of its files are read here. Nothing that comes over a pipe is executed or
unpickled. No process outlives the one that started it by more than a batch: its pipe
breaks.

Each process is a Python of its own and not a fork, so it is the same on every system,
and no thread or lock of this one is copied. It reads the vault's path and its share of
the paths from its standard input, to the end, as lists of the files of a batch; then it
writes for each batch how many bytes it has, and the bytes.
"""

from __future__ import annotations

import os
import struct
import sys

from memcli.search.batch import as_bytes, collected, from_bytes
from memcli.search.reading import Files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from subprocess import Popen
    from typing import IO, Any

    from memcli.search.batch import Batch

# Below this many files another process costs more than it brings: it loads for a
# tenth of a second, which is some 200 files.
_WORTH_A_PROCESS = 1_000
# More find no faster than one process writes what they found.
_MOST_PROCESSES = 4
# The files of a batch. More would make the progress that a person sees coarser; fewer,
# and the same words are joined more often.
_MOST_FILES = 512
# The last batches are smaller: all processes are done at nearly the same time, and the
# one that writes has little to join when they are.
_FEWEST_FILES = 128
_LENGTH = struct.Struct("<I")
# A batch that has more bytes is read here: 512 files of a million bytes have less.
_LARGEST = 1_000_000_000


def found_in(root: str, paths: Sequence[str], processes: int) -> Iterator[Batch]:
    """What these files hold, in batches in the order of the paths.

    Args:
        root: the vault's folder.
        paths: vault-relative.
        processes: how many may read at most.

    Raises:
        InvalidConfig: the vault's settings cannot be understood.
    """
    vault = Files(root)
    several = worth(processes, len(paths))
    shares = in_shares(paths, several)
    if several > 1:
        return found_by_several(vault, shares, several)
    return (collected(map(vault.found, share)) for share in shares)


def worth(processes: int, files: int) -> int:
    """How many processes are to read so many files; 1 means this one alone.

    Args:
        processes: how many may.
        files: how many there are.
    """
    return max(1, min(processes, _MOST_PROCESSES, files // _WORTH_A_PROCESS))


def in_shares(paths: Sequence[str], processes: int) -> list[Sequence[str]]:
    """The paths in shares, in order: the files of each batch.

    So many that follow each other have as many files as there are processes.
    """
    shares: list[Sequence[str]] = []
    at = 0
    while at < len(paths):
        half = (len(paths) - at) // (2 * processes)
        files = max(_FEWEST_FILES, min(half, _MOST_FILES))
        for _ in range(processes):
            shares.append(paths[at : at + files])
            at += files
    return list(filter(None, shares))


def found_by_several(
    vault: Files, shares: Sequence[Sequence[str]], processes: int
) -> Iterator[Batch]:
    """What the files of each share hold, in order.

    Args:
        vault: reads files here when a process has died.
        shares: paths, vault-relative; each becomes a batch.
        processes: how many read; they take the shares in turn.
    """
    started: list[Popen[bytes] | None] = []
    try:
        started.extend(_start() for _ in range(processes))
        # Not before: a process takes its paths from the pipe once it has loaded.
        for number, process in enumerate(started):
            if process and not _told(process, vault.root, shares[number::processes]):
                _end(process)
                started[number] = None
        for at, share in enumerate(shares):
            process = started[at % processes]
            batch = _next(process, len(share)) if process else None
            if batch is None:
                _end(process)
                started[at % processes] = None
                batch = collected(map(vault.found, share))
            yield batch
    finally:
        for process in started:
            _end(process)


def _start() -> Popen[bytes] | None:
    """A process that waits to be told its files; None when none can be started."""
    import subprocess

    command = [sys.executable, "-P", "-m", __name__]
    try:
        return subprocess.Popen(  # noqa: S603 our own interpreter
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Not the vault: a relative PYTHONPATH would find modules there.
            cwd=os.path.dirname(sys.executable),
        )
    except OSError:
        return None


def _told(process: Popen[bytes], root: str, shares: Sequence[Sequence[str]]) -> bool:
    """Tell a process its files; whether it took all of it."""
    import json

    try:
        if process.stdin:
            process.stdin.write(
                json.dumps([os.path.abspath(root), *shares]).encode("ascii")
            )
            process.stdin.close()
    except OSError:
        return False
    return True


def _end(process: Popen[bytes] | None) -> None:
    """End a process, whether it is done or not."""
    if process is None:
        return
    for pipe in (process.stdin, process.stdout):
        if pipe:
            try:
                pipe.close()
            except OSError:
                pass  # what it did not take
    process.kill()
    process.wait()


def _next(process: Popen[bytes], files: int) -> Batch | None:
    """The next batch of a process, of so many files; None when it has none."""
    try:
        pipe: Any = process.stdout
        (length,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size))
        batch = from_bytes(_exactly(pipe, length))
    except (OSError, EOFError, ValueError, struct.error):
        return None
    return batch if batch.files == files else None


def _exactly(pipe: IO[bytes], length: int) -> bytes:
    data = pipe.read(length) if length <= _LARGEST else b""
    if len(data) != length:
        raise EOFError
    return data


def main() -> None:
    """Read the files that standard input names, in shares."""
    import json

    root, *shares = json.loads(sys.stdin.buffer.read())
    vault = Files(root)
    out = sys.stdout.buffer
    try:
        for share in shares:
            data = as_bytes(collected(map(vault.found, share)))
            out.write(_LENGTH.pack(len(data)))
            out.write(data)
            out.flush()
    except BrokenPipeError:
        os._exit(1)  # nobody waits for the rest


if __name__ == "__main__":
    main()
