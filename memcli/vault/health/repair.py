"""Repair: what memcli can repair without guessing, as a plan first.

Invariant: nothing is changed that a person might have meant. The plan says each step in
words before any is taken, a step is taken only while its reason still holds, and the
findings that are left say what a person can do. Every command finishes what a killed
command began; the repair is for the rest.
"""

from __future__ import annotations

from collections import defaultdict

from memcli.entries import layout
from memcli.entries.identity import strict_key
from memcli.entries.text.counted import counted
from memcli.errors import MemcliError
from memcli.storage import files
from memcli.storage.git.repository import Repository
from memcli.storage.vault_paths import inside
from memcli.vault.health import (
    conflicts,
    doubles,
    dropped,
    forks,
    git_state,
    half_merged,
    lost_versions,
    replaced,
    resolved_before,
)
from memcli.vault.health.repair_step import Repair, RepairPlan, Step
from memcli.vault.health.working_tree import WorkingTree, working_tree

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.entries.finding import Finding
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Vault


# Steps whose reason is that git and the folder differ.
_IN_GIT = frozenset(
    {"index", "missing", "older", "deleted", "forgotten", "uncommitted", "moved"}
)
# Steps that bring back what only a commit holds.
_IN_HISTORY = frozenset({"lost_version", "dropped"})


def plan(vault: Vault, *, accept_deletions: bool = False) -> RepairPlan:
    """The steps that memcli can take, and the findings that it cannot repair.

    Args:
        vault: whose files.
        accept_deletions: commit what is gone from the folder, or there in an earlier
            version than HEAD has; else that is brought back.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("repair")
    from memcli.vault.health.lint import lint

    vault.read(lambda _: None)  # finishes what a killed command began
    findings = lint(vault, listed=True)
    chosen: list[Step] = [
        (
            Repair("leftover", leftover.path, "delete it: half of a killed write"),
            [leftover],
        )
        for leftover in findings
        if leftover.code == "leftover"
    ]
    if any(finding.code == "git_stuck" for finding in findings):
        return _planned(chosen, findings)  # nor would it answer the next question
    try:
        repository = Repository.open(vault.root, environ=vault.environ)
        broken = {
            finding.path
            for finding in findings
            if finding.code in ("broken", "conflict")
        }
        tree = working_tree(vault, repository, broken)
    except MemcliError:  # nothing could be committed
        return _planned(chosen, findings)
    chosen[:0] = _dead_locks(repository, findings)
    if any(finding.code == "git_state" for finding in findings):
        # Nothing can be committed; what the index has lost would be, as deleted.
        commits = [step for step in _commits(tree, False) if step.code == "index"]
        chosen += [(step, _about(step, tree.findings)) for step in commits]
        chosen += conflicts.steps(vault, findings)
    else:
        chosen += replaced.steps(repository, findings)
        halves = doubles.halves(vault, findings)
        copies = doubles.copies(vault, repository, findings)
        rewrites = [
            *conflicts.steps(vault, findings),
            *forks.steps(vault, findings),
            *halves,
            *copies,
            *lost_versions.steps(vault, repository, findings),
            *dropped.steps(vault, repository, findings),
            *resolved_before.steps(vault, findings),
            *half_merged.steps(findings),
            *_keys(findings),
            *_successors(vault, findings),
        ]
        chosen += [step for step in rewrites if step[0].path not in tree.staged]
        gone = {step.path for step, _ in halves}
        chosen += [
            (step, _about(step, tree.findings))
            for step in _commits(tree, accept_deletions)
            if step.path not in gone
        ]
    return _planned(chosen, findings)


def _about(step: Repair, findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.path == step.path]


def _dead_locks(repository: Repository, findings: Sequence[Finding]) -> list[Step]:
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


def _commits(tree: WorkingTree, accept_deletions: bool) -> list[Repair]:
    """The steps that let git hold what is on disk, or the disk what HEAD holds."""
    if accept_deletions:
        undone = [
            *(
                Repair("deleted", path, "commit that it is gone")
                for path in tree.missing
            ),
            *(
                Repair("deleted", path, "commit its earlier version")
                for path in tree.older
            ),
        ]
    else:
        undone = [
            *(
                Repair("missing", path, "bring it back: HEAD has it")
                for path in tree.missing
            ),
            *(
                Repair("older", path, "make it as HEAD has it: a later version")
                for path in tree.older
            ),
        ]
    return [
        *(
            Repair("index", path, "put it back into git's index, which has lost it")
            for path in tree.lost
        ),
        *undone,
        *(
            Repair("forgotten", path, "commit that it is gone: you deleted it")
            for path in tree.forgotten
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


def apply(vault: Vault, planned: RepairPlan) -> RepairPlan:
    """Take the steps of a plan whose reason still holds; returns them and what is left.

    Raises:
        LockBusy, WriteFailed, HistoryError: none of the vault's entries was changed.
    """
    done = []
    rest = []
    marks = [step for step in planned.steps if step.code == conflicts.CODE]
    if marks and any(f.code == "git_state" for f in planned.left):
        repository = Repository.open(vault.root, environ=vault.environ)
        done += conflicts.take_in_merge(vault, repository, marks)
        marks = []
    for step in planned.steps:
        if step.code == conflicts.CODE:
            rest += [step] if step in marks else []
        elif step.code == replaced.CODE:
            done += replaced.take(vault, [step])
        elif step.code == "git_lock":
            repository = Repository.open(vault.root, environ=vault.environ)
            for lock in git_state.locks(repository):
                # The lock of a git that works now stays.
                if lock.label == step.path and lock.is_dead:
                    files.remove(lock.path)
                    done.append(step)
        elif step.code == "leftover":
            files.remove(inside(vault.root, step.path))
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


def _planned(chosen: Sequence[Step], findings: Sequence[Finding]) -> RepairPlan:
    repaired = {finding for _, gone in chosen for finding in gone}
    left = [finding for finding in findings if finding not in repaired]
    return RepairPlan([step for step, _ in chosen], left)


def _take(vault: Vault, change: Transaction, steps: list[Repair]) -> list[Repair]:
    """Take the steps that still make sense, inside a transaction; returns them."""
    repository = Repository.open(vault.root, environ=vault.environ)
    ours = [step.path for step in steps if step.code == "uncommitted"]
    broken = {path for path in ours if _is_broken(vault, path)}
    tree = working_tree(vault, repository, broken)
    accept = any(step.code == "deleted" for step in steps)
    now = {(step.code, step.path) for step in _commits(tree, accept)}
    done = [step for step in steps if (step.code, step.path) in now]
    back = [step.path for step in done if step.code in ("index", "missing", "older")]
    repository.unstage(back)
    for step in done:
        if step.code in ("missing", "older"):
            _bring_back(vault, change, repository, step.path)
        elif step.code != "index":
            change.include(step.path)
    done += _from_history(vault, change, repository, steps)
    done += forks.take(vault, change, [s for s in steps if s.code == forks.CODE])
    done += conflicts.take(
        vault, change, [step for step in steps if step.code == conflicts.CODE]
    )
    done += [
        step
        for step in steps
        if step.code not in {*_IN_GIT, *_IN_HISTORY, conflicts.CODE, forks.CODE}
        and step.path not in tree.staged
        and _rewrite(vault, change, step)
    ]
    return done


def _from_history(
    vault: Vault, change: Transaction, repository: Repository, steps: list[Repair]
) -> list[Repair]:
    """Put what commits hold, and no file does; returns the steps that still hold."""
    done = []
    for step in steps:
        detail = step.detail or ""
        if step.code == "lost_version":
            lost = lost_versions.replaced_by(vault, repository, detail)
            if lost is not None:
                change.put(lost.place, lost.data, expected=None)
                done.append(step)
        elif step.code == "dropped" and step.path not in change.paths:
            wanted = dropped.changed_by(vault, repository, detail).get(step.path)
            if wanted is None:
                continue
            if wanted.after is None:
                change.remove(step.path, expected=wanted.before)
            else:
                change.put(step.path, wanted.after, expected=wanted.before)
            done.append(step)
    return done


def _bring_back(
    vault: Vault, change: Transaction, repository: Repository, path: str
) -> None:
    """Put what HEAD holds; what is there is an earlier commit's, and not lost."""
    now = files.current(inside(vault.root, path))
    data = repository.files_at("HEAD", [path])[path]
    if data is None:
        change.give_up(path, expected=now)
    elif now is None:
        change.put(path, data, expected=None)
    else:
        change.put_over(path, data, expected=now)


def _rewrite(vault: Vault, change: Transaction, step: Repair) -> bool:
    """Change one file as a step says; returns whether it still needed that."""
    from memcli.entries import codec

    try:
        stored = vault.stored(step.path)
        # A file may need two steps: the second starts from what the first made of it.
        data = change.pending(step.path) or stored.data
        entry = codec.decode(data, step.path, kinds=vault.kinds).entry
        if step.code == "half_evolve":
            whole = vault.stored(step.detail or "")
            if not doubles.is_half(vault, stored, whole):
                return False
            change.remove(step.path, expected=stored.data)
            return True
        if step.code == "duplicate_id":
            older = vault.stored(step.detail or "").entry
            fresh = entry.replace(id=vault.new_id()) if older.id == entry.id else entry
        elif step.code == half_merged.CODE:
            repository = Repository.open(vault.root, environ=vault.environ)
            fresh = half_merged.whole(vault, repository, entry)
        elif step.code == resolved_before.CODE:
            fresh = resolved_before.resolved(vault, entry)
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


def _keys(findings: Iterable[Finding]) -> list[Step]:
    return [
        (Repair("stale_key", finding.path, "write the key of its text"), [finding])
        for finding in findings
        if finding.code == "stale_key"
    ]


def _successors(vault: Vault, findings: Iterable[Finding]) -> list[Step]:
    """Entries that do not say what they replaced, while what they replaced does."""
    silent: dict[str, list[tuple[str, Finding]]] = defaultdict(list)
    for finding in findings:
        if finding.code == "silent_successor":
            entry = vault.stored(finding.path).entry
            silent[entry.superseded_by or ""].append((entry.id, finding))
    steps: list[Step] = []
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


def _is_broken(vault: Vault, path: str) -> bool:
    if not layout.is_entry(path):
        return False
    try:
        vault.stored(path)
    except MemcliError:
        return True
    return False
