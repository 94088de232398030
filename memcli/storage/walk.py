"""Every folder below one, without following a link.

Invariant: how deep folders lie in each other has no limit but the disk's.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator


def walk(root: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """As `os.walk`, from above, following no link; however deep the folders are.

    That of Python 3.11 calls itself for each level.
    """
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        folders: list[str] = []
        names: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    is_folder = entry.is_dir(follow_symlinks=False)
                    (folders if is_folder else names).append(entry.name)
        except OSError:
            continue
        yield folder, folders, names
        waiting += (os.path.join(folder, name) for name in reversed(folders))
