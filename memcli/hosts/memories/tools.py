"""The tools whose memories can be imported: their names, places and readers.

A file that holds rules gives one memory a rule, a file or row that holds one memory
gives that one. Invariant: nothing is changed.
"""

from __future__ import annotations

import os
import re

from memcli.errors import InvalidValue, Unreadable, UsageError
from memcli.hosts import table
from memcli.hosts.host import home
from memcli.hosts.memories.pages import (
    Found,
    Memory,
    Note,
    Problem,
    below,
    date_of,
    line_of,
    note,
    rules,
    tags_of,
    written,
)
from memcli.named_tuple import NamedTuple
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

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
            fields = {
                "text": rule.words if asked else rule.text(title),
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


def claude_code(place: str, folder: str | None) -> Found:
    """Pages, or the folder `~/.claude/projects/<name>/memory`: a memory a file.

    A file has `name`, `description` and `type` in its frontmatter; the index
    `MEMORY.md` points to the files, but its first versions held all there was.
    """
    if os.path.basename(place) != "memory" or not os.path.isdir(place):
        yield from pages(place, folder)
        return
    about = _folder_of(os.path.dirname(place))
    topics = [path for path in below(place, ".md") if not path.endswith("MEMORY.md")]
    for path in topics:
        read = note(path)
        if isinstance(read, Problem):
            yield read
        elif read.body.strip():
            yield _topic(path, read, about)
    index = os.path.join(place, "MEMORY.md")
    if not topics and os.path.lexists(index):
        yield from pages(index, about)


_TOPICS = {"user": "preference", "feedback": "convention", "reference": "reference"}
# Of a transcript: where it was started stands in its first records.
_HEAD = 64_000


def _topic(path: str, read: Note, folder: str | None) -> Memory:
    # Claude Code 2.1 wrote `type` and the session below `metadata`.
    inner = read.values.get("metadata")
    values = {**(inner if isinstance(inner, dict) else {}), **read.values}
    kind = line_of(values.get("type"))
    fields = {
        "text": read.body.strip("\n"),
        "title": line_of(values.get("description")) or line_of(values.get("name")),
        "kind": _TOPICS.get(kind, "note"),
        "occurred_at": date_of(values.get("created") or values.get("modified"))
        or written(path),
        "session": values.get("originSessionId"),
    }
    # What a user is like, and how they want to work, is so in every project.
    about = None if kind in ("user", "feedback") else folder
    return Memory(path, read.line, fields, about)


def _folder_of(place: str) -> str | None:
    """The folder that a project of Claude Code is about, by its transcripts.

    The name of the project's folder has `-` for each character that is no letter or
    digit, so the folder cannot be told from it.
    """
    import json

    for path in sorted(below(place, ".jsonl"), reverse=True)[:20]:
        try:
            head = files.read(path, limit=1 << 40, first=_HEAD, follow=False)
        except Unreadable:
            continue
        for line in head.split(b"\n")[:-1]:
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            cwd = record.get("cwd") if isinstance(record, dict) else None
            if isinstance(cwd, str) and os.path.isabs(cwd):
                return cwd
    return None


_ABOUT_THE_USER = ("User Profile", "User preferences", "General Tips")
_GROUP = re.compile(r"^(?=# Task Group: )", re.MULTILINE)
_CWD = re.compile(r"\bcwd=([^\s;,)]{1,1000})")
_THREAD = re.compile(r"\bthread_id=([0-9a-f-]{36})")
_UPDATED = re.compile(r"\bupdated_at=([0-9T:.+Z-]{10,40})")


def codex(place: str, folder: str | None) -> Found:
    """Pages, or the folder `~/.codex/memories`.

    Its summary says what is known of the user, and `MEMORY.md` is a handbook of task
    groups, each with the folders that it is about.
    """
    if not os.path.isdir(place):
        yield from pages(place, folder)
        return
    for path in below(place, ".md"):
        part = os.path.relpath(path, place).replace(os.sep, "/")
        if part not in ("memory_summary.md", "MEMORY.md") and not part.startswith(
            "extensions/ad_hoc/notes/"
        ):
            continue
        read = note(path)
        if isinstance(read, Problem):
            yield read
        elif part == "memory_summary.md":
            yield from _summary(path, read)
        elif part == "MEMORY.md":
            yield from _handbook(path, read)
        elif read.body.strip():
            fields = {"text": read.body.strip("\n"), "occurred_at": written(path)}
            yield Memory(path, read.line, fields)


def _summary(path: str, read: Note) -> Found:
    for rule in rules(read.body, read.line):
        # The rest is an index of the handbook.
        if rule.headings and rule.headings[-1] in _ABOUT_THE_USER:
            fields = {"text": rule.words, "occurred_at": written(path)}
            yield Memory(path, rule.line, {**fields, "kind": "preference"})


def _handbook(path: str, read: Note) -> Found:
    line = read.line
    for group in _GROUP.split(read.body):
        title, _, text = group.partition("\n")
        if title.startswith("# Task Group: ") and text.strip():
            cwd, thread = _CWD.search(group), _THREAD.search(group)
            dates = [date_of(word) or "" for word in _UPDATED.findall(group)]
            fields = {
                "text": text.strip("\n"),
                "title": title.removeprefix("# Task Group: ").strip(),
                "occurred_at": max(dates, default="") or written(path),
                "session": thread and thread[1],
            }
            yield Memory(path, line, fields, (cwd and cwd[1]) or None)
        line += group.count("\n")


# The types of basic-memory's notes for which memcli has a kind.
_KINDS = ("decision", "lesson", "event", "reference", "idea", "fix")


def basic_memory(place: str, folder: str | None) -> Found:
    """A folder of basic-memory: a memory a note.

    Its observations (`- [category] text #tag`) and relations (`- implements [[Other]]`)
    stay as they are: the links lead to the notes of these titles.
    """
    del folder
    for path in below(place, ".md"):
        read = note(path)
        if isinstance(read, Problem):
            yield read
        elif read.body.strip():
            values = read.values
            name = os.path.basename(path).removesuffix(".md")
            kind = line_of(values.get("type"))
            fields = {
                "text": read.body.strip("\n"),
                "title": line_of(values.get("title")) or name,
                "kind": kind if kind in _KINDS else "note",
                "tags": tags_of(values.get("tags")),
                "occurred_at": date_of(values.get("created")) or written(path),
            }
            yield Memory(path, read.line, fields)


_LARGEST = 200_000_000


def mem0(path: str, folder: str | None) -> Found:
    """An export of mem0: what `get_all` answers, a list or one below `results`."""
    del folder
    import json

    try:
        data = files.read(path, limit=_LARGEST, follow=False)
        value = json.loads(data.decode("utf-8-sig"))
    except Unreadable as error:
        yield Problem(path, 1, error.message.removeprefix(f"{path}: "))
        return
    except (ValueError, RecursionError) as error:
        yield Problem(path, 1, f"not JSON: {error}")
        return
    rows = value
    if isinstance(value, dict):
        rows = value.get("results", value.get("memories"))
    if not isinstance(rows, list):
        yield Problem(path, 1, "not an export of mem0: no list of memories")
        return
    for number, row in enumerate(rows, 1):
        text = row.get("memory") if isinstance(row, dict) else None
        if isinstance(text, str) and text.strip():
            yield Memory(path, 1, {"text": text, **_mem0(row)})
        else:
            yield Problem(path, 1, f"memory {number} has no text")


def _mem0(row: dict[str, Any]) -> dict[str, Any]:
    metadata = row.get("metadata")
    category = metadata.get("category") if isinstance(metadata, dict) else None
    return {
        "tags": tags_of(row.get("categories") or ([category] if category else [])),
        "occurred_at": date_of(row.get("created_at")),
        "expires_at": date_of(row.get("expiration_date")),
        "session": row.get("run_id"),
    }


# --- the table -----------------------------------------------------------------------

# A page of more rules than this is not one that people wrote.
_MOST_RULES = 20_000


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
        about = _owner(place, folder)
        if not os.path.lexists(place):
            yield Problem(place, 1, "no such file or folder")
        elif _leads_away(place, about):
            yield Problem(place, 1, "is a symbolic link, which memcli does not follow")
        elif not os.path.isdir(place) and not os.path.isfile(place):
            yield Problem(place, 1, "is not a file")
        else:
            for number, item in enumerate(tool.read(place, about)):
                if number == _MOST_RULES:
                    yield Problem(
                        place, 1, f"the rest of more than {_MOST_RULES:,} memories"
                    )
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
        InvalidValue: there is none; the hint names all.
    """
    for tool in TOOLS:
        if tool.name == name.strip().lower():
            return tool
    raise InvalidValue(
        f"memcli cannot read the memories of {name[:60]!r}",
        hint=f"It reads those of: {', '.join(tool.name for tool in TOOLS)}.",
        code="invalid_tool",
    )
