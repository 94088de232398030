"""A vault's files besides entries: the registry, leftovers, other repositories, and a
link or a file in the place of a folder of memcli.

Invariant: reads only, and follows nothing. No hint holds a command with a name from the
tree, which another person may have chosen. `memcli sync` takes no commit that puts a
link in the place of a folder. A plain `git pull` does, and the memories are gone from
the folder; they are still in the history.
"""

from __future__ import annotations

import os
import re
import stat
import time
from contextlib import suppress

from memcli.entries import layout
from memcli.entries.file_checks import ERROR, WARNING, Finding
from memcli.entries.text.mentions import fold
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import state_dirs
from memcli.storage.vault_paths import walk
from memcli.vault.health.git_state import MEND
from memcli.vault.registry import load

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcli.search.index import Index
    from memcli.storage.git.repository import Repository
    from memcli.vault.vault import Vault

# The names that `files` gives to what will replace a file.
_HALF_WRITTEN = re.compile(r"\..{1,60}\.\d+-[0-9a-f]{8}\.tmp", re.DOTALL)
# Seconds; a younger file may belong to a write that is going on.
_ABANDONED = 60.0


def about_listing(vault: Vault, index: Index, tree: Tree) -> Iterator[Finding]:
    """Findings about what is no file of its own: links, folders that cannot be listed,
    and what stands in the place of a folder of memcli."""
    for path in index.unreadable:
        why = "the folder cannot be listed"
        yield Finding(path, 1, "unreadable", ERROR, why)
    links = {*index.symlinks}
    for path in sorted(links.union(tree.others)):
        if layout.is_own_folder(path, vault.kinds) and not layout.is_odd(path):
            link = os.path.islink(os.path.join(vault.root, *path.split("/")))
            what = (
                "a symbolic link, which memcli does not follow," if link else "a file"
            )
            yield _replaced(path, what)
        elif path in links:
            message = "a symbolic link; not followed, not searched"
            yield Finding(path, 1, "symlink", WARNING, message)


def _replaced(path: str, what: str) -> Finding:
    """The finding of a folder in whose place something else stands, or stood."""
    message = f"{what} in the place of a folder of memcli"
    hint = f"If a commit brought it, git revert takes it back: git log -1 -- {path}"
    return Finding(path, 1, "folder_replaced", ERROR, message, hint)


class Tree(NamedTuple):
    """The result of a walk through a vault, as vault-relative paths.

    `others` are files that are no entries, `leftovers` what killed writes left,
    `nested` the folders of other repositories, with a `.git` or bare, `odd` notes with
    a control character in their path.
    """

    others: list[str]
    leftovers: list[str]
    nested: list[str]
    odd: list[str]


def walked(root: str) -> Tree:
    """Walk through a vault; no link is followed."""
    tree = Tree([], [], [], [])
    for folder, folders, names in walk(root):
        inner = os.path.relpath(folder, root).replace(os.sep, "/")
        prefix = "" if inner == "." else inner + "/"
        bare = "HEAD" in names and "objects" in folders and "refs" in folders
        if bare or (prefix and (".git" in folders or ".git" in names)):
            tree.nested.append(inner)
        folders[:] = [name for name in folders if name != ".git"]
        plain = prefix.isprintable() and not (
            layout.FOREIGN.intersection(inner.split("/")) or _is_ours(prefix)
        )
        for name in names:
            # Nearly every file is a note with a plain name in a plain folder.
            if plain and name[-3:] == ".md" and name[0] != "." and name.isprintable():
                continue
            path = prefix + name
            if _is_half(folder, name):
                tree.leftovers.append(path)
            elif path.endswith(".md") and layout.is_odd(path):
                tree.odd.append(path)
            elif not layout.is_entry(path):
                tree.others.append(path)
    return tree


def left_beside(vault: Vault) -> Iterator[Finding]:
    """A finding for each half of a killed write in memcli's own folders."""
    folders = {state_dirs.user_folder(vault.environ)}
    for name in (layout.INDEX, layout.EVENTS, layout.JOURNAL):
        with suppress(MemcliError):  # other findings say that there is none
            folders.add(os.path.dirname(state_dirs.path(vault.root, name)))
    for top in folders:
        for folder, _, names in walk(top):
            for name in names:
                if _is_half(folder, name):
                    yield _leftover(os.path.join(folder, name))


def _is_half(folder: str, name: str) -> bool:
    """Whether a file is what a killed write of memcli's has left."""
    if not _HALF_WRITTEN.fullmatch(name):
        return False
    try:
        found = os.lstat(os.path.join(folder, name))
    except OSError:  # its write is done, so it was none
        return False
    return stat.S_ISREG(found.st_mode) and found.st_mtime < time.time() - _ABANDONED


def _leftover(path: str) -> Finding:
    message = "left over from a killed write"
    return Finding(path, 1, "leftover", WARNING, message, MEND)


def _is_ours(prefix: str) -> bool:
    """Whether files of a folder are pages that memcli writes, as the README is."""
    folder = prefix.removeprefix(f"{layout.ARCHIVE}/")
    return not folder or folder.startswith(f"{layout.ENTITIES}/")


def findings(root: str, tree: Tree, repository: Repository | None) -> Iterator[Finding]:
    """Findings about what should not lie in the tree, or not be committed with it.

    Args:
        root: the vault.
        tree: as `walked` found it.
        repository: where it is committed, if it is.
    """
    from memcli.storage.git.tree import tracked_other_than_notes

    tracked = []
    if repository:
        with suppress(MemcliError):  # other findings say what is wrong with it
            tracked = tracked_other_than_notes(repository)
    # memcli commits no such file, so one that is committed is a person's.
    for path in {*tree.leftovers}.difference(path for _, path in tracked):
        yield _leftover(path)
    for path in tree.odd:
        message = "its path holds a control character; not read, not searched"
        shown = path.encode("unicode_escape").decode()
        yield Finding(shown, 1, "odd_path", ERROR, message, "Rename it.")
    for _, path in tracked:
        if layout.is_own_folder(path) and not os.path.lexists(os.path.join(root, path)):
            yield _replaced(path, "HEAD has a link or a file")
    linked = {path for mode, path in tracked if mode == "160000"}
    for path in sorted(linked.union(tree.nested)):
        message = "another repository; memcli cannot commit what lies in it"
        hint = "Move it out of the vault, and out of git's index."
        yield Finding(path, 1, "nested_repository", WARNING, message, hint)


def about_registry(root: str) -> Iterator[Finding]:
    """Findings in the registry of the vault at `root`."""
    registry = load(root)
    for path, line, reason in registry.broken:
        hint = "Correct the file; until then it is no entity."
        yield Finding(path, line, "broken_entity", ERROR, reason, hint)
    first: dict[str, str] = {}
    for entity in registry.entities:
        other = first.setdefault(fold(entity.name), entity.path)
        if other != entity.path:
            message = f"'{entity.name}' is registered in {other} as well"
            hint = f"Move what it says into {other}, which every agent must see, and "
            hint += f"delete {entity.path}."
            yield Finding(entity.path, 1, "duplicate_entity", WARNING, message, hint)
