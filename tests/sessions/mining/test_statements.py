"""A statement is kept to its end, under its first clause."""

import pytest

from memcli.sessions.mining.candidate import title
from memcli.sessions.mining.statements import LONGEST
from tests.sessions.mining.said import said as found


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        # To the end of the paragraph ...
        (
            "Decision: uploads go to disk first. Stream to a part file, then rename it.\n\nNow the tests.",
            "Decision: uploads go to disk first. Stream to a part file, then rename it.",
        ),
        (
            "the timeout was caused by a full disk. Fixed by moving the spool.",
            "the timeout was caused by a full disk. Fixed by moving the spool.",
        ),
        # ... with the sentence that has its noun, without what only answers ...
        (
            "no, don't use tenacity, we have our own helper. always use that one",
            "don't use tenacity, we have our own helper. always use that one",
        ),
        # ... with the list that it introduces ...
        # ... and no further than to what is about something else.
        (
            "Never log tokens. Mask them in the formatter. Can you fix the parser?",
            "Never log tokens. Mask them in the formatter.",
        ),
        ("always pin actions by hash\nfix the parser", "always pin actions by hash"),
        # What is only denied goes, what is right stays.
        (
            "That's not how we do it. Jobs are started by the scheduler. Nothing else starts them.",
            "Jobs are started by the scheduler. Nothing else starts them.",
        ),
    ],
)
def test_a_statement_is_kept_to_its_end(text: str, kept: str) -> None:
    assert [one.text for one in found(text)] == [kept]


def test_two_rules_in_one_paragraph_are_two_statements() -> None:
    text = "Always pin actions by hash. Never log tokens. Mask them."
    assert [one.text for one in found(text)] == [
        "Always pin actions by hash.",
        "Never log tokens. Mask them.",
    ]


def test_a_decision_is_one_statement_whatever_it_forbids() -> None:
    text = "Decision: ids are opaque. Never parse them. Compare them as bytes."
    assert [one.text for one in found(text)] == [text]


def test_a_denial_alone_says_nothing() -> None:
    assert found("That's not how we do it here.") == []


@pytest.mark.parametrize("mark", [".", ""])
def test_a_long_statement_is_cut(mark: str) -> None:
    (one,) = found("Always pin actions by hash. " + f"Tags move{mark} " * 200)
    assert one.text.startswith("Always pin actions by hash.")
    assert len(one.text) <= LONGEST + 2


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Decision: ids are opaque. Compare them as bytes.", "Ids are opaque"),
        (
            "Final decision - no ORM in the worker; write SQL",
            "No ORM in the worker; write SQL",
        ),
        (
            "Every state write is atomic from now on: it goes to a file beside, and the file is renamed.",
            "Every state write is atomic from now on: it goes to a file beside",
        ),
    ],
)
def test_the_title_is_the_first_clause(text: str, named: str) -> None:
    assert title(text) == named
