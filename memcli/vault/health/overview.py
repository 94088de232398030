"""The overview: a vault at a glance, what waits in it, and what its index is like.

Invariant: reads only; the index is brought up to date first, and what that did is part
of the answer.
"""

from __future__ import annotations

import os
from collections import Counter

from memcli.entries import eligibility, layout
from memcli.entries.eligibility import View, standing
from memcli.entries.entry import Status
from memcli.entries.file_checks import ERROR, Finding
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple, taken
from memcli.storage import state_dirs
from memcli.storage.git.repository import Repository
from memcli.vault import lineage
from memcli.vault.health.lint import lint
from memcli.vault.lookup import Brief, brief

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.search.reader import Broken, Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Vault

_NEWEST = 5


class IndexFacts(NamedTuple):
    """The index, and what bringing it up to date just did, in numbers of files.

    `terms` counts the words of all entries, `bytes` the files on disk. `rebuilt`
    says why everything was indexed again, `unreadable` names folders that could not be
    listed; `stale` is true when another process kept the index locked.
    """

    path: str
    entries: int
    terms: int
    broken: list[Broken]
    bytes: int
    added: int
    changed: int
    removed: int
    rebuilt: str | None
    unreadable: list[str]
    stale: bool


class Inbox(NamedTuple):
    """How many candidates wait for review, and for how many days the oldest has."""

    waiting: int
    oldest_days: float | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"count": self.waiting, "oldest_days": self.oldest_days}


class Overview(NamedTuple):
    """A vault at a glance, with everything that is wrong in it.

    `head` is the commit that is checked out, `dirty` are paths that are not committed,
    `git_problem` says why git cannot tell these, `recurred` are resolved entries that
    came up again.
    """

    path: str
    entries: int
    by_status: dict[str, int]
    by_kind: dict[str, int]
    pinned: list[Brief]
    enforced: list[Brief]
    newest: list[Brief]
    index_facts: IndexFacts
    head: str | None
    dirty: list[str]
    git_problem: str | None
    inbox: Inbox
    recurred: list[Brief]
    findings: list[Finding]

    @property
    def ok(self) -> bool:
        """Whether memcli can use everything in the vault."""
        return not any(finding.level == ERROR for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        fields = self._asdict()
        index = fields.pop("index_facts")
        return {**fields, "inbox": self.inbox.as_dict(), "index": index}


def overview(vault: Vault) -> Overview:
    """The vault at a glance, after its index was brought up to date.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the overview")
    vault.refuse_published("inspected as a folder")
    view = View(vault.now_ms() // 1000)

    held = vault.read(lambda reader: _held(reader, view))
    head, status, problem = _history_state(vault)
    return Overview(
        path=vault.root,
        entries=len(held.rows),
        by_status=dict(sorted(Counter(row.status for row in held.rows).items())),
        by_kind=dict(sorted(Counter(row.kind for row in held.rows).items())),
        pinned=[brief(row) for row in held.rows if row.pinned],
        enforced=[brief(row) for row in held.rows if row.enforce],
        newest=[brief(row) for row in held.rows if row.status == "active"][:_NEWEST],
        index_facts=index_facts(vault),
        head=head,
        dirty=sorted(path for _, path in status or ()),
        git_problem=problem.message if problem else None,
        inbox=_inbox(held.rows, view.now),
        recurred=held.recurred,
        findings=lint(vault, listed=True, status=problem or status),
    )


class _Held(NamedTuple):
    """The rows of an index, each with the status that it counts as, the newest first;
    and those that are resolved and came up again."""

    rows: list[StoredRow]
    recurred: list[Brief]


def _held(reader: Reader, view: View) -> _Held:
    every = list(reader.everything())
    odd = reader.odd(every)
    found = []
    for doc in every:
        row = reader.row(doc)
        if doc in odd:
            now = standing(reader.facts(doc, access=False), view)
            row = row._replace(status=str(now))
        found.append((row, doc))
    found.sort(key=lambda pair: (pair[0].created, pair[0].id, pair[0].path))
    found.reverse()
    recurred = [row for row, doc in found if lineage.has_recurred(reader, doc, row)]
    return _Held([row for row, _ in found], [brief(row) for row in recurred])


def index_facts(vault: Vault) -> IndexFacts:
    """The index, and what bringing it up to date just did.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the index")
    vault.refuse_published("asked for an index on this machine")

    def facts(reader: Reader) -> IndexFacts:
        index = vault.index.opened
        path = state_dirs.path(vault.root, layout.INDEX)
        return taken(
            IndexFacts,
            index.change,
            path=path,
            entries=reader.size,
            terms=reader.total_length,
            broken=reader.broken,
            bytes=_size(path),
            rebuilt=index.change.rebuilt or None,
            unreadable=index.unreadable,
            stale=index.stale,
        )

    return vault.index.again(facts)


def _size(folder: str) -> int:
    """The bytes of a folder's files, while others may come and go."""
    size = 0
    try:
        with os.scandir(folder) as items:
            for item in items:
                try:
                    size += item.stat().st_size
                except OSError:  # merged away by another process
                    continue
    except OSError:  # the whole index was deleted after it had answered
        return 0
    return size


def _inbox(rows: Sequence[StoredRow], now: int) -> Inbox:
    from memcli.entries import dates

    waiting = [
        row.created
        for row in rows
        if row.status == str(Status.PENDING) and not layout.is_idea(row.path)
    ]
    dated = [dates.to_epoch(created) for created in waiting if created]
    oldest = round((now - min(dated)) / eligibility.DAY, 1) if dated else None
    return Inbox(len(waiting), oldest)


def _history_state(
    vault: Vault,
) -> tuple[str | None, list[tuple[str, str]] | None, MemcliError | None]:
    """The commit that is checked out, git's status; and what is wrong with git where it
    cannot tell these."""
    try:
        repository = Repository.open(vault.root, environ=vault.environ)
        status = repository.status()
        return repository.head(), status, None
    except MemcliError as error:
        return None, None, error
