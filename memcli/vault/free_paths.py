"""Names of entries' files: one that is still free.

Invariant: a name tells an agent nothing of the files that it may not see.
"""

from __future__ import annotations

import os

from memcli.entries import layout
from memcli.storage.vault_paths import inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.vault.vault import Vault


def free_path(
    vault: Vault, folder: str, name: str, folders: dict[str, set[str]]
) -> str:
    """A path that no file has yet; collisions get a number, which the owner sees.

    A number would tell an agent that there is a file which it may not see, so what an
    agent writes has a name of its own from the start.

    Args:
        vault: where it will lie.
        folder: the vault-relative folder.
        name: of the file, without its ending.
        folders: the names that each folder has or was given; filled in, for the next.
    """
    if vault.agent is not None:
        name = f"{name}-{vault.new_id()[-6:]}"
    # How many files there are is not for an agent to learn from a folder's name.
    if vault.agent is None and layout.is_month(folder):
        folder = _with_room(vault, folder, folders)
    taken = _names(vault, folder, folders)
    file, number = f"{name}.md", 1
    while file.casefold() in taken:
        number += 1
        file = f"{name}-{number}.md"
    taken.add(file.casefold())
    return f"{folder}/{file}"


def _with_room(vault: Vault, folder: str, folders: dict[str, set[str]]) -> str:
    """A month's folder; when that is full, the last of those beside it, or a new one.

    Beside it and not in it, so that a commit does not write the full list anew.
    """
    if _has_room(vault, folder, folders):
        return folder
    year, _, month = folder.rpartition("/")
    beside = _names(vault, year, folders)
    number = max((layout.part_of(month, name) for name in beside), default=0)
    number = max(number, 2)
    while not _has_room(vault, layout.month_part(folder, number), folders):
        number += 1
    beside.add(layout.month_part(month, number))
    return layout.month_part(folder, number)


def _has_room(vault: Vault, folder: str, folders: dict[str, set[str]]) -> bool:
    if folder not in folders:
        path = os.path.join(vault.root, folder)
        if os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path)):
            return False
    return len(_names(vault, folder, folders)) < layout.ROOMY


def _names(vault: Vault, folder: str, folders: dict[str, set[str]]) -> set[str]:
    """The names in a folder, in lower case, and those that were given there."""
    taken = folders.get(folder)
    if taken is None:
        try:
            names = os.listdir(inside(vault.root, folder))
        except FileNotFoundError:
            names = []
        taken = folders[folder] = {item.casefold() for item in names}
    return taken
