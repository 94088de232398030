"""List: the entries that filters admit, the ones that were written last first; and
show: entries by their ids, in full, from whichever vault that is asked has them.

Invariant: nothing is listed that `eligibility.verdict` refuses, and nothing is ranked:
The log of signals gets no line, since nobody has asked for one of the rows. An entry is
shown as recall shows it, with the reason when recall would not.
"""

from __future__ import annotations

from memcli.entries.eligibility import View
from memcli.errors import EntryNotFound, MemcliError
from memcli.named_tuple import NamedTuple
from memcli.recall import recall as of_one
from memcli.recall.filters import EVERYWHERE, UNTAGGED, Admission, within
from memcli.recall.results import Row, row_of, with_code

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from memcli.recall.query import Query
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults

MOST = 20
"""Rows when no limit is given; with `by` a limit counts for each group."""
MOST_OF_A_GROUP = 5

# What the index calls entries without a value, and what people read then.
_WITHOUT = {("tag", UNTAGGED): "(no tag)", ("project", EVERYWHERE): "(everywhere)"}


class Group(NamedTuple):
    """The entries that share a kind, a tag or a project.

    `name` is "" for those without one; `total` is how many there are, `rows` the
    newest of them.
    """

    name: str
    label: str
    total: int
    rows: list[Row]


class Listed(NamedTuple):
    """A list: how many entries pass the filters, and the newest of them.

    `groups` is None unless they were asked for; the rows are in the groups then.
    """

    total: int
    rows: list[Row]
    groups: list[Group] | None
    warnings: list[str]

    @property
    def is_cut(self) -> bool:
        """Whether there are more entries than rows."""
        if self.groups is not None:
            return any(len(group.rows) < group.total for group in self.groups)
        return len(self.rows) < self.total

    def as_dict(self) -> dict[str, Any]:
        """The `data` of the JSON envelope."""
        data: dict[str, Any] = {"count": self.total}
        if self.groups is None:
            return {**data, "rows": [row.as_dict() for row in self.rows]}
        data["groups"] = [
            {
                "name": group.name or None,
                "count": group.total,
                "rows": [row.as_dict() for row in group.rows],
            }
            for group in self.groups
        ]
        return data


class Wish(NamedTuple):
    """A list that is asked for: filters, oldest moment of writing (epoch s), and how
    to group: by "kind", "tag" or "project", fields of the index, or "" for one list."""

    query: Query
    since: int | None = None
    by: str = ""

    @property
    def most(self) -> int:
        """How many rows to show at most, with `by` of each group."""
        if self.query.limit is not None:
            return self.query.limit
        return MOST_OF_A_GROUP if self.by else MOST


def listed(sources: Vault | Vaults, wish: Wish) -> Listed:
    """List the entries of one vault, or of several.

    Raises:
        InvalidValue: the query names what does not exist, see `query.checked`.
    """
    answers, warnings = of_one.ask(
        sources,
        wish.query,
        lambda reader, query: look(reader, wish._replace(query=query)),
    )
    lists = [answer for _, answer in answers]
    answer = lists[0] if len(sources.vaults) == 1 else _merged(lists, wish)
    return answer._replace(warnings=warnings)


def look(reader: Reader, wish: Wish) -> Listed:
    """A list within a read that the caller holds; `wish.query` is `checked`."""
    admit = Admission(reader, wish.query.view, wish.query.filters)
    chosen = within(reader, wish.query)
    created = reader.columns.created
    docs = [
        doc
        for doc in (reader.everything() if chosen is None else chosen)
        if (wish.since is None or created[doc] >= wish.since) and admit(doc)
    ]
    groups = None
    if wish.by:
        groups = _groups(reader, wish, docs)
    return Listed(
        total=len(docs),
        rows=[] if wish.by else _newest(reader, wish, docs),
        groups=groups,
        warnings=of_one.plain_warnings(reader, wish.query),
    )


def _merged(answers: Sequence[Listed], wish: Wish) -> Listed:
    """The lists of several vaults as one, the newest rows of all first."""
    rows = _by_age(row for answer in answers for row in answer.rows)
    groups = None
    if wish.by:
        by_name: dict[str, list[Group]] = {}
        for answer in answers:
            for group in answer.groups or ():
                by_name.setdefault(group.name, []).append(group)
        groups = _largest_first(
            Group(
                name,
                same[0].label,
                sum(group.total for group in same),
                _by_age(row for group in same for row in group.rows)[: wish.most],
            )
            for name, same in by_name.items()
        )
    return Listed(
        total=sum(answer.total for answer in answers),
        rows=rows[: wish.most],
        groups=groups,
        warnings=[],
    )


def _groups(reader: Reader, wish: Wish, docs: Sequence[int]) -> list[Group]:
    listed = set(docs)
    groups = []
    for value in reader.starting(wish.by, ""):
        members = listed.intersection(reader.exact(wish.by, value))
        if not members:
            continue
        label = _WITHOUT.get((wish.by, value))
        rows = _newest(reader, wish, members)
        groups.append(Group("" if label else value, label or value, len(members), rows))
    return _largest_first(groups)


def _largest_first(groups: Iterable[Group]) -> list[Group]:
    return sorted(groups, key=lambda group: (-group.total, not group.name, group.name))


def _newest(reader: Reader, wish: Wish, docs: Iterable[int]) -> list[Row]:
    """The rows of the documents that were written last, the newest first."""
    view = wish.query.view
    rows = []
    for doc in reader.last_written(docs, wish.most):
        stored = reader.row(doc)
        row = row_of(stored, wish.query.source)
        rows.append(of_one.aged(reader, view, doc, stored, row))
    return rows


def _by_age(rows: Iterable[Row]) -> list[Row]:
    from memcli.entries.dates import to_epoch

    def age(row: Row) -> tuple[int, str]:
        # A file that was written by hand need not say when.
        return (to_epoch(row.created) if row.created else 0, row.id)

    return sorted(rows, key=age, reverse=True)


# --- show ---------------------------------------------------------------------------


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
        row = row_of(stored, vault.source)
        row = of_one.aged(reader, view, docs[0], stored, row)
        return Shown(row, reader.verdict(docs[0], view))

    shown = vault.read(look)
    (row,) = with_code(vault, [shown.row])
    try:
        return shown._replace(row=row, asked=vault.stored(path).entry.asked)
    except MemcliError:
        return shown._replace(row=row)
