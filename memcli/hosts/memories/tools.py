"""The tools whose memories can be imported: their names, places and readers.

Invariant: the one list of them. `found` reads, and changes nothing.
"""

from __future__ import annotations

import os

from memcli.errors import InvalidValue, UsageError
from memcli.hosts import table
from memcli.hosts.host import home
from memcli.hosts.memories import readers
from memcli.hosts.memories.memory import Found, Problem
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# A page of more rules than this is not one that people wrote.
_MOST = 20_000


class Tool(NamedTuple):
    """A tool whose memories can be read.

    Attributes:
        name: as `--from` takes it; of a host, as the table of hosts has it.
        title: as people write it.
        own: its files and folders below the host's folder of the user, or below the
            home of a tool that is no host; `*` is any name.
        in_project: those below the folder of a project.
        read: gives what a file or folder of it holds; the second argument is the
            folder of the project that it lies in, None outside of one.
    """

    name: str
    title: str
    own: tuple[str, ...]
    in_project: tuple[str, ...]
    read: Callable[[str, str | None], Found]


TOOLS = (
    Tool(
        "claude-code",
        "Claude Code",
        ("CLAUDE.md", "rules", "projects/*/memory"),
        ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", ".claude/rules"),
        readers.claude_code,
    ),
    Tool("codex", "Codex", ("AGENTS.md", "memories"), (), readers.codex),
    Tool("gemini", "Gemini CLI", ("GEMINI.md",), ("GEMINI.md",), readers.pages),
    Tool(
        "copilot",
        "GitHub Copilot",
        ("copilot-instructions.md",),
        (".github/copilot-instructions.md", ".github/instructions"),
        readers.pages,
    ),
    Tool("cursor", "Cursor", (), (".cursor/rules", ".cursorrules"), readers.pages),
    Tool("agents-md", "AGENTS.md", (), ("AGENTS.md",), readers.pages),
    Tool("basic-memory", "basic-memory", ("basic-memory",), (), readers.basic_memory),
    Tool("mem0", "mem0", (), (), readers.mem0),
)
"""In the order in which people see them."""


def found(tool: Tool, places: Sequence[str], folder: str | None) -> Found:
    """The memories of a tool in these places.

    Args:
        tool: of `find`.
        places: files and folders; one that is missing, or a link, is a problem.
        folder: of the project at hand, which a page below it is about.
    """
    for place in places:
        about = _owner(place, folder)
        if not os.path.lexists(place):
            yield Problem(place, 1, "no such file or folder")
        elif _leads_away(place, about):
            yield Problem(place, 1, "is a symbolic link, which memcli does not follow")
        elif not os.path.isdir(place) and not os.path.isfile(place):
            yield Problem(place, 1, "is not a file")
        else:
            for number, item in enumerate(tool.read(place, about)):
                if number == _MOST:
                    yield Problem(place, 1, f"the rest of more than {_MOST:,} memories")
                    break
                yield item


def _owner(place: str, folder: str | None) -> str | None:
    """The folder that a place is about: the project that it lies in."""
    if folder is None:
        return None
    inside = os.path.abspath(place).startswith(os.path.join(folder, ""))
    return folder if inside else None


def _leads_away(place: str, project: str | None) -> bool:
    """Whether a place is a link, or lies behind one in the project, whose files a
    stranger may have written."""
    if project is None:
        return os.path.islink(place)
    own = os.path.relpath(os.path.abspath(place), project)
    return os.path.realpath(place) != os.path.join(os.path.realpath(project), own)


def default_places(
    tool: Tool, environ: Mapping[str, str], folder: str | None
) -> list[str]:
    """Where a tool keeps memories on this machine and in the project at hand.

    Raises:
        UsageError: nothing is there, or the tool has no place of its own.
    """
    from glob import escape, glob

    host = table.get(tool.name)
    top = host.folder(environ) if host else home(environ)
    likely = [(top, name) for name in tool.own]
    likely += [(folder, name) for name in tool.in_project if folder]
    there = [
        place
        for base, name in likely
        for place in sorted(glob(f"{escape(base)}/{name}"))
    ]
    if there:
        return there
    if not likely:
        message = f"{tool.title} has no place of its own"
        hint = f"Name the file: memcli import FILE --from {tool.name}"
    else:
        message = f"nothing of {tool.title} is here"
        looked = ", ".join(os.path.join(*each) for each in likely)
        hint = f"Looked for: {looked}. Another place can be named."
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
