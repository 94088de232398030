"""The mends of a vault's entries: for each kind of finding the files that end it.

Invariant: reads only; a mend is a value. Nothing is removed: a version that gives way
goes to the archive. Where a person could have meant something else there is no mend.
"""

from __future__ import annotations

from contextlib import suppress

from memcli.entries import codec, layout
from memcli.entries.entry import Status
from memcli.entries.merging import chains
from memcli.entries.merging import files as merging
from memcli.entries.merging.fields import RESOLUTION
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.vault_paths import inside
from memcli.vault import lineage, lookup
from memcli.vault.health import git_state

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memcli.entries.entry import Entry
    from memcli.entries.file_checks import Finding
    from memcli.search.reader import Reader
    from memcli.storage.git.repository import Repository
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault

    # By path the bytes of a file before and after; None is no file.
    Changes = Mapping[str, tuple[bytes | None, bytes | None]]

MARKED = ("conflict", "broken")
"""The codes of findings about a file that cannot be read as one entry."""


class Repair(NamedTuple):
    """One step of a repair.

    `code` is leftover, git_lock, index, missing, older, deleted, forgotten,
    uncommitted, moved, or one of the mends of this module; `action` says what happens
    to `path`.
    """

    code: str
    path: str
    action: str

    @property
    def key(self) -> tuple[str, str]:
        """The code and the path, by which a step is known again."""
        return self.code, self.path


class Mend(NamedTuple):
    """A step with the files of the vault that it changes, or the file outside of any
    commit that it removes, and the findings that are gone then."""

    step: Repair
    changes: Changes = {}  # noqa: RUF012 a default that nothing changes
    litter: str = ""
    ends: Sequence[Finding] = ()

    def put(self, change: Transaction) -> None:
        """Give the changes to a transaction."""
        for path, (before, after) in self.changes.items():
            if before is not None:
                change.carry(before)
            change.put(path, after, expected=before)


class At(NamedTuple):
    """The vault that is mended, and where it is committed."""

    vault: Vault
    repository: Repository

    def rewritten(self, stored: Stored, fresh: Entry) -> Changes:
        """The change of a file that holds another entry from now on."""
        data = codec.rewrite(stored.data, fresh, kinds=self.vault.kinds)
        return {stored.path: (stored.data, data)} if fresh != stored.entry else {}


def mends(at: At, findings: Sequence[Finding]) -> list[Mend]:
    """The mends that end findings, each step once."""
    found: dict[tuple[str, str], tuple[Mend, list[Finding]]] = {}
    for codes, remedy in _REMEDIES:
        for finding in findings:
            if finding.code not in codes:
                continue
            with suppress(MemcliError):  # edited since, and broken or gone
                for step, changes in remedy(at, finding):
                    if changes:
                        mend = Mend(step, changes)
                        found.setdefault(step.key, (mend, []))[1].append(finding)
    return [mend._replace(ends=ends) for mend, ends in found.values()]


def write_in_merge(vault: Vault, changes: Changes) -> None:
    """Write a marked file while git's merge is not finished, and tell git so.

    Nothing can be committed then; the person concludes the merge.

    Raises:
        WriteFailed, HistoryError: the disk or git refused; what was written is whole.
    """
    from memcli.storage.git.merging import mark_merged
    from memcli.storage.git.repository import Repository

    for path, (_, data) in changes.items():
        files.write_atomic(inside(vault.root, path), data or b"")
    repository = Repository.open(vault.root, environ=vault.environ)
    mark_merged(repository, [*changes])


# --- one file -----------------------------------------------------------------------


def _marked(at: At, finding: Finding) -> Iterator[tuple[Repair, Changes]]:
    """A file with marks of a merge as it is merged, and the text that gives way."""
    path, root = finding.path, at.vault.root
    before = files.read(inside(root, path), follow=False)
    merged = merging.merge_marked(before, path, at.vault.kinds)
    if merged is None or merging.sides(merged.data) is not None:
        return
    action = "merge the two sides that git left in it"
    changes: dict[str, tuple[bytes | None, bytes | None]] = {}
    # The file itself last: a kill between leaves what gives way twice, never lost.
    for kept in merged.kept:
        there = files.current(inside(root, kept.path))
        if there != kept.data:
            changes[kept.path] = there, kept.data
            action += f"; one text goes to {kept.path}"
    yield Repair("conflict", path, action), changes | {path: (before, merged.data)}


def _resolved(at: At, finding: Finding) -> Iterator[tuple[Repair, Changes]]:
    """A current version with the resolution of the version before it."""

    def before(reader: Reader) -> list[str]:
        heirs = reader.claims.heirs
        docs = reader.exact("path", finding.path)
        return [reader.row(heirs[doc]).path for doc in docs if doc in heirs]

    stored = at.vault.stored(finding.path)
    paths = at.vault.read(before)
    if paths and stored.entry.status is Status.ACTIVE:
        earlier = at.vault.stored(paths[0]).entry
        values = {name: getattr(earlier, name) for name in RESOLUTION}
        fresh = stored.entry.replace(status=Status.RESOLVED, **values)
        action = "resolve it: what it replaced is resolved"
        yield Repair(finding.code, stored.path, action), at.rewritten(stored, fresh)


def _half_merged(at: At, finding: Finding) -> Iterator[tuple[Repair, Changes]]:
    """A version with what a merge left out."""
    left = git_state.half_merged(at.vault, at.repository).get(finding.path)
    if left:
        stored = at.vault.stored(finding.path)
        action = "take over what the other clone changed in the version before"
        fresh = stored.entry.replace(**left)
        yield Repair(finding.code, stored.path, action), at.rewritten(stored, fresh)


def _left_out(at: At, finding: Finding) -> Iterator[tuple[Repair, Changes]]:
    """Commits that a stash left out, made again: one step for each of their files."""
    for commit in git_state.by_stash(at.repository):
        changes = git_state.changes_of(at.vault, at.repository, commit)
        action = f"make commit {commit[:12]} again: a git stash left it out"
        for path, change in changes.items() if finding.path in changes else ():
            yield Repair("dropped", path, action), {path: change}


# --- lineages -----------------------------------------------------------------------


def _silent(at: At, finding: Finding) -> Iterator[tuple[Repair, Changes]]:
    """A successor that says what it replaced, as what it replaced does."""
    name = at.vault.stored(finding.path).entry.superseded_by or ""
    stored = at.vault.stored(at.vault.path_of(name))

    def replaced(reader: Reader) -> list[str]:
        rows = map(reader.row, reader.exact("superseded_by", name))
        return [row.id for row in rows if row.status == Status.SUPERSEDED]

    # An entry that replaced several names the newest; see `lineage`.
    before = max(at.vault.read(replaced))
    if not stored.entry.supersedes:
        fresh = stored.entry.replace(supersedes=before)
        step = Repair("lineage", stored.path, f"write that it supersedes {before}")
        yield step, at.rewritten(stored, fresh)


def _dangling(at: At, finding: Finding) -> Iterator[tuple[Repair, Changes]]:
    """The version before, brought back where an evolve lost it."""
    entry = at.vault.stored(finding.path).entry
    old_id = entry.supersedes
    if old_id and not at.vault.read(lambda reader: lookup.of_id(reader, old_id)):
        for place, data in _lost_version(at, entry, old_id):
            action = f"bring {old_id} back from HEAD's history: an evolve lost it"
            yield Repair("lost_version", place, action), {place: (None, data)}


def _lost_version(at: At, fresh: Entry, old_id: str) -> Iterator[tuple[str, bytes]]:
    """The archived version that an entry replaced, from HEAD's history; none where a
    person took it out of the archive."""
    from memcli.storage.git import history

    blobs = history.blobs(at.repository, [], f"id: {old_id}\n", of="HEAD")
    kinds = at.vault.kinds
    for blob, data in zip(blobs, at.repository.contents(blobs), strict=True):
        old = codec.decode(data, blob.path, kinds=kinds).entry
        if old.id != old_id:
            continue
        if old.path.startswith(layout.ARCHIVE + "/"):
            return
        if old.status is Status.ACTIVE:
            place = layout.archived(old.path, old_id)
            ended = lineage.ended(old, place, by=fresh.id, now=fresh.created)
            yield place, codec.rewrite(data, ended, kinds=kinds)
            return


def _fork(at: At, finding: Finding) -> Iterator[tuple[Repair, Changes]]:
    """The files of a fork as one chain: the later version is current, and takes over
    what the other one added."""
    vault = at.vault
    second = vault.stored(finding.path).entry
    rows = vault.read(lambda reader: lineage.versions(reader, second.id))
    versions = {row.id: vault.stored(row.path) for row in rows}
    entries = {name: each.entry for name, each in versions.items()}
    before = entries.get(second.supersedes or "")
    if before is None or before.superseded_by in (None, second.id):
        return
    branch: dict[str, Entry] = {}
    name: str | None = second.id
    while name and name in entries and name not in branch:
        branch[name] = entries[name]
        name = entries[name].superseded_by
    start = before.replace(superseded_by=None, status=Status.ACTIVE, reason=None)
    split = start.replace(superseded_by=second.id, status=Status.SUPERSEDED)
    ours = {name: entry for name, entry in entries.items() if name not in branch}
    theirs = {**branch, before.id: split}
    sides = [(git_state.OTHER, ours), (git_state.OTHER, theirs)]
    joined = chains.Joined(entries, {before.id: start}, *sides)
    changes: dict[str, tuple[bytes | None, bytes | None]] = {}
    for name, entry in sorted(joined.changed.items()):
        stored = versions[name]
        known: bytes | None = stored.data
        if entry.superseded_by and not entry.path.startswith(layout.ARCHIVE + "/"):
            place = layout.archived(entry.path, name)
            entry = entry.replace(path=lineage.free_place(vault.root, place))
            changes[stored.path] = stored.data, None
            known = None
        data = codec.rewrite(stored.data, entry, kinds=vault.kinds)
        changes[entry.path] = known, data
    action = "make one chain of it and the other version of the same entry"
    yield Repair("fork", second.path, action), changes


_REMEDIES: tuple[
    tuple[tuple[str, ...], Callable[[At, Finding], Iterator[tuple[Repair, Changes]]]],
    ...,
] = (
    (MARKED, _marked),
    (("lineage_fork",), _fork),
    (("dangling_lineage",), _dangling),
    (("dropped",), _left_out),
    (("resolved_before",), _resolved),
    (("half_merged",), _half_merged),
    (("silent_successor",), _silent),
)
