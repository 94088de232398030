"""The entries of memcli among the MCP servers of agent hosts.

Invariant: it only looks, and starts nothing: a project's file comes from strangers. A
file that cannot be read is named, and keeps no other from being read.
"""

from __future__ import annotations

import os

from memcli.errors import InvalidConfig, MemcliError
from memcli.hosts import project_folder, table
from memcli.named_tuple import NamedTuple
from memcli.storage import files, known_vaults

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from memcli.hosts.host import Host

# Claude Code's file keeps the prompts of every project as well.
_LIMIT = 32_000_000
_NAMES = ("memcli", "memcli.exe")


class McpEntry(NamedTuple):
    """An entry that starts memcli, or a file that cannot be read.

    Attributes:
        host: whose file it is.
        path: the file.
        name: of the server; empty where the file cannot be read.
        words: the command line.
        problems: what keeps it from working.
        notes: what is good to know.
    """

    host: str
    path: str
    name: str = ""
    words: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def mcp_entries(
    environ: Mapping[str, str], cwd: str, which: Callable[[str], str | None]
) -> list[McpEntry]:
    """Every such entry in the files of the user and of the project.

    Args:
        environ: HOME, the variables that move a host's folder, and the user's vaults.
        cwd: the current folder, from which the project is found.
        which: the path of a program by its name, None when there is none.
    """
    project = project_folder.root(cwd)
    found: dict[tuple[str, str], McpEntry] = {}
    for host in table.hosts():
        paths = [host.mcp_user_path(environ)]
        if host.mcp_project_file:
            paths.append(os.path.join(project, *host.mcp_project_file.split("/")))
        for path in filter(None, paths):
            try:
                servers = _servers(host, path, project)
            except MemcliError as error:
                broken = McpEntry(host.name, path, problems=(error.message,))
                found.setdefault((path, ""), broken)
                continue
            for name, server in servers.items():
                entry = _looked_at(host, path, name, server)
                if entry is not None:
                    checked = _checked(entry, _environment(environ, server), cwd, which)
                    # Cursor and others read the file of a project, too.
                    found.setdefault((path, name), checked)
    return list(found.values())


def _servers(host: Host, path: str, project: str) -> dict[str, Mapping[str, Any]]:
    """The servers that a file names.

    Raises:
        MemcliError: it cannot be read.
    """
    if not os.path.lexists(path):
        return {}
    settings = _parsed(files.read(path, limit=_LIMIT), path)
    servers: dict[str, Mapping[str, Any]] = {}
    projects = settings.get("projects")
    own = projects.get(project) if isinstance(projects, dict) else None
    # Scope `local` of `claude mcp add`, which is its default, stands below the project.
    for about in (settings, own):
        listed = about.get(host.mcp_key) if isinstance(about, dict) else None
        if isinstance(listed, dict):
            tables = ((str(name), server) for name, server in listed.items())
            servers |= {name: each for name, each in tables if isinstance(each, dict)}
    return servers


def _parsed(data: bytes, path: str) -> Mapping[str, Any]:
    from memcli.hosts.install import merge, settings_files

    text = settings_files.decoded(data, path)
    if not path.endswith(".toml"):
        return merge.load(text, path)
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidConfig(f"{path}: {error}") from error


def _looked_at(
    host: Host, path: str, name: str, server: Mapping[str, Any]
) -> McpEntry | None:
    """A server as an entry of memcli; None when it is another's."""
    command, args = server.get("command"), server.get("args")
    given = [*(command if isinstance(command, list) else [command])]
    given += args if isinstance(args, list) else []
    words = [word for word in given if isinstance(word, str)]
    if len(words) < len(given) or _arguments(words) is None:
        return None
    off = server.get("enabled") is False or server.get("disabled") is True
    notes = ("it is switched off there",) if off else ()
    return McpEntry(host.name, path, name, tuple(words), notes=notes)


def _arguments(words: Sequence[str]) -> list[str] | None:
    """What follows the program in `memcli ... mcp ...`; None for any other command."""
    for number, word in enumerate(words):
        name = word.replace("\\", "/").rpartition("/")[2].lower()
        rest = list(words[number + 1 :])
        if name in _NAMES and "mcp" in rest:
            return rest
    return None


def _environment(
    environ: Mapping[str, str], server: Mapping[str, Any]
) -> dict[str, str]:
    """The environment of a server: clients pass little of their own on."""
    own = server.get("env", server.get("environment"))
    named = own.items() if isinstance(own, dict) else ()
    outer = {name: value for name, value in environ.items() if name != "MEMCLI_VAULT"}
    return outer | {str(name): str(value) for name, value in named}


def _checked(
    entry: McpEntry,
    environ: Mapping[str, str],
    cwd: str,
    which: Callable[[str], str | None],
) -> McpEntry:
    """An entry, with what is wrong with its program and its vault."""
    program, rest = entry.words[0], _arguments(entry.words) or []
    problems, notes = [], list(entry.notes)
    if os.path.isabs(program):
        if not (os.path.isfile(program) and os.access(program, os.X_OK)):
            problems.append(f"{program} cannot be started")
    elif os.path.basename(program) != program or not which(program):
        problems.append(f"{program} is not on the PATH")
    else:
        notes.append(f"{program} is found only where the client has your PATH")
    try:
        known_vaults.place_of(_vault(rest), environ, cwd)
    except MemcliError as error:
        problems.append(f"it does nothing: {error.message}")
    return entry._replace(problems=tuple(problems), notes=tuple(notes))


def _vault(words: Sequence[str]) -> str | None:
    """The vault that a command line names."""
    for number, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in ("--vault", "-v"):
            return value if equals else next(iter(words[number + 1 :]), None)
    return None
