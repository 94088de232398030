"""What each host says at each event, in the shape that the real ones were seen to say.

`PATH` stands for the transcript; what the hosts had of their own is made up.
"""

from typing import Any

PATH = "/home/dev/transcript.jsonl"
ID = "578b2721-3530-4f66-8f4b-6fc8d25c9c4a"
PROMPT = "may I deploy the billing service on friday?"

_CLAUDE = {"session_id": ID, "transcript_path": PATH, "cwd": "/home/dev/work"}
_CODEX = {**_CLAUDE, "model": "gpt-5.1-codex", "permission_mode": "bypassPermissions"}
_GEMINI = {**_CLAUDE, "timestamp": "2026-11-20T23:55:26.272Z"}
_COPILOT = {"sessionId": ID, "timestamp": 1795220198543, "cwd": "/home/dev/work"}
_CURSOR = {
    "conversation_id": ID,
    "generation_id": "g1",
    "model": "x",
    "cursor_version": "3.20.17",
    "workspace_roots": ["/home/dev/work"],
    "transcript_path": None,
}
_WINDSURF = {"trajectory_id": ID, "execution_id": "e1", "timestamp": "2026-11-20T23:55"}
_OPENCODE = {"session_id": ID, "directory": "/home/dev/work"}

# What most hosts call the events.
_START, _PROMPT, _END = "SessionStart", "UserPromptSubmit", "SessionEnd"
_COMPACT = "PreCompact"


def _of(base: dict[str, Any], event: str, **more: Any) -> dict[str, Any]:
    return {**base, "hook_event_name": event, **more}


_OF_HOSTS: dict[str, dict[str, dict[str, Any]]] = {
    "claude-code": {
        "session-start": _of(_CLAUDE, _START, source="startup"),
        "prompt-submit": _of(_CLAUDE, _PROMPT, prompt_id="26ab37a5", prompt=PROMPT),
        "stop": _of(_CLAUDE, "Stop", last_assistant_message="done"),
        "session-end": _of(_CLAUDE, _END, reason="prompt_input_exit"),
        "pre-compact": _of(_CLAUDE, _COMPACT, trigger="manual"),
        "idle": _of(_CLAUDE, "Notification", notification_type="idle_prompt"),
    },
    "codex": {
        "session-start": _of(_CODEX, _START, source="startup"),
        "prompt-submit": _of(_CODEX, _PROMPT, turn_id="01a1", prompt=PROMPT),
        "stop": _of(_CODEX, "Stop", turn_id="01a1", last_assistant_message=None),
        "session-end": _of(_CLAUDE, _END, reason="other"),
        "pre-compact": _of(_CODEX, _COMPACT, trigger="auto"),
    },
    "gemini": {
        "session-start": _of(_GEMINI, _START, source="startup"),
        "prompt-submit": _of(
            _GEMINI, "BeforeAgent",
            prompt=f"<hook_context>Use ruff.</hook_context>\n\n{PROMPT}",
        ),
        "stop": _of(_GEMINI, "AfterAgent", prompt=PROMPT, prompt_response="done"),
        "session-end": _of(_GEMINI, _END, reason="exit"),
        "pre-compact": _of(_GEMINI, "PreCompress", trigger="auto"),
    },
    "copilot": {
        "session-start": {**_COPILOT, "source": "new", "initialPrompt": PROMPT},
        "prompt-submit": {**_COPILOT, "prompt": PROMPT},
        "stop": {**_COPILOT, "transcriptPath": PATH, "stopReason": "end_turn"},
        "session-end": {**_COPILOT, "reason": "complete"},
        "pre-compact": {**_COPILOT, "transcriptPath": PATH, "trigger": "auto"},
    },
    "cursor": {
        "session-start": {**_CURSOR, "session_id": ID, "composer_mode": "agent"},
        "prompt-submit": {**_CURSOR, "prompt": PROMPT, "attachments": []},
        "stop": {**_CURSOR, "status": "completed", "loop_count": 0},
        "session-end": {**_CURSOR, "reason": "user_close", "duration_ms": 5},
        "pre-compact": {**_CURSOR, "trigger": "auto", "context_tokens": 9},
    },
    "windsurf": {
        "prompt-submit": {**_WINDSURF, "agent_action_name": "pre_user_prompt",
                          "tool_info": {"user_prompt": PROMPT}},
        "stop": {**_WINDSURF,
                 "agent_action_name": "post_cascade_response_with_transcript",
                 "tool_info": {"transcript_path": PATH}},
    },
    "opencode": {
        "session-start": {**_OPENCODE, "source": "startup"},
        "prompt-submit": {**_OPENCODE, "prompt": f'"{PROMPT}"'},
        "stop": _OPENCODE,
        "session-end": _OPENCODE,
        "pre-compact": _OPENCODE,
    },
}  # fmt: skip
PAYLOADS = {
    (host, event): payload
    for host, events in _OF_HOSTS.items()
    for event, payload in events.items()
}


def without(payload: dict[str, Any], *names: str) -> dict[str, Any]:
    """A payload that lacks some fields."""
    return {key: value for key, value in payload.items() if key not in names}
