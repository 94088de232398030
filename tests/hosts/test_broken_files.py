"""Whatever a file holds, its good lines are read in little memory; nothing raises."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.errors import Unreadable
from memcli.hosts.formats import records
from memcli.hosts.table import NAMES as HOSTS
from memcli.hosts.transcript import ACTIONS, ROLES
from memcli.hosts.transcripts import open_transcript
from tests.hosts.writing import Claude, said, write

GOOD = '{"role": "user", "text": "%s"}'


def test_a_broken_line_costs_only_itself(tmp_path: Path) -> None:
    path = write(
        tmp_path / "talk.jsonl",
        [GOOD % "One", '{"role": "user", "te', "[1]", "", "null", GOOD % "Two", "x"],
    )
    transcript = open_transcript(path)
    assert [(step.text, step.line) for step in transcript.steps()] == [
        ("One", 1),
        ("Two", 6),
    ]
    assert transcript.broken == [2, 3, 5, 7]
    assert list(transcript.steps())
    assert transcript.broken == [2, 3, 5, 7]


def test_a_last_line_that_is_being_written_is_not_broken(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    whole = (GOOD % "Two €").encode()
    for cut in range(len(whole)):
        file.write_bytes((GOOD % "One").encode() + b"\n" + whole[:cut])
        transcript = open_transcript(str(file))
        assert [step.text for step in transcript.steps()] == ["One"]
        assert transcript.broken == []
    file.write_bytes((GOOD % "One").encode() + b"\n" + whole)
    assert said(str(file)) == ["One", "Two €"]


def test_a_line_that_is_too_long_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "LONGEST", 1_000)
    path = write(
        tmp_path / "talk.jsonl",
        [GOOD % ("x" * 970), GOOD % ("y" * 1_000), GOOD % ("z" * 5_000), GOOD % "Two"],
    )
    transcript = open_transcript(path)
    assert [step.line for step in transcript.steps()] == [1, 4]
    assert transcript.broken == [2, 3]


# Any value in any field


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.sampled_from(["user", "assistant", "text", "tool_use", "tool_result", "u1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "text", "content", "id", "name", "input", "role"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
# Of each host the types of its records and their fields; `a.b` is a field of a field.
FIELDS = {
    "claude-code": """user assistant system attachment : uuid parentUuid sessionId cwd
        logicalParentUuid timestamp isMeta isSidechain isCompactSummary planContent
        toolUseResult origin subtype toolDenialKind message.role message.content
        message.model attachment.type attachment.prompt attachment.commandMode
        attachment.origin""",
    "codex": """response_item event_msg session_meta compacted : timestamp payload.type
        payload.id payload.role payload.content payload.name payload.arguments
        payload.input payload.action payload.call_id payload.output payload.item
        payload.num_turns payload.internal_chat_message_metadata_passthrough
        payload.cwd payload.source""",
    "gemini": """user gemini info : id timestamp content displayContent kind sessionId
        projectHash directories $set.messages $rewindTo toolCalls.id toolCalls.name
        toolCalls.args toolCalls.status toolCalls.result toolCalls.resultDisplay""",
    "copilot": """user.message assistant.message tool.execution_start session.start
        tool.execution_complete session.snapshot_rewind : id timestamp agentId
        data.content data.source data.toolCallId data.toolName data.arguments
        data.success data.result data.error data.shellExecution data.sessionId
        data.context data.upToEventId""",
    "cursor": "turn_ended : role id message.role message.content",
    "opencode": "user : role text",
    "windsurf": """user_input planner_response : step_id user_input.user_response
        planner_response.response""",
    "generic": "user : role text id at call tool action failed",
}
PAYLOADS = """message function_call function_call_output custom_tool_call
    local_shell_call thread_rolled_back item_completed exec_command_end"""


def objects(host: str) -> st.SearchStrategy[dict[str, Any]]:
    """Records that look right from afar and may hold anything in each field."""
    types, _, names = FIELDS[host].partition(" : ")
    inner: dict[str, dict[str, st.SearchStrategy[Any]]] = {}
    for name in names.split():
        key, _, field = name.partition(".")
        inner.setdefault(key, {}).update({field: VALUES} if field else {})
    if "payload" in inner:
        inner["payload"]["type"] = st.sampled_from(PAYLOADS.split()) | VALUES
    fields: dict[str, st.SearchStrategy[Any]] = {}
    for key, shapes in inner.items():
        shape = st.fixed_dictionaries({}, optional=shapes)
        fields[key] = shape | st.lists(shape, max_size=2) | VALUES if shapes else VALUES
    fields["type"] = st.sampled_from(types.split()) | VALUES
    return st.fixed_dictionaries({}, optional=fields)


@pytest.mark.parametrize("host", HOSTS)
def test_any_value_in_any_field_gives_steps_of_the_right_types_or_none(
    host: str, tmp_path: Path
) -> None:
    file = tmp_path / "talk.jsonl"

    @settings(max_examples=30)
    @given(st.lists(objects(host), max_size=5))
    @example([{"type": [], "role": {}, "payload": {"type": {}}, "data": {"x": 1}}])
    def check(records: list[dict[str, Any]]) -> None:
        write(file, records)
        transcript = open_transcript(str(file), host)
        about = transcript.session
        assert isinstance(about.id, str)
        assert about.id
        assert about.cwd is None or isinstance(about.cwd, str)
        for step in transcript.steps():
            json.dumps(step).encode()
            "".join(filter(None, step[:2])).encode()
            assert step.role in ROLES
            assert isinstance(step.text, str)
            assert 1 <= step.line <= max(len(records), 1)
            for value in (step.record, step.at, step.call):
                assert value is None or (isinstance(value, str) and value)
            assert step.record
            assert step.action is None or step.action in ACTIONS
            assert step.failed in (None, True, False)
            assert (step.role == "call") == (step.action is not None)
            assert step.role not in ("user", "assistant") or step.text
        assert transcript.broken == []

    check()


@given(st.binary(max_size=300))
@example(b"\xff\xfe{\0")
@example(b'{"role": "user", "text": "a"}' * 2)
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "bytes.jsonl"
    file.write_bytes(data)
    for host in (None, *HOSTS):
        try:
            steps = list(open_transcript(str(file), host).steps())
        except Unreadable:
            continue
        assert len(steps) <= data.count(b"\n") + 1


# Recognising


def test_an_empty_file_is_a_session_without_steps(tmp_path: Path) -> None:
    for data in (b"", b"\n \n", b"\0\0\0", b'{"type": "user", "uu'):
        file = tmp_path / "abc.jsonl"
        file.write_bytes(data)
        for host in (None, *HOSTS):
            transcript = open_transcript(str(file), host)
            assert list(transcript.steps()) == []
            assert transcript.session.id in ("abc", tmp_path.name)


@pytest.mark.parametrize(
    "data", [b"Hello", b"# Notes\n\nAlways.\n", b'{"a": 1}\n', b"{\n}\n", b"\x89PNG\n"]
)
def test_what_is_no_transcript_says_so_and_what_to_do(
    tmp_path: Path, data: bytes
) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_bytes(data)
    with pytest.raises(Unreadable) as caught:
        open_transcript(str(file))
    assert str(file) in caught.value.message
    assert "--host" in (caught.value.hint or "")
    assert '"role"' in (caught.value.hint or "")


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes by name")
@pytest.mark.parametrize("host", [None, *HOSTS])
def test_what_is_no_file_is_said(tmp_path: Path, host: str | None) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path, why in (
        (tmp_path / "pipe.jsonl", "not a file"),
        (tmp_path / "gone.jsonl", "no such file"),
        (tmp_path, "is a folder"),
        (tmp_path / "a\0b", "null"),
    ):
        with pytest.raises(Unreadable, match=why) as caught:
            open_transcript(str(path), host)
        assert str(path) in caught.value.message


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything"
)
def test_a_file_that_is_forbidden_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", [GOOD % "x"])
    os.chmod(path, 0)
    with pytest.raises(Unreadable, match="permission denied"):
        open_transcript(path)


# Memory


MEASURE = """
import resource, sys
from memcli.hosts.transcripts import open_transcript
def peak():
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // (1024 if sys.platform == "darwin" else 1)
open_transcript(sys.argv[1])
before = peak()
count = sum(1 for step in open_transcript(sys.argv[2]).steps())
print(count, peak() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no resource module")
def test_a_large_file_is_read_in_little_memory(tmp_path: Path) -> None:
    """20 MB and more take less than 8: what is kept of a record is its place."""
    small, large = Claude(), tmp_path / "large.jsonl"
    small.user("Hello")
    with large.open("w", encoding="utf-8") as file:
        for turn in range(4_000):
            session = Claude()
            session.user(f"Turn {turn}")
            session.tool("c1", command="cat data")
            session.result("c1", "x" * 3_500)
            session.agent("y" * 500)
            for record in session.records:
                record["uuid"] = f"{turn:032}{record['uuid']}"
                parent = record["parentUuid"]
                record["parentUuid"] = f"{turn:032}{parent}" if parent else None
                file.write(json.dumps(record) + "\n")
    assert large.stat().st_size > 20_000_000
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, small.save(tmp_path), str(large)],
        capture_output=True,
        text=True,
        check=True,
    )
    count, kilobytes = map(int, done.stdout.split())
    assert count == 16_000
    assert kilobytes < 8_000, kilobytes


def test_what_a_terminal_obeys_is_in_no_text_and_in_no_name(tmp_path: Path) -> None:
    painted = (
        "\x1b[1;31mAlw\x00ays\x1b[0m \x1b]0;title\x07run\x9b \u202ethis\u202c\r\n\tnow"
        + "".join(f"{end}." for end in "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
    )
    lines = "Always run\n this\n\tnow" + "\n." * 9
    record = {"role": "user", "text": painted, "session": "\x1b[2Ja\nb: c\u2066" * 99}
    found = open_transcript(write(tmp_path / "x.jsonl", [record]))
    assert [step.text for step in found.steps()] == [lines]
    assert found.session.id.startswith("a b: ca b: c")
    assert len(found.session.id) <= 200
    assert found.session.id.isprintable()
