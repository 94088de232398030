"""What the folder, the index and the reflog hold beside HEAD.

Invariant: reads only. These are the questions that tell a person's edit from what
another git took away.
"""

from __future__ import annotations

import itertools
import os
import time

from memcli.errors import HistoryError
from memcli.storage.git import printed, tip
from memcli.storage.git.log import History
from memcli.storage.git.remotes import shared_folder

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

# Seconds to wait for a git that has taken the index's lock behind a commit.
_PATIENCE = 0.5
# How the reflog names what makes a commit; every other move (`pull: Fast-forward`,
# `clone`, `reset`, `memcli sync`) goes to a commit that was there before.
_MAKES = ("commit", "fast-import", "cherry-pick", "revert", "am")
_PICKS = ("(pick)", "(reword)", "(edit)", "(squash)", "(fixup)", "(continue)")
_ABORT = "abort"
# Moves that take nothing out of the folder that HEAD holds.
_CALM = ("memcli sync", "clone", "branch", "Branch")
# A stash is no branch: it goes when it is popped.
_NOT_IN_A_BRANCH = ("--not", "--exclude=refs/stash", "--all", "HEAD")


class Comparable(History):
    """A repository, for questions about what is not as HEAD has it."""

    def blob_ids(self, paths: Sequence[str]) -> list[tuple[str, str]]:
        """Return each path at which there is a file, with git's id of its bytes.

        Raises:
            HistoryError: git refused.
        """
        there = [
            path
            for path in paths
            if "\n" not in path and os.path.isfile(os.path.join(self.root, path))
        ]
        names = "".join(f"{path}\n" for path in there)
        data = names.encode("utf-8", "surrogateescape")
        done = self._git(("hash-object", "--stdin-paths"), data)
        if done.code:
            raise HistoryError(f"git hash-object failed: {done.text}")
        return list(zip(there, done.printed.decode().split(), strict=True))

    def tracked_other_than_notes(self) -> list[tuple[str, str]]:
        """Return (mode, path) of the vault's files in git's index but for plain notes.

        A plain note is a regular `*.md` file with no hidden folder at its top.

        Raises:
            HistoryError: git refused.
        """
        rows = printed.names(self.look("ls-files", "--stage", "-z", "--", "."))
        return [
            (row[:6], row.partition("\t")[2])
            for row in rows
            if not (row.endswith(".md") and row.startswith("100")) or "\t." in row
        ]

    def sparse(self) -> list[str]:
        """The paths that a sparse checkout keeps out of the folder.

        Raises:
            HistoryError: git refused.
        """
        if not os.path.lexists(os.path.join(self.git_dir, "info", "sparse-checkout")):
            return []
        rows = printed.names(self.look("ls-files", "-t", "-z", "--", "."))
        paths = [row[2:] for row in rows if row.startswith("S ")]
        there = os.path.lexists
        return [path for path in paths if not there(os.path.join(self.root, path))]

    def index_is_another_commit(self) -> bool:
        """Say whether all that is staged is what a commit holds that came from outside.

        A `git pull` that loses the race for HEAD has checked out what it fetched, and
        then cannot move the branch.
        """
        return any(
            self._git(("diff", "--cached", "--quiet", tip, "--")).code == 0
            # What a person took back with `git reset --soft` is staged, too.
            and self._git(("merge-base", "--is-ancestor", "HEAD", tip)).code == 1
            for tip in ("FETCH_HEAD", "@{upstream}")
        )

    def left_behind(self, movers: tuple[str, ...]) -> list[tuple[str, str]]:
        """Return (id, subject) of commits that were HEAD, and are in no branch now.

        Only those from which one of these commands moved HEAD away, the newest first;
        of a rebase that was given up also those below.

        Raises:
            HistoryError: git refused.
        """
        if self.head() is None or not tip.may_have_moved(self.git_dir, movers):
            return []
        branch = self.look("rev-parse", "--symbolic-full-name", "HEAD").decode().strip()
        newest: dict[str, tuple[str, str]] = {}
        for ref in dict.fromkeys(("HEAD", branch)):
            words = ("--walk-reflogs", "-z", "--format=%H%x1f%s%x1f%gs", ref)
            text = self.look("log", *words).decode("utf-8", "replace")
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
        lost = self.look("rev-list", "--reflog", *_NOT_IN_A_BRANCH)
        gone = set(lost.decode().split())
        found = {commit: moved[commit] for commit in moved if commit in gone}
        aborted = [
            each for each in found if _ABORT in newest[each][1].partition(":")[0]
        ]
        if aborted:
            below = ("log", "-z", "--format=%H%x1f%s", *aborted, *_NOT_IN_A_BRANCH)
            for row in printed.names(self.look(*below) + b"\0"):
                commit, _, subject = row.partition("\x1f")
                if commit:
                    found.setdefault(commit, subject)
        return list(found.items())

    def undisturbed(self, paths: Sequence[str]) -> list[str]:
        """Those of the paths that have been in the folder, and whose newest commit no
        other git has run beside: no pull, merge, rebase, reset, checkout or stash that
        lacks it ended from two seconds before it to two minutes after it, by git's
        reflog.

        Raises:
            HistoryError: git refused.
        """
        refs = ["HEAD"]
        if os.path.exists(os.path.join(shared_folder(self.git_dir), "logs/refs/stash")):
            refs.append("refs/stash")
        moves: list[tuple[int, str]] = []
        rows: list[str] = []
        for ref in refs:
            words = ("--walk-reflogs", "-z", "--date=unix", "--format=%gd %H %gs", ref)
            rows += filter(None, printed.names(self.look("log", *words) + b"\0"))
        for row in rows:
            when, commit, what = row.split(" ", 2)
            if not _makes_a_commit(what) and not what.startswith(_CALM):
                moves.append((int(when.partition("{")[2].rstrip("}")), commit))
        found = []
        # Without a reflog nothing is known.
        for path in self._have_been_in_the_folder(paths) if rows else ():
            last = ("log", "-1", "--format=%ct %H", "HEAD", "--", f":(literal){path}")
            made, _, commit = self.answer(*last).decode().strip().partition(" ")
            beside = {to for at, to in moves if -2 <= at - int(made or 0) <= 120}
            has = ("merge-base", "--is-ancestor", commit)
            if made and all(self._git((*has, to)).code == 0 for to in beside):
                found.append(path)
        return found

    def _have_been_in_the_folder(self, paths: Sequence[str]) -> list[str]:
        """Those of the paths for which git's index has a time of a file.

        After a clone that was killed, or a push into the folder, `git reset` makes an
        index of files that were never there: their times are 0.
        """
        found = self.look("ls-files", "--debug", "-z", "--", *paths)
        rows = printed.names(b"\n" * 5 + found + b"\0")
        return [
            # Five lines about the file before stand in front of a path.
            row.split("\n", 5)[5]
            for row, about in itertools.pairwise(rows)
            if not about.startswith("  ctime: 0:0\n  mtime: 0:0\n")
        ]

    def made_here(self) -> set[str] | None:
        """The commits that were made in this clone, by the reflogs of its branches.

        Commits that a clone, a pull or a sync brought are left out, also when they name
        the same author. git forgets its notes after 90 days (`gc.reflogExpire`). None
        where it keeps none.

        Raises:
            HistoryError: git refused.
        """
        if self.head() is None:
            return None
        words = ("--walk-reflogs", "-z", "--format=%H%x1f%gs", "HEAD", "--branches")
        text = self.look("log", *words).decode("utf-8", "replace")
        rows = [row.split("\x1f", 1) for row in text.split("\0") if row]
        if not rows:
            return None
        return {commit for commit, action in rows if _makes_a_commit(action)}

    def left_out(self, mover: str) -> list[str]:
        """Return the commits that this mover left out of HEAD, oldest first.

        With those below them that are in no branch, either.

        Raises:
            HistoryError: git refused.
        """
        tips = [commit for commit, _ in self.left_behind((mover,))]
        if not tips:
            return []
        words = ("rev-list", "--reverse", "--topo-order", *tips, *_NOT_IN_A_BRANCH)
        return self.ask(*words).decode().split()

    def keeps(self, commit: str) -> bool:
        """Say whether HEAD still has a commit that was made just now.

        `git reset`, which `git stash` runs, reads HEAD before it locks the index, and
        moves HEAD back to what it read. One that has the lock is waited for.
        """
        deadline = time.monotonic() + _PATIENCE
        while os.path.exists(os.path.join(self.git_dir, "index.lock")):
            if time.monotonic() >= deadline:
                break
            time.sleep(0.002)
        if tip.commit(self.git_dir) == commit:
            return True
        done = self._git(("merge-base", "--is-ancestor", commit, "HEAD"))
        return done.code != 1  # what cannot be told is not made again

    def has_had(self, text: str) -> bool:
        """Say whether a commit before HEAD added or removed this text."""
        words = ("log", "--max-count=1", "--format=%H", f"-S{text}", "HEAD", "--", ".")
        return bool(self.ask(*words))


def _makes_a_commit(action: str) -> bool:
    """Whether an entry of the reflog tells of a new commit.

    >>> _makes_a_commit("commit (amend): x"), _makes_a_commit("rebase (pick): x")
    (True, True)
    >>> _makes_a_commit("pull: Fast-forward")
    False
    """
    done = action.partition(":")[0]
    return done.split(" ")[0] in _MAKES or done.endswith(_PICKS)
