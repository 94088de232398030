"""A file is recognised by what it holds: as its own host's, and as no other's."""

import json
from pathlib import Path
from typing import Any

import pytest

from memcli.hosts import table, transcripts
from memcli.hosts.transcripts import open_transcript
from tests.hosts.writing import NOON, Claude

Records = list[dict[str, Any]]


def claude() -> Records:
    session = Claude()
    session.add("file-history-snapshot", messageId="m")
    session.add("attachment", attachment={"type": "date"})
    session.user("Run the tests")
    session.user([{"type": "text", "text": "And commit"}])
    session.tool("c1", command="make test")
    session.result("c1", "Exit code 2")
    return session.records


def codex() -> Records:
    content = [{"type": "input_text", "text": "Run the tests"}]
    payloads = (
        ("session_meta", {"id": "c", "cwd": "/home/dev"}),
        ("event_msg", {"type": "user_message", "message": "Run the tests"}),
        ("response_item", {"type": "message", "role": "user", "content": content}),
    )
    return [
        {"timestamp": NOON, "type": kind, "payload": payload}
        for kind, payload in payloads
    ]


def gemini() -> Records:
    message = {"id": "m1", "timestamp": NOON, "type": "user", "content": "Run them"}
    header = {"sessionId": "g", "projectHash": "x", "startTime": NOON, "kind": "main"}
    return [
        header,
        message,
        {**message, "id": "m2", "type": "gemini", "toolCalls": []},
        {"$set": {"messages": [message]}},
    ]


def copilot() -> Records:
    events: dict[str, dict[str, Any]] = {
        "session.start": {"sessionId": "p", "context": {"cwd": "/home/dev"}},
        "user.message": {"content": "Run the tests"},
        "assistant.message": {"content": "I will.", "toolRequests": []},
        "tool.execution_complete": {"success": True, "result": {"content": "ok"}},
    }
    return [
        {"type": kind, "data": data, "id": kind, "timestamp": NOON, "parentId": None}
        for kind, data in events.items()
    ]


def cursor() -> Records:
    query = {"type": "text", "text": "<user_query>\nRun the tests\n</user_query>"}
    call = {"type": "tool_use", "name": "Shell", "input": {"command": "make test"}}
    return [
        {"role": "user", "message": {"content": [query]}},
        {"role": "assistant", "message": {"content": [call]}},
    ]


def windsurf() -> Records:
    steps: dict[str, dict[str, Any]] = {
        "user_input": {"user_response": "Run the tests", "rules_applied": {}},
        "planner_response": {"response": "I will."},
    }
    return [{"status": "done", "type": kind, kind: it} for kind, it in steps.items()]


def generic() -> Records:
    roles = ("user", "assistant", "call", "result")
    return [{"role": role, "text": "Run the tests"} for role in roles]


SAMPLES = {
    "claude-code": claude(),
    "codex": codex(),
    "gemini": gemini(),
    "copilot": copilot(),
    "cursor": cursor(),
    "windsurf": windsurf(),
    "generic": generic(),
}


def recognised_by(record: dict[str, Any]) -> list[str]:
    return [each.host for each in transcripts._formats() if each.recognises(record)]


def test_every_format_has_a_sample() -> None:
    assert [each.host for each in transcripts._formats()] == list(SAMPLES)
    assert {*table.NAMES} - {*SAMPLES} == {"opencode"}  # whose plugin writes the plain


@pytest.mark.parametrize("host", SAMPLES)
def test_a_record_is_that_of_one_host(host: str) -> None:
    for record in SAMPLES[host]:
        assert recognised_by(record) == [host], record


def test_what_a_record_quotes_is_not_what_it_is(tmp_path: Path) -> None:
    """A session about transcripts holds those of other hosts as text."""
    every = [json.dumps(one) for records in SAMPLES.values() for one in records]
    session = Claude()
    session.user("\n".join(every))
    session.result("c1", "\n".join(reversed(every)))
    for record in session.records:
        assert recognised_by(record) == ["claude-code"]
    assert open_transcript(session.save(tmp_path)).session.host == "claude-code"
