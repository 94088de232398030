"""Codex: one rollout file a session, lines of `{timestamp, type, payload}`.

Invariant: only response items are steps. Events repeat them, `compacted` repeats the
old prompts of its history, and a developer's messages hold the text that hooks have
injected. A user step is text that a person typed, without the wrapper of the desktop
application; turns that were rolled back are no steps.
"""

from __future__ import annotations

import re
from itertools import islice

from memcli.hosts.formats import records
from memcli.hosts.formats.records import Record, lines_of, object_of, text_of, within
from memcli.hosts.transcript import Step, typed_parts

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from typing import Any

_NOT_TYPED = (
    "<environment_context>", "<user_instructions>", "<turn_aborted>",
    "<user_shell_command>", "<user_action>", "<skill>", "<subagent_notification>",
    "<INSTRUCTIONS>", "<image", "</image", "# AGENTS.md instructions",
    "Implement the following plan:",
    "Another language model started to solve this problem",
)  # fmt: skip
# The desktop application puts files and selections before the typed text. Those may
# hold this line as well, so the last one counts.
_REQUEST = "## My request for Codex:"

_TYPES = frozenset(
    """session_meta turn_context world_state compacted event_msg token_usage_record
    response_item""".split()
)
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_HEADER = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Original token count|Total output lines|"
    r"Process running with session ID)\b[^\n]*\n|"
    r"(?:Process exited with code|Exit code:) (-?\d{1,9})\n)*Output:(?:\n|\Z)"
)
# A command, a library, another agent or a clock has sent a turn.
_PROGRAM = re.compile(r"(?i)(?<![a-z])(?:exec|sdk|mcp|claude|automation|scheduled)")
_PATCH_FAILED = "apply_patch verification failed"


class Codex(records.Transcript):
    """Codex."""

    host = "codex"

    def recognises(self, record: Record) -> bool:
        kind = text_of(record.get("type"))
        return kind in _TYPES and isinstance(record.get("payload"), dict)

    def about(self, record: Record) -> tuple[Any, Any]:
        meta = _meta(record)  # the first counts; others repeat it
        return meta.get("id"), meta.get("cwd")

    def forked(self, record: Record) -> tuple[Any, Any]:
        meta = _meta(record)
        return meta.get("id"), meta.get("forked_from_id")

    def steps(self) -> Iterator[Step]:
        self._program: bool | None = None
        return super().steps()

    def gone(self) -> Container[int]:
        for _, record in islice(self.records(), records.HEAD):
            meta = _meta(record)
            source = object_of(meta.get("source"))
            named = meta.get("agent_nickname") or meta.get("agent_role")
            if named or meta.get("thread_source") == "subagent" or "subagent" in source:
                return records.ALL  # who types there is the agent above it
        # From the first prompt of the turns that were taken back to the taking back.
        prompts: list[int] = []
        ranges = []
        for line, record in self.records():
            payload = object_of(record.get("payload"))
            kind = record.get("type"), payload.get("type")
            if kind == ("event_msg", "thread_rolled_back"):
                turns = records.number_of(payload.get("num_turns")) or 0
                if turns > 0 and prompts:
                    start = max(len(prompts) - turns, 0)
                    ranges.append((prompts[start], line))
                    del prompts[start:]
            elif (
                kind == ("response_item", "message")
                and payload.get("role") == "user"
                and _prompt(payload)
            ):
                prompts.append(line)
        return lines_of(ranges)

    def id_of(self, record: Record) -> Any:
        is_item = record.get("type") == "response_item"
        return within(record, "payload", "id") if is_item else None

    def read(self, record: Record, at: records.At) -> Iterator[Step]:
        payload = object_of(record.get("payload"))
        trigger = text_of(within(payload, "turn_attribution", "turn_trigger"))
        if record.get("type") == "session_meta" and self._program is None:
            trigger = f"{payload.get('originator')} {payload.get('source')}"
        if trigger:
            self._program = bool(_PROGRAM.search(trigger))
        if record.get("type") != "response_item":
            return
        kind, call = text_of(payload.get("type")), payload.get("call_id")
        if kind == "message":
            if payload.get("role") == "user":
                yield from at.user(_prompt(payload), program=bool(self._program))
            elif payload.get("role") == "assistant":
                yield from at.assistant(payload.get("content"))
        elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
            tool = text_of(payload.get("name")) or kind.removesuffix("_call")
            yield at.tool(call or payload.get("id"), tool, _arguments(payload))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            yield at.result(call, *_output(payload.get("output")))


def _meta(record: Record) -> dict[str, Any]:
    is_meta = record.get("type") == "session_meta"
    return object_of(record.get("payload")) if is_meta else {}


def _prompt(payload: dict[str, Any]) -> str:
    """The text that a person typed; empty when the message is not a person's."""
    texts = records.parts_of(payload.get("content"))
    about = "internal_chat_message_metadata_passthrough"
    kinds = within(payload, about, "content_item_kinds")
    if isinstance(kinds, list) and len(kinds) == len(texts):
        marks = [text_of(kind) or "unknown" for kind in kinds]
        texts = [
            text
            for text, mark in zip(texts, marks, strict=True)
            if mark == "unknown" or mark.startswith("user.")
        ]
    texts = [text for text in texts if not text.lstrip().startswith(_NOT_TYPED)]
    text = records.joined(typed_parts(texts))
    if text.lstrip().startswith("# ") and _REQUEST in text:
        text = text.rpartition(_REQUEST)[2]
    return text


def _arguments(payload: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call; of a patch the first file, of a shell its command."""
    given = text_of(payload.get("input"))
    values = object_of(payload.get("action"))
    values = values or records.parsed(payload.get("arguments")) or {}
    if patched := _PATCHED.search(given or text_of(values.get("input"))):
        return {"path": patched[1]}
    command = values.get("command")
    # `bash -lc "make test"` is `make test`.
    if isinstance(command, list) and len(command) == 3 and command[1] in ("-lc", "-c"):
        return {"command": command[2]}
    return values


def _output(value: Any) -> tuple[str, bool | None]:
    """(text, whether it failed) of an output, in any of the forms it has had; an exit
    code has the last word."""
    failed = code = None
    if isinstance(value, dict):
        success = records.flag_of(value.get("success"))
        failed = None if success is None else not success
        value = value.get("content", value.get("output"))
    text = records.joined(records.parts_of(value))
    held = records.parsed(text) if text.startswith('{"') else None
    if held and "output" in held:
        code = records.number_of(within(held, "metadata", "exit_code"))
        text = text_of(held["output"])
    elif header := _HEADER.match(text):
        code = int(header[1]) if header[1] else None
        text = text[header.end() :]
    elif text.startswith(_PATCH_FAILED):
        failed = True
    return text, failed if code is None else code != 0
