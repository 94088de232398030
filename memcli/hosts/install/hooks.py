"""A host's hooks: memcli's entries in its settings, or its plugin.

Invariant: the settings and hooks of others keep their values and their order.
"""

from __future__ import annotations

from copy import deepcopy

from memcli.errors import InvalidConfig
from memcli.hosts.install import command_line, json_file
from memcli.hosts.install.command_line import Program, calls_hook
from memcli.hosts.install.json_file import refused
from memcli.hosts.install.step import Machine, Step, place, read
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from memcli.hosts.host import Host

    Settings = dict[str, Any]
    Path = tuple[str | int, ...]

WHAT = "hooks"
SERVER = "memcli"
"""The name of memcli among a host's MCP servers."""
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


def locate(host: Host, scope: str, machine: Machine) -> tuple[str, str]:
    """The file of a host's hooks, and the folder above it; raises as `place`."""
    return place(host, host.user_file, host.project_file, scope, machine)


def plan(
    host: Host,
    scope: str,
    machine: Machine,
    *,
    removal: bool = False,
    ahead: Mapping[str, bytes | None] = {},
) -> Step:
    """Plan to install a host's hooks, or to take them out; as `mcp_server.plan`.

    Raises:
        InvalidValue: a path is not UTF-8.
        UsageError: a project's settings would be the user's.
        InvalidConfig: the file does not parse, holds something else, or has comments.
        Unreadable: it cannot be read.
    """
    path, root = locate(host, scope, machine)
    before = ahead[path] if path in ahead else read(path)
    change = _plugin if host.is_plugin else _settings
    ours, others, after = change(host, path, before, machine, removal=removal)
    done = "removed" if removal else "updated" if ours else "installed"
    warnings = [] if removal else [*host.notes]
    if scope == "project" and not removal:
        warnings.append(
            f"{path} names memcli by its path on this machine: where git brings "
            "the file to another machine, run memcli install again"
        )
        warnings += host.project_notes
    return Step(
        what=WHAT,
        host=host.name,
        scope=scope,
        path=path,
        outcome="unchanged" if before == after else done,
        before=before,
        after=after,
        notes=tuple(f"{name}: memcli hook {event}" for name, event in host.events),
        warnings=tuple(warnings),
        others=others,
        root=root,
    )


# Whether memcli's words stand in a file, whether others' do, and what it should hold.
_Change = tuple[bool, bool, bytes | None]


def _plugin(
    _: Host, path: str, before: bytes | None, machine: Machine, *, removal: bool
) -> _Change:
    ours = before is not None and command_line.is_ours(before)
    others = before is not None and not command_line.is_untouched(before)
    if removal:
        return ours, others, None if ours else before
    if before is not None and not ours:
        raise InvalidConfig(
            f"{path}: is not memcli's; nothing was changed",
            hint="Move it away, then repeat the command.",
            code="invalid_settings",
        )
    return ours, others, command_line.plugin(machine.program, machine.vault).encode()


def _settings(
    host: Host, path: str, before: bytes | None, machine: Machine, *, removal: bool
) -> _Change:
    if removal and b"memcli" not in (before or b""):
        return False, True, before  # nothing to take out, whatever it is
    text = json_file.decoded(before or b"", path)
    settings = json_file.load(text, path)
    ours = any(entries(settings, host))
    others = not is_only_ours(settings, host)
    after = without(text, path, host) if removal else None
    if not removal:
        after = merged(text, path, host, wanted(host, machine.program, machine.vault))
    same = after == text
    return ours, others, before if same else None if after is None else after.encode()


def is_only_ours(settings: Settings, host: Host) -> bool:
    """Whether nothing but memcli's hooks and its MCP server is in settings."""
    servers = settings.get(host.mcp_key)
    rest = {name: each for name, each in settings.items() if name != host.mcp_key}
    rest = deepcopy(rest)
    _take_out(rest, host)
    return not rest and (not servers or list(servers) == [SERVER])


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
    found = []
    for native, event in host.events:

        def line(shell: str, event: str = event) -> str:
            shell = own_shell if shell == "own" else shell
            return command_line.command_line(program, event, host.name, vault, shell)

        hook = host.entry(line)
        if host.timeout is not None:
            field, units = host.timeout
            hook[field] = host.seconds.get(event, SECONDS[event]) * units
        found.append(Wanted(native, hook, host.matchers.get(native)))
    return found


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
            for spot, hook in enumerate(inner if isinstance(inner, list) else ()):
                if is_ours(hook):
                    yield (*path, "hooks", spot), hook


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

    def change(settings: Settings) -> None:
        hooks = settings.get("hooks", {})
        if not isinstance(hooks, dict):
            raise refused(f'{name}: "hooks" is no object')
        for want in wanted:
            if not isinstance(hooks.get(want.native, []), list):
                raise refused(f'{name}: "{want.native}" is no array')
        natives, seen = {want.native for want in wanted}, set[str]()
        doomed = []
        for path, _ in entries(settings, host):
            native = str(path[1])
            if native in seen or native not in natives:
                doomed.append(path)
            seen.add(native)
        for path in reversed(doomed):
            _take(settings, path)
        _put(settings, host, wanted)

    snippet: Settings = {}
    _put(snippet, host, wanted)
    by_hand = json_file.put_in_by_hand(snippet)
    return json_file.edited(text, name, change, by_hand) or ""


def without(text: str, name: str, host: Host) -> str | None:
    """A host's settings without our entries; None when nothing else is in the file.

    Raises:
        InvalidConfig: the settings do not parse, or would lose comments.
    """
    by_hand = "Take out the entries that call memcli hook by hand."
    return json_file.edited(text, name, lambda found: _take_out(found, host), by_hand)


def _take_out(settings: Settings, host: Host) -> None:
    ours = [path for path, _ in entries(settings, host)]
    for path in reversed(ours):
        _take(settings, path)
    if ours and settings == {"version": host.file_version}:
        settings.clear()


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
