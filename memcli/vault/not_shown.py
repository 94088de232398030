"""Telling why an entry is not shown: its claim is resolved, and what brings it back.

Invariant: reads only. A command that writes an entry which nothing will show says so.
"""

from __future__ import annotations

from memcli.entries.eligibility import View, settled_by

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault


def note(resolved_id: str) -> str:
    """Why something is not shown, and the command that brings it back."""
    return (
        f"its claim is resolved by {resolved_id}; to bring it back: "
        f"memcli resolve --undo {resolved_id}"
    )


def notes(vault: Vault, ids: Iterable[str]) -> list[str]:
    """A sentence for each of these entries whose claim is resolved."""
    wanted = list(ids)
    if not wanted:
        return []
    view = View(vault.now_ms() // 1000, agent=vault.agent)

    def look(reader: Reader) -> list[str]:
        found = {}
        for name in wanted:
            for doc in reader.exact("id", name):
                resolve = settled_by(reader.facts(doc), view)
                if resolve is not None:
                    found[name] = f"{name} is not shown: {note(resolve.id)}"
        return list(found.values())

    return vault.read(look)
