"""An entry without what it says of entries that are hidden.

Invariant: an agent learns no id of an entry that it may not see.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from memcli.entries.entry import Entry
    from memcli.search.stored_row import StoredRow

    _Named = TypeVar("_Named", Entry, StoredRow)


def censored(row: _Named, shown: Callable[[str | None], str | None]) -> _Named:
    """An entry, or its row, without these ids.

    Args:
        row: it.
        shown: gives an id back, or None for that of a hidden entry.
    """
    evidence = tuple(name for name in row.evidence if shown(name))
    return row._replace(
        supersedes=shown(row.supersedes),
        superseded_by=shown(row.superseded_by),
        evidence=evidence,
        fingerprints=tuple(
            fingerprint
            for fingerprint in row.fingerprints
            if fingerprint.partition(":")[0] in evidence
        ),
    )
