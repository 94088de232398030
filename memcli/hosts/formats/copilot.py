"""GitHub Copilot CLI: `events.jsonl`, lines of `{type, data, id, timestamp}`.

Invariant: a user step is `content` of a `user.message`, never `transformedContent`,
which holds injected text, and never that of a message which a skill or the host sent in
the user's name. Sub-agents give no steps.
"""

from __future__ import annotations

import os
from itertools import islice

from memcli.hosts.formats import json_fields
from memcli.hosts.formats.jsonl_lines import Lines, Ranges, Record
from memcli.hosts.transcript import Session, Step, typed_parts

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

NAME = "copilot"

# The families of events without steps; new members appear with each version.
_FAMILIES = frozenset(
    """session hook system assistant tool permission subagent skill elicitation mcp
    user_input pending_messages command commands model external_tool
    exit_plan_mode""".split()
)


def recognises(record: Record) -> bool:
    """Whether only this host writes such a record."""
    kind = json_fields.words(record.get("type"))
    return (
        "." in kind
        and isinstance(record.get("data"), dict)
        and (kind == "user.message" or kind.partition(".")[0] in _FAMILIES)
    )


def session(lines: Lines) -> Session:
    """The session of this transcript, from `session.start`."""
    fields: dict[str, Any] = {}
    for _, record in islice(lines.records(), 50):
        data = json_fields.mapping(record.get("data"))
        if record.get("type") == "session.start":
            context = json_fields.mapping(data.get("context"))
            fields = {
                "id": json_fields.name(data.get("sessionId")),
                "cwd": json_fields.words(context.get("cwd")),
            }
            break
    # The file is always `events.jsonl`; its folder has the session's name.
    folder = os.path.basename(os.path.dirname(os.path.abspath(lines.path)))
    known = {key: value for key, value in fields.items() if value}
    return Session(**{"id": folder or "events", "host": NAME, **known})


def steps(lines: Lines) -> Iterator[Step]:
    """Every step, in the order of the file, which is read twice."""
    gone = _rewound(lines)
    seen: set[int] = set()
    for line, record in lines.records():
        kind = json_fields.words(record.get("type"))
        data = json_fields.mapping(record.get("data"))
        if line in gone or record.get("agentId") or data.get("parentToolCallId"):
            continue
        name = json_fields.name(record.get("id"))
        if name is not None:
            if hash(name) in seen:
                continue
            seen.add(hash(name))
        at = json_fields.At(line, name, record.get("timestamp"))
        if kind == "user.message":
            yield from at.user(_prompt(data))
        elif kind == "assistant.message":
            yield from at.assistant(data.get("content"))
        elif kind == "tool.execution_start":
            yield _call(data, at)
        elif kind == "tool.execution_complete":
            yield _result(data, at)
        elif kind != "abort" and kind.partition(".")[0] not in _FAMILIES:
            lines.met_unknown(kind)


def _prompt(data: dict[str, Any]) -> str:
    if data.get("source") not in (None, "", "user"):
        return ""
    if data.get("isAutopilotContinuation"):
        return ""
    text = json_fields.joined(typed_parts(json_fields.parts(data.get("content"))))
    return "" if text.startswith("Implement the following plan:") else text


def _call(data: dict[str, Any], at: json_fields.At) -> Step:
    tool = json_fields.words(data.get("toolName"))
    values = json_fields.mapping(data.get("arguments"))
    # One tool for looking and writing: `command` says which, and is no command line.
    if tool == "str_replace_editor":
        tool = "view" if values.get("command") == "view" else "edit"
        values = {"path": values.get("path")}
    return at.tool(data.get("toolCallId"), tool, values)


def _result(data: dict[str, Any], at: json_fields.At) -> Step:
    # `success` is true of a command that ended with code 1.
    code = json_fields.number(
        json_fields.mapping(data.get("shellExecution")).get("exitCode")
    )
    success = json_fields.flag(data.get("success"))
    failed = None if success is None else not success
    if code is not None:
        failed = bool(code or failed)
    result = data.get("result")
    if isinstance(result, dict):
        result = result.get("content") or result.get("detailedContent")
    text = json_fields.joined(json_fields.parts(result))
    if not text:
        text = json_fields.words(json_fields.mapping(data.get("error")).get("message"))
    return at.result(data.get("toolCallId"), text, failed)


def _rewound(lines: Lines) -> Ranges:
    """From the event that was gone back to, which is taken back too, to the rewind."""
    met: dict[int, int] = {}
    ranges = []
    for line, record in lines.records():
        name = json_fields.name(record.get("id"))
        if name is not None:
            met.setdefault(hash(name), line)
        if record.get("type") == "session.snapshot_rewind":
            target = json_fields.mapping(record.get("data")).get("upToEventId")
            start = met.get(hash(json_fields.name(target) or ""))
            if start is not None:
                ranges.append((start, line))
    return Ranges(ranges)
