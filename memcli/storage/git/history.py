"""A vault's history: its commits, what files held in them, and what HEAD has lost.

Invariant: reads only. Paths are those of the vault; where git refuses, HistoryError is
raised. The reflog tells a person's edit from what another git took away.
"""

from __future__ import annotations

import itertools
import os

from memcli.named_tuple import NamedTuple
from memcli.storage.git import printed, tip
from memcli.storage.git.printed import Blob, Commit
from memcli.storage.git.repository import PLAIN, refuse_option

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memcli.storage.git.repository import Repository

# Commits that are named to one git.
_AT_ONCE = 1_000
_DATE = "--date=format-local:%Y-%m-%dT%H:%M:%SZ"
_HEADER = "--format=%x02%H%x1f%ad%x1f%an%x1f%s"
_FORMAT = (*PLAIN, "--encoding=UTF-8", "-z", _DATE, "--format=%H%x1f%ad%x1f%an%x1f%s")
# How the reflog names what makes a commit; every other move (`pull: Fast-forward`,
# `clone`, `reset`, `memcli sync`) goes to a commit that was there before.
_MAKES = ("commit", "fast-import", "cherry-pick", "revert", "am")
_PICKS = ("(pick)", "(reword)", "(edit)", "(squash)", "(fixup)", "(continue)")
_ABORT = "abort"
# Moves that take nothing out of the folder that HEAD holds.
_CALM = ("memcli sync", "clone", "branch", "Branch")
# A stash is no branch: it goes when it is popped.
_NOT_IN_A_BRANCH = ("--not", "--exclude=refs/stash", "--all", "HEAD")


def log(repository: Repository, path: str, limit: int = 20) -> list[Commit]:
    """The newest `limit` commits of a file, also under earlier names."""
    if repository.head() is None:
        return []
    output = repository.look(
        "log",
        "--follow",
        "--name-status",
        f"--max-count={limit}",
        *PLAIN,
        "--encoding=UTF-8",
        "-z",
        _DATE,
        _HEADER,
        "--",
        path,
    )
    commits = []
    for row in ("\0" + output.decode("utf-8", "replace")).split("\0\x02")[1:]:
        header, _, change = row.partition("\0\n")
        commits.append(Commit(*header.rstrip("\0").split("\x1f", 3)))
        # git takes a new file that resembles another for its copy, and small notes
        # under the same frontmatter all do: older commits are of another file.
        if change.startswith("C"):
            break
    return commits


def subjects(repository: Repository, limit: int = 100) -> list[Commit]:
    """The newest `limit` commits that touched the vault."""
    if repository.head() is None:
        return []
    output = repository.look("log", *_FORMAT, f"--max-count={limit}", "--", ".")
    return printed.commits(output)


def changes(repository: Repository, commit: str) -> list[str]:
    """The paths of the vault that a commit changed, added or removed."""
    refuse_option(commit)
    output = repository.ask(
        *("show", *PLAIN, "--format=", "--name-only", "--no-renames", "-z"),
        *(commit, "--", "."),
    )
    return [name.removeprefix(repository.prefix) for name in printed.names(output)]


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
            change.path for change in _raw(repository, of, f"-S{mark}", "--", ".")
        }
    literal = [f":(literal){path}" for path in sorted(wanted)]
    return _raw(repository, of, "--", *literal) if literal else []


def blobs_of(repository: Repository, commits: Sequence[str]) -> list[Blob]:
    """Every content that these commits themselves gave to files."""
    found = []
    for start in range(0, len(commits), _AT_ONCE):
        some = commits[start : start + _AT_ONCE]
        found += _raw(repository, "--no-walk=unsorted", *some, "--", ".")
    return found


def _raw(repository: Repository, of: str, *arguments: str) -> list[Blob]:
    """The blobs that `git log --raw` of a commit, or of `--all`, names."""
    # With -m also what a merge commit alone wrote.
    options = ("-m", "--raw", "--no-abbrev", "--no-renames", "-z")
    words = ("log", *PLAIN, of, *options, "--format=%x02%H", *arguments)
    return printed.blobs(repository.ask(*words, literal=False), repository.prefix)


class Step(NamedTuple):
    """One commit, and the files of the vault that it added, changed or removed.

    A merge has no files of its own here. The blob of a file is that of its new content,
    of a removed file the old one.
    """

    commit: Commit
    added: list[Blob]
    changed: list[Blob]
    removed: list[Blob]


def steps(repository: Repository, limit: int, since: int | None = None) -> list[Step]:
    """The newest commits that touched the vault, the last one first.

    Args:
        repository: the vault's.
        limit: how many at most.
        since: only commits of this moment or later, epoch seconds.

    Raises:
        HistoryError: git refused.
    """
    if repository.head() is None:
        return []
    options = [*PLAIN, "--raw", "--no-abbrev", "--no-renames", "--encoding=UTF-8", "-z"]
    options += [_DATE, _HEADER, f"--max-count={limit}"]
    if since is not None:
        options.append(f"--since={since}")
    output = repository.look("log", *options, "--", ".")
    text = "\0" + output.decode("utf-8", "surrogateescape")
    return [
        _step(repository.prefix, [part for part in row.split("\0") if part.strip("\n")])
        for row in text.split("\0\2")[1:]
    ]


def _step(prefix: str, rows: list[str]) -> Step:
    """One commit; `rows` are its header, then the facts and path of each file."""
    commit = Commit(*rows[0].strip("\n").split("\x1f", 3))
    step = Step(commit, [], [], [])
    kinds = {"A": step.added, "D": step.removed}
    for fields, path in zip(rows[1::2], rows[2::2], strict=True):
        _, _, before, after, kind = fields.strip("\n").split()
        blob = before if kind == "D" else after
        files = kinds.get(kind, step.changed)
        files.append(Blob(blob, path.removeprefix(prefix), commit.id))
    return step


def left_behind(
    repository: Repository, movers: tuple[str, ...]
) -> list[tuple[str, str]]:
    """The (id, subject) of commits that were HEAD, and are in no branch now.

    Only those from which one of these commands moved HEAD away, the newest first;
    of a rebase that was given up also those below.
    """
    if repository.head() is None:
        return []
    branch = (
        repository.look("rev-parse", "--symbolic-full-name", "HEAD").decode().strip()
    )
    newest: dict[str, tuple[str, str]] = {}
    for ref in dict.fromkeys(("HEAD", branch)):
        words = ("--walk-reflogs", "-z", "--format=%H%x1f%s%x1f%gs", ref)
        text = repository.look("log", *words).decode("utf-8", "replace")
        rows = [row.split("\x1f", 2) for row in text.split("\0") if row]
        for after, before in itertools.pairwise(rows):
            newest.setdefault(before[0], (before[1], after[2] + "\n"))
    # `reset: moving to HEAD~1` is a person's, `reset: moving to HEAD` is not.
    whole = tuple(name + end for name in movers for end in (" ", ":", "\n"))
    moved = {
        commit: subject
        for commit, (subject, mover) in newest.items()
        if mover.startswith(whole)
    }
    if not moved:
        return []
    lost = repository.look("rev-list", "--reflog", *_NOT_IN_A_BRANCH)
    gone = set(lost.decode().split())
    found = {commit: moved[commit] for commit in moved if commit in gone}
    aborted = [each for each in found if _ABORT in newest[each][1].partition(":")[0]]
    if aborted:
        below = ("log", "-z", "--format=%H%x1f%s", *aborted, *_NOT_IN_A_BRANCH)
        for row in printed.names(repository.look(*below) + b"\0"):
            commit, _, subject = row.partition("\x1f")
            if commit:
                found.setdefault(commit, subject)
    return list(found.items())


def left_out(repository: Repository, mover: str) -> list[str]:
    """The commits that this mover left out of HEAD, oldest first.

    With those below them that are in no branch, either.
    """
    tips = [commit for commit, _ in left_behind(repository, (mover,))]
    if not tips:
        return []
    words = ("rev-list", "--reverse", "--topo-order", *tips, *_NOT_IN_A_BRANCH)
    return repository.ask(*words).decode().split()


def undisturbed(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Those of the paths that have been in the folder, and whose newest commit no
    other git has run beside: no pull, merge, rebase, reset, checkout or stash that
    lacks it ended from two seconds before it to two minutes after it, by git's
    reflog.
    """
    refs = ["HEAD"]
    if os.path.exists(
        os.path.join(tip.shared_folder(repository.git_dir), "logs/refs/stash")
    ):
        refs.append("refs/stash")
    moves: list[tuple[int, str]] = []
    rows: list[str] = []
    for ref in refs:
        words = ("--walk-reflogs", "-z", "--date=unix", "--format=%gd %H %gs", ref)
        rows += filter(None, printed.names(repository.look("log", *words) + b"\0"))
    for row in rows:
        when, commit, what = row.split(" ", 2)
        if not _makes_a_commit(what) and not what.startswith(_CALM):
            moves.append((int(when.partition("{")[2].rstrip("}")), commit))
    found = []
    # Without a reflog nothing is known.
    for path in _have_been_in_the_folder(repository, paths) if rows else ():
        last = ("log", "-1", "--format=%ct %H", "HEAD", "--", f":(literal){path}")
        made, _, commit = repository.answer(*last).decode().strip().partition(" ")
        beside = {to for at, to in moves if -2 <= at - int(made or 0) <= 120}
        has = ("merge-base", "--is-ancestor", commit)
        if made and all(repository.git((*has, to)).code == 0 for to in beside):
            found.append(path)
    return found


def _have_been_in_the_folder(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Those of the paths for which git's index has a time of a file.

    After a clone that was killed, or a push into the folder, `git reset` makes an
    index of files that were never there: their times are 0.
    """
    found = repository.look("ls-files", "--debug", "-z", "--", *paths)
    rows = printed.names(b"\n" * 5 + found + b"\0")
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
    words = ("--walk-reflogs", "-z", "--format=%H%x1f%gs", "HEAD", "--branches")
    text = repository.look("log", *words).decode("utf-8", "replace")
    rows = [row.split("\x1f", 1) for row in text.split("\0") if row]
    if not rows:
        return None
    return {commit for commit, action in rows if _makes_a_commit(action)}


def has_had(repository: Repository, text: str) -> bool:
    """Whether a commit before HEAD added or removed this text."""
    words = ("log", "--max-count=1", "--format=%H", f"-S{text}", "HEAD", "--", ".")
    return bool(repository.ask(*words))


def _makes_a_commit(action: str) -> bool:
    """Whether an entry of the reflog tells of a new commit.

    >>> _makes_a_commit("commit (amend): x"), _makes_a_commit("rebase (pick): x")
    (True, True)
    >>> _makes_a_commit("pull: Fast-forward")
    False
    """
    done = action.partition(":")[0]
    return done.split(" ")[0] in _MAKES or done.endswith(_PICKS)
