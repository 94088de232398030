"""Several processes read the files of a vault, and say what they found over pipes.

Invariant: a process that dies, or says something that is no answer, loses nothing: the
rest of its files are read here. Nothing that comes over a pipe is executed or
unpickled. No process outlives the one that started it: its pipe breaks.

Each process is a Python of its own and not a fork, so it is the same on every system,
and no thread or lock of this one is copied. It reads the vault's path and its share of
the paths from its standard input, to the end; then it writes for each file the lengths
of three parts, and the parts: what JSON can hold of it, the packed record, the row.
"""

from __future__ import annotations

import os
import struct
import sys

from memcli.search.prepared import Prepared
from memcli.search.reading import Files, Found

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from subprocess import Popen
    from typing import IO, Any

# Below this many files another process costs more than it brings: it loads for a
# tenth of a second, which is some 200 files.
_WORTH_A_PROCESS = 1_000
# More find no faster than one process writes what they found.
_MOST_PROCESSES = 4
# The files are dealt out in turn, so many to each: what waits of one share to be
# taken fits into a pipe, so that no process waits for another for long.
_SHARE = 16
_LENGTHS = struct.Struct("<III")
# Of a file's first million bytes no part is as large.
_LARGEST = 100_000_000


def found_in(root: str, paths: Sequence[str], processes: int) -> Iterator[Found]:
    """What each of these files holds, in the order of the paths.

    Args:
        root: the vault's folder.
        paths: vault-relative.
        processes: how many may read at most.

    Raises:
        InvalidConfig: the vault's settings cannot be understood.
    """
    vault = Files(root)
    several = worth(processes, len(paths))
    if several > 1:
        return found_by_several(vault, paths, several)
    return map(vault.found, paths)


def worth(processes: int, files: int) -> int:
    """How many processes are to read so many files; 1 means this one alone.

    Args:
        processes: how many may.
        files: how many there are.
    """
    return max(1, min(processes, _MOST_PROCESSES, files // _WORTH_A_PROCESS))


def found_by_several(
    vault: Files, paths: Sequence[str], processes: int
) -> Iterator[Found]:
    """What each of these files holds, in the order of the paths.

    Args:
        vault: reads a file here when a process has died.
        paths: vault-relative.
        processes: how many read.
    """
    started: list[Popen[bytes] | None] = []
    try:
        for number in range(processes):
            share = [
                path
                for start in range(number * _SHARE, len(paths), processes * _SHARE)
                for path in paths[start : start + _SHARE]
            ]
            started.append(_start(vault.root, share))
        for start in range(0, len(paths), _SHARE):
            number = start // _SHARE % processes
            for path in paths[start : start + _SHARE]:
                process = started[number]
                found = _next(process, path) if process else None
                if found is None:
                    _end(process)
                    started[number] = None
                    found = vault.found(path)
                yield found
    finally:
        for process in started:
            _end(process)


def _start(root: str, paths: Sequence[str]) -> Popen[bytes] | None:
    """A process that reads these files; None when none can be started."""
    import json
    import subprocess

    command = [sys.executable, "-P", "-m", __name__]
    try:
        process = subprocess.Popen(  # noqa: S603 our own interpreter
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Not the vault: a relative PYTHONPATH would find modules there.
            cwd=os.path.dirname(sys.executable),
        )
    except OSError:
        return None
    try:
        if process.stdin:
            process.stdin.write(
                json.dumps([os.path.abspath(root), *paths]).encode("ascii")
            )
            process.stdin.close()
    except OSError:
        _end(process)
        return None
    return process


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


def _next(process: Popen[bytes], path: str) -> Found | None:
    """What a process found in its next file; None when it has no answer for it."""
    import json

    try:
        pipe: Any = process.stdout
        head, packed, row = (
            _exactly(pipe, length)
            for length in _LENGTHS.unpack(_exactly(pipe, _LENGTHS.size))
        )
        said, number, broken, terms, exact = json.loads(head)
        if said != path:
            return None
        if broken is not None:
            return Found(path, number, (broken[0], broken[1]), None)
        values = {field: tuple(texts) for field, texts in exact.items()}
        return Found(path, number, None, Prepared(terms, values, row, packed))
    except (OSError, EOFError, ValueError, TypeError, struct.error):
        return None


def _exactly(pipe: IO[bytes], length: int) -> bytes:
    data = pipe.read(length) if length <= _LARGEST else b""
    if len(data) != length:
        raise EOFError
    return data


def _said(found: Found) -> bytes:
    """The bytes for one file; `_next` reads them."""
    import json

    doc = found.document or Prepared({}, {}, b"", b"")
    head = json.dumps(
        (found.path, found.number, found.broken, doc.terms, doc.exact),
        separators=(",", ":"),
    ).encode("ascii")
    lengths = _LENGTHS.pack(len(head), len(doc.packed), len(doc.row))
    return b"".join((lengths, head, doc.packed, doc.row))


def main() -> None:
    """Read the share of the paths that standard input names."""
    import json

    root, *paths = json.loads(sys.stdin.buffer.read())
    vault = Files(root)
    try:
        for path in paths:
            sys.stdout.buffer.write(_said(vault.found(path)))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os._exit(1)  # nobody waits for the rest


if __name__ == "__main__":
    main()
