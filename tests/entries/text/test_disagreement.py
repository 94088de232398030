"""Claims that cannot both hold are told from claims that are only near each other."""

import tomllib
from pathlib import Path

import pytest

from memcli.entries.text.disagreement import LONGEST, claim, disagree

PAIRS = tomllib.loads(
    Path(__file__).with_name("disagreement_pairs.toml").read_text("utf-8")
)


def rule(older: str, newer: str) -> str | None:
    one, other = claim(older), claim(newer)
    reason = disagree(one, other) if one and other else None
    return reason[0] if reason else None


PARTS = {
    "made with": {name: PAIRS[name][::2] for name in ("contradictions", "compatible")},
    "held back": {name: PAIRS[name][1::2] for name in ("contradictions", "compatible")},
    "reviewed": {"contradictions": [], **PAIRS["reviewed"]},
    "unseen": PAIRS["unseen"],
}


@pytest.mark.parametrize(
    ("part", "fewest"),
    [("made with", 17), ("held back", 16), ("reviewed", 0), ("unseen", 25)],
)
def test_many_contradictions_are_found_and_no_near_claim_is(
    part: str, fewest: int
) -> None:
    found = [pair for pair in PARTS[part]["contradictions"] if rule(*pair)]
    wrong = [
        pair
        for pair in PARTS[part]["compatible"]
        if rule(*pair) or rule(*reversed(pair))
    ]
    assert wrong == []
    assert len(found) >= fewest


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("SQLite for tests", "PostgreSQL instead of SQLite for tests", "given_up"),
        ("PostgreSQL instead of SQLite for tests", "SQLite for tests", "given_up"),
        ("Bert is the owner, not Anna", "Anna is in Berlin", None),
        ("Deploys take 5 minutes", "Deploys take 5 minutes", None),
        ("Tabs over spaces", "Spaces over tabs", "order"),
        ("Run lint before tests", "Run tests before lint", "order"),
        ("Before a release, run lint", "Run lint before a release", None),
        ("The API does not call Bo", "Bo does not call the API", None),
        ("The limit is 3", "The limit is 5", "numbers"),
        ("Timeout of checkout: 30s", "Timeout of checkout: 60s", "numbers"),
        ("The job needs 512MB", "The job needs 2 GB", "numbers"),
        ("The iPhone 5s is supported", "The iPhone 6s is supported", None),
        ("Audit logs are kept 9 days", "Logs are kept 3 days", None),
        ("The build takes 5 minutes", "The build takes 512 MB", None),
        ("The job runs every 5 minutes", "The job runs for 20 minutes", None),
        ("The job runs at 10:00", "The job runs 20 minutes", None),
        ("Bug 812 is fixed", "Bug 813 is not fixed", None),
        ("The build is green", "The build is not green", "negation"),
        ("The build is green", "The nightly build is not green", None),
        ("Mails go through SES", "Mails go through Postmark", "alternative"),
        ("Mails go through SES", "Mails go through a queue", None),
        ("The app is called Lark", "The app is called Finch", "alternative"),
        ("The wiki is in Notion", "The wiki is in English", None),
        ("Anna is in Berlin", "Anna is in Sales", None),
        ("The demo is on Friday", "The demo is on Monday", "alternative"),
        ("Small images are cached", "Large images are cached", None),
        ("The deploy is by Anna", "The deploy is on Friday", None),
        ("Prefers tabs in all code", "Prefers tabs in Go code", None),
        ("Release 1.9 was shipped", "Release 2.0 was shipped", None),
        ("Rerank v1.10 crashes often", "Rerank v1.11 crashes often", None),
        ("The tests are run in CI", "Are the tests not run in CI?", None),
        ("No, the tests run in CI", "The tests run in CI", None),
    ],
)
def test_what_differs_is_named(older: str, newer: str, expected: str | None) -> None:
    assert rule(older, newer) == expected


def test_a_text_of_many_claims_is_not_compared() -> None:
    assert claim("The limit is 50. " * (LONGEST // 10)) is None


@pytest.mark.parametrize(
    "text", ["", " ", "...", "50", "not", "no, ", "\x00", "数据库"]
)
def test_texts_without_a_claim_disagree_with_nothing(text: str) -> None:
    assert rule(text, "The limit is 50") is None
    assert rule("The limit is 50", text) is None
