"""Inspect: what memcli knows of one entry, and why recall shows it or does not; and the
overview: a vault at a glance, what waits in it, and what its index is like.

Invariant: reads only; asks the same eligibility and the same index as recall, so that
what it explains is what recall does. The index is brought up to date first, and what
that did is part of the overview.
"""

from __future__ import annotations

import os
from collections import Counter

from memcli.entries import dates, eligibility, layout
from memcli.entries.eligibility import View, facts, standing, verdict
from memcli.entries.entry import FIELDS, Entry, Layer, Status, is_unconfirmed
from memcli.entries.identity import claim_number
from memcli.entries.merging import files as merging
from memcli.entries.text import links
from memcli.errors import EntryNotFound, InvalidConfig, MemcliError, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.search.documents import ENFORCED
from memcli.search.ranking import graph
from memcli.storage import state_dirs
from memcli.storage.vault_paths import inside
from memcli.vault import lineage, staleness
from memcli.vault.code_state import CloseLook, Looked, is_stale
from memcli.vault.health import log
from memcli.vault.health.lint import NO_GIT, examined, pages
from memcli.vault.health.working_tree import walked
from memcli.vault.lookup import Brief, brief

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from memcli.entries.codec import Problem
    from memcli.search.reader import Reader
    from memcli.storage.git.repository import Commit
    from memcli.vault.lineage import Version
    from memcli.vault.vault import Vault

_MOST_COMMITS = 20


class Link(NamedTuple):
    """A link of an entry: the entry and the file that it means, None when none."""

    target: str
    entry: Brief | None
    file: str | None


class Inspected(NamedTuple):
    """One entry and what stands around it; docs/agents/output.md describes the keys."""

    entry: Entry
    problems: tuple[Problem, ...]
    reason_not_eligible: str | None
    file: dict[str, Any]
    history: list[Commit]
    history_note: str | None
    backlinks: list[Brief]
    links: list[Link]
    versions: list[Version]
    stale: bool
    stale_why: list[staleness.Reason]
    unconfirmed: bool
    recurred_at: str | None
    uses: int | None
    code: tuple[Looked, ...]

    @property
    def eligible(self) -> bool:
        """Whether recall may show the entry."""
        return self.reason_not_eligible is None

    def as_dict(self) -> dict[str, Any]:
        """For JSON: the fields of the entry as well."""
        entry, shown = self.entry, self._asdict()
        del shown["entry"], shown["code"]
        if entry.layer is not Layer.FACT:
            shown["citations_checked"] = entry.research is not None
        return {
            **{name: getattr(entry, name) for name in FIELDS},
            **shown,
            "eligible": self.eligible,
            "source": entry.source.as_dict(),
            "title": entry.display_title,
            "text": entry.body.strip(),
            "extra": dict(entry.extra),
            "path": entry.path,
            "code_state": [look.as_dict() for look in self.code],
        }


def inspect(vault: Vault, entry_id: str) -> Inspected:
    """One entry, by its id or a unique prefix of it.

    Raises:
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
        InvalidEntry: its file is broken.
    """
    path = vault.path_of(entry_id)
    stored = vault.stored(path)
    entry = stored.entry
    now = vault.now_ms() // 1000
    try:
        status = os.stat(inside(vault.root, path))
    except OSError as error:
        raise Unreadable(f"{path}: was removed after it was read") from error
    commits: list[Commit] = []
    # A path may have been another's before, and a commit names its entries.
    note: str | None = "the history is for the owner of the vault"
    if vault.agent is None:
        commits, note = _history(vault, path)
    else:
        entry = vault.as_seen(entry)
    code = _code(vault, entry)

    def look(reader: Reader) -> Inspected:
        resolves = reader.claims.resolves(claim_number(stored.entry.body))
        both = merging.shown(stored.data, path, vault.kinds)  # as the index has it
        known = facts(both or stored.entry, vault.settings.policies, resolves)
        docs = reader.exact("path", path)
        if not docs:
            raise EntryNotFound(f"{path}: was removed after it was read")
        row = reader.row(docs[0])
        reasons = staleness.reasons(reader, row, View(now=now))
        backlinks = graph.backlinks(reader, row, docs[0], links.link_names(entry))
        old_code = is_stale([each.state for each in code])
        return Inspected(
            entry=entry,
            problems=stored.decoded.problems,
            reason_not_eligible=verdict(known, View(now, agent=vault.agent)),
            file={"bytes": status.st_size, "modified": dates.iso(int(status.st_mtime))},
            history=commits,
            history_note=note,
            backlinks=[brief(reader.row(doc)) for doc in reader.newest(backlinks)],
            links=_links(vault, entry, reader),
            versions=lineage.versions(reader, entry.id),
            stale=staleness.is_stale(row, reasons) or old_code,
            stale_why=reasons,
            unconfirmed=is_unconfirmed(entry),
            recurred_at=lineage.recurred_at(reader, entry),
            uses=log.uses(vault, entry),
            code=code,
        )

    return vault.index.again(look)


def _code(vault: Vault, entry: Entry) -> tuple[Looked, ...]:
    """The state of the code that an entry names, with what changed in it."""
    if not entry.code:
        return ()
    try:
        close = CloseLook(vault.project, vault.source, vault.environ)
        return tuple(close.looks(entry, diffs=True))
    except InvalidConfig as error:  # everything else is shown all the same
        vault.tell(f"its code was not checked: {error.message}")
        return ()


def _links(vault: Vault, entry: Entry, reader: Reader) -> list[Link]:
    """The links of an entry, each with what it means."""
    found = {
        target: graph.meant(reader, target, entry.path)
        for target in links.links_of(entry)
    }
    plain: dict[str, str] = {}
    if None in found.values():
        # Nothing says who may see these, so an agent is told of none.
        plain = pages(vault, [] if vault.agent else walked(vault.root).others)
    made = []
    for target, doc in found.items():
        if doc is not None:
            row = reader.row(doc)
            made.append(Link(target, brief(row), row.path))
        else:
            readings = links.link_readings(target, entry.path)
            files = (plain[name] for name in readings if name in plain)
            made.append(Link(target, None, next(files, None)))
    return made


def _history(vault: Vault, path: str) -> tuple[list[Commit], str | None]:
    """The last commits of a file, newest first, and what to know about them."""
    from memcli.storage.git import history

    try:
        repository = vault.repository()
        commits = history.log(repository, path, _MOST_COMMITS)
        dirty = repository.look("status", "--porcelain", "--", path)
    except MemcliError as error:
        return [], error.message
    if not commits:
        return [], "not committed yet"
    return commits, "edited since the last commit" if dirty else None


# --- the whole vault ------------------------------------------------------------------

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
    view = View(vault.now_ms() // 1000)
    seen = examined(vault)  # first: what follows looks at no file again
    entries = vault.index.again(lambda reader: _entries(reader, view))
    problems = (each.message for each in seen.findings if each.code in NO_GIT)
    return {
        "path": vault.root,
        **entries,
        "index": index_facts(vault),
        "head": seen.head,
        "dirty": sorted(path for _, path in seen.status),
        "git_problem": next(problems, None),
        "findings": seen.findings,
    }


def _entries(reader: Reader, view: View) -> dict[str, Any]:
    """The part of the overview about entries; few of their rows are read."""
    every, columns = [*reader.everything()], reader.columns
    status = {doc: reader.status(doc) for doc in every}
    status |= {
        doc: standing(reader.facts(doc, access=False), view)
        for doc in reader.odd(every)
    }

    def of(wanted: Status) -> list[int]:
        return [doc for doc, one in status.items() if one is wanted]

    def briefs(docs: Iterable[int], most: int) -> list[dict[str, Any]]:
        found = []
        for doc in reader.last_written(docs, most):
            row, state = reader.row(doc), str(status[doc])
            seen = brief(row)._asdict() | {"status": state}
            found.append({**seen, "marks": staleness.marks(reader, row, view)})
        return found

    ideas = {*reader.exact("kind", layout.IDEA)}
    waiting = [doc for doc in of(Status.PENDING) if doc not in ideas]
    created = [columns.created[doc] for doc in waiting]
    days = round((view.now - min(created)) / eligibility.DAY, 1) if created else None
    recurred = [
        doc
        for doc in of(Status.RESOLVED)
        if lineage.recurred_at(reader, reader.row(doc), f"{columns.claims[doc]:016x}")
    ]
    kinds = {kind: len(docs) for kind, docs in reader.values("kind").items()}
    return {
        "entries": len(every),
        "by_status": dict(sorted(Counter(map(str, status.values())).items())),
        "by_kind": kinds,
        "pinned": briefs(reader.pinned(), len(every)),
        "enforced": briefs(reader.exact("check", ENFORCED), len(every)),
        "newest": briefs(of(Status.ACTIVE), _NEWEST),
        "inbox": {"count": len(waiting), "oldest_days": days},
        "recurred": briefs(recurred, len(every)),
    }


def index_facts(vault: Vault) -> dict[str, Any]:
    """The index, and what bringing it up to date just did, in numbers of files.

    `rebuilt` says why everything was indexed again, `unreadable` names folders that
    could not be listed; `stale` is true when another process kept the index locked.
    It is for the owner of a vault on this machine, as the lint is that comes before it.
    """

    def facts(reader: Reader) -> dict[str, Any]:
        index = vault.opened
        return {
            "path": state_dirs.path(vault.root, layout.INDEX),
            "entries": reader.size,
            "broken": reader.broken,
            **index.change,
            "rebuilt": index.change["rebuilt"] or None,
            "unreadable": index.unreadable,
            "stale": index.stale,
        }

    return vault.index.again(facts)
