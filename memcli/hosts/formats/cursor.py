"""Cursor: one JSONL file a session, lines of `{role, message{content}}`.

Invariant: a user step is the text in `<user_query>`: around it, and in records of the
user's without it, the editor puts time, files, rules and reminders. There are no ids,
no times and no results of tools.
"""

from __future__ import annotations

import re

from memcli.hosts.formats import json_fields
from memcli.hosts.transcript import Session, Step, typed_parts

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memcli.hosts.formats.jsonl_lines import Lines, Record

NAME = "cursor"

_ROLES = ("user", "assistant")
_KNOWN = frozenset(("turn_ended",))
_OPEN, _CLOSE = "<user_query>", "</user_query>"
# Only at the beginning: pasted text may hold such a tag as well.
_TIMESTAMP = re.compile(r"\A\s*<timestamp>[^<]*</timestamp>")
# The editor writes this when a plan of the agent's is to be built; a title may stand
# above it, which is not typed either.
_PLANNED = ("Implement the plan as specified,", "Implement the following plan:")


def recognises(record: Record) -> bool:
    """Whether only this host writes such a record: a role, no type, no session."""
    message = record.get("message")
    return (
        json_fields.words(record.get("role")) in _ROLES
        and "type" not in record
        and "sessionId" not in record
        and isinstance(message, dict)
        and isinstance(message.get("content"), list)
    )


def session(lines: Lines) -> Session:
    """The session of this transcript: only the file's name says it."""
    # Read once, so that a file that cannot be opened says so here.
    next(lines.records(), None)
    stem = json_fields.stem(lines.path)
    return Session(id=stem, host=NAME)


def steps(lines: Lines) -> Iterator[Step]:
    """Every step, in the order of the file."""
    for line, record in lines.records():
        role = json_fields.words(record.get("role"))
        if role not in _ROLES:
            kind = json_fields.words(record.get("type")) or role
            if kind not in _KNOWN:
                lines.met_unknown(kind)
            continue
        at = json_fields.At(line)
        content = json_fields.mapping(record.get("message")).get("content")
        if role == "user":
            yield from at.user(_prompt(content))
        elif isinstance(content, str):
            yield from at.assistant(content)
        else:
            for block in json_fields.objects(content):
                yield from _said(block, at)


def _prompt(content: Any) -> str:
    """What a person typed; empty when the record is not a person's."""
    if isinstance(content, list):
        content = [
            block
            for block in content
            if isinstance(block, dict) and block.get("type") == "text"
        ]
    text = json_fields.joined(typed_parts(json_fields.parts(content)))
    # The last tag: the files above it may hold one as well.
    _, tagged, query = text.rpartition(_OPEN)
    if tagged:
        text = query.partition(_CLOSE)[0].strip()
    else:
        text = _TIMESTAMP.sub("", text).strip()
        if text.startswith("<"):
            return ""
    return "" if any(planned in text for planned in _PLANNED) else text


def _said(block: dict[str, Any], at: json_fields.At) -> Iterator[Step]:
    if block.get("type") == "text":
        yield from at.assistant(block.get("text"))
    elif block.get("type") == "tool_use":
        yield at.tool(block.get("id"), block.get("name"), block.get("input"))
