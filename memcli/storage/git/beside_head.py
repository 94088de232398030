"""What the folder, the index and the reflog hold beside HEAD.

Invariant: reads only. These are the questions that tell a person's edit from what
another git took away.
"""

import itertools
import os
from collections.abc import Sequence

from memcli.errors import HistoryError
from memcli.storage.git.log import Readable


class Comparable(Readable):
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

        Only those from which one of these commands moved HEAD away, the newest first.

        Raises:
            HistoryError: git refused.
        """
        if self.head() is None:
            return []
        branch = self._ask("rev-parse", "--symbolic-full-name", "HEAD").decode().strip()
        newest: dict[str, tuple[str, str]] = {}
        for ref in dict.fromkeys(("HEAD", branch)):
            words = ("--walk-reflogs", "-z", "--format=%H%x1f%s%x1f%gs", ref)
            text = self._ask("log", *words).decode("utf-8", "replace")
            rows = [row.split("\x1f", 2) for row in text.split("\0") if row]
            for after, before in itertools.pairwise(rows):
                newest.setdefault(before[0], (before[1], after[2]))
        lost = self._ask("rev-list", "--reflog", "--not", "--all", "HEAD")
        gone = set(lost.decode().split())
        return [
            (commit, subject)
            for commit, (subject, mover) in newest.items()
            if commit in gone and mover.startswith(movers)
        ]

    def has_had(self, text: str) -> bool:
        """Say whether a commit before HEAD added or removed this text."""
        words = ("log", "--max-count=1", "--format=%H", f"-S{text}", "HEAD", "--", ".")
        return bool(self._ask(*words))
