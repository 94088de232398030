"""A folder of basic-memory, as memories: one a note.

A note keeps its observations (`- [category] text #tag`) and its relations
(`- implements [[Other]]`) as they are: the links lead to the notes of these titles.
"""

from __future__ import annotations

import os

from memcli.hosts.memories.memory import (
    Found,
    Memory,
    Problem,
    below,
    date_of,
    line_of,
    note,
    tags_of,
    written,
)

# What basic-memory calls the type of a note, where memcli has a kind for it.
_KINDS = {
    name: name for name in ("decision", "lesson", "event", "reference", "idea", "fix")
}


def memories(place: str) -> Found:
    """The memories of a project of basic-memory."""
    for path in below(place, ".md"):
        read = note(path)
        if isinstance(read, Problem):
            yield read
            continue
        if not read.body.strip():
            continue
        values = read.values
        name = os.path.basename(path).removesuffix(".md")
        fields = {
            "text": read.body.strip("\n"),
            "title": line_of(values.get("title")) or name,
            "kind": _KINDS.get(line_of(values.get("type")), "note"),
            "tags": tags_of(values.get("tags")),
            "created": date_of(values.get("created")) or written(path),
        }
        yield Memory(path, read.line, fields)
