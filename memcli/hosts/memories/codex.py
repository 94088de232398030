"""What Codex remembers: `memory_summary.md`, `MEMORY.md` and notes, as memories.

The summary has what is known of the user; `MEMORY.md` a handbook of task groups, each
with the folders that it is about.
"""

from __future__ import annotations

import os
import re

from memcli.hosts.memories import markdown
from memcli.hosts.memories.memory import (
    Found,
    Memory,
    Problem,
    below,
    date_of,
    note,
    written,
)

_ABOUT_THE_USER = ("User Profile", "User preferences", "General Tips")
_GROUP = re.compile(r"^(?=# Task Group: )", re.MULTILINE)
_CWD = re.compile(r"\bcwd=([^\s;,)]{1,1000})")
_THREAD = re.compile(r"\bthread_id=([0-9a-f-]{36})")
_UPDATED = re.compile(r"\bupdated_at=([0-9T:.+Z-]{10,40})")


def memories(place: str) -> Found:
    """The memories of the folder `~/.codex/memories`."""
    summary = os.path.join(place, "memory_summary.md")
    if os.path.isfile(summary):
        yield from _summary(summary)
    handbook = os.path.join(place, "MEMORY.md")
    if os.path.isfile(handbook):
        yield from _handbook(handbook)
    for path in below(os.path.join(place, "extensions", "ad_hoc", "notes"), ".md"):
        read = note(path)
        if isinstance(read, Problem):
            yield read
        elif read.body.strip():
            fields = {"text": read.body.strip("\n"), "created": written(path)}
            yield Memory(path, read.line, fields)


def _summary(path: str) -> Found:
    read = note(path)
    if isinstance(read, Problem):
        yield read
        return
    for section in markdown.sections(read.body, read.line):
        name = section.headings[-1] if section.headings else ""
        if name not in _ABOUT_THE_USER:
            continue  # the rest is an index of the handbook
        place, created = f"{path}#{name}", written(path)
        found = list(markdown.bullets(section.text, section.line + 1))
        for line, text in found or [(section.line, section.text)]:
            fields = {"text": text, "kind": "preference", "created": created}
            yield Memory(place, line, fields)


def _handbook(path: str) -> Found:
    read = note(path)
    if isinstance(read, Problem):
        yield read
        return
    line = read.line
    for group in _GROUP.split(read.body):
        title, _, text = group.partition("\n")
        if title.startswith("# Task Group: ") and text.strip():
            title = title.removeprefix("# Task Group: ").strip()
            cwd, thread = _CWD.search(group), _THREAD.search(group)
            dates = [date_of(word) or "" for word in _UPDATED.findall(group)]
            fields = {
                "text": text.strip("\n"),
                "title": title,
                "created": max(dates, default="") or written(path),
                "session": thread and thread[1],
            }
            folder = cwd and cwd[1]
            yield Memory(f"{path}#{title}", line, fields, folder or None)
        line += group.count("\n")
