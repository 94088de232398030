"""Where a vault's repository is, found without starting git.

Invariant: only a `.git` above or at the vault's own folder counts. A bare repository
among the notes (`HEAD`, `objects`, `config`), which git itself would take for one, does
not, or the author of the notes would choose what git runs.
"""

from __future__ import annotations

import os

from memcli.errors import Unreadable
from memcli.storage.files import read


def find(root: str) -> tuple[str, str] | None:
    """(top of the work tree, git's own folder) of the repository around a folder.

    Both are absolute; None when there is none.
    """
    folder = os.path.realpath(root)
    while True:
        marker = os.path.join(folder, ".git")
        git_dir = marker if os.path.isdir(marker) else _linked(marker)
        if git_dir and os.path.lexists(os.path.join(git_dir, "HEAD")):
            return folder, git_dir
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def git_dir_of(root: str) -> str | None:
    """git's own folder for the vault at `root`, None when it is not under git."""
    found = find(root)
    return found[1] if found else None


def _linked(marker: str) -> str:
    """The git folder that a `.git` file (work tree, submodule) points to, or ''."""
    try:
        text = os.fsdecode(read(marker, limit=4096))
    except Unreadable:
        return ""
    if not text.startswith("gitdir:"):
        return ""
    target = text.removeprefix("gitdir:").strip()
    return os.path.normpath(os.path.join(os.path.dirname(marker), target))
