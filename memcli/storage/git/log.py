"""Reading a vault's history from git: commits, blobs, status.

Invariant: reads only; every path that goes in or comes out is a POSIX path relative
to the vault, which may be a folder of a larger repository.

Reading uses GitPython, which costs more to import than a whole save may; a commit
(`repository.Repository`) starts git itself.
"""

from __future__ import annotations

import os

from memcli.entries import digests
from memcli.errors import HistoryError, NotAVault
from memcli.storage.files import LARGEST
from memcli.storage.git import printed, tip
from memcli.storage.git.place import find
from memcli.storage.git.printed import Blob, Commit
from memcli.storage.git.process import GitResult, clean_environment, program, run

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Self


# No program of git's settings for people who read runs for memcli, no git in a
# repository among the notes, and a .gitmodules that git refuses ends no command.
_NO_SUBMODULES = "--ignore-submodules=all"
PLAIN = ("--no-show-signature", "--no-ext-diff", "--no-textconv", _NO_SUBMODULES)
_FORMAT = (
    *PLAIN,
    "--encoding=UTF-8",
    "-z",
    "--date=format-local:%Y-%m-%dT%H:%M:%SZ",
    "--format=%H%x1f%ad%x1f%an%x1f%s",
)


class Readable:
    """A repository, for questions that change nothing."""

    def __init__(self, root: str, top: str, git_dir: str, env: dict[str, str]) -> None:
        self.root = root
        self._top = top
        self._git_dir = git_dir
        # Named, so that git looks for no repository: it would take a bare one among
        # the notes for the vault's, and run what its config names.
        self._env = {**env, "GIT_DIR": git_dir, "GIT_WORK_TREE": top}

    @property
    def git_dir(self) -> str:
        """git's own folder, absolute."""
        return self._git_dir

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the gits that work on this repository."""
        return self._env

    @property
    def top(self) -> str:
        """The top folder of the work tree, absolute."""
        return self._top

    @property
    def prefix(self) -> str:
        """The vault's place in the repository, as in `docs/vault/`, or nothing."""
        return self._prefix()

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

            hint = f"run: memcli init {quote(root)}"
            raise NotAVault(f"{root} is not under git", hint=hint)
        return cls(os.path.realpath(root), *found, clean_environment(environ))

    def head(self) -> str | None:
        """Return the id of the current commit, None in an empty repository."""
        known = tip.commit(self._git_dir)
        if known:
            return known
        result = self._git(("rev-parse", "--verify", "--quiet", "HEAD"))
        return result.printed.decode().strip() if result.code == 0 else None

    def is_detached(self) -> bool:
        """Say whether HEAD is a commit and no branch."""
        try:
            with open(os.path.join(self._git_dir, "HEAD"), "rb") as file:
                return not file.read(5).startswith(b"ref: ")
        except OSError:
            return False

    def user_name(self) -> str | None:
        """The name under which git commits here; None when none is set."""
        named = self._env.get("GIT_AUTHOR_NAME")
        if named:
            return named
        done = self._git(("config", "--get", "user.name"))
        return done.text or None if done.code == 0 else None

    def setting(self, name: str) -> str | None:
        """A setting of git's config; None when it is not set."""
        done = self._git(("config", "--get", name))
        return done.text or None if done.code == 0 else None

    def log(self, path: str, limit: int = 20) -> list[Commit]:
        """Return the newest `limit` commits of a file, also under earlier names.

        Raises:
            HistoryError: git refused.
        """
        if self.head() is None:
            return []
        output = self.look(
            "log",
            "--follow",
            "--name-status",
            f"--max-count={limit}",
            *_FORMAT,
            "--format=%x02%H%x1f%ad%x1f%an%x1f%s",
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

    def show(self, commit: str, path: str) -> bytes:
        """Return a file's bytes as of a commit.

        Raises:
            HistoryError: no such commit, no such file in it, or one that is larger than
                memcli reads.
        """
        self._checked(commit)
        name = f"{commit}:./{path}"
        _refuse_large(path, int(self.look("cat-file", "-s", name)), commit)
        return self.look("cat-file", "blob", name)

    def unlike_head(self, contents: Mapping[str, bytes]) -> list[str]:
        """Return the paths at which HEAD holds other bytes than these, or none.

        Where git stores other bytes than the disk has (line ends, filters), this
        includes files that are committed.
        """
        prefix = self._prefix()
        paths = [path for path in contents if "\n" not in path]
        names = "".join(f"HEAD:{prefix}{path}\n" for path in paths)
        data = names.encode("utf-8", "surrogateescape")
        output = self._git(("cat-file", "--batch-check=%(objectname)"), data).printed
        same = set()
        for path, line in zip(paths, output.split(b"\n"), strict=False):
            data = b"blob %d\0" % len(contents[path]) + contents[path]
            digest = (digests.sha256 if len(line) == 64 else digests.sha1)(data).hex()
            if line == digest.encode():
                same.add(path)
        return [path for path in contents if path not in same]

    def blobs(
        self, paths: Collection[str], mark: str | None, *, of: str = "--all"
    ) -> list[Blob]:
        """Return every content that the files at these paths have had.

        Args:
            paths: of the vault.
            mark: a text; every path at which a file with it was added or removed
                counts, too.
            of: in the history of this commit, else in that of every branch.

        Raises:
            HistoryError: git refused.
        """
        if self.head() is None:
            return []
        wanted = set(paths)
        if mark:
            wanted |= {change.path for change in self._raw(of, f"-S{mark}", "--", ".")}
        literal = [f":(literal){path}" for path in sorted(wanted)]
        return self._raw(of, "--", *literal) if literal else []

    def contents(self, blobs: Sequence[Blob], *, largest: int = LARGEST) -> list[bytes]:
        """Return the bytes of each blob; empty for one that is not there, or is larger.

        Raises:
            HistoryError: git refused.
        """
        names = [blob.id for blob in blobs]
        sizes = self._sizes(names)
        read = [name for name in names if 0 <= sizes[name] <= largest]
        found = dict(zip(read, self._objects(read), strict=True))
        return [found.get(name) or b"" for name in names]

    def files_at(self, commit: str, paths: Sequence[str]) -> dict[str, bytes | None]:
        """Return the bytes of each file as of a commit, None where it has none.

        Raises:
            HistoryError: git refused, a path holds a line break, or a file is larger
                than memcli reads.
        """
        self._checked(commit)
        broken = next((path for path in paths if "\n" in path), None)
        if broken is not None:
            raise HistoryError(f"{broken!r} holds a line break")
        names = [f"{commit}:{self._prefix()}{path}" for path in paths]
        sizes = self._sizes(names)
        for path, name in zip(paths, names, strict=True):
            _refuse_large(path, sizes[name], commit)
        return dict(zip(paths, self._objects(names), strict=True))

    def _sizes(self, names: Sequence[str]) -> dict[str, int]:
        """The size of each object in bytes, -1 for one that git does not have.

        Asked before an object is read: git keeps a gigabyte of zeros in a megabyte.
        """
        lines = "".join(f"{name}\n" for name in names)
        data = lines.encode("utf-8", "surrogateescape")
        done = self._git(("cat-file", "--batch-check=%(objectsize)"), data)
        if done.code:
            raise HistoryError(f"git cat-file failed: {done.text}")
        rows = done.printed.split(b"\n")
        sizes = [int(row) if row.isdigit() else -1 for row in rows]
        return dict(zip(names, sizes, strict=False))

    def _objects(self, names: Sequence[str]) -> list[bytes | None]:
        """The bytes of each object that git has under such a name, or None."""
        lines = "".join(f"{name}\n" for name in names)
        data = lines.encode("utf-8", "surrogateescape")
        done = self._git(("cat-file", "--batch"), data)
        if done.code:
            raise HistoryError(f"git cat-file failed: {done.text}")
        return printed.objects(done.printed, names)

    def _raw(self, of: str, *arguments: str) -> list[Blob]:
        """The blobs that `git log --raw` of a commit, or of `--all`, names."""
        output = self.ask(
            "log",
            *PLAIN,
            of,
            "-m",  # also what a merge commit alone wrote
            "--raw",
            "--no-abbrev",
            "--no-renames",
            "-z",
            "--format=%x02%H",
            *arguments,
            literal=False,
        )
        return printed.blobs(output, self._prefix())

    def changes(self, commit: str) -> list[str]:
        """Return the paths of the vault that a commit changed, added or removed.

        Raises:
            HistoryError: no such commit.
        """
        self._checked(commit)
        output = self.ask(
            *("show", *PLAIN, "--format=", "--name-only", "--no-renames", "-z"),
            *(commit, "--", "."),
        )
        prefix = self._prefix()
        return [name.removeprefix(prefix) for name in printed.names(output)]

    def subjects(self, limit: int = 100) -> list[Commit]:
        """Return the newest `limit` commits that touched the vault.

        Raises:
            HistoryError: git refused.
        """
        if self.head() is None:
            return []
        output = self.look("log", f"--max-count={limit}", *_FORMAT, "--", ".")
        return printed.commits(output)

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
        return printed.names(self.ask("ls-files", *options))

    def is_clean(self, paths: Collection[str]) -> bool:
        """Say whether all of these files are as HEAD has them (or ignored).

        Raises:
            HistoryError: git refused.
        """
        wanted = set(paths)
        return not any(path in wanted for _, path in self.status())

    def _status_rows(self, output: bytes) -> list[tuple[str, str]]:
        prefix = self._prefix()
        return [
            (row[:2], row[3:].removeprefix(prefix)) for row in printed.names(output)
        ]

    def _prefix(self) -> str:
        """The vault's place in the repository, as in `docs/vault/`, or nothing."""
        if self.root == self._top:
            return ""
        return os.path.relpath(self.root, self._top).replace(os.sep, "/") + "/"

    @staticmethod
    def _checked(commit: str) -> None:
        if commit.startswith("-"):  # would be an option
            raise HistoryError(f"{commit!r} names no commit")

    def _git(self, arguments: Sequence[str], data: bytes = b"") -> GitResult:
        return run(self.root, self._env, arguments, data)

    def ask(self, *arguments: str, literal: bool = True) -> bytes:
        """Run a git command that reads, through GitPython; return what it printed."""
        git_program = program(self._env)
        # GitPython asks git for its version when it is imported.
        os.environ.setdefault("GIT_PYTHON_GIT_EXECUTABLE", git_program)
        import git

        try:
            return git.Git(self.root).execute(
                [git_program, *arguments],
                env=self._reading(literal=literal),
                stdout_as_string=False,
                strip_newline_in_stdout=False,
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
            **self._env,
            "GIT_DIR": self._git_dir,
            "GIT_WORK_TREE": self._top,
            "GIT_INDEX_FILE": os.path.join(self._git_dir, "index"),
            "GIT_LITERAL_PATHSPECS": "1" if literal else "0",
            "GIT_OPTIONAL_LOCKS": "0",  # reading must not stand in a writer's way
            "TZ": "UTC",
        }


_EVERY_FILE = ("-z", "--no-renames", "-uall", _NO_SUBMODULES, "--", ".")
STATUS = ("status", "--porcelain=v1", *_EVERY_FILE)


def _refuse_large(path: str, size: int, commit: str) -> None:
    """Raise HistoryError for a file that has more bytes than memcli reads."""
    if size > LARGEST:
        said = f"{size:,} bytes, above the limit of {LARGEST:,}"
        raise HistoryError(f"{path} has {said}, in {commit[:10]}")
