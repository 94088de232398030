"""What a hook prints, in the format of its host.

Invariant: pure. An empty text is an empty answer: a host that hears nothing does what
it would do without a hook. No host takes another's format: Codex refuses a key that it
does not know, Copilot hears only its own, Gemini shows plain text to the user, Windsurf
has no way in at all. The host's record makes the document.
"""

from __future__ import annotations

from memcli.hosts import table

_INJECTING = ("session-start", "prompt-submit")
# Claude Code shows 2,000 characters of what is longer than 10,000 (9,907 came whole,
# 10,019 did not); Codex cuts near 2,500 tokens, which is about as much.
MOST = 9_500
"""Characters of an answer, at most, with what JSON adds."""


def takes_text(host: str, event: str) -> bool:
    """Whether a host takes text at an event."""
    record = table.get(host)
    if record is None or not record.takes_text:
        return False
    return event in _INJECTING or event == record.tells_at


def reply(host: str, event: str, text: str) -> str:
    """The answer that brings a text into the session; empty when there is no way."""
    record = table.get(host)
    if record is None or not text or not takes_text(host, event):
        return ""
    import json

    # UTF-8, as JSON is; a host counts characters, and six for one would be a waste.
    return json.dumps(record.reply(event, text), ensure_ascii=False)


def refusal(host: str, decision: str, reason: str) -> str:
    """The answer that keeps a tool from running; empty where the host has no such.

    A host that cannot ask the user is told no.

    Args:
        host: the host's name.
        decision: ask or deny.
        reason: for the agent and the user.
    """
    record = table.get(host)
    if record is None or not record.native("pre-tool"):
        return ""
    import json

    made = "ask" if decision == "ask" and record.can_ask else "deny"
    return json.dumps(record.refusal(made, reason), ensure_ascii=False)
