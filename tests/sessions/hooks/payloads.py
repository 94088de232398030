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

PAYLOADS: dict[tuple[str, str], dict[str, Any]] = {
    ("claude-code", "session-start"): {
        **_CLAUDE,
        "hook_event_name": "SessionStart",
        "source": "startup",
    },
    ("claude-code", "prompt-submit"): {
        **_CLAUDE,
        "prompt_id": "26ab37a5",
        "permission_mode": "default",
        "hook_event_name": "UserPromptSubmit",
        "prompt": PROMPT,
    },
    ("claude-code", "stop"): {
        **_CLAUDE,
        "hook_event_name": "Stop",
        "stop_hook_active": False,
        "last_assistant_message": "done",
        "background_tasks": [],
        "session_crons": [],
    },
    ("claude-code", "session-end"): {
        **_CLAUDE,
        "hook_event_name": "SessionEnd",
        "reason": "prompt_input_exit",
    },
    ("claude-code", "pre-compact"): {
        **_CLAUDE,
        "hook_event_name": "PreCompact",
        "trigger": "manual",
        "custom_instructions": "",
    },
    ("claude-code", "idle"): {
        **_CLAUDE,
        "hook_event_name": "Notification",
        "message": "Claude is waiting for your input",
        "notification_type": "idle_prompt",
    },
    ("codex", "session-start"): {
        **_CODEX,
        "hook_event_name": "SessionStart",
        "source": "startup",
    },
    ("codex", "prompt-submit"): {
        **_CODEX,
        "turn_id": "01a1",
        "hook_event_name": "UserPromptSubmit",
        "prompt": PROMPT,
    },
    ("codex", "stop"): {
        **_CODEX,
        "turn_id": "01a1",
        "hook_event_name": "Stop",
        "stop_hook_active": False,
        "last_assistant_message": None,
    },
    ("codex", "session-end"): {
        **_CLAUDE,
        "hook_event_name": "SessionEnd",
        "reason": "other",
    },
    ("codex", "pre-compact"): {
        **_CODEX,
        "hook_event_name": "PreCompact",
        "trigger": "auto",
    },
    ("gemini", "session-start"): {
        **_GEMINI,
        "hook_event_name": "SessionStart",
        "source": "startup",
    },
    ("gemini", "prompt-submit"): {
        **_GEMINI,
        "hook_event_name": "BeforeAgent",
        "prompt": f"<hook_context>Use ruff.</hook_context>\n\n{PROMPT}",
    },
    ("gemini", "stop"): {
        **_GEMINI,
        "hook_event_name": "AfterAgent",
        "prompt": PROMPT,
        "prompt_response": "done",
        "stop_hook_active": False,
    },
    ("gemini", "session-end"): {
        **_GEMINI,
        "hook_event_name": "SessionEnd",
        "reason": "exit",
    },
    ("gemini", "pre-compact"): {
        **_GEMINI,
        "hook_event_name": "PreCompress",
        "trigger": "auto",
    },
    ("copilot", "session-start"): {
        **_COPILOT,
        "source": "new",
        "initialPrompt": PROMPT,
    },
    ("copilot", "prompt-submit"): {**_COPILOT, "prompt": PROMPT},
    ("copilot", "stop"): {
        **_COPILOT,
        "transcriptPath": PATH,
        "stopReason": "end_turn",
        "stop_hook_active": False,
    },
    ("copilot", "session-end"): {**_COPILOT, "reason": "complete"},
    ("copilot", "pre-compact"): {**_COPILOT, "transcriptPath": PATH, "trigger": "auto"},
    ("cursor", "session-start"): {
        **_CURSOR,
        "session_id": ID,
        "is_background_agent": False,
        "composer_mode": "agent",
    },
    ("cursor", "prompt-submit"): {**_CURSOR, "prompt": PROMPT, "attachments": []},
    ("cursor", "stop"): {**_CURSOR, "status": "completed", "loop_count": 0},
    ("cursor", "session-end"): {
        **_CURSOR,
        "reason": "user_close",
        "duration_ms": 5,
        "final_status": "completed",
    },
    ("cursor", "pre-compact"): {**_CURSOR, "trigger": "auto", "context_tokens": 9},
    ("windsurf", "prompt-submit"): {
        **_WINDSURF,
        "agent_action_name": "pre_user_prompt",
        "tool_info": {"user_prompt": PROMPT},
    },
    ("windsurf", "stop"): {
        **_WINDSURF,
        "agent_action_name": "post_cascade_response_with_transcript",
        "tool_info": {"transcript_path": PATH},
    },
    ("opencode", "session-start"): {**_OPENCODE, "source": "startup"},
    ("opencode", "prompt-submit"): {**_OPENCODE, "prompt": f'"{PROMPT}"'},
    ("opencode", "stop"): _OPENCODE,
    ("opencode", "session-end"): _OPENCODE,
    ("opencode", "pre-compact"): _OPENCODE,
}


def without(payload: dict[str, Any], *names: str) -> dict[str, Any]:
    """A payload that lacks some fields."""
    return {key: value for key, value in payload.items() if key not in names}
