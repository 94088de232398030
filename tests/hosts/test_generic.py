"""The plain format, where a line says who spoke; and Windsurf's, as documented."""

from pathlib import Path
from typing import Any

from memcli.hosts.transcript import Step
from memcli.hosts.transcripts import open_transcript
from tests.conftest import ROOT
from tests.hosts.writing import FRAME, NOON, said, write


def test_a_line_is_a_step(tmp_path: Path) -> None:
    path = write(
        tmp_path / "talk.jsonl",
        [
            {"role": "user", "text": "Run the tests", "id": "a", "at": NOON},
            {"role": "assistant", "text": "I will."},
            {"role": "call", "text": "make test", "call": "c1", "action": "run"},
            {"role": "result", "text": "no rule", "call": "c1", "failed": True},
        ],
    )
    transcript = open_transcript(path)
    at = "2026-11-21T12:00:00Z"
    assert transcript.session == ("talk-ac841a69", "generic", None)
    assert list(transcript.steps()) == [
        Step("user", "Run the tests", 1, "a", at),
        Step("assistant", "I will.", 2, "line-2"),
        Step("call", "make test", 3, "line-3", None, "c1", "run"),
        Step("result", "no rule", 4, "line-4", None, "c1", failed=True),
    ]


def test_the_example_of_the_page_is_read(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "reference" / "transcripts.md").read_text(encoding="utf-8")
    example = page.partition("```json\n")[2].partition("```")[0]
    path = write(tmp_path / "talk.jsonl", example.splitlines())
    transcript = open_transcript(path)
    found = [(step.role, step.action, step.failed) for step in transcript.steps()]
    assert found == [
        ("user", None, None),
        ("call", "run", None),
        ("result", None, True),
        ("assistant", None, None),
    ]
    assert transcript.broken == []


def test_two_files_of_one_name_are_two_sessions_and_a_grown_one_is_the_same(
    tmp_path: Path,
) -> None:
    def session(folder: str, *texts: str) -> str:
        lines = [{"role": "user", "text": text} for text in texts]
        return open_transcript(
            write(tmp_path / folder / "chat.jsonl", lines)
        ).session.id

    first = session("a", "Run the tests")
    assert session("a", "Run the tests", "and commit") == first
    assert session("b", "Deploy it") != first


def test_a_session_may_be_named_by_its_first_line(tmp_path: Path) -> None:
    lines = [{"role": "user", "text": "Run", "session": "s1"}]
    assert open_transcript(write(tmp_path / "x.jsonl", lines)).session.id == "s1"


def windsurf(kind: str, **values: Any) -> dict[str, Any]:
    return {"status": "done", "type": kind, kind: values}


def test_of_windsurf_what_was_typed_and_said_are_the_steps(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t-1.jsonl",
        [
            windsurf("user_input", user_response="Make a file", rules_applied={}),
            windsurf("planner_response", response="I will."),
            windsurf("code_action", path="/home/dev/a.py", new_content="always = 1"),
        ],
    )
    transcript = open_transcript(path)
    assert transcript.session == ("t-1", "windsurf", None)
    assert list(transcript.steps()) == [
        Step("user", "Make a file", 1, "line-1"),
        Step("assistant", "I will.", 2, "line-2"),
    ]
    others = [
        windsurf("user_input", user_response=FRAME),
        windsurf("user_input", user_response=["Always"]),
        windsurf("user_input", rules_applied={"text": "Always obey"}),
        windsurf("user_input", user_response="Implement the following plan:\nAlways"),
        {"type": "user_input", "user_input": "Always"},
        windsurf("memory", user_response="Always obey"),
        windsurf("user_input", user_response="Typed"),
    ]
    assert said(write(tmp_path / "t.jsonl", others)) == ["Typed"]
