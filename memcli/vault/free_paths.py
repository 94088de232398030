"""Names of entries' files: one that is still free, and that of an entry's next version.

Invariant: a name tells an agent nothing of the files, and of the links, that it may not
see. A link that works before an entry is replaced works after it.
"""

from __future__ import annotations

import os
import re

from memcli.entries import layout
from memcli.entries.ids import is_adopted, slug
from memcli.entries.text.links import link_keys, link_readings, links
from memcli.errors import MemcliError
from memcli.storage import files
from memcli.storage.vault_paths import inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcli.entries.entry import Entry
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
    return free_path_in(vault, folder, name, folders)


def free_path_in(
    vault: Vault, folder: str, name: str, folders: dict[str, set[str]]
) -> str:
    """A path in exactly this folder, full or not, with a number if the name is taken.

    For what an agent may not ask for; the arguments are those of `free_path`.
    """
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


# Of a page that is looked at for links; the registry may have thousands.
_LARGEST = 1_000_000


def next_path(vault: Vault, old: Entry, title: str) -> str:
    """The path of an entry's next version: in the same folder, named after its title.

    The path stays when the title gives the same name, when a link names that path or
    file, or when the file is not named after the old title: then a person has named it,
    or edited its text. What an agent writes keeps its path:
    a new one would tell the agent that nothing links there.

    Args:
        vault: where the entry lies; no file is touched.
        old: the version before, at its path.
        title: of the next version, not empty.
    """
    folder, _, file = old.path.rpartition("/")
    stem = file.removesuffix(".md")
    # Of two files for one title the second has a number, and keeps it.
    names = {stem, re.sub(r"-\d+$", "", stem)}
    name = slug(title)
    named_by_memcli = not is_adopted(old.id) and slug(old.display_title) in names
    if vault.agent is not None or not named_by_memcli or name in names:
        return old.path
    if _is_linked(vault, old.path):
        return old.path
    return free_path_in(vault, folder, name, {})


def _is_linked(vault: Vault, path: str) -> bool:
    """Whether an entry, or a page that is none, links to a path or its file's name."""
    names = link_keys("", path, "")
    linked = vault.index.again(
        lambda reader: any(len(reader.exact("link", name)) for name in names)
    )
    return linked or any(
        not set(names).isdisjoint(link_readings(target, page))
        for page, text in _pages(vault)
        for target in links(text)
    )


def _pages(vault: Vault) -> Iterator[tuple[str, str]]:
    """Path and text of the pages that the index does not hold."""
    entities = (entity.path for entity in vault.registry.entities)
    for path in (layout.README, *entities):
        try:
            place = os.path.join(vault.root, *path.split("/"))
            data = files.read(place, follow=False, limit=_LARGEST)
        except MemcliError:  # there is none, or the lint names what is wrong with it
            continue
        yield path, data.decode("utf-8", "replace")
