"""A vault's history: its commits, what files held in them, and what HEAD has lost.

Invariant: reads only. Paths are those of the vault; where git refuses, HistoryError is
raised. The reflog tells a person's edit from what another git took away.
"""

from __future__ import annotations

import itertools
import os

from memcli.named_tuple import NamedTuple
from memcli.storage.git import on_disk, staging, tree
from memcli.storage.git.process import joined, names
from memcli.storage.git.repository import PLAIN, Blob, Commit, is_of, refuse_option

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memcli.storage.git.repository import Repository

_FORMAT = (
    *("log", *PLAIN, "-z", "--no-abbrev"),
    *("--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%x02%H%x1f%ad%x1f%an%x1f%s"),
)
# How the reflog names what makes a commit; every other move (`pull: Fast-forward`,
# `clone`, `reset`, `memcli sync`) goes to a commit that was there before.
_MAKES = ("commit", "fast-import", "cherry-pick", "revert", "am")
_PICKS = ("(pick)", "(reword)", "(edit)", "(squash)", "(fixup)", "(continue)")
_ABORT = "abort"
# Moves that take nothing out of the folder that HEAD holds.
_CALM = ("memcli sync", "clone", "branch", "Branch")
# A stash is no branch: it goes when it is popped.
_NOT_IN_A_BRANCH = ("--not", "--exclude=refs/stash", "--all", "HEAD", "--")


class Step(NamedTuple):
    """One commit, and the files of the vault that it added, changed or removed.

    A merge has no files of its own here. The blob of a file is that of its new content,
    of a removed file the old one.
    """

    commit: Commit
    added: list[Blob]
    changed: list[Blob]
    removed: list[Blob]


def _steps(output: bytes, prefix: str) -> list[Step]:
    """The commits of a `git log` with `_FORMAT`, and with `--raw` their files.

    A file that git takes for a copy is not among them: small notes under the same
    frontmatter all resemble each other.
    """
    steps: list[Step] = []
    fields = iter(names(output))
    for field in fields:
        facts = field.strip("\n")
        if facts.startswith("\2"):
            steps.append(Step(Commit(*facts[1:].split("\x1f", 3)), [], [], []))
        elif facts:
            _, _, before, after, kind = facts.split()
            path = next(fields)  # of any characters: it may begin like a commit
            if kind[0] in "RC":
                path = next(fields)
            blob, step = before if kind == "D" else after, steps[-1]
            files = {"A": step.added, "D": step.removed}.get(kind, step.changed)
            if kind[0] != "C":
                files.append(Blob(blob, path.removeprefix(prefix), step.commit.id))
    return steps


def steps(repository: Repository, limit: int, since: int | None = None) -> list[Step]:
    """The newest commits that touched the vault, the last one first.

    Args:
        repository: the vault's.
        limit: how many at most.
        since: only commits of this moment or later, epoch seconds.
    """
    if repository.head() is None:
        return []
    when = () if since is None else (f"--since={since}",)
    words = (*_FORMAT, "--raw", "--no-renames", f"--max-count={limit}", *when)
    return _steps(repository.look(*words, "--", "."), repository.prefix)


def log(repository: Repository, path: str, limit: int = 20) -> list[Commit]:
    """The newest `limit` commits of a file, also under earlier names."""
    if repository.head() is None:
        return []
    words = (*_FORMAT, "--follow", "--raw", f"--max-count={limit}", "--", path)
    commits = []
    for step in _steps(repository.look(*words), repository.prefix):
        commits.append(step.commit)
        if not any(step[1:]):  # a copy: older commits are of another file
            break
    return commits


def changes(repository: Repository, commit: str) -> list[str]:
    """The paths of the vault that a commit changed, added or removed."""
    refuse_option(commit)
    output = repository.ask(
        *("show", *PLAIN, "--format=", "--name-only", "--no-renames", "-z"),
        *(commit, "--", "."),
    )
    return [name.removeprefix(repository.prefix) for name in names(output)]


def blobs(
    repository: Repository,
    paths: Collection[str],
    mark: str | None,
    *,
    of: str = "--all",
) -> list[Blob]:
    """Every content that the files at these paths have had.

    Args:
        paths: of the vault.
        mark: a text; every path at which a file with it was added or removed
            counts, too.
        of: in the history of this commit, else in that of every branch.
    """
    if repository.head() is None:
        return []
    wanted = set(paths)
    if mark:
        wanted |= {
            change.path for change in _written(repository, of, f"-S{mark}", "--", ".")
        }
    return _written(repository, of, "--", *sorted(wanted)) if wanted else []


def blobs_of(repository: Repository, commits: Sequence[str]) -> list[Blob]:
    """Every content that these commits themselves gave to files."""
    data = joined(commits, "\n")
    return _written(repository, "--no-walk=unsorted", "--stdin", "--", ".", data=data)


def _written(
    repository: Repository, of: str, *arguments: str, data: bytes = b""
) -> list[Blob]:
    """The contents that the commits of a `git log` gave to files."""
    # With -m also what a merge commit alone wrote.
    words = (*_FORMAT, of, "-m", "--raw", "--no-renames", *arguments)
    steps = _steps(repository.look(*words, data=data), repository.prefix)
    return [blob for step in steps for blob in (*step.added, *step.changed)]


# --- the reflog -------------------------------------------------------------------


class _Move(NamedTuple):
    """An entry of a reflog: where to, when, and by what."""

    commit: str
    subject: str
    when: int
    action: str


def _reflog(repository: Repository, *refs: str) -> list[_Move]:
    words = ("--walk-reflogs", "-z", "--date=unix", "--format=%H%n%s%n%gd%n%gs")
    text = repository.look("log", *words, *refs, "--").decode("utf-8", "replace")
    moves = []
    for row in filter(None, text.split("\0")):
        commit, subject, name, action = row.split("\n", 3)
        when = int(name.rpartition("{")[2].rstrip("}"))
        moves.append(_Move(commit, subject, when, action))
    return moves


def left_behind(
    repository: Repository, movers: tuple[str, ...], *, deep: bool = False
) -> dict[str, str]:
    """The subjects of commits that were HEAD, and are in no branch now, by their ids.

    Only those from which one of these commands moved HEAD away, the newest first; with
    `deep`, and of a rebase that was given up, also those below.
    """
    if repository.head() is None:
        return {}
    branch = repository.branch()
    refs = ("HEAD", *([f"refs/heads/{branch}"] if branch else []))
    newest: dict[str, tuple[str, str]] = {}
    for ref in refs:
        for after, before in itertools.pairwise(_reflog(repository, ref)):
            newest.setdefault(before.commit, (before.subject, after.action + "\n"))
    # `reset: moving to HEAD~1` is a person's, `reset: moving to HEAD` is not.
    whole = tuple(name + end for name in movers for end in (" ", ":", "\n"))
    moved = {
        commit: subject
        for commit, (subject, mover) in newest.items()
        if mover.startswith(whole)
    }
    if not moved:
        return {}
    lost = repository.look("rev-list", "--reflog", *_NOT_IN_A_BRANCH)
    gone = set(lost.decode().split())
    found = {commit: moved[commit] for commit in moved if commit in gone}
    tips = [
        each for each in found if deep or _ABORT in newest[each][1].partition(":")[0]
    ]
    if tips:
        below = ("log", "-z", "--format=%H%x1f%s", *tips, *_NOT_IN_A_BRANCH)
        for row in names(repository.look(*below) + b"\0"):
            commit, _, subject = row.partition("\x1f")
            if commit:
                found.setdefault(commit, subject)
    return found


def undisturbed(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Those of the paths that have been in the folder, and whose newest commit no
    other git has run beside: no pull, merge, rebase, reset, checkout or stash that
    lacks it ended from two seconds before it to two minutes after it, by git's
    reflog.
    """
    stash = os.path.join(on_disk.shared_folder(repository.git_dir), "logs/refs/stash")
    refs = ("HEAD", "refs/stash") if os.path.exists(stash) else ("HEAD",)
    rows = [move for ref in refs for move in _reflog(repository, ref)]
    moves = [
        move
        for move in rows
        if not _makes_a_commit(move.action) and not move.action.startswith(_CALM)
    ]
    found = []
    # Without a reflog nothing is known.
    for path in _have_been_in_the_folder(repository, paths) if rows else ():
        last = ("log", "-1", "--format=%ct %H", "HEAD", "--", f":(literal){path}")
        made, _, commit = repository.answer(*last).decode().strip().partition(" ")
        beside = {m.commit for m in moves if -2 <= m.when - int(made or 0) <= 120}
        has = ("merge-base", "--is-ancestor", commit)
        if made and all(repository.git((*has, to)).code == 0 for to in beside):
            found.append(path)
    return found


def staged_alone(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Those of the paths at which git's index alone holds a text: neither the folder
    has it nor a commit of HEAD's history, which a person's git may have put back there.

    Raises:
        HistoryError: git refused.
    """
    head = repository.head()
    staged = staging.differing(repository, repository.environment, paths, head)
    # What is only announced (`git add -N`) is there without a text.
    staged = {
        path: what
        for path, what in staged.items()
        if what.mode != staging.GONE.mode and not is_of(what.oid.encode(), b"")
    }
    if not staged:
        return []
    known = set(tree.blob_ids(repository, [*staged]))
    if head:
        past = blobs(repository, staged, None, of="HEAD")
        known.update((blob.path, blob.id) for blob in past)
    return [path for path, what in staged.items() if (path, what.oid) not in known]


def _have_been_in_the_folder(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Those of the paths for which git's index has a time of a file.

    After a clone that was killed, or a push into the folder, `git reset` makes an
    index of files that were never there: their times are 0.
    """
    found = repository.look("ls-files", "--debug", "-z", "--", *paths)
    rows = names(b"\n" * 5 + found + b"\0")
    return [
        # Five lines about the file before stand in front of a path.
        row.split("\n", 5)[5]
        for row, about in itertools.pairwise(rows)
        if not about.startswith("  ctime: 0:0\n  mtime: 0:0\n")
    ]


def made_here(repository: Repository) -> set[str] | None:
    """The commits that were made in this clone, by the reflogs of its branches.

    Commits that a clone, a pull or a sync brought are left out, also when they name
    the same author. git forgets its notes after 90 days (`gc.reflogExpire`). None
    where it keeps none.
    """
    if repository.head() is None:
        return None
    moves = _reflog(repository, "HEAD", "--branches")
    made = {move.commit for move in moves if _makes_a_commit(move.action)}
    return made if moves else None


def _makes_a_commit(action: str) -> bool:
    """Whether an entry of the reflog tells of a new commit.

    >>> _makes_a_commit("commit (amend): x"), _makes_a_commit("rebase (pick): x")
    (True, True)
    >>> _makes_a_commit("pull: Fast-forward")
    False
    """
    done = action.partition(":")[0]
    return done.split(" ")[0] in _MAKES or done.endswith(_PICKS)
