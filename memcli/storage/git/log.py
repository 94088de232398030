"""A vault's history, as git has it: commits, and the bytes that files had in them.

Invariant: reads only, as `readable` does, and reads no file that is larger than memcli
reads from the disk: its size is asked for first.
"""

from __future__ import annotations

from memcli.entries import identity
from memcli.errors import HistoryError
from memcli.storage.files import LARGEST
from memcli.storage.git import printed
from memcli.storage.git.printed import Blob, Commit
from memcli.storage.git.readable import PLAIN, Readable

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


# Commits that are named to one git.
_AT_ONCE = 1_000
_FORMAT = (
    *PLAIN,
    "--encoding=UTF-8",
    "-z",
    "--date=format-local:%Y-%m-%dT%H:%M:%SZ",
    "--format=%H%x1f%ad%x1f%an%x1f%s",
)


class History(Readable):
    """A repository, for questions on what its commits hold."""

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
        prefix = self.prefix
        paths = [path for path in contents if "\n" not in path]
        names = "".join(f"HEAD:{prefix}{path}\n" for path in paths)
        data = names.encode("utf-8", "surrogateescape")
        output = self._git(("cat-file", "--batch-check=%(objectname)"), data).printed
        same = set()
        for path, line in zip(paths, output.split(b"\n"), strict=False):
            data = b"blob %d\0" % len(contents[path]) + contents[path]
            digest = (identity.sha256 if len(line) == 64 else identity.sha1)(data).hex()
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

    def blobs_of(self, commits: Sequence[str]) -> list[Blob]:
        """Return every content that these commits themselves gave to files.

        Raises:
            HistoryError: git refused.
        """
        found = []
        for start in range(0, len(commits), _AT_ONCE):
            some = commits[start : start + _AT_ONCE]
            found += self._raw("--no-walk=unsorted", *some, "--", ".")
        return found

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
        names = [f"{commit}:{self.prefix}{path}" for path in paths]
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
        return printed.blobs(output, self.prefix)

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
        prefix = self.prefix
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

    @staticmethod
    def _checked(commit: str) -> None:
        if commit.startswith("-"):  # would be an option
            raise HistoryError(f"{commit!r} names no commit")


def _refuse_large(path: str, size: int, commit: str) -> None:
    """Raise HistoryError for a file that has more bytes than memcli reads."""
    if size > LARGEST:
        said = f"{size:,} bytes, above the limit of {LARGEST:,}"
        raise HistoryError(f"{path} has {said}, in {commit[:10]}")
