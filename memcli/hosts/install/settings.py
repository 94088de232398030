"""A host's settings: where its hooks stand, and memcli's entries in them.

Invariant: the settings and hooks of others keep their values and their order. A backup
is never written over, and only its owner may read it: settings hold keys. A link to a
file is followed and stays, unless it leads out of a project.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import contextmanager
from copy import deepcopy

from memcli.errors import InvalidConfig, UsageError
from memcli.hosts.host import Host, home, project_root, refuse_outside
from memcli.hosts.install.command_line import Program, calls_hook, command_line
from memcli.named_tuple import NamedTuple
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Settings = dict[str, Any]
    Path = tuple[str | int, ...]

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
    project = project_root(cwd)
    path = os.path.join(project, *host.project_file.split("/"))
    if os.path.realpath(path) == os.path.realpath(user):
        raise UsageError(
            f"the project's {host.project_file} would be your own",
            hint="Go into the project, or use --scope user.",
        )
    refuse_outside(project, host.project_file)
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


def backup(path: str) -> str:
    """The path of a file's backup."""
    return path + _BACKUP


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


# --- entries -----------------------------------------------------------------------

COMMANDS = ("command", "bash", "powershell", "commandWindows")


def is_ours(hook: object) -> bool:
    """Whether an entry calls a hook of memcli."""
    return isinstance(hook, dict) and any(
        calls_hook(hook.get(name)) for name in COMMANDS
    )


def entries(settings: Settings, host: Host) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Our entries in settings, with their paths."""
    hooks = settings.get("hooks")
    for native, items in hooks.items() if isinstance(hooks, dict) else ():
        for number, item in enumerate(items if isinstance(items, list) else ()):
            path: Path = ("hooks", native, number)
            if not host.grouped:
                if is_ours(item):
                    yield path, item
                continue
            inner = item.get("hooks") if isinstance(item, dict) else None
            for place, hook in enumerate(inner if isinstance(inner, list) else ()):
                if is_ours(hook):
                    yield (*path, "hooks", place), hook


def merged(text: str, name: str, host: Host, wanted: Sequence[Wanted]) -> str:
    """A host's settings with our entries as they should be.

    Args:
        text: the settings; blank for a file that is empty or not there.
        name: of the file, for errors.
        host: whose they are.
        wanted: the entries that should be there; any other of ours goes.

    Raises:
        InvalidConfig: the settings do not parse, are of another kind, or would lose
            comments; the hint has what to put in by hand.
    """
    before = load(text, name)
    after = deepcopy(before)
    hooks = after.get("hooks", {})
    if not isinstance(hooks, dict):
        raise refused(f'{name}: "hooks" is no object')
    for want in wanted:
        if not isinstance(hooks.get(want.native, []), list):
            raise refused(f'{name}: "{want.native}" is no array')
    natives, seen = {want.native for want in wanted}, set[str]()
    doomed = []
    for path, _ in entries(after, host):
        native = str(path[1])
        if native in seen or native not in natives:
            doomed.append(path)
        seen.add(native)
    for path in reversed(doomed):
        _take(after, path)
    _put(after, host, wanted)
    if after == before:
        return text
    if not is_strict(text):
        snippet: Settings = {}
        _put(snippet, host, wanted)
        raise refused(
            f"{name}: has comments or trailing commas, which writing would lose",
            "Put this in by hand, or take them out and repeat:\n"
            + json.dumps(snippet, indent=2, ensure_ascii=False),
        )
    return dump(after, text)


def without(text: str, name: str, host: Host) -> str | None:
    """A host's settings without our entries; None when nothing else is in the file.

    Raises:
        InvalidConfig: the settings do not parse, or would lose comments.
    """
    settings = load(text, name)
    ours = [path for path, _ in entries(settings, host)]
    if not ours:
        return text
    for path in reversed(ours):
        _take(settings, path)
    if not settings or settings == {"version": host.file_version}:
        return None
    if not is_strict(text):
        raise refused(
            f"{name}: has comments or trailing commas, which writing would lose",
            "Take out the entries that call memcli hook by hand.",
        )
    return dump(settings, text)


def _put(settings: Settings, host: Host, wanted: Sequence[Wanted]) -> None:
    """Add the entries that lack, and correct those that are there."""
    if host.file_version is not None:
        settings.setdefault("version", host.file_version)
    hooks = settings.setdefault("hooks", {})
    there = {str(path[1]): (path, hook) for path, hook in entries(settings, host)}
    for want in wanted:
        limit = {} if want.matcher is None else {"matcher": want.matcher}
        if want.native not in there:
            item = {**limit, "hooks": [want.hook]} if host.grouped else want.hook
            hooks.setdefault(want.native, []).append(item)
            continue
        path, hook = there[want.native]
        hook.update(want.hook)
        if host.grouped:
            group = hooks[want.native][path[2]]
            if len(group["hooks"]) == 1:
                group.update(limit)


def _take(settings: Settings, path: Path) -> None:
    """Take out the entry at a path, and what is empty without it."""
    _, native, number, *inner = path
    hooks = settings["hooks"]
    items = hooks[native]
    if inner:
        del items[number]["hooks"][inner[1]]
    if not inner or not items[number]["hooks"]:
        del items[number]
    if not items:
        del hooks[native]
    if not hooks:
        del settings["hooks"]


_BOM = "\ufeff"
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_COMMENT = re.compile(rf"({_STRING})|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_LAST_COMMA = re.compile(rf"({_STRING})|,(?=\s*[\]}}])", re.DOTALL)


def load(text: str, path: str) -> dict[str, Any]:
    """The object that settings hold; an empty one for a blank file.

    Raises:
        InvalidConfig: they do not parse, hold another value, or a name twice.
    """
    if not text.strip(_BOM + " \t\r\n"):
        return {}
    try:
        value = _parsed(text)
    except json.JSONDecodeError as error:
        place = f"{path}:{error.lineno}:{error.colno}"
        raise refused(f"{place}: {error.msg}") from error
    except RecursionError as error:
        raise refused(f"{path}: nested too deep") from error
    except ValueError as error:
        raise refused(f"{path}: {error}") from error
    if not isinstance(value, dict):
        raise refused(f"{path}: not an object")
    return value


def _parsed(text: str) -> Any:
    try:  # a client's file of 30 MB, which has no comments, is not searched for them
        return json.loads(text.removeprefix(_BOM), object_pairs_hook=_unique)
    except json.JSONDecodeError:
        return json.loads(_plain(text), object_pairs_hook=_unique)


def is_strict(text: str) -> bool:
    """Whether settings have neither comments nor trailing commas."""
    return _plain(text) == text.removeprefix(_BOM)


def dump(value: dict[str, Any], like: str) -> str:
    """Settings as text, in the form of an earlier text of them."""
    margin = re.search(r"\n([ \t]+)\S", like)
    flat = "\n" not in like.strip() and like.strip(_BOM + " \t\r\n") not in ("", "{}")
    text = json.dumps(
        value,
        indent=None if flat else margin[1] if margin else 2,
        # A file with escapes keeps them; half a character has no other form.
        ensure_ascii="\\u" in like,
    )
    end = like[len(like.rstrip(" \t\r\n")) :] if like.strip() else "\n"
    text = text.replace("\n", "\r\n" if "\r\n" in like else "\n") + end
    return _BOM + text if like.startswith(_BOM) else text


def refused(what: str, hint: str = "Correct the file, then repeat.") -> InvalidConfig:
    """The error for settings that are left as they are."""
    message = f"{what}; nothing was changed"
    return InvalidConfig(message, hint=hint, code="invalid_settings")


def _plain(text: str) -> str:
    """The text without comments and trailing commas, each character in its place."""

    def blank(match: re.Match[str]) -> str:
        return match[1] or re.sub(r"[^\r\n]", " ", match[0])

    text = _COMMENT.sub(blank, text.removeprefix(_BOM))
    return _LAST_COMMA.sub(blank, text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f'"{twice}" stands twice in one object')
    return value
