"""Codex: one rollout file a session, lines of `{timestamp, type, payload}`.

Invariant: only response items are steps. Events repeat them, `compacted` repeats the
old prompts of its history, and a developer's messages hold the text that hooks have
injected. A user step is text that a person typed, without the wrapper of the desktop
application; turns that were rolled back are no steps.
"""

from __future__ import annotations

import re
from itertools import islice

from memcli.hosts.formats import json_fields
from memcli.hosts.formats.jsonl_lines import Lines, Ranges, Record
from memcli.hosts.transcript import Session, Step, typed_parts

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

NAME = "codex"

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
_NO_STEPS = frozenset(
    """reasoning ghost_snapshot compaction compaction_summary context_compaction other
    tool_search_call tool_search_output web_search_call image_generation_call
    agent_message additional_tools""".split()
)
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_HEADER = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Original token count|Total output lines|"
    r"Process running with session ID)\b[^\n]*\n|"
    r"(?:Process exited with code|Exit code:) (-?\d{1,9})\n)*Output:(?:\n|\Z)"
)
_PATCH_FAILED = "apply_patch verification failed"


def recognises(record: Record) -> bool:
    """Whether only this host writes such a record."""
    kind = json_fields.words(record.get("type"))
    return kind in _TYPES and isinstance(record.get("payload"), dict)


def session(lines: Lines) -> Session:
    """The session of this transcript: its first `session_meta`; others repeat it."""
    meta = _meta(lines)
    stem = json_fields.stem(lines.path)
    return Session(
        id=json_fields.name(meta.get("id")) or stem,
        host=NAME,
        cwd=json_fields.words(meta.get("cwd")) or None,
    )


def steps(lines: Lines) -> Iterator[Step]:
    """Every step, in the order of the file, which is read twice."""
    # A sub-agent's rollout: who types there is the agent above it.
    ours = not _sub_agent(_meta(lines))
    gone = _rolled_back(lines)
    codes: dict[str, int] = {}
    seen: set[int] = set()
    for line, record in lines.records():
        kind = json_fields.words(record.get("type"))
        payload = json_fields.mapping(record.get("payload"))
        if kind == "event_msg":
            _note_code(payload, codes)
        elif kind not in _TYPES:
            lines.met_unknown(kind)
        if kind != "response_item" or not ours or line in gone:
            continue
        name = json_fields.name(payload.get("id"))
        if name is not None:
            if hash(name) in seen:
                continue
            seen.add(hash(name))
        at = json_fields.At(line, name, record.get("timestamp"))
        yield from _item(payload, at, codes, lines)


def _item(
    payload: dict[str, Any], at: json_fields.At, codes: dict[str, int], lines: Lines
) -> Iterator[Step]:
    kind, call = json_fields.words(payload.get("type")), payload.get("call_id")
    if kind == "message":
        if payload.get("role") == "user":
            yield from at.user(_prompt(payload))
        elif payload.get("role") == "assistant":
            yield from at.assistant(payload.get("content"))
    elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
        tool = json_fields.words(payload.get("name")) or kind.removesuffix("_call")
        yield at.tool(call or payload.get("id"), tool, _arguments(payload))
    elif kind in ("function_call_output", "custom_tool_call_output"):
        text, code, success = _output(payload.get("output"))
        if code is None:
            code = codes.pop(json_fields.name(call) or "", None)
        failed = None if success is None else not success
        if code is not None:
            failed = code != 0
        yield at.result(call, text, failed)
    elif kind not in _NO_STEPS:
        lines.met_unknown(f"response_item/{kind}")


def _meta(lines: Lines) -> dict[str, Any]:
    for _, record in islice(lines.records(), 50):
        if record.get("type") == "session_meta":
            return json_fields.mapping(record.get("payload"))
    return {}


def _sub_agent(meta: dict[str, Any]) -> bool:
    source = json_fields.mapping(meta.get("source"))
    return meta.get("thread_source") == "subagent" or "subagent" in source


def _prompt(payload: dict[str, Any]) -> str:
    """What a person typed; empty when the message is not a person's."""
    texts = json_fields.parts(payload.get("content"))
    about = json_fields.mapping(
        payload.get("internal_chat_message_metadata_passthrough")
    )
    kinds = about.get("content_item_kinds")
    if isinstance(kinds, list) and len(kinds) == len(texts):
        marks = [json_fields.words(kind) or "unknown" for kind in kinds]
        texts = [
            text
            for text, mark in zip(texts, marks, strict=True)
            if mark == "unknown" or mark.startswith("user.")
        ]
    texts = [text for text in texts if not text.lstrip().startswith(_NOT_TYPED)]
    text = json_fields.joined(typed_parts(texts))
    if text.lstrip().startswith("# ") and _REQUEST in text:
        text = text.rpartition(_REQUEST)[2]
    return text


def _rolled_back(lines: Lines) -> Ranges:
    """From the first prompt of the turns that were taken back to the taking back."""
    prompts: list[int] = []
    ranges = []
    for line, record in lines.records():
        payload = json_fields.mapping(record.get("payload"))
        kind = record.get("type"), payload.get("type")
        if kind == ("event_msg", "thread_rolled_back"):
            turns = json_fields.number(payload.get("num_turns")) or 0
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
    return Ranges(ranges)


def _arguments(payload: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call; of a patch the first file, of a shell its command."""
    given = json_fields.words(payload.get("input"))
    values = json_fields.mapping(payload.get("action")) or _parsed(
        payload.get("arguments")
    )
    if patched := _PATCHED.search(given or json_fields.words(values.get("input"))):
        return {"path": patched[1]}
    command = values.get("command")
    # `bash -lc "make test"` is `make test`.
    if isinstance(command, list) and len(command) == 3 and command[1] in ("-lc", "-c"):
        return {"command": command[2]}
    return values


def _note_code(payload: dict[str, Any], codes: dict[str, int]) -> None:
    """Remember how a command ended; its output may not say so."""
    item = json_fields.mapping(payload.get("item"))
    if payload.get("type") == "exec_command_end":
        call, code = payload.get("call_id"), payload.get("exit_code")
    elif item.get("type") == "CommandExecution":
        call, code = item.get("id"), item.get("exit_code")
    else:
        return
    ended, name = json_fields.number(code), json_fields.name(call)
    if ended is not None and name is not None:
        codes[name] = ended


def _output(value: Any) -> tuple[str, int | None, bool | None]:
    """(text, exit code, success) of an output, in any of the forms it has had."""
    success = None
    if isinstance(value, dict):
        success = json_fields.flag(value.get("success"))
        value = value.get("content", value.get("output"))
    text = json_fields.joined(json_fields.parts(value))
    held = _parsed(text) if text.startswith('{"') else {}
    if "output" in held:
        code = json_fields.number(
            json_fields.mapping(held.get("metadata")).get("exit_code")
        )
        return json_fields.words(held["output"]), code, success
    if header := _HEADER.match(text):
        code = int(header[1]) if header[1] else None
        return text[header.end() :], code, success
    if text.startswith(_PATCH_FAILED):
        success = False
    return text, None, success


def _parsed(value: Any) -> dict[str, Any]:
    """The JSON object that a string holds; empty when it holds none."""
    if not isinstance(value, str):
        return {}
    import json

    try:
        return json_fields.mapping(json.loads(value, strict=False))
    except (ValueError, RecursionError):
        return {}
