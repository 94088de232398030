"""Inspect: what memcli knows of one entry, and why recall shows it or does not.

Invariant: reads only; asks the same eligibility and the same index as recall, so
that what it explains is what recall does.
"""

from __future__ import annotations

import os
from collections import Counter

from memcli.entries import eligibility, layout
from memcli.entries.codec import Problem
from memcli.entries.eligibility import View, facts, verdict
from memcli.entries.entry import FIELDS, Entry, Layer
from memcli.entries.identity import claim_number
from memcli.entries.merging import one_file
from memcli.entries.text import differences
from memcli.errors import EntryNotFound, InvalidConfig, MemcliError, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.search import edges
from memcli.storage.vault_paths import inside
from memcli.vault import lineage, staleness
from memcli.vault.code_state import CloseLook, Looked, is_stale
from memcli.vault.health import git_state, log
from memcli.vault.health.lint import Names
from memcli.vault.health.lint_tree import walked
from memcli.vault.lookup import Brief, brief
from memcli.vault.registry import link_names

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.storage.git.repository import Commit
    from memcli.vault.lineage import Version
    from memcli.vault.vault import Stored, Vault

_MOST_RELATED = 10
_MOST_COMMITS = 20
# Files beside the entries that are the owner's, or whose names tell of hidden ones.
_OWNERS = (".", f"{layout.ENTITIES}/", f"{layout.IDEAS}/", f"{layout.ARCHIVE}/")


# What JSON shows of an entry besides its fields.
_SHOWN = (
    "problems", "eligible", "file", "history", "history_note", "links", "versions",
    "recurred_at", "stale", "uses",
)  # fmt: skip


class Link(NamedTuple):
    """A link of an entry: the entry and the file that it means, None when none."""

    target: str
    entry: Brief | None
    file: str | None


class FileFacts(NamedTuple):
    """The size of a file in bytes, and when it was modified, ISO 8601."""

    bytes: int
    modified: str


class ItemFacts(NamedTuple):
    """The weight of a reflection item, its days left, and how often it came up.

    `days_left` is None for an item that does not expire.
    """

    score: float
    days_left: float | None
    sightings: int


class Surroundings(NamedTuple):
    """The surroundings of an entry in the index.

    `before` and `after` stand beside it in its session; `backlinks` link to it;
    `related` share entities with it.
    """

    before: Brief | None
    after: Brief | None
    backlinks: list[Brief]
    related: list[Brief]
    stale: bool
    stale_why: list[staleness.Reason]


class Inspected(NamedTuple):
    """One entry and what stands around it; docs/agents/output.md describes the keys."""

    entry: Entry
    problems: tuple[Problem, ...]
    reason: str | None
    file: FileFacts
    history: list[Commit]
    history_note: str | None
    around: Surroundings
    links: list[Link]
    versions: list[Version]
    item: ItemFacts | None
    recurred_at: str | None
    uses: int | None
    code: tuple[Looked, ...] = ()

    @property
    def stale(self) -> bool:
        """Whether it may no longer hold, by its evidence or by its code."""
        return self.around.stale or is_stale([look.state for look in self.code])

    @property
    def eligible(self) -> bool:
        """Whether recall may show the entry."""
        return self.reason is None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        entry, around = self.entry, self.around
        fields = {name: getattr(entry, name) for name in FIELDS}
        if entry.layer is not Layer.FACT:
            fields["citations_checked"] = entry.research is not None
        return {
            **fields,
            **{name: getattr(self, name) for name in _SHOWN},
            "source": entry.source.as_dict(),
            "title": entry.display_title,
            "text": entry.body.strip(),
            "extra": dict(entry.extra),
            "path": entry.path,
            "reason_not_eligible": self.reason,
            "neighbours": {"before": around.before, "after": around.after},
            "backlinks": around.backlinks,
            "related": around.related,
            "item_facts": self.item,
            "code_state": [look.as_dict() for look in self.code],
            "stale_why": around.stale_why,
        }


def inspect(vault: Vault, entry_id: str) -> Inspected:
    """One entry, by its id or a unique prefix of it.

    Raises:
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
        InvalidEntry: its file is broken.
    """
    from memcli.entries import dates

    path = vault.path_of(entry_id)
    stored = vault.stored(path)
    decoded, entry = stored.decoded, stored.entry
    now = vault.now_ms() // 1000
    policies = vault.settings.policies
    view = View(now, agent=vault.agent)
    said = claim_number(entry.body)
    resolves = vault.index.again(lambda reader: reader.claims.resolves(said))
    both = one_file.shown(stored.data, path, vault.kinds)  # as the index has it
    known = facts(both or entry, policies, resolves)
    try:
        status = os.stat(inside(vault.root, path))
    except OSError as error:
        raise Unreadable(f"{path}: was removed after it was read") from error
    if vault.agent is None:
        commits, note = _history(vault, path)
    else:
        # A path may have been another's before, and a commit names its entries.
        commits, note = [], "the history is for the owner of the vault"
        entry = vault.as_seen(entry)
    return Inspected(
        entry=entry,
        problems=(*decoded.problems, *_conflicts(stored)),
        reason=verdict(known, view),
        file=FileFacts(status.st_size, dates.iso(int(status.st_mtime))),
        history=commits,
        history_note=note,
        around=vault.index.again(lambda reader: _around(reader, entry, View(now=now))),
        links=_links(vault, entry),
        versions=vault.index.again(lambda reader: lineage.versions(reader, entry.id)),
        item=_item_facts(entry, known.expires, now, policies),
        recurred_at=vault.index.again(
            lambda reader: lineage.recurred_at(reader, entry)
        ),
        uses=log.uses(vault, entry),
        code=_code(vault, entry),
    )


def _code(vault: Vault, entry: Entry) -> tuple[Looked, ...]:
    """The state of the code that an entry names, with what changed in it."""
    if not (entry.code or entry.code_names):
        return ()
    try:
        return tuple(CloseLook(vault).looks(entry, diffs=True))
    except InvalidConfig as error:  # everything else is shown all the same
        vault.tell(f"its code was not checked: {error.message}")
        return ()


def _conflicts(stored: Stored) -> Iterator[Problem]:
    """Where a conflict that git left in the text begins."""
    text = stored.data.decode("utf-8", "replace")
    place = differences.begins(text)
    if place >= 0 and differences.begins(stored.entry.body) >= 0:
        line = text.count("\n", 0, place) + 1
        yield Problem(stored.path, line, "text", "a merge conflict begins here")


def _item_facts(
    entry: Entry, ends: int, now: int, policies: eligibility.Policies
) -> ItemFacts | None:
    if entry.item is None:
        return None
    seen = eligibility.times(entry.created, entry.seen)
    score = eligibility.score(entry.item, seen, entry.confidence, now, policies)
    return ItemFacts(
        score=round(score, 3),
        days_left=round((ends - now) / eligibility.DAY, 1) if ends else None,
        sightings=len(seen),
    )


def _around(reader: Reader, entry: Entry, view: View) -> Surroundings:
    from memcli.entries.text.links import link_names as names_of
    from memcli.entries.text.tokens import name_key
    from memcli.search.document import document_id

    docs = reader.exact("path", entry.path)
    if not docs:
        raise EntryNotFound(f"{entry.path}: was removed after it was read")
    doc = docs[0]
    before = after = None
    session = reader.sessions[doc]
    if document_id(entry) and session:
        members = reader.session_members(session)
        place = members.index(doc)
        before = brief(reader.row(members[place - 1])) if place else None
        last = place + 1 == len(members)
        after = None if last else brief(reader.row(members[place + 1]))
    shared: Counter[int] = Counter()
    for name in entry.entities:
        shared.update(d for d in reader.exact("entity", name_key(name)) if d != doc)
    orders = reader.orders
    row = reader.row(doc)
    linking_here = reader.newest(edges.backlinks(reader, row, doc, names_of(entry)))
    related = sorted(shared, key=lambda d: (-shared[d], orders[d]))[:_MOST_RELATED]
    reasons = staleness.reasons(reader, row, view)
    return Surroundings(
        before=before,
        after=after,
        backlinks=[brief(reader.row(d)) for d in linking_here],
        related=[brief(reader.row(d)) for d in related],
        stale=staleness.is_stale(row, reasons),
        stale_why=reasons,
    )


def _links(vault: Vault, entry: Entry) -> list[Link]:
    """The links of an entry, each with what it means."""
    from memcli.entries.text.links import links_of

    def meant(reader: Reader) -> dict[str, StoredRow | None]:
        docs = {target: edges.meant(reader, target, entry.path) for target in targets}
        return {
            target: None if doc is None else reader.row(doc)
            for target, doc in docs.items()
        }

    targets = links_of(entry)
    rows = vault.index.again(meant) if targets else {}
    plain: Names = Names()
    if None in rows.values():
        # Nothing says who may see these, so an agent is told of none that is owned.
        plain.add_files(
            path
            for path in walked(vault.root).others
            if vault.agent is None or not path.startswith(_OWNERS)
        )
        for names, path in link_names(vault.root, vault.agent):
            plain.add(names, path)
    return [
        Link(target, brief(row), row.path)
        if row
        else Link(target, None, plain.find(target, entry.path))
        for target, row in rows.items()
    ]


def _history(vault: Vault, path: str) -> tuple[list[Commit], str | None]:
    """The last commits of a file, newest first, and what to know about them."""
    from memcli.storage.git import history

    repository = git_state.repository_of(vault)
    if repository is None:
        return [], "the vault is not under git"
    try:
        commits = history.log(repository, path, _MOST_COMMITS)
        dirty = not repository.is_clean([path])
    except MemcliError as error:
        return [], error.message
    if not commits:
        return [], "not committed yet"
    return commits, "edited since the last commit" if dirty else None
