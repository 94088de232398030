"""The observations and models that a change makes stale, as an answer names them.

Invariant: a hint and nothing more: nothing is marked, and the next look at them tells
from the files whether they are stale (`vault.staleness`).
"""

from __future__ import annotations

from memcli.entries.eligibility import View
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.entries.entry import Entry
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow


class Resting(NamedTuple):
    """An observation or model that rests on something; `layer` says which it is."""

    id: str
    title: str
    layer: str


def on_replaced(
    reader: Reader, replaced: Sequence[Entry], text: str, now: int
) -> list[Resting]:
    """Those that rest on what entries say before they get another text.

    Args:
        reader: the vault before the change.
        replaced: the entries.
        text: of the version that takes their place.
        now: epoch seconds.
    """
    if not reader.holds("evidence"):
        return []
    from memcli.vault import staleness

    return _named(staleness.made_stale(reader, replaced, text, View(now)))


def on_ended(reader: Reader, ids: Iterable[str], now: int) -> list[Resting]:
    """Those that rest on entries which are resolved or removed.

    Args:
        reader: the vault before or after they are resolved; before they are removed.
        ids: of the entries.
        now: epoch seconds.
    """
    if not reader.holds("evidence"):
        return []
    from memcli.vault import staleness

    return _named(staleness.stale_without(reader, ids, View(now)))


def _named(rows: Iterable[StoredRow]) -> list[Resting]:
    return [Resting(row.id, row.title, row.layer) for row in rows]
