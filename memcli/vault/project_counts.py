"""How many entries of a vault hold in each project.

Invariant: the counts come from the index that answers the asking agent, so they include
nothing that it would not get.
"""

from typing import TYPE_CHECKING

from memcli.search.document import EVERYWHERE
from memcli.vault.counts import Count, by_field

if TYPE_CHECKING:
    from memcli.vault.vault import Vault


def projects(vault: "Vault") -> list[Count]:
    """What holds everywhere, without a name, then each project, the one with most
    entries in force first."""
    found = vault.read(lambda reader: by_field(vault, reader, "project"))
    everywhere = Count(None, 0, 0, 0)
    named = []
    for count in found:
        if count.name == EVERYWHERE:
            everywhere = count._replace(name=None)
        else:
            named.append(count)
    return [everywhere, *named]
