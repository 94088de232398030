"""Where the next version of an entry lies: its file's name follows the title.

Invariant: a link that works before the change works after it, and an agent learns
nothing of links that it may not see.
"""

from __future__ import annotations

import os
import re

from memcli.entries import layout
from memcli.entries.ids import is_adopted, slug
from memcli.entries.text.links import link_keys, link_readings, links
from memcli.errors import MemcliError
from memcli.storage import files
from memcli.vault import free_paths

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcli.entries.entry import Entry
    from memcli.vault.vault import Vault


# Of a page that is looked at for links; the registry may have thousands.
_LARGEST = 1_000_000


def next_path(vault: Vault, old: Entry, title: str) -> str:
    """The path of an entry's next version: in the same folder, named after its title.

    It is the path of the version before when the title gives the same name, when a
    link names that path or file, and when the file is not named after the old title:
    then a person has named it, or edited its text. What an agent writes keeps its path:
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
    return free_paths.free_path_in(vault, folder, name, {})


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
    """Path and text of the pages that the index does not hold: of names and ideas."""
    entities = (entity.path for entity in vault.registry.entities)
    for path in (layout.README, layout.IDEA_LEDGER, *entities):
        try:
            place = os.path.join(vault.root, *path.split("/"))
            data = files.read(place, follow=False, limit=_LARGEST)
        except MemcliError:  # there is none, or the lint names what is wrong with it
            continue
        yield path, data.decode("utf-8", "replace")
