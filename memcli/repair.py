"""Repair: what can be mended without guessing, as a plan first.

Invariant: nothing is mended that a person might have meant. The plan says each step in
words before any is taken; what is left is said, with what a person can do about it.
Whatever a killed command began is finished by any command; what is here is the rest.
"""

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli import files, journal, layout
from memcli.entry import Status
from memcli.errors import MemcliError
from memcli.findings import ERROR, WARNING, Finding
from memcli.history import Repository
from memcli.lint_lifecycle import lock_age
from memcli.sameness import strict_key

if TYPE_CHECKING:
    from memcli.transaction import Transaction
    from memcli.vault import Vault

# A git that is at work for longer than this, in seconds, has been killed.
_DEAD = 600.0


class Repair(NamedTuple):
    """One step.

    `code` is leftover, git_lock, index, uncommitted, stale_key or lineage.
    """

    code: str
    path: str
    action: str


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


def plan(vault: "Vault") -> Mending:
    """What can be mended, and what cannot."""
    from memcli.lint import lint

    vault.read(lambda _: None)  # finishes what a killed command began
    findings = lint(vault, progress=vault.progress)
    steps = []
    mended = []
    for finding in findings:
        step = _step(vault, finding)
        if step is not None:
            steps.append(step)
            mended.append(finding)
    try:
        repository = Repository.open(vault.root, environ=vault.environ)
    except MemcliError:
        return Mending(steps, [one for one in findings if one not in mended])
    age = lock_age(repository)
    if age is not None and age > _DEAD:
        action = f"remove it: no git has worked for {int(age):,} s"
        steps.append(Repair("git_lock", _lock_path(repository), action))
        mended += [one for one in findings if one.code == "git_lock"]
    broken = {one.path for one in findings if one.code in ("broken", "conflict")}
    steps += _uncommitted(vault.root, repository, broken)
    left = [one for one in findings if one not in mended]
    return Mending(steps, [*left, *_deleted(repository)])


def apply(vault: "Vault", found: Mending) -> Mending:
    """Take the steps of a plan, and say what is left.

    Raises:
        LockBusy, WriteFailed, HistoryError: of the vault's entries none was changed.
    """
    for step in found.steps:
        if step.code == "git_lock":
            files.remove(step.path)
        elif step.code == "leftover":
            files.remove(os.path.join(vault.root, *step.path.split("/")))
    with vault.transaction() as change:
        lost = [step.path for step in found.steps if step.code == "index"]
        if lost:
            Repository.open(vault.root, environ=vault.environ).unstage(lost)
        for step in found.steps:
            if step.code == "uncommitted":
                change.include(step.path)
            elif step.code in ("stale_key", "lineage"):
                _rewrite(vault, change, step.path, step.code)
        written = ("uncommitted", "stale_key", "lineage")
        count = sum(step.code in written for step in found.steps)
        change.message = f"repair: {count} files"
    return Mending(found.steps, plan(vault).left, applied=True)


def _step(vault: "Vault", finding: Finding) -> Repair | None:
    path = finding.path
    if finding.code == "leftover":
        return Repair("leftover", path, "delete it: half of a killed write")
    if finding.code == "stale_key":
        return Repair("stale_key", path, "write the key of its text")
    if finding.code == "one_sided_lineage":
        entry = vault.load(path).entry
        if not entry.superseded_by:
            return None  # whether the other one is still true is for people
        other = vault.path_of(entry.superseded_by)
        return Repair("lineage", other, f"write that it supersedes {entry.id}")
    return None


def _uncommitted(root: str, repository: Repository, broken: set[str]) -> list[Repair]:
    """Files that are on disk and not in git; what somebody staged is his.

    A file that is on disk as HEAD has it, and in the index otherwise, nobody staged:
    a `git commit` that ran beside ours has overwritten the index (decision 4).
    """
    words = {"??": "commit it: new", " M": "commit it: edited"}
    try:
        rows = repository.status()
    except MemcliError:
        return []
    lost = {
        path
        for code, path in rows
        if code in ("MM", "D ") and _is_ours(path) and _is_head(root, repository, path)
    }
    steps = [
        Repair("index", path, "put it back into git's index, which has lost it")
        for path in sorted(lost)
    ]
    steps += (
        Repair("uncommitted", path, words[code])
        for code, path in sorted(rows, key=lambda row: row[1])
        if code in words and path not in broken | lost and _is_ours(path)
    )
    return steps


def _deleted(repository: Repository) -> list[Finding]:
    """Files that were deleted by hand: whether that is meant is for people to say."""
    try:
        rows = repository.status()
    except MemcliError:
        return []
    return [
        Finding(
            path,
            1,
            "deleted",
            WARNING,
            "deleted by hand, and not committed",
            "git restore brings it back, git rm makes it so.",
        )
        for code, path in sorted(rows, key=lambda row: row[1])
        if code == " D" and _is_ours(path)
    ]


def _is_head(root: str, repository: Repository, path: str) -> bool:
    try:
        return repository.show("HEAD", path) == journal.current(
            files.inside(root, path)
        )
    except MemcliError:
        return False


def _is_ours(path: str) -> bool:
    return layout.is_entry(path) or path in (layout.CONFIG, layout.README)


def _lock_path(repository: Repository) -> str:
    return os.path.join(repository.git_dir, "index.lock")


def _rewrite(vault: "Vault", change: "Transaction", path: str, code: str) -> None:
    from memcli import codec

    stored = vault.stored(path)
    # A file may need both: the second starts from what the first made of it.
    data = change.pending(path) or stored.data
    entry = codec.decode(data, path, kinds=vault.kinds).entry
    if code == "stale_key" and entry.item is not None:
        fresh = entry.replace(key=strict_key(entry.item, entry.body))
    else:
        before = vault.read(
            lambda reader: [
                reader.row(doc)["id"]
                for doc in reader.exact("superseded_by", entry.id)
                if reader.row(doc)["status"] == str(Status.SUPERSEDED)
            ]
        )
        if entry.supersedes or not before:
            return
        fresh = entry.replace(supersedes=sorted(before)[-1])
    fresh_data = codec.rewrite(data, fresh, kinds=vault.kinds)
    change.put(path, fresh_data, expected=stored.data)
