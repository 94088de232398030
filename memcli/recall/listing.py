"""List: the entries that filters admit, the ones that were written last first; show:
entries by their ids, in full, from whichever vault that is asked has them; and
feedback: the caller says which of them were useful.

Invariant: nothing is listed that `eligibility.verdict` refuses, and nothing is ranked:
The log of signals gets no line, since nobody has asked for one of the rows. An entry is
shown as recall shows it, with the reason when recall would not. Every id is looked up,
as far as the caller may see, before any feedback is noted; it belongs to the newest
recall that returned the entry, and changes no entry.
"""

from __future__ import annotations

from functools import partial

from memcli.entries.eligibility import View
from memcli.errors import EntryNotFound, MemcliError, NotAllowed, UsageError
from memcli.named_tuple import NamedTuple
from memcli.recall import recall as of_one
from memcli.recall.filters import admitted, unknown_warnings, within
from memcli.recall.results import Row, row_of, with_code
from memcli.vault import lookup

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.recall.query import Query
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults

MOST = 20
"""Rows when no limit is given."""


class Listed(NamedTuple):
    """A list: how many entries pass the filters, and the newest of them."""

    total: int
    rows: list[Row]
    warnings: list[str]

    def as_dict(self) -> dict[str, Any]:
        """The `data` of the JSON envelope."""
        return {"count": self.total, "rows": [row.as_dict() for row in self.rows]}


def listed(sources: Vault | Vaults, query: Query, since: int | None = None) -> Listed:
    """List the entries of one vault, or of several.

    Args:
        sources: where to look.
        query: its filters; its limit, or else `MOST`, is how many rows come.
        since: the oldest moment of writing, epoch seconds.

    Raises:
        InvalidValue: the query names what does not exist, see `query.checked`.
    """
    most = MOST if query.limit is None else query.limit
    query = query._replace(limit=most)
    answers, warnings = of_one.ask(
        sources, query, lambda reader, one: look(reader, one, since)
    )
    rows = [row for _, answer in answers for row in answer.rows]
    if len(answers) > 1:
        rows.sort(key=lambda row: (row.created, row.id), reverse=True)
        rows = rows[:most]
    total = sum(answer.total for _, answer in answers)
    return Listed(total, rows, warnings)


def look(reader: Reader, query: Query, since: int | None = None) -> Listed:
    """A list within a read that the caller holds; the query is `checked`."""
    chosen = within(reader, query)
    created = reader.columns.created
    young = [
        doc
        for doc in (reader.everything() if chosen is None else chosen)
        if since is None or created[doc] >= since
    ]
    docs = admitted(reader, query.view, query.filters, young)
    newest = reader.last_written(docs, query.most)
    rows = [row_of(reader, query.view, doc, query.source) for doc in newest]
    warnings = unknown_warnings(reader, query.filters) + of_one.broken_warnings(reader)
    return Listed(len(docs), rows, warnings)


# --- show ---------------------------------------------------------------------------


class Shown(NamedTuple):
    """An entry; `reason` says why recall does not show it, None when it does; `asked`
    are the phrases of its file, none where a database has the entry."""

    row: Row
    reason: str | None
    resolved_at: str | None
    resolved_by: str | None
    resolution_note: str | None
    asked: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The row for JSON, with whether recall shows it."""
        return {
            **self.row.as_dict(),
            **{name: getattr(self, name) for name in _RESOLVED},
            "asked": list(self.asked),
            "eligible": self.reason is None,
            "reason_not_eligible": self.reason,
        }


_RESOLVED = ("resolved_at", "resolved_by", "resolution_note")


def show(vaults: Sequence[Vault], ids: Sequence[str]) -> list[Shown]:
    """The entries that ids, unique prefixes of ids, or paths address.

    Args:
        vaults: asked one after the other; the first that has an entry shows it.
        ids: in the order of the answer.

    Raises:
        EntryNotFound, AmbiguousId: no vault has such an entry, or one has several.
    """
    return [_shown(*holder(vaults, entry_id)) for entry_id in ids]


def holder(vaults: Sequence[Vault], entry_id: str) -> tuple[Vault, str]:
    """The first of the vaults that has an entry, and its path there.

    Raises:
        EntryNotFound, AmbiguousId: no vault has such an entry, or one has several.
    """
    refusal = None
    for vault in vaults:
        try:
            return vault, vault.path_of(entry_id)
        except EntryNotFound as error:
            refusal = refusal or error
    raise refusal or EntryNotFound("no vault was asked")


def _shown(vault: Vault, path: str) -> Shown:
    view = View(vault.now_ms() // 1000, agent=vault.agent)

    def look(reader: Reader) -> Shown:
        docs = reader.exact("path", path)
        if not docs:
            raise EntryNotFound(f"{path}: was removed after it was read")
        row = row_of(reader, view, docs[0], vault.source)
        stored = reader.row(docs[0])
        resolved = (getattr(stored, name) for name in _RESOLVED)
        return Shown(row, reader.verdict(docs[0], view), *resolved)

    shown = vault.read(look)
    (row,) = with_code(vault, [shown.row])
    try:
        return shown._replace(row=row, asked=vault.stored(path).entry.asked)
    except MemcliError:
        return shown._replace(row=row)


# --- feedback -----------------------------------------------------------------------


class Noted(NamedTuple):
    """The verdict on one entry.

    `recall` names the newest answer that held the entry, None when the log knows no
    such answer; `noted` is False when its vault may only be read, or the disk refused.
    """

    id: str
    title: str
    useful: bool
    recall: str | None
    source: str
    noted: bool


def feedback(
    vaults: Sequence[Vault], useful: Sequence[str], not_useful: Sequence[str] = ()
) -> list[Noted]:
    """Note which entries were useful, and which were not; returns the verdicts.

    Args:
        vaults: the vaults to look in. The first that holds an entry notes the verdict;
            those that may only be read come last.
        useful: ids, or unique prefixes of ids.
        not_useful: the same of entries that were not useful.

    Raises:
        EntryNotFound, AmbiguousId: an id leads to no entry, or to several.
        UsageError: an entry is named as useful and as not useful.
        NotAllowed: a vault that holds one of them logs nothing (code `signals_off`).
    """
    order = sorted(vaults, key=lambda vault: vault.read_only)
    verdicts = [(name, True) for name in useful] + [(n, False) for n in not_useful]
    entries: dict[str, tuple[bool, Vault, StoredRow]] = {}
    for name, is_useful in verdicts:
        vault, path = holder(order, name)
        row = vault.read(partial(lookup.matching, word=path))[0]
        if entries.setdefault(row.id, (is_useful, vault, row))[0] is not is_useful:
            raise UsageError(
                f"{row.id} is named as useful and as not useful", hint="Name it once."
            )
    for _, vault, _ in entries.values():
        if not (vault.recorder.on or vault.read_only):
            raise NotAllowed(
                f"{vault.named} keeps no log of signals, so this cannot be noted",
                hint="Its .memcli/config.toml says so: [signals] log "
                "(docs/use/recall.md)",
                code="signals_off",
            )
    return [
        Noted(row.id, row.title, is_useful, verdict.recall, vault.source, verdict.noted)
        for is_useful, vault, row in entries.values()
        for verdict in vault.recorder.judged([row.id], useful=is_useful, by="user")
    ]
