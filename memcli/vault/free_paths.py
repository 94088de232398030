"""Names of files that nothing has yet.

Invariant: a name tells an agent nothing of the files that it may not see.
"""

import os
from typing import TYPE_CHECKING

from memcli.storage import files

if TYPE_CHECKING:
    from memcli.vault.vault import Vault

OWN_MARK = 7
"""Characters that `own_name` adds: a hyphen, and what is random in a fresh id."""


def own_name(vault: "Vault", name: str) -> str:
    """The name of a file or folder; an agent's cannot be that of another's."""
    if vault.agent is None:
        return name
    return f"{name}-{vault.new_id()[1 - OWN_MARK :]}"


def free_path(
    vault: "Vault", folder: str, name: str, folders: dict[str, set[str]]
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
    name = own_name(vault, name)
    taken = folders.get(folder)
    if taken is None:
        try:
            names = os.listdir(files.inside(vault.root, folder))
        except FileNotFoundError:
            names = []
        taken = folders[folder] = {item.casefold() for item in names}
    file, number = f"{name}.md", 1
    while file in taken:
        number += 1
        file = f"{name}-{number}.md"
    taken.add(file)
    return f"{folder}/{file}"
