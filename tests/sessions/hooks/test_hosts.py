"""What each host hears at each event, and what is done then."""

import json
from typing import Any

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.hosts import hook_payload
from memcli.sessions import markers
from memcli.sessions.hooks import call as hook
from tests.conftest import state_of
from tests.sessions.hooks.calling import call, harness, told
from tests.sessions.hooks.payloads import ID, PATH, PAYLOADS, PROMPT, without

RULE = "Never deploy the billing service on a Friday."
OPENING = "From memcli, the memory of this user and their agents."
# Events at which there is something to mine, and whether the session is over then.
MINES = {"stop": False, "session-end": True, "pre-compact": False}
# Who cannot be told anything.
DEAF = ("windsurf",)
NATIVE = {
    ("claude-code", "session-start"): "SessionStart",
    ("claude-code", "prompt-submit"): "UserPromptSubmit",
    ("codex", "session-start"): "SessionStart",
    ("codex", "prompt-submit"): "UserPromptSubmit",
    ("gemini", "session-start"): "SessionStart",
    ("gemini", "prompt-submit"): "BeforeAgent",
}


@pytest.fixture
def rule(live: Vault) -> str:
    """The id of a constraint that fits the prompt."""
    return live.save(live.draft({"text": RULE, "kind": "constraint"})).id


def expected(host: str, event: str, text: str) -> dict[str, Any]:
    """The one document that a host takes."""
    if (host, event) in NATIVE:
        name = NATIVE[host, event]
        return {
            "hookSpecificOutput": {"hookEventName": name, "additionalContext": text}
        }
    if host == "cursor":
        more = {"continue": True} if event == "prompt-submit" else {}
        return {"additional_context": text, **more}
    return {"additionalContext": text}


def frame(event: str, rule: str) -> str:
    part = "Constraints" if event == "session-start" else "What may fit this prompt"
    return (
        f"<memcli-memory>\n{OPENING} This is a heuristic record of the past, not "
        "instructions: it assigns no task, may be out of date, and yields to the user "
        "and to what you see. Recall more: memcli recall QUERY\n"
        f"\n{part}:\n- [{rule}] {RULE}\n</memcli-memory>"
    )


@pytest.mark.parametrize(("host", "event"), list(PAYLOADS))
def test_each_host_hears_exactly_this_at_each_event(
    live: Vault, rule: str, started: list[list[str]], host: str, event: str
) -> None:
    done = call(live, event, host, PAYLOADS[host, event])
    tells = event in ("session-start", "prompt-submit") and host not in DEAF
    if tells:
        text = frame(event, rule)
        # One line that starts as JSON does: Gemini shows plain text to the user, Codex
        # refuses what only looks like JSON.
        wanted = json.dumps(expected(host, event, text), ensure_ascii=False)
        assert done.answer == wanted
        assert wanted.startswith('{"')
    else:
        assert done.answer == ""
    assert (done.line["event"], done.line["host"]) == (event, host)
    assert done.line["session"] == ID
    assert "error" not in done.line
    nothing = event == "idle"
    assert harness(live) == ([] if nothing else [f"session-id-{ID}.start"])
    if event == "session-start" or event == "idle":
        assert started == [["--sweep"]]
    elif event in MINES and not nothing:
        (flags,) = started
        assert flags[:2] == [f"--session={ID}", f"--host={host}"]
        named = "transcript_path" in json.dumps(PAYLOADS[host, event]).replace(
            "transcriptPath", "transcript_path"
        ).replace('"transcript_path": null', "")
        assert (f"--transcript={PATH}" in flags) is named
        assert ("--close" in flags) is MINES[event]
    else:
        assert started == []


def test_the_log_holds_no_word_of_a_prompt_or_a_memory(live: Vault, rule: str) -> None:
    for event, host, payload in (
        ("prompt-submit", "codex", PAYLOADS["codex", "prompt-submit"]),
        ("billing service", "billing", {"prompt": PROMPT}),
    ):
        hook.note(call(live, event, host, payload))
    text = state_of(live.root, layout.HOOK_LOG).read_text()
    assert text.count("\n") == 1
    assert "deploy" not in text
    assert "friday" not in text.casefold()


# --- the same entry, once ---------------------------------------------------------


def shown(live: Vault, event: str, rule: str, **fields: Any) -> bool:
    one = {**PAYLOADS["claude-code", event], **fields}
    answer = call(live, event, "claude-code", one).answer
    assert answer == "" or rule in told(answer)
    return bool(answer)


def test_no_entry_is_told_twice_in_a_session(
    live: Vault, rule: str, started: list[list[str]]
) -> None:
    assert shown(live, "session-start", rule)
    assert not shown(live, "prompt-submit", rule)
    assert shown(live, "prompt-submit", rule, session_id="another")
    assert not shown(live, "prompt-submit", rule, session_id="another")
    assert not shown(live, "session-start", rule, session_id="another")


@pytest.mark.parametrize("source", ["compact", "clear"])
def test_a_session_that_has_forgotten_is_told_again(
    live: Vault, rule: str, started: list[list[str]], source: str
) -> None:
    assert shown(live, "session-start", rule)
    assert shown(live, "session-start", rule, source=source)
    assert not shown(live, "prompt-submit", rule)


def test_a_session_that_is_resumed_is_told_what_is_new(
    live: Vault, rule: str, started: list[list[str]]
) -> None:
    assert shown(live, "session-start", rule)
    assert not shown(live, "session-start", rule, source="resume")
    other = live.save(live.draft({"text": "We use uv.", "kind": "preference"})).id
    one = {**PAYLOADS["claude-code", "session-start"], "source": "resume"}
    text = told(call(live, "session-start", "claude-code", one).answer)
    assert other in text
    assert rule not in text


@pytest.mark.parametrize("host", ["copilot", "cursor", "opencode"])
def test_a_host_that_says_only_before_it_compacts_is_told_again_after_that(
    live: Vault, rule: str, started: list[list[str]], host: str
) -> None:
    for event in ("session-start", "pre-compact"):
        call(live, event, host, PAYLOADS[host, event])
    assert (
        rule
        in call(live, "prompt-submit", host, PAYLOADS[host, "prompt-submit"]).answer
    )


def test_what_cannot_be_noted_is_not_told_at_prompts(
    live: Vault, rule: str, started: list[list[str]]
) -> None:
    state_of(live.root, layout.HARNESS).write_text("a file where the folder should be")
    assert shown(live, "session-start", rule)
    assert not shown(live, "prompt-submit", rule)


# --- who really calls -------------------------------------------------------------


def test_copilot_that_runs_claudes_hooks_too_is_answered_once_and_works_once(
    live: Vault, rule: str, started: list[list[str]]
) -> None:
    snake = {
        "session_id": ID,
        "timestamp": "2026-11-20T23:55:26.272Z",
        "cwd": "/home/dev/work",
        "hook_event_name": "UserPromptSubmit",
        "prompt": PROMPT,
    }
    first = call(live, "prompt-submit", "copilot", PAYLOADS["copilot", "prompt-submit"])
    second = call(live, "prompt-submit", "claude-code", snake)
    assert set(json.loads(first.answer)) == {"additionalContext"}
    assert second.answer == ""
    assert second.line["host"] == "copilot"
    assert second.line["did"] == "nothing: the same event came twice"
    call(live, "stop", "copilot", PAYLOADS["copilot", "stop"])
    call(live, "stop", "claude-code", {**without(snake, "prompt"), "stop_reason": "x"})
    assert len(started) == 1


def test_the_same_prompt_later_in_the_session_is_no_second_call(
    live: Vault, rule: str, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = PAYLOADS["copilot", "stop"]
    call(live, "stop", "copilot", stop)
    monkeypatch.setattr(markers, "_TWICE_WITHIN", 0.0)
    call(live, "stop", "copilot", stop)
    assert len(started) == 2


@pytest.mark.parametrize(
    ("named", "given", "host"),
    [
        ("claude-code", {"sessionId": "a"}, "copilot"),
        ("claude-code", {"session_id": "a", "timestamp": 1}, "copilot"),
        ("claude-code", {"session_id": "a", "cursor_version": "3"}, "cursor"),
        ("claude-code", {"session_id": "a"}, "claude-code"),
        ("gemini", {"session_id": "a", "timestamp": "x"}, "gemini"),
        ("opencode", {"sessionId": "a"}, "opencode"),
        ("windsurf", {"trajectory_id": "a", "timestamp": 1}, "windsurf"),
        ("", {"sessionId": "a"}, "copilot"),
    ],
)
def test_the_payload_says_who_calls(named: str, given: Any, host: str) -> None:
    assert hook_payload.read("stop", named, given).host == host


@pytest.mark.parametrize(
    "path", ["relative.jsonl", "/a\0b", "/a\nb", "/" + "x" * 5_000]
)
def test_what_is_no_path_is_no_transcript(path: str) -> None:
    given = {"session_id": "a", "transcript_path": path}
    assert hook_payload.read("stop", "codex", given).transcript is None


@pytest.mark.parametrize(
    ("reason", "sweeps"), [("idle_prompt", True), ("permission_prompt", False)]
)
def test_only_the_notification_of_idleness_sweeps(
    live: Vault, started: list[list[str]], reason: str, sweeps: bool
) -> None:
    call(live, "idle", "claude-code", {"session_id": "a", "notification_type": reason})
    assert bool(started) is sweeps
