"""A commit that `git fast-import` makes of a stream, without index or work tree."""

from __future__ import annotations

import os
import re

from memcli.storage import files
from memcli.storage.git.process import GitResult, run

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memcli.storage.git.repository import Repository

# fast-import names its report: `dumping crash report to .git/fast_import_crash_123`.
_REPORT = re.compile(rb"fast_import_crash_\d+")


def commit(
    repository: Repository, stream: bytes, *options: str, force: bool = False
) -> GitResult:
    """Make a commit of a stream; a report of a failure is not left behind."""
    words = (*options, "fast-import", "--quiet", "--done", "--date-format=now")
    words += ("--force",) if force else ()
    done = run(repository.root, repository.environment, words, stream)
    for name in _REPORT.findall(done.output) if done.code else ():
        files.remove_quietly(os.path.join(repository.git_dir, name.decode()))
    return done


def stream_of(
    branch: str,
    parents: Sequence[str],
    put: Mapping[str, tuple[str, str] | bytes],
    gone: Iterable[str],
    message: str,
    who: str,
) -> bytes:
    """A commit in the format of git-fast-import(1).

    Args:
        branch: the whole name of the ref that it is made on.
        parents: names of commits; the first one's files are kept.
        put: by path from the top the new bytes, or mode and id of a file git has.
        gone: paths that the commit has no longer.
        message: of the commit.
        who: commits, as `Name <address>`.
    """
    text = (message.strip() + "\n").encode("utf-8", "replace")
    lines = [
        f"feature done\ncommit {branch}\n".encode(),
        f"committer {who} now\n".encode("utf-8", "replace"),
        f"data {len(text)}\n".encode() + text,
        f"from {parents[0]}\n".encode(),
        *(f"merge {parent}\n".encode() for parent in parents[1:]),
        *(b"D " + _quoted(path) + b"\n" for path in gone),
    ]
    for path, what in put.items():
        if isinstance(what, bytes):
            lines.append(b"M 100644 inline " + _quoted(path) + b"\n")
            lines.append(f"data {len(what)}\n".encode() + what + b"\n")
        else:
            lines.append(f"M {what[0]} {what[1]} ".encode() + _quoted(path) + b"\n")
    return b"".join(lines) + b"done\n"


def _quoted(path: str) -> bytes:
    """A path as git-fast-import(1) reads it; any bytes are allowed."""
    data = path.encode("utf-8", "surrogateescape")
    quoted = b"".join(
        b"\\%03o" % byte if byte < 32 or byte in b'"\\' or byte > 126 else b"%c" % byte
        for byte in data
    )
    return b'"' + quoted + b'"'
