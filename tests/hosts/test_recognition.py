"""A file is recognised by what it holds: as its own host's, and as no other's."""

import json
from pathlib import Path
from typing import Any

import pytest

from memcli.hosts import table, transcripts
from memcli.hosts.transcripts import open_transcript
from tests.hosts import test_codex as codex
from tests.hosts import test_copilot as copilot
from tests.hosts import test_cursor as cursor
from tests.hosts import test_gemini as gemini
from tests.hosts import test_generic as generic
from tests.hosts.writing import Claude

RUN = "Run the tests"


def claude() -> list[dict[str, Any]]:
    session = Claude()
    session.add("file-history-snapshot", messageId="m")
    session.add("attachment", attachment={"type": "date"})
    session.user(RUN)
    session.user([{"type": "text", "text": "And commit"}])
    session.tool("c1", command="make test")
    session.result("c1", "Exit code 2")
    return session.records


TYPED = gemini.message("m1", "user", RUN)
SAMPLES: dict[str, list[dict[str, Any]]] = {
    "claude-code": claude(),
    "codex": [codex.meta(), codex.message("user", RUN), codex.output("no rule")],
    "gemini": [
        gemini.HEADER,
        TYPED,
        gemini.message("m2", "gemini", "", toolCalls=[]),
        {"$set": {"messages": [TYPED]}},
    ],
    "copilot": [
        copilot.START,
        copilot.event("user.message", "e1", content=RUN),
        copilot.event("assistant.message", "e2", content="I will.", toolRequests=[]),
        copilot.event("tool.execution_complete", "e3", success=True),
    ],
    "cursor": [
        cursor.line("user", cursor.query(RUN)),
        cursor.line("assistant", cursor.tool("Shell", command="make test")),
    ],
    "windsurf": [
        generic.windsurf("user_input", user_response=RUN, rules_applied={}),
        generic.windsurf("planner_response", response="I will."),
    ],
    "generic": [
        {"role": role, "text": RUN} for role in ("user", "assistant", "call", "result")
    ],
}


def recognised_by(record: dict[str, Any]) -> list[str]:
    return [each.host for each in transcripts.formats("") if each.recognises(record)]


def test_every_format_has_a_sample() -> None:
    assert [each.host for each in transcripts.formats("")] == list(SAMPLES)
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
