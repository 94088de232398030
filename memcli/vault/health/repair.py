"""Repair: what memcli can repair without guessing, as a plan first.

Invariant: nothing is changed that a person might have meant. The plan says each step in
words before any is taken, a step is taken only while its reason still holds, and the
findings that are left say what a person can do. Every command finishes what a killed
command began; the repair is for the rest.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.entries import layout
from memcli.entries.entry import Status
from memcli.entries.identity import strict_key
from memcli.entries.text.counted import counted
from memcli.errors import MemcliError
from memcli.storage import files
from memcli.storage.git.repository import Repository
from memcli.vault import lookup
from memcli.vault.health import git_state
from memcli.vault.health.finding import ERROR, Finding
from memcli.vault.health.working_tree import WorkingTree, working_tree

if TYPE_CHECKING:
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault


_EVERY = 100_000  # commits of one file
_NEVER = "9999"  # sorts after the date of every commit


class Repair(NamedTuple):
    """One step of a repair.

    `code` is leftover, git_lock, index, half_evolve, duplicate_id, stale_key, lineage,
    uncommitted or moved; `action` says what happens to `path`, `detail` is the other
    file or entry.
    """

    code: str
    path: str
    action: str
    detail: str | None = None


class RepairPlan(NamedTuple):
    """The steps of a repair, and the findings that are left for a person."""

    steps: list[Repair]
    left: list[Finding]
    applied: bool = False

    @property
    def ok(self) -> bool:
        """Whether memcli can use everything that is left."""
        return not any(finding.level == ERROR for finding in self.left)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "applied": self.applied,
            "steps": [step._asdict() for step in self.steps],
            "left": [finding._asdict() for finding in self.left],
        }


# A step, and the findings that are gone when it is taken.
_Step = tuple[Repair, list[Finding]]


def plan(vault: "Vault") -> RepairPlan:
    """The steps that memcli can take, and the findings that it cannot repair.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("repair")
    from memcli.vault.health.lint import lint

    vault.read(lambda _: None)  # finishes what a killed command began
    findings = lint(vault, progress=vault.progress)
    chosen: list[_Step] = [
        (
            Repair("leftover", leftover.path, "delete it: half of a killed write"),
            [leftover],
        )
        for leftover in findings
        if leftover.code == "leftover"
    ]
    try:
        repository = Repository.open(vault.root, environ=vault.environ)
        broken = {
            finding.path
            for finding in findings
            if finding.code in ("broken", "conflict")
        }
        tree = working_tree(vault, repository, broken)
    except MemcliError:  # nothing could be committed
        return _planned(chosen, findings, [])
    chosen[:0] = _dead_locks(repository, findings)
    if not any(finding.code == "git_state" for finding in findings):
        halves = _halves(vault, findings)
        copies = _copies(vault, repository, findings)
        rewrites = [*halves, *copies, *_keys(findings), *_successors(vault, findings)]
        chosen += [step for step in rewrites if step[0].path not in tree.staged]
        gone = {step.path for step, _ in halves}
        chosen += [(step, []) for step in _commits(tree) if step.path not in gone]
    return _planned(chosen, findings, tree.deleted)


def _dead_locks(repository: Repository, findings: Sequence[Finding]) -> list[_Step]:
    """Locks of gits that were killed; any of them stands in the way of every commit."""
    return [
        (
            Repair(
                "git_lock",
                lock.label,
                f"remove it: no git has worked for {int(lock.age):,} s",
            ),
            [
                finding
                for finding in findings
                if finding.path == lock.label and finding.code == "git_lock"
            ],
        )
        for lock in git_state.locks(repository)
        if lock.is_dead
    ]


def _commits(tree: WorkingTree) -> list[Repair]:
    """The steps that let git hold what is on disk."""
    return [
        *(
            Repair("index", path, "put it back into git's index, which has lost it")
            for path in tree.lost
        ),
        *(
            Repair("uncommitted", path, f"commit it: {change}")
            for path, change in tree.uncommitted.items()
        ),
        *(
            Repair("moved", path, f"commit its move to {place}", place)
            for path, place in tree.moved.items()
        ),
    ]


def apply(vault: "Vault", planned: RepairPlan) -> RepairPlan:
    """Take the steps of a plan whose reason still holds; returns them and what is left.

    Raises:
        LockBusy, WriteFailed, HistoryError: none of the vault's entries was changed.
    """
    done = []
    rest = []
    for step in planned.steps:
        if step.code == "git_lock":
            repository = Repository.open(vault.root, environ=vault.environ)
            for lock in git_state.locks(repository):
                # The lock of a git that works now stays.
                if lock.label == step.path and lock.is_dead:
                    files.remove(lock.path)
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
            change.message = f"repair: {counted(count, 'file')}"
        done += taken
    return RepairPlan(done, plan(vault).left, applied=True)


def _planned(
    chosen: Sequence[_Step], findings: Sequence[Finding], more: Sequence[Finding]
) -> RepairPlan:
    repaired = {finding for _, gone in chosen for finding in gone}
    left = [finding for finding in findings if finding not in repaired]
    return RepairPlan([step for step, _ in chosen], [*left, *more])


def _take(vault: "Vault", change: "Transaction", steps: list[Repair]) -> list[Repair]:
    """Take the steps that still make sense, inside a transaction; returns them."""
    repository = Repository.open(vault.root, environ=vault.environ)
    ours = [step.path for step in steps if step.code == "uncommitted"]
    broken = {path for path in ours if _is_broken(vault, path)}
    tree = working_tree(vault, repository, broken)
    now = {(step.code, step.path) for step in _commits(tree)}
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
            and step.path not in tree.staged
            and _rewrite(vault, change, step)
        ):
            done.append(step)
    return done


def _rewrite(vault: "Vault", change: "Transaction", step: Repair) -> bool:
    """Change one file as a step says; returns whether it still needed that."""
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
        if step.code == "duplicate_id":
            older = vault.stored(step.detail or "").entry
            fresh = entry.replace(id=vault.new_id()) if older.id == entry.id else entry
        elif step.code == "stale_key" and entry.item is not None:
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
        (Repair("stale_key", finding.path, "write the key of its text"), [finding])
        for finding in findings
        if finding.code == "stale_key"
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
        # An entry that replaced several names the newest; see `lineage`.
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
            if len(paths) != 2 or not paths[1].startswith(layout.ARCHIVE + "/"):
                continue
            whole, copy = (vault.stored(path) for path in paths)
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


def _copies(
    vault: "Vault", repository: Repository, findings: Sequence[Finding]
) -> list[_Step]:
    """Copies of entries, which get an id of their own; the oldest file keeps it.

    Where one of the files is archived or superseded it is a version, not a copy, and a
    person has to say which of them counts.
    """
    steps: list[_Step] = []
    doubled: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.code == "duplicate_id":
            doubled[vault.load(finding.path).entry.id].append(finding)
    for entry_id, group in doubled.items():
        paths = _paths_of(vault, entry_id)
        if any(
            path.startswith(layout.ARCHIVE + "/")
            or vault.load(path).entry.status is Status.SUPERSEDED
            for path in paths
        ):
            continue
        oldest, *copies = sorted(paths, key=lambda path: _age(vault, repository, path))
        for number, path in enumerate(copies):
            action = f"give it an id of its own; {oldest} is older and keeps {entry_id}"
            gone = group if number == 0 else []
            steps.append((Repair("duplicate_id", path, action, oldest), gone))
    return steps


def _age(vault: "Vault", repository: Repository, path: str) -> tuple[str, int, str]:
    """What sorts the files of one id, the oldest first: by its first commit, else by
    when the file was written."""
    commits = repository.log(path, _EVERY)
    written = os.stat(files.inside(vault.root, path)).st_mtime_ns
    return (commits[-1].when if commits else _NEVER), written, path


def _is_half(vault: "Vault", copy: "Stored", whole: "Stored") -> bool:
    """Whether an archived copy adds nothing, and names a successor that is gone."""
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
    """The files that have this id; those of the archive last."""
    return [row.path for row in vault.read(lambda r: lookup.of_id(r, entry_id))]


def _is_broken(vault: "Vault", path: str) -> bool:
    if not layout.is_entry(path):
        return False
    try:
        vault.stored(path)
    except MemcliError:
        return True
    return False
