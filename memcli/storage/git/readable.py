"""A vault's repository, for questions that change nothing.

Invariant: reads only; every path that goes in or comes out is a POSIX path relative
to the vault, which may be a folder of a larger repository. Each git is told which
repository is meant.
"""

from __future__ import annotations

import os
import sys

from memcli.errors import HistoryError, NotAVault
from memcli.storage.git import printed, tip
from memcli.storage.git.place import find
from memcli.storage.git.process import (
    LONGEST,
    GitResult,
    clean_environment,
    program,
    run,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Self

# No program of git's settings for people who read runs for memcli, no git in a
# repository among the notes, and a .gitmodules that git refuses ends no command.
_NO_SUBMODULES = "--ignore-submodules=all"
PLAIN = ("--no-show-signature", "--no-ext-diff", "--no-textconv", _NO_SUBMODULES)
_EVERY_FILE = ("-z", "--no-renames", "-uall", _NO_SUBMODULES, "--", ".")
STATUS = ("status", "--porcelain=v1", *_EVERY_FILE)


class Readable:
    """A repository that a vault lies in.

    Attributes:
        root: the vault's folder, absolute.
        top: the top folder of the work tree, absolute.
        git_dir: git's own folder, absolute.
        environment: of the gits that work on this repository.
        prefix: the vault's place in the repository, as in `docs/vault/`, or nothing.
    """

    def __init__(self, root: str, top: str, git_dir: str, env: dict[str, str]) -> None:
        self.root = root
        self.top = top
        self.git_dir = git_dir
        # Named, so that git looks for no repository: it would take a bare one among
        # the notes for the vault's, and run what its config names.
        self.environment = {**env, "GIT_DIR": git_dir, "GIT_WORK_TREE": top}
        self.prefix = ""
        if root != top:
            self.prefix = os.path.relpath(root, top).replace(os.sep, "/") + "/"

    @classmethod
    def open(cls, root: str, *, environ: Mapping[str, str] | None = None) -> Self:
        """Find the repository that `root` lies in, without starting git.

        Args:
            root: the vault's folder.
            environ: the environment of every git process; None: this process's own.

        Raises:
            NotAVault: there is no git work tree around `root`.
        """
        found = find(root)
        if found is None:
            from shlex import quote

            hint = f"Run: memcli init {quote(root)}"
            raise NotAVault(f"{root} is not under git", hint=hint)
        env = clean_environment(environ, root, found[0])
        return cls(os.path.realpath(root), *found, env)

    def head(self) -> str | None:
        """Return the id of the current commit, None in an empty repository."""
        known = tip.commit(self.git_dir)
        if known:
            return known
        result = self._git(("rev-parse", "--verify", "--quiet", "HEAD"))
        return result.printed.decode().strip() if result.code == 0 else None

    def is_detached(self) -> bool:
        """Say whether HEAD is a commit and no branch."""
        return tip.is_detached(self.git_dir)

    def user_name(self) -> str | None:
        """The name under which git commits here; None when none is set."""
        return self.environment.get("GIT_AUTHOR_NAME") or self.setting("user.name")

    def setting(self, name: str) -> str | None:
        """A setting of git's config; None when it is not set."""
        done = self._git(("config", "--get", name))
        return done.text or None if done.code == 0 else None

    def status(self) -> list[tuple[str, str]]:
        """Return (code, path) of every file of the vault that differs from HEAD.

        Codes are the two letters of `git status --porcelain`, `??` for untracked.

        Raises:
            HistoryError: git refused.
        """
        return self._status_rows(self.look(*STATUS))

    def files(self) -> list[str]:
        """Return the paths of all files that git tracks or would offer to track.

        Raises:
            HistoryError: git refused.
        """
        options = ("--cached", "--others", "--exclude-standard", "-z")
        return printed.names(self.look("ls-files", *options))

    def is_clean(self, paths: Collection[str]) -> bool:
        """Say whether all of these files are as HEAD has them (or ignored).

        Raises:
            HistoryError: git refused.
        """
        wanted = set(paths)
        return not any(path in wanted for _, path in self.status())

    def _status_rows(self, output: bytes) -> list[tuple[str, str]]:
        return [
            (row[:2], row[3:].removeprefix(self.prefix))
            for row in printed.names(output)
        ]

    def _git(self, arguments: Sequence[str], data: bytes = b"") -> GitResult:
        return run(self.root, self.environment, arguments, data)

    def answer(self, *arguments: str, data: bytes = b"") -> bytes:
        """What a git command printed, however it ended."""
        return self._git(arguments, data).printed

    def ask(self, *arguments: str, literal: bool = True) -> bytes:
        """Run a git command that reads, through GitPython; return what it printed."""
        git_program = program(self.environment)
        # GitPython asks git for its version when it is imported.
        os.environ.setdefault("GIT_PYTHON_GIT_EXECUTABLE", git_program)
        import git

        try:
            return git.Git(self.root).execute(
                [git_program, *arguments],
                env=self._reading(literal=literal),
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                kill_after_timeout=None if sys.platform == "win32" else LONGEST,
            )
        except git.GitCommandError as error:
            reason = str(error.stderr).strip()
            raise HistoryError(f"git {arguments[0]} failed: {reason}") from error

    def look(self, *arguments: str) -> bytes:
        """As `ask`, for what each `inspect` asks: GitPython's import takes 64 ms."""
        done = run(self.root, self._reading(literal=True), arguments)
        if done.code:
            raise HistoryError(f"git {arguments[0]} failed: {done.text}")
        return done.printed

    def _reading(self, *, literal: bool) -> dict[str, str]:
        """The environment for a git that reads."""
        # What a hook's git may have set is set right: GitPython can remove nothing.
        return {
            **self.environment,
            "GIT_DIR": self.git_dir,
            "GIT_WORK_TREE": self.top,
            "GIT_INDEX_FILE": os.path.join(self.git_dir, "index"),
            "GIT_LITERAL_PATHSPECS": "1" if literal else "0",
            "GIT_OPTIONAL_LOCKS": "0",  # reading must not stand in a writer's way
            "TZ": "UTC",
        }
