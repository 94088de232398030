"""GitHub Copilot CLI: `events.jsonl`, lines of `{type, data, id, timestamp}`.

Invariant: a user step is `content` of a `user.message`, never `transformedContent`,
which holds injected text, and never that of a message which a skill or the host sent in
the user's name. Sub-agents give no steps.
"""

from __future__ import annotations

import os

from memcli.hosts.formats import records
from memcli.hosts.formats.records import Lines, Record, lines_of
from memcli.hosts.transcript import Step, typed_parts

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from typing import Any

# The families of events without steps; new members appear with each version.
_FAMILIES = frozenset(
    """session hook system assistant tool permission subagent skill elicitation mcp
    user_input pending_messages command commands model external_tool
    exit_plan_mode""".split()
)


class Copilot(records.Format):
    """GitHub Copilot CLI."""

    host = "copilot"

    def recognises(self, record: Record) -> bool:
        kind = records.text_of(record.get("type"))
        return (
            "." in kind
            and isinstance(record.get("data"), dict)
            and (kind == "user.message" or kind.partition(".")[0] in _FAMILIES)
        )

    def about(self, record: Record) -> tuple[Any, Any]:
        if record.get("type") != "session.start":
            return None, None
        data = records.object_of(record.get("data"))
        return data.get("sessionId"), records.object_of(data.get("context")).get("cwd")

    def default(self, path: str) -> tuple[str, str | None]:
        # The file is always `events.jsonl`; its folder has the session's name.
        folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
        return folder or "events", None

    def gone(self, lines: Lines) -> Container[int]:
        return _rewound(lines)

    def read(self, record: Record, at: records.At) -> Iterator[Step]:
        kind = records.text_of(record.get("type"))
        data = records.object_of(record.get("data"))
        if record.get("agentId") or data.get("parentToolCallId"):
            return  # a sub-agent's
        if kind == "user.message":
            yield from at.user(_prompt(data))
        elif kind == "assistant.message":
            yield from at.assistant(data.get("content"))
        elif kind == "tool.execution_start":
            yield _call(data, at)
        elif kind == "tool.execution_complete":
            yield _result(data, at)


def _prompt(data: dict[str, Any]) -> str:
    if data.get("source") not in (None, "", "user"):
        return ""
    if data.get("isAutopilotContinuation"):
        return ""
    text = records.joined(typed_parts(records.parts_of(data.get("content"))))
    return "" if records.is_plan(text) else text


def _call(data: dict[str, Any], at: records.At) -> Step:
    tool = records.text_of(data.get("toolName"))
    values = records.object_of(data.get("arguments"))
    # One tool for looking and writing: `command` says which, and is no command line.
    if tool == "str_replace_editor":
        tool = "view" if values.get("command") == "view" else "edit"
        values = {"path": values.get("path")}
    return at.tool(data.get("toolCallId"), tool, values)


def _result(data: dict[str, Any], at: records.At) -> Step:
    # `success` is true of a command that ended with code 1.
    code = records.number_of(
        records.object_of(data.get("shellExecution")).get("exitCode")
    )
    success = records.flag_of(data.get("success"))
    failed = None if success is None else not success
    if code is not None:
        failed = bool(code or failed)
    result = data.get("result")
    if isinstance(result, dict):
        result = result.get("content") or result.get("detailedContent")
    text = records.joined(records.parts_of(result))
    if not text:
        text = records.text_of(records.object_of(data.get("error")).get("message"))
    return at.result(data.get("toolCallId"), text, failed)


def _rewound(lines: Lines) -> set[int]:
    """From the event that was gone back to, which is taken back too, to the rewind."""
    met: dict[int, int] = {}
    ranges = []
    for line, record in lines.records():
        name = records.name_of(record.get("id"))
        if name is not None:
            met.setdefault(hash(name), line)
        if record.get("type") == "session.snapshot_rewind":
            target = records.object_of(record.get("data")).get("upToEventId")
            start = met.get(hash(records.name_of(target) or ""))
            if start is not None:
                ranges.append((start, line))
    return lines_of(ranges)
