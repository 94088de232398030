"""A vault's history, step by step: each commit with the files that it changed.

Invariant: reads only. Paths are those of the vault, as in `log`.
"""

from __future__ import annotations

from memcli.named_tuple import NamedTuple
from memcli.storage.git.printed import Blob, Commit
from memcli.storage.git.readable import PLAIN, Readable

_DATE = "--date=format-local:%Y-%m-%dT%H:%M:%SZ"
_HEADER = "--format=%x02%H%x1f%ad%x1f%an%x1f%s"


class Step(NamedTuple):
    """One commit, and the files of the vault that it added, changed or removed.

    A merge has no files of its own here. The blob of a file is that of its new content,
    of a removed file the old one.
    """

    commit: Commit
    added: list[Blob]
    changed: list[Blob]
    removed: list[Blob]


def steps(repository: Readable, limit: int, since: int | None = None) -> list[Step]:
    """The newest commits that touched the vault, the last one first.

    Args:
        repository: the vault's.
        limit: how many at most.
        since: only commits of this moment or later, epoch seconds.

    Raises:
        HistoryError: git refused.
    """
    if repository.head() is None:
        return []
    options = [*PLAIN, "--raw", "--no-abbrev", "--no-renames", "--encoding=UTF-8", "-z"]
    options += [_DATE, _HEADER, f"--max-count={limit}"]
    if since is not None:
        options.append(f"--since={since}")
    output = repository.look("log", *options, "--", ".")
    text = "\0" + output.decode("utf-8", "surrogateescape")
    return [
        _step(repository.prefix, [part for part in row.split("\0") if part.strip("\n")])
        for row in text.split("\0\2")[1:]
    ]


def _step(prefix: str, rows: list[str]) -> Step:
    """One commit; `rows` are its header, then the facts and path of each file."""
    commit = Commit(*rows[0].strip("\n").split("\x1f", 3))
    step = Step(commit, [], [], [])
    kinds = {"A": step.added, "D": step.removed}
    for fields, path in zip(rows[1::2], rows[2::2], strict=True):
        _, _, before, after, kind = fields.strip("\n").split()
        blob = before if kind == "D" else after
        files = kinds.get(kind, step.changed)
        files.append(Blob(blob, path.removeprefix(prefix), commit.id))
    return step
