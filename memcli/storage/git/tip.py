"""Where a vault's repository is, and its HEAD, read from its files without git.

Invariant: reads only. Only a `.git` above or at the vault's own folder counts. A bare
repository among the notes (`HEAD`, `objects`, `config`), which git itself would take
for one, does not, or the author of the notes would choose what git runs. What these
files do not tell for sure is not told: the caller asks git then.
"""

from __future__ import annotations

import os
import sys

from memcli.errors import Unreadable
from memcli.storage import files

_LARGEST_PACKED = 4_000_000


def commit(git_dir: str) -> str:
    """The id of the commit that is checked out; empty where there is none, or where
    only git can tell."""
    name = branch(git_dir)
    if not name:
        return _commit_id(_line(os.path.join(git_dir, "HEAD")))
    shared = shared_folder(git_dir)
    for home in (git_dir, shared):
        if os.path.lexists(os.path.join(home, *name.split("/"))):
            return loose(home, name)
    return _packed(shared, name)


def branch(git_dir: str) -> str:
    """The name of the branch that is checked out, as in `refs/heads/main`; empty where
    HEAD is a commit, or not understood."""
    head = _line(os.path.join(git_dir, "HEAD"))
    name = head.removeprefix("ref: ")
    whole = name != head and name.startswith("refs/") and ".." not in name.split("/")
    return name if whole else ""


def is_detached(git_dir: str) -> bool:
    """Whether HEAD is a commit and no branch."""
    head = _line(os.path.join(git_dir, "HEAD"))
    return head != "" and not head.startswith("ref: ")


def loose(git_dir: str, name: str) -> str:
    """The commit in the file of a ref; empty where it has no file, or another ref."""
    return _commit_id(_line(os.path.join(git_dir, *name.split("/"))))


def _commit_id(text: str) -> str:
    """The text, where it is a whole id; else empty."""
    is_one = len(text) in (40, 64) and not text.strip("0123456789abcdef")
    return text if is_one else ""


def shared_folder(git_dir: str) -> str:
    """The folder that the work trees of a repository share; of most their own."""
    try:
        pointer = files.read(os.path.join(git_dir, "commondir"), limit=4_096)
    except Unreadable:
        return git_dir
    target = pointer.decode(sys.getfilesystemencoding(), "surrogateescape").strip()
    return os.path.normpath(os.path.join(git_dir, target)) if target else git_dir


def _line(path: str) -> str:
    try:
        data = files.read(path, limit=4_096)
    except Unreadable:
        return ""
    return data.decode("utf-8", "replace").strip()


def _packed(shared: str, name: str) -> str:
    """The commit of a branch without a file of its own."""
    try:
        data = files.read(os.path.join(shared, "packed-refs"), limit=_LARGEST_PACKED)
    except Unreadable:
        return ""
    ending = f" {name}".encode()
    for line in data.split(b"\n"):
        if line.endswith(ending):
            return _commit_id(line[: -len(ending)].decode("ascii", "replace"))
    return ""


def find(root: str) -> tuple[str, str] | None:
    """(top of the work tree, git's own folder) of the repository around a folder.

    Both are absolute; None when there is none.
    """
    folder = os.path.realpath(root)
    while True:
        marker = os.path.join(folder, ".git")
        git_dir = marker if os.path.isdir(marker) else _linked(marker)
        if git_dir and os.path.lexists(os.path.join(git_dir, "HEAD")):
            return folder, git_dir
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def git_dir_of(root: str) -> str | None:
    """git's own folder for the vault at `root`, None when it is not under git."""
    found = find(root)
    return found[1] if found else None


def _linked(marker: str) -> str:
    """The git folder that a `.git` file (work tree, submodule) points to, or ''."""
    try:
        text = os.fsdecode(files.read(marker, limit=4096))
    except Unreadable:
        return ""
    if not text.startswith("gitdir:"):
        return ""
    target = text.removeprefix("gitdir:").strip()
    return os.path.normpath(os.path.join(os.path.dirname(marker), target))
