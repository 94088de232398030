"""How many entries of a vault have each tag, kind or project.

Invariant: the counts come from the index that answers the asking agent, so they include
nothing that it would not get.
"""

from __future__ import annotations

from memcli.entries.eligibility import View
from memcli.entries.entry import Status
from memcli.named_tuple import NamedTuple
from memcli.search.document import EVERYWHERE, UNTAGGED

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault


class Count(NamedTuple):
    """How many entries with a name are in force, over, and wait for review.

    `name` is None for the entries without one.
    """

    name: str | None
    current: int
    past: int
    waiting: int


def tags(vault: Vault) -> list[Count]:
    """The tags of a vault, the one with most entries in force first."""
    found = vault.read(lambda reader: _by_field(vault, reader, "tag"))
    return [count for count in found if count.name != UNTAGGED]


def kinds(vault: Vault) -> list[Count]:
    """The kinds that a vault knows, also those without an entry, and those that only
    notes by hand have; the one with most entries in force first."""
    found = vault.read(lambda reader: _by_field(vault, reader, "kind"))
    used = {count.name for count in found}
    unused = [Count(name, 0, 0, 0) for name in vault.kinds if name not in used]
    return found + unused


def projects(vault: Vault) -> list[Count]:
    """The entries that hold everywhere, then each project, the one with most
    entries in force first."""
    found = vault.read(lambda reader: _by_field(vault, reader, "project"))
    everywhere = Count(None, 0, 0, 0)
    named = []
    for count in found:
        if count.name == EVERYWHERE:
            everywhere = count._replace(name=None)
        else:
            named.append(count)
    return [everywhere, *named]


def _by_field(vault: Vault, reader: Reader, field: str) -> list[Count]:
    """The values of a field of the index, each with its entries."""
    view = View(vault.now_ms() // 1000)
    waits = View(view.now, frozenset({Status.PENDING}))
    in_force = {doc for doc in reader.everything() if reader.verdict(doc, view) is None}
    pending = reader.exact("status", str(Status.PENDING))
    in_wait = {doc for doc in pending if reader.verdict(doc, waits) is None}
    counts = []
    for name, docs in reader.values(field).items():
        current = len(in_force.intersection(docs))
        waiting = len(in_wait.intersection(docs))
        counts.append(Count(name, current, len(docs) - current - waiting, waiting))
    return sorted(counts, key=lambda count: (-count.current, count.name or ""))
