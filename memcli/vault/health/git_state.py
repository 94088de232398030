"""The state of the vault's repository: locks, operations that are not finished, and
what git's own commands left behind.

Invariant: reads only, and touches no lock. A lock counts as dead only after more time
than any git needs. A `git rebase`, also that of `git pull --rebase`, moves the branch
without a look at what was committed to it meanwhile: the commit is in the reflog alone,
and its files are gone from the folder. So does the `git reset` inside a `git stash`,
which moves HEAD to what HEAD was when it began; nobody means that, and a repair brings
the commit back. What a person took back with `git reset` to another commit, or with
`git commit --amend`, is theirs, and is not named. git merges file by file, so a new
version comes without what the other clone did to the old one.
"""

from __future__ import annotations

import os
import time
from functools import partial
from shlex import quote

from memcli.entries import codec, layout
from memcli.entries.entry import Status
from memcli.entries.file_checks import ERROR, WARNING, Finding
from memcli.entries.merging.fields import CARRIED, RESOLUTION
from memcli.entries.text.counted import counted
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import files as disk
from memcli.storage import journal, state_dirs
from memcli.storage.git.staging import SPARSE_HINT, UNFINISHED
from memcli.storage.vault_paths import inside
from memcli.vault import lookup

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memcli.search.reader import Reader
    from memcli.storage.git.repository import Blob, Repository
    from memcli.vault.vault import Vault

    # By path the bytes of a file before and after; None is no file.
    Changes = Mapping[str, tuple[bytes | None, bytes | None]]

MEND = "memcli doctor --fix"
"""The hint of a finding that a repair ends, without a guess."""

# What git locks to commit, besides the branch.
_LOCKS = ("index.lock", "HEAD.lock", "packed-refs.lock")
# Seconds; git itself holds its index for moments.
_STALE_LOCK = 60.0
# A git that is at work for longer than this, in seconds, has been killed.
_DEAD_LOCK = 600.0


class LeftOut(NamedTuple):
    """A finding about what git's own commands left out, and what a repair changes to
    bring it back, in words and by path; nothing where that is for a person."""

    finding: Finding
    action: str = ""
    changes: Changes = {}  # noqa: RUF012 a default that nothing changes


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
    yield from _locks(repository)
    for name, operation in UNFINISHED:
        if os.path.lexists(os.path.join(repository.git_dir, name)):
            message = f"a {operation} is in progress; nothing can be committed"
            hint = f"Finish it, or: git -C {quote(root)} {operation} --abort"
            yield Finding(".git", 1, "git_state", ERROR, message, hint)
            return
    hidden = [path for path in tree.sparse(repository) if layout.is_entry(path)]
    if not all(map(layout.is_archived, hidden)):
        message = f"a sparse checkout leaves out {counted(len(hidden), 'entry')}, "
        message += "which no command sees"
        yield Finding(".git", 1, "git_state", ERROR, message, SPARSE_HINT)
        return
    if repository.is_detached():
        message = "HEAD is detached: commits belong to no branch"
        hint = f"Go to the one that you want: git -C {quote(root)} switch main"
        yield Finding(".git", 1, "detached_head", WARNING, message, hint)


def _locks(repository: Repository) -> Iterator[Finding]:
    """The locks of git, by which it says that it is changing the index, HEAD or a
    ref; a git that is killed leaves its own behind."""
    git, root = repository.git_dir, repository.root.replace(os.sep, "/") + "/"
    paths = [os.path.join(git, name) for name in _LOCKS]
    for folder, _, names in os.walk(os.path.join(git, "refs")):
        paths += [
            os.path.join(folder, name) for name in names if name.endswith(".lock")
        ]
    for path in paths:
        try:
            age = time.time() - os.stat(path).st_mtime
        except OSError:
            continue
        if age > _STALE_LOCK:
            what = os.path.basename(path).removesuffix(".lock")
            message = f"git's {what} is locked for {int(age):,} s; nothing can be "
            hint = MEND if age > _DEAD_LOCK else "If no git is running, delete it."
            path = path.replace(os.sep, "/").removeprefix(root)
            yield Finding(path, 1, "git_lock", ERROR, message + "committed", hint)


def version(environ: Mapping[str, str]) -> str:
    """git's version in its own words, as in `git version 2.39.5`.

    Raises:
        HistoryError: there is no git on the PATH, or it cannot be started.
    """
    from memcli.storage.git import process

    done = process.run(os.sep, process.clean_environment(environ), ("version",))
    return done.text or "git, of an unknown version"


# How the reflog calls what moves HEAD without a look at it.
_RESET = "reset: moving to HEAD"
_MOVERS = ("rebase", "pull", "merge", _RESET)
# Commits of a stash that are looked at.
_MOST = 50


# --- commits that are in no branch ---------------------------------------------------


def dropped(vault: Vault, repository: Repository) -> Iterator[LeftOut]:
    """The entries of such commits that HEAD's history never had.

    A rebase copies its commits, and may merge them: there an entry is known by its id,
    also when it was changed or removed later. A stash merges nothing, and what it left
    out is made again.

    Raises:
        HistoryError: git refused.
    """
    from memcli.storage.git import history

    behind = history.left_behind(repository, _MOVERS)
    if not behind:
        return
    stashed = [*history.left_behind(repository, (_RESET,), deep=True)][:_MOST]
    commits = [*dict.fromkeys([*behind, *stashed])]
    written = {
        (blob.path, blob.id): blob
        for blob in reversed(history.blobs_of(repository, commits))
        if layout.is_entry(blob.path)
    }
    had = history.blobs(repository, {path for path, _ in written}, None, of="HEAD")
    for blob in had:
        written.pop((blob.path, blob.id), None)
    lost: dict[str, Blob] = {}
    for blob in written.values():  # the oldest first: a later one builds on it
        lost.setdefault(blob.path, blob)
    contents = repository.contents([*lost.values()])
    for blob, data in zip(lost.values(), contents, strict=True):
        name = blob.commit[:12]
        action = ""
        changes: Changes = {}
        if blob.commit in stashed:
            changes = _changes_of(vault, repository, blob.commit)
            now, after = changes.get(blob.path, (None, None))
            if after in (None, now):
                continue
            message, hint = f"commit {name} is in no branch: a git stash left it ", MEND
            action = f"make commit {name} again: a git stash left it out"
        elif _is_known(vault, repository, data, blob.path):
            continue
        else:
            message = f"{behind[blob.commit]!r} is in no branch: another git left it "
            hint = f"git cherry-pick {name} brings it back."
        finding = Finding(blob.path, 1, "dropped", WARNING, f"{message}out", hint)
        yield LeftOut(finding, action, changes)


def _is_known(vault: Vault, repository: Repository, data: bytes, path: str) -> bool:
    """Whether the vault or HEAD's history knows the id of an entry."""
    from memcli.storage.git import history

    try:
        name = codec.decode(data, path, kinds=vault.kinds).entry.id
    except MemcliError:
        return True
    found = vault.index.again(partial(lookup.of_id, entry_id=name))
    return bool(found) or bool(history.blobs(repository, (), name, of="HEAD"))


def _changes_of(vault: Vault, repository: Repository, commit: str) -> Changes:
    """A commit's files as they are now and as it made them, by path; none when one of
    them was changed since."""
    from memcli.storage.git import history

    changes = {}
    for path in history.changes(repository, commit):
        before, after = (shown(repository, of, path) for of in (f"{commit}^", commit))
        try:
            now = disk.current(inside(vault.root, path))
        except MemcliError:
            return {}
        if now not in (before, after):
            return {}
        changes[path] = now, after
    return changes


def shown(repository: Repository, commit: str, path: str) -> bytes | None:
    """The bytes that a commit holds at a path; None for nothing that can be read."""
    try:
        return repository.files_at(commit, [path])[path]
    except MemcliError:
        return None


# --- merges by plain git -------------------------------------------------------------

# The merges that are looked at, the last ones, and how those of memcli begin.
_MERGES = 3
_OWN = "sync: merge "


def half_merges(vault: Vault, repository: Repository) -> list[LeftOut]:
    """The versions that lack what the other clone did to the one before.

    None where the history cannot be read, or a person has changed the version since.
    """
    found: dict[str, LeftOut] = {}
    try:
        for merge, *parents in _merges(repository) if not repository.prefix else ():
            for each in _not_merged(vault, repository, merge, parents):
                found.setdefault(each.finding.path, each)
    except MemcliError:
        return []
    return [*found.values()]


def _merges(repository: Repository) -> Iterator[list[str]]:
    """The last merges of two commits that memcli has not made, with their parents."""
    words = ("--merges", f"--max-count={_MERGES}", "--format=%H %P%x1f%s", "HEAD")
    listed = repository.look("log", *words, "--").decode("utf-8", "replace")
    for line in listed.splitlines():
        commits, _, subject = line.partition("\x1f")
        names = commits.split()
        if len(names) == 3 and not subject.startswith(_OWN):
            yield names


def _not_merged(
    vault: Vault, repository: Repository, merge: str, parents: Sequence[str]
) -> Iterator[LeftOut]:
    # Loaded only where there is a merge, which most vaults have not.
    from memcli.storage.git import merging, tree

    bases = tree.bases(repository, *parents)
    if not bases:
        return
    ours, theirs = (merging.side(repository, merging.OTHER, each) for each in parents)
    plan = merging.planned(repository, bases[0], ours, theirs, vault.kinds)
    made, now = tree.of_commit(repository, merge), tree.of_commit(repository, "HEAD")
    for place, data in plan.put.items():
        if not (isinstance(data, bytes) and layout.is_entry(place)):
            continue
        try:
            wanted = codec.decode(data, place, kinds=vault.kinds).entry
            place_of = partial(_place_of, entry_id=wanted.id)
            path, resolved_before = vault.index.again(place_of)
            taken = made.get(path)
            sides = (ours.files.get(path), theirs.files.get(path))
            if taken is None or taken not in sides or now.get(path) != taken:
                continue
            stored = vault.stored(path)
        except MemcliError:
            continue
        entry = stored.entry
        ends = resolved_before and wanted.status is Status.RESOLVED
        names = (*CARRIED, *(("status", *RESOLUTION) if ends else ()))
        if entry.superseded_by:
            names = ("visibility", "groups")
        values = {
            name: getattr(wanted, name)
            for name in names
            if getattr(wanted, name) != getattr(entry, name)
        }
        if values:
            what = ", ".join(sorted(values))
            message = f"a merge by git left out what the other clone changed: {what}"
            hint = f"{MEND} takes it over, as memcli sync would have."
            fresh = entry.replace(**values)
            data = codec.rewrite(stored.data, fresh, kinds=vault.kinds)
            yield LeftOut(
                Finding(path, 1, "half_merged", WARNING, message, hint),
                "take over what the other clone changed in the version before",
                {path: (stored.data, data)},
            )


def _place_of(reader: Reader, entry_id: str) -> tuple[str, bool]:
    """Where an entry lies, and whether an earlier version of it is resolved; an empty
    path where there is none, or two files have its id."""
    docs = reader.exact("id", entry_id)
    path = reader.row(docs[0]).path if len(docs) == 1 else ""
    return path, bool(path) and docs[0] in reader.claims.heirs
