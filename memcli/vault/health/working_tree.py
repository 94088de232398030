"""The working tree: what of a vault's files git has not committed, and why.

Invariant: reads only. What a person staged is theirs, and is only named.
"""

import os
from typing import TYPE_CHECKING, NamedTuple

from memcli.entries import layout
from memcli.entries.ids import is_adopted
from memcli.errors import MemcliError
from memcli.storage import files, journal
from memcli.vault import lookup
from memcli.vault.health.finding import WARNING, Finding

if TYPE_CHECKING:
    from memcli.storage.git.repository import Repository
    from memcli.vault.vault import Vault

# git's codes of files that are not staged: new, announced (`git add -N`), edited.
_UNCOMMITTED = {"??": "new", " A": "new", " M": "edited"}


class WorkingTree(NamedTuple):
    """What is not as HEAD has it, by path and in the order of paths.

    `lost` is on disk as in HEAD, and otherwise in the index: a `git commit` that ran
    beside ours has overwritten the index (decision 4). `uncommitted` says of each path
    whether it is new or edited, `moved` where the entry of a path is now; `deleted` is
    for a person to decide on; `staged` was put into the index by a person.
    """

    lost: list[str]
    uncommitted: dict[str, str]
    moved: dict[str, str]
    deleted: list[Finding]
    staged: set[str]


def working_tree(
    vault: "Vault", repository: "Repository", broken: set[str]
) -> WorkingTree:
    """What git has not committed of a vault.

    Args:
        vault: whose files.
        repository: where they are committed.
        broken: paths that memcli cannot read, and that therefore are not offered.

    Raises:
        HistoryError: git refused.
    """
    rows = sorted(
        ((path, code) for code, path in repository.status() if _is_ours(path)),
    )
    lost = [
        path
        for path, code in rows
        if code in ("MM", "D ") and _is_head(vault.root, repository, path)
    ]
    staged = {path for path, code in rows if code[0] not in " ?"} - set(lost)
    uncommitted = {
        path: _UNCOMMITTED[code]
        for path, code in rows
        if code in _UNCOMMITTED and path not in broken and path not in lost
    }
    moved: dict[str, str] = {}
    deleted = []
    for path in [path for path, code in rows if code == " D"]:
        place = _place_of(vault, repository, path, uncommitted)
        if place is None:
            message = "deleted, and not committed"
            hint = "git restore brings it back, git rm makes it so."
            deleted.append(Finding(path, 1, "deleted", WARNING, message, hint))
        elif place in uncommitted or (
            place not in staged and _is_committed(repository, place)
        ):
            moved[path] = place
        else:
            message = f"moved to {place}, which is not committed"
            hint = "Commit both, with git."
            deleted.append(Finding(path, 1, "deleted", WARNING, message, hint))
    return WorkingTree(lost, uncommitted, moved, deleted, staged)


def _place_of(
    vault: "Vault", repository: "Repository", path: str, uncommitted: dict[str, str]
) -> str | None:
    """Where an entry is whose file is gone; None when it is nowhere, or in doubt.

    Its id tells; a note without one is known by its bytes.
    """
    from memcli.entries import codec

    try:
        data = repository.show("HEAD", path)
        entry_id = codec.decode(data, path, kinds=vault.kinds).entry.id
    except MemcliError:
        return None
    if is_adopted(entry_id):
        places = [other for other in uncommitted if _holds(vault.root, other, data)]
    else:
        rows = vault.read(lambda reader: lookup.of_id(reader, entry_id))
        places = [row.path for row in rows if row.path != path]
    return places[0] if len(places) == 1 else None


def _holds(root: str, path: str, data: bytes) -> bool:
    place = files.inside(root, path)
    try:
        return os.path.getsize(place) == len(data) and journal.current(place) == data
    except (MemcliError, OSError):
        return False


def _is_committed(repository: "Repository", path: str) -> bool:
    try:
        repository.show("HEAD", path)
    except MemcliError:
        return False
    return True


def _is_head(root: str, repository: "Repository", path: str) -> bool:
    try:
        return repository.show("HEAD", path) == journal.current(
            files.inside(root, path)
        )
    except MemcliError:
        return False


def _is_ours(path: str) -> bool:
    return layout.is_entry(path) or path in (
        layout.CONFIG,
        layout.README,
        layout.IDEA_LEDGER,
    )
