"""Which entries are unresolved, resolved or back: what `resolve --list` shows.

Invariant: reads the index only, and shows nothing that eligibility hides.
"""

from __future__ import annotations

from memcli.entries.eligibility import View
from memcli.entries.entry import Status
from memcli.named_tuple import NamedTuple
from memcli.vault import lineage

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Vault

_RESOLVED = str(Status.RESOLVED)


class Standing(NamedTuple):
    """An entry in the list: `state` is unresolved, resolved or recurred."""

    id: str
    state: str
    title: str
    kind: str
    item: str | None
    path: str
    resolved_at: str | None
    resolved_by: str | None
    resolution_note: str | None
    seen: int
    last_seen: str


def standings(vault: Vault, states: Sequence[str] = ()) -> list[Standing]:
    """Entries in force or resolved; recurred entries first, then the newest.

    Args:
        vault: where they are.
        states: unresolved, resolved, recurred; none means all.
    """

    def look(reader: Reader) -> list[Standing]:
        view = View(vault.now_ms() // 1000)
        standings = [
            _standing(reader, reader.row(doc))
            for doc in reader.exact("status", _RESOLVED)
        ]
        if not states or "unresolved" in states:
            standings += [
                _standing(reader, reader.row(doc))
                for doc in reader.exact("status", str(Status.ACTIVE))
                if reader.verdict(doc, view) is None
            ]
        shown = [item for item in standings if not states or item.state in states]
        shown.sort(key=lambda item: (item.last_seen, item.id), reverse=True)
        order = {"recurred": 0, "resolved": 2, "unresolved": 1}
        # An entry that came up again needs a person; reflection items are injected.
        shown.sort(key=lambda item: (order[item.state], item.item is None))
        return shown

    return vault.read(look)


def _standing(reader: Reader, row: StoredRow) -> Standing:
    state = "unresolved"
    if row.status == _RESOLVED:
        state = "recurred" if lineage.recurred_at(reader, row) else "resolved"
    return Standing(
        id=row.id,
        state=state,
        title=row.title,
        kind=row.kind,
        item=row.item,
        path=row.path,
        resolved_at=row.resolved_at,
        resolved_by=row.resolved_by,
        resolution_note=row.resolution_note,
        seen=1 + len(row.seen),
        last_seen=max([row.created or "", *row.seen]),
    )
