"""Files that git stages in an index, how the index then differs from a commit, and
git's messages as memcli's own errors.

Invariant: where git says something that memcli does not know, the error repeats git's
words.
"""

from __future__ import annotations

import errno
import os

from memcli.entries.identity import File
from memcli.errors import (
    Conflict,
    HistoryError,
    LockBusy,
    MemcliError,
    NotAllowed,
    WriteFailed,
)
from memcli.storage import files
from memcli.storage.files import REFUSED, write_failed
from memcli.storage.git.index_lock import lock_busy
from memcli.storage.git.process import GitResult, joined, names, run
from memcli.storage.vault_paths import parents

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memcli.storage.git.repository import Repository

PATHS = ("--pathspec-from-file=-", "--pathspec-file-nul")
CHEAP = ("-c", "core.preloadIndex=false")
"""The preloading threads cost more than they save once files are in the cache."""

MANY = 500
"""From this many paths on, git is told fewer of them."""

NEW_LINES = ("update-index", "-z", "--index-info")


GONE = File("000000", "0" * 40)
"""A file that is not there, or goes."""


def stage(
    repository: Repository,
    env: dict[str, str],
    contents: Mapping[str, bytes | None],
    parent: str | None,
) -> dict[str, File]:
    """Let git put files into an index; what of them differs from a commit then.

    Not by `git add`, which compares each path with each: 10,000 take it minutes.

    Raises:
        HistoryError, WriteFailed: git or the disk refused.
    """
    present = [path for path, data in contents.items() if data is not None]
    refuse_other_trees(repository, present)
    # Without the index first: it is read only where a rule names a file.
    ignored = ("check-ignore", "-z", "--stdin")
    listed = joined(present)
    for words in ((*ignored, "--no-index"), ignored):
        if not present or run(repository.root, env, words, listed).code:
            break
    else:
        raise HistoryError(
            f"{_called(present)} cannot be committed: a .gitignore rule excludes it",
            hint="git check-ignore -v names the rule: remove it.",
        )
    # What goes makes room for what comes. `--remove` alone would also take out a file
    # that is there, and that a sparse checkout leaves out.
    gone = [path for path, data in contents.items() if data is None]
    _update(repository, env, gone, "--force-remove")
    _update(repository, env, present, "--add")
    staged = differing(repository, env, contents, parent)
    same = {
        path: data
        for path, data in contents.items()
        if data is not None and path not in staged
    }
    unlike = repository.unlike_head(same) if same else []
    if not unlike:
        return staged
    # Files that a filter changes, or that git was told to overlook.
    for how in ("--no-assume-unchanged", "--no-skip-worktree", "--add"):
        _update(repository, env, unlike, how)
    return differing(repository, env, contents, parent)


def _update(
    repository: Repository, env: dict[str, str], paths: Sequence[str], how: str
) -> None:
    words = (*CHEAP, "update-index", how, "-z", "--stdin")
    if paths and (done := run(repository.root, env, words, joined(paths))).code:
        raise failure(repository, done, paths)


def refuse_other_trees(repository: Repository, paths: Iterable[str]) -> None:
    """Raise HistoryError where a file lies behind a link, or in a repository of its
    own. git leaves such a file out, and mostly does not say so."""
    prefix = repository.prefix
    for path in paths:
        for folder in parents(prefix + path):
            place = os.path.join(repository.top, folder)
            link = os.path.islink(place)
            if link or os.path.lexists(os.path.join(place, ".git")):
                what = "a symbolic link" if link else "a git repository of its own"
                shown = folder.removeprefix(prefix)
                hint = (
                    f"Put a folder of the vault in the place of {shown}, then repeat."
                )
                said = f"{path} cannot be committed: {shown} is {what}"
                raise HistoryError(said, hint=hint)


def refuse_filtered(repository: Repository, paths: Iterable[str]) -> None:
    """Raise NotAllowed where a commit holds other bytes of a file than the folder, by a
    filter such as git-crypt: memcli would write the commit's."""
    data = joined(paths)
    words = ("check-attr", "-z", "--stdin", "filter", "working-tree-encoding")
    rows = names(repository.answer(*words, data=data)) if data else []
    keys = (key.split(".") for key in repository.settings())
    defined = {".".join(middle) for first, *middle, _ in keys if first == "filter"}
    for path, what, value in zip(rows[::3], rows[1::3], rows[2::3], strict=True):
        if value in ("unspecified", "unset", "set") or value.casefold() == "utf-8":
            continue
        if what != "filter" or value in defined:
            raise NotAllowed(
                f"{path} is stored by git with {what}={value}, which memcli cannot "
                "reverse; nothing was changed",
                hint="Do this step with git (git pull, git revert or git restore), "
                "then repeat the command.",
                code="git_filter",
            )


def differing(
    repository: Repository,
    env: dict[str, str],
    paths: Iterable[str],
    commit: str | None,
) -> dict[str, File]:
    """Those of the paths at which an index differs from a commit, or from none."""
    wanted = set(paths)
    words = [*CHEAP, "diff-index", "--cached", "--raw", "-z", "--no-renames",
             "--no-abbrev", "--ignore-submodules=all",
             commit or empty_tree(repository, env), "--"]  # fmt: skip
    # An argument for each of very many would be too long for the system.
    if len(wanted) < MANY:
        words += [f":(literal){path}" for path in wanted]
    done = run(repository.root, env, words)
    if done.code:
        raise failure(repository, done, [*wanted])
    prefix = repository.prefix
    found = {
        path.removeprefix(prefix): file for path, _, file in changes_in(done.printed)
    }
    return {path: file for path, file in found.items() if path in wanted}


def changes_in(output: bytes) -> Iterator[tuple[str, File, File]]:
    """The paths that a git with `--raw -z` prints, with the file before and after."""
    rows = names(output)
    for facts, path in zip(rows[::2], rows[1::2], strict=True):
        was, mode, before, after, _ = facts[1:].split(" ")
        yield path, File(was, before), File(mode, after)


def empty_tree(repository: Repository, env: dict[str, str]) -> str:
    """git's id of a tree without files, which every repository knows."""
    done = run(repository.root, env, ("hash-object", "-t", "tree", "--stdin"))
    return done.printed.decode().strip()


def index_lines(staged: Mapping[str, tuple[str, str]], prefix: str = "") -> bytes:
    """The mode and blob of files, by their path from the top, or below a folder with
    this `prefix`, as `git update-index --index-info` reads it.

    git takes no file where it has a folder: what goes, goes first.
    """
    ordered = sorted(staged.items(), key=lambda item: item[1][0] != GONE.mode)
    return joined(
        f"{'0' if mode == GONE.mode else mode} {blob}\t{prefix}{path}"
        for path, (mode, blob) in ordered
    )


def pathspecs(paths: Iterable[str]) -> bytes:
    """Paths as git reads them by `PATHS`.

    Literal one by one: GIT_LITERAL_PATHSPECS would reach the user's hooks.
    """
    return joined(f":(literal){path}" for path in paths)


def import_stream(
    repository: Repository, stream: bytes, *options: str, force: bool = False
) -> GitResult:
    """Make a commit of a stream; a report of a failure is not left behind."""
    words = (*options, "fast-import", "--quiet", "--done", "--date-format=now")
    words += ("--force",) if force else ()
    done = run(repository.root, repository.environment, words, stream)
    # git names it: `dumping crash report to .git/fast_import_crash_123`.
    for word in done.text.split() if done.code else ():
        name = os.path.basename(word)
        if name.startswith("fast_import_crash_"):
            files.remove_quietly(os.path.join(repository.git_dir, name))
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


# --- what git says ----------------------------------------------------------------

SPARSE_HINT = "git sparse-checkout disable, or: git sparse-checkout add memories"

# A rebase that stopped may leave any of the others, and no branch.
UNFINISHED = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
)
"""Operations that a commit would conclude; `git rebase --abort` would lose it again."""


def failure(
    repository: Repository, done: GitResult, paths: Sequence[str]
) -> MemcliError:
    """The error that says why git did not commit."""
    output = done.output
    if full := refused_by_disk(output, repository.git_dir):
        return full
    if b".lock': File exists" in output:
        return lock_busy(done.text)
    if b"does not exist and --remove not passed" in output:
        return changed_meanwhile(paths[0])
    if b"cannot lock ref" in output or b"does not contain" in output:
        return LockBusy("another git moved HEAD during the commit", hint="Try again.")
    return refused(f"{_called(paths)} cannot be committed", done)


def _called(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{len(paths):,} files"


def unfinished(
    repository: Repository, state: str, paths: Sequence[str]
) -> HistoryError:
    """The error for a merge or another operation that a commit would conclude."""
    from shlex import quote

    return HistoryError(
        f"{_called(paths)} cannot be committed: a {state} is in progress",
        hint=f"Finish it, or: git -C {quote(repository.root)} {state} --abort",
    )


def refused(what: str, done: GitResult) -> HistoryError:
    """The error that quotes git."""
    reason = done.text[-2000:] or f"git ended with {done.code} and printed nothing"
    return HistoryError(
        f"{what}: {reason}", hint="Do what git asks for, then repeat the command."
    )


def changed_meanwhile(path: str) -> Conflict:
    """The error for a file that is not as it is to be committed."""
    return Conflict(
        f"{path} was changed between its write and its commit; nothing was changed",
        hint="Repeat the command: it starts from the changed file.",
    )


def refused_by_disk(output: bytes, path: str) -> WriteFailed | None:
    """The error for git's message that the disk refused, None when it says none."""
    output = output.replace(b"Out of diskspace", os.strerror(errno.ENOSPC).encode())
    for number in REFUSED:
        if os.strerror(number).encode() in output:
            return write_failed(path, OSError(number, os.strerror(number)))
    return None
