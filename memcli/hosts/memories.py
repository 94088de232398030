"""The tools whose memories can be imported: their names, places and readers.

A file that holds rules gives one memory a rule, a file or row that holds one memory
gives that one. Invariant: nothing is changed.
"""

from __future__ import annotations

import os
import re

from memcli.entries.dates import date_in
from memcli.entries.entry import refusal
from memcli.entries.fields import fitting_tags
from memcli.errors import MemcliError, Unreadable, UsageError
from memcli.hosts import table
from memcli.hosts.host import home
from memcli.hosts.pages import (
    Found,
    Memory,
    Note,
    Problem,
    below,
    line_of,
    note,
    rules,
    written,
)
from memcli.named_tuple import NamedTuple
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# Where rules say which paths they are for: Cursor, Claude Code, Copilot.
_GLOBS = ("globs", "paths", "applyTo")
# It takes seconds to take such a page apart, and nobody wrote it.
_LONGEST_PAGE = 200_000
# The heading under which Gemini CLI appends what it is told to remember.
_REMEMBERED = "Gemini Added Memories"


def pages(place: str, folder: str | None) -> Found:
    """The rules of `CLAUDE.md` and the like, or of each file in a folder of rules."""
    is_folder = os.path.isdir(place)
    for path in below(place, ".md", ".mdc") if is_folder else [place]:
        read = note(path)
        if isinstance(read, Problem):
            yield read
            continue
        if len(read.body) > _LONGEST_PAGE:
            why = f"more than {_LONGEST_PAGE:,} characters are no page of rules"
            yield Problem(path, 1, why)
            continue
        title = _title(path, read) if is_folder else ""
        for rule in rules(read.body, read.line):
            asked = _REMEMBERED in rule.headings
            text = rule.words if asked else rule.text(title)
            fields = {
                "text": text,
                "said": rule.words if rule.words != text else "",
                "title": rule.title(title),
                "kind": "note" if asked else "convention",
                "occurred_at": written(path),
            }
            yield Memory(path, rule.line, fields, folder)


def _title(path: str, read: Note) -> str:
    """The name of a file of rules, and the paths that they are for."""
    name = re.sub(r"(\.instructions)?\.mdc?$", "", os.path.basename(path))
    name = line_of(read.values.get("description")) or name
    globs: list[str] = []
    for key in _GLOBS:
        value = read.values.get(key) or []
        globs += value if isinstance(value, list) else [line_of(value)]
    paths = ", ".join(each for each in globs if each not in ("", "**", "**/*"))
    return f"{name} (`{paths}`)" if paths else name


def _notes(paths: Sequence[str], kinds: Mapping[str, str], folder: str | None) -> Found:
    """Files that hold one memory each, with what their frontmatter says of it.

    Args:
        paths: the files.
        kinds: the kinds of memcli for the types of the tool; of any other it is a note.
        folder: that the memories are about.
    """
    for path in paths:
        read = note(path)
        if isinstance(read, Problem):
            yield read
        elif read.body.strip():
            # Claude Code 2.1 wrote `type` below `metadata`.
            inner = read.values.get("metadata")
            values = {**(inner if isinstance(inner, dict) else {}), **read.values}
            names = map(line_of, map(values.get, ("description", "title", "name")))
            kind = line_of(values.get("type"))
            date = date_in(values.get("created") or values.get("modified"))
            fields = {
                "text": read.body.strip("\n"),
                "title": next(filter(None, names), os.path.basename(path)[:-3]),
                "kind": kinds.get(kind, "note"),
                "tags": fitting_tags(values.get("tags")),
                "occurred_at": date or written(path),
            }
            # What a user is like, and how they want to work, is so in every project.
            about = None if kind in ("user", "feedback") else folder
            yield Memory(path, read.line, fields, about)


def claude_code(place: str, folder: str | None) -> Found:
    """Pages, or the folder `~/.claude/projects/<name>/memory`: a memory a file.

    The index `MEMORY.md` points to the files, but its first versions held all there
    was.
    """
    if os.path.basename(place) != "memory" or not os.path.isdir(place):
        yield from pages(place, folder)
        return
    about = _folder_of(os.path.dirname(place))
    topics = [path for path in below(place, ".md") if not path.endswith("MEMORY.md")]
    yield from _notes(topics, _TOPICS, about)
    index = os.path.join(place, "MEMORY.md")
    if not topics and os.path.lexists(index):
        yield from pages(index, about)


_TOPICS = {"user": "preference", "feedback": "convention", "reference": "reference"}


def _folder_of(place: str) -> str | None:
    """The folder that a project of Claude Code is about, by its transcripts.

    The name of the project's folder has `-` for each character that is no letter or
    digit, so the folder cannot be told from it.
    """
    from memcli.hosts.transcripts import open_transcript

    for path in sorted(below(place, ".jsonl"), reverse=True)[:20]:
        try:
            cwd = open_transcript(path, "claude-code").session.cwd
        except MemcliError:
            continue
        if cwd and os.path.isabs(cwd):
            return cwd
    return None


_GROUP = re.compile(r"^(?=# Task Group: )", re.MULTILINE)
_CWD = re.compile(r"\bcwd=([^\s;,)]{1,1000})")
_UPDATED = re.compile(r"\bupdated_at=([0-9T:.+Z-]{10,40})")


def codex(place: str, folder: str | None) -> Found:
    """Pages, or the folder `~/.codex/memories`, of which `MEMORY.md` is read: a
    handbook of task groups, each with the folder that it is about."""
    path = os.path.join(place, "MEMORY.md")
    if not os.path.isdir(place):
        yield from pages(place, folder)
    elif os.path.lexists(path):
        read = note(path)
        yield from (read,) if isinstance(read, Problem) else _handbook(path, read)


def _handbook(path: str, read: Note) -> Found:
    line = read.line
    for group in _GROUP.split(read.body):
        title, _, text = group.partition("\n")
        if title.startswith("# Task Group: ") and text.strip():
            cwd = _CWD.search(group)
            dates = [date_in(word) or "" for word in _UPDATED.findall(group)]
            fields = {
                "text": text.strip("\n"),
                "title": title.removeprefix("# Task Group: ").strip(),
                "occurred_at": max(dates, default="") or written(path),
            }
            yield Memory(path, line, fields, cwd and cwd[1])
        line += group.count("\n")


# The types of basic-memory's notes for which memcli has a kind.
_KINDS = {kind: kind for kind in "decision lesson event reference idea fix".split()}


def basic_memory(place: str, folder: str | None) -> Found:
    """A folder of basic-memory: a memory a note.

    Its observations (`- [category] text #tag`) and relations (`- implements [[Other]]`)
    stay as they are: the links lead to the notes of these titles.
    """
    del folder
    return _notes(below(place, ".md"), _KINDS, None)


_LARGEST = 200_000_000


def mem0(path: str, folder: str | None) -> Found:
    """An export of mem0: what `get_all` answers, a list or one below `results`."""
    del folder
    import json

    try:
        value = json.loads(files.read(path, limit=_LARGEST, follow=False))
    except (Unreadable, ValueError, RecursionError) as error:
        yield Problem(path, 1, f"not an export of mem0: {error}")
        return
    rows = value.get("results") if isinstance(value, dict) else value
    if not isinstance(rows, list):
        yield Problem(path, 1, "not an export of mem0: no list of memories")
        return
    for number, row in enumerate(rows, 1):
        text = row.get("memory") if isinstance(row, dict) else None
        if not isinstance(text, str) or not text.strip():
            yield Problem(path, 1, f"memory {number} has no text")
            continue
        fields = {
            "text": text,
            "tags": fitting_tags(row.get("categories")),
            "occurred_at": date_in(row.get("created_at")),
            "expires_at": date_in(row.get("expiration_date")),
        }
        yield Memory(path, 1, fields)


# --- the table -----------------------------------------------------------------------


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
        claude_code,
    ),
    Tool("codex", "Codex", ("AGENTS.md", "memories"), (), codex),
    Tool("gemini", "Gemini CLI", ("GEMINI.md",), ("GEMINI.md",), pages),
    Tool(
        "copilot",
        "GitHub Copilot",
        ("copilot-instructions.md",),
        (".github/copilot-instructions.md", ".github/instructions"),
        pages,
    ),
    Tool("cursor", "Cursor", (), (".cursor/rules", ".cursorrules"), pages),
    Tool("agents-md", "AGENTS.md", (), ("AGENTS.md",), pages),
    Tool("basic-memory", "basic-memory", ("basic-memory",), (), basic_memory),
    Tool("mem0", "mem0", (), (), mem0),
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
        above = os.path.join(folder, "") if folder else None
        is_inside = above and os.path.abspath(place).startswith(above)
        about = folder if is_inside else None
        if not os.path.lexists(place):
            yield Problem(place, 1, "no such file or folder")
        elif _leads_away(place, about):
            yield Problem(place, 1, "is a symbolic link, which memcli does not follow")
        else:
            yield from tool.read(place, about)


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
        UsageError: nothing is there.
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
    looked = ", ".join(os.path.join(*each) for each in likely)
    hint = f"Name its place: memcli import PATH --from {tool.name}"
    raise UsageError(
        f"nothing of {tool.title} is here",
        hint=f"Looked for: {looked}. {hint}" if looked else hint,
    )


def find(name: str) -> Tool:
    """The tool of this name.

    Raises:
        InvalidValue: there is none; it names all.
    """
    for tool in TOOLS:
        if tool.name == name.strip().lower():
            return tool
    raise refusal("tool", name, [tool.name for tool in TOOLS])
