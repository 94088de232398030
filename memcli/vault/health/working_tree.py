"""The working tree: what of a vault's files git has not committed, and why; and files
besides entries: the registry, leftovers, other repositories, and a link or a file in
the place of a folder of memcli.

Invariant: reads only, and follows nothing. What a person staged is theirs, and is only
named; what a `git pull` staged that lost the race for HEAD is not taken for a person's.
No hint holds a command with a name from the tree, which another person may have chosen.
`memcli sync` takes no commit that puts a link in the place of a folder. A plain `git
pull` does, and the memories are gone from the folder; they are still in the history.
"""

from __future__ import annotations

import os
import re
import stat
import time
from contextlib import suppress

from memcli.entries import codec, layout, no_secrets
from memcli.entries.file_checks import ERROR, WARNING, Finding
from memcli.entries.ids import is_adopted
from memcli.entries.text.mentions import fold
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.vault_paths import inside, walk
from memcli.vault import lookup
from memcli.vault.health.git_state import MEND, shown
from memcli.vault.registry import load

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from memcli.search.index import Index
    from memcli.storage.git.repository import Repository
    from memcli.vault.vault import Vault

# More files than these are not taken for deleted by hand: a folder may be away.
_MOST = 200
# git's codes of files that are not staged: new, announced (`git add -N`), edited.
_UNCOMMITTED = {"??": "new", " A": "new", " M": "edited"}
_LET_GO = "to let it go: git commit, or memcli doctor --fix --accept-deletions"
_LOST = (
    "index",
    "git's index lacks what HEAD holds; the next commit would undo it",
    MEND,
)
# By the state of a file the finding's code, its message and its hint.
_SAID = {
    "staged_away": (
        "missing",
        "HEAD holds it, the folder does not; that is staged",
        "git commit makes it so, git restore --staged --worktree undoes it.",
    ),
    "missing": (
        "missing",
        "HEAD holds it, the folder does not",
        f"{MEND} brings it back; {_LET_GO}",
    ),
    "moved_off": (
        "missing",
        "moved to {place}, which is not committed",
        "Commit both, with git.",
    ),
    "older": (
        "older",
        "the folder has an earlier version of it than HEAD",
        f"{MEND} brings HEAD's back; {_LET_GO}",
    ),
    "ignored": (
        "ignored",
        "git ignores it: no commit has it, and no clone",
        "Change the rule, which git check-ignore -v names, or move the file away.",
    ),
    "lost": _LOST,
    "unlisted": _LOST,
}


class Differing(NamedTuple):
    """A file that is not as HEAD has it.

    Attributes:
        path: of the vault.
        state: one of these. lost: on disk as in HEAD, and in the index as before: a
            `git commit` that ran beside ours has overwritten the index (decision 4);
            unlisted: on disk as in HEAD, and not in the index, which may be a person's
            doing. missing: in HEAD and not in the folder; forgotten: so by the person
            who deleted it; moved: its entry is at `place` now. older: as an earlier
            commit had it, where HEAD has a later version, or none since that one was
            archived. new, edited: not committed. staged, staged_away: put into the
            index by a person, or taken out with its file. ignored: by a rule of git.
        place: where its entry is now.
    """

    path: str
    state: str
    place: str = ""

    @property
    def finding(self) -> Finding | None:
        """The finding about it; None where nothing is wrong."""
        said = _SAID.get(self.state)
        if said is None:
            return None
        code, message, hint = said
        message = message.format(place=self.place)
        return Finding(self.path, 1, code, WARNING, message, hint)


def working_tree(
    vault: Vault, repository: Repository, status: Sequence[tuple[str, str]]
) -> list[Differing]:
    """The files of a vault that are not as HEAD has them, in the order of paths.

    Args:
        vault: whose files.
        repository: the vault's.
        status: its `status`.

    Raises:
        HistoryError: git refused.
    """
    from memcli.storage.git import history, tree

    # What was taken out of the index alone has a second row, as a new file.
    every = {path: code for code, path in reversed(status) if _is_ours(path)}
    lost = _lost(vault.root, repository, every)
    codes = {path: every[path] for path in sorted(every) if path not in lost}
    gone = {path for path, code in codes.items() if code[1] == "D" or code == "D "}
    staged = {path for path, code in codes.items() if code[0] not in " ?"}
    raced = set()
    if staged and tree.index_is_another_commit(repository):
        raced = {path for path in staged if codes[path][0] in "MD"}
    new = {path for path, code in codes.items() if _UNCOMMITTED.get(code) == "new"}
    edited = {path for path, code in codes.items() if code == " M"}
    older = _older(repository, [*edited, *raced])
    found = {path: Differing(path, state) for path, state in lost.items()}
    # A note without an id is known by its bytes.
    held = _by_content(vault.root, {*new, *edited} if gone else ())
    for path, code in codes.items():
        if path in older:
            found[path] = Differing(path, "older")
        elif path in gone and path in staged and path not in raced:
            found[path] = Differing(path, "staged_away")
        elif path in gone:
            place = _place_of(vault, repository, path, held)
            # Where it was before it was archived is no place for it.
            state = "missing" if not place or place in older else "moved"
            if state == "moved" and place not in {*new, *edited}:
                # git does not see its new place, or it is only staged there.
                is_there = place not in staged and shown(repository, "HEAD", place)
                state = "moved" if is_there else "moved_off"
            found[path] = Differing(path, state, place)
        elif path in staged or code in _UNCOMMITTED:
            found[path] = Differing(path, _UNCOMMITTED.get(code, "staged"))
    missing = [path for path, row in found.items() if row.state == "missing"]
    if missing and not (older or raced or lost or len(missing) > _MOST):
        for path in history.undisturbed(repository, missing):
            found[path] = Differing(path, "forgotten")
    for path in filter(layout.is_entry, repository.ignored()):
        found[path] = Differing(path, "ignored")
    return [found[path] for path in sorted(found)]


def _lost(
    root: str, repository: Repository, codes: Mapping[str, str]
) -> dict[str, str]:
    """The state of each file that git's index has lost."""
    from memcli.storage.git import history

    found = {}
    for path, code in codes.items():
        data = shown(repository, "HEAD", path) if code in ("MM", "D ") else None
        if data is not None and data == _on_disk(root, path):
            found[path] = "lost" if code == "MM" else "unlisted"
    other = [path for path, state in found.items() if state == "lost"]
    mine = set(history.staged_alone(repository, other)) if other else ()
    return {path: state for path, state in found.items() if path not in mine}


def _older(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Those of the paths at which the folder has what an earlier commit had."""
    from memcli.storage.git import history, tree

    ours = [path for path in paths if layout.is_entry(path)]
    if not ours:
        return []
    known = {
        (blob.path, blob.id)
        for blob in history.blobs(repository, ours, None, of="HEAD")
    }
    return [
        path for path, blob in tree.blob_ids(repository, ours) if (path, blob) in known
    ]


def _place_of(
    vault: Vault,
    repository: Repository,
    path: str,
    held: Mapping[bytes | None, Sequence[str]],
) -> str:
    """Where an entry is whose file is gone; empty when it is nowhere, or in doubt.

    Its id tells, or the bytes of files that are uncommitted.
    """
    data = shown(repository, "HEAD", path)
    try:
        entry_id = codec.decode(data or b"", path, kinds=vault.kinds).entry.id
    except MemcliError:
        return ""
    if is_adopted(entry_id):
        places = [*held.get(data, ())]
    else:
        rows = vault.read(lambda reader: lookup.of_id(reader, entry_id))
        places = [row.path for row in rows if row.path != path]
    return places[0] if len(places) == 1 else ""


def _by_content(root: str, paths: Collection[str]) -> dict[bytes | None, list[str]]:
    """Those of some paths that hold the same bytes, by these."""
    held: dict[bytes | None, list[str]] = {}
    for path in sorted(paths):
        held.setdefault(_on_disk(root, path), []).append(path)
    return held


def _on_disk(root: str, path: str) -> bytes | None:
    """The bytes of a file; None where it is gone or cannot be read."""
    try:
        return files.current(inside(root, path))
    except MemcliError:
        return None


def _is_ours(path: str) -> bool:
    if path in (layout.CONFIG, layout.README) or layout.is_entry(path):
        return True
    return layout.registered_type(path) is not None and not layout.is_odd(path)


_MARKERS = (b"<<<<<<< ", b">>>>>>> ")


def why_left(vault: Vault, repository: Repository, path: str) -> str:
    """Why a file is not committed; '' where nothing speaks against it."""
    try:
        data = files.read(inside(vault.root, path), follow=False)
    except MemcliError as error:
        return error.message
    lines = data.splitlines()
    if all(any(line.startswith(mark) for line in lines) for mark in _MARKERS):
        return "it holds the markers of a conflict: memcli doctor --fix"
    if layout.is_entry(path) or layout.registered_type(path):
        try:
            codec.decode(data, path, kinds=vault.kinds)
        except MemcliError as error:
            return f"it cannot be read: {error.message.removeprefix(path + ':')}"
    before = shown(repository, "HEAD", path)
    try:
        no_secrets.refuse_new({path: (before, data)}, (), "")
    except MemcliError:
        return "it seems to hold a secret, which a sync would give away"
    return ""


# --- files besides entries ------------------------------------------------------------

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
        # Some files of these are pages that memcli writes, as the README is.
        own = prefix.removeprefix(f"{layout.ARCHIVE}/")
        pages = not own or own.startswith(f"{layout.ENTITIES}/")
        foreign = layout.FOREIGN.intersection(inner.split("/"))
        plain = prefix.isprintable() and not (foreign or pages)
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


def _is_half(folder: str, name: str) -> bool:
    """Whether a file is what a killed write of memcli's has left."""
    if not _HALF_WRITTEN.fullmatch(name):
        return False
    try:
        found = os.lstat(os.path.join(folder, name))
    except OSError:  # its write is done, so it was none
        return False
    return stat.S_ISREG(found.st_mode) and found.st_mtime < time.time() - _ABANDONED


def misplaced(
    root: str, tree: Tree, repository: Repository | None
) -> Iterator[Finding]:
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
        message = "left over from a killed write"
        yield Finding(path, 1, "leftover", WARNING, message, MEND)
    for path in tree.odd:
        message = "its path holds a control character; not read, not searched"
        name = path.encode("unicode_escape").decode()
        yield Finding(name, 1, "odd_path", ERROR, message, "Rename it.")
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
