"""Which project a folder belongs to: where what is learned in it holds.

Invariant: no process is started and nothing is written. Work trees and clones of one
remote are one project; the user's own config has the last word inside a repository and
names what has no remote. The home folder, the root, a temporary folder and a vault are
no project: what is learned there holds everywhere.
"""

from __future__ import annotations

import os
import re
import zlib

from memcli.entries.ids import NONE, check_project
from memcli.errors import InvalidConfig, InvalidValue
from memcli.named_tuple import NamedTuple
from memcli.storage import user_config
from memcli.storage.git import on_disk

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEMPORARY = (
    "/tmp",  # noqa: S108 not written to
    "/var/tmp",  # noqa: S108
    "/private/tmp",
    "/private/var",
    "/dev/shm",  # noqa: S108
    "/run",
)
_VARIABLES = ("TMPDIR", "TEMP", "TMP")
_LONGEST_SLUG = 60


class Project(NamedTuple):
    """A project.

    Attributes:
        name: as entries have it.
        folder: its top: that of the work tree, or the one that the config names.
    """

    name: str
    folder: str


def of(folder: str | None, environ: Mapping[str, str]) -> Project | None:
    """The project of a folder; None when what is learned there holds everywhere.

    Args:
        folder: where a command was called, or a session ran; it may be gone by now.
        environ: HOME, and where the user's configs lie.

    Raises:
        InvalidConfig: `[projects]` of the user's config cannot be understood.
    """
    if not folder or not os.path.isabs(folder):
        return None
    real = os.path.realpath(folder)
    home = os.path.realpath(environ.get("HOME") or os.path.expanduser("~"))
    repository = on_disk.with_remote(real)
    # Files of a home folder that is under git are no project of all that lies below.
    if repository and _is_above(repository.top, home):
        repository = None
    if _in_vault(real):
        return None
    remote = on_disk.name_of(repository.url or "") if repository else None
    given = _configured(real, repository, remote, environ)
    if given is not None:
        return None if given.name == NONE else given
    if repository and remote:
        return Project(remote, repository.top)
    top = place = real
    if repository:
        top, place = repository.top, repository.home
        if repository.url:
            place = on_disk.local_path(repository.url, top) or place
    if _is_above(place, home) or _is_temporary(place, environ):
        return None
    return Project(_name_of_folder(place), top)


def _configured(
    real: str,
    repository: on_disk.Repository | None,
    remote: str | None,
    environ: Mapping[str, str],
) -> Project | None:
    """The project that `[projects]` gives: the longest path that holds the folder.

    A key is a path, or the name of a remote. Inside a repository that has a remote,
    only what names it or a folder of it counts.
    """
    names, config = user_config.table("projects", environ)
    best: tuple[int, Project] | None = None
    for key, value in names.items():
        name = _checked(key, value, config)
        if _is_path(key):
            path = os.path.join(os.path.dirname(config), os.path.expanduser(key))
            top = os.path.realpath(path)
            outside = repository and remote and not _is_below(top, repository.top)
            if outside or not _is_below(real, top):
                continue
        elif repository and remote and key.strip(" /").lower() == remote.lower():
            top = repository.top
        else:
            continue
        if best is None or len(top) > best[0]:
            best = len(top), Project(name, top)
    return best[1] if best else None


def _checked(key: str, value: object, config: str) -> str:
    try:
        if not isinstance(value, str):
            raise InvalidValue("not a text")
        return NONE if value.strip().lower() == NONE else check_project(value)
    except InvalidValue as error:
        raise InvalidConfig(
            f"{config}: [projects] '{key[:80]}': {error.message}",
            hint='Write it like "~/notes" = "notes".',
        ) from error


def _is_path(key: str) -> bool:
    return key.startswith(("/", "~", ".")) or os.path.isabs(key)


def _in_vault(folder: str) -> bool:
    while not os.path.isdir(os.path.join(folder, ".memcli")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return False
    return True


def _is_below(path: str, folder: str) -> bool:
    path, folder = os.path.normcase(path), os.path.normcase(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _is_above(path: str, folder: str) -> bool:
    return _is_below(folder, path)


def _is_temporary(path: str, environ: Mapping[str, str]) -> bool:
    named = (environ.get(name) for name in _VARIABLES)
    folders = [*_TEMPORARY, *(os.path.realpath(each) for each in named if each)]
    return any(_is_below(path, each) for each in folders)


def _name_of_folder(path: str) -> str:
    """The folder's name, and eight digits of where it lies."""
    words = re.sub(r"[^\w.+-]+", "-", os.path.basename(path).lower()).strip("-.")
    mark = zlib.crc32(os.path.normcase(path).encode("utf-8", "surrogatepass"))
    return f"{words[:_LONGEST_SLUG] or 'folder'}-{mark:08x}"
