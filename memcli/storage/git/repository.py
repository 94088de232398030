"""A vault's repository, for questions about what it holds.

Invariant: every path that goes in or comes out is a POSIX path relative to the vault,
which may be a folder of a larger repository, and each git is told which repository is
meant. Questions change nothing, and read no file that is larger than memcli reads from
the disk. Where git refuses, HistoryError is raised. Commits are made by `commit`.
"""

from __future__ import annotations

import os
import sys
import time

from memcli.entries import identity
from memcli.errors import HistoryError, NotAVault
from memcli.named_tuple import NamedTuple
from memcli.storage.files import LARGEST
from memcli.storage.git import on_disk, process
from memcli.storage.git.on_disk import find
from memcli.storage.git.process import GitResult, clean_environment, joined, names, run

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

# No program of git's settings for people who read runs for memcli, no git in a
# repository among the notes, and a .gitmodules that git refuses ends no command.
_NO_SUBMODULES = "--ignore-submodules=all"
PLAIN = ("--no-show-signature", "--no-ext-diff", "--no-textconv", _NO_SUBMODULES)
_EVERY_FILE = ("-z", "--no-renames", "-uall", _NO_SUBMODULES, "--", ".")
STATUS = ("status", "--porcelain=v1", *_EVERY_FILE)
# Seconds to wait for a git that has taken the index's lock behind a commit.
_BEHIND = 0.5


class Commit(NamedTuple):
    """One commit: `when` is the author's time in UTC, `YYYY-MM-DDTHH:MM:SSZ`."""

    id: str
    when: str
    author: str
    subject: str


class Blob(NamedTuple):
    """The content of a file as of a commit: git's id of the bytes, and the path."""

    id: str
    path: str
    commit: str


class Repository:
    """The repository that a vault lies in.

    Attributes:
        root: the vault's folder, absolute.
        top: the top folder of the work tree, absolute.
        git_dir: git's own folder, absolute.
        environment: of the gits that work on this repository.
        prefix: the vault's place in the repository, as in `docs/vault/`, or nothing.
        unsettled: whether the index is not as the last commit should have left it,
            since the disk refused; `commit.unstage` mends that.
    """

    def __init__(self, root: str, top: str, git_dir: str, env: dict[str, str]) -> None:
        self.root = root
        self.top = top
        self.git_dir = git_dir
        # Named, so that git looks for no repository: it would take a bare one among
        # the notes for the vault's, and run what its config names.
        self.environment = {**env, "GIT_DIR": git_dir, "GIT_WORK_TREE": top}
        self.unsettled = False
        self._settings: dict[str, str] | None = None
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

    @classmethod
    def init(cls, root: str, *, environ: Mapping[str, str] | None = None) -> Self:
        """Make `root` a git repository of its own, branch `main`, and open it.

        Where git has no user configured, the repository gets the user memcli. A
        repository that exists is not changed otherwise.
        """
        env = clean_environment(environ, root)
        made = run(root, env, ("init", "--quiet", "--initial-branch=main"))
        if made.code:
            raise HistoryError(f"git cannot make a repository here: {made.text}")
        env["GIT_DIR"] = os.path.join(os.path.realpath(root), ".git")
        for key, value in (("name", "memcli"), ("email", "memcli@localhost")):
            if run(root, env, ("config", f"user.{key}")).code:
                run(root, env, ("config", f"user.{key}", value))
        return cls.open(root, environ=environ)

    # --- asking git -----------------------------------------------------------------

    def git(self, arguments: Sequence[str], data: bytes = b"") -> GitResult:
        """Run a git command; how it ended."""
        return run(self.root, self.environment, arguments, data)

    def answer(self, *arguments: str, data: bytes = b"") -> bytes:
        """The output of a git command, however it ended."""
        return self.git(arguments, data).printed

    def ask(self, *arguments: str) -> bytes:
        """The output of a git command that reads, run by GitPython."""
        git_program = process.program(self.environment)
        # GitPython asks git for its version when it is imported.
        os.environ["GIT_PYTHON_GIT_EXECUTABLE"] = git_program
        import git

        try:
            return git.Git(self.root).execute(
                [git_program, *arguments],
                env=self._reading(),
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                kill_after_timeout=None if sys.platform == "win32" else process.LONGEST,
            )
        except git.GitCommandError as error:
            reason = str(error.stderr).strip()
            raise HistoryError(f"git {arguments[0]} failed: {reason}") from error

    def look(self, *arguments: str, data: bytes = b"") -> bytes:
        """As `ask`, for what each `inspect` asks: GitPython's import takes 64 ms."""
        done = run(self.root, self._reading(), arguments, data)
        if done.code:
            raise HistoryError(f"git {arguments[0]} failed: {done.text}")
        return done.printed

    def _reading(self) -> dict[str, str]:
        """The environment for a git that reads."""
        # What a hook's git may have set is set right: GitPython can remove nothing.
        return {
            **self.environment,
            "GIT_DIR": self.git_dir,
            "GIT_WORK_TREE": self.top,
            "GIT_INDEX_FILE": os.path.join(self.git_dir, "index"),
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_OPTIONAL_LOCKS": "0",  # reading must not stand in a writer's way
            "TZ": "UTC",
        }

    # --- the branch, the settings, the folder ---------------------------------------

    def head(self) -> str | None:
        """The id of the current commit, None in an empty repository."""
        return on_disk.commit(self.git_dir) or self.commit_of("HEAD")

    def commit_of(self, name: str) -> str | None:
        """The commit that a ref or another name means; None when there is none."""
        words = ("--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        done = self.git(("rev-parse", *words))
        return done.printed.decode().strip() if done.code == 0 else None

    def branch(self) -> str | None:
        """The name of HEAD's branch, None when HEAD is a commit."""
        # By its full name: the short one is `heads/main` where a tag is called main.
        done = self.git(("symbolic-ref", "--quiet", "HEAD"))
        name = done.printed.decode("utf-8", "replace").strip()
        found = name.removeprefix("refs/heads/")
        return None if done.code or found == name else found

    def is_detached(self) -> bool:
        """Whether HEAD is a commit and no branch."""
        return not on_disk.branch(self.git_dir)

    def settings(self) -> dict[str, str]:
        """git's settings for this repository, the last of several values.

        Raises:
            HistoryError: git refused.
        """
        if self._settings is None:
            rows = names(self.look("config", "--list", "-z"))
            pairs = (row.partition("\n") for row in rows)
            self._settings = {key: value for key, _, value in pairs}
        return self._settings

    def committer(self) -> str | None:
        """`Name <address>` of who commits here; None where git knows of nobody."""
        author, committer = (
            self.git(("var", f"GIT_{who}_IDENT")) for who in ("AUTHOR", "COMMITTER")
        )
        if author.code or committer.code:
            return None
        name, _, _ = committer.printed.decode("utf-8", "replace").rpartition(">")
        return name + ">"

    def user_name(self) -> str | None:
        """The name under which git commits here; None when none is set."""
        own = self.environment.get("GIT_AUTHOR_NAME")
        return own or self.settings().get("user.name") or None

    def status(self) -> list[tuple[str, str]]:
        """(code, path) of every file of the vault that differs from HEAD.

        Codes are the two letters of `git status --porcelain`, `??` for untracked.
        """
        return [
            (row[:2], row[3:].removeprefix(self.prefix))
            for row in names(self.look(*STATUS))
        ]

    def ignored(self) -> list[str]:
        """The Markdown files of the vault that git ignores and does not know."""
        words = ("--others", "--ignored", "--exclude-standard", "--", "*.md")
        return names(self.answer("ls-files", "-z", *words))

    # --- the history ----------------------------------------------------------------

    def files_at(self, commit: str, paths: Sequence[str]) -> dict[str, bytes | None]:
        """The bytes of each file as of a commit, None where it has none.

        Raises for a path that holds a line break, and a file of too many bytes.
        """
        refuse_option(commit)
        broken = next((path for path in paths if "\n" in path), None)
        if broken is not None:
            raise HistoryError(f"{broken!r} holds a line break")
        asked = [f"{commit}:{self.prefix}{path}" for path in paths]
        sizes = self.sizes(asked)
        for path, name in zip(paths, asked, strict=True):
            if sizes[name] > LARGEST:
                said = f"{sizes[name]:,} bytes, above the limit of {LARGEST:,}"
                raise HistoryError(f"{path} has {said}, in {commit[:10]}")
        return dict(zip(paths, self.objects(asked), strict=True))

    def unlike_head(
        self, contents: Mapping[str, bytes | None], *, staged: bool = False
    ) -> list[str]:
        """The paths at which HEAD holds other bytes than these.

        Where git stores other bytes than the disk has (line ends, filters), this
        includes files that are committed.

        Args:
            contents: by path, None for no file.
            staged: whether git's index, too, is to hold these bytes.
        """
        places = ("HEAD:", ":0:") if staged else ("HEAD:",)
        paths = [path for path in contents if "\n" not in path]
        asked = (f"{place}{self.prefix}{path}" for path in paths for place in places)
        words = ("cat-file", "--batch-check=%(objectname)")
        rows = iter(self.answer(*words, data=joined(asked, "\n")).split(b"\n"))
        found = zip(paths, zip(*[rows] * len(places), strict=False), strict=False)
        same = {
            path
            for path, lines in found
            if all(is_of(line, contents[path]) for line in lines)
        }
        return [path for path in contents if path not in same]

    def contents(self, blobs: Sequence[Blob], *, largest: int = LARGEST) -> list[bytes]:
        """The bytes of each blob; empty for one that is not there, or is larger."""
        sizes = self.sizes([blob.id for blob in blobs])
        read = [name for name, size in sizes.items() if 0 <= size <= largest]
        found = dict(zip(read, self.objects(read), strict=True))
        return [found.get(blob.id) or b"" for blob in blobs]

    def sizes(self, asked: Sequence[str]) -> dict[str, int]:
        """The size of each object in bytes, -1 for one that git does not have.

        Asked before an object is read: git keeps a gigabyte of zeros in a megabyte.
        """
        words = ("cat-file", "--batch-check=%(objectsize)")
        rows = self.look(*words, data=joined(asked, "\n")).split(b"\n")
        sizes = [int(row) if row.isdigit() else -1 for row in rows]
        return dict(zip(asked, sizes, strict=False))

    def objects(self, asked: Sequence[str]) -> list[bytes | None]:
        """The bytes of each object that git has under such a name, or None."""
        printed = self.look("cat-file", "--batch", data=joined(asked, "\n"))
        rest, found = memoryview(printed), list[bytes | None]()
        for name in asked:
            header = bytes(rest[: 200 + 4 * len(name)]).partition(b"\n")[0]
            rest = rest[len(header) + 1 :]
            size = (
                -1 if header.endswith(b" missing") else int(header.rpartition(b" ")[2])
            )
            found.append(bytes(rest[:size]) if size >= 0 else None)
            rest = rest[size + 1 :]
        return found

    def keeps(self, commit: str) -> bool:
        """Whether HEAD still has a commit that was made just now.

        `git reset`, which `git stash` runs, reads HEAD before it locks the index, and
        moves HEAD back to what it read. One that has the lock is waited for.
        """
        deadline = time.monotonic() + _BEHIND
        lock = os.path.join(self.git_dir, "index.lock")
        while os.path.exists(lock) and time.monotonic() < deadline:
            time.sleep(0.002)
        if on_disk.commit(self.git_dir) == commit:
            return True
        done = self.git(("merge-base", "--is-ancestor", commit, "HEAD"))
        return done.code != 1  # what cannot be told is not made again


def is_of(line: bytes, data: bytes | None) -> bool:
    """Whether a line of `git cat-file --batch-check` is git's id of these bytes."""
    if data is None:
        return line.endswith(b" missing")
    digest = identity.sha256 if len(line) == 64 else identity.sha1
    return line == digest(b"blob %d\0" % len(data) + data).hex().encode()


def refuse_option(commit: str) -> None:
    if commit.startswith("-"):  # would be an option
        raise HistoryError(f"{commit!r} names no commit")
