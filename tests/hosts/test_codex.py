"""Of a Codex rollout only response items are steps, and of those only what stands."""

from pathlib import Path
from typing import Any

import pytest

from memcli.hosts.transcript import Step
from memcli.hosts.transcripts import open_transcript
from tests.hosts.writing import FRAME, NOON, said, steps, write

AT = "2026-11-21T12:00:00Z"


def line(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": NOON, "type": kind, "payload": payload}


def meta(**fields: Any) -> dict[str, Any]:
    about = {"id": "01a1", "cwd": "/home/dev/work", "timestamp": NOON, **fields}
    return line("session_meta", **about)


def message(role: str, *texts: str, **fields: Any) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return line("response_item", type="message", role=role, content=content, **fields)


def item(kind: str, call_id: str = "c1", **fields: Any) -> dict[str, Any]:
    return line("response_item", type=kind, call_id=call_id, **fields)


def output(value: Any) -> dict[str, Any]:
    return item("function_call_output", output=value)


def test_a_session_comes_out_in_order_with_all_that_is_known(tmp_path: Path) -> None:
    path = write(
        tmp_path / "rollout-x.jsonl",
        [
            meta(),
            message("user", "Run the tests", id="m1"),
            message("assistant", "I will.", id="m2"),
            item(
                "function_call", name="exec_command", arguments='{"cmd": "make test"}'
            ),
            output(
                "Chunk ID: 9\nWall time: 0.1 seconds\nProcess exited with code 2\n"
                "Original token count: 4\nOutput:\nno rule\n"
            ),
        ],
    )
    transcript = open_transcript(path)
    assert transcript.session == ("01a1", "codex", "/home/dev/work")
    assert list(transcript.steps()) == [
        Step("user", "Run the tests", 2, "m1", AT),
        Step("assistant", "I will.", 3, "m2", AT),
        Step("call", "make test", 4, "line-4", AT, "c1", "run"),
        Step("result", "no rule", 5, "line-5", AT, "c1", failed=True),
    ]
    assert transcript.broken == []


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/home/dev</cwd>\n</environment_context>",
        "# AGENTS.md instructions for /home/dev\n\n<INSTRUCTIONS>Always</INSTRUCTIONS>",
        "<turn_aborted>The user interrupted</turn_aborted>",
        "<user_shell_command>ls</user_shell_command>",
        "Implement the following plan:\nAlways use tabs",
        FRAME,
    ],
)
def test_what_nobody_typed_is_no_user_step(tmp_path: Path, text: str) -> None:
    records = [meta(), message("user", text), message("user", "Typed")]
    assert said(write(tmp_path / "r.jsonl", records)) == ["Typed"]


def test_developer_events_and_compaction_do_not_count(tmp_path: Path) -> None:
    old = {"type": "message", "role": "user", "content": [{"text": "Always tabs"}]}
    records = [
        meta(),
        message("developer", "Always use tabs"),
        message("user", "Use spaces"),
        line("event_msg", type="user_message", message="Use spaces"),
        line("compacted", message="summary", replacement_history=[old]),
        line("world_state", full=True),
        line("response_item", type="reasoning", summary=[]),
    ]
    transcript = open_transcript(write(tmp_path / "r.jsonl", records))
    assert [step.text for step in transcript.steps()] == ["Use spaces"]


def test_the_wrapper_of_the_desktop_application_is_taken_off(tmp_path: Path) -> None:
    text = (
        "# Files mentioned by the user:\n\n## notes.md: /a/notes.md\n"
        "## My request for Codex:\nAlways obey this file\n"
        "## My request for Codex:\nShorten it, please.\n"
    )
    plain = "Write a page with the heading\n## My request for Codex:\nin it"
    path = write(
        tmp_path / "r.jsonl",
        [meta(), message("user", text), message("user", plain), meta(id="other")],
    )
    assert said(path) == ["Shorten it, please.", plain]
    assert open_transcript(path).session.id == "01a1"


def test_turns_that_were_rolled_back_are_gone(tmp_path: Path) -> None:
    records = [
        meta(),
        message("user", "One"),
        message("assistant", "1"),
        message("user", "<environment_context>x</environment_context>"),
        message("user", "Two"),
        message("assistant", "2"),
        message("user", "Three"),
        line("event_msg", type="thread_rolled_back", num_turns=2),
        message("user", "Four"),
        message("user", "Five"),
        line("event_msg", type="thread_rolled_back", num_turns=1),
    ]
    texts = [step.text for step in steps(write(tmp_path / "r.jsonl", records))]
    assert texts == ["One", "1", "Four"]


def test_a_sub_agents_rollout_has_no_steps(tmp_path: Path) -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}
    for fields in ({"source": source}, {"thread_source": "subagent"}):
        records = [meta(**fields), message("user", "Always use tabs")]
        assert steps(write(tmp_path / "r.jsonl", records)) == []


def test_an_item_that_is_repeated_is_read_once(tmp_path: Path) -> None:
    records = [meta(), *[message("user", "Once", id="m1")] * 2]
    assert said(write(tmp_path / "r.jsonl", records)) == ["Once"]


def test_a_patch_names_the_first_file_it_changes(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch"
    records = [
        meta(),
        item("custom_tool_call", name="apply_patch", input=patch),
        item("custom_tool_call_output", output="apply_patch verification failed: x"),
        item("local_shell_call", "c2", action={"type": "exec", "command": ["make"]}),
    ]
    edit, failure, shell = steps(write(tmp_path / "r.jsonl", records))
    assert (edit.action, edit.text) == ("edit", "src/a.py")
    assert failure.failed is True
    assert (shell.action, shell.text) == ("run", "make")


OLD = '{"output": "boom\\n", "metadata": {"exit_code": 1, "duration_seconds": 0.1}}'


@pytest.mark.parametrize(
    ("value", "text", "failed"),
    [
        (OLD, "boom", True),
        ("Exit code: 1\nWall time: 0 seconds\nOutput:\nboom", "boom", True),
        ("Wall time: 1 s\nProcess running with session ID 7\nOutput:\nok", "ok", None),
        # A line of the output is not the code of the command.
        ("x:\nProcess exited with code 1", "x:\nProcess exited with code 1", None),
        ({"content": "boom", "success": False}, "boom", True),
        ([{"type": "input_text", "text": "fine"}], "fine", None),
        (7, "", None),
    ],
)
def test_an_output_says_whether_the_tool_failed_in_all_forms(
    tmp_path: Path, value: Any, text: str, failed: bool | None
) -> None:
    (step,) = steps(write(tmp_path / "r.jsonl", [meta(), output(value)]))
    assert (step.text, step.failed) == (text, failed)
