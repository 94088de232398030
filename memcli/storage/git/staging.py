"""Putting files into git's index, or into a copy of it, before they are committed.

Invariant: what is staged are the bytes that are to be committed, and nothing of it is
seen before `IndexLock.install`. The index is changed without git where that is sure to
give what `git add` would, and by git everywhere else.
"""

from __future__ import annotations

import os
import stat

from memcli.entries import identity
from memcli.errors import Conflict, MemcliError, Unreadable
from memcli.storage import files
from memcli.storage.git import ignore_rules, index_bytes
from memcli.storage.git.index_lock import LARGEST
from memcli.storage.git.process import GitResult, refused_by_disk, run

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from memcli.storage.git.index_lock import IndexLock
    from memcli.storage.git.work_tree import WorkTree

_SET = ("update-index", "-z", "--index-info")
PATHS = ("--pathspec-from-file=-", "--pathspec-file-nul")
# A person who commits in the same instant writes the index, but not five times.
_TRIES = 5
# More files, and larger ones, that are as young as the index are left to git.
_MOST_YOUNG = 64
_LARGEST_YOUNG = 1_000_000  # bytes


def stage(tree: WorkTree, index: IndexLock, placed: Mapping[str, bytes | None]) -> bool:
    """Put files into the index without git; False where that takes git.

    Raises:
        WriteFailed: the disk refused.
    """
    changes: dict[bytes, index_bytes.Staged | None] = {}
    for path, data in placed.items():
        name = path.encode("utf-8", "surrogateescape")
        if data is None:
            changes[name] = None
            continue
        staged = _read_whole(os.path.join(tree.top, path), data)
        if staged is None:
            return False
        changes[name] = staged
    try:
        before = index.read()
    except Unreadable:
        return False
    made = index_bytes.with_changes(before, changes)
    # Where an entry is as before, `git commit` can tell whether anything differs.
    if made is None or made.same:
        return False
    for name in made.new:
        path = name.decode("utf-8", "surrogateescape")
        if out_of_tree(tree.top, path) or ignore_rules.may_ignore(tree, path):
            return False
    if index.time > index.time_of_index() and not _are_known(
        tree.top, before, index.time_of_index(), changes
    ):
        return False
    index.write(made.parts)
    return True


def out_of_tree(top: str, path: str) -> str:
    """The folder above a file that is a link, or may be a repository of its own: git
    puts no file in there. Empty where there is none."""
    names = path.split("/")[:-1]
    for end in range(1, len(names) + 1):
        folder = "/".join(names[:end])
        place = os.path.join(top, folder)
        if os.path.islink(place) or os.path.lexists(os.path.join(place, ".git")):
            return folder
    return ""


def _are_known(
    top: str,
    index: bytes,
    time: int,
    changes: Mapping[bytes, index_bytes.Staged | None],
) -> bool:
    """Whether an index tells the truth of the files that are as young as it is.

    With a newer time git would no longer look into them. It checks them itself before
    it writes an index; this does so for a few, and leaves the rest to git.

    Args:
        top: the work tree.
        index: the bytes of the index.
        time: when it was written, in ns.
        changes: entries that become others anyway.
    """
    young = index_bytes.young(index, time // 1_000_000_000, _MOST_YOUNG)
    if young is None:
        return False
    for entry in young:
        place = os.path.join(top, entry.name.decode("utf-8", "surrogateescape"))
        if entry.name in changes:
            continue
        try:
            status = os.lstat(place)
        except OSError:
            continue  # git notices that by itself, as any other size or time
        seen = (status.st_size & 0xFFFFFFFF, status.st_mtime_ns // 1_000_000_000)
        if seen != (entry.size, time // 1_000_000_000):
            continue
        if status.st_size > _LARGEST_YOUNG or not stat.S_ISREG(status.st_mode):
            return False
        try:
            data = files.current(place)
        except MemcliError:
            return False
        if data is None or _blob(data) != entry.blob:
            return False
    return True


def _read_whole(place: str, data: bytes) -> index_bytes.Staged | None:
    """What git keeps of a file that holds these bytes; None when it does not."""
    try:
        before = os.lstat(place)
        held = files.current(place)
        after = os.lstat(place)
    except (OSError, MemcliError):
        return None
    as_read = (after.st_mtime_ns, after.st_ctime_ns, after.st_size, after.st_ino)
    first = (before.st_mtime_ns, before.st_ctime_ns, before.st_size, before.st_ino)
    if held != data or first != as_read:
        return None
    return index_bytes.Staged(_blob(data), after)


def stage_by_git(
    tree: WorkTree,
    index: IndexLock,
    contents: Mapping[str, bytes | None],
    prefix: str,
) -> bool:
    """Let git put files into a copy of the index; False where nothing differs, or only
    `git commit` can tell.

    Raises:
        Conflict: a file holds something else by now.
        WriteFailed: the disk refused.
    """
    index.make_copy()
    gone = ("--all",) if None in contents.values() else ()
    add = ("-c", "core.preloadIndex=false", "add", *gone, "--verbose", *PATHS)
    done = run(tree.root, index.env, add, _pathspecs(contents))
    refuse_full(done, tree.git_dir)
    if done.code or not done.printed:
        return False
    placed = {prefix + path: data for path, data in contents.items()}
    if lines := _outdated(index.read_copy(), placed):
        for path, data in contents.items():
            if files.current(os.path.join(tree.root, path)) != data:
                raise changed_meanwhile(path)
        # git was told to overlook a change: `update-index --assume-unchanged`.
        data = b"".join(line + b"\0" for line in lines.values())
        run(tree.top, index.env, _SET, data)
        if _outdated(index.read_copy(), placed):
            raise changed_meanwhile(next(iter(lines)).removeprefix(prefix))
    index.note_copy()
    return True


def changed_meanwhile(path: str) -> Conflict:
    """The error for a file that holds something else than what is to be committed."""
    return Conflict(
        f"{path} was changed between its write and its commit; nothing was changed",
        hint="Repeat the command: it starts from the changed file.",
    )


def refuse_missing(present: Collection[str], meant: Mapping[str, bytes | None]) -> None:
    """Raise Conflict where a file that is meant to be there is not among those that are
    present."""
    for path, data in meant.items():
        if data is not None and path not in present:
            raise changed_meanwhile(path)


def refuse_full(done: GitResult, git_dir: str) -> None:
    """Raise WriteFailed where `git commit` would fail, too, and leave more behind."""
    error = refused_by_disk(done.output, git_dir) if done.code else None
    if error:
        raise error


def correct_index(
    tree: WorkTree, contents: Mapping[str, bytes | None], old: bytes
) -> bool:
    """Let the index hold what was committed, also when another git overwrote it.

    `git commit PATH` reads the index before it locks it. When a person started one
    before this commit, it writes an index without these files, and their next commit
    would undo this one. Such a commit ends within milliseconds; the look costs one.

    What a person has staged after the commit is neither in the commit nor in the index
    before it, and stays.

    Args:
        tree: where it was committed.
        contents: by path from its top what was committed.
        old: the bytes of the index before the commit.

    Returns whether the index holds it now, or something that was staged later.
    """
    for _ in range(_TRIES):
        try:
            index = files.read(os.path.join(tree.git_dir, "index"), limit=LARGEST)
        except Unreadable:
            return False
        lines = {
            path: line
            for path, line in _outdated(index, contents).items()
            if _blob_in(index, path) == _blob_in(old, path)
        }
        if not lines:
            return True
        data = b"".join(line + b"\0" for line in lines.values())
        run(tree.top, tree.env, _SET, data)
    return False


def _outdated(index: bytes, contents: Mapping[str, bytes | None]) -> dict[str, bytes]:
    """The paths at which an index holds something else, with what would mend it.

    The values are lines for `git update-index --index-info`.
    """
    lines = {}
    for path, data in contents.items():
        name = path.encode("utf-8", "surrogateescape")
        held = _blob_in(index, path)
        if data is None:
            if held is not None:
                lines[path] = b"0 " + b"0" * 40 + b"\t" + name
            continue
        blob = _blob(data)
        if held != blob:
            lines[path] = b"100644 %s\t%s" % (blob.hex().encode(), name)
    return lines


def _blob_in(index: bytes, path: str) -> bytes | None:
    """The id of the bytes that an index holds at a path, None where it has no entry.

    Of an entry that is marked by `git update-index --assume-unchanged`, which git does
    not update, it is empty.
    """
    name = path.encode("utf-8", "surrogateescape")
    # An entry ends in the blob's id, 4 bits of flags, 12 of length, the name.
    size = min(len(name), 0xFFF)
    at = index.find(size.to_bytes(2, "big") + name + b"\0")
    if at >= 0:
        return index[max(0, at - 20) : at]
    # The highest bit is that mark.
    marked = (size | 0x8000).to_bytes(2, "big")
    return b"" if index.find(marked + name + b"\0") >= 0 else None


def _blob(data: bytes) -> bytes:
    """git's id of a file's bytes."""
    return identity.sha1(b"blob %d\0" % len(data) + data)


def _pathspecs(paths: Iterable[str]) -> bytes:
    names = "".join(f":(literal){path}\0" for path in paths)
    return names.encode("utf-8", "surrogateescape")
