"""What a hook may print, for each host.

Invariant: pure. An empty text is an empty answer: a host that hears nothing does what
it would do without a hook. No host takes another's format (docs/use/hosts.md): Codex
refuses a key it does not know, Copilot hears only its own, Gemini shows plain text to
the user, Windsurf has no way in at all.
"""

_NATIVE = {
    "claude-code": {
        "session-start": "SessionStart",
        "prompt-submit": "UserPromptSubmit",
    },
    "codex": {"session-start": "SessionStart", "prompt-submit": "UserPromptSubmit"},
    "gemini": {"session-start": "SessionStart", "prompt-submit": "BeforeAgent"},
}
_INJECTING = ("session-start", "prompt-submit")
# Claude Code shows 2,000 characters of what is longer than 10,000 (9,907 came whole,
# 10,019 did not); Codex cuts near 2,500 tokens, which is about as much.
MOST = 9_500
"""Characters of an answer, at most, with what JSON adds."""


def takes_text(host: str, event: str) -> bool:
    """Whether a host can be told something at an event."""
    if event not in _INJECTING:
        return False
    return host in _NATIVE or host in ("copilot", "cursor", "opencode")


def reply(host: str, event: str, text: str) -> str:
    """The answer that brings a text into the session; empty when there is no way."""
    if not text or not takes_text(host, event):
        return ""
    import json

    answer: dict[str, object]
    if host in _NATIVE:
        name = _NATIVE[host][event]
        answer = {
            "hookSpecificOutput": {"hookEventName": name, "additionalContext": text}
        }
    elif host == "cursor":
        answer = {"additional_context": text}
        if event == "prompt-submit":
            answer["continue"] = True
    else:
        answer = {"additionalContext": text}
    # UTF-8, as JSON is; a host counts characters, and six for one would be a waste.
    return json.dumps(answer, ensure_ascii=False)
