"""The state of the vault's repository: locks, and operations that are not finished.

Invariant: reads only, and touches no lock. A lock counts as dead only after more time
than any git needs.
"""

from __future__ import annotations

import os
import time
from shlex import quote

from memcli.entries import layout
from memcli.entries.file_checks import ERROR, WARNING, Finding
from memcli.entries.text.counted import counted
from memcli.errors import MemcliError, NotAVault
from memcli.named_tuple import NamedTuple
from memcli.storage import journal, state_dirs
from memcli.storage.git.complaints import SPARSE_HINT, UNFINISHED

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memcli.storage.git.repository import Repository
    from memcli.vault.vault import Vault

# What git locks to commit, besides the branch.
_LOCKS = ("index.lock", "HEAD.lock", "packed-refs.lock")
# Seconds; git itself holds its index for moments.
_STALE_LOCK = 60.0
# A git that is at work for longer than this, in seconds, has been killed.
_DEAD_LOCK = 600.0


class GitLock(NamedTuple):
    """A file by which a git says that it is changing the index, HEAD or a branch.

    `label` is how a finding names it, below the vault or absolute; `age` is in seconds.
    """

    path: str
    label: str
    age: float

    @property
    def is_dead(self) -> bool:
        """Whether the git that made it must have been killed."""
        return self.age > _DEAD_LOCK


def repository_of(vault: Vault) -> Repository | None:
    """The repository of a vault; None when the vault is not under git."""
    from memcli.storage.git.repository import Repository

    try:
        return Repository.open(vault.root, environ=vault.environ)
    except NotAVault:
        return None


def findings(repository: Repository) -> Iterator[Finding]:
    """Findings about what stands in the way of the next commit."""
    from memcli.storage.git import tree

    root = repository.root
    if journal.exists(root):
        try:
            journal.load(root)
        except MemcliError as error:
            path = state_dirs.path(root, layout.JOURNAL)
            yield Finding(path, 1, "journal", ERROR, error.message, error.hint)
    for lock in locks(repository):
        if lock.age > _STALE_LOCK:
            yield _about_lock(lock)
    for name, operation in UNFINISHED:
        if os.path.lexists(os.path.join(repository.git_dir, name)):
            message = f"a {operation} is in progress; nothing can be committed"
            hint = f"Finish it, or: git -C {quote(root)} {operation} --abort"
            yield Finding(".git", 1, "git_state", ERROR, message, hint)
            return
    try:
        hidden = [path for path in tree.sparse(repository) if layout.is_entry(path)]
    except MemcliError:  # another finding says so
        hidden = []
    if any(not path.startswith(layout.ARCHIVE + "/") for path in hidden):
        message = f"a sparse checkout leaves out {counted(len(hidden), 'entry')}, "
        message += "which no command sees"
        yield Finding(".git", 1, "git_state", ERROR, message, SPARSE_HINT)
        return
    if repository.is_detached():
        message = "HEAD is detached: commits belong to no branch"
        hint = f"Go to the one that you want: git -C {quote(root)} switch main"
        yield Finding(".git", 1, "detached_head", WARNING, message, hint)


def locks(repository: Repository) -> list[GitLock]:
    """The locks of git that are there now; each stands in the way of a commit.

    A git that is killed leaves its own behind.
    """
    git = repository.git_dir
    paths = [os.path.join(git, name) for name in _LOCKS]
    for folder, _, names in os.walk(os.path.join(git, "refs", "heads")):
        paths += [
            os.path.join(folder, name) for name in names if name.endswith(".lock")
        ]
    now = time.time()
    held = []
    for path in paths:
        try:
            changed = os.stat(path).st_mtime
        except OSError:
            continue
        label = _label(repository, path)
        held.append(GitLock(path, label, max(0.0, now - changed)))
    return held


def _about_lock(lock: GitLock) -> Finding:
    what = os.path.basename(lock.path).removesuffix(".lock")
    hint = "If no git is running: memcli doctor --fix"
    if not lock.is_dead:
        hint = f"If no git is running, delete it; after {_DEAD_LOCK / 60:.0f} "
        hint += "minutes memcli doctor --fix does."
    message = (
        f"git's {what} is locked for {int(lock.age):,} s; nothing can be committed"
    )
    return Finding(lock.label, 1, "git_lock", ERROR, message, hint)


def _label(repository: Repository, path: str) -> str:
    path = path.replace(os.sep, "/")
    return path.removeprefix(repository.root.replace(os.sep, "/") + "/")


def version(environ: Mapping[str, str]) -> str:
    """git's version in its own words, as in `git version 2.39.5`.

    Raises:
        HistoryError: there is no git on the PATH, or it cannot be started.
    """
    from memcli.storage.git import process

    done = process.run(os.sep, process.clean_environment(environ), ("version",))
    return done.text or "git, of an unknown version"
