"""The benchmark of mining counts what it says it counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from memcli.entries.entry import Confidence
from memcli.sessions.mining import Candidate
from memcli.sessions.mining.candidate import Category
from tests.benchmarks import naive, records, scoring, turns
from tests.benchmarks.scoring import Found, Label

HIGH, MEDIUM, LOW = Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW


def found(
    line: int,
    category: Category = "preference",
    confidence: Confidence = HIGH,
    text: str = "Always run the tests",
    origin: str = "person",
) -> Found:
    one = Candidate(
        category, confidence, "standing", "a rule", text, text, text, line, f"r{line}"
    )
    return Found("generic/a.jsonl", one, origin)


def label(
    line: int,
    category: str = "preference",
    level: str | None = "HIGH",
    alt: tuple[str, ...] = (),
    twin: int | None = None,
) -> Label:
    lines = (line,) if twin is None else (line, twin)
    level = None if category == "none" else level
    return Label("generic/a.jsonl", lines, category, level, alt, "run the tests", "")


def rows(path: Path, *given: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")
    return path


def test_a_candidate_is_right_in_the_category_of_its_label_or_an_alternative():
    labels = [label(1), label(2, "fix", alt=("preference",)), label(3, "fix")]
    candidates = [found(1), found(2), found(3), found(4)]
    judged = scoring.verdicts(labels, candidates)
    right, wrong, unlabelled = scoring.sorted_out(judged, candidates)
    assert [one.candidate.line for one in right] == [1, 2]
    assert [one.candidate.line for one in wrong] == [3]
    assert [one.candidate.line for one in unlabelled] == [4]
    assert [one.level for one in judged] == ["HIGH", "HIGH", None]


def test_a_label_is_found_at_the_surest_of_its_candidates():
    candidates = [found(1, confidence=LOW), found(1, confidence=MEDIUM)]
    (verdict,) = scoring.verdicts([label(1)], candidates)
    assert verdict.level == "MEDIUM"
    table = scoring.by_level([verdict], candidates)
    assert (table["HIGH"]["labelled"], table["HIGH"]["found"]) == (1, 1)
    assert table["HIGH"]["same"] == 0


def test_every_candidate_from_a_negative_is_wrong():
    candidates = [found(1), found(1, "idea", LOW)]
    judged = scoring.verdicts([label(1, "none")], candidates)
    counted = scoring.count(judged, candidates)
    assert counted == (0, 2, 0)
    assert counted.precision == 0
    assert judged[0].level is None


def test_precision_leaves_out_what_nobody_labelled_and_its_floor_counts_it():
    candidates = [found(1), found(2), found(3), found(4)]
    judged = scoring.verdicts([label(1), label(2, "none")], candidates)
    counted = scoring.count(judged, candidates)
    assert (counted.precision, counted.floor) == (0.5, 0.25)
    assert scoring.count(judged, candidates, level="LOW").precision is None
    assert scoring.count(judged, candidates, category="idea").floor is None


def test_a_record_said_twice_is_one_label():
    judged = scoring.verdicts([label(2, twin=1)], [found(1)])
    assert judged[0].level == "HIGH"
    both = [found(1), found(2)]
    assert scoring.count(scoring.verdicts([label(2, twin=1)], both), both).right == 2


def test_a_candidate_with_other_words_is_told_apart():
    assert scoring.speaks_of(found(1, text="We should run tests"), label(1))
    assert not scoring.speaks_of(found(1, text="Prefer tabs"), label(1))


def test_labels_find_their_file_with_or_without_its_folder(tmp_path: Path):
    row = {"line": 3, "category": "none", "expected_confidence": None, "alt": None}
    path = rows(
        tmp_path / "labels.jsonl",
        {**row, "file": "generic/a.jsonl"},
        {**row, "file": "a.jsonl"},
        {**row, "file": "b.jsonl"},
    )
    here, absent = scoring.read_labels(path, ["generic/a.jsonl"])
    assert [one.file for one in here] == ["generic/a.jsonl"] * 2
    assert [one.file for one in absent] == ["b.jsonl"]


@pytest.mark.parametrize(
    "broken",
    [
        {"category": "wish"},
        {"expected_confidence": "high"},
        {"expected_confidence": None},
        {"line": None, "file": None, "category": None},
    ],
)
def test_a_row_that_is_no_label_stops_the_run(tmp_path: Path, broken: dict[str, Any]):
    row = {"file": "a", "line": 1, "category": "fix", "expected_confidence": "LOW"}
    path = rows(tmp_path / "labels.jsonl", row, {**row, **broken})
    with pytest.raises(SystemExit, match=r"labels\.jsonl:2: is no label"):
        scoring.read_labels(path, ["a"])


CLAUDE: list[tuple[dict[str, Any], str]] = [
    ({"type": "user", "message": {"content": "Run it"}}, "person"),
    ({"type": "user", "isMeta": True, "message": {"content": "Run it"}}, "meta"),
    ({"type": "user", "isSidechain": True, "message": {"content": "x"}}, "sidechain"),
    ({"type": "user", "isCompactSummary": True}, "compaction"),
    ({"type": "user", "message": {"content": "This session is being continued from"}},
     "compaction"),
    ({"type": "user", "planContent": "# Plan", "message": {"content": "x"}}, "plan"),
    ({"type": "user", "message": {"content": "Implement the following plan:\nx"}},
     "plan"),
    ({"type": "user", "message": {"content": [{"type": "tool_result"}]}},
     "tool result"),
    ({"type": "user", "message": {"content": [{"type": "tool_result", "is_error": True,
     "content": "x"}]}, "toolUseResult": "Error: The user doesn't want to proceed with"
     " this tool use. To tell you how to proceed, the user said:\nUse uv",
     "toolDenialKind": "user-rejected"}, "person"),
    ({"type": "user", "message": {"content": [{"type": "tool_result",
     "content": "The user doesn't want to proceed with this tool use. To tell you how"
     " to proceed, the user said:\nUse uv"}]}, "toolUseResult": {"stdout": "x"}},
     "tool result"),
    ({"type": "attachment", "attachment": {"type": "queued_command", "prompt": "Run it",
     "commandMode": "prompt", "origin": {"kind": "human"}}}, "person"),
    ({"type": "attachment", "attachment": {"type": "queued_command", "prompt": "Run it",
     "commandMode": "prompt", "origin": {"kind": "peer"}}}, "notice"),
    ({"type": "attachment", "attachment": {"type": "hook_success"}}, "copy"),
    ({"type": "user", "message": {"content": "Operation stopped by hook: no"}}, "hook"),
    ({"type": "user", "message": {"content": "<task-notification>x"}}, "notice"),
    ({"type": "user", "message": {"content": "<command-name>/x"}}, "command"),
    ({"type": "user", "message": {"content": "<system-reminder>x</system-reminder>"}},
     "injected"),
    ({"type": "queue-operation", "content": "Run it"}, "copy"),
    ({"type": "system", "content": "x"}, "other"),
    ({"type": "assistant", "message": {"content": [{"type": "text", "text": "x"}]}},
     "assistant"),
    ({"type": "assistant", "message": {"content": [{"type": "tool_use"}]}}, "call"),
]  # fmt: skip
OTHERS: list[tuple[str, dict[str, Any], str]] = [
    ("codex", {"type": "response_item", "payload": {"type": "message", "role": "user",
     "content": [{"type": "input_text", "text": "Run it"}]}}, "person"),
    ("codex", {"type": "response_item", "payload": {"type": "message", "role": "user",
     "content": [{"type": "input_text", "text": "<environment_context>x"}]}},
     "injected"),
    ("codex", {"type": "response_item", "payload": {"type": "message",
     "role": "developer", "content": [{"text": "x"}]}}, "injected"),
    ("codex", {"type": "event_msg", "payload": {"type": "user_message",
     "message": "Run it"}}, "copy"),
    ("codex", {"type": "compacted", "payload": {"message": "x"}}, "compaction"),
    ("codex", {"type": "response_item", "payload": {"type": "function_call_output"}},
     "tool result"),
    ("gemini", {"type": "user", "content": [{"text": "Run it"}]}, "person"),
    ("gemini", {"type": "user", "content": [{"functionResponse": {}}]}, "tool result"),
    ("gemini", {"$set": {"messages": [{"type": "user", "content":
     [{"text": "<session_context>x"}]}]}}, "injected"),
    ("copilot", {"type": "user.message", "data": {"content": "Run it"}}, "person"),
    ("copilot", {"type": "user.message", "agentId": "a", "data": {"content": "x"}},
     "sidechain"),
    ("copilot", {"type": "hook.start", "data": {}}, "hook"),
    ("generic", {"role": "user", "text": "Run it"}, "person"),
    ("generic", {"role": "result", "text": "Run it"}, "tool result"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("host", "record", "origin"),
    [*(("claude-code", *one) for one in CLAUDE), *OTHERS],
)
def test_who_wrote_a_record_is_told_from_its_json(
    tmp_path: Path, host: str, record: dict[str, Any], origin: str
):
    (told,) = records.read(rows(tmp_path / "a.jsonl", record), host)
    assert told.origin == origin


def test_a_rollout_of_a_sub_agent_has_no_person_in_it(tmp_path: Path):
    meta = {"type": "session_meta", "payload": {"source": {"subagent": "review"}}}
    told = records.read(rows(tmp_path / "a.jsonl", meta, OTHERS[0][1]), "codex")
    assert [one.origin for one in told] == ["other", "sidechain"]


@pytest.mark.parametrize(
    ("category", "origin", "wrong"),
    [
        ("preference", "person", False),
        ("preference", "assistant", True),
        ("fix", "assistant", False),
        ("workflow", "call", False),
        ("fix", "tool result", True),
        ("workflow", "plan", True),
        ("idea", "no record", True),
    ],
)
def test_what_comes_from_a_forbidden_record_is_misplaced(
    category: Category, origin: str, wrong: bool
):
    one = found(1, category, origin=origin)
    assert (scoring.misplaced([one], {}) == [one]) is wrong


def test_words_that_a_hook_put_beside_a_persons_are_misplaced(tmp_path: Path):
    text = "<hook_context>Always run the tests.</hook_context> Prefer tabs."
    path = rows(tmp_path / "a.jsonl", {"role": "user", "text": text})
    (told,) = records.read(path, "generic")
    assert (told.origin, told.text) == ("person", "Prefer tabs.")
    injected = {"generic/a.jsonl": told.injected}
    ours, theirs = found(1, text="Prefer tabs"), found(1, text="always run the tests")
    assert scoring.misplaced([ours, theirs], injected) == [theirs]


def test_the_naive_patterns_take_what_they_see(tmp_path: Path):
    text = "It was never called, I need coffee, and we should also add a flag."
    told = records.read(
        rows(tmp_path / "a.jsonl", {"role": "user", "text": text}), "generic"
    )
    mined = list(naive.mine(told))
    assert [(one.category, str(one.confidence)) for one in mined] == [
        ("preference", "HIGH"),
        ("idea", "MEDIUM"),
    ]


def turn(repo: str, text: str, *labels: tuple[str, str]) -> dict[str, Any]:
    named = [{"category": one, "confidence": level} for one, level in labels]
    return {"repo": repo, "session": repo, "text": text, "before": "", "labels": named}


def test_a_repository_is_in_one_fold_and_there_are_five_at_most():
    given = [turn(f"r{n}", "hello there", *[]) for n in range(7) for _ in range(n + 1)]
    dealt = turns.folds(turns.mined(given))
    assert sorted(repo for fold in dealt for repo in fold) == [
        f"r{n}" for n in range(7)
    ]
    assert len(dealt) == 5
    assert turns.folds(turns.mined(given[:3])) == [["r1"], ["r0"]]


def test_the_tables_of_turns_count_by_fold_label_category_and_rule():
    told = turns.mined(
        [
            turn("a", "Always run the tests before you push.", ("preference", "HIGH")),
            turn("b", "Never push to main.", ("decision", "MEDIUM"), ("idea", "LOW")),
            turn("b", "Never commit generated files."),
            turn("b", "we use a queue for that", ("fact", "MEDIUM")),
        ]
    )
    assert turns.by_fold(told)[2:] == [
        "| b | 3 | 2 | 1 | 0 | 0 | 2 | 1 |",
        "| a | 1 | 1 | 1 | 1 | 1 | 1 | 1 |",
    ]
    assert turns.confusion(told)[2:] == [
        "| HIGH | 1 | 0 | 0 | 0 |",
        "| MEDIUM | 1 | 0 | 0 | 1 |",
        "| LOW | 0 | 0 | 0 | 0 |",
        "| none | 1 | 0 | 0 | 0 |",
    ]
    assert turns.by_category(told)[2:] == [
        "| decision | 1 | 0 | 0 | 0 | 0 | 0 |",
        "| fact | 0 | 0 | 0 | 0 | 0 | 1 |",
        "| preference | 1 | 0 | 0 | 0 | 0 | 0 |",
    ]
    assert turns.by_rule(told)[2:] == ["| `standing` | HIGH | 3 | 2 | 2 |"]
