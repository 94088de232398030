"""`memcli merge-driver`: what git calls for a file that both sides of a merge changed.

Invariant: git's file is replaced only by a whole merged one, and 0 is returned only
then; with any other answer the file is as git made it, and git's own merge by lines
follows (`storage/git/merging`). What the merge adds besides becomes a new file of
the work tree, never in the place of another one and never through a link.
"""

from __future__ import annotations

import os
import sys

from memcli.entries import layout
from memcli.entries.entry import printable
from memcli.errors import MemcliError
from memcli.storage import files
from memcli.storage.vault_paths import inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

# A file of more bytes is left to git.
_LARGEST = 20_000_000
_OTHER = "another clone"


def main(words: Sequence[str], cwd: str) -> int:
    """Merge one file; the exit code, 0 when it is merged.

    Args:
        words: what git gives: the files of the base, of ours and of theirs, and the
            path of the file in the repository.
        cwd: the top of the work tree, where git starts its drivers.
    """
    if len(words) != 4:
        sys.stderr.write("memcli merge-driver: git calls this, with %O %A %B %P\n")
        return 2
    try:
        return _merge(*words, cwd=cwd)
    except (MemcliError, OSError, ValueError, RecursionError) as error:
        said = printable(f"{words[3]} is left to git: {error}")
        sys.stderr.write(f"memcli: {said}\n")
        return 1


def _merge(base: str, ours: str, theirs: str, path: str, *, cwd: str) -> int:
    from memcli.entries.merging.files import Version, merge_path

    start, one, two = (
        files.read(os.path.join(cwd, name), limit=_LARGEST)
        for name in (base, ours, theirs)
    )
    folder, place = _vault_of(cwd, path)
    merged = merge_path(
        place,
        start or None,  # git's file of a base that does not exist is empty
        Version(one, _OTHER),
        Version(two, _OTHER),
        kinds=_kinds(os.path.join(cwd, folder)),
    )
    for kept in merged.kept:
        _put_beside(cwd, folder + kept.path, kept.data)
    files.write_atomic(os.path.join(cwd, ours), merged.data)
    for note in merged.notes:
        sys.stderr.write(f"memcli: {printable(path)}: {printable(note)}\n")
    return 0


def _vault_of(cwd: str, path: str) -> tuple[str, str]:
    """The folder of the vault that a path of the repository lies in, and the rest.

    The folder ends with `/`; it is empty for the repository itself, which stands for
    the vault where no folder on the way is one.
    """
    parts = path.split("/")
    for count in range(len(parts) - 1, -1, -1):
        folder = "".join(f"{part}/" for part in parts[:count])
        marker = inside(cwd, folder + layout.CONFIG)
        if os.path.isdir(os.path.dirname(marker)):
            return folder, "/".join(parts[count:])
    return "", path


def _kinds(root: str) -> tuple[str, ...]:
    from memcli.entries.entry import KINDS
    from memcli.storage import settings

    try:
        return (*KINDS, *settings.load(root).kinds)
    except MemcliError:  # the settings may be what is merged just now
        return KINDS


def _put_beside(root: str, path: str, data: bytes) -> None:
    """Write a new file of the work tree, unless it is there with the same bytes.

    Raises:
        MemcliError: something else is there, or a link leads out.
    """
    place = inside(root, path)
    there = files.current(place)
    if there == data:
        return
    if there is not None or os.path.lexists(place):
        raise MemcliError(f"{path} is there already")
    files.write_atomic(place, data)
