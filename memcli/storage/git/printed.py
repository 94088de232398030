"""git's output, read as values.

Invariant: pure. A path that is not UTF-8 is decoded as Python decodes such file names.
"""

from __future__ import annotations

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence


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


def names(output: bytes) -> list[str]:
    """The names of an output with `-z`."""
    return output.decode("utf-8", "surrogateescape").split("\0")[:-1]


def commits(output: bytes) -> list[Commit]:
    """The commits of a `git log -z` whose fields are parted by 0x1f."""
    return [
        Commit(*row.split("\x1f", 3))
        for row in output.decode("utf-8", "replace").split("\0")
        if row
    ]


def blobs(output: bytes, prefix: str) -> list[Blob]:
    """The blobs of a `git log --raw -z` with 0x02 before each commit's id.

    Args:
        output: what git printed.
        prefix: the vault's folder in the repository, which the paths are without.
    """
    found = []
    commit = ""
    tokens = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    for token in tokens:
        token = token.lstrip("\n")
        if token.startswith("\2"):
            commit = token[1:].strip()
        elif token.startswith(":"):
            blob, path = token.split()[3], next(tokens)
            if blob.strip("0"):  # zeros: it was removed
                found.append(Blob(blob, path.removeprefix(prefix), commit))
    return found


def objects(output: bytes, asked: Sequence[str]) -> list[bytes | None]:
    """The bytes of each object that `git cat-file --batch` was asked for, or None."""
    rest, found = memoryview(output), list[bytes | None]()
    for name in asked:
        header = bytes(rest[: 200 + 4 * len(name)]).partition(b"\n")[0]
        rest = rest[len(header) + 1 :]
        if header.endswith(b" missing"):
            found.append(None)
            continue
        size = int(header.rpartition(b" ")[2])
        found.append(bytes(rest[:size]))
        rest = rest[size + 1 :]
    return found


def commit_id(report: bytes) -> str | None:
    """The id in commit's own `[main (root-commit) 1234...] subject`, or None."""
    for line in reversed(report.decode("utf-8", "replace").splitlines()):
        if line.startswith("["):
            word = line.partition("] ")[0].rpartition(" ")[2]
            if len(word) == 40 and set(word) <= set("0123456789abcdef"):
                return word
    return None
