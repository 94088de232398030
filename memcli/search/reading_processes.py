"""Several processes read the files of a vault, and say what they found over pipes.

Invariant: a process that dies, or says something that is no answer, loses nothing: the
rest of its files are read here. Nothing that comes over a pipe is executed or
unpickled. No process outlives the one that started it by more than a batch: its pipe
breaks.

No pool of `multiprocessing`: its processes would import from the folder that the
command was called in, unpickle, and wait for ever once this one was killed. Here each
is a Python of its own, which reads the vault's path and its shares of the files from
its standard input, and writes a line for each share.
"""

from __future__ import annotations

import os
import sys

from memcli.search.batch import as_line, collected, from_line
from memcli.search.reading import Files
from memcli.storage.cache import MALFORMED

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from subprocess import Popen

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
    started: list[Popen[bytes]] = []
    try:
        try:
            started.extend(_start() for _ in range(processes))
        except OSError:
            pass  # those that could not be started are read for here
        # Not before: a process takes its paths from the pipe once it has loaded.
        for number, process in enumerate(started):
            _tell(process, vault.root, shares[number::processes])
        for at, share in enumerate(shares):
            number = at % processes
            batch = None
            if number < len(started):
                batch = _next(started[number], len(share))
            yield batch or collected(map(vault.found, share))
    finally:
        for process in started:
            _end(process)


def _start() -> Popen[bytes]:
    """A process that waits to be told its files; raises OSError when none can start."""
    import subprocess

    return subprocess.Popen(  # noqa: S603 our own interpreter
        [sys.executable, "-P", "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # Not the vault: a relative PYTHONPATH would find modules there.
        cwd=os.path.dirname(sys.executable),
    )


def _tell(process: Popen[bytes], root: str, shares: Sequence[Sequence[str]]) -> None:
    """Tell a process its files; one that does not take all of them is ended."""
    import json

    try:
        if process.stdin:
            process.stdin.write(
                json.dumps([os.path.abspath(root), *shares]).encode("ascii")
            )
            process.stdin.close()
    except OSError:
        _end(process)


def _next(process: Popen[bytes], files: int) -> Batch | None:
    """The next batch of a process, of so many files; one that has none is ended."""
    try:
        if process.stdout:
            batch = from_line(process.stdout.readline())
            if batch.files == files:
                return batch
    except (OSError, *MALFORMED):
        pass
    _end(process)
    return None


def _end(process: Popen[bytes]) -> None:
    """End a process, whether it is done or not."""
    for pipe in (process.stdin, process.stdout):
        if pipe:
            try:
                pipe.close()
            except OSError:
                pass  # what it did not take
    process.kill()
    process.wait()


def main() -> None:
    """Read the files that standard input names, in shares."""
    import json

    root, *shares = json.loads(sys.stdin.buffer.read())
    vault = Files(root)
    out = sys.stdout.buffer
    try:
        for share in shares:
            out.write(as_line(collected(map(vault.found, share))))
            out.flush()
    except BrokenPipeError:
        os._exit(1)  # nobody waits for the rest


if __name__ == "__main__":
    main()
