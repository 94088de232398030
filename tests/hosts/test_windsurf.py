"""Windsurf's steps as its documentation has them, and what else may stand there."""

from pathlib import Path
from typing import Any

import pytest

from memcli.hosts.transcript import Step
from memcli.hosts.transcripts import open_transcript
from tests.hosts.writing import FRAME, said, steps, write


def step(kind: str, status: str = "done", **values: Any) -> dict[str, Any]:
    return {"status": status, "type": kind, kind: values}


def test_a_trajectory_comes_out_in_order_with_all_that_is_known(tmp_path: Path) -> None:
    rules = {"always_on": ["style.md"]}
    path = write(
        tmp_path / "t-1.jsonl",
        [
            step("user_input", user_response="Make a file", rules_applied=rules),
            step("planner_response", response="I will."),
            step("code_action", path="/home/dev/a.py", new_content="always = 1"),
            step("run_command", command_line="make", output="no rule", exit_code=2),
        ],
    )
    transcript = open_transcript(path)
    assert transcript.session == ("t-1", "windsurf", None)
    expected = [
        Step("user", "Make a file", 1, "line-1"),
        Step("assistant", "I will.", 2, "line-2"),
        Step("call", "/home/dev/a.py", 3, "line-3", None, "step-3", "edit"),
        Step("call", "make", 4, "line-4", None, "step-4", "run"),
        Step("result", "no rule", 4, "line-4", None, "step-4", failed=True),
    ]
    assert list(transcript.steps()) == expected
    assert list(transcript.steps()) == expected
    assert transcript.broken == []


@pytest.mark.parametrize(
    "record",
    [
        step("user_input", user_response=FRAME),
        step("user_input", user_response=["Always"]),
        step("user_input", rules_applied={"text": "Always obey"}),
        step("user_input", user_response="Implement the following plan:\nAlways"),
        {"type": "user_input", "user_input": "Always"},
        step("memory", user_response="Always obey"),
        step("ephemeral_message", text="Always obey"),
    ],
)
def test_what_nobody_typed_is_no_user_step(
    tmp_path: Path, record: dict[str, Any]
) -> None:
    records = [record, step("user_input", user_response="Typed")]
    assert said(write(tmp_path / "t.jsonl", records)) == ["Typed"]


@pytest.mark.parametrize(
    ("record", "failed"),
    [
        (step("run_command", command_line="x", exit_code=0), False),
        (step("run_command", command_line="x", exit_code=3, output="no"), True),
        (step("run_command", "error", command_line="x"), True),
        # That it has ended is not that it went well.
        (step("run_command", command_line="x", output="printed"), None),
    ],
)
def test_a_result_says_whether_the_tool_failed(
    tmp_path: Path, record: dict[str, Any], failed: bool | None
) -> None:
    call, result = steps(write(tmp_path / "t.jsonl", [record]))
    assert (call.text, call.call) == ("x", result.call)
    assert (result.role, result.failed) == ("result", failed)
