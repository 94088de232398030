"""Memories that agents keep as a file each: Claude Code's, and agent-memory-git's.

A file has `name`, `description` and `type` (user, feedback, project or reference) in
its frontmatter. Claude Code has them in a folder for each project, with an index
`MEMORY.md`; agent-memory-git in one repository, with where each came from.
"""

from __future__ import annotations

import os

from memcli.errors import Unreadable
from memcli.hosts.memories import instructions
from memcli.hosts.memories.memory import (
    Found,
    Memory,
    Note,
    Problem,
    below,
    date_of,
    line_of,
    note,
    written,
)
from memcli.storage import files

_KINDS = {
    "user": "preference",
    "feedback": "convention",
    "project": "note",
    "reference": "reference",
}
_INDEX = "MEMORY.md"
# Of a transcript: where it was started stands in its first records.
_HEAD = 64_000


def claude_code(place: str) -> Found:
    """The memories of one project's folder `~/.claude/projects/<name>/memory`."""
    folder = _folder_of(os.path.dirname(place))
    topics = [path for path in below(place, ".md") if not path.endswith(_INDEX)]
    for path in topics:
        yield from _one(path, folder)
    index = os.path.join(place, _INDEX)
    # The index only points to the files, but its first versions held all there was.
    if not topics and os.path.isfile(index):
        yield from instructions.page(index, folder)


def agent_memory_git(place: str) -> Found:
    """The memories of a data repository of agent-memory-git."""
    for path in below(place, ".md"):
        if os.path.basename(path) not in ("README.md", "PROTOCOL.md"):
            yield from _one(path, None)


def _one(path: str, folder: str | None) -> Found:
    read = note(path)
    if isinstance(read, Problem):
        yield read
    elif read.body.strip():
        yield _memory(path, read, folder)


def _memory(path: str, read: Note, folder: str | None) -> Memory:
    # Claude Code 2.1 wrote `type` and the session below `metadata`.
    inner = read.values.get("metadata")
    values = {**(inner if isinstance(inner, dict) else {}), **read.values}
    source = values.get("source")
    source = source if isinstance(source, dict) else {}
    kind = line_of(values.get("type"))
    created = values.get("created") or values.get("modified")
    fields = {
        "text": read.body.strip("\n"),
        "title": line_of(values.get("description")) or line_of(values.get("name")),
        "kind": _KINDS.get(kind, "note"),
        "created": date_of(created) or written(path),
        "session": source.get("session_id") or values.get("originSessionId"),
        "host": source.get("tool"),
    }
    if line_of(values.get("scope")) == "here":
        folder = source.get("git_root") or source.get("cwd")
        fields["project"] = source.get("git_remote")
    # What a user is like, and how they want to work, is so in every project.
    about = None if kind in ("user", "feedback") and not source else folder
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
