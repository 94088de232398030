"""Files written by hand and not committed: committed before a sync, or left.

Invariant: a file is committed as it is, and only when it can be read as what it is and
holds no new secret: what a sync pushes cannot be taken back. What a person has staged
stays staged. A file that a person has deleted is forgotten, in a commit of its own.
"""

from __future__ import annotations

import shlex

from memcli.entries import codec, layout, no_secrets
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.git import commit as commits
from memcli.storage.vault_paths import inside
from memcli.vault.health.working_tree import WorkingTree, working_tree

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.storage.git.repository import Repository
    from memcli.vault.vault import Vault

_MARKERS = (b"<<<<<<< ", b">>>>>>> ")


class Left(NamedTuple):
    """A file that is not committed, and why."""

    path: str
    why: str


class Uncommitted(NamedTuple):
    """The result of `plan`: the files to commit, those that git's index has lost, those
    that are left as they are, and those that a person has deleted."""

    paths: list[str]
    lost: list[str]
    left: list[Left]
    forgotten: list[str]


def plan(vault: Vault, repository: Repository) -> Uncommitted:
    """Look at what no commit holds; nothing is changed.

    Raises:
        HistoryError: git refused.
    """
    tree = working_tree(vault, repository)
    paths, left = [], []
    for path in tree.uncommitted:
        why = _why_left(vault, repository, path)
        if why:
            left.append(Left(path, why))
        else:
            paths.append(path)
    for path, place in tree.moved.items():
        if place in paths or place not in tree.uncommitted:
            paths.append(path)
        else:
            left.append(Left(path, f"moved to {place}, which is left"))
    left += _of_a_person(vault, tree)
    return Uncommitted(paths, tree.lost, sorted(left), tree.forgotten)


def commit(vault: Vault, repository: Repository) -> Uncommitted:
    """Commit what can be committed; what was done.

    Raises:
        LockBusy, WriteFailed, HistoryError: nothing was committed.
    """
    if not repository.status():
        return Uncommitted([], [], [], [])
    found = plan(vault, repository)
    if found.forgotten:
        with vault.transaction() as change:
            for path in found.forgotten:
                change.include(path)
            change.message = f"forget: {_called(found.forgotten)}, deleted by hand"
    if not found.paths and not found.lost:
        return found
    with vault.transaction() as change:
        commits.unstage(repository, found.lost)
        for path in found.paths:
            change.include(path)
        change.message = f"keep: {_called(found.paths)}"
    return found


def _called(paths: list[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{len(paths)} files"


def _of_a_person(vault: Vault, tree: WorkingTree) -> list[Left]:
    way = shlex.join(["git", "-C", vault.root, "commit"])
    staged = [Left(path, f"you have staged it: {way}") for path in tree.staged]
    gone = [
        Left(path, "the folder lacks it: see memcli doctor --fix")
        for path in tree.missing
    ]
    older = [
        Left(path, "the folder has an earlier version: see memcli doctor --fix")
        for path in tree.older
    ]
    blocked = [Left(path, "a folder stands in its place") for path in tree.blocked]
    return staged + gone + older + blocked


def _why_left(vault: Vault, repository: Repository, path: str) -> str:
    """Why a file is not committed; '' where nothing speaks against it."""
    try:
        data = files.read(inside(vault.root, path), follow=False)
    except MemcliError as error:
        return error.message
    lines = data.splitlines()
    if all(any(line.startswith(mark) for line in lines) for mark in _MARKERS):
        return "it holds the markers of a conflict: memcli doctor --fix"
    if layout.is_entry(path):
        try:
            codec.decode(data, path, kinds=vault.kinds)
        except MemcliError as error:
            return f"it cannot be read: {error.message.removeprefix(path + ':')}"
    try:
        before = repository.show("HEAD", path)
    except MemcliError:
        before = None
    try:
        no_secrets.refuse_new({path: (before, data)}, (), "")
    except MemcliError:
        return "it seems to hold a secret, which a sync would give away"
    return ""
