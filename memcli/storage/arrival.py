"""A vault goes to another commit: branch, index and folder, as one step.

Invariant: the caller holds the vault's lock from before it decides until all is there.
Nothing that a person has not committed is overwritten: where such a file is in the way,
nothing changes, and the error names it. A kill leaves a journal, from which the next
command, reading or writing, finishes the step.
"""

from __future__ import annotations

import os
import re
import stat
from shlex import quote

from memcli.entries import layout
from memcli.errors import Conflict, NotAllowed, UnsafePath
from memcli.storage import files, settings
from memcli.storage.git import staging, tree
from memcli.storage.git.tree import PROGRAM, REGULAR, Difference
from memcli.storage.journal import FileChange, carry_out
from memcli.storage.transaction import staged
from memcli.storage.vault_paths import all_inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcli.storage.git.merging import Move
    from memcli.storage.git.repository import Repository
    from memcli.storage.lock import Audience

# Folders of a path, and bytes of a name, that every disk and tool can take.
_DEEP, _LONG = 64, 255
_TAKEN = "sync: take the remote's changes"
# The kinds of files that lead elsewhere, by git's mode.
_NAMED = {"120000": "a symbolic link", "160000": "a submodule"}
_PLAIN = (REGULAR, PROGRAM)
_ODD = r"[\x00-\x1f\\]"


def go(root: str, repository: Repository, move: Move, audience: Audience) -> None:
    """Go from a commit to another, for a caller that holds the vault's lock.

    Args:
        root: the vault's folder, the top of its repository.
        repository: the vault's.
        move: from where to where.
        audience: who gets messages about it.

    Raises:
        Conflict: an uncommitted file is in the way; nothing was changed.
        UnsafePath: the commit names a path that leads out of the vault, changes a
            link or a submodule, or has a file in the place of a folder of memcli.
        HistoryError: the branch is not where the move begins (code `head_moved`).
        WriteFailed, LockBusy, TooLarge: as for any change; nothing was changed.
    """
    files.reached("locked")
    changed = tree.differences(repository, move.before, move.after)
    refuse(root, repository, changed)
    staging.refuse_other_trees(
        repository, [each.path for each in changed if each.after]
    )
    new = [each.after.oid for each in changed if each.after]
    contents = dict(zip(new, tree.read_blobs(repository, new), strict=True))
    # Read before git is asked, so that an edit in between is seen by one of both.
    changes = _changes(root, changed, contents)
    _refuse_in_the_way(root, repository, changed)
    carry_out(root, repository, changes, _TAKEN, audience, move)
    for each in changed:
        before = each.before.mode if each.before else REGULAR
        if each.after and each.after.mode != before:
            _set_mode(root, each.path, each.after.mode)


def _changes(
    root: str, changed: Sequence[Difference], contents: Mapping[str, bytes]
) -> dict[str, FileChange]:
    """The change of each file; removed files make room for new ones."""
    ordered = sorted(changed, key=lambda each: each.after is not None)
    places = all_inside(root, [each.path for each in ordered])
    return {
        each.path: FileChange(
            files.standing(places[each.path]),
            contents[each.after.oid] if each.after else None,
        )
        for each in ordered
    }


def _refuse_in_the_way(
    root: str, repository: Repository, changed: Sequence[Difference]
) -> None:
    """Refuse where a text that neither commit holds would be overwritten."""
    paths = [each.path for each in changed]
    here = dict(tree.blob_ids(repository, paths))
    index = staging.differing(repository, repository.environment, paths, "HEAD")
    for path, *sides in changed:
        place = os.path.join(root, *path.split("/"))
        known = [side.oid for side in sides if side]
        there = os.path.lexists(place)
        is_staged = path in index and index[path].oid not in (*known, here.get(path))
        if is_staged and (there or index[path].mode != staging.GONE.mode):
            raise staged(root, path)
        if os.path.isdir(place) and not os.path.islink(place):
            # The commits say what becomes of files that they hold.
            is_known = sides[0] is None and not _has_own(repository, path)
        else:
            is_known = not there or here.get(path) in known
        if not is_known or os.path.islink(place):
            raise _in_the_way(root, path, tree.not_looked_at(repository).get(path, ""))


def _has_own(repository: Repository, folder: str) -> bool:
    """Whether a folder has a file that git does not know."""
    words = ("ls-files", "--others", "--directory", "--no-empty-directory", "--")
    return bool(repository.answer(*words, folder))


def _in_the_way(root: str, path: str, flag: str = "") -> Conflict:
    """The refusal; `flag` lets git look at a file that it was told not to look at."""
    git = f"git -C {quote(root)}"
    return Conflict(
        f"{path} is not committed here, and the remote's version would overwrite it; "
        "nothing was changed",
        hint=f"Let git see it: {git} update-index {flag} {quote(path)}"
        if flag
        else f"Commit it, or move it away: {git} status",
        code="in_the_way",
    )


def refuse(root: str, repository: Repository, changed: Sequence[Difference]) -> None:
    """Refuse a commit that no vault takes; the folder is not looked at.

    Args:
        root: the vault's folder.
        repository: has what is new of the changes; a file without a name is not known
            to git yet.
        changed: what differs.

    Raises:
        UnsafePath, TooLarge: as `Arrival.go`, which sees the links in the folder, too.
        NotAllowed: git would pass memories through a program that the remote names, or
            passes what is new through one of the user's.
    """
    tree.refuse_count(len(changed))
    for each in changed:
        modes = {side.mode for side in each[1:] if side}.difference(_PLAIN)
        if modes:
            what = _NAMED.get(min(modes), "no file")
            raise UnsafePath(
                f"the remote changes {what} at {each.path}, "
                "and memcli writes plain files alone; nothing was changed",
                hint="If you want it, merge with git (git pull), then repeat the "
                f"command. See who changed it: git -C {quote(root)} log --all -- "
                f"{quote(each.path)}",
                code="not_plain",
            )
    new = {
        each.path: each.after.oid for each in changed if each.after and each.after.oid
    }
    sizes = repository.sizes([*new.values()]) if new else {}
    tree.refuse_sizes([sizes[oid] for oid in new.values()], [*new])
    for each in changed:
        if each.after and (why := _no_place(each.path)):
            glob = re.sub(_ODD, "?", each.path)
            raise UnsafePath(
                f"the remote has a file {why}: {each.path[:99]!r}; nothing was changed",
                hint="Take it out in another clone of the remote, then repeat the "
                f"command: git rm -- {quote(glob[:200])}; git commit -m 'a name'; git "
                "push",
                code="no_place",
            )
        if each.path == repository.prefix + layout.CONFIG and each.after:
            (data,) = tree.read_blobs(repository, [each.after.oid])
            name = f"the remote's {each.path}"
            settings.parsed(settings.decoded(data, name), name)
        if each.path.casefold().endswith(".gitattributes") and each.after:
            _refuse_filters(repository, each)
    staging.refuse_filtered(repository, [each.path for each in changed if each.after])


def _no_place(path: str) -> str:
    """Why a vault has no place for a file of this path; empty where it has one."""
    names = path.encode("utf-8", "surrogateescape").split(b"/")
    if re.search(_ODD, path):
        return "with a control character or a backslash in its name"
    if len(names) > _DEEP or max(map(len, names)) > _LONG:
        return "too many folders deep, or with too long a name"
    # One file system tells letters' case apart, another not.
    path = path.casefold()
    is_top = "/" not in path
    own = layout.is_own_folder(path) if is_top else path.startswith(layout.CONFIG + "/")
    return "where memcli keeps its own files" if own else ""


def _set_mode(root: str, path: str, mode: str) -> None:
    """Set or clear the bit that makes a file a program, as the commit has it."""
    place = os.path.join(root, *path.split("/"))
    now = os.lstat(place).st_mode
    if stat.S_ISREG(now):
        readers = (now & 0o444) >> 2
        os.chmod(place, now | readers if mode == PROGRAM else now & ~0o111)


def _refuse_filters(repository: Repository, each: Difference) -> None:
    """A filter such as LFS, another encoding and `$Id$` change the bytes of a memory on
    its way: the user turns them on, or the remote would decide what git stores."""
    oids = [side.oid for side in (each.after, each.before) if side and side.oid]
    texts = [
        re.findall(rb"\s(filter=\S+|working-tree-encoding=\S+|ident\b)", text)
        for text in tree.read_blobs(repository, oids)
    ]
    new = set(texts[0] if texts else ()).difference(*texts[1:])
    if new:
        name = min(new).decode(errors="replace")
        raise NotAllowed(
            f"the remote's {each.path} has files changed on their way ({name}); "
            "nothing was changed",
            hint="If you want that, merge it with git, then repeat the command.",
            code="new_filter",
        )
