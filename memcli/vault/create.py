"""Create a vault in a folder, whatever the folder holds.

Invariant: no file that exists changes by a byte. A new folder gets the whole template;
a folder of notes gets only the files that memcli needs, and its notes are entries as
they are. A second call adds what is missing and changes nothing else.
"""

import os
import shutil
from collections.abc import Callable, Mapping
from typing import NamedTuple

from memcli.entries import layout
from memcli.errors import NotAVault, WriteFailed
from memcli.storage import files, known_vaults, package_data
from memcli.storage.git.repository import Repository
from memcli.storage.listing import paths_of, scan

# A folder of notes gets these files; the rest of the template is for new vaults.
_NEEDED = (layout.CONFIG, ".memcli/.gitignore")


class Prepared(NamedTuple):
    """What `prepare` did; `outcome` is created, adopted, repaired or exists."""

    path: str
    outcome: str
    notes: int
    added: list[str]
    commit: str | None


def prepare(
    root: str,
    *,
    environ: Mapping[str, str] | None = None,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Prepared:
    """Make `root` a vault.

    Args:
        root: the folder; made when it is missing.
        environ: the environment of git.
        dry_run: only say what would be done.
        progress: called with (done, all) while files are added.

    Raises:
        NotAVault: a file has the folder's name.
        VaultNotFound: the user's config allows no writing there.
        WriteFailed, HistoryError: the folder cannot be written or committed.
    """
    root = os.path.abspath(os.path.expanduser(root))
    if known_vaults.read_only(root, os.environ if environ is None else environ):
        raise known_vaults.refused(root)
    if os.path.lexists(root) and not os.path.isdir(root):
        raise NotAVault(f"{root} is not a folder")
    was_vault = os.path.isdir(os.path.join(root, ".memcli"))
    notes = sorted(paths_of(scan(root))) if os.path.isdir(root) else []
    entries = [path for path in notes if layout.is_entry(path)]
    is_new = not was_vault and (not os.path.isdir(root) or not os.listdir(root))
    template = package_data.folder("vault-template")
    wanted = _template_files(template) if is_new else list(_NEEDED)
    missing = [path for path in wanted if not os.path.exists(os.path.join(root, path))]
    outcome = "created" if is_new else "adopted"
    if was_vault:
        outcome = "repaired" if missing else "exists"
    commit = None
    if not dry_run:
        _copy(template, root, missing)
        repository, own = _repository(root, environ)
        # A repository that memcli makes begins with the notes as they are; in one that
        # exists, its owner decides what is committed and when.
        paths = missing + (notes if own and not was_vault else [])
        if paths:
            commit = repository.commit(paths, f"init: {outcome} a memcli vault")
    del progress
    return Prepared(root, outcome, len(entries), missing, commit)


def _template_files(template: str) -> list[str]:
    paths = []
    for folder, _, names in os.walk(template):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), template)
            paths.append(path.replace(os.sep, "/"))
    return sorted(paths)


def _copy(template: str, root: str, paths: list[str]) -> None:
    try:
        os.makedirs(root, exist_ok=True)
        for path in paths:
            target = files.inside(root, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(os.path.join(template, *path.split("/")), target)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise WriteFailed(
            f"{root}: {reason}", hint="Choose a folder that you may write to."
        ) from error


def _repository(
    root: str, environ: Mapping[str, str] | None
) -> tuple[Repository, bool]:
    """The repository that `root` lies in, or a new one; and whether it is new."""
    try:
        return Repository.open(root, environ=environ), False
    except NotAVault:
        return Repository.init(root, environ=environ), True
