"""Turns as people type them: no capitals, no apostrophes, commas for full stops."""

import time

import pytest

from memcli.entries.entry import Confidence
from memcli.hosts.transcript import Step
from memcli.sessions.mining import Candidate, mine
from memcli.sessions.mining.statements import sentences
from tests.sessions.mining.said import said

HIGH = Confidence.HIGH
AGREED = "You're right. Let me fix that."


def found(text: str, reply: str = AGREED) -> list[Candidate]:
    """What is found in a turn that answers the agent, who then edits a file."""
    return said(
        text,
        Step("assistant", reply, 4, "a4"),
        Step("call", "cmd/list.go", 5, "c5", None, "k5", "edit"),
        Step("result", "updated", 5, "r5", None, "k5", failed=False),
    )


def explicit(text: str) -> list[str]:
    return [one.pattern for one in found(text) if one.confidence is HIGH]


@pytest.mark.parametrize(
    "text",
    [
        "before you commit always run make lint test, ok?",
        "whenever you finish a phase, update STATE.md, thats the rule we have here",
        "u must always use the repo's mise tasks, not go test directly",
        "please ensure that going forward all folder keys are random and never derived",
        "In this codebase we don't use default exports, please keep it that way",
        "i dont want you to ever push without my explicit ok",
    ],
)
def test_a_rule_is_found_however_carelessly_it_is_typed(text: str) -> None:
    assert explicit(text)


@pytest.mark.parametrize(
    "text",
    [
        "wrong, .entire/settings.json is supposed to be committed, only settings.local.json is ignored",
        "you misunderstood, the id is the checkpoint's and not the session's, one checkpoint has many sessions",
    ],
)
def test_a_denial_that_goes_on_with_how_it_is_corrects(text: str) -> None:
    assert [one.category for one in found(text) if one.confidence is HIGH] == [
        "correction"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "No generated files in commits, ever.",
        "no force pushes to shared branches from now on",
        "No longer use make in this repo from now on",
        "Well named tests only from now on.",
    ],
)
def test_a_rule_keeps_the_no_that_it_begins_with(text: str) -> None:
    assert [one.text for one in found(text, "Fixed.")] == [text]
    assert [one.title.lower() for one in found(text, "Fixed.")] == [
        text.lower().strip(".")
    ]


def test_a_persons_own_words_survive_the_mask() -> None:
    assert explicit('never use "git add -A" in scripts, use `git add -u`')


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("ok, but we should revisit the cache when we do the sharing phase", "idea"),
        ("the problem was a stale lock file in .git, deleting it solved it", "fix"),
        ("hmm ok but please dont touch the generated files", "preference"),
        ("use uv instead of pip", "preference"),
    ],
)
def test_what_is_said_in_passing_is_found_below_high(text: str, category: str) -> None:
    (one,) = found(text)
    assert (one.category, one.confidence is HIGH) == (category, False)


@pytest.mark.parametrize("lead", ["", "You could write in the readme: "])
def test_what_the_agent_said_in_these_words_is_not_the_person_s(lead: str) -> None:
    rule = "From now on, always use pnpm in this repo."
    steps = [Step("assistant", lead + rule, 1, "a1"), Step("user", rule, 2, "u2")]
    assert mine(steps).candidates == []


def test_of_a_text_that_nobody_types_only_the_ends_are_read() -> None:
    page = "The page shows a list of orders. " * 600
    read = [each.text for each in sentences(f"Start. {page}Middle. {page}End.")]
    assert {"Start.", "End."} <= set(read)
    assert "Middle." not in read


@pytest.mark.parametrize(
    "unit", ["a", "Never use x. ", "\n", '"', "x.py:", "- a\n", "`"]
)
def test_a_megabyte_is_read_in_two_seconds(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()
    found(text, reply=text)
    assert time.process_time() - started < 2
