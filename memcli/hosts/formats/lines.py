"""A file of JSON lines that may be broken anywhere, read in little memory.

Invariant: one line is held at a time, and none that is longer than `LONGEST`. A line
that cannot be read costs only itself: its number goes to `broken`, and the next one is
read. A last line that is still being written is neither read nor broken.
"""

from __future__ import annotations

import os
import stat
from typing import IO, Any

from memcli.errors import Unreadable
from memcli.storage.files import BINARY, NONBLOCK

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Ten times what a host sends to a model at once; with its objects 100 MB.
LONGEST = 16_000_000

Record = dict[str, Any]


def open_file(path: str) -> IO[bytes]:
    """Open a regular file for reading.

    Raises:
        Unreadable: missing, forbidden, a folder, a pipe or a device.
    """
    try:
        handle = os.open(path, os.O_RDONLY | BINARY | NONBLOCK)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Unreadable(f"{path}: {reason[:1].lower()}{reason[1:]}") from error
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        what = "a folder" if stat.S_ISDIR(mode) else "not a file"
        raise Unreadable(
            f"{path}: is {what}", hint="Name the file of one session's transcript."
        )
    return os.fdopen(handle, "rb")


class Lines:
    """The records of one file.

    Attributes:
        path: the file.
        broken: numbers of the lines that the last reading could not read.
        unfinished: the beginning of a last line that is still being written.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.broken: list[int] = []
        self.unfinished = b""

    def records(self) -> Iterator[tuple[int, Record]]:
        """(line from 1, object) of each line that holds one; may be called again.

        Bytes that are not UTF-8 are replaced.

        Raises:
            Unreadable: the file is none, or the disk refuses.
        """
        self.broken, self.unfinished = [], b""
        with open_file(self.path) as handle:
            try:
                for line, raw, ended in _raw_lines(handle):
                    data = raw.strip(_BLANK)
                    value = _object(data) if len(data) <= LONGEST else None
                    if value is not None:
                        yield line, value
                    elif data and ended:
                        self.broken.append(line)
                    elif data:
                        self.unfinished = data[:1]
            except OSError as error:
                raise Unreadable(f"{self.path}: {error.strerror}") from error


_BLANK = b"\xef\xbb\xbf\0 \t\r\n"


def _object(data: bytes) -> Record | None:
    """The JSON object that bytes are; None for any other."""
    import json

    try:
        value = json.loads(data.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _raw_lines(handle: IO[bytes]) -> Iterator[tuple[int, bytes, bool]]:
    """(number, bytes, whether it ended) of each line; a long one is cut."""
    number = 0
    while raw := handle.readline(LONGEST + 2):
        number += 1
        ended = raw.endswith(b"\n")
        while not ended and (rest := handle.readline(LONGEST)):
            ended = rest.endswith(b"\n")
        yield number, raw, ended


def lines_of(ranges: Iterable[tuple[int, int]]) -> set[int]:
    """The lines of ranges [start, end), which may overlap: what a rewind took back."""
    lines, behind = set[int](), 0
    for start, end in sorted(ranges):
        lines.update(range(max(start, behind), end))
        behind = max(behind, end)
    return lines
