"""The files of one commit, by git's names of their contents.

Invariant: reads git's objects alone; the work tree may hold something else.
"""

from __future__ import annotations

from memcli.errors import HistoryError
from memcli.named_tuple import NamedTuple
from memcli.storage.git import printed
from memcli.storage.git.printed import Blob

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcli.storage.git.readable import Readable

_REGULAR = ("100644", "100755")


def files_of(repository: Readable, commit: str) -> Iterator[Blob]:
    """Every regular file of the vault in a commit; no link and no submodule.

    Args:
        repository: the vault's.
        commit: its id.

    Raises:
        HistoryError: git refused.
    """
    prefix = repository.prefix
    output = repository.ask("ls-tree", "-r", "-z", "--full-tree", commit)
    for row in printed.names(output):
        head, _, path = row.partition("\t")
        mode, kind, blob = head.split()
        if kind == "blob" and mode in _REGULAR and path.startswith(prefix):
            yield Blob(blob, path.removeprefix(prefix), commit)


class Changed(NamedTuple):
    """A path at which two commits differ; each content's name, None without a file."""

    path: str
    before: str | None
    after: str | None


def changed(repository: Readable, before: str, after: str) -> list[Changed] | None:
    """The regular files that differ between two commits; None if `before` is not here.

    Raises:
        HistoryError: git refused for another reason.
    """
    if not holds(repository, before):
        return None
    prefix = repository.prefix
    output = repository.ask(
        "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", before, after
    )
    rows = iter(printed.names(output))
    found = []
    for row in rows:
        path = next(rows)
        old, new, *blobs = row.removeprefix(":").split()[:4]
        if path.startswith(prefix):
            was, now = (
                blob if mode in _REGULAR else None
                for mode, blob in zip((old, new), blobs, strict=True)
            )
            found.append(Changed(path.removeprefix(prefix), was, now))
    return found


def holds(repository: Readable, commit: str) -> bool:
    """Whether a commit is in a repository: a shallow clone lacks older ones."""
    try:
        repository.ask("cat-file", "-e", f"{commit}^{{commit}}")
    except HistoryError:
        return False
    return True


def common(repository: Readable, one: str, other: str) -> str | None:
    """The newest commit that two commits, which are both here, come from: one of the
    two where the other follows it, None where there is none."""
    try:
        return repository.ask("merge-base", one, other).decode().split()[0]
    except HistoryError:  # which git says with its exit code alone
        return None


def origin(repository: Readable, commit: str) -> str:
    """The first commit of a history; empty in a shallow clone, which has it not.

    Of several beginnings, as after a merge of two histories, the one that sorts first.
    """
    shallow = repository.ask("rev-parse", "--is-shallow-repository").strip()
    if shallow == b"true":
        return ""
    roots = repository.ask("rev-list", "--max-parents=0", commit).decode().split()
    return min(roots, default="")


def last_folder(repository: Readable, path: str) -> str:
    """The newest commit of HEAD's history in which a path is a folder; '' of none.

    It looks at the last thousand commits that changed what is at the path.

    Raises:
        HistoryError: git refused.
    """
    words = ("rev-list", "--topo-order", "--max-count=1000", "HEAD", "--", path)
    for commit in repository.ask(*words).decode().split():
        listed = repository.ask(
            "ls-tree", "-d", "-z", "--full-tree", commit, "--", path
        )
        if listed.startswith(b"040000 tree "):
            return commit
    return ""
