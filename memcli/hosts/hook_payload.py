"""What a host says on a hook's standard input, as one event.

Invariant: pure, and nothing in a payload can fail it: a field of the wrong type is a
field that is not there, and so is an id or a path that cannot be one. The host is told
by the payload where that is certain, and not by the settings file the hook stood in:
Copilot CLI runs the hooks of Claude Code, too.
"""

import os
import re
from typing import Any, NamedTuple

EVENTS = (
    "session-start",
    "prompt-submit",
    "stop",
    "session-end",
    "pre-compact",
    "idle",
)
"""What memcli does something at, whatever a host calls it."""

HOSTS = (
    "claude-code",
    "codex",
    "gemini",
    "copilot",
    "cursor",
    "windsurf",
    "opencode",
)
"""Whose hooks are known."""

# A prompt longer than this is a document; its start says what it is about.
_LONGEST = 200_000
_LONGEST_ID, _LONGEST_PATH = 500, 4_096
# Hosts that run hooks which were installed for one of the others, in its format.
_MIXED = ("", "claude-code", "copilot", "cursor")


class Event(NamedTuple):
    """One call of a hook.

    Attributes:
        name: one of `EVENTS`.
        host: who calls; may differ from the host that the command line names.
        session: the host's id of the session; empty when it says none.
        transcript: the file, which need not exist yet; None when the host says none.
        cwd: where the session runs.
        prompt: what the user typed, of `prompt-submit`.
        reason: source, reason or trigger, as the host has it.
    """

    name: str
    host: str
    session: str = ""
    transcript: str | None = None
    cwd: str | None = None
    prompt: str = ""
    reason: str = ""


def read(name: str, host: str, payload: Any) -> Event:
    """The event of a payload; whatever it is, an event comes out."""
    given = payload if isinstance(payload, dict) else {}

    def text(*names: str) -> str:
        for each in names:
            value = given.get(each)
            if isinstance(value, str) and value:
                return value.encode("utf-8", "replace").decode("utf-8")
        return ""

    info = given.get("tool_info")
    if isinstance(info, dict):  # Windsurf
        given = {**info, **given}
    transcript = _path(text("transcript_path", "transcriptPath"))
    session = text("session_id", "sessionId", "conversation_id", "trajectory_id")
    return Event(
        name=name,
        host=_host(host, given, transcript or ""),
        session=session if _is_plain(session, _LONGEST_ID) else "",
        transcript=transcript,
        cwd=_path(text("cwd", "directory") or _root(given)),
        prompt=_typed(text("prompt", "user_prompt", "initialPrompt")[:_LONGEST]),
        reason=text("source", "reason", "trigger", "notification_type"),
    )


def _host(named: str, given: dict[str, Any], transcript: str) -> str:
    """Who really calls."""
    if named not in _MIXED:
        return named
    if "sessionId" in given or "/.copilot/" in transcript.replace("\\", "/"):
        return "copilot"
    if "cursor_version" in given or "generation_id" in given:
        return "cursor"
    # Claude Code never says when; Copilot always does, in Claude's clothes as well.
    if named == "claude-code" and "timestamp" in given:
        return "copilot"
    return named


def _is_plain(text: str, most: int) -> bool:
    """Whether a text can go into a command line and a line of a file."""
    return len(text) <= most and not re.search("[\x00-\x1f\x7f]", text)


def _path(text: str) -> str | None:
    """A path that means the same in every process, or None."""
    if not (_is_plain(text, _LONGEST_PATH) and os.path.isabs(text)):
        return None
    return text


def _root(given: dict[str, Any]) -> str:
    roots = given.get("workspace_roots")
    if isinstance(roots, list) and roots and isinstance(roots[0], str):
        return roots[0]
    return ""


def _typed(prompt: str) -> str:
    from memcli.hosts.transcript import typed

    # Gemini puts what hooks said at the start into the first prompt.
    prompt = typed(prompt)
    return re.sub(r"(?s)^\"(.*)\"$", r"\1", prompt.strip())
