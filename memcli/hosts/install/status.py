"""Where memcli is installed, and whether it would work there.

Codex skips a hook that its user has not trusted, and does not say so. It keeps a hash
of each trusted hook by place: a hook that was changed or moved is not trusted any more.
How the hash is made is not documented, so a hash means only that the hook was trusted
once.

Invariant: it only looks. A problem is a sentence that says what is wrong and what to
do; an installation without problems has hooks that run.
"""

from __future__ import annotations

import os
import re

from memcli.errors import InvalidConfig, MemcliError, UnsafePath, UsageError
from memcli.hosts import table
from memcli.hosts.install import command_line, hooks, json_file, mcp_server
from memcli.hosts.install.command_line import Program, calls
from memcli.hosts.install.step import SCOPES, Machine, read
from memcli.named_tuple import NamedTuple
from memcli.storage import files, known_vaults

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from memcli.hosts.host import Host


class Installation(NamedTuple):
    """The hooks of a host at one scope, or memcli among its MCP servers.

    Attributes:
        what, host, scope, path: hooks or MCP server; whose; and the file.
        found: whether the host seems to be on this machine.
        state: yes, no or unreadable.
        program: what starts memcli there.
        vault: the vault that is pinned.
        problems: what keeps it from working.
        notes: what is good to know.
        mend: the step that mends the first problem.
    """

    what: str
    host: str
    scope: str
    path: str
    found: bool
    state: str = "no"
    program: str | None = None
    vault: str | None = None
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    mend: str = ""

    @property
    def again(self) -> str:
        """The command that installs it anew."""
        more = " --mcp" if self.what == mcp_server.WHAT else ""
        return f"memcli install {self.host} --scope {self.scope}{more}"


def survey(
    machine: Machine, which: Callable[[str], str | None]
) -> Iterator[Installation]:
    """Every host at every scope.

    Args:
        machine: the machine, with the memcli that runs now.
        which: the path of a program by its name, None when there is none.
    """
    for host in table.with_hooks():
        folder = host.folder(machine.environ)
        found = os.path.isdir(folder) or any(map(which, host.binaries))
        for part in (hooks, mcp_server):
            for scope in SCOPES:
                try:
                    path, root = part.locate(host, scope, machine)
                except (UsageError, UnsafePath):  # a home; a link out of a project
                    continue
                one = Installation(part.WHAT, host.name, scope, path, found)
                yield _looked_at(one, host, root, machine)


class _Calls(NamedTuple):
    """The calls of memcli in a file: their words and vault, whether they are as memcli
    writes them, whether the host has them switched off, and their places."""

    words: list[str]
    vault: str | None
    current: bool
    off: bool = False
    places: Sequence[hooks.Path] = ()


def _looked_at(
    one: Installation, host: Host, root: str, machine: Machine
) -> Installation:
    """An installation, with what its file says and what is wrong with it."""
    look = (
        _server
        if one.what == mcp_server.WHAT
        else _plugin
        if host.is_plugin
        else _settings
    )
    try:
        data = read(one.path)
        found = None if data is None else look(host, one, data, machine)
    except MemcliError as error:
        return one._replace(state="unreadable", problems=(error.message,))
    if found is None:
        return one
    shown = " ".join(found.words) or "the program"
    wrong: list[tuple[str, str]] = []
    notes = []
    if not found.words or not os.access(found.words[0], os.X_OK):
        wrong.append((f"{shown} cannot be started", one.again))
    elif _same(found.words) != _same(machine.program.words):
        notes.append(f"starts {shown}, not the memcli that runs now")
    if not found.current:
        wrong.append((f"{one.what} not as memcli writes them", one.again))
    if found.off:
        wrong.append((f"{one.what} switched off in this file", "switch them on"))
    if host.needs_trust and one.what == hooks.WHAT:
        folder = host.folder(machine.environ)
        wrong += _distrust(one, folder, root, found.places)
    pinned, mend = found.vault, f"{one.again} --vault PATH"
    try:
        known_vaults.place_of(pinned, machine.environ)
    except MemcliError as error:
        why = f"{one.what} can do nothing: {error.message}"
        wrong.append((why, mend if pinned else error.hint or mend))
    else:
        if not pinned and not known_vaults.default_vault(machine.environ):
            notes.append(
                "there is no default vault, and MEMCLI_VAULT reaches only hosts that "
                f"are started from a shell that sets it: {mend}"
            )
    return one._replace(
        state="yes",
        program=shown,
        vault=pinned,
        problems=tuple(f"{problem}: {step}" for problem, step in wrong),
        notes=tuple(notes),
        mend=wrong[0][1] if wrong else "",
    )


def _plugin(_: Host, __: Installation, data: bytes, ___: Machine) -> _Calls | None:
    if not command_line.is_ours(data):
        return None
    words, vault = command_line.constants(data)
    return _Calls(words, vault, command_line.is_untouched(data))


def _settings(
    host: Host, one: Installation, data: bytes, machine: Machine
) -> _Calls | None:
    text = json_file.decoded(data, one.path)
    root = json_file.load(text, one.path)
    entries = list(hooks.entries(root, host))
    if not entries:
        return None
    windows = machine.program.windows
    # PowerShell's line is for another system than this one.
    lines = [
        calls(str(hook.get(name, "")))
        for _, hook in entries
        for name in hooks.COMMANDS
        if name != "powershell" or windows
    ]
    words, vault = _parted(next(filter(None, lines), []), "hook")
    wanted = hooks.wanted(host, Program(tuple(words), windows), vault)
    try:
        merged = hooks.merged(text, one.path, host, wanted)
    except InvalidConfig:  # it has comments
        merged = ""
    config = root.get("hooksConfig")  # Gemini's
    off = root.get("disableAllHooks") is True
    off = off or (isinstance(config, dict) and config.get("enabled") is False)
    return _Calls(words, vault, merged == text, off, [place for place, _ in entries])


def _server(
    host: Host, one: Installation, data: bytes, machine: Machine
) -> _Calls | None:
    if mcp_server.NAME.encode() not in data:
        return None
    text = json_file.decoded(data, one.path)
    entry = mcp_server.servers(text, one.path, host).get(mcp_server.NAME)
    if not isinstance(entry, dict):
        return None
    command, more = entry.get("command"), entry.get("args")
    given: list[Any] = command if isinstance(command, list) else [command]
    given = [*given, *(more if isinstance(more, list) else ())]
    words, vault = _parted([str(word) for word in given], "mcp")
    program = Program(tuple(words), machine.program.windows)
    at = machine._replace(program=program, vault=vault)
    try:
        current = bool(words) and not mcp_server.plan(host, one.scope, at).changes
    except InvalidConfig:  # it has comments
        current = False
    off = entry.get("enabled") is False or entry.get("disabled") is True
    return _Calls(words, vault, current, off)


def _parted(words: list[str], command: str) -> tuple[list[str], str | None]:
    """The words before a command of memcli, and the vault that is named behind it."""
    program = words[: words.index(command)] if command in words else []
    if "--vault" in words[:-1]:
        return program, words[words.index("--vault") + 1]
    return program, None


def _distrust(
    one: Installation, folder: str, root: str, places: Sequence[hooks.Path]
) -> Iterator[tuple[str, str]]:
    """Why Codex does not run the hooks, and what to do; nothing when it does."""
    import tomllib

    config = os.path.join(folder, "config.toml")
    said: Mapping[str, Any] = {}
    try:
        said = tomllib.loads(files.read(config).decode())
    except (MemcliError, ValueError):
        pass
    state = _table(_table(said, "hooks"), "state")
    names = {one.path, os.path.realpath(one.path)}
    refused = []
    for _, event, group, _, number in places:
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(event)).lower()
        known = [_table(state, f"{name}:{snake}:{group}:{number}") for name in names]
        if not any(
            each.get("trusted_hash") and each.get("enabled") is not False
            for each in known
        ):
            refused.append(str(event))
    if refused:
        why = f"Codex does not trust {', '.join(refused)} and runs nothing there"
        yield why, "start codex, type /hooks, and allow those of memcli"
    projects = _table(said, "projects")
    if one.scope == "project" and not any(
        _table(projects, path).get("trust_level") == "trusted"
        for path in (root, os.path.realpath(root))
    ):
        why = f"Codex does not trust the project {root}"
        yield why, "start codex in it and say yes"
    features = _table(said, "features")
    if features.get("hooks", features.get("codex_hooks")) is False:
        yield f"hooks are switched off in {config}", "switch them on"


def _table(toml: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = toml.get(name)
    return value if isinstance(value, dict) else {}


def _same(words: Sequence[str]) -> list[str]:
    """Words with one kind of slash: bash has another than Windows."""
    return [os.path.normcase(word) for word in words]
