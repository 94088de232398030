"""The steps that put memcli into a host: its hooks, and its MCP server.

Hooks are entries of the host's settings, or a plugin; the server is an entry of the
file in which the host names its servers. Invariant: the settings, hooks and servers of
others keep their values and their order, and what a person has added to an entry of
memcli's stays.
"""

from __future__ import annotations

import json
import os

from memcli.entries import toml_text
from memcli.errors import InvalidConfig, UsageError
from memcli.hosts.host import EVENTS, Host, home, project_root
from memcli.hosts.install import command_line, step
from memcli.hosts.install.step import Machine, Step, read, refused
from memcli.storage import user_config
from memcli.storage.vault_paths import inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Settings = dict[str, Any]

HOOKS, SERVER = "hooks", "MCP server"
"""The things that can be put into a host."""

NAME = "memcli"
"""The name of memcli among a host's MCP servers."""

# Seconds that a host waits for memcli before it goes on. A hook answers within a second
# or hands its work to a process of its own; this is for a machine that swaps.
_SECONDS = dict(zip(EVENTS, (10, 5, 5, 5, 10, 20, 30, 30), strict=True))


def locate(what: str, host: Host, scope: str, machine: Machine) -> tuple[str, str]:
    """The file of a host's hooks or servers at a scope, and the folder above that is
    never removed.

    Raises:
        UsageError: there is none at this scope, or the project's would be the user's.
        UnsafePath: the project's leads out of the project through a link.
    """
    user, project = host.mcp_files if what == SERVER else host.hook_files
    own = os.path.abspath(host.path(user, machine.environ))
    if scope == "user":
        folder = os.path.abspath(host.folder(machine.environ))
        above = os.path.abspath(home(machine.environ))
        below_home = folder.startswith(above + os.sep)
        return own, above if below_home else os.path.dirname(folder)
    root = project_root(machine.cwd)
    path = os.path.join(root, *project.split("/"))
    if not project or os.path.realpath(path) == os.path.realpath(own):
        why = f"the project's {project} would be your own"
        if not project:
            why = f"{host.title} has no such file in a project"
        raise UsageError(why, hint="Go into a project, or use --scope user.")
    inside(root, project)  # a repository may come from others, and its links with it
    return path, root


def plan(
    what: str,
    host: Host,
    scope: str,
    machine: Machine,
    *,
    removal: bool = False,
    ahead: Mapping[str, bytes | None] = {},
) -> Step:
    """Plan to put memcli into a host, or to take it out.

    Args:
        what: HOOKS or SERVER.
        host: the host.
        scope: user or project.
        machine: says how memcli is started, and which vault is pinned.
        removal: take it out.
        ahead: what steps that come first leave in their files; Gemini has its hooks
            and its servers in one.

    Raises:
        InvalidValue: a path is not UTF-8.
        UsageError: the host has no such file at this scope, or it would be the user's.
        InvalidConfig: the file does not parse, holds something else, or has comments.
        Unreadable: it cannot be read.
    """
    path, root = locate(what, host, scope, machine)
    before = after = ahead[path] if path in ahead else read(path)
    there: list[str] = []
    if not removal or NAME.encode() in (before or b""):
        data = before or b""
        # One file may hold both.
        parts = (what,) if host.is_plugin else (HOOKS, SERVER)
        there = [part for part in parts if calls_in(part, host, path, data)]
        after = _changed(what, host, path, data, None if removal else machine)
    done = "removed" if removal else "updated" if what in there else "installed"
    notes = tuple(f"{name}: memcli hook {event}" for name, event in host.events)
    if what == SERVER:
        notes = (f"{NAME}: {' '.join(_server_words(machine))}",)
    warnings: list[str] = []
    if what == HOOKS and not removal:
        warnings += host.notes
        if scope == "project":
            warnings.append(
                f"{path} names memcli by its path on this machine: where git brings "
                "the file to another machine, run memcli install again"
            )
            warnings += host.project_notes
    return Step(
        what=what,
        host=host.name,
        scope=scope,
        path=path,
        outcome="unchanged" if before == after else done,
        before=before,
        after=after,
        notes=notes,
        warnings=tuple(warnings),
        first=not there,
        root=root,
    )


def calls_in(what: str, host: Host, path: str, data: bytes) -> list[Settings]:
    """memcli's entries in a file: its hooks, or its server; of a plugin the `words` and
    the `vault` in it.

    Raises:
        InvalidConfig: the file does not parse.
    """
    if what == HOOKS and host.is_plugin:
        words, vault = command_line.constants(data)
        return [{"words": words, "vault": vault}] if command_line.is_ours(data) else []
    parse = toml_text.read if path.endswith(".toml") else step.load
    settings = parse(user_config.decoded(data, path), path)
    if what == SERVER:
        table = settings.get(host.mcp_key)
        own = table.get(NAME) if isinstance(table, dict) else None
        return [own] if isinstance(own, dict) else []
    try:
        return put(settings, host, {})
    except ValueError:  # there is no place for hooks
        return []


def _changed(
    what: str, host: Host, path: str, data: bytes, machine: Machine | None
) -> bytes | None:
    """The file with memcli's words as they should be, or without them; None for no
    file."""
    if what == HOOKS and host.is_plugin:
        ours = command_line.is_ours(data)
        if machine is None:
            return None if ours else data
        if data and not ours:
            raise refused(
                f"{path}: is not memcli's", "Move it away, then repeat the command."
            )
        return command_line.plugin(machine.program, machine.vault).encode()
    text = user_config.decoded(data, path)
    entry = host.server(_server_words(machine)) if machine else None
    if path.endswith(".toml"):
        after = _in_toml(text, path, host, entry)
    elif what == SERVER:
        after = step.edited(text, path, lambda found: _serve(found, host, entry))
    else:
        hooks = wanted(host, machine) if machine else {}
        after = step.edited(text, path, lambda found: put(found, host, hooks))
    return after.encode() if after.strip() else None


# --- hooks ----------------------------------------------------------------------------


def wanted(host: Host, machine: Machine) -> dict[str, Settings]:
    """The entry that a host should have for each of its events.

    Raises:
        InvalidValue: a path is not UTF-8.
    """
    program, vault = machine.program, machine.vault
    own_shell = host.windows_shell if program.windows else "posix"
    found = {}
    for native, event in host.events:

        def line(shell: str, event: str = event) -> str:
            shell = own_shell if shell == "own" else shell
            return command_line.command_line(program, event, host.name, vault, shell)

        found[native] = host.entry(line)
        if host.timeout is not None:
            field, units = host.timeout
            found[native][field] = host.seconds.get(event, _SECONDS[event]) * units
    return found


COMMANDS = ("command", "bash", "powershell", "commandWindows")


def is_ours(hook: object) -> bool:
    """Whether an entry calls a hook of memcli."""
    return isinstance(hook, dict) and any(
        command_line.calls_hook(hook.get(name)) for name in COMMANDS
    )


def put(
    settings: Settings, host: Host, wanted: Mapping[str, Settings]
) -> list[Settings]:
    """Change settings to hold these entries of memcli's, and no others of it; returns
    those that were there.

    Raises:
        ValueError: something else stands in their place.
    """
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise ValueError('"hooks" is no object')
    if wanted and host.file_version is not None:
        settings.setdefault("version", host.file_version)
    had: list[Settings] = []
    for native in dict.fromkeys((*hooks, *wanted)):
        items = hooks.get(native, [])
        if not isinstance(items, list):
            if native in wanted:
                raise ValueError(f'"{native}" is no array')
            continue
        left, ours, place = _apart(items, host)
        had += ours
        if native in wanted:
            hook = {**(ours[0] if ours else {}), **wanted[native]}
            limit = host.matchers.get(native)
            group = {} if limit is None else {"matcher": limit}
            new = {**group, "hooks": [hook]} if host.grouped else hook
            left.insert(place, new)
        if left or not ours:
            hooks[native] = left
        else:
            del hooks[native]
    if wanted:
        settings["hooks"] = hooks
    elif had and not hooks:
        del settings["hooks"]
        if settings == {"version": host.file_version}:
            settings.clear()
    return had


def _apart(items: list[Any], host: Host) -> tuple[list[Any], list[Settings], int]:
    """The items of an event without memcli's entries, these, and where they stood."""
    left: list[Any] = []
    ours: list[Settings] = []
    place = len(items)
    for item in items:
        inner = _hooks_of(item, host)
        others = [hook for hook in inner if not is_ours(hook)]
        if len(others) < len(inner):
            place = place if ours else len(left)
            ours += [hook for hook in inner if is_ours(hook)]
            item = {**item, "hooks": others} if others else None
        left += [item] if item is not None else []
    return left, ours, place


def _hooks_of(item: Any, host: Host) -> list[Any]:
    """The hooks of an item: of its group, or the item itself."""
    if not host.grouped:
        return [item]
    hooks = item.get("hooks") if isinstance(item, dict) else None
    return hooks if isinstance(hooks, list) else []


# --- the MCP server -------------------------------------------------------------------


def _server_words(machine: Machine) -> list[str]:
    vault = ["--vault", machine.vault] if machine.vault else []
    return [*machine.program.words, "mcp", *vault]


def _serve(settings: Settings, host: Host, entry: Settings | None) -> None:
    servers = settings.setdefault(host.mcp_key, {})
    if not isinstance(servers, dict):
        raise ValueError(f'"{host.mcp_key}" is no table of servers')
    there = servers.get(NAME)
    if entry is not None:
        servers[NAME] = {**(there if isinstance(there, dict) else {}), **entry}
    else:
        servers.pop(NAME, None)
    if not servers:
        del settings[host.mcp_key]


def _in_toml(text: str, path: str, host: Host, entry: Settings | None) -> str:
    table = f"{host.mcp_key}.{NAME}"
    there = calls_in(SERVER, host, path, text.encode())
    values = entry or {key: None for own in there for key in own}
    rows = "\n".join(f"{key} = {json.dumps(each)}" for key, each in values.items())
    try:
        named = {f"{table}.{key}": values[key] for key in values}
        text = toml_text.with_values(text, path, named)
    except (InvalidConfig, ValueError) as error:  # as of a table in one line
        by_hand = f"Put this in by hand:\n[{table}]\n{rows}"
        if entry is None:
            by_hand = f"Take [{table}] out by hand."
        raise refused(f"{path}: memcli cannot change [{table}]", by_hand) from error
    return text
