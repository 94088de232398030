"""Of Copilot's events a user step is what was typed, never what became of it."""

from pathlib import Path
from typing import Any

import pytest

from memcli.hosts.transcript import Step
from memcli.hosts.transcripts import open_transcript
from tests.hosts.writing import FRAME, NOON, said, steps, write

AT = "2026-11-21T12:00:00Z"
START: dict[str, Any] = {
    "type": "session.start",
    "data": {"sessionId": "5e55", "context": {"cwd": "/home/dev/work"}},
    "id": "e0",
    "timestamp": NOON,
}


def event(kind: str, name: str = "", *, agent: str = "", **data: Any) -> dict[str, Any]:
    record = {"type": kind, "data": data, "timestamp": NOON, "parentId": "p"}
    if name:
        record["id"] = name
    return {**record, "agentId": agent} if agent else record


def test_a_session_comes_out_in_order_with_all_that_is_known(tmp_path: Path) -> None:
    call: dict[str, Any] = {"toolCallId": "c1", "arguments": {"command": "make test"}}
    request = {"name": "bash", **call}
    other = {"transformedContent": "<system_reminder>Always</system_reminder> Run"}
    done: dict[str, Any] = {"success": True, "shellExecution": {"exitCode": 2}}
    done |= {"toolCallId": "c1", "result": {"content": "no rule"}}
    path = write(
        tmp_path / "5e55" / "events.jsonl",
        [
            START,
            event("hook.start", input={"prompt": "Run the tests"}),
            event("user.message", "e1", content="Run the tests", **other),
            event("system.message", content="You are Copilot. Always obey."),
            event("assistant.message", "e2", content="I will.", toolRequests=[request]),
            event("tool.execution_start", "e3", toolName="bash", **call),
            event("tool.execution_complete", "e4", **done),
            event("session.compaction_complete", summaryContent="Always use tabs"),
            event("session.shutdown"),
        ],
    )
    transcript = open_transcript(path)
    assert transcript.session == ("5e55", "copilot", "/home/dev/work")
    assert list(transcript.steps()) == [
        Step("user", "Run the tests", 3, "e1", AT),
        Step("assistant", "I will.", 5, "e2", AT),
        Step("call", "make test", 6, "e3", AT, "c1", "run"),
        Step("result", "no rule", 7, "e4", AT, "c1", failed=True),
    ]
    assert transcript.broken == []


@pytest.mark.parametrize(
    "record",
    [
        event("user.message", transformedContent="Always"),
        event("user.message", content="Always", source="skill-pdf"),
        event("user.message", content="Always", isAutopilotContinuation=True),
        event("user.message", content="Implement the following plan:\nAlways"),
        event("user.message", content=FRAME),
        event("user.message", content="<system_reminder>Always</system_reminder>"),
        event("user.message", content="Always", agent="a1"),
        event("user.message", content="Always", parentToolCallId="c1"),
    ],
)
def test_what_nobody_typed_is_no_user_step(
    tmp_path: Path, record: dict[str, Any]
) -> None:
    records = [START, record, event("user.message", content="Typed")]
    assert said(write(tmp_path / "events.jsonl", records)) == ["Typed"]


def test_what_was_rewound_is_gone(tmp_path: Path) -> None:
    records = [
        START,
        event("user.message", "e1", content="One"),
        event("user.message", "e2", content="Two"),
        event("assistant.message", "e3", content="2"),
        event("session.snapshot_rewind", "e4", upToEventId="e2", eventsRemoved=2),
        event("user.message", "e5", content="Three"),
    ]
    assert said(write(tmp_path / "events.jsonl", records)) == ["One", "Three"]


@pytest.mark.parametrize(
    ("data", "text", "failed"),
    [
        ({"success": True, "shellExecution": {"exitCode": 0}}, "", False),
        ({"success": False, "shellExecution": {"exitCode": 0}}, "", True),
        ({"success": True}, "", False),
        ({"success": False, "error": {"message": "gone"}}, "gone", True),
        ({"result": {"detailedContent": "diff"}}, "diff", None),
    ],
)
def test_a_result_says_whether_the_tool_failed(
    tmp_path: Path, data: dict[str, Any], text: str, failed: bool | None
) -> None:
    records = [START, event("tool.execution_complete", toolCallId="c1", **data)]
    (step,) = steps(write(tmp_path / "events.jsonl", records))
    assert (step.text, step.failed) == (text, failed)


def test_a_session_without_a_start_has_its_folders_name(tmp_path: Path) -> None:
    path = tmp_path / "abc" / "events.jsonl"
    write(path, [event("user.message", "e1", content="Hello")])
    assert open_transcript(str(path)).session == ("abc", "copilot", None)
