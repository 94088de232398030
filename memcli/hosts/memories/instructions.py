"""The pages of instructions that agents read at their start, as memories.

`CLAUDE.md`, `AGENTS.md`, `GEMINI.md`, `.github/copilot-instructions.md` and rules in
`.cursor/rules` or `.claude/rules` are markdown that people write for an agent: each
section is a convention. A rule's file is one convention, with the paths it is for.
"""

from __future__ import annotations

import os

from memcli.hosts.memories import markdown
from memcli.hosts.memories.memory import (
    Found,
    Memory,
    Note,
    Problem,
    below,
    line_of,
    note,
    written,
)

# Where rules say which paths they are for: Cursor, Claude Code, Copilot.
_GLOBS = ("globs", "paths", "applyTo")
# The heading under which Gemini CLI appends what it is told to remember.
_REMEMBERED = "Gemini Added Memories"


def page(path: str, folder: str | None) -> Found:
    """The sections of a page; `folder` is the project that it is about."""
    read = note(path)
    if isinstance(read, Problem):
        yield read
        return
    for section in markdown.sections(read.body, read.line):
        if section.headings and section.headings[-1] == _REMEMBERED:
            yield from _remembered(path, section, folder)
            continue
        title = section.title
        fields = {
            "text": section.text,
            "title": title,
            "kind": "convention",
            "created": written(path),
        }
        place = f"{path}#{title}" if title else path
        yield Memory(place, section.line, fields, folder)


def _remembered(path: str, section: markdown.Section, folder: str | None) -> Found:
    for line, text in markdown.bullets(section.text, section.line + 1):
        fields = {"text": text, "kind": "note", "created": written(path)}
        yield Memory(f"{path}#{_REMEMBERED}", line, fields, folder)


def rules(place: str, folder: str | None, *ends: str) -> Found:
    """The rules of a folder, one a file."""
    for path in below(place, *ends):
        read = note(path)
        if isinstance(read, Problem):
            yield read
        elif read.body.strip():
            yield _rule(path, read, folder)


def _rule(path: str, read: Note, folder: str | None) -> Memory:
    name = os.path.basename(path).split(".")[0]
    globs = [read.values[key] for key in _GLOBS if read.values.get(key)]
    paths = ", ".join(
        ", ".join(value) if isinstance(value, list) else str(value) for value in globs
    )
    text = read.body.strip("\n")
    if paths and paths not in ("**", "**/*"):
        text = f"For `{paths}`:\n\n{text}"
    fields = {
        "text": text,
        "title": line_of(read.values.get("description")) or name,
        "kind": "convention",
        "created": written(path),
    }
    return Memory(path, read.line, fields, folder)
