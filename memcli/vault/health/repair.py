"""Repair: what memcli can repair without guessing, as a plan first.

Invariant: nothing is changed that a person might have meant. The plan says each step in
words before any is taken. To take them is to plan again under the lock: of the steps
that were agreed to those are taken whose reason still holds. The findings that are left
say what a person can do. Every command finishes what a killed command began; the repair
is for the rest.
"""

from __future__ import annotations

import os

from memcli.entries.file_checks import ERROR
from memcli.entries.text.counted import counted
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import files as disk
from memcli.storage import journal
from memcli.storage.git import commit as commits
from memcli.storage.git.repository import Repository
from memcli.storage.git.staging import refuse_filtered
from memcli.storage.lock import Lock
from memcli.storage.vault_paths import inside
from memcli.vault.health import git_state, mends
from memcli.vault.health.mends import Mend, Repair
from memcli.vault.health.working_tree import WorkingTree, working_tree

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcli.entries.file_checks import Finding
    from memcli.vault.vault import Vault

    _Step = tuple[str, str]

# Seconds to wait for a writer.
_PATIENCE = 10.0
# Steps that commit a file as it is on disk, or is not.
_COMMITTED = ("deleted", "forgotten", "uncommitted", "moved")
# Files outside of any commit, and what is done with them.
_LITTER = {
    "leftover": "delete it: half of a killed write",
    "git_lock": "remove it: no git has worked for ten minutes",
}
# Steps that put the file of HEAD in its place.
_RESTORED = ("missing", "older")


class RepairPlan(NamedTuple):
    """The steps of a repair, and the findings that are left for a person."""

    steps: list[Repair]
    left: list[Finding]
    applied: bool = False

    @property
    def ok(self) -> bool:
        """Whether memcli can use everything that is left."""
        return not any(finding.level == ERROR for finding in self.left)


class _Found(NamedTuple):
    """The mends of a vault as it is now, its findings, and whether git is merging."""

    mends: list[Mend]
    findings: list[Finding]
    in_merge: bool = False

    @property
    def left(self) -> list[Finding]:
        """The findings that no mend ends."""
        ended = {finding for mend in self.mends for finding in mend.ends}
        return [finding for finding in self.findings if finding not in ended]


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
    vault.read(lambda _: None)  # finishes what a killed command began
    found = _look(vault, accept_deletions)
    return RepairPlan([mend.step for mend in found.mends], found.left)


def apply(vault: Vault, planned: RepairPlan) -> RepairPlan:
    """Take the steps of a plan whose reason still holds; returns them and what is left.

    Raises:
        LockBusy, WriteFailed, HistoryError: none of the vault's entries was changed.
        NotAllowed: nor was one, since git passes what is to come back through a filter.
    """
    wanted = {step.key for step in planned.steps}
    accept = any(step.code == "deleted" for step in planned.steps)
    done = _prepared(vault, wanted, accept)
    while True:
        wanted.difference_update(step.key for step in done)
        # Of two steps that change one file the second is taken in another round.
        taken = _round(vault, wanted, accept) if wanted else []
        if not taken:
            return RepairPlan(done, plan(vault).left, applied=True)
        done += taken


def _look(vault: Vault, accept: bool) -> _Found:
    from memcli.vault.health.lint import lint

    findings = lint(vault)
    codes = {finding.code for finding in findings}
    found = [
        Mend(
            Repair(each.code, each.path, _LITTER[each.code]),
            litter=_place(vault.root, each.path),
            ends=[each],
        )
        for each in findings
        if each.code in _LITTER and each.hint == git_state.MEND
    ]
    if "git_stuck" in codes:
        return _Found(found, findings)  # nor would it answer the next question
    try:
        repository = Repository.open(vault.root, environ=vault.environ)
        broken = {each.path for each in findings if each.code in mends.MARKED}
        tree = working_tree(vault, repository, broken)
    except MemcliError:  # nothing could be committed
        return _Found(found, findings)
    in_merge = "git_state" in codes
    found += (
        mend
        for mend in mends.mends(mends.At(vault, repository), findings)
        if mend.step.path not in tree.staged or in_merge
        # Nothing can be committed before the merge is finished.
        if mend.step.code == "conflict" or not in_merge
    )
    for step in _of_the_tree(tree, accept):
        # What the index has lost would be committed, as deleted.
        if step.code == "index" or not in_merge:
            about = [each for each in tree.findings if each.path == step.path]
            found.append(Mend(step, ends=about))
    return _Found(found, findings, in_merge)


def _place(root: str, path: str) -> str:
    """Where a file lies that is in the vault, in git's folder or in memcli's."""
    is_own = os.path.isabs(path) or path.startswith(".git/")
    return os.path.join(root, path) if is_own else inside(root, path)


def _of_the_tree(tree: WorkingTree, accept: bool) -> Iterator[Repair]:
    """The steps that let git hold what is on disk, or the disk what HEAD holds."""
    missing = ("missing", "bring it back: HEAD has it")
    older = ("older", "make it as HEAD has it: a later version")
    if accept:
        missing = ("deleted", "commit that it is gone")
        older = ("deleted", "commit its earlier version")
    groups = (
        (tree.lost, "index", "put it back into git's index as HEAD has it"),
        (tree.missing, *missing),
        (tree.older, *older),
        (tree.forgotten, "forgotten", "commit that it is gone: you deleted it"),
    )
    for paths, code, action in groups:
        yield from (Repair(code, path, action) for path in paths)
    for path, change in tree.uncommitted.items():
        yield Repair("uncommitted", path, f"commit it: {change}")
    for path, place in tree.moved.items():
        yield Repair("moved", path, f"commit its move to {place}")


def _prepared(vault: Vault, wanted: set[_Step], accept: bool) -> list[Repair]:
    """Take the steps that no commit is needed for; returns them."""
    found = _look(vault, accept)
    now = [
        mend
        for mend in found.mends
        if mend.step.key in wanted
        and (mend.litter or (found.in_merge and mend.changes))
    ]
    if not now:
        return []
    # A large import may have written its files for a minute before it puts them there.
    with Lock(journal.lock_path(vault.root), _PATIENCE):
        for mend in now:
            if mend.litter:
                disk.remove(mend.litter)
            else:
                mends.write_in_merge(vault, mend.changes)
    return [mend.step for mend in now]


def _round(vault: Vault, wanted: set[_Step], accept: bool) -> list[Repair]:
    """Take wanted steps in one commit; returns those that were taken."""
    done: list[Repair] = []
    with vault.transaction() as change:
        repository = Repository.open(vault.root, environ=vault.environ)
        found = _look(vault, accept)
        now = [mend for mend in found.mends if mend.step.key in wanted]
        steps = [mend.step for mend in now if not mend.changes and not mend.litter]
        back = [step.path for step in steps if step.code in ("index", *_RESTORED)]
        refuse_filtered(repository, back)
        commits.unstage(repository, back)
        for step in steps:
            if step.code in _RESTORED:
                # What is there is an earlier commit's, and not lost.
                there = disk.current(inside(vault.root, step.path))
                data = repository.files_at("HEAD", [step.path])[step.path]
                change.put(step.path, data, expected=there, keep=False)
            elif step.code in _COMMITTED:
                change.include(step.path)
            done.append(step)
        held: set[str] = set()
        for mend in now:
            if mend.changes and not found.in_merge and held.isdisjoint(mend.changes):
                held.update(mend.changes)
                mend.put(change)
                done.append(mend.step)
        count = len({step.path for step in done})
        change.message = f"repair: {counted(count, 'file')}"
    return done
