"""memcli's MCP server in the files in which hosts name their servers.

Invariant: the entry is the one that is named memcli; every other stays, and so does
what a person has added to it. A file with comments is written only where that keeps
them, in TOML.
"""

from __future__ import annotations

import json

from memcli.errors import InvalidConfig
from memcli.hosts.install import hooks, json_file
from memcli.hosts.install.json_file import refused
from memcli.hosts.install.step import Machine, Step, place, read
from memcli.storage import user_config

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memcli.hosts.host import Host

WHAT = "MCP server"
NAME = hooks.SERVER
_COMMAND = "mcp"


def locate(host: Host, scope: str, machine: Machine) -> tuple[str, str]:
    """The file of a host's servers, and the folder above it; raises as `place`."""
    return place(host, host.mcp_file, host.mcp_project_file, scope, machine)


def plan(
    host: Host,
    scope: str,
    machine: Machine,
    *,
    removal: bool = False,
    ahead: Mapping[str, bytes | None] = {},
) -> Step:
    """Plan to name memcli among a host's servers, or to take it out.

    Args:
        host: whose servers.
        scope: user or project.
        machine: says how memcli is started, and which vault is pinned.
        removal: take it out.
        ahead: what steps that come first leave in their files; Gemini has its hooks
            and its servers in one.

    Raises:
        UsageError: the host has no such file at this scope.
        InvalidConfig: the file does not parse, holds something else, or has comments.
        Unreadable: it cannot be read.
    """
    path, root = locate(host, scope, machine)
    before = after = ahead[path] if path in ahead else read(path)
    words = [*machine.program.words, _COMMAND]
    words += ["--vault", machine.vault] if machine.vault else []
    entry = None if removal else host.server(words)
    ours = others = False
    if not removal or NAME.encode() in (before or b""):
        text = json_file.decoded(before or b"", path)
        ours = NAME in servers(text, path, host)
        others = not hooks.is_only_ours(_parsed(text, path), host)
        changed = _changed(text, path, host, entry)
        if changed != text:
            after = None if changed is None else changed.encode()
    done = "removed" if removal else "updated" if ours else "installed"
    return Step(
        what=WHAT,
        host=host.name,
        scope=scope,
        path=path,
        outcome="unchanged" if before == after else done,
        before=before,
        after=after,
        notes=(f"{NAME}: {' '.join(words)}",),
        others=others,
        root=root,
    )


def servers(text: str, path: str, host: Host) -> dict[str, Any]:
    """The servers that a file names.

    Raises:
        InvalidConfig: it does not parse, or holds something else in their place.
    """
    found = _parsed(text, path).get(host.mcp_key, {})
    if not isinstance(found, dict):
        raise refused(f'{path}: "{host.mcp_key}" is no table of servers')
    return found


def _parsed(text: str, path: str) -> dict[str, Any]:
    parse = user_config.read if path.endswith(".toml") else json_file.load
    return parse(text, path)


def _changed(
    text: str, path: str, host: Host, entry: Mapping[str, Any] | None
) -> str | None:
    """A file with another entry; None for an entry that goes, or nothing left."""
    if path.endswith(".toml"):
        return _in_toml(text, path, host, entry)

    def change(settings: dict[str, Any]) -> None:
        if entry is not None:
            named = settings.setdefault(host.mcp_key, {})
            there = named.get(NAME)
            named[NAME] = {**(there if isinstance(there, dict) else {}), **entry}
            return
        settings.get(host.mcp_key, {}).pop(NAME, None)
        if not settings.get(host.mcp_key):
            settings.pop(host.mcp_key, None)

    by_hand = f'Take "{NAME}" out of "{host.mcp_key}" by hand.'
    if entry is not None:
        by_hand = json_file.put_in_by_hand({host.mcp_key: {NAME: entry}})
    return json_file.edited(text, path, change, by_hand)


def _in_toml(
    text: str, path: str, host: Host, entry: Mapping[str, Any] | None
) -> str | None:
    table = f"{host.mcp_key}.{NAME}"
    there = servers(text, path, host).get(NAME)
    values = entry or dict.fromkeys(there if isinstance(there, dict) else ())
    rows = "\n".join(f"{key} = {json.dumps(each)}" for key, each in values.items())
    try:
        for key, value in reversed(
            list(values.items())
        ):  # the last is the first of them
            text = user_config.with_value(text, path, table, key, value)
    except (InvalidConfig, ValueError) as error:  # as of a table in one line
        by_hand = f"Put this in by hand:\n[{table}]\n{rows}"
        if entry is None:
            by_hand = f"Take [{table}] out by hand."
        raise refused(f"{path}: memcli cannot change [{table}]", by_hand) from error
    return text if text.strip() else None
