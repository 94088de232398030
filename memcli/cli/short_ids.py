"""Ids as a terminal shows them: the shortest beginning that means one entry.

Invariant: what is shown leads to the entry in every vault that was asked, as the caller
sees it: what an agent may not see lengthens no id. Pipes and JSON have whole ids.
"""

from __future__ import annotations

from memcli.errors import Unavailable

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli.cli.context import Canvas
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults


def of(canvas: Canvas, sources: Vault | Vaults | None) -> Callable[[str], str]:
    """How this canvas shows an id of these vaults."""
    if not canvas.terminal or sources is None:
        return str
    from memcli.vault import lookup
    from memcli.vault.vault import Vault

    vaults = (sources,) if isinstance(sources, Vault) else sources.vaults

    beginning = lookup.shortest if len(vaults) == 1 else lookup.shortest_beside

    looked: set[str] = set()
    silent: set[str] = set()

    def short(entry_id: str) -> str:
        lengths = []
        for vault in vaults:
            if vault.root in silent:
                continue
            # The first id sees what the command has written. Listing the files once
            # more for each of ten ids would take longer than the rest of a recall.
            ask = vault.index.again if vault.root in looked else vault.read
            looked.add(vault.root)
            try:
                lengths.append(ask(lambda reader: len(beginning(reader, entry_id))))
            except Unavailable:  # its database is gone, which keeps no answer back
                silent.add(vault.root)
        return entry_id[: max(lengths, default=len(entry_id))]

    return short
