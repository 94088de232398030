"""The history of a vault: one commit for each change, and what `log` can read.

Invariant: a commit made here holds the given paths and nothing else; what the user
has staged stays staged, what the user has edited stays uncommitted, and a commit
that fails leaves the index as it was. Where git refuses that, `unsettled` says so.
Files of the work tree are never touched.

Every save waits for `commit`, which mostly is `fast_commit`. The commits that are left
to git are inherited from `by_git`, and reading from `log` and `beside_head`.
"""

from __future__ import annotations

import contextlib
import os

from memcli.errors import Conflict, MemcliError
from memcli.storage import files
from memcli.storage.git.bulk_commit import MANY
from memcli.storage.git.by_git import CommitsByGit, clean
from memcli.storage.git.complaints import refused, unfinished
from memcli.storage.git.fast_commit import commit_quickly
from memcli.storage.git.process import clean_environment, run
from memcli.storage.git.staging import changed_meanwhile

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Repository(CommitsByGit):
    """The history of one vault, which may be a folder of a larger repository."""

    @classmethod
    def init(cls, root: str, *, environ: Mapping[str, str] | None = None) -> Repository:
        """Make `root` a git repository of its own, branch `main`, and open it.

        Where git has no user configured, the repository gets the user memcli. A
        repository that exists is not changed otherwise.

        Raises:
            HistoryError: git is missing or refused.
        """
        env = clean_environment(environ, root)
        made = run(root, env, ("init", "--quiet", "--initial-branch=main"))
        if made.code:
            raise refused("git cannot make a repository here", made)
        env["GIT_DIR"] = os.path.join(os.path.realpath(root), ".git")
        for key, value in (("name", "memcli"), ("email", "memcli@localhost")):
            if run(root, env, ("config", f"user.{key}")).code:
                run(root, env, ("config", f"user.{key}", value))
        return cls.open(root, environ=environ)

    def commit(
        self,
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
            HistoryError: a hook or git refused; the message quotes it.
        """
        wanted = list(dict.fromkeys(paths))
        for state in ("rebase-merge", "rebase-apply"):
            # git would commit, and `git rebase --abort` would lose the file again.
            if os.path.isdir(os.path.join(self.git_dir, state)):
                raise unfinished("rebase", wanted)
        self.unsettled = False
        if not wanted:
            return None
        try:
            return self._patiently(
                lambda: self._commit_once(wanted, message, meant), patience
            )
        finally:
            if self._backup:
                self._backup.drop()
            self._backup = None

    def _commit_once(
        self,
        paths: list[str],
        message: str,
        meant: Mapping[str, bytes | None] | None,
    ) -> str | None:
        if len(paths) >= MANY:
            return self._commit_many(paths, message)
        now = {path: files.current(os.path.join(self.root, path)) for path in paths}
        for path, data in (meant or {}).items():
            if now[path] != data:
                raise changed_meanwhile(path)
        where = (self.root, self.git_dir, self.environment)
        made = commit_quickly(*where, now, clean(message), self.prefix)
        if made is not None:
            self.unsettled = not made.indexed
            if self._garbage_is_due():
                self._git(("gc", "--auto", "--quiet"))  # goes on in the background
            return made.id or self.head()
        commit = self._commit_by_git(paths, message, meant)
        if meant and self._is_behind(meant):  # git read files that were away just then
            # What is away again does not unmake the first one.
            with contextlib.suppress(Conflict):
                commit = self._commit_by_git(paths, message, meant) or commit
        return commit

    def _is_behind(self, meant: Mapping[str, bytes | None]) -> bool:
        """Whether HEAD holds something else than the disk, which has what is meant."""
        held = {path: data for path, data in meant.items() if data is not None}
        if not self.unlike_head(held):
            return False
        # A hook that formats files and adds them leaves the index as it was before.
        try:
            self.unstage([*held])
        except MemcliError:  # the commit is made all the same
            self.unsettled = True
            return False
        literal = [f":(literal){path}" for path in held]
        return self._git(("diff", "--quiet", "HEAD", "--", *literal)).code == 1
