"""The folder of a project that a host's settings and skills are kept in.

Invariant: nothing is written. A repository may come from other people, and its links
with it: a path that `refuse_outside` lets pass lies in the project after all links
are followed.
"""

from __future__ import annotations

import os

from memcli.errors import UnsafePath
from memcli.storage.vault_paths import inside


def root(cwd: str, *, home: str = "") -> str:
    """The repository around a folder; the folder itself where there is none.

    A `home` that is a repository, of dotfiles, is not the project of what lies in it.
    """
    folder = os.path.abspath(cwd)
    while not os.path.lexists(os.path.join(folder, ".git")) or folder == home:
        above = os.path.dirname(folder)
        if above == folder:
            return os.path.abspath(cwd)
        folder = above
    return folder


def refuse_outside(project: str, relative: str) -> None:
    """Refuse a path of a project that leads out of it; it need not exist.

    Raises:
        UnsafePath: a symbolic link on it leads out of the project.
    """
    try:
        inside(project, relative)
    except UnsafePath as error:
        raise UnsafePath(
            f"{relative} of {project} leads out of the project through a symbolic "
            "link; nothing was changed",
            hint="Put a file or folder in the place of the link: it may have come "
            "with the repository.",
        ) from error
