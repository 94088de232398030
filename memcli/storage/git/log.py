"""What git knows of a vault: where it is, and what its history answers.

Invariant: reads only; every path that goes in or comes out is a POSIX path relative
to the vault, which may be a folder of a larger repository.

These are the ways back, and they use GitPython, which costs more to import than a
whole save may; the way in is `history.Repository`, which starts git itself.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Self

from memcli.errors import HistoryError, NotAVault
from memcli.storage.git.process import GitResult, clean_environment, run

_FORMAT = (
    "--no-show-signature",
    "--encoding=UTF-8",
    "-z",
    "--date=format-local:%Y-%m-%dT%H:%M:%SZ",
    "--format=%H%x1f%ad%x1f%an%x1f%s",
)


class Commit(NamedTuple):
    """One commit: `when` is the author's time in UTC, `YYYY-MM-DDTHH:MM:SSZ`."""

    id: str
    when: str
    author: str
    subject: str


class Blob(NamedTuple):
    """What a file held as of a commit: git's name for the bytes, and its path."""

    id: str
    path: str
    commit: str


class Readable:
    """A repository that is asked, and not changed."""

    def __init__(self, root: str, top: str, git_dir: str, env: dict[str, str]) -> None:
        self.root = root
        self._top = top
        self._git_dir = git_dir
        self._env = env

    @property
    def git_dir(self) -> str:
        """git's own folder, absolute."""
        return self._git_dir

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
        folder = os.path.realpath(root)
        while True:
            marker = os.path.join(folder, ".git")
            git_dir = marker if os.path.isdir(marker) else _linked(marker)
            if git_dir and os.path.lexists(os.path.join(git_dir, "HEAD")):
                return cls(
                    os.path.realpath(root), folder, git_dir, clean_environment(environ)
                )
            parent = os.path.dirname(folder)
            if parent == folder:
                raise NotAVault(
                    f"{root} is not under git", hint=f"run: memcli init {root}"
                )
            folder = parent

    def head(self) -> str | None:
        """Return the id of the current commit, None in an empty repository."""
        found = self._git(("rev-parse", "--verify", "--quiet", "HEAD"))
        return found.text if found.code == 0 else None

    def is_detached(self) -> bool:
        """Say whether HEAD is a commit and no branch."""
        try:
            with open(os.path.join(self._git_dir, "HEAD"), "rb") as file:
                return not file.read(5).startswith(b"ref: ")
        except OSError:
            return False

    def log(self, path: str, limit: int = 20) -> list[Commit]:
        """Return the newest `limit` commits of a file, also under earlier names.

        Raises:
            HistoryError: git refused.
        """
        if self.head() is None:
            return []
        said = self._ask(
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
        for row in ("\0" + said.decode("utf-8", "replace")).split("\0\x02")[1:]:
            header, _, change = row.partition("\0\n")
            commits.append(Commit(*header.rstrip("\0").split("\x1f", 3)))
            # To git a new file that resembles another one is its copy, and small
            # notes under the same frontmatter all do: that history is not ours.
            if change.startswith("C"):
                break
        return commits

    def show(self, commit: str, path: str) -> bytes:
        """Return a file's bytes as of a commit.

        Raises:
            HistoryError: no such commit, or no such file in it.
        """
        self._checked(commit)
        return self._ask("cat-file", "blob", f"{commit}:./{path}")

    def unlike_head(self, contents: Mapping[str, bytes]) -> list[str]:
        """Return those of these files whose bytes HEAD does not have at their paths.

        Where git stores other bytes than the disk has (line ends, filters), a file
        that is committed counts, too.
        """
        import hashlib

        prefix = self._prefix()
        paths = [path for path in contents if "\n" not in path]
        names = "".join(f"HEAD:{prefix}{path}\n" for path in paths)
        data = names.encode("utf-8", "surrogateescape")
        said = self._git(("cat-file", "--batch-check=%(objectname)"), data).output
        known = set()
        for path, line in zip(paths, said.split(b"\n"), strict=False):
            data = b"blob %d\0" % len(contents[path]) + contents[path]
            kind = "sha256" if len(line) == 64 else "sha1"
            digest = hashlib.new(kind, data, usedforsecurity=False).hexdigest()
            if line == digest.encode():
                known.add(path)
        return [path for path in contents if path not in known]

    def blobs(self, paths: Collection[str], mark: str | None) -> list[Blob]:
        """Return what the files at these paths have held, in any branch, and more.

        Args:
            paths: of the vault; whatever was there at any time.
            mark: a text; paths at which a file with it came or went count, too.

        Raises:
            HistoryError: git refused.
        """
        if self.head() is None:
            return []
        wanted = set(paths)
        if mark:
            wanted |= {change.path for change in self._raw(f"-S{mark}", "--", ".")}
        literal = [f":(literal){path}" for path in sorted(wanted)]
        return self._raw("--", *literal) if literal else []

    def contents(self, blobs: Sequence[Blob]) -> list[bytes]:
        """Return the bytes of each blob; empty for one that is not there."""
        names = "".join(f"{blob.id}\n" for blob in blobs)
        output = self._git(("cat-file", "--batch"), names.encode()).output
        found = []
        while output:
            header, _, output = output.partition(b"\n")
            words = header.split()
            size = int(words[2]) if len(words) == 3 else 0
            found.append(output[:size])
            output = output[size + 1 :] if len(words) == 3 else output
        return found

    def _raw(self, *arguments: str) -> list[Blob]:
        said = self._ask(
            "log",
            "--all",
            "-m",  # what only the merge itself wrote, too
            "--raw",
            "--no-abbrev",
            "--no-renames",
            "-z",
            "--format=%x02%H",
            *arguments,
            literal=False,
        )
        prefix = self._prefix()
        found = []
        commit = ""
        tokens = iter(said.decode("utf-8", "surrogateescape").split("\0"))
        for token in tokens:
            token = token.lstrip("\n")
            if token.startswith("\2"):
                commit = token[1:].strip()
            elif token.startswith(":"):
                blob, path = token.split()[3], next(tokens)
                if blob.strip("0"):  # zeros: it was removed
                    found.append(Blob(blob, path.removeprefix(prefix), commit))
        return found

    def changes(self, commit: str) -> list[str]:
        """Return the paths of the vault that a commit changed, added or removed.

        Raises:
            HistoryError: no such commit.
        """
        self._checked(commit)
        said = self._ask(
            "show", "--format=", "--name-only", "--no-renames", "-z", commit, "--", "."
        )
        prefix = self._prefix()
        return [name.removeprefix(prefix) for name in split_names(said)]

    def subjects(self, limit: int = 100) -> list[Commit]:
        """Return the newest `limit` commits that touched the vault.

        Raises:
            HistoryError: git refused.
        """
        if self.head() is None:
            return []
        said = self._ask("log", f"--max-count={limit}", *_FORMAT, "--", ".")
        return [
            Commit(*row.split("\x1f", 3))
            for row in said.decode("utf-8", "replace").split("\0")
            if row
        ]

    def status(self) -> list[tuple[str, str]]:
        """Return (code, path) of every file of the vault that differs from HEAD.

        Codes are the two letters of `git status --porcelain`, `??` for untracked.

        Raises:
            HistoryError: git refused.
        """
        return self._status_rows(self._ask(*STATUS))

    def is_clean(self, paths: Collection[str]) -> bool:
        """Say whether all of these files are as HEAD has them (or ignored).

        Raises:
            HistoryError: git refused.
        """
        wanted = set(paths)
        return not any(path in wanted for _, path in self.status())

    def _status_rows(self, output: bytes) -> list[tuple[str, str]]:
        prefix = self._prefix()
        return [(row[:2], row[3:].removeprefix(prefix)) for row in split_names(output)]

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

    def _ask(self, *arguments: str, literal: bool = True) -> bytes:
        """Run a reading git command through GitPython; return what it printed."""
        import git

        # GitPython adds to the environment and cannot take from it, so what a
        # hook's git may have set is set right instead.
        env = {
            **self._env,
            "GIT_DIR": self._git_dir,
            "GIT_WORK_TREE": self._top,
            "GIT_INDEX_FILE": os.path.join(self._git_dir, "index"),
            "GIT_LITERAL_PATHSPECS": "1" if literal else "0",
            "GIT_OPTIONAL_LOCKS": "0",  # reading must not stand in a writer's way
            "TZ": "UTC",
        }
        try:
            output = git.Git(self.root).execute(
                ["git", *arguments],
                env=env,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
            )
        except git.GitCommandError as error:
            said = str(error.stderr).strip()
            raise HistoryError(f"git {arguments[0]} failed: {said}") from error
        return output


STATUS = ("status", "--porcelain=v1", "-z", "--no-renames", "-uall", "--", ".")


def _linked(marker: str) -> str:
    """The git folder that a `.git` file (work tree, submodule) points to, or ''."""
    try:
        with open(marker, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(4096)
    except OSError:
        return ""
    if not text.startswith("gitdir:"):
        return ""
    target = text.removeprefix("gitdir:").strip()
    return os.path.normpath(os.path.join(os.path.dirname(marker), target))


def split_names(output: bytes) -> list[str]:
    return output.decode("utf-8", "surrogateescape").split("\0")[:-1]
