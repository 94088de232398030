"""Show: entries by their ids, in full, from whichever vault that is asked has them.

Invariant: an entry is shown as recall shows it, with the reason when recall would not.
"""

from __future__ import annotations

from memcli.entries.eligibility import View
from memcli.errors import EntryNotFound, MemcliError
from memcli.named_tuple import NamedTuple
from memcli.recall import code_rows
from memcli.recall import recall as of_one
from memcli.recall.results import Row, of_source, row_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault


class Shown(NamedTuple):
    """An entry; `reason` says why recall does not show it, None when it does; `asked`
    are the phrases of its file, none where a database has the entry."""

    row: Row
    reason: str | None
    asked: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The row for JSON, with whether recall shows it."""
        eligible = self.reason is None
        return {
            **self.row.as_dict(),
            "asked": list(self.asked),
            "eligible": eligible,
            "reason_not_eligible": self.reason,
        }


def show(vaults: Sequence[Vault], ids: Sequence[str]) -> list[Shown]:
    """The entries that ids, unique prefixes of ids, or paths address.

    Args:
        vaults: asked one after the other; the first that has an entry shows it.
        ids: in the order of the answer.

    Raises:
        EntryNotFound, AmbiguousId: no vault has such an entry, or one has several.
    """
    return [_shown(vaults, entry_id) for entry_id in ids]


def _shown(vaults: Sequence[Vault], entry_id: str) -> Shown:
    refusal = None
    for vault in vaults:
        try:
            path = vault.path_of(entry_id)
        except EntryNotFound as error:
            refusal = refusal or error
            continue
        return _at(vault, path)
    raise refusal or EntryNotFound("no vault was asked")


def _at(vault: Vault, path: str) -> Shown:
    view = View(vault.now_ms() // 1000, agent=vault.agent)

    def look(reader: Reader) -> Shown:
        docs = reader.exact("path", path)
        if not docs:
            raise EntryNotFound(f"{path}: was removed after it was read")
        stored = reader.row(docs[0])
        row = of_one.aged(reader, view, docs[0], stored, row_of(stored, 0.0, []))
        (row,) = of_source([row], vault.source)
        return Shown(row, reader.verdict(docs[0], view))

    shown = vault.read(look)
    row = code_rows.of_one(vault, shown.row)
    try:
        return shown._replace(row=row, asked=vault.stored(path).entry.asked)
    except MemcliError:
        return shown._replace(row=row)
