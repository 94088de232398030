"""Repair: what can be mended without guessing, as a plan first.

Invariant: nothing is mended that a person might have meant. The plan says each step in
words before any is taken, a step is taken only while its reason still holds, and what
is left is said, with what a person can do about it. Whatever a killed command began is
finished by any command; what is here is the rest.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.entries import layout
from memcli.entries.entry import Status
from memcli.entries.identity import strict_key
from memcli.entries.ids import is_adopted
from memcli.errors import MemcliError
from memcli.storage import files, journal
from memcli.storage.git.repository import Repository
from memcli.vault.health.finding import ERROR, WARNING, Finding
from memcli.vault.health.lint_lifecycle import (
    DEAD_LOCK,
    lock_age,
    lock_label,
    lock_paths,
)

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault

# Of a file that nobody has staged: new, announced (`git add -N`), edited.
_UNCOMMITTED = {
    "??": "commit it: new",
    " A": "commit it: new",
    " M": "commit it: edited",
}


class Repair(NamedTuple):
    """One step.

    `code` is leftover, git_lock, index, half_evolve, stale_key, lineage, uncommitted or
    moved; `detail` the other file or entry that it is about.
    """

    code: str
    path: str
    action: str
    detail: str | None = None


class Mending(NamedTuple):
    """What can be mended, and what is left for a person."""

    steps: list[Repair]
    left: list[Finding]
    applied: bool = False

    @property
    def ok(self) -> bool:
        """Whether nothing is left that memcli cannot use."""
        return not any(finding.level == ERROR for finding in self.left)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "applied": self.applied,
            "steps": [step._asdict() for step in self.steps],
            "left": [finding._asdict() for finding in self.left],
        }


class _Dirty(NamedTuple):
    """What git says of the vault's files that are not as HEAD has them."""

    steps: list[Repair]
    deleted: list[Finding]
    staged: set[str]


# A step, and the findings that are gone when it is taken.
_Step = tuple[Repair, list[Finding]]


def plan(vault: "Vault") -> Mending:
    """What can be mended, and what cannot."""
    vault.owner_only("repair")
    from memcli.vault.health.lint import lint

    vault.read(lambda _: None)  # finishes what a killed command began
    findings = lint(vault, progress=vault.progress)
    chosen: list[_Step] = [
        (Repair("leftover", one.path, "delete it: half of a killed write"), [one])
        for one in findings
        if one.code == "leftover"
    ]
    try:
        repository = Repository.open(vault.root, environ=vault.environ)
        broken = {one.path for one in findings if one.code in ("broken", "conflict")}
        dirty = _dirty(vault, repository, broken)
    except MemcliError:  # what cannot be committed is not begun
        return _mending(chosen, findings, [])
    chosen[:0] = _dead_locks(repository, findings)
    if not any(one.code == "git_state" for one in findings):
        halves = _halves(vault, findings)
        mends = [*halves, *_keys(findings), *_successors(vault, findings)]
        chosen += [one for one in mends if one[0].path not in dirty.staged]
        gone = {step.path for step, _ in halves}
        chosen += [(step, []) for step in dirty.steps if step.path not in gone]
    return _mending(chosen, findings, dirty.deleted)


def _dead_locks(repository: Repository, findings: Sequence[Finding]) -> list[_Step]:
    """Locks of gits that were killed; any of them stands in the way of every commit."""
    steps: list[_Step] = []
    for path in lock_paths(repository):
        age = lock_age(path)
        if age is None or age <= DEAD_LOCK:
            continue
        label = lock_label(repository, path)
        action = f"remove it: no git has worked for {int(age):,} s"
        gone = [one for one in findings if one.path == label and one.code == "git_lock"]
        steps.append((Repair("git_lock", label, action), gone))
    return steps


def apply(vault: "Vault", found: Mending) -> Mending:
    """Take the steps of a plan whose reason still holds, and say what is left.

    Raises:
        LockBusy, WriteFailed, HistoryError: of the vault's entries none was changed.
    """
    done = []
    rest = []
    for step in found.steps:
        if step.code == "git_lock":
            repository = Repository.open(vault.root, environ=vault.environ)
            for path in lock_paths(repository):
                age = lock_age(path) or 0.0
                # Not one of a git that works now.
                if lock_label(repository, path) == step.path and age > DEAD_LOCK:
                    files.remove(path)
                    done.append(step)
        elif step.code == "leftover":
            files.remove(files.inside(vault.root, step.path))
            done.append(step)
        else:
            rest.append(step)
    if rest:
        with vault.transaction() as change:
            taken = _take(vault, change, rest)
            count = len({step.path for step in taken})
            change.message = f"repair: {count} file{'' if count == 1 else 's'}"
        done += taken
    return Mending(done, plan(vault).left, applied=True)


def _mending(
    chosen: Sequence[_Step], findings: Sequence[Finding], more: Sequence[Finding]
) -> Mending:
    mended = {finding for _, gone in chosen for finding in gone}
    left = [finding for finding in findings if finding not in mended]
    return Mending([step for step, _ in chosen], [*left, *more])


def _take(vault: "Vault", change: "Transaction", steps: list[Repair]) -> list[Repair]:
    """Take these steps, inside a transaction; those that still make sense."""
    repository = Repository.open(vault.root, environ=vault.environ)
    ours = [step.path for step in steps if step.code == "uncommitted"]
    dirty = _dirty(
        vault, repository, {path for path in ours if _is_broken(vault, path)}
    )
    now = {(step.code, step.path) for step in dirty.steps}
    lost = [step for step in steps if step.code == "index"]
    lost = [step for step in lost if (step.code, step.path) in now]
    if lost:
        repository.unstage([step.path for step in lost])
    done = list(lost)
    for step in steps:
        if step.code in ("uncommitted", "moved"):
            if (step.code, step.path) in now:
                change.include(step.path)
                done.append(step)
        elif (
            step.code != "index"
            and step.path not in dirty.staged
            and _rewrite(vault, change, step)
        ):
            done.append(step)
    return done


def _rewrite(vault: "Vault", change: "Transaction", step: Repair) -> bool:
    """Change one file as a step says; whether there was still something to change."""
    from memcli.entries import codec

    try:
        stored = vault.stored(step.path)
        # A file may need two steps: the second starts from what the first made of it.
        data = change.pending(step.path) or stored.data
        entry = codec.decode(data, step.path, kinds=vault.kinds).entry
        if step.code == "half_evolve":
            whole = vault.stored(step.detail or "")
            if not _is_half(vault, stored, whole):
                return False
            change.remove(step.path, expected=stored.data)
            return True
        if step.code == "stale_key" and entry.item is not None:
            fresh = entry.replace(key=strict_key(entry.item, entry.body))
        else:
            before = vault.stored(vault.path_of(step.detail or "")).entry
            if entry.supersedes or before.superseded_by != entry.id:
                return False
            fresh = entry.replace(supersedes=before.id)
    except MemcliError:  # edited since, and broken or gone
        return False
    if fresh == entry:
        return False
    fresh_data = codec.rewrite(data, fresh, kinds=vault.kinds)
    change.put(step.path, fresh_data, expected=stored.data)
    return True


def _keys(findings: Iterable[Finding]) -> list[_Step]:
    return [
        (Repair("stale_key", one.path, "write the key of its text"), [one])
        for one in findings
        if one.code == "stale_key"
    ]


def _successors(vault: "Vault", findings: Iterable[Finding]) -> list[_Step]:
    """Entries that do not say what they replaced, while what they replaced does."""
    silent: dict[str, list[tuple[str, Finding]]] = defaultdict(list)
    for finding in findings:
        if finding.code == "silent_successor":
            entry = vault.load(finding.path).entry
            silent[entry.superseded_by or ""].append((entry.id, finding))
    steps: list[_Step] = []
    for successor, group in silent.items():
        try:
            path = vault.path_of(successor)
        except MemcliError:  # two files have its id
            continue
        # Of several that were merged into one, it names the newest; see `lineage`.
        before = max(name for name, _ in group)
        action = f"write that it supersedes {before}"
        gone = [finding for _, finding in group]
        steps.append((Repair("lineage", path, action, before), gone))
    return steps


def _halves(vault: "Vault", findings: Sequence[Finding]) -> list[_Step]:
    """Archived copies of entries that are still in use: a killed evolve left them."""
    steps: list[_Step] = []
    for finding in findings:
        if finding.code != "duplicate_id":
            continue
        try:
            paths = _paths_of(vault, vault.load(finding.path).entry.id)
            if len(paths) != 2 or not paths[0].startswith(layout.ARCHIVE + "/"):
                continue
            copy, whole = (vault.stored(path) for path in paths)
        except MemcliError:
            continue
        if _is_half(vault, copy, whole):
            action = f"remove it: half of a killed evolve; {whole.path} is in use"
            gone = [
                other
                for other in findings
                if other.path == copy.path and other.code == "dangling_lineage"
            ]
            step = Repair("half_evolve", copy.path, action, whole.path)
            steps.append((step, [finding, *gone]))
    return steps


def _is_half(vault: "Vault", copy: "Stored", whole: "Stored") -> bool:
    """Whether an archived copy says nothing more, and of a successor that is not."""
    old, entry = copy.entry, whole.entry
    return (
        old.status is Status.SUPERSEDED
        and entry.status is Status.ACTIVE
        and bool(old.superseded_by)
        and not _paths_of(vault, old.superseded_by or "")
        and entry
        == old.replace(
            path=entry.path,
            status=entry.status,
            superseded_by=None,
            reason=entry.reason,
            updated=entry.updated,
        )
    )


def _paths_of(vault: "Vault", entry_id: str) -> list[str]:
    """The files that have this id; those of the archive first."""

    def find(reader: "Reader") -> list[str]:
        return [reader.row(doc).path for doc in reader.exact("id", entry_id)]

    archive = layout.ARCHIVE + "/"
    found = vault.read(find)
    return sorted(found, key=lambda path: (not path.startswith(archive), path))


def _dirty(vault: "Vault", repository: Repository, broken: set[str]) -> _Dirty:
    """Files that are on disk and not in git, or not where git has them.

    What somebody staged is his. A file that is on disk as HEAD has it, and in the index
    otherwise, nobody staged: a `git commit` that ran beside ours has overwritten the
    index (decision 4).
    """
    rows = sorted(
        (row for row in repository.status() if _is_ours(row[1])), key=lambda row: row[1]
    )
    lost = [
        path
        for code, path in rows
        if code in ("MM", "D ") and _is_head(vault.root, repository, path)
    ]
    staged = {path for code, path in rows if code[0] not in " ?"} - set(lost)
    steps = [
        Repair("index", path, "put it back into git's index, which has lost it")
        for path in lost
    ]
    new = {path for code, path in rows if code in _UNCOMMITTED}
    new -= broken | set(lost)
    steps += (
        Repair("uncommitted", path, _UNCOMMITTED[code])
        for code, path in rows
        if path in new
    )
    deleted = []
    for path in [path for code, path in rows if code == " D"]:
        there = _where(vault, repository, path, new)
        if there is None:
            message = "deleted, and not committed"
            hint = "git restore brings it back, git rm makes it so."
            deleted.append(Finding(path, 1, "deleted", WARNING, message, hint))
        elif there in new or _is_committed(repository, there, staged):
            action = f"commit its move to {there}"
            steps.append(Repair("moved", path, action, there))
        else:
            message = f"moved to {there}, which is not committed"
            hint = "Commit both, with git."
            deleted.append(Finding(path, 1, "deleted", WARNING, message, hint))
    return _Dirty(steps, deleted, staged)


def _where(
    vault: "Vault", repository: Repository, path: str, new: set[str]
) -> str | None:
    """Where an entry is whose file is gone; None when it is nowhere, or in doubt.

    Its id tells; a note without one is known by its bytes.
    """
    from memcli.entries import codec

    try:
        data = repository.show("HEAD", path)
        name = codec.decode(data, path, kinds=vault.kinds).entry.id
    except MemcliError:
        return None
    if is_adopted(name):
        found = [other for other in sorted(new) if _holds(vault.root, other, data)]
    else:
        found = [other for other in _paths_of(vault, name) if other != path]
    return found[0] if len(found) == 1 else None


def _holds(root: str, path: str, data: bytes) -> bool:
    place = files.inside(root, path)
    try:
        return os.path.getsize(place) == len(data) and journal.current(place) == data
    except (MemcliError, OSError):
        return False


def _is_committed(repository: Repository, path: str, staged: set[str]) -> bool:
    if path in staged:
        return False
    try:
        repository.show("HEAD", path)
    except MemcliError:
        return False
    return True


def _is_head(root: str, repository: Repository, path: str) -> bool:
    try:
        return repository.show("HEAD", path) == journal.current(
            files.inside(root, path)
        )
    except MemcliError:
        return False


def _is_broken(vault: "Vault", path: str) -> bool:
    if not layout.is_entry(path):
        return False
    try:
        vault.stored(path)
    except MemcliError:
        return True
    return False


def _is_ours(path: str) -> bool:
    return layout.is_entry(path) or path in (
        layout.CONFIG,
        layout.README,
        layout.IDEA_LEDGER,
    )
