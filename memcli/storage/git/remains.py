"""What a git that failed leaves in the repository, and `git gc` removes late or never.

Invariant: what is removed was written after the lock of the index was taken, is no
larger than what memcli gave to git, and has one of the names that git gives to
unfinished files. git reads none of them again.
"""

from __future__ import annotations

import contextlib
import os
import re

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

# fast-import names its report: `dumping crash report to .git/fast_import_crash_123`.
_REPORT = re.compile(rb"fast_import_crash_\d+")
_UNFINISHED = ("tmp_pack_", "tmp_idx_", "tmp_obj_")
# The trees of large folders and the heads of a pack come on top of the stream.
_MORE = 1_000_000  # bytes


def remove_remains(git_dir: str, output: bytes, since: int, size: int) -> None:
    """Remove what a failed fast-import has left.

    On a full disk each one leaves its report, a pack and an index of it. A fetch that
    begins in the same milliseconds has files of the same names. It would fail when one
    of them was removed, as on the full disk, and lose nothing.

    Args:
        git_dir: the repository's git folder.
        output: what fast-import printed.
        since: nothing is older, in ns by the clock of the file system.
        size: the bytes that fast-import was given.
    """
    for name in _REPORT.findall(output):
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(git_dir, name.decode()))
    for path in _unfinished(os.path.join(git_dir, "objects")):
        with contextlib.suppress(OSError):
            status = os.lstat(path)
            if status.st_mtime_ns >= since and status.st_size <= size + _MORE:
                os.unlink(path)


def _unfinished(objects: str) -> Iterator[str]:
    with contextlib.suppress(OSError):
        for folder in os.listdir(objects):
            if folder == "pack" or len(folder) == 2:
                path = os.path.join(objects, folder)
                for name in os.listdir(path):
                    if name.startswith(_UNFINISHED):
                        yield os.path.join(path, name)
