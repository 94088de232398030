"""Two histories made one: the commit that joins them, and going there; and how git is
told to let memcli merge.

Invariant: until `go` nothing is visible but objects that no branch names. `go` moves
the branch from the one commit that was meant to the other, or fails; the index follows
for the paths that differ, and what a person has staged elsewhere stays staged. The
vault is the whole repository; paths are those of both.
"""

from __future__ import annotations

import os
import re
from shlex import quote

from memcli.entries.entry import printable
from memcli.entries.merging.trees import MergePlan, Side, plan_merge
from memcli.errors import HistoryError, WriteFailed
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.git import history, on_disk, staging
from memcli.storage.git.index_lock import IndexLock, patiently
from memcli.storage.git.process import Watch, run
from memcli.storage.git.staging import changed_meanwhile, refused, refused_by_disk
from memcli.storage.git.tree import differences, of_commit, read_blobs
from memcli.storage.vault_paths import inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from memcli.entries.entry import Entry
    from memcli.entries.identity import File
    from memcli.storage.git.repository import Repository

_NOBODY = "memcli@localhost"
OTHER = "another clone"
"""The name of whoever has told git none."""
_NO_IDENTITY = f"memcli <{_NOBODY}>"
_MOST_FILES = 100
# The name under which a commit is made; removed at once.
_SCRATCH_REF = "refs/memcli/sync"
# Seconds that a program for signing has: without a terminal one that asks for a
# password would wait for ever.
_SIGNING = 60.0


class Move(NamedTuple):
    """A branch that goes from one commit to another.

    The commits are whole ids, so that a branch which went elsewhere meanwhile is
    noticed; `branch` is its short name.
    """

    branch: str
    before: str
    after: str


def side(repository: Repository, name: str, commit: str) -> Side:
    """A commit as one side of a merge; `name` is whose it is."""

    def last(path: str, *words: str) -> bytes:
        words = ("log", "-1", "--no-show-signature", *words, commit, "--")
        return repository.answer(*words, f":(literal){path}").strip()

    def changed_at(path: str) -> int:
        """When the last commit before this one changed a path, epoch seconds; or 0."""
        said = last(path, "--format=%ct")
        return int(said) if said.isdigit() else 0

    def undid(entry: Entry) -> bool:
        """Whether the last commit that put an id to a path, or took it away, undid."""
        subject = last(entry.path, "--format=%s", f"-S{entry.id}")
        return subject.startswith(b"undo: ")

    return Side(name, of_commit(repository, commit), changed_at, undid)


def planned(
    repository: Repository,
    base: str | None,
    ours: Side,
    theirs: Side,
    kinds: Collection[str],
) -> MergePlan:
    """The merge of two sides that began as one commit, or as none."""
    return plan_merge(
        of_commit(repository, base) if base else {},
        ours,
        theirs,
        lambda blobs: read_blobs(repository, [blob.oid for blob in blobs]),
        kinds=kinds,
    )


def named_by(repository: Repository, ours: str, theirs: str, trailer: str) -> str:
    """Whose the newest commit is that only `theirs` has: the value of its trailer, else
    its author; '' for none.

    Both are the remote's: only letters that can be printed are kept of them, and
    60 at most.
    """
    said = f"--format=%(trailers:key={trailer},valueonly,separator=%x2C)%x1f%an"
    words = ("log", "-1", "--no-show-signature", said)
    row = repository.answer(*words, theirs, f"^{ours}", "--").decode("utf-8", "replace")
    machine, _, author = row.strip("\n").partition("\x1f")
    return printable(machine.split(",")[0])[:60] or printable(author)[:60]


def others(
    repository: Repository, ours: str, theirs: str, paths: Sequence[str]
) -> list[str]:
    """The authors of what only `theirs` has, but for our own: of these files, or of all
    where there are none or many, since a command line is not endless."""
    words = ("log", "--no-show-signature", "--format=%an%x1f%ae")
    few = paths if len(paths) <= _MOST_FILES else ()
    files = [f":(literal){path}" for path in few]
    said = repository.answer(*words, theirs, f"^{ours}", "--", *files)
    rows = said.decode("utf-8", "replace").strip("\n").split("\n")
    return _others(repository, (row.rpartition("\x1f")[::2] for row in rows))


def writers(repository: Repository, path: str, seconds: float) -> list[str] | None:
    """The authors of a file's lines, but for who commits here; None where git cannot
    say it in time. Who has told git no name is known by the commits of this clone."""
    # In git's own folder, where no .mailmap of the vault gives a commit another author.
    here = repository.git_dir
    env = {**repository.environment, "GIT_WORK_TREE": here}
    name = repository.prefix + path
    words = ("blame", "--line-porcelain", "--no-textconv", "HEAD", "--", name)
    done = run(here, env, words, watch=Watch(seconds))
    text = done.printed.decode("utf-8", "replace")
    rows = r"^(\w+) .*\nauthor (.*)\nauthor-mail <(.*)>$"
    found = re.findall(rows, text, re.MULTILINE)
    if done.code or not found:
        return None
    nameless = any(mail == _NOBODY for *_, mail in found)
    own = history.made_here(repository) if nameless else None
    return _others(
        repository, (who for commit, *who in found if commit not in (own or ()))
    )


def _others(repository: Repository, rows: Iterable[Sequence[str]]) -> list[str]:
    """Of rows of name and address those of other people: their names, each once.

    Whoever has told git no name is nobody that memcli knows, also on this machine.
    """
    own = (repository.committer() or "").rpartition(" <")[2].rstrip(">")
    found: dict[str, None] = {}
    for name, mail in rows:
        if mail == _NOBODY:
            found[OTHER] = None
        elif mail and mail != own:
            found[printable(name)[:60] or "nobody"] = None
    return [*found]


def join(
    repository: Repository,
    parents: Sequence[str],
    put: Mapping[str, File | bytes],
    gone: Iterable[str],
    message: str,
) -> str:
    """Make a commit of several parents, whose tree is the first one's but for this.

    No branch names it yet. git's hooks for merges do not run; the user's signing
    applies.

    Args:
        parents: ids of commits.
        put: by path the new bytes, or a file that git has.
        gone: paths that the commit has no longer.
        message: of the commit.

    Returns:
        Its id.

    Raises:
        HistoryError, WriteFailed: git or the disk refused.
    """
    who = repository.committer() or _NO_IDENTITY
    stream = staging.stream_of(_SCRATCH_REF, parents, put, gone, message, who)
    done = staging.import_stream(repository, stream, force=True)
    if done.code:
        full = refused_by_disk(done.output, repository.git_dir)
        raise full or refused("the merge cannot be committed", done)
    made = repository.commit_of(_SCRATCH_REF)
    repository.git(("update-ref", "-d", _SCRATCH_REF))
    if made is None:
        raise HistoryError("git made no commit of the merge")
    signing = repository.git(("config", "--type=bool", "--get", "commit.gpgSign"))
    if signing.printed.strip() != b"true":
        return made
    signed_words = ["commit-tree", "-S", f"{made}^{{tree}}"]
    for parent in parents:
        signed_words += ["-p", parent]
    text = (message.strip() + "\n").encode()
    environment, watch = repository.environment, Watch(_SIGNING)
    signed = run(repository.root, environment, signed_words, text, watch=watch)
    if signed.code:
        raise refused("the merge cannot be signed", signed)
    return signed.printed.decode().strip()


def go(repository: Repository, move: Move, meant: Mapping[str, bytes | None]) -> None:
    """Let branch and index go where a move says; the plain files are there already.

    Raises:
        Conflict: a file does not hold what is meant; nothing was moved.
        HistoryError: the branch has moved meanwhile (code `head_moved`).
        LockBusy: another git holds the lock of the index.
    """
    for path, data in meant.items():
        if files.standing(inside(repository.root, path)) != data:
            raise changed_meanwhile(path)
    repository.unsettled = False
    patiently(repository.git_dir, lambda: _go(repository, move, fresh=bool(meant)))


def _go(repository: Repository, move: Move, *, fresh: bool) -> None:
    changed = differences(repository, move.before, move.after)
    gone = staging.GONE._replace(oid="0" * len(move.after))  # as long as its ids
    lines = staging.index_lines({each.path: each.after or gone for each in changed})
    with IndexLock(repository.git_dir, repository.environment) as index:
        env = index.copy()
        # A branch is switched under this lock, so not from here on.
        if repository.branch() != move.branch:
            raise _moved(move)
        done = run(repository.root, env, staging.NEW_LINES, lines)
        if done.code:
            full = refused_by_disk(done.output, repository.git_dir)
            raise full or refused("git cannot stage the remote's changes", done)
        if fresh:
            _refresh(repository, env, [each.path for each in changed])
        ref = f"refs/heads/{move.branch}"
        if repository.commit_of(ref) != move.after:
            words = ("update-ref", "-m", "memcli sync", ref, move.after, move.before)
            if repository.git(words).code:
                raise _moved(move)
        repository.unsettled = not index.install()


def _refresh(repository: Repository, env: dict[str, str], paths: Sequence[str]) -> None:
    """Save git the reading of these files; before the branch is there, since a rule of
    the remote's for names may hold up every git."""
    try:
        run(repository.root, env, ("update-index", "-q", "--refresh"))
    except HistoryError as error:
        rules = ", ".join(path for path in paths if path.endswith(".gitattributes"))
        hint = f"Take the rule of many stars out of {rules}, in another clone."
        raise HistoryError(
            f"{error.message}; nothing was changed",
            hint=hint if rules else error.hint,
            code=error.code,
        ) from error


def _moved(move: Move) -> HistoryError:
    return HistoryError(
        f"another git has moved {move.branch} meanwhile; nothing was changed",
        hint="Repeat the command.",
        code="head_moved",
    )


# --- telling git to let memcli merge the files of a vault ----------------------------

# Only the repository's own `config` and `info/attributes` are written, which no clone
# and no pull brings; memcli itself starts no git that would run what they name. What
# git calls is this installation by its absolute path. Where that is gone or fails, git
# merges by lines, as it does without memcli.
_NAME = "memcli"
_PATTERNS = ("**/*.md", ".memcli/config.toml")


def driver_settings(program: Sequence[str]) -> dict[str, str]:
    """The lines of the repository's config by which git calls memcli.

    Args:
        program: the words that start memcli; the first one is an absolute path.
    """
    # git's shell is a POSIX one on Windows too, and takes a backslash for an escape.
    words = [quote(word.replace("\\", "/")) for word in program]
    command = (
        f"test -x {words[0]} && {' '.join(words)} merge-driver %O %A %B %P || "
        "git merge-file -L ours -L base -L theirs %A %O %B"
    )
    return {
        f"merge.{_NAME}.name": "memcli: entries by their fields and lines",
        f"merge.{_NAME}.driver": command,
        # Merges of several bases, which git makes for itself, take the base's file.
        f"merge.{_NAME}.recursive": "binary",
    }


def install_driver(repository: Repository, program: Sequence[str]) -> bool:
    """Let git call memcli for the vault's files; returns whether anything changed.

    Args:
        repository: the vault's.
        program: as in `driver_settings`.

    Raises:
        WriteFailed: the repository's own files cannot be written.
    """
    changed = False
    for key, value in driver_settings(program).items():
        said = repository.answer("config", "--local", "--get", key)
        if said.decode("utf-8", "replace").rstrip("\n") != value:
            made = repository.git(("config", "--local", "--replace-all", key, value))
            if made.code:
                raise WriteFailed(f"git config {key}: {made.text}")
            changed = True
    shared = on_disk.shared_folder(repository.git_dir)
    path = os.path.join(shared, "info", "attributes")
    return _add_lines(path, _attributes(repository.prefix)) or changed


def mark_merged(repository: Repository, paths: Sequence[str]) -> None:
    """Tell git, in the middle of its merge, that these files are merged.

    Raises:
        HistoryError: git refused.
    """
    literal = [f":(literal){path}" for path in paths]
    done = repository.git(("add", "--", *literal))
    if done.code:
        raise HistoryError(f"git add failed: {done.text}")


def _attributes(prefix: str) -> list[str]:
    """The lines that name the driver, for a vault in this folder of the repository."""
    # `?` is any letter: a name that needs quotes would keep saves from the fast way.
    place = re.sub(r"[^\w/.-]", "?", prefix, flags=re.ASCII)
    return [f"/{place}{pattern} merge={_NAME}" for pattern in _PATTERNS]


def _add_lines(path: str, lines: Sequence[str]) -> bool:
    """Add to a file the lines that it lacks; returns whether there were any."""
    before = files.current(path) or b""
    missing = [
        each for each in map(str.encode, lines) if each not in before.split(b"\n")
    ]
    if missing:
        gap = b"" if not before or before.endswith(b"\n") else b"\n"
        files.write_atomic(path, before + gap + b"\n".join(missing) + b"\n")
    return bool(missing)
