"""The files of commits and of git's index, and how two commits differ.

Invariant: reads only; the work tree may hold something else.
"""

from __future__ import annotations

import os
from shlex import quote

from memcli.entries.identity import File
from memcli.errors import HistoryError, TooLarge
from memcli.named_tuple import NamedTuple
from memcli.storage.files import LARGEST
from memcli.storage.git.process import TOO_SLOW, Watch, joined, names, run
from memcli.storage.git.repository import Blob
from memcli.storage.git.staging import GONE, changes_in

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memcli.storage.git.repository import Repository

REGULAR, PROGRAM = "100644", "100755"

# What a merge may read and write at once, in bytes. It is held in memory, and several
# times over while the journal is written: bytes, text and JSON.
MOST_BYTES = 200_000_000
# What a vault goes to at once; 100,000 new files took three minutes on a busy machine
# of two cores, during which the vault is locked.
_MOST_FILES = 250_000
# Bytes of a list of a commit's files: that of 500,000 notes; and seconds for it.
_MOST_LISTED = 64_000_000
_LISTING = 60.0
_SPARSE = "--no-skip-worktree"


class Difference(NamedTuple):
    """A path at which two commits differ; None stands for no file."""

    path: str
    before: File | None
    after: File | None


# --- commits; the paths are those of the repository -------------------------------


def of_commit(repository: Repository, commit: str) -> dict[str, File]:
    """Every file of a commit, by its path from the top.

    Raises:
        HistoryError: git refused.
    """
    found = {}
    for row in names(repository.look("ls-tree", "-r", "-z", "--full-tree", commit)):
        facts, _, path = row.partition("\t")
        mode, _, oid = facts.split(" ")
        found[path] = File(mode, oid)
    return found


def differences(repository: Repository, before: str, after: str) -> list[Difference]:
    """The paths at which two commits differ.

    Raises:
        HistoryError: git refused.
    """
    words = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev")
    printed = repository.look(*words, before, after, "--")
    return [
        Difference(path, *(None if each.mode == GONE.mode else each for each in sides))
        for path, *sides in changes_in(printed)
    ]


def bases(repository: Repository, ours: str, theirs: str) -> list[str]:
    """The newest commits that both histories hold, sorted; usually one."""
    done = repository.git(("merge-base", "--all", ours, theirs))
    return sorted(done.printed.decode().split()) if done.code == 0 else []


def read_blobs(repository: Repository, oids: Sequence[str]) -> list[bytes]:
    """The bytes of each of these blobs.

    Raises:
        TooLarge: they are more than a merge may hold in memory.
        HistoryError: one is missing.
    """
    if not oids:
        return []
    sizes = repository.sizes(oids)
    refuse_sizes([sizes[oid] for oid in oids])
    found = [data for data in repository.objects(oids) if data is not None]
    if len(found) < len(oids):
        raise HistoryError(
            "a file of the history is missing",
            hint=f"See what git lacks: git -C {quote(repository.top)} fsck",
        )
    return found


def refuse_sizes(sizes: Sequence[int], paths: Sequence[str] = ()) -> None:
    """Refuse files that are too large, alone or together.

    Args:
        sizes: in bytes.
        paths: the name of each, where they are known.

    Raises:
        TooLarge: as the remote's changes are.
    """
    largest = max(sizes, default=0)
    if largest > LARGEST:
        what = paths[sizes.index(largest)] if paths else "a file"
        raise _too_large(f"{what} of {largest:,} bytes (at most {LARGEST:,})")
    if sum(sizes) > MOST_BYTES:
        raise _too_large(f"{sum(sizes):,} bytes that differ (at most {MOST_BYTES:,})")


def refuse_count(count: int) -> None:
    """Refuse to go to a commit in which so many files differ; raises TooLarge."""
    if count > _MOST_FILES:
        raise _too_large(f"{count:,} changed files (at most {_MOST_FILES:,})")


def refuse_many_files(repository: Repository, commit: str) -> None:
    """Refuse a commit whose files are too many to be listed: equal folders in folders
    are ten million files in a few kilobytes, and git and memcli hold each in memory.

    Raises:
        TooLarge: as the remote's changes are.
    """

    def look(printed: int, _: bytes) -> int | None:
        return TOO_SLOW if printed > _MOST_LISTED else None

    # With its folders: there may be a million without a file.
    words = ("ls-tree", "-r", "-t", "-z", "--full-tree", commit)
    watch = Watch(_LISTING, look)
    done = run(repository.root, repository.environment, words, watch=watch)
    if done.code == TOO_SLOW:
        raise _too_large(f"a list of files above {_MOST_LISTED:,} bytes")


def _too_large(said: str) -> TooLarge:
    return TooLarge(
        f"the remote's changes hold more than a vault may: {said}",
        hint="Nothing was changed here. Take it out of the remote with git, or take it "
        "all the same: git pull",
    )


# --- the vault's files in a commit, the index and the folder ----------------------


def files_of(repository: Repository, commit: str) -> Iterator[Blob]:
    """Every regular file of the vault in a commit; no link and no submodule.

    Raises:
        HistoryError: git refused.
    """
    prefix = repository.prefix
    for path, (mode, oid) in of_commit(repository, commit).items():
        if mode in (REGULAR, "100755") and path.startswith(prefix):
            yield Blob(oid, path.removeprefix(prefix), commit)


def blob_ids(repository: Repository, paths: Sequence[str]) -> list[tuple[str, str]]:
    """Each path at which there is a file, with git's id of its bytes."""
    there = [
        path
        for path in paths
        if "\n" not in path and os.path.isfile(os.path.join(repository.root, path))
    ]
    said = repository.look("hash-object", "--stdin-paths", data=joined(there, "\n"))
    return list(zip(there, said.decode().split(), strict=True))


def tracked_other_than_notes(repository: Repository) -> list[tuple[str, str]]:
    """The (mode, path) of the vault's files in git's index but for plain notes.

    A plain note is a regular `*.md` file with no hidden folder at its top.
    """
    rows = names(repository.look("ls-files", "--stage", "-z", "--", "."))
    return [
        (row[:6], row.partition("\t")[2])
        for row in rows
        if not (row.endswith(".md") and row.startswith("100")) or "\t." in row
    ]


def not_looked_at(repository: Repository) -> dict[str, str]:
    """The paths that git takes as unchanged, as it was told for each of them, with the
    option of `git update-index` that ends it."""
    rows = names(repository.look("ls-files", "-v", "-z", "--", "."))
    flags = ((row[2:], row[:1]) for row in rows)
    return {
        path: _SPARSE if flag in "Ss" else "--no-assume-unchanged"
        for path, flag in flags
        if flag == "S" or flag.islower()
    }


def sparse(repository: Repository) -> list[str]:
    """The paths that a sparse checkout keeps out of the folder."""
    if not os.path.lexists(os.path.join(repository.git_dir, "info", "sparse-checkout")):
        return []
    there = os.path.lexists
    return [
        path
        for path, option in not_looked_at(repository).items()
        if option == _SPARSE and not there(os.path.join(repository.root, path))
    ]


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


def ignored(repository: Repository, paths: Sequence[str]) -> dict[str, str]:
    """The rule of each of these paths of the vault that git ignores, as `FILE:LINE:
    PATTERN`; they need not exist.

    Raises:
        HistoryError: git refused.
    """
    words = ("check-ignore", "--no-index", "--verbose", "-z", "--stdin")
    done = repository.git(words, joined(paths))
    if done.code > 1:
        raise HistoryError(f"git cannot say what it ignores: {done.text}")
    rows = zip(*[iter(names(done.printed))] * 4, strict=False)
    return {
        path: f"{file}:{line}: {pattern}"
        for file, line, pattern, path in rows
        if not pattern.startswith("!")
    }


def count(repository: Repository, commit: str, but: str | None) -> int:
    """How many commits there are up to one, without those of another one."""
    words = ("rev-list", "--count", commit, *((f"^{but}",) if but else ()), "--")
    done = repository.git(words)
    return int(done.printed) if done.code == 0 else 0
