"""Formats of one record a step: Copilot's, Cursor's, Windsurf's, and the generic one.

GitHub Copilot CLI writes `events.jsonl`, lines of `{type, data, id, timestamp}`. A user
step is `content` of a `user.message`, never `transformedContent`, which holds injected
text, and never that of a message which a skill or the host sent in the user's name.
Sub-agents give no steps.

Cursor writes lines of `{role, message{content}}`. A user step is the text in
`<user_query>` that stands in no other tag: around it, and in records of the user's
without it, the editor puts time, files, rules and reminders. There are no ids, no
times and no results of tools.

Windsurf writes steps of a trajectory, lines of `{type, status, <type>: {...}}`. A user
step is the response of a `user_input` step; its tools are not read. The format is taken
from the documentation; it has not been seen with a real client.

Any other agent writes `{"role": ..., "text": ...}` (docs/reference/transcripts.md). A
line says of itself who spoke or acted; nothing is guessed but the frame that memcli has
put around its own text, which is removed here too.
"""

from __future__ import annotations

import os
import re
import zlib

from memcli.hosts.formats import records
from memcli.hosts.transcript import ACTIONS, ROLES, Action, Step, typed_parts

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from typing import Any

    from memcli.hosts.formats.records import Record

# The families of events without steps; new members appear with each version.
_FAMILIES = frozenset(
    """session hook system assistant tool permission subagent skill elicitation mcp
    user_input pending_messages command commands model external_tool
    exit_plan_mode""".split()
)
# Marks of what no person typed: a sub-agent's, or the host's own.
_OF_OTHERS = ("agentId", "parentToolCallId", "ephemeral", "isAutopilotContinuation")


class Copilot(records.Transcript):
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
        data = record.get("data")
        return records.within(data, "sessionId"), records.within(data, "context", "cwd")

    def default(self) -> tuple[str, str | None]:
        # The file is always `events.jsonl`; its folder has the session's name.
        folder = os.path.basename(os.path.dirname(os.path.abspath(self.path)))
        return folder or "events", None

    def gone(self) -> Container[int]:
        # The event that was gone back to is taken back, too.
        return self.rewound(
            lambda record: records.within(record, "data", "upToEventId")
        )

    def read(self, record: Record, at: records.At) -> Iterator[Step]:
        kind = records.text_of(record.get("type"))
        data = records.object_of(record.get("data"))
        if any(record.get(mark) or data.get(mark) for mark in _OF_OTHERS):
            return
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
    code = records.number_of(records.within(data, "shellExecution", "exitCode"))
    success = records.flag_of(data.get("success"))
    failed = None if success is None else not success
    if code is not None:
        failed = bool(code or failed)
    result = data.get("result")
    if isinstance(result, dict):
        result = result.get("content") or result.get("detailedContent")
    text = records.joined(records.parts_of(result))
    if not text:
        text = records.text_of(records.within(data, "error", "message"))
    return at.result(data.get("toolCallId"), text, failed)


_OPEN, _CLOSE = "<user_query>", "</user_query>"
_TAG = r"<(/?)([\w-]+)"
# The editor writes this when a plan of the agent's is to be built; a title may stand
# above it, which is not typed either.
_PLANNED = ("Implement the plan as specified,", "Implement the following plan:")


class Cursor(records.Transcript):
    """Cursor: only the file's name says the session."""

    host = "cursor"

    def recognises(self, record: Record) -> bool:
        is_said = record.get("role") in ("user", "assistant")
        is_claudes = "type" in record or "sessionId" in record
        content = records.within(record, "message", "content")
        return is_said and not is_claudes and isinstance(content, list)

    def read(self, record: Record, at: records.At) -> Iterator[Step]:
        role = records.text_of(record.get("role"))
        content = records.within(record, "message", "content")
        if role == "user" and "subagents" not in self.path.split(os.sep):
            yield from at.user(_query(content))
        elif role == "assistant":
            yield from at.said(content)


def _query(content: Any) -> str:
    """The text that a person typed; empty when the record is not a person's."""
    text = records.joined(records.typed_blocks(content))
    # Of several tags all but one are of a file or a text that was pasted.
    before, *queries = text.split(_OPEN)
    if len(queries) != 1:
        return ""
    text, _, after = queries[0].partition(_CLOSE)
    # One that stands within another tag is of a file, too.
    opened = {name: closes for closes, name in re.findall(_TAG, before)}
    closed = {name for closes, name in re.findall(_TAG, after or text) if closes}
    within = any(not closes and name in closed for name, closes in opened.items())
    planned = any(planned in text for planned in _PLANNED)
    return "" if within or planned else text.strip()


_USER, _AGENT = "user_input", "planner_response"


class Windsurf(records.Transcript):
    """Windsurf: the file has the session's name."""

    host = "windsurf"

    def recognises(self, record: Record) -> bool:
        kind = record.get("type")
        return kind in (_USER, _AGENT) and isinstance(record.get(kind), dict)

    def id_of(self, record: Record) -> Any:
        return record.get("step_id") or record.get("id")

    def read(self, record: Record, at: records.At) -> Iterator[Step]:
        kind = record.get("type")
        values = records.object_of(record.get(kind) if kind in (_USER, _AGENT) else {})
        if kind == _USER:
            (text,) = typed_parts([records.text_of(values.get("user_response"))])
            yield from at.user("" if records.is_plan(text) else text)
        else:
            yield from at.assistant(values.get("response"))


class Generic(records.Transcript):
    """The format for every other agent."""

    host = "generic"

    def recognises(self, record: Record) -> bool:
        return record.get("role") in ROLES and isinstance(record.get("text"), str)

    def about(self, record: Record) -> tuple[Any, Any]:
        """A `session` that the first line names; else the file's name and that line.

        A name alone is not enough: two folders may each have a `chat.jsonl`.
        """
        first = f"{record.get('role')}\0{record.get('text')}"
        mark = zlib.crc32(first.encode("utf-8", "replace"))
        named = records.name_of(record.get("session"))
        return named or f"{self.default()[0]}-{mark:08x}", None

    def read(self, record: Record, at: records.At) -> Iterator[Step]:
        role, text = map(records.text_of, (record.get("role"), record.get("text")))
        at.moment = at.moment or records.instant(record.get("at"))
        call = record.get("call")
        if role == "user":
            yield from at.user(text, program=bool(record.get("program")))
        elif role == "assistant":
            yield from at.assistant(text)
        elif role == "call":
            kind = record.get("action")
            action: Action = kind if kind in ACTIONS else "other"
            yield at.call(call, action, text)
        elif role == "result":
            yield at.result(call, text, records.flag_of(record.get("failed")))
