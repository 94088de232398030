"""Inspect: what memcli knows of a vault, of one entry, of its index, and why.

Invariant: reads only; asks the same eligibility and the same index as recall, so
that what it explains is what recall does.
"""

import os
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.entries import decay, layout
from memcli.entries.eligibility import View, verdict
from memcli.entries.entry import FIELDS, Entry, Status
from memcli.errors import EntryNotFound, MemcliError, NotAVault, Unreadable
from memcli.search import edges
from memcli.storage import files
from memcli.vault import lineage, staleness
from memcli.vault.health import usage
from memcli.vault.health.finding import ERROR, Finding
from memcli.vault.health.lint import Names, add_files, lint, other_files
from memcli.vault.lineage import Version
from memcli.vault.registry.store import link_names

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.storage.git.repository import Commit, Repository
    from memcli.vault.vault import Vault

_NEWEST = 5
_MOST_RELATED = 10
_MOST_COMMITS = 20
# Files beside the entries that are the owner's, or whose names tell of hidden ones.
_OWNERS = (".", f"{layout.ENTITIES}/", f"{layout.IDEAS}/", f"{layout.ARCHIVE}/")


class Overview(NamedTuple):
    """A vault at a glance, with everything that is wrong in it."""

    path: str
    entries: int
    by_status: dict[str, int]
    by_kind: dict[str, int]
    pinned: list[dict[str, Any]]
    newest: list[dict[str, Any]]
    index_facts: dict[str, Any]
    head: str | None
    dirty: list[str]
    inbox: dict[str, Any]
    recurred: list[dict[str, Any]]
    findings: list[Finding]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong that memcli cannot use."""
        return not any(finding.level == ERROR for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        fields = self._asdict()
        fields["index"] = fields.pop("index_facts")
        return fields | {"findings": [f._asdict() for f in self.findings]}


class Inspected(NamedTuple):
    """One entry and what stands around it; docs/agents/output.md describes the keys."""

    entry: Entry
    problems: list[dict[str, Any]]
    eligible: bool
    reason: str | None
    file: dict[str, Any]
    history: list["Commit"]
    history_note: str | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    links: list[dict[str, Any]]
    backlinks: list[dict[str, Any]]
    related: list[dict[str, Any]]
    versions: list[Version]
    item: dict[str, Any] | None
    recurred_at: str | None
    stale: bool
    stale_why: list[dict[str, Any]]
    uses: int | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        fields = {name: getattr(self.entry, name) for name in FIELDS}
        fields["source"] = self.entry.source.as_dict()
        return {
            **{k: list(v) if isinstance(v, tuple) else v for k, v in fields.items()},
            "title": self.entry.display_title,
            "text": self.entry.body.strip(),
            "extra": dict(self.entry.extra),
            "path": self.entry.path,
            "problems": self.problems,
            "eligible": self.eligible,
            "reason_not_eligible": self.reason,
            "file": self.file,
            "history": [commit._asdict() for commit in self.history],
            "history_note": self.history_note,
            "neighbours": {"before": self.before, "after": self.after},
            "links": self.links,
            "backlinks": self.backlinks,
            "related": self.related,
            "versions": [version._asdict() for version in self.versions],
            "item_facts": self.item,
            "recurred_at": self.recurred_at,
            "stale": self.stale,
            "stale_why": self.stale_why,
            "uses": self.uses,
        }


def overview(vault: "Vault") -> Overview:
    """The vault at a glance, after its index was brought up to date."""
    vault.owner_only("the overview")
    rows = vault.read(lambda reader: [reader.row(doc) for doc in reader.everything()])
    rows.sort(key=lambda row: (row.created, row.id), reverse=True)
    head, dirty = _history_state(vault)
    return Overview(
        path=vault.root,
        entries=len(rows),
        by_status=dict(sorted(Counter(row.status for row in rows).items())),
        by_kind=dict(sorted(Counter(row.kind for row in rows).items())),
        pinned=[_brief(row) for row in rows if row.pinned],
        newest=[_brief(row) for row in rows if row.status == "active"][:_NEWEST],
        index_facts=index_facts(vault),
        head=head,
        dirty=dirty,
        inbox=_inbox(rows, vault.now_ms() // 1000),
        recurred=[_brief(row) for row in rows if lineage.recurred_at(row)],
        findings=lint(vault, progress=vault.progress),
    )


def index_facts(vault: "Vault") -> dict[str, Any]:
    """The index, and what bringing it up to date just did."""
    vault.owner_only("the index")

    def facts(reader: "Reader") -> dict[str, Any]:
        return {
            "entries": reader.size,
            "deleted": reader.deleted,
            "segments": reader.segments,
            "terms": reader.total_length,
            "broken": [item._asdict() for item in reader.broken],
        }

    found = vault.read(facts)
    change = vault.index.change
    return {
        "path": layout.INDEX,
        **found,
        "bytes": _size(os.path.join(vault.root, *layout.INDEX.split("/"))),
        "added": change.added,
        "changed": change.changed,
        "removed": change.removed,
        "rebuilt": change.rebuilt or None,
        "unreadable": vault.index.unreadable,
        "stale": vault.index.stale,
    }


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


def inspect(vault: "Vault", entry_id: str) -> Inspected:
    """One entry, by its id or a unique prefix of it.

    Raises:
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
        InvalidEntry: its file is broken.
    """
    from memcli.entries.eligibility import facts

    path = vault.path_of(entry_id)
    decoded = vault.load(path)
    entry = decoded.entry
    now = vault.now_ms() // 1000
    policies = vault.settings.policies
    found = facts(entry, policies)
    reason = verdict(found, View(now=now))
    try:
        status = os.stat(files.inside(vault.root, path))
    except OSError as error:
        raise Unreadable(f"{path}: gone since it was read") from error
    if vault.agent is None:
        commits, note = _history(vault, path)
    else:
        # A path may have been another's before, and a commit names its entries.
        commits, note = [], "the history is for the owner of the vault"
        entry = vault.read(lambda reader: _named(reader, entry))
    around = vault.read(lambda reader: _around(reader, entry, View(now=now)))
    around["links"] = _links(vault, entry)
    return Inspected(
        entry=entry,
        problems=[problem._asdict() for problem in decoded.problems],
        eligible=reason is None,
        reason=reason,
        file={"bytes": status.st_size, "modified": _iso(int(status.st_mtime))},
        history=commits,
        history_note=note,
        versions=vault.read(lambda reader: lineage.versions(reader, entry.id)),
        item=_item_facts(entry, found.expires, now, policies),
        recurred_at=lineage.recurred_at(entry),
        uses=usage.uses(vault, entry),
        **around,
    )


def _named(reader: "Reader", entry: Entry) -> Entry:
    """The entry without ids that its reader may not know of."""
    return entry.replace(
        supersedes=reader.names(entry.supersedes),
        superseded_by=reader.names(entry.superseded_by),
        evidence=tuple(one for one in entry.evidence if reader.names(one)),
        fingerprints=tuple(
            one for one in entry.fingerprints if reader.names(one.partition(":")[0])
        ),
    )


def _item_facts(
    entry: Entry, ends: int, now: int, policies: decay.Policies
) -> dict[str, Any] | None:
    """What a reflection item weighs, and for how long."""
    if entry.item is None:
        return None
    seen = decay.times(entry.created, entry.seen)
    score = decay.score(entry.item, seen, entry.confidence, now, policies)
    return {
        "score": round(score, 3),
        "days_left": round((ends - now) / decay.DAY, 1) if ends else None,
        "sightings": len(seen),
    }


def _inbox(rows: "Sequence[StoredRow]", now: int) -> dict[str, Any]:
    """How many candidates wait, and for how many days the oldest has."""
    from memcli.entries import dates

    waiting = [
        row.created
        for row in rows
        if row.status == str(Status.PENDING) and not layout.is_idea(row.path)
    ]
    dated = [dates.to_epoch(created) for created in waiting if created]
    oldest = round((now - min(dated)) / decay.DAY, 1) if dated else None
    return {"count": len(waiting), "oldest_days": oldest}


def _around(reader: "Reader", entry: Entry, view: View) -> dict[str, Any]:
    from memcli.entries.text.links import link_names as names_of
    from memcli.entries.text.links import name_key
    from memcli.search.document import document_id

    docs = reader.exact("path", entry.path)
    if not docs:
        raise EntryNotFound(f"{entry.path}: gone since it was read")
    doc = docs[0]
    before = after = None
    session = reader.sessions[doc]
    if document_id(entry) and session:
        line = reader.session_members(session)
        i = line.index(doc)
        before = _brief(reader.row(line[i - 1])) if i else None
        after = _brief(reader.row(line[i + 1])) if i + 1 < len(line) else None
    shared: Counter[int] = Counter()
    for name in entry.entities:
        shared.update(d for d in reader.exact("entity", name_key(name)) if d != doc)
    orders = reader.orders
    row = reader.row(doc)
    names = names_of(entry)
    linking_here = reader.newest(edges.backlinks(reader, row, doc, names))
    why = staleness.reasons(reader, row, view)
    related = sorted(shared, key=lambda d: (-shared[d], orders[d]))[:_MOST_RELATED]
    return {
        "before": before,
        "after": after,
        "backlinks": [_brief(reader.row(d)) for d in linking_here],
        "related": [_brief(reader.row(d)) for d in related],
        "stale": staleness.is_stale(row, why),
        "stale_why": [one._asdict() for one in why],
    }


def _links(vault: "Vault", entry: Entry) -> list[dict[str, Any]]:
    """The links of an entry, each with the entry and file it means, or None."""
    from memcli.entries.text.links import links_of

    def meant(reader: "Reader") -> "dict[str, StoredRow | None]":
        docs = {target: edges.meant(reader, target, entry.path) for target in targets}
        return {
            target: None if doc is None else reader.row(doc)
            for target, doc in docs.items()
        }

    targets = links_of(entry)
    found = vault.read(meant) if targets else {}
    plain: Names[str] = Names()
    if None in found.values():
        # Nothing says who may see these, so an agent is told of none that is owned.
        add_files(
            plain,
            [
                path
                for path in other_files(vault.root)[0]
                if vault.agent is None or not path.startswith(_OWNERS)
            ],
        )
        for names, path in link_names(vault.root, vault.agent):
            plain.add(names, path)
    return [
        {
            "target": target,
            "entry": _brief(row) if row else None,
            "file": row.path if row else plain.find(target, entry.path),
        }
        for target, row in found.items()
    ]


def _history(vault: "Vault", path: str) -> tuple[list["Commit"], str | None]:
    repository = _repository(vault)
    if repository is None:
        return [], "the vault is not under git"
    try:
        commits = repository.log(path, _MOST_COMMITS)
        dirty = not repository.is_clean([path])
    except MemcliError as error:
        return [], error.message
    if not commits:
        return [], "not committed yet"
    return commits, "edited since the last commit" if dirty else None


def _history_state(vault: "Vault") -> tuple[str | None, list[str]]:
    repository = _repository(vault)
    if repository is None:
        return None, []
    try:
        head = repository.head()
        return head, sorted(path for _, path in repository.status())
    except MemcliError:
        return None, []


def _repository(vault: "Vault") -> "Repository | None":
    from memcli.storage.git.repository import Repository

    try:
        return Repository.open(vault.root, environ=vault.environ)
    except NotAVault:
        return None


def _brief(row: "StoredRow") -> dict[str, Any]:
    names = ("id", "title", "kind", "status", "created", "path")
    return {name: getattr(row, name) for name in names}


def _iso(seconds: int) -> str:
    from memcli.entries import dates

    return dates.iso(seconds)


def not_a_topic(
    word: str, topics: Sequence[str], teams: Sequence[str] = ()
) -> EntryNotFound:
    """What to say of a word that is neither an id nor a topic.

    Args:
        word: what was given.
        topics: what might have been.
        teams: names of vaults in which it is an id.
    """
    if teams:
        return EntryNotFound(
            f"no entry of this vault has the id '{word}', but one of "
            + ", ".join(f"team:{name}" for name in teams),
            hint=" or ".join(f"memcli inspect {word} --vault {n}" for n in teams),
        )
    return EntryNotFound(
        f"no entry has the id '{word}'",
        hint=f"Topics: {', '.join(topics)}. Ids: memcli recall --all",
    )
