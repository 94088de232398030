"""Where a host's hooks stand, and the entries that should stand there.

Invariant: a host's record says what differs between hosts; what is the same for all of
them is said here. A backup is never written over, and only its owner may read it:
settings hold keys. A link to a file is followed and stays.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from memcli.errors import InvalidConfig, UsageError
from memcli.hosts import project_folder
from memcli.hosts.host import Host, home
from memcli.hosts.install.command_line import Program, command_line
from memcli.named_tuple import NamedTuple
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


SCOPES = ("user", "project")

# Seconds that a host waits for memcli before it goes on. A hook answers within a second
# or hands its work to a process of its own; this is for a machine that swaps.
SECONDS = {
    "session-start": 10,
    "prompt-submit": 5,
    "pre-tool": 5,
    "post-tool": 5,
    "stop": 10,
    "session-end": 20,
    "pre-compact": 30,
    "idle": 30,
}


class SettingsFile(NamedTuple):
    """The file that a host's hooks stand in at one scope.

    Attributes:
        host, scope: whose it is.
        path: the file, which need not exist.
        root: the folder above the host's own, which is never removed.
    """

    host: Host
    scope: str
    path: str
    root: str


class Wanted(NamedTuple):
    """One entry that should stand in the settings.

    Attributes:
        native: the host's name of the event.
        hook: the entry.
        matcher: what its group is limited to; None for nothing.
    """

    native: str
    hook: dict[str, Any]
    matcher: str | None = None


def locate(
    host: Host, scope: str, environ: Mapping[str, str], cwd: str
) -> SettingsFile:
    """The file of a host's hooks at a scope.

    Args:
        host: whose hooks.
        scope: one of `SCOPES`.
        environ: HOME, and the variables that move a host's folder.
        cwd: the current folder, from which the project is found.

    Raises:
        UsageError: the project's would be the user's.
        UnsafePath: the project's leads out of the project through a link.
    """
    folder = host.folder(environ)
    user = os.path.join(folder, *host.user_file.split("/"))
    if scope == "user":
        folder, above = os.path.abspath(folder), os.path.abspath(home(environ))
        below_home = folder.startswith(above + os.sep)
        root = above if below_home else os.path.dirname(folder)
        return SettingsFile(host, scope, os.path.abspath(user), root)
    project = project_folder.root(cwd)
    path = os.path.join(project, *host.project_file.split("/"))
    if os.path.realpath(path) == os.path.realpath(user):
        raise UsageError(
            f"the project's {host.project_file} would be your own",
            hint="Go into the project, or use --scope user.",
        )
    project_folder.refuse_outside(project, host.project_file)
    return SettingsFile(host, scope, path, project)


def wanted(host: Host, program: Program, vault: str | None) -> list[Wanted]:
    """The entries that a host should have, in the order of a session's life.

    Args:
        host: whose settings.
        program: how the hooks start memcli.
        vault: the vault that is pinned; None: the user's default at that time.

    Raises:
        InvalidValue: a path is not UTF-8.
    """
    own_shell = host.windows_shell if program.windows else "posix"
    entries = []
    for native, event in host.events:

        def line(shell: str, event: str = event) -> str:
            shell = own_shell if shell == "own" else shell
            return command_line(program, event, host.name, vault, shell)

        hook = host.entry(line)
        if host.timeout is not None:
            field, units = host.timeout
            hook[field] = host.seconds.get(event, SECONDS[event]) * units
        entries.append(Wanted(native, hook, host.matchers.get(native)))
    return entries


def runs_also(reader: Host, other: Host) -> str:
    """A note for a person: a host runs another's hooks of a project as well."""
    return (
        f"{reader.title} also runs the hooks in a project's {other.project_file}; "
        "memcli does the work once"
    )


_BACKUP = ".memcli-backup"
# A settings file above this is no settings file.
_LIMIT = 10_000_000


def read(path: str) -> bytes | None:
    """A file's bytes; None where there is no file, or a link to no file.

    Raises:
        Unreadable: it cannot be read, or is a folder.
    """
    if not os.path.exists(path):
        return None
    return files.read(path, limit=_LIMIT)


def decoded(data: bytes, path: str) -> str:
    """The text of a settings file.

    Raises:
        InvalidConfig: it is not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise InvalidConfig(
            f"{path}:{line}:{column}: is not UTF-8; nothing was changed",
            hint="Save the file as UTF-8, then repeat the command.",
            code="invalid_settings",
        ) from error


def backups(path: str) -> list[str]:
    """The backups of a file, the newest last."""
    folder, name = os.path.split(path)
    first = name + _BACKUP
    copies = []
    for each in os.listdir(folder) if os.path.isdir(folder) else ():
        number = each.removeprefix(first + ".")
        if each == first or (number != each and number.isdecimal()):
            copies.append((0 if each == first else int(number), each))
    return [os.path.join(folder, each) for _, each in sorted(copies)]


def keep(path: str, data: bytes) -> str:
    """Write a backup beside a file; returns its path.

    Raises:
        WriteFailed: the disk refused.
    """
    copies = backups(path)
    copy = path + _BACKUP
    if copies:
        last = copies[-1].removeprefix(copy).removeprefix(".")
        copy = f"{copy}.{int(last or 0) + 1}"
    with private(True):
        files.write_atomic(copy, data)
    return copy


def remove(path: str, root: str) -> None:
    """Remove a file, and the folders below `root` that are empty without it.

    Raises:
        WriteFailed: the disk refused.
    """
    files.remove(os.path.realpath(path))
    folder = os.path.dirname(path)
    while folder != root and folder.startswith(root):
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)


@contextmanager
def private(wanted: bool) -> Iterator[None]:
    """New files are 0600 and new folders 0700, as the hosts make them in a home.

    The mask is the whole process's, so this is for a command line, not for threads.
    """
    if not wanted:
        yield
        return
    mask = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(mask)
