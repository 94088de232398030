"""Repair: what memcli can repair without guessing, as a plan first.

Invariant: nothing is changed that a person might have meant. The plan says each step in
words before any is taken, a step is taken only while its reason still holds, and the
findings that are left say what a person can do. Every command finishes what a killed
command began; the repair is for the rest.
"""

from __future__ import annotations

from collections import defaultdict

from memcli.entries import layout
from memcli.entries.text.counted import counted
from memcli.errors import MemcliError
from memcli.storage import files as disk
from memcli.storage.git import commit as commits
from memcli.storage.git.complaints import refuse_filtered
from memcli.storage.git.repository import Repository
from memcli.storage.vault_paths import inside
from memcli.vault.health import git_state, left_out, mending, replay
from memcli.vault.health.mending import Changes, Files, Repair, RepairPlan, Step
from memcli.vault.health.working_tree import WorkingTree, working_tree

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memcli.entries.file_checks import Finding
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Vault

    Mend = Callable[[Files, str, str | None], Changes]

MENDS: dict[str, Mend] = {
    "conflict": replay.both_sides,
    "fork": replay.one_chain,
    "duplicate_id": mending.another_id,
    "lost_version": left_out.lost_version,
    "dropped": left_out.made_again,
    "resolved_before": replay.resolved,
    "half_merged": replay.whole,
    "stale_key": mending.own_key,
    "lineage": mending.other_side,
    "lineage_end": left_out.end_of_lineage,
}
"""By the code of a step what it changes, from the files as they are then."""

# By the code of a finding: the step that ends it, and what is said of that.
_ACTIONS = {
    "lineage_fork": (
        "fork",
        "make one chain of it and the other version of the same entry",
    ),
    "resolved_before": (
        "resolved_before",
        "resolve it: what it replaced is resolved",
    ),
    "half_merged": (
        "half_merged",
        "take over what the other clone changed in the version before",
    ),
    "stale_key": ("stale_key", "write the key of its text"),
}


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
    leftover = "delete it: half of a killed write"
    chosen: list[Step] = [
        (Repair("leftover", finding.path, leftover), [finding])
        for finding in findings
        if finding.code == "leftover"
    ]
    codes = {finding.code for finding in findings}
    if "git_stuck" in codes:
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
    files = Files(vault, repository)
    chosen[:0] = _dead_locks(repository, findings)
    commits = _commits(tree, accept_deletions)
    if "git_state" in codes:
        # Nothing can be committed; what the index has lost would be, as deleted.
        commits = [step for step in commits if step.code == "index"]
        chosen += _conflicts(files, findings)
    else:
        chosen += [
            (step, gone)
            for step, gone in _rewrites(files, findings, _is_whole(tree))
            if step.path not in tree.staged
        ]
    chosen += [
        (step, [finding for finding in tree.findings if finding.path == step.path])
        for step in commits
    ]
    return _planned(chosen, findings)


def _planned(chosen: Sequence[Step], findings: Sequence[Finding]) -> RepairPlan:
    repaired = {finding for _, gone in chosen for finding in gone}
    left = [finding for finding in findings if finding not in repaired]
    return RepairPlan([step for step, _ in chosen], left)


def _rewrites(
    files: Files, findings: Sequence[Finding], is_whole: bool
) -> Iterator[Step]:
    """The steps that change files by what these hold."""
    yield from _conflicts(files, findings)
    for finding in findings:
        if finding.code == "lineage_fork" and _changes(
            files, Repair("fork", finding.path, "")
        ):
            yield _simple(finding)
    yield from mending.copies(files, findings)
    for finding in findings:
        if finding.code == "dangling_lineage":
            yield from _about_dangling(files, finding, is_whole)
    yield from left_out.steps(files, findings)
    for finding in findings:
        if finding.code in _ACTIONS and finding.code != "lineage_fork":
            yield _simple(finding)
    yield from mending.successors(files, findings)


def _simple(finding: Finding) -> Step:
    code, action = _ACTIONS[finding.code]
    return Repair(code, finding.path, action), [finding]


def _conflicts(files: Files, findings: Sequence[Finding]) -> Iterator[Step]:
    """A step for each file with marks of a merge that can be merged."""
    marks: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.code in ("conflict", "broken"):
            marks[finding.path].append(finding)
    for path, gone in sorted(marks.items()):
        action = "merge the two sides that git left in it"
        step = Repair("conflict", path, action)
        changes = _changes(files, step)
        kept = [place for place in changes if place != path]
        if kept:
            step = step._replace(action=f"{action}; one text goes to {kept[0]}")
        if changes:
            yield step, gone


def _about_dangling(files: Files, finding: Finding, is_whole: bool) -> Iterator[Step]:
    """The step for a version that names one that is gone."""
    field, _, name = finding.message.partition(" names no entry: ")
    if field == "supersedes":
        for place in _changes(files, Repair("lost_version", "", "", finding.path)):
            action = f"bring {name} back from HEAD's history: an evolve lost it"
            yield Repair("lost_version", place, action, finding.path), [finding]
    elif is_whole:
        step = Repair(
            "lineage_end",
            finding.path,
            f"take out that {name} replaced it, which was deleted; it stays archived",
            name,
        )
        if _changes(files, step):
            yield step, [finding]


def _is_whole(tree: WorkingTree) -> bool:
    """Whether no file will be brought back from HEAD."""
    return not (tree.missing or tree.older or tree.lost)


def _changes(files: Files, step: Repair) -> Changes:
    """The files that a step changes; none where one was edited since, and is broken
    or gone."""
    try:
        return MENDS[step.code](files, step.path, step.detail)
    except MemcliError:
        return {}


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
        missing = ("deleted", "commit that it is gone")
        older = ("deleted", "commit its earlier version")
    else:
        missing = ("missing", "bring it back: HEAD has it")
        older = ("older", "make it as HEAD has it: a later version")
    steps = [
        *((path, "index", "put it back into git's index, which has lost it")
          for path in tree.lost),
        *((path, *missing) for path in tree.missing),
        *((path, *older) for path in tree.older),
        *((path, "forgotten", "commit that it is gone: you deleted it")
          for path in tree.forgotten),
        *((path, "uncommitted", f"commit it: {change}")
          for path, change in tree.uncommitted.items()),
    ]  # fmt: skip
    moved = [
        Repair("moved", path, f"commit its move to {place}", place)
        for path, place in tree.moved.items()
    ]
    return [Repair(code, path, action) for path, code, action in steps] + moved


def apply(vault: Vault, planned: RepairPlan) -> RepairPlan:
    """Take the steps of a plan whose reason still holds; returns them and what is left.

    Raises:
        LockBusy, WriteFailed, HistoryError: none of the vault's entries was changed.
        NotAllowed: nor was one, since git passes what is to come back through a filter.
    """
    done: list[Repair] = []
    rest = []
    in_merge = any(finding.code == "git_state" for finding in planned.left)
    for step in planned.steps:
        if step.code == "conflict" and in_merge:
            repository = Repository.open(vault.root, environ=vault.environ)
            if replay.merge_marked(Files(vault, repository), step.path):
                done.append(step)
        elif step.code == "git_lock":
            repository = Repository.open(vault.root, environ=vault.environ)
            for lock in git_state.locks(repository):
                # The lock of a git that works now stays.
                if lock.label == step.path and lock.is_dead:
                    disk.remove(lock.path)
                    done.append(step)
        elif step.code == "leftover":
            disk.remove(inside(vault.root, step.path))
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
    refuse_filtered(repository, back)
    commits.unstage(repository, back)
    for step in done:
        if step.code in ("missing", "older"):
            _bring_back(vault, change, repository, step.path)
        elif step.code != "index":
            change.include(step.path)
    files = Files(vault, repository, change)
    for step in steps:
        if step.code not in MENDS or step.path in tree.staged:
            continue
        if step.code == "lineage_end" and not _is_whole(tree):
            continue
        changes = _changes(files, step)
        # An entry may be part of two forks: the next repair takes the second.
        taken = step.code in ("fork", "dropped") and any(
            path in change.paths for path in changes
        )
        if changes and not taken:
            files.put(change, changes)
            done.append(step)
    return done


def _bring_back(
    vault: Vault, change: Transaction, repository: Repository, path: str
) -> None:
    """Put what HEAD holds; what is there is an earlier commit's, and not lost."""
    now = disk.current(inside(vault.root, path))
    data = repository.files_at("HEAD", [path])[path]
    if data is None:
        change.give_up(path, expected=now)
    elif now is None:
        change.put(path, data, expected=None)
    else:
        change.put_over(path, data, expected=now)


def _is_broken(vault: Vault, path: str) -> bool:
    if not layout.is_entry(path):
        return False
    try:
        vault.stored(path)
    except MemcliError:
        return True
    return False
