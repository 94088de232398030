"""The overview: a vault at a glance, what waits in it, and what its index is like.

Invariant: reads only; the index is brought up to date first, and what that did is part
of the answer. The answers are those of `--json` (docs/agents/output.md).
"""

from __future__ import annotations

import os
from collections import Counter

from memcli.entries import dates, eligibility, layout
from memcli.entries.eligibility import View, standing
from memcli.errors import MemcliError
from memcli.storage import state_dirs
from memcli.storage.git.repository import Repository
from memcli.vault import lineage
from memcli.vault.health.lint import lint
from memcli.vault.lookup import brief

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from memcli.entries.file_checks import Finding
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Vault

_NEWEST = 5


def overview(vault: Vault) -> dict[str, Any]:
    """The vault at a glance, with everything that is wrong in it.

    `head` is the commit that is checked out, `dirty` are paths that are not committed,
    `git_problem` says why git cannot tell these, `recurred` are resolved entries that
    came up again, `inbox` how many candidates wait, the oldest for how many days.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the overview")
    vault.refuse_published("inspected as a folder")
    view = View(vault.now_ms() // 1000)
    rows, recurred = vault.read(lambda reader: _rows(reader, view))
    index = index_facts(vault)
    findings = lint(vault)
    waiting = [
        row.created
        for row in rows
        if row.status == "pending" and row.kind != layout.IDEA
    ]
    dated = [dates.to_epoch(created) for created in waiting if created]
    days = round((view.now - min(dated)) / eligibility.DAY, 1) if dated else None
    return {
        "path": vault.root,
        "entries": len(rows),
        "by_status": dict(sorted(Counter(row.status for row in rows).items())),
        "by_kind": dict(sorted(Counter(row.kind for row in rows).items())),
        "pinned": [brief(row) for row in rows if row.pinned],
        "enforced": [brief(row) for row in rows if row.enforce],
        "newest": [brief(row) for row in rows if row.status == "active"][:_NEWEST],
        "index": index,
        **_history_state(vault, findings),
        "inbox": {"count": len(waiting), "oldest_days": days},
        "recurred": [brief(row) for row in recurred],
        "findings": findings,
    }


def _rows(reader: Reader, view: View) -> tuple[list[StoredRow], list[StoredRow]]:
    """All rows, each with the status that it counts as, the newest first; and those
    that are resolved and came up again."""
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
    return [row for row, _ in found], recurred


def index_facts(vault: Vault) -> dict[str, Any]:
    """The index, and what bringing it up to date just did, in numbers of files.

    `terms` counts the words of all entries, `bytes` the files on disk. `rebuilt`
    says why everything was indexed again, `unreadable` names folders that could not be
    listed; `stale` is true when another process kept the index locked.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the index")
    vault.refuse_published("asked for an index on this machine")

    def facts(reader: Reader) -> dict[str, Any]:
        index = vault.index
        path = state_dirs.path(vault.root, layout.INDEX)
        return {
            "path": path,
            "entries": reader.size,
            "terms": reader.total_length,
            "broken": reader.broken,
            "bytes": _size(path),
            "added": index.change.added,
            "changed": index.change.changed,
            "removed": index.change.removed,
            "rebuilt": index.change.rebuilt or None,
            "unreadable": index.unreadable,
            "stale": index.stale,
        }

    return vault.again(facts)


def _size(folder: str) -> int:
    """The bytes of a folder's files, while others may come and go."""
    size = 0
    try:
        for name in os.listdir(folder):
            try:
                size += os.stat(os.path.join(folder, name)).st_size
            except OSError:  # merged away by another process
                continue
    except OSError:  # the whole index was deleted after it had answered
        return 0
    return size


def _history_state(vault: Vault, findings: list[Finding]) -> dict[str, Any]:
    """The commit that is checked out, and what of the vault git has not committed."""
    state: dict[str, Any] = {"head": None, "dirty": [], "git_problem": None}
    stuck = [each.message for each in findings if each.code == "git_stuck"]
    if stuck:  # nor would git answer the next question
        return {**state, "git_problem": stuck[0]}
    try:
        repository = Repository.open(vault.root, environ=vault.environ)
        state["dirty"] = sorted(path for _, path in repository.status())
        state["head"] = repository.head()
    except MemcliError as error:
        state["git_problem"] = error.message
    return state
