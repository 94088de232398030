"""The files of a commit, and of git's index.

Invariant: reads only; the work tree may hold something else.
"""

from __future__ import annotations

import os

from memcli.errors import HistoryError
from memcli.storage.git import printed
from memcli.storage.git.printed import Blob
from memcli.storage.git.process import clean_environment, run
from memcli.storage.git.tip import find

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memcli.storage.git.repository import Repository

_REGULAR = ("100644", "100755")


def files_of(repository: Repository, commit: str) -> Iterator[Blob]:
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


def holds(repository: Repository, commit: str) -> bool:
    """Whether a commit is in a repository: a shallow clone lacks older ones."""
    try:
        repository.ask("cat-file", "-e", f"{commit}^{{commit}}")
    except HistoryError:
        return False
    return True


def common(repository: Repository, one: str, other: str) -> str | None:
    """The newest commit that two commits, which are both here, come from: one of the
    two where the other follows it, None where there is none."""
    try:
        return repository.ask("merge-base", one, other).decode().split()[0]
    except HistoryError:  # which git says with its exit code alone
        return None


def origin(repository: Repository, commit: str) -> str:
    """The first commit of a history; empty in a shallow clone, which has it not.

    Of several beginnings, as after a merge of two histories, the one that sorts first.
    """
    shallow = repository.ask("rev-parse", "--is-shallow-repository").strip()
    if shallow == b"true":
        return ""
    roots = repository.ask("rev-list", "--max-parents=0", commit).decode().split()
    return min(roots, default="")


def blob_ids(repository: Repository, paths: Sequence[str]) -> list[tuple[str, str]]:
    """Each path at which there is a file, with git's id of its bytes."""
    there = [
        path
        for path in paths
        if "\n" not in path and os.path.isfile(os.path.join(repository.root, path))
    ]
    names = "".join(f"{path}\n" for path in there)
    data = names.encode("utf-8", "surrogateescape")
    done = repository.git(("hash-object", "--stdin-paths"), data)
    if done.code:
        raise HistoryError(f"git hash-object failed: {done.text}")
    return list(zip(there, done.printed.decode().split(), strict=True))


def tracked_other_than_notes(repository: Repository) -> list[tuple[str, str]]:
    """The (mode, path) of the vault's files in git's index but for plain notes.

    A plain note is a regular `*.md` file with no hidden folder at its top.
    """
    rows = printed.names(repository.look("ls-files", "--stage", "-z", "--", "."))
    return [
        (row[:6], row.partition("\t")[2])
        for row in rows
        if not (row.endswith(".md") and row.startswith("100")) or "\t." in row
    ]


def sparse(repository: Repository) -> list[str]:
    """The paths that a sparse checkout keeps out of the folder."""
    if not os.path.lexists(os.path.join(repository.git_dir, "info", "sparse-checkout")):
        return []
    rows = printed.names(repository.look("ls-files", "-t", "-z", "--", "."))
    paths = [row[2:] for row in rows if row.startswith("S ")]
    there = os.path.lexists
    return [path for path in paths if not there(os.path.join(repository.root, path))]


def index_is_another_commit(repository: Repository) -> bool:
    """Whether all that is staged is what a commit holds that came from outside.

    A `git pull` that loses the race for HEAD has checked out what it fetched, and
    then cannot move the branch.
    """
    return any(
        repository.git(("diff", "--cached", "--quiet", tip, "--")).code == 0
        # What a person took back with `git reset --soft` is staged, too.
        and repository.git(("merge-base", "--is-ancestor", "HEAD", tip)).code == 1
        for tip in ("FETCH_HEAD", "@{upstream}")
    )


def files(repository: Repository) -> list[str]:
    """The paths of all files that git tracks or would offer to track."""
    options = ("--cached", "--others", "--exclude-standard", "-z")
    return printed.names(repository.look("ls-files", *options))


# --- the history ----------------------------------------------------------------


def ignored(
    root: str, paths: Sequence[str], environ: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The rule of each of these paths that git ignores, as `FILE:LINE: PATTERN`.

    Args:
        root: a folder, which may not exist yet.
        paths: relative to it; they need not exist.
        environ: the environment of git.

    Raises:
        HistoryError: git is missing or refused.
    """
    found = find(root)
    env = clean_environment(environ, root, *(found[:1] if found else ()))
    if found is not None:
        return _asked(root, env, found, paths)
    import tempfile

    with tempfile.TemporaryDirectory(prefix="memcli-") as elsewhere:
        made = run(elsewhere, env, ("init", "--quiet"))
        if made.code:
            raise HistoryError(f"git cannot make a repository: {made.text}")
        here = os.path.realpath(root if os.path.isdir(root) else elsewhere)
        return _asked(here, env, (here, os.path.join(elsewhere, ".git")), paths)


def _asked(
    root: str, env: dict[str, str], repository: tuple[str, str], paths: Sequence[str]
) -> dict[str, str]:
    top, git_dir = repository
    if not os.path.isdir(root):
        # Rules are asked for by path, so that the folder need not be made for it.
        prefix = os.path.relpath(os.path.realpath(root), top).replace(os.sep, "/") + "/"
        root = top
    else:
        prefix = ""
    env = {**env, "GIT_DIR": git_dir, "GIT_WORK_TREE": top}
    data = "".join(f"{prefix}{path}\0" for path in paths)
    done = run(
        root,
        env,
        ("check-ignore", "--no-index", "--verbose", "-z", "--stdin"),
        data.encode("utf-8", "surrogateescape"),
    )
    if done.code > 1:
        raise HistoryError(f"git cannot say what it ignores in {root}: {done.text}")
    fields = done.output.decode("utf-8", "surrogateescape").split("\0")
    rules = {}
    for file, line, pattern, path in zip(*[iter(fields)] * 4, strict=False):
        if not pattern.startswith("!"):
            rules[path.removeprefix(prefix)] = f"{file}:{line}: {pattern}"
    return rules
