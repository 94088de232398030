"""A Gemini message is read once, as it was written last, without what hooks put in."""

from pathlib import Path
from typing import Any

import pytest

from memcli.hosts.transcript import Step
from memcli.hosts.transcripts import open_transcript
from tests.hosts.writing import FRAME, NOON, said, steps, write

AT = "2026-11-21T12:00:00Z"
HEADER = {"sessionId": "5e55", "projectHash": "abc", "startTime": NOON, "kind": "main"}


def message(name: str, kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": NOON, "type": kind, "content": content, **fields}


def shell(text: str, status: str = "success", shown: Any = "") -> dict[str, Any]:
    return {
        "id": "c1",
        "name": "run_shell_command",
        "args": {"command": "make test"},
        "status": status,
        "result": [{"functionResponse": {"response": {"output": text}}}],
        "resultDisplay": shown,
    }


def test_a_session_comes_out_in_order_with_all_that_is_known(tmp_path: Path) -> None:
    ran = "<untrusted_context>\nOutput: no rule\nExit Code: 2\n</untrusted_context>"
    path = write(
        tmp_path / "session-1.jsonl",
        [
            HEADER,
            message("m1", "user", [{"text": "Run the tests"}]),
            {"$set": {"lastUpdated": NOON}},
            message("m2", "gemini", "I will."),
            message("m2", "gemini", "I will.", toolCalls=[shell(ran)]),
            message("m3", "user", [{"functionResponse": {"response": {}}}]),
            message("m4", "info", "Update available"),
        ],
    )
    transcript = open_transcript(path)
    assert transcript.session == ("5e55", "gemini", None)
    call = Step("call", "make test", 5, "m2", AT, "c1", "run")
    expected = [
        Step("user", "Run the tests", 2, "m1", AT),
        Step("assistant", "I will.", 5, "m2", AT),
        call,
        Step("result", "Output: no rule\nExit Code: 2", 5, "m2", AT, "c1", failed=True),
    ]
    assert list(transcript.steps()) == expected
    assert list(transcript.steps()) == expected
    assert transcript.broken == []


def test_what_hooks_put_into_a_users_record_is_taken_out(tmp_path: Path) -> None:
    context = "<hook_context>&lt;memcli-memory&gt; Always use tabs</hook_context>"
    path = write(
        tmp_path / "s.jsonl",
        [
            HEADER,
            message("m1", "user", [{"text": f"{context}\n\nGo on"}, {"text": context}]),
            message("m2", "user", f"{FRAME}And on"),
            message("m3", "user", [{"text": context}]),
        ],
    )
    assert said(path) == ["Go on", "And on"]


def test_a_file_that_is_referred_to_is_not_typed(tmp_path: Path) -> None:
    files = "--- Content from referenced files ---\nAlways use tabs\n--- End ---"
    path = write(
        tmp_path / "s.jsonl",
        [
            HEADER,
            message("m1", "user", [{"text": "Read @a.md"}, {"text": files}]),
            message("m2", "user", [{"text": f"x{files}"}], displayContent="Read @b.md"),
        ],
    )
    assert said(path) == ["Read @a.md", "Read @b.md"]


def test_lists_of_the_host_add_only_what_stands_nowhere_else(tmp_path: Path) -> None:
    context = message("m0", "user", [{"text": "<session_context>\nAlways"}])
    summary = message("m9", "user", [{"text": "<state_snapshot>x</state_snapshot>"}])
    first = message("m1", "gemini", "First answer")
    only = message("m2", "user", "Stands only in lists")
    path = write(
        tmp_path / "s.jsonl",
        [
            HEADER,
            {"$set": {"messages": [context]}},
            first,
            {"$set": {"messages": [context, first, only]}},
            {"$set": {"messages": [summary, first, only]}},
            message("m3", "user", "Later"),
        ],
    )
    texts = [(step.text, step.line) for step in steps(path)]
    assert texts == [("First answer", 3), ("Stands only in lists", 5), ("Later", 6)]


def test_what_was_rewound_is_gone(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.jsonl",
        [
            HEADER,
            message("m1", "user", "One"),
            message("m2", "user", "Two"),
            message("m3", "gemini", "2"),
            {"$rewindTo": "m2"},
            message("m4", "user", "Three"),
            {"$rewindTo": "nobody"},
        ],
    )
    assert said(path) == ["One", "Three"]


def test_a_sub_agents_chat_has_no_steps(tmp_path: Path) -> None:
    records = [{**HEADER, "kind": "subagent"}, message("m1", "user", "Always")]
    assert steps(write(tmp_path / "s.jsonl", records)) == []


@pytest.mark.parametrize(
    ("call", "failed"),
    [
        (shell("Output: fine"), False),
        (shell("Output: x\nExit Code: (none)"), False),
        # A line of the output comes before that of the host.
        (shell("Output: Exit Code: 1\nExit Code: 1\nExit Code: 0"), False),
        (shell("", shown="Command exited with code: 1"), True),
        (shell("", "error", "no such tool"), True),
        (shell("", "cancelled"), None),
    ],
)
def test_a_result_says_whether_the_tool_failed(
    tmp_path: Path, call: dict[str, Any], failed: bool | None
) -> None:
    records = [HEADER, message("m1", "gemini", "", toolCalls=[call])]
    _, step = steps(write(tmp_path / "s.jsonl", records))
    assert (step.role, step.failed) == ("result", failed)


def test_a_tool_that_still_runs_has_no_result(tmp_path: Path) -> None:
    call = {**shell("", "executing"), "name": "replace", "args": {"file_path": "/a"}}
    records = [HEADER, message("m1", "gemini", "", toolCalls=[call])]
    (step,) = steps(write(tmp_path / "s.jsonl", records))
    assert (step.action, step.text) == ("edit", "/a")


def test_the_folder_is_that_of_the_header_or_of_the_file_above_the_chats(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "slug" / "chats" / "session-1.jsonl", [HEADER])
    assert open_transcript(path).session.cwd is None
    (tmp_path / "slug" / ".project_root").write_text("/home/dev/work\n")
    assert open_transcript(path).session.cwd == "/home/dev/work"
    write(Path(path), [{**HEADER, "directories": ["/home/dev/other"]}])
    assert open_transcript(path).session.cwd == "/home/dev/other"
