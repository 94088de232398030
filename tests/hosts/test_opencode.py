"""Of an opencode export a user step is what was typed, not what was added to it."""

import json
from pathlib import Path
from typing import Any

import pytest

from memcli.errors import Unreadable
from memcli.hosts.formats import lines
from memcli.hosts.transcript import Step
from memcli.hosts.transcripts import open_transcript
from tests.hosts.writing import FRAME, said, steps, write

NOON_MS = 1_795_262_400_123
AT = "2026-11-21T12:00:00Z"
INFO: dict[str, Any] = {
    "id": "ses_1",
    "directory": "/home/dev/work",
    "version": "1.18.33",
    "time": {"created": NOON_MS, "updated": NOON_MS},
}


def message(name: str, role: str, *parts: Any, **about: Any) -> dict[str, Any]:
    info = {"id": name, "sessionID": "ses_1", "role": role, **about}
    info["time"] = {"created": NOON_MS}
    return {
        "info": info,
        "parts": [text(one) if isinstance(one, str) else one for one in parts],
    }


def text(words: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **fields}


def tool(
    name: str = "bash", status: str = "completed", output: str = "", **fields: Any
) -> dict[str, Any]:
    state = {"status": status, "input": {"command": "make test"}, **fields}
    state["error" if status == "error" else "output"] = output
    return {"type": "tool", "tool": name, "callID": "c1", "state": state}


def export(folder: Path, *messages: Any, indent: int | None = 2, **info: Any) -> str:
    whole = {"info": {**INFO, **info}, "messages": list(messages)}
    return write(folder / "export.json", [json.dumps(whole, indent=indent)])


@pytest.mark.parametrize("indent", [None, 2])
def test_a_session_comes_out_in_order_with_all_that_is_known(
    tmp_path: Path, indent: int | None
) -> None:
    step = {"type": "step-start"}
    path = export(
        tmp_path,
        message("msg_1", "user", '"Run the tests"', summary={"diffs": []}),
        message(
            "msg_2",
            "assistant",
            step,
            {"type": "reasoning", "text": "hm"},
            "I will.",
            tool(output="no rule", metadata={"exit": 2}),
            {"type": "step-finish"},
            parentID="msg_1",
        ),
        indent=indent,
    )
    transcript = open_transcript(path)
    assert transcript.session == ("ses_1", "opencode", "/home/dev/work")
    found = list(transcript.steps())
    assert found == [
        Step("user", "Run the tests", 1, "msg_1", AT),
        Step("assistant", "I will.", 2, "msg_2", AT),
        Step("call", "make test", 2, "msg_2", AT, "c1", "run"),
        Step("result", "no rule", 2, "msg_2", AT, "c1", failed=True),
    ]
    assert list(transcript.steps()) == found
    assert transcript.broken == []


@pytest.mark.parametrize(
    ("given", "typed"),
    [
        ('"Always use ruff"', "Always use ruff"),
        (r'"Say \"no\" to it"', 'Say "no" to it'),
        # Several arguments: only some were quoted, and nobody knows by whom.
        ('fix "the bug"', 'fix "the bug"'),
        ('"one" and "two"', '"one" and "two"'),
        ('"', '"'),
        ('""', '""'),
        (f'{FRAME}"Always use ruff"', "Always use ruff"),
    ],
)
def test_the_quotes_of_the_command_line_are_taken_off(
    tmp_path: Path, given: str, typed: str
) -> None:
    assert said(export(tmp_path, message("m1", "user", given))) == [typed]


@pytest.mark.parametrize(
    "part",
    [
        text("Always obey", synthetic=True),
        text("Always obey", ignored=True),
        {"type": "file", "text": "Always obey", "filename": "a.md"},
        {"type": "subtask", "prompt": "Always obey", "text": "Always obey"},
        text(FRAME),
        text("<system-reminder>Always obey</system-reminder>"),
    ],
)
def test_what_nobody_typed_is_no_user_step(
    tmp_path: Path, part: dict[str, Any]
) -> None:
    path = export(
        tmp_path, message("m1", "user", part), message("m2", "user", part, "Typed")
    )
    assert said(path) == ["Typed"]


def test_a_sub_agents_session_has_no_steps(tmp_path: Path) -> None:
    path = export(tmp_path, message("m1", "user", "Always obey"), parentID="ses_0")
    assert open_transcript(path).session.id == "ses_1"
    assert steps(path) == []


@pytest.mark.parametrize(
    ("revert", "kept"),
    [
        ({"messageID": "m3"}, ["One", "1", "2"]),
        ({"messageID": "m2"}, ["One"]),
        ({"messageID": "m2", "partID": "p2"}, ["One", "1"]),
        ({"messageID": "m1"}, []),
        ({"messageID": "gone"}, ["One", "1", "2", "Two"]),
        ({}, ["One", "1", "2", "Two"]),
    ],
)
def test_what_was_reverted_is_gone(
    tmp_path: Path, revert: dict[str, str], kept: list[str]
) -> None:
    path = export(
        tmp_path,
        message("m1", "user", "One"),
        message("m2", "assistant", text("1", id="p1"), text("2", id="p2")),
        message("m3", "user", "Two"),
        revert=revert,
    )
    assert [step.text for step in steps(path)] == kept


@pytest.mark.parametrize(
    ("part", "output", "failed"),
    [
        (tool(output="ok", metadata={"exit": 0}), "ok", False),
        (tool(output="ok"), "ok", False),
        (tool(output="no", metadata={"exit": 1}), "no", True),
        (tool(status="error", output="no such tool"), "no such tool", True),
        (
            tool(status="error", output="The user rejected permission to use this"),
            "The user rejected permission to use this",
            None,
        ),
        (tool(output=f"{FRAME}printed"), "printed", False),
    ],
)
def test_a_result_says_whether_the_tool_failed(
    tmp_path: Path, part: dict[str, Any], output: str, failed: bool | None
) -> None:
    _, step = steps(export(tmp_path, message("m1", "assistant", part)))
    assert (step.text, step.failed, step.call) == (output, failed, "c1")


def test_a_tool_that_still_runs_has_no_result(tmp_path: Path) -> None:
    part = tool("edit", "running", input={"filePath": "/a", "oldString": "x"})
    (step,) = steps(export(tmp_path, message("m1", "assistant", part)))
    assert (step.action, step.text) == ("edit", "/a")


def test_half_an_export_has_no_steps(tmp_path: Path) -> None:
    path = export(tmp_path, message("m1", "user", "One"))
    Path(path).write_text(Path(path).read_text()[:-40])
    with pytest.raises(Unreadable, match="no transcript of a known host"):
        open_transcript(path)
    half = open_transcript(path, "opencode")
    assert (list(half.steps()), len(half.broken) > 1) == ([], True)


def test_what_is_deeply_nested_or_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = write(tmp_path / "deep.json", ['{"info": {}, "messages": ' + "[" * 100_000])
    assert steps(deep, "opencode") == []
    path = export(tmp_path, message("m1", "user", "One"))
    monkeypatch.setattr(lines, "LARGEST", 100)
    assert steps(path, "opencode") == []
