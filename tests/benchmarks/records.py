"""Who wrote a record of a transcript, told from its raw JSON alone.

Knows nothing of memcli's adapters, so that a benchmark can hold against them what came
out of a session: by the flags that hosts set, and by the shape of what they leave
unflagged. Where it is in doubt, a record is not a person's.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

PERSON, ASSISTANT, CALL = "person", "assistant", "call"
FORBIDDEN = (
    "plan",
    "meta",
    "sidechain",
    "compaction",
    "tool result",
    "hook",
    "notice",
    "command",
    "injected",
    "copy",
    "other",
)
"""Kinds of records from which nothing may be learned."""

Record = dict[str, Any]

# What hosts write in a person's name without a flag; tried on the start of the text.
_SHAPES = (
    ("plan", r"Implement the following plan"),
    ("compaction", r"This session is being continued from"),
    ("compaction", r"<state_snapshot"),
    ("hook", r"Operation stopped by hook|<user-prompt-submit-hook"),
    ("notice", r"<task-notification|\[Request interrupted"),
    ("command", r"<command-|<local-command|<bash-|Caveat: The messages below"),
    ("command", r"Base directory for this skill"),
    ("injected", r"<environment_context|<user_instructions|<turn_aborted|<permissions"),
    ("injected", r"# AGENTS\.md instructions|<INSTRUCTIONS>|<session_context"),
    ("injected", r"<skill>|<subagent_notification"),
)
_BLOCK = re.compile(
    r"<(memcli-memory|hook_context|system-reminder|system_reminder|ide_selection"
    r"|ide_opened_file)\b.*?(?:</\1\s*>|\Z)"
    r"|# Context from my IDE setup:.*?## My request for Codex:",
    re.DOTALL | re.IGNORECASE,
)


class Told(NamedTuple):
    """One record: where it stands, who wrote it, what a person said in it.

    `origin` is `PERSON`, `ASSISTANT`, `CALL` or one of `FORBIDDEN`; `text` is without
    what was `injected` around it.
    """

    line: int
    name: str
    origin: str
    text: str
    injected: str


def read(path: Path, host: str) -> list[Told]:
    """Return every record of a transcript; a line that is no JSON object is left out.

    Args:
        path: The file.
        host: claude-code, codex, gemini, copilot or generic.
    """
    told = []
    whole_is_sidechain = False
    for line, record in _records(path):
        whole_is_sidechain = whole_is_sidechain or _of_subagent(record, host)
        for inner in _messages(record, host):
            origin, text = _READERS[host](inner)
            if whole_is_sidechain and origin in (PERSON, ASSISTANT, CALL):
                origin = "sidechain"
            rest = _BLOCK.sub(" ", text).strip()
            if origin == PERSON:
                origin = _shaped(rest)
            injected = "\n".join(match[0] for match in _BLOCK.finditer(text))
            told.append(Told(line, _name(inner), origin, rest, injected))
    return told


def _records(path: Path) -> Iterator[tuple[int, Record]]:
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    whole = _parsed(text)
    if whole is not None and isinstance(whole.get("messages"), list):
        yield 1, whole
        return
    for line, words in enumerate(text.split("\n"), 1):
        record = _parsed(words)
        if record is not None:
            yield line, record


def _parsed(words: str) -> Record | None:
    try:
        record = json.loads(words)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _messages(record: Record, host: str) -> list[Record]:
    """Return the records within a record: Gemini lists whole chats in one."""
    if host == "gemini":
        holder = record.get("$set", record)
        listed = holder.get("messages") if isinstance(holder, dict) else None
        if isinstance(listed, list):
            return [one for one in listed if isinstance(one, dict)]
    return [record]


def _of_subagent(record: Record, host: str) -> bool:
    payload = _dict(record.get("payload"))
    if host == "codex" and record.get("type") == "session_meta":
        return "subagent" in str(payload.get("source")) or bool(
            payload.get("agent_role") or payload.get("parent_thread_id")
        )
    return host == "gemini" and record.get("kind") == "subagent"


def _shaped(text: str) -> str:
    if not text:
        return "injected"
    for origin, shape in _SHAPES:
        if re.match(shape, text):
            return origin
    return PERSON


def _claude_code(record: Record) -> tuple[str, str]:
    message = _dict(record.get("message"))
    content = message.get("content")
    blocks = [one.get("type") for one in _blocks(content)]
    text = _text(content)
    kind = record.get("type")
    for flag, origin in (
        ("isSidechain", "sidechain"),
        ("isMeta", "meta"),
        ("isCompactSummary", "compaction"),
        ("isVisibleInTranscriptOnly", "compaction"),
    ):
        if record.get(flag):
            return origin, text
    if kind == "assistant":
        return (CALL if "tool_use" in blocks else ASSISTANT), text
    queued = _dict(record.get("attachment"))
    if queued.get("commandMode") == "prompt":
        human = _dict(queued.get("origin")).get("kind") == "human"
        return (PERSON if human else "notice"), _text(queued.get("prompt"))
    if kind != "user":
        return ("copy" if kind in _COPIES else "other"), text
    if blocks == ["tool_result"] and record.get("toolDenialKind") == "user-rejected":
        refusal = _REFUSED.match(str(record.get("toolUseResult")))
        if refusal:
            return PERSON, refusal[1]
    if "tool_result" in blocks or record.get("toolUseResult"):
        return "tool result", text
    if record.get("planContent"):
        return "plan", text
    return PERSON, text


# The host writes `toolUseResult`. It repeats an error there, so a tool that fails with
# this very sentence is taken for a person here; the adapter looks at the tool as well.
_REFUSED = re.compile(
    r"(?:Error: )?The user doesn't want to proceed with this tool use\.[^\n]*"
    r" the user said:\n(.+)",
    re.DOTALL,
)
_COPIES = ("queue-operation", "last-prompt", "attachment", "progress", "event_msg")


def _codex(record: Record) -> tuple[str, str]:
    payload = _dict(record.get("payload"))
    kind, role = payload.get("type"), payload.get("role")
    text = _text(payload.get("content"))
    if record.get("type") == "compacted" or kind == "compaction":
        return "compaction", text
    if record.get("type") in _COPIES:
        return "copy", _text(payload.get("message"))
    if record.get("type") != "response_item":
        return "other", text
    if kind == "message":
        named = {"user": PERSON, "assistant": ASSISTANT}
        return named.get(str(role), "injected"), text
    if str(kind).endswith("_output"):
        return "tool result", text
    return (CALL if str(kind).endswith("_call") else "other"), text


def _gemini(record: Record) -> tuple[str, str]:
    content = record.get("content")
    kind = record.get("type")
    if kind == "user":
        answered = any("functionResponse" in one for one in _blocks(content))
        return ("tool result" if answered else PERSON), _text(content)
    if kind == "gemini":
        return (CALL if record.get("toolCalls") else ASSISTANT), _text(content)
    return "other", _text(content)


def _copilot(record: Record) -> tuple[str, str]:
    data = _dict(record.get("data"))
    kind = str(record.get("type"))
    text = _text(data.get("content"))
    if record.get("agentId") or data.get("agentId"):
        return "sidechain", text
    if kind == "user.message":
        return PERSON, text
    if kind == "assistant.message":
        return (CALL if data.get("toolRequests") else ASSISTANT), text
    if kind.startswith("session.compaction"):
        return "compaction", text
    named = {
        "hook.start": "hook",
        "hook.end": "hook",
        "system.message": "injected",
        "tool.execution_start": CALL,
        "tool.execution_complete": "tool result",
    }
    return named.get(kind, "other"), text


def _generic(record: Record) -> tuple[str, str]:
    named = {"user": PERSON, "assistant": ASSISTANT, "call": CALL}
    named["result"] = "tool result"
    return named.get(str(record.get("role")), "other"), _text(record.get("text"))


_READERS = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini": _gemini,
    "copilot": _copilot,
    "generic": _generic,
}
HOSTS = tuple(_READERS)


def _name(record: Record) -> str:
    payload = _dict(record.get("payload"))
    found = record.get("uuid") or record.get("id") or payload.get("id")
    return found if isinstance(found, str) else ""


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = [one.get("text") for one in _blocks(content)]
    return "\n".join(part for part in parts if isinstance(part, str))


def _blocks(content: object) -> list[Mapping[str, Any]]:
    return [_dict(one) for one in content] if isinstance(content, list) else []


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
