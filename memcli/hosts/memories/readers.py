"""Readers of other tools' files: given a place and the project's folder, memories.

A file that holds rules gives one memory a rule, a file or row that holds one memory
gives that one.
"""

from __future__ import annotations

import os
import re

from memcli.errors import Unreadable
from memcli.hosts.memories import markdown
from memcli.hosts.memories.memory import (
    Found,
    Memory,
    Note,
    Problem,
    below,
    date_of,
    line_of,
    note,
    tags_of,
    written,
)
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

# Where rules say which paths they are for: Cursor, Claude Code, Copilot.
_GLOBS = ("globs", "paths", "applyTo")
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
        title = _title(path, read) if is_folder else ""
        for rule in markdown.rules(read.body, read.line):
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
    for rule in markdown.rules(read.body, read.line):
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
