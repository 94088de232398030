"""The tools whose memories can be imported: their names, places and readers.

Invariant: the one list of them. `found` reads, and changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from memcli.errors import InvalidValue, UsageError
from memcli.hosts import table
from memcli.hosts.host import home
from memcli.hosts.memories.memory import Found, Problem, Tool

Environ = Mapping[str, str]


def found(tool: Tool, places: Sequence[str], folder: str | None) -> Found:
    """What a tool remembers in these places.

    Args:
        tool: of `find`.
        places: files and folders; one that is missing, or a link, is a problem.
        folder: of the project at hand, which a page below it is about.
    """
    for place in places:
        if not os.path.lexists(place):
            yield Problem(place, 1, "no such file or folder")
        elif _leads_away(place, folder):
            yield Problem(place, 1, "is a symbolic link, which memcli does not follow")
        elif not os.path.isdir(place) and not os.path.isfile(place):
            yield Problem(place, 1, "is not a file")
        else:
            yield from tool.read(place, _owner(place, folder))


def default_places(tool: Tool, environ: Environ, folder: str | None) -> list[str]:
    """Where a tool keeps memories on this machine and in the project at hand.

    Raises:
        UsageError: nothing is there, or the tool has no place of its own.
    """
    likely = tool.places(environ, folder)
    there = [place for place in likely if os.path.lexists(place)]
    if there:
        return there
    if not likely:
        message = f"{tool.title} has no place of its own"
        hint = f"Name the file: memcli import FILE --from {tool.name}"
    else:
        message = f"nothing of {tool.title} is here"
        hint = f"Looked for: {', '.join(likely)}. Another place can be named."
    raise UsageError(message, hint=hint)


def find(name: str) -> Tool:
    """The tool of this name.

    Raises:
        InvalidValue: there is none; the hint names the nearest, and all.
    """
    for tool in TOOLS:
        if tool.name == name.strip().lower():
            return tool
    from difflib import get_close_matches

    names = [tool.name for tool in TOOLS]
    near = get_close_matches(name.lower(), names, 1, 0.5)
    meant = f"Did you mean {near[0]}? " if near else ""
    raise InvalidValue(
        f"memcli cannot read the memories of {name[:60]!r}",
        hint=f"{meant}It reads those of: {', '.join(names)}.",
        code="invalid_tool",
    )


def _owner(place: str, folder: str | None) -> str | None:
    """The folder that a place is about: the project that it lies in."""
    if folder is None:
        return None
    inside = os.path.abspath(place).startswith(os.path.join(folder, ""))
    return folder if inside else None


def _leads_away(place: str, folder: str | None) -> bool:
    """Whether a place is a link, or lies behind one in the project, whose files a
    stranger may have written."""
    inside = _owner(place, folder)
    if inside is None or folder is None:
        return os.path.islink(place)
    own = os.path.relpath(os.path.abspath(place), folder)
    return os.path.realpath(place) != os.path.join(os.path.realpath(folder), own)


def _host_folder(name: str, environ: Environ) -> str:
    return table.find(name).folder(environ)


# --- each tool --------------------------------------------------------------------


def _in_project(*names: str) -> Callable[[Environ, str | None], list[str]]:
    """Places of a project alone."""

    def places(environ: Environ, folder: str | None) -> list[str]:
        del environ
        return [os.path.join(folder, *name.split("/")) for name in names if folder]

    return places


def _of_host(
    host: str, names: tuple[str, ...], in_project: tuple[str, ...]
) -> Callable[[Environ, str | None], list[str]]:
    """Places below a host's folder of the user, and in the project."""

    def places(environ: Environ, folder: str | None) -> list[str]:
        top = _host_folder(host, environ)
        own = [os.path.join(top, *name.split("/")) for name in names]
        return own + _in_project(*in_project)(environ, folder)

    return places


_claude_pages = _of_host(
    "claude-code",
    ("CLAUDE.md", "rules"),
    ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", ".claude/rules"),
)


def _claude_code_places(environ: Environ, folder: str | None) -> list[str]:
    projects = os.path.join(_host_folder("claude-code", environ), "projects")
    try:
        names = sorted(os.listdir(projects))
    except OSError:
        names = []
    memories = [os.path.join(projects, name, "memory") for name in names]
    return _claude_pages(environ, folder) + list(filter(os.path.isdir, memories))


def _read_claude_code(place: str, folder: str | None) -> Found:
    from memcli.hosts.memories import topic_files

    if os.path.basename(place) == "memory" and os.path.isdir(place):
        return topic_files.claude_code(place)
    return _pages(place, folder, ".md")


def _pages(place: str, folder: str | None, *ends: str) -> Found:
    """A page of instructions, or a folder of rules."""
    from memcli.hosts.memories import instructions

    if os.path.isdir(place):
        return instructions.rules(place, folder, *ends)
    return instructions.page(place, folder)


def _markdown(*ends: str) -> Callable[[str, str | None], Found]:
    return lambda place, folder: _pages(place, folder, *ends)


def _read_codex(place: str, folder: str | None) -> Found:
    from memcli.hosts.memories import codex

    if os.path.isdir(place):
        return codex.memories(place)
    return _pages(place, folder)


def _by(module: str, function: str) -> Callable[[str, str | None], Found]:
    """A reader that is loaded when it is used, and is about no folder."""

    def read(place: str, folder: str | None) -> Found:
        from importlib import import_module

        del folder
        reader = getattr(import_module(f"memcli.hosts.memories.{module}"), function)
        memories: Found = reader(place)
        return memories

    return read


def _below_home(environ: Environ, folder: str | None, *, name: str) -> list[str]:
    del folder
    return [os.path.join(home(environ), *name.split("/"))]


def _nowhere(environ: Environ, folder: str | None) -> list[str]:
    del environ, folder
    return []


TOOLS = (
    Tool("claude-code", "Claude Code", _claude_code_places, _read_claude_code),
    Tool(
        "codex", "Codex", _of_host("codex", ("AGENTS.md", "memories"), ()), _read_codex
    ),
    Tool(
        "gemini",
        "Gemini CLI",
        _of_host("gemini", ("GEMINI.md",), ("GEMINI.md",)),
        _markdown(".md"),
    ),
    Tool(
        "copilot",
        "GitHub Copilot",
        _of_host(
            "copilot",
            ("copilot-instructions.md",),
            (".github/copilot-instructions.md", ".github/instructions"),
        ),
        _markdown(".instructions.md"),
    ),
    Tool(
        "cursor",
        "Cursor",
        _in_project(".cursor/rules", ".cursorrules"),
        _markdown(".mdc", ".md"),
    ),
    Tool("agents-md", "AGENTS.md", _in_project("AGENTS.md"), _markdown(".md")),
    Tool(
        "basic-memory",
        "basic-memory",
        partial(_below_home, name="basic-memory"),
        _by("basic_memory", "memories"),
    ),
    Tool("mem0", "mem0", _nowhere, _by("json_exports", "mem0")),
    Tool("letta", "Letta", _nowhere, _by("json_exports", "letta")),
    Tool(
        "claude-mem",
        "claude-mem",
        partial(_below_home, name=".claude-mem/claude-mem.db"),
        _by("claude_mem", "memories"),
    ),
    Tool(
        "agent-memory-git",
        "agent-memory-git",
        _nowhere,
        _by("topic_files", "agent_memory_git"),
    ),
    Tool(
        "memory-server",
        "the MCP memory server",
        _nowhere,
        _by("json_exports", "memory_server"),
    ),
)
"""In the order in which people see them."""
