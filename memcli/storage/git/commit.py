"""A commit of some files, which git stages and one of two ways commits.

Invariant: git stages the files in a copy of git's index, under the index's lock,
so filters, attributes and ignore rules apply as git reads them. The commit holds what
was staged and nothing else. The copy takes the index's place by one rename after the
commit was made: one that fails, on a full disk too, leaves nothing staged, and what a
person has staged is neither committed nor lost.

Where git stores the very bytes and the user asks for no more (no hooks, no signing, no
merge in progress), `git fast-import` makes the commit; otherwise `git commit` does, in
an index of HEAD and these files. `commit --only` looks at every file of the work tree
twice, and compares each path with each: 100,000 new files took it 280 s.
"""

from __future__ import annotations

import contextlib
import os

from memcli.errors import HistoryError, MemcliError
from memcli.storage import files
from memcli.storage.git import on_disk, staging
from memcli.storage.git.index_lock import IndexLock, patiently
from memcli.storage.git.process import names, run
from memcli.storage.git.repository import is_of
from memcli.storage.git.staging import (
    CHEAP,
    PATHS,
    UNFINISHED,
    changed_meanwhile,
    differing,
    failure,
    pathspecs,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memcli.entries.identity import File
    from memcli.storage.git.repository import Repository


_NO_GC = ("-c", "gc.auto=0", "-c", "maintenance.auto=false")
# A title may start with '#'.
_COMMIT = (
    *("-c", "i18n.commitEncoding=UTF-8"),
    *("commit", "--no-status", "--untracked-files=no", "--cleanup=whitespace"),
)
_NOBODY = ("-c", "user.name=memcli", "-c", "user.email=memcli@localhost")

_UNDER_WAY = ("sequencer", "commondir", "shallow.lock")
# The pack that fast-import makes is unpacked at once: compressing the tree of a folder
# of 4,000 notes for it took 10 of its 24 ms. What is kept is compressed as always.
# A user may have set `transfer.unpackLimit` so that each save would stay a pack.
_FAST = ("-c", "pack.compression=0", "-c", "fastimport.unpackLimit=100")
_IDENTITY = ("GIT_AUTHOR_", "GIT_COMMITTER_")
# With any of these settings, at any value, git does more than make a commit.
_SETTINGS = (
    *("core.hookspath", "commit.gpgsign", "user.signingkey", "i18n.commitencoding"),
    *("hook.", "gpg.", "author.", "committer.", "extensions."),
)
# git is asked to collect garbage after each commit whose id begins so, one of 16: it
# looks itself whether it is worth it.
_GC_SAMPLE = "0"
# A person who commits in the same instant moves the branch, but not five times.
_TRIES = 5


def commit(
    repository: Repository,
    paths: Sequence[str],
    message: str,
    *,
    meant: Mapping[str, bytes | None] | None = None,
    patience: float = 2.0,
) -> str | None:
    """Commit these paths as they are on disk: added, changed or deleted.

    The user's hooks and signing apply. A path that exists neither on disk nor
    in git is skipped. Garbage is collected when git would do so itself.

    Args:
        repository: the vault's.
        paths: files, not folders.
        message: the commit message; its first line is the subject.
        meant: what the files are to hold, None for no file.
        patience: seconds to wait while another git holds a lock; editors take
            it for moments, whenever they refresh.

    Returns:
        The commit's id, or None when none of the paths differs from HEAD.

    Raises:
        Conflict: a file does not hold what is meant; nothing was committed.
        LockBusy: another git held a lock longer than that.
        HistoryError, WriteFailed: a hook, git or the disk refused.
    """
    if not paths:
        return None
    clean = message.replace("\0", " ").encode("utf-8", "replace").decode()
    wanted = list(dict.fromkeys(paths))
    made = patiently(
        repository.git_dir,
        lambda: make(repository, wanted, clean, meant or {}),
        patience,
    )
    if made and made.startswith(_GC_SAMPLE):
        # The commit is made: what fails from here on does not unmake it.
        with contextlib.suppress(KeyboardInterrupt, MemcliError):
            repository.git(("gc", "--auto", "--quiet"))  # goes on in the background
    return made


def unstage(
    repository: Repository, paths: Iterable[str], *, patience: float = 2.0
) -> None:
    """Put these paths into git's index as HEAD has them.

    Raises:
        LockBusy, HistoryError: git refused.
    """
    wanted = list(paths)

    def reset() -> None:
        done = repository.git(("reset", "--quiet", *PATHS), pathspecs(wanted))
        if done.code:
            raise failure(repository, done, wanted)

    if wanted:
        patiently(repository.git_dir, reset, patience)


def make(
    repository: Repository,
    paths: Sequence[str],
    message: str,
    meant: Mapping[str, bytes | None] | None,
) -> str | None:
    """Commit these files as they are on disk; no id where none differs from HEAD.

    Raises:
        Conflict: a file does not hold what is meant; nothing was committed.
        LockBusy: another git holds the lock of the index.
        HistoryError, WriteFailed: git, a hook or the disk refused.
    """
    git_dir, repository.unsettled = repository.git_dir, False
    for state, name in UNFINISHED:
        if os.path.lexists(os.path.join(git_dir, state)):
            raise staging.unfinished(repository, name, paths)
    with IndexLock(git_dir, repository.environment) as index:
        env = index.copy()
        # A branch is switched under this lock, so not from here on.
        contents = {**_contents(repository, paths), **(meant or {})}
        parent = repository.head()
        staged = staging.stage(repository, env, contents, parent)
        now = _contents(repository, paths)
        if changed := [path for path in paths if now[path] != contents[path]]:
            raise changed_meanwhile(changed[0])
        commit, indexed = None, True
        who = _plainly(repository, staged, contents) if staged else ""
        if who:
            commit = _by_import(repository, staged, message, who)
        if staged and commit is None:
            commit = _by_git(repository, index, staged, message)
            if commit:
                again = pathspecs(_committed(repository, env, staged, parent))
                reset = ("reset", "--quiet", *PATHS)
                done = run(repository.top, env, reset, again)
                indexed = not done.code
        # The commit is made: what fails from here on does not unmake it. Without one a
        # file may go that was only announced.
        if commit or not staged:
            indexed = index.install() and indexed
    if commit and indexed and parent and not index.is_in_place():
        with contextlib.suppress(KeyboardInterrupt, MemcliError):
            indexed = _correct_index(repository, staged, parent)
    repository.unsettled = commit is not None and not indexed
    return commit


def _contents(repository: Repository, paths: Iterable[str]) -> dict[str, bytes | None]:
    root = repository.root
    return {path: files.standing(os.path.join(root, path)) for path in paths}


def _plainly(
    repository: Repository,
    staged: Mapping[str, File],
    contents: Mapping[str, bytes | None],
) -> str:
    """Who commits, where no more is asked of git than to store these bytes; or ""."""
    git_dir, env = repository.git_dir, repository.environment
    try:
        hooks = os.listdir(os.path.join(git_dir, "hooks"))
    except FileNotFoundError:
        hooks = []
    except OSError:
        return ""
    if (
        any(os.path.lexists(os.path.join(git_dir, name)) for name in _UNDER_WAY)
        or any(not name.endswith(".sample") for name in hooks)
        or any(name.startswith(_IDENTITY) for name in env)
        # Without one the branch is unborn, or only git can tell.
        or not on_disk.branch(git_dir).startswith("refs/heads/")
        or not on_disk.commit(git_dir)
    ):
        return ""
    for path, (_, oid) in staged.items():
        if contents[path] is not None and not is_of(oid.encode(), contents[path]):
            return ""
    return _identity(repository)


def _identity(repository: Repository) -> str:
    """`Name <address>`; empty where git has to look for one or to correct it, or its
    settings ask for more than a commit."""
    settings = repository.settings()
    if any(key.startswith(_SETTINGS) for key in settings):
        return ""
    name, address = (settings.get(f"user.{key}", "") for key in ("name", "email"))
    # Of these git takes nothing off, and what is no UTF-8 it makes so.
    for text in (name, address):
        ends = text[:1] + text[-1:]
        if not (ends.isalnum() and text.isprintable()) or "<" in text or ">" in text:
            return ""
    return "" if " " in address else f"{name} <{address}>"


def _by_import(
    repository: Repository, staged: Mapping[str, File], message: str, who: str
) -> str | None:
    """The commit by fast-import on the tip of the branch; None where it refuses."""
    git_dir = repository.git_dir
    branch = on_disk.branch(git_dir)
    top = repository.prefix
    put = {top + path: what for path, what in staged.items() if what.mode != "000000"}
    gone = [top + path for path, what in staged.items() if what.mode == "000000"]
    stream = staging.stream_of(branch, (f"{branch}^0",), put, gone, message, who)
    done = staging.import_stream(repository, stream, *_FAST)
    if not done.code:
        return on_disk.commit(git_dir)
    error = failure(repository, done, [*staged])
    if isinstance(error, HistoryError):
        return None
    raise error  # `git commit` would fail, too, and leave more behind


def _by_git(
    repository: Repository, index: IndexLock, staged: Mapping[str, File], message: str
) -> str | None:
    """The commit by git itself, with the user's hooks, signing and identity; None where
    a hook left nothing to commit."""
    # Of HEAD; it begins as git's, which has the times of its files.
    own = index.copy("-head")
    # Without a HEAD whatever the index holds is a person's.
    tree = ("--reset", "-i", "HEAD") if repository.head() else ("--empty",)
    lines = staging.index_lines(staged, repository.prefix)
    for words, data in ((("read-tree", *tree), b""), (staging.NEW_LINES, lines)):
        done = run(repository.top, own, words, data)
        if done.code:
            raise failure(repository, done, [*staged])
    words = (*CHEAP, *_NO_GC, *_COMMIT, "-m", message)
    who = () if repository.committer() else _NOBODY
    done = run(repository.root, own, (*who, *words))
    if done.code == 0 or b"repository has been updated" in done.output:
        return repository.head()
    if done.code == 1 and b"nothing to commit" in done.output:
        return None
    raise failure(repository, done, [*staged])


def _committed(
    repository: Repository,
    env: dict[str, str],
    staged: Mapping[str, File],
    parent: str | None,
) -> list[str]:
    """The paths, from the top, at which an index is to be as HEAD: what was staged, and
    what a hook has added or committed, but for what a person has staged."""
    before = parent or staging.empty_tree(repository, env)
    words = ("-z", "--name-only", "--no-renames", "--ignore-submodules=all", before)
    done = run(repository.top, env, ("diff-tree", "-r", *words, "HEAD", "--"))
    others = set(names(done.printed))
    others.difference_update(repository.prefix + path for path in staged)
    if others:
        done = run(repository.top, env, ("diff-index", "--cached", *words, "--"))
        others.difference_update(names(done.printed))
    return [*others, *(repository.prefix + path for path in staged)]


def _correct_index(
    repository: Repository, staged: Mapping[str, File], parent: str
) -> bool:
    """Let the index hold what was committed, also when another git overwrote it.

    `git commit PATH` reads the index before it locks it. When a person started one
    before this commit, it writes an index without these files, and their next commit
    would undo this one. Such a commit ends within milliseconds; the look costs one.
    What a person has staged after the commit is not what its parent holds, and stays:
    the index then is as it should be, too.
    """
    env = repository.environment
    for _ in range(_TRIES):
        other = differing(repository, env, staged, parent)
        stale = {path: what for path, what in staged.items() if path not in other}
        if not stale:
            return True
        lines = staging.index_lines(stale, repository.prefix)
        run(repository.top, env, staging.NEW_LINES, lines)
    return False
