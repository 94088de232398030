"""A host's JSON on a hook's standard input, as one event.

Invariant: pure, and nothing in a payload can fail it: a field of the wrong type is a
field that is not there, and so is an id or a path that cannot be one. The payload tells
the host where that is certain, and not the settings file in which the hook stood:
Copilot CLI runs the hooks of Claude Code, too.
"""

from __future__ import annotations

import os
import re

from memcli.hosts import table
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


# A prompt longer than this is a document; its start says what it is about.
_LONGEST = 200_000
_LONGEST_ID, _LONGEST_PATH = 500, 4_096


class Event(NamedTuple):
    """One call of a hook.

    Attributes:
        name: one of `host.EVENTS`.
        host: the caller; may differ from the host that the command line names.
        session: the host's id of the session; empty when it says none.
        transcript: the file, which need not exist yet; None when the host says none.
        cwd: where the session runs.
        prompt: what the user typed, of `prompt-submit`.
        reason: source, reason or trigger, as the host has it.
        actions: what a tool does, as `tool_call.actions` has it; of pre-tool and
            post-tool.
    """

    name: str
    host: str
    session: str = ""
    transcript: str | None = None
    cwd: str | None = None
    prompt: str = ""
    reason: str = ""
    actions: tuple[tuple[str, str, str], ...] = ()


def read(name: str, host: str, payload: Any) -> Event:
    """The event of a payload; a payload of any form gives one.

    Args:
        name: the event that the hook's command line names.
        host: the host that it names; may be empty or unknown.
        payload: the JSON value that came in, None for none.
    """
    fields = payload if isinstance(payload, dict) else {}

    def text(*names: str) -> str:
        for each in names:
            value = fields.get(each)
            if isinstance(value, str) and value:
                return value.encode("utf-8", "replace").decode("utf-8")
        return ""

    info = fields.get("tool_info")
    if isinstance(info, dict):  # Windsurf
        fields = {**info, **fields}
    transcript = _path(text("transcript_path", "transcriptPath"))
    acts: list[tuple[str, str, str]] = []
    if name in ("pre-tool", "post-tool"):
        from memcli.hosts import tool_call

        acts = tool_call.actions(fields, text("cwd", "directory") or _root(fields))
    session = text("session_id", "sessionId", "conversation_id", "trajectory_id")
    return Event(
        name=name,
        host=_caller(host, fields, transcript or ""),
        session=session if _is_plain(session, _LONGEST_ID) else "",
        transcript=transcript,
        cwd=_path(text("cwd", "directory") or _root(fields)),
        prompt=_typed(text("prompt", "user_prompt", "initialPrompt")[:_LONGEST]),
        reason=text("source", "reason", "trigger", "notification_type"),
        actions=tuple(acts),
    )


def _caller(written_for: str, fields: dict[str, Any], transcript: str) -> str:
    """The host that really calls: one may run hooks that were written for another."""
    # A hook that names no host is looked at as one of Claude Code's, which others run.
    record = table.get(written_for or "claude-code")
    others = record.hooks_also_run_by if record else ()
    if "cursor" in others and ("cursor_version" in fields or "generation_id" in fields):
        return "cursor"
    if "copilot" in others and (
        "sessionId" in fields
        or "/.copilot/" in transcript.replace("\\", "/")
        # Claude Code never says when; Copilot always does, in Claude's clothes as well.
        or (written_for == "claude-code" and "timestamp" in fields)
    ):
        return "copilot"
    return written_for


def _is_plain(text: str, most: int) -> bool:
    """Whether a text can go into a command line and a line of a file."""
    return len(text) <= most and not re.search("[\x00-\x1f\x7f]", text)


def _path(text: str) -> str | None:
    """A path that means the same in every process, or None."""
    return text if _is_plain(text, _LONGEST_PATH) and os.path.isabs(text) else None


def _root(fields: dict[str, Any]) -> str:
    roots = fields.get("workspace_roots")
    if isinstance(roots, list) and roots and isinstance(roots[0], str):
        return roots[0]
    return ""


def _typed(prompt: str) -> str:
    from memcli.hosts.transcript import typed

    # Gemini puts what hooks said at the start into the first prompt.
    prompt = typed(prompt)
    return re.sub(r"(?s)^\"(.*)\"$", r"\1", prompt.strip())
