"""An entry in one line, where another one, or a whole vault, is shown.

Invariant: pure.
"""

from __future__ import annotations

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.search.stored_row import StoredRow


class Brief(NamedTuple):
    """An entry in one line."""

    id: str
    title: str
    kind: str
    status: str
    created: str
    path: str


def brief(row: StoredRow) -> Brief:
    """An entry of the index in one line."""
    return Brief(row.id, row.title, row.kind, row.status, row.created, row.path)
